"""Promises against receipts, and the queue's order: worked by hand. D is 16/03/2026."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from lastro.desk.history import promises_sheet
from lastro.desk.promises import ABERTA, CUMPRIDA, PARCIAL, QUEBRADA, RENEGOCIADA, find_promises, list_promised
from lastro.desk.queue import Queue
from lastro.grid.desk import BLANK, PESSOA, TITULO, Note
from lastro.transform.scenarios import Promised

D = date(2026, 3, 16)


def note(number: int, made: int, promised: int, amount: str = "", tipo: str = PESSOA) -> Note:
    valores = {**BLANK, "promessa": f"2026-03-{promised:02d}", "valor_prometido": amount}
    quando = datetime(2026, 3, made, 9)  # noqa: DTZ001 - local, as stored
    return Note(tipo, number, "", valores, {"promessa": ""}, {}, quando, "a", "um", "s")


def queue(recebidos: dict[int, Any] | None = None, titulos: dict[int, Any] | None = None) -> Queue:
    return Queue(D, (), (), (), (), {}, {}, frozenset(), recebidos or {}, titulos or {})


def test_a_promise_is_kept_broken_open_or_made_anew() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # 60.00 came
        note(2, 10, 12, "100.00"),  # nothing
        note(3, 10, 12, "100.00"),  # 100.00 came on the day
        note(4, 10, 20, "100.00"),  # not due yet
        note(5, 10, 12, "100.00"),  # made anew before its day
        note(5, 11, 25, "80.00"),
        note(6, 10, 12),  # no amount: any receipt keeps it
    ]
    received = {1: ((date(2026, 3, 11), 6000),), 3: ((date(2026, 3, 12), 10000),), 6: ((date(2026, 3, 10), 1),)}
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
    (sheet,) = promises_sheet(find_promises(notes, queue(received)), queue(received)).tables
    assert sheet.rows == (
        # 100 + 100 + 100 + no amount promised; 60 + 100 + 0.01 came; 40 and 100 are missing
        (date(2026, 3, 12), 4, Decimal("300.00"), Decimal("160.01"), Decimal("140.00"), 2, 2, "vencida"),
        (date(2026, 3, 20), 1, Decimal("100.00"), Decimal("0.00"), Decimal("100.00"), 0, 0, "a vencer"),
        (date(2026, 3, 25), 1, Decimal("80.00"), Decimal("0.00"), Decimal("80.00"), 0, 0, "a vencer"),
    )


def test_what_is_still_to_come_is_projected() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # broken
        note(2, 10, 20, "100.00"),  # 30.00 came
        note(3, 10, 18, "50.00"),  # kept
        note(4, 10, 16),  # today, no amount
        note(9, 10, 19, "70.00", TITULO),
    ]
    received = {2: ((date(2026, 3, 11), 3000),), 3: ((date(2026, 3, 12), 5000),)}
    assert list_promised(find_promises(notes, queue(received))) == (
        Promised(4, None, date(2026, 3, 16), None),
        Promised(None, 9, date(2026, 3, 19), 7000),
        Promised(2, None, date(2026, 3, 20), 7000),
    )


def test_what_came_before_a_promise_keeps_it_not() -> None:
    (one,) = find_promises([note(1, 10, 12, "50.00")], queue({1: ((date(2026, 3, 9), 5000),)}))
    assert (one.estado, one.recebido) == (QUEBRADA, 0)


def test_a_title_is_paid_at_once() -> None:
    (one,) = find_promises([note(7, 10, 12, "50.00", TITULO)], queue(titulos={7: (date(2026, 3, 13), 5000)}))
    assert (one.estado, one.recebido) == (CUMPRIDA, 5000)


def test_a_day_that_is_none_is_no_promise() -> None:
    odd = note(1, 10, 12)
    odd = Note(**{**vars(odd), "valores": {**odd.valores, "promessa": "semana que vem"}})
    assert find_promises([odd], queue()) == ()
