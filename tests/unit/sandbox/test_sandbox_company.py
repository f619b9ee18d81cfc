"""What an invented company holds in each dialect; rows 18, 33 and 34 of what such services were seen to do."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from lastro_sandbox import Books, create_app, make_company
from lastro_sandbox.company_observed import DELETED
from lastro_sandbox.decisions import COMPOSITE_SHAPES, FEE_TEXT, CompositeShape, Dialect

DAY = date(2026, 3, 16)


def observed(seed: int = 1, size: int = 3000, shape: CompositeShape = "D") -> Books:
    return make_company(seed, size, DAY, shape, "observado")


@pytest.mark.parametrize("size", [0, 1, 2, 13, 60, 401, 5000])
@pytest.mark.parametrize("dialect", ["documento", "observado"])
def test_company_has_exactly_the_entries_asked_for(size: int, dialect: Dialect) -> None:
    assert len(make_company(2, size, DAY, "D", dialect).lancamentos) == size


@pytest.mark.parametrize("shape", COMPOSITE_SHAPES)
def test_every_issued_charge_has_its_fee_in_its_composite(shape: CompositeShape) -> None:
    books = observed(shape=shape)
    issued = [c for c in books.cobrancas.values() if c.data_cancelamento is None and c.estado != "agendado"]
    assert len(issued) > 300
    for charge in issued:
        members = [books.lancamentos[id_] for id_ in charge.lancamento_ids]
        fees = [entry for entry in members if entry.descricao == FEE_TEXT]
        assert [entry.valor for entry in fees] == [charge.valor_taxa]
        assert {entry.lancamento_composto_id for entry in members} == {charge.lancamento_composto_id}
        assert len({(entry.data_vencimento, entry.data_pagamento) for entry in members}) == 1
        positive = [e.valor for e in books.composite(charge.lancamento_composto_id or 0) if e.valor > 0]
        if shape != "T":  # there the carrier repeats what its items say
            assert sum(positive) == charge.valor
    others = [c for c in books.cobrancas.values() if c not in issued]
    assert not [c.id for c in others for id_ in c.lancamento_ids if books.lancamentos[id_].descricao == FEE_TEXT]


def test_a_carrier_of_shape_t_stays_the_total_of_its_items() -> None:
    books = observed(shape="T")
    carriers = {entry.item_de for entry in books.lancamentos.values() if entry.item_de is not None}
    assert len(carriers) > 50
    for id_ in carriers:
        carrier = books.lancamentos[id_ or 0]
        assert carrier.valor == sum(entry.valor for entry in books.siblings(carrier))


def test_entries_fall_due_on_the_charges_day_or_some_days_after_it() -> None:
    books = observed()
    apart = [
        (
            date.fromisoformat(books.lancamentos[c.lancamento_ids[0]].data_vencimento)
            - date.fromisoformat(c.data_vencimento)
        ).days
        for c in books.cobrancas.values()
        if c.data_cancelamento is None
    ]
    assert set(apart) == {0, 1, 2, 3, 5}
    assert 0.2 < sum(days > 0 for days in apart) / len(apart) < 0.6


@pytest.mark.parametrize("seed", range(4))
def test_money_is_on_its_way_with_the_entry_settled_and_not(seed: int) -> None:
    books = observed(seed, 1000)
    on_its_way = [
        (charge.estado, books.lancamentos[charge.lancamento_ids[0]].data_pagamento is not None)
        for charge in books.cobrancas.values()
        if charge.estado in ("cliente_pagou", "transferindo") and charge.data_cancelamento is None
    ]
    assert {("cliente_pagou", True), ("cliente_pagou", False), ("transferindo", True), ("transferindo", False)} <= set(
        on_its_way
    )


def test_old_entries_point_at_deleted_records() -> None:
    books = observed()
    existing: dict[str, set[int]] = {
        "pessoa_id": set(books.pessoas),
        "categoria_id": set(books.categorias),
        "centro_custo_lucro_id": set(books.centros),
    }
    for name, known in existing.items():
        lost = {getattr(e, name) for e in books.lancamentos.values()} - known - {None}
        assert lost == set(DELETED[name]), name
        assert books.new_id("pessoas") > max(DELETED["pessoa_id"])
    old = (DAY - timedelta(days=400)).isoformat()
    assert all(e.data_vencimento < old for e in books.lancamentos.values() if e.pessoa_id in DELETED["pessoa_id"])


def test_nothing_of_it_leaks_into_the_dialect_documento() -> None:
    books = make_company(1, 3000, DAY)
    assert not [
        e.id for e in books.lancamentos.values() if e.descricao == FEE_TEXT or e.pessoa_id in DELETED["pessoa_id"]
    ]
    before = repr(books.lancamentos)
    create_app(books)
    assert repr(books.lancamentos) == before


def test_an_invented_company_served_in_the_other_dialect_is_dressed_once() -> None:
    books = make_company(1, 3000, DAY)
    create_app(books, dialeto="observado")
    fees = sum(entry.descricao == FEE_TEXT for entry in books.lancamentos.values())
    assert (fees > 300, len(books.lancamentos)) == (True, 3000 + fees)
    create_app(books, dialeto="observado")
    assert len(books.lancamentos) == 3000 + fees
