"""The golden forecast of section 5 with extension E, made once for all tests of it."""

from __future__ import annotations

from datetime import date
from functools import cache

from lastro.analysis.expectation import CashForecast, Realised, build_forecast, list_booked, list_realised
from lastro.analysis.forecast_record import ForecastRecord, Measured, measure, reconstitute
from lastro.transform.forgotten_titulos import list_forgotten
from lastro.transform.habits import find_habits
from lastro.transform.scenarios import plan_by_habits
from tests.unit.reports.positions import make_golden

DATA_BASE = date(2026, 3, 16)


@cache
def make_forecast(extensao: bool = True) -> CashForecast:
    position = make_golden(extensao=True) if extensao else make_golden()
    booked = list_booked(position, plan_by_habits(position, find_habits(position), list_forgotten(position.titulos)))
    realised = Realised(list_realised(position)).until(position.data_base)
    return build_forecast(position.data_base, position.calendario, booked, realised)


@cache
def list_forecasts() -> tuple[Measured, ...]:
    return reconstitute(make_golden(extensao=True))


@cache
def list_records() -> tuple[ForecastRecord, ...]:
    return measure(list_forecasts(), DATA_BASE)
