"""What is written down of a company's runs and deliveries, and what becomes of it when a process or a disk fails."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lastro.errors import DeletionsHeld, StorageError, WarehouseBusy
from lastro.run.deliveries import deliver, has_delivered, list_pending, note_read_back, take_back
from lastro.run.digests import digest_file
from lastro.run.happened import (
    HELD,
    Attempt,
    Happened,
    Proven,
    begin,
    fail,
    fail_unstarted,
    note_proven,
    read_happened,
    succeed,
    try_again,
)
from lastro.run.order import RunOrder
from lastro.run.record import DAMAGED, RECORD, mend, query_record, writing
from lastro.run.recovery import find_last_number
from lastro.run.session import RunSession
from lastro.schema.run_kinds import Modo
from lastro.settings import load_settings
from lastro.warehouse.publication.copies import read_published

MORNING = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
SETTINGS = """\
dir = "dados"
[[empresa]]
id = "acme"
nome = "Acme Ltda"
base_url = "https://api.example.com"
token_env = "ACME_TOKEN"
"""


@pytest.fixture
def pasta(tmp_path: Path) -> Path:
    (tmp_path / "acme" / "privado").mkdir(parents=True)
    return tmp_path / "acme"


def put(pasta: Path, run: int, name: str, text: str, place: str = "relatorios") -> Path:
    """Write down a file of a run, then put it where people look."""
    (pasta / name).write_text(text, encoding="utf-8")
    (target,) = deliver(pasta, run, {pasta / name: pasta / place}, MORNING).values()
    target.parent.mkdir(exist_ok=True)
    return (pasta / name).rename(target)


def names(pasta: Path) -> list[str]:
    return sorted(path.name for path in (pasta / "relatorios").iterdir())


@pytest.mark.parametrize(
    ("modo", "tipo", "others"),
    [
        (None, "completa", (Modo.QUENTE, Modo.RECALCULO)),
        (Modo.QUENTE, "quente", (Modo.RECALCULO,)),
        (Modo.RECALCULO, "recálculo", (Modo.QUENTE,)),
    ],
)
def test_what_could_not_begin_is_cleared_by_a_good_run_of_its_kind(
    tmp_path: Path, modo: Modo | None, tipo: str, others: tuple[str, ...]
) -> None:
    (tmp_path / "lastro.toml").write_text(SETTINGS, encoding="utf-8")
    settings = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    session = RunSession(settings, settings.empresas[0], lambda: "token", RunOrder(modo=modo), clock=lambda: MORNING)
    pasta = session.pasta
    (pasta / "privado").mkdir(parents=True)
    session.record_failure(StorageError("no room"))
    for number, other in enumerate((*others, tipo), 1):
        assert (found := read_happened(pasta).falha) is not None
        assert (found.tipo, found.execucao_id) == (tipo, None)
        begin(pasta, number, other, MORNING)
        succeed(pasta, number, MORNING)
    assert read_happened(pasta) == Happened()


def test_of_failures_in_a_row_the_first_moment_stands_and_a_past_day_clears_none(pasta: Path) -> None:
    for number, error in enumerate(
        (StorageError("a"), StorageError("b"), DeletionsHeld("c", {}), DeletionsHeld("d", {})), 1
    ):
        begin(pasta, number, "completa", MORNING + number * HOUR)
        fail(pasta, number, "completa", error, MORNING + number * HOUR)
    begin(pasta, 5, "completa", MORNING)
    succeed(pasta, 5, MORNING, past=True)
    try_again(pasta, MORNING + 9 * HOUR, 2)
    falha = read_happened(pasta).falha
    assert falha is not None
    assert (falha.causa, falha.mensagem, falha.desde) == (HELD, "d", MORNING + 3 * HOUR)
    assert (falha.de_novo, falha.tentativas) == (MORNING + 9 * HOUR, 2)
    assert find_last_number(pasta) == 5


def test_a_run_that_died_is_a_failure_once_another_one_begins_or_fails_to(pasta: Path) -> None:
    begin(pasta, 7, "completa", MORNING)
    begin(pasta, 7, "completa", MORNING + HOUR)  # the same run, in another process
    assert read_happened(pasta) == Happened(Attempt(7, "completa", MORNING))
    fail_unstarted(pasta, "quente", StorageError("no room"), MORNING + HOUR)
    assert [(said.andamento, said.falha and said.falha.execucao_id) for said in [read_happened(pasta)]] == [
        (None, None)
    ]
    begin(pasta, 8, "completa", MORNING)
    begin(pasta, 9, "completa", MORNING)
    said = read_happened(pasta)
    assert (said.andamento, said.falha and said.falha.execucao_id) == (Attempt(9, "completa", MORNING), 8)


def test_a_proven_reading_waits_until_it_or_a_later_one_is_reported(pasta: Path) -> None:
    for number in (1, 2):
        begin(pasta, number, "completa", MORNING)
        note_proven(pasta, number, MORNING)
        assert read_happened(pasta) == Happened(leitura=Proven(number, MORNING))
    begin(pasta, 2, "completa", MORNING)  # its first report has its number
    fail(pasta, 2, "completa", StorageError("no room"), MORNING)
    begin(pasta, 3, "recálculo", MORNING)
    succeed(pasta, 3, MORNING, leitura_id=1)
    said = read_happened(pasta)
    assert (said.leitura, said.falha and said.falha.execucao_id) == (Proven(2, MORNING), 2)
    begin(pasta, 4, "completa", MORNING)
    succeed(pasta, 4, MORNING, leitura_id=2)
    assert read_happened(pasta) == Happened()


def test_what_a_run_warns_of_is_said_once_it_is_published(pasta: Path) -> None:
    for number, said in ((1, ("fechamento à espera",)), (2, ("outro",))):
        begin(pasta, number, "completa", MORNING)
        deliver(pasta, number, {}, MORNING, said=(said, f"capa {number}"))
        if number == 1:
            succeed(pasta, number, MORNING)
        assert read_happened(pasta).recados == ("fechamento à espera",)
        assert read_happened(pasta).resumo == "capa 1"
    succeed(pasta, 2, MORNING)
    assert (read_happened(pasta).recados, read_happened(pasta).resumo) == (("outro",), "capa 2")
    assert query_record(pasta, "SELECT count(resumo) FROM execucao") == [(1,)]  # of others no names are kept


def test_what_was_never_published_goes_and_what_was_stays(pasta: Path) -> None:
    put(pasta, 7, "gerencial_2026-03-16.xlsx", "sete")
    succeed(pasta, 7, MORNING)
    put(pasta, 8, "gerencial_2026-03-16.xlsx", "oito")
    put(pasta, 8, "fechamento_2026-02.xlsx", "oito também")
    edited = put(pasta, 8, "cobranca_2026-03-16.xlsx", "fila")
    edited.write_text("fila, com uma promessa", encoding="utf-8")
    linked = put(pasta, 8, "dados_2026-03-16.xlsx", "dados")
    linked.rename(pasta / "outro.xlsx")
    linked.symlink_to(pasta / "outro.xlsx")
    assert list_pending(pasta) == {8}
    take_back(pasta)
    assert names(pasta) == ["cobranca_2026-03-16.xlsx", "dados_2026-03-16.xlsx", "gerencial_2026-03-16.xlsx"]
    assert query_record(pasta, "SELECT numero, caminho FROM entrega") == [(7, "relatorios/gerencial_2026-03-16.xlsx")]
    assert has_delivered(pasta)


def test_what_cannot_be_reached_is_removed_when_it_can(pasta: Path) -> None:
    put(pasta, 7, "cobranca_2026-03-16.xlsx", "fila")
    share, away = pasta / "relatorios", pasta / "fora"
    share.rename(away)
    take_back(pasta)
    away.rename(share)
    assert (list_pending(pasta), find_last_number(pasta)) == ({7}, 7)
    take_back(pasta)
    assert (names(pasta), list_pending(pasta)) == ([], set())


def test_the_number_is_one_beyond_all_that_were_delivered_or_stand_there(pasta: Path) -> None:
    """Wherever: a desk's folder that is out of reach counts too. A past day in `retro/` is numbered by itself."""
    day = "gerencial_2026-03-16.xlsx"
    put(pasta, 1, day, "um", "mesa").unlink()
    assert put(pasta, 2, day, "dois").name == "gerencial_2026-03-16_r2.xlsx"
    (pasta / "relatorios" / "gerencial_2026-03-16_r4.xlsx").touch()
    assert put(pasta, 3, day, "três").name == "gerencial_2026-03-16_r5.xlsx"
    (pasta / "retro").mkdir()
    assert put(pasta, 4, day, "quatro", "retro/2026-03-16").name == day
    assert put(pasta, 5, "fechamento_2026-02_r2.xlsx", "f").name == "fechamento_2026-02_r2.xlsx"  # its edition


def test_the_last_content_read_back_is_known_by_the_name_of_its_file(pasta: Path) -> None:
    for run in (1, 2):
        put(pasta, run, "cobranca_2026-03-16.xlsx", "fila")
    note_read_back(pasta, [("cobranca_2026-03-16_r2.xlsx", "ab", ""), ("cópia de cobranca.xlsx", "cd", None)])
    note_read_back(pasta, [("cobranca_2026-03-16.xlsx", "ef", "um desenho")])
    assert query_record(pasta, "SELECT r, lido, fora FROM entrega ORDER BY r") == [
        (1, "ef", "um desenho"),
        (2, "ab", None),
    ]


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
    assert not has_delivered(pasta)
    assert not mend(pasta)


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 3], lambda data: b"x" * len(data), lambda _: b""])
def test_a_damaged_record_gives_way_to_a_new_one_and_stays_beside_it(
    pasta: Path, damage: Callable[[bytes], bytes]
) -> None:
    for number in range(1, 40):
        put(pasta, number, "gerencial_2026-03-16.xlsx", str(number))
    broken = damage((pasta / RECORD).read_bytes())
    (pasta / RECORD).write_bytes(broken)
    assert mend(pasta)
    assert not broken or (pasta / DAMAGED).read_bytes() == broken
    assert put(pasta, 40, "gerencial_2026-03-16.xlsx", "x").name == "gerencial_2026-03-16_r40.xlsx"


def test_a_record_that_cannot_be_read_says_nothing_and_stops_no_failure(pasta: Path) -> None:
    (pasta / RECORD).write_bytes(b"nothing" * 1000)
    assert read_happened(pasta) == Happened()
    fail(pasta, 1, "completa", StorageError("no room"), MORNING)
    with pytest.raises(StorageError, match=r"registro\.db: o registro do que aconteceu está danificado"):
        begin(pasta, 1, "completa", MORNING)


def test_another_process_that_writes_is_waited_for_and_then_told(pasta: Path) -> None:
    mend(pasta)
    other = sqlite3.connect(pasta / RECORD, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert read_happened(pasta) == Happened()  # who looks is in nobody's way
    with pytest.raises(WarehouseBusy, match="outro processo o escreve"), writing(pasta, 0.1):
        pass
    other.close()


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


@pytest.fixture
def reader(pasta: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes that look as long as a third one writes."""
    code = (
        "import sys, time; from pathlib import Path; from lastro.run.happened import read_happened\n"
        "last, end = 0, time.monotonic() + 60\n"
        "while time.monotonic() < end:\n"
        "    said = read_happened(Path(sys.argv[1])).andamento\n"
        "    assert said and said.execucao_id >= last, (said, last)\n"
        "    last = said.execucao_id\n"
        "    if last == 60: sys.exit(0)\n"
        "    sys.stdout.write('.'); sys.stdout.flush()\n"
        "sys.exit(1)\n"
    )
    begin(pasta, 1, "quente", MORNING)
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(pasta)], stdout=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(2)
    ]
    yield started
    for each in started:
        each.kill()
        each.communicate()


def test_two_readers_see_every_run_whole_while_a_third_process_writes(
    pasta: Path, reader: list[subprocess.Popen[str]]
) -> None:
    for each in reader:
        assert each.stdout is not None
        assert each.stdout.read(1) == "."  # it looks already
    for number in range(2, 61):
        with writing(pasta) as con:  # as a run of a second would: the one ends and the other begins
            con.execute("UPDATE execucao SET fim = desde WHERE fim IS NULL")
            con.execute("INSERT INTO execucao (numero, tipo, desde) VALUES (?, 'quente', ?)", [number, str(MORNING)])
    assert [each.wait(60) for each in reader] == [0, 0]


MORNINGS = """
import itertools, os, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from lastro.operation.retention import prune
from lastro.run.deliveries import deliver, take_back
from lastro.run.happened import begin, succeed
from lastro.run.recovery import find_last_number
from lastro.run.placement import move_unclaimed
from lastro.settings import Empresa, Retencao, Settings
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.publication.copies import flip_link, read_published
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


@pytest.mark.parametrize("instant", [pytest.param(n, marks=pytest.mark.longo if n % 8 else ()) for n in range(20)])
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
    read_state_of = read_happened(pasta)
    published = read_published(pasta)
    assert published in (last, last + 1, last + 2)  # the link is right
    began = read_state_of.andamento
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
