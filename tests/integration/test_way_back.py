"""An older lastro put back over a newer one, as `lastro manual Migrar` says: its first run follows what is out."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import closing
from datetime import timedelta
from importlib.resources import files
from pathlib import Path

import duckdb
import pytest

from lastro.errors import ConfigError
from lastro.operation.causes import CauseKind, find_causes
from lastro.operation.state import read_states
from lastro.run.deliveries import deliver
from lastro.run.identity import begin_reading
from lastro.schema.run_kinds import Modo
from lastro.schema.tables import SCHEMA_VERSION
from lastro.settings import Avisos, Settings
from lastro.warehouse.publication.copies import read_published
from tests.golden import expected
from tests.served import Listener, clock_at, copy_golden, folder_of, open_session, run_served

NEXT = expected.D + timedelta(days=1)
OLDER = "o arquivo privado é mais velho que o publicado"
TOLD = f"ouro: {OLDER}; o histórico foi retomado de um ponto anterior (lastro manual Restaurar)"


def set_schema(path: Path, version: int) -> None:
    """Let a file say that a lastro of another schema wrote it."""
    mode = path.stat().st_mode
    path.chmod(0o600)
    with closing(duckdb.connect(str(path))) as con:
        con.execute("UPDATE ops.armazem SET versao = ?", [version])
        if version < SCHEMA_VERSION:  # what a step renames is called as it was
            con.execute("ALTER TABLE core.cobrancas RENAME pessoa_id TO cliente_id")
            con.execute("ALTER TABLE hist.cobrancas RENAME pessoa_id TO cliente_id")
    path.chmod(mode)


def go_back(pasta: Path) -> None:
    """Do what the page says, by its own lines."""
    page = files("lastro.manual").joinpath("upgrade.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"\*\*Voltar atrás\.\*\*.*?```sh\n(.*?)```", page, re.DOTALL)
    script = re.sub(r"lastro-v\d+\.bak", f"lastro-v{SCHEMA_VERSION - 1}.bak", lines)
    subprocess.run(["sh", "-eu", "-c", script], cwd=pasta, check=True)  # noqa: S603, S607 - lines of our own manual


def take_number(settings: Settings, listener: Listener) -> int:
    """Begin the run of the next day, and no more: its number."""
    with open_session(settings, NEXT, progress=listener) as session:
        begin_reading(session)
        return session.execucao_id


@pytest.fixture(scope="module")
def upgraded_run(first_run: Path, tmp_path_factory: pytest.TempPathFactory, address: str) -> Path:
    """The folder of a company whose file an older lastro wrote, after the first run of this one: copy it."""
    folder = tmp_path_factory.mktemp("atualizada")
    settings = copy_golden(first_run, folder, address)
    set_schema(folder_of(settings) / "privado" / "lastro.duckdb", SCHEMA_VERSION - 1)
    assert run_served(settings, expected.D).execucao_id == 2
    return folder


@pytest.fixture
def upgraded(upgraded_run: Path, tmp_path: Path, address: str) -> Settings:
    return copy_golden(upgraded_run, tmp_path, address)


def test_the_way_back_as_the_page_says_and_forward_again(upgraded: Settings) -> None:
    """Run 2 is out, and the file that was put back ends with run 1: the next one is 3, whoever wrote what is out."""
    pasta = folder_of(upgraded)
    go_back(pasta)
    listener = Listener()
    back = run_served(upgraded, NEXT, progress=listener)
    assert (back.execucao_id, read_published(pasta), listener.heard) == (3, 3, [TOLD])
    assert back.veredito == "SOMAS CONFEREM"
    now = clock_at(NEXT)()
    (state,) = read_states(upgraded, now)
    causes = [cause for cause in find_causes([state], Avisos(), now, None) if cause.kind is CauseKind.HISTORICO]
    assert [cause.houve for cause in causes] == [
        "O arquivo privado é mais velho que o publicado; o histórico foi retomado de um ponto anterior."
    ]
    assert state.is_fresh
    sheet = next(report for report in back.catalogue.reports if report.code == "PAR")
    rows = [row.cells for section in sheet.sections for row in section.rows]
    assert [cells[1:3] for cells in rows if cells[0] == "historico"] == [
        ("retomado de um ponto anterior em 17/03/2026", f"{OLDER} (Restaurar)")
    ]
    # Forward with the file that was set aside: it ends with run 2 and does not know run 3.
    shutil.copyfile(pasta / "privado" / "depois" / "lastro.duckdb", pasta / "privado" / "lastro.duckdb")
    assert take_number(upgraded, listener) == 4
    assert listener.heard == [TOLD, TOLD]


def test_a_file_of_a_newer_lastro_is_followed_too(upgraded: Settings) -> None:
    pasta = folder_of(upgraded)
    set_schema((pasta / "lastro.duckdb").resolve(), SCHEMA_VERSION + 1)
    go_back(pasta)
    listener = Listener()
    assert (take_number(upgraded, listener), listener.heard) == (3, [TOLD])


@pytest.mark.longo
def test_until_then_nothing_older_takes_the_place_of_what_is_out(upgraded: Settings) -> None:
    pasta = folder_of(upgraded)
    go_back(pasta)
    for modo in (Modo.QUENTE, Modo.RECALCULO):
        with pytest.raises(ConfigError, match=rf"{OLDER} \(execução 2\).*Rode o job inteiro"):
            run_served(upgraded, NEXT, modo=modo)
    listener = Listener()
    past = run_served(upgraded, NEXT, data_base=expected.D, progress=listener)
    assert (past.execucao_id, past.retroativa, read_published(pasta)) == (3, True, 2)
    assert take_number(upgraded, listener) == 4
    assert listener.heard == [TOLD]  # once


def test_a_number_that_somebody_has_is_given_to_no_other_run(upgraded: Settings) -> None:
    """A past day's run lies in `retro/` and in no published file: one that is rebuilt from that does not know it."""
    pasta = folder_of(upgraded)
    written = pasta / "gerencial_2026-03-13.xlsx"
    written.write_bytes(b"of run 3")
    deliver(pasta, 3, {written: pasta / "retro" / "2026-03-13"}, clock_at(expected.D)())
    (pasta / "privado" / "lastro.duckdb").unlink()
    assert take_number(upgraded, Listener()) == 4
