"""The files that a run writes for people, against openpyxl's write-only mode writing the cells of the workbooks.

`python -m tests.tools.benchmarks.workbooks FILE ...` is that peer, in a process of its own. It writes values with their
number formats and no other style, which is less than the files hold. Of a sheet of more than `SAMPLE` rows it writes
those, and counts them for the whole: its cost grows with the rows.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell

from tests.tools.benchmarks.processes import DAY, Cost, measure, say, served, tell

SAMPLE: Final = 4_000
STAGED: Final = """
import json, os, sys, time
from pathlib import Path
from lastro.clock import utc_now
from lastro.run.order import RunOrder
from lastro.run.session import RunSession
from lastro.run.stages import run_stages
from lastro.settings import load_settings, read_tokens
from datetime import date
settings = load_settings(None, os.environ, Path.cwd())
empresa = settings.empresas[0]
token = lambda: read_tokens(settings, [empresa], os.environ)[empresa.id]
order = RunOrder(data_extracao=date.fromisoformat(sys.argv[1]))
began = []
note = lambda name: began.append((name, time.process_time(), time.perf_counter()))
with RunSession(settings, empresa, token, order, clock=utc_now) as run:
    result = run_stages(run, watch=note)
note("end")
spent = {one[0]: (two[1] - one[1], two[2] - one[2]) for one, two in zip(began, began[1:])}
json.dump({"seconds": spent["planilhas"], "workbooks": [str(path) for path in result.workbooks],
           "pages": [str(path) for path in result.paginas]}, sys.stdout)
"""


def bench_workbooks(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Weigh the stage that writes workbooks and pages against openpyxl."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows):
        place = Path(name)
        whole = measure([sys.executable, "-c", STAGED, DAY], place)
        told = json.loads((place / "out").read_bytes())
        cpu_spent, wall_spent = told["seconds"]
        ours = Cost(cpu_spent, wall_spent, whole.peak)
        books = [path for path in told["workbooks"] if path.endswith(".xlsx")]
        peer = [sys.executable, "-m", "tests.tools.benchmarks.workbooks"]
        measure([*peer, *books], place, {"PYTHONPATH": str(Path.cwd())})
        peers = json.loads((place / "out").read_bytes())
        for path, (cells, cpu, _) in peers.items():
            size = Path(path).stat().st_size / 1e6
            tell(f"{Path(path).name:<34}{cells:9} cells {size:7.1f} MB {cpu:8.2f} s CPU by openpyxl")
        floor = Cost(sum(cpu for _, cpu, _ in peers.values()), sum(wall for *_, wall in peers.values()), 0.0)
        say("openpyxl, write-only", floor)
        say(f"{len(books)} workbooks, {len(told['pages'])} pages", ours, floor)


def write_again(path: Path, folder: Path) -> tuple[int, float, float]:
    """Write the cells of a workbook; return how many it has, and the CPU and wall seconds that all of them take."""
    cells, cpu, wall = 0, 0.0, 0.0
    book = load_workbook(path, read_only=True)
    for number, sheet in enumerate(book.worksheets):
        # A sheet need not say how long it is.
        length = sheet.max_row or sum(1 for _ in sheet.iter_rows())
        rows = [
            [(cell.value, cell.number_format or "General") for cell in row]
            for row in islice(sheet.iter_rows(), min(SAMPLE, length))
        ]
        scale = length / max(len(rows), 1)
        began = time.process_time(), time.perf_counter()
        write_sheet(rows, folder / f"{number}.xlsx")
        cpu += (time.process_time() - began[0]) * scale
        wall += (time.perf_counter() - began[1]) * scale
        cells += round(sum(map(len, rows)) * scale)
    return cells, cpu, wall


def write_sheet(rows: list[list[tuple[Any, str]]], path: Path) -> None:
    """Write a sheet into a file of its own."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("a")
    for row in rows:
        cells = []
        for value, number_format in row:
            cell = WriteOnlyCell(sheet, cast("Any", value))
            cell.number_format = number_format
            cells.append(cell)
        sheet.append(cells)
    book.save(path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as aside:
        json.dump({each: write_again(Path(each), Path(aside)) for each in sys.argv[1:]}, sys.stdout)
