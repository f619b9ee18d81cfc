"""Answers of the payments desk to what stands on *Já pagos*: paid, in a plan of instalments, owed (S26.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from lastro.analysis.arrears import IN_PLAN, OWED, PAID
from lastro.desk.decisions import Approval
from lastro.desk.desks import PAGAR
from lastro.desk.model import Note
from lastro.desk.seen import ANSWER, CONFIRMED, Files, find_seen, find_unseen, is_said
from lastro.folding import fold_words
from lastro.grid.words import format_date
from lastro.money import format_centavos

ANSWERS: Final = (PAID, IN_PLAN, OWED)
DAYS_HELD: Final = 90
"""An answer is asked again after so many days."""


@dataclass(frozen=True)
class Answers:
    """What was answered last of late payables that are still open.

    Attributes:
        dadas: titulo_id -> the answer that counts.
        motivos: titulo_id -> why what was typed last counts for nothing.
        vazias: those whose cell is empty again, for it is asked anew.
        nao_entendidas: those of which it is none of the answers.
    """

    dadas: Mapping[int, str] = field(default_factory=dict)
    motivos: Mapping[int, str] = field(default_factory=dict)
    vazias: frozenset[int] = frozenset()
    nao_entendidas: frozenset[int] = frozenset()


class Asking(NamedTuple):
    """By what answers are judged: D, the day from which those of 0.3.0 are counted, who must agree, what was shown."""

    dia: date
    upgrade: date
    approval: Approval
    shown: Files


def read_answer(text: str) -> str | None:
    """Read what was typed as an answer.

    >>> read_answer(" Pago "), read_answer("EM  PARCELAMENTO"), read_answer("talvez"), read_answer("")
    ('pago', 'em parcelamento', None, None)
    """
    return next((answer for answer in ANSWERS if answer == fold_words(text)), None)


def find_answers(notes: Sequence[Note], late: Mapping[int, int], asking: Asking) -> Answers:
    """Find the answers that count (S26.4): the last one of each late título, where it was asked and while it holds.

    It holds for 90 days, up to the amount seen, and above `aprovacao_minima` with a second name for that answer; what
    0.3.0 read of a known file holds for 90 days from the upgrade on, up to the amount seen. `late` are the late
    payables that are open: titulo_id -> signed centavos.
    """
    own: dict[int, list[Note]] = {}
    for note in sorted(notes, key=lambda note: note.moment):
        if note.tipo == PAGAR and note.chave is not None and note.chave in late:
            own.setdefault(note.chave, []).append(note)
    given, why, waiting, wrong = dict[int, str](), dict[int, str](), set[int](), set[int]()
    for titulo_id, read in sorted(own.items()):
        if unseen := find_unseen(read, ANSWER, asking.shown):
            why[titulo_id] = f"resposta sem efeito: {unseen}"
        last = next((note for note in reversed(read) if is_said(note, ANSWER, asking.shown)), None)
        if last is None or not (text := last.valores.get(ANSWER, "")):
            continue
        answer = read_answer(text)
        if answer is None:
            why[titulo_id] = f"não entendi a resposta «{text}»"
            wrong.add(titulo_id)
        elif over := _find_over(last, answer, -late[titulo_id], asking):
            why[titulo_id] = over
        elif waits := _find_waiting(read, last, answer, -late[titulo_id], asking):
            why[titulo_id] = waits
            waiting.add(titulo_id)
        else:
            given[titulo_id] = answer
    return Answers(given, why, frozenset(why.keys() - given.keys() - waiting - wrong), frozenset(wrong))


def _find_over(note: Note, answer: str, owed: int, asking: Asking) -> str:
    """Say why an answer is to be given anew; "" where it holds."""
    seen, day = find_seen(asking.shown, note), note.quando.date()
    since = max(day, asking.upgrade) if note.antiga else day
    late = seen is not None and seen.data_vencimento is not None and seen.data_vencimento < day
    if seen is None or not (note.antiga or seen.perguntado or (seen.perguntado is None and late)):
        return "não se perguntou: responda em Já pagos quando vencer"
    if answer != OWED and (seen.valor or 0) < owed:
        was, now = (format_centavos(value) for value in (seen.valor or 0, owed))
        return f"a resposta era de {was}, e são {now}: responda de novo"
    return f"a resposta é de {format_date(day)}: responda de novo" if (asking.dia - since).days > DAYS_HELD else ""


def _find_waiting(notes: Sequence[Note], note: Note, answer: str, owed: int, asking: Asking) -> str:
    """Say why an answer waits for a second name; "" where it needs none, or somebody agreed to it as it stands."""
    if note.antiga or answer == OWED or not asking.approval.is_needed(owed):
        return ""
    given = next((one for one in reversed(notes) if is_said(one, CONFIRMED, asking.shown)), None)
    name = given.valores[CONFIRMED] if given else ""
    of = next((one.valores["responsavel"] for one in reversed(notes) if "responsavel" in one.antes), "")
    fault = asking.approval.find_stranger(name, of)
    if not fault and given is not None:
        seen, agreed = find_seen(asking.shown, given), read_answer(given.valores.get(ANSWER, ""))
        if agreed != answer or given.moment < note.moment or seen is None or (seen.valor or 0) < owed:
            fault = "aprovou-se outra resposta"
    return fault and f"resposta aguarda: {find_unseen(notes, CONFIRMED, asking.shown) or fault}"
