"""The coming weeks as R23 prints them: booked, expected, correction and band (S24).

Belongs here: the figures of a week and which one is the lowest. Does not belong here: where they come from
(`lastro.analysis.expectation`, `lastro.analysis.forecast_record`). All amounts are signed int64 centavos.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import pandas as pd

from lastro.analysis.expectation import CashForecast, list_week_ends
from lastro.analysis.forecast_record import ForecastRecord
from lastro.calendar import ONE_DAY, week_start
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS


class ForecastWeek(NamedTuple):
    """One week of the forecast; its amounts add to the change of `saldo`.

    Attributes:
        inicio: its Monday, in D's week too.
        fim: its Sunday.
        lancado_entra: booked, class Entradas.
        lancado_sai: booked, class Saídas.
        esperado_entra: expected beyond it.
        esperado_sai: the same, negative.
        fora: booked outside the operation, and transfers.
        correcao: what the measured errors add in this week.
        saldo: the balance at its end.
        faixa_de: lower end of the band, None with too few errors.
        faixa_ate: its upper end.
        medidas: errors of that horizon.
    """

    inicio: date
    fim: date
    lancado_entra: int
    lancado_sai: int
    esperado_entra: int
    esperado_sai: int
    fora: int
    correcao: int
    saldo: int
    faixa_de: int | None
    faixa_ate: int | None
    medidas: int


def plan_forecast_weeks(
    forecast: CashForecast, records: Sequence[ForecastRecord], start: int
) -> tuple[ForecastWeek, ...]:
    """Add up the forecast by week (S24); the corrections of the horizons are told as what each week adds.

    Args:
        forecast: the forecast as of D.
        records: result of `measure`, one per horizon; empty where nothing is measured.
        start: the balance at D.
    """
    weeks: list[ForecastWeek] = []
    first, plain, before = forecast.data_base, start, 0
    of_horizon = {record.horizonte: record for record in records}
    for horizon, end in enumerate(list_week_ends(forecast.data_base), 1):
        record = of_horizon.get(horizon)
        parts = (
            _moved(forecast.lancado, first, end, ENTRADAS),
            _moved(forecast.lancado, first, end, SAIDAS),
            _moved(forecast.esperado, first, end, ENTRADAS),
            _moved(forecast.esperado, first, end, SAIDAS),
            _moved(forecast.lancado, first, end, NAO_OPERACIONAL, TRANSFERENCIAS),
        )
        plain += sum(parts)
        correction = record.correcao if record else 0
        band = record.faixa if record else None
        weeks.append(
            ForecastWeek(
                week_start(end),
                end,
                *parts,
                correcao=correction - before,
                saldo=plain + correction,
                faixa_de=plain + band.lower if band else None,
                faixa_ate=plain + band.upper if band else None,
                medidas=record.medidas if record else 0,
            )
        )
        first, before = end + ONE_DAY, correction
    return tuple(weeks)


def find_lowest_week(weeks: Sequence[ForecastWeek]) -> ForecastWeek:
    """Return the week that ends lowest, the first of several."""
    return min(weeks, key=lambda week: (week.saldo, week.fim))


def _moved(frame: pd.DataFrame, first: date, last: date, *classes: str) -> int:
    chosen = frame["data"].between(pd.Timestamp(first), pd.Timestamp(last)) & frame["classe"].isin(classes)
    return int(frame.loc[chosen, "valor_centavos"].sum())
