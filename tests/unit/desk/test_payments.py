"""Whatever is typed into a `pagamentos`, and wherever: it is read as its kind, or kept and told with its place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.desk.desks import CONTA, EXTRATO, PAGAMENTOS, PAGAR
from lastro.desk.model import DeskFile, Note
from lastro.desk.notes import find_new_notes
from lastro.desk.plan import Balances
from lastro.desk.reader import read_desk
from lastro.entrada.door import read_file
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table
from tests.desk_sheets import header_of, put, row_with, rows_of
from tests.unit.desk.bare import build_payables
from tests.unit.desk.written import NAME, D, drop_lists, golden, typed, undecided, write_file

SAVED = datetime(2026, 3, 16, 14)  # noqa: DTZ001 - local, as stored
LINE = 178139879615723
"""An `extrato_id`: 48 bits, exact in a cell."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workbook with a line of a statement, an earlier note and a file that could not be read."""
    columns = Column("Dia", Kind.DATE), Column("Histórico", Kind.TEXT), Column("extrato_id", Kind.INTEGER)
    lines = Table("pagamentos_extrato", columns, [(date(2026, 3, 12), "TARIFA PACOTE", LINE)], "")
    books = Balances({101: 11280_00, 102: 2200_00})
    what = undecided(build_payables(golden()), books, [typed(1004, 16, 14, anotacao="ligar")], lines)
    return write_file(what, tmp_path_factory.mktemp("mesa") / NAME, unread=["x: danificado"])


@pytest.fixture(scope="module")
def light(original: Path) -> Path:
    return drop_lists(Path(shutil.copy(original, original.with_name("leve.xlsx"))))


@pytest.fixture
def book(light: Path) -> Any:
    return openpyxl.load_workbook(light)


def read(book: Any, folder: Path) -> tuple[DeskFile, list[Note]]:
    book.save(folder / NAME)
    found = read_desk(read_file(folder / NAME), D)
    return found, find_new_notes(found, [], {NAME: {}}, arquivo=NAME, sha256="s", quando=SAVED)


def note(book: Any, text: str = "ligar", number: int = 3004, header: str = "Anotação") -> None:
    put(book["Decidir"], row_with(book["Decidir"], "titulo_id", number), **{header: text})


def test_what_lastro_wrote_comes_back_and_is_nothing_of_a_person(book: Any, tmp_path: Path) -> None:
    assert book.sheetnames[:-1] == ["Decidir", "Já pagos", "Contas", "Dias", "Extrato", "Histórico", "Instruções"]
    found, notes = read(book, tmp_path)
    assert (found.desk, found.arquivo_id) == (PAGAMENTOS, "ouro/pagamentos/7/2026-03-16")
    assert (notes, found.fora) == ([], ())
    assert {(row.tipo, row.chave) for row in found.rows} == {
        *((PAGAR, number) for number in (1004, 1016, 3000, 3002, 3003, 3004, 3005)), (CONTA, 101), (CONTA, 102),
        (EXTRATO, LINE),
    }  # fmt: skip


def test_what_is_typed_on_each_sheet_is_of_its_kind(book: Any, tmp_path: Path) -> None:
    decide, accounts, lines = book["Decidir"], book["Contas"], book["Extrato"]
    put(decide, row_with(decide, "titulo_id", 3003), **{"Pagar em": "20/03", "Conta": "Poupança"})
    put(book["Já pagos"], row_with(book["Já pagos"], "titulo_id", 3000), Anotação="no extrato não está")
    put(
        accounts, row_with(accounts, "conta_id", 101), **{"Extrato em": date(2026, 3, 13), "Saldo no extrato": "-12,50"}
    )
    put(lines, row_with(lines, "extrato_id", LINE), Título=1004, Ignorar="Sim")
    _, notes = read(book, tmp_path)
    said = {note.key: {name: text for name, text in note.valores.items() if text} for note in notes}
    assert said == {
        (PAGAR, 3003): {"pagar_em": "2026-03-20", "conta": "Poupança"},
        (PAGAR, 3000): {"anotacao": "no extrato não está"},
        (CONTA, 101): {"extrato_em": "2026-03-13", "saldo_no_extrato": "-12.50"},
        (EXTRATO, LINE): {"titulo": "1004", "ignorar": "Sim"},
    }


def test_amounts_to_pay_are_printed_without_their_sign(original: Path) -> None:
    book = openpyxl.load_workbook(original, data_only=True)
    rows = rows_of(book["Decidir"], "titulo_id")
    assert (rows[3003]["A pagar"], rows[3003]["Acumulado"], rows[3003]["Saldo depois"]) == (1200, 14900, 9380)
    contas = rows_of(book["Contas"], "conta_id")
    assert (contas[101]["Vencido e hoje"], contas[101]["Próximos 15 dias"], contas[101]["Sobra"]) == (
        13300,
        1600,
        11280,
    )


def test_both_dates_of_a_row_turn_red(book: Any) -> None:
    ws = book["Decidir"]
    headers = header_of(ws)
    pay, postpone = (ws.cell(5, headers[name]).column_letter for name in ("Pagar em", "Adiar para"))
    formulas = {
        str(area.sqref)[: len(pay)]: [rule.formula[0] for rule in area.rules] for area in ws.conditional_formatting
    }
    assert formulas[pay][0] == f"AND(ISNUMBER(${pay}5),ISNUMBER(${postpone}5))"
    assert formulas[postpone][0] == f"AND(ISNUMBER(${postpone}5),ISNUMBER(${pay}5))"


def test_what_is_missing_turns_red_while_one_types(book: Any) -> None:
    ws = book["Decidir"]
    headers = header_of(ws)
    rules = {str(area.sqref): [rule.formula[0] for rule in area.rules] for area in ws.conditional_formatting}
    for name in ("Cabe?", "Saldo depois"):
        letter = ws.cell(5, headers[name]).column_letter
        cell = f"${letter}5"
        assert (
            f'OR(AND(ISNUMBER({cell}),{cell}<0),LEFT({cell},5)="falta",{cell}="sem saldo")'
            in rules[f"{letter}5:{letter}11"]
        )
    hidden = [name for name, place in headers.items() if ws.column_dimensions[ws.cell(5, place).column_letter].hidden]
    assert hidden == [
        "antes", "devido", "vencido", "da conta", "somado", "adia", "favorecido", "pedido", "na conta", "quando",
        "efeito",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "places",
    [
        {"Decidir": ("C3", "BA1", "BC2", "B40", "BZ6"), "Já pagos": ("A20",), "Contas": ("A30",), "Dias": ("A9",),
         "Histórico": ("B30",), "Instruções": ("A60",), "Rascunho": ("A1",)},
        {"Decidir": ("A3",), "Dias": ("K7", "A90"), "Histórico": ("Z5", "A2"), "Instruções": ("C3", "A4"),
         "Rascunho": ("D9",)},
    ],
)  # fmt: skip
def test_text_where_nothing_is_asked_is_kept_with_its_place(
    book: Any, tmp_path: Path, places: dict[str, tuple[str, ...]]
) -> None:
    texts = {f"pagar a Zé por fora: {name} {cell}": (name, cell) for name, own in places.items() for cell in own}
    for text, (name, cell) in texts.items():
        ws = book[name] if name in book.sheetnames else book.create_sheet(name)
        assert ws[cell].value is None or cell in ("A2", "A3", "A4", "A9")
        ws[cell] = text
    _, notes = read(book, tmp_path)
    assert len(notes) == len(texts)
    for text, (name, cell) in texts.items():
        (kept,) = (one for one in notes if text in (one.rotulo, *one.extras.values()) or text in str(one.extras))
        assert name in kept.extras or cell == "BZ6"
    again = find_new_notes(
        read_desk(read_file(tmp_path / NAME), D), notes, {NAME: {}}, arquivo=NAME, sha256="t",
        quando=SAVED + timedelta(hours=1),
    )  # fmt: skip
    assert again == []


def test_rows_above_the_header_hide_nothing(book: Any, tmp_path: Path) -> None:
    note(book)
    book["Decidir"].insert_rows(1, 300)
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
    assert found.avisos == ("folha «Decidir»: sem o cabeçalho das colunas; o que há nela está em Órfãs",)
    assert any("ligar" in text for one in notes for text in one.extras.values())
    assert all(one.key is None for one in notes)


@pytest.mark.parametrize("header", ["Aprovado por", "Pagar em"])
def test_of_two_columns_of_one_name_the_second_is_kept_beside(book: Any, tmp_path: Path, header: str) -> None:
    ws, value = book["Decidir"], "2026-03-20" if header == "Pagar em" else "Rui"
    last = ws.max_column + 1
    note(book, value, 1004, header)
    ws.cell(4, last).value = header
    ws.cell(row_with(ws, "titulo_id", 3004), last).value = "Ana"
    found, notes = read(book, tmp_path)
    kept = {one.chave: (one.valores.get(PAGAMENTOS_FIELDS[header], ""), dict(one.extras)) for one in notes}
    assert kept == {1004: (value, {}), 3004: ("", {f"{header} (coluna {last})": "Ana"})}
    assert found.avisos == (
        f"folha «Decidir»: duas colunas «{header.casefold()}»; vale a primeira, a outra está em Outras colunas",
    )


PAGAMENTOS_FIELDS = {each.header: each.name for each in PAGAMENTOS.fields}


@pytest.mark.parametrize("name", ["Código", ""])
def test_a_key_column_with_another_name_is_found_by_its_ids(book: Any, tmp_path: Path, name: str) -> None:
    note(book)
    ws = book["Decidir"]
    ws.cell(4, header_of(ws)["titulo_id"]).value = name
    found, notes = read(book, tmp_path)
    assert [one.key for one in notes] == [(PAGAR, 3004)]
    assert found.avisos == (f"folha «Decidir»: a coluna titulo_id chama-se agora «{name}» e foi lida como tal",)


def test_a_key_column_that_is_gone_is_told_and_makes_orphans_of_what_was_typed_alone(book: Any, tmp_path: Path) -> None:
    accounts, decide = book["Contas"], book["Decidir"]
    note(book)
    put(accounts, row_with(accounts, "conta_id", 102), **{"Extrato em": "13/03", "Saldo no extrato": 70})
    decide.delete_cols(header_of(decide)["titulo_id"])
    accounts.delete_cols(header_of(accounts)["conta_id"])
    found, (payable, account) = read(book, tmp_path)
    assert (payable.key, payable.valores["anotacao"]) == (None, "ligar")
    assert (account.key, account.valores) == (None, {"extrato_em": "2026-03-13", "saldo_no_extrato": "70.00"})
    assert account.rotulo.startswith("Poupança | 2200")
    assert found.avisos == tuple(
        f"folha «{name}»: sem a coluna {key}; o que se digitou nela está em Órfãs"
        for name, key in (("Decidir", "titulo_id"), ("Contas", "conta_id"))
    )


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
