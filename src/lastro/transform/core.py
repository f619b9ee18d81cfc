"""One run's conformed records become the core tables (S1, S2, S5, S7, S11, S12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from hashlib import sha256

import pandas as pd

from lastro.errors import AmountsTooLarge, join_keys
from lastro.money import to_centavos
from lastro.schema.frames import FRAMES, shape
from lastro.secret_key import seal
from lastro.settings import Conta, Empresa
from lastro.transform.budget import build_budget
from lastro.transform.categories import build_categorias, find_natureza
from lastro.transform.charges import build_cobrancas
from lastro.transform.composites import CompositeEvidence, build_linhas, stack
from lastro.transform.conformed import Conformed
from lastro.transform.labels import Labels, tell_apart
from lastro.transform.openings import (
    CONFIGURADO,
    EXTRATO,
    LANCAMENTO,
    SEM_ABERTURA,
    Opening,
    Statement,
    choose_statements,
    find_opening,
    list_configured,
    list_transit,
    store_statements,
)
from lastro.transform.position import Core, add_competence

LIMIT_CENTAVOS = 10**16
"""R$ 100 trillion, ten times what Brazil makes in a year: sums below it, fees of a century included, fit everywhere."""


TEXT_COLUMNS = ("documento", "email", "telefone", "dados_bancarios")
BANK_FIELDS = ("banco_id", "agencia", "numero_conta")


def build_contas(
    configured: Iterable[Conta],
    listed: pd.DataFrame,
    seen: Iterable[int],
    saldos_iniciais: pd.DataFrame,
    find_opening: Callable[[int, date | None], Opening | None],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Build one row for every account configured, listed by the service or seen in the data (S7).

    Args:
        configured: accounts of the settings; their names and opening balances win.
        listed: the service's own account list (may be empty), key `conta_id`: `descricao`, `ativo`,
            `permite_lancamento`.
        seen: account ids that entries and charges name.
        saldos_iniciais: opening-balance entries: `lancamento_id`, `conta_id`, `data_pagamento`, `valor_centavos`.
        find_opening: gives the opening that follows from an account's statements and the day on which its control
            begins; asked where neither an entry nor the settings give a value (S23).

    Returns:
        Accounts sorted by id, and the opening-balance conflicts (V21): conta_id (None: without), motivo, lancamentos.
    """
    from_settings = {conta.conta_id: conta for conta in configured}
    from_service = {int(row["conta_id"]): row for row in listed.to_dict("records")}
    openings = saldos_iniciais.dropna(subset=["conta_id"]).sort_values(["data_pagamento", "lancamento_id"])
    from_entries = {int(row["conta_id"]): row for row in openings.drop_duplicates("conta_id").to_dict("records")}
    rows = []
    conflicts: list[tuple[int | None, str, list[int]]] = []
    homeless = saldos_iniciais[saldos_iniciais["conta_id"].isna()]["lancamento_id"].tolist()
    if homeless:
        # It is no linha and no account's opening balance: without a word its amount would be nowhere.
        conflicts.append((None, "lançamento de saldo inicial sem conta", homeless))
    for conta_id in sorted({*from_settings, *from_service, *seen, *from_entries}):
        conta, service, entry = from_settings.get(conta_id), from_service.get(conta_id), from_entries.get(conta_id)
        since: date | None = conta.data_saldo_inicial if conta else None
        value = None
        if conta is not None and conta.valor_saldo_inicial is not None:
            value = to_centavos(conta.valor_saldo_inicial)
        if entry is not None:
            entry_since = None if pd.isna(entry["data_pagamento"]) else entry["data_pagamento"].date()
            entry_value = int(entry["valor_centavos"])
            entries = openings[openings["conta_id"] == conta_id]["lancamento_id"].tolist()
            if (value is not None and value != entry_value) or (since is not None and since != entry_since):
                conflicts.append((conta_id, "difere do saldo inicial configurado", entries))
            if entry_since is None:
                conflicts.append((conta_id, "lançamento de saldo inicial sem data de pagamento", entries))
            if len(entries) > 1:
                conflicts.append((conta_id, "mais de um lançamento de saldo inicial", entries))
            since, value = entry_since, entry_value
        source = SEM_ABERTURA if value is None else LANCAMENTO if entry is not None else CONFIGURADO
        computed = find_opening(conta_id, since) if value is None else None
        if computed is not None:
            source, value = EXTRATO, computed.valor_centavos
        service_name = str(service["descricao"] or "").strip() if service is not None else ""
        rows.append(
            {
                "conta_id": conta_id,
                "descricao": (conta.descricao if conta else "") or service_name or f"Conta #{conta_id}",
                "configurada": conta is not None,
                "data_saldo_inicial": pd.NaT if since is None else pd.Timestamp(since),
                "valor_saldo_inicial_centavos": value or 0,
                "tem_saldo_inicial": value is not None,
                "origem_saldo": source,
                "ancora_dia": pd.NaT if computed is None else pd.Timestamp(computed.ancora_dia),
                "ancora_valor_centavos": None if computed is None else computed.ancora_centavos,
                "ancora_provada": None if computed is None else computed.provada,
                "ativa": conta.ativa if conta else bool(service["ativo"]) if service is not None else True,
                "tipo": conta.tipo if conta else "conta",
                "permite_lancamento": bool(service["permite_lancamento"]) if service is not None else True,
                "provisoria": value is None,
            }
        )
    frame = pd.DataFrame(rows, columns=list(FRAMES["core.contas"].names), dtype=object)
    return shape("core.contas", frame), pd.DataFrame(conflicts, columns=["conta_id", "motivo", "lancamentos"])


def build_pessoas(
    clientes: pd.DataFrame,
    fornecedores: pd.DataFrame,
    referenced: Iterable[int],
    chave: bytes,
    classificacoes: Mapping[int, str],
) -> pd.DataFrame:
    """Unite customers and suppliers by id, one row each, and add placeholders for ids that nobody lists (S11).

    Args:
        clientes: grain person, key `pessoa_id`; `nome`, `nome_fantasia`, `documento`, `email`, `telefone`, `banco_id`,
            `agencia`, `numero_conta`, `cliente`, `fornecedor`, `ativo`, `classificacao_cliente_id`.
        fornecedores: the same columns.
        referenced: person ids that linhas and charges name.
        classificacoes: name of each classification of people by id.

    Returns:
        Grain person, key `pessoa_id`, sorted by it; `nome` is `nome_fantasia` if filled, else `nome`. The bank account
        is kept sealed alone: it tells that another one is to be paid, and not which, whatever anybody tries.
    """
    stacked = pd.concat([clientes, fornecedores], ignore_index=True)
    flags = stacked.groupby("pessoa_id")[["cliente", "fornecedor"]].any()
    people = stacked.drop_duplicates("pessoa_id").drop(columns=["cliente", "fornecedor"])
    people = people.merge(flags.reset_index(), on="pessoa_id", validate="1:1")
    fantasia = people["nome_fantasia"].fillna("").astype(str).str.strip()
    people["nome"] = fantasia.where(fantasia != "", people["nome"].fillna("").astype(str).str.strip())
    people["nome"] = people["nome"].where(people["nome"] != "", "Pessoa #" + people["pessoa_id"].astype(str))
    digests = _digest_accounts(stacked)
    own = [digests[pessoa_id] for pessoa_id in people["pessoa_id"].tolist()]
    people["dados_bancarios"] = pd.Series(
        [seal(chave, each) if each else "" for each in own], people.index, dtype=object
    )
    people["classificacao"] = people["classificacao_cliente_id"].map(dict(classificacoes))
    people["conhecida"] = True
    missing = sorted(set(referenced) - set(people["pessoa_id"]))
    if missing:
        names = [f"Pessoa #{pessoa_id} (não encontrada)" for pessoa_id in missing]
        unknown = {"cliente": False, "fornecedor": False, "ativo": True, "conhecida": False}
        placeholders = pd.DataFrame({"pessoa_id": missing, "nome": names, **unknown})
        people = pd.concat([people, placeholders], ignore_index=True)
    for name in TEXT_COLUMNS:
        people[name] = people[name].fillna("")
    columns = ["pessoa_id", "nome", *TEXT_COLUMNS, "cliente", "fornecedor", "classificacao", "ativo", "conhecida"]
    return people[columns].sort_values("pessoa_id").reset_index(drop=True)


def _digest_accounts(stacked: pd.DataFrame) -> dict[int, str]:
    """Digest the bank account of each person, of both of its records where they differ; "" for one without any.

    Files of 0.3.0 hold just these digits: what is sealed is them, so that those can be sealed as they stand.
    """
    accounts: dict[int, set[str]] = {}
    columns = [stacked[name].tolist() for name in ("pessoa_id", *BANK_FIELDS)]
    for pessoa_id, *account in zip(*columns, strict=True):
        texts = ["" if pd.isna(value) else str(value) for value in account]
        parts = ["".join(filter(str.isalnum, text.casefold())).lstrip("0") for text in texts]
        accounts.setdefault(int(pessoa_id), set()).update(["/".join(parts)] if any(parts) else [])
    return {
        pessoa_id: sha256(" ".join(sorted(own)).encode()).hexdigest()[:16] if own else ""
        for pessoa_id, own in accounts.items()
    }


@dataclass(frozen=True)
class CoreBuild:
    """The core tables and what was noticed while they were built.

    Attributes:
        core: the tables.
        evidence: how `composto_valor_pai` was decided (S2.6).
        diferencas: títulos that needed a "Diferença de composto" (V14).
        conflitos_saldo_inicial: accounts whose opening balance is told in two ways (V21).
        ciclos: categories at which a cycle of the tree was cut (S11).
    """

    core: Core
    evidence: CompositeEvidence
    diferencas: tuple[int, ...]
    conflitos_saldo_inicial: pd.DataFrame
    ciclos: tuple[int, ...]


def merge_details(listed: pd.DataFrame, details: pd.DataFrame, read: pd.Series) -> pd.DataFrame:
    """Let the entries read one by one replace or join those of the listing (S2.8, S13).

    Args:
        listed: entries or nested items of the listings.
        details: the same of the entries read one by one.
        read: ids of those entries; an entry whose detail nests nothing loses the items that the listing nests.
    """
    if read.empty:
        return listed
    kept = ~listed["lancamento_id"].isin(read)
    return stack({name: [listed[name][kept], details[name]] for name in listed.columns})


def demand_summable(conformed: Conformed, empresa: Empresa) -> None:
    """Refuse amounts whose sums could wrap in int64 centavos or leave DECIMAL(18,2): never a wrong figure.

    Raises:
        AmountsTooLarge: when the absolute amounts of a list, or the opening balances, reach `LIMIT_CENTAVOS`.
    """
    lists = (
        ("lançamentos", conformed.lancamentos, "lancamento_id", "valor_centavos"),
        ("lançamentos lidos um a um", conformed.detalhes, "lancamento_id", "valor_centavos"),
        ("itens aninhados", conformed.itens, "item_id", "valor_centavos"),
        ("itens aninhados lidos um a um", conformed.detalhes_itens, "item_id", "valor_centavos"),
        ("cobranças", conformed.cobrancas, "cobranca_id", "valor_centavos"),
        ("cobranças (valor_pago)", conformed.cobrancas, "cobranca_id", "valor_pago_centavos"),
        ("cobranças (valor_taxa)", conformed.cobrancas, "cobranca_id", "valor_taxa_centavos"),
        ("cobranças (valor_multa_juros)", conformed.cobrancas, "cobranca_id", "valor_multa_juros_centavos"),
    )
    for what, frame, key, name in lists:
        amounts = frame[name].dropna().astype("int64").abs()
        # The largest times the number is a bound without a sum; only a list that breaks it is added up exactly.
        if int(amounts.max() if len(amounts) else 0) * len(amounts) < LIMIT_CENTAVOS:
            continue
        if sum(amounts.tolist()) >= LIMIT_CENTAVOS:
            largest = amounts.nlargest(10).index
            raise AmountsTooLarge(
                f"{empresa.id}: os valores de {len(amounts)} {what} somam R$ 100 trilhões ou mais. Nada "
                f"foi trocado. Corrija os maiores no serviço: ids {join_keys(frame.loc[largest, key].tolist())}."
            )
    openings = [conta.valor_saldo_inicial for conta in empresa.contas if conta.valor_saldo_inicial is not None]
    if sum(abs(value) for value in openings) * 100 >= LIMIT_CENTAVOS:
        raise AmountsTooLarge(
            f"{empresa.id}: os saldos iniciais das contas somam R$ 100 trilhões ou mais. Corrija valor_saldo_inicial "
            "na configuração."
        )


def build_core(
    conformed: Conformed,
    empresa: Empresa,
    *,
    modo_anterior: str | None,
    observadas: pd.DataFrame,
    informados: Sequence[Statement],
    orcamento: pd.DataFrame | None,
    ate: date,
    chave: bytes,
) -> CoreBuild:
    """Build the core tables of one run.

    Args:
        conformed: the run's records; not mutated.
        modo_anterior: composite mode decided by an earlier complete run (S2.6).
        observadas: cobranca_id, data: first stored run that saw the charge paid (S12).
        informados: statement balances that people gave outside the settings (S23).
        orcamento: what people budgeted, shaped as `core.orcamento` (R18).
        ate: the day of the reading; a statement of a later day is kept and fixes nothing.
        chave: the company's key, under which bank accounts of persons are kept.

    Returns:
        Core tables sorted by their keys.

    Raises:
        AmountsTooLarge: when sums could leave what the tables hold exactly.
    """
    demand_summable(conformed, empresa)
    parametros = empresa.parametros
    read = conformed.detalhes["lancamento_id"]
    lancamentos = merge_details(conformed.lancamentos, conformed.detalhes, read)
    itens = merge_details(conformed.itens, conformed.detalhes_itens, read)
    composed = build_linhas(
        lancamentos,
        itens,
        composto_valor_pai=parametros.composto_valor_pai,
        modo_anterior=modo_anterior,
        saldo_inicial_lancamentos=parametros.saldo_inicial_lancamentos,
        saldo_inicial_categorias=parametros.saldo_inicial_categorias,
    )
    linhas = composed.linhas
    categorias, ciclos = build_categorias(conformed.categorias, _ids(linhas["categoria_id"]), parametros.dre_mapa)
    linhas = linhas.assign(
        transferencia=linhas["lancamento_transferencia_id"].notna(),
        natureza=find_natureza(linhas, categorias),
    )
    linhas, titulos = mark_outside(linhas, composed.titulos, categorias)
    linhas = _add_current_competence(linhas, parametros.competencia_nula)
    titulos = _add_current_competence(titulos, parametros.competencia_nula)
    charges = build_cobrancas(conformed.cobrancas, linhas, titulos, composed.carriers, observadas)
    statements, overruled = choose_statements([*list_configured(empresa.contas), *informados])
    contas, conflicts = build_contas(
        empresa.contas,
        conformed.contas,
        {*_ids(linhas["conta_id"]), *_ids(charges.cobrancas["conta_id"])},
        composed.saldos_iniciais,
        partial(
            find_opening,
            statements=[each for each in statements if each.dia <= ate],
            linhas=linhas,
            transit=list_transit(titulos, charges.cobrancas, charges.cobranca_titulos),
        ),
    )
    anchored = contas.dropna(subset=["ancora_dia"])
    anchors = set(zip(anchored["conta_id"], anchored["ancora_dia"].dt.date, strict=True))
    statements = [each for each in statements if not each.vespera or (each.conta_id, each.dia) in anchors]
    pessoas = build_pessoas(
        conformed.clientes,
        conformed.fornecedores,
        {*_ids(linhas["pessoa_id"]), *_ids(charges.cobrancas["pessoa_id"])},
        chave,
        conformed.nomes.get("classificacoes", {}),
    )
    frames = {
        "linhas": linhas,
        "titulos": titulos,
        "contas": contas,
        "extrato_saldos": store_statements(statements, anchors, overruled),
        "orcamento": build_budget(()) if orcamento is None else orcamento,
        "categorias": categorias,
        "pessoas": pessoas,
        "cobrancas": charges.cobrancas,
        "cobranca_titulos": charges.cobranca_titulos,
        "cobranca_desconhecidos": charges.desconhecidos,
    }
    core = Core(
        **{name: shape(f"core.{name}", frame) for name, frame in frames.items()},
        rotulos=build_labels(contas, categorias, pessoas, label_parametros(empresa, conformed.nomes)),
        composto_modo=composed.evidence.mode,
        composto_n0=composed.evidence.n0,
        composto_n1=composed.evidence.n1,
    )
    return CoreBuild(core, composed.evidence, composed.diferencas, conflicts, ciclos)


def mark_outside(
    linhas: pd.DataFrame, titulos: pd.DataFrame, categorias: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mark a linha as outside the result by its category in the map, and a título if all its linhas are outside (S17).

    Args:
        linhas: grain linha: `titulo_id`, `categoria_id`.
        titulos: grain título: `titulo_id`.
        categorias: grain category: `categoria_id`, `fora_resultado`.

    Returns:
        Linhas and títulos with `fora_resultado`.
    """
    fora = set(categorias.loc[categorias["fora_resultado"], "categoria_id"])
    linhas = linhas.assign(fora_resultado=linhas["categoria_id"].isin(fora))
    outside = linhas.groupby("titulo_id")["fora_resultado"].all()
    return linhas, titulos.assign(fora_resultado=titulos["titulo_id"].map(outside))


def _add_current_competence(frame: pd.DataFrame, fallback: str) -> pd.DataFrame:
    """Add the competence as the rows stand now, whatever D (S4); `build_position` does it again as of D."""
    now = frame.assign(pago=frame["data_pagamento"].notna(), data_prevista=frame["data_vencimento"])
    return add_competence(now, fallback).drop(columns=["pago", "data_prevista", "mes_competencia"])


def _ids(column: pd.Series) -> Iterable[int]:
    return (int(value) for value in column.dropna().unique())


def label_parametros(empresa: Empresa, nomes: Mapping[str, Mapping[int, str]]) -> dict[str, dict[int, str]]:
    """Put the labels of the settings over those of the observed lists (S11): kind -> id -> text."""
    return {
        kind: {**nomes.get(kind, {}), **getattr(empresa.parametros, kind)}
        for kind in ("centros", "formas", "tags", "tipos_documento")
    }


def build_labels(
    contas: pd.DataFrame, categorias: pd.DataFrame, pessoas: pd.DataFrame, nomes: Mapping[str, Mapping[int, str]]
) -> Labels:
    """Collect the names of every dimension (S11)."""

    def names(frame: pd.DataFrame, key: str, text: str) -> dict[int, str]:
        return {int(record_id): str(name) for record_id, name in zip(frame[key], frame[text], strict=True)}

    return Labels(
        contas=names(contas, "conta_id", "descricao"),
        categorias=tell_apart(names(categorias, "categoria_id", "descricao")),
        categorias_caminho=tell_apart(names(categorias, "categoria_id", "caminho")),
        pessoas=tell_apart(names(pessoas, "pessoa_id", "nome")),
        centros=nomes.get("centros", {}),
        formas=nomes.get("formas", {}),
        tags=nomes.get("tags", {}),
        tipos_documento=nomes.get("tipos_documento", {}),
    )
