"""Two positions of one company for R13 and R14: golden, made by hand, or random."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lastro.transform.position import Core, Position, build_position
from tests.books import make_empresa
from tests.histories import load_run, take_position
from tests.marks import thinned
from tests.random_companies import evolve_company
from tests.unit.reports.positions import make_golden

A, B = date(2026, 2, 27), date(2026, 3, 16)
SEEDS = thinned(range(50), default=(1,))


def golden_runs(forma: str = "A", **parametros: Any) -> tuple[Position, Position]:
    """The golden runs of 16/03 (now) and 27/02 (before)."""
    return make_golden(forma, **parametros), move_to(make_golden(forma, anterior=True, **parametros), A)


def move_to(position: Position, day: date) -> Position:
    """Take the same core as of another day, on which it was also extracted."""
    core = Core(**{field.name: getattr(position, field.name) for field in fields(Core)})
    return build_position(
        core,
        data_base=day,
        data_extracao=day,
        parametros=position.parametros,
        calendario=position.calendario,
    )


@cache
def random_runs(seed: int) -> tuple[Position, Position]:
    """Load two runs into one warehouse, and return (now, before): before from its versions. Odd seeds close months."""
    before, now = evolve_company(seed)
    closed = {"fechamento": "2026-02-28"} if seed % 2 else {}
    for payload in (before, now):
        payload["parametros"] = {**payload["parametros"], "fechamento": None, **closed}
    with TemporaryDirectory() as folder:
        for number, payload in enumerate((before, now), 1):
            parametros = {name: value for name, value in payload["parametros"].items() if value is not None}
            empresa = make_empresa(payload["contas"], parametros)
            with load_run(Path(folder), payload, empresa, payload["data_base"], number) as (warehouse, position):
                earlier = warehouse.read_core(1)
    return position, take_position(earlier, empresa, before["data_base"])
