"""The packaged fixture, as the tests of somebody else's program use it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import lastro_sandbox

ROOT = Path(__file__).parents[3]
TESTS = """
import httpx
import pytest

def ask(sandbox, path, **query):
    return httpx.get(sandbox.base_url + path, params={"access_token": sandbox.token, **query})

def test_a_company_of_its_own(lastro_sandbox):
    assert len(lastro_sandbox.books.lancamentos) == 300
    first = ask(lastro_sandbox, "/v1/lancamentos", conta_id=101).json()
    address = f"{lastro_sandbox.base_url}/v1/lancamentos/{first[0]['id']}"
    httpx.delete(address, params={"access_token": lastro_sandbox.token})
    assert [one["metodo"] for one in lastro_sandbox.requisicoes()] == ["GET", "DELETE"]
    assert lastro_sandbox.avancar(3) == "2026-03-19"
    lastro_sandbox.reiniciar()
    assert ask(lastro_sandbox, "/v1/lancamentos", conta_id=101).json() == first

@pytest.mark.lastro_sandbox(empresa_exemplo="ouro", dialeto="observado", falhas=["500:k=2"], token="outro")
def test_what_the_marker_asks_for(lastro_sandbox):
    assert ask(lastro_sandbox, "/v1/contas").json()[0]["descricao"] == "Banco Alfa"
    assert ask(lastro_sandbox, "/v1/contas").status_code == 500
    lastro_sandbox.falhas("502")
    assert ask(lastro_sandbox, "/v1/contas").status_code == 502
    lastro_sandbox.falhas()
    assert ask(lastro_sandbox, "/v1/contas").status_code == 200
"""


def test_the_fixture_serves_the_tests_of_other_programs(tmp_path: Path) -> None:
    (tmp_path / "test_program.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["lastro_sandbox.pytest"]\n', encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider", str(tmp_path)]
    result = subprocess.run(  # noqa: S603 - our own interpreter
        command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
    )
    assert (result.returncode, "2 passed" in result.stdout) == (0, True), result.stdout + result.stderr


def test_pytest_loads_it_only_where_it_is_asked_for() -> None:
    """An installation says nothing to the tests of others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "entry-points" not in project


def test_nothing_is_imported_before_a_test_asks_for_it() -> None:
    code = "import sys, lastro_sandbox.pytest; print(sorted({'starlette', 'uvicorn', 'orjson'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - our own interpreter
    assert result.stdout.strip() == "[]"


def test_the_package_gives_what_it_names_and_nothing_else() -> None:
    assert all(getattr(lastro_sandbox, name) is not None for name in lastro_sandbox.__all__)
    assert not hasattr(lastro_sandbox, "nada")
