"""What a run costs beside the same work by other means, measured side by side: `python -m tests.tools.benchmarks`.

Each figure is that of a whole process: CPU and wall seconds, its largest memory, and what it asked of the service. That
is a process of its own, so what it costs is in nobody's CPU and in everybody's wall time: where reading is measured, a
page server (`tests.tools.benchmarks.pages`) that sends bytes it has sent before. Times of a shared machine swing: read
the ratios, and let nothing else run. Peers are in `tests.tools.benchmarks.peers`.

python -m tests.tools.benchmarks [CASE ...] [--rows N] [--companies N] [--dlt PYTHON] [--stack PYTHON]

run      `lastro run`, twice on unchanged books and once on books of which 1 % changed, against `plain` and its floor
load     read, prove, check, type and keep the history (no report), against `plain`, its floor and, with --dlt, dlt
peers    `lastro run` against what a user would pick: `plain`; with --dlt, dlt by default and as one tunes it, and a way
         of one's own (load, SQL, XlsxWriter for as many cells); with --stack, dlt, dbt, Dagster and XlsxWriter in one
         job, a first and a second morning (`tests.tools.benchmarks.stack`)
latency  the same where each answer takes 30 ms longer, against a sequential drain of the same bytes; and `plain` with a
         pool of eight threads
size     bytes that a company takes after two runs
sandbox  rows a second that the sandbox serves in pages of 500, first and again, for each second of its own CPU
import   loading the code location, against importing Dagster and pandas alone
fleet    N companies in turn in one process, against two at a time; one is refused; what 200 of them keep
books    the workbooks and pages of a run, against openpyxl's write-only mode for the same cells
growth   settings and bank lines, four times as many against as many: 4 is linear
entry    heavy files of people (--only WORDS: one of them), against the same recálculo without them: 2 x CPU and 300 MB
         at most, 3 x where 199,000 lines are taken in
"""

from __future__ import annotations

import argparse
import compileall
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import duckdb

from tests.tools.benchmarks.entry import bench_entry
from tests.tools.benchmarks.fleet import bench_fleet
from tests.tools.benchmarks.growth import bench_growth
from tests.tools.benchmarks.processes import (
    DAY,
    Cost,
    measure,
    paged,
    peer,
    read_children,
    run,
    say,
    served,
    stack,
    tell,
    weigh,
)
from tests.tools.benchmarks.workbooks import bench_workbooks

LATENCY: Final = 0.03
CHANGED: Final = 100
"""One entry of so many changes before a third run."""
REQUESTS: Final = """SELECT conta_id, max(contagem_antes), sum(requisicoes), ceil(max(contagem_antes) / 500) + 2
  + sum(greatest(1, ceil(linhas_recebidas / 500))) FILTER (lista <> 'lancamentos') FROM ops.passadas
  WHERE lista IN ('lancamentos', 'vencidos-PA', 'vencidos-RA') GROUP BY conta_id ORDER BY conta_id"""
"""What each account's pass asked, and the most it may: its pages and two, and the pages of each overdue list."""
LOAD: Final = """
import os, sys
from pathlib import Path
from lastro.clock import utc_now
from lastro.garbage import collect_seldom
from lastro.run.order import RunOrder
from lastro.run.session import RunSession
from lastro.run.stages import STAGES, run_stage
from lastro.settings import load_settings, read_tokens
from datetime import date
collect_seldom()
settings = load_settings(None, os.environ, Path.cwd())
empresa = settings.empresas[0]
token = lambda: read_tokens(settings, [empresa], os.environ)[empresa.id]
order = RunOrder(data_extracao=date.fromisoformat(sys.argv[1]))
with RunSession(settings, empresa, token, order, clock=utc_now) as run:
    for stage in STAGES[:2]:
        run_stage(run, stage)
"""


def bench_run(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Whole runs against the plain loop."""
    with tempfile.TemporaryDirectory() as name, paged(Path(name), rows) as pages:
        place = Path(name)
        load(place)
        shutil.rmtree(place / "dados")
        first = pages.counted(lambda: run(place), place / "asked.json")
        plain = pages.counted(lambda: peer("plain", pages.base_url, place))
        say("plain", plain)
        say("first run", first, plain)
        say("floor of the first run", peer("floor", pages.base_url, place), plain)
        say("second run, nothing changed", pages.counted(lambda: run(place)), first)
        changed = pages.change(CHANGED)
        aside = place / "aside"  # what is asked for again is fetched by a company of its own
        aside.mkdir()
        shutil.copy(place / "lastro.toml", aside)
        load(aside)
        say(f"third run, {changed} changed", pages.counted(lambda: run(place)), first)


def bench_load(rows: int, options: argparse.Namespace) -> None:
    """Reading to history against those who read and load."""
    with tempfile.TemporaryDirectory() as name, paged(Path(name), rows) as pages:
        place = Path(name)
        load(place)
        ours = pages.counted(lambda: load(place), place / "asked.json")
        plain = pages.counted(lambda: peer("plain", pages.base_url, place))
        say("plain", plain)
        say("read, prove, check, type, keep", ours, plain)
        say("floor of it", peer("floor", pages.base_url, place), plain)
        tell_requests(place)
        if options.dlt:
            tuned = pages.counted(lambda: peer("dlt", pages.base_url, place, options.dlt))
            say("dlt", tuned, plain)


def bench_peers(rows: int, options: argparse.Namespace) -> None:
    """A morning against what a user would pick instead."""
    with tempfile.TemporaryDirectory() as name, paged(Path(name), rows) as pages:
        place = Path(name)
        first = pages.counted(lambda: run(place), place / "asked.json")
        plain = pages.counted(lambda: peer("plain", pages.base_url, place))
        say("plain", plain)
        for label, own in {
            "dlt, default": "default",
            "dlt, flat and parquet": "dlt",
            "a way of one's own": "own",
        }.items():
            if options.dlt:
                say(label, pages.counted(lambda own=own: peer(own, pages.base_url, place, options.dlt)), plain)  # type: ignore[misc]
        second = pages.counted(lambda: run(place))
        say("first run", first, plain)
        say("second run", second, plain)
        if options.stack:
            for label, ours in {"first": first, "second": second}.items():
                theirs = pages.counted(lambda: stack(pages.base_url, place, options.stack))
                say(f"dlt, dbt, Dagster: {label} morning", theirs, plain)
                say(f"lastro's {label} run against it", ours, theirs)


def bench_latency(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Reading to history over a slow wire."""
    with tempfile.TemporaryDirectory() as name, paged(Path(name), rows) as pages:
        place = Path(name)
        load(place)
        pages.slow_down(LATENCY)
        ours = pages.counted(lambda: load(place), place / "asked.json")
        floor = pages.counted(lambda: peer("replay", pages.base_url, place))
        say("sequential drain of the same bytes", floor)
        say("read, prove, check, type, keep", ours, floor)
        say("pool of eight threads, typed load", pages.counted(lambda: peer("pool", pages.base_url, place)), floor)


def load(place: Path) -> Cost:
    """Read and load a company that is new."""
    shutil.rmtree(place / "dados", ignore_errors=True)
    return measure([sys.executable, "-c", LOAD, DAY], place)


def tell_requests(place: Path) -> None:
    """Hold the requests of each account's complete pass against the most it may take: ceil(N / 500) + 4.

    Two of the four are the overdue lists, while each of them is one page.
    """
    files = (place / "dados").glob("*/privado/lastro.duckdb")
    with duckdb.connect(str(next(files)), read_only=True) as con:
        passes = con.execute(REQUESTS).fetchall()
    for conta, entries, requests, most in passes:
        tell(f"account {conta}: {entries} entries in {requests} requests, of at most {most:.0f}")


def bench_size(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Bytes on disk."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows):
        place = Path(name)
        run(place)
        run(place)
        (file,) = (place / "dados").glob("*/lastro.duckdb")
        tell(f"a company after two runs          {weigh(file.parent) / 1e6:9.2f} MB")


def bench_sandbox(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """What the sandbox itself can serve."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows) as base_url:
        for label in ("first reading", "second reading"):
            before = read_children()
            cost = peer("drain", base_url, Path(name))
            own = read_children() - before
            tell(f"{label:<34}{rows / own:9.0f} rows/s of its core, {rows / cost.wall:9.0f} as read")


def bench_import(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Loading the code location."""
    with tempfile.TemporaryDirectory() as name:
        floor = measure([sys.executable, "-c", "import dagster, pandas"], Path(name))
        say("import dagster, pandas", floor)
        say(
            "import lastro_pipelines.definitions",
            measure([sys.executable, "-c", "import lastro_pipelines.definitions"], Path(name)),
            floor,
        )


CASES: Final[dict[str, Callable[[int, argparse.Namespace], None]]] = {
    "run": bench_run,
    "load": bench_load,
    "peers": bench_peers,
    "latency": bench_latency,
    "size": bench_size,
    "sandbox": bench_sandbox,
    "import": bench_import,
    "fleet": bench_fleet,
    "books": bench_workbooks,
    "growth": bench_growth,
    "entry": bench_entry,
}


def main() -> None:
    """Measure the cases asked for and print a table of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help="all of them when none is named")
    parser.add_argument("--rows", type=int, default=5000, help="entries of the invented company")
    parser.add_argument("--companies", type=int, default=16, help="how many the fleet has")
    parser.add_argument(
        "--dlt", help="an interpreter that has dlt with its extras duckdb and parquet, httpx, pandas, XlsxWriter"
    )
    parser.add_argument("--stack", help="an interpreter that has what `tests.tools.benchmarks.stack` says it needs")
    parser.add_argument("--only", default="", help="the file of `entry` whose name holds this")
    options = parser.parse_args()
    compileall.compile_dir(Path(__file__).parents[3] / "src", quiet=2)
    for name in options.cases or CASES:
        print(f"{name}: {options.rows} entries")  # noqa: T201
        CASES[name](options.rows, options)


if __name__ == "__main__":
    main()
