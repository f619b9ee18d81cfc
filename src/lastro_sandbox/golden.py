"""The golden company: a small set of books whose every report figure was worked out by hand.

The tables are those of the golden data set of the tests (`tests/golden`): six months around 2026-03-16, one of
everything that reports get wrong. ``golden_company`` serves them in each of the five shapes of composites, with the
opening balance also listed as an entry, or as they stood at the previous complete run of 2026-02-27.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from lastro_sandbox.decisions import COMPOSITE_SHAPES, CompositeShape
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Account, Category, Charge, Classification, Entry, Named, Person

TODAY: Final = date(2026, 3, 16)
PREVIOUS: Final = date(2026, 2, 27)

_CATEGORIES: Final = (
    (10, "Receitas", 2, None),
    (11, "Serviços", 2, 10),
    (12, "Produtos", 2, 10),
    (20, "Despesas", 1, None),
    (21, "Aluguel", 1, 20),
    (22, "Pessoal", 1, 20),
    (23, "Serviços de terceiros", 1, 20),
    (24, "Marketing", 1, 20),
    (30, "Empréstimos", 0, None),
)
_PEOPLE: Final = (
    (501, "Azul", "11222333000181", True, False),
    (502, "Beta", "44555666000181", True, False),
    (601, "Delta", "12345678000195", False, True),
    (602, "Épsilon", "98765432000198", True, True),
)
# id, conta, categoria, pessoa, centavos, vencimento, pagamento, competência, descrição, further fields
_RENT: Final = {"grupo_id": 7001, "total_repeticoes": 3, "periodicidade": "M1", "centro_custo_lucro_id": 201}
_ENTRIES: Final[tuple[tuple[Any, ...], ...]] = (
    (1001, 101, 11, 501, 500000, "2026-01-30", "2026-02-03", "2026-01-15", "Serviço de janeiro", {}),
    (1002, 101, 21, 601, -150000, "2026-01-05", "2026-01-05", "2026-01-01", "Aluguel",
     {**_RENT, "numero_repeticao": 1}),
    (1003, 101, 21, 601, -150000, "2026-02-05", "2026-02-05", "2026-02-01", "Aluguel",
     {**_RENT, "numero_repeticao": 2}),
    (1004, 101, 21, 601, -150000, "2026-03-05", None, "2026-03-01", "Aluguel", {**_RENT, "numero_repeticao": 3}),
    (1005, 101, None, None, -80000, "2026-02-10", "2026-02-10", "2026-02-10", "Aplicação na poupança",
     {"lancamento_transferencia_id": 1006}),
    (1006, 102, None, None, 80000, "2026-02-10", "2026-02-10", "2026-02-10", "Aplicação na poupança",
     {"lancamento_transferencia_id": 1005}),
    (1007, 101, 22, None, -300000, "2026-02-27", "2026-02-27", "2026-02-01", "Folha de fevereiro",
     {"lancamento_composto_id": 8001, "centro_custo_lucro_id": 202}),
    (1008, 101, 23, None, -25000, "2026-02-27", "2026-02-27", "2026-02-01", "Escritório de folha",
     {"lancamento_composto_id": 8001, "centro_custo_lucro_id": 202, "item_de": 1007}),
    (1009, 101, 22, None, 15000, "2026-02-27", "2026-02-27", "2026-02-01", "Desconto de adiantamento",
     {"lancamento_composto_id": 8001, "centro_custo_lucro_id": 202, "item_de": 1007}),
    (1010, 101, 23, 602, -12000, "2026-03-10", "2026-03-10", "2026-03-01", "Suporte técnico",
     {"pagamento_automatico": True}),
    (1011, 101, 12, 502, 240000, "2025-12-10", None, "2025-12-01", "Venda de produtos", {}),
    (1012, 101, 11, 501, 100000, "2026-03-14", None, "2026-03-02", "Serviço de março", {"tags": (1, 2)}),
    (1013, 101, None, 502, 0, "2026-03-01", None, "2026-03-01", "Brinde", {}),
    (1014, 101, 30, None, 600000, "2026-03-02", "2026-03-02", "2026-03-02", "Empréstimo bancário", {}),
    (1015, 101, 11, 502, 350000, "2026-04-10", None, "2026-03-20", "Serviço de abril", {"tags": (1,)}),
    (1016, 102, 24, 602, -90000, "2026-03-31", None, None, "Campanha", {}),
    (1017, 101, 11, 501, -20000, "2026-02-20", "2026-02-20", "2026-02-20", "Devolução ao cliente", {}),
    (1019, 102, 20, 602, -60000, "2026-03-03", "2026-03-03", "2026-04-01", "Despesas gerais", {}),
)  # fmt: skip
# id, centavos, taxa, multa e juros, pago, lançamento, forma, cliente, vencimento, three dates, cancelamento, estado
_CHARGES: Final[tuple[tuple[Any, ...], ...]] = (
    (9001, 100000, -350, 0, None, 1012, 301, 501, "2026-03-14", None, None, None, None, "pendente"),
    (9002, 500000, -199, 10667, 510667, 1001, 303, 501, "2026-01-30", "2026-02-04", "2026-02-04", "2026-02-05", None,
     "transferido"),
    (9003, 240000, -350, 0, 240000, 1011, 301, 502, "2025-12-10", "2026-03-17", None, None, None, "cliente_pagou"),
    (9004, 350000, 0, 0, None, 1015, 302, 502, "2026-04-10", None, None, None, "2026-03-12", "pendente"),
)  # fmt: skip
_METHODS: Final = {301: "boleto", 302: "cartao_credito", 303: "pix"}


def golden_company(forma: str = "A", *, saldo_inicial: bool = False, anterior: bool = False) -> Books:
    """Build the golden company.

    Args:
        forma: shape of the composite, ``A`` nested, ``B`` three rows without nesting, ``C`` rows and nested on the
            carrier, ``D`` every row nesting its siblings, ``T`` nested with the carrier's amount as the total.
        saldo_inicial: also list the opening balance of account 101 as the ordinary paid entry 1000.
        anterior: the books as they stood at the previous complete run, on 2026-02-27.

    Raises:
        ValueError: unknown shape.
    """
    if forma not in COMPOSITE_SHAPES:
        raise ValueError(f"forma must be one of {', '.join(COMPOSITE_SHAPES)}, not {forma!r}")
    shape: CompositeShape = forma
    books = Books(PREVIOUS if anterior else TODAY, nome="Empresa Ouro Ltda", empresa_id="ouro", forma_composto=shape)
    books.contas = {
        101: Account(101, "Banco Alfa", 1000000, "2026-01-01"),
        102: Account(102, "Poupança", 200000, "2026-02-01"),
    }
    for id_, name, kind, parent in _CATEGORIES:
        books.categorias[id_] = Category(id_, name, parent_id=parent, ativo=id_ != 24, tipo_categoria_id=kind)
    for id_, name, document, customer, supplier in _PEOPLE:
        books.pessoas[id_] = Person(id_, name, cliente=customer, fornecedor=supplier, documento=document)
    books.classificacoes = {
        1: Classification(1, "Varejo", 1),
        2: Classification(2, "Prestador", 2),
        3: Classification(3, "Parceiro", 0),
    }
    books.centros = {201: Named(201, "Loja"), 202: Named(202, "Administração")}
    books.formas = {id_: Named(id_, name) for id_, name in _METHODS.items()}
    books.tags = {1: Named(1, "Projeto"), 2: Named(2, "Prioridade")}
    books.load_entries(_build_entries(shape, anterior=anterior, saldo_inicial=saldo_inicial))
    for charge in _CHARGES:
        books.cobrancas[charge[0]] = _build_charge(charge)
    books.saldos_lancados = frozenset({1000} if saldo_inicial else ())
    books.start_ids(lancamentos=2001, grupos=7002, compostos=8002, cobrancas=9005)
    return books


def _build_entries(shape: CompositeShape, *, anterior: bool, saldo_inicial: bool) -> list[Entry]:
    rows = {row[0]: _build_entry(row) for row in _ENTRIES}
    if shape == "T":
        total, part = rows[1007], _build_entry(_ENTRIES[6])
        part.id, part.descricao, part.item_de, part.valor = 1107, "Salários", 1007, -300000
        total.valor = -310000
        rows[1107] = part
    if saldo_inicial:
        day = "2026-01-01"
        rows[1000] = _build_entry((1000, 101, None, None, 1000000, day, day, day, "Saldo inicial", {}))
    if anterior:
        del rows[1013], rows[1014]
        rows[1010].valor, rows[1010].data_pagamento = -11000, None
        rows[1012].data_vencimento = "2026-03-10"
        rows[1019].data_pagamento = None
        rows[1018] = _build_entry((1018, 101, 24, 602, -45000, "2026-03-20", None, None, "Feira de negócios", {}))
    return [rows[id_] for id_ in sorted(rows)]


def _build_entry(row: tuple[Any, ...]) -> Entry:
    id_, account, category, person, amount, due, paid, competence, text, further = row
    fields = {"numero_repeticao": None, "total_repeticoes": None, **further}
    return Entry(
        id=id_,
        conta_id=account,
        categoria_id=category,
        pessoa_id=person,
        valor=amount,
        data_vencimento=due,
        data_pagamento=paid,
        data_competencia=competence,
        descricao=text,
        modified=f"{paid or min(due, PREVIOUS.isoformat())} 09:00:00",
        **fields,
    )


def _build_charge(row: tuple[Any, ...]) -> Charge:
    id_, amount, fee, fines, paid, entry_id, method, person, due, a, b, c, cancelled, state = row
    return Charge(
        id=id_,
        conta_id=101,
        cliente_id=person,
        valor=amount,
        valor_taxa=fee,
        valor_multa_juros=fines,
        valor_pago=paid,
        lancamento_ids=(entry_id,),
        forma_pagamento_id=method,
        tipo_cobranca=_METHODS[method],
        data_vencimento=due,
        data_a_transferir=a,
        data_transferindo=b,
        data_transferido=c,
        data_cancelamento=cancelled,
        estado=state,
        cobranca_hash=f"ouro{id_}",
    )
