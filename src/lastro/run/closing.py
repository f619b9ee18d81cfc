"""The workbook that a month is closed with: a copy of the first one on or after the closing day whose checks hold."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import Final

from lastro.calendar import ONE_DAY, BusinessCalendar, month_start
from lastro.settings import Parametros

KIND: Final = "fechamento"


def find_closed_month(parametros: Parametros, calendario: BusinessCalendar, day: date) -> date | None:
    """Find the last month that is closed on a day; None where the settings give no rule.

    Args:
        parametros: `fechamento`, such as «dia_util:3», closes a month on that business day of the next.
        calendario: which days are.
        day: the day of the reading.

    Returns:
        First day of the month.
    """
    if not isinstance(parametros.fechamento, str):
        return None
    last = month_start(day) - ONE_DAY
    closes = calendario.find_business_day(day, int(parametros.fechamento.removeprefix("dia_util:")))
    return month_start(last if day >= closes else month_start(last) - ONE_DAY)


def stage_closing(workbook: Path, relatorios: Path, month: date) -> Path | None:
    """Copy a staged workbook under the name of the closing, unless that month has one.

    Returns:
        The copy, beside the workbook; None where the month was closed before.
    """
    name = f"{KIND}_{month:%Y-%m}"
    if any(relatorios.glob(f"{name}*.xlsx")):
        return None
    copy = workbook.with_name(f"{name}.xlsx")
    shutil.copyfile(workbook, copy)
    return copy
