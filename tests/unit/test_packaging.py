"""What is built from the repository: the whole of it, with the code location as `lastro.pipelines`."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
TREES = {"src/lastro": "lastro", "src/lastro_sandbox": "lastro_sandbox", "pipelines": "lastro/pipelines"}
"""Folder of the repository -> folder of the wheel."""


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
    assert {"lastro/warehouse/macros.sql", "lastro/pipelines/deploy/lastro.service"} <= wanted
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


def ask(installed: Path, code: str) -> str:
    """Run code where the wheel comes first; the repository can be imported too, as in a mixed-up environment."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"}
    result = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], cwd=installed, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.medio
def test_the_installed_code_location_is_one_and_every_process_is_told_its_name(installed: Path) -> None:
    said = ask(
        installed,
        "import sys\n"
        "from lastro.extras import load_pipelines\n"
        "assert load_pipelines('definitions').defs.resolve_job_def('diario')\n"
        "home, server = load_pipelines('home'), load_pipelines('services')\n"
        "print(server.MODULE, server.PACKAGE, server.LOCATION)\n"
        "print(home.FILES_SETTINGS.split()[2])\n"
        "print('pipelines' in sys.modules)\n",
    )
    assert said.splitlines() == [
        "lastro.pipelines.definitions lastro.pipelines pipelines.definitions",
        "lastro.pipelines.records",
        "False",
    ]


@pytest.mark.medio
def test_where_the_repository_was_loaded_first_it_stays_the_only_one(installed: Path) -> None:
    said = ask(
        installed,
        "import sys, pipelines.home\n"
        "from lastro.extras import load_pipelines\n"
        "print(load_pipelines('home') is pipelines.home, 'lastro.pipelines' in sys.modules)\n",
    )
    assert said.split() == ["True", "False"]


def test_in_the_repository_it_is_pipelines() -> None:
    from lastro.extras import load_pipelines

    assert load_pipelines("home").__name__ == "pipelines.home"
