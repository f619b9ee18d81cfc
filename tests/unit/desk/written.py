"""The golden company's file of the payments desk, written as a run writes it. D is Monday 16/03/2026."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from pathlib import Path

import openpyxl

from lastro.calendar import BusinessCalendar
from lastro.desk.answers import Answers
from lastro.desk.decisions import Decisions
from lastro.desk.desks import PAGAMENTOS, PAGAR
from lastro.desk.memory import DeskMemory
from lastro.desk.model import Note
from lastro.desk.payables import Payables
from lastro.desk.payments import PaymentFile, build_payments
from lastro.desk.plan import Balances
from lastro.desk.sheets import MOST_ROWS
from lastro.export.xlsx import render_workbook
from lastro.grid.tables import Table
from lastro.grid.workbook import Stamp
from lastro.settings import Empresa
from lastro.settings.model import PAGAMENTOS as ORDER
from lastro.transform.position import Position
from tests.unit.desk.bare import plan_payments
from tests.unit.reports.positions import make_golden

D = date(2026, 3, 16)
NAME = "pagamentos_2026-03-16.xlsx"
OURO = Empresa("ouro", "Ouro", "https://servico.exemplo", "TOKEN", responsaveis=("Bia",), aprovadores=("Rosa",))


@cache
def golden() -> Position:
    """The golden company with its entries of the payments desk."""
    return make_golden(com_mesa=True)


def typed(number: int, day: int, hour: int = 9, tipo: str = PAGAR, **valores: str) -> Note:
    """A save of March 2026 in which these cells changed and nothing else stood."""
    quando = datetime(2026, 3, day, hour)  # noqa: DTZ001 - local, as stored
    return Note(tipo, number, "", valores, dict.fromkeys(valores, ""), {}, quando, "a", f"um/{day}", "s")


def undecided(
    payables: Payables, books: Balances | None = None, notes: Sequence[Note] = (), extrato: Table | None = None
) -> PaymentFile:
    """What a run hands to the file before anybody has decided."""
    plan = plan_payments(payables, Decisions(), ORDER, books or Balances())
    return PaymentFile(payables, Decisions(), plan, notes, {}, extrato, BusinessCalendar(), Answers(), ())


def write_file(
    what: PaymentFile,
    path: Path,
    empresa: Empresa = OURO,
    unread: Sequence[str] = (),
    memory: DeskMemory | None = None,
    most: int = MOST_ROWS,
) -> Path:
    """Write it; what lastro keeps of the file is in the memory."""
    stamp = Stamp(empresa.nome, D, datetime(2026, 3, 16, 9, 30), "BRT", 7, 2, 2)  # noqa: DTZ001
    memory = memory or DeskMemory(PAGAMENTOS, f"{empresa.id}/pagamentos/7/{D}")
    return render_workbook(build_payments(what, empresa, stamp, memory, unread, most), path)


def drop_lists(path: Path) -> Path:
    """Take out the days that formulas look up, of a file that nobody calculates: they are most of what is read."""
    book = openpyxl.load_workbook(path)
    hidden = book["_lastro"]
    hidden.delete_rows(next(row for row in range(1, 200) if hidden.cell(row, 1).value is None), hidden.max_row)
    book.save(path)
    return path
