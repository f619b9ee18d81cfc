"""The payments desk: order, states, approval, accounts, days, its list. Golden figures; D is 16/03/2026."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lastro.calendar import BusinessCalendar
from lastro.desk.approved import write_approved
from lastro.desk.decision_notes import tell_decisions
from lastro.desk.decisions import (
    ABERTA,
    AGUARDA,
    CUMPRIDA,
    SEM_EFEITO,
    TARDIA,
    TROCADA,
    VENCIDA,
    Approval,
    Decision,
    Decisions,
    find_decisions,
    find_statements,
)
from lastro.desk.desks import CONTA, PAGAR
from lastro.desk.model import Key, Note, Shown
from lastro.desk.payables import QUESTION, Payables
from lastro.desk.plan import BLOCKS, DayLine, Payments, take_balances
from lastro.desk.seen import SeenWords
from lastro.entrada.saldos import find_paying_account
from lastro.export.cover import paint_cover
from lastro.reports.facts import DeskFacts
from lastro.reports.r00_cover import SPEC as R00
from lastro.reports.r02_daily_flow import SPEC as R02
from lastro.reports.r08_payables import SPEC as R08
from lastro.reports.shared.kpis import list_kpis
from lastro.reports.view import Judged
from lastro.settings import Empresa
from lastro.settings.model import PAGAMENTOS as ORDER
from lastro.transform.scenarios import Decided, Promised
from tests.golden import dataset
from tests.unit.desk.bare import build_payables, plan_payments
from tests.unit.desk.written import D, golden, typed
from tests.unit.reports.positions import position_of
from tests.views import view_of

NEXT = BusinessCalendar().next_business_day


GOLDEN = (
    typed(3005, 12, pagar_em="2026-03-13"),
    typed(1004, 16, pagar_em="2026-03-17"),
    typed(3003, 16, pagar_em="2026-03-20"),
    typed(3004, 16, adiar_para="2026-04-15"),
)
PROMISED = (Promised(501, None, date(2026, 3, 18), 1000_00),)


FREE = Approval()


def decide(*notes: Note, payables: Payables | None = None, approval: Approval = FREE,
           shown: Mapping[str, Mapping[Key, Shown]] | None = None) -> Decisions:  # fmt: skip
    given = payables or build_payables(golden(), typed={note.chave or 0 for note in notes})
    return find_decisions(SeenWords(notes, shown or {}), given, approval, NEXT)


def plan(notes: tuple[Note, ...] = GOLDEN, promised: tuple[Promised, ...] = PROMISED) -> tuple[Payments, Judged]:
    payables = build_payables(golden(), typed={note.chave or 0 for note in notes})
    decisions = decide(*notes, payables=payables)
    empresa = Empresa("ouro", "Ouro", "https://servico.exemplo", "TOKEN", parametros=golden().parametros)
    view = view_of(golden(), empresa=empresa, mesas=DeskFacts(
        decisoes=decisions.in_force(), promessas=promised, decisoes_vencidas=decisions.broken(),
        decididos=tell_decisions(decisions, {}),
    ))  # fmt: skip
    return plan_payments(payables, decisions, ORDER, take_balances(view)), view


@cache
def golden_plan() -> tuple[Payments, Judged]:
    return plan()


def closings(line: DayLine) -> tuple[int | None, ...]:
    return line.contratual, line.com_o_combinado, line.conservador


def test_the_golden_order() -> None:
    payments, _ = golden_plan()
    found = [
        (
            place,
            line.titulo.titulo_id,
            BLOCKS[line.bloco],
            line.titulo.grupo,
            -line.titulo.valor,
            -line.acumulado,
            line.cabe,
        )
        for place, line in enumerate(payments.linhas, 1)
    ]
    late, soon = "Vencido e hoje", "Próximos 15 dias"
    assert found == [
        (1, 3005, "Decisão vencida", "financeiro", 300_00, 300_00, "Sim"),
        (2, 3000, "Folha até 10 dias", "pessoal", 2500_00, 2800_00, "Sim"),  # it is asked whether it was paid
        (3, 3002, "Folha até 10 dias", "pessoal", 400_00, 3200_00, "Sim"),
        (4, 1004, late, "administrativas", 1500_00, 4700_00, "Sim"),
        (5, 3004, late, "custos_variaveis", 9000_00, 13700_00, "Sim"),
        (6, 3003, soon, "deducoes", 1200_00, 14900_00, "Sim"),
        (7, 1016, soon, "comerciais", 900_00, 900_00, "Sim"),
    ]
    assert [line.conta_id for line in payments.linhas] == [101] * 6 + [102]
    assert {line.titulo.titulo_id for line in payments.linhas if line.titulo.aviso == QUESTION} == {3000}
    assert [one.titulo_id for one in build_payables(golden()).ja_pagos] == [3000]


def test_what_waiting_costs_is_signed_as_what_is_owed() -> None:
    """At 2 % and 1 % a month the rent overdue since 05/03 costs 30.00 and 5.50 (S8)."""
    titulos = golden().titulos
    rent = titulos["titulo_id"] == 1004
    charged = titulos.assign(multa_centavos=rent * 30_00, juros_centavos=rent * 5_50)
    payables = build_payables(replace(golden(), titulos=charged)).titulos
    assert {one.titulo_id: one.encargos_est for one in payables if one.encargos_est} == {1004: -35_50}


@pytest.mark.parametrize(
    ("answers", "moved", "listed", "asked"),
    [
        ({3000: "pago"}, (), False, [3000]),
        ({3000: "em parcelamento"}, (), False, [3000]),
        ({3000: "devo"}, (), True, [3000]),  # it may be answered anew
        ({}, (3000,), False, [3000]),
        ({}, (1004,), True, [3000, 1004]),
    ],
)
def test_only_an_answer_or_a_bank_line_takes_a_payable_off_the_list(
    answers: dict[int, str], moved: tuple[int, ...], listed: bool, asked: list[int]
) -> None:
    payables = build_payables(golden(), moved=moved, answers=answers)
    rows = {one.titulo_id: one for one in payables.titulos}
    assert (3000 in rows, 1004 in rows) == (listed, 1004 not in moved)
    assert [one.titulo_id for one in payables.ja_pagos] == asked
    assert (3000 in payables.abertos) is listed
    assert any(one.aviso for one in rows.values()) is (3000 in rows and not answers)


def test_the_golden_accounts() -> None:
    payments, _ = golden_plan()
    found = {
        one.conta_id: (one.saldo_em_d, -one.vencido_e_hoje, -one.proximos_15_dias, -one.decidido, one.sobra)
        for one in payments.contas
    }
    assert found == {
        101: (11280_00, 13300_00, 1600_00, 2700_00, 8580_00),
        102: (2200_00, 0, 900_00, 0, 2200_00),
    }
    assert {one.conta_id: (-one.adiado, one.em_transito) for one in payments.contas} == {101: (9000_00, 0), 102: (0, 0)}


def test_the_golden_balances() -> None:
    """Of 11280.00 of 101: today 300.00, 1500.00 on 17/03, 1600.00 on 20/03, 9000.00 on 15/04; 3500.00 come."""
    payments, _ = golden_plan()
    found = {line.titulo.titulo_id: (line.antes, line.depois, line.cabe) for line in payments.linhas}
    assert found == {
        3005: (11280_00, 10980_00, "Sim"),
        3000: (10980_00, 8480_00, "Sim"),  # nobody decided: as if it alone were paid today
        3002: (8280_00, 7880_00, "Sim"),
        1004: (10980_00, 9480_00, "Sim"),
        3004: (11380_00, 2380_00, "Sim"),
        3003: (9080_00, 7880_00, "Sim"),
        1016: (2200_00, 1300_00, "Sim"),
    }
    shown = {(one.conta_id, one.dia.day): one.saldo_no_banco for one in payments.contas_dias if one.dia.month == 3}
    assert [shown[101, day] for day in (16, 17, 20)] == [10980_00, 9480_00, 7880_00]
    late, _ = plan((typed(1016, 16, pagar_em="2026-05-04"),), ())  # D+49
    assert [line.cabe for line in late.linhas if line.titulo.titulo_id == 1016] == ["depois de 29/04"]
    none, _ = plan((), ())
    overdue = {
        line.titulo.titulo_id: (line.antes, line.depois) for line in none.linhas if line.titulo.projetada is None
    }
    # Nobody decided: each as if it alone were paid today.
    assert overdue == {
        3000: (10980_00, 8480_00), 1004: (10980_00, 9480_00), 3004: (10980_00, 1980_00),
    }  # fmt: skip


def test_the_balances_by_other_hands() -> None:
    """Each account, each day, walked over entry by entry; together they are the flow with decisions."""
    payments, view = plan((*GOLDEN, typed(3003, 16, 10, conta="Poupança")), ())
    moved = {1004: date(2026, 3, 17), 3003: date(2026, 3, 20), 3004: date(2026, 4, 15)}
    linhas = golden().linhas
    opened = linhas[~linhas["pago"]].to_dict("records")
    assert view.lines[0].nome == "Plano"
    decided, base = view.lines[0], next(one for one in view.projections if one.nome == "Pagando já o atrasado")
    for offset in range(45):
        day = date.fromordinal(D.toordinal() + offset)
        saldos = {101: 11280_00, 102: 2200_00}
        for row in opened:
            account = 102 if row["titulo_id"] == 3003 else row["conta_id"]
            when = moved.get(row["titulo_id"]) or (None if row["vencido"] else row["data_projetada"].date())
            if when is not None and when <= day:
                saldos[account] += int(row["valor_centavos"])
        assert {conta_id: series[offset] for conta_id, series in payments.saldos.items()} == saldos, day
        # One line pays 1004, 3004 and 3000 at once.
        assert sum(saldos.values()) == (view.series.balance(day) or 0) + decided.difference_until(day), day
        assert base.difference_until(day) == -13000_00


def test_what_is_in_transit_is_not_at_the_bank() -> None:
    position = golden()
    arrives = [(101, "2026-03-18", 700_00), (101, "2262-04-01", 50_00), (101, "2026-03-16", 9_00)]
    coming = pd.DataFrame(
        [(n, account, pd.Timestamp("2026-03-13"), pd.Timestamp(day), amount)
         for n, (account, day, amount) in enumerate(arrives)],
        columns=["titulo_id", "conta_id", "data_pagamento", "chegada", "valor_centavos"],
    )  # fmt: skip
    altered = replace(position)
    vars(altered)["em_transito"] = coming
    payables = build_payables(altered)
    assert payables.transito == {101: 750_00}
    assert [payables.previsto[101][offset] for offset in (0, 1, 2, 4)] == [
        -300_00 - 750_00,
        -1050_00,
        -350_00,
        -1950_00,
    ]


def test_the_golden_series() -> None:
    _, view = golden_plan()
    days = (16, 17, 18, 20, 31)
    asked = [date(2026, 3, day) for day in days] + [date(2026, 4, 10), date(2026, 4, 15)]
    base = [view.series.balance(day) or 0 for day in asked]
    found = {one.nome: [(b + one.difference_until(day)) // 100 for b, day in zip(base, asked, strict=True)]
             for one in view.projections}  # fmt: skip
    assert [amount // 100 for amount in base] == [13180, 13180, 13180, 11580, 10680, 14180, 14180]
    # On D 9000.00, 1500.00 and 2500.00; nobody decided about 3000, of which no bank knows.
    assert found["Pagando já o atrasado"] == [180, 180, 180, -1420, -2320, 1180, 1180]
    assert found["Plano"] == [13180, 11680, 12680, 11080, 10180, 13680, 4680]
    kpis = {kpi.slug: kpi for kpi in list_kpis(view)}
    lows = [kpis[f"menor_saldo_{name}"].number for name in ("contratual", "conservador", "combinado")]
    assert lows == [Decimal(10680), Decimal(-2320), Decimal(4680)]
    assert "(plano)" in kpis["menor_saldo_combinado"].indicador
    assert (kpis["data_menor_saldo"].valor, kpis["menor_saldo_conservador"].situacao) == (date(2026, 4, 15), None)
    assert [kpis[f"atrasado_a_{side}"].number for side in ("pagar", "receber")] == [Decimal(-2500), Decimal(0)]


def test_what_is_late_and_undecided_is_in_one_line_alone_and_beside_all_of_them() -> None:
    """3006, 700.00 of 12/03, beside 3000; of 1012 nothing is promised, and it comes on 13/04 by habit."""
    payloads = dataset.payloads("A", com_mesa=True)
    late = {**next(one for one in payloads["lancamentos"] if one["id"] == 3004), "id": 3006, "valor": "-700.00"}
    payloads["lancamentos"].append(late | {"data_vencimento": "2026-03-12", "data_competencia": "2026-03-12"})
    decided = [Decided(1004, date(2026, 3, 17)), Decided(3003, date(2026, 3, 20)), Decided(3004, date(2026, 4, 15))]
    view = view_of(position_of(payloads), mesas=DeskFacts(decisoes=decided))
    days = [date(2026, 3, 16), date(2026, 3, 17), date(2026, 3, 20), date(2026, 3, 31), date(2026, 4, 15)]
    found = {
        one.nome: [((view.series.balance(day) or 0) + one.difference_until(day)) // 100 for day in days]
        for one in view.lines
    }
    assert found == {
        "Plano": [13180, 11680, 10080, 9180, 3680],
        "No vencimento": [13180, 13180, 11580, 10680, 14180],
        # 1011 on 17/03, 1012 on 13/04, 1015 on 11/05: +2400, +3400, and not the 3500 of 10/04
        "Como os clientes pagam": [13180, 15580, 13980, 13080, 14080],
        "Pagando já o atrasado": [-520, -520, -2120, -3020, 480],
    }
    cover = R00.build(view).cover
    assert cover is not None
    assert cover.verdict.text == "✔ Nunca negativo; menor em 15/04: 3.680"
    said = "além disso 3.200 atrasados a pagar sem decisão e 3.400 atrasados a receber"
    assert cover.verdict.detail == f"Plano · {said}"
    owed = "sem 13.700 atrasados a pagar (10.500 já decididos)"
    assert [(low.title, low.value, low.lines) for low in cover.lows] == [
        ("No vencimento", Decimal(10680), ("em 31/03/2026", f"{owed} e 3.400 atrasados a receber")),
        ("Como os clientes pagam", Decimal(13080), ("em 31/03/2026", owed)),
        (
            "Pagando já o atrasado",
            Decimal(-3020),
            ("em 31/03/2026", "negativo hoje", "já com 13.700 atrasados a pagar, sem 3.400 atrasados a receber"),
        ),
    ]


def test_the_plan_is_the_headline_of_the_cover() -> None:
    _, view = golden_plan()
    report = R00.build(view)
    cover = report.cover
    assert cover is not None
    (rows,) = (part.rows for part in report.sections if part.name == "indicadores")
    assert "kpi_menor_saldo_combinado" in {row.key for row in rows}
    assert (cover.verdict.text, cover.verdict.tone) == ("✔ Nunca negativo; menor em 15/04: 4.680", "bom")
    assert [low.title for low in cover.lows] == ["No vencimento", "Como os clientes pagam", "Pagando já o atrasado"]
    assert [cell.key for cell in paint_cover(cover) if cell.key.startswith("menor")] == [
        "menor_1",
        "menor_2",
        "menor_3",
    ]
    _, before = plan((), ())
    plain = R00.build(before).cover
    assert plain is not None
    assert plain.verdict.text == "✔ Nunca negativo; menor em 31/03: 10.680"
    assert [low.title for low in plain.lows] == ["Como os clientes pagam", "Pagando já o atrasado"]


def test_the_golden_days() -> None:
    payments, _ = golden_plan()
    found = {one.dia.day: one for one in payments.dias}
    assert len(payments.dias) == 16
    # On D what is overdue, and 3005: 9000 + 2500 + 1500 + 300; the rest on its day.
    assert {day: -one.vence for day, one in found.items() if one.vence} == {16: 13300_00, 20: 1600_00, 31: 900_00}
    assert {day: -one.decidido for day, one in found.items() if one.decidido} == {17: 1500_00, 20: 1200_00}
    assert closings(found[20]) == (11580_00, 11080_00, -1420_00)
    assert {one.cobre for one in payments.dias} == {"Sim"}


def test_without_decisions_there_is_no_column_and_nothing_changes() -> None:
    payments, view = plan((), ())
    assert [one.nome for one in view.projections] == ["Como os clientes pagam", "Pagando já o atrasado"]
    assert "menor_saldo_combinado" not in {kpi.slug for kpi in list_kpis(view)}
    assert closings(payments.dias[0]) == (13180_00, 13180_00, 180_00)


def test_the_last_day_differs_by_what_is_decided_beyond_the_horizon() -> None:
    late = (*GOLDEN[1:3], typed(3004, 16, adiar_para="2026-06-01"))
    _, view = plan(late, ())
    last = date(2026, 4, 29)  # D+44
    assert view.lines[0].difference_until(last) == -1500_00  # 3004 is beyond


@pytest.mark.parametrize("promised", [(), PROMISED])
def test_what_is_put_beyond_the_horizon_stands_beside_the_low(promised: tuple[Promised, ...]) -> None:
    """It is owed all the same: on the card, and below the flows."""
    said = "adiado para depois de 29/04: 10.500,00"  # 9000.00 and 1500.00; D+44 is inside
    late = (
        typed(1004, 16, adiar_para="2026-04-30"),
        typed(3004, 16, pagar_em="2026-06-01"),
        typed(3003, 16, adiar_para="2026-04-29"),
    )
    _, view = plan(late, promised)
    cover = R00.build(view).cover
    assert cover is not None
    beside = f"além disso 2.500 atrasados a pagar sem decisão e {'2.400' if promised else '3.400'} atrasados a receber"
    assert cover.verdict.detail == f"Plano · {said} · {beside}"
    notes = [note for section in R02.build(view).sections for note in section.notes if "decididos na mesa" in note]
    assert [note.endswith(f"vencidos. {said.capitalize()}.") for note in notes] == [True]
    _, inside = golden_plan()
    assert inside.lines[0].adiado == ""


def test_what_was_decided_stands_beside_the_titulo() -> None:
    def show(view: Judged) -> dict[Any, Any] | None:
        (detail,) = (part for part in R08.build(view).sections if part.name == "a_pagar")
        if "decisao" not in [column.key for column in detail.printed]:
            return None
        titulo, place = detail.place("titulo_id"), detail.place("decisao")
        return {row.cells[titulo]: row.cells[place] for row in detail.rows if row.cells[place]}

    assert show(plan()[1]) == {
        3005: "pagar em 13/03 · vencida",
        1004: "pagar em 17/03 · em aberto",
        3003: "pagar em 20/03 · em aberto",
        3004: "adiar para 15/04 · em aberto",
    }
    assert show(plan((), ())[1]) is None


def test_f5_is_what_is_not_decided() -> None:
    _, before = plan((), ())
    _, after = golden_plan()
    assert before.facts.mesas.decisoes == ()
    assert [(one.titulo_id, one.dia) for one in after.facts.mesas.decisoes] == [
        (1004, date(2026, 3, 17)), (3003, date(2026, 3, 20)), (3004, date(2026, 4, 15)),
    ]  # fmt: skip
    assert after.facts.mesas.decisoes_vencidas == (3005,)


def one_of(*notes: Note, **given: Any) -> Decision:
    return decide(*notes, **given).latest()[notes[0].chave or 0]


def test_a_day_that_is_no_business_day_moves_to_the_next_one() -> None:
    # Saturday 14/03: its business day is D, so it is not over.
    found = one_of(typed(1004, 10, pagar_em="2026-03-14"))
    assert (found.digitado, found.dia, found.estado) == (date(2026, 3, 14), D, ABERTA)
    assert one_of(typed(1004, 10, pagar_em="2026-03-13")).estado == VENCIDA
    assert one_of(typed(1004, 10, adiar_para="2026-03-13")).estado == VENCIDA


def test_the_date_changed_last_is_the_decision() -> None:
    first, second = typed(1004, 10, pagar_em="2026-03-20"), typed(1004, 11, adiar_para="2026-04-01")
    found = decide(first, second)
    assert [(one.campo, one.estado) for one in found.todas] == [("pagar_em", TROCADA), ("adiar_para", ABERTA)]
    assert found.celulas[1004] == {"pagar_em": "", "adiar_para": "2026-04-01"}
    both = decide(typed(1004, 10, pagar_em="2026-03-20", adiar_para="2026-04-01"))
    assert [(one.campo, one.dia.day) for one in both.todas] == [("pagar_em", 20)]
    assert both.celulas[1004] == {"pagar_em": "2026-03-20", "adiar_para": "2026-04-01"}  # red in the file
    emptied = decide(first, typed(1004, 11, pagar_em=""))
    assert [one.estado for one in emptied.todas] == [TROCADA]
    assert (emptied.latest(), emptied.in_force()) == ({}, ())


def test_a_note_without_a_day_decides_nothing() -> None:
    found = decide(typed(1004, 10, anotacao="ligar antes", conta="102"))
    assert (found.todas, found.celulas[1004]["anotacao"]) == ((), "ligar antes")


def test_what_is_no_day_decides_nothing() -> None:
    found = decide(typed(1004, 10, pagar_em="2026-03-20"), typed(1004, 11, pagar_em="sexta"))
    assert found.in_force() == ()
    assert found.celulas[1004]["pagar_em"] == "sexta"


@pytest.mark.parametrize(
    ("paid", "state"),
    [(9, SEM_EFEITO), (10, CUMPRIDA), (12, CUMPRIDA), (13, TARDIA)],
)
def test_a_paid_one_is_held_against_its_day(paid: int, state: str) -> None:
    payables = Payables(D, pagos={7: date(2026, 3, paid)}, valores={7: -100_00})
    assert one_of(typed(7, 10, pagar_em="2026-03-12"), payables=payables).estado == state


def test_what_is_gone_or_answered_to_be_paid_has_no_effect() -> None:
    assert one_of(typed(99, 10, pagar_em="2026-03-20")).estado == SEM_EFEITO
    assert one_of(typed(3000, 10, pagar_em="2026-03-20")).estado == ABERTA
    answered = build_payables(golden(), typed={3000}, answers={3000: "pago"})
    assert one_of(typed(3000, 10, pagar_em="2026-03-20"), payables=answered).estado == SEM_EFEITO


APPROVAL = Approval(1000_00, ("Rui", "Ana"))


def shown_in(arquivo_id: str, number: int, **other: Any) -> dict[str, dict[Key, Shown]]:
    """What a file that lastro wrote shows of a payable of the golden company, or something else."""
    payables = build_payables(golden())
    printed = {(PAGAR, one.titulo_id): Shown("", abs(one.valor)) for one in payables.titulos}
    found = payables.complete(printed)[PAGAR, number]
    return {arquivo_id: {(PAGAR, number): replace(found, **other)}}


@pytest.mark.parametrize(
    ("number", "cells", "state"),
    [
        (1004, {}, AGUARDA),
        (1004, {"responsavel": "Bia", "aprovado_por": "Rui"}, ABERTA),
        (1004, {"aprovado_por": "Rui"}, AGUARDA),  # one name
        (3005, {}, ABERTA),  # 300.00
    ],
)
def test_a_payment_above_the_least_needs_two_people(number: int, cells: dict[str, str], state: str) -> None:
    note = replace(typed(number, 16), valores={"pagar_em": "2026-03-20", **cells})
    note = replace(note, antes=dict.fromkeys(note.valores, ""))
    assert one_of(note, approval=APPROVAL, shown=shown_in("um/16", number)).estado == state


def test_only_a_payment_needs_them_and_a_dearer_one_anew() -> None:
    assert one_of(typed(1004, 16, adiar_para="2026-03-20"), approval=APPROVAL).estado == ABERTA
    note = typed(1004, 10, pagar_em="2026-03-20", responsavel="Bia", aprovado_por="Rui")
    cheaper = one_of(note, approval=APPROVAL, shown=shown_in("um/10", 1004, valor=1200_00))
    assert (cheaper.estado, cheaper.antes, cheaper.valor) == (AGUARDA, -1200_00, -1500_00)
    assert one_of(note, approval=APPROVAL, shown=shown_in("um/10", 1004, valor=1800_00)).estado == ABERTA


def test_the_account_typed_is_the_one_that_pays() -> None:
    payments, _ = plan((*GOLDEN, typed(3003, 16, 10, conta="poupanca")))
    lines = {line.titulo.titulo_id: line for line in payments.linhas}
    assert (lines[3003].conta_id, lines[3003].depois, lines[3003].cabe) == (102, 1000_00, "Sim")
    # 1016 after it: 1200 + 900 of 2200
    assert lines[1016].depois == 100_00
    assert (lines[1016].acumulado, lines[1016].cabe) == (-2100_00, "Sim")
    accounts = {one.conta_id: (one.decidido, one.sobra) for one in payments.contas}
    assert accounts == {101: (-1500_00, 9780_00), 102: (-1200_00, 1000_00)}


def test_an_account_without_a_balance_covers_nothing() -> None:
    contas = golden().contas.assign(provisoria=golden().contas["conta_id"] == 101)
    balances = take_balances(view_of(replace(golden(), contas=contas)))
    payments = plan_payments(build_payables(golden()), Decisions(), ORDER, balances)
    assert {line.cabe for line in payments.linhas if line.conta_id == 101} == {"sem saldo"}
    assert (payments.contas[0].saldo_em_d, payments.contas[0].sobra) == (None, None)
    assert closings(payments.dias[0]) == (None, None, None)
    assert payments.dias[0].cobre == "sem saldo"


def test_every_balance_ever_typed_stays_until_it_is_taken_back() -> None:
    def balance(day: int, hour: int, when: str, amount: str) -> Note:
        return typed(101, day, hour, CONTA, extrato_em=when, saldo_no_extrato=amount)

    notes = [
        balance(10, 9, "2026-03-09", "-50.00"),
        balance(11, 9, "2026-03-10", "70.00"),
        balance(11, 10, "2026-03-10", "80.00"),  # the later save
        balance(12, 9, "2026-03-11", "R$ 2.000"),  # says nothing
        balance(12, 10, "", "90.00"),  # of no day
        balance(13, 9, "", ""),
    ]
    held = {day.day: valor for (_, day), (_, valor) in find_statements(notes).items()}
    assert held == {9: -50_00, 10: 80_00}
    emptied = find_statements([*notes, balance(14, 9, "2026-03-09", "")])
    held = {day.day: valor for (_, day), (_, valor) in emptied.items()}
    assert held == {10: 80_00}


def test_an_account_of_thousands_of_digits_is_none() -> None:
    """It stands in the private file by then: every later run reads it again."""
    assert find_paying_account("9" * 5_000, {101: "Banco Alfa"}) is None
    assert find_paying_account("101", {101: "Banco Alfa"}) == 101


HEADER = "fornecedor;cpf_cnpj;documento;descricao;valor;dia;conta;titulo_id;responsavel;aprovado_por;aviso"


def test_what_is_approved_to_be_paid_stands_there_and_nothing_else(tmp_path: Path) -> None:
    notes = (
        typed(3003, 16, pagar_em="2026-03-21", conta="Poupança", responsavel="=Bia"),  # a Saturday
        typed(3002, 16, pagar_em="2026-03-18"),
        typed(3005, 16, pagar_em="2026-03-13"),  # over
        typed(1016, 16, adiar_para="2026-04-02"),
        typed(3004, 16, pagar_em="2026-03-18", responsavel="Bia"),  # waits for a second name
    )
    payables = build_payables(golden(), typed={note.chave or 0 for note in notes})
    strange = [
        replace(one, pessoa="=cmd|' /C calc'!A0", documento="@SUM(A1)", recebedor=("12.345.678/0001-95", ""))
        if one.titulo_id == 3002
        else one
        for one in payables.titulos
    ]
    payables = replace(payables, titulos=tuple(strange))
    decisions = find_decisions(
        SeenWords(notes, {}), payables, Approval(5000_00, ("Rosa",)), BusinessCalendar().next_business_day
    )
    path = write_approved(payables, decisions, tmp_path / "pagamentos_aprovados_2026-03-16.csv")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes().decode("utf-8").splitlines() == [
        f"\ufeff{HEADER}",
        "'=cmd|' /C calc'!A0;12.345.678/0001-95;'@SUM(A1);Lançamento 3002;400,00;18/03/2026;Banco Alfa;3002;;;",
        "Sem pessoa;;;Lançamento 3003;1200,00;23/03/2026;Poupança;3003;'=Bia;;",
    ]


def test_without_anything_approved_it_says_so_by_its_header_alone(tmp_path: Path) -> None:
    payables = build_payables(golden())
    path = write_approved(payables, Decisions(), tmp_path / "pagamentos_aprovados_2026-03-16.csv")
    assert path.read_text(encoding="utf-8-sig").splitlines() == [HEADER]
    assert payables.data_base == D
