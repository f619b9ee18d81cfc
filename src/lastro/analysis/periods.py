"""The months and weeks that the cash reports stand for (R03 to R05), and sums of movements by them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from lastro.analysis.tree import Vector
from lastro.calendar import ONE_DAY, add_months, iter_months, month_end, month_start, week_start
from lastro.grid.tables import Period
from lastro.grid.words import month_label, week_label

if TYPE_CHECKING:
    from lastro.transform.position import Position


def plan_months(position: Position) -> tuple[Period, ...]:
    """Plan the monthly columns of R04 and R05: closed months, D's month in three, future months.

    Returns:
        `historico_meses` periods "realizado", then D's month as "realizado", "a_realizar" (from D on) and "total",
        then `horizonte.meses` periods "previsto".
    """
    day = position.data_base
    current, end = month_start(day), month_end(day)
    past = [
        Period(month_label(month), month, month_end(month), "realizado")
        for month in iter_months(add_months(current, -position.parametros.historico_meses), current - ONE_DAY)
    ]
    label = month_label(current)
    here = [
        Period(f"{label} Realizado", current, end, "realizado"),
        Period(f"{label} A realizar", day, end, "a_realizar"),
        Period(f"{label} em curso", current, end, "total"),
    ]
    future = [
        Period(f"{month_label(month)} contratado", month, month_end(month), "previsto")
        for month in iter_months(
            add_months(current, 1), add_months(current, max(position.parametros.horizonte["meses"], 1))
        )
    ]
    return (*past, *here, *future)


def plan_weeks(position: Position) -> tuple[Period, ...]:
    """Plan the rows of R03: 4 past ISO weeks, D's week and the following ones, 13 with D's by default."""
    monday = week_start(position.data_base)
    weeks = []
    for offset in range(-4, position.parametros.horizonte["semanas"]):
        first = monday + timedelta(days=7 * offset)
        last = first + timedelta(days=6)
        weeks.append(Period(week_label(first, last), first, last))
    return tuple(weeks)


def sum_by_period(
    movements: pd.DataFrame, periods: Sequence[Period], keys: Sequence[str], data_base: date
) -> dict[tuple[object, ...], Vector]:
    """Add movements by some keys and monthly period.

    Args:
        movements: result of `build_movements`.
        periods: result of `plan_months`.
        keys: columns to group by; null is a group of its own (key None).
        data_base: D.

    Returns:
        Key values -> centavos per period ("total" of D's month is the sum of its two parts). Movements outside the
        shown months are left out.
    """
    months = {(period.first.year, period.first.month, period.momento): n for n, period in enumerate(periods)}
    current = month_start(data_base)
    data = movements["data"].to_numpy().astype("datetime64[M]").astype("int64")
    column = np.full(len(movements), -1, dtype="int64")
    predicted = movements["previsto"].to_numpy()
    for (year, month, momento), place in months.items():
        same = data == (year - 1970) * 12 + month - 1
        if date(year, month, 1) == current:
            if momento == "total":
                continue
            same &= predicted == (momento == "a_realizar")
        column[same] = place
    shown = column >= 0
    grouped = (
        movements.loc[shown, [*keys, "valor_centavos"]]
        .assign(coluna=column[shown])
        .groupby([*keys, "coluna"], dropna=False, sort=False)["valor_centavos"]
        .sum()
    )
    sums: dict[tuple[object, ...], Vector] = {}
    for index, value in zip(grouped.index, grouped.to_numpy(), strict=True):
        key = tuple(None if pd.isna(part) else part for part in index[:-1])
        vector = sums.setdefault(key, np.zeros(len(periods), dtype=np.int64))
        vector[index[-1]] += value
    for place, period in enumerate(periods):
        if period.momento == "total":
            for vector in sums.values():
                vector[place] = vector[place - 2] + vector[place - 1]
    return sums
