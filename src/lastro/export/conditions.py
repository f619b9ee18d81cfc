"""Conditional formats, set for whole columns: alerts and negative amounts.

Does not belong here: looks that do not depend on a figure (`lastro.export.looks`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.styles.numbers import NumberFormat
from openpyxl.worksheet.worksheet import Worksheet

from lastro.export.columns import join_runs
from lastro.export.layout import PlacedSection, column_letter
from lastro.export.looks import AMBER, AMBER_FILL, RED, RED_FILL, SITUATIONS
from lastro.grid.cells import Kind
from lastro.grid.sections import Mark, Style
from lastro.grid.tables import Alert

SIGNED = frozenset({Kind.MONEY})
"""Kinds whose negative figures are red; the minus sign says it too."""
_WITHIN_LIMIT: Final = '#,##0.00;"▲ "-#,##0.00'
"""A balance that the bank lends: without the mark of one that nobody does (`number_format_of`)."""
_OWN_ID: Final = 900
"""Number of that format: beyond those that the cells of a file use."""


def add_conditions(ws: Worksheet, placed: PlacedSection, saldo_minimo: Decimal, limite: Decimal) -> None:
    """Colour the figures of a table: by the alerts of its columns, then negative amounts; neighbours share an area.

    What the bank lends (`limite`) counts where a column is the balance of all accounts (S27).
    In a statement, whose rows are added up to results, costs are below zero by nature: only its results are red.
    """
    if not placed.section.rows:
        return
    _add_alerts(ws, placed, saldo_minimo, limite)
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


def _add_alerts(ws: Worksheet, placed: PlacedSection, saldo_minimo: Decimal, limite: Decimal) -> None:
    for index, column in enumerate(placed.section.printed):
        letter = column_letter(index + 1)
        area = f"{letter}{placed.first}:{letter}{placed.last}"
        first = f"{letter}{placed.first}"
        if column.alert is Alert.SALDO:
            _colour_balances(ws, area, first, saldo_minimo, limite)
        elif column.alert is Alert.SITUACAO:
            for word, (_, colour, fill) in SITUATIONS.items():
                add_rule(ws, area, f'{first}="{word}"', colour, fill)


def _colour_balances(ws: Worksheet, area: str, first: str, saldo_minimo: Decimal, limite: Decimal = Decimal(0)) -> None:
    def below(bound: Decimal) -> str:
        return f"AND(ISNUMBER({first}),{first}<{bound or Decimal(0):f})"

    add_rule(ws, area, below(-limite), RED, RED_FILL, stop=True)
    if limite:
        add_rule(ws, area, below(Decimal(0)), AMBER, AMBER_FILL, stop=True, number_format=_WITHIN_LIMIT)
    if saldo_minimo > limite:
        add_rule(ws, area, below(saldo_minimo - limite), AMBER, AMBER_FILL)


def add_rule(
    ws: Worksheet,
    area: str,
    formula: str,
    colour: str,
    fill: str,
    *,
    stop: bool = False,
    bold: bool = True,
    number_format: str = "",
) -> None:
    """Colour the cells of an area for which a formula, written for the first one, holds."""
    look = DifferentialStyle(
        font=Font(color=colour, bold=bold),
        fill=PatternFill(bgColor=fill, fill_type="solid"),
        numFmt=NumberFormat(_OWN_ID, number_format) if number_format else None,
    )
    ws.conditional_formatting.add(area, Rule(type="expression", dxf=look, formula=[formula], stopIfTrue=stop))
