"""Mornings after a restoration, with files that were made up: a word counts for what its own file showed, or not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.run.order import RunResult
from lastro_sandbox import create_app, serve
from tests.desk_sheets import header_of, put, row_with
from tests.payables import OWNER, TUESDAY, copy_monday, make_books
from tests.served import TOKEN, ask, folder_of, run_served

WEDNESDAY = TUESDAY + timedelta(1)
TYPED = {"Pagar em": date(2026, 3, 20), "Responsável": "Bia", "Aprovado por": OWNER}
UNKNOWN = "esta versão do lastro não escreveu o arquivo da aprovação: aprove no novo"


@dataclass(frozen=True)
class Mornings:
    """What the lost Tuesday's file was called, what the one after the restoration is, and Wednesday."""

    folder: Path
    lost: str
    again: str
    wednesday: RunResult


def _save(original: Path, target: Path, number: int, arquivo_id: str = "", **other: Any) -> None:
    """Approve a row in a copy of a file, which may say that it is another file."""
    book = openpyxl.load_workbook(original)
    sheet = book["Decidir"]
    put(sheet, row_with(sheet, "titulo_id", number), **TYPED, **other)
    book["_lastro"]["B1"].value = arquivo_id or book["_lastro"]["B1"].value
    book.save(target)


def _answer(original: Path, target: Path) -> None:
    """Answer in a file that lost its hidden sheet, with a second name."""
    book = openpyxl.load_workbook(original)
    sheet = book["Já pagos"]
    put(sheet, row_with(sheet, "titulo_id", 3000), **{"Resposta": "pago", "Aprovado por": OWNER})
    del book["_lastro"]
    book.save(target)


def _work(original: Path) -> None:
    """Type an account that is none, and answer where nothing is asked: on *Decidir*, under a header of one's own."""
    book = openpyxl.load_workbook(original)
    sheet = book["Decidir"]
    put(sheet, row_with(sheet, "titulo_id", 1004), **TYPED, Conta="Conta Gama")
    sheet.cell(4, sheet.max_column + 1).value = "Resposta"
    sheet.cell(row_with(sheet, "titulo_id", 3000), header_of(sheet)["Resposta"]).value = "pago"
    book.save(original)


def _read_id(path: Path) -> str:
    return str(openpyxl.load_workbook(path, read_only=True)["_lastro"]["B1"].value)


@pytest.fixture(scope="module")
def mornings(monday_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mornings]:
    books, approved = make_books(), tmp_path_factory.mktemp("correio") / "aprovada.xlsx"
    with serve(create_app(books, token=TOKEN)) as service:
        settings, _ = copy_monday(monday_run, tmp_path_factory.mktemp("perdida"), service.base_url, "100.00")
        run_served(settings, TUESDAY)
        mailed = folder_of(settings) / "relatorios" / f"pagamentos_{TUESDAY}.xlsx"
        _save(mailed, approved, 3004)
        # The disk is lost, Monday's backup comes back, and meanwhile the books say another day.
        settings, original = copy_monday(monday_run, tmp_path_factory.mktemp("restaurada"), service.base_url, "100.00")
        books.lancamentos[3004].data_vencimento = "2026-03-12"
        books.touch("lancamentos", 3004)
        folder = original.parent
        for run, day, number in ((2, TUESDAY, 3003), (3, WEDNESDAY, 3002)):
            claimed = f"ouro/pagamentos/{run}/{day}"
            _save(original, folder / f"futura {run}.xlsx", number, claimed, Fornecedor="Papelaria", **{"A pagar": 60})
        _answer(original, folder / "sem folha.xlsx")
        _work(original)
        run_served(settings, TUESDAY)
        again = _read_id(folder / f"pagamentos_{TUESDAY}.xlsx")
        shutil.copyfile(approved, folder / approved.name)
        yield Mornings(folder, _read_id(mailed), again, run_served(settings, WEDNESDAY))


def test_a_number_that_comes_twice_names_two_files(mornings: Mornings) -> None:
    lost, again = mornings.lost.split("/"), mornings.again.split("/")
    assert lost[:3] == again[:3] == ["ouro", "pagamentos", str(TUESDAY)]
    assert lost[3] != again[3]


def test_nothing_counts_for_what_another_file_shows_however_many_runs_come(mornings: Mornings) -> None:
    found = ask(mornings.wednesday, "SELECT titulo_id, estado, motivo FROM mart.decisoes ORDER BY titulo_id")
    assert found == [
        (1004, "aguarda aprovação", "não entendi a conta «Conta Gama»"),
        *((number, "aguarda aprovação", UNKNOWN) for number in (3002, 3003, 3004)),
    ]
    approved = mornings.folder / f"pagamentos_aprovados_{WEDNESDAY}.csv"
    assert len(approved.read_text(encoding="utf-8-sig").splitlines()) == 1  # its header


def test_nobody_answers_where_nothing_is_asked_or_in_a_file_that_is_not_known(mornings: Mornings) -> None:
    assert ask(mornings.wednesday, "SELECT titulo_id FROM mart.pagamentos_ja_pagos") == [(3000,)]
    assert ask(mornings.wednesday, "SELECT count(*) FROM mart.pagamentos_decidir WHERE titulo_id = 3000") == [(1,)]
    assert "V41" not in {check.id for check in mornings.wednesday.catalogue.errors}


def test_whoever_looks_is_told(mornings: Mornings) -> None:
    told = ask(mornings.wednesday, "SELECT arquivo, motivo FROM raw.arquivo_rejeitados")
    said = {name: [text for own, text in told if own == name] for name, _ in told}
    assert any("não o escreveu: aprovação nenhuma dele vale" in text for text in said["aprovada.xlsx"])
    (warned,) = ask(mornings.wednesday, "SELECT aviso FROM mart.pagamentos_decidir WHERE titulo_id = 3004")
    assert "Aprovado por: " + UNKNOWN in warned[0]
