"""What holds for every sheet: it shows its table's rows, each once, and its totals are the sums of its rows.

The other checks hold tables against direct sums; here the printed sheet is held against the table, so that neither can
be changed alone. What a table or section promises of itself (`Table.key`, `Section.totalled`) is held here too. The
rule that looks at a report reports its differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from lastro.grid.model import Kind, Report, Row, Section, Style, Table
from lastro.quality.printed import Found, plain
from lastro.quality.tally import Tally

SUMS: Final = frozenset({Style.TOTAL, Style.SUBTOTAL})


def compare_sheets(tally: Tally, reports: Mapping[str, Report], codes: Iterable[str]) -> None:
    """Hold the sheets of some reports against their tables.

    Args:
        tally: where differences go.
        reports: the reports.
        codes: "R08" ...; several reports may have one code (R16 by year).
    """
    wanted = set(codes)
    for report in reports.values():
        if report.code not in wanted:
            continue
        tables = {table.name: table for table in report.tables}
        for table in report.tables:
            _check_keys(tally, table)
        for section in report.sections:
            _check_rows(tally, section)
            kept = tables.get(section.name)
            if kept is not None and [c.key for c in kept.columns] == [c.key for c in section.columns]:
                _check_cells(tally, section, kept)


def _check_keys(tally: Tally, table: Table) -> None:
    places = [table.place(name) for name in table.key]
    if places:
        tally.compare_unique(table.name, (" · ".join(str(row[place]) for place in places) for row in table.rows))
    if table.length is not None and table.rows:
        tally.compare(f"{table.name} · linhas", table.length, len(table.rows))


def _check_rows(tally: Tally, section: Section) -> None:
    """Keys and labels of special rows come once; there is one total row; it adds what stands above it."""
    prefix = f"{section.name} planilha"
    tally.compare_unique(prefix, (row.key for row in section.rows if row.key is not None))
    special = [row for row in section.rows if row.style in (Style.TOTAL, Style.MEMO)]
    tally.compare_unique(prefix, (str(plain(row.cells[0])) for row in special if row.key is None))
    totals = [row for row in section.rows if row.style is Style.TOTAL]
    if section.totalled and section.rows:
        tally.compare(f"{prefix} · linha de total", 1, len(totals))
    if section.summed and totals:
        normal = [row for row in section.rows if row.style is Style.NORMAL]
        for place, column in enumerate(section.columns):
            if column.kind in (Kind.MONEY, Kind.INTEGER) and plain(totals[0].cells[place]) is not None:
                _compare_total(tally, section, place, normal, totals[0])


def _compare_total(tally: Tally, section: Section, place: int, rows: list[Row], total: Row) -> None:
    column = section.columns[place]
    if column.key == "pessoas":
        # A person may stand in several bands.
        return
    values = [value for row in rows if isinstance(value := plain(row.cells[place]), Decimal | int)]
    zero = Decimal("0.00") if column.kind is Kind.MONEY else 0
    expected = sum(values, start=zero)
    tally.compare(f"{section.name} planilha · total · {column.header}", expected, plain(total.cells[place]))


def _check_cells(tally: Tally, section: Section, table: Table) -> None:
    """The table has the rows of the sheet without its totals, or with them where they are part of the statement."""
    if len(section.rows) == len(table.rows):
        chosen = list(section.rows)
    else:
        chosen = [row for row in section.rows if row.style not in SUMS]
        if len(chosen) != len(table.rows):
            chosen = [row for row in chosen if row.style is not Style.MEMO]
    tally.compare(f"{section.name} planilha · linhas", len(table.rows), len(chosen))
    for number, (row, cells) in enumerate(zip(chosen, table.rows, strict=False), 1):
        # Where sheet and table share their cells there is nothing to look at one by one.
        if row.cells is cells or row.cells == cells:
            continue
        for column, shown, kept in zip(section.columns, row.cells, cells, strict=False):
            if not _equal(plain(shown), kept):
                amounts = isinstance(kept, Decimal) and isinstance(plain(shown), Decimal)
                key = f"{section.name} planilha · linha {number} · {column.header}"
                tally.fail([key], kept if amounts else None, plain(shown) if amounts else None)  # type: ignore[arg-type]
    tally.count += len(chosen)


def _equal(shown: Found, kept: Found) -> bool:
    return bool(shown == kept) or (kept is not None and str(shown) == str(kept))
