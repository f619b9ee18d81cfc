"""Wheel and source distribution in environments of their own, outside the repository: `pytest -m maquinas FILE`.

Needs the tool `build` and a package index that pip can reach, and takes some minutes; what CI holds is
`tests/unit/test_packaging.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, TOKEN_VARIABLE, write_golden

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.maquinas, pytest.mark.timeout(1800)]


def call(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_")) or name == "PATH"}
    result = subprocess.run(  # noqa: S603 - our own files
        [str(word) for word in command],
        cwd=cwd,
        env={**kept, "HOME": str(cwd), **env},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert result.returncode == 0, (command, result.stdout[-3000:], result.stderr[-3000:])
    return result


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both distributions; the wheel is built from the source distribution."""
    pytest.importorskip("build", reason="pip install build")
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


def list_wheel(folder: Path) -> list[str]:
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as opened:
        return sorted(opened.namelist())


def test_the_wheel_of_the_repository_holds_what_that_of_the_source_distribution_does(
    built: Path, tmp_path: Path
) -> None:
    call(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    names = list_wheel(tmp_path)
    assert names == list_wheel(built)
    assert "lastro_pipelines/definitions.py" in names
    assert not [name for name in names if name.startswith("pipelines/")]


def test_pip_installs_the_source_distribution_itself(built: Path, tmp_path: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    programs = make_environment(tmp_path, f"{source}[dagster]")
    named = "import lastro_pipelines.definitions as location; print(location.__file__)"
    assert "site-packages/lastro_pipelines/" in call(programs / "python", "-c", named, cwd=tmp_path).stdout


def make_environment(folder: Path, *wanted: str | Path) -> Path:
    """Make an environment with something in it; return its folder of programs."""
    call(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    programs = folder / "venv" / "bin"
    call(programs / "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", *wanted, cwd=folder)
    return programs


def test_a_wheel_does_everything_in_a_clean_environment(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    programs = make_environment(tmp_path, f"{wheel}[completo]")
    lastro = programs / "lastro"
    assert call(lastro, "--version", cwd=tmp_path).stdout.startswith("lastro ")
    assert "# S7" in call(lastro, "manual", "S7", cwd=tmp_path).stdout
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        write_golden(tmp_path, service.base_url)
        day = expected.D.isoformat()
        asked = ("run", "--data-base", day, "--data-extracao", day, "--json")
        ran = call(lastro, *asked, cwd=tmp_path, **{TOKEN_VARIABLE: TOKEN})
        outcome = json.loads(ran.stdout)
        assert (outcome["veredito"], outcome["kpis"]["saldo_atual"]) == ("SOMAS CONFEREM", "15980.00")
        written = (tmp_path / "dados/dagster/dagster.yaml").read_text(encoding="utf-8")
        assert "class: ConsolidatedSqliteEventLogStorage" in written
        assert "dagster.yaml" in call(lastro, "doctor", cwd=tmp_path, **{TOKEN_VARIABLE: TOKEN}).stdout
        settings = {TOKEN_VARIABLE: TOKEN, "DAGSTER_HOME": str(tmp_path / "dados/dagster")}
        location = ("-m", "lastro_pipelines.definitions")
        call(programs / "dagster", "definitions", "validate", *location, cwd=tmp_path, **settings)
        call(
            programs / "dagster", "job", "execute", *location, "-j", "lastro_diario", "--tags",
            '{"dagster/partition": "ouro"}', cwd=tmp_path, **settings,
        )  # fmt: skip
    assert call(lastro, "sql", "SELECT max(execucao_id) FROM ops.execucoes", "--formato", "csv", cwd=tmp_path)
    loaded = "import sys, lastro_pipelines.definitions; print('pipelines' in sys.modules)"
    assert call(programs / "python", "-c", loaded, cwd=tmp_path).stdout == "False\n"


def test_a_source_distribution_installs_and_collects_its_tests(built: Path, tmp_path: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    call("tar", "xzf", source, cwd=tmp_path)
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    programs = make_environment(tmp_path, "-e", f"{folder}[test]")
    assert call(programs / "lastro", "--version", cwd=tmp_path).stdout.startswith("lastro ")
    named = "import lastro_pipelines.definitions as location; print(location.__file__)"
    assert call(programs / "python", "-c", named, cwd=tmp_path).stdout.startswith(
        str(folder / "pipelines/lastro_pipelines")
    )
    collected = call(programs / "pytest", "--collect-only", "-q", "-n", "0", cwd=folder).stdout
    assert "error" not in collected.splitlines()[-1]
