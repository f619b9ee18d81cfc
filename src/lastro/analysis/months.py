"""Months as columns of the competence reports (R06, R07): which are shown, how they are headed."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import TYPE_CHECKING

import pandas as pd

from lastro.calendar import add_months, iter_months, month_end, month_start
from lastro.grid.words import month_label

if TYPE_CHECKING:
    from lastro.transform.position import Position


def find_shown_months(position: Position, with_amounts: Collection[date]) -> list[date]:
    """Choose the months a competence report prints.

    Args:
        position: gives D, `historico_meses` and the months of `horizonte`.
        with_amounts: first days of the months that hold anything.

    Returns:
        First days of months in order without gaps: `historico_meses` closed months, D's month, and after it as many
        months of the horizon as reach the last one with amounts.
    """
    current = month_start(position.data_base)
    earliest = add_months(current, -position.parametros.historico_meses)
    latest = add_months(current, position.parametros.horizonte["meses"])
    return list(iter_months(earliest, max([current, *(month for month in with_amounts if month <= latest)])))


def format_month_header(month: date, data_base: date) -> str:
    """Write the header of a month's total: D's runs on, of a later one only what is booked is known.

    >>> [format_month_header(date(2026, month, 1), date(2026, 3, 16)) for month in (2, 3, 4)]
    ['fev/26', 'mar/26 em curso', 'abr/26 contratado']
    """
    if month > data_base:
        return f"{month_label(month)} contratado"
    return month_label(month) + (" em curso" if month_end(month) > data_base else "")


def sum_by_month(months: pd.Series, centavos: pd.Series) -> dict[date, int]:
    """Sum centavos by month.

    Args:
        months: first days of months; NaT is left out.
        centavos: int64, same index.
    """
    sums = centavos.groupby(months).sum()
    return dict(zip(pd.DatetimeIndex(sums.index).date, (int(value) for value in sums), strict=True))
