"""Report values -> aligned text, for the terminal and for golden files that a bookkeeper can read.

Belongs here: the words of the stamp and the printed form of every kind of value (pt-BR separators, "–" for zero, "—"
for what does not exist). Does not belong here: colours and anything a terminal would interpret: control characters of
API texts are dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from lastro.export.layout import EMPTY_NOTICE, header_text
from lastro.money import round_half_up
from lastro.reports.model import (
    WEEKDAYS,
    Cell,
    Column,
    Formula,
    Kind,
    Link,
    Report,
    Row,
    Section,
    Stamp,
    Style,
    Undefined,
    Value,
    count_text,
    format_date,
    month_label,
)

_LEFT_KINDS = frozenset({Kind.TEXT, Kind.LINK, Kind.DATE, Kind.MONTH, Kind.TIMESTAMP})
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069]+")


def render_text(item: Report | Section, *, stamp: Stamp | None = None, text_width: int = 45) -> str:
    """Write a report, or one section of it, as aligned text.

    Args:
        item: what to print.
        stamp: with a Report, prints company, trust flag and stamp as rows 1 and 2 of the sheet do.
        text_width: texts longer than this end in "…"; 0 = never cut.

    Returns:
        Lines without trailing blanks, ending in a line break. A level of the outline indents the first column by two.
    """
    if isinstance(item, Section):
        lines = _section_lines(item, text_width)
    else:
        title = item.title.upper() if stamp is None else f"{item.title.upper()} — {stamp.empresa}"
        lines = [_printable(title)]
        if stamp is not None:
            lines += [f"[{stamp.confianca}]", _printable(stamp_text(stamp))]
        for section in item.sections:
            lines += ["", *_section_lines(section, text_width)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def stamp_text(stamp: Stamp) -> str:
    """Write row 2 of every sheet: as of when, from which run, over what, and how complete."""
    parts = [
        f"Data-base {format_date(stamp.data_base)} ({WEEKDAYS[stamp.data_base.weekday()]})",
        f"Extraído {stamp.extraido_em:%d/%m/%Y %H:%M} {stamp.fuso}",
        f"Execução {stamp.execucao_id}",
        f"Contas: {stamp.contas_lidas} de {stamp.contas_total}",
        f"Filtro: {stamp.filtro}",
        f"Extração {stamp.extracao}",
    ]
    if stamp.reconstituido:
        parts.append("RECONSTITUÍDO")
    if stamp.erros:
        parts.append("NÃO CONFIÁVEL")
    if stamp.rejeitados:
        parts.append("Atenção: " + count_text(stamp.rejeitados, "registro ilegível", "registros ilegíveis"))
    return " · ".join(parts)


def value_text(value: Value | Cell, column: Column) -> str:
    """Write one value as its kind prints.

    >>> value_text(Decimal("-1234.50"), Column("Valor", Kind.MONEY))
    '-1.234,50'
    >>> value_text(Decimal("0.00"), Column("Valor", Kind.MONEY)), value_text(0, Column("Qtde", Kind.INTEGER))
    ('–', '0')
    >>> value_text(Decimal("49.28"), Column("AV %", Kind.PERCENT))
    '49,3%'
    """
    kind = column.kind
    if isinstance(value, Cell):
        kind, value = value.kind, value.value
    if isinstance(value, Formula):
        value = value.cached
    if value is None:
        return ""
    if isinstance(value, Undefined):
        return "—"
    if isinstance(value, Link):
        return _printable(value.text)
    if isinstance(value, datetime):
        return f"{value:%d/%m/%Y %H:%M}"
    if isinstance(value, date):
        return month_label(value) if kind is Kind.MONTH else format_date(value)
    if isinstance(value, str):
        return _printable(value)
    return _number_text(value, kind, column)


def _number_text(value: Decimal | int, kind: Kind, column: Column) -> str:
    if kind is Kind.INTEGER:
        return str(value)
    if value == 0 and not column.show_zero:
        return "–"
    places = {Kind.MONEY: 2, Kind.PERCENT: 1, Kind.NUMBER: 1}.get(kind)
    if places is None:
        return str(value)
    text = f"{round_half_up(Decimal(value), places):,.{places}f}".translate(str.maketrans(",.", ".,"))
    return f"{text}%" if kind is Kind.PERCENT else text


def _section_lines(section: Section, text_width: int) -> list[str]:
    header = [_printable(header_text(column)) for column in section.columns]
    table = [_row_texts(section.columns, row, text_width) for row in section.rows]
    widths = [max(map(_width, texts)) for texts in zip(header, *table, strict=True)]
    rule = "─" * (sum(widths) + 2 * max(len(widths) - 1, 0))
    lines = [_printable(section.title)] if section.title else []
    lines += [_align(header, section.columns, widths), rule]
    for row, texts in zip(section.rows, table, strict=True):
        if row.style is Style.TOTAL:
            lines.append(rule)
        lines.append(_align(texts, section.columns, widths))
    if not section.rows:
        lines.append(EMPTY_NOTICE)
    return lines + [_printable(note) for note in section.notes]


def _row_texts(columns: Sequence[Column], row: Row, text_width: int) -> list[str]:
    texts = []
    for index, (column, value) in enumerate(zip(columns, row.cells, strict=True)):
        text = value_text(value, column)
        if text_width and len(text) > text_width:
            text = text[: text_width - 1] + "…"
        texts.append("  " * row.level + text if index == 0 and column.kind is Kind.TEXT else text)
    return texts


def _align(texts: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    parts = []
    for text, column, width in zip(texts, columns, widths, strict=True):
        blanks = " " * (width - _width(text))
        parts.append(text + blanks if column.kind in _LEFT_KINDS else blanks + text)
    return "  ".join(parts)


def _printable(text: str) -> str:
    """Put a text on one line without anything a terminal would obey."""
    return _CONTROL.sub(" ", text).strip()


def _width(text: str) -> int:
    """Return how many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
