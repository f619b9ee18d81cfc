"""The weeks of the forecast (R23), against the golden table of section 5 with extension E."""

from __future__ import annotations

from datetime import date

from lastro.analysis.forecast_record import measure
from lastro.analysis.forecast_weeks import find_lowest_week, plan_forecast_weeks
from tests.unit.analysis.forecasts import DATA_BASE, list_records, make_forecast

START = 30680_00


def test_balance_and_band_of_the_weeks_are_the_golden_ones() -> None:
    weeks = plan_forecast_weeks(make_forecast(), list_records(), START)
    found = {
        number: (week.fim, week.saldo, week.faixa_de, week.faixa_ate, week.medidas)
        for number, week in enumerate(weeks, 1)
    }
    # Start, booked and expected of the week, and then the correction and the ends of the band.
    plain = {1: 34080_00, 4: 33407_50, 8: 33655_00, 12: 36753_81, 13: 36908_57}
    errors = {
        1: (-223_45, -2577_28, 578_26), 4: (-1586_36, -5050_00, 1357_94), 8: (-2696_88, -8713_90, 1723_81),
        12: (-5693_86, -10614_90, -2038_13), 13: (-5761_62, -11329_20, -3670_45),
    }  # fmt: skip
    ends = {1: date(2026, 3, 22), 4: date(2026, 4, 12), 8: date(2026, 5, 10), 12: date(2026, 6, 7)}
    for week, end in {**ends, 13: date(2026, 6, 14)}.items():
        assert found[week] == (end, *(plain[week] + error for error in errors[week]), 27 - week)
    assert find_lowest_week(weeks).fim == date(2026, 5, 17)


def test_the_columns_of_a_week_add_to_the_change_of_its_balance() -> None:
    balance = START
    for week in plan_forecast_weeks(make_forecast(), list_records(), START):
        parts = (week.lancado_entra, week.lancado_sai, week.esperado_entra, week.esperado_sai, week.fora, week.correcao)
        assert week.saldo - balance == sum(parts)
        balance = week.saldo


def test_without_errors_there_is_neither_band_nor_correction() -> None:
    weeks = plan_forecast_weeks(make_forecast(), measure((), DATA_BASE), START)
    assert {(week.faixa_de, week.faixa_ate, week.correcao, week.medidas) for week in weeks} == {(None, None, 0, 0)}
    assert weeks[0].saldo == START + 3400_00 + 127_27 - 127_27
