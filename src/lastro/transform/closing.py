"""Which months are closed (R14, V32): by a date, by a rule, or because the previous report had left them behind."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from lastro.calendar import ONE_DAY, month_start

if TYPE_CHECKING:
    from lastro.transform.position import Position


def find_closing(position: Position, before: Position) -> date:
    """Find the last day that was closed when the previous report was issued: what changed there was restated.

    `data_fechamento` says it; `fechamento = "dia_util:3"` closes a month on the third business day of the next one, so
    that what is booked on the closing day itself restates nothing; with neither, the months older than that of the
    previous report count as closed.

    Args:
        position: run B; its parameters and calendar count.
        before: run A, the previous report, as of its own day.
    """
    parametros, day = position.parametros, before.data_base
    if parametros.data_fechamento is not None:
        return parametros.data_fechamento
    if parametros.fechamento is None:
        return month_start(day) - ONE_DAY
    closes = position.calendario.find_business_day(day, int(parametros.fechamento.removeprefix("dia_util:")))
    last = month_start(day) - ONE_DAY
    return last if day >= closes else month_start(last) - ONE_DAY
