"""An option is a folder: where it is deleted, the rest works and delivers everything else."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lastro
from lastro.manual.search import find_topic
from tests.options import EVERY

ROOT = Path(__file__).parents[2]
DELETED = {
    option: re.findall(r"`([\w./]+/[\w./]+)`", paths)
    for option, paths in re.findall(
        r"^- `(\w+)`: (.*?)(?=\n-|\n\n)", find_topic("Remove an option"), re.MULTILINE | re.DOTALL
    )
}
"""Option -> what the manual says to delete."""
STRUCTURE = (
    *(f"tests/unit/test_{name}.py" for name in ("architecture", "handbook", "language", "manual", "readme", "schema")),
    "tests/unit/reports/test_registry.py", "tests/unit/quality/test_queries.py", "tests/golden/test_analyst.py",
)  # fmt: skip
"""What holds code, tests and pages together."""
SOURCE = Path(lastro.__file__).parents[1]


@pytest.mark.longo
def test_without_desk_group_bank_and_page_a_run_delivers_the_rest(tmp_path: Path) -> None:
    rest = tmp_path / "src"
    for tree in ("lastro", "lastro_sandbox"):
        shutil.copytree(SOURCE / tree, rest / tree, ignore=shutil.ignore_patterns("__pycache__"))
    for option in ("desk", "group", "bank", "page", "closing"):
        shutil.rmtree(rest / "lastro" / option)
    command = [sys.executable, "-m", "lastro"]
    environ = {**os.environ, "PYTHONPATH": str(rest)}
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own arguments
        [*command, "demo", "--pasta", "demo", "--lancamentos", "60", "--hoje", "2026-06-15"],
        cwd=tmp_path, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "CONFIÁVEL" in done.stdout) == (0, True), done.stderr
    (delivered,) = tmp_path.glob("demo/*/dados/*/relatorios")
    assert sorted(path.name for path in delivered.iterdir()) == ["dados_2026-06-15.xlsx", "gerencial_2026-06-15.xlsx"]
    (settings,) = tmp_path.glob("demo/*/lastro.toml")
    refused = subprocess.run(  # noqa: S603 - the same
        [*command, "grupo", "--config", str(settings)], cwd=tmp_path, env=environ, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert "não existe o comando 'grupo'" in refused.stderr


@pytest.mark.longo
@pytest.mark.timeout(900)
@pytest.mark.parametrize("option", EVERY)
def test_an_option_is_deleted_as_the_manual_says_and_nothing_else_has_to_change(option: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    left_out = shutil.ignore_patterns("__pycache__", ".git", ".venv", ".*_cache", "lastro-demo")
    shutil.copytree(ROOT, copy, ignore=left_out, symlinks=True)
    for name in DELETED[option]:
        path = copy / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environ |= {"PYTHONPATH": str(copy / "src"), "PYTEST_DEBUG_TEMPROOT": str(tmp_path)}
    for asked in (STRUCTURE, ("--collect-only",)):
        done = subprocess.run(  # noqa: S603 - our own interpreter with our own arguments
            [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *asked],
            cwd=copy, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_manual_names_every_option_and_what_is_there() -> None:
    assert sorted(DELETED) == sorted(EVERY)
    assert [path for paths in DELETED.values() for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("option", EVERY)
def test_no_other_test_imports_what_goes_with_an_option(option: str) -> None:
    gone = {".".join(Path(name).with_suffix("").parts).removeprefix("src.") for name in DELETED[option]}
    left = [
        path
        for path in (ROOT / "tests").rglob("*.py")
        if not any(map(path.is_relative_to, map(ROOT.joinpath, DELETED[option])))
    ]
    wrong = [
        f"{path.name}: {node.module}"
        for path in left
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and any(f"{node.module}.".startswith(f"{name}.") for name in gone)
    ]
    assert wrong == []
