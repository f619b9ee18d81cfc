"""What a server is set up with: units and images that name what exists, and a backup that comes back."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import StorageError
from lastro.manual.search import find_topic
from lastro.settings import Settings
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.processes import DEPLOY, sh
from tests.served import TOKEN, copy_golden, open_session, run_served, write_golden

ROOT = Path(__file__).parents[2]
UNITS = sorted(DEPLOY.glob("*.service"))
PAGE = find_topic("servidor")


def read_unit(path: Path) -> configparser.ConfigParser:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign] # as systemd reads it
    unit.read_string(path.read_text(encoding="utf-8"))
    return unit


def assert_known(words: list[str]) -> None:
    """A command line of lastro's names a command and options that exist."""
    context = click.Context(main)
    if words[0] == "--version":
        return
    command = main.get_command(context, words[0])
    assert command is not None, words
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words[1:] if word.startswith("--")} <= known, words


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_start_what_exists_as_a_user_who_can_do_little(path: Path) -> None:
    service = read_unit(path)["Service"]
    program, *words = service["ExecStart"].split()
    assert program == "/opt/lastro/bin/lastro"
    assert_known(words)
    assert service["User"] == "lastro"
    assert (service["NoNewPrivileges"], service["ProtectSystem"], service["UMask"]) == ("yes", "strict", "0077")
    assert service["CapabilityBoundingSet"] == ""
    assert service["ReadWritePaths"] == service["WorkingDirectory"] == "/srv/lastro"
    hardening = {key: value for key, value in service.items() if re.match("Protect|Private|Restrict|Lock|Remove", key)}
    assert hardening == {key: value for key, value in read_unit(UNITS[0])["Service"].items() if key in hardening}, (
        "all units alike"
    )
    assert len(hardening) >= 16


@pytest.mark.parametrize("path", sorted(DEPLOY.glob("*.timer")), ids=lambda path: path.name)
def test_every_timer_has_its_service_and_a_time(path: Path) -> None:
    assert path.with_suffix(".service") in UNITS
    assert read_unit(path)["Timer"]["OnCalendar"]


def test_the_image_runs_what_exists() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    for found in re.findall(r"CMD \[(.+)\]", text):
        program, *words = re.findall(r'"([^"]+)"', found)
        assert program == "lastro"
        assert_known(words)
    assert "USER lastro" in text
    # What is mounted is the image's user's, as the header and the page say; and it holds what the page installs.
    (uid,) = re.findall(r"useradd --uid (\d+)", text)
    assert set(re.findall(r"-o (\d+) -g (\d+)|(\d+):(\d+)", text)) == {(uid, uid, "", ""), ("", "", uid, uid)}
    assert f"chown -R {uid}:{uid}" in PAGE
    assert set(re.findall(r"\.\[([a-z,]+)\]", PAGE)) == set(re.findall(r"\.\[([a-z,]+)\]", text)) == {"dagster,pdf"}


def test_the_proxy_passes_on_what_the_guard_looks_at() -> None:
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for line in ("auth_basic ", "proxy_set_header Host $http_host;", "proxy_set_header Upgrade $http_upgrade;"):
        assert line in text
    assert "Origin" not in text  # it passes as it came


def test_the_page_names_files_and_commands_that_exist() -> None:
    for name in re.findall(r"`(?:deploy/)?([\w.-]+\.(?:sh|conf|timer|logrotate))[` ]", PAGE):
        assert (DEPLOY / name).exists(), name
    for line in re.findall(r"(?:/opt/lastro/bin/)?lastro ((?:doctor|run|estado|dev|--version)[^`\n&]*)", PAGE):
        assert_known(line.split())
    assert {path.name for path in DEPLOY.glob("*.sh")} == {"backup.sh", "restore.sh"}


BARE = re.compile(
    r"\bdagster-webserver\s+-(?!-read-only)|\b(?:dagster|dg) dev\s+-|^\s*(?:exec )?(?:dagster|dg) dev\b", re.MULTILINE
)
"""Starts a web server without the guard."""


def test_nothing_that_is_shipped_or_said_starts_a_web_server_without_its_guard() -> None:
    assert BARE.search("dagster-webserver -w x -h 127.0.0.1")
    assert BARE.search("run `dagster dev -m x`")
    for path in (path for path in DEPLOY.rglob("*") if path.is_file()):
        words = re.sub(r"(?m)#.*$", "", path.read_text(encoding="utf-8"))
        assert not re.search(r"dagster-webserver|dagster dev|dg dev|dagster_webserver", words), path
    for page in (ROOT / "README.md", *sorted((ROOT / "src/lastro/manual").glob("*.md"))):
        assert not BARE.search(page.read_text(encoding="utf-8")), page


def test_manifests_and_scripts_start_commands_that_exist() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(DEPLOY.rglob("*.yaml")))
    commands = [re.split(r",\s*", found) for found in re.findall(r"command: \[lastro, (.+)\]", text)]
    assert {words[0] for words in commands} == {"web"}
    for path in (DEPLOY / "maquinas").glob("*.sh"):
        script = path.read_text(encoding="utf-8").replace("\\\n", "")
        commands += [line.split() for line in re.findall(r"^(?:exec )?lastro (.+)$", script, re.MULTILINE)]
    for words in commands:
        assert_known(words)


def test_completion_is_printed_as_the_page_says() -> None:
    assert "_LASTRO_COMPLETE=bash_source" in PAGE
    result = CliRunner().invoke(main, [], prog_name="lastro", env={"_LASTRO_COMPLETE": "zsh_source"})
    assert "compdef" in result.output
    code = "from lastro.cli import main; main(prog_name='lastro')"
    typed = {"_LASTRO_COMPLETE": "zsh_complete", "COMP_WORDS": "lastro est", "COMP_CWORD": "1"}
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], env=typed, capture_output=True, text=True, timeout=60, check=False
    )
    assert "estado" in done.stdout


def test_the_version_says_the_schema() -> None:
    said = CliRunner().invoke(main, ["--version"]).output
    assert re.fullmatch(r"lastro \S+ · esquema \d+ · duckdb \S+\n", said)


@pytest.mark.longo
def test_a_backup_comes_back_with_history_and_numbers(first_run: Path, tmp_path: Path) -> None:
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    backup = tmp_path / "backup" / "2026-03-16"
    backup.parent.mkdir()
    done = sh("backup.sh", settings.dir, backup)
    assert (done.returncode, done.stdout) == (0, f"backup.sh: 1 companies in {backup}\n"), done.stderr
    assert sorted(path.name for path in (backup / "ouro").iterdir()) == [
        "chave", "lastro.duckdb", "registro.db", "registro.db-journal", "relatorios",
    ]  # fmt: skip
    assert sh("backup.sh", settings.dir, backup).returncode == 2  # never overwritten
    assert sh("restore.sh", backup, settings.dir).returncode == 2  # never over what is there
    place = tmp_path / "novo"
    place.mkdir()
    assert sh("restore.sh", backup, place / "dados").returncode == 0
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        result = run_served(write_golden(place, service.base_url), expected.D + timedelta(days=1))
    assert result.execucao_id == 2  # the numbers of the backup go on
    assert result.veredito == "SOMAS CONFEREM"
    old = place / "dados" / "ouro" / "relatorios" / "gerencial_2026-03-16.xlsx"
    assert old.exists()


def test_nothing_to_back_up_is_told(tmp_path: Path) -> None:
    (tmp_path / "dados").mkdir()
    done = sh("backup.sh", tmp_path / "dados", tmp_path / "alvo")
    assert (done.returncode, "no company has published anything" in done.stderr) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["dados"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("target", ["cópia de hoje", "cópia de hoje/", "nova pasta/cópia de hoje//"])
def test_a_linked_folder_is_backed_up_as_what_it_holds(first_run: Path, tmp_path: Path, target: str) -> None:
    """Also into a target with a slash and blanks, beside a folder of somebody's with a name that scripts like."""
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    linked, disk = settings.dir / "ouro" / "relatorios", tmp_path / "outro disco"
    linked.rename(disk)
    linked.symlink_to(disk)
    somebodys = tmp_path / "cópia de hoje.novo"
    somebodys.mkdir()
    (somebodys / "folha.xlsx").touch()
    done = subprocess.run(  # noqa: S603 - our own script
        ["/bin/sh", str(DEPLOY / "backup.sh"), str(settings.dir), target],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    backup = tmp_path / target.rstrip("/")
    assert names(backup) == ["SHA256SUMS", "ouro"]
    assert not (backup / "ouro" / "relatorios").is_symlink()
    assert names(backup / "ouro" / "relatorios") == names(disk)
    assert names(somebodys) == ["folha.xlsx"]
    assert not [name for name in names(backup.parent) if name.startswith("cópia de hoje.") and name != somebodys.name]
    restored = tmp_path / "restaurada"
    assert sh("restore.sh", backup, restored).returncode == 0
    assert names(restored) == ["ouro"]
    assert names(restored / "ouro") == ["privado", "registro.db", "registro.db-journal", "relatorios"]
    book = "gerencial_2026-03-16.xlsx"
    assert (restored / "ouro" / "relatorios" / book).stat().st_mtime == (disk / book).stat().st_mtime
    assert not (restored / "ouro" / "relatorios").is_symlink()


@pytest.fixture
def backed_up(first_run: Path, tmp_path: Path) -> tuple[Settings, Path]:
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    assert sh("backup.sh", settings.dir, tmp_path / "backup").returncode == 0
    return settings, tmp_path / "backup"


def test_a_damaged_backup_restores_nothing(backed_up: tuple[Settings, Path], tmp_path: Path) -> None:
    _, backup = backed_up
    with (backup / "ouro" / "lastro.duckdb").open("r+b") as file:
        file.seek(20_000)
        file.write(b"\xff" * 10)
    done = sh("restore.sh", backup, tmp_path / "novo")
    assert (done.returncode, "nothing was restored" in done.stderr) == (1, True)
    assert names(tmp_path / "novo") == []


def test_a_restoration_without_room_leaves_nothing(
    backed_up: tuple[Settings, Path], mount_disk: Callable[[str], Path]
) -> None:
    _, backup = backed_up
    disk = mount_disk("size=1m")
    assert sh("restore.sh", backup, disk / "dados").returncode == 1
    assert names(disk / "dados") == []


def test_a_lost_company_is_restored_and_what_was_left_of_it_is_kept(backed_up: tuple[Settings, Path]) -> None:
    settings, backup = backed_up
    pasta = settings.dir / "ouro"
    (pasta / "lastro.duckdb").unlink()
    for path in (pasta / "publicado").iterdir():
        path.unlink()
    (pasta / "privado" / "lastro.duckdb").write_bytes(b"")
    (pasta / "relatorios" / "folha_2025-01-31.xlsx").touch()
    (pasta / "entrada").mkdir()
    (pasta / "entrada" / "saldos.csv").write_text("data;conta;saldo\n")
    done = sh("restore.sh", backup, settings.dir)
    assert done.returncode == 0, done.stderr
    with open_session(settings, expected.D) as session:
        assert session.warehouse.query("SELECT max(execucao_id) FROM ops.execucoes") == [(1,)]
    (aside,) = settings.dir.glob(".antes-da-restauracao.*")
    assert str(aside) in done.stdout
    assert "folha_2025-01-31.xlsx" in names(aside / "relatorios")
    assert names(pasta / "relatorios") == names(backup / "ouro" / "relatorios")
    assert (pasta / "entrada" / "saldos.csv").read_text() == "data;conta;saldo\n"  # typed since: the backup has none
    assert sh("restore.sh", backup, settings.dir).returncode == 2  # what runs is never written over


def test_what_people_type_is_backed_up_and_comes_back(first_run: Path, tmp_path: Path) -> None:
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    typed = settings.entrada(settings.empresas[0])
    typed.mkdir()
    (typed / "saldos.csv").write_text("data;conta;saldo\n2026-02-28;101;7900,00\n")
    assert sh("backup.sh", settings.dir, tmp_path / "backup").returncode == 0
    assert sh("restore.sh", tmp_path / "backup", tmp_path / "novo").returncode == 0
    assert (tmp_path / "novo/ouro/entrada/saldos.csv").read_bytes() == (typed / "saldos.csv").read_bytes()


@pytest.mark.parametrize("carried", [True, False])
def test_the_key_of_a_company_goes_with_it(backed_up: tuple[Settings, Path], tmp_path: Path, carried: bool) -> None:
    """By it what was approved is compared; a backup of a lastro without keys leaves that of the place."""
    settings, backup = backed_up
    key = settings.dir / "ouro" / "privado" / "chave"
    assert (backup / "ouro" / "chave").read_bytes() == key.read_bytes()
    assert stat.S_IMODE((backup / "ouro" / "chave").stat().st_mode) == 0o600
    if not carried:
        (backup / "ouro" / "chave").unlink()
        (backup / "SHA256SUMS").unlink()
    assert sh("restore.sh", backup, tmp_path / "novo").returncode == 0
    restored = tmp_path / "novo" / "ouro" / "privado" / "chave"
    assert restored.exists() is carried
    if carried:
        assert (restored.read_bytes(), stat.S_IMODE(restored.stat().st_mode)) == (key.read_bytes(), 0o600)
    (settings.dir / "ouro" / "lastro.duckdb").unlink()
    (settings.dir / "ouro" / "privado" / "lastro.duckdb").unlink()
    before = key.read_bytes()
    assert sh("restore.sh", backup, settings.dir).returncode == 0
    assert key.read_bytes() == before


LAST_STEP = 11
"""Moves and copies of a restoration into what is left of a company, but for the last one: that of the private file."""


@pytest.mark.parametrize("step", range(1, LAST_STEP + 3))
def test_a_restoration_killed_at_any_step_is_never_a_new_company(
    backed_up: tuple[Settings, Path], tmp_path: Path, step: int
) -> None:
    """What moves and copies dies at its n-th call: the company is restored whole, or lastro stops."""
    settings, backup = backed_up
    pasta = settings.dir / "ouro"
    (pasta / "lastro.duckdb").unlink()
    shutil.rmtree(pasta / "publicado")
    (pasta / "privado" / "lastro.duckdb").unlink()
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("mv", "cp"):
        tool = tools / name
        tool.write_text(
            f'#!/bin/sh\necho x >>"{tools}/calls"\n[ "$(wc -l <"{tools}/calls")" -lt {step} ] || kill -9 $PPID\n'
            f'exec {shutil.which(name)} "$@"\n',
            encoding="utf-8",
        )
        tool.chmod(0o700)
    done = subprocess.run(  # noqa: S603 - our own script
        ["/bin/sh", str(DEPLOY / "restore.sh"), str(backup), str(settings.dir)],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    time.sleep(0.1)  # the last tool outlives its script
    if step <= LAST_STEP:
        assert done.returncode == -9
        with pytest.raises(StorageError, match="Restaure um backup"), open_session(settings, expected.D):
            pass
        assert sh("restore.sh", backup, settings.dir).returncode == 0  # again, to the end
    with open_session(settings, expected.D) as session:
        assert session.warehouse.query("SELECT max(execucao_id) FROM ops.execucoes") == [(1,)]
    assert names(pasta / "relatorios") == names(backup / "ouro" / "relatorios")
