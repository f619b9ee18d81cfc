"""What only looks changes nothing: `doctor`, `limpar --simular` and `estado`, whatever stands in the data folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from uuid import uuid4

import dagster as dg
import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.operation.recorder import foresee_records
from lastro.pipelines.execution import prepare_home
from lastro.pipelines.names import PARTITION_TAG, TAG_EXECUCAO
from lastro.settings import Settings
from tests.marks import thinned
from tests.served import TOKEN, TOKEN_VARIABLE

LOOKS = (("doctor", "--sem-rede"), ("limpar", "--simular"), ("estado",))


def seen(folder: Path) -> dict[str, tuple[object, ...]]:
    """Read everything below a folder: mode, moment and content."""
    return {str(path.relative_to(folder)): _see(path) for path in (folder, *folder.rglob("*"))}


def _see(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    return status.st_mode, status.st_mtime_ns, path.read_bytes() if path.is_file() else b""


def look(folder: Path, *, home: Path | None = None) -> str:
    """Run what only looks; return what it says."""
    told = []
    for command, *options in LOOKS:
        env = {TOKEN_VARIABLE: TOKEN} | ({"DAGSTER_HOME": str(home)} if home else {})
        asked = [command, "--config", str(folder / "lastro.toml"), *options]
        result = CliRunner().invoke(main, asked, env=env)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        told.append(result.output)
    return "\n".join(told)


def record_runs() -> list[str]:
    """Write two runs of the company into Dagster's records, of which the last good one stays whatever its age."""
    with dg.DagsterInstance.get() as instance:
        ids = [str(uuid4()) for _ in range(2)]
        for run_id in ids:
            tags = {PARTITION_TAG: "ouro", TAG_EXECUCAO: "7"}
            instance.add_run(
                dg.DagsterRun("lastro_diario", run_id=run_id, status=dg.DagsterRunStatus.SUCCESS, tags=tags)
            )
    return ids


def make_nothing(_home: Path) -> None:
    """A company that Dagster never ran."""


def make_empty(home: Path) -> None:
    """A home whose records are still to come."""
    home.mkdir()
    (home / "dagster.yaml").touch()


def make_broken(home: Path) -> None:
    home.mkdir()
    (home / "dagster.yaml").write_text("storage: [", encoding="utf-8")


@pytest.mark.parametrize(
    ("make", "named"),  # or somebody else's home
    thinned(
        product((make_nothing, make_empty, make_broken), (False, True)),
        default=[(make_nothing, False), (make_empty, True), (make_broken, False)],
    ),
)
def test_looking_makes_nothing(settings: Settings, tmp_path: Path, make: Callable[[Path], None], named: bool) -> None:
    home = tmp_path / "deles" if named else settings.dir / "dagster"
    if named and make is make_nothing:
        home.mkdir()
    else:
        make(home)
    before = seen(tmp_path)
    said = look(tmp_path, home=home if named else None)
    assert seen(tmp_path) == before
    yet = "dos registros do Dagster ainda não dá para dizer: "
    assert said.count(yet) == (0 if make in (make_nothing, make_empty) else 2)


def test_a_folder_that_is_still_to_come_is_not_made(settings: Settings, tmp_path: Path) -> None:
    config = (tmp_path / "lastro.toml").read_text(encoding="utf-8")
    folder = tmp_path / "nova"
    folder.mkdir()
    (folder / "lastro.toml").write_text(config, encoding="utf-8")
    before = seen(folder)
    look(folder)
    assert seen(folder) == before
    assert settings.dir.exists()


@pytest.mark.parametrize("live", thinned((False, True), default=(True,)))
def test_records_are_looked_at_where_they_stand(settings: Settings, tmp_path: Path, live: bool) -> None:
    """Also those that somebody is writing, or died over: they are in the log beside the file."""
    home = prepare_home(settings)
    with closing(sqlite3.connect(home / "history" / "runs.db")) as other:
        if live:
            other.execute("SELECT count(*) FROM runs").fetchall()  # whoever closes a file last writes its log back
        first, _ = record_runs()
        before = seen(tmp_path)
        assert ("dados/dagster/history/runs.db-wal" in before) == live
        going, unknown = foresee_records(settings, datetime.now(UTC) + timedelta(days=31))
        assert ([one.caminho for one in going], unknown) == ([first], "")
        look(tmp_path)
        assert seen(tmp_path) == before


def test_a_keeper_of_somebody_elses_is_left_alone(settings: Settings, tmp_path: Path) -> None:
    home = settings.dir / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text(
        "run_storage:\n  module: dagster._core.storage.runs\n  class: SqliteRunStorage\n"
        f"  config:\n    base_dir: {tmp_path / 'outra'}\n",
        encoding="utf-8",
    )
    before = seen(tmp_path)
    assert "nomeia um guardador próprio" in look(tmp_path)
    assert seen(tmp_path) == before
