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
    assert found[1] == (date(2026, 3, 22), 32483_82, 32185_53, 33540_60, 26)
    assert found[4] == (date(2026, 4, 12), 30269_45, 28356_22, 33142_94, 23)
    assert found[8] == (date(2026, 5, 10), 32295_62, 26278_60, 36716_31, 19)
    assert found[12] == (date(2026, 6, 7), 29909_95, 24988_91, 33565_68, 15)
    assert found[13] == (date(2026, 6, 14), 29996_95, 24429_37, 33104_47, 14)
    assert find_lowest_week(weeks).fim == date(2026, 6, 7)


def test_the_columns_of_a_week_add_to_the_change_of_its_balance() -> None:
    balance = START
    for week in plan_forecast_weeks(make_forecast(), list_records(), START):
        parts = (week.lancado_entra, week.lancado_sai, week.esperado_entra, week.esperado_sai, week.fora, week.correcao)
        assert week.saldo - balance == sum(parts)
        balance = week.saldo


def test_without_errors_there_is_neither_band_nor_correction() -> None:
    weeks = plan_forecast_weeks(make_forecast(), measure((), DATA_BASE), START)
    assert {(week.faixa_de, week.faixa_ate, week.correcao, week.medidas) for week in weeks} == {(None, None, 0, 0)}
    assert weeks[0].saldo == START + 3400_00 - 1500_00 + 127_27
