"""Sums of the sheets that the workbook adds again by live formulas, beside what was computed (R15, V33).

Belongs here: which sums, and their formulas. Does not belong here: where they are printed (`r15_data_quality`) and what
the cover says of them (`lastro.reports.cover.first_page`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from lastro.grid.cells import Kind, sum_money
from lastro.grid.sections import Section
from lastro.grid.table_rows import sum_ordinary
from lastro.grid.tables import Period, Table
from lastro.grid.workbook import Report, tables_of

ZERO: Final = Decimal("0.00")
MAX_TERMS: Final = 60
"""A formula with more single cells than this would be unreadable; it is left out."""
WHOLE_TABLES: Final = {
    "previsao_semanal": "Previsão",
    "fluxo_diario": "Fluxo diário",
    "fluxo_mensal": "Fluxo mensal",
    "dre": "DRE",
    "dre_centros_periodo": "DRE por centro",
    "comparativo_resultado": "Comparativos, resultado",
    "comparativo_caixa": "Comparativos, caixa",
    "comparativo_explicacao": "Comparativos, por que mudou",
    "ponte_resumo": "Ponte, em cinco linhas",
    "ponte": "Ponte",
}
"""Tables of which every amount is added again."""


class PrintedSum(NamedTuple):
    """A sum that a sheet makes again.

    Attributes:
        key: of its row.
        label: printed.
        expected: as the tables have it.
        printed: as the sheets add up when they are written.
        formula: which adds them.
    """

    key: str
    label: str
    expected: Decimal
    printed: Decimal
    formula: str


COLUMNS: Final = (
    ("lancamentos", "lancamentos", "valor", "Lançamentos: soma de Valor"),
    ("a_pagar", "a_pagar", "valor", "Pagar: soma dos títulos"),
    ("a_pagar_faixas", "a_pagar", "valor", "Pagar: soma das faixas"),
    ("a_receber", "a_receber", "valor", "Receber: soma dos títulos"),
    ("a_receber_faixas", "a_receber", "valor", "Receber: soma das faixas"),
    ("inadimplencia", "inadimplencia", "vencido", "Inadimplência: soma de Vencido"),
    ("pessoas", "pessoas", "posicao_liquida", "Pessoas: soma da posição líquida"),
)
"""Section (of Lançamentos, that of each year), the table that is its computed side, the column that is added, label."""
_FLOW: Final = ("saldo_inicial", "saldos_implantados", "entradas", "saidas", "nao_operacional", "transferencias")
_STEPS: Final = tuple(f"ponte-{letter}" for letter in "abcdefghijk")
_YEAR: Final = "acumulado_no_ano"
STATEMENTS: Final = (
    ("fluxo_mensal", "total", _FLOW, "saldo_final", "Fluxo mensal: saldo inicial + movimentos = saldo final"),
    ("dre", _YEAR, ("dre-resultado_antes_ir", "dre-ir_csll"), "dre-resultado", "DRE: resultado líquido do ano"),
    ("dre", _YEAR, ("dre-receitas", "dre-despesas"), "dre-resultado", "DRE: resultado do ano"),
    ("ponte", "", _STEPS, "ponte-l", "Ponte: geração de caixa de {}"),
)
"""Statements whose last line is the sum of others: section, column ("": that of D's month), rows, their sum, label."""


def list_sums(reports: Sequence[Report], month: date) -> list[PrintedSum]:
    """List the sums of the sheets that formulas make again; `month` is D's."""
    sections = {section.name: section for report in reports for section in report.sections}
    tables = {table.name: table for table in tables_of(reports)}
    return [
        *_column_sums(sections, tables),
        *_account_sum(sections),
        *_statement_sums(sections, month),
        *_whole_tables(sections),
        *_cover_figures(reports),
    ]


def _column_sums(sections: Mapping[str, Section], tables: Mapping[str, Table]) -> Iterator[PrintedSum]:
    """Sums of whole columns: detail sheets and summaries; the computed side comes from the tables."""
    for first, table, column, label in COLUMNS:
        names = sorted(name for name in sections if name.rstrip("0123456789") in (first, f"{first}_"))
        if names and table in tables:
            figures = tables[table].data[column].figures()
            expected = ZERO + (0 if figures is None else figures.total)
            printed = ZERO + sum(sum_ordinary(sections[name], sections[name].place(column)) for name in names)
            text = "+".join(f"SUM({{{name}:{column}}})" for name in names)
            yield PrintedSum(names[0], label, expected, printed, text)


def _account_sum(sections: dict[str, Section]) -> list[PrintedSum]:
    """Sum of the accounts' balances at D against the total that Saldos prints."""
    section = sections.get("saldos_por_conta")
    if section is None:
        return []
    (row,) = (row for row in section.rows if row.key == "saldo_em_d")
    cells = {column.key: cell for column, cell in zip(section.columns, row.cells, strict=True)}
    accounts = [key for key in cells if key.startswith("conta_")]
    if not accounts or len(accounts) > MAX_TERMS:
        return []
    text = "+".join(f"N({{saldos_por_conta:{key}@saldo_em_d}})" for key in accounts)
    label = f"Saldos: {row.cells[0]}"
    total, printed = sum_money([cells["total"]]), sum_money(cells[key] for key in accounts)
    return [PrintedSum("saldos_por_conta", label, total, printed, text)]


def _statement_sums(sections: Mapping[str, Section], month: date) -> Iterator[PrintedSum]:
    for name, key, parts, result, label in STATEMENTS:
        section = sections.get(name)
        period = _find_month(section, month)
        column = key or (period.key if period is not None else "")
        if section is None or not column:
            continue
        place = section.place(column)
        cells = {row.key: row.cells[place] for row in section.rows if row.key}
        if {result, *parts} <= cells.keys():
            text = "+".join(f"{{{name}:{column}@{part}}}" for part in parts)
            printed = sum_money(cells[part] for part in parts)
            told = label.format(period.label if period is not None else "")
            yield PrintedSum(name, told, sum_money([cells[result]]), printed, text)


def _whole_tables(sections: Mapping[str, Section]) -> Iterator[PrintedSum]:
    """Add every amount that a statement prints, so that whatever is edited on it shows."""
    for name, label in WHOLE_TABLES.items():
        section = sections.get(name)
        places = [] if section is None else [n for n, column in enumerate(section.columns) if column.kind is Kind.MONEY]
        if section is not None and section.rows and places:
            total = sum_money(row.cells[place] for row in section.rows for place in places)
            yield PrintedSum(f"{name}-tudo", f"{label}: todos os valores", total, total, f"SUM({{{name}:$}})")


def _cover_figures(reports: Sequence[Report]) -> Iterator[PrintedSum]:
    """Hold the large figures of the cover against what was computed."""
    for cover in (report.cover for report in reports if report.cover is not None):
        for key, tiles in (("valor", cover.tiles), ("menor", cover.lows)):
            for place, tile in enumerate(tiles, 1):
                if isinstance(tile.value, Decimal):
                    name = f"{key}_{place}"
                    yield PrintedSum(
                        f"capa-{name}", f"Capa: {tile.title}", tile.value, tile.value, f"N({{capa:{name}}})"
                    )


def _find_month(section: Section | None, month: date) -> Period | None:
    """Return what the column of D's month stands for: one of the future would compare nothing with nothing."""
    periods = [column.period for column in section.columns if column.period is not None] if section else []
    return next((period for period in periods if period.month == month), None)
