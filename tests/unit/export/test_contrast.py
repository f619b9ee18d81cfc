"""Every colour can be read: 4.5:1 and more between type and ground, negative numbers included (WCAG 2.1, 1.4.3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.export.looks import RED
from lastro.export.xlsx import render_workbook
from lastro.grid.workbook import Sheet, Workbook
from tests.unit.export.export_values import STAMP
from tests.unit.reports.positions import golden_catalogue


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_the_known_one() -> None:
    assert round(contrast("FF0000", "FFFFFF"), 1) == 4.0
    assert round(contrast("000000", "FFFFFF")) == 21


def colours_of(cell: Any) -> set[tuple[str, str]]:
    fill = cell.fill.start_color.rgb[2:] if cell.fill.fill_type == "solid" else "FFFFFF"
    assert "[" not in cell.number_format.replace("[$-416]", ""), "a format that names a colour"
    found = {(cell.font.color.rgb[2:], fill)} if cell.font.color is not None else set()
    # Negative amounts are red by a rule, whatever the fill of their row.
    return found | {(RED, fill)} if isinstance(cell.value, int | float) and cell.value < 0 else found


@pytest.fixture(scope="module")
def reports() -> tuple[Sheet, ...]:
    return tuple(golden_catalogue().sheets)


@pytest.mark.parametrize("change", [{}, {"erros": 2}, {"rejeitados": 1}])
def test_every_colour_can_be_read(tmp_path: Path, reports: tuple[Sheet, ...], change: dict[str, int]) -> None:
    cover = reports[0].cover
    assert cover is not None
    # The stamp is the same on every sheet; the formula of the badge needs those that it adds.
    shown = (replace(reports[0], cover=replace(cover, check=None)),) if change else reports
    workbook = Workbook("gerencial", replace(STAMP, **change), shown)  # type: ignore[arg-type]
    book = openpyxl.load_workbook(render_workbook(workbook, tmp_path / "w.xlsx"))
    pairs: dict[tuple[str, str], str] = {}
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None:
                    for pair in colours_of(cell):
                        pairs.setdefault(pair, f"{sheet.title}!{cell.coordinate}")
        for area in sheet.conditional_formatting:
            for rule in area.rules:
                ground = rule.dxf.fill.bgColor.rgb[2:] if rule.dxf.fill else "FFFFFF"
                pairs[rule.dxf.font.color.rgb[2:], ground] = f"{sheet.title} {area.sqref}"
    assert len(pairs) > 10
    assert {where: pair for pair, where in pairs.items() if contrast(*pair) < 4.5} == {}
