"""Columns as a sheet prints them: headers, which of them are labels, how wide they are.

Does not belong here: where they stand on a sheet (`lastro.export.layout`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.calendar import add_months, month_start
from lastro.grid.cells import INSTANTS, TEXTS, Cell, Kind, Link, Value, inner_value
from lastro.grid.sections import MAX_LEVEL, Section
from lastro.grid.storage import Figures
from lastro.grid.table_rows import read_figures, sample_cells
from lastro.grid.tables import Alert, Column

MONTHS_BEFORE: Final = 6
"""Closed months that a sheet by months shows unfolded, and prints."""
LABEL_WIDTH: Final = 20
"""Narrowest labels: row 1 has the title there, and the trust flag beside it."""
STANDARD_WIDTH: Final = 8.4
"""Width of the columns that no table uses."""
DENSE_WIDTH: Final = 11
"""Width of money without "R$"."""
WIDTH_SAMPLE: Final = 2_000
TEXT_WIDTH: Final = (18, 45)
SHARED_TEXT_WIDTH: Final = 26
"""Widest text column when another section of the sheet has figures in the same column."""

WIDTHS: Final[Mapping[Kind, int]] = {
    Kind.TEXT: 18,
    Kind.LINK: 18,
    Kind.INTEGER: 9,
    Kind.DATE: 11,
    Kind.MONTH: 11,
    Kind.TIMESTAMP: 17,
    Kind.MONEY: 16,
    Kind.PERCENT: 9,
    Kind.NUMBER: 9,
    Kind.DECIMAL: 11,
    Kind.BOOLEAN: 12,
}
"""Width of a column of which nothing else is said: at least, where a report measures what is in it."""


def header_text(column: Column) -> str:
    """Return what a header prints: the band in front of it unless the header names it already.

    >>> header_text(Column("Realizado", Kind.MONEY, group="mar/26"))
    'mar/26 Realizado'
    >>> header_text(Column("mar/26 Total", Kind.MONEY, group="mar/26"))
    'mar/26 Total'
    """
    if column.group and column.group.casefold() not in column.header.casefold():
        return f"{column.group} {column.header}".rstrip()
    return column.header


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


def pixels_of(width: float) -> int:
    """Return the pixels of a column of that many characters.

    Excel rounds a digit of the standard font to 7 pixels; LibreOffice does not, and its columns are a little wider.
    """
    return round(7.42 * width) + 1


def join_runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """Join neighbours to first and last: the columns of money of a section make a few areas."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][1] == place - 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs


def measure_columns(sections: Sequence[Section], columns: int) -> tuple[int, ...]:
    """Return the width of every column of a sheet in characters: the widest that one of its tables needs."""
    widths: list[int] = []
    for index in range(columns):
        using = [section for section in sections if index < len(section.printed)]
        figures = any(s.printed[index].kind not in TEXTS for s in using)
        shared = figures and index > 0 and len(using) > 1
        widths.append(max((_width(section, index, shared=shared) for section in using), default=TEXT_WIDTH[0]))
    labels = label_columns(sections[0].printed) if sections and share_one_header(sections) else 1
    widths[0] = max(widths[0], LABEL_WIDTH - sum(widths[1:labels]))
    return tuple(widths)


def _width(section: Section, index: int, *, shared: bool) -> int:
    """Return the width of one column in characters: that of its kind, or more where a figure or a word needs it."""
    column = section.printed[index]
    cap = SHARED_TEXT_WIDTH if shared else TEXT_WIDTH[1]
    if column.width is not None:
        # The last text of a row may run over the columns that only other sections use.
        runs_over = shared and column.kind is Kind.TEXT and index == len(section.printed) - 1
        return min(column.width, cap) if runs_over else column.width
    word = max((len(part) for part in header_text(column).split()), default=0)
    word += 4 if section.detail else 1 if column.dense else 2
    least = DENSE_WIDTH if column.kind is Kind.MONEY and column.dense else WIDTHS[column.kind]
    fixed = max(least, min(word, TEXT_WIDTH[1]))
    if column.kind in TEXTS:
        longest = fixed
        for level, value in sample_cells(section, index, WIDTH_SAMPLE):
            inner = inner_value(value)
            text = str(inner.text) if isinstance(inner, Link) else inner
            if isinstance(text, str):
                extra = 2 * level if index == 0 else 0
                longest = max(longest, min(len(text) + extra + 2, cap))
            elif isinstance(inner, Decimal):
                longest = max(longest, least)
        return longest
    if column.kind in INSTANTS:
        return fixed
    figures = read_figures(section, index)
    if figures is None and not column.total:
        return fixed
    shown = (figures or Figures(0, 0, 0))[: 3 if column.total else 2]
    mark = 2 if column.alert is Alert.SALDO else 0
    digits = max(len(f"{max(shown):,.2f}"), len(f"{min(shown):,.2f}") + mark)
    if column.kind is Kind.INTEGER:
        return max(fixed, digits - 3 + 2)
    return max(fixed, digits + (5 if column.kind is Kind.MONEY and not column.dense else 1 if column.dense else 2))


def share_one_header(sections: Sequence[Section]) -> bool:
    """Tell whether all tables of a sheet have the headers of the first one, so that it may be frozen and repeated.

    The header of the first column, which names the rows, may differ.
    """
    first, *others = ([header_text(column) for column in section.printed] for section in sections)
    return all(len(other) > 0 and other[1:] == first[1 : len(other)] for other in others)


def outline_columns(sections: Sequence[Section], data_base: date) -> tuple[int, ...]:
    """Return the outline level of each column of a sheet; those above 0 start folded.

    A column is folded where every table that uses it wants that. A sheet by months folds the closed months before the
    last six: what is left fits a screen and a page, and title, stamp and notes run over the folded ones.
    """
    width = max((len(section.printed) for section in sections), default=1)
    using = [[section.printed[index] for section in sections if index < len(section.printed)] for index in range(width)]
    levels = [min((column.level for column in own), default=0) for own in using]
    if sections and share_one_header(sections):
        columns = sections[0].printed
        first = add_months(month_start(data_base), -MONTHS_BEFORE)
        if any(column.period is not None and column.period.month >= first for column in columns):
            for index, column in enumerate(columns):
                levels[index] += column.period is not None and column.period.month < first
    return tuple(min(level, MAX_LEVEL) for level in levels)


def align_sections(sections: Sequence[Section], data_base: date) -> tuple[Section, ...]:
    """Let the further tables of a sheet use the columns that its first one leaves in sight, should it fold some.

    They get blank columns where a folded one stands; a table that has the headers of the first one stays as it is.
    """
    levels = outline_columns(sections[:1], data_base)
    if len(sections) < 2 or share_one_header(sections) or not any(levels) or not _has_months(sections[0]):
        return tuple(sections)
    first = sections[0]
    shown = [replace(column, level=level) for column, level in zip(first.printed, levels, strict=True)]
    others = (_spread(section, levels) for section in sections[1:])
    return (replace(first, columns=(*shown, *first.columns[len(shown) :])), *others)


def _has_months(section: Section) -> bool:
    return any(column.period is not None for column in section.printed)


def _spread(section: Section, levels: Sequence[int]) -> Section:
    width = len(section.printed)
    places = [place for place, level in enumerate(levels) if not level]
    places = (places + list(range(len(levels), len(levels) + width)))[:width]
    blanks = {
        place: Column("", Kind.TEXT, level=levels[place], width=1, key=f"vazia_{place}")
        for place in range(places[-1] + 1)
        if place not in places
    }
    columns = blanks | dict(zip(places, section.printed, strict=True))
    nothing: dict[int, Value | Cell] = dict.fromkeys(blanks)
    rows = []
    for row in section.rows:
        cells = nothing | dict(zip(places, row.cells, strict=False))
        rows.append(replace(row, cells=tuple(cells[place] for place in sorted(cells))))
    return replace(section, columns=tuple(columns[place] for place in sorted(columns)), rows=tuple(rows))


def find_folded_months(sections: Sequence[Section], levels: Sequence[int]) -> tuple[date, ...]:
    """Return the months whose column is folded as a whole, oldest first."""
    columns = sections[0].printed if sections else ()
    open_months = {
        column.period.month for column, level in zip(columns, levels, strict=False) if column.period and not level
    }
    return tuple(sorted({column.period.month for column in columns if column.period} - open_months))
