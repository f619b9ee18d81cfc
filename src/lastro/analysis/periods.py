"""The months and weeks that the cash reports stand for (R03 to R05), and which movements they hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

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


def list_places(
    movements: pd.DataFrame, periods: Sequence[Period], data_base: date
) -> Iterator[tuple[npt.NDArray[np.bool_], int, pd.Series]]:
    """Tell which movements each monthly period holds, as `sum_categories` adds them up.

    D's month stands there three times: what has moved, what is still to, and both.

    Args:
        movements: result of `build_movements`.
        periods: result of `plan_months`.
        data_base: D.
    """
    months, predicted = movements["data"].to_numpy().astype("datetime64[M]"), movements["previsto"].to_numpy()
    current = month_start(data_base)
    for place, period in enumerate(periods):
        inside = months == np.datetime64(period.first, "M")
        if month_start(period.first) == current and period.momento != "total":
            inside &= predicted == (period.momento == "a_realizar")
        yield inside, place, movements["valor_centavos"]
