"""Sheets as values -> an Excel workbook: exact, reproducible, never in the place of another one (manual: Planilha).

The one writer of every workbook: gerencial, dados, cobranca, pagamentos, fechamento, those of scopes and groups.
openpyxl makes the workbook and its furniture; lastro writes the rows and links past it (`lastro.export.skeleton`).
Belongs here: the furniture of sheets (panes, filter, outline, print setup, names) and the file itself. Does not
belong here: the furniture of other sheets (`lastro.export.native`) and what a sheet says (`lastro.reports`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

import openpyxl
from lxml.etree import SerialisationError  # type: ignore[import-untyped]
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.header_footer import HeaderFooterItem
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.properties import Outline, PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from lastro.errors import StorageError
from lastro.export.cells import clean_text, xml_text
from lastro.export.charts import add_chart_data, describe_charts, draw_charts, free_formats, list_descriptions
from lastro.export.conditions import add_conditions, add_rule
from lastro.export.forms import PLAIN
from lastro.export.heading import head_columns, stamp_is_wrapped
from lastro.export.layout import (
    CHART_SHEET,
    HEADER_ROW,
    PlacedSheet,
    column_letter,
    filtered_section,
    place_sheets,
    quoted,
)
from lastro.export.looks import RED, RED_FILL, TABS, trust_flag
from lastro.export.native import furnish_native
from lastro.export.page_setup import MARGINS, PageSetup, frozen_columns, plan_page_setup
from lastro.export.references import find_links
from lastro.export.rows import SheetWriter
from lastro.export.skeleton import SheetPart, Styles, stamp_properties, write_parts
from lastro.grid.cells import Formula, Kind
from lastro.grid.cover import COVER_SHEET
from lastro.grid.forms import Form
from lastro.grid.sections import MAX_LEVEL
from lastro.grid.table_rows import find_deepest
from lastro.grid.tables import Column
from lastro.grid.words import format_date
from lastro.grid.workbook import Workbook

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,254}")


def render_workbook(workbook: Workbook, path: Path) -> Path:
    """Write a workbook, whole or not at all.

    The bytes depend on the value alone: the times inside are the stamp's `extraido_em`.

    Args:
        workbook: the sheets, in order; at least one.
        path: the file, as `write_file` takes it.

    Returns:
        The file.

    Raises:
        StorageError: the folder is not writable or the disk is full; nothing is left behind.
        ValueError: a sheet is larger than Excel allows, or a formula refers to what is not there.
        TypeError: a cell holds a value that its kind does not allow (money that is not a Decimal, a float).
    """
    return write_file(path, lambda stream: _write_archive(workbook, stream))


def write_file(path: Path, write: Callable[[IO[bytes]], None]) -> Path:
    """Write a file, whole or not at all.

    Args:
        path: the file, aside from what people open: one of that name is replaced. `lastro.run.placement` brings it
            among theirs, under a name that is free. Its folder is made if missing.
        write: writes the content to a stream.

    Returns:
        The file.

    Raises:
        StorageError: the folder is not writable or the disk is full; nothing is left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        try:
            with path.open("xb") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    except (OSError, SerialisationError) as error:  # lxml has its own for a full disk
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise StorageError(
            f"{path.name} não pôde ser escrito em {path.parent}: {reason or type(error).__name__}; libere "
            "espaço ou a escrita na pasta e rode de novo"
        ) from error
    return path


def _write_archive(workbook: Workbook, stream: IO[bytes]) -> None:
    if not workbook.sheets:
        raise ValueError("a workbook needs at least one sheet")
    workbook = add_chart_data(workbook)
    sheets = place_sheets(workbook)
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for sheet in sheets:
        book.create_sheet(sheet.name)
    of_data = any(sheet.setup.form is Form.DATA for sheet in workbook.sheets)
    styles = Styles(book, PLAIN if of_data else None)
    parts: list[SheetPart] = []
    for sheet, ws in zip(sheets, book.worksheets, strict=True):
        parts.append(_prepare_sheet(ws, sheet, sheets, workbook, styles))
    if sheets[-1].source.name == CHART_SHEET:
        data_ws = book.worksheets[-1]
        for sheet, ws in zip(sheets[:-1], book.worksheets, strict=False):
            draw_charts(ws, sheet, sheets[-1], data_ws)
    _add_names(book, sheets, workbook)
    moment = workbook.stamp.extraido_em.replace(tzinfo=None, microsecond=0)
    universal = _set_properties(book, workbook)
    book.calculation.fullCalcOnLoad = False
    book.active = 0

    descriptions = list_descriptions(sheets)

    def mend(name: str, content: bytes) -> bytes:
        if name in descriptions:
            return describe_charts(content, descriptions[name])
        if name.startswith("xl/charts/"):
            return free_formats(content)
        return _mend_properties(name, content, workbook.stamp.empresa, universal)

    write_parts(book, stream, parts, moment, mend)


def _prepare_sheet(
    ws: Worksheet, sheet: PlacedSheet, sheets: Sequence[PlacedSheet], workbook: Workbook, styles: Styles
) -> SheetPart:
    """Furnish a sheet; return what writes its rows."""
    links = find_links(sheet, sheets)
    if sheet.source.setup.form is not Form.REPORT:
        furnish_native(ws, sheet, workbook)
        writer = SheetWriter(sheet, sheets, workbook, links, styles, prints_all=True)
        return SheetPart(_find_area(sheet), writer.chunks, links)
    if sheet.source.name != COVER_SHEET and any(other.name == COVER_SHEET for other in workbook.sheets):
        links[3, 1] = f"#{quoted(COVER_SHEET)}!A1"
    setup = plan_page_setup(sheet, workbook.stamp)
    _furnish(ws, sheet, workbook, setup)
    writer = SheetWriter(sheet, sheets, workbook, links, styles, prints_all=setup.prints_all)
    if sheet.source.name == CHART_SHEET:
        links = {}  # hidden: nobody is led back from there
    # Document numbers are text on purpose: no green triangles.
    return SheetPart(_find_area(sheet), writer.chunks, links, number_texts=True)


def _find_area(sheet: PlacedSheet) -> str:
    return f"A1:{column_letter(sheet.columns)}{sheet.last_row}"


def _day(workbook: Workbook) -> str:
    return format_date(workbook.stamp.data_base)


def _set_properties(book: openpyxl.Workbook, workbook: Workbook) -> datetime:
    """Say in the file's properties what it is; return the moment of the extraction in UTC."""
    stamp = workbook.stamp
    moment = (stamp.extraido_utc or stamp.extraido_em).replace(tzinfo=None, microsecond=0)
    book.properties.creator = "lastro"
    book.properties.title = f"{workbook.kind} {stamp.data_base.isoformat()}"
    book.properties.subject = f"Posição financeira de {clean_text(stamp.empresa)} em {_day(workbook)}"
    book.properties.language = "pt-BR"
    book.properties.created = moment
    return moment


def _mend_properties(name: str, content: bytes, company: str, moment: datetime) -> bytes:
    """Put what openpyxl cannot say into the two parts of properties; other parts stay as they are."""
    if name == "docProps/core.xml":
        return stamp_properties(content, moment)
    return _add_company(content, company) if name == "docProps/app.xml" else content


def _add_company(content: bytes, company: str) -> bytes:
    """Name the company among the properties, which openpyxl leaves empty."""
    named = f"<Company>{xml_text(company)}</Company>".encode()
    before, mark, after = content.partition(b"<AppVersion>")
    return before + named + mark + after if mark else content.replace(b"</Properties>", named + b"</Properties>")


# --- furniture -------------------------------------------------------------------------------------------------------


def _furnish(ws: Worksheet, sheet: PlacedSheet, workbook: Workbook, setup: PageSetup) -> None:
    columns = sheet.sections[0].section.printed if sheet.sections else ()
    ws.sheet_properties.tabColor = TABS[sheet.source.family]
    ws.sheet_state = "hidden" if sheet.source.hidden else "visible"
    ws.sheet_properties.outlinePr = Outline(
        summaryBelow=False, summaryRight=not _summary_stands_left(columns), applyStyles=False
    )
    ws.sheet_view.showGridLines = False
    # A header that belongs to the first of several tables must not stand over the others.
    ws.freeze_panes = f"{column_letter(frozen_columns(sheet) + 1)}{HEADER_ROW + sheet.one_header}"
    deepest = max((find_deepest(placed.section) for placed in sheet.sections if placed.section.outline), default=0)
    ws.sheet_format.outlineLevelRow = min(deepest, MAX_LEVEL)
    _set_columns(ws, sheet)
    if sheet.source.name != CHART_SHEET:
        _set_print(ws, workbook, setup)
    for placed in sheet.sections:
        add_conditions(ws, placed, workbook.saldo_minimo, workbook.limite)
    filtered = filtered_section(sheet)
    if filtered is not None:
        last = column_letter(len(filtered.section.printed))
        ws.auto_filter.ref = f"A{filtered.header_row}:{last}{filtered.filter_last}"
    if sheet.flag_column > 2:  # the title runs over all labels
        ws.merge_cells(start_row=1, end_row=1, start_column=1, end_column=sheet.flag_column - 1)
    if stamp_is_wrapped(sheet, workbook.stamp):
        ws.merge_cells(start_row=2, end_row=2, start_column=1, end_column=head_columns(sheet, workbook.stamp))
    for row in _list_sentences(sheet):
        ws.merge_cells(start_row=row, end_row=row, start_column=1, end_column=sheet.columns)
    for cell in sheet.painted:
        if cell.last > cell.column:
            ws.merge_cells(start_row=cell.row, end_row=cell.row, start_column=cell.column, end_column=cell.last)
        if isinstance(cell.value, Formula):  # the master check (V33) in the colours of distrust once it fails
            reference = f"{column_letter(cell.column)}{cell.row}"
            add_rule(ws, reference, f'{reference}<>"{cell.value.cached}"', RED, RED_FILL)


def _list_sentences(sheet: PlacedSheet) -> Iterator[int]:
    """List the rows of tables of sentences beside wider ones: each runs over all columns."""
    for placed in sheet.sections if sheet.columns > 1 and sheet.source.cover is None else ():
        if [column.kind for column in placed.section.printed] == [Kind.TEXT] and not placed.section.detail:
            yield placed.header_row
            yield from (number for number, _ in placed.rows())


def _set_columns(ws: Worksheet, sheet: PlacedSheet) -> None:
    for index, width in enumerate(sheet.widths):
        dimension = ws.column_dimensions[column_letter(index + 1)]
        dimension.width = width
        if sheet.levels[index]:
            dimension.outlineLevel = sheet.levels[index]
            dimension.hidden = True
    levels = sheet.levels
    if not any(levels):
        return
    summary_right = not _summary_stands_left(sheet.sections[0].section.printed)
    for index, level in enumerate(levels):
        neighbour = index - 1 if summary_right else index + 1
        if 0 <= neighbour < len(levels) and levels[neighbour] > level:
            ws.column_dimensions[column_letter(index + 1)].collapsed = True


def _summary_stands_left(columns: Sequence[Column]) -> bool:
    """Say whether collapsed columns stand right of the column that sums them (the band tells which one that is)."""
    for index, column in enumerate(columns):
        if column.level and index and not columns[index - 1].level:
            end = next((i for i in range(index, len(columns)) if not columns[i].level), len(columns))
            after = columns[end] if end < len(columns) else None
            return after is None or (after.group != column.group and columns[index - 1].group == column.group)
    return False


def _set_print(ws: Worksheet, workbook: Workbook, setup: PageSetup) -> None:
    ws.page_setup.orientation = "landscape"
    ws.page_setup.paperSize = 9  # A4
    ws.page_setup.scale = setup.scale
    if setup.count:  # with whatever font: no page of the last columns alone, and the charts of a page stay whole
        ws.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
        ws.page_setup.fitToWidth, ws.page_setup.fitToHeight = 1, setup.tall
    for side, inches in MARGINS.items():
        setattr(ws.page_margins, side, inches)
    ws.page_margins.header = ws.page_margins.footer = 0.2
    ws.print_area = ",".join(setup.areas)
    ws.print_title_rows = f"1:{setup.rows}"
    if setup.columns:
        ws.print_title_cols = f"A:{column_letter(setup.columns)}"
    # All at once: openpyxl copies its list for each one that is added.
    ws.row_breaks.brk = [Break(id=row) for row in setup.breaks]
    ws.print_options.horizontalCentered = True
    flag, _, _ = trust_flag(workbook.stamp)
    day = _day(workbook)
    footer = ws.oddFooter = HeaderFooterItem()
    footer.left.text = f"{workbook.stamp.empresa} · Data-base {day}".replace("&", "&&")
    footer.center.text = "&A · página &P de &N"
    footer.right.text = flag  # of pages that do not have the first columns


def _add_names(book: openpyxl.Workbook, sheets: Sequence[PlacedSheet], workbook: Workbook) -> None:
    """Point each defined name at its row: `kpi_` on Indicadores, the others on Parâmetros; absent ones are skipped."""
    for name in workbook.names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a defined name")
        for sheet in (candidate for candidate in sheets if name in candidate.keys):
            row = sheet.keys[name]
            placed = next(p for p in sheet.sections if p.first <= row <= p.end)
            keys = [column.key for column in placed.section.printed]
            letter = column_letter(keys.index("valor") + 1 if "valor" in keys else min(2, len(keys)))
            book.defined_names[name] = DefinedName(name, attr_text=f"{quoted(sheet.name)}!${letter}${row}")
            break
