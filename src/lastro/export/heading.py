"""The rows above the tables: what they say, how far the texts run, how wide columns are as seen.

Does not belong here: how the rows become XML (`lastro.export.rows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lastro.export.columns import find_folded_months
from lastro.export.forms import FAINT, PLAIN, text_points
from lastro.export.layout import PlacedSheet
from lastro.export.looks import BLUE, RED, Look, trust_flag
from lastro.grid.cells import Formula
from lastro.grid.forms import Form
from lastro.grid.verdict import NAO_CONFIAVEL
from lastro.grid.words import WEEKDAYS, count_text, format_date, month_label
from lastro.grid.workbook import Printing, Stamp, Workbook

_SCREEN_WIDTH = 150
"""Characters that the stamp has before it is wrapped."""
STAMP_ROW: Final = 2
"""The row of every sheet in which the stamp stands."""
PERSONAL_NOTE: Final = "contém dados pessoais (LGPD)"
_PRINTING: Final[Mapping[Printing, str]] = {
    Printing.WHOLE: "",
    Printing.FIRST_PAGE: "Impressa só a primeira página; o resto, na tela (não impresso).",
    Printing.NONE: "Não impresso: consulta na tela; para imprimir, limpe a área de impressão.",
}


def stamp_text(stamp: Stamp) -> str:
    """Write row 2 of every sheet: as of when, from which run, over what, and how complete."""
    parts = [
        stamp.empresa,
        f"Data-base {format_date(stamp.data_base)} ({WEEKDAYS[stamp.data_base.weekday()]})",
        f"Extraído {stamp.extraido_em:%d/%m/%Y %H:%M} {stamp.fuso}",
        f"Execução {stamp.execucao_id}",
        f"Contas: {stamp.contas_lidas} de {stamp.contas_total}",
        f"Filtro: {stamp.filtro}",
        stamp.nota or f"Extração {stamp.extracao}",
    ]
    if stamp.reconstituido:
        parts.append("RECONSTITUÍDO")
    if stamp.trust.erros:
        parts.append(NAO_CONFIAVEL)
    if stamp.trust.rejeitados:
        parts.append("Atenção: " + count_text(stamp.trust.rejeitados, "registro ilegível", "registros ilegíveis"))
    if stamp.trust.falta:
        parts.append(f"Falta: {stamp.trust.falta}")
    return " · ".join(parts)


def title_text(sheet: PlacedSheet) -> str:
    """Write row 1 of a sheet; the company stands in row 2."""
    return sheet.source.title.upper()


def hint_text(sheet: PlacedSheet, *, prints_all: bool) -> str:
    """Write the hint beside the link back: printing, folding, and the sheet's own hint.

    Args:
        prints_all: whether the one page that is printed shows the whole sheet.
    """
    printing = "" if prints_all else _PRINTING[sheet.source.printing]
    months = find_folded_months([placed.section for placed in sheet.sections], sheet.levels)
    folded = ""
    if months:
        span = month_label(months[0])
        span = span if len(months) == 1 else f"{span} a {month_label(months[-1])}"
        folded = f"De {span}: recolhido, abre no [+] acima das colunas."
    return " ".join(part for part in (printing, sheet.source.hint, folded) if part)


@dataclass(frozen=True)
class FreeRow:
    """A row above the tables of a sheet that is not a report: its cells by column, each with its look."""

    number: int
    cells: tuple[tuple[int, str | Formula, Look], ...]
    points: float | None = None


def list_free_rows(sheet: PlacedSheet, workbook: Workbook) -> Iterator[FreeRow]:
    """List the rows above the tables of a sheet that is not a report."""
    setup = sheet.source.setup
    if setup.form is Form.DESK:
        title = f"{sheet.source.title} — {workbook.stamp.empresa}"
        yield FreeRow(1, ((1, title, replace(PLAIN, size=14, bold=True)),))
        about = f"{stamp_text(workbook.stamp)} · {PERSONAL_NOTE}" if workbook.personal else stamp_text(workbook.stamp)
        yield FreeRow(STAMP_ROW, ((1, about, replace(PLAIN, size=9, colour=FAINT)),))
        notice = (1, workbook.notice, replace(PLAIN, bold=True, colour=RED))
        yield FreeRow(STAMP_ROW + 1, (*((notice,) if workbook.notice else ()), *_list_counters(sheet)))
    for row_number, (text, heading) in enumerate(setup.lines, sheet.first_line):
        if setup.form is Form.DESK:
            look = replace(PLAIN, size=12 if heading else 10, bold=heading, wrap=True, vertical="top")
            yield FreeRow(row_number, ((1, text, look),), text_points(text, heading=heading))
        else:
            yield FreeRow(row_number, ((1, text, replace(PLAIN, size=14, bold=True) if heading else PLAIN),))


def _list_counters(sheet: PlacedSheet) -> Iterator[tuple[int, Formula, Look]]:
    """List the live counters above the columns of the first table."""
    keys = [column.key for column in sheet.sections[0].section.printed] if sheet.sections else []
    for key, (formula, number_format) in sheet.source.setup.counters.items():
        look = replace(PLAIN, bold=True, colour=BLUE, number_format=number_format)
        yield keys.index(key) + 1, formula, look


def visible_widths(sheet: PlacedSheet) -> list[int]:
    """Return the widths as seen (a folded column has none), with the standard columns that follow the table."""
    return [0 if hidden else width for width, hidden in zip(sheet.widths, sheet.hidden, strict=True)] + [9] * 40


def flag_end(sheet: PlacedSheet, stamp: Stamp) -> int:
    """Return the last column that the trust flag runs over."""
    widths = visible_widths(sheet)
    last = sheet.flag_column
    room = widths[last - 1]
    while room < len(trust_flag(stamp)[0]) * 1.25 + 3:
        room += widths[last]
        last += 1
    return last


def head_columns(sheet: PlacedSheet, stamp: Stamp) -> int:
    """Count the columns of row 2: up to the end of the trust flag or of the table, at most those of a screen."""
    widths = visible_widths(sheet)
    last = flag_end(sheet, stamp)
    while last < sheet.columns and sum(widths[:last]) < _SCREEN_WIDTH:
        last += 1
    return last


def head_width(sheet: PlacedSheet, stamp: Stamp) -> int:
    """Return the width of row 2 in characters."""
    return sum(visible_widths(sheet)[: head_columns(sheet, stamp)])


def stamp_is_wrapped(sheet: PlacedSheet, stamp: Stamp) -> bool:
    """Say whether the stamp is longer than the sheet is wide: it is then wrapped over columns merged in row 2."""
    return head_width(sheet, stamp) < len(stamp_text(stamp)) * 0.95
