"""Kill, damage and starve runs: what is published stays whole, and the next run converges (issue 4, point 8).

The service lives in the test's process, the run in one of its own without Dagster, so that `kill -9` takes all of it.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lastro.errors import StorageError, WarehouseBusy
from lastro.run.order import RunResult
from lastro.run.record import query_record
from lastro.run.stages import STAGES, run_stage, run_stages
from lastro.settings import Settings, load_settings
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.publication.copies import read_published
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.marks import thinned
from tests.served import TOKEN, copy_golden, folder_of, open_session, run_served, say

ROOT = Path(__file__).parents[2]
NAMES = tuple(stage.nome for stage in STAGES)
"""Where a run is killed: at a random moment of the stage, whose length an undisturbed child tells."""
CHILD = """
import sys, time
from datetime import date
from pathlib import Path
from lastro.errors import LastroError
from lastro.settings import load_settings
from lastro.run.stages import run_stages
from tests.served import open_session

def announce(name):
    print(name, time.monotonic(), flush=True)
    if name == sys.argv[3]:
        sys.stdin.readline()

folder = Path(sys.argv[1])
settings = load_settings(folder / "lastro.toml", {}, folder)
announce("open")
try:
    with open_session(settings, date.fromisoformat(sys.argv[2])) as session:
        run_stages(session, watch=announce)
except LastroError as error:
    print(f"{type(error).__name__}: {error}", flush=True)
    sys.exit(error.exit_code)
announce("end")
"""

Content = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Rehearsal:
    """A company with one published run, whose service has since changed, and what further runs must give.

    Attributes:
        base: folder with settings and data after the first run; copied, never changed.
        before: what the first run published.
        other: an empty folder, for another copy, whose next run nobody disturbs.
    """

    base: Path
    before: Content
    other: Path

    @cached_property
    def undisturbed(self) -> Settings:
        return copy_company(self.base, self.other)

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long the undisturbed run takes for each stage."""
        moments: list[tuple[str, float]] = []
        with open_session(self.undisturbed, expected.D) as session:
            run_stages(session, watch=lambda name: moments.append((name, time.monotonic())))
        moments.append(("end", time.monotonic()))
        return {name: after - moment for (name, moment), (_, after) in pairwise(moments)}

    @cached_property
    def after(self) -> Content:
        """What the next run gives."""
        assert self.seconds
        found = read_content(folder_of(self.undisturbed) / "lastro.duckdb")
        assert differing(self.before, found)
        return found

    @cached_property
    def settled(self) -> Content:
        """What the one after that gives."""
        assert self.after
        return read_content(run_served(self.undisturbed, expected.D).warehouse)

    def after_runs(self, count: int) -> Content:
        """What a number of further runs give."""
        return self.after if count == 1 else self.settled

    def copy(self, folder: Path) -> Settings:
        """Give a test its own copy of the company."""
        return copy_company(self.base, folder)


def copy_company(base: Path, folder: Path) -> Settings:
    target = folder / "empresa"
    shutil.copytree(base, target, symlinks=True)
    return load_settings(target / "lastro.toml", {}, target)


@contextmanager
def child(settings: Settings, hold: str = "") -> Iterator[subprocess.Popen[str]]:
    """Start a run in a process of its own; before the stage that is named it waits for a line."""
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", CHILD, str(settings.dir.parent), expected.D.isoformat(), hold],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()


def read_content(path: Path, *, history: bool = True) -> Content:
    """Read everything that a run computed: core, the report views, and history of the last run; run numbers apart."""
    content: Content = {}
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        names = con.execute(
            "SELECT schema_name || '.' || table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() "
            "WHERE NOT internal AND (schema_name IN ('core', 'mart')) GROUP BY 1 ORDER BY 1"
        ).fetchall()
        last = con.execute("SELECT max(execucao_id) FROM ops.execucoes WHERE situacao = 'completa'").fetchall()[0][0]
        relations = {name: name for name, _ in names}
        listed = dict(names)
        if history:
            for name in ("linhas", "cobrancas", "pessoas", "categorias", "contas"):
                relations[f"hist.{name}_em"] = f"hist.{name}_em({last})"
                listed[f"hist.{name}_em"] = listed[f"core.{name}"]
        for name, relation in relations.items():
            columns = ", ".join(f'"{column}"' for column in listed[name] if not column.startswith("execucao"))
            rows = con.execute(f"SELECT {columns} FROM {relation}").fetchall()  # noqa: S608 - the file's own names
            content[name] = sorted((row for row in rows if "execucao_id" not in row), key=repr)
    return content


def differing(one: Content, other: Content) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def leftovers(pasta: Path) -> list[str]:
    """List what a finished run must not leave: anything half written."""
    signs = (".novo", ".tmp", ".copia", ".wal")
    return sorted(
        str(path.relative_to(pasta))
        for path in pasta.rglob("*")
        if path.name.endswith(signs) or path.name.startswith(".lastro") or path.name == "preparo"
    )


def completed(path: Path) -> int:
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        return int(con.execute("SELECT count(*) FROM ops.execucoes WHERE situacao = 'completa'").fetchall()[0][0])


@pytest.fixture(scope="module")
def rehearsal(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        base = tmp_path_factory.mktemp("crash")
        settings = copy_golden(first_run, base, service.base_url)
        before = read_content(folder_of(settings) / "lastro.duckdb")
        books.change_entry(books.lancamentos[1004], data_pagamento="2026-03-16")
        yield Rehearsal(base, before, tmp_path_factory.mktemp("undisturbed"))


def kill(settings: Settings, stage: str, wait: float) -> None:
    """Run a company in a process of its own and kill it some seconds after a stage begins."""
    with child(settings) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.split()[0] == stage:
                time.sleep(wait)
                break
        os.kill(process.pid, signal.SIGKILL)
    lock = CompanyLock(folder_of(settings))
    lock.acquire("nobody")
    lock.release()


def kill_and_recover(rehearsal: Rehearsal, settings: Settings, seed: int) -> None:
    """Kill runs of a company at random moments, look at what is published each time, then let one finish.

    Every third is finished by its reports alone, of the reading that waits, or else of the published one.
    """
    rng = random.Random(seed)  # noqa: S311 - a reproducible schedule, no secret
    stage = NAMES[seed % len(NAMES)]
    wait = rehearsal.seconds[stage] * rng.random()
    pasta = folder_of(settings)
    link = pasta / "lastro.duckdb"
    kill(settings, stage, wait)
    seen = read_content(link)
    states = (getattr(rehearsal, name) for name in ("before", "after", "settled"))  # each is made when asked
    assert any(not differing(seen, state) for state in states), (stage, wait, differing(seen, rehearsal.before))
    begun = query_record(pasta, "SELECT numero FROM execucao WHERE numero > 1")
    said = say(settings)
    assert all(f"execução {number}" in said for (number,) in begun if number != read_published(pasta)), (stage, said)
    waits = "sem relatório" in said
    alone = seed % 3 == 2
    result = run_served(settings, expected.D, so_relatorios=alone)
    if alone:
        assert (result.leitura_id == 2) == (waits or not differing(seen, rehearsal.after))
        wanted = rehearsal.after if waits else {name: seen[name] for name in seen if not name.startswith("hist.")}
        assert differing(read_content(result.warehouse, history=waits), wanted) == [], (stage, wait)
        return
    # The run that was killed after it had been closed counts as the one before; else the first one does.
    number = completed(result.warehouse) - 1
    assert number in (1, 2)
    wanted = rehearsal.after_runs(number)
    got = read_content(result.warehouse)
    assert differing(got, wanted) == [], (stage, wait)
    assert leftovers(pasta) == []
    assert len(list((pasta / "publicado").iterdir())) <= 2
    with closing(duckdb.connect(str(result.warehouse), read_only=True)) as con:
        assert con.execute("SELECT count(*) FROM ops.execucoes WHERE situacao = 'em andamento'").fetchall() == [(0,)]
    for workbook in (pasta / "relatorios").glob("*.xlsx"):
        assert workbook.read_bytes()[:2] == b"PK"


def test_a_run_killed_while_it_loads_changes_nothing_and_the_next_one_reads_all(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    settings = rehearsal.copy(tmp_path)
    kill(settings, "core", 0.1)
    assert "execução 2" in say(settings)
    assert differing(read_content(folder_of(settings) / "lastro.duckdb"), rehearsal.before) == []
    with open_session(settings, expected.D) as session:
        for stage in STAGES[:2]:
            run_stage(session, stage)
        paid = "SELECT data_pagamento FROM core.linhas WHERE linha_id = 1004"
        assert session.warehouse.query(paid) == [(expected.D,)]
        counted = "SELECT count(*), sum(valor) FROM core.linhas"
        assert session.warehouse.query(counted) == [(expected.CONTAGENS["linhas"], expected.CONTAGENS["soma"])]
        states = session.warehouse.query("SELECT situacao FROM ops.execucoes ORDER BY execucao_id")
    assert states in [[("completa",), (one,), ("em andamento",)] for one in ("falhou", "lida")]  # its report had begun?


@pytest.mark.longo
@pytest.mark.parametrize("seed", range(30))
def test_a_run_killed_at_any_moment_leaves_one_whole_state_and_the_next_one_converges(
    rehearsal: Rehearsal, tmp_path: Path, seed: int
) -> None:
    kill_and_recover(rehearsal, rehearsal.copy(tmp_path), seed)


@pytest.mark.longo
def test_readers_are_never_disturbed_and_never_block_and_a_second_writer_is_told(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    settings = rehearsal.copy(tmp_path)
    link = folder_of(settings) / "lastro.duckdb"
    code = (
        "import duckdb, sys; con = duckdb.connect(sys.argv[1], read_only=True)\n"
        "sql = 'SELECT count(*), sum(valor), max(execucao_id) FROM core.linhas'\n"
        "while True:\n"
        "    print(con.execute(sql).fetchall(), flush=True)\n"
        "    if not sys.stdin.readline(): break\n"
    )
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code, str(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        first = reader.stdout.readline()
        with child(settings, hold="core") as writer:
            assert writer.stdout is not None
            for line in writer.stdout:
                if line.startswith("core"):
                    break
            with pytest.raises(WarehouseBusy, match=rf"pid {writer.pid}\b"):
                run_served(settings, expected.D)
            reader.stdin.write("\n")
            reader.stdin.flush()
            assert reader.stdout.readline() == first
            output, errors = writer.communicate("\n", timeout=500)
            assert writer.returncode == 0, output + errors
        run_served(settings, expected.D)
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == first
    assert "1)]" in first
    assert differing(read_content(link), rehearsal.settled) == []


def cut_in_half(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(300_000))  # noqa: S311 - any bytes


def scramble_blocks(path: Path) -> None:
    """Leave the headers whole and nothing else: the file opens or not, but no table can be read."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        for start in range(3 * 4096 + 50_000, size, 100_000):
            file.seek(start)
            file.write(b"\xff" * 64)


DAMAGES = (cut_in_half, overwrite, scramble_blocks, Path.unlink)


@pytest.mark.parametrize("damage", thinned(DAMAGES, default=()))
def test_a_damaged_private_file_is_rebuilt_from_the_published_one(
    rehearsal: Rehearsal, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    settings = rehearsal.copy(tmp_path)
    private = folder_of(settings) / "privado" / "lastro.duckdb"
    damage(private)
    result: RunResult | None = None
    for _ in range(2):
        # Damage that shows only where a block is read costs the run that finds it, and no other.
        try:
            result = run_served(settings, expected.D)
            break
        except StorageError:
            assert differing(read_content(folder_of(settings) / "lastro.duckdb"), rehearsal.before) == []
    assert result is not None
    assert differing(read_content(result.warehouse), rehearsal.after) == ["mart.parametros"]
    with closing(duckdb.connect(str(result.warehouse), read_only=True)) as con:
        told = con.execute("SELECT valor FROM mart.parametros WHERE parametro = 'historico'").fetchall()
        assert told == [("reconstruído da cópia publicada em 16/03/2026",)]
        versions = con.execute("SELECT count(DISTINCT valido_de), min(valido_de) FROM hist.linhas").fetchall()
    assert versions == [(2, 1)]


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Let the system refuse to write a file beyond a size, to this process and for a while."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("share", thinned((0.2, 0.9), default=()))
def test_a_write_that_the_system_refuses_is_told_and_a_later_run_succeeds(
    rehearsal: Rehearsal, tmp_path: Path, share: float
) -> None:
    """Early, and late: since DEC133 the private file of a second run grows no larger than the first one left it."""
    settings = rehearsal.copy(tmp_path)
    link = folder_of(settings) / "lastro.duckdb"
    size = (folder_of(settings) / "privado" / "lastro.duckdb").stat().st_size
    with no_file_larger_than(int(size * share) + 4096), pytest.raises(StorageError) as caught:
        run_served(settings, expected.D)
    assert caught.value.exit_code == 5
    assert differing(read_content(link), rehearsal.before) == []
    result = run_served(settings, expected.D)
    assert differing(read_content(result.warehouse), rehearsal.after_runs(completed(result.warehouse) - 1)) == []
    assert leftovers(folder_of(settings)) == []


@pytest.mark.longo
def test_a_full_disk_is_told_and_a_run_with_space_succeeds(
    rehearsal: Rehearsal, mount_disk: Callable[[str], Path]
) -> None:
    small_disk = mount_disk("size=96m")
    settings = rehearsal.copy(small_disk)
    link = folder_of(settings) / "lastro.duckdb"
    ballast = small_disk / "lastre"
    for free_kib in (0, 1_000):
        space = os.statvfs(small_disk)
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, space.f_bavail * space.f_frsize - free_kib * 1024)
        with pytest.raises(StorageError) as caught:
            run_served(settings, expected.D)
        assert caught.value.exit_code == 5
        assert differing(read_content(link), rehearsal.before) == []
        ballast.unlink()
    result = run_served(settings, expected.D)
    assert differing(read_content(result.warehouse), rehearsal.after_runs(completed(result.warehouse) - 1)) == []
    assert leftovers(folder_of(settings)) == []


def test_the_lock_is_free_after_a_run_is_closed(rehearsal: Rehearsal, tmp_path: Path) -> None:
    settings = rehearsal.copy(tmp_path)
    session = open_session(settings, expected.D)
    session.open()
    with pytest.raises(WarehouseBusy, match=rf"pid {os.getpid()}\b"):
        CompanyLock(folder_of(settings)).acquire("another")
    session.close()
    CompanyLock(folder_of(settings)).acquire("another")
