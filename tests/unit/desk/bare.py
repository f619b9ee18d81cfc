"""Functions of the payments desk where nothing was typed, moved or answered, as `tests.bare`."""

from __future__ import annotations

from functools import partial
from typing import Any

from lastro.calendar import BusinessCalendar
from lastro.desk import payables, plan
from lastro.transform.forgotten_titulos import find_questioned
from lastro.transform.position import Position


def build_payables(position: Position, **said: Any) -> payables.Payables:
    """The desk of a position, of which Q33 asks all that it finds."""
    nothing: dict[str, Any] = {"typed": (), "moved": (), "answers": {}, "undone": {}, "told": {}}
    return payables.build_payables(position, **nothing | {"questioned": find_questioned(position)} | said)


plan_payments = partial(plan.plan_payments, calendario=BusinessCalendar(), em_risco=())
