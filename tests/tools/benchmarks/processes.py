"""What `python -m tests.tools.benchmarks` stands on: processes that are measured, the service beside them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from tests.tools.benchmarks.pages import CONTROL

DAY: Final = "2026-11-20"
TOKEN: Final = "sandbox"  # noqa: S105 - the sandbox's own
PEERS: Final = Path(__file__).with_name("peers.py")
PAGES: Final = Path(__file__).with_name("pages.py")
LASTRO: Final = (sys.executable, "-c", "import sys; sys.argv[0] = 'lastro'; from lastro.__main__ import enter; enter()")
"""The installed program, as this interpreter's environment has it."""


@dataclass(frozen=True)
class Cost:
    """What a process took: CPU seconds (its children's too), wall seconds, megabytes at its largest, requests."""

    cpu: float
    wall: float
    peak: float
    requests: int | None = None


def measure(command: Sequence[str], place: Path, env: Mapping[str, str] | None = None) -> Cost:
    """Run a process to its end.

    Args:
        command: what is run.
        place: where.
        env: variables besides.

    Raises:
        RuntimeError: when it failed, with what it said.
    """
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - ours
            command, cwd=place, env={**environment(), **(env or {})}, stdout=subprocess.DEVNULL, stderr=said
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
    ours = ("LASTRO_", "DAGSTER_", "PYTHON")  # without compiled modules, importing ours would be measured as compiling
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "SANDBOX_TOKEN": TOKEN}


def find_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


@contextmanager
def served(place: Path, rows: int) -> Iterator[str]:
    """Serve an invented company in a process of its own, and write its settings where the runs are made."""
    port = find_port()
    command = [*LASTRO, "sandbox", "--porta", str(port), "--lancamentos", str(rows), "--hoje", DAY]
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


@dataclass(frozen=True)
class Pages:
    """A page server: it sends what was asked before at the cost of its bytes, and counts.

    Attributes:
        base_url: its address.
    """

    base_url: str

    def counted(self, work: Callable[[], Cost], kept: Path | None = None) -> Cost:
        """Do something, count what it asks for, and keep that in a file where one is given."""
        self._control()
        cost = work()
        asked = self._control()
        if kept is not None:
            kept.write_text(json.dumps(asked), encoding="utf-8")
        return replace(cost, requests=len(asked))

    def _control(self) -> list[str]:
        with urlopen(f"{self.base_url}{CONTROL}", timeout=60) as answer:  # noqa: S310 - ours
            asked: list[str] = json.load(answer)
        return asked


@contextmanager
def paged(place: Path, rows: int) -> Iterator[Pages]:
    """Serve an invented company as `served`, but from kept bytes; warm it by doing first what is measured."""
    with served(place, rows) as behind:
        port = find_port()
        command = [sys.executable, str(PAGES), str(port), behind.removeprefix("http://")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
        try:
            assert process.stdout is not None
            process.stdout.readline()
            settings = place / "lastro.toml"
            base_url = f"http://127.0.0.1:{port}"
            settings.write_text(settings.read_text(encoding="utf-8").replace(behind, base_url), encoding="utf-8")
            yield Pages(base_url)
        finally:
            process.terminate()
            process.wait()


def run(place: Path) -> Cost:
    """Make one whole run."""
    return measure([*LASTRO, "run", "--data-extracao", DAY], place)


def peer(name: str, base_url: str, place: Path) -> Cost:
    """Let a peer do its part."""
    folder = place / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return measure([sys.executable, str(PEERS), name, base_url, str(folder)], place)


def stack(base_url: str, place: Path, python: str) -> Cost:
    """Let the stack of dlt, dbt, Dagster and XlsxWriter make a morning; what an earlier one left is there."""
    (place / "pilha").mkdir(exist_ok=True)
    command = [python, "-m", "tests.tools.benchmarks.stack", base_url, str(place / "pilha")]
    return measure(command, place, {"PYTHONPATH": str(PEERS.parents[3])})


def tell(text: str) -> None:
    """Print a line."""
    print(f"  {text}", flush=True)  # noqa: T201 - what it is for


def say(label: str, cost: Cost, floor: Cost | None = None) -> None:
    """Print a row: seconds, memory, requests, and what multiple of the floor it is."""
    ratio = "" if floor is None else f"{cost.cpu / floor.cpu:8.2f} x CPU {cost.wall / floor.wall:8.2f} x wall"
    requests = " " * 14 if cost.requests is None else f"{cost.requests:6} requests"
    tell(f"{label:<34}{cost.cpu:9.2f} s CPU {cost.wall:9.2f} s {cost.peak:8.0f} MB {requests} {ratio}")
