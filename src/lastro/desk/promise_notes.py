"""What the collections desk says of its notes, and the sheet Promessas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal

from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.history import Outcomes
from lastro.desk.model import Key, Note, read_value
from lastro.desk.promises import ABERTA, CUMPRIDA, ENDED, Promise
from lastro.desk.queue import Debt, Queue
from lastro.desk.sheets import make_column, make_sheet, make_table
from lastro.grid.cells import Kind, Value
from lastro.grid.sections import SheetColumn
from lastro.grid.words import format_date
from lastro.grid.workbook import Sheet
from lastro.money import format_amount, to_decimal


def is_in_force(day: date, debts: Sequence[Debt]) -> bool:
    """Tell whether a note about a customer is still of use: a título that was due then is still open."""
    return any(debt.vencimento is not None and debt.vencimento <= day for debt in debts)


class PromisedNotes(Outcomes):
    """What became of the notes about customers and títulos.

    Args:
        promises: what became of promises.
        queue: the desk of D.
    """

    chave = "Cliente ou título"
    depois = make_column("Recebido depois", Kind.MONEY, 14)

    def __init__(self, promises: Sequence[Promise], queue: Queue) -> None:
        self._made = {(promise.key, promise.dia): promise for promise in promises}
        self._debts = {client.pessoa_id: client.debts for client in queue.clientes}
        self._queue = queue

    def find_label(self, key: Key) -> str | None:
        """Say what a customer or título is called."""
        return (self._queue.nomes if key[0] == PESSOA else self._queue.rotulos).get(key[1])

    def find_states(self, note: Note) -> list[str]:
        """Say whether it was paid, and what became of the promise."""
        record_id, parts, promise = note.chave or 0, [], self._find_promise(note)
        if note.tipo == TITULO:
            paid = self._queue.recebido_titulo.get(record_id)
            parts += [] if paid is None else [f"pago em {format_date(paid[0])}"]
        elif not is_in_force(note.quando.date(), self._debts.get(record_id, ())):
            parts.append("nada do que se cobrava está vencido")
        return [*parts, *([] if promise is None else [f"promessa {promise.estado}"])]

    def find_result(self, note: Note) -> Value:
        """Find what came of a promise."""
        promise = self._find_promise(note)
        return None if promise is None else to_decimal(promise.recebido)

    def find_cells(self, note: Note) -> dict[str, Value]:
        """Find what a promise without an amount comes to."""
        promise = self._find_promise(note)
        if promise is None or not promise.tudo:
            return {}
        return {"valor_prometido": f"(tudo) {format_amount(to_decimal(promise.valor or 0))}"}

    def _find_promise(self, note: Note) -> Promise | None:
        day = read_value(note.valores.get("promessa", ""), Kind.DATE)
        return self._made.get((note.key, day)) if note.key is not None and isinstance(day, date) else None


def promises_sheet(promises: Sequence[Promise], queue: Queue) -> Sheet:
    """Build Promessas: promised against received, by the day promised; what was renegotiated counts on its new day.

    A promise without an amount counts as all that it means (`Promise.valor`), one whose amount was not understood as 0.
    """
    days: dict[date, list[Promise]] = {}
    for promise in promises:
        if promise.estado not in ENDED:
            days.setdefault(promise.dia, []).append(promise)
    shown = sorted(days)
    made = [days[day] for day in shown]
    today = queue.data_base
    parts: tuple[SheetColumn, ...] = (
        (make_column("Dia prometido", Kind.DATE, 14), shown),
        (make_column("Promessas", Kind.INTEGER, 11), [len(own) for own in made]),
        (make_column("Prometido", Kind.MONEY, 16), [_add(promise.valor or 0 for promise in own) for own in made]),
        # What came beyond a promise belongs to no other one.
        (
            make_column("Recebido", Kind.MONEY, 16),
            [_add(min(promise.recebido, promise.valor or 0) for promise in own) for own in made],
        ),
        (
            make_column("Falta", Kind.MONEY, 16),
            [_add(max((promise.valor or 0) - promise.recebido, 0) for promise in own) for own in made],
        ),
        (
            make_column("Cumpridas", Kind.INTEGER, 11),
            [sum(promise.estado == CUMPRIDA for promise in own) for own in made],
        ),
        (
            make_column("Quebradas", Kind.INTEGER, 11),
            [sum(promise.estado not in {CUMPRIDA, ABERTA} for promise in own) for own in made],
        ),
        (
            make_column("Situação", Kind.TEXT, 16),
            ["a vencer" if day > today else "hoje" if day == today else "vencida" for day in shown],
        ),
    )
    title = "Prometido x recebido, por dia prometido"
    return make_sheet("Promessas", (make_table("tbl_promessas", parts, title),), "2E7D32")


def _add(amounts: Iterable[int]) -> Decimal:
    return to_decimal(sum(amounts))
