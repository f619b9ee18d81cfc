"""Cash expected beyond the booked entries: the run rate of each category less its booked part (S24).

Belongs here: the rate of a category, what is left of it in a month, and on which days that is laid. Does not belong
here: how wrong such a forecast was (`lastro.analysis.forecast_record`) and how it is printed (R23). All amounts are
signed int64 centavos; nothing here is random and nothing is set.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from lastro.analysis.budget import find_uncontracted
from lastro.analysis.frames import records_of
from lastro.calendar import (
    ONE_DAY,
    BusinessCalendar,
    add_months,
    iter_days,
    iter_months,
    month_end,
    month_start,
    week_start,
)
from lastro.money import divide_half_up
from lastro.transform.lookup import look_up
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS, Position

WEEKS: Final = 13
"""Horizons of the forecast: D's ISO week is the first (R23)."""
MIN_MONTHS: Final = 6
"""Fewer closed months with movement are no rate: what is booked is all that is said (S24)."""
WINDOW_MONTHS: Final = 12
SEASON_MONTHS: Final = 18
CORRENTE, ANUAL = "corrente", "anual"
OPERATING: Final = (ENTRADAS, SAIDAS)


class FlowKey(NamedTuple):
    """What a rate belongs to: a category (None = without one) within one class, for few categories have both."""

    classe: str
    categoria_id: int | None


@dataclass(frozen=True)
class Expectation:
    """What one category brings or takes in one month (S24).

    Attributes:
        key: the category.
        mes: first of the month.
        regra: `CORRENTE` or `ANUAL`; None for what is booked without any movement in the window.
        ritmo: its rate m.
        realizado: paid in the month up to D.
        lancado: booked in the month.
        esperado: N, what is not booked yet.
    """

    key: FlowKey
    mes: date
    regra: str | None
    ritmo: int
    realizado: int
    lancado: int
    esperado: int


@dataclass(frozen=True)
class CashForecast:
    """The coming 13 weeks: booked amounts, and those expected beyond them.

    Attributes:
        data_base: D.
        meses_fechados: closed months with movement that the rates rest on; below `MIN_MONTHS` nothing is expected.
        categorias: grain category x month from D's month to that of the last Sunday.
        lancado: grain day, class: data, classe, valor_centavos; by habits (R02) with decisions in force, all classes.
        esperado: grain day, class: data, classe, valor_centavos; operating classes only.
    """

    data_base: date
    meses_fechados: int
    categorias: tuple[Expectation, ...]
    lancado: pd.DataFrame
    esperado: pd.DataFrame

    @property
    def known(self) -> bool:
        """Whether there is history enough to expect anything (S24)."""
        return self.meses_fechados >= MIN_MONTHS

    @cached_property
    def operating(self) -> RunningSums:
        """What entradas and saídas are forecast to move, booked and expected."""
        parts = [frame[frame["classe"].isin(OPERATING)] for frame in (self.lancado, self.esperado)]
        return RunningSums(pd.concat(parts, ignore_index=True))


class RunningSums:
    """What moved by day, ready to be added up over any period.

    Args:
        moved: data, valor_centavos.
    """

    def __init__(self, moved: pd.DataFrame) -> None:
        sums = moved.groupby("data", sort=True)["valor_centavos"].sum()
        self._days = sums.index.to_numpy().astype("datetime64[D]")
        self._sums = np.concatenate([[0], sums.to_numpy(dtype="int64").cumsum()])

    @property
    def first(self) -> date:
        """The first day on which anything moved."""
        day: date = self._days[0].astype(object)
        return day

    def between(self, first: date, last: date) -> int:
        """Add what moved from one day to another, both included."""
        places = np.searchsorted(self._days, np.array([first - ONE_DAY, last], dtype="datetime64[D]"), side="right")
        return int(self._sums[places[1]] - self._sums[places[0]])


def sum_expected(forecast: CashForecast) -> dict[date, int]:
    """Add up the expected amounts by month; empty where no expectation is possible."""
    months: dict[date, int] = {}
    for expectation in forecast.categorias if forecast.known else ():
        months[expectation.mes] = months.get(expectation.mes, 0) + expectation.esperado
    return months


def list_week_ends(data_base: date) -> tuple[date, ...]:
    """List the Sundays of the 13 weeks; D's own week may have one day left.

    >>> list_week_ends(date(2026, 3, 16))[0], list_week_ends(date(2026, 3, 16))[-1]
    (datetime.date(2026, 3, 22), datetime.date(2026, 6, 14))
    """
    monday = week_start(data_base)
    return tuple(monday + timedelta(days=7 * week + 6) for week in range(WEEKS))


def build_forecast(
    day: date, calendario: BusinessCalendar, lancado: pd.DataFrame, realised: Mapping[tuple[FlowKey, date], int]
) -> CashForecast:
    """Lay what is expected beside what is booked (S24).

    Args:
        day: D.
        calendario: the business calendar of the company.
        lancado: grain linha, open as of D: result of `list_booked`; not mutated.
        realised: `Realised` up to D.

    Returns:
        The forecast; without history enough its `esperado` is empty.
    """
    months = list(iter_months(month_start(day), list_week_ends(day)[-1]))
    closed = _list_closed(realised, day)
    booked = _sum_by_month(lancado[lancado["classe"].isin(OPERATING)])
    rates = Rates(realised, closed, day) if len(closed) >= MIN_MONTHS else None
    lines = sorted(
        {key for key, _ in booked} | {key for key, month in realised if month >= month_start(day)}
        | (set(rates.rules) if rates else set()),
        key=lambda key: (key.classe, key.categoria_id is None, key.categoria_id or 0),
    )  # fmt: skip
    share = _share_of_month(day, calendario)
    expectations = []
    for key in lines:
        for month in months:
            rate = rates.rate(key, month) if rates else 0
            paid = realised.get((key, month), 0) if month == months[0] else 0
            ahead = booked.get((key, month), 0)
            rest = find_uncontracted(rate, paid + ahead)
            if month == months[0]:
                cap = divide_half_up(abs(rate) * share.numerator, share.denominator)
                rest = max(-cap, min(cap, rest))
            expectations.append(
                Expectation(key, month, rates.rules.get(key) if rates else None, rate, paid, ahead, rest)
            )
    return CashForecast(
        data_base=day,
        meses_fechados=len(closed),
        categorias=tuple(expectations),
        lancado=_add_up_days(lancado),
        esperado=_lay_out(expectations, day, calendario),
    )


def list_booked(position: Position, moves: pd.DataFrame) -> pd.DataFrame:
    """List the open linhas on the day on which they move if habits persist (S24), as `build_forecast` takes them.

    Args:
        position: the position; not mutated.
        moves: result of `lastro.transform.scenarios.plan_by_habits`.

    Returns:
        Grain linha: data, classe, categoria_id (Int64), valor_centavos; what moves on no day is left out. An account
        whose control begins later brings its opening balance on that day, outside the operation (S7).
    """
    columns = ["data", "classe", "categoria_id", "valor_centavos"]
    days = moves.dropna(subset=["dia"]).set_index("titulo_id")["dia"]
    linhas = position.linhas[~position.linhas["pago"] & position.linhas["titulo_id"].isin(days.index)]
    booked = linhas.assign(data=look_up(linhas["titulo_id"], days).astype("datetime64[us]"))[columns]
    later = position.contas[position.contas["data_saldo_inicial"] > pd.Timestamp(position.data_base)]
    openings = pd.DataFrame(
        {
            "data": later["data_saldo_inicial"],
            "classe": NAO_OPERACIONAL,
            "categoria_id": pd.array([None] * len(later), dtype="Int64"),
            "valor_centavos": later["valor_saldo_inicial_centavos"],
        }
    )
    return pd.concat([booked, openings], ignore_index=True) if len(openings) else booked


class Rates:
    """How much each category moves in a month, by what it moved in the closed ones (S24).

    Args:
        realised: operating cash by category and month, paid.
        closed: the closed months with history, ascending, all of them.
        data_base: D.
    """

    def __init__(self, realised: Mapping[tuple[FlowKey, date], int], closed: Sequence[date], data_base: date) -> None:
        self._realised = realised
        self._closed = closed
        self._month = month_start(data_base)
        window = set(closed[-WINDOW_MONTHS:])
        moved = Counter(key for (key, month), amount in realised.items() if amount and month in window)
        often = -(-len(window) // 3)
        self.rules = {key: CORRENTE if count >= often else ANUAL for key, count in moved.items()}
        self._medians = {
            key: find_median([realised.get((key, month), 0) for month in closed[-MIN_MONTHS:]])
            for key, rule in self.rules.items()
            if rule == CORRENTE
        }
        self._seasons: dict[tuple[str, date], Fraction] = {}

    def rate(self, key: FlowKey, month: date) -> int:
        """Return the amount of a category in a month that is not closed."""
        rule = self.rules.get(key)
        if rule is None:
            return 0
        if rule == ANUAL:
            return self._realised.get((key, add_months(month, -12)), 0)
        exact = self._medians[key] * self._season(key.classe, month)
        return divide_half_up(exact.numerator, exact.denominator)

    def _season(self, classe: str, month: date) -> Fraction:
        """Return what the month was a year before against the half year before that, for the class as a whole."""
        if len(self._closed) < SEASON_MONTHS:
            return Fraction(1)
        if (classe, month) not in self._seasons:
            year_before = add_months(self._month, -12)
            base = find_median(
                [self._total(classe, add_months(year_before, -step)) for step in range(MIN_MONTHS, 0, -1)]
            )
            usual = base > 0 if classe == ENTRADAS else base < 0
            factor = self._total(classe, add_months(month, -12)) / base if usual else Fraction(1)
            self._seasons[classe, month] = min(Fraction(2), max(Fraction(1, 2), factor))
        return self._seasons[classe, month]

    def _total(self, classe: str, month: date) -> int:
        return sum(self._realised.get((key, month), 0) for key in self._medians if key.classe == classe)


def find_median(amounts: Iterable[int]) -> Fraction:
    """Return the middle amount, or the mean of the two middle ones, exactly.

    >>> find_median([100, 120, 0, 130, 110, 90])
    Fraction(105, 1)
    """
    ordered = sorted(amounts)
    half, odd = divmod(len(ordered), 2)
    return Fraction(ordered[half]) if odd else Fraction(ordered[half - 1] + ordered[half], 2)


def spread(amount: int, days: int) -> list[int]:
    """Lay an amount on so many days in equal steps, each sum rounded once (S24).

    >>> spread(-100, 3)
    [-33, -34, -33]
    """
    sums = [divide_half_up(amount * place, days) for place in range(days + 1)]
    return [after - before for before, after in pairwise(sums)]


def list_realised(position: Position) -> pd.DataFrame:
    """List what entradas and saídas moved, by payment: grain linha: data, classe, categoria_id, valor_centavos."""
    linhas = position.linhas
    paid = linhas.loc[
        linhas["caixa"] & linhas["classe"].isin(OPERATING),
        ["data_pagamento", "classe", "categoria_id", "valor_centavos"],
    ]
    return paid.rename(columns={"data_pagamento": "data"})


class Realised:
    """What was paid by category and month, as the rates look at it on any day (S24).

    Args:
        paid: result of `list_realised`; not mutated.
    """

    def __init__(self, paid: pd.DataFrame) -> None:
        keys = ["data", "classe", "categoria_id"]
        sums = paid.groupby(keys, dropna=False, as_index=False)[["valor_centavos"]].sum()
        rows = records_of(sums, *keys, "valor_centavos")
        self._paid = [(day.date(), FlowKey(classe, category), centavos) for day, classe, category, centavos in rows]
        self._months = _add_months(self._paid)

    def until(self, day: date) -> dict[tuple[FlowKey, date], int]:
        """Add up what was paid up to a day: whole months, and the part of its own."""
        begin = month_start(day)
        first, last = (bisect_left(self._paid, each, key=itemgetter(0)) for each in (begin, day + ONE_DAY))
        whole = {key: amount for key, amount in self._months.items() if key[1] < begin}
        return whole | _add_months(self._paid[first:last])


def _add_months(paid: Iterable[tuple[date, FlowKey, int]]) -> Counter[tuple[FlowKey, date]]:
    """Add up by category and month; what comes to nothing stays."""
    sums: Counter[tuple[FlowKey, date]] = Counter()
    for day, key, centavos in paid:
        sums[key, month_start(day)] += centavos
    return sums


def _sum_by_month(frame: pd.DataFrame) -> dict[tuple[FlowKey, date], int]:
    months = frame["data"].to_numpy().astype("datetime64[M]").astype("datetime64[us]")
    keys = ["classe", "categoria_id", "mes"]
    sums = frame.assign(mes=months).groupby(keys, dropna=False, as_index=False)[["valor_centavos"]].sum()
    rows = records_of(sums, *keys, "valor_centavos")
    return {(FlowKey(classe, category), mes.date()): centavos for classe, category, mes, centavos in rows}


def _list_closed(realised: Mapping[tuple[FlowKey, date], int], data_base: date) -> list[date]:
    """List the months before D's from that of the first payment known on."""
    months = [month for _, month in realised]
    return list(iter_months(min(months), month_start(data_base) - timedelta(days=1))) if months else []


def _share_of_month(data_base: date, calendario: BusinessCalendar) -> Fraction:
    """Return which part of the business days of D's month is still to come."""
    days = _list_business_days(month_start(data_base), date.min, calendario)
    return Fraction(sum(day > data_base for day in days), len(days))


def _list_business_days(month: date, first: date, calendario: BusinessCalendar) -> list[date]:
    """List the business days of a month from a day on."""
    return [day for day in iter_days(max(month, first), month_end(month)) if calendario.is_business_day(day)]


def _lay_out(expectations: Iterable[Expectation], data_base: date, calendario: BusinessCalendar) -> pd.DataFrame:
    """Lay every month's expectation on its business days after D, and cut what lies beyond the last week."""
    last = list_week_ends(data_base)[-1]
    months = iter_months(month_start(data_base), last)
    business = {month: _list_business_days(month, data_base + ONE_DAY, calendario) for month in months}
    sums: Counter[tuple[date, str]] = Counter()
    for expectation in expectations:
        if not expectation.esperado:
            continue
        days = business[expectation.mes]
        for day, amount in zip(days, spread(expectation.esperado, len(days)), strict=True):
            if day <= last:
                sums[day, expectation.key.classe] += amount
    rows = [(*key, amount) for key, amount in sorted(sums.items())]
    frame = pd.DataFrame(rows, columns=["data", "classe", "valor_centavos"])
    return frame.astype({"data": "datetime64[us]", "classe": "object", "valor_centavos": "int64"})


def _add_up_days(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.groupby(["data", "classe"], sort=True)[["valor_centavos"]].sum().reset_index()
