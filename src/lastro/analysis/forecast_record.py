"""How wrong the forecast of cash was: its past errors, the band and the correction that follow, and its coverage (S24).

Belongs here: errors by horizon, what is drawn from them, and the forecasts that the past would have made. Does not
belong here: the forecast of today (`lastro.analysis.expectation`). All amounts are signed int64 centavos.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from lastro.analysis.expectation import (
    MIN_MONTHS,
    OPERATING,
    CashForecast,
    Realised,
    RunningSums,
    build_forecast,
    find_median,
    list_realised,
    list_week_ends,
)
from lastro.calendar import add_months, month_start, week_start
from lastro.money import divide_half_up
from lastro.transform.habits import JANELA_HABITO_DIAS, find_observed
from lastro.transform.position import Position
from lastro.transform.scenarios import plan_days_by_habits

MODELO: Final = 3
"""Counted up when the rules of the forecast change: what an older one foretold measures nothing of this one."""
GRAVADA, RECONSTITUIDA = "gravada", "reconstituida"
MONDAYS: Final = 52
LATEST: Final = 52
"""Errors of a horizon that count."""
MIN_MEASURED: Final = 12
"""Fewer errors of a horizon say nothing of it."""
COVERED: Final = 26
"""Latest forecasts that are held against the band of their day (S24)."""
MIN_COVERED: Final = 5
PLAIN, WIDEST = 100, 400
"""Hundredths by which a band is widened: not at all, and at most."""
TITULOS_AT_ONCE: Final = 500_000
"""Títulos of past Mondays that are looked at together; all Mondays of a small company are."""
_KNOWN: Final = [
    "titulo_id", "grupo_id", "pessoa_id", "categoria_id", "forma_pagamento_id", "tipo", "transferencia",
    "fora_resultado", "valor_centavos", "data_competencia", "data_competencia_ef", "data_vencimento", "data_pagamento",
]  # fmt: skip
"""What is looked at of every título."""
_OF_A_DAY: Final = ("grupo_id", "pessoa_id", "forma_pagamento_id")
"""What is numbered anew for each day."""


class Measured(NamedTuple):
    """One forecast of one horizon (S24).

    Attributes:
        data_base: the day on which it was made.
        horizonte: weeks ahead, 1 = the base day's own week.
        fim: the Sunday that it looks to.
        previsto: operating cash from the base day to `fim`, booked and expected.
        pago_no_dia: operating cash of the base day that was known as paid then: in neither side.
        realizado: what moved from the base day to `fim`, less `pago_no_dia`; None until it is looked at after `fim`.
        origem: `GRAVADA` or `RECONSTITUIDA`.
        execucao_id: the run that stored it; 0 when none has.
        faixa: the errors between which it was printed to end; None where no band was printed.
    """

    data_base: date
    horizonte: int
    fim: date
    previsto: int
    pago_no_dia: int
    realizado: int | None = None
    origem: str = RECONSTITUIDA
    execucao_id: int = 0
    faixa: Band | None = None

    @property
    def erro(self) -> int | None:
        """Return realised less forecast."""
        return None if self.realizado is None else self.realizado - self.previsto


class Band(NamedTuple):
    """Between which errors a forecast is to end (S24)."""

    lower: int
    upper: int


@dataclass(frozen=True)
class ForecastRecord:
    """What the past says of one horizon (S24).

    Attributes:
        horizonte: weeks ahead.
        medidas: errors that count, at most `LATEST`.
        gravadas: how many of them a run had foretold.
        correcao: their median; 0 with fewer than `MIN_MEASURED`.
        alargamento: hundredths of its plain width that the band has, from `PLAIN` to `WIDEST`.
        faixa: None where fewer than `MIN_COVERED` forecasts could be held against one, or fewer than 70 % ended inside.
        dentro: of `janelas` earlier forecasts, how many ended inside the band of their day, as wide as today's.
        janelas: how many could be held against a band, at most `COVERED`.
    """

    horizonte: int
    medidas: int
    gravadas: int
    correcao: int
    alargamento: int
    faixa: Band | None
    dentro: int
    janelas: int


class Scatter(NamedTuple):
    """How past errors lie: their median, and how far below and above it the tenth of either end is cut off (S24)."""

    middle: int
    below: int
    above: int

    def widen(self, hundredths: int) -> Band:
        """Return the band of so many hundredths of the plain width; a part of a centavo makes it wider.

        >>> Scatter(10, 7, 100).widen(150)
        Band(lower=-1, upper=160)
        """
        return Band(self.middle - -(-hundredths * self.below // 100), self.middle - (-hundredths * self.above // 100))

    def need(self, error: int) -> int:
        """Return the hundredths of the plain width from which on an error lies inside; beyond `WIDEST` where none do.

        >>> Scatter(10, 7, 100).need(-1), Scatter(10, 0, 100).need(9)
        (158, 401)
        """
        beyond = error - self.middle
        reach = self.above if beyond > 0 else self.below
        return -(-100 * abs(beyond) // reach) if reach else (WIDEST + 1) * (beyond != 0)


def find_scatter(errors: Sequence[int]) -> Scatter | None:
    """Say how errors lie, a tenth cut off either end; None with fewer than `MIN_MEASURED` (S24).

    >>> find_scatter(range(1, 20)), find_scatter(range(11))
    (Scatter(middle=10, below=8, above=8), None)
    """
    if len(errors) < MIN_MEASURED:
        return None
    ordered, cut = sorted(errors), (len(errors) + 1) // 10
    median = find_median(ordered)
    middle = divide_half_up(median.numerator, median.denominator)
    return Scatter(middle, middle - ordered[cut - 1], ordered[len(ordered) - cut] - middle)


def measure(forecasts: Sequence[Measured], data_base: date) -> tuple[ForecastRecord, ...]:
    """Draw correction, band and coverage of every horizon from the forecasts whose end lies before D.

    Args:
        forecasts: one per week and horizon.
        data_base: D.
    """
    return tuple(
        _measure_horizon(horizon, [forecast for forecast in forecasts if forecast.horizonte == horizon], data_base)
        for horizon in range(1, len(list_week_ends(data_base)) + 1)
    )


def _measure_horizon(horizon: int, forecasts: Sequence[Measured], data_base: date) -> ForecastRecord:
    known = _finished(forecasts, data_base)
    errors = _errors(known)
    scatter = find_scatter(errors)
    needed = []
    for forecast in known[-COVERED:]:
        own = find_scatter(_errors(_finished(known, forecast.data_base)))
        if own is not None and forecast.erro is not None:
            needed.append(own.need(forecast.erro))
    width = _find_width(needed)
    inside = sum(need <= width for need in needed)
    told = scatter is not None and len(needed) >= MIN_COVERED and 10 * inside >= 7 * len(needed)
    return ForecastRecord(
        horizonte=horizon,
        medidas=len(errors),
        gravadas=sum(forecast.origem == GRAVADA for forecast in known[-LATEST:]),
        correcao=scatter.middle if scatter is not None else 0,
        alargamento=width,
        faixa=scatter.widen(width) if scatter is not None and told else None,
        dentro=inside,
        janelas=len(needed),
    )


def _find_width(needed: Sequence[int]) -> int:
    """Return the hundredths with which 8 of 10 forecasts ended inside the band of their day (S24)."""
    eight_of_ten = sorted(needed)[-(-8 * len(needed) // 10) - 1] if needed else PLAIN
    return min(WIDEST, max(PLAIN, eight_of_ten))


def _finished(forecasts: Sequence[Measured], day: date) -> list[Measured]:
    """List the forecasts of one horizon that were over before a day, in the order of their ends."""
    known = [forecast for forecast in forecasts if forecast.fim < day and forecast.realizado is not None]
    return sorted(known, key=lambda forecast: forecast.fim)


def _errors(finished: Sequence[Measured]) -> list[int]:
    return [forecast.erro for forecast in finished[-LATEST:] if forecast.erro is not None]


def list_mondays(data_base: date, first_payment: date) -> tuple[date, ...]:
    """List the Mondays whose forecasts are reconstituted: those with `MIN_MONTHS` closed months behind them (S24).

    >>> len(list_mondays(date(2026, 3, 16), date(2024, 9, 1))), list_mondays(date(2026, 3, 16), date(2025, 9, 30))
    (52, (datetime.date(2026, 3, 2), datetime.date(2026, 3, 9)))
    """
    monday = week_start(data_base)
    days = (monday - timedelta(days=7 * back) for back in range(MONDAYS, 0, -1))
    known = add_months(month_start(first_payment), MIN_MONTHS)
    return tuple(day for day in days if day >= known)


def reconstitute(position: Position, *, at_once: int = TITULOS_AT_ONCE) -> tuple[Measured, ...]:
    """Make the forecasts that the past Mondays would have made, from what is loaded today (S24).

    A título is known on a Monday when it was paid by then, or its competence or that of another of its group lies no
    later. Charges and due dates that later moved are not seen. A Monday with too little history to expect anything
    measures nothing.

    Args:
        position: the position as of D; not mutated.
        at_once: títulos of Mondays that are looked at together, of one Monday at least.
    """
    paid = list_realised(position)
    if paid.empty:
        return ()
    moved, realised = RunningSums(paid), Realised(paid)
    forecasts = [
        forecast
        for monday, booked in _list_booked_on(position, list_mondays(position.data_base, moved.first), at_once)
        for forecast in foretell(
            build_forecast(monday, position.calendario, booked, realised.until(monday)), moved, RECONSTITUIDA
        )
    ]
    return complete(forecasts, moved, position.data_base)


def foretell(forecast: CashForecast, moved: RunningSums, origem: str) -> list[Measured]:
    """List the thirteen sums that a forecast makes known."""
    day = forecast.data_base
    already = moved.between(day, day)
    return [
        Measured(day, horizon, end, forecast.operating.between(day, end), already, origem=origem)
        for horizon, end in enumerate(list_week_ends(day), 1)
    ]


def complete(forecasts: Iterable[Measured], moved: RunningSums, data_base: date) -> tuple[Measured, ...]:
    """Fill in the realised sums of the forecasts that end before D; those filled in earlier stay.

    What a later run filled in of one that was not over yet is not known on D.
    """
    known = []
    for forecast in forecasts:
        if forecast.fim >= data_base:
            known.append(forecast._replace(realizado=None))
        elif forecast.realizado is None:
            realised = moved.between(forecast.data_base, forecast.fim) - forecast.pago_no_dia
            known.append(forecast._replace(realizado=realised))
        else:
            known.append(forecast)
    return tuple(known)


def _list_booked_on(position: Position, mondays: Sequence[date], at_once: int) -> Iterator[tuple[date, pd.DataFrame]]:
    """List for each Monday what was booked on it, as `build_forecast` takes it, of the operating classes."""
    linhas = position.linhas.loc[
        position.linhas["classe"].isin(OPERATING), ["titulo_id", "classe", "categoria_id", "valor_centavos"]
    ]
    step = max(1, at_once // len(position.titulos))
    for first in range(0, len(mondays), step):
        part = mondays[first : first + step]
        moves = plan_days_by_habits(position, _list_known(position, part)).dropna(subset=["data"])
        booked = moves.merge(linhas, on="titulo_id")
        for monday in part:
            yield monday, booked[booked["dia"] == pd.Timestamp(monday)]


def _list_known(position: Position, days: Sequence[date]) -> pd.DataFrame:
    """List the títulos that were known on each day, as far as habits and forgotten settlements look back.

    Paid títulos are listed only where they inform the forecast of unpaid ones: receivables of payers with a habit, and
    members of groups that are open.

    Returns:
        Grain título and day `dia`; groups, persons and payment methods have numbers of their own on each day.
    """
    titulos = position.titulos[_KNOWN]
    begins = titulos.groupby("grupo_id")["data_competencia_ef"].transform("min")
    begun = begins.fillna(titulos["data_competencia_ef"]).to_numpy()
    paid, numbered = titulos["data_pagamento"].to_numpy(), {name: _number(titulos[name]) for name in _OF_A_DAY}
    group = numbered["grupo_id"]
    habitual = find_observed(titulos).to_numpy()
    chosen, moments = [], np.array(days, dtype="datetime64[us]")
    for day in moments:
        settled = paid <= day
        opened = ~settled & (begun <= day)
        recent = (paid > day - np.timedelta64(JANELA_HABITO_DIAS, "D")) & habitual
        chosen.append(np.flatnonzero(opened | (settled & (recent | _is_of_some(group, opened)))))
    rows = np.concatenate(chosen)
    which = np.repeat(np.arange(len(days)), [len(of_day) for of_day in chosen])
    apart = {}
    for name, codes in numbered.items():
        numbers = pd.Series(which * (codes.max() + 2) + codes[rows], dtype="Int64")
        # A group and a payment method may be none; without a person is a payer like others.
        apart[name] = numbers if name == "pessoa_id" else numbers.where(codes[rows] >= 0)
    return titulos.iloc[rows].reset_index(drop=True).assign(dia=moments[which], **apart)


def _number(keys: pd.Series) -> np.ndarray[Any, Any]:
    """Number keys from 0 in their order, none as -1."""
    return pd.factorize(keys, sort=True)[0]


def _is_of_some(numbers: np.ndarray[Any, Any], rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Tell of each row whether its number is one of those of some rows; -1 never is."""
    named = np.zeros(numbers.max() + 2, dtype=bool)
    named[numbers[rows]] = True
    named[-1] = False
    found: np.ndarray[Any, Any] = named[numbers]
    return found
