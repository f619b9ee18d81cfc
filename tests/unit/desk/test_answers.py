"""An answer counts where it was asked, up to what was seen, for 90 days, and a large one with a second name (S26.4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from lastro.desk.answers import Answers, Asking, find_answers
from lastro.desk.decisions import Approval
from lastro.desk.desks import PAGAR
from lastro.desk.model import Note, Shown
from lastro.desk.seen import SeenWords
from tests.unit.desk.written import D, typed

LATE = {1004: -1500_00}
ASKED = Shown("Aluguel", 1500_00, data_vencimento=date(2026, 3, 5), conta="Banco", perguntado=True)
NOBODY = Approval()
TWO = Approval(1000_00, ("Rui", "Ana"))


def judge(
    notes: list[Note],
    late: dict[int, int] = LATE,
    *,
    seen: Shown | None = ASKED,
    approval: Approval = NOBODY,
    day: date = D,
    upgrade: date = D,
) -> Answers:
    """Judge the answers in notes of files that all showed the same."""
    shown = {note.arquivo_id: {(PAGAR, 1004): seen} for note in notes if seen}
    return find_answers(SeenWords(notes, shown), late, Asking(day, upgrade, approval))


@pytest.mark.parametrize(
    ("answers", "late", "found"),
    [
        (("pago",), LATE, "pago"),
        ((" Em  PARCELAMENTO ",), LATE, "em parcelamento"),
        (("pago", "devo"), LATE, "devo"),
        (("pago", ""), LATE, None),  # taken back
        (("pago", "talvez"), LATE, None),
        (("pago",), {}, None),  # settled, or not late any more
        (("pago",), {1004: -1400_00}, "pago"),
        (("pago",), {1004: -1500_01}, None),  # more is owed than anybody saw
        (("devo",), {1004: -9000_00}, "devo"),
    ],
)
def test_the_answer_typed_last_counts_while_it_is_of_what_was_seen(
    answers: tuple[str, ...], late: dict[int, int], found: str | None
) -> None:
    told = judge([typed(1004, 10, minute, resposta=text) for minute, text in enumerate(answers)][::-1], late)
    assert told.dadas.get(1004) == found
    why: dict[Any, str] = {"talvez": "não entendi a resposta «talvez»"}
    grown = "a resposta era de 1.500,00, e são 1.500,01: responda de novo"
    assert told.motivos.get(1004) == why.get(answers[-1], grown if late == {1004: -1500_01} else None)
    assert told.nao_entendidas == ({1004} if answers[-1] == "talvez" else set())
    assert told.vazias == ({1004} if grown in told.motivos.values() else set())


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (None, "não escreveu o arquivo"),
        (replace(ASKED, valor=None), "não escreveu o arquivo"),
        (replace(ASKED, perguntado=False), "não se perguntou"),
        (replace(ASKED, perguntado=None, conta=None), ""),  # a file of 0.3.0, in which it was late
        (replace(ASKED, perguntado=None, conta=None, data_vencimento=date(2026, 3, 10)), "não se perguntou"),
        (replace(ASKED, perguntado=None, conta=None, data_vencimento=None), "não se perguntou"),
    ],
)
def test_an_answer_counts_where_it_was_asked(seen: Shown | None, why: str) -> None:
    told = judge([typed(1004, 10, resposta="pago")], seen=seen)
    assert told.dadas == ({} if why else {1004: "pago"})
    assert why in told.motivos.get(1004, "")
    assert told.vazias == ({1004} if why else set())  # the next file asks anew


@pytest.mark.parametrize(
    ("days", "antiga", "upgrade", "holds"),
    [
        (90, False, D, True),
        (91, False, D, False),
        (91, True, D, True),  # counted from the upgrade on
        (91, True, date(2026, 3, 10), False),
        (90, True, date(2026, 3, 10), True),
    ],
)
def test_an_answer_is_asked_again_after_90_days(days: int, antiga: bool, upgrade: date, holds: bool) -> None:
    said = replace(typed(1004, 10, resposta="pago"), antiga=antiga)
    told = judge([said], day=date(2026, 3, 10) + timedelta(days), upgrade=upgrade)
    assert (told.dadas == {1004: "pago"}, told.vazias == {1004}) == (holds, not holds)
    assert told.motivos == ({} if holds else {1004: "a resposta é de 10/03/2026: responda de novo"})


def test_what_an_older_lastro_read_holds_wherever_it_was_typed_and_not_of_an_unknown_file() -> None:
    said = replace(typed(1004, 10, resposta="pago"), antiga=True)
    assert judge([said], seen=replace(ASKED, perguntado=None, data_vencimento=None), approval=TWO).dadas == {
        1004: "pago"
    }
    assert judge([said], seen=None).dadas == {}


def agree(day: int, name: str, answer: str) -> Note:
    """Somebody types a second name beside an answer that stands there."""
    note = typed(1004, day, resposta_aprovada_por=name)
    return replace(note, valores={**note.valores, "resposta": answer})


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ([], "falta Aprovado por"),
        ([agree(11, "Ana", "pago")], ""),
        ([agree(11, "Ana", " PAGO ")], ""),
        ([agree(11, "Zé", "pago")], "«Zé» não está na lista de Aprovado por"),
        ([agree(11, "Ana", "em parcelamento")], "aprovou-se outra resposta"),
        ([agree(11, "Ana", "")], "aprovou-se outra resposta"),  # of a copy in which nothing was answered
        ([agree(9, "Ana", "pago")], "aprovou-se outra resposta"),  # before that answer
        ([agree(11, "Ana", "pago"), agree(12, "", "pago")], "falta Aprovado por"),  # taken back
        ([typed(1004, 11, aprovado_por="Ana")], "falta Aprovado por"),  # of the payment, on *Decidir*
        ([typed(1004, 9, responsavel="Ana"), agree(11, "Ana", "pago")], "quem aprova é o Responsável"),
    ],
)
def test_an_answer_about_much_money_asks_for_a_second_name(second: list[Note], why: str) -> None:
    told = judge([typed(1004, 10, resposta="pago"), *second], approval=TWO)
    assert told.dadas == ({} if why else {1004: "pago"})
    assert told.motivos == ({1004: f"resposta aguarda: {why}"} if why else {})
    assert told.vazias == set()  # it stands there, for whoever agrees
    assert judge([typed(1004, 10, resposta="devo"), *second], approval=TWO).dadas == {1004: "devo"}
    assert judge([typed(1004, 10, resposta="pago"), *second], approval=Approval(1500_01)).dadas == {1004: "pago"}


def test_a_second_name_is_for_no_more_than_its_file_showed() -> None:
    notes = [typed(1004, 10, resposta="pago"), agree(11, "Ana", "pago")]
    shown = {"um/10": {(PAGAR, 1004): ASKED}, "um/11": {(PAGAR, 1004): replace(ASKED, valor=1499_99)}}
    told = find_answers(SeenWords(notes, shown), LATE, Asking(D, D, TWO))
    assert told.motivos == {1004: "resposta aguarda: aprovou-se outra resposta"}
