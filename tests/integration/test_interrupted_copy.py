"""What ends a run while the published copy is written, and what a disk without room for one more file does to it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from lastro.settings import Settings
from lastro_sandbox import Running, create_app, golden_company, serve
from tests.golden import expected
from tests.marks import thinned
from tests.served import TOKEN, TOKEN_VARIABLE, copy_golden, folder_of, run_served

pytestmark = pytest.mark.medio
RUN = (sys.executable, "-m", "lastro", "run", "--data-extracao", expected.D.isoformat())


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """The golden company's service."""
    with serve(create_app(golden_company(), token=TOKEN)) as running:
        yield running


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        RUN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, TOKEN_VARIABLE: TOKEN},
    )  # fmt: skip


def last_published(settings: Settings) -> int:
    with closing(duckdb.connect(str(folder_of(settings) / "lastro.duckdb"), read_only=True)) as con:
        return int(con.execute("SELECT max(execucao_id) FROM core.linhas").fetchall()[0][0])


@pytest.mark.longo
@pytest.mark.parametrize("number", thinned((signal.SIGTERM, signal.SIGKILL), default=(signal.SIGKILL,)))
def test_a_signal_while_the_copy_is_written_leaves_the_old_one(
    first_run: Path, tmp_path: Path, service: Running, number: signal.Signals
) -> None:
    settings = copy_golden(first_run, tmp_path, service.base_url)
    published = folder_of(settings) / "publicado"
    before = os.readlink(folder_of(settings) / "lastro.duckdb")
    with start(tmp_path) as process:
        end = time.monotonic() + 120
        while not list(published.glob(".lastro-*.novo")):
            assert time.monotonic() < end
            assert process.poll() is None, process.communicate()
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    assert os.readlink(folder_of(settings) / "lastro.duckdb") == before
    assert last_published(settings) == 1
    if number is signal.SIGTERM:
        assert process.returncode == 143, output + errors
        assert "Traceback" not in output + errors
        assert errors.count("interrompido; nada mais é rodado") == 1
    else:
        assert process.returncode == -signal.SIGKILL
    result = run_served(settings, expected.D)
    assert last_published(settings) == result.execucao_id == 3
    assert [path.name for path in published.iterdir() if path.name.startswith(".")] == []
    # What the run that was killed had delivered already is no longer beside what was published.
    books = sorted(path.name for path in (folder_of(settings) / "relatorios").glob("gerencial_*"))
    assert books == [f"gerencial_{expected.D}.xlsx", f"gerencial_{expected.D}_r2.xlsx"]


@pytest.mark.longo
@pytest.mark.parametrize("free", [0, 5, 10, 15, 20, 25, 30, 40, 60])
def test_a_run_says_what_it_did_where_there_is_no_room_for_another_file(
    first_run: Path, mount_disk: Callable[[str], Path], service: Running, free: int
) -> None:
    few_files = mount_disk("size=512m,nr_inodes=2000")
    settings = copy_golden(first_run, few_files, service.base_url)
    with start(few_files) as process:
        process.communicate(timeout=500)
    assert last_published(settings) == 2
    ballast = few_files / "lastre"
    ballast.mkdir()
    for number in range(os.statvfs(few_files).f_ffree - free):
        (ballast / str(number)).touch()
    with start(few_files) as process:
        output, errors = process.communicate(timeout=500)
    assert "Traceback" not in output + errors
    shutil.rmtree(ballast)
    if process.returncode in (0, 6):
        assert last_published(settings) == 3
    else:
        assert process.returncode == 5, output + errors
        assert "lastro: " in errors
        # Published, and said so, or not published at all.
        assert (last_published(settings) == 3) == ("está publicada e inteira" in errors)
    with start(few_files) as process:
        output, errors = process.communicate(timeout=500)
    assert process.returncode in (0, 6), output + errors
