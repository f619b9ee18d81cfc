"""What a run costs beside the same work by other means, measured side by side: `python -m tests.benchmarks`.

Each figure is that of a whole process: CPU and wall seconds, its largest memory. The service is the sandbox in a
process of its own, so what it costs is in nobody's CPU and in everybody's wall time. Times of a shared machine swing:
read the ratios, and let nothing else run. Peers are in `tests.benchmarks.peers`.

python -m tests.benchmarks [CASE ...] [--rows N] [--dlt PYTHON]

run      `lastro run`, twice on unchanged books, against `plain`
core     the same by this process alone (`--sem-dagster`)
load     read, prove, check, type and keep the history (no report), against `plain` and, with --dlt, dlt
latency  the same where each answer takes 30 ms longer, against a sequential drain and a pool of eight threads
size     bytes that a company takes after two runs, and Dagster's records of one
sandbox  rows a second that the sandbox serves in pages of 500, first and again, for each second of its own CPU
import   loading the code location, against importing Dagster and pandas alone
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DAY: Final = "2026-11-20"
TOKEN: Final = "sandbox"  # noqa: S105 - the sandbox's own
PEERS: Final = Path(__file__).with_name("peers.py")
LASTRO: Final = (sys.executable, "-c", "from lastro.cli import main; main(prog_name='lastro')")
LOAD: Final = """
import os, sys
from pathlib import Path
from lastro.clock import utc_now
from lastro.run.order import RunOrder
from lastro.run.session import RunSession
from lastro.run.stages import STAGES, run_stage
from lastro.settings import load_settings, read_tokens
from datetime import date
settings = load_settings(None, os.environ, Path.cwd())
empresa = settings.empresas[0]
token = lambda: read_tokens(settings, [empresa], os.environ)[empresa.id]
order = RunOrder(data_extracao=date.fromisoformat(sys.argv[1]))
with RunSession(settings, empresa, token, order, clock=utc_now) as run:
    for stage in STAGES[:2]:
        run_stage(run, stage)
"""


@dataclass(frozen=True)
class Cost:
    """What a process took: CPU seconds (its children's too), wall seconds, megabytes at its largest."""

    cpu: float
    wall: float
    peak: float


def measure(command: Sequence[str], place: Path) -> Cost:
    """Run a process to its end.

    Raises:
        RuntimeError: when it failed, with what it said.
    """
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - ours
            command, cwd=place, env=environment(), stdout=said, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{command[:3]}: {said.read().decode(errors='replace')[-2000:]}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def environment() -> dict[str, str]:
    """Return the environment without anybody's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LASTRO_", "DAGSTER_"))}
    return {**kept, "SANDBOX_TOKEN": TOKEN}


@contextmanager
def served(place: Path, rows: int, *options: str) -> Iterator[str]:
    """Serve an invented company in a process of its own, and write its settings where the runs are made."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*LASTRO, "sandbox", "--port", str(port), "--lancamentos", str(rows), "--hoje", DAY, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())  # noqa: S603 - ours
    try:
        assert process.stdout is not None
        told: list[str] = []
        for line in process.stdout:
            if line.startswith("interface"):
                break
            told.append(line)
        text = "".join(told)
        (place / "lastro.toml").write_text(text[text.index("dir = ") :], encoding="utf-8")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def run(place: Path, *options: str) -> Cost:
    """Make one whole run."""
    return measure([*LASTRO, "run", "--data-extracao", DAY, *options], place)


def peer(name: str, base_url: str, place: Path, python: str = sys.executable) -> Cost:
    """Let a peer do its part."""
    folder = place / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return measure([python, str(PEERS), name, base_url, str(folder)], place)


def weigh(folder: Path) -> int:
    """Add the bytes of all files below a folder; links count for nothing."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def say(label: str, cost: Cost, floor: Cost | None = None) -> None:
    """Print a row: seconds, memory, and what multiple of the floor it is."""
    ratio = "" if floor is None else f"{cost.cpu / floor.cpu:8.2f} x CPU {cost.wall / floor.wall:8.2f} x wall"
    print(f"  {label:<34}{cost.cpu:9.2f} s CPU {cost.wall:9.2f} s {cost.peak:8.0f} MB {ratio}")  # noqa: T201


def bench_run(rows: int, options: argparse.Namespace, *how: str) -> None:  # noqa: ARG001 - as the others
    """Whole runs against the plain loop."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows) as base_url:
        place = Path(name)
        floor = peer("plain", base_url, place)
        say("plain", floor)
        first = run(place, *how)
        say("first run", first, floor)
        say("second run, nothing changed", run(place, *how), first)


def bench_core(rows: int, options: argparse.Namespace) -> None:
    """The same without Dagster."""
    bench_run(rows, options, "--sem-dagster")


def bench_load(rows: int, options: argparse.Namespace, *how: str) -> None:
    """Reading to history against those who read and load."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows, *how) as base_url:
        place = Path(name)
        floor = peer("plain", base_url, place)
        say("plain", floor)
        say("read, prove, check, type, keep", measure([sys.executable, "-c", LOAD, DAY], place), floor)
        if options.dlt:
            tuned = peer("dlt", base_url, place, options.dlt)
            say("dlt", tuned, floor)


def bench_latency(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Reading to history over a slow wire."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows, "--latencia", "0.03") as base_url:
        place = Path(name)
        floor = peer("drain", base_url, place)
        say("sequential drain", floor)
        say("pool of eight threads", peer("pool", base_url, place), floor)
        say("read, prove, check, type, keep", measure([sys.executable, "-c", LOAD, DAY], place), floor)


def bench_size(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Bytes on disk."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows):
        place = Path(name)
        run(place)
        records = weigh(place / "dados/dagster")
        run(place)
        company = next(path for path in (place / "dados").iterdir() if path.name != "dagster")
        print(f"  a company after two runs          {weigh(company) / 1e6:9.2f} MB")  # noqa: T201
        print(f"  Dagster's records of a run        {(weigh(place / 'dados/dagster') - records) / 1e6:9.2f} MB")  # noqa: T201


def bench_sandbox(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """What the sandbox itself can serve."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows) as base_url:
        for label in ("first reading", "second reading"):
            before = read_children()
            cost = peer("drain", base_url, Path(name))
            own = read_children() - before
            print(f"  {label:<34}{rows / own:9.0f} rows/s of its core, {rows / cost.wall:9.0f} as read")  # noqa: T201


def read_children() -> float:
    """Read the CPU seconds of the processes that were started here and still run."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[1]) == os.getpid():
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def bench_import(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Loading the code location."""
    with tempfile.TemporaryDirectory() as name:
        floor = measure([sys.executable, "-c", "import dagster, pandas"], Path(name))
        say("import dagster, pandas", floor)
        say(
            "import pipelines.definitions",
            measure([sys.executable, "-c", "import pipelines.definitions"], Path(name)),
            floor,
        )


CASES: Final[dict[str, Callable[[int, argparse.Namespace], None]]] = {
    "run": bench_run,
    "core": bench_core,
    "load": bench_load,
    "latency": bench_latency,
    "size": bench_size,
    "sandbox": bench_sandbox,
    "import": bench_import,
}


def main() -> None:
    """Measure the cases asked for and print a table of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help="all of them when none is named")
    parser.add_argument("--rows", type=int, default=5000, help="entries of the invented company")
    parser.add_argument("--dlt", help="an interpreter that has dlt, with its extras duckdb and parquet, and httpx")
    options = parser.parse_args()
    for name in options.cases or CASES:
        print(f"{name}: {options.rows} entries")  # noqa: T201
        CASES[name](options.rows, options)


if __name__ == "__main__":
    main()
