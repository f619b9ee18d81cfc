"""The clock moves the books as the document says, and the state file keeps them."""

from __future__ import annotations

import sqlite3
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from lastro_sandbox import create_app, golden_company, make_company
from lastro_sandbox.clock import advance
from lastro_sandbox.entries import book_entry
from lastro_sandbox.entry_forms import Repetition
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Charge
from lastro_sandbox.repeats import add_periods
from lastro_sandbox.store import StateError, Store

RENT = {
    "descricao": "Aluguel", "conta_id": 101, "categoria_id": 21, "valor": -150000, "data_vencimento": "2026-03-20",
    "data_competencia": "2026-03-01",
}  # fmt: skip


def test_automatic_entries_settle_on_their_due_date() -> None:
    books = golden_company()
    entry = book_entry(books, {**RENT, "pagamento_automatico": True})
    plain = book_entry(books, RENT)
    assert advance(books, 3)["liquidados"] == 0
    assert entry.data_pagamento is None
    assert advance(books, 1)["liquidados"] == 1
    assert [books.hoje, entry.data_pagamento, plain.data_pagamento] == ["2026-03-20", "2026-03-20", None]
    assert entry.modified.startswith("2026-03-20 ")


def test_endless_series_are_generated_to_a_year_ahead() -> None:
    books = golden_company()
    first = book_entry(books, RENT, repetition=Repetition("M1", None))
    assert [e.data_vencimento for e in books.group(first.grupo_id or 0)][-1] == "2027-03-20"
    assert advance(books, 60)["gerados"] == 1  # on 2026-05-15 the horizon is 2027-05-15
    series = books.group(first.grupo_id or 0)
    assert [(e.numero_repeticao, e.data_vencimento) for e in series][-1] == (14, "2027-04-20")
    assert {e.total_repeticoes for e in series} == {None}


def charge_of(books: Books, **changes: object) -> Charge:
    charge = books.cobrancas[9001]
    for name, value in changes.items():
        setattr(charge, name, value)
    return charge


def test_scheduled_charges_are_issued_some_days_before_they_are_due() -> None:
    books = golden_company()
    charge = charge_of(books, estado="agendado", data_vencimento="2026-04-10")
    advance(books, 19)  # 2026-04-04, six days before
    assert charge.estado == "agendado"
    assert advance(books, 1)["emitidas"] == 1
    assert charge.estado == "pendente"


def test_a_paid_charge_arrives_in_two_days_and_settles_its_entry() -> None:
    books = golden_company()
    charge = charge_of(books, data_vencimento="2026-03-17")
    days = 0
    while charge.estado == "pendente":
        advance(books, 1)
        days += 1
        assert days < 200, "the customer never pays"
    paid = books.hoje
    assert charge.valor_pago == 100000 + charge.valor_multa_juros
    assert books.lancamentos[1012].data_pagamento == paid
    advance(books, 1)
    assert (charge.estado, charge.data_transferindo) == ("transferindo", charge.data_a_transferir)
    advance(books, 1)
    assert (charge.estado, charge.data_transferido) == ("transferido", books.hoje)


@pytest.mark.parametrize("due", ["2026-03-08", "2026-03-09", "2026-03-10"])
def test_a_late_payment_carries_fine_and_interest_by_days(due: str) -> None:
    books = golden_company()
    charge = charge_of(books, data_vencimento=due)
    while charge.estado == "pendente":
        advance(books, 1)
    days = (date.fromisoformat(books.hoje) - date.fromisoformat(due)).days
    assert days > 6
    assert charge.valor_multa_juros == 2000 + int((Decimal(100000) * days / 3000).quantize(Decimal(1), ROUND_HALF_UP))


def test_a_cancelled_charge_does_not_move() -> None:
    books = golden_company()
    before = books.cobrancas[9004].estado
    advance(books, 60)
    assert books.cobrancas[9004].estado == before


def test_the_same_seed_lives_the_same_days() -> None:
    one, two = (make_company(3, 800, date(2026, 3, 16)) for _ in range(2))
    advance(one, 30)
    for _ in range(30):
        advance(two, 1)
    assert one.cobrancas == two.cobrancas
    assert {id_: e.data_pagamento for id_, e in one.lancamentos.items()} == {
        id_: e.data_pagamento for id_, e in two.lancamentos.items()
    }


@pytest.mark.parametrize(
    ("day", "period", "steps", "expected"),
    [
        ("2024-02-29", "M12", 1, "2025-02-28"),
        ("2026-12-31", "M2", 1, "2027-02-28"),
        ("2026-11-30", "M1", 1, "2026-12-30"),
        ("2026-03-05", "DS", 2, "2026-03-09"),
        ("2026-03-07", "DS", 1, "2026-03-09"),
        ("2026-03-05", "D1", 3, "2026-03-08"),
    ],
)
def test_periods(day: str, period: str, steps: int, expected: str) -> None:
    assert add_periods(day, period, steps) == expected


def test_the_state_file_keeps_everything(tmp_path: Path) -> None:
    books = golden_company("D")
    store = Store(tmp_path / "estado.db")
    assert store.load() is None
    store.save_all(books)
    book_entry(books, {**RENT, "tags": (1, 2)}, repetition=Repetition("M1", 3))
    books.remove_entry(books.lancamentos[1014])
    advance(books, 5)
    store.flush(books, moved=True)
    store.close()
    again = Store(tmp_path / "estado.db")
    kept = again.load()
    again.close()
    assert kept is not None
    assert kept.lancamentos == books.lancamentos
    assert (kept.cobrancas, kept.pessoas, kept.categorias) == (books.cobrancas, books.pessoas, books.categorias)
    assert (kept.hoje, kept.forma_composto, kept.nome) == ("2026-03-21", "D", "Empresa Ouro Ltda")
    assert kept.new_id("lancamentos") == books.new_id("lancamentos")
    assert kept.new_id("grupos") == books.new_id("grupos")


def test_a_damaged_state_file_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "estado.db"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(StateError, match=r"estado\.db"):
        Store(path)
    other = tmp_path / "outro.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE meta (chave TEXT PRIMARY KEY, valor TEXT NOT NULL)")
        db.execute("INSERT INTO meta VALUES ('formato', '99')")
    db.close()
    store = Store(other)
    with pytest.raises(StateError, match="version"):
        store.load()
    store.close()


def test_unknown_settings_are_named() -> None:
    for settings in ({"dialeto": "x"}, {"forma_count": "x"}, {"falhas": ["x"]}, {"janelas": ["x"]}):
        with pytest.raises(ValueError, match="x"):
            create_app(golden_company(), **settings)
