"""The arithmetic of repetitions: the n-th date of a series, and how far an endless one is generated."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from lastro_sandbox.decisions import HORIZON_MONTHS, OBSERVED_PERIODS, PERIODS, REPETITIONS_MAX, Dialect


def known_periods(dialeto: Dialect) -> tuple[str, ...]:
    """Return the values of ``periodicidade`` that a dialect knows."""
    return (*PERIODS, *OBSERVED_PERIODS) if dialeto == "observado" else tuple(PERIODS)


def add_days(day: str, days: int) -> str:
    """Return the ISO date some days later (or earlier)."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def days_between(first: str, last: str) -> int:
    """Return the number of days from one ISO date to another."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def add_months(day: str, months: int) -> str:
    """Return the same day some months later, clamped to the end of a shorter month.

    >>> add_months("2026-01-31", 1), add_months("2026-01-31", 2)
    ('2026-02-28', '2026-03-31')
    """
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(start.day, last)).isoformat()


def add_periods(day: str, period: str, steps: int) -> str:
    """Return the date of a series ``steps`` periods after its first date.

    >>> add_periods("2026-03-02", "D15", 2), add_periods("2026-03-06", "DS", 1)
    ('2026-04-01', '2026-03-09')
    """
    if period == "D1":
        return add_days(day, steps)
    if period == "DS":
        current = date.fromisoformat(day)
        for _ in range(steps):
            current += timedelta(days=3 if current.weekday() == 4 else 2 if current.weekday() == 5 else 1)
        return current.isoformat()
    days, months = PERIODS[period]
    return add_days(day, days * steps) if days else add_months(day, months * steps)


def find_horizon(hoje: str, first: str) -> str:
    """Return the last day up to which an endless series is generated: a year from today or from its first date."""
    return add_months(max(hoje, first), HORIZON_MONTHS)


def count_to_horizon(hoje: str, first: str, period: str) -> int:
    """Return how many dates an endless series has up to its horizon, at least one, at most the maximum."""
    horizon = find_horizon(hoje, first)
    count = 1
    while count < REPETITIONS_MAX and add_periods(first, period, count) <= horizon:
        count += 1
    return count
