"""The published copy: whole or not at all, never blocked, never blocking, and what a reader holds stays as it was."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from lastro.errors import StorageError, WarehouseBusy
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.publication.copies import KEPT_COPIES, flip_link, publish, read_published, restore_private
from tests.books import open_warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    with open_warehouse(tmp_path / "acme") as opened:
        yield opened


def put(warehouse: Warehouse, number: int) -> Path:
    """Write a mark of a run and publish it."""
    with warehouse.transaction() as con:
        con.execute("CREATE OR REPLACE TABLE core.marca AS SELECT ? AS execucao, range AS n FROM range(5000)", [number])
    return publish(warehouse, number)


def read(path: Path) -> int:
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        return int(con.execute("SELECT max(execucao) FROM core.marca").fetchall()[0][0])


def test_the_link_leads_to_a_whole_read_only_file(warehouse: Warehouse) -> None:
    link = put(warehouse, 1)
    assert link == warehouse.pasta / "lastro.duckdb"
    assert link.is_symlink()
    assert link.readlink() == Path("publicado/lastro-000001.duckdb")
    assert stat.S_IMODE(link.stat().st_mode) == 0o400
    assert read(link) == 1
    with closing(duckdb.connect(str(link), read_only=True)) as con:
        macros = {
            row[0]
            for row in con.execute("SELECT function_name FROM duckdb_functions() WHERE schema_name = 'mart'").fetchall()
        }
        comments = con.execute("SELECT count(*) FROM duckdb_columns() WHERE comment IS NOT NULL").fetchall()
    assert {"linhas_em", "titulos_em", "saldos_em"} <= macros
    assert comments == [(0,)] or comments[0][0] > 0


def test_the_published_file_opens_in_tools_of_version_1_4(warehouse: Warehouse) -> None:
    """DuckDB numbers its storage: 64 is what 1.0 to 1.4 wrote by default, 67 what v1.4.0 may hold at most."""
    link = put(warehouse, 1)
    with closing(duckdb.connect()) as con:
        con.execute(f"ATTACH '{link}' AS copia (READ_ONLY)")
        tags = con.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'copia'").fetchall()[0][0]
    assert tags["storage_version"].startswith("v1.4")
    header = link.read_bytes()[:64]
    assert header[8:12] == b"DUCK"
    assert 64 <= int.from_bytes(header[12:20], "little") <= 67


def test_a_reader_in_another_process_does_not_hinder_the_writer(warehouse: Warehouse) -> None:
    link = put(warehouse, 1)
    code = (
        "import duckdb, sys; con = duckdb.connect(sys.argv[1], read_only=True)\n"
        "print(con.execute('SELECT max(execucao) FROM core.marca').fetchall()[0][0], flush=True)\n"
        "sys.stdin.readline()\n"
        "print(con.execute('SELECT max(execucao) FROM core.marca').fetchall()[0][0], flush=True)"
    )
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code, str(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "1\n"
        put(warehouse, 2)
        put(warehouse, 3)
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "1\n"
    assert reader.returncode == 0
    assert read(link) == 3


def test_numbers_beyond_six_digits_are_pruned_by_age_and_never_the_current_one(warehouse: Warehouse) -> None:
    for number in (999_998, 999_999, 1_000_000, 1_000_001):
        link = put(warehouse, number)
    assert read(link) == 1_000_001
    names = {path.name for path in (warehouse.pasta / "publicado").iterdir()}
    assert names == {"lastro-1000000.duckdb", "lastro-1000001.duckdb"}
    assert len(names) == KEPT_COPIES


def test_a_published_copy_is_never_written_again(warehouse: Warehouse) -> None:
    link = put(warehouse, 1)
    before = link.read_bytes()
    with warehouse.transaction() as con:
        con.execute("UPDATE core.marca SET execucao = 7")
    with pytest.raises(ValueError, match="run 1 is published"):
        publish(warehouse, 1)
    assert (read_published(warehouse.pasta), read(link), link.read_bytes()) == (1, 1, before)


def test_a_doubt_right_before_the_flip_leaves_the_old_copy(warehouse: Warehouse) -> None:
    link = put(warehouse, 1)

    def doubt() -> None:
        raise WarehouseBusy("lost")

    with pytest.raises(WarehouseBusy):
        publish(warehouse, 2, confirm=doubt)
    assert (read_published(warehouse.pasta), read(link)) == (1, 1)


def test_leftovers_of_a_run_that_died_do_no_harm(warehouse: Warehouse) -> None:
    put(warehouse, 1)
    folder = warehouse.pasta / "publicado"
    (folder / ".lastro-000002.duckdb.novo").write_bytes(b"half a file")
    (folder / ".lastro-000002.duckdb.novo.wal").write_bytes(b"half a log")
    (warehouse.pasta / ".lastro.duckdb.novo").symlink_to("nowhere")
    link = put(warehouse, 2)
    assert read(link) == 2
    assert not list(folder.glob("*.wal"))
    assert not list(folder.glob(".*"))


def test_a_stale_log_beside_the_link_or_the_copy_does_no_harm(warehouse: Warehouse) -> None:
    """Somebody who opened the link read-write leaves a `.wal` of the old file; the new copy must open all the same."""
    link = put(warehouse, 1)
    for stale in (warehouse.pasta / "lastro.duckdb.wal", warehouse.pasta / "publicado" / "lastro-000002.duckdb.wal"):
        stale.write_bytes(b"a log of another file")
    link = put(warehouse, 2)
    assert read(link) == 2


def test_the_link_flips_in_one_step(tmp_path: Path) -> None:
    """While it flips a thousand times and more, the link can be followed at every moment."""
    pasta = tmp_path / "acme"
    targets = [pasta / "publicado" / f"lastro-{number:06d}.duckdb" for number in (1, 2)]
    targets[0].parent.mkdir(parents=True)
    for target in targets:
        target.write_text(target.name, encoding="utf-8")
    link = flip_link(pasta, targets[0])
    code = (
        "import os, sys\n"
        "print('ready', flush=True)\n"
        "reads = 0\n"
        "while reads < 5000 or not os.path.exists(sys.argv[2]):\n"
        "    assert open(sys.argv[1]).read().startswith('lastro-')\n"
        "    reads += 1\n"
        "print('ok')"
    )
    enough = tmp_path / "enough"
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code, str(link), str(enough)], stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        flips = 0
        while reader.poll() is None:  # each goes on until the other has done its share
            flip_link(pasta, targets[flips % 2])
            flips += 1
            if flips == 1_000:
                enough.touch()
        assert reader.stdout.read() == "ok\n"
    assert reader.returncode == 0
    assert flips >= 1_000


def test_a_publication_that_fails_leaves_the_old_copy_published(warehouse: Warehouse) -> None:
    link = put(warehouse, 1)
    before = os.readlink(link)
    (warehouse.pasta / "publicado" / ".lastro-000002.duckdb.novo").mkdir()
    with pytest.raises(StorageError):
        put(warehouse, 2)
    assert os.readlink(link) == before
    assert read(link) == 1
    # the connection is usable: nothing stayed attached
    assert "copia" not in {row[0] for row in warehouse.query("SELECT database_name FROM duckdb_databases()")}
    (warehouse.pasta / "publicado" / ".lastro-000002.duckdb.novo").rmdir()
    assert read(put(warehouse, 2)) == 2


def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path) -> None:
    with Warehouse(tmp_path / "acme") as warehouse:
        (tmp_path / "acme" / "publicado").write_text("", encoding="utf-8")
        with pytest.raises(StorageError, match="publicado"):
            publish(warehouse, 1)


def test_a_damaged_private_file_is_replaced_by_the_published_one(tmp_path: Path) -> None:
    pasta = tmp_path / "acme"
    with Warehouse(pasta) as warehouse:
        put(warehouse, 3)
    private = pasta / "privado" / "lastro.duckdb"
    private.write_bytes(b"\0" * 20_000)
    private.with_name("lastro.duckdb.wal").write_bytes(b"x")
    with pytest.raises(StorageError, match=r"lastro\.duckdb"):
        Warehouse(pasta)
    assert restore_private(pasta)
    assert not private.with_name("lastro.duckdb.wal").exists()
    assert (pasta / "privado" / "lastro.danificado").read_bytes() == b"\0" * 20_000
    with Warehouse(pasta) as warehouse:
        assert warehouse.query("SELECT max(execucao) FROM core.marca") == [(3,)]
        assert read(put(warehouse, 4)) == 4


def test_a_restoration_that_fails_leaves_everything_where_it_was(tmp_path: Path) -> None:
    """Else the next run would find no private file, begin anew and publish a warehouse without history."""
    pasta = tmp_path / "acme"
    with Warehouse(pasta) as warehouse:
        put(warehouse, 3)
    private = pasta / "privado" / "lastro.duckdb"
    private.write_bytes(b"damaged")
    (pasta / "privado" / "lastro.copia").mkdir()
    with pytest.raises(StorageError):
        restore_private(pasta)
    assert private.read_bytes() == b"damaged"
    (pasta / "privado" / "lastro.copia").rmdir()
    assert restore_private(pasta)
    assert read(private) == 3


def test_a_private_file_that_is_gone_is_restored(tmp_path: Path) -> None:
    pasta = tmp_path / "acme"
    with Warehouse(pasta) as warehouse:
        put(warehouse, 3)
    (pasta / "privado" / "lastro.duckdb").unlink()
    assert restore_private(pasta)
    assert read(pasta / "privado" / "lastro.duckdb") == 3


def test_without_a_published_copy_a_damaged_file_is_put_aside(tmp_path: Path) -> None:
    pasta = tmp_path / "acme"
    (pasta / "privado").mkdir(parents=True)
    (pasta / "privado" / "lastro.duckdb").write_bytes(b"no database")
    assert not restore_private(pasta)
    with Warehouse(pasta) as warehouse:
        assert warehouse.query("SELECT count(*) FROM core.linhas") == [(0,)]


def test_what_was_set_aside_is_never_written_over(tmp_path: Path) -> None:
    """Without a published copy each may be all that is left; an empty file is nobody's history."""
    private = tmp_path / "acme" / "privado"
    private.mkdir(parents=True)
    for content in (b"one", b"", b"two", b"three"):
        (private / "lastro.duckdb").write_bytes(content)
        assert not restore_private(tmp_path / "acme")
    assert {path.name: path.read_bytes() for path in private.iterdir()} == {
        "lastro.danificado": b"one",
        "lastro.2.danificado": b"two",
        "lastro.3.danificado": b"three",
    }


FULL_DISK = """
import resource, sys
from pathlib import Path
from lastro.errors import StorageError
from lastro.warehouse.file.macros import create_macros
from lastro.warehouse.publication.copies import publish
from lastro.warehouse.file.store import Warehouse
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Warehouse(Path(sys.argv[1])) as warehouse:
    size = Path(sys.argv[1], "privado", "lastro.duckdb").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, resource.RLIM_INFINITY))
    try:
        with warehouse.transaction() as con:
            con.execute("CREATE TABLE core.gorda AS SELECT range AS n, md5(range::VARCHAR) AS t FROM range(400000)")
        publish(warehouse, 2)
    except StorageError as error:
        print("StorageError:", error)
"""


def test_a_full_disk_is_told_and_the_old_copy_stays(tmp_path: Path) -> None:
    """A process that may not let files grow meets what a full disk does to a write."""
    pasta = tmp_path / "acme"
    with Warehouse(pasta) as warehouse:
        link = put(warehouse, 1)
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", FULL_DISK, str(pasta)], capture_output=True, text=True, timeout=120, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.startswith("StorageError: "), done.stdout + done.stderr
    assert read(link) == 1
    with Warehouse(pasta) as warehouse:
        assert read(put(warehouse, 2)) == 2
