"""Whatever a workbook says at the desk can be kept: cells, headers and keys of any kind, written and read again."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lastro.desk.desks import DESKS, PAGAMENTOS, PAGAR
from lastro.desk.model import Desk, DeskFile, Note, Shown
from lastro.desk.notes import find_new_notes, fold_notes
from lastro.desk.reader import read_desk
from lastro.desk.storage import read_notes, read_shown, read_undone, write_notes, write_shown
from lastro.entrada.door import Received
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.files import keep_refused, read_refused
from tests.marks import examples

SAVED = datetime(2026, 3, 16, 9, tzinfo=UTC)
HEADERS = {
    desk.name: [*(each.header for each in desk.fields), *desk.keys, "Cliente", "Minha coluna", "", None]
    for desk in DESKS
}
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12)
"""What XML can hold: no sheet says anything else."""
CELLS = st.one_of(
    st.none(),
    TEXTS,
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.dates(date(1900, 3, 1), date(9999, 12, 31)),
    st.sampled_from(["NaN", "1E+999999", "12345678901234567890", "1.500", "20/03", "sexta", "99999999999999999,00"]),
)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with Warehouse(tmp_path_factory.mktemp("notas")) as opened:
        yield opened


@settings(examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.lists(st.lists(CELLS, max_size=16), max_size=6))
@pytest.mark.parametrize("desk", DESKS, ids=[desk.name for desk in DESKS])
def test_any_sheet_can_be_kept_and_comes_back(
    warehouse: Warehouse, desk: Desk, data: st.DataObject, rows: list[list[Any]]
) -> None:
    headers = data.draw(st.permutations(HEADERS[desk.name]))
    book, stream = openpyxl.Workbook(), io.BytesIO()
    sheet = book.create_sheet(min(desk.sheets), 0)
    for place, row in enumerate([headers, *rows], 1):
        for column, value in enumerate(row, 1):
            sheet.cell(place, column).value = value
            if isinstance(value, str):
                sheet.cell(place, column).data_type = "s"
    book.save(stream)
    received = Received("a.xlsx", stream.getvalue(), SAVED)
    found = read_desk(received, SAVED.date())
    assert found.desk is desk
    when = SAVED.replace(tzinfo=None)
    notes = find_new_notes(found, [], arquivo="a.xlsx", sha256=received.sha256, quando=when, quando_utc=when)
    with warehouse.transaction():
        warehouse.con.execute("DELETE FROM hist.anotacoes")
    write_notes(warehouse, 1, found, "a.xlsx", received.sha256, notes)
    kept = read_notes(warehouse, found.desk, "America/Sao_Paulo")
    assert kept == notes
    assert fold_notes(found.desk, kept) == fold_notes(found.desk, notes)
    assert find_new_notes(found, kept, arquivo="a.xlsx", sha256="b", quando=SAVED.replace(tzinfo=None)) == []


def test_what_was_not_read_is_kept_with_the_run_in_the_place_of_what_was_before(tmp_path: Path) -> None:
    with Warehouse(tmp_path) as own:
        keep_refused(own, 1, [("b.xlsx", "danificado"), ("a.xlsx", "é um atalho")])
        keep_refused(own, 2, [("a.xlsx", "é um atalho")])
        keep_refused(own, 1, [("b.xlsx", "danificado")])
        assert read_refused(own, 1) == [("b.xlsx", "danificado")]
        assert read_refused(own, 2) == [("a.xlsx", "é um atalho")]


def test_a_payment_that_the_books_took_back_is_known_by_the_run_that_found_it(tmp_path: Path) -> None:
    """Run n is of day n. Título 1 was paid, changed and undone; 2 is paid; 3 was booked ahead, and moved."""
    versions = [
        (1, date(2026, 3, 2), 2, 3), (1, date(2026, 3, 2), 3, 5), (1, None, 5, 6), (1, None, 6, None),
        (2, None, 1, 2), (2, date(2026, 3, 2), 2, None), (3, date(2026, 3, 20), 1, 4), (3, None, 4, None),
    ]  # fmt: skip
    with Warehouse(tmp_path) as own:
        days = [{"execucao_id": run, "data_extracao": date(2026, 3, run)} for run in range(1, 7)]
        own.insert("ops.execucoes", days)
        names = ("titulo_id", "data_pagamento", "valido_de", "valido_ate")
        own.insert("hist.titulos", [dict(zip(names, row, strict=True)) for row in versions])
        assert read_undone(own, date(2026, 3, 6)) == {1: 5}
        assert read_undone(own, date(2026, 3, 4)) == {1: 3}  # which is paid, and of no use


def test_what_a_file_showed_is_kept_two_months_or_for_good_where_it_brought_a_note(tmp_path: Path) -> None:
    def name(day: date) -> str:
        return f"um/pagamentos/{day}/0a1b" if day == now else f"um/pagamentos/1/{day}"  # as 0.3.0 called them

    old, noted, late, now = (date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 29), date(2026, 3, 30))
    shown = {(PAGAR, 7): Shown("Delta · Aluguel", 1500_00, 601, "11", "0a", date(2026, 3, 5), 101)}
    note = Note(PAGAR, 7, "", {}, {"conta": ""}, {}, datetime(2026, 1, 3), "a.xlsx", name(noted), "s")  # noqa: DTZ001
    with Warehouse(tmp_path) as own:
        write_notes(own, 1, DeskFile(PAGAMENTOS, name(noted), {}, ()), "a.xlsx", "s", [note])
        for day in (old, noted, late, now):
            write_shown(own, 1, name(day), shown)
        write_shown(own, 2, name(now), {(PAGAR, 7): Shown("Delta", 60_00)})  # never in the place of what was kept
        kept = read_shown(own, map(name, (old, noted, late, now)))
        wrote = {key: replace(each, execucao_id=1) for key, each in shown.items()}
        assert kept == {name(day): wrote for day in (noted, late, now)}
        assert own.query("SELECT count(*) FROM hist.mesa_mostrado") == [(3,)]
