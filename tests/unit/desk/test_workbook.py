"""The workbooks of the desks as they are written, read back by openpyxl and by the desks' own reader."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from lastro.desk.book import build_desk
from lastro.desk.decisions import PAY
from lastro.desk.desks import COBRANCA, DESKS, PAGAMENTOS, PAGAR, PESSOA
from lastro.desk.memory import LISTS, MEMORY_SHEET, DeskMemory
from lastro.desk.model import Desk, Field, Note, RowKind, TypedRow, is_understood
from lastro.desk.payments import build_payments
from lastro.desk.queue import build_queue
from lastro.desk.reader import read_desk
from lastro.desk.sheets import Parts, count_inputs, count_sum, make_inputs, make_sheet, make_table
from lastro.entrada.door import read_file
from lastro.export import references
from lastro.export.layout import column_letter
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Cell, Formula, Kind, Link, Value, row_key
from lastro.grid.prints import Print
from lastro.grid.sections import Section
from lastro.grid.tables import Column
from lastro.grid.workbook import Stamp, Workbook
from tests.unit.desk.bare import build_payables
from tests.unit.desk.written import OURO, D, golden, undecided, write_file
from tests.unit.reports.positions import make_golden


def at(day: date, hour: int, minute: int = 0) -> datetime:
    """A naive local time, as cells hold it."""
    return datetime.combine(day, time(hour, minute))


def filled(columns: Sequence[Column], rows: Sequence[tuple[Value | Cell, ...]]) -> Parts:
    return {column.key: (column, [row[place] for row in rows]) for place, column in enumerate(columns)}


STAMP = Stamp("Ipê & Filhos", D, at(D, 9, 30), "BRT", 7, 2, 2)
SHOWN = ("Cliente", "Em aberto", "Telefone", "Quando")
"""What stands before the cells to type into."""
TYPED: dict[Kind, Value] = {
    Kind.DATE: date(2026, 3, 20), Kind.MONEY: Decimal("70.00"), Kind.INTEGER: 1004, Kind.TEXT: "linha 1\nlinha 2",
}  # fmt: skip
READ: dict[Kind, Any] = {**TYPED, Kind.DATE: at(date(2026, 3, 20), 0), Kind.MONEY: 70}
"""The same, as openpyxl finds it."""


@dataclass(frozen=True)
class Sample:
    """A sheet of one kind of rows of a desk; its first field of texts has a list."""

    desk: Desk
    kind: RowKind

    @property
    def headers(self) -> tuple[str, ...]:
        return (*SHOWN, *(each.header for each in self.kind.fields), self.kind.key)

    @property
    def listed(self) -> str:
        return next((each.name for each in self.kind.fields if each.kind is Kind.TEXT), "")

    def row(self, cliente: str, number: int, **values: Value | Cell) -> tuple[Value | Cell, ...]:
        cells: dict[str, Value | Cell] = {"Cliente": cliente, self.kind.key: number, **values}
        return tuple(cells.get(header) for header in self.headers)

    def fill(self, values: Mapping[Kind, Value]) -> dict[str, Value | Cell]:
        return {each.header: values[each.kind] for each in self.kind.fields}

    def book(self, *rows: tuple[Value | Cell, ...], notice: str = "") -> Workbook:
        memory = DeskMemory(self.desk, "ipe/7/2026-03-16")
        columns = (
            Column("Cliente", Kind.TEXT, width=30),
            Column("Em aberto", Kind.MONEY, width=15),
            Column("Telefone", Kind.LINK, width=18),
            Column("Quando", Kind.TIMESTAMP, width=17),
            *(
                column
                for column, _ in make_inputs(
                    memory, self.kind.fields, D, (), {self.listed: ("Prometeu", "Pagou")}
                ).values()
            ),
            Column(self.kind.key, Kind.INTEGER, key=self.kind.key, width=10),
        )
        table = make_table(Print("tbl_linhas", keys=(self.kind.key,), title="Linhas"), filled(columns, rows))
        memory.keep("Linhas", table)
        queue = make_sheet("Linhas", (table,))
        queue = replace(queue, setup=replace(queue.setup, counters=self.count(table)))
        small = (Column("O quê", Kind.TEXT, width=30), Column("Cliente", Kind.LINK))
        link = Link("Ana", sheet="Linhas", key=row_key(self.kind.key, 2))
        one = make_table(Print("tbl_um", title="Um"), filled(small, [("nota", link)]))
        two = make_table(Print("tbl_dois", title="Dois"), filled(small, []))
        lines = (("Como usar", True), ("Digite no amarelo.", False))
        sheets = queue, make_sheet("Histórico", (one, two)), make_sheet("Instruções", (), lines=lines), memory.build()
        return Workbook(self.desk.name, STAMP, sheets, personal=True, notice=notice)

    def count(self, table: Section) -> dict[str, tuple[Formula, str]]:
        """Count as the sheets of each desk do."""
        if self.desk is COBRANCA:
            return count_inputs(table)
        return count_sum(table, PAY, "em_aberto") if self.kind.name == PAGAR else {}

    def cell(self, ws: Worksheet, header: str, row: int) -> Any:
        return ws.cell(row, self.headers.index(header) + 1)


SAMPLES = {kind.name: Sample(desk, kind) for desk in DESKS for kind in desk.kinds}
PESSOAS = SAMPLES[PESSOA]


@pytest.fixture(params=[*SAMPLES.values()], ids=[*SAMPLES])
def sample(request: pytest.FixtureRequest) -> Sample:
    found: Sample = request.param
    return found


def write(book: Workbook, path: Path) -> Path:
    return render_workbook(book, path)


def render(tmp_path: Path, book: Workbook) -> Any:
    return openpyxl.load_workbook(write(book, tmp_path / "mesa_2026-03-16.xlsx"))


def test_every_kind_of_value_stands_in_its_cell_with_its_look(tmp_path: Path, sample: Sample) -> None:
    called = at(date(2026, 3, 2), 14, 5)
    first: dict[str, Value | Cell] = {"Em aberto": Decimal("1500.10"), "Quando": called, **sample.fill(TYPED)}
    first["Telefone"] = Cell("sem telefone", Kind.TEXT, "ruim")
    # What was typed as a text where a date is wanted stays a text, and an empty text is an empty cell to type into.
    second = sample.fill(dict.fromkeys(TYPED, "amanhã") | {Kind.TEXT: ""})
    second["Telefone"] = Link("11 9999", url="tel:+55119999")
    rows = sample.row("=1+1 & <b>", 2, **first), sample.row("Ana", 3, **second)
    ws = render(tmp_path, sample.book(*rows))["Linhas"]
    assert ws["A1"].value == "Linhas — Ipê & Filhos"
    cells = {header: sample.cell(ws, header, 5) for header in sample.headers}
    assert (cells["Cliente"].value, cells["Cliente"].data_type) == ("=1+1 & <b>", "s")
    assert (cells["Em aberto"].value, cells["Em aberto"].number_format[:4]) == (1500.1, '"R$"')
    assert cells["Em aberto"].border.right is None
    assert cells["Telefone"].font.color.rgb == "00B71C1C"  # the warning, red
    assert (cells["Quando"].value, cells["Quando"].alignment.horizontal) == (called, "center")
    others = {header: sample.cell(ws, header, 6) for header in sample.headers}
    assert (others["Telefone"].hyperlink.target, others["Telefone"].font.u) == ("tel:+55119999", "single")
    assert (others[sample.kind.key].value, others[sample.kind.key].font.sz) == (3, 8)
    for each in sample.kind.fields:
        typed, other = cells[each.header], others[each.header]
        assert (typed.value, typed.fill.fgColor.rgb, other.fill.fgColor.rgb) == (READ[each.kind], *["00FFF9DB"] * 2)
        edges = typed.border
        assert {edges.left.style, edges.right.style, edges.top.style, edges.bottom.style} == {"thin"}
        if each.kind is Kind.TEXT:
            assert (bool(typed.alignment.wrap_text), other.value) == (each.name == "anotacao", None)
        else:
            assert (other.value, other.number_format) == ("amanhã", "General")
        if each.kind is Kind.DATE:
            assert typed.number_format == "dd/mm/yyyy"
    noted = any(each.name == "anotacao" for each in sample.kind.fields)
    assert (ws.row_dimensions[5].height, ws.row_dimensions[6].height) == (27 if noted else None, None)


def test_what_is_around_the_rows(tmp_path: Path, sample: Sample) -> None:
    book = render(tmp_path, sample.book(sample.row("Ana", 2), sample.row("Bia", 3), notice="ATENÇÃO: 1 arquivo(s)"))
    queue, history, lines = book["Linhas"], book["Histórico"], book["Instruções"]
    assert queue["A3"].value == "ATENÇÃO: 1 arquivo(s)"
    letters = {header: sample.cell(queue, header, 4).column_letter for header in sample.headers}
    table, last = queue.tables["tbl_linhas"], letters[sample.kind.key]
    assert (table.ref, table.autoFilter.ref, queue.freeze_panes) == (f"A4:{last}6", f"A4:{last}6", "C5")
    assert [column.name for column in table.tableColumns] == list(sample.headers)
    # Two rows, and 200 more in which may be typed, too.
    rules = {str(rule.sqref): (rule.type, rule.formula1) for rule in queue.data_validations.dataValidation}
    wanted: dict[Kind, Callable[[Field], tuple[str, str]]] = {
        Kind.DATE: lambda field: ("date", "DATE(2000,1,1)" if field.past else "DATE(2026,3,16)"),
        Kind.MONEY: lambda field: ("decimal", "-9999999999.99" if field.signed else "0.01"),
    }
    area = {each.name: f"{letters[each.header]}5:{letters[each.header]}206" for each in sample.kind.fields}
    asked = {area[each.name]: wanted[each.kind](each) for each in sample.kind.fields if each.kind in wanted}
    if sample.listed:
        asked[area[sample.listed]] = ("list", f"{MEMORY_SHEET}!${column_letter(LISTS)}$1:${column_letter(LISTS)}$2")
        assert [book[MEMORY_SHEET].cell(row, LISTS).value for row in (1, 2)] == ["Prometeu", "Pagou"]
    assert rules == asked
    marked = {str(one.sqref) for one in queue.conditional_formatting}
    assert marked == {area[each.name] for each in sample.kind.fields if each.kind is not Kind.TEXT}
    assert queue.print_title_rows == "$1:$4"
    # The second table: a blank row, its title, its header, and the row that an Excel table must have.
    assert [history[f"A{row}"].value for row in range(4, 10)] == ["O quê", "nota", None, "Dois", "O quê", None]
    assert {name: history.tables[name].ref for name in history.tables} == {"tbl_um": "A4:B5", "tbl_dois": "A8:B9"}
    assert history["B5"].hyperlink.location == "'Linhas'!A5"
    assert [(lines[f"A{row}"].value, lines[f"A{row}"].font.b) for row in (4, 5)] == [
        ("Como usar", True),
        ("Digite no amarelo.", False),
    ]
    assert book[MEMORY_SHEET].sheet_state == "veryHidden"


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (PESSOA, {"E3": "=COUNTA(E5:E206)", "G3": '=SUMIF(E5:E206,"<>",G5:G206)', "J3": "=MAX(0,2-COUNTA(E5:E206))"}),
        (PAGAR, {"E3": '=SUMIF(E5:E206,">0",B5:B206)'}),
    ],
)
def test_what_somebody_types_or_adds_is_counted(tmp_path: Path, kind: str, wanted: dict[str, str]) -> None:
    one = SAMPLES[kind]
    ws = render(tmp_path, one.book(one.row("Ana", 2), one.row("Bia", 3)))["Linhas"]
    assert {place: ws[place].value for place in wanted} == wanted


def test_the_reader_finds_every_row_as_it_was_written(tmp_path: Path, sample: Sample) -> None:
    # A text that looks like Excel's escape of a character, and one that is longer than a cell, come back the same.
    typed = sample.fill({**TYPED, Kind.TEXT: "a_x0041_"})
    rows = sample.row("Ana", 2, **typed), sample.row("Bia", 3, **sample.fill({**TYPED, Kind.TEXT: "ç" * 40_000}))
    saved = date(2026, 3, 20)  # a balance is of the day of saving at the latest
    found = read_desk(read_file(write(sample.book(*rows), tmp_path / "mesa.xlsx")), saved)
    assert (found.desk, found.arquivo_id) == (sample.desk, "ipe/7/2026-03-16")
    ana, bia = found.rows
    assert (ana.tipo, ana.chave) == (sample.kind.name, 2)
    texts = {Kind.DATE: "2026-03-20", Kind.MONEY: "70.00", Kind.INTEGER: "1004", Kind.TEXT: "a_x005F_x0041_"}
    assert ana.valores == {each.name: texts[each.kind] for each in sample.kind.fields}
    assert {len(bia.valores[each.name]) for each in sample.kind.fields if each.kind is Kind.TEXT} <= {32_767}
    for row in (ana, bia):
        assert found.escritos[row.tipo, row.chave or 0] == row.valores


@pytest.mark.parametrize(
    ("typed", "promised", "stated"),
    [
        (date(2026, 3, 16), True, True), (date(2026, 3, 17), True, False), (date(2028, 3, 16), True, False),
        (date(2028, 3, 17), False, False), (date(2062, 3, 16), False, False), (date(1926, 3, 16), False, False),
        ("16/03/2062", False, False), ("16/03/0206", False, False), ("2026-03-16", True, True), ("16/3", True, True),
    ],
)  # fmt: skip
def test_a_day_of_years_that_nobody_means_is_not_understood(
    tmp_path: Path, typed: date | str, promised: bool, stated: bool
) -> None:
    for desk, header, understood in ((COBRANCA, "Promessa", promised), (PAGAMENTOS, "Extrato em", stated)):
        kind = next(kind for kind in desk.kinds if header in {each.header for each in kind.fields})
        row = read_typed_row(tmp_path, [header, "Anotação", kind.key], [typed, "nota", 2])
        (field,) = [each for each in kind.fields if each.header == header]
        assert is_understood(row.valores, field) == understood
        assert bool(row.valores[field.name])


def test_no_slashed_day_of_a_desk_counts_where_one_puts_the_month_first(tmp_path: Path) -> None:
    rows = [["3/28/2026", "", 2], ["03/04/2026", "", 3], ["04/04", "", 4], [date(2026, 4, 5), "", 5]]
    values = [
        read.valores["promessa"] for read in read_typed_rows(tmp_path, ["Promessa", "Anotação", "pessoa_id"], *rows)
    ]
    assert values == ["3/28/2026", "03/04/2026", "04/04", "2026-04-05"]


def read_typed_rows(folder: Path, header: list[Any], *rows: list[Any]) -> tuple[TypedRow, ...]:
    """Read rows of a sheet that somebody typed by hand, saved on D."""
    book = openpyxl.Workbook()
    book.worksheets[0].title = "Contas" if "conta_id" in header else "Fila"
    for row in (["Título"], [], [], header, *rows):
        book.worksheets[0].append(row)
    book.save(folder / "mesa.xlsx")
    return read_desk(read_file(folder / "mesa.xlsx"), D).rows


def read_typed_row(folder: Path, header: list[Any], row: list[Any]) -> TypedRow:
    (read,) = read_typed_rows(folder, header, row)
    return read


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "https://a.b/\x01", "https://a.b/\ud800", "https://a.b/x\ny", "https://a.b/" + "x" * 2_079],
)
def test_an_address_that_no_file_can_hold_is_a_plain_text(tmp_path: Path, address: str) -> None:
    ws = render(tmp_path, PESSOAS.book(PESSOAS.row("Ana", 2, Telefone=Link("abrir »", url=address))))["Linhas"]
    assert (PESSOAS.cell(ws, "Telefone", 5).value, PESSOAS.cell(ws, "Telefone", 5).hyperlink) == ("abrir »", None)
    assert PESSOAS.cell(ws, "Telefone", 5).font.u is None


def test_links_beyond_what_excel_takes_are_plain_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_LINKS", 3)
    rows = [PESSOAS.row(f"C{n}", n, Telefone=Link("abrir »", url=f"tel:{n}")) for n in range(1, 5)]
    ws = render(tmp_path, PESSOAS.book(*rows))["Linhas"]
    found = [PESSOAS.cell(ws, "Telefone", row) for row in range(5, 9)]
    assert [one.hyperlink and one.hyperlink.target for one in found] == ["tel:1", "tel:2", None, None]
    assert [one.font.u for one in found] == ["single", "single", None, None]


def test_a_day_before_excels_calendar_is_a_text_and_a_value_without_a_form_is_refused(tmp_path: Path) -> None:
    ws = render(tmp_path, PESSOAS.book(PESSOAS.row("Ana", 2, Quando=at(date(1899, 12, 31), 8))))["Linhas"]
    assert PESSOAS.cell(ws, "Quando", 5).value == "31/12/1899"
    with pytest.raises(TypeError, match="Quando"):
        write(PESSOAS.book(PESSOAS.row("Ana", 2, Quando=1.5)), tmp_path / "x.xlsx")  # type: ignore[arg-type]
    assert not (tmp_path / "x.xlsx").exists()


def test_a_result_of_yesterday_stands_beside_its_cell_and_counts_for_nothing_today() -> None:
    said = {"resultado": "Prometeu", "promessa": "2026-03-20", "valor_prometido": "70.00"}
    notes = [
        Note(PESSOA, number, name, said, dict.fromkeys(said, ""), {}, at(day, 17), "a.xlsx", f"{day}", "x")
        for number, name, day in ((501, "Azul", D - timedelta(days=1)), (502, "Beta", D))
    ]
    book = build_desk(build_queue(make_golden()), notes, OURO, STAMP, DeskMemory(COBRANCA, "um"), ())
    sheet = next(one for one in book.sheets if one.name == "Fila")
    (table,) = sheet.sections
    keys = ("pessoa_id", "ultimo_contato", "ultimo_resultado", "resultado", "valor_prometido")
    shown = [table.place(key) for key in keys]
    assert [tuple(row.cells[place] for place in shown) for row in table.rows] == [
        (501, D - timedelta(days=1), "Prometeu", None, Decimal("70.00")),
        (502, D, None, "Prometeu", Decimal("70.00")),
    ]  # fmt: skip
    counted = {key: formula.cached for key, (formula, _) in sheet.setup.counters.items()}
    assert counted == {"resultado": 1, "valor_prometido": Decimal("70.00"), "anotacao": 1}


def test_every_sheet_that_is_typed_into_says_what_its_rows_are_read_back_by() -> None:
    """A header that is reworded would make every older file show another thing than lastro wrote."""
    what = undecided(build_payables(golden()))
    books = {
        COBRANCA: build_desk(build_queue(golden()), [], OURO, STAMP, DeskMemory(COBRANCA, "um"), ()),
        PAGAMENTOS: build_payments(what, OURO, STAMP, DeskMemory(PAGAMENTOS, "dois"), ()),
    }
    typed: set[str] = set()
    for desk, book in books.items():
        for section in (one for sheet in book.sheets for one in sheet.sections if one.anchors):
            headers = [column.header for column in section.columns]
            (kind,) = (desk.keys[header] for header in headers if header in desk.keys)
            assert {*kind.labels, kind.amount} - {""} <= {header.casefold() for header in headers}, section.name
            typed |= {column.header for column in section.columns if column.input}
    assert typed == {
        "Resultado", "Promessa", "Valor prometido", "Próximo contato", "Responsável", "Anotação", "Pagar em",
        "Adiar para", "Conta", "Aprovado por", "Extrato em", "Saldo no extrato", "Resposta",
    }  # fmt: skip


def test_the_id_of_a_file_is_of_all_that_it_shows_and_of_the_companys_secret(tmp_path: Path) -> None:
    """After a restoration a run's number and day come again: what that file shows is not what the lost one did."""
    plain = build_payables(golden())
    due = tuple(replace(one, data_vencimento=D) if one.titulo_id == 3004 else one for one in plain.titulos)
    ids = []
    for key, payables in ((b"a", plain), (b"a", plain), (b"a", replace(plain, titulos=due)), (b"b", plain)):
        memory = DeskMemory(PAGAMENTOS, "ouro/pagamentos/2026-03-16", key)
        write_file(undecided(payables), tmp_path / "pagamentos.xlsx", memory=memory)
        ids.append(memory.arquivo_id)
    assert all(re.fullmatch("ouro/pagamentos/2026-03-16/[0-9a-f]{32}", one) for one in ids)
    assert (ids[0] == ids[1], len({*ids})) == (True, 3)


def test_the_bytes_follow_from_the_value(tmp_path: Path, sample: Sample) -> None:
    book = sample.book(sample.row("Ana", 2, Telefone=Link("abrir »", url="tel:1")))
    one, two = write(book, tmp_path / "a.xlsx"), write(book, tmp_path / "b.xlsx")
    assert one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2026, 3, 16, 9, 30, 0)}
