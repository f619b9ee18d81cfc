"""A workbook of the desks as somebody of a made-up company saved it: what `lastro demo` finds typed."""

from __future__ import annotations

import os
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from lastro.desk.desks import COBRANCA
from lastro.desk.memory import DeskMemory
from lastro.desk.sheets import Parts, make_sheet, make_table
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind, Value
from lastro.grid.prints import Print
from lastro.grid.tables import Column
from lastro.grid.words import column_name
from lastro.grid.workbook import Stamp, Workbook
from lastro.run.names import REPORTS_FOLDER
from lastro.settings import Empresa, Settings

CUSTOMER, PROMISED = "Condomínio Edifício Aroeira", Decimal("1500.00")
"""Who promises, and how much."""


def leave_promise(settings: Settings, empresa: Empresa, devedor: int, hoje: date) -> None:
    """Leave a copy of `cobranca`, saved the day before `hoje`, in which `devedor` promises; one that is there stays.

    Raises:
        StorageError: when it cannot be written.
    """
    path = settings.pasta(empresa) / REPORTS_FOLDER / "cobranca anotada.xlsx"
    if path.exists():
        return
    said: tuple[tuple[str, Kind, Value], ...] = (
        ("Cliente", Kind.TEXT, CUSTOMER), ("Resultado", Kind.TEXT, "Prometeu"),
        ("Promessa", Kind.DATE, hoje + timedelta(days=3)), ("Valor prometido", Kind.MONEY, PROMISED),
        ("Anotação", Kind.TEXT, "Paga com o rateio"), ("pessoa_id", Kind.INTEGER, devedor),
    )  # fmt: skip
    parts: Parts = {name: (Column(name, kind, key=column_name(name)), [cell]) for name, kind, cell in said}
    fila = make_sheet("Fila", (make_table(Print("tbl_fila", "", keys=("pessoa_id",), title="Fila"), parts),))
    # A copy of a workbook of the desk bears its id, by which the first run already knows whose it is.
    memory = DeskMemory(COBRANCA, f"{empresa.id}/{COBRANCA.name}/{hoje.isoformat()}/exemplo")
    stamp = Stamp(empresa.nome, hoje, datetime.combine(hoje, time(6)), "", 0, 0, 0)
    render_workbook(Workbook(COBRANCA.name, stamp, (fila, memory.build()), personal=True), path)
    saved = datetime.combine(hoje - timedelta(days=1), time(17, 30), ZoneInfo(settings.fuso)).timestamp()
    os.utime(path, (saved, saved))
