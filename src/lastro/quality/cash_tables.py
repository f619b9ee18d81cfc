"""Reading the tables and sheets of the cash reports (R01 to R05) by what their columns and rows stand for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.grid.model import Report, Section, Style
from lastro.quality.printed import Found, find_table, read_columns

Reports = Mapping[str, Report]
R05_NAMES: Final = (
    "saldo_inicial",
    "saldos_implantados",
    "entradas",
    "saidas",
    "nao_operacional",
    "transf_recebidas",
    "transf_enviadas",
    "saldo_final",
)
CENTRE_LINES: Final = R05_NAMES[2:-1]
"""Lines of R05 by cost centre: those of an account without balances."""


def read_r04(reports: Reports) -> dict[tuple[date, str], list[tuple[str, int, Found, str, Decimal]]]:
    """Return R04's long table by column: (month, moment) -> (line, level, category id, text, value), as printed."""
    table = find_table(reports, "fluxo_mensal")
    found: dict[tuple[date, str], list[tuple[str, int, Found, str, Decimal]]] = {}
    if table is None:
        return found
    for mes, momento, *node in read_columns(
        table, "mes", "momento", "linha", "nivel", "categoria_id", "categoria", "valor"
    ):
        found.setdefault((mes, momento), []).append(tuple(node))
    return found


def list_month_places(section: Section) -> list[tuple[int, date, str]]:
    """List the columns of single moments: place, month, `momento` as the long tables have it."""
    return [
        (place, column.period.month, column.period.momento)
        for place, column in enumerate(section.columns)
        if column.period is not None and column.period.momento != "total"
    ]


def read_blocks(section: Section) -> list[list[tuple[Found, ...]]]:
    """Split a sheet at its section rows: the cells of each block's rows."""
    blocks: list[list[tuple[Found, ...]]] = []
    for row in section.rows:
        if row.style is Style.SECTION:
            blocks.append([])
        elif blocks:
            blocks[-1].append(row.cells)
    return blocks
