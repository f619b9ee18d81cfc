"""The golden micro-dataset (section 5) as API payloads, transcribed by hand.

Every record is shaped as the service answers it (decimals as text, dates as `YYYY-MM-DD` text, `null` for what is
unset), so the same payloads can be served by a sandbox or loaded into the warehouse.
"""

from __future__ import annotations

import copy
from datetime import date
from typing import Any

from tests.payloads import make_charge, make_entry, make_person

Payload = dict[str, Any]

DATA_BASE = date(2026, 3, 16)
DATA_EXTRACAO = date(2026, 3, 16)
DATA_BASE_ANTERIOR = date(2026, 2, 27)
FORMAS_COMPOSTO = ("A", "B", "C", "D", "T")

CONTAS: list[Payload] = [
    {
        "conta_id": 101,
        "descricao": "Banco Alfa",
        "data_saldo_inicial": "2026-01-01",
        "valor_saldo_inicial": "10000.00",
        "ativa": True,
        "tipo": "conta",
        "saldos_conferidos": [],
    },
    {
        "conta_id": 102,
        "descricao": "Poupança",
        "data_saldo_inicial": "2026-02-01",
        "valor_saldo_inicial": "2000.00",
        "ativa": True,
        "tipo": "conta",
        "saldos_conferidos": [],
    },
]

# Section 5 names the formas; everything else keeps the default of section 0.
PARAMETROS: Payload = {
    "data_base": "2026-03-16",
    "dre_mapa": {30: "fora"},
    "formas": {301: "boleto", 302: "cartao_credito", 303: "pix"},
}


def _categoria(categoria_id: int, descricao: str, tipo: int, parent_id: int | None, *, ativo: bool = True) -> Payload:
    return {
        "id": categoria_id,
        "descricao": descricao,
        "cor": "#808080",
        "parent_id": parent_id,
        "ativo": ativo,
        "categorias_filhas": [],
        "tipo_categoria_id": tipo,
    }


def categorias() -> list[Payload]:
    """Return the category tree as `GET /v1/categorias` nests it."""
    receitas = _categoria(10, "Receitas", 2, None)
    receitas["categorias_filhas"] = [_categoria(11, "Serviços", 2, 10), _categoria(12, "Produtos", 2, 10)]
    despesas = _categoria(20, "Despesas", 1, None)
    despesas["categorias_filhas"] = [
        _categoria(21, "Aluguel", 1, 20),
        _categoria(22, "Pessoal", 1, 20),
        _categoria(23, "Serviços de terceiros", 1, 20),
        _categoria(24, "Marketing", 1, 20, ativo=False),
    ]
    return [receitas, despesas, _categoria(30, "Empréstimos", 0, None)]


def _pessoa(pessoa_id: int, nome: str, documento: str, *, cliente: bool, fornecedor: bool) -> Payload:
    return make_person(id=pessoa_id, nome=nome, documento=documento, fornecedor=fornecedor, cliente=cliente)


def pessoas() -> list[Payload]:
    """Return the four persons; 602 is both customer and supplier. The documents are invented numbers."""
    return [
        _pessoa(501, "Azul", "11111111000101", cliente=True, fornecedor=False),
        _pessoa(502, "Beta", "22222222000102", cliente=True, fornecedor=False),
        _pessoa(601, "Delta", "33333333000103", cliente=False, fornecedor=True),
        _pessoa(602, "Épsilon", "44444444000104", cliente=True, fornecedor=True),
    ]


def _lancamento(
    lancamento_id: int,
    conta_id: int,
    categoria_id: int | None,
    pessoa_id: int | None,
    valor: str,
    vencimento: str,
    pagamento: str | None,
    competencia: str | None,
    **outros: Any,
) -> Payload:
    registro = make_entry(
        id=lancamento_id, categoria_id=categoria_id, conta_id=conta_id, pessoa_id=pessoa_id, valor=valor,
        descricao=f"Lançamento {lancamento_id}", data_vencimento=vencimento, data_pagamento=pagamento,
        data_competencia=competencia, modified="2026-02-20 08:00:00",
    )  # fmt: skip
    return registro | outros


def _aluguel(lancamento_id: int, numero: int, vencimento: str, pagamento: str | None, competencia: str) -> Payload:
    return _lancamento(
        lancamento_id, 101, 21, 601, "-1500.00", vencimento, pagamento, competencia,
        grupo_id=7001, numero_repeticao=numero, total_repeticoes=3, periodicidade="M1", centro_custo_lucro_id=201,
    )  # fmt: skip


def _item(item_id: int, categoria_id: int, valor: str) -> Payload:
    """Nested item: it has no `centro_custo_lucro_id` key, so it inherits the carrier's (S2)."""
    return {
        "id": item_id,
        "descricao": f"Item {item_id}",
        "valor": valor,
        "categoria_id": categoria_id,
        "lancamento_composto_id": 8001,
        "tags": [],
    }


def _membro(lancamento_id: int, categoria_id: int, valor: str) -> Payload:
    """One member of composite 8001 as a list row."""
    return _lancamento(
        lancamento_id, 101, categoria_id, None, valor, "2026-02-27", "2026-02-27", "2026-02-01",
        lancamento_composto_id=8001, centro_custo_lucro_id=202, descricao=f"Item {lancamento_id}",
    )  # fmt: skip


def _composto(forma: str) -> list[Payload]:
    """Composite 8001 in one of the five shapes the list may answer with (section 5, S2)."""
    cabeca = _membro(1007, 22, "-3000.00")
    if forma == "A":
        cabeca["itens_adicionais"] = [_item(1008, 23, "-250.00"), _item(1009, 22, "150.00")]
        return [cabeca]
    if forma == "T":
        cabeca["valor"] = "-3100.00"
        cabeca["itens_adicionais"] = [
            _item(1107, 22, "-3000.00"),
            _item(1008, 23, "-250.00"),
            _item(1009, 22, "150.00"),
        ]
        return [cabeca]
    segundo, terceiro = _membro(1008, 23, "-250.00"), _membro(1009, 22, "150.00")
    if forma == "B":
        return [cabeca, segundo, terceiro]
    if forma == "C":
        cabeca["itens_adicionais"] = [_item(1008, 23, "-250.00"), _item(1009, 22, "150.00")]
        return [cabeca, segundo, terceiro]
    if forma == "D":
        itens = {1007: (22, "-3000.00"), 1008: (23, "-250.00"), 1009: (22, "150.00")}
        membros = [cabeca, segundo, terceiro]
        for membro in membros:
            membro["itens_adicionais"] = [_item(i, *resto) for i, resto in itens.items() if i != membro["id"]]
        return membros
    message = f"forma must be one of {FORMAS_COMPOSTO}, not {forma!r}"
    raise ValueError(message)


def lancamentos(forma: str = "A", *, saldo_inicial: bool = False, anterior: bool = False) -> list[Payload]:
    """Return the entries as `GET /v1/lancamentos` lists them (all accounts together, ascending id).

    Args:
        forma: shape of composite 8001 (`A`, `B`, `C`, `D` or `T`).
        saldo_inicial: variant S, with the extra opening-balance row 1000.
        anterior: the previous complete run, of 27/02/2026.
    """
    linhas = [
        _lancamento(1001, 101, 11, 501, "5000.00", "2026-01-30", "2026-02-03", "2026-01-15"),
        _aluguel(1002, 1, "2026-01-05", "2026-01-05", "2026-01-01"),
        _aluguel(1003, 2, "2026-02-05", "2026-02-05", "2026-02-01"),
        _aluguel(1004, 3, "2026-03-05", None, "2026-03-01"),
        _lancamento(1005, 101, None, None, "-800.00", "2026-02-10", "2026-02-10", "2026-02-10",
                    lancamento_transferencia_id=1006, descricao="Transferência"),
        _lancamento(1006, 102, None, None, "800.00", "2026-02-10", "2026-02-10", "2026-02-10",
                    lancamento_transferencia_id=1005, descricao="Transferência"),
        *_composto(forma),
        _lancamento(1010, 101, 23, 602, "-120.00", "2026-03-10", "2026-03-10", "2026-03-01",
                    pagamento_automatico=True, modified="2026-03-10 08:00:00"),
        _lancamento(1011, 101, 12, 502, "2400.00", "2025-12-10", None, "2025-12-01"),
        _lancamento(1012, 101, 11, 501, "1000.00", "2026-03-14", None, "2026-03-02",
                    tags=[{"id": 1}, {"id": 2}], modified="2026-03-05 08:00:00"),
        _lancamento(1013, 101, None, 502, "0.00", "2026-03-01", None, "2026-03-01", modified="2026-03-01 08:00:00"),
        _lancamento(1014, 101, 30, None, "6000.00", "2026-03-02", "2026-03-02", "2026-03-02",
                    modified="2026-03-02 08:00:00"),
        _lancamento(1015, 101, 11, 502, "3500.00", "2026-04-10", None, "2026-03-20", tags=[{"id": 1}]),
        _lancamento(1016, 102, 24, 602, "-900.00", "2026-03-31", None, None),
        _lancamento(1017, 101, 11, 501, "-200.00", "2026-02-20", "2026-02-20", "2026-02-20"),
        _lancamento(1019, 102, 20, 602, "-600.00", "2026-03-03", "2026-03-03", "2026-04-01",
                    modified="2026-03-03 08:00:00"),
    ]  # fmt: skip
    if anterior:
        linhas = [linha for linha in linhas if linha["id"] not in {1013, 1014}]
        antes: dict[int, Payload] = {
            1010: {"valor": "-110.00", "data_pagamento": None},
            1012: {"data_vencimento": "2026-03-10"},
            1019: {"data_pagamento": None},
        }
        for linha in linhas:
            if linha["id"] in antes:
                linha.update(antes[linha["id"]], modified="2026-02-20 08:00:00")
        linhas.append(_lancamento(1018, 101, 24, 602, "-450.00", "2026-03-20", None, "2026-03-20"))
    if saldo_inicial:
        linhas.append(
            _lancamento(1000, 101, None, None, "10000.00", "2026-01-01", "2026-01-01", "2026-01-01",
                        descricao="Saldo inicial")
        )  # fmt: skip
    return sorted(linhas, key=lambda linha: linha["id"])


CONTA_E: Payload = {
    "conta_id": 103,
    "descricao": "Banco Ômega",
    "data_saldo_inicial": "2025-01-01",
    "valor_saldo_inicial": "0.00",
    "ativa": True,
    "tipo": "conta",
    "saldos_conferidos": [],
}
"""Account of extension E."""


def extensao_e() -> list[Payload]:
    """Return the 16 entries of 2025 of extension E (R19), all paid on the day given."""
    formas = {501: 303, 502: 301}
    linhas = [
        (2001, 11, 501, "4000.00", "2025-02-10", "2025-02-12", "2025-02-01"),
        (2002, 21, 601, "-1400.00", "2025-02-05", "2025-02-05", "2025-02-01"),
        (2003, 22, None, "-2500.00", "2025-02-28", "2025-02-28", "2025-02-01"),
        (2004, 12, 502, "1800.00", "2025-03-10", "2025-03-10", "2025-03-05"),
        (2005, 11, 501, "3000.00", "2025-03-28", "2025-04-02", "2025-03-20"),
        (2006, 21, 601, "-1400.00", "2025-03-05", "2025-03-05", "2025-03-01"),
        (2007, 11, 501, "2500.00", "2025-04-30", "2025-05-05", "2025-04-15"),
        (2008, 12, 502, "1200.00", "2025-05-12", "2025-05-12", "2025-05-05"),
        (2009, 12, 502, "1300.00", "2025-06-10", "2025-06-10", "2025-06-03"),
        (2010, 11, 501, "2600.00", "2025-07-15", "2025-07-18", "2025-07-01"),
        (2011, 12, 502, "900.00", "2025-08-11", "2025-08-13", "2025-08-01"),
        (2012, 11, 501, "2700.00", "2025-09-15", "2025-09-15", "2025-09-01"),
        (2013, 12, 502, "1100.00", "2025-10-10", "2025-10-24", "2025-10-01"),
        (2014, 11, 501, "2800.00", "2025-11-14", "2025-11-19", "2025-11-03"),
        (2015, 21, 601, "-1400.00", "2025-12-05", "2025-12-05", "2025-12-01"),
        (2016, 22, None, "-2500.00", "2025-12-30", "2025-12-30", "2025-12-01"),
    ]
    return [
        _lancamento(
            number, 103, categoria, pessoa, valor, vencimento, pagamento, competencia,
            forma_pagamento_id=formas.get(pessoa or 0), modified=f"{pagamento} 08:00:00",
        )
        for number, categoria, pessoa, valor, vencimento, pagamento, competencia in linhas
    ]  # fmt: skip


def mesa() -> list[Payload]:
    """Return the entries of the payments desk: 3000 looks forgotten (Q33), for 3001 of its group is paid."""
    return [
        _lancamento(3000, 101, 27, None, "-2500.00", "2026-02-06", None, "2026-01-31", grupo_id=7005),
        _lancamento(3001, 101, 27, None, "-2500.00", "2026-03-06", "2026-03-06", "2026-02-28", grupo_id=7005),
        _lancamento(3002, 101, 22, None, "-400.00", "2026-03-20", None, "2026-02-28"),
        _lancamento(3003, 101, 25, None, "-1200.00", "2026-03-20", None, "2026-02-28"),
        _lancamento(3004, 101, 26, 601, "-9000.00", "2026-03-10", None, "2026-03-02"),
        _lancamento(3005, 101, 28, None, "-300.00", "2026-03-16", None, "2026-03-16"),
    ]


CATEGORIAS_MESA = ((25, "Simples Nacional"), (26, "Mercadorias para revenda"), (27, "Salários"),
                   (28, "Juros de empréstimos"))  # fmt: skip
"""Below 20 Despesas, tipo 1."""


def _cobranca(cobranca_id: int, valor: str, lancamento_ids: str, forma: int, cliente: int, vencimento: str,
              **outros: Any) -> Payload:  # fmt: skip
    registro = make_charge(
        id=cobranca_id, valor=valor, lancamento_ids=lancamento_ids, forma_pagamento_id=forma, cliente_id=cliente,
        data_vencimento=vencimento, cobranca_hash=f"hash{cobranca_id}",
        link_publico=f"https://cobranca.exemplo/pagar/hash{cobranca_id}",
    )  # fmt: skip
    return registro | outros


def cobrancas() -> list[Payload]:
    """Return the four charges. Only `status_id` 1 is documented; 3 and 5 are free numbers here."""
    return [
        _cobranca(9001, "1000.00", "1012", 301, 501, "2026-03-14", valor_taxa="-3.50"),
        _cobranca(9002, "5000.00", "1001", 303, 501, "2026-01-30", valor_taxa="-1.99", valor_multa_juros="106.67",
                  valor_pago="5106.67", data_a_transferir="2026-02-04", data_transferindo="2026-02-04",
                  data_transferido="2026-02-05", status_id=4, status_descricao="Transferido"),
        _cobranca(9003, "2400.00", "1011", 301, 502, "2025-12-10", valor_taxa="-3.50", valor_pago="2400.00",
                  data_a_transferir="2026-03-17", status_id=2, status_descricao="Cliente pagou"),
        _cobranca(9004, "3500.00", "1015", 302, 502, "2026-04-10", data_cancelamento="2026-03-12"),
    ]  # fmt: skip


def payloads(
    forma: str = "A",
    *,
    saldo_inicial: bool = False,
    anterior: bool = False,
    extensao: bool = False,
    com_mesa: bool = False,
) -> dict[str, Any]:
    """Return the whole company as received.

    Args:
        forma: shape of the composite: `A` nested, `B` rows, `C` rows and nested, `D` every row nests its siblings,
            `T` parent with the total.
        saldo_inicial: variant S (row 1000 is the opening balance listed as an entry). The setting
            `saldo_inicial_lancamentos=[1000]` is added to `parametros`; take it out to see Q19 fail.
        extensao: extension E too, the year before (R19).
        com_mesa: the entries and categories of the payments desk too.
        anterior: the previous complete run (27/02/2026). Section 5 says nothing of the charges then: the same.

    Returns:
        dict with `lancamentos, cobrancas, categorias, clientes, fornecedores, contas, parametros` (lists and dicts
        of plain JSON values) and `data_base`, `data_extracao` (`datetime.date`). A fresh copy at every call.
    """
    parametros = copy.deepcopy(PARAMETROS)
    if saldo_inicial:
        parametros["saldo_inicial_lancamentos"] = [1000]
    tree = categorias()
    if com_mesa:
        despesas = next(root for root in tree if root["id"] == 20)
        despesas["categorias_filhas"] += [_categoria(number, name, 1, 20) for number, name in CATEGORIAS_MESA]
    if anterior:
        parametros["data_base"] = DATA_BASE_ANTERIOR.isoformat()
    return {
        "lancamentos": [
            *lancamentos(forma, saldo_inicial=saldo_inicial, anterior=anterior),
            *(extensao_e() if extensao else ()),
            *(mesa() if com_mesa else ()),
        ],
        "cobrancas": cobrancas(),
        "categorias": tree,
        "clientes": [pessoa for pessoa in pessoas() if pessoa["cliente"]],
        "fornecedores": [pessoa for pessoa in pessoas() if pessoa["fornecedor"]],
        "contas": copy.deepcopy([*CONTAS, CONTA_E] if extensao else CONTAS),
        "parametros": parametros,
        "data_base": DATA_BASE_ANTERIOR if anterior else DATA_BASE,
        "data_extracao": DATA_BASE_ANTERIOR if anterior else DATA_EXTRACAO,
    }
