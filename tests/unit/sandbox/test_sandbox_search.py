"""Searches: found is what looking at every entry finds, whatever changes meanwhile, and nobody waits for them."""

from __future__ import annotations

import random
from datetime import date
from typing import get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro_sandbox import Books, create_app, make_company
from lastro_sandbox.answers import RowCache
from lastro_sandbox.decisions import COMPOSITE_SHAPES, CompositeShape, Dialect
from lastro_sandbox.indexes import Regime, drain
from lastro_sandbox.listing import EntryFilter, Listings
from lastro_sandbox.model import Entry, format_money
from lastro_sandbox.render import render_entry
from lastro_sandbox.search import TextIndex, fold_text

DAY = date(2026, 3, 16)
NEEDLES = (
    "venda 1",
    "ção",
    "CAO",
    "12,3",
    "12.3",
    "1.2,3",
    "0",
    ",",
    "nf-1",
    "combinado",
    "joão",
    "\x00",
    "x\x01y",
    "",
)


def look_at_every_entry(books: Books, text: str) -> set[int]:
    def texts(entry: Entry) -> list[str]:
        money = format_money(abs(entry.valor))
        found = [money, money.replace(".", ","), fold_text(entry.descricao), fold_text(entry.observacao)]
        person = books.pessoas.get(entry.pessoa_id or 0)
        return found if person is None else [*found, fold_text(person.nome), fold_text(person.nome_fantasia or "")]

    return {e.id for e in books.lancamentos.values() if any(fold_text(text) in found for found in texts(e))}


@pytest.fixture(scope="module")
def books() -> Books:
    return make_company(4, 1200, DAY, "D")


@pytest.mark.parametrize("needle", NEEDLES)
def test_a_search_finds_what_looking_finds(books: Books, needle: str) -> None:
    assert drain(TextIndex(books).find(needle)) == look_at_every_entry(books, needle)


@pytest.fixture(scope="module")
def index(books: Books) -> TextIndex:
    return TextIndex(books)


@given(needle=st.text(alphabet="aeo cãç0159.,-", max_size=4))
def test_a_search_finds_what_looking_finds_for_any_text(books: Books, index: TextIndex, needle: str) -> None:
    assert drain(index.find(needle)) == look_at_every_entry(books, needle)


def test_what_changes_is_found_as_it_now_is() -> None:
    books, rng = make_company(4, 400, DAY, "D"), random.Random(1)  # noqa: S311 - seeded on purpose
    index = TextIndex(books)
    for step in range(60):
        drain(index.find("zebra"))
        entry = rng.choice(list(books.lancamentos.values()))
        if step % 3 == 0:
            books.change_entry(entry, descricao=f"Zebra {step}")
        elif step % 3 == 1 and entry.lancamento_transferencia_id is None:
            books.remove_entry(entry)
        else:
            books.add_entry(Entry(books.new_id("lancamentos"), 101, None, 5, "uma zebra", "2026-01-01"))
        assert drain(index.find("zebra")) == look_at_every_entry(books, "zebra")


@pytest.mark.parametrize("regime", ["caixa", "competencia"])
@pytest.mark.parametrize("asked", [{"conta_id": 101}, {"pessoa_id": 510}, {"todas_as_contas": True}])
@pytest.mark.parametrize("needle", ["venda 1", "a"])
def test_a_filtered_search_keeps_the_order(books: Books, regime: Regime, asked: dict, needle: str) -> None:
    listings = Listings(books)
    plain = EntryFilter(**asked, regime=regime, data_inicio="2024-01-01", data_fim="2025-12-31")
    matching = look_at_every_entry(books, needle)
    found = listings.select(
        EntryFilter(**asked, regime=regime, data_inicio="2024-01-01", data_fim="2025-12-31", busca=needle)
    )
    assert list(found) == [key for key in listings.select(plain) if key[1] in matching]


def test_a_change_between_two_slices_begins_the_selection_again() -> None:
    books = make_company(4, 3000, DAY)
    listings = Listings(books)
    asked = EntryFilter(conta_id=101, busca="venda", tipo="R")
    work = listings.prepare(asked)
    next(work)
    entry = next(e for e in books.lancamentos.values() if e.descricao.startswith("Venda") and e.conta_id == 101)
    books.change_entry(entry, descricao="Outra coisa")
    found = drain(work)
    assert entry.id not in {id_ for _, id_ in found}
    assert list(found) == list(Listings(books).select(asked))


@pytest.mark.parametrize("shape", COMPOSITE_SHAPES)
@pytest.mark.parametrize("dialect", get_args(Dialect))
def test_kept_rows_are_those_that_rendering_gives(shape: CompositeShape, dialect: Dialect) -> None:
    books, rng = make_company(4, 150, DAY, shape), random.Random(2)  # noqa: S311 - seeded on purpose
    app = create_app(books, dialeto=dialect)
    service, rows = app.state.service, app.state.companies[0].rows
    assert isinstance(rows, RowCache)
    for step in range(120):
        listed = [entry for entry in books.lancamentos.values() if books.is_row(entry)]
        assert orjson.loads(rows.encode(service, listed)) == [render_entry(service, entry) for entry in listed]
        entry = rng.choice(list(books.lancamentos.values()))
        if step % 4 == 0:
            books.change_entry(entry, valor=entry.valor + 1)
        elif step % 4 == 1 and entry.lancamento_transferencia_id is None:
            books.remove_entry(entry)
        elif step % 4 == 2:
            charge = rng.choice(list(books.cobrancas.values()))
            charge.data_cancelamento = None if charge.data_cancelamento else "2026-03-16"
            books.touch("cobrancas", charge.id)
        else:
            books.change_entry(entry, lancamento_composto_id=50001)
