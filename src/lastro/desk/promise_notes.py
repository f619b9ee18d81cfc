"""What the collections desk says of its notes, and the sheet Promessas."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.history import Outcome, Outcomes
from lastro.desk.model import Key, Note, read_value
from lastro.desk.promises import ABERTA, CUMPRIDA, ENDED, Promise
from lastro.desk.queue import Debt, Queue
from lastro.desk.sheets import make_sheet, make_table, take
from lastro.grid.cells import Kind
from lastro.grid.prints import Print
from lastro.grid.words import format_date
from lastro.grid.workbook import Sheet
from lastro.money import format_centavos

PROMISED: Final[Print[None]] = Print(
    "tbl_promessas",
    title="Prometido x recebido, por dia prometido",
)


def is_in_force(day: date, debts: Sequence[Debt]) -> bool:
    """Tell whether a note about a customer is still of use: a título that was due then is still open."""
    return any(debt.data_vencimento is not None and debt.data_vencimento <= day for debt in debts)


def tell_promises(promises: Sequence[Promise], queue: Queue) -> Outcomes:
    """Make what is said of the notes about customers and títulos: what was paid, what became of each promise."""
    made = {(promise.key, promise.dia): promise for promise in promises}
    debts = {client.pessoa_id: client.debts for client in queue.clientes}

    def name(key: Key) -> str | None:
        return (queue.nomes if key[0] == PESSOA else queue.rotulos).get(key[1])

    def tell(note: Note) -> Outcome:
        record_id, states = note.chave or 0, list[str]()
        if note.tipo == TITULO:
            paid = queue.recebido_titulo.get(record_id)
            states += [] if paid is None else [f"pago em {format_date(paid[0])}"]
        elif not is_in_force(note.quando.date(), debts.get(record_id, ())):
            states.append("nada do que se cobrava está vencido")
        day = read_value(note.valores.get("promessa", ""), Kind.DATE)
        promise = made.get((note.key, day)) if note.key is not None and isinstance(day, date) else None
        if promise is None:
            return Outcome(states)
        whole = {"valor_prometido": f"(tudo) {format_centavos(promise.valor or 0)}"} if promise.tudo else {}
        return Outcome([*states, f"promessa {promise.estado}"], promise.recebido, whole)

    return Outcomes("recebido_depois", name, tell)


def promises_sheet(promises: Sequence[Promise], queue: Queue) -> Sheet:
    """Build Promessas: promised against received, by the day promised; a renegotiated promise counts on its new day.

    A promise without an amount counts as all that it means (`Promise.valor`), one whose amount was not understood as 0.
    """
    days: dict[date, list[Promise]] = {}
    for promise in promises:
        if promise.estado not in ENDED:
            days.setdefault(promise.dia, []).append(promise)
    today = queue.data_base
    parts = take(
        PROMISED, sorted(days.items()),
        dia_prometido=lambda own: own[0],
        promessas=lambda own: len(own[1]),
        prometido=lambda own: sum(one.valor or 0 for one in own[1]),
        # What came beyond a promise belongs to no other one.
        recebido=lambda own: sum(min(one.recebido, one.valor or 0) for one in own[1]),
        falta=lambda own: sum(max((one.valor or 0) - one.recebido, 0) for one in own[1]),
        cumpridas=lambda own: sum(one.estado == CUMPRIDA for one in own[1]),
        quebradas=lambda own: sum(one.estado not in {CUMPRIDA, ABERTA} for one in own[1]),
        situacao=lambda own: "a vencer" if own[0] > today else "hoje" if own[0] == today else "vencida",
    )  # fmt: skip
    return make_sheet("Promessas", (make_table(PROMISED, parts),), "2E7D32")
