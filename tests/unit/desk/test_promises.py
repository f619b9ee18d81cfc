"""Promises against receipts, and the queue's order: worked by hand. D is 16/03/2026."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.history import history_sheet
from lastro.desk.model import Note
from lastro.desk.promise_notes import promises_sheet, tell_promises
from lastro.desk.promises import (
    ABERTA,
    CUMPRIDA,
    PARCIAL,
    QUEBRADA,
    RENEGOCIADA,
    RETIRADA,
    find_promises,
    list_broken,
    list_promised,
)
from lastro.desk.queue import Debt, Queue
from lastro.transform.scenarios import Promised

D = date(2026, 3, 16)


def note(number: int, made: int, promised: int, amount: str = "", tipo: str = PESSOA) -> Note:
    valores = {"promessa": f"2026-03-{promised:02d}", "valor_prometido": amount}
    quando = datetime(2026, 3, made, 9)  # noqa: DTZ001 - local, as stored
    return Note(tipo, number, "", valores, {"promessa": ""}, {}, quando, "a", "um", "s")


def queue(
    recebidos: dict[int, Any] | None = None,
    titulos: dict[int, Any] | None = None,
    debts: tuple[Debt, ...] = (),
    abertos: dict[int, int] | None = None,
) -> Queue:
    return Queue(D, (), (), debts, (), {}, {}, abertos or {}, recebidos or {}, titulos or {})


def debt(titulo_id: int, pessoa_id: int, due: int, valor: int, *, paid_charge: bool = False) -> Debt:
    """A título overdue since a day of March."""
    day = date(2026, 3, due)
    return Debt(
        titulo_id, pessoa_id, "", "", "", day, day, (D - day).days, valor, 0, 0, "Vencido", 1, "", "", False, None,
        False, not paid_charge, True, not paid_charge,
    )  # fmt: skip


def test_a_promise_is_kept_broken_open_or_made_anew() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # 60.00 came
        note(2, 10, 12, "100.00"),  # nothing
        note(3, 10, 12, "100.00"),  # 100.00 came on the day
        note(4, 10, 20, "100.00"),  # not due yet
        note(5, 10, 12, "100.00"),  # made anew before its day
        note(5, 11, 25, "80.00"),
        note(6, 10, 12),  # no amount: all that is overdue, and nothing is any more
    ]
    received = {
        1: ((date(2026, 3, 11), 6000, 91),),
        3: ((date(2026, 3, 12), 10000, 93),),
        6: ((date(2026, 3, 10), 1, 96),),
    }
    found = {(one.key[1], one.dia.day): (one.estado, one.recebido) for one in find_promises(notes, queue(received))}
    assert found == {
        (1, 12): (PARCIAL, 6000),
        (2, 12): (QUEBRADA, 0),
        (3, 12): (CUMPRIDA, 10000),
        (4, 20): (ABERTA, 0),
        (5, 12): (RENEGOCIADA, 0),
        (5, 25): (ABERTA, 0),
        (6, 12): (CUMPRIDA, 1),
    }
    (sheet,) = promises_sheet(find_promises(notes, queue(received)), queue(received)).sections
    assert tuple(row.cells for row in sheet.rows) == (
        # 100 + 100 + 100 + 0.01, all of the last one; 60 + 100 + 0.01 came; 40 and 100 are missing
        (date(2026, 3, 12), 4, Decimal("300.01"), Decimal("160.01"), Decimal("140.00"), 2, 2, "vencida"),
        (date(2026, 3, 20), 1, Decimal("100.00"), Decimal("0.00"), Decimal("100.00"), 0, 0, "a vencer"),
        (date(2026, 3, 25), 1, Decimal("80.00"), Decimal("0.00"), Decimal("80.00"), 0, 0, "a vencer"),
    )


def test_who_broke_a_promise_that_stands_last_and_still_owes_is_named() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # 60.00 came: 40.00 are missing
        note(11, 10, 12, "30.00", tipo=TITULO),  # of customer 2: nothing came
        note(3, 10, 12, "100.00"),  # broken, and promised anew after it
        note(3, 13, 25, "100.00"),
        note(4, 10, 12, "100.00"),  # owes nothing any more
        note(5, 10, 12, "mil"),  # what is missing is not known
        note(6, 10, 12, "100.00"),  # kept
    ]
    received = {1: ((date(2026, 3, 11), 6000, 91),), 6: ((date(2026, 3, 11), 10000, 96),)}
    debts = tuple(debt(9 + number, number, 2, 5000) for number in (1, 2, 3, 5, 6))
    asked = queue(received, debts=debts)
    assert list_broken(find_promises(notes, asked), asked) == ((1, 4000), (2, 3000))


def test_what_is_still_to_come_is_projected() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # broken
        note(2, 10, 20, "100.00"),  # 30.00 came
        note(3, 10, 18, "50.00"),  # kept
        note(4, 10, 16),  # today, no amount
        note(9, 10, 19, "70.00", TITULO),
    ]
    received = {2: ((date(2026, 3, 11), 3000, 92),), 3: ((date(2026, 3, 12), 5000, 93),)}
    assert list_promised(find_promises(notes, queue(received))) == (
        Promised(4, None, date(2026, 3, 16), None),
        Promised(None, 9, date(2026, 3, 19), 7000),
        Promised(2, None, date(2026, 3, 20), 7000),
    )


def test_what_came_before_a_promise_keeps_it_not() -> None:
    (one,) = find_promises([note(1, 10, 12, "50.00")], queue({1: ((date(2026, 3, 9), 5000, 91),)}))
    assert (one.estado, one.recebido) == (QUEBRADA, 0)


def test_a_title_is_paid_at_once() -> None:
    (one,) = find_promises([note(7, 10, 12, "50.00", TITULO)], queue(titulos={7: (date(2026, 3, 13), 5000)}))
    assert (one.estado, one.recebido) == (CUMPRIDA, 5000)


def change(number: int, made: int, tipo: str = PESSOA, **valores: str) -> Note:
    """A later note about a promise."""
    quando = datetime(2026, 3, made, 9)  # noqa: DTZ001 - local, as stored
    return Note(tipo, number, "", valores, dict.fromkeys(valores, ""), {}, quando, "a", "um", "s")


def test_a_day_that_is_none_is_no_promise() -> None:
    assert find_promises([change(1, 10, promessa="semana que vem")], queue()) == ()


def test_whatever_takes_the_place_of_a_promise_ends_it() -> None:
    notes = [
        note(1, 10, 20, "100.00"),
        change(1, 11, promessa="", valor_prometido="100.00"),  # taken back
        note(2, 10, 20, "100.00"),
        change(2, 11, promessa="sexta", valor_prometido="100.00"),  # no day any more
        note(3, 10, 20, "100.00"),
        change(3, 11, promessa="2026-03-20", valor_prometido="70.00"),  # the same promise, another amount
    ]
    found = find_promises(notes, queue())
    assert {(one.key[1], one.estado, one.valor) for one in found} == {
        (1, RETIRADA, 10000), (2, RENEGOCIADA, 10000), (3, ABERTA, 7000),
    }  # fmt: skip
    assert list_promised(found) == (Promised(3, None, date(2026, 3, 20), 7000),)
    ((row,),) = [[one.cells for one in table.rows] for table in promises_sheet(found, queue()).sections]
    assert row[:5] == (date(2026, 3, 20), 1, Decimal("70.00"), Decimal("0.00"), Decimal("70.00"))


def test_without_an_amount_a_promise_is_all_that_is_overdue() -> None:
    debts = (
        debt(1, 7, 2, 15000_00),
        debt(2, 7, 9, 6862_16),
        debt(3, 7, 9, 500_00, paid_charge=True),  # on its way already
        debt(4, 8, 9, 100_00),  # somebody else's
    )
    at_desk = queue({7: ((date(2026, 3, 12), 1000_00, 90),)}, debts=debts)
    (one,) = find_promises([note(7, 10, 20)], at_desk)
    # 1,000.00 came since, 21,862.16 is overdue
    assert (one.tudo, one.valor, one.recebido, one.estado) == (True, 22862_16, 1000_00, ABERTA)
    assert list_promised([one]) == (Promised(7, None, date(2026, 3, 20), None),)
    (table,) = promises_sheet([one], at_desk).sections
    assert table.rows[0].cells[2:5] == (Decimal("22862.16"), Decimal("1000.00"), Decimal("21862.16"))
    told = tell_promises([one], replace(at_desk, nomes={7: "Ana"}))
    (history,) = history_sheet(COBRANCA, [note(7, 10, 20)], {}, told, ()).sections[:1]
    assert history.rows[0].cells[5] == "(tudo) 22.862,16"


def test_a_broken_promise_of_all_is_of_what_was_due_by_its_day() -> None:
    at_desk = queue(debts=(debt(1, 7, 2, 100_00), debt(2, 7, 13, 50_00)))
    (one,) = find_promises([note(7, 10, 12)], at_desk)
    assert (one.valor, one.estado) == (100_00, QUEBRADA)


def test_an_amount_that_was_not_understood_is_neither_small_nor_everything() -> None:
    odd = note(7, 10, 20, "R$ 2.000")
    at_desk = queue({7: ((date(2026, 3, 12), 51_65, 90),)}, debts=(debt(1, 7, 2, 100_00),))
    (one,) = find_promises([odd], at_desk)
    assert (one.tudo, one.valor, one.estado) == (False, None, ABERTA)
    assert list_promised([one]) == ()
    assert promises_sheet([one], at_desk).sections[0].rows[0].cells[2] == Decimal("0.00")
    told = tell_promises([one], replace(at_desk, nomes={7: "Ana"}))
    (history,) = history_sheet(COBRANCA, [odd], {}, told, ()).sections[:1]
    assert str(history.rows[0].cells[1]).startswith("não entendi o valor «R$ 2.000»")


def test_one_receipt_keeps_one_promise() -> None:
    """The review's case: 8,284.66 of título 12 kept both its promise and one of its customer."""
    paid = {12: (date(2026, 3, 12), 8284_66)}
    receipts = {7: ((date(2026, 3, 12), 8284_66, 12),)}
    made = [note(12, 10, 13, "8000.00", TITULO), note(7, 10, 13, "777.77")]
    found = {one.key[0]: (one.recebido, one.estado) for one in find_promises(made, queue(receipts, paid))}
    # 284.66 are beyond what was promised for the título
    assert found == {TITULO: (8284_66, CUMPRIDA), PESSOA: (284_66, PARCIAL)}


def test_a_receipt_on_the_day_of_the_next_promise_is_the_next_ones() -> None:
    made = [note(7, 10, 12, "50.00"), note(7, 13, 20, "50.00")]
    found = find_promises(made, queue({7: ((date(2026, 3, 13), 5000, 90),)}))
    assert [(one.estado, one.recebido) for one in found] == [(QUEBRADA, 0), (CUMPRIDA, 5000)]


def test_a_promise_of_a_whole_titulo_is_what_is_open_of_it() -> None:
    (one,) = find_promises([note(12, 10, 20, "", TITULO)], queue(abertos={12: 300_00}))
    assert (one.valor, one.estado) == (300_00, ABERTA)
