"""R03 Fluxo de caixa semanal: the coming quarter by ISO week, for SQL; the sheet of the weeks is that of R23."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.analysis.periods import plan_weeks
from lastro.grid.prints import Columns, Print
from lastro.grid.workbook import Family
from lastro.reports.shared.flow_parts import (
    describe_projections,
    list_flow_columns,
    list_flow_memo,
    list_projected,
)
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View


def list_weeks(view: View) -> Columns:
    """List 4 past ISO weeks, D's, which holds realised and predicted amounts, and the following ones.

    A week across two months is one row: weeks tie to days, not months.
    """
    weeks, today = plan_weeks(view.position), view.position.data_base
    flows, ends = [view.series.flow(week) for week in weeks], [week.last for week in weeks]
    iso = [week.first.isocalendar() for week in weeks]
    return {
        "ano_iso": [year for year, *_ in iso],
        "semana_iso": [number for _, number, _ in iso],
        "inicio": [week.first for week in weeks],
        "fim": ends,
        "semana": [week.label for week in weeks],
        "tipo": [
            "Realizado" if week.last < today else "Projetado" if week.first > today else "Semana atual"
            for week in weeks
        ],
        **list_flow_columns(view, flows, ends, "liquido_da_semana"),
    }


def list_week_scenarios(view: View) -> Columns:
    """List the weeks that end on D or later in every projection."""
    weeks = [week for week in plan_weeks(view.position) if week.last >= view.position.data_base]
    each = [week for week in weeks for _ in view.projections]
    return {
        "inicio": [week.first for week in each],
        "fim": [week.last for week in each],
        **list_projected(view, [week.last for week in weeks]),
    }


WEEKS: Final = Print(
    "fluxo_semanal",
    "R03: uma semana ISO do fluxo de caixa, 4 passadas e as do horizonte (V03)",
    list_weeks,
    keys=("inicio",),
    about={"tipo": "Realizado, Semana atual ou Projetado"},
    named=describe_projections,
)
MEMO: Final[Print[View]] = Print(
    "fluxo_semanal_memo",
    "R03: linhas de memória do fluxo semanal, fora dos saldos",
    lambda view: list_flow_memo(view, plan_weeks(view.position)[-1].last),
    keys=("codigo",),
)
SCENARIOS: Final = Print(
    "fluxo_semanal_cenarios",
    "R03: saldo final de cada semana a partir da data-base em cada cenário, ao lado do contratual",
    list_week_scenarios,
)
SPEC: Final = ReportSpec(
    code="R03",
    name="fluxo_semanal",
    title="Fluxo de caixa semanal",
    question="Como fica o caixa nas próximas semanas?",
    family=Family.CASH,
    tables=(WEEKS, MEMO, SCENARIOS),
    sections=(),
)
