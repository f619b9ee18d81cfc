"""Modes of what a run leaves: its owner's alone, the group's with `leitores`, and a lock that nobody else can hold."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lastro.cli import main
from lastro_sandbox import create_app, describe_settings, make_company, serve
from tests.golden import expected

DAY = expected.D
NOBODY = "65534"
SETPRIV = shutil.which("setpriv")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in a folder that everybody may enter, with the umask that systems come with."""
    for name in list(os.environ):
        if name.startswith(("LASTRO_", "DAGSTER_", "SANDBOX_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    monkeypatch.chdir(folder)
    before = os.umask(0o022)
    yield folder
    os.umask(before)
    shutil.rmtree(folder, ignore_errors=True)


def run(place: Path, head: str = "", *, code: int = 0, token: str = "sandbox") -> Result:  # noqa: S107 - the same
    """Run a small company once."""
    books = make_company(seed=3, lancamentos=60, hoje=DAY)
    with serve(create_app(books, token="sandbox")) as service:  # noqa: S106 - the sandbox's own
        (place / "lastro.toml").write_text(head + describe_settings(books, service.base_url), encoding="utf-8")
        arguments = ["run", "--data-extracao", DAY.isoformat()]
        result = CliRunner().invoke(main, arguments, env={"SANDBOX_TOKEN": token})
    assert result.exit_code == code, result.output
    return result


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def modes_below(folder: Path) -> dict[str, int]:
    """Return the modes of everything below a folder that is no link."""
    return {
        str(path.relative_to(folder)): mode_of(path) for path in [folder, *folder.rglob("*")] if not path.is_symlink()
    }


def company_of(place: Path) -> Path:
    (company,) = (path.parent.parent for path in place.glob("dados/*/privado/trava"))
    return company


def as_nobody(*command: str, group: str = NOBODY) -> int:
    """Run a command as a stranger, or as a stranger of a group; return what it ends with."""
    assert SETPRIV is not None
    who = [SETPRIV, "--reuid", NOBODY, "--regid", group, "--clear-groups"]
    return subprocess.run([*who, *command], capture_output=True, check=False).returncode  # noqa: S603 - ours


@pytest.mark.longo
def test_what_a_run_leaves_is_its_owners_alone(place: Path) -> None:
    run(place)
    modes = modes_below(place / "dados")
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}
    assert mode_of(place / "dados") == 0o700
    company = company_of(place)
    assert {mode_of(path) for path in (company / "publicado").iterdir()} == {0o400}
    assert {mode_of(path) for path in (company / "relatorios").iterdir()} == {0o600}
    assert mode_of(company / "privado/trava") == 0o600
    assert os.umask(0o022) == 0o022

    # Folders, and a lock, as an older lastro left them.
    for folder in [place / "dados", *(path for path in place.rglob("dados/**/*") if path.is_dir())]:
        folder.chmod(0o755)
    if SETPRIV is not None and os.geteuid() == 0:
        files = [path for path in place.rglob("dados/**/*") if path.is_file()]
        assert len(files) > 10
        assert [path for path in files if as_nobody("cat", str(path)) == 0] == []
        assert as_nobody("flock", "-n", str(company / "privado/trava"), "true") != 0
    (company / "privado/trava").chmod(0o644)
    again = run(place, code=3, token="refused")  # noqa: S106 - what it reads is no matter
    assert mode_of(company / "privado/trava") == 0o600
    assert "dados: aberta a todo usuário desta máquina (modo 0755)" in again.stderr
    assert "chmod" not in again.stderr  # lastro did not make it so
    assert mode_of(place / "dados") == 0o755


@pytest.mark.longo
def test_the_group_may_read_what_is_published_and_nothing_else(place: Path) -> None:
    (place / "dados").mkdir(mode=0o700)
    result = run(place, 'leitores = "grupo"\n')
    assert "aberta a todo usuário" not in result.stderr
    company = company_of(place)
    shared = {
        place / "dados": 0o710,
        company: 0o710,
        company / "publicado": 0o750,
        company / "relatorios": 0o750,
        **dict.fromkeys((company / "publicado").iterdir(), 0o440),
        **dict.fromkeys((company / "relatorios").iterdir(), 0o640),
    }
    assert {path: mode_of(path) for path in shared} == shared
    names = {str(path.relative_to(place / "dados")) for path in shared}
    rest = {name: mode for name, mode in modes_below(place / "dados").items() if name not in names}
    assert {name: mode for name, mode in rest.items() if mode & 0o077} == {}
    if SETPRIV is None or os.geteuid() != 0:
        return
    group = str((place / "dados").stat().st_gid)
    assert as_nobody("cat", str(company / "lastro.duckdb"), group=group) == 0
    assert as_nobody("ls", str(company / "relatorios"), group=group) == 0
    assert as_nobody("cat", *map(str, (company / "relatorios").iterdir()), group=group) == 0
    for closed in (company, company / "privado", place / "dados", place / "dados/dagster"):
        assert as_nobody("ls", str(closed), group=group) != 0, closed
    assert as_nobody("cat", str(company / "lastro.duckdb")) != 0
