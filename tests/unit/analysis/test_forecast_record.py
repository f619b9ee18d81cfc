"""What past forecasts say of the present one (S24): by hand, and of the golden company with E."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from lastro.analysis.expectation import RunningSums, list_realised
from lastro.analysis.forecast_record import (
    GRAVADA,
    RECONSTITUIDA,
    Band,
    Measured,
    complete,
    measure,
    reconstitute,
)
from tests.unit.analysis.forecasts import list_forecasts, list_records
from tests.unit.reports.positions import make_golden


@pytest.mark.parametrize("week", [1, 4, 8, 12, 13])
def test_the_correction_is_the_median_of_what_was_measured(week: int) -> None:
    record = list_records()[week - 1]
    errors = sorted(one.erro for one in list_forecasts() if one.horizonte == week and one.erro is not None)
    assert (record.medidas, record.gravadas) == (33 - week, 0)  # 32 Mondays have six closed months behind them
    assert abs((errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) - 2 * record.correcao) <= 1


MONDAY = date(2026, 1, 5)


def make_measured(*later: int) -> list[Measured]:
    """Twelve weeks that missed by -6.00 to 5.00, and forecasts of days in a week after them, which missed by more."""
    weeks = [MONDAY + timedelta(days=7 * week) for week in range(12)]
    after = [MONDAY + timedelta(days=84 + day) for day in range(len(later))]
    errors = (*range(-6_00, 6_00, 1_00), *later)
    return [
        Measured(day, 1, day + timedelta(days=6), 0, 0, erro)
        for day, erro in zip([*weeks, *after], errors, strict=True)
    ]


def test_a_band_is_widened_until_eight_of_ten_forecasts_ended_within_that_of_their_day() -> None:
    """Of the twelve the median is -0.50, and both ends are 5.50 from it: 0.00 needs 10 %, 5.00 all, 10.50 twice."""
    made = make_measured(0, 5_00, 10_50, -6_00, 16_00)
    record = measure(made, date(2026, 6, 1))[0]
    assert (record.medidas, record.alargamento, record.dentro, record.janelas) == (17, 200, 4, 5)
    assert (record.correcao, record.faixa) == (0, Band(-12_00, 32_00))  # of seventeen: 0.00, -6.00 and 16.00
    assert measure(make_measured(0, 5_00, 5_00, -6_00, 5_00), date(2026, 6, 1))[0].alargamento == 100  # never narrower


def test_a_band_that_would_have_to_be_too_wide_is_none() -> None:
    record = measure(make_measured(0, 5_00, 30_00, -6_00, 40_00), date(2026, 6, 1))[0]
    assert (record.alargamento, record.dentro, record.janelas, record.faixa) == (400, 3, 5, None)


@pytest.mark.parametrize(("later", "told"), [((), (12, 0)), ((0, 0, 0, 0), (16, 4))])
def test_a_band_that_was_not_tried_five_times_is_none(later: tuple[int, ...], told: tuple[int, int]) -> None:
    record = measure(make_measured(*later), date(2026, 6, 1))[0]
    assert (record.medidas, record.janelas, record.faixa) == (*told, None)


def test_eleven_errors_say_nothing() -> None:
    record = measure(make_measured()[:11], date(2026, 6, 1))[0]
    assert (record.medidas, record.correcao, record.faixa) == (11, 0, None)


def test_on_a_past_monday_what_was_late_and_undecided_is_not_booked() -> None:
    """On 09/03 the rent of 05/03 is late: not booked, so rent is expected; 1010 leaves on the 10th, 1012 is habit.

    Of 350.00 and of 700.00 x 16/22 = 509.09 four of the sixteen business days left are of that week.
    """
    (one,) = [one for one in list_forecasts() if one.data_base == date(2026, 3, 9) and one.horizonte == 1]
    assert (one.previsto, one.realizado) == (-120_00 + 87_50 - 127_27, -120_00)


def test_a_past_monday_knows_what_was_paid_or_had_begun() -> None:
    (one,) = [one for one in list_forecasts() if one.data_base == date(2026, 2, 2) and one.horizonte == 4]
    assert (one.previsto, one.realizado, one.erro) == (400_00, 200_00, -200_00)  # 1001, 1003, 1007; also 1017
    assert {one.origem for one in list_forecasts()} == {RECONSTITUIDA}
    assert {one.data_base for one in list_forecasts()} == {date(2025, 8, 4) + timedelta(days=7 * n) for n in range(32)}


def test_a_monday_among_others_is_what_it_is_alone() -> None:
    assert reconstitute(make_golden(extensao=True), at_once=1) == list_forecasts()


def test_two_closed_months_measure_nothing() -> None:
    assert reconstitute(make_golden()) == ()


def test_what_is_not_over_measures_nothing_and_the_latest_52_count() -> None:
    monday = date(2025, 1, 6)
    made = [
        Measured(base, 1, base + timedelta(days=6), 0, 0, week * 100, GRAVADA if week >= 50 else RECONSTITUIDA)
        for week in range(60)
        for base in (monday + timedelta(days=7 * week),)
    ]
    last = made[-1].fim
    whole, cut = measure(made, last + timedelta(days=1))[0], measure(made, last)[0]
    assert (whole.medidas, whole.gravadas, cut.medidas, cut.gravadas) == (52, 10, 52, 9)
    assert whole.correcao == 33_50


def test_what_was_paid_on_the_base_day_counts_once_it_was_not_known_then() -> None:
    position = make_golden(extensao=True)
    monday = date(2026, 2, 2)  # 1017 was paid on 20/02, nothing on the day itself
    known = Measured(monday, 4, date(2026, 3, 1), 400_00, 0, origem=GRAVADA)
    later = known._replace(pago_no_dia=-50_00)  # as if a payment of the day had been taken back since
    ahead = known._replace(horizonte=7, fim=date(2026, 3, 22))
    moved = RunningSums(list_realised(position))
    assert [one.realizado for one in complete((known, later, ahead), moved, position.data_base)] == [
        200_00,
        250_00,
        None,
    ]
    kept = known._replace(realizado=1_00)
    assert complete((kept,), moved, position.data_base) == (kept,)


def test_a_past_day_does_not_know_what_a_later_run_filled_in() -> None:
    position = make_golden(extensao=True)
    moved, end = RunningSums(list_realised(position)), date(2026, 3, 1)
    filled = Measured(date(2026, 2, 2), 4, end, 400_00, 0, 200_00, origem=GRAVADA)
    assert complete((filled,), moved, end)[0].realizado is None
    assert complete((filled,), moved, end + timedelta(days=1)) == (filled,)
