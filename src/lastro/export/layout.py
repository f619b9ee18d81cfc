"""Where everything of a workbook stands: sheet names, rows, keys, totals, links, widths.

Belongs here: positions and sizes, computed from values before anything is written (links point forward, so all
sheets are laid out first). Does not belong here: how a cell looks and how it is stored (`lastro.export.xlsx`).

Rows of a sheet (manual: Planilha): 1 title and trust flag, 2 stamp, 3 link back, 4 header, 5 ... data; each further
section stands below with a blank row, its title and its own header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Final

from lastro.export.columns import (
    STANDARD_WIDTH,
    align_sections,
    label_columns,
    measure_columns,
    outline_columns,
    pixels_of,
    share_one_header,
)
from lastro.export.cover import CHART_COLUMN, CHART_TOPS, WIDTHS, Painted, paint_cover
from lastro.export.cover import CHART_PIXELS as COVER_CHART_PIXELS
from lastro.export.forms import HEADER_ROWS, measure_form
from lastro.grid.cells import Cell, Formula, Kind, Link, Value
from lastro.grid.charts import Chart, ChartKind
from lastro.grid.forms import Form
from lastro.grid.sections import MAX_ROWS, Row, Section, Style
from lastro.grid.table_rows import StreamedRows, TableRows, find_notable, read_cells, sum_ordinary
from lastro.grid.workbook import Printing, Sheet, Workbook

MAX_COLUMNS: Final = 16_384
HEADER_ROW: Final = HEADER_ROWS[Form.REPORT]
CHART_ROWS: Final = 17
"""Rows that a chart takes, the blank one after it included."""
CHART_PIXELS: Final = 560
"""Width of a chart."""
BESIDE_PIXELS: Final = 1_080
"""A table up to this wide has its charts beside it."""
BELOW_ROW: Final = 56
"""A wider one has them below it, unless that would be further down than this: then they stand on its right, where no
page has them. Of a sheet that is printed on so many pages they stand below it however far down."""
CHART_SHEET: Final = "Gráficos"
EMPTY_NOTICE: Final = "Nenhum registro para o filtro e a data-base"
SUBTOTAL_LIMIT: Final = 254
"""Most ranges that one SUBTOTAL accepts."""


@dataclass(frozen=True)
class PlacedSection:
    """A section with its rows on the sheet.

    Attributes:
        section: what is printed.
        title_row: row of its title, or None for the first section of a sheet.
        header_row: row of the column headers.
        first: first data row (of the notice when there are no rows).
        last: last data row without the total row that the writer adds.
        total: the row with the SUBTOTAL formulas that stands at `total_row`, or None.
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
            yield self.total_row, self.total

    def notable_rows(self) -> Iterator[tuple[int, Row]]:
        """Yield number and row of every printed row that has a key or another style than the ordinary one."""
        for offset, row in find_notable(self.section.rows):
            if self.first + offset <= self.last:
                yield self.first + offset, row
        if self.total is not None:
            yield self.total_row, self.total

    @property
    def total_row(self) -> int:
        """Row of the writer's total: below a blank row, so that a sum or a sort of the data does not take it in."""
        return self.last + 2

    @property
    def end(self) -> int:
        """Last row that the section uses, notes included."""
        return self.notes_row + len(self.section.notes) - 1


@dataclass(frozen=True)
class PlacedChart:
    """Where a chart stands.

    Attributes:
        number: its position on the sheet.
        row: row of its top edge.
        column: columns left of it; it begins with the next one.
        offset: pixels between that column's edge and its own.
        pixels: its width.
        last_column: the column in which it ends, counted from 1.
    """

    number: int
    row: int
    column: int
    offset: int
    pixels: int
    last_column: int


@dataclass(frozen=True)
class PlacedSheet:
    """A sheet with the place of everything on it.

    Attributes:
        source: what is printed.
        name: sheet name as Excel accepts it, unique in the workbook.
        sections: its sections, top to bottom.
        keys: `Row.key` -> row number (the first one, should a key repeat).
        columns: number of columns of the widest section.
        widths: width of each column in characters.
        blocks: first row of each block of charts that has rows of its own below a table.
        charts: where each chart stands.
        painted: the cells of the cover, which no section has.
        levels: outline level of each column; those above 0 start folded.
    """

    source: Sheet
    name: str
    sections: tuple[PlacedSection, ...]
    keys: Mapping[str, int]
    columns: int
    widths: tuple[int, ...]
    levels: tuple[int, ...]
    blocks: tuple[int, ...]
    charts: tuple[PlacedChart, ...]
    painted: tuple[Painted, ...]

    @cached_property
    def quoted_name(self) -> str:
        """Its name as references quote it."""
        return quoted(self.name)

    @cached_property
    def hidden(self) -> tuple[bool, ...]:
        """Which columns start folded."""
        return tuple(level > 0 for level in self.levels)

    @cached_property
    def one_header(self) -> bool:
        """Whether the header in row 4 is that of everything below it."""
        return self.source.cover is None and share_one_header([placed.section for placed in self.sections])

    @property
    def flag_column(self) -> int:
        """Number of the column in which the trust flag begins: the first one after the labels that is in sight."""
        labels = label_columns(self.sections[0].section.printed) if self.one_header and self.sections else 1
        return next((column for column, level in enumerate(self.levels, 1) if column > labels and not level), 2)

    @property
    def folded_row(self) -> int | None:
        """The hidden row below everything that is the print area of a sheet without print; None where it is printed."""
        wanted = self.last_row + 2
        return wanted if self.source.printing is Printing.NONE and wanted <= MAX_ROWS else None

    def find_row(self, key: str | None) -> int | None:
        """Return the row that a link's key names: by `Row.key`, or by an id (`Section.anchors`); None where none is."""
        if key is None or key in self.keys:
            return None if key is None else self.keys[key]
        column, _, id_text = key.partition("=")
        if not id_text.isdecimal():
            return None
        if column not in self._anchors:
            self._anchors[column] = self._find_anchors(column)
        return self._anchors[column].get(int(id_text))

    @cached_property
    def _anchors(self) -> dict[str, Mapping[object, int]]:
        """Rows by id, for each column that a link has asked for."""
        return {}

    def _find_anchors(self, column: str) -> Mapping[object, int]:
        """Map each id to a row: the last one whose preferred column has it too, else the first one with it."""
        firsts: dict[object, int] = {}
        bests: dict[object, int] = {}
        for placed in self.sections:
            for name, preferred in placed.section.anchors:
                if name != column:
                    continue
                own, best = placed.section.place(name), placed.section.place(preferred)
                shown = read_cells(placed.section, own)
                values = [cell.text if isinstance(cell, Link) else cell for cell in shown]
                row_numbers = range(placed.first, placed.first + len(values))
                firsts = dict(zip(reversed(values), reversed(row_numbers), strict=True)) | firsts
                if own != best:
                    others = zip(values, read_cells(placed.section, best), row_numbers, strict=True)
                    bests |= {value: row_number for value, other, row_number in others if other == value}
        firsts |= bests
        return firsts

    @property
    def first_line(self) -> int:
        """Row of the first of its lines (`Setup.lines`)."""
        return HEADER_ROWS[self.source.setup.form]

    @property
    def last_row(self) -> int:
        """Last used row."""
        if self.source.setup.lines and not self.sections:
            return self.first_line + len(self.source.setup.lines) - 1
        end = max((placed.end for placed in self.sections), default=HEADER_ROW)
        return max([end, *(chart.row + CHART_ROWS - 1 for chart in self.charts), *(cell.row for cell in self.painted)])


def place_sheets(workbook: Workbook) -> tuple[PlacedSheet, ...]:
    """Lay out all sheets of a workbook.

    Raises:
        ValueError: a sheet needs more rows or columns than Excel has (splitting is the report's business), or two
            cells of a row and its section disagree in number.
    """
    names: list[str] = []
    sheets: list[PlacedSheet] = []
    day = workbook.stamp.data_base
    for sheet in workbook.sheets:
        names.append(sheet_name(sheet.name, names))
        aligned = align_sections(sheet.sections, day) if sheet.setup.form is Form.REPORT else sheet.sections
        sheets.append(_place_sheet(replace(sheet, sections=aligned), names[-1], day))
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


def column_letter(column: int) -> str:
    """Return the letters of a column number.

    >>> column_letter(1), column_letter(26), column_letter(27), column_letter(703)
    ('A', 'Z', 'AA', 'AAA')
    """
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
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
    """Return first and last row number of each run of ordinary rows; totals add these, not subtotals or memo rows."""
    if isinstance(rows, TableRows):
        return [(first, first + len(rows) - 1)]
    blocks: list[tuple[int, int]] = []
    start: int | None = None
    for row_number, row in enumerate(rows, first):
        if row.style is Style.NORMAL:
            start = row_number if start is None else start
        elif start is not None:
            blocks.append((start, row_number - 1))
            start = None
    if start is not None:
        blocks.append((start, first + len(rows) - 1))
    return blocks


def _place_sheet(sheet: Sheet, name: str, data_base: date) -> PlacedSheet:
    columns, widths, levels = _measure(sheet, data_base)
    pixels = [0 if level else pixels_of(width) for width, level in zip(widths, levels, strict=True)]
    placed: list[PlacedSection] = []
    keys: dict[str, int] = {}
    blocks: list[int] = []
    charts: list[PlacedChart] = []
    next_row = HEADER_ROWS[sheet.setup.form]
    if sheet.setup.lines and sheet.sections:
        next_row += len(sheet.setup.lines) + 1
    for index, section in enumerate(sheet.sections):
        title_row = None
        if index:
            title_row = next_row + 1 if section.title else None
            next_row += 2 if section.title else 1
        placed_section = _place_section(section, title_row, next_row)
        _check_size(sheet, section, placed_section)
        for row_number, row in placed_section.notable_rows():
            if row.key is not None:
                keys.setdefault(row.key, row_number)
        placed.append(placed_section)
        next_row = placed_section.end + 1
        own = _charts_after(sheet, section.name, last=index == len(sheet.sections) - 1)
        if own and sum(pixels) > BESIDE_PIXELS and (placed_section.end < BELOW_ROW or sheet.pages):
            blocks.append(next_row + 1)
            left = 0
            for chart_index in own:
                width = _width_of(sheet.charts[chart_index])
                charts.append(_place_chart(pixels, chart_index, next_row + 1, left, width))
                left += width + 10
            next_row += CHART_ROWS + 1
        else:
            for chart_index in own:
                charts.append(
                    _place_chart(pixels, chart_index, HEADER_ROW + len(charts) * CHART_ROWS, sum(pixels) + 20)
                )
    if sheet.cover is not None:
        charts = [
            _place_chart(pixels, index, top, sum(pixels[:CHART_COLUMN]), COVER_CHART_PIXELS)
            for index, top in zip(range(len(sheet.charts)), CHART_TOPS, strict=False)
        ]
    painted = () if sheet.cover is None else paint_cover(sheet.cover)
    return PlacedSheet(sheet, name, tuple(placed), keys, columns, widths, levels, tuple(blocks), tuple(charts), painted)


def _measure(sheet: Sheet, data_base: date) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return how many columns a sheet has, their widths and their outline levels."""
    columns = max((len(section.printed) for section in sheet.sections), default=1)
    if sheet.cover is not None:
        return len(WIDTHS), WIDTHS, (0,) * len(WIDTHS)
    if sheet.setup.form is not Form.REPORT:
        widths = measure_form(sheet)
        return columns, widths, (0,) * len(widths)
    return columns, measure_columns(sheet.sections, columns), outline_columns(sheet.sections, data_base)


def _width_of(chart: Chart) -> int:
    """Return the width of a chart: the steps of a waterfall have long names."""
    return CHART_PIXELS * 2 if chart.kind is ChartKind.WATERFALL else CHART_PIXELS


def _check_size(sheet: Sheet, section: Section, placed: PlacedSection) -> None:
    width = len(section.printed)
    if width > MAX_COLUMNS or placed.end > MAX_ROWS:
        raise ValueError(
            f"sheet {sheet.name!r} needs {placed.end:,} rows and {width:,} columns; Excel has "
            f"{MAX_ROWS:,} and {MAX_COLUMNS:,}: the report has to be split"
        )
    expected = len(section.columns)
    made = isinstance(section.rows, TableRows | StreamedRows)  # of a table, whose columns are the section's
    for row in () if made else section.rows:
        if len(row.cells) not in {expected, width}:
            raise ValueError(f"section {section.name!r}: a row has {len(row.cells)} cells for {expected} columns")


def _place_chart(
    pixels: Sequence[int], chart_index: int, row: int, left: int, width: int = CHART_PIXELS
) -> PlacedChart:
    """Find the cell in which a chart begins that many pixels from the left edge, and the column in which it ends."""
    edges = [*pixels, *[pixels_of(STANDARD_WIDTH)] * 60]

    def find(wanted: int) -> tuple[int, int]:
        for index, width in enumerate(edges):
            if wanted < width:
                return index, wanted
            wanted -= width
        return len(edges), 0

    column, offset = find(left)
    return PlacedChart(chart_index, row, column, offset, width, find(left + width - 1)[0] + 1)


def _charts_after(sheet: Sheet, section_name: str, *, last: bool) -> tuple[int, ...]:
    """Return the positions of the charts that stand below a section; those of no known section stand below the last."""
    known = {section.name for section in sheet.sections}
    return tuple(
        index
        for index, chart in enumerate(sheet.charts)
        if chart.after == section_name or (last and chart.after not in known)
    )


def _place_section(section: Section, title_row: int | None, header_row: int) -> PlacedSection:
    first = header_row + 1
    rows = section.rows
    last = first + max(len(rows), 1) - 1
    total = _total_row(section, first) if section.detail and rows else None
    if total is not None and rows[-1].style is Style.TOTAL:
        last -= 1
    filter_last = last
    if rows and total is None and not isinstance(rows, StreamedRows):
        filter_last -= sum(1 for row in islice(reversed(rows), 3) if row.style in {Style.TOTAL, Style.MEMO})
    end = last if total is None else last + 2
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
        zero = 0 if section.columns[index].kind is Kind.INTEGER else Decimal("0.00")
        result = zero + sum_ordinary(section, index)
        letter = column_letter(index + 1)
        ranges = ",".join(f"{letter}{start}:{letter}{end}" for start, end in blocks)
        fits = 0 < len(blocks) <= SUBTOTAL_LIMIT
        cells[index] = Formula(f"SUBTOTAL(109,{ranges})", result) if fits else result
    return Row(tuple(cells), Style.TOTAL, key=last.key if last.style is Style.TOTAL else None)
