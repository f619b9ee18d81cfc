"""Whatever is typed into a file of a desk, and wherever: it is read, or kept and told with its place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.desk.decisions import Decisions
from lastro.desk.desks import PAGAMENTOS, PAGAR
from lastro.desk.memory import DeskMemory
from lastro.desk.model import DeskFile, Note
from lastro.desk.notes import find_new_notes
from lastro.desk.payables import build_payables
from lastro.desk.payments import PaymentFile, build_payments
from lastro.desk.plan import Books, plan_payments
from lastro.desk.reader import read_desk
from lastro.entrada.door import read_file
from lastro.export.xlsx import render_workbook
from lastro.grid.workbook import Stamp
from lastro.settings import Empresa
from lastro.settings.model import PAGAMENTOS as ORDER
from tests.desk_sheets import header_of, put, row_with
from tests.unit.reports.positions import make_golden

D = date(2026, 3, 16)
SAVED = datetime(2026, 3, 16, 14)  # noqa: DTZ001 - local, as stored
NAME = "pagamentos_2026-03-16.xlsx"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    payables = build_payables(make_golden(com_mesa=True))
    earlier = Note(PAGAR, 1004, "", {"anotacao": "ligar"}, {"anotacao": ""}, {}, SAVED, "a.xlsx", "um/1", "s")
    what = PaymentFile(payables, Decisions(), plan_payments(payables, Decisions(), ORDER, Books()), [earlier])
    stamp = Stamp("Ouro", D, datetime(2026, 3, 16, 6), "BRT", 7, 2, 2)  # noqa: DTZ001
    empresa = Empresa("ouro", "Ouro", "https://servico.exemplo", "TOKEN")
    made = build_payments(
        what, empresa, stamp, DeskMemory(PAGAMENTOS, "ouro/pagamentos/7/2026-03-16"), ["x: danificado"]
    )
    return render_workbook(made, tmp_path_factory.mktemp("mesa") / NAME)


@pytest.fixture
def book(original: Path) -> Any:
    return openpyxl.load_workbook(original)


def read(book: Any, folder: Path) -> tuple[DeskFile, list[Note]]:
    book.save(folder / NAME)
    found = read_desk(read_file(folder / NAME), D)
    return found, find_new_notes(found, [], {NAME: {}}, arquivo=NAME, sha256="s", quando=SAVED)


def note(book: Any, text: str = "ligar", number: int = 3004, header: str = "Anotação") -> None:
    put(book["Decidir"], row_with(book["Decidir"], "titulo_id", number), **{header: text})


def test_what_lastro_wrote_is_nothing_of_a_person(book: Any, tmp_path: Path) -> None:
    found, notes = read(book, tmp_path)
    assert (notes, found.fora) == ([], ())


@pytest.mark.parametrize(
    ("sheet", "cell"),
    [
        ("Decidir", "C3"), ("Decidir", "BA1"), ("Decidir", "A3"), ("Decidir", "BC2"), ("Decidir", "B40"),
        ("Decidir", "BZ6"), ("Dias", "A9"),
        ("Já pagos", "A20"), ("Contas", "A30"), ("Dias", "K7"), ("Dias", "A90"), ("Histórico", "B30"),
        ("Histórico", "Z5"), ("Histórico", "A2"), ("Instruções", "A60"), ("Instruções", "C3"), ("Instruções", "A4"),
        ("Rascunho", "A1"), ("Rascunho", "D9"),
    ],
)  # fmt: skip
def test_text_where_nothing_is_asked_is_kept_with_its_place(book: Any, tmp_path: Path, sheet: str, cell: str) -> None:
    ws = book[sheet] if sheet in book.sheetnames else book.create_sheet(sheet)
    was = ws[cell].value
    ws[cell] = "pagar a Zé por fora"
    _, notes = read(book, tmp_path)
    assert was is None or cell in ("A2", "A3", "A4", "A9")
    (kept,) = notes
    said = [*kept.extras.items(), (kept.rotulo, "")]
    assert any("pagar a Zé por fora" in text for _, text in said) or kept.rotulo == "pagar a Zé por fora"
    assert sheet in kept.extras or cell == "BZ6"
    again = find_new_notes(
        read_desk(read_file(tmp_path / NAME), D), notes, {NAME: {}}, arquivo=NAME, sha256="t",
        quando=SAVED + timedelta(hours=1),
    )  # fmt: skip
    assert again == []


@pytest.mark.parametrize("rows", [30, 41, 300])
def test_rows_above_the_header_hide_nothing(book: Any, tmp_path: Path, rows: int) -> None:
    note(book)
    book["Decidir"].insert_rows(1, rows)
    book["Decidir"]["A1"] = "Timbre da casa"
    found, notes = read(book, tmp_path)
    assert {one.key: one.valores.get("anotacao") or one.extras for one in notes} == {
        (PAGAR, 3004): "ligar", None: {"Decidir": "Timbre da casa"},
    }  # fmt: skip
    assert found.fora == ()


def test_a_sheet_without_its_header_is_told_and_what_is_in_it_is_kept(book: Any, tmp_path: Path) -> None:
    note(book)
    book["Decidir"].delete_rows(4)
    found, notes = read(book, tmp_path)
    assert found.fora == ("folha «Decidir»: sem o cabeçalho das colunas; o que há nela está em Órfãs",)
    assert any("ligar" in text for one in notes for text in one.extras.values())
    assert all(one.key is None for one in notes)


@pytest.mark.parametrize("header", ["Anotação", "Aprovado por", "Pagar em"])
def test_of_two_columns_of_one_name_the_second_is_kept_beside(book: Any, tmp_path: Path, header: str) -> None:
    ws, value = book["Decidir"], "2026-03-20" if header == "Pagar em" else "Rui"
    last = ws.max_column + 1
    note(book, value, 1004, header)
    ws.cell(4, last).value = header
    ws.cell(row_with(ws, "titulo_id", 3004), last).value = "Ana"
    found, notes = read(book, tmp_path)
    kept = {one.chave: (one.valores.get(PAGAMENTOS_FIELDS[header], ""), dict(one.extras)) for one in notes}
    assert kept == {1004: (value, {}), 3004: ("", {f"{header} (coluna {last})": "Ana"})}
    assert found.fora == (
        f"folha «Decidir»: duas colunas «{header.casefold()}»; vale a primeira, a outra está em Outras colunas",
    )


PAGAMENTOS_FIELDS = {each.header: each.name for each in PAGAMENTOS.fields}


@pytest.mark.parametrize("name", ["id", "Código", ""])
def test_a_key_column_with_another_name_is_found_by_its_ids(book: Any, tmp_path: Path, name: str) -> None:
    note(book)
    ws = book["Decidir"]
    ws.cell(4, header_of(ws)["titulo_id"]).value = name
    found, notes = read(book, tmp_path)
    assert [one.key for one in notes] == [(PAGAR, 3004)]
    assert found.fora == (f"folha «Decidir»: a coluna titulo_id chama-se agora «{name}» e foi lida como tal",)


def test_a_key_column_that_is_gone_is_told_and_makes_orphans_of_what_was_typed_alone(book: Any, tmp_path: Path) -> None:
    note(book)
    ws = book["Decidir"]
    ws.delete_cols(header_of(ws)["titulo_id"])
    found, notes = read(book, tmp_path)
    assert [(one.key, one.valores["anotacao"]) for one in notes] == [(None, "ligar")]
    assert found.fora == ("folha «Decidir»: sem a coluna titulo_id; o que se digitou nela está em Órfãs",)


def rename(header: str, name: str) -> Callable[[Any], None]:
    def work(book: Any) -> None:
        ws = book["Decidir"]
        ws.cell(4, header_of(ws)[header]).value = name

    return work


@pytest.mark.parametrize(
    ("work", "read_as"),
    [
        (rename("Anotação", "ANOTAÇÃO "), "field"),
        (rename("Anotação", "Anotação:"), "column"),
        (lambda book: setattr(book["Decidir"], "title", "Meus pagamentos"), "field"),
        (lambda book: book.copy_worksheet(book["Decidir"]), "field"),
        (lambda book: book["Decidir"].insert_cols(1, 3), "field"),
    ],
)
def test_what_people_do_to_a_sheet_loses_no_text(
    book: Any, tmp_path: Path, work: Callable[[Any], None], read_as: str
) -> None:
    note(book)
    work(book)
    _, notes = read(book, tmp_path)
    (kept,) = notes
    assert kept.chave == 3004
    assert "ligar" in (kept.valores.values() if read_as == "field" else kept.extras.values())


def test_the_hidden_sheet_of_another_desk_says_nothing(book: Any, tmp_path: Path) -> None:
    note(book)
    book["_lastro"]["A1"], book["_lastro"]["B1"] = "lastro-cobranca", "ouro/cobranca/7/2026-03-16"
    found, notes = read(book, tmp_path)
    assert (found.desk, found.arquivo_id, found.escritos) == (PAGAMENTOS, "", {})
    assert [one.valores["anotacao"] for one in notes if one.key == (PAGAR, 3004)] == ["ligar"]


def test_a_sheet_full_of_somebody_elses_rows_is_told(book: Any, tmp_path: Path) -> None:
    own = book.create_sheet("Extrato do banco")
    for number in range(300):
        own.append([f"linha {number}", number])
    found, notes = read(book, tmp_path)
    assert len(notes) == 200
    assert found.fora == ("folha «Extrato do banco»: 300 linhas de outros; só as primeiras 200 ficam em Órfãs",)
