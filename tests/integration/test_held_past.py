"""A past that changes too much at once is held, whatever the cause, and a restated month is told (S13, V32)."""

from __future__ import annotations

import os
from datetime import date, timedelta
from pathlib import Path

import openpyxl
import pytest

from lastro.errors import ChangesHeld, ConfigError
from lastro.grid.workbook import tables_of
from lastro_sandbox import Books, create_app, make_company, serve
from lastro_sandbox.model import Entry
from tests.served import TOKEN, run_served, write_settings

TODAY = date(2026, 6, 15)


def past(books: Books, paid: bool = True) -> list[Entry]:
    """Simple entries of the months before June, paid there or still open."""
    return [
        entry
        for entry in books.lancamentos.values()
        if entry.lancamento_transferencia_id is None
        and entry.lancamento_composto_id is None
        and str(entry.data_competencia) < "2026-06"
        and (entry.data_pagamento is not None) == paid
        and (not paid or str(entry.data_pagamento) < "2026-06")
    ]


@pytest.mark.longo
def test_other_books_under_the_same_ids_are_held_until_a_person_accepts_them(tmp_path: Path) -> None:
    books = make_company(seed=5, lancamentos=400, hoje=TODAY)
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url)
        link = run_served(settings, TODAY).warehouse
        target = os.readlink(link)
        for entry in past(books):
            books.change_entry(entry, valor=2 * entry.valor)
        with pytest.raises(ChangesHeld) as held:
            run_served(settings, TODAY + timedelta(days=1))
        assert "linhas anteriores a 06/2026" in str(held.value)
        assert "--aceitar-alteracoes 2" in str(held.value)
        assert set(held.value.held["lancamentos"]) == {entry.id for entry in past(books)}
        assert os.readlink(link) == target
        with pytest.raises(ConfigError, match="Foram: 2"):
            run_served(settings, TODAY + timedelta(days=1), aceitar_alteracoes=1)
        result = run_served(settings, TODAY + timedelta(days=1), aceitar_alteracoes=2)
    assert (result.execucao_id, os.readlink(link) == target) == (3, False)
    restated = next(check for check in result.verifications if check.id == "V32")
    assert (restated.situacao, restated.severidade) == ("falhou", "alerta")
    cover = openpyxl.load_workbook(result.workbooks[0])["Resumo"]
    texts = [str(cell.value) for row in cover.iter_rows() for cell in row if cell.value]
    assert f"Alerta: {restated.resumo}" in texts
    assert restated.resumo.startswith(f"{len({row[0] for row in entries(result)})} meses fechados alterados por ")


def entries(result: object) -> list[tuple[object, ...]]:
    tables = {table.name: table for table in tables_of(result.catalogue.reports)}  # type: ignore[attr-defined]
    return list(tables["mudancas_meses_linhas"].rows)


@pytest.mark.longo
def test_what_late_payers_settle_now_and_what_is_renamed_is_no_change_of_the_past(tmp_path: Path) -> None:
    books = make_company(seed=5, lancamentos=700, hoje=TODAY)
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url)
        run_served(settings, TODAY)
        for entry in past(books):
            books.change_entry(entry, descricao="outro texto", pessoa_id=None)
        for entry in past(books, paid=False):
            books.change_entry(entry, data_pagamento=TODAY.isoformat())
        result = run_served(settings, TODAY + timedelta(days=1))
    assert result.execucao_id == 2
