"""The three rows above every table: what they say, how far the texts run, how wide columns are as seen.

Does not belong here: how the rows become XML (`lastro.export.rows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lastro.export.columns import find_folded_months
from lastro.export.layout import PlacedSheet
from lastro.export.looks import trust_flag
from lastro.grid.model import Printing
from lastro.grid.words import WEEKDAYS, count_text, format_date, month_label
from lastro.grid.workbook import Stamp

_SCREEN_WIDTH = 150
"""Characters that the stamp has before it is wrapped."""
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
    if stamp.erros:
        parts.append("NÃO CONFIÁVEL")
    if stamp.rejeitados:
        parts.append("Atenção: " + count_text(stamp.rejeitados, "registro ilegível", "registros ilegíveis"))
    return " · ".join(parts)


def title_text(sheet: PlacedSheet) -> str:
    """Write row 1 of a sheet; the company stands in row 2."""
    return sheet.report.title.upper()


def hint_text(sheet: PlacedSheet, *, prints_all: bool) -> str:
    """Write what stands beside the link back: what is printed and folded, and what the sheet says of itself.

    Args:
        sheet: the sheet.
        prints_all: the first page of a sheet of which only that one is printed holds all of it.
    """
    printing = "" if prints_all else _PRINTING[sheet.report.printing]
    months = find_folded_months([placed.section for placed in sheet.sections], sheet.levels)
    folded = ""
    if months:
        span = month_label(months[0])
        span = span if len(months) == 1 else f"{span} a {month_label(months[-1])}"
        folded = f"De {span}: recolhido, abre no [+] acima das colunas."
    return " ".join(part for part in (printing, sheet.report.hint, folded) if part)


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
