"""A `cobranca` as it is written, read back by openpyxl and by the desk's own reader."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from lastro.desk.desks import COBRANCA, PESSOA
from lastro.desk.memory import DeskMemory
from lastro.desk.model import MEMORY_SHEET
from lastro.desk.reader import read_desk
from lastro.desk.sheets import count_inputs, make_column, make_input_columns, make_sheet, make_table
from lastro.entrada.door import read_file
from lastro.export import references
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Cell, Kind, Link, Value, row_key
from lastro.grid.workbook import Stamp, Workbook


def at(day: date, hour: int, minute: int = 0) -> datetime:
    """A naive local time, as cells hold it."""
    return datetime.combine(day, time(hour, minute))


D = date(2026, 3, 16)
STAMP = Stamp("Ipê & Filhos", D, at(D, 9, 30), "BRT", 7, 2, 2)
HEADERS = (
    "Cliente", "Em aberto", "Telefone", "Contato", "Resultado", "Promessa", "Valor prometido", "Próximo contato",
    "Responsável", "Anotação", "pessoa_id",
)  # fmt: skip
LETTERS = dict(zip(HEADERS, "ABCDEFGHIJK", strict=True))


def row_of(cliente: str, number: int, **values: Value | Cell) -> tuple[Value | Cell, ...]:
    cells: dict[str, Value | Cell] = {"Cliente": cliente, "pessoa_id": number, **values}
    return tuple(cells.get(header) for header in HEADERS)


def book_of(*rows: tuple[Value | Cell, ...], notice: str = "") -> Workbook:
    memory = DeskMemory(COBRANCA, "ipe/7/2026-03-16")
    columns = (
        make_column("Cliente", Kind.TEXT, 30),
        make_column("Em aberto", Kind.MONEY, 15),
        make_column("Telefone", Kind.LINK, 18),
        make_column("Contato", Kind.TIMESTAMP, 17),
        *make_input_columns(memory, COBRANCA.fields, D, {"resultado": ("Prometeu", "Pagou")}),
        make_column("pessoa_id", Kind.INTEGER, 10),
    )
    table = make_table("tbl_fila", columns, rows, "Fila", "pessoa_id")
    memory.keep("Fila", table, [str(row[0]) for row in rows])
    queue = make_sheet("Fila", (table,))
    queue = replace(queue, setup=replace(queue.setup, counters=count_inputs(table)))
    small = (make_column("O quê", width=30), make_column("Cliente", Kind.LINK))
    one = make_table("tbl_um", small, [("nota", Link("Ana", sheet="Fila", key=row_key("pessoa_id", 2)))], "Um")
    two = make_table("tbl_dois", small, [], "Dois")
    lines = (("Como usar", True), ("Digite no amarelo.", False))
    sheets = queue, make_sheet("Histórico", (one, two)), make_sheet("Instruções", (), lines=lines), memory.build()
    return Workbook("cobranca", STAMP, sheets, personal=True, notice=notice)


def write(book: Workbook, path: Path) -> Path:
    return render_workbook(book, path)


def render(tmp_path: Path, book: Workbook) -> Any:
    return openpyxl.load_workbook(write(book, tmp_path / "cobranca_2026-03-16.xlsx"))


def cell(ws: Worksheet, header: str, row: int) -> Any:
    return ws[f"{LETTERS[header]}{row}"]


def test_every_kind_of_value_stands_in_its_cell_with_its_look(tmp_path: Path) -> None:
    called = at(date(2026, 3, 2), 14, 5)
    first: dict[str, Value | Cell] = {
        "Em aberto": Decimal("1500.10"),
        "Telefone": Cell("sem telefone", Kind.TEXT, "ruim"),
    }
    first |= {
        "Contato": called,
        "Promessa": date(2026, 3, 20),
        "Valor prometido": Decimal("70.00"),
        "Anotação": "linha 1\nlinha 2",
    }
    second: dict[str, Value] = {"Telefone": Link("11 9999", url="tel:+55119999"), "Promessa": "amanhã", "Anotação": ""}
    ws = render(tmp_path, book_of(row_of("=1+1 & <b>", 2, **first), row_of("Ana", 3, **second)))["Fila"]
    assert ws["A1"].value == "Fila — Ipê & Filhos"
    cells = {header: cell(ws, header, 5) for header in LETTERS}
    assert (cells["Cliente"].value, cells["Cliente"].data_type) == ("=1+1 & <b>", "s")
    assert (cells["Em aberto"].value, cells["Em aberto"].number_format[:4]) == (1500.1, '"R$"')
    assert cells["Em aberto"].border.right is None
    assert cells["Telefone"].font.color.rgb == "00B71C1C"  # the warning, red
    assert (cells["Contato"].value, cells["Contato"].alignment.horizontal) == (called, "center")
    assert (cells["Promessa"].value, cells["Promessa"].number_format) == (at(date(2026, 3, 20), 0), "dd/mm/yyyy")
    assert (cells["Valor prometido"].value, cells["Valor prometido"].fill.fgColor.rgb) == (70, "00FFF9DB")
    edges = cells["Valor prometido"].border
    assert {edges.left.style, edges.right.style, edges.top.style, edges.bottom.style} == {"thin"}
    assert (cells["Anotação"].value, cells["Anotação"].alignment.wrap_text) == ("linha 1\nlinha 2", True)
    assert (ws.row_dimensions[5].height, ws.row_dimensions[6].height) == (27, None)
    # What was typed as a text where a date is wanted stays a text, and an empty text is an empty cell to type into.
    cells = {header: cell(ws, header, 6) for header in LETTERS}
    assert (cells["Promessa"].value, cells["Promessa"].number_format) == ("amanhã", "General")
    assert (cells["Anotação"].value, cells["Anotação"].fill.fgColor.rgb) == (None, "00FFF9DB")
    assert (cells["Telefone"].hyperlink.target, cells["Telefone"].font.u) == ("tel:+55119999", "single")
    assert (cells["pessoa_id"].value, cells["pessoa_id"].font.sz) == (3, 8)


def test_what_is_around_the_rows(tmp_path: Path) -> None:
    book = render(tmp_path, book_of(row_of("Ana", 2), row_of("Bia", 3), notice="ATENÇÃO: 1 arquivo(s)"))
    queue, history, lines = book["Fila"], book["Histórico"], book["Instruções"]
    assert queue["A3"].value == "ATENÇÃO: 1 arquivo(s)"
    # Two rows, and 200 more in which is counted what somebody adds.
    assert queue[f"{LETTERS['Resultado']}3"].value == "=COUNTA(E5:E206)"
    assert queue[f"{LETTERS['Valor prometido']}3"].value == '=SUMIF(E5:E206,"<>",G5:G206)'
    assert queue[f"{LETTERS['Anotação']}3"].value == "=MAX(0,2-COUNTA(E5:E206))"
    table = queue.tables["tbl_fila"]
    assert (table.ref, table.autoFilter.ref, queue.freeze_panes) == ("A4:K6", "A4:K6", "C5")
    assert [column.name for column in table.tableColumns] == list(LETTERS)
    rules = {str(rule.sqref): (rule.type, rule.formula1) for rule in queue.data_validations.dataValidation}
    assert rules["E5:E206"] == ("list", f"{MEMORY_SHEET}!$AD$1:$AD$2")
    assert rules["F5:F206"] == ("date", "DATE(2026,3,16)")
    assert rules["G5:G206"] == ("decimal", "0.01")
    assert {str(area.sqref) for area in queue.conditional_formatting} == {"F5:F206", "G5:G206", "H5:H206"}
    assert queue.print_title_rows == "$1:$4"
    # The second table: a blank row, its title, its header, and the row that an Excel table must have.
    assert [history[f"A{row}"].value for row in range(4, 10)] == ["O quê", "nota", None, "Dois", "O quê", None]
    assert {name: history.tables[name].ref for name in history.tables} == {"tbl_um": "A4:B5", "tbl_dois": "A8:B9"}
    assert history["B5"].hyperlink.location == "'Fila'!A5"
    assert [(lines[f"A{row}"].value, lines[f"A{row}"].font.b) for row in (4, 5)] == [
        ("Como usar", True),
        ("Digite no amarelo.", False),
    ]
    assert book[MEMORY_SHEET].sheet_state == "veryHidden"
    assert [book[MEMORY_SHEET][f"AD{row}"].value for row in (1, 2)] == ["Prometeu", "Pagou"]


def test_the_reader_finds_every_row_as_it_was_written(tmp_path: Path) -> None:
    # A text that looks like Excel's escape of a character, and one that is longer than a cell, come back the same.
    promise: dict[str, Value] = {
        "Promessa": date(2026, 3, 20),
        "Valor prometido": Decimal("70.00"),
        "Anotação": "a_x0041_",
    }
    rows = row_of("Ana", 2, **promise), row_of("Bia", 3, Resultado="Prometeu", Anotação="ç" * 40_000)
    found = read_desk(read_file(write(book_of(*rows), tmp_path / "cobranca.xlsx")), D)
    assert found.arquivo_id == "ipe/7/2026-03-16"
    ana, bia = found.rows
    assert (ana.tipo, ana.chave) == (PESSOA, 2)
    assert (ana.valores["promessa"], ana.valores["valor_prometido"]) == ("2026-03-20", "70.00")
    assert [len(row.valores["anotacao"]) for row in (ana, bia)] == [len("a_x005F_x0041_"), 32_767]
    for row in (ana, bia):
        assert found.escritos[row.tipo, row.chave or 0] == row.valores


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "https://a.b/\x01", "https://a.b/\ud800", "https://a.b/x\ny", "https://a.b/" + "x" * 2_079],
)
def test_an_address_that_no_file_can_hold_is_a_plain_text(tmp_path: Path, address: str) -> None:
    ws = render(tmp_path, book_of(row_of("Ana", 2, Telefone=Link("abrir »", url=address))))["Fila"]
    assert (cell(ws, "Telefone", 5).value, cell(ws, "Telefone", 5).hyperlink) == ("abrir »", None)
    assert cell(ws, "Telefone", 5).font.u is None


def test_links_beyond_what_excel_takes_are_plain_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_LINKS", 3)
    rows = [row_of(f"C{n}", n, Telefone=Link("abrir »", url=f"tel:{n}")) for n in range(1, 5)]
    ws = render(tmp_path, book_of(*rows))["Fila"]
    found = [cell(ws, "Telefone", row) for row in range(5, 9)]
    assert [one.hyperlink and one.hyperlink.target for one in found] == ["tel:1", "tel:2", None, None]
    assert [one.font.u for one in found] == ["single", "single", None, None]


def test_a_day_before_excels_calendar_is_a_text_and_a_value_without_a_form_is_refused(tmp_path: Path) -> None:
    ws = render(tmp_path, book_of(row_of("Ana", 2, Contato=at(date(1899, 12, 31), 8))))["Fila"]
    assert cell(ws, "Contato", 5).value == "31/12/1899"
    with pytest.raises(TypeError, match="Contato"):
        write(book_of(row_of("Ana", 2, Contato=1.5)), tmp_path / "x.xlsx")  # type: ignore[arg-type]
    assert not (tmp_path / "x.xlsx").exists()


def test_the_bytes_follow_from_the_value(tmp_path: Path) -> None:
    book = book_of(row_of("Ana", 2, Telefone=Link("abrir »", url="tel:1")))
    one, two = write(book, tmp_path / "a.xlsx"), write(book, tmp_path / "b.xlsx")
    assert one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2026, 3, 16, 9, 30, 0)}
