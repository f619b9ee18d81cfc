"""A desk's folder, in which people work and which runs read, without a run."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import openpyxl

from lastro.calendar import BusinessCalendar
from lastro.desk.decisions import Approval, Decision, Decisions, find_decisions
from lastro.desk.desks import CONTA, PAGAMENTOS, PAGAR
from lastro.desk.memory import DeskMemory
from lastro.desk.model import Cells, DeskFile, Key, Note, Shown
from lastro.desk.notes import find_new_notes, list_changed
from lastro.desk.payables import Payables
from lastro.desk.reader import read_desk
from lastro.desk.seen import SeenWords, hold_to_shown
from lastro.entrada.door import Received
from tests.unit.desk.bare import build_payables
from tests.unit.desk.written import NAME, OURO, D, drop_lists, golden, undecided, write_file

NINE = datetime(2026, 3, 16, 9)  # noqa: DTZ001 - local, as stored
ID = "ouro/pagamentos/7/2026-03-16"
TWO = Approval(1000_00, ("Rui", "Ana Diretora"))
PLAIN = replace(OURO, responsaveis=(), aprovadores=())


@cache
def payables() -> Payables:
    return build_payables(golden(), typed={1004, 3003, 3004, 3005})


def write_original(folder: Path) -> tuple[Path, dict[Key, Shown]]:
    """Write the file of D as a run does, and return what lastro keeps of it."""
    memory = DeskMemory(PAGAMENTOS, ID)
    path = write_file(undecided(payables()), folder / NAME, PLAIN, memory=memory)
    return drop_lists(path), payables().complete(memory.shown)


@cache
def work_in(content: bytes, work: Callable[[Any], object]) -> bytes:
    """Work in a file and save it; the same again is what it was."""
    book, saved = openpyxl.load_workbook(io.BytesIO(content)), io.BytesIO()
    work(book)
    book.save(saved)
    return saved.getvalue()


@cache
def read_as_on_d(content: bytes) -> DeskFile:
    return read_desk(Received(NAME, content, NINE), D)


@dataclass
class Mesa:
    """The desk's folder, and what runs read in it."""

    original: Path
    shown: dict[str, dict[Key, Shown]]
    folder: Path
    notes: list[Note] = field(default_factory=list)
    copies: dict[str, Cells] = field(default_factory=lambda: {NAME: {}})
    now: datetime = NINE

    def save(self, work: Callable[[Any], object], name: str = NAME, of: str = "", hours: int = 1) -> DeskFile:
        """Work in the file of a name, or in a copy of another one; save it and let a run read it."""
        source = self.folder / (of or name)
        before = (source if source.exists() else self.original).read_bytes()
        (self.folder / name).write_bytes(work_in(before, work))
        self.now += timedelta(hours=hours)
        return self.read(name, self.now)

    def read(self, name: str, when: datetime) -> DeskFile:
        found = read_as_on_d((self.folder / name).read_bytes())
        named = {(PAGAR, 1003): "Delta", **{(CONTA, own): name for own, name in payables().contas.items()}}
        found = hold_to_shown(found, self.shown.get(found.arquivo_id, {}), named, self.notes)
        self.notes += find_new_notes(found, self.notes, self.copies, arquivo=name, sha256=str(when), quando=when)
        self.copies[name] = list_changed(found)
        return found

    def decide(self, now: Payables | None = None, approval: Approval = TWO) -> Decisions:
        moved = BusinessCalendar().next_business_day
        return find_decisions(SeenWords(self.notes, self.shown), now or payables(), approval, moved)

    def state(self, number: int = 3004, now: Payables | None = None, approval: Approval = TWO) -> Decision:
        return self.decide(now, approval).latest()[number]
