"""Promises and what was received for them (manual: Cobrança)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.model import Key, Note, read_value
from lastro.desk.queue import Queue
from lastro.grid.cells import Kind
from lastro.money import to_centavos
from lastro.transform.scenarios import Promised

CUMPRIDA, PARCIAL, QUEBRADA, ABERTA = "cumprida", "em parte", "quebrada", "em aberto"
RENEGOCIADA, RETIRADA = "renegociada", "retirada"
BROKEN: Final = frozenset({PARCIAL, QUEBRADA})
ENDED: Final = frozenset({RENEGOCIADA, RETIRADA})
"""Another promise, or none, stands in its place: it counts no more."""


@dataclass(frozen=True)
class Promise:
    """A day and an amount that a customer named.

    Attributes:
        key: customer or título.
        feita: day on which the file with it was saved.
        dia: the day promised.
        valor: the amount promised, centavos. Without one (`tudo`) all that is overdue of the customer, or the título:
            what came since plus what is still overdue on D. None where what was typed is no amount (S18): then
            no receipt keeps it.
        recebido: centavos that came for that key from the day it was made to the eve of what took its place, or to D.
        estado: CUMPRIDA .. RETIRADA.
        tudo: no amount was typed.
    """

    key: Key
    feita: date
    dia: date
    valor: int | None
    recebido: int
    estado: str
    tudo: bool


@dataclass(frozen=True)
class _Typed:
    """The promise in a note, in force from `feita` on; `dia` None takes a promise back."""

    feita: date
    dia: date | None
    texto: str
    valor: str = ""


def find_promises(notes: Sequence[Note], queue: Queue) -> tuple[Promise, ...]:
    """Find every promise in the notes and hold it against what was received.

    A promise holds until the next change of its day for the same key: another day, a text that is none, or an emptied
    cell. Of two for the same day the later amount stands. A receipt counts once: for a promise about its título first,
    and only what is beyond that amount for one of its customer.

    Returns:
        By day promised, then key.
    """
    made = _collect(notes)
    counted: dict[int, int] = {}
    promises: list[Promise] = []
    for key, own in sorted(made.items(), key=lambda item: item[0][0] != TITULO):
        for typed, following in zip(own, [*own[1:], None], strict=True):
            if typed.dia is not None:
                promise = _settle_promise(key, typed, following, queue, counted, promises)
                promises.append(promise)
                if key[0] == TITULO:
                    counted[key[1]] = counted.get(key[1], 0) + min(promise.recebido, promise.valor or promise.recebido)
    return tuple(sorted(promises, key=lambda promise: (promise.dia, promise.key)))


def _collect(notes: Sequence[Note]) -> dict[Key, list[_Typed]]:
    """Collect for each key what was typed about a promise, in order."""
    made: dict[Key, list[_Typed]] = {}
    for note in sorted(notes, key=lambda note: note.moment):
        if note.key is None or not {"promessa", "valor_prometido"} & set(note.antes):
            continue
        text = note.valores.get("promessa", "")
        day = read_value(text, Kind.DATE)
        own, dia = made.setdefault(note.key, []), day if isinstance(day, date) else None
        feita = own.pop().feita if own and own[-1].dia == dia else note.quando.date()
        own.append(_Typed(feita, dia, text, note.valores.get("valor_prometido", "")))
    return made


def list_promised(promises: Sequence[Promise]) -> tuple[Promised, ...]:
    """List what is still to come of the promises that are open, for the projection by promises (R02)."""
    return tuple(
        Promised(
            pessoa_id=promise.key[1] if promise.key[0] == PESSOA else None,
            titulo_id=None if promise.key[0] == PESSOA else promise.key[1],
            dia=promise.dia,
            centavos=None if promise.tudo else promise.valor - promise.recebido,
        )
        for promise in promises
        if promise.estado == ABERTA and promise.valor is not None
    )


def list_broken(promises: Sequence[Promise], queue: Queue) -> tuple[tuple[int, int], ...]:
    """List the promises that stand last for their customer or título and were not kept: who, and what is missing.

    Of a promise whose amount was not understood nothing is known to be missing, and who owes nothing any more broke
    none that counts.
    """
    last = {promise.key: promise for promise in promises if promise.estado not in ENDED}
    owed = {debt.titulo_id: debt.pessoa_id for debt in queue.titulos if debt.na_fila}
    people = {*owed.values()}
    broken = []
    for (kind, record_id), promise in last.items():
        person = record_id if kind == PESSOA else owed.get(record_id)
        if person in people and promise.estado in BROKEN and promise.valor is not None:
            broken.append((person, max(promise.valor - promise.recebido, 0)))
    return tuple(broken)


def _settle_promise(
    key: Key,
    typed: _Typed,
    following: _Typed | None,
    queue: Queue,
    counted: Mapping[int, int],
    others: Iterable[Promise],
) -> Promise:
    day = typed.dia or date.min
    until = queue.data_base if following is None else following.feita - timedelta(days=1)
    received = sum(value for when, value in _payments(key, queue, counted) if typed.feita <= when <= until)
    tudo, typed_amount = not typed.valor, read_value(typed.valor, Kind.MONEY)
    amount = to_centavos(typed_amount) if isinstance(typed_amount, Decimal) else None
    if tudo:
        amount = received + _sum_overdue(key, queue, min(day, queue.data_base), others)
    if received > 0 and amount is not None and received >= amount:
        state = CUMPRIDA
    elif following is not None and following.feita <= day:
        state = RETIRADA if not following.texto else RENEGOCIADA
    elif day >= queue.data_base:
        state = ABERTA
    else:
        state = PARCIAL if received else QUEBRADA
    return Promise(key, typed.feita, day, amount, received, state, tudo)


def _payments(key: Key, queue: Queue, counted: Mapping[int, int]) -> tuple[tuple[date, int], ...]:
    """List the receipts for a key; for a customer without those counted for a promise about a título."""
    kind, record_id = key
    if kind == PESSOA:
        return tuple((day, value - counted.get(titulo, 0)) for day, value, titulo in queue.recebidos.get(record_id, ()))
    paid = queue.recebido_titulo.get(record_id)
    return () if paid is None else (paid,)


def _sum_overdue(key: Key, queue: Queue, day: date, others: Iterable[Promise]) -> int:
    """Sum the open títulos that were overdue on a day; for a customer without those promised one by one."""
    kind, record_id = key
    if kind == TITULO:
        return queue.abertos.get(record_id, 0)
    promised = {
        promise.key[1]: promise.valor or 0
        for promise in others
        if promise.key[0] == TITULO and promise.estado == ABERTA
    }
    return sum(
        max(debt.valor - promised.get(debt.titulo_id, 0), 0)
        for debt in queue.titulos
        if debt.pessoa_id == record_id
        and debt.a_receber
        and (day == queue.data_base or (debt.data_vencimento is not None and debt.data_vencimento < day))
    )
