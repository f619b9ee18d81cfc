"""What holds for every sheet: it shows its table's rows, each once, and its totals are the sums of its rows.

The other checks hold tables against direct sums; here the printed sheet is held against the table, so that neither can
be changed alone. Nothing here knows a report: what a table or section promises of itself (`Table.key`,
`Section.totalled`) and what it says that it shows (`Section.tables`, `Section.names`, `Row.origin`) is held. The rule
that looks at a report reports its differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from operator import is_
from typing import Final

from lastro.grid.cells import Kind
from lastro.grid.coded import CodedRows, find_notable, read_cells, share_cells
from lastro.grid.model import Column, Report, Row, Section, Style, Sum, Table
from lastro.grid.pivot import read_back
from lastro.grid.words import format_date
from lastro.money import format_brl
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
    chosen = [report for report in reports.values() if report.code in wanted]
    sections = [section for report in chosen for section in report.sections]
    for section in sections:
        _check_rows(tally, section)
    for table in (table for report in chosen for table in report.tables):
        _check_keys(tally, table)
        shown = list_projections(table, sections)
        for section in shown:
            if section.names:
                _compare_figures(tally, section, table)
        listed = [section for section in shown if not section.names]
        if listed:
            _compare_rows(tally, listed, table)


def list_projections(table: Table, sections: Iterable[Section]) -> list[Section]:
    """List the sections that show a table: all its rows in order, or the figures that their rows name."""
    keys = {column.key for column in table.columns}
    return [
        section
        for section in sections
        if table.name in (section.tables or (section.name,))
        and (section.names or keys.issuperset(column.key for column in section.columns))
    ]


def _check_keys(tally: Tally, table: Table) -> None:
    columns = [read_cells(table, table.place(name)) for name in table.key]
    if columns:
        tally.compare_unique(table.name, (" · ".join(map(str, cells)) for cells in zip(*columns, strict=True)))
    if table.length is not None and table.rows:
        tally.compare(f"{table.name} · linhas", table.length, len(table.rows))


def _check_rows(tally: Tally, section: Section) -> None:
    """Keys and labels of special rows come once; there is one total row; totals add what stands above them."""
    prefix = f"{section.name} planilha"
    notable = [row for _, row in find_notable(section.rows)]
    tally.compare_unique(prefix, (row.key for row in notable if row.key is not None))
    special = [row for row in notable if row.style in (Style.TOTAL, Style.MEMO) and row.origin is None]
    tally.compare_unique(prefix, (str(plain(row.cells[0])) for row in special if row.key is None))
    totals = [row for row in notable if row.style is Style.TOTAL]
    if section.totalled and section.rows:
        tally.compare(f"{prefix} · linha de total", 1, len(totals))
    if not section.summed or not totals:
        return
    every: list[Row] = []
    group: list[Row] = []
    for row in section.rows:
        if row.style is Style.NORMAL:
            every.append(row)
            group.append(row)
        elif row.style is Style.SUBTOTAL:
            _compare_total(tally, section, group, row)
            group = []
    _compare_total(tally, section, every, totals[0])
    if len(every) > len(group) > 0:
        tally.fail([f"{prefix} · linhas sem subtotal"])


def _compare_total(tally: Tally, section: Section, rows: Sequence[Row], total: Row) -> None:
    for place, column in enumerate(section.columns):
        found = plain(total.cells[place])
        if column.kind not in (Kind.MONEY, Kind.INTEGER) or not isinstance(found, Decimal | int):
            continue
        # A person may stand in several bands.
        if column.key == "pessoas":
            continue
        key = f"{section.name} planilha · {plain(total.cells[0])} · {column.header}"
        tally.compare(key, _add(column, [plain(row.cells[place]) for row in rows]), found)


def _add(column: Column, values: Sequence[Found]) -> Found:
    if column.sums is not Sum.FLOW:
        return values[0 if column.sums is Sum.OPENING else -1] if values else None
    zero = Decimal("0.00") if column.kind is Kind.MONEY else 0
    return sum((value for value in values if isinstance(value, Decimal | int)), start=zero)


def _compare_figures(tally: Tally, section: Section, table: Table) -> None:
    """Every figure of the rows with an origin is the table's; each row of the table is shown once, or once a figure."""
    prefix = f"{section.name} planilha"
    origins = [row.origin for row in section.rows if row.origin is not None]
    tally.compare_unique(prefix, (f"{one.key} · {one.figure}" for one in origins))
    places = [table.place(name) for name in section.names]
    keys = {tuple(row[place] for place in places) for row in table.rows}
    wide = any(one.figure for one in origins)
    figures = sum(column.kind is Kind.MONEY for column in table.columns) if wide else 1
    tally.compare(f"{prefix} · linhas", len(keys) * figures, len({(one.key, one.figure) for one in origins}))
    tally.fail(f"{prefix} · {key}" for key in sorted(keys ^ {one.key for one in origins}, key=str))
    for row, column, kept, cell in read_back(section, table):
        _compare_cell(tally, f"{prefix} · {row.key or row.cells[0]} · {column.header}", kept, plain(cell))


def _write(shown: Found) -> str:
    """Write an amount or a day as tables with columns of several kinds do (R14)."""
    if isinstance(shown, Decimal):
        return format_brl(shown)
    return format_date(shown) if isinstance(shown, date) else str(shown)


def _compare_rows(tally: Tally, sections: Sequence[Section], table: Table) -> None:
    """The table has the rows of the sheets without their totals, or with them where they are part of the statement."""
    columns = sections[0].columns
    prefix = f"{sections[0].name} planilha"
    if share_cells(sections, table):
        tally.compare(f"{prefix} · linhas", len(table.rows), sum(len(section.rows) for section in sections))
        # Of a row with links each cell counts, as where they are looked at one by one.
        leading = sum(section.rows.count_leading() for section in sections if isinstance(section.rows, CodedRows))
        tally.count += len(table.rows) + leading * len(columns)
        return
    chosen = [row for section in sections for row in section.rows]
    for skipped in (SUMS, {Style.MEMO}):
        if len(chosen) != len(table.rows):
            chosen = [row for row in chosen if row.style not in skipped]
    tally.compare(f"{prefix} · linhas", len(table.rows), len(chosen))
    places = [table.place(column.key) for column in columns]
    whole = places == list(range(len(table.columns)))
    for number, (row, kept) in enumerate(zip(chosen, table.rows, strict=False), 1):
        # Where sheet and table share their cells there is nothing to look at one by one.
        if whole and (row.cells is kept or row.cells == kept):
            continue
        if len(row.cells) == len(places) and all(map(is_, row.cells, [kept[place] for place in places])):
            tally.count += len(places)
            continue
        for column, place, cell in zip(columns, places, row.cells, strict=True):
            if kept[place] is cell or kept[place] == (shown := plain(cell)):
                tally.count += 1
            else:
                _compare_cell(tally, f"{prefix} · linha {number} · {column.header}", kept[place], shown)
    tally.count += len(chosen)


def _compare_cell(tally: Tally, key: str, kept: Found, shown: Found) -> None:
    """Compare a printed cell with the table's; a link prints an id as text, a typed cell what the table has as text."""
    if shown == kept or (kept is not None and str(kept) in {str(shown), _write(shown)}):
        tally.count += 1
    elif isinstance(kept, Decimal) and isinstance(shown, Decimal):
        tally.compare(key, kept, shown)
    else:
        tally.fail([key])
