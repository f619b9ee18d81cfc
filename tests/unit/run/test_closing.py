"""Which month is closed on a day, and the workbook that stays for it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from lastro.calendar import build_calendar
from lastro.run.closing import find_closed_month, stage_closing
from lastro.settings import Parametros

RULE = Parametros(fechamento="dia_util:3")


@pytest.mark.parametrize(
    ("day", "month"),
    [
        # March 2026 begins on a Sunday: 2, 3 and 4 are its first business days
        (date(2026, 3, 3), date(2026, 1, 1)),
        (date(2026, 3, 4), date(2026, 2, 1)),
        (date(2026, 3, 31), date(2026, 2, 1)),
        # 1 January is a holiday, 2026-01-02 a Friday: the third one is Tuesday the 6th
        (date(2026, 1, 5), date(2025, 11, 1)),
        (date(2026, 1, 6), date(2025, 12, 1)),
    ],
)
def test_a_month_is_closed_from_the_business_day_of_the_rule_on(day: date, month: date) -> None:
    assert find_closed_month(RULE, build_calendar(), day) == month


def test_without_a_rule_no_month_is() -> None:
    assert find_closed_month(Parametros(), build_calendar(), date(2026, 3, 31)) is None
    fixed = Parametros(fechamento=date(2026, 2, 28))
    assert find_closed_month(fixed, build_calendar(), date(2026, 3, 31)) is None


def test_a_month_is_closed_once(tmp_path: Path) -> None:
    workbook, folder = tmp_path / "preparo" / "gerencial_2026-03-04.xlsx", tmp_path / "relatorios"
    workbook.parent.mkdir()
    workbook.write_bytes(b"as of the fourth")
    copy = stage_closing(workbook, folder, date(2026, 2, 1))
    assert copy == workbook.with_name("fechamento_2026-02.xlsx")
    assert copy.read_bytes() == b"as of the fourth"
    folder.mkdir()
    (folder / "fechamento_2026-02.xlsx").touch()
    assert stage_closing(workbook, folder, date(2026, 2, 1)) is None
    assert stage_closing(workbook, folder, date(2026, 3, 1)) is not None
