"""`lastro sql`: a question, a report by its name, every format, and what cannot be asked."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from lastro.cli import main
from lastro.commands.sql import write_csv
from tests.served import copy_golden

BALANCES = "SELECT conta_id, conta, saldo FROM mart.saldos_em(DATE '2026-03-16') ORDER BY conta_id"
ROWS = [("101", "Banco Alfa", "13780.00"), ("102", "Poupança", "2200.00")]


@pytest.fixture(scope="module")
def folder(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sql")
    copy_golden(first_run, place, "http://127.0.0.1:1")
    return place


@pytest.fixture
def lastro(folder: Path) -> Callable[..., Result]:
    def call(*arguments: str, typed: str | None = None) -> Result:
        result = CliRunner().invoke(main, ["sql", *arguments, "--config", str(folder / "lastro.toml")], input=typed)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return call


def test_a_question_is_answered_as_a_table(lastro: Callable[..., Result]) -> None:
    lines = [line.split(None, 1) for line in lastro(BALANCES + ";").stdout.splitlines()]
    assert lines[0][0] == "conta_id"
    assert [(first, *rest.rsplit(None, 1)) for first, rest in lines[1:]] == [
        (number, name, amount) for number, name, amount in ROWS
    ]


def test_csv_json_and_parquet_hold_the_same_exactly(lastro: Callable[..., Result], tmp_path: Path) -> None:
    table = list(csv.reader(io.StringIO(lastro(BALANCES, "--formato", "csv").stdout)))
    assert table == [["conta_id", "conta", "saldo"], *map(list, ROWS)]
    records = json.loads(lastro("-", "--formato", "json", typed=BALANCES).stdout, parse_float=pytest.fail)
    assert records == [{"conta_id": int(number), "conta": name, "saldo": amount} for number, name, amount in ROWS]
    target = tmp_path / "saldos.parquet"
    assert lastro(BALANCES, "--formato", "parquet", "--saida", str(target)).exit_code == 0
    with duckdb.connect() as con:
        found = con.execute(
            "SELECT conta_id::VARCHAR, conta, saldo::VARCHAR, typeof(saldo) FROM read_parquet(?)", [str(target)]
        ).fetchall()
    assert found == [(*row, "DECIMAL(18,2)") for row in ROWS]
    file = tmp_path / "saldos.csv"
    assert lastro(BALANCES, "--formato", "csv", "--saida", str(file)).stdout == ""
    assert list(csv.reader(io.StringIO(file.read_text(encoding="utf-8")))) == table


def test_a_report_is_asked_by_its_name(lastro: Callable[..., Result]) -> None:
    (total,) = json.loads(lastro("SELECT count(*) AS n FROM mart.dre", "--formato", "json").stdout)
    assert len(json.loads(lastro("dre", "--formato", "json").stdout)) == total["n"] > 0
    assert json.loads(lastro("core.linhas", "--formato", "json").stdout)
    wrong = lastro("dree")
    assert (wrong.exit_code, "Reports: " in wrong.stderr, "saldos_por_conta" in wrong.stderr) == (2, True, True)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("SELEC 1", "SQL: Parser Error"),
        ("SELECT nada FROM core.linhas", "SQL: Binder Error"),
        ("DELETE FROM core.linhas", "read-only"),
        ("SELECT 1; SELECT 2", "2 statements"),
        (" ; ", "no question"),
    ],
)
def test_what_cannot_be_asked_is_told(lastro: Callable[..., Result], question: str, told: str) -> None:
    result = lastro(question)
    assert result.exit_code == 2
    assert told in result.stderr


def test_which_file_must_be_clear(lastro: Callable[..., Result], folder: Path) -> None:
    assert "nothing is published there yet" in lastro("SELECT 1", "--grupo").stderr
    assert lastro("SELECT 1", "--formato", "parquet").exit_code == 2
    both = lastro("SELECT 1", "--grupo", "--empresa", "ouro")
    assert (both.exit_code, "leave --empresa out" in both.stderr) == (2, True)
    path = folder / "duas.toml"
    text = (folder / "lastro.toml").read_text(encoding="utf-8")
    path.write_text(text + '\n[[empresa]]\nid = "b"\nnome = "B"\nbase_url = "https://b.example.com"\ntoken_env = "B"\n')
    result = CliRunner().invoke(main, ["sql", "SELECT 1", "--config", str(path)])
    assert "add --empresa (one of ouro, b) or --grupo" in result.stderr


def test_no_text_becomes_a_formula() -> None:
    file = io.StringIO()
    write_csv(file, ["a"], [("=1+1",), ("-x",), ("x=1",), (-5,)])
    assert file.getvalue().split() == ["a", "'=1+1", "'-x", "x=1", "-5"]
