"""A comment of a cell is a word of its row: it comes into the note of the row, once, whichever program saved it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.comments import Comment

from lastro.desk.desks import PAGAMENTOS
from lastro.desk.model import Cells, DeskFile, Note
from lastro.desk.notes import find_new_notes, fold_notes, list_changed
from lastro.desk.reader import read_desk
from lastro.entrada.door import read_file
from tests.desk_sheets import SOFFICE, header_of, move_column, put, row_with, save_with_libreoffice, sort_rows
from tests.unit.desk.bare import build_payables
from tests.unit.desk.written import NAME, D, golden, undecided, write_file

NINE = datetime(2026, 3, 16, 9)  # noqa: DTZ001 - local, as stored
KEY = ("pagar", 3004)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_file(undecided(build_payables(golden())), tmp_path_factory.mktemp("mesa") / NAME)


class Mesa:
    """A file that somebody works in, and what was read of it."""

    def __init__(self, path: Path, program: str) -> None:
        self.path, self.program, self.hours = path, program, 0
        self.notes: list[Note] = []
        self.copies: dict[str, Cells] = {NAME: {}}

    def save(self, comments: dict[str, str] | None = None, **typed: Any) -> list[Note]:
        """Comment on cells of 3004 (by header, or by their address) and type into it; return what is new."""
        book = openpyxl.load_workbook(self.path)
        ws = book["Decidir"]
        row = row_with(ws, "titulo_id", 3004)
        for where, text in (comments or {}).items():
            cell = ws.cell(row, header_of(ws)[where]) if where in header_of(ws) else ws[where]
            cell.comment = Comment(text, "Bia")
        put(ws, row, **typed)
        book.save(self.path)
        if self.program == "libreoffice":
            save_with_libreoffice(self.path, self.path)
        return self.read()

    def read(self) -> list[Note]:
        found: DeskFile = read_desk(read_file(self.path), D)
        assert found.fora == ()
        self.hours += 1
        when = NINE + timedelta(hours=self.hours)
        new = find_new_notes(found, self.notes, self.copies, arquivo=NAME, sha256=str(when), quando=when)
        self.copies[NAME] = list_changed(found)
        self.notes += new
        return new

    @property
    def note(self) -> str:
        """What the next file has in the note of 3004."""
        return fold_notes(PAGAMENTOS, self.notes)[0][KEY].valores["anotacao"]


@pytest.fixture(params=["openpyxl", pytest.param("libreoffice", marks=pytest.mark.longo)])
def mesa(original: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Mesa:
    if request.param == "libreoffice" and SOFFICE is None:
        pytest.skip("LibreOffice is not installed")
    path = tmp_path / NAME
    path.write_bytes(original.read_bytes())
    return Mesa(path, request.param)


def test_a_comment_comes_into_the_note_of_its_row_once(mesa: Mesa) -> None:
    (note,) = mesa.save({"Grupo": "Combinei: 3x sem juros"})
    assert (note.key, note.valores["anotacao"], note.antes) == (KEY, "Combinei: 3x sem juros", {"anotacao": ""})
    ((place, text),) = note.extras.items()
    assert (place.removesuffix(", de Bia"), text) == ("Comentário em Grupo", "Combinei: 3x sem juros")
    (other,) = mesa.save(Responsável="Bia")
    assert (other.antes, other.extras, mesa.note) == ({"responsavel": ""}, {}, "Combinei: 3x sem juros")
    mesa.program = "libreoffice" if SOFFICE and mesa.program == "openpyxl" else "openpyxl"
    assert mesa.save() == []  # the same comment, whoever its author is said to be
    (changed,) = mesa.save({"Grupo": "Combinei: 2x"})
    assert changed.antes == {"anotacao": "Combinei: 3x sem juros"}
    assert mesa.note == "Combinei: 3x sem juros · Combinei: 2x"


def test_it_stands_behind_what_was_typed(mesa: Mesa) -> None:
    (note,) = mesa.save({"Pagar em": "só com nota", "Aprovado por": "Rosa aprova"}, Anotação="ligar")
    assert note.valores["anotacao"] == mesa.note == "ligar · só com nota · Rosa aprova"
    assert not note.valores["aprovado_por"]  # a comment is a word, and no approval
    mesa.save(Anotação="ligar às 15h")
    assert mesa.note == "ligar às 15h"


def test_on_no_row_it_is_an_orphan_with_its_cell(mesa: Mesa) -> None:
    found = {text: (note.key, place) for note in mesa.save({"A1": "no alto", "C90": "embaixo", "B4": "no cabeçalho"})
             for place, text in note.extras.items()}  # fmt: skip
    assert {text: (key, place.removesuffix(", de Bia")) for text, (key, place) in found.items()} == {
        "no alto": (None, "Comentário em Decidir!A1"),
        "embaixo": (None, "Comentário em Decidir!C90"),
        "no cabeçalho": (None, "Comentário em Decidir!B4"),
    }
    assert mesa.save() == []


def test_where_a_row_has_no_note_it_stands_beside(original: Path, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(original)
    contas = book["Contas"]
    contas.cell(row_with(contas, "conta_id", 101), 1).comment = Comment("bloqueada", "Bia")
    book["Dias"]["A6"].comment = Comment("feriado?", "Bia")
    book.save(tmp_path / NAME)
    found = read_desk(read_file(tmp_path / NAME), D)
    notes = find_new_notes(found, [], arquivo=NAME, sha256="s", quando=NINE)
    assert [(note.key, note.antes, note.extras) for note in notes] == [
        (("conta", 101), {}, {"Comentário em Conta, de Bia": "bloqueada"}),
        (None, {}, {"Comentário em Dias!A6, de Bia": "feriado?"}),
    ]


def test_what_stands_over_white_cells_and_beyond_bounds_makes_the_file_a_persons(
    original: Path, tmp_path: Path
) -> None:
    """Sorted, filtered, with columns moved or taken out it is still as lastro wrote it."""
    book = openpyxl.load_workbook(original)
    ws = book["Decidir"]
    for number in (3002, 3004):
        ws.cell(row_with(ws, "titulo_id", number), header_of(ws)["Vencimento"]).value = "pago ontem"
    own = book.create_sheet("Minha lista")
    for number in range(1, 202):
        own.cell(number, 1).value = f"linha {number}"
    book.save(tmp_path / NAME)
    assert read_desk(read_file(tmp_path / NAME), D).fora == (
        "folha «Decidir»: o que se escreveu em células brancas não foi lido (titulo_id 3002, 3004)",
        "folha «Minha lista»: 201 linhas de outros; só as primeiras 200 ficam em Órfãs",
    )
    book = openpyxl.load_workbook(original)
    sort_rows(book["Decidir"], "Descrição")
    move_column(book["Decidir"], "Fornecedor")
    book["Contas"].delete_cols(2)
    book.save(tmp_path / NAME)
    assert read_desk(read_file(tmp_path / NAME), D).fora == ()
