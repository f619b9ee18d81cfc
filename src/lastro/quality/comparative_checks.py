"""What the wide sheets of R19 print, held against their long tables; part of V27 (S15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.quality.cash_tables import Reports
from lastro.quality.printed import find_section, find_table, plain, read_columns
from lastro.quality.tally import Tally

if TYPE_CHECKING:
    from lastro.transform.position import Position

STATEMENTS: Final = ("comparativo_resultado", "comparativo_caixa")
FIGURES: Final = ("atual", "base", "variacao", "var_pct")


def check_wide_sheets(tally: Tally, _: Position, reports: Reports) -> None:
    """Compare both statements of R19 with the long tables that they spread, for V27."""
    for name in STATEMENTS:
        _compare_sheet(tally, reports, name)


def _compare_sheet(tally: Tally, reports: Reports, name: str) -> None:
    """The wide sheet prints the figures of the long table, row by row."""
    section, table = find_section(reports, name), find_table(reports, name)
    if section is None or table is None:
        return
    pairs = list(dict.fromkeys(par for (par,) in read_columns(table, "par")))
    tally.compare(f"{name} planilha · linhas", len(table.rows), len(section.rows) * len(pairs))
    kept = iter(read_columns(table, "par", "linha", *FIGURES))
    for row in section.rows:
        cells = {column.key: plain(cell) for column, cell in zip(section.columns, row.cells, strict=True)}
        for _ in pairs:
            par, text, *values = next(kept, (None, None))
            tally.compare(f"{name} planilha · {text}", text, cells["linha"])
            for figure, value in zip(FIGURES, values, strict=False):
                tally.compare(f"{name} planilha · {par} · {text} · {figure}", value, cells.get(f"{par}_{figure}"))
