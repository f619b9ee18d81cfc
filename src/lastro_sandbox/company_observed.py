"""Gives an invented company what only services in use were seen to have; the dialect ``documento`` never does.

Fees booked beside the charges they were taken from, entries due some days after their charge, money of charges on its
way with the entry settled or not, and entries that point at records deleted long ago. Its dice are its own: the company
below stays the one that the same seed gives in the dialect ``documento``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from lastro_sandbox.company_charges import make_total
from lastro_sandbox.decisions import FEE_TEXT
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Charge, Entry
from lastro_sandbox.repeats import add_days

DELETED: Final = {"pessoa_id": (498, 499), "categoria_id": (19,), "centro_custo_lucro_id": (9,)}
"""Ids below those in use, so that no new record ever gets one."""
_FEE_CATEGORY: Final = 261
_ON_ITS_WAY: Final = 4  # charges paid and not yet transferred, settled in the books and not
_OLD_DAYS: Final = 400


def dress_books(books: Books, fill: Callable[[int], None] | None = None) -> None:
    """Add all of it to an invented company, once.

    Args:
        books: the books; others than freshly invented ones are left alone.
        fill: called with the number of fee rows to come, before they are booked.
    """
    if not books.undressed:
        return
    books.undressed = False
    rng = random.Random(f"{books.seed}:observado")  # noqa: S311 - invented books, not secrets
    _send_money(books)
    issued = [charge for charge in books.cobrancas.values() if _is_issued(charge)]
    if fill is not None:
        fill(len(issued))
    for charge in issued:
        _book_fee(books, charge)
        if rng.random() < 0.4:
            _postpone(books, charge, rng.choice((1, 2, 3, 5)))
    _point_at_deleted(books, rng)


def _is_issued(charge: Charge) -> bool:
    return charge.data_cancelamento is None and charge.estado != "agendado"


def _entries_of(books: Books, charge: Charge) -> list[Entry]:
    return [books.lancamentos[id_] for id_ in charge.lancamento_ids if id_ in books.lancamentos]


def _send_money(books: Books) -> None:
    """Let some customers pay yesterday or today: of half of them the entries are settled too, of the others not yet.

    They are those whose charges wait, and then those who paid last.
    """
    issued = [charge for charge in books.cobrancas.values() if _is_issued(charge)]
    waiting = [
        charge
        for charge in issued
        if charge.estado == "pendente" and all(entry.data_pagamento is None for entry in _entries_of(books, charge))
    ]
    arrived = [charge for charge in issued if charge.estado == "transferido"]
    arrived.sort(key=lambda charge: (charge.data_transferido or "", charge.id), reverse=True)
    for place, charge in enumerate([*waiting[:_ON_ITS_WAY], *arrived][: 2 * _ON_ITS_WAY]):
        age, settled = place // 2 % 2, place % 2 == 0
        day = add_days(books.hoje, -age)
        charge.valor_pago, charge.valor_multa_juros = charge.valor, 0
        charge.data_a_transferir = add_days(day, 1)
        charge.estado = "transferindo" if age else "cliente_pagou"
        charge.data_transferindo = charge.data_a_transferir if age else None
        charge.data_transferido = None
        for entry in books.members(_entries_of(books, charge)[0]):
            books.change_entry(entry, data_pagamento=day if settled else None)
        books.touch("cobrancas", charge.id)


def _book_fee(books: Books, charge: Charge) -> None:
    """Book the fee as a negative member of the charge's composite; a charge of one entry becomes a composite.

    The fee is a row where the entry has no items, as those of the charges made by a request are. In shape T, whose
    carriers are totals, it is an item.
    """
    entries = _entries_of(books, charge)
    first = entries[0]
    carries, totals = first.lancamento_composto_id is not None, books.forma_composto == "T"
    if not carries:
        books.change_entry(first, lancamento_composto_id=books.new_id("compostos"))
    fee = books.add_entry(
        Entry(
            id=books.new_id("lancamentos"),
            conta_id=first.conta_id,
            categoria_id=_FEE_CATEGORY,
            valor=charge.valor_taxa,
            descricao=FEE_TEXT,
            data_vencimento=first.data_vencimento,
            data_pagamento=first.data_pagamento,
            data_competencia=first.data_competencia,
            pessoa_id=first.pessoa_id,
            centro_custo_lucro_id=first.centro_custo_lucro_id,
            forma_pagamento_id=first.forma_pagamento_id,
            lancamento_composto_id=first.lancamento_composto_id,
            item_de=first.id if carries or totals else None,
            modified=first.modified,
        )
    )
    charge.lancamento_ids = (*charge.lancamento_ids, fee.id)
    charge.lancamento_composto_id = first.lancamento_composto_id
    if totals and carries:
        books.change_entry(first, valor=first.valor + charge.valor_taxa)
    elif totals:
        make_total(books, first)
    books.touch("cobrancas", charge.id)


def _postpone(books: Books, charge: Charge, days: int) -> None:
    for entry in books.members(_entries_of(books, charge)[0]):
        books.change_entry(entry, data_vencimento=add_days(entry.data_vencimento, days))


def _point_at_deleted(books: Books, rng: random.Random) -> None:
    """Let some old entries, one in 400, point at a person, a category, a cost centre that was deleted since."""
    before = add_days(books.hoje, -_OLD_DAYS)
    charged = {id_ for charge in books.cobrancas.values() for id_ in charge.lancamento_ids}
    old = [
        entry
        for entry in books.lancamentos.values()
        if entry.data_vencimento < before
        and entry.lancamento_transferencia_id is None
        and entry.lancamento_composto_id is None
        and entry.grupo_id is None
        and entry.pessoa_id is not None
        and entry.id not in charged
    ]
    count = len(books.lancamentos) // 400
    for name, ids in DELETED.items():
        for entry in rng.sample(old, min(count, len(old))):
            books.change_entry(entry, **{name: rng.choice(ids)})
