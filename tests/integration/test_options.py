"""An option is a folder: where it is deleted, the rest works and delivers everything else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lastro

SOURCE = Path(lastro.__file__).parents[1]


@pytest.mark.longo
def test_without_desk_group_bank_and_page_a_run_delivers_the_rest(tmp_path: Path) -> None:
    rest = tmp_path / "src"
    for tree in ("lastro", "lastro_sandbox"):
        shutil.copytree(SOURCE / tree, rest / tree, ignore=shutil.ignore_patterns("__pycache__"))
    for option in ("desk", "group", "bank", "page", "closing"):
        shutil.rmtree(rest / "lastro" / option)
    command = [sys.executable, "-c", "from lastro.cli import main; main()"]
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
