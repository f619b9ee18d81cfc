"""What is written down of a company's runs and deliveries, and what becomes of it when a process or a disk fails."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lastro.errors import DeletionsHeld, StorageError
from lastro.files import digest_file
from lastro.operation.channels import Channel
from lastro.operation.notice_log import tell
from lastro.operation.state import WRONG, CompanyState
from lastro.run.deliveries import deliver, has_delivered, list_pending, take_back
from lastro.run.happened import (
    HELD,
    Attempt,
    Happened,
    begin,
    fail,
    fail_unstarted,
    note_proven,
    read_happened,
    succeed,
    try_again,
)
from lastro.run.record import DAMAGED, RECORD, mend, query_record, writing
from lastro.run.recovery import find_last_number
from lastro.settings import Settings
from lastro.warehouse.publication.copies import read_published

MORNING = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAILY = "gerencial_2026-03-16.xlsx"
NO_ROOM = StorageError("no room")
BEGUN = "INSERT INTO execucao (numero, tipo, desde) VALUES (?, 'quente', ?)"


@pytest.fixture
def pasta(tmp_path: Path) -> Path:
    (tmp_path / "acme" / "privado").mkdir(parents=True)
    return tmp_path / "acme"


def put(pasta: Path, run: int, name: str = DAILY, place: str = "relatorios") -> Path:
    """Write down a file of a run, then put it where people look."""
    (pasta / name).write_text(f"{name} {run}", encoding="utf-8")
    (target,) = deliver(pasta, run, {pasta / name: pasta / place}, MORNING).values()
    target.parent.mkdir(exist_ok=True, parents=True)
    return (pasta / name).rename(target)


def names(pasta: Path) -> list[str]:
    return sorted(path.name for path in (pasta / "relatorios").iterdir())


@pytest.mark.parametrize("tipo", ["completa", "quente", "recálculo"])
def test_a_failure_is_cleared_by_a_good_run_of_its_kind_or_a_complete_one(pasta: Path, tipo: str) -> None:
    """Of several in a row for the same cause the first moment stands, and a past day clears none."""
    for hour, error in enumerate((NO_ROOM, DeletionsHeld("c", {}), DeletionsHeld("d", {}))):
        fail_unstarted(pasta, tipo, error, MORNING + hour * HOUR)
    try_again(pasta, MORNING + 9 * HOUR, 2)
    for number, other in enumerate(({"quente", "recálculo"} - {tipo}), 1):
        begin(pasta, number, other, MORNING)
        succeed(pasta, number, MORNING)
    begin(pasta, 5, "completa", MORNING)
    succeed(pasta, 5, MORNING, past=True)
    falha = read_happened(pasta).falha
    assert falha is not None
    assert (falha.execucao_id, falha.causa, falha.mensagem, falha.desde) == (None, HELD, "d", MORNING + HOUR)
    assert (falha.de_novo, falha.tentativas) == (MORNING + 9 * HOUR, 2)
    begin(pasta, 6, tipo, MORNING)
    succeed(pasta, 6, MORNING)
    assert read_happened(pasta) == Happened()
    assert find_last_number(pasta) == 6


def test_a_run_that_died_is_a_failure_once_another_one_begins_or_fails_to(pasta: Path) -> None:
    begin(pasta, 7, "completa", MORNING)
    assert read_happened(pasta) == Happened(Attempt(7, "completa", MORNING))
    fail_unstarted(pasta, "quente", NO_ROOM, MORNING + HOUR)
    assert query_record(pasta, "SELECT numero, classe FROM execucao") == [(7, "interrompida"), (None, "StorageError")]
    begin(pasta, 8, "completa", MORNING)
    begin(pasta, 9, "completa", MORNING)
    said = read_happened(pasta)
    assert (said.andamento, said.falha and said.falha.execucao_id) == (Attempt(9, "completa", MORNING), 8)


def test_a_proven_reading_waits_until_it_or_a_later_one_is_reported(pasta: Path) -> None:
    for number in (1, 2):
        begin(pasta, number, "completa", MORNING)
        note_proven(pasta, number, MORNING)
        assert read_happened(pasta) == Happened(leitura=Attempt(number, "completa", MORNING))
    begin(pasta, 2, "completa", MORNING)  # its first report has its number
    fail(pasta, 2, "completa", NO_ROOM, MORNING)
    begin(pasta, 3, "recálculo", MORNING)
    succeed(pasta, 3, MORNING, leitura_id=1)
    said = read_happened(pasta)
    assert (said.leitura and said.leitura.execucao_id, said.falha and said.falha.execucao_id) == (2, 2)
    begin(pasta, 4, "completa", MORNING)
    succeed(pasta, 4, MORNING, leitura_id=2)
    assert read_happened(pasta) == Happened()


def test_what_a_run_warns_of_is_said_once_it_is_published(pasta: Path) -> None:
    for number in (1, 2):
        begin(pasta, number, "completa", MORNING)
        deliver(pasta, number, {}, MORNING, said=((f"recado {number}",), f"capa {number}"))
        assert read_happened(pasta).recados == (("recado 1",) if number == 2 else ())
        succeed(pasta, number, MORNING)
    assert (read_happened(pasta).recados, read_happened(pasta).resumo) == (("recado 2",), "capa 2")
    assert query_record(pasta, "SELECT count(resumo) FROM execucao") == [(1,)]  # of others no names are kept


def test_what_was_never_published_goes_when_it_can_be_reached_and_a_persons_stays(pasta: Path) -> None:
    put(pasta, 7)
    succeed(pasta, 7, MORNING)
    put(pasta, 8)
    put(pasta, 8, "fechamento_2026-02.xlsx")
    put(pasta, 8, "cobranca_2026-03-16.xlsx").write_text("fila, com uma promessa", encoding="utf-8")
    linked = put(pasta, 8, "dados_2026-03-16.xlsx")
    linked.rename(pasta / "outro.xlsx")
    linked.symlink_to(pasta / "outro.xlsx")
    share, away = pasta / "relatorios", pasta / "fora"
    share.rename(away)
    take_back(pasta)
    away.rename(share)
    assert (list_pending(pasta), find_last_number(pasta)) == ({8}, 8)
    take_back(pasta)
    assert names(pasta) == ["cobranca_2026-03-16.xlsx", "dados_2026-03-16.xlsx", DAILY]
    assert query_record(pasta, "SELECT numero, caminho FROM entrega") == [(7, f"relatorios/{DAILY}")]


def test_the_number_is_one_beyond_all_that_were_delivered_or_stand_there(pasta: Path) -> None:
    """Wherever: a desk's folder that is out of reach counts too. A past day in `retro/` is numbered by itself."""
    put(pasta, 1, place="mesa").unlink()
    assert put(pasta, 2).name == "gerencial_2026-03-16_r2.xlsx"
    (pasta / "relatorios" / "gerencial_2026-03-16_r4.xlsx").touch()
    assert put(pasta, 3).name == "gerencial_2026-03-16_r5.xlsx"
    assert put(pasta, 4, place="retro/2026-03-16").name == DAILY
    assert put(pasta, 5, "fechamento_2026-02_r2.xlsx").name == "fechamento_2026-02_r2.xlsx"  # its edition


def test_the_record_is_its_owners_alone_and_the_file_of_a_restoration_says_that_it_had_one(pasta: Path) -> None:
    assert not has_delivered(pasta)
    assert not (pasta / RECORD).exists()  # who only looks makes nothing
    (pasta / RECORD).touch()
    assert has_delivered(pasta)
    (pasta / RECORD).unlink()
    before = os.umask(0)
    try:
        assert mend(pasta)
    finally:
        os.umask(before)
    assert {(pasta / name).stat().st_mode & 0o777 for name in (RECORD, f"{RECORD}-journal")} == {0o600}
    assert (has_delivered(pasta), mend(pasta)) == (False, False)


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 3], lambda data: b"x" * len(data), lambda _: b""])
def test_a_damaged_record_gives_way_to_a_new_one_and_stays_beside_it(
    pasta: Path, damage: Callable[[bytes], bytes]
) -> None:
    for number in range(1, 40):
        put(pasta, number)
    broken = damage((pasta / RECORD).read_bytes())
    (pasta / RECORD).write_bytes(broken)
    assert read_happened(pasta) == Happened()  # it says nothing, and stops no failure from being told
    fail(pasta, 40, "completa", NO_ROOM, MORNING)
    if broken:
        with pytest.raises(StorageError, match=r"registro\.db: o registro do que aconteceu está danificado"):
            begin(pasta, 40, "completa", MORNING)
        assert mend(pasta)
        assert (pasta / DAMAGED).read_bytes() == broken
    assert put(pasta, 40).name == "gerencial_2026-03-16_r40.xlsx"


class Taking(Channel):
    """A way that takes everything."""

    nome = where = "caixa"

    def _send(self, *_: object) -> str:
        return ""


def tell_that(home: Path, number: int) -> None:
    wrong = [CompanyState(f"empresa-{n}", "x" * 500, home, WRONG, erros=("chave",)) for n in range(number + 1)]
    tell(Settings(home, "UTC", (), "lastro.toml"), {}, MORNING, states=wrong, channels=[Taking({}, 1.0)])


@contextlib.contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """No file of this process grows beyond what the record has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((folder / RECORD).stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("statement", "loud"),
    [
        (lambda pasta, number: begin(pasta, number, "completa" * 100, MORNING), True),
        (lambda pasta, number: fail(pasta, number, "completa", StorageError("x" * 500), MORNING), False),
        (lambda pasta, number: succeed(pasta, number, MORNING), False),
        (lambda pasta, _: deliver(pasta, 1, {pasta / DAILY: pasta / ("x" * 200)}, MORNING), True),
        (tell_that, True),
    ],
    ids=["begin", "fail", "good", "deliver", "told"],
)
def test_on_a_full_disk_a_bad_morning_has_its_room_and_each_statement_is_whole_or_not_at_all(
    pasta: Path, statement: Callable[[Path, int], None], *, loud: bool
) -> None:
    (pasta / DAILY).write_text("x", encoding="utf-8")
    with writing(pasta) as con:
        con.executemany(BEGUN, [(number, "") for number in range(99)])

    def dump() -> list[str]:
        with contextlib.closing(sqlite3.connect(f"{(pasta / RECORD).as_uri()}?mode=ro", uri=True)) as con:
            assert con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            return list(con.iterdump())

    with full_disk(pasta):
        for number in range(3):
            before = dump()
            statement(pasta, number)
            assert dump() != before
        size = 40_000
        while size > 100:  # and now nothing is left
            try:
                with writing(pasta) as con:
                    con.execute("INSERT INTO sinal VALUES (hex(randomblob(8)), hex(randomblob(?)))", [size])
            except StorageError:
                size //= 2
        for number in range(3, 40):
            before, told = dump(), ""
            try:
                statement(pasta, number)
            except StorageError as error:
                told = str(error)
            if told or loud:
                assert (dump() == before) == ("registro.db" in told)
            if told:
                break
        assert bool(told) == loud
    before = dump()
    statement(pasta, 50)
    assert dump() != before


SIEVE = """
import ctypes, struct, sys
from pathlib import Path
from lastro.run.record import writing
steps = [(0x20, 0, 0, 0), (0x15, 0, 5, 72), (0x20, 0, 0, 24), (0x15, 2, 0, 6), (0x15, 1, 0, 7), (6, 0, 0, 0x7FFF0000),
         (6, 0, 0, 0x50000 | int(sys.argv[2])), (6, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
class Sieve(ctypes.Structure):
    _fields_ = [("steps", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(Sieve(len(steps), ctypes.addressof(code))), 0, 0):
    sys.exit(77)
with writing(Path(sys.argv[1]), 0.1):
    pass
"""
"""A process in which no file can be locked: the system refuses fcntl's locks with a number."""


@pytest.mark.longo
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of its system calls")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EPERM])
def test_a_disk_that_locks_no_files_is_refused_with_a_sentence(pasta: Path, number: int) -> None:
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", SIEVE, str(pasta), str(number)], capture_output=True, text=True, check=False
    )
    if done.returncode == 77:
        pytest.skip("this system lets nobody sieve its calls")
    assert "WarehouseBusy" in done.stderr
    assert "este disco não tranca arquivos" in done.stderr


LOOKS = """
import sys, time
from pathlib import Path
from lastro.run.happened import read_happened
last, end = 0, time.monotonic() + 60
while last < 60 and time.monotonic() < end:
    said = read_happened(Path(sys.argv[1])).andamento
    assert said and said.execucao_id >= last, (said, last)
    last = said.execucao_id
    print(last, flush=True)
"""


def test_two_readers_see_every_run_whole_while_a_third_process_writes(pasta: Path) -> None:
    begin(pasta, 1, "quente", MORNING)
    with contextlib.ExitStack() as stack:
        readers = [
            stack.enter_context(
                subprocess.Popen([sys.executable, "-c", LOOKS, str(pasta)], stdout=subprocess.PIPE, text=True)  # noqa: S603
            )
            for _ in range(2)
        ]
        for each in readers:
            assert each.stdout is not None
            assert each.stdout.readline() == "1\n"  # it looks already
        for number in range(2, 61):
            with writing(pasta) as con:  # as a run of a second would: the one ends and the other begins
                con.execute("UPDATE execucao SET fim = desde WHERE fim IS NULL")
                con.execute(BEGUN, [number, str(MORNING)])
        assert [each.communicate()[0].split()[-1] for each in readers] == ["60", "60"]


MORNINGS = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from lastro.operation.retention import prune
from lastro.run.deliveries import deliver, take_back
from lastro.run.happened import begin, succeed
from lastro.run.recovery import find_last_number
from lastro.run.placement import move_unclaimed
from lastro.settings import Empresa, Retencao, Settings
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.publication.copies import flip_link
home = Path(sys.argv[1])
pasta = home / "acme"
settings = Settings(home, "UTC", (Empresa("acme", "Acme", "https://x", "T"),), "", retencao=Retencao(30, 3, 1))
for _ in range(30):
    number = find_last_number(pasta) + 1
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number // 2)
    with CompanyLock(pasta).held("x"):
        begin(pasta, number, "completa", now)
        take_back(pasta)
        staged = [pasta / f"{kind}_{now.date()}.xlsx" for kind in ("gerencial", "dados", "cobranca")]
        for path in staged:
            path.write_text(f"{path.name} {number}")
        chosen = deliver(pasta, number, dict.fromkeys(staged, pasta / "relatorios"), now, said=((str(number),), ""))
        for path, target in chosen.items():
            move_unclaimed(path, target)
        copy = pasta / "publicado" / f"lastro-{number:06d}.duckdb"
        copy.parent.mkdir(exist_ok=True)
        copy.touch()
        flip_link(pasta, copy)
        succeed(pasta, number, now)
    prune(settings, now + timedelta(hours=1))
    print(number, flush=True)
"""


@pytest.mark.parametrize("instant", [pytest.param(n, marks=pytest.mark.longo if n != 8 else ()) for n in range(20)])
def test_killed_at_any_instant_the_next_morning_goes_on(pasta: Path, instant: int) -> None:
    """Twenty instants over record, delivery and retention: the record opens, and says what stands where people look."""
    command = [sys.executable, "-c", MORNINGS, str(pasta.parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ourselves
        assert process.stdout is not None
        last = int(process.stdout.readline())
        time.sleep(instant * 0.003)
        process.kill()
        last = max([last, *map(int, process.stdout.read().split())])
    assert not mend(pasta)
    published, began = read_published(pasta), read_happened(pasta).andamento
    assert published in (last, last + 1, last + 2)  # the link is right
    assert began is None or began.execucao_id in (published, published + 1)
    (pasta / "relatorios" / "gerencial_2026-01-01 da Ana.xlsx").write_text("dela", encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    assert done.returncode == 0, done.stderr
    assert read_happened(pasta).recados == (done.stdout.split()[-1],)
    assert list_pending(pasta) == set()
    standing = {f"relatorios/{name}" for name in names(pasta) if "Ana" not in name}
    known = query_record(pasta, "SELECT caminho, sha256 FROM entrega WHERE saiu IS NULL")
    assert {path for path, digest in known if digest == digest_file(pasta / path)} == standing
    newest = query_record(pasta, "SELECT max(dia) FROM entrega")[0][0]
    assert {f"relatorios/{kind}_{newest}.xlsx" for kind in ("gerencial", "dados", "cobranca")} <= standing
    assert (pasta / "relatorios" / "gerencial_2026-01-01 da Ana.xlsx").exists()
    assert not list(pasta.rglob(".lastro-*"))
