"""The core as who installs `lastro` without extras has it: what its metadata names, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import lastro
import lastro_sandbox
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.marks import thinned
from tests.served import TOKEN, TOKEN_VARIABLE, write_golden


def list_required(name: str, found: dict[str, str] | None = None) -> dict[str, str]:
    """List a distribution's requirements without extras, and theirs: name -> version."""
    found = {} if found is None else found
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        key = requirement.name.lower().replace("_", "-")
        if key not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found[key] = distribution(key).version
            list_required(key, found)
    return found


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the modules of the core's distributions, and lastro's own."""
    folder = tmp_path_factory.mktemp("nucleo")
    for name in ("lastro", *list_required("lastro")):
        for file in distribution(name).files or ():
            top = file.parts[0]
            # An editable installation has a file that leads to the source.
            if top not in ("..", "__pycache__") and not top.endswith(".pth") and not (folder / top).exists():
                (folder / top).symlink_to(Path(str(distribution(name).locate_file(top))).absolute())
    for package in (lastro, lastro_sandbox):
        source = Path(next(iter(package.__path__)))
        if not (folder / source.name).exists():
            (folder / source.name).symlink_to(source)
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the settings of the golden company, served."""
    folder = tmp_path_factory.mktemp("ouro")
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        write_golden(folder, service.base_url)
        yield folder


CODE = "import sys; from lastro.cli import main; main(sys.argv[1:], prog_name='lastro')"


def call(place: Path, *python: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, *python],
        cwd=place,
        env={"PATH": os.environ["PATH"], "HOME": str(place), TOKEN_VARIABLE: TOKEN, **env},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def command(core: Path, place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # -S: without the packages of this environment.
    return call(place, "-S", "-c", CODE, *arguments, PYTHONPATH=str(core))


def test_the_core_is_small() -> None:
    found = list_required("lastro")
    assert not {"dagster", "starlette", "uvicorn", "requests", "sqlalchemy", "grpcio"} & set(found)
    # What is beside lastro in an environment that has the core alone.
    assert len(found) <= 23, sorted(found)


@pytest.mark.longo
def test_a_timer_of_the_system_runs_the_job_with_the_core_alone(core: Path, place: Path) -> None:
    day = expected.D.isoformat()
    first = command(core, place, "run", "--data-base", day, "--data-extracao", day, "--json")
    assert first.returncode == 0, first.stderr
    outcome = json.loads(first.stdout)
    assert outcome["veredito"] == "SOMAS CONFEREM"
    assert outcome["kpis"]["saldo_atual"] == "15980.00"
    assert Path(outcome["planilhas"][0]).exists()
    assert not (place / "dados/dagster").exists()


@pytest.mark.parametrize(
    ("extra", "arguments"),
    thinned(
        [("dagster", ("dev",)), ("sandbox", ("demo",)), ("sandbox", ("sandbox", "--porta", "0"))],
        default=[("dagster", ("dev",))],
    ),
)
def test_what_needs_an_extra_names_it(core: Path, place: Path, extra: str, arguments: tuple[str, ...]) -> None:
    result = command(core, place, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith(f"lastro: lastro {arguments[0]} precisa de um extra: ")
    assert line.endswith(f"pip install 'lastro[{extra}]'.")


def test_the_help_stands_without_extras(core: Path, place: Path) -> None:
    result = command(core, place, "--help")
    assert (result.returncode, "sandbox" in result.stdout) == (0, True)


@pytest.mark.longo
def test_a_run_without_dagster_can_be_asked_for_where_it_is_installed(place: Path) -> None:
    day = expected.D.isoformat()
    result = call(place, "-c", CODE, "run", "--data-base", day, "--data-extracao", day)
    assert result.returncode == 0, result.stderr
    assert not (place / "dados/dagster").exists()
