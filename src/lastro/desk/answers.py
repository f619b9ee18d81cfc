"""Answers of the payments desk to what stands on *Já pagos*: paid, in a plan of instalments, owed (S26.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lastro.analysis.arrears import IN_PLAN, OWED, PAID
from lastro.desk.desks import PAGAR
from lastro.desk.model import Note
from lastro.desk.seen import ANSWER, Files, find_seen, find_unseen, is_said
from lastro.folding import fold_words
from lastro.money import format_centavos

ANSWERS: Final = (PAID, IN_PLAN, OWED)


@dataclass(frozen=True)
class Answers:
    """What was answered last of late payables that are still open.

    Attributes:
        dadas: titulo_id -> the answer that counts.
        motivos: titulo_id -> why what was typed counts for nothing.
        nao_entendidas: those of which it is none of the answers.
    """

    dadas: Mapping[int, str] = field(default_factory=dict)
    motivos: Mapping[int, str] = field(default_factory=dict)
    nao_entendidas: frozenset[int] = frozenset()


def read_answer(text: str) -> str | None:
    """Read what was typed as an answer.

    >>> read_answer(" Pago "), read_answer("EM  PARCELAMENTO"), read_answer("talvez"), read_answer("")
    ('pago', 'em parcelamento', None, None)
    """
    return next((answer for answer in ANSWERS if answer == fold_words(text)), None)


def find_answers(notes: Sequence[Note], late: Mapping[int, int], shown: Files) -> Answers:
    """Find the answers that count: the one saved last of each título, while it is late and does not cost more.

    Args:
        notes: of the payments desk, in the order in which they were read.
        late: the late payables that are open: titulo_id -> signed centavos.
        shown: file -> row -> what it showed when it was written.
    """
    own: dict[int, list[Note]] = {}
    for note in sorted(notes, key=lambda note: note.moment):
        if note.tipo == PAGAR and note.chave is not None and note.chave in late:
            own.setdefault(note.chave, []).append(note)
    given: dict[int, str] = {}
    why: dict[int, str] = {}
    wrong: set[int] = set()
    for titulo_id, read in sorted(own.items()):
        if unseen := find_unseen(read, ANSWER, shown):
            why[titulo_id] = f"resposta sem efeito: {unseen}"
        last = next((note for note in reversed(read) if is_said(note, ANSWER, shown)), None)
        if last is None or not (text := last.valores.get(ANSWER, "")):
            continue
        answer, seen = read_answer(text), find_seen(shown, last)
        if answer is None:
            why[titulo_id] = f"não entendi a resposta «{text}»"
            wrong.add(titulo_id)
        elif answer != OWED and seen is not None and seen.valor is not None and seen.valor < -late[titulo_id]:
            was, now = (format_centavos(value) for value in (seen.valor, -late[titulo_id]))
            why[titulo_id] = f"a resposta era de {was}, e são {now}: responda de novo"
        else:
            given[titulo_id] = answer
    return Answers(given, why, frozenset(wrong))
