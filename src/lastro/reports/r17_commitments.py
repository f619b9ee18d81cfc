"""R17 Compromissos recorrentes e parcelados: repeating entries, their progress and their cost a month (S10)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.commitments import per_month, sum_series
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.sections import Section
from lastro.grid.storage import store_each, store_labels, store_texts
from lastro.grid.table_rows import TableRows
from lastro.grid.tables import Column, Table, TableColumn
from lastro.grid.workbook import Family, Report
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
    table = Table.of("recorrentes", _make_columns(view.position, groups), comment)
    notes = (
        "Parcelas: geradas de quantas. Variação: última parcela gerada / anterior - 1.",
        "Equivalente mensal: último valor x 30/7 (semanal), 2, 1, 1/2, 1/3, 1/6 ou 1/12.",
    )
    sections = []
    last = 0
    for place, (name, title) in enumerate(PARTS):
        first, last = last, last + int((groups["parte"] == place).sum())
        leads = view.entries.lead("grupo_id", known[first:last], "Lançamentos »")
        rows = TableRows(table, first, last, label=leads)
        sections.append(
            Section(
                f"recorrentes_{name}",
                table.columns,
                rows,
                title=f"{title} ({len(rows)})",
                detail=True,
                notes=notes if place else (),
            )
        )
    return SPEC.report(sections=tuple(sections), tables=(table,))


def _make_columns(position: Position, groups: pd.DataFrame) -> tuple[TableColumn, ...]:
    values = groups["valor_centavos"]
    return (
        (Column("Descrição", Kind.TEXT), store_texts(groups["descricao"], "")),
        (Column("Pessoa", Kind.TEXT), store_labels(groups["pessoa_id"], position.rotulos.pessoa)),
        (
            Column("Periodicidade", Kind.TEXT, width=18),
            store_each(Kind.TEXT, groups["codigo"], lambda code: INTERVAL_TEXTS.get(code, code)),
        ),
        (
            Column("Parcelas", Kind.TEXT, "«n de m» da última gerada, ou «sem fim»", width=18),
            [_format_installments(*values) for values in records_of(groups, "geradas", "total_repeticoes", "codigo")],
        ),
        (Column("Pagas", Kind.INTEGER, "quantos títulos do grupo foram pagos"), groups["pagas"]),
        (
            Column("Em aberto", Kind.INTEGER, "quantos títulos do grupo estão em aberto"),
            groups["geradas"] - groups["pagas"],
        ),
        (
            Column(
                "Valor em aberto",
                Kind.MONEY,
                "soma do grupo em aberto; a receber positiva, a pagar negativa",
                dense=True,
                total=True,
            ),
            groups["aberto"],
        ),
        (
            Column("Próximo vencimento", Kind.DATE, "primeiro vencimento ainda em aberto do grupo; nulo se nenhum"),
            groups["proximo"],
        ),
        (
            Column("Último vencimento gerado", Kind.DATE, "último vencimento que o serviço já gerou"),
            groups["data_vencimento"],
        ),
        (
            Column(
                "Último valor",
                Kind.MONEY,
                "valor da última repetição; a receber positivo, a pagar negativo",
                dense=True,
            ),
            values,
        ),
        (
            Column("Variação vs anterior", Kind.PERCENT, "último valor contra o anterior", key="variacao_pct"),
            [_change(*pair) for pair in records_of(groups, "valor_centavos", "anterior")],
        ),
        (
            Column(
                "Equivalente mensal",
                Kind.MONEY,
                "último valor trazido a um mês pela periodicidade",
                dense=True,
                total=True,
            ),
            [
                decimal_or_none(centavos)
                for centavos in (per_month(*pair) for pair in records_of(groups, "valor_centavos", "codigo"))
            ],
        ),
        (Column("Id", Kind.INTEGER, key="grupo_id"), groups["grupo_id"]),
        (Column("Pessoa id", Kind.INTEGER, shown=False), groups["pessoa_id"]),
        (
            Column("Viva", Kind.BOOLEAN, "há título em aberto no grupo, ou ele se repete sem fim", shown=False),
            groups["viva"],
        ),
        (Column("Lado", Kind.TEXT, shown=False), groups["lado"]),
    )


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
    builder=build_r17,
    keys={
        "recorrentes": ("grupo_id",),
    },
)
