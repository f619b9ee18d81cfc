"""R17 Compromissos recorrentes e parcelados: repeating entries, their progress and their cost a month (S10)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.commitments import per_month, sum_series
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Family, Report, Section, Table, id_columns
from lastro.grid.projection import Projection
from lastro.grid.storage import StoredColumn, store_cells, store_each, store_labels, store_texts
from lastro.money import decimal_or_none, ratio_pct
from lastro.reports.spec import ReportSpec
from lastro.transform.position import Position

if TYPE_CHECKING:
    from lastro.reports.view import View

INTERVAL_TEXTS = {
    "D1": "Diária",
    "DS": "Segunda a sexta",
    "D7": "Semanal",
    "D15": "Quinzenal",
    "M1": "Mensal",
    "M2": "Bimestral",
    "M3": "Trimestral",
    "M6": "Semestral",
    "M12": "Anual",
}
"""Label by code; a code not listed is printed as it is."""
SEM_FIM = "sem fim"
COLUMNS = (
    Column("Descrição", Kind.TEXT),
    Column("Pessoa", Kind.TEXT),
    Column("Periodicidade", Kind.TEXT, width=18),
    Column("Parcelas", Kind.TEXT, width=18),
    Column("Pagas", Kind.INTEGER),
    Column("Em aberto", Kind.INTEGER),
    Column("Valor em aberto", Kind.MONEY, dense=True, total=True),
    Column("Próximo vencimento", Kind.DATE),
    Column("Último vencimento gerado", Kind.DATE),
    Column("Último valor", Kind.MONEY, dense=True),
    Column("Variação vs anterior", Kind.PERCENT, key="variacao_pct"),
    Column("Equivalente mensal", Kind.MONEY, dense=True, total=True),
    Column("Id", Kind.INTEGER, key="grupo_id"),
    *id_columns("pessoa_id"),
    Column("Viva", Kind.BOOLEAN, shown=False),
    Column("Lado", Kind.TEXT, shown=False),
)
PARTS: Final = (("receber", "Vivos, a receber"), ("pagar", "Vivos, a pagar"))
"""The tables of the sheet: a live series has something open or no end; finished ones are in SQL."""


def build_r17(view: View) -> Report:
    """Build R17.

    Returns:
        Table `recorrentes`: grain `grupo_id` (Id), live series to receive, live ones to pay, then finished ones; within
        each |valor em aberto| descending, ties by id. A section for each kind of live ones, so that the total of
        *Equivalente mensal* is what goes on. Transfers and zero-value títulos are left out (S6, S8).
    """
    groups = sum_series(view.position)
    ids = groups["grupo_id"]
    known = ids.where(ids.isin(view.position.linhas["grupo_id"]))
    comment = "R17: um grupo de repetição por linha (S10); viva: há em aberto, ou sem fim"
    table = Table.of("recorrentes", COLUMNS, _make_columns(view.position, groups), comment)
    notes = (
        "Parcelas: geradas de quantas. Variação: última parcela gerada / anterior - 1.",
        "Equivalente mensal: último valor x 30/7 (semanal), 2, 1, 1/2, 1/3, 1/6 ou 1/12.",
    )
    sections = []
    last = 0
    for place, (name, title) in enumerate(PARTS):
        first, last = last, last + int((groups["parte"] == place).sum())
        leads = view.entries.lead("grupo_id", known[first:last], "Lançamentos »")
        rows = Projection(table, first, last, label=leads)
        sections.append(
            Section(
                f"recorrentes_{name}",
                COLUMNS,
                rows,
                title=f"{title} ({len(rows)})",
                detail=True,
                notes=notes if place else (),
            )
        )
    return SPEC.report(sections=tuple(sections), tables=(table,))


def _make_columns(position: Position, groups: pd.DataFrame) -> dict[str, pd.Series | StoredColumn]:
    """Make the columns of `COLUMNS` of the groups."""
    values = groups["valor_centavos"]
    return {
        "descricao": store_texts(groups["descricao"], ""),
        "pessoa": store_labels(groups["pessoa_id"], position.rotulos.pessoa),
        "periodicidade": store_each(Kind.TEXT, groups["codigo"], lambda code: INTERVAL_TEXTS.get(code, code)),
        "parcelas": store_cells(
            Kind.TEXT,
            [_format_installments(*values) for values in records_of(groups, "geradas", "total_repeticoes", "codigo")],
        ),
        "pagas": groups["pagas"],
        "em_aberto": groups["geradas"] - groups["pagas"],
        "valor_em_aberto": groups["aberto"],
        "proximo_vencimento": groups["proximo"],
        "ultimo_vencimento_gerado": groups["data_vencimento"],
        "ultimo_valor": values,
        "variacao_pct": store_cells(
            Kind.PERCENT, [_change(*pair) for pair in records_of(groups, "valor_centavos", "anterior")]
        ),
        "equivalente_mensal": store_cells(
            Kind.MONEY,
            [
                decimal_or_none(centavos)
                for centavos in (per_month(*pair) for pair in records_of(groups, "valor_centavos", "codigo"))
            ],
        ),
        "grupo_id": groups["grupo_id"],
        "pessoa_id": groups["pessoa_id"],
        "viva": groups["viva"],
        "lado": groups["lado"],
    }


def _format_installments(generated: int, total: int | None, code: str) -> str:
    """Write how many of how many; without a total a series with a period has no end (S10).

    >>> _format_installments(3, 3, "M1"), _format_installments(5, None, "M1"), _format_installments(2, None, "")
    ('3 de 3', 'sem fim', '2')
    """
    if total is not None:
        return f"{generated} de {total}"
    return SEM_FIM if code else f"{generated}"


def _change(last: int, before: int | None) -> Decimal | None:
    return None if before is None else ratio_pct(last - before, before)


SPEC: Final = ReportSpec(
    code="R17",
    name="recorrentes",
    title="Compromissos recorrentes e parcelados",
    question="O que se repete, até quando e quanto custa por mês?",
    family=Family.HISTORY,
    build=build_r17,
    keys={
        "recorrentes": ("grupo_id",),
    },
)
