"""R12 Posição por cliente e fornecedor: open and paid amounts, the ABC curve and mean terms."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.abc_curve import CUTS, UNRANKED, Standing
from lastro.analysis.cash_series import CashSeries
from lastro.analysis.frames import records_of
from lastro.analysis.ratios import (
    WINDOW_DAYS,
    Term,
    compute_cash_cycle,
    find_cash_days,
    find_effective_delay,
    find_effective_term,
    find_pmp,
    find_pmr,
)
from lastro.grid.cells import Kind, Undefined, Value
from lastro.grid.pivot import build_section
from lastro.grid.sections import Row, Section
from lastro.grid.storage import StoredColumn, store_cells, store_labels
from lastro.grid.tables import Column, Table
from lastro.grid.workbook import Family, Report
from lastro.money import to_decimal
from lastro.reports.r12_habits import build_methods, build_payers, show_payers
from lastro.reports.spec import ReportSpec
from lastro.transform.position import Position

if TYPE_CHECKING:
    from lastro.reports.view import View

YEAR_DAYS = 365
TERM_COLUMNS = (
    Column("Indicador", Kind.TEXT, width=36),
    Column("Dias", Kind.NUMBER),
    Column("Numerador", Kind.MONEY),
    Column("Denominador", Kind.MONEY),
    Column("Fórmula", Kind.TEXT, width=45),
    Column("Código", Kind.TEXT, shown=False),
)
_SUMS = (
    "receber_a_vencer",
    "receber_vencido",
    "pagar_a_vencer",
    "pagar_vencido",
    "recebido",
    "pago",
    "prazo_dias",
    "prazo_peso",
    "atraso_dias",
    "atraso_peso",
    "ultimo",
)


NO_MAP: Final = Undefined("n/d sem mapa")
"""In the place of what only a map of the DRE gives a meaning (S17)."""


def build_r12(view: View) -> Report:
    """Build R12.

    Returns:
        Sections `pessoas_prazos` (mean terms of the company), `pessoas_formas` and `pessoas_habitos` (how payers really
        pay) and `pessoas` (grain person with any título or linha, transfers and zero values left out; |posição líquida|
        descending, ties by id, "Sem pessoa" last); a table for each.
    """
    position, habits = view.position, view.habits
    terms, people = _build_terms(position, view.series), _build_people(position, view.ranking)
    payers, methods = build_payers(position, habits), build_methods(position, habits)
    return SPEC.report(
        sections=(
            _show_terms(terms, mapped=view.dre_map.margens),
            build_section(methods, title="Hábitos de pagamento por forma"),
            show_payers(payers, habits),
            _show_people(people),
        ),
        tables=(people, terms, methods, payers),
    )


def _build_terms(position: Position, series: CashSeries) -> Table:
    saldo = series.balance(position.data_base, realised_only=True) or 0
    term, delay = "valor x (pagamento - competência) / valor", "valor x (pagamento - vencimento) / valor"
    stock = "em aberto com competência até a data-base"
    pmr, pmp = find_pmr(position), find_pmp(position)
    terms = (
        (
            "pmr",
            "PMR",
            pmr,
            f"recebíveis {stock} / receita por competência em {WINDOW_DAYS} dias x {WINDOW_DAYS}",
        ),
        (
            "pmp",
            "PMP",
            pmp,
            f"contas a pagar {stock} / despesa por competência em {WINDOW_DAYS} dias x {WINDOW_DAYS}, só fornecedores",
        ),
        ("prazo_recebimento", "Prazo efetivo de recebimento", find_effective_term(position, "R"), term),
        ("atraso_recebimento", "Atraso médio de recebimento", find_effective_delay(position, "R"), delay),
        ("prazo_pagamento", "Prazo efetivo de pagamento", find_effective_term(position, "P"), term),
        ("atraso_pagamento", "Atraso médio de pagamento", find_effective_delay(position, "P"), delay),
        (
            "dias_de_caixa",
            "Dias de caixa",
            find_cash_days(position, saldo),
            "saldo na data-base / saídas realizadas em 90 dias x 90",
        ),
    )
    rows: list[tuple[Value, ...]] = [
        (name, None, None, None, formula, codigo)
        if ratio is None
        else (name, ratio.dias, to_decimal(ratio.numerador), to_decimal(ratio.denominador), formula, codigo)
        for codigo, name, ratio, formula in terms
    ]
    rows.insert(2, ("Ciclo", compute_cash_cycle(pmr, pmp), None, None, "PMR - PMP (sem dados de estoque)", "ciclo"))
    comment = "R12: prazos médios da empresa, com numerador e denominador"
    return Table("pessoas_prazos", TERM_COLUMNS, rows, comment)


def _show_terms(table: Table, *, mapped: bool) -> Section:
    """Print the terms; what only a map of the DRE gives a meaning says so, and has neither figure."""
    unmapped = set() if mapped else {"pmp", "ciclo"}
    rows = tuple(
        Row((name, NO_MAP if codigo in unmapped else days, *rest, codigo)) for name, days, *rest, codigo in table.rows
    )
    notes = (
        f"Sem fora do resultado e sem transferências. Prazos efetivos: títulos pagos nos últimos {WINDOW_DAYS} dias.",
        "PMP: sem pessoal, deduções, financeiro e IR/CSLL, no numerador e no denominador; depende do mapa da DRE.",
        "Nos prazos efetivos o numerador é a soma de valor x dias.",
    )
    return Section(table.name, TERM_COLUMNS, rows, title="Prazos médios", notes=notes)


def _build_people(position: Position, ranking: Mapping[int | None, Standing]) -> Table:
    sums = _sum_people(position)
    ids = [None if pd.isna(pessoa_id) else int(pessoa_id) for pessoa_id in sums["pessoa_id"]]
    standings = [ranking.get(pessoa_id, UNRANKED) for pessoa_id in ids]
    pessoas = {row[0]: row[1:] for row in records_of(position.pessoas, "pessoa_id", *_PERSON_FIELDS)}
    described = [_describe_person(pessoas.get(pessoa_id)) for pessoa_id in ids]
    return Table.of(
        "pessoas",
        (
            (Column("Pessoa", Kind.TEXT), store_labels(sums["pessoa_id"], position.rotulos.pessoa)),
            (
                Column("Tipo", Kind.TEXT, "Cliente, Fornecedor, Ambos, ou vazio", width=18),
                [kind for kind, _ in described],
            ),
            (
                Column("Ativo", Kind.BOOLEAN, "a pessoa está ativa no serviço", width=8),
                [active for _, active in described],
            ),
            (
                Column(
                    "A receber a vencer",
                    Kind.MONEY,
                    "em aberto a receber não vencido, positivo",
                    dense=True,
                    total=True,
                ),
                sums["receber_a_vencer"],
            ),
            (
                Column(
                    "A receber vencido", Kind.MONEY, "em aberto a receber vencido, positivo", dense=True, total=True
                ),
                sums["receber_vencido"],
            ),
            (
                Column(
                    "A pagar a vencer", Kind.MONEY, "em aberto a pagar não vencido, negativo", dense=True, total=True
                ),
                sums["pagar_a_vencer"],
            ),
            (
                Column("A pagar vencido", Kind.MONEY, "em aberto a pagar vencido, negativo", dense=True, total=True),
                sums["pagar_vencido"],
            ),
            (
                Column("Posição líquida", Kind.MONEY, "soma das quatro colunas em aberto", dense=True, total=True),
                sums[list(_SUMS[:4])].sum(axis=1),
            ),
            (
                Column(
                    "Recebido 12m",
                    Kind.MONEY,
                    "recebido nos 365 dias até a data-base, dentro do controle das contas, positivo",
                    dense=True,
                    total=True,
                    key="recebido_365_dias",
                ),
                sums["recebido"],
            ),
            (
                Column(
                    "Pago 12m",
                    Kind.MONEY,
                    "pago nos 365 dias até a data-base, dentro do controle das contas, negativo",
                    dense=True,
                    total=True,
                    key="pago_365_dias",
                ),
                sums["pago"],
            ),
            (
                Column(
                    "Receita 12m",
                    Kind.MONEY,
                    "receita por competência dos 12 últimos meses fechados; o mês da data-base não entra",
                    dense=True,
                    total=True,
                    key="receita_12_meses_fechados",
                ),
                pd.Series([standing.receita_centavos for standing in standings], dtype="int64"),
            ),
            (Column("% acumulado", Kind.PERCENT), [standing.acumulado_pct for standing in standings]),
            (
                Column("Classe", Kind.TEXT, "A, B ou C pela parte acumulada do total (R12); nula sem receita", width=8),
                [standing.classe for standing in standings],
            ),
            (
                Column("Prazo médio", Kind.NUMBER, "dias da competência ao pagamento, pesados pelo valor"),
                _find_days(sums, "prazo_dias", "prazo_peso"),
            ),
            (Column("Atraso médio", Kind.NUMBER), _find_days(sums, "atraso_dias", "atraso_peso")),
            (
                Column("Último movimento", Kind.DATE, "dia do último pagamento com a pessoa; nulo se nunca"),
                sums["ultimo"],
            ),
            (Column("Id", Kind.INTEGER, key="pessoa_id"), sums["pessoa_id"]),
        ),
        "R12: uma pessoa por linha; as quatro colunas em aberto somam R08 + R09 (V06)",
    )


def _find_days(sums: pd.DataFrame, days: str, weight: str) -> StoredColumn:
    return store_cells(Kind.NUMBER, [Term(*pair).dias for pair in records_of(sums, days, weight)])


def _show_people(table: Table) -> Section:
    rows = tuple(Row(cells, key=f"pessoa-{cells[-1] or 'sem'}") for cells in table.rows)
    notes = (
        "Recebido e pago: títulos movimentados no caixa nos últimos 365 dias. Receita: competência, 12 meses fechados.",
        "Classe A até {} % da receita acumulada antes da pessoa, B até {} %, C o resto.".format(*CUTS),
    )
    return Section(table.name, table.columns, rows, title="Clientes e fornecedores", detail=True, notes=notes)


_PERSON_FIELDS = ("cliente", "fornecedor", "ativo", "conhecida")


def _describe_person(flags: tuple[bool, ...] | None) -> tuple[str, bool | None]:
    """Say whether a person is customer or supplier, and active; empty for "Sem pessoa" and unknown ids."""
    if flags is None or not flags[3]:
        return "", None
    cliente, fornecedor, ativo, _ = flags
    kind = "Ambos" if cliente and fornecedor else "Cliente" if cliente else "Fornecedor" if fornecedor else ""
    return kind, bool(ativo)


_SUMMED = (
    "pessoa_id", "tipo", "transferencia", "fora_resultado", "pago", "caixa", "vencido", "valor_centavos",
    "data_pagamento", "data_vencimento", "data_competencia_ef",
)  # fmt: skip
"""What is looked at of every título."""


def _sum_people(position: Position) -> pd.DataFrame:
    """Add up per person: columns `_SUMS` in centavos and centavos x days, `ultimo` the last payment up to D."""
    titulos = position.titulos[list(_SUMMED)]
    titulos = titulos[~titulos["transferencia"] & (titulos["tipo"] != "Z")]
    data_base = pd.Timestamp(position.data_base)
    valor, pago = titulos["valor_centavos"], titulos["pago"]
    receber, late = titulos["tipo"] == "R", titulos["vencido"]
    paid_on = titulos["data_pagamento"].where(pago)
    year = titulos["caixa"] & (paid_on > data_base - timedelta(days=YEAR_DAYS))
    window = pago & (paid_on > data_base - timedelta(days=WINDOW_DAYS))
    counted = window & ~titulos["fora_resultado"]
    with_term = counted & titulos["data_competencia_ef"].notna()
    term = (paid_on - titulos["data_competencia_ef"]).dt.days.fillna(0).astype("int64")
    delay = (paid_on - titulos["data_vencimento"]).dt.days.fillna(0).astype("int64")
    weight = valor.abs()
    parts = pd.DataFrame(
        {
            "pessoa_id": titulos["pessoa_id"],
            "receber_a_vencer": valor.where(~pago & receber & ~late, 0),
            "receber_vencido": valor.where(~pago & receber & late, 0),
            "pagar_a_vencer": valor.where(~pago & ~receber & ~late, 0),
            "pagar_vencido": valor.where(~pago & ~receber & late, 0),
            "recebido": valor.where(year & receber, 0),
            "pago": valor.where(year & ~receber, 0),
            "prazo_dias": (weight * term).where(with_term, 0),
            "prazo_peso": weight.where(with_term, 0),
            "atraso_dias": (weight * delay).where(counted, 0),
            "atraso_peso": weight.where(counted, 0),
            "ultimo": paid_on,
        }
    )
    # A person named only by an item of a composite has revenue of its own but no título.
    linhas = position.linhas
    named = linhas.loc[~linhas["transferencia"] & (linhas["valor_centavos"] != 0), ["pessoa_id"]].drop_duplicates()
    people = pd.concat([parts["pessoa_id"], named["pessoa_id"]]).drop_duplicates()
    how = {name: "max" if name == "ultimo" else "sum" for name in _SUMS}
    sums = parts.groupby("pessoa_id", dropna=False, as_index=False).agg(how)
    sums = people.to_frame().merge(sums, on="pessoa_id", how="left", validate="1:1")
    sums[list(_SUMS[:-1])] = sums[list(_SUMS[:-1])].fillna(0).astype("int64")
    sums["tamanho"] = sums[list(_SUMS[:4])].sum(axis=1).abs()
    sums["sem"] = sums["pessoa_id"].isna()
    ordered: pd.DataFrame = sums.sort_values(
        ["sem", "tamanho", "pessoa_id"], ascending=[True, False, True], ignore_index=True
    )
    return ordered


SPEC: Final = ReportSpec(
    code="R12",
    name="pessoas",
    title="Posição por cliente e fornecedor",
    question="Quanto temos com cada um, quem pesa mais e em que prazo se paga?",
    family=Family.OPEN,
    builder=build_r12,
    keys={
        "pessoas": ("pessoa_id",),
        "pessoas_prazos": ("codigo",),
    },
)
