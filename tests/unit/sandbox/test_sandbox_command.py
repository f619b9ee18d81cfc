"""The command as a user starts it: what it prints, what it answers, how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from lastro_sandbox import build_books, describe_settings
from lastro_sandbox.cli import sandbox

START = [sys.executable, "-W", "error", "-c", "from lastro_sandbox.cli import sandbox; sandbox()", "--port", "0"]


@contextmanager
def started(*options: str) -> Iterator[tuple[list[str], str]]:
    """Start the command; yield the lines it prints and its address; end it as Ctrl+C does."""
    command = [*START, *options]
    with subprocess.Popen(  # noqa: S603 - our own interpreter with our own arguments
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = []
        try:
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                if line.startswith("Ctrl+C"):
                    break
            address = next(line.split()[1] for line in lines if line.startswith("base_url  "))
            yield lines, address
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)
            errors = process.stderr.read()
    assert (process.returncode, errors) == (0, "")


def test_the_command_prints_settings_that_fit(tmp_path: Path) -> None:
    secret = "-".join(("segredo", "77"))
    options = ("--empresa-exemplo", "ouro", "--token", secret, "--controle", "--estado", str(tmp_path / "livros.db"))
    with started(*options) as (lines, address):
        begin = next(number for number, line in enumerate(lines) if line.startswith("dir = "))
        end = next(number for number, line in enumerate(lines) if line.startswith("controls"))
        empresa = tomllib.loads("\n".join(lines[begin:end]))["empresa"][0]
        assert empresa["base_url"] == address
        assert secret not in "\n".join(lines[begin:end])
        assert [(conta["conta_id"], conta["valor_saldo_inicial"]) for conta in empresa["conta"]] == [
            (101, "10000.00"),
            (102, "2000.00"),
        ]
        query: dict[str, str | int] = {"access_token": secret, "conta_id": 101, "tipo_view": "count"}
        assert httpx.get(f"{address}/v1/lancamentos", params=query).json() == {"count": 13}
        assert httpx.delete(f"{address}/v1/lancamentos/1014", params=query).json() is True
    with started(*options) as (lines, address):
        assert httpx.get(f"{address}/v1/lancamentos", params=query).json() == {"count": 12}


def test_the_observed_dialect_shows_composites_as_rows() -> None:
    with started("--empresa-exemplo", "ouro", "--dialeto", "observado") as (_, address):
        query: dict[str, str | int] = {"access_token": "sandbox", "conta_id": 101, "tipo_view": "count"}
        assert httpx.get(f"{address}/v1/lancamentos", params=query).json() == {"0": 15}


@pytest.mark.parametrize(
    "options",
    [["--falha", "x"], ["--janela", "x"], ["--host", "203.0.113.9"], ["--empresa-exemplo", "x"], ["--dialeto", "x"]],
)
def test_mistakes_are_said_in_one_line(options: list[str]) -> None:
    result = CliRunner().invoke(sandbox, ["--lancamentos", "10", "--port", "0", *options])
    assert result.exit_code != 0
    assert "Error: " in result.output
    assert "Traceback" not in result.output


def test_a_state_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "livros.db"
    path.write_text("nada" * 500)
    result = CliRunner().invoke(sandbox, ["--port", "0", "--estado", str(path)])
    assert (result.exit_code, "Traceback" in result.output) == (1, False)
    assert "livros.db" in result.output


def test_settings_survive_odd_names() -> None:
    books = build_books(empresa_exemplo="ouro")
    books.contas[101].descricao = 'Banco "Alfa" \\ \t ção '
    written = tomllib.loads(describe_settings(books, "http://x"))
    assert written["empresa"][0]["conta"][0]["descricao"] == 'Banco "Alfa" \\ \t ção '
