"""What is expected beyond what is booked (S24), against the golden figures of section 5 with extension E."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from lastro.analysis.expectation import (
    ANUAL,
    CORRENTE,
    FlowKey,
    Rates,
    Realised,
    build_forecast,
    list_week_ends,
)
from lastro.calendar import BusinessCalendar
from lastro.transform.position import ENTRADAS, SAIDAS
from tests.unit.analysis.forecasts import make_forecast

SERVICOS = FlowKey(ENTRADAS, 11)
ALUGUEL = FlowKey(SAIDAS, 21)


def until(frame: pd.DataFrame, classe: str, end: date) -> int:
    chosen = (frame["classe"] == classe) & (frame["data"] <= pd.Timestamp(end))
    return int(frame.loc[chosen, "valor_centavos"].sum())


@pytest.mark.parametrize(
    ("week", "booked_in", "booked_out", "expected_in", "expected_out"),
    [
        # Of 350.00 and of 350.00 the 4 of 11 business days of March; 1004, overdue and undecided, is not booked.
        (1, 3400_00, 0, 127_27, -127_27),
        # And of 1350.00 and of 700.00 the 7 of 20 of April.
        (4, 3400_00, -900_00, 350_00 + 472_50, -350_00 - 245_00),
        # And all of April; of 700.00 the 5 of 20 of May, whose 3500.00, booked, eat what is expected.
        (8, 3400_00, -900_00, 1700_00, -1050_00 - 175_00),
        # 502 pays 36 days late: 10/04 is 18/05. Of June 4, then 9 of 21 days.
        (12, 6900_00, -900_00, 1700_00 + 257_14, -1750_00 - 133_33),
        (13, 6900_00, -900_00, 1700_00 + 578_57, -1750_00 - 300_00),
    ],
)
def test_sums_to_the_end_of_a_week_are_the_golden_ones(
    week: int, booked_in: int, booked_out: int, expected_in: int, expected_out: int
) -> None:
    forecast, end = make_forecast(), list_week_ends(date(2026, 3, 16))[week - 1]
    assert [until(forecast.lancado, classe, end) for classe in (ENTRADAS, SAIDAS)] == [booked_in, booked_out]
    assert [until(forecast.esperado, classe, end) for classe in (ENTRADAS, SAIDAS)] == [expected_in, expected_out]
    assert forecast.operating.between(forecast.data_base, end) == booked_in + booked_out + expected_in + expected_out


def test_a_booked_entry_eats_the_expectation_of_its_own_category() -> None:
    found = {(one.key, one.mes.month): (one.ritmo, one.lancado, one.esperado) for one in make_forecast().categorias}
    assert found[SERVICOS, 3] == (1350_00, 1000_00, 350_00)  # the cap of March, 11 of 22 days, would be 675.00
    assert found[SERVICOS, 4] == (1350_00, 0, 1350_00)
    assert found[SERVICOS, 5] == (1350_00, 3500_00, 0)
    assert found[ALUGUEL, 3] == (-700_00, 0, -350_00)  # 11 of 22 days: 1004, overdue, eats nothing
    assert found[ALUGUEL, 4] == (-700_00, 0, -700_00)


def test_a_category_that_moves_seldom_is_expected_as_a_year_before() -> None:
    rules = {one.key.categoria_id: one.regra for one in make_forecast().categorias if one.regra}
    assert rules[11] == rules[21] == CORRENTE
    assert {rules[number] for number in (20, 22, 23) if number in rules} == {ANUAL}
    assert all(one.esperado == 0 for one in make_forecast().categorias if one.regra == ANUAL)


def test_with_two_closed_months_nothing_is_expected() -> None:
    forecast = make_forecast(extensao=False)
    assert forecast.meses_fechados == 2
    assert not forecast.known
    assert forecast.esperado.empty
    assert until(forecast.lancado, ENTRADAS, date(2026, 6, 14)) == 6900_00


def frame(rows: list[tuple[date, str, int, int]]) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=["data", "classe", "categoria_id", "valor_centavos"])
    return made.astype({"data": "datetime64[us]", "categoria_id": "Int64", "valor_centavos": "int64"})


HALF_YEAR = [(7, 100), (8, 120), (10, 130), (11, 110), (12, 90)]
"""Category 11 from July to December 2025, nothing in September: the rate is 105.00."""


def test_the_month_under_way_is_cut_to_its_business_days_to_come() -> None:
    paid = frame([(date(2025, month, 10), ENTRADAS, 11, reais * 100) for month, reais in HALF_YEAR])
    day = date(2026, 1, 5)  # 19 of 21 business days are left
    forecast = build_forecast(day, BusinessCalendar(), frame([]), Realised(paid).until(day))
    january = [one for one in forecast.categorias if one.mes == date(2026, 1, 1)]
    assert [(one.ritmo, one.esperado) for one in january] == [(105_00, 95_00)]
    sums = [until(forecast.esperado, ENTRADAS, end) for end in list_week_ends(day)[:4]]
    assert sums == [20_00, 45_00, 70_00, 95_00]


def test_what_is_booked_takes_the_place_of_what_was_expected_and_the_month_stays() -> None:
    paid = frame([(date(2025, month, 10), ENTRADAS, 11, reais * 100) for month, reais in HALF_YEAR])
    day = date(2026, 1, 5)
    for reais in (0, 40, 105):
        booked = frame([(date(2026, 2, 10), ENTRADAS, 11, reais * 100)] if reais else [])
        forecast = build_forecast(day, BusinessCalendar(), booked, Realised(paid).until(day))
        february = next(one for one in forecast.categorias if one.mes == date(2026, 2, 1))
        assert (february.lancado, february.esperado) == (reais * 100, (105 - reais) * 100)


def test_a_season_lifts_the_rate_by_the_year_before_and_at_most_doubles_it() -> None:
    months = [date(2024, month, 1) for month in range(7, 13)] + [date(2025, month, 1) for month in range(1, 13)]
    steady = {(SERVICOS, month): 100_00 for month in months}
    day = date(2026, 1, 5)
    assert Rates(steady, months, day).rate(SERVICOS, date(2026, 1, 1)) == 100_00
    lifted = steady | {(SERVICOS, date(2025, 1, 1)): 130_00, (SERVICOS, date(2025, 2, 1)): 900_00}
    rates = Rates(lifted, months, day)  # January 2025 against the half year from July 2024 on: 1.3; February: 9, cut
    assert [rates.rate(SERVICOS, date(2026, month, 1)) for month in (1, 2, 3)] == [130_00, 200_00, 100_00]
    assert Rates(lifted, months[1:], day).rate(SERVICOS, date(2026, 1, 1)) == 100_00  # 17 closed months: no season
    # Half a year that gave back more than it brought measures no season: -130 / -100 would lift by 1.3.
    given_back = {key: -amount for key, amount in lifted.items()}
    assert Rates(given_back, months, day).rate(SERVICOS, date(2026, 1, 1)) == -100_00
