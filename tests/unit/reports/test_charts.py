"""Charts of the reports: golden figures (section 5), what is drawn of them, and none where nothing shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.analysis.forecast_accuracy import plan_forecasts
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.charts import Chart, ChartKind
from lastro.grid.workbook import Report, Stamp, Workbook
from lastro.reports.r00_cover import SPEC as R00
from lastro.reports.r02_daily_flow import SPEC as R02
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r07_bridge import SPEC as R07
from lastro.reports.r08_payables import SPEC as R08
from lastro.reports.r09_receivables import SPEC as R09
from lastro.reports.r10_overdue import SPEC as R10
from lastro.reports.r11_charges import SPEC as R11
from lastro.reports.r13_forecast_accuracy import SPEC as R13
from lastro.reports.sheets import lay_out
from lastro.reports.view import View
from lastro.settings import Conta, Parametros
from tests.golden import expected
from tests.unit.reports.compared_runs import A, B, golden_runs
from tests.unit.reports.positions import entry, make_golden, make_position
from tests.views import view_of

D = expected.D
MONTHS = {"dez/25": expected.DEZ25, "jan/26": expected.JAN26, "fev/26": expected.FEV26, "mar/26": expected.MAR26,
          "abr/26": expected.ABR26}  # fmt: skip
BUILDERS: tuple[Callable[[View], Report], ...] = (
    R00.build, R02.build, R06.build, R07.build, R08.build, R09.build, R10.build, R11.build,
)  # fmt: skip


@cache
def forecast_report() -> Report:
    """R13 of the golden runs."""
    now, before = golden_runs()
    return R13.build(view_of(now, forecasts=plan_forecasts(B, {1: A}), runs={1: before}))


def figures(chart: Chart, name: str) -> dict[Any, Any]:
    """One series by category, gaps left out."""
    values = next(one.values for one in chart.series if one.name == name)
    return {label: value for label, value in zip(chart.categories, values, strict=True) if value is not None}


def names(chart: Chart) -> list[str]:
    return [one.name for one in chart.series]


def decimals(*texts: str) -> list[Decimal]:
    return [Decimal(text) for text in texts]


def test_cover_shows_the_balance_of_each_day() -> None:
    daily = R00.build(view_of(make_golden())).charts[0]
    assert (daily.kind, names(daily)) == (ChartKind.LINE, ["Saldo realizado", "Saldo projetado", "Hoje (16/03)"])
    assert (daily.categories[0], daily.categories[-1]) == (date(2026, 2, 28), date(2026, 4, 29))  # eve, D+44
    realised, projected = figures(daily, "Saldo realizado"), figures(daily, "Saldo projetado")
    assert realised[date(2026, 2, 28)] == Decimal("10700.00")
    assert realised[date(2026, 3, 2)] == Decimal("16700.00")
    assert realised[D] == projected[D] == expected.R01["saldo_total"]
    assert (max(realised), min(projected)) == (D, D)
    for day, (_, closing) in expected.R02["projetado"].items():
        assert projected[day] == closing
    assert [(one.dashed, one.point) for one in daily.series] == [(False, False), (True, False), (False, True)]


def test_on_the_data_base_the_projection_holds_what_is_still_expected() -> None:
    entries = [entry(1, "100.00", "2026-03-10", "2026-03-10"), entry(2, "7.00", "2026-03-16")]
    daily = R00.build(view_of(make_position(entries))).charts[0]
    assert figures(daily, "Saldo realizado")[D] == Decimal("100.00")
    assert figures(daily, "Saldo projetado")[D] == Decimal("107.00")


@pytest.mark.parametrize(
    ("balance", "minimum", "drawn"),
    [("100.00", "50.00", True), ("-0.01", "0.00", True), ("100.00", "-50.00", False)],
)
def test_minimum_is_drawn_where_it_says_something(balance: str, minimum: str, drawn: bool) -> None:
    opened = Conta(101, "Banco", Decimal(balance), date(2026, 1, 1))
    position = make_position([], contas=[opened], parametros=Parametros(saldo_minimo=Decimal(minimum)))
    daily = R00.build(view_of(position)).charts[0]
    assert ("Saldo mínimo" in names(daily)) is drawn
    if drawn:
        assert set(figures(daily, "Saldo mínimo").values()) == {Decimal(minimum)}


def test_cover_shows_inflows_outflows_and_the_balance_of_each_month() -> None:
    monthly = R00.build(view_of(make_golden())).charts[1]
    assert monthly.categories[:4] == ("jan/26", "fev/26", "mar/26", "abr/26")  # nothing before January
    assert [one.line for one in monthly.series] == [False, False, True, True]
    for label, inflow, outflow in (
        ("jan/26", "0.00", "1500.00"), ("fev/26", "4800.00", "4600.00"), ("abr/26", "3500.00", "0.00"),
        ("mar/26", "0.00", "1620.00"),  # 720 realised and 900 to come
    ):  # fmt: skip
        assert figures(monthly, "Entradas")[label] == Decimal(inflow)
        assert figures(monthly, "Saídas")[label] == Decimal(outflow)
    assert figures(monthly, "Saldo") == {"jan/26": Decimal("8500.00"), "fev/26": Decimal("10700.00")}
    projected = figures(monthly, "Saldo projetado")
    assert list(projected.values())[:3] == decimals("10700.00", "15080.00", "18580.00")


def test_daily_flow() -> None:
    (chart,) = R02.build(view_of(make_golden())).charts
    net, closing = figures(chart, "Líquido do dia"), figures(chart, "Saldo final")
    for day, amount in expected.R02["liquido_realizado"].items():
        if day >= date(2026, 3, 1):
            assert net[day] == amount
    for day, printed in expected.R02["projetado"].items():
        assert (net[day], closing[day]) == printed
    assert len(chart.categories) == 31 + 29  # days only: no totals, no memo rows


def test_dre_shows_what_the_revenue_was_spent_on() -> None:
    (chart,) = R06.build(view_of(make_golden())).charts
    assert chart.categories == tuple(MONTHS)
    closed, contracted = figures(chart, "Resultado"), figures(chart, "Resultado contratado")
    assert list(closed)[-1] == "fev/26"
    assert list(contracted)[:2] == ["fev/26", "mar/26"]  # it begins where the other ends
    for label, month in MONTHS.items():
        assert figures(chart, "Receitas")[label] == expected.R06[month]["receitas"]
        assert figures(chart, "Despesas")[label] == -expected.R06[month]["despesas"]
        assert (contracted | closed)[label] == expected.R06[month]["resultado"]


def test_charts_by_month_stay_readable() -> None:
    entries = [
        entry(n, "10.00", f"{year}-03-05", f"{year}-03-05") for n, year in enumerate((2023, 2024, 2025, 2026), 1)
    ]
    position = make_position(entries, parametros=Parametros(historico_meses=36))
    for chart in (R06.build(view_of(position)).charts[0], R00.build(view_of(position)).charts[1]):
        assert chart.categories[0] == "mar/25"
    assert R06.build(view_of(position)).charts[0].categories[-1] == "mar/26"


def test_bridge_goes_from_the_result_of_the_last_month_that_is_over_to_its_cash() -> None:
    (chart,) = R07.build(view_of(make_golden())).charts
    wanted = decimals("-4800.00", "5000.00", "2000.00", "2200.00")
    assert chart.title == "Do resultado ao caixa: fev/26"
    assert chart.totals == {0, 3}
    assert figures(chart, "Valor") == dict(
        zip(
            (
                "Resultado por competência", "Clientes pagaram mais do que se faturou",
                "Transferências e saldos implantados", "Caixa: variação do saldo",
            ),
            wanted, strict=True,
        )
    )  # fmt: skip


def test_a_result_that_brought_no_cash_still_ends_at_zero() -> None:
    (chart,) = R07.build(view_of(make_position([entry(1, "100.00", "2026-02-20")]))).charts
    assert chart.categories[1:] == ("Clientes pagaram menos do que se faturou", "Caixa: variação do saldo")
    assert chart.series[0].values == tuple(decimals("100.00", "-100.00", "0.00"))


def test_open_items_by_person_and_band() -> None:
    (pay,), (receive,) = R08.build(view_of(make_golden())).charts, R09.build(view_of(make_golden())).charts
    assert pay.categories == ("Delta", "Épsilon")
    assert names(pay) == ["A vencer", "1-30"]
    assert figures(pay, "1-30")["Delta"] == Decimal("1500.00")
    assert figures(pay, "A vencer")["Épsilon"] == Decimal("900.00")
    assert receive.categories == ("Beta", "Azul")
    assert names(receive) == ["A vencer", "1-30", "91-180"]
    for faixa, total in expected.R09["faixas"].items():
        assert sum(figures(receive, faixa).values()) == total


def test_only_the_largest_people_are_drawn_and_long_names_are_cut() -> None:
    people = [
        {"id": n, "nome": f"Pessoa {n:02d} com um nome muito comprido", "cliente": True, "fornecedor": True}
        for n in range(1, 11)
    ]
    full = [
        {"nome_fantasia": "", "documento": "", "email": "", "telefone": "", "ativo": True, **person}
        for person in people
    ]
    entries = [entry(n, f"-{n}.00", "2026-03-20", pessoa_id=n) for n in range(1, 11)]
    (chart,) = R08.build(view_of(make_position(entries, clientes=full, fornecedores=full))).charts
    assert figures(chart, "A vencer") == {f"Pessoa {n:02d} com um nome m…": Decimal(n) for n in range(10, 2, -1)}


def test_safra_is_of_closed_months() -> None:
    (chart,) = R10.build(view_of(make_golden())).charts
    assert (chart.kind, chart.value_kind) == (ChartKind.LINE, Kind.PERCENT)
    assert figures(chart, "% em aberto") == {
        label: expected.R10["safra"][MONTHS[label]] for label in ("dez/25", "jan/26")
    }


def test_funnel() -> None:
    (chart,) = R11.build(view_of(make_golden())).charts
    assert figures(chart, "Valor") == dict(
        zip(
            ("1 Agendado", "2 Pendente", "3 Cliente pagou", "4 Transferindo", "5 Transferido"),
            decimals("8400.00", "8400.00", "7400.00", "5000.00", "5000.00"),
            strict=True,
        )
    )


def test_forecast_and_actual_of_the_shortest_lead() -> None:
    (chart,) = forecast_report().charts
    assert "véspera" in chart.title
    month = "mar/26 até 15/03/2026"
    assert figures(chart, "Previsto")[month] == expected.R13["previsto"]
    assert figures(chart, "Realizado")[month] == Decimal("-720.00")  # 5280 without the loan of 6000
    assert "fev/26" not in chart.categories  # no run before February


def test_a_longer_lead_stands_in_for_one_without_history() -> None:
    now, before = golden_runs()
    plan = [
        replace(forecast, execucao_id=None) if forecast.lead == 0 else forecast
        for forecast in plan_forecasts(B, {1: A})
    ]
    (chart,) = R13.build(view_of(now, forecasts=plan, runs={1: before})).charts
    assert "7 dias antes" in chart.title
    assert R13.build(view_of(now, forecasts=plan_forecasts(B, {}), runs={})).charts == ()


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_a_company_without_anything_has_no_chart(build: Callable[[View], Report]) -> None:
    assert build(view_of(make_position([], contas=[]))).charts == ()
    assert (
        build(view_of(make_position([], contas=[], parametros=Parametros(saldo_minimo=Decimal("9.00"))))).charts == ()
    )


def test_a_line_needs_two_points() -> None:
    one, two, running = (entry(n, "9.00", f"2026-0{n}-01") for n in (1, 2, 3))
    assert R10.build(view_of(make_position([two, running]))).charts == ()
    assert len(R10.build(view_of(make_position([one, two, running]))).charts) == 1


def test_the_workbook_has_the_charts(tmp_path: Path) -> None:
    stamp = Stamp("Ouro", D, datetime(2026, 3, 16, 6, 5), "BRT", 2, 2, 2)  # noqa: DTZ001
    reports = (*(build(view_of(make_golden())) for build in BUILDERS), forecast_report())
    path = render_workbook(Workbook("gerencial", stamp, lay_out(reports)), tmp_path / "w.xlsx")
    sheets: list[Any] = openpyxl.load_workbook(path).worksheets
    assert {sheet.title: len(sheet._charts) for sheet in sheets} == {
        "Resumo": 2, "Fazer": 0, "Indicadores": 0, "Fluxo diário": 1, "DRE": 1, "Ponte": 1, "Pagar": 1,
        "Pagar títulos": 0, "Inadimplência": 2, "Receber títulos": 0, "Cobranças": 0, "Pessoas": 1,
        "Previsto x realizado": 1, "Gráficos": 0,
    }  # fmt: skip
