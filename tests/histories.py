"""Several runs of one company in one warehouse, recorded as a run records them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from lastro.calendar import BusinessCalendar
from lastro.settings import Empresa
from lastro.transform.position import Core, Position, build_position
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.history import record_history
from tests.books import load_books

Payload = dict[str, Any]


@contextmanager
def load_run(
    pasta: Path, payloads: Mapping[str, Any], empresa: Empresa, day: date, execucao_id: int
) -> Iterator[tuple[Warehouse, Position]]:
    """Load a run over those already in the folder and record it; D is the day of the extraction."""
    warehouse, _, position = load_books(
        pasta, payloads, empresa, data_base=day, data_extracao=day, execucao_id=execucao_id
    )
    with warehouse:
        with warehouse.transaction():
            record_history(warehouse, execucao_id)
        yield warehouse, position


def take_position(core: Core, empresa: Empresa, day: date) -> Position:
    """Take the position of a run as of its own day."""
    parametros = empresa.parametros
    return build_position(
        core,
        data_base=day,
        data_extracao=day,
        parametros=parametros,
        calendario=BusinessCalendar(frozenset(parametros.feriados_extras)),
    )
