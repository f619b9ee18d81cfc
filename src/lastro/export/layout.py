"""Where everything of a workbook stands: sheet names, rows, keys, totals, links, widths.

Belongs here: positions and sizes, computed from report values before anything is written (links point forward, so all
sheets are laid out first). Does not belong here: how a cell looks and how it is stored (`lastro.export.xlsx`).

Rows of a sheet (manual: Workbook): 1 title and trust flag, 2 stamp, 3 link back, 4 header, 5 ... data; each further
section stands below with a blank row, its title and its own header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Final

from lastro.grid.cells import Cell, Formula, Kind, Link, Value
from lastro.grid.model import Column, Report, Row, Section, Style
from lastro.grid.words import month_label
from lastro.grid.workbook import Workbook

MAX_ROWS: Final = 1_048_576
MAX_COLUMNS: Final = 16_384
OPEN_LEVEL: Final = 2
"""Rows of a deeper outline level start hidden (manual: Workbook)."""
HEADER_ROW: Final = 4
CHART_ROWS: Final = 17
"""Rows that a block of charts takes, the blank one after it included."""
CHART_SHEET: Final = "Gráficos"
EMPTY_NOTICE: Final = "Nenhum registro para o filtro e a data-base"
SUBTOTAL_LIMIT: Final = 254
"""Most ranges that one SUBTOTAL accepts."""
WIDTH_SAMPLE: Final = 2_000
TEXT_WIDTH: Final = (18, 45)
SHARED_TEXT_WIDTH: Final = 26
"""Widest text column when another section of the sheet has figures in the same column."""

_WIDTHS: Final[Mapping[Kind, int]] = {
    Kind.TEXT: 18,
    Kind.LINK: 18,
    Kind.INTEGER: 9,
    Kind.DATE: 11,
    Kind.MONTH: 11,
    Kind.TIMESTAMP: 17,
    Kind.MONEY: 16,
    Kind.PERCENT: 9,
    Kind.NUMBER: 9,
}


@dataclass(frozen=True)
class PlacedSection:
    """A section with its rows on the sheet.

    Attributes:
        section: what is printed.
        title_row: row of its title, or None for the first section of a sheet.
        header_row: row of the column headers.
        first: first data row (of the notice when there are no rows).
        last: last data row without the total row that the writer adds.
        total: the row with the SUBTOTAL formulas that stands at `last + 1`, or None.
        filter_last: last row the autofilter covers.
        notes_row: row of the first note.
    """

    section: Section
    title_row: int | None
    header_row: int
    first: int
    last: int
    total: Row | None
    filter_last: int
    notes_row: int

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield every printed row with its number, the writer's total row included."""
        rows = self.section.rows
        if self.total is not None and self.first + len(rows) > self.last + 1:
            rows = rows[:-1]
        yield from enumerate(rows, self.first)
        if self.total is not None:
            yield self.last + 1, self.total

    @property
    def end(self) -> int:
        """Last row that the section uses, notes included."""
        return self.notes_row + len(self.section.notes) - 1


@dataclass(frozen=True)
class PlacedSheet:
    """A report with the place of everything in it.

    Attributes:
        report: what is printed.
        name: sheet name as Excel accepts it, unique in the workbook.
        sections: its sections, top to bottom.
        keys: `Row.key` -> row number (the first one, should a key repeat).
        columns: number of columns of the widest section.
        widths: width of each column in characters.
        blocks: first row of each block of charts, with the positions of its charts in the report.
        hidden: columns that start collapsed, because every section that uses them wants that.
    """

    report: Report
    name: str
    sections: tuple[PlacedSection, ...]
    keys: Mapping[str, int]
    columns: int
    widths: tuple[int, ...]
    hidden: tuple[bool, ...]
    blocks: tuple[tuple[int, tuple[int, ...]], ...] = ()

    @property
    def last_row(self) -> int:
        """Last used row."""
        end = max((placed.end for placed in self.sections), default=HEADER_ROW)
        return max([end, *(first + CHART_ROWS - 1 for first, _ in self.blocks)])


def place_sheets(workbook: Workbook) -> tuple[PlacedSheet, ...]:
    """Lay out all sheets of a workbook.

    Raises:
        ValueError: a sheet needs more rows or columns than Excel has (splitting is the report's business), or two
            cells of a row and its section disagree in number.
    """
    names: list[str] = []
    sheets: list[PlacedSheet] = []
    for report in workbook.reports:
        names.append(sheet_name(report.sheet, names))
        sheets.append(_place_sheet(report, names[-1]))
    return tuple(sheets)


def sheet_name(wanted: str, taken: Sequence[str]) -> str:
    r"""Turn a name into one that Excel accepts: 31 characters, no `[]:*?/\`, unique without regard to case.

    >>> sheet_name("Contas a pagar / receber: posição e faixas", [])
    'Contas a pagar - receber- posiç'
    >>> sheet_name("Saldos", ["SALDOS"])
    'Saldos (2)'
    """
    clean = "".join(char if char.isprintable() else " " for char in wanted)
    clean = re.sub(r"[\[\]:*?/\\]", "-", clean).strip("' ") or "Planilha"
    used = {name.casefold() for name in taken}
    candidate, number = clean[:31].rstrip("' "), 1
    while candidate.casefold() in used:
        number += 1
        suffix = f" ({number})"
        candidate = clean[: 31 - len(suffix)].rstrip("' ") + suffix
    return candidate


def header_text(column: Column) -> str:
    """Return what a header prints: the band in front of it unless the header names it already.

    >>> header_text(Column("Realizado", Kind.MONEY, group="mar/26"))
    'mar/26 Realizado'
    >>> header_text(Column("mar/26 Total", Kind.MONEY, group="mar/26"))
    'mar/26 Total'
    """
    if column.group and column.group.casefold() not in column.header.casefold():
        return f"{column.group} {column.header}"
    return column.header


def header_month(column: Column) -> date | None:
    """Return the month that the header is written as, a real date: it names it and prints nothing else."""
    month = None if column.period is None else column.period.month
    return month if month is not None and header_text(column).strip() in {"", month_label(month)} else None


def label_columns(columns: Sequence[Column]) -> int:
    """Count the leading columns that stay in sight: the first, and the second when the first alone says too little.

    >>> label_columns([Column("Data", Kind.DATE), Column("Dia", Kind.TEXT), Column("Saldo", Kind.MONEY)])
    2
    >>> label_columns([Column("Linha", Kind.TEXT, width=7), Column("Nome", Kind.TEXT), Column("Valor", Kind.MONEY)])
    2
    >>> label_columns([Column("Conta", Kind.TEXT), Column("Tipo", Kind.TEXT), Column("Saldo", Kind.MONEY)])
    1
    """
    if len(columns) < 3 or columns[1].kind is not Kind.TEXT:
        return 1
    short = columns[0].kind is not Kind.TEXT or (columns[0].width or TEXT_WIDTH[0]) < 12
    return 2 if short else 1


def column_letter(number: int) -> str:
    """Return the letters of a column number.

    >>> column_letter(1), column_letter(26), column_letter(27), column_letter(703)
    ('A', 'Z', 'AA', 'AAA')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def quoted(sheet: str) -> str:
    """Quote a sheet name for a reference.

    >>> quoted("D'Ávila")
    "'D''Ávila'"
    """
    return "'" + sheet.replace("'", "''") + "'"


def filtered_section(sheet: PlacedSheet) -> PlacedSection | None:
    """Return the one section that gets the autofilter: the largest detail table."""
    candidates = [p for p in sheet.sections if p.section.detail and p.section.rows]
    return max(candidates, key=lambda placed: len(placed.section.rows), default=None)


def normal_blocks(rows: Sequence[Row], first: int) -> list[tuple[int, int]]:
    """Return the row numbers of the runs of ordinary rows: what a total adds, without subtotals and memo lines."""
    blocks: list[tuple[int, int]] = []
    start: int | None = None
    for number, row in enumerate(rows, first):
        if row.style is Style.NORMAL:
            start = number if start is None else start
        elif start is not None:
            blocks.append((start, number - 1))
            start = None
    if start is not None:
        blocks.append((start, first + len(rows) - 1))
    return blocks


def _place_sheet(report: Report, name: str) -> PlacedSheet:
    placed: list[PlacedSection] = []
    keys: dict[str, int] = {}
    blocks: list[tuple[int, tuple[int, ...]]] = []
    next_row = HEADER_ROW
    for index, section in enumerate(report.sections):
        title_row = None
        if index:
            title_row = next_row + 1 if section.title else None
            next_row += 2 if section.title else 1
        one = _place_section(section, title_row, next_row)
        width = len(section.printed)
        if width > MAX_COLUMNS or one.end > MAX_ROWS:
            raise ValueError(
                f"sheet {report.sheet!r} needs {one.end:,} rows and {width:,} columns; Excel has "
                f"{MAX_ROWS:,} and {MAX_COLUMNS:,}: the report has to be split"
            )
        for number, row in one.rows():
            if len(row.cells) not in {len(section.columns), width}:
                expected = len(section.columns)
                raise ValueError(f"section {section.name!r}: a row has {len(row.cells)} cells for {expected} columns")
            if row.key is not None:
                keys.setdefault(row.key, number)
        placed.append(one)
        next_row = one.end + 1
        charts = _charts_after(report, section.name, last=index == len(report.sections) - 1)
        if charts:
            blocks.append((next_row + 1, charts))
            next_row += CHART_ROWS + 1
    columns = max((len(section.printed) for section in report.sections), default=1)
    using = [[s.printed[index] for s in report.sections if index < len(s.printed)] for index in range(columns)]
    hidden = tuple(bool(own) and all(column.level > 0 for column in own) for own in using)
    return PlacedSheet(
        report, name, tuple(placed), keys, columns, _widths(report.sections, columns), hidden, tuple(blocks)
    )


def _charts_after(report: Report, section_name: str, *, last: bool) -> tuple[int, ...]:
    """Return the positions of the charts that stand below a section; those of no known section stand below the last."""
    known = {section.name for section in report.sections}
    return tuple(
        number
        for number, chart in enumerate(report.charts)
        if chart.after == section_name or (last and (chart.after is None or chart.after not in known))
    )


def _place_section(section: Section, title_row: int | None, header_row: int) -> PlacedSection:
    first = header_row + 1
    rows = section.rows
    last = first + max(len(rows), 1) - 1
    total = _total_row(section, first) if section.detail and rows else None
    if total is not None and rows[-1].style is Style.TOTAL:
        last -= 1
    filter_last = last
    if rows and total is None:
        filter_last -= sum(1 for row in islice(reversed(rows), 3) if row.style in {Style.TOTAL, Style.MEMO})
    end = last if total is None else last + 1
    return PlacedSection(section, title_row, header_row, first, last, total, max(filter_last, first), end + 1)


def _total_row(section: Section, first: int) -> Row | None:
    """Build the total row of a detail: SUBTOTAL over the runs of ordinary rows, with the exact sum beside it."""
    summed = [index for index, column in enumerate(section.printed) if column.total]
    if not summed:
        return None
    last = section.rows[-1]
    cells: list[Value | Cell] = [None] * len(section.printed)
    if last.style is Style.TOTAL:
        cells = list(last.cells)
    elif 0 not in summed:
        cells[0] = Cell("Total", Kind.TEXT)
    blocks = normal_blocks(section.rows, first)
    for index in summed:
        result = _exact_sum(section, index)
        letter = column_letter(index + 1)
        ranges = ",".join(f"{letter}{start}:{letter}{end}" for start, end in blocks)
        fits = 0 < len(blocks) <= SUBTOTAL_LIMIT
        cells[index] = Formula(f"SUBTOTAL(109,{ranges})", result) if fits else result
    return Row(tuple(cells), Style.TOTAL, key=last.key if last.style is Style.TOTAL else None)


def _exact_sum(section: Section, index: int) -> Decimal | int:
    integer = section.columns[index].kind is Kind.INTEGER
    result: Decimal | int = 0 if integer else Decimal("0.00")
    for row in section.rows:
        value = row.cells[index]
        if isinstance(value, Cell):
            value = value.value
        if row.style is Style.NORMAL and isinstance(value, Decimal | int):
            result += value
    return result


def _widths(sections: Sequence[Section], columns: int) -> tuple[int, ...]:
    widths: list[int] = []
    for index in range(columns):
        using = [section for section in sections if index < len(section.printed)]
        figures = any(s.printed[index].kind not in {Kind.TEXT, Kind.LINK} for s in using)
        shared = figures and index > 0 and len(using) > 1
        widths.append(max((_width(section, index, shared=shared) for section in using), default=TEXT_WIDTH[0]))
    return tuple(widths)


def _width(section: Section, index: int, *, shared: bool) -> int:
    """Return the width of one column: fixed by kind, wider only where a figure or a word would not fit."""
    column = section.printed[index]
    cap = SHARED_TEXT_WIDTH if shared else TEXT_WIDTH[1]
    if column.width is not None:
        # The last text of a row may run over the columns that only other sections use.
        runs_over = shared and column.kind is Kind.TEXT and index == len(section.printed) - 1
        return min(column.width, cap) if runs_over else column.width
    word = max((len(part) for part in header_text(column).split()), default=0) + (4 if section.detail else 2)
    fixed = max(_WIDTHS[column.kind], min(word, TEXT_WIDTH[1]))
    if column.kind in {Kind.TEXT, Kind.LINK}:
        longest = fixed
        for row in islice(section.rows, WIDTH_SAMPLE):
            value = row.cells[index]
            inner = value.value if isinstance(value, Cell) else value
            text = inner.text if isinstance(inner, Link) else inner
            if isinstance(text, str):
                extra = 2 * row.level if index == 0 else 0
                longest = max(longest, min(len(text) + extra + 2, cap))
            elif isinstance(inner, Decimal):
                longest = max(longest, _WIDTHS[Kind.MONEY])
        return longest
    figures = [value for row in section.rows if type(value := row.cells[index]) is Decimal or type(value) is int]
    if column.total:
        figures.append(sum((value for value in figures), Decimal(0)))
    if not figures:
        return fixed
    digits = max(len(f"{max(figures):,.2f}"), len(f"{min(figures):,.2f}"))
    if column.kind is Kind.INTEGER:
        return max(fixed, digits - 3 + 2)
    return max(fixed, digits + (2 if column.dense or column.kind is not Kind.MONEY else 5))
