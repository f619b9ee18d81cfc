"""What the checks do not see: the tables of the reports are damaged at random, one cell or row at a time.

    python -m tests.tools.damage                       # 300 damages, by table how many no check sees, and which
    python -m tests.tools.damage --plano danos.json    # the damages of a file; written there where it is not yet

A made-up company with two runs is judged as the second one was. A damage is a centavo more, a row gone, a row twice,
the cells of two rows swapped, a date moved by a day, a text changed. It is seen when a check fails that held, or names
other keys than before. The same seed gives the same damages.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from lastro import catalogue
from lastro.grid.cells import Kind
from lastro.grid.tables import Table
from lastro.grid.workbook import Report, tables_of
from lastro.quality.queries import read_prelude, read_queries
from lastro.quality.runner import ReceivedViews, open_proof, run_query
from lastro.transform.position import Position
from lastro.warehouse.file.proof import Proof, Relation
from tests.tools.net import CASES

KINDS = ("centavo", "falta", "repetida", "trocadas", "dia", "texto")


@dataclass(frozen=True)
class Damage:
    """One damage: of which table, what kind, in which row and column, and the row that it is swapped with."""

    table: str
    kind: str
    row: int
    column: str = ""
    other: int = -1


@dataclass(frozen=True)
class Judged:
    """What checks were asked of: position, evidence, reports; with the cover where it was made."""

    position: Any
    recebido: Mapping[str, Relation]
    tables: tuple[Table, ...]

    @cached_property
    def _proof(self) -> Proof:
        """The records laid out once; of the reports only the table that changed is laid out again."""
        return open_proof(self.position, self.recebido)

    def run(self, tables: Iterable[Table]) -> set[tuple[str, tuple[str, ...]]]:
        """Return what fails, with its keys; a damage that a check cannot read at all is seen, too."""
        self._proof.show(tables)
        try:
            found = [run_query(query, self._proof) for query in read_queries().values()]
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody overlooks it
            return {("erro", (str(error),))}
        return {(check.id, check.chaves) for check in found if check.failed}


def record_run(case: str) -> Judged:
    """Run a case of the net and keep what the checks of its last whole run were asked."""
    asked: list[Judged] = []

    def record(position: Position, received: ReceivedViews, reports: Iterable[Report]) -> Proof:
        class Recorded(Proof):
            def show(self, tables: Iterable[Table]) -> None:
                asked.append(Judged(position, received, tuple(tables)))
                super().show(asked[-1].tables)

        proof = Recorded(position, read_prelude(), received)
        proof.show(tables_of(reports))
        return proof

    module = vars(catalogue)
    module["open_proof"] = record
    try:
        with tempfile.TemporaryDirectory() as folder:
            CASES[case](Path(folder))
    finally:
        module["open_proof"] = open_proof
    return max(asked, key=lambda one: (one.position.data_base, len(one.position.linhas), len(one.tables)))


def plan_damages(tables: Sequence[Table], count: int, seed: int) -> Iterator[Damage]:
    """Draw damages, each table as often as the others; one that cannot be had of a table is drawn anew."""
    rng = random.Random(seed)  # noqa: S311 - the same damages every time, no secret
    shown = sorted((table for table in tables if table.rows), key=lambda table: table.name)
    while count:
        table, kind = rng.choice(shown), rng.choice(KINDS)
        damage = _draw(table, kind, rng)
        if damage is not None:
            count -= 1
            yield damage


def _draw(table: Table, kind: str, rng: random.Random) -> Damage | None:
    row = rng.randrange(len(table.rows))
    if kind in ("falta", "repetida"):
        return Damage(table.name, kind, row)
    wanted = {"centavo": {Kind.MONEY}, "dia": {Kind.DATE, Kind.MONTH}, "texto": {Kind.TEXT, Kind.LINK}}
    cells = table.rows[row]
    other = rng.randrange(len(table.rows))
    columns = [
        column.key
        for place, column in enumerate(table.columns)
        if cells[place] is not None
        and (table.rows[other][place] != cells[place] if kind == "trocadas" else column.kind in wanted[kind])
    ]
    return Damage(table.name, kind, row, rng.choice(columns), other) if columns else None


def apply_damage(table: Table, damage: Damage) -> Table:
    """Return the damaged table."""
    rows = list(table.rows)
    if damage.kind == "falta":
        del rows[damage.row]
    elif damage.kind == "repetida":
        rows.insert(damage.row, rows[damage.row])
    else:
        place = table.place(damage.column)
        one, other = list(rows[damage.row]), list(rows[damage.other])
        if damage.kind == "trocadas":
            one[place], other[place] = other[place], one[place]
            rows[damage.other] = tuple(other)
        else:
            one[place] = _change(one[place])
        rows[damage.row] = tuple(one)
    return replace(table, rows=tuple(rows))


def _change(value: Any) -> Any:
    if isinstance(value, Decimal):
        return value + Decimal("0.01")
    return value + timedelta(days=1) if isinstance(value, date) else f"{value}x"


def find_unseen(judged: Judged, damages: Iterable[Damage]) -> list[Damage]:
    """Return the damages that no check sees."""
    healthy = judged.run(judged.tables)
    return [damage for damage in damages if judged.run(_damage(judged.tables, damage)) == healthy]


def _damage(tables: Sequence[Table], damage: Damage) -> list[Table]:
    return [apply_damage(table, damage) if table.name == damage.table else table for table in tables]


def _read_plan(path: Path | None, judged: Judged, count: int, seed: int) -> list[Damage]:
    if path is not None and path.exists():
        return [Damage(**one) for one in json.loads(path.read_text(encoding="utf-8"))]
    damages = list(plan_damages(judged.tables, count, seed))
    if path is not None:
        path.write_text(json.dumps([asdict(one) for one in damages]), encoding="utf-8")
    return damages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--caso", default="seed_03", choices=sorted(CASES))
    parser.add_argument("--danos", type=int, default=300)
    parser.add_argument("--semente", type=int, default=1)
    parser.add_argument("--plano", type=Path)
    arguments = parser.parse_args()
    judged = record_run(arguments.caso)
    damages = _read_plan(arguments.plano, judged, arguments.danos, arguments.semente)
    unseen = find_unseen(judged, damages)
    made, missed = Counter(one.table for one in damages), Counter(one.table for one in unseen)
    for name in sorted(made):
        kinds = ", ".join(sorted(f"{one.kind} {one.column}".strip() for one in unseen if one.table == name))
        sys.stdout.write(f"{name:<32} {made[name]:>4} {missed[name]:>4}  {kinds}\n")
    sys.stdout.write(f"{'':<32} {len(damages):>4} {len(unseen):>4}  {100 - 100 * len(unseen) / len(damages):.1f} %\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
