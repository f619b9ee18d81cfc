"""Business days, months and ISO weeks (S8, S14)."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

Month = tuple[int, int]

WEEKDAYS = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")


def add_days(day: date, count: int) -> date:
    """Return the day `count` days later."""
    return day + timedelta(days=count)


def easter(year: int) -> date:
    """Return Easter Sunday by Gauss's rule for the Gregorian calendar, with its two exceptions."""
    a, b, c = year % 19, year % 4, year % 7
    k = year // 100
    p = (13 + 8 * k) // 25
    q = k // 4
    m = (15 - p + k - q) % 30
    n = (4 + k - q) % 7
    d = (19 * a + m) % 30
    e = (2 * b + 4 * c + 6 * d + n) % 7
    if d == 29 and e == 6:
        return date(year, 4, 19)
    if d == 28 and e == 6 and (11 * m + 11) % 30 < 19:
        return date(year, 4, 18)
    return date(year, 3, 22) + timedelta(days=d + e)


def bank_holidays(year: int) -> set[date]:
    """Return the national bank holidays of the year (S8)."""
    pascoa = easter(year)
    fixed = [(1, 1), (4, 21), (5, 1), (9, 7), (10, 12), (11, 2), (11, 15), (12, 25)]
    if year >= 2024:
        fixed.append((11, 20))
    days = {date(year, month, day) for month, day in fixed}
    return days | {add_days(pascoa, offset) for offset in (-48, -47, -2, 60)}


class BusinessDays:
    """Business-day rule of one company (S8).

    Args:
        extra: `feriados_extras`.
    """

    def __init__(self, extra: Iterable[date] = ()) -> None:
        self._extra = frozenset(extra)

    def is_business_day(self, day: date) -> bool:
        """Tell whether banks are open on the day."""
        return day.weekday() <= 4 and day not in self._extra and day not in bank_holidays(day.year)

    def adjust(self, day: date, *, earlier: bool = False) -> date:
        """Return the day itself if it is a business day, else the next one (the previous one if `earlier`)."""
        while not self.is_business_day(day):
            day = add_days(day, -1 if earlier else 1)
        return day


def month_of(day: date) -> Month:
    """Return the calendar month as `(year, month)`."""
    return (day.year, day.month)


def shift_month(month: Month, count: int) -> Month:
    """Return the month `count` months later."""
    position = month[0] * 12 + month[1] - 1 + count
    return (position // 12, position % 12 + 1)


def first_day(month: Month) -> date:
    """Return the first day of the month."""
    return date(month[0], month[1], 1)


def last_day(month: Month) -> date:
    """Return the last day of the month."""
    return date(month[0], month[1], monthrange(*month)[1])


def add_months(day: date, count: int) -> date:
    """Return the same day `count` months later, clamped to the month's end (S10)."""
    month = shift_month(month_of(day), count)
    return date(month[0], month[1], min(day.day, monthrange(*month)[1]))


def monday_of(day: date) -> date:
    """Return the Monday of the day's ISO week."""
    return add_days(day, -day.weekday())


def iso_week(day: date) -> tuple[int, int]:
    """Return `(ISO year, ISO week)` of the day."""
    return tuple(day.isocalendar()[:2])  # type: ignore[return-value]


def each_day(first: date, last: date) -> Iterator[date]:
    """Yield every day from `first` to `last`, both included."""
    for offset in range((last - first).days + 1):
        yield add_days(first, offset)
