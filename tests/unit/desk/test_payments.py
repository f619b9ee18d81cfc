"""A `pagamentos` as it is written, worked in with openpyxl and read back by the desk's own reader."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.desk.decisions import Decisions
from lastro.desk.desks import CONTA, EXTRATO, PAGAMENTOS, PAGAR
from lastro.desk.memory import DeskMemory
from lastro.desk.model import DeskFile
from lastro.desk.notes import find_new_notes
from lastro.desk.payables import build_payables
from lastro.desk.payments import PaymentFile, build_payments
from lastro.desk.plan import Books, plan_payments
from lastro.desk.reader import read_desk
from lastro.entrada.door import read_file
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table
from lastro.grid.workbook import Stamp
from lastro.settings import Empresa
from lastro.settings.model import PAGAMENTOS as ORDER
from tests.desk_sheets import header_of, put, row_with, rows_of
from tests.unit.reports.positions import make_golden

D = date(2026, 3, 16)
SAVED = datetime(2026, 3, 16, 14)  # noqa: DTZ001 - local, as stored
LINE = 178139879615723
"""An `extrato_id`: 48 bits, exact in a cell."""


@pytest.fixture
def book(written: Path) -> Any:
    return openpyxl.load_workbook(written)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The workbook with a line of a statement, as another option hands it out."""
    payables = build_payables(make_golden(com_mesa=True))
    lines = Table(
        "pagamentos_extrato",
        (Column("Dia", Kind.DATE), Column("Histórico", Kind.TEXT), Column("extrato_id", Kind.INTEGER)),
        [(date(2026, 3, 12), "TARIFA PACOTE", LINE)],
        "",
    )
    payments = plan_payments(payables, Decisions(), ORDER, Books({101: 11280_00, 102: 2200_00}))
    what = PaymentFile(payables, Decisions(), payments, extrato=lines)
    stamp = Stamp("Ipê & Filhos", D, datetime(2026, 3, 16, 9, 30), "BRT", 7, 2, 2)  # noqa: DTZ001
    empresa = Empresa(
        "ipe", "Ipê & Filhos", "https://servico.exemplo", "TOKEN", responsaveis=("Bia",), aprovadores=("Rosa",)
    )
    made = build_payments(what, empresa, stamp, DeskMemory(PAGAMENTOS, "ipe/pagamentos/7/2026-03-16"))
    return render_workbook(made, tmp_path / "pagamentos_2026-03-16.xlsx")


def read(book: Any, tmp_path: Path) -> DeskFile:
    book.save(tmp_path / "cópia.xlsx")
    return read_desk(read_file(tmp_path / "cópia.xlsx"), D)


def test_it_comes_back_as_it_was_written(book: Any, tmp_path: Path) -> None:
    assert book.sheetnames[:-1] == ["Decidir", "Já pagos", "Contas", "Dias", "Extrato", "Histórico", "Instruções"]
    found = read(book, tmp_path)
    assert (found.desk, found.arquivo_id) == (PAGAMENTOS, "ipe/pagamentos/7/2026-03-16")
    assert find_new_notes(found, [], arquivo="a", sha256="s", quando=SAVED) == []
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
    notes = find_new_notes(read(book, tmp_path), [], arquivo="a", sha256="s", quando=SAVED)
    typed = {note.key: {name: text for name, text in note.valores.items() if text} for note in notes}
    assert typed == {
        (PAGAR, 3003): {"pagar_em": "2026-03-20", "conta": "Poupança"},
        (PAGAR, 3000): {"anotacao": "no extrato não está"},
        (CONTA, 101): {"extrato_em": "2026-03-13", "saldo_no_extrato": "-12.50"},
        (EXTRATO, LINE): {"titulo": "1004", "ignorar": "Sim"},
    }


def test_a_sheet_without_its_key_column_makes_orphans_of_what_was_typed_alone(book: Any, tmp_path: Path) -> None:
    accounts = book["Contas"]
    put(accounts, row_with(accounts, "conta_id", 102), **{"Extrato em": "13/03", "Saldo no extrato": 70})
    accounts.delete_cols(header_of(accounts)["conta_id"])
    (note,) = find_new_notes(read(book, tmp_path), [], arquivo="a", sha256="s", quando=SAVED)
    assert (note.key, note.valores) == (None, {"extrato_em": "2026-03-13", "saldo_no_extrato": "70.00"})
    assert note.rotulo.startswith("Poupança | 2200")


def test_amounts_to_pay_are_printed_without_their_sign(written: Path) -> None:
    book = openpyxl.load_workbook(written, data_only=True)
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
    assert hidden == ["antes", "devido", "vencido", "da conta", "somado", "adia", "na conta", "quando", "efeito"]
