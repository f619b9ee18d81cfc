"""Conditional formats, set for whole columns: alerts and negative amounts.

Does not belong here: looks that do not depend on a figure (`lastro.export.looks`).
"""

from __future__ import annotations

from decimal import Decimal

from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.worksheet import Worksheet

from lastro.export.columns import join_runs
from lastro.export.layout import PlacedSection, column_letter
from lastro.export.looks import AMBER, RED, RED_FILL, SITUATIONS
from lastro.grid.cells import Kind
from lastro.grid.sections import Mark, Style
from lastro.grid.tables import Alert

SIGNED = frozenset({Kind.MONEY})
"""Kinds whose negative figures are red; the minus sign says it too."""


def add_conditions(ws: Worksheet, placed: PlacedSection, saldo_minimo: Decimal) -> None:
    """Colour the figures of a table: by the alerts of its columns, then negative amounts; neighbours share an area.

    In a statement, whose rows are added up to results, costs are below zero by nature: only its results are red.
    """
    if not placed.section.rows:
        return
    _add_alerts(ws, placed, saldo_minimo)
    last_letter = column_letter(len(placed.section.printed))
    notable = list(placed.notable_rows())
    for row_number, row in notable:
        if Mark.BALANCE in row.marks and len(placed.section.printed) > 1:
            _colour_balances(ws, f"B{row_number}:{last_letter}{row_number}", f"B{row_number}", saldo_minimo)
    end = placed.last if placed.total is None else placed.total_row
    results = [number for number, row in notable if row.style in (Style.SUBTOTAL, Style.TOTAL)]
    is_statement = any(row.style is Style.SUBTOTAL for _, row in notable)
    spans = [(number, number) for number in results] if is_statement else [(placed.first, end)]
    columns = placed.section.printed
    signed = [
        index for index, column in enumerate(columns) if column.kind in SIGNED and column.alert is not Alert.VARIACAO
    ]
    for first, last in join_runs(signed):
        letters = column_letter(first + 1), column_letter(last + 1)
        area = " ".join(f"{letters[0]}{begin}:{letters[1]}{until}" for begin, until in spans)
        look = DifferentialStyle(font=Font(color=RED))
        ws.conditional_formatting.add(area, Rule(type="cellIs", operator="lessThan", formula=["0"], dxf=look))


def _add_alerts(ws: Worksheet, placed: PlacedSection, saldo_minimo: Decimal) -> None:
    for index, column in enumerate(placed.section.printed):
        letter = column_letter(index + 1)
        area = f"{letter}{placed.first}:{letter}{placed.last}"
        first = f"{letter}{placed.first}"
        if column.alert is Alert.SALDO:
            _colour_balances(ws, area, first, saldo_minimo)
        elif column.alert is Alert.SITUACAO:
            for word, (_, colour, fill) in SITUATIONS.items():
                add_rule(ws, area, f'{first}="{word}"', colour, fill)


def _colour_balances(ws: Worksheet, area: str, first: str, saldo_minimo: Decimal) -> None:
    add_rule(ws, area, f"AND(ISNUMBER({first}),{first}<0)", RED, RED_FILL, stop=True)
    if saldo_minimo > 0:
        add_rule(ws, area, f"AND(ISNUMBER({first}),{first}<{saldo_minimo:f})", AMBER, "FFE0B2")


def add_rule(
    ws: Worksheet, area: str, formula: str, colour: str, fill: str, *, stop: bool = False, bold: bool = True
) -> None:
    """Colour the cells of an area for which a formula, written for the first one, holds."""
    look = DifferentialStyle(font=Font(color=colour, bold=bold), fill=PatternFill(bgColor=fill, fill_type="solid"))
    ws.conditional_formatting.add(area, Rule(type="expression", dxf=look, formula=[formula], stopIfTrue=stop))
