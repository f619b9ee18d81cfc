"""Moves the company's day: what is due is settled, what is scheduled is issued, customers pay, money arrives.

Each day of a move is lived: on it scheduled charges are issued, open automatic entries and scheduled transfers due by
then are settled on their due date, some customers pay, and paid charges are transferred. Who pays when depends on
nothing but the books' seed, the charge and the day.
"""

from __future__ import annotations

import random
from typing import Final

from lastro_sandbox.charges import notify, repeat_charge
from lastro_sandbox.decisions import REPETITIONS_MAX
from lastro_sandbox.entries import extend_series, settle_if_due
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Charge, Entry
from lastro_sandbox.repeats import add_days, add_periods, days_between, find_horizon

_DAYS_TO_TRANSFER: Final = 1
_DAYS_TO_ARRIVE: Final = 2


def advance(books: Books, days: int) -> dict[str, int | str]:
    """Move the books some days ahead.

    Args:
        days: zero or more.

    Returns:
        The new day and how many entries were settled, charges issued, paid and transferred, entries generated.
    """
    counts = {"liquidados": 0, "emitidas": 0, "pagas": 0, "transferidas": 0, "gerados": 0}
    waiting = [
        entry for entry in books.lancamentos.values() if entry.pagamento_automatico and entry.data_pagamento is None
    ]
    moving = [charge for charge in books.cobrancas.values() if _moves(charge)]
    for _ in range(days):
        books.hoje = add_days(books.hoje, 1)
        books.ticks = 0
        for entry in waiting:
            counts["liquidados"] += entry.id in books.lancamentos and settle_if_due(books, entry)
        for charge in moving:
            _move_charge(books, charge, counts)
    counts["gerados"] = _extend_endless(books) + _extend_charges(books)
    books.version += 1
    return {"hoje": books.hoje, **counts}


def _moves(charge: Charge) -> bool:
    return charge.data_cancelamento is None and charge.estado != "transferido"


def _move_charge(books: Books, charge: Charge, counts: dict[str, int]) -> None:
    """Live one day of one charge."""
    before = charge.estado
    due_in = days_between(books.hoje, charge.data_vencimento)
    if charge.estado == "agendado" and due_in <= charge.dias_para_emissao:
        charge.estado = "pendente"
        counts["emitidas"] += 1
        notify(books, charge, "emissao")
    elif charge.estado == "pendente" and _pays_today(books, charge, due_in):
        _pay(books, charge, late=due_in < 0)
        counts["pagas"] += 1
    elif charge.estado == "cliente_pagou" and books.hoje >= (charge.data_a_transferir or ""):
        charge.estado, charge.data_transferindo = "transferindo", books.hoje
    elif charge.estado == "transferindo" and days_between(charge.data_a_transferir or books.hoje, books.hoje) >= (
        _DAYS_TO_ARRIVE - _DAYS_TO_TRANSFER
    ):
        charge.estado, charge.data_transferido = "transferido", books.hoje
        counts["transferidas"] += 1
    if charge.estado != before:
        books.touch("cobrancas", charge.id)


def _pays_today(books: Books, charge: Charge, due_in: int) -> bool:
    """Decide by seed, charge and day: few pay early, most on the due date, the late ones a few a day."""
    chance = 0.05 if 0 < due_in <= 5 else 0.5 if due_in == 0 else 0.08 if due_in < 0 else 0.0
    return random.Random(f"{books.seed}:{charge.id}:{books.hoje}").random() < chance  # noqa: S311 - seeded on purpose


def _pay(books: Books, charge: Charge, *, late: bool) -> None:
    """Let the customer pay: fine and interest of a late slip, the entries settled, the transfer announced."""
    days_late = max(0, days_between(charge.data_vencimento, books.hoje))
    fine = (charge.valor * charge.percentual_multa + 5000) // 10000 if late else 0
    interest = (charge.valor * days_late + 1500) // 3000 if late and charge.cobrar_juros else 0
    charge.valor_multa_juros = fine + interest
    charge.valor_pago = charge.valor + charge.valor_multa_juros
    charge.estado = "cliente_pagou"
    charge.data_a_transferir = add_days(books.hoje, _DAYS_TO_TRANSFER)
    for entry_id in charge.lancamento_ids:
        entry = books.lancamentos.get(entry_id)
        if entry is not None and entry.data_pagamento is None:
            books.change_entry(entry, data_pagamento=books.hoje, modified=books.tick())


def _extend_endless(books: Books) -> int:
    """Generate what the horizon of each endless series now asks for; return how many entries that were."""
    last: dict[int, Entry] = {}
    for entry in books.lancamentos.values():
        if entry.infinito and entry.grupo_id is not None and entry.item_de is None:
            kept = last.get(entry.grupo_id)
            if kept is None or entry.data_vencimento > kept.data_vencimento:
                last[entry.grupo_id] = entry
    charged = {charge.grupo_id for charge in books.cobrancas.values() if charge.grupo_id is not None}
    booked = 0
    for group, entry in last.items():
        if group not in charged and entry.periodicidade is not None:  # a repeating charge brings its own entries
            booked += extend_series(
                books, entry, 1, _steps_to_horizon(books, entry.data_vencimento, entry.periodicidade)
            )
    return booked


def _steps_to_horizon(books: Books, last: str, period: str) -> int:
    """Return the first step after a date that lies beyond the horizon of today."""
    horizon, steps = find_horizon(books.hoje, books.hoje), 1
    while steps < REPETITIONS_MAX and add_periods(last, period, steps) <= horizon:
        steps += 1
    return steps


def _extend_charges(books: Books) -> int:
    """Schedule what the horizon of each unlimited charge now asks for; a cancelled last one ends its series."""
    last: dict[int, Charge] = {}
    for charge in books.cobrancas.values():
        if charge.grupo_id is not None and charge.parcelas is None:
            kept = last.get(charge.grupo_id)
            if kept is None or charge.data_vencimento > kept.data_vencimento:
                last[charge.grupo_id] = charge
    booked = 0
    for charge in last.values():
        if charge.data_cancelamento is None and charge.periodicidade is not None:
            steps = _steps_to_horizon(books, charge.data_vencimento, charge.periodicidade)
            booked += sum(repeat_charge(books, charge, step) for step in range(1, steps))
    return booked
