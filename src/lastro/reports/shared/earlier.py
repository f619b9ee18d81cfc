"""What earlier reports said of the KPIs, and where that can be compared with this one: one rule for every page.

The tile of the cover, *Indicadores*, `mart.resumo`, `kpis_tendencia`, PDF and HTML ask here. Realised balances are
those of the books of now as of that day, so that another opening or a statement corrected since moves no money. Every
other figure stands as it was told; it is compared unless it was made otherwise.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from lastro.money import to_decimal

if TYPE_CHECKING:
    from lastro.analysis.cash_series import CashSeries
    from lastro.reports.facts import EarlierReport
    from lastro.reports.shared.kpis import Kpi
    from lastro.reports.view import View


def find_told(report: EarlierReport, kpi: Kpi, series: CashSeries) -> Decimal | None:
    """Find the value of an earlier report beside which a KPI is printed; None where it had none."""
    if kpi.spec.de_hoje is not None and kpi.slug in report.kpis:
        day = report.data_base - timedelta(days=kpi.spec.de_hoje)
        return to_decimal(series.balance(day, realised_only=True) or 0)
    return report.kpis.get(kpi.slug)


def is_comparable(report: EarlierReport, kpi: Kpi) -> bool:
    """Tell whether its value was made as that of now: same parameters, and openings where it rests on them."""
    if kpi.spec.de_hoje is not None:
        return True
    same = report.mesmas_aberturas or not kpi.spec.sobre_saldo
    return same and not report.mudados and (kpi.slug in report.so_variacao) is kpi.so_variacao


def find_before(view: View, kpi: Kpi) -> tuple[Decimal | None, Decimal | None]:
    """Find what the last report of an earlier D said of a KPI, and the change; no change where they do not compare."""
    report = view.facts.anterior
    before = None if report is None or kpi.number is None else find_told(report, kpi, view.series)
    if report is None or before is None or kpi.number is None or not is_comparable(report, kpi):
        return before, None
    return before, kpi.number - before
