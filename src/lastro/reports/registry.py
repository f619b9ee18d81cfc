"""Every report: who adds one writes its module and its line here.

Views, the catalogue, the assets and the tests derive from this list; where the sections of a report stand in the
workbook, `lastro.reports.sheets` says.
"""

from __future__ import annotations

from typing import Final

from lastro.reports import (
    parametros,
    r00_cover,
    r01_balances,
    r02_daily_flow,
    r03_weekly_flow,
    r04_monthly_flow,
    r05_account_flow,
    r06_income_statement,
    r07_bridge,
    r08_payables,
    r09_receivables,
    r10_overdue,
    r11_charges,
    r12_people,
    r13_forecast_accuracy,
    r14_changes,
    r15_data_quality,
    r16_entries,
    r17_commitments,
    r18_budget,
    r19_comparatives,
    r21_taxes,
    r23_forecast,
    r24_debts,
)
from lastro.reports.spec import ReportSpec

REPORTS: Final[tuple[ReportSpec, ...]] = (
    r00_cover.SPEC,
    r01_balances.SPEC,
    r02_daily_flow.SPEC,
    r03_weekly_flow.SPEC,
    r23_forecast.SPEC,
    r04_monthly_flow.SPEC,
    r05_account_flow.SPEC,
    r06_income_statement.SPEC,
    r07_bridge.SPEC,
    r19_comparatives.SPEC,
    r18_budget.SPEC,
    r08_payables.SPEC,
    r21_taxes.SPEC,
    r24_debts.SPEC,
    r09_receivables.SPEC,
    r10_overdue.SPEC,
    r11_charges.SPEC,
    r12_people.SPEC,
    r13_forecast_accuracy.SPEC,
    r14_changes.SPEC,
    r17_commitments.SPEC,
    r15_data_quality.SPEC,
    r16_entries.SPEC,
    parametros.SPEC,
)
