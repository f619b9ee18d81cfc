"""What is built from the repository: the whole of it, with its code location, and which Dagster it works with."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from lastro.errors import ConfigError
from lastro.extras import demand, demand_dagster, write_bound
from tests.tools.versions import OLDEST

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TREES = {
    "src/lastro": "lastro",
    "src/lastro_sandbox": "lastro_sandbox",
    "pipelines/lastro_pipelines": "lastro_pipelines",
}
"""Folder of the repository -> folder of the wheel."""


def test_the_version_says_whether_it_is_out() -> None:
    """What is built before its release says so: else two wheels of one version are not the same."""
    heading = re.search(r"^## (\S+) — (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heading is not None
    assert PROJECT["version"] == heading[1] + (".dev0" if heading[2] == "unreleased" else "")


@pytest.mark.parametrize("begin", ["import build_backend", "from lastro.__main__ import enter"])
@pytest.mark.parametrize(
    ("lack", "told"),
    [
        (
            "sys.version_info = (3, 10, 13)",
            "lastro precisa de Python 3.11 ou mais novo; este é o 3.10. Instale um e refaça o ambiente",
        ),
        ("sys.modules['fcntl'] = None", "lastro roda em Linux e macOS. No Windows, instale-o dentro do WSL"),
    ],
    ids=["an older Python", "no locks, as on Windows"],
)
def test_what_lacks_is_told_in_one_sentence_when_lastro_is_built_and_started(begin: str, lack: str, told: str) -> None:
    code = f"import sys; sys.path[:0] = ['.', 'src']; {lack}; {begin}"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    (said,) = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert said.startswith(told)


def test_an_extra_is_asked_for_by_name_where_there_is_no_repository(installed: Path) -> None:
    code = "from lastro.extras import write_install; print(write_install('pdf'))"
    asked = {place: read_answer(code, place) for place in (installed, ROOT / "src")}
    assert asked == {
        installed: "pip install 'lastro[pdf]'\n",
        ROOT / "src": "na pasta do repositório, pip install -c constraints.txt '.[pdf]'\n",
    }


def list_files(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


def build_wheel(root: Path, target: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(WheelBuilder(str(root)).build(directory=str(target), versions=["standard"])))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return build_wheel(ROOT, tmp_path_factory.mktemp("roda"))


@pytest.fixture(scope="module")
def installed(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel puts beside other packages."""
    folder = tmp_path_factory.mktemp("instalado")
    wheel.extractall(folder)  # noqa: S202 - of our own making
    return folder


def test_the_wheel_holds_every_file_under_its_name_and_no_other(wheel: zipfile.ZipFile) -> None:
    wanted = {f"{there}/{name}" for here, there in TREES.items() for name in list_files(ROOT / here)}
    assert {"lastro/warehouse/file/macros.sql", "lastro_pipelines/deploy/lastro.service"} <= wanted
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == wanted


def test_the_source_distribution_builds_the_same_wheel_and_brings_the_tests(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    source = next(SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with tarfile.open(source) as packed:
        packed.extractall(tmp_path, filter="data")
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    again = build_wheel(folder, tmp_path / "de-novo")
    assert {name: again.read(name) for name in again.namelist() if not name.endswith("/RECORD")} == {
        name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/RECORD")
    }
    assert list_files(folder / "tests") == list_files(ROOT / "tests")
    assert (folder / "workspace.yaml").exists()


def read_answer(code: str, place: Path) -> str:
    """Run code where the packages of this folder come first; return what it prints."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(place)}
    ended = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], cwd=place, env=env, capture_output=True, text=True, timeout=120, check=True
    )
    return ended.stdout


def test_the_code_location_of_a_wheel_needs_no_repository(installed: Path) -> None:
    named = (
        "from lastro_pipelines import definitions as d; print(d.__file__, d.defs.resolve_job_def('lastro_diario').name)"
    )
    assert read_answer(named, installed).split() == [
        str(installed / "lastro_pipelines/definitions.py"),
        "lastro_diario",
    ]


def test_the_repository_has_no_symbolic_link() -> None:
    """A clone without them, as Windows and archives make it, builds the same wheel."""
    folders = (ROOT / name for name in ("src", "pipelines", "tests"))
    assert [path for folder in folders for path in folder.rglob("*") if path.is_symlink()] == []


@pytest.mark.parametrize("found", ["1.12.13", "1.12.22", "1.13", "1.13.0", "1.13.27", "1.13.0rc1"])
def test_a_version_within_the_bound_will_do(found: str) -> None:
    demand_dagster(found)
    demand("dagster", "this test")


@pytest.mark.parametrize("found", ["1.11.16", "1.12", "1.12.0", "1.12.12", "1.14", "1.14.0", "2.0.0"])
def test_another_version_is_told_with_those_that_do(found: str) -> None:
    with pytest.raises(ConfigError, match=rf"dagster {found}: .*>=1\.12\.13,<1\.14.*lastro run roda sem ele"):
        demand_dagster(found)


def test_the_metadata_says_the_same() -> None:
    wanted = write_bound()
    assert wanted == ">=1.12.13,<1.14"
    assert {f"dagster{wanted}", f"dagster-webserver{wanted}"} <= set(PROJECT["optional-dependencies"]["dagster"])
    assert OLDEST == "==1.12.13"  # what `python -m tests.tools.versions` tries is what pip lets in
