"""The weeks of the forecast (R23): their columns add up, and what stands without a record."""

from __future__ import annotations

from lastro.analysis.forecast_record import measure
from lastro.analysis.forecast_weeks import plan_forecast_weeks
from tests.unit.analysis.forecasts import DATA_BASE, list_records, make_forecast

START = 30680_00


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
