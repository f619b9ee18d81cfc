"""What `pagamentos` says while somebody types is what the next run says. D is Monday 16/03/2026.

A file is typed into, calculated anew (by `tests.formulas`; by LibreOffice where it is), read back by the desk's own
reader, and made again by the plan: every cell with a formula is the same in both.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.analysis.account_projection import propose_transfers
from lastro.analysis.credit import Credit
from lastro.calendar import BusinessCalendar
from lastro.desk.decisions import Approval, find_decisions
from lastro.desk.live import NEXT_RUN
from lastro.desk.model import Note
from lastro.desk.notes import find_new_notes
from lastro.desk.plan import take_balances
from lastro.desk.reader import read_desk
from lastro.desk.seen import SeenWords
from lastro.desk.sheets import MOST_ROWS
from lastro.entrada.door import read_file
from lastro.export.live_cells import say_covered
from lastro.money import to_decimal, write_centavos
from lastro.reports.facts import DeskFacts
from lastro.settings import Empresa
from lastro.settings.model import PAGAMENTOS as ORDER
from lastro.transform.scenarios import Promised
from tests.desk_sheets import SOFFICE, header_of, put, row_with, save_with_libreoffice
from tests.formulas import EPOCH, Sheets
from tests.marks import thinned
from tests.unit.desk.bare import build_payables, plan_payments
from tests.unit.desk.written import D, golden, typed, undecided, write_file
from tests.views import view_of

SAVED = datetime(2026, 3, 16, 14)  # noqa: DTZ001 - local, as stored
NEXT = BusinessCalendar().next_business_day
PROMISED = (Promised(501, None, date(2026, 3, 18), 1000_00),)


EMPRESA = Empresa(
    "ipe", "Ipê & Filhos", "https://servico.exemplo", "TOKEN", responsaveis=("Bia",), aprovadores=("Rosa",),
    aprovacao_minima=Decimal("5000.00"), parametros=golden().parametros,
)  # fmt: skip
BEFORE = (typed(3005, 12, pagar_em="2026-03-13"), typed(3003, 13, pagar_em="2026-03-19"))
"""What stood there in the morning."""


def write(notes: tuple[Note, ...], path: Path, most: int = MOST_ROWS) -> Path:
    """Make the file of a run that has read some notes; *Decidir* ends at so many rows."""
    payables = build_payables(golden(), typed={note.chave or 0 for note in notes})
    decisions = find_decisions(SeenWords(notes, {}), payables, Approval(5000_00, ("Rosa",)), NEXT)
    mesas = DeskFacts(decisoes=decisions.in_force(), promessas=PROMISED)
    parametros = replace(golden().parametros, saldo_minimo=Decimal("500.00"))
    empresa = replace(EMPRESA, parametros=parametros)
    view = view_of(replace(golden(), parametros=parametros), empresa=empresa, mesas=mesas)
    payments = plan_payments(payables, decisions, ORDER, take_balances(view))
    what = replace(undecided(payables, notes=notes), decisions=decisions, payments=payments)
    return write_file(what, path, empresa, most=most)


@dataclass
class Shown:
    """What a file shows: sheet -> row -> header -> value; days as numbers, blanks as ""."""

    sheets: dict[str, dict[Any, dict[str, Any]]]

    @classmethod
    def of(cls, value: Any, book: Any) -> Shown:
        sheets: dict[str, dict[Any, dict[str, Any]]] = {}
        for name, key in (("Decidir", "titulo_id"), ("Contas", "conta_id"), ("Dias", "Dia")):
            headers, rows = header_of(book[name]), {}
            for row in range(5, book[name].max_row + 1):
                cells = {header: value(name, row, place) for header, place in headers.items()}
                if isinstance(cells[key], int):
                    rows[(cells[key], cells.get("Vence"), row if name == "Dias" else 0)] = cells
            sheets[name] = rows
        return cls(sheets)

    def of_title(self, number: int) -> dict[str, Any]:
        return next(cells for (key, *_), cells in self.sheets["Decidir"].items() if key == number)


def plain(value: Any) -> Any:
    """A stored value as calculated ones are."""
    if isinstance(value, datetime):
        return (value.date() - EPOCH).days
    return "" if value is None else round(Decimal(str(value)), 2) if isinstance(value, float) else value


def stored(path: Path) -> Shown:
    book = openpyxl.load_workbook(path, data_only=True)
    return Shown.of(lambda name, row, place: plain(book[name].cell(row, place).value), book)


def calculate(path: Path) -> Shown:
    book = openpyxl.load_workbook(path)
    sheets = Sheets(book)
    return Shown.of(lambda name, row, place: "" if (found := sheets.value(name, row, place)) is None else found, book)


def calculate_with_libreoffice(path: Path) -> Shown:
    target = path.with_name(f"recalculado-{path.name}")
    save_with_libreoffice(path, target)
    return stored(target)


def type_in(path: Path, cells: dict[int, dict[str, Any]], target: Path) -> Path:
    """Type, as openpyxl saves it: no formula keeps a result."""
    book = openpyxl.load_workbook(path)
    for number, values in cells.items():
        put(book["Decidir"], row_with(book["Decidir"], "titulo_id", number), **values)
    book.save(target)
    return target


def read_back(path: Path, before: tuple[Note, ...]) -> tuple[Note, ...]:
    notes = find_new_notes(read_desk(read_file(path), D), before, arquivo="a", sha256="s", quando=SAVED)
    assert all(note.key is not None for note in notes)  # a figure that moved is no text of a person
    return (*before, *notes)


@pytest.mark.parametrize(
    ("credit", "said"),
    [
        (Credit(), {-1: "falta 0,01", 0: "Sim", -1_234_567_05: "falta 1.234.567,05"}),
        (Credit(100_00), {-1: "falta 0,01", 99_99: "Sim, abaixo do mínimo", 100_00: "Sim"}),
        (
            Credit(100_00, 60_000_00),
            {-60_000_01: "falta 0,01", -60_000_00: "Sim, usa 60.000 do limite", -19_981_01: "Sim, usa 19.982 do limite",
             -30: "Sim, usa 1 do limite", 0: "Sim"},
        ),
        (Credit(100_00, 40_00), {-40_01: "falta 0,01", 59_99: "Sim, abaixo do mínimo", 60_00: "Sim"}),
    ],
)  # fmt: skip
def test_the_formula_of_a_covered_balance_says_what_the_run_says(credit: Credit, said: dict[int, str]) -> None:
    book = openpyxl.Workbook()
    lent = write_centavos(credit.limite) if credit.limite else ""
    for row, balance in enumerate(said, 1):
        book["Sheet"].cell(row, 1, to_decimal(balance))
        least = write_centavos(credit.floor) if credit.floor > 0 else ""
        book["Sheet"].cell(row, 2, f"={say_covered(f'A{row}', lent, least)}")
    sheets = Sheets(book)
    assert [sheets.value("Sheet", row, 2) for row in range(1, len(said) + 1)] == [*said.values()]
    assert [credit.cover(balance) for balance in said] == [*said.values()]


PLAIN = {
    "Proposta",
    "antes", "adia", "Decisão", "Bloco", "Ordem", "Pagar em", "Adiar para", "Conta", "Responsável", "Aprovado por",
}  # fmt: skip
"""What is typed, and what a run alone writes anew."""


def differ(found: Shown, wanted: Shown) -> list[tuple[Any, ...]]:
    """List the cells that differ; what is added up in the order of the list, where that is still the same."""
    orders = [{key[0]: cells["Ordem"] for key, cells in each.sheets["Decidir"].items()} for each in (found, wanted)]
    left_out = PLAIN if orders[0] == orders[1] else PLAIN | {"Acumulado"}
    return [
        (name, key[0], header, cells[header], wanted.sheets[name][key][header])
        for name, rows in found.sheets.items()
        for key, cells in rows.items()
        for header in cells
        if header not in left_out and cells[header] != wanted.sheets[name][key][header]
    ]


CASES: dict[str, dict[int, dict[str, Any]]] = {
    "nothing": {},
    "a Saturday, and what is beyond the days": {
        1004: {"Pagar em": date(2026, 3, 21)}, 3002: {"Adiar para": date(2026, 6, 1)},
    },
    "both, over another, emptied": {
        3002: {"Pagar em": date(2026, 3, 18), "Adiar para": date(2026, 3, 25)},
        3003: {"Adiar para": date(2026, 3, 30)},
        3005: {"Pagar em": None},
    },
    "another account, with and without a day": {
        3003: {"Conta": "poupança"}, 1016: {"Conta": "Banco Alfa", "Pagar em": date(2026, 3, 17)},
        3002: {"Conta": "Poupança"},
    },
    "a day that is over": {3002: {"Pagar em": date(2026, 3, 13)}, 1004: {"Adiar para": date(2026, 3, 15)}},
    "short": {1016: {"Pagar em": date(2026, 3, 16)}, 1004: {"Conta": "Poupança", "Pagar em": date(2026, 3, 16)},
              3002: {"Conta": "Poupança", "Pagar em": date(2026, 3, 16)}},
}  # fmt: skip


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the morning."""
    return write(BEFORE, tmp_path_factory.mktemp("mesa") / "pagamentos.xlsx")


@pytest.mark.parametrize("name", CASES)
def test_what_is_typed_comes_to_what_the_next_run_says(original: Path, name: str, tmp_path: Path) -> None:
    path = type_in(original, CASES[name], tmp_path / "cópia.xlsx")
    assert differ(calculate(path), stored(write(read_back(path, BEFORE), tmp_path / "novo.xlsx"))) == []


@pytest.mark.parametrize("seed", thinned(range(6), (0, 1)))
def test_any_typing_comes_to_what_the_next_run_says(original: Path, seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)  # noqa: S311
    cells: dict[int, dict[str, Any]] = {}
    for number in (1004, 1016, 3002, 3003, 3005):
        day = D + timedelta(days=draw.randrange(-4, 60))
        cells[number] = draw.choice([
            {}, {"Pagar em": day}, {"Adiar para": day}, {"Pagar em": day, "Adiar para": day + timedelta(3)},
            {"Conta": draw.choice(["Poupança", "BANCO ALFA"])}, {"Pagar em": None, "Adiar para": None},
            {"Pagar em": day, "Conta": "Poupança"},
        ])  # fmt: skip
    path = type_in(original, cells, tmp_path / "typed.xlsx")
    again = stored(write(read_back(path, BEFORE), tmp_path / "novo.xlsx"))
    assert differ(calculate(path), again) == [], cells


@pytest.mark.maquinas
@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("name", CASES)
def test_libreoffice_comes_to_what_the_next_run_says(original: Path, name: str, tmp_path: Path) -> None:
    (tmp_path / "mesa").mkdir()
    path = type_in(original, CASES[name], tmp_path / "mesa/typed.xlsx")
    found = calculate_with_libreoffice(path)
    assert differ(found, calculate(path)) == []
    saved = path.with_name(f"recalculado-{path.name}")
    assert differ(found, stored(write(read_back(saved, BEFORE), tmp_path / "mesa/novo.xlsx"))) == []


def test_a_list_that_ends_early_counts_what_it_leaves_out(original: Path, tmp_path: Path) -> None:
    """Of seven rows four: the two typed into, and the first of the others. 1004, 3004 and 1016 are left out.

    1,500 and 9,000 are overdue, 900 leave the other account on the last day.
    """
    whole, path = stored(original), write(BEFORE, tmp_path / "curto.xlsx", 4)
    short = stored(path)
    assert [key[0] for key in short.sheets["Decidir"]] == [3005, 3000, 3002, 3003]
    assert [cells["Ordem"] for cells in short.sheets["Decidir"].values()] == [1, 2, 3, 6]
    title = openpyxl.load_workbook(path)["Decidir"]["A1"].value
    assert "; e mais 3 em mart.pagamentos_decidir (lastro sql) e tbl_titulos (dados) — " in title
    left = []
    for key, cells in short.sheets["Dias"].items():
        values = [*cells.values()]
        if key[2] <= 20:  # below stands the table by account, which has no such column
            left.append(values.pop(5))
        short.sheets["Dias"][key] = dict(zip(whole.sheets["Dias"][key], values, strict=False))
    assert left == [10500, *[0] * 14, 900]
    assert differ(short, whole) == []  # every sum counts all seven
    name = "another account, with and without a day"
    typing = {number: cells for number, cells in CASES[name].items() if number != 1016}
    typing[3000] = {"Pagar em": date(2026, 3, 17)}
    typed = type_in(path, typing, tmp_path / "cópia.xlsx")
    again = write(read_back(typed, BEFORE), tmp_path / "novo.xlsx", 4)
    behind = ("Decidir", 3003, "Acumulado", NEXT_RUN, 1600)  # moved to an account of which it does not know the rest
    assert differ(calculate(typed), stored(again)) == [behind]


def test_what_a_payee_gets_with_a_row_typed_now_waits_for_the_run(tmp_path: Path) -> None:
    """Delta's rent of 1.500,00 stands decided; with the goods of 9.000,00 on its day it needs a second name, too."""
    before = (typed(1004, 13, pagar_em="2026-03-18", responsavel="Bia"),)
    given = write(before, tmp_path / "p.xlsx")
    for day, told in ((18, NEXT_RUN), (19, (date(2026, 3, 18) - EPOCH).days)):
        path = type_in(given, {3004: {"Pagar em": date(2026, 3, day)}}, tmp_path / f"{day}.xlsx")
        found = calculate(path)
        assert (found.of_title(1004)["Dia decidido"], found.of_title(3004)["Dia decidido"]) == (told, NEXT_RUN)
        assert differ(found, stored(write(read_back(path, before), tmp_path / "novo.xlsx"))) == []


def test_what_only_a_run_can_tell_counts_as_if_nothing_was_typed(tmp_path: Path) -> None:
    given = write((), tmp_path / "p.xlsx")
    cells: dict[int, dict[str, Any]] = {
        3004: {"Pagar em": date(2026, 3, 18), "Responsável": "Bia", "Aprovado por": "Rosa"},
        3003: {"Pagar em": "sexta"},
        3002: {"Pagar em": date(2026, 3, 18), "Conta": "o outro banco"},
    }
    before, found = stored(given), calculate(type_in(given, cells, tmp_path / "t.xlsx"))
    assert {number: found.of_title(number)["Dia decidido"] for number in cells} == dict.fromkeys(cells, NEXT_RUN)
    moved = {header for _, _, header, *_ in differ(found, before)}
    assert moved == {"Dia decidido", "pedido"}


def test_a_transfer_is_proposed_from_who_can_spare_most() -> None:
    saldos = {1: [100, -50, -80], 2: [70, 70, 20], 3: [500, 30, 30], 4: [-5, 10, 10]}
    assert propose_transfers(saldos, D, ()) == [
        (date(2026, 3, 17), 3, 1, 30),
        (date(2026, 3, 16), 2, 4, 5),
    ]
    assert propose_transfers(saldos, D, {3}) == [(date(2026, 3, 17), 2, 1, 20)]  # nothing is taken out of a till


@pytest.mark.parametrize(
    ("short", "spare", "amount"),
    [
        ([-50, -800], 50, 50),  # it covers the day
        ([-60, -500], 50, 50),  # a tenth of what is missing at worst
        ([-60, -501], 50, None),
        ([-10, -10], 0, None),
    ],
)
def test_a_transfer_that_cures_nothing_is_not_proposed(short: list[int], spare: int, amount: int | None) -> None:
    found = propose_transfers({1: short, 2: [spare, spare]}, D, ())
    assert [one[3] for one in found] == ([] if amount is None else [amount])
