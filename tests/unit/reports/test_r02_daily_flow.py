"""R02 and R03: the golden daily and weekly flow (section 5), overdue modes, D itself, memo rows, endless series."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from lastro.grid.sections import Mark, Style
from lastro.grid.tables import Period
from lastro.grid.workbook import Report
from lastro.money import to_decimal
from lastro.reports.r02_daily_flow import SPEC as R02
from lastro.reports.r03_weekly_flow import SPEC as R03
from lastro.reports.shared.flow_parts import MEMO_ALL_SETTLED, MEMO_PAGAR, MEMO_RECEBER, MEMO_RECURRENCES
from lastro.settings import Conta, Parametros
from lastro.transform.position import Position
from tests.bare import plan_projections
from tests.golden import expected
from tests.unit.reports.positions import entry, make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, by_key, record, records, section, table
from tests.views import view_of

D = expected.D


def of_day(report: Report, day: date) -> dict[str, Any]:
    return record(table(report, "fluxo_diario"), dia=day)


def memo(report: Report) -> dict[str, Decimal]:
    return {row["Memo"]: row["Valor"] for row in records(table(report, "fluxo_diario_memo"))}


def test_golden_days_of_an_account() -> None:
    report = R02.build(view_of(make_golden()))
    rows = records(table(report, "fluxo_diario_contas"))
    assert len(rows) == 2 * 60  # both accounts, from 1 March to 29 April (D+44)
    last = {row["Conta id"]: row["Saldo final"] for row in rows if row["Data"] == D + timedelta(days=30)}
    assert last == expected.R01["saldo_d30"]
    # On 10 April customer 501's 3,500.00 come into account 101; on 31 March 900.00 leave account 102.
    of_april = record(table(report, "fluxo_diario_contas"), dia=date(2026, 4, 10), conta_id=101)
    assert (of_april["Entradas previstas"], of_april["Líquido do dia"]) == (Decimal("3500.00"), Decimal("3500.00"))
    of_march = record(table(report, "fluxo_diario_contas"), dia=date(2026, 3, 31), conta_id=102)
    assert (of_march["Saldo inicial"], of_march["Saídas previstas"], of_march["Saldo final"]) == (
        Decimal("2200.00"), Decimal("-900.00"), Decimal("1300.00"),
    )  # fmt: skip


def test_an_account_before_its_control_has_days_and_no_balance() -> None:
    start = D + timedelta(days=3)
    contas = [
        Conta(101, "Banco", Decimal("100.00"), None),
        Conta(102, "Caixa", Decimal("50.00"), start),
    ]
    position = make_position([entry(1, "10.00", D.isoformat(), None, conta_id=102)], contas=contas)
    rows = records(table(R02.build(view_of(position)), "fluxo_diario_contas"))
    finals = {row["Data"]: (row["Saldo inicial"], row["Saldo final"]) for row in rows if row["Conta id"] == 102}
    assert finals[D] == (None, None)
    assert finals[start] == (None, Decimal("60.00"))  # implanted 50.00, and the 10.00 predicted before
    assert finals[start + timedelta(days=1)] == (Decimal("60.00"), Decimal("60.00"))


def test_golden_by_business_day() -> None:
    report = R02.build(view_of(make_golden(venc_regra="dia_util")))
    assert memo(report)[MEMO_RECEBER] == expected.R02_DIA_UTIL["vencidos_a_receber"]
    for day, final in expected.R02_DIA_UTIL["saldo_final"].items():
        assert of_day(report, day)["Saldo final"] == final


def test_opening_balance_entry_changes_nothing() -> None:
    assert R02.build(view_of(make_golden(saldo_inicial=True))) == R02.build(view_of(make_golden()))


def test_what_is_overdue_is_a_memo() -> None:
    report = R02.build(view_of(make_golden()))
    assert of_day(report, D)["Líquido do dia"] == Decimal("0.00")
    assert (memo(report)[MEMO_RECEBER], memo(report)[MEMO_PAGAR]) == (Decimal("3400.00"), Decimal("-1500.00"))
    assert memo(report)[MEMO_ALL_SETTLED] == Decimal("20480.00")


def test_every_day_is_printed_with_its_kind_and_marks() -> None:
    report = R02.build(view_of(make_golden()))
    days = [row for row in section(report, "fluxo_diario").rows if row.style is Style.NORMAL]
    assert [row.cells[0] for row in days] == [date(2026, 3, 1) + timedelta(days=n) for n in range(60)]
    kinds = {row.cells[0]: (row.cells[1], row.cells[2], row.cells[3]) for row in days}
    assert kinds[date(2026, 3, 13)] == ("sex", True, "Realizado")
    assert kinds[D] == ("seg", True, "Hoje")
    assert kinds[date(2026, 4, 3)] == ("sex", False, "Projetado")  # Good Friday
    marks = {row.cells[0]: row.marks for row in days}
    assert marks[D] == {Mark.TODAY}
    assert marks[date(2026, 4, 21)] == {Mark.NON_BUSINESS_DAY}


def test_totals_show_first_opening_and_last_closing() -> None:
    shown = section(R02.build(view_of(make_golden())), "fluxo_diario")
    rows = [by_key(shown, row) for row in shown.rows if row.style in (Style.SUBTOTAL, Style.TOTAL)]
    totals = {row["dia"]: row for row in rows}
    assert list(totals) == ["Total mar/26", "Total abr/26", "Total"]
    march = {
        "saldo_inicial": "10700.00", "entradas_realizadas": "0.00", "saidas_realizadas": "-720.00",
        "entradas_previstas": "0.00", "saidas_previstas": "-900.00", "nao_operacional": "6000.00",
        "transferencias": "0.00", "liquido_do_dia": "4380.00", "saldo_final": "15080.00",
    }  # fmt: skip
    assert {key: totals["Total mar/26"][key] for key in march} == {key: Decimal(text) for key, text in march.items()}
    assert "saldos_implantados" not in totals["Total"], "no account is implanted in these days"
    assert (totals["Total"]["saldo_inicial"], totals["Total"]["saldo_final"]) == (
        Decimal("10700.00"), Decimal("18580.00"),
    )  # fmt: skip


def test_the_data_base_holds_realised_and_predicted() -> None:
    report = R02.build(
        view_of(make_position([entry(1, "10.00", "2026-03-16", "2026-03-16"), entry(2, "4.00", "2026-03-16")]))
    )
    row = of_day(report, D)
    assert (row["Entradas realizadas"], row["Entradas previstas"], row["Saldo final"]) == (
        Decimal("10.00"), Decimal("4.00"), Decimal("14.00"),
    )  # fmt: skip


def test_post_dated_payment_is_predicted_on_its_payment_date() -> None:
    report = R02.build(view_of(make_position([entry(1, "10.00", "2026-03-20", "2026-03-25")])))
    assert of_day(report, date(2026, 3, 25))["Entradas previstas"] == Decimal("10.00")
    assert memo(report)[MEMO_RECEBER] == Decimal("0.00")


def test_unpaid_transfer_of_the_past_is_projected_on_the_data_base() -> None:
    legs = [
        entry(1, "-10.00", "2026-03-01", categoria_id=None, lancamento_transferencia_id=2),
        entry(2, "10.00", "2026-03-01", categoria_id=None, lancamento_transferencia_id=1, conta_id=102),
    ]
    position = make_position(legs)
    assert of_day(R02.build(view_of(position)), D)["Transferências"] == Decimal("0.00")
    series = view_of(position).series
    assert [series.balance(D, number) for number in (0, 1)] == [-1000, 1000]


def test_projection_stands_on_the_business_day() -> None:
    entries = [entry(1, "10.00", "2026-03-21")]  # a Saturday
    report = R02.build(view_of(make_position(entries)))
    assert of_day(report, date(2026, 3, 23))["Entradas previstas"] == Decimal("10.00")


def test_alert_names_the_projection() -> None:
    position = make_golden(saldo_minimo=Decimal("15500.00"))
    projections = plan_projections(position)
    rows = {row["Data"]: row["Alerta"] for row in records(table(
        R02.build(view_of(position, known={"projections": projections})), "fluxo_diario"))}  # fmt: skip
    # 15980.00; 900.00 leave on 31/03, 3500.00 come on 10/04. By habit 2400.00 are there by then; that the rent overdue
    # is paid on D, which leaves 14480.00, is nobody's plan.
    assert rows[date(2026, 3, 16)] is None
    assert rows[date(2026, 3, 31)] == rows[date(2026, 4, 9)] == "Abaixo do mínimo: No vencimento"
    assert rows[date(2026, 4, 10)] is None
    assert rows[date(2026, 3, 1)] == "Abaixo do mínimo"  # 10700.00, what has been has no projection


def test_alerts() -> None:
    entries = [entry(1, "100.00", "2026-03-10", "2026-03-10")]
    entries += [entry(2, "-60.00", "2026-03-18", categoria_id=21), entry(3, "-60.00", "2026-03-20", categoria_id=21)]
    report = R02.build(view_of(make_position(entries, parametros=Parametros(saldo_minimo=Decimal("50.00")))))
    alerts = {row["Data"]: row["Alerta"] for row in records(table(report, "fluxo_diario"))}
    assert (alerts[D], alerts[date(2026, 3, 18)], alerts[date(2026, 3, 20)]) == (None, "Abaixo do mínimo", "Negativo")


def endless(**parametros: Any) -> Position:
    """Rent of 100 every month, last generated for 05/03, endless; and a series with an end, which plans nothing."""
    entries = [
        entry(1, "-100.00", "2026-02-05", "2026-02-05", grupo_id=7, periodicidade="M1", categoria_id=21),
        entry(2, "-100.00", "2026-03-05", "2026-03-05", grupo_id=7, periodicidade="M1", categoria_id=21),
        entry(3, "-9.00", "2026-03-05", "2026-03-05", grupo_id=8, periodicidade="M1", total_repeticoes=1),
    ]
    return make_position(entries, contas=[Conta(101, "A", Decimal("0.00"))], parametros=Parametros(**parametros))


def test_endless_series_are_a_memo() -> None:
    report = R02.build(view_of(endless()))
    assert memo(report)[MEMO_RECURRENCES] == Decimal("-100.00")  # 05/04; 05/05 is after D+44
    assert of_day(report, date(2026, 4, 5))["Saídas previstas"] == Decimal("0.00")


def test_reports_leave_the_position_as_it_was() -> None:
    position = endless()
    before = position.linhas.copy(deep=True), position.titulos.copy(deep=True)
    R02.build(view_of(position))
    R03.build(view_of(position))
    assert before[0].equals(position.linhas)
    assert before[1].equals(position.titulos)


def test_golden_weeks() -> None:
    position = make_golden()
    report = R03.build(view_of(position))
    weeks = {(row["Ano ISO"], row["Semana ISO"]): row for row in records(table(report, "fluxo_semanal"))}
    assert next(iter(weeks)) == (2026, 8)
    assert len(weeks) == 17
    series = view_of(position).series
    for (year, number), net in expected.R03.items():
        monday = date.fromisocalendar(year, number, 1)
        assert to_decimal(series.flow(Period("", monday, monday + timedelta(days=6))).liquido) == net
        if (year, number) in weeks:
            assert weeks[year, number]["Líquido da semana"] == net
    assert weeks[2026, 12]["Semana"] == "Sem 12 · 16/03 a 22/03/2026"
    assert (weeks[2026, 11]["Tipo"], weeks[2026, 12]["Tipo"], weeks[2026, 13]["Tipo"]) == (
        "Realizado", "Semana atual", "Projetado",
    )  # fmt: skip


def test_a_company_without_money_prints_zeros() -> None:
    position = make_position([entry(9, "0.00", "2026-03-10", "2026-03-10")])
    report = R02.build(view_of(position))
    assert_well_formed(report)
    assert {row["Saldo final"] for row in records(table(report, "fluxo_diario"))} == {Decimal("0.00")}
    assert_well_formed(R03.build(view_of(position)))


def test_the_first_note_says_whole_what_is_late_and_in_no_line() -> None:
    notes = section(R02.build(view_of(make_golden())), "fluxo_diario").notes
    assert notes[0].startswith("No vencimento: além disso ")
    assert all(len(note) > 9 for note in notes)
