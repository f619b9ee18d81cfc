"""The business calendar against almanacs: Easter, the holidays of whole years, business days, months, weeks (S8)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.calendar import (
    BusinessCalendar,
    add_months,
    find_easter,
    find_holidays,
    iter_days,
    iter_months,
    month_end,
    month_start,
    week_start,
)

DAYS = st.dates(date(1900, 1, 1), date(2199, 12, 31))

EASTER_SUNDAYS = (
    # The table of Easter Sundays as almanacs print it; the extremes (22 March, 25 April) and the years in which
    # simplified rules go wrong (1954, 1981, 2049, 2076, 2079, 2106) are there on purpose.
    "1900-04-15 1913-03-23 1943-04-25 1954-04-18 1961-04-02 1978-03-26 1981-04-19 1999-04-04 2000-04-23 2001-04-15 "
    "2005-03-27 2008-03-23 2010-04-04 2011-04-24 2014-04-20 2015-04-05 2016-03-27 2017-04-16 2018-04-01 2019-04-21 "
    "2020-04-12 2021-04-04 2022-04-17 2023-04-09 2024-03-31 2025-04-20 2026-04-05 2027-03-28 2028-04-16 2029-04-01 "
    "2030-04-21 2031-04-13 2035-03-25 2038-04-25 2049-04-18 2076-04-19 2079-04-23 2099-04-12 2100-03-28 2106-04-18"
)


@pytest.mark.parametrize("text", EASTER_SUNDAYS.split())
def test_easter_is_where_almanacs_have_it(text: str) -> None:
    expected = date.fromisoformat(text)
    assert find_easter(expected.year) == expected


@given(st.integers(1900, 2199))
def test_easter_is_a_sunday_between_22_march_and_25_april(year: int) -> None:
    easter = find_easter(year)
    assert easter.weekday() == 6
    assert date(year, 3, 22) <= easter <= date(year, 4, 25)


HOLIDAYS = {
    # What the federation of banks announces for the year, in full (Ash Wednesday is a business day).
    2015: "01-01 02-16 02-17 04-03 04-21 05-01 06-04 09-07 10-12 11-02 11-15 12-25",
    2023: "01-01 02-20 02-21 04-07 04-21 05-01 06-08 09-07 10-12 11-02 11-15 12-25",
    2024: "01-01 02-12 02-13 03-29 04-21 05-01 05-30 09-07 10-12 11-02 11-15 11-20 12-25",
    2025: "01-01 03-03 03-04 04-18 04-21 05-01 06-19 09-07 10-12 11-02 11-15 11-20 12-25",
    2026: "01-01 02-16 02-17 04-03 04-21 05-01 06-04 09-07 10-12 11-02 11-15 11-20 12-25",
    2027: "01-01 02-08 02-09 03-26 04-21 05-01 05-27 09-07 10-12 11-02 11-15 11-20 12-25",
}


@pytest.mark.parametrize("year", HOLIDAYS)
def test_the_holidays_of_a_year_are_those_the_banks_announce(year: int) -> None:
    expected = {date.fromisoformat(f"{year}-{day}") for day in HOLIDAYS[year].split()}
    assert set(find_holidays(year)) == expected


def test_a_holiday_begins_with_its_law() -> None:
    assert date(2023, 11, 20) not in find_holidays(2023)
    assert find_holidays(2024)[date(2024, 11, 20)] == "Consciência Negra"
    assert date(1979, 10, 12) not in find_holidays(1979)
    assert date(1980, 10, 12) in find_holidays(1980)


def test_two_holidays_may_fall_on_one_day() -> None:
    # Good Friday of 2000 was 21 April: one day, one holiday less.
    assert find_holidays(2000)[date(2000, 4, 21)] == "Tiradentes"
    assert len(find_holidays(2000)) == 11


def test_business_days_of_2026_are_counted_by_hand() -> None:
    # 261 weekdays in 2026; holidays on weekdays: all thirteen but 15/11 (a Sunday).
    calendar = BusinessCalendar()
    assert sum(calendar.is_business_day(day) for day in iter_days(date(2026, 1, 1), date(2026, 12, 31))) == 261 - 12


def test_local_holidays_come_from_the_settings() -> None:
    local = BusinessCalendar(frozenset({date(2026, 1, 26)}))
    assert not local.is_business_day(date(2026, 1, 26))
    assert local.holiday_name(date(2026, 1, 26)) == "Feriado local"
    assert local.next_business_day(date(2026, 1, 26)) == date(2026, 1, 27)
    assert BusinessCalendar().is_business_day(date(2026, 1, 26))


@pytest.mark.parametrize(
    ("day", "following", "previous"),
    [
        ("2026-03-14", "2026-03-16", "2026-03-13"),  # Saturday
        ("2026-02-18", "2026-02-18", "2026-02-18"),  # Ash Wednesday
        ("2023-11-20", "2023-11-20", "2023-11-20"),  # a Monday, before the law made it a holiday
        ("2026-02-14", "2026-02-18", "2026-02-13"),  # the Saturday of Carnival
        ("2026-04-03", "2026-04-06", "2026-04-02"),  # Good Friday
        ("2027-01-01", "2027-01-04", "2026-12-31"),  # over the turn of a year
        ("2026-03-16", "2026-03-16", "2026-03-16"),
    ],
)
def test_next_and_previous_business_day_by_hand(day: str, following: str, previous: str) -> None:
    calendar = BusinessCalendar()
    assert calendar.next_business_day(date.fromisoformat(day)) == date.fromisoformat(following)
    assert calendar.previous_business_day(date.fromisoformat(day)) == date.fromisoformat(previous)


@given(DAYS)
def test_the_next_business_day_is_the_nearest_one(day: date) -> None:
    calendar = BusinessCalendar()
    following, previous = calendar.next_business_day(day), calendar.previous_business_day(day)
    assert previous <= day <= following
    assert calendar.is_business_day(following)
    assert calendar.is_business_day(previous)
    between = [other for other in iter_days(previous, following) if other not in (previous, following)]
    assert not any(calendar.is_business_day(other) for other in between)


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        ("2026-01-31", 1, "2026-02-28"),
        ("2028-01-31", 1, "2028-02-29"),
        ("2026-03-31", -1, "2026-02-28"),
        ("2024-02-29", 12, "2025-02-28"),
        ("2026-08-31", 0, "2026-08-31"),
    ],
)
def test_months_are_added_with_the_day_clamped(day: str, months: int, expected: str) -> None:
    assert add_months(date.fromisoformat(day), months) == date.fromisoformat(expected)


@given(DAYS, st.integers(-600, 600))
def test_adding_months_moves_by_whole_months(day: date, months: int) -> None:
    moved = add_months(day, months)
    assert (moved.year - day.year) * 12 + moved.month - day.month == months
    assert moved.day == min(day.day, month_end(moved).day)


@given(DAYS)
def test_a_month_ends_on_the_eve_of_the_next(day: date) -> None:
    assert month_start(day).day == 1
    assert month_end(day) + timedelta(days=1) == add_months(month_start(day), 1)
    assert month_start(day) <= day <= month_end(day)


def test_months_and_days_are_listed_with_both_ends() -> None:
    assert list(iter_months(date(2025, 11, 30), date(2026, 2, 1))) == [
        date(2025, 11, 1),
        date(2025, 12, 1),
        date(2026, 1, 1),
        date(2026, 2, 1),
    ]
    assert list(iter_days(date(2026, 2, 28), date(2026, 3, 1))) == [date(2026, 2, 28), date(2026, 3, 1)]
    assert list(iter_days(date(2026, 3, 2), date(2026, 3, 1))) == []


@given(DAYS)
def test_a_week_starts_on_the_monday_of_its_iso_week(day: date) -> None:
    monday = week_start(day)
    assert monday.isoweekday() == 1
    assert monday.isocalendar()[:2] == day.isocalendar()[:2]
