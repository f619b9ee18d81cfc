"""Which months are closed (R14, V32): by a date, by a rule, or because the previous report had left them behind."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from lastro.calendar import ONE_DAY, BusinessCalendar, month_start

if TYPE_CHECKING:
    from lastro.transform.position import Position


def find_closing(position: Position, before: Position) -> date:
    """Find the last day that was closed when the previous report was issued: what changed there was restated.

    It depends on the parameter `fechamento`:

    - a day: that day;
    - a rule, "dia_util:3": a month is closed on the third business day of the next. What is booked on the closing day
      itself restates nothing;
    - nothing: the months older than that of the previous report are closed.

    Args:
        position: run B; its parameters and calendar count.
        before: run A, the previous report, as of its own day.
    """
    fechamento, day = position.parametros.fechamento, before.data_base
    if isinstance(fechamento, date):
        return fechamento
    if fechamento is None:
        return month_start(day) - ONE_DAY
    return close_by_rule(fechamento, day, position.calendario)


def close_by_rule(rule: str, day: date, calendario: BusinessCalendar) -> date:
    """Find the last day that a rule like "dia_util:3" closes by a day: the end of a month.

    >>> close_by_rule("dia_util:3", date(2026, 4, 5), BusinessCalendar())
    datetime.date(2026, 2, 28)
    >>> close_by_rule("dia_util:3", date(2026, 4, 6), BusinessCalendar())
    datetime.date(2026, 3, 31)
    """
    closes = calendario.find_business_day(day, int(rule.removeprefix("dia_util:")))
    last = month_start(day) - ONE_DAY
    return last if day >= closes else month_start(last) - ONE_DAY
