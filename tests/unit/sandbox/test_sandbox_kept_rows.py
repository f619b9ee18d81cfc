"""Rows that are kept are those that rendering gives."""

from __future__ import annotations

import random
from datetime import date
from typing import get_args

import orjson
import pytest

from lastro_sandbox import create_app, make_company
from lastro_sandbox.answers import RowCache
from lastro_sandbox.decisions import COMPOSITE_SHAPES, CompositeShape, Dialect
from lastro_sandbox.render import render_entry

DAY = date(2026, 3, 16)


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
