"""The furniture of sheets whose tables are Excel's own: data for pivots, a desk to type at, the program's memory.

Belongs here: tables, lists, conditions, panes and print setup of such sheets. Does not belong here: their rows
(`lastro.export.rows`) and looks (`lastro.export.forms`), and the furniture of reports (`lastro.export.xlsx`).
"""

from __future__ import annotations

from typing import Final

from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.filters import AutoFilter
from openpyxl.worksheet.header_footer import HeaderFooterItem
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.table import Table as NativeTable
from openpyxl.worksheet.table import TableColumn, TableStyleInfo
from openpyxl.worksheet.worksheet import Worksheet

from lastro.entrada.typed_values import LIMIT
from lastro.export.conditions import add_rule
from lastro.export.forms import DATA_POINTS, HEADER_ROWS
from lastro.export.heading import PERSONAL_NOTE
from lastro.export.layout import PlacedSection, PlacedSheet, column_letter
from lastro.export.looks import AMBER, AMBER_FILL, RED, RED_FILL, TABS
from lastro.grid.cells import Kind
from lastro.grid.forms import Form
from lastro.grid.tables import Alert, Column
from lastro.grid.words import format_date
from lastro.grid.workbook import Workbook

GROWTH: Final = 200
"""Rows below a table in which what is typed is checked too."""
MANY_COLUMNS: Final = 12
"""More columns on one page could not be read."""
_FIRST_DAY: Final = "DATE(2000,1,1)"
"""No day before it is typed where any day may be."""
_TABLE_STYLES: Final = {Form.DATA: ("TableStyleLight9", True), Form.DESK: ("TableStyleLight1", False)}
"""Style of Excel, and whether its rows are striped."""
_USUAL_MARGINS: Final = PageMargins(left=0.7, right=0.7, top=0.75, bottom=0.75, header=0.3, footer=0.3)
_NARROW_MARGINS: Final = PageMargins(left=0.35, right=0.35, top=0.4, bottom=0.55, header=0.2, footer=0.25)


def furnish_native(ws: Worksheet, sheet: PlacedSheet, workbook: Workbook) -> None:
    """Put everything on a sheet that is no report and not in its rows."""
    form = sheet.source.setup.form
    if form is Form.MEMORY:
        ws.sheet_state = "veryHidden"
        return
    for column, width in enumerate(sheet.widths, 1):
        ws.column_dimensions[column_letter(column)].width = width
    for place, own in enumerate(sheet.sections[0].section.printed if sheet.sections else (), 1):
        if own.level:
            ws.column_dimensions[column_letter(place)].hidden = True
    tables = [placed for placed in sheet.sections if placed.section.native]
    ws.sheet_view.showGridLines = form is Form.DATA and bool(tables)
    for placed in tables:
        ws.add_table(_native_table(placed, form))
        _invite(ws, placed)
    if len(tables) == 1:
        keyed = form is Form.DESK and bool(tables[0].section.anchors)
        ws.freeze_panes = f"{'C' if keyed else 'A'}{tables[0].first}"
    if form is Form.DESK:
        ws.sheet_properties.tabColor = sheet.source.setup.colour or TABS[sheet.source.family]
        _set_desk_pages(ws, sheet)
    else:
        ws.sheet_format.defaultRowHeight = DATA_POINTS
        ws.page_margins = _USUAL_MARGINS
    ws.page_setup.orientation = "landscape"
    ws.page_setup.paperSize = 9  # A4
    note = f" · {PERSONAL_NOTE}" if workbook.personal else ""
    footer = ws.oddFooter = HeaderFooterItem()
    footer.left.text = f"Data-base {format_date(workbook.stamp.data_base)}{note}"
    footer.right.text = "&P" if form is Form.DATA else "página &P de &N"


def _native_table(placed: PlacedSection, form: Form) -> NativeTable:
    headers = [column.header for column in placed.section.printed]
    # An Excel table has a row below its header, be it empty.
    area = f"A{placed.header_row}:{column_letter(len(headers))}{placed.last}"
    # With its columns named, openpyxl looks for no cells of the header.
    columns = [TableColumn(id=number, name=header) for number, header in enumerate(headers, 1)]
    native = NativeTable(
        displayName=placed.section.name,
        ref=area,
        tableColumns=columns,
        autoFilter=AutoFilter(ref=area),
        totalsRowShown=False,
    )
    style, striped = _TABLE_STYLES[form]
    native.tableStyleInfo = TableStyleInfo(name=style, showRowStripes=striped)
    return native


def _invite(ws: Worksheet, placed: PlacedSection) -> None:
    """Add the validations and the conditional colours of a sheet."""
    for place, column in enumerate(placed.section.printed, 1):
        letter = column_letter(place)
        if column.alert is Alert.FALTA:
            cell = f"${letter}{placed.first}"
            condition = f'OR(AND(ISNUMBER({cell}),{cell}<0),LEFT({cell},5)="falta",{cell}="sem saldo")'
            area = f"{letter}{placed.first}:{letter}{placed.last}"
            add_rule(ws, area, condition, RED, RED_FILL)
            add_rule(ws, area, f'LEFT({cell},4)="Sim,"', AMBER, AMBER_FILL)
        if column.input is None:
            continue
        area = f"{letter}{placed.first}:{letter}{placed.last + GROWTH}"
        rule = _validation(column)
        if rule is not None:
            ws.add_data_validation(rule)
            rule.add(area)
        cell = f"${letter}{placed.first}"
        for highlight in column.input.highlights:
            condition = highlight.condition.replace("{cell}", cell)
            add_rule(ws, area, condition, highlight.colour, highlight.fill, stop=True, bold=highlight.bold)


def _validation(column: Column) -> DataValidation | None:
    """Build the validation of an input cell: lists warn, days and amounts refuse anything else."""
    asked = column.input
    if asked is not None and asked.choices:
        rule = DataValidation("list", formula1=asked.choices, allow_blank=True, errorStyle="warning")
        rule.error = "Fora da lista. Usar assim mesmo?"
    elif asked is not None and column.kind is Kind.DATE:
        first = asked.since or _FIRST_DAY
        rule = DataValidation("date", operator="greaterThanOrEqual", formula1=first, allow_blank=True)
        rule.error = f"Digite uma data{' de hoje em diante' if asked.since else ''}, como 16/03/2026."
    elif column.kind is Kind.MONEY:
        least = str(-LIMIT) if asked is not None and asked.signed else "0.01"
        rule = DataValidation("decimal", operator="between", formula1=least, formula2=str(LIMIT), allow_blank=True)
        rule.error = "Digite um valor em reais, como 1500,00."
    else:
        return None
    rule.errorTitle, rule.showErrorMessage = column.header, True
    return rule


def _set_desk_pages(ws: Worksheet, sheet: PlacedSheet) -> None:
    ws.page_setup.fitToHeight = 0
    ws.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    ws.page_margins = _NARROW_MARGINS
    if any(len(placed.section.printed) > MANY_COLUMNS for placed in sheet.sections):
        # Two pages wide, the names on both.
        ws.page_setup.fitToWidth = 2
        ws.print_title_cols = "A:B"
    if len(sheet.sections) == 1:
        ws.print_title_rows = f"1:{HEADER_ROWS[Form.DESK]}"
