"""The command as a user starts it: what it prints, what it answers, how it ends."""

from __future__ import annotations

import signal
import sqlite3
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


def invoke(*options: str) -> tuple[int, str]:
    result = CliRunner().invoke(sandbox, ["--port", "0", *options])
    assert "Traceback" not in result.output
    return result.exit_code, result.output


def test_a_second_process_on_one_state_file_is_told_who_has_it(tmp_path: Path) -> None:
    path = tmp_path / "livros.db"
    with started("--estado", str(path), "--lancamentos", "10"):
        code, output = invoke("--estado", str(path))
        holder = (tmp_path / "livros.db.trava").read_text()
        assert (code, f"process {holder}" in output, "livros.db" in output) == (2, True, True)
        link = tmp_path / "outro.db"
        link.symlink_to(path)
        assert invoke("--estado", str(link))[0] == 2
    with started("--estado", str(path), "--lancamentos", "10"):
        pass  # whoever ended has given it back


@pytest.mark.parametrize("option", [["--seed", "2"], ["--lancamentos", "9"], ["--hoje", "2020-01-01"]])
def test_options_that_would_do_nothing_are_refused(tmp_path: Path, option: list[str]) -> None:
    code, output = invoke("--empresa-exemplo", "ouro", *option)
    assert (code, option[0] in output) == (2, True)
    path = str(tmp_path / "livros.db")
    with started("--estado", path, "--seed", "1", "--lancamentos", "10", "--hoje", "2026-03-16"):
        pass
    code, output = invoke("--estado", path, *option)
    assert (code, option[0] in output, "livros.db" in output) == (2, True, True)
    with started("--estado", path, "--seed", "1", "--lancamentos", "10", "--hoje", "2026-03-16"):
        pass  # what the file was made with may be said again


def test_a_state_file_of_an_earlier_version_takes_no_wishes(tmp_path: Path) -> None:
    path = tmp_path / "livros.db"
    with started("--estado", str(path), "--lancamentos", "10"):
        pass
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM meta WHERE chave = 'origem'")
    db.close()
    assert invoke("--estado", str(path), "--lancamentos", "10")[0] == 2
    with started("--estado", str(path)):
        pass


def test_opening_balances_of_an_invented_company_are_listed_on_wish() -> None:
    books = build_books(lancamentos=50, saldo_inicial_lancamento=True)
    listed = [books.lancamentos[id_] for id_ in sorted(books.saldos_lancados)]
    assert [(entry.conta_id, entry.valor) for entry in listed] == [(101, 4532055), (102, 850000), (103, 2500000)]
    plain = build_books(lancamentos=50)
    assert [books.balance(books.contas[id_]) for id_ in (101, 102, 103)] == [
        plain.balance(plain.contas[id_]) for id_ in (101, 102, 103)
    ]


def test_sigterm_ends_it_as_ctrl_c_does() -> None:
    with subprocess.Popen([*START, "--lancamentos", "10"], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        while not process.stdout.readline().startswith("Ctrl+C"):
            pass
        process.terminate()
        assert process.wait(timeout=20) == 0
