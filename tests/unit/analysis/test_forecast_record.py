"""What past forecasts say of the present one (S24), against the golden figures of section 5 with E."""

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
    find_band,
    measure,
    reconstitute,
)
from tests.unit.analysis.forecasts import list_forecasts, list_records
from tests.unit.reports.positions import make_golden


@pytest.mark.parametrize(
    ("week", "correction", "lower", "upper", "count"),
    [
        (1, -223_45, -2577_28, 578_26, 26),
        (4, -1586_36, -5050_00, 1357_94, 23),
        (8, -2696_88, -8713_90, 1723_81, 19),
        (12, -5693_86, -10614_90, -2038_13, 15),
        (13, -5761_62, -11329_20, -3670_45, 14),
    ],
)
def test_band_and_correction_are_the_golden_ones(
    week: int, correction: int, lower: int, upper: int, count: int
) -> None:
    record = list_records()[week - 1]
    assert (record.correcao, record.medidas, record.gravadas) == (correction, count, 0)
    assert record.faixa == Band(lower, upper)
    errors = sorted(one.erro for one in list_forecasts() if one.horizonte == week and one.erro is not None)
    cut = (count + 1) // 10
    assert (errors[cut - 1], errors[-cut]) == (lower, upper)
    assert abs((errors[(count - 1) // 2] + errors[count // 2]) - 2 * correction) <= 1


def test_coverage_is_told_of_earlier_forecasts_against_the_band_of_their_day() -> None:
    found = {one.horizonte: (one.dentro, one.janelas) for one in list_records()}
    assert (found[1], found[4], found[8], found[13]) == ((8, 10), (5, 10), (1, 3), (0, 0))
    assert not list_records()[0].narrow
    assert not list_records()[7].narrow  # too few windows are no verdict
    assert list_records()[2].narrow  # 3 of 10


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
    assert {one.data_base for one in list_forecasts()} == {date(2025, 9, 15) + timedelta(days=7 * n) for n in range(26)}


def test_a_monday_among_others_is_what_it_is_alone() -> None:
    assert reconstitute(make_golden(extensao=True), at_once=1) == list_forecasts()


def test_two_closed_months_measure_nothing() -> None:
    assert reconstitute(make_golden()) == ()


def test_a_tenth_of_the_errors_is_cut_off_either_end() -> None:
    errors = [-500, -300, -120, -80, -40, 0, 30, 60, 90, 150, 400, 900]
    assert find_band(errors) == Band(-500, 900)
    assert find_band(errors[:9]) == Band(-500, 90)
    assert find_band(list(range(1, 20))) == Band(2, 18)
    assert find_band(errors[:8]) is None


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
    assert whole.faixa == Band(12_00, 55_00)  # of 8.00 to 59.00 the fifth from either end
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
