"""Answers of the payments desk to what stands on *Já pagos*: paid, in a plan of instalments, owed (S26.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from lastro.analysis.arrears import IN_PLAN, OWED, PAID
from lastro.desk.decisions import Approval
from lastro.desk.model import Note, Shown
from lastro.desk.seen import ANSWER, CONFIRMED, SeenWords
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
    """By what answers are judged: D, the day from which those of 0.3.0 are counted, who must agree."""

    dia: date
    upgrade: date
    approval: Approval


def read_answer(text: str) -> str | None:
    """Read what was typed as an answer.

    >>> read_answer(" Pago "), read_answer("EM  PARCELAMENTO"), read_answer("talvez"), read_answer("")
    ('pago', 'em parcelamento', None, None)
    """
    return next((answer for answer in ANSWERS if answer == fold_words(text)), None)


def find_answers(words: SeenWords, late: Mapping[int, int], asking: Asking) -> Answers:
    """Find the answers that count (S26.4): the last one of each late título, where it was asked and while it holds.

    It holds for 90 days, up to the amount seen, and above `aprovacao_minima` with a second name for that answer; what
    0.3.0 read of a known file holds for 90 days from the upgrade on, up to the amount seen. `late` are the late
    payables that are open: titulo_id -> signed centavos.
    """
    given, why, waiting, wrong = dict[int, str](), dict[int, str](), set[int](), set[int]()
    for titulo_id in sorted(late.keys() & words.by_titulo.keys()):
        if unseen := words.unseen[titulo_id].get(ANSWER):
            why[titulo_id] = f"resposta sem efeito: {unseen}"
        last = words.find_last(titulo_id, ANSWER)
        if last is None or not (text := last.valores.get(ANSWER, "")):
            continue
        answer = read_answer(text)
        if answer is None:
            why[titulo_id] = f"não entendi a resposta «{text}»"
            wrong.add(titulo_id)
        elif over := _find_over(words.find_seen(last), last, answer, -late[titulo_id], asking):
            why[titulo_id] = over
        elif waits := _find_waiting(words, last, answer, -late[titulo_id], asking):
            why[titulo_id] = waits
            waiting.add(titulo_id)
        else:
            given[titulo_id] = answer
    return Answers(given, why, frozenset(why.keys() - given.keys() - waiting - wrong), frozenset(wrong))


def _find_over(seen: Shown | None, note: Note, answer: str, owed: int, asking: Asking) -> str:
    """Say why an answer is to be given anew; "" where it holds."""
    day = note.quando.date()
    since = max(day, asking.upgrade) if note.antiga else day
    late = seen is not None and seen.data_vencimento is not None and seen.data_vencimento < day
    if seen is None or not (note.antiga or seen.perguntado or (seen.perguntado is None and late)):
        return "não se perguntou: responda em Já pagos quando vencer"
    if answer != OWED and (seen.valor or 0) < owed:
        was, now = (format_centavos(value) for value in (seen.valor or 0, owed))
        return f"a resposta era de {was}, e são {now}: responda de novo"
    return f"a resposta é de {format_date(day)}: responda de novo" if (asking.dia - since).days > DAYS_HELD else ""


def _find_waiting(words: SeenWords, note: Note, answer: str, owed: int, asking: Asking) -> str:
    """Say why an answer waits for a second name; "" where it needs none, or somebody agreed to it as it stands."""
    if note.antiga or answer == OWED or not asking.approval.is_needed(owed):
        return ""
    titulo_id = note.chave or 0
    given, notes = words.find_last(titulo_id, CONFIRMED), words.by_titulo[titulo_id]
    of = [one.valores["responsavel"] for one in sorted(notes, key=lambda one: one.moment) if "responsavel" in one.antes]
    fault = asking.approval.find_stranger(given.valores[CONFIRMED] if given else "", of[-1] if of else "")
    if not fault and given is not None:
        seen, agreed = words.find_seen(given), read_answer(given.valores.get(ANSWER, ""))
        if agreed != answer or given.moment < note.moment or seen is None or (seen.valor or 0) < owed:
            fault = "aprovou-se outra resposta"
    return fault and f"resposta aguarda: {words.unseen[titulo_id].get(CONFIRMED) or fault}"
