"""What was promised, and what came of it (manual: Cobrança)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from lastro.desk.queue import Queue
from lastro.grid.cells import Kind
from lastro.grid.desk import PESSOA, Key, Note, read_value
from lastro.money import parse_centavos
from lastro.transform.scenarios import Promised

CUMPRIDA, PARCIAL, QUEBRADA, ABERTA, RENEGOCIADA = "cumprida", "em parte", "quebrada", "em aberto", "renegociada"
BROKEN: Final = frozenset({PARCIAL, QUEBRADA})


@dataclass(frozen=True)
class Promise:
    """A day and an amount that a customer named; centavos, None where no amount was typed.

    Attributes:
        key: customer or título.
        feita: day on which the file with it was saved.
        dia: the day promised.
        valor: the amount promised.
        recebido: what came for that key from the day it was made to the day before the next promise, or to D.
        estado: CUMPRIDA .. RENEGOCIADA.
    """

    key: Key
    feita: date
    dia: date
    valor: int | None
    recebido: int
    estado: str


def find_promises(notes: Sequence[Note], queue: Queue) -> tuple[Promise, ...]:
    """Find every promise in the notes and hold it against what was received.

    A promise holds until the next one for the same key; of two for the same day the later stands in the place of the
    earlier. Without an amount any receipt fulfils it.

    Returns:
        By day promised, then key.
    """
    made: dict[Key, list[tuple[date, date, int | None]]] = {}
    for note in sorted(notes, key=lambda note: note.quando):
        day = read_value(note.valores.get("promessa", ""), Kind.DATE)
        if note.key is None or not isinstance(day, date) or not {"promessa", "valor_prometido"} & set(note.antes):
            continue
        own = made.setdefault(note.key, [])
        entry = (note.quando.date(), day, _read_amount(note.valores.get("valor_prometido", "")))
        if own and own[-1][1] == day:
            own[-1] = (own[-1][0], *entry[1:])
        else:
            own.append(entry)
    promises = [
        _judge(key, entry, own[place + 1] if place + 1 < len(own) else None, queue)
        for key, own in made.items()
        for place, entry in enumerate(own)
    ]
    return tuple(sorted(promises, key=lambda one: (one.dia, one.key)))


def list_promised(promises: Sequence[Promise]) -> tuple[Promised, ...]:
    """List what is still to come of the promises that are open, for the projection by promises (R02)."""
    return tuple(
        Promised(
            pessoa_id=one.key[1] if one.key[0] == PESSOA else None,
            titulo_id=None if one.key[0] == PESSOA else one.key[1],
            dia=one.dia,
            centavos=None if one.valor is None else one.valor - one.recebido,
        )
        for one in promises
        if one.estado == ABERTA
    )


def _read_amount(text: str) -> int | None:
    try:
        return parse_centavos(text)
    except ValueError:
        return None


def _judge(
    key: Key, entry: tuple[date, date, int | None], following: tuple[date, date, int | None] | None, queue: Queue
) -> Promise:
    made, day, amount = entry
    until = queue.data_base if following is None else following[0]
    received = sum(value for when, value in _payments(key, queue) if made <= when <= until)
    if received > 0 and (amount is None or received >= amount):
        state = CUMPRIDA
    elif following is not None and following[0] <= day:
        state = RENEGOCIADA
    elif day >= queue.data_base:
        state = ABERTA
    else:
        state = PARCIAL if received else QUEBRADA
    return Promise(key, made, day, amount, received, state)


def _payments(key: Key, queue: Queue) -> tuple[tuple[date, int], ...]:
    kind, number = key
    if kind == PESSOA:
        return tuple(queue.recebidos.get(number, ()))
    paid = queue.recebido_titulo.get(number)
    return () if paid is None else (paid,)
