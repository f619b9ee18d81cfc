"""Functions of the payments desk where nothing was typed, moved or answered, as `tests.bare`."""

from __future__ import annotations

from functools import partial

from lastro.calendar import BusinessCalendar
from lastro.desk import payables, plan

build_payables = partial(payables.build_payables, typed=(), moved=(), answers={}, undone={}, told={})
plan_payments = partial(plan.plan_payments, calendario=BusinessCalendar(), em_risco=())
