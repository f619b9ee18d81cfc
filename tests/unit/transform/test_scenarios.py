"""Projected balances under other assumptions, on the golden data set, worked by hand (D = 16/03/2026, 15980.00)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import partial

from lastro.grid.cells import Kind
from lastro.grid.sections import Style
from lastro.grid.tables import Sum
from lastro.reports.r02_daily_flow import SPEC as R02
from lastro.reports.r03_weekly_flow import SPEC as R03
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.settings import Atraso, Avulso, Cenario, Queda
from lastro.transform.position import Position
from lastro.transform.scenarios import ATRASADO, HABITOS, PLANO, PROMESSAS, Decided, Promised
from tests.bare import plan_projections, project_scenario
from tests.unit.reports.positions import COBRANCA, make_golden, make_position
from tests.unit.reports.positions import entry as make_entry
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import view_of

APERTO = Cenario(
    "Aperto",
    calote_pct=Decimal(40),
    recuperacao_dias=30,
    atrasos=(Atraso(502, 10),),
    quedas=(Queda(10, Decimal(20)),),
    avulsos=(
        Avulso(date(2026, 4, 5), Decimal("-5000.00"), "Reforma"),
        Avulso(date(2026, 3, 1), Decimal("777.00")),  # before D: counts for nothing
    ),
)
COLUMN = "Cenário Aperto"
D = date(2026, 3, 16)
BALANCES = {
    # 1004 (-1500) on D; 1011 and 1012 left out
    ATRASADO: {
        date(2026, 3, 16): "14480.00", date(2026, 3, 31): "13580.00", date(2026, 4, 10): "17080.00",
        date(2026, 4, 29): "17080.00",
    },
    # all come (5000 x 4 + 2400 x 96 + 1000 x 2) / 8400 = 30 days late: 1012 on 13/04, 1015 on 11/05; 1011 is paid to
    # its charge: 17/03
    # 1004, overdue and undecided, leaves on no day
    HABITOS: {
        date(2026, 3, 16): "15980.00", date(2026, 3, 17): "18380.00", date(2026, 3, 31): "17480.00",
        date(2026, 4, 10): "17480.00", date(2026, 4, 13): "18480.00", date(2026, 4, 29): "18480.00",
    },
    # As where arrears are paid at once: 1004 on D; 1011 whole on 17/03; -900 on 31/03; -5000 on 05/04; 1012: 600 on
    # 15/04; 1015: 3500 - 20% on 20/04.
    COLUMN: {
        date(2026, 3, 16): "14480.00", date(2026, 3, 17): "16880.00", date(2026, 3, 31): "15980.00",
        date(2026, 4, 4): "15980.00", date(2026, 4, 5): "10980.00", date(2026, 4, 10): "10980.00",
        date(2026, 4, 15): "11580.00", date(2026, 4, 19): "11580.00", date(2026, 4, 20): "14380.00",
    },
}  # fmt: skip


entry = partial(make_entry, pessoa_id=501)


def of_scenario(position: Position, cenario: Cenario) -> dict[date, int]:
    frame = project_scenario(position, cenario).diferencas
    return dict(zip(frame["data"].dt.date, frame["valor_centavos"], strict=True))


def test_the_golden_balances() -> None:
    position = make_golden()
    report = R02.build(view_of(position, known={"projections": plan_projections(position, cenarios=[APERTO])}))
    assert_well_formed(report)
    days = {row["Data"]: row for row in records(table(report, "fluxo_diario"))}
    for column, balances in BALANCES.items():
        for day, balance in balances.items():
            assert days[day][column] == Decimal(balance), (column, day)
    assert days[date(2026, 3, 15)][ATRASADO] is None


def with_promises(position: Position, *promised: Promised) -> dict[date, Decimal]:
    projections = plan_projections(position, promised=promised)
    report = R02.build(view_of(position, known={"projections": projections}))
    assert_well_formed(report)
    return {row["Data"]: row[PROMESSAS] for row in records(table(report, "fluxo_diario")) if row["Data"] >= D}


def test_promises_bring_open_titles_on_the_day_promised() -> None:
    balances = with_promises(
        make_golden(),
        Promised(501, None, date(2026, 3, 19), 60000),  # of 1012, which is 1000.00 and overdue
        Promised(None, 1015, date(2026, 3, 25), None),  # 3500.00, due on 10/04
        Promised(502, None, date(2026, 4, 14), 500000),  # 1011 is paid to its charge, 1015 has a promise of its own
    )
    assert [balances[date(2026, *day)] for day in ((3, 18), (3, 19), (3, 24), (3, 25), (3, 31), (4, 10), (4, 29))] == [
        *map(Decimal, ("15980.00", "16580.00", "16580.00", "20080.00", "19180.00", "19180.00", "19180.00"))
    ]


def test_without_an_amount_a_promise_brings_what_is_overdue() -> None:
    """A Saturday: the bank has it on Monday."""
    balances = with_promises(make_golden(), Promised(501, None, date(2026, 3, 21), None))
    assert balances[date(2026, 3, 22)] == Decimal("15980.00")
    assert balances[date(2026, 3, 23)] == Decimal("16980.00")


def test_the_oldest_titles_are_promised_first_and_no_more_than_is_open() -> None:
    base = {"conta_id": 101, "categoria_id": 11, "pessoa_id": 501}
    entries = [
        {"id": 1, "valor": "100.00", "data_vencimento": "2026-03-20", **base},
        {"id": 2, "valor": "40.00", "data_vencimento": "2026-03-02", **base},
        {"id": 3, "valor": "900.00", "data_vencimento": "2026-04-20", **base},  # after the day promised
    ]
    position = make_position(entries)
    balances = with_promises(position, Promised(501, None, date(2026, 3, 24), 9000))
    # In the base 100.00 come on 20/03 and the 40.00 overdue never: of these 50.00 and 40.00 come on 24/03.
    assert [balances[date(2026, 3, day)] for day in (16, 20, 23, 24)] == [
        *map(Decimal, ("0.00", "50.00", "50.00", "140.00"))
    ]
    more = with_promises(position, Promised(501, None, date(2026, 3, 24), 99999999))
    assert more[date(2026, 3, 24)] == Decimal("140.00")


def test_without_promises_there_is_no_column_for_them() -> None:
    assert PROMESSAS not in [one.nome for one in plan_projections(make_golden())]


def test_totals_show_the_last_closing() -> None:
    position = make_golden()
    report = R02.build(view_of(position, known={"projections": plan_projections(position, cenarios=[APERTO])}))
    rows = section(report, "fluxo_diario").rows
    totals = [row.cells[-4:-1] for row in rows if row.style in (Style.SUBTOTAL, Style.TOTAL)]
    march, april, whole = (tuple(map(Decimal, values)) for values in (
        ("17480.00", "13580.00", "15980.00"), ("18480.00", "17080.00", "14380.00"),
        ("18480.00", "17080.00", "14380.00"),
    ))  # fmt: skip
    assert totals == [march, april, whole]
    notes = " ".join(section(report, "fluxo_diario").notes)
    assert "Saldo final: no vencimento" in notes
    assert "anterior à data-base e por isso fora" in notes


def test_the_long_tables_hold_the_same_figures() -> None:
    position = make_golden()
    projections = plan_projections(position, cenarios=[APERTO])
    days = table(R02.build(view_of(position, known={"projections": projections})), "fluxo_diario_cenarios")
    assert len(days.rows) == 45 * 3
    row = record(days, dia=date(2026, 4, 5), cenario=COLUMN)
    assert (row["Saldo contratual"], row["Diferença"], row["Saldo final"]) == (
        Decimal("15080.00"), Decimal("-4100.00"), Decimal("10980.00"),  # 2400 - 1500 - 5000
    )  # fmt: skip
    report = R03.build(view_of(position, known={"projections": projections}))
    assert_well_formed(report)
    weeks = {
        (row["Início"], row["Cenário"]): row["Saldo final"] for row in records(table(report, "fluxo_semanal_cenarios"))
    }
    assert weeks[date(2026, 3, 16), HABITOS] == Decimal("18380.00")
    assert weeks[date(2026, 4, 13), COLUMN] == Decimal("11580.00")
    assert len(weeks) == 13 * 3
    by_week = {row["Início"]: row for row in records(table(report, "fluxo_semanal"))}
    assert by_week[date(2026, 4, 13)][COLUMN] == Decimal("11580.00")
    assert by_week[date(2026, 3, 9)][COLUMN] is None


def test_the_column_of_every_projection_says_what_its_balances_are() -> None:
    position = make_golden()
    promised, decided = Promised(None, 1010, date(2026, 3, 20), None), Decided(1011, date(2026, 3, 20))
    projections = plan_projections(position, cenarios=[APERTO], promised=[promised], decided=[decided])
    names = [PLANO, HABITOS, ATRASADO, PROMESSAS, COLUMN]
    keys = ["com_o_combinado", "se_os_habitos_persistirem", "conservador", "com_promessas", "cenario_aperto"]
    for spec, name in ((R02, "fluxo_diario"), (R03, "fluxo_semanal")):
        columns = table(spec.build(view_of(position, known={"projections": projections})), name).columns[-len(names) :]
        assert [column.header for column in columns] == names
        assert [column.key for column in columns] == keys
        assert {(column.kind, column.alert, column.sums) for column in columns} == {(Kind.MONEY, "saldo", Sum.CLOSING)}
        assert all(column.about.startswith("saldo: não se soma") for column in columns)


def test_promises_alone_are_a_column_of_sql() -> None:
    """They are in the plan; on the sheet stand the lines of projection."""
    position, promised = make_golden(), Promised(None, 1015, date(2026, 3, 20), None)
    known = {"projections": plan_projections(position, promised=[promised])}
    flow = section(R02.build(view_of(position, known=known)), "fluxo_diario")
    assert [column.header for column in flow.printed][-3:] == [PLANO, HABITOS, ATRASADO]
    assert flow.notes[0] == "No vencimento: além disso 1.500 atrasados a pagar sem decisão e 3.400 atrasados a receber."
    assert [note.partition(":")[0] for note in flow.notes[2:5]] == [PLANO, HABITOS, ATRASADO]


def test_months_show_their_closing_by_scenario_below_the_statement() -> None:
    position = make_golden()
    plain = R04.build(view_of(position))
    report = R04.build(view_of(position, known={"projections": plan_projections(position, cenarios=[APERTO])}))
    assert_well_formed(report)
    printed, without = (section(one, "fluxo_mensal").rows for one in (report, plain))
    assert tuple(printed[: len(without)]) == tuple(without)
    assert report.tables[:-1] == plain.tables
    months = {
        (row["Mês"], row["Momento"], row["Cenário"]): row for row in records(table(report, "fluxo_mensal_cenarios"))
    }
    assert len(months) == 7 * 3  # what is left of March and six months
    march = months[date(2026, 3, 1), "a_realizar", COLUMN]
    assert (march["Saldo contratual"], march["Saldo final"]) == (Decimal("15080.00"), Decimal("15980.00"))
    april = {name: months[date(2026, 4, 1), "previsto", name]["Saldo final"] for name in BALANCES}
    assert april == {
        ATRASADO: Decimal("17080.00"), HABITOS: Decimal("18480.00"), COLUMN: Decimal("14380.00"),
    }  # fmt: skip
    rows = {row.cells[0]: row.cells for row in printed[len(without) :]}
    assert list(rows) == [f"Saldo: {name}" for name in (HABITOS, ATRASADO, COLUMN)]
    own = rows[f"Saldo: {ATRASADO}"]
    assert set(own[1:14]) == set(own[-5:]) == {None}  # twelve closed months and what March realised; no totals
    assert own[14:17] == (Decimal("13580.00"), Decimal("13580.00"), Decimal("17080.00"))


def test_a_drop_rounds_every_linha_half_up_and_the_nearest_category_wins() -> None:
    position = make_position([entry(1, "0.05", "2026-03-20"), entry(2, "0.05", "2026-03-20", categoria_id=12)])
    half = Cenario("Meio", quedas=(Queda(10, Decimal(100)), Queda(11, Decimal(50))))
    assert of_scenario(position, half) == {date(2026, 3, 20): -3 - 5}  # 0.05 x 50% = 0.025 -> 0.03; 0.05 x 100%
    assert of_scenario(position, Cenario("Outra", quedas=(Queda(21, Decimal(50)),))) == {}


def test_a_delay_moves_only_receivables_that_are_not_overdue() -> None:
    rows = [
        entry(1, "10.00", "2026-03-20"),
        entry(2, "20.00", "2026-03-10"),
        entry(3, "-30.00", "2026-03-20"),
        entry(4, "40.00", "2026-03-20", data_pagamento="2026-03-25"),  # post-dated: its day is known
    ]
    cenario = Cenario("Atrasa", atrasos=(Atraso(501, 8),))  # a Saturday: the bank has it on Monday
    assert of_scenario(make_position(rows), cenario) == {date(2026, 3, 20): -1000, date(2026, 3, 30): 1000}


def test_a_default_share_leaves_what_the_customer_paid_to_its_charge() -> None:
    charge = {**COBRANCA, "id": 9, "valor": "20.00", "valor_pago": "20.00", "status_descricao": "Cliente pagou",
              "lancamento_ids": "2", "data_vencimento": "2026-03-10"}  # fmt: skip
    rows = [entry(1, "0.33", "2026-03-10"), entry(2, "20.00", "2026-03-10")]
    cenario = Cenario("Calote", calote_pct=Decimal(50), recuperacao_dias=0)
    # 0.33 x 50% = 0.165 -> 0.17 lost, 0.16 comes; the paid charge comes whole on D
    assert of_scenario(make_position(rows, cobrancas=[charge]), cenario) == {date(2026, 3, 16): 2016}
    assert of_scenario(make_position(rows), Cenario("Tudo", calote_pct=Decimal(100))) == {}


def test_a_scenario_that_touches_the_overdue_is_laid_over_that_which_pays_it_and_says_so() -> None:
    """Of 100.00 overdue 60.00 come 26 days later; the 30.00 owed leave on D, so that no default is a rescue."""
    position = make_position([entry(1, "100.00", "2026-03-02"), entry(2, "-30.00", "2026-03-02", categoria_id=21)])
    found = project_scenario(position, Cenario("Calote", calote_pct=Decimal(40), recuperacao_dias=26))
    assert dict(zip(found.diferencas["data"].dt.date, found.diferencas["valor_centavos"], strict=True)) == {
        D: -3000, date(2026, 4, 13): 6000,  # Monday after 11/04
    }  # fmt: skip
    assert found.notas[0].endswith("; o resto pagando já o vencido, como em «Pagando já o atrasado».")
    other = project_scenario(position, Cenario("Atraso", atrasos=(Atraso(501, 7),)))
    assert other.diferencas.empty
    assert other.notas[0].endswith("; o resto no vencimento.")


def test_a_receivable_that_was_probably_settled_comes_in_no_projection() -> None:
    """(100 x 43 + 3 x 60) / 103 = 43 days late, so that of 01/02 would come on D; but a later one is settled (Q33)."""
    late = [entry(n, "1.00", f"2025-12-0{n}", data_pagamento=f"2026-01-3{n - 1}") for n in (1, 2)]
    series = [
        entry(3, "1.00", "2025-12-12", data_pagamento="2026-02-10", grupo_id=7),
        entry(4, "100.00", "2026-02-01", grupo_id=7),
    ]
    settled = entry(5, "1.00", "2026-02-02", data_pagamento="2026-02-02", grupo_id=7)
    for rows, told in (([*late, *series], {D: 10000}), ([*late, *series, settled], {})):
        calote = Cenario("Calote", calote_pct=Decimal(40))
        by_habit, _, scenario = plan_projections(make_position(rows), cenarios=[calote])
        found = by_habit.diferencas
        assert dict(zip(found["data"].dt.date, found["valor_centavos"], strict=True)) == told
        assert scenario.diferencas.empty is not bool(told)


def test_transfers_stay() -> None:
    legs = [
        entry(1, "-10.00", "2026-03-20", categoria_id=11, lancamento_transferencia_id=2),
        entry(2, "10.00", "2026-03-20", categoria_id=11, lancamento_transferencia_id=1, conta_id=102),
    ]
    cenario = Cenario("X", atrasos=(Atraso(501, 7),), quedas=(Queda(11, Decimal(50)),))
    assert of_scenario(make_position(legs), cenario) == {}
