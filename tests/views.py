"""What tests look at: a position with what they want to say of the run beside it, and the rows of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pandas as pd

from lastro.analysis.forecast_accuracy import Forecast
from lastro.grid.verdict import Verification
from lastro.grid.workbook import Report
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.reports.facts import Facts
from lastro.reports.view import Judged, View
from lastro.transform.position import Position
from lastro.warehouse.file.check_room import CheckRoom
from tests.compared import compare_positions

_NAMES = (
    "movements", "series", "statements", "months", "dre_map", "dre", "comparables", "budget", "ranking", "habits",
    "_realised",
)  # fmt: skip
OF_POSITION = {(vars(View)[name].make,) for name in _NAMES}
"""What a view makes of its position alone: another view of it has the same."""
VERDICT: dict[str, Any] = {"verifications": (), "findings": (), "reports": (), "itens": None}


def view_of(
    position: Position,
    *,
    before: Position | None = None,
    forecasts: Sequence[Forecast] = (),
    runs: Mapping[int, Position] | None = None,
    known: Mapping[Any, Any] | None = None,
    **given: Any,
) -> Judged:
    """Make a view, judged as far as it is said; of a position alone, the one that it has, whose values are made once.

    Args:
        position: as of D.
        before: the previous complete run (R14).
        forecasts: which run forecast which period (R13).
        runs: execucao_id -> position, for every run that `forecasts` names.
        known: derived values, by name (`projections`, `habits`) or function, that stand for what would be made.
        given: other attributes of `Judged` or `Facts`.
    """
    if before is None and not (forecasts or runs or known or given):
        plain: Judged = vars(position).setdefault("_view", View(position).judged(**VERDICT))
        return plain
    own = {name: given.pop(name) for name in tuple(given) if name in View.__dataclass_fields__}
    verdict = {name: given.pop(name, empty) for name, empty in VERDICT.items()}
    compared = None if before is None else compare_positions(position, before)
    facts = Facts(comparacao=compared, previsoes=forecasts, posicoes=runs or {}, **given)
    view = View(position, facts=facts, **own)
    views: list[View] = vars(position).setdefault("_views", [view_of(position).books])
    for other in views:
        view.made.update({key: value for key, value in other.made.items() if key in OF_POSITION})
    if known is None:
        views.append(view)
    for name, value in (known or {}).items():
        view.made[vars(View)[name].make if isinstance(name, str) else name,] = value
    return view.judged(**verdict)


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dictionaries by column, whose names are text."""
    return cast("list[dict[str, Any]]", frame.to_dict("records"))


def check_reports(rule: str, position: Position, *reports: Report) -> Verification:
    """Check a V rule over some reports of a position."""
    return run_query(read_queries()[rule], open_room(position, reports=reports))


def run_on(rule: str, room: CheckRoom, table: str) -> Verification:
    """Run of a check that holds what sees a table of `mart`, or tells of it: nothing else changes with that table.

    Without a name all of it is run.
    """
    query = read_queries()[rule]
    selects = tuple(one for one in query.selects if f"mart.{table}" in one or "AS detalhe" in one or not table)
    return run_query(replace(query, selects=selects), room)
