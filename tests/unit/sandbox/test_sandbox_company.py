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
