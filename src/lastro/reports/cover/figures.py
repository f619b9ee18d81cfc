"""The KPIs of the cover put together: those of the books, those of R22, and the count of what failed.

Does not belong here: what a KPI comes to (`lastro.reports.shared.kpis`, `resilience`) and where it is printed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.calendar import month_start
from lastro.grid.verdict import ERRO
from lastro.reports.shared.kpis import Check, Kpi, compute_kpis, count_failed, project_lines
from lastro.reports.shared.resilience import list_resilience_kpis

if TYPE_CHECKING:
    from lastro.reports.view import View


def list_counted(view: View) -> tuple[Check, ...]:
    """List checks and grave findings as the cover counts them."""
    return (
        *((check.id, check.severidade, not check.failed) for check in view.verifications),
        *((finding.regra, ERRO, False) for finding in view.grave),
    )


def list_kpis(view: View) -> tuple[Kpi, ...]:
    """List the KPIs of the cover, in printed order."""
    return (*view.kept(list_book_kpis), count_failed(list_counted(view)))


def list_book_kpis(view: View) -> tuple[Kpi, ...]:
    """List the KPIs that follow from the books; a scope has none of R22."""
    own = () if view.facts.medidas is None else list_resilience(view)
    lows = view.kept(project_lines)
    return compute_kpis(view.position, view.series, view.dre_map, lows, view.arrears, view.credit, own)


def list_resilience(view: View) -> tuple[Kpi, ...]:
    """List fôlego, break-even and concentration as of D (R22)."""
    current = month_start(view.position.data_base)
    return list_resilience_kpis(view.position, view.series, view.dre_map, current, view.ranking)
