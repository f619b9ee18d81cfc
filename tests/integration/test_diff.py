"""`lastro diff` over the golden company on 27/02 and 16/03: run numbers, copies and workbooks, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import date
from decimal import Decimal as Dec
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from lastro.cli import main
from lastro.schema.run_kinds import Modo
from lastro.settings import load_settings
from lastro_sandbox import golden_company
from tests.golden import expected
from tests.served import run_served, write_settings
from tests.tools.consultas import PARAMETROS, SECOND

BEFORE = date(2026, 2, 27)
Lastro = Callable[..., Result]


@pytest.fixture(scope="module")
def folder(two_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The golden company after its runs of 27/02 and 16/03, with the copy of the first kept aside."""
    folder = tmp_path_factory.mktemp("diff")
    shutil.copytree(two_runs, folder, symlinks=True, dirs_exist_ok=True)
    write_settings(folder, golden_company(), "http://127.0.0.1:1", PARAMETROS + SECOND)
    text = (folder / "lastro.toml").read_text(encoding="utf-8")
    (folder / "outra.toml").write_text(text.replace("Ouro", "Prata"), encoding="utf-8")
    return folder


@pytest.fixture
def lastro(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Lastro:
    monkeypatch.chdir(folder)

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(main, ["diff", *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return call


def ask(lastro: Lastro, *arguments: str) -> dict[str, Any]:
    result = lastro(*arguments, "--json")
    found: dict[str, Any] = json.loads(result.stdout, parse_float=pytest.fail)
    assert result.exit_code == (0 if found["iguais"] else 1)
    return found


def test_two_mornings_are_rows_by_name_under_the_headers_of_the_sheets(lastro: Lastro) -> None:
    """The figures are those of R00 and R14 (section 5), by hand."""
    result = lastro("1", "2")
    assert result.exit_code == 1
    lines = [re.sub(r"\s{2,}", " | ", line.strip()) for line in result.stdout.splitlines()]
    for line in (
        "A | execução 1 (completa) · data-base 27/02/2026",
        "B | execução 2 (completa) · data-base 16/03/2026",
        "saldo_atual | Saldo atual | R$ | 10.700,00 | 15.980,00",
        "Lançamentos novos, só em B: 2",
        "1014 | 1014 | Empréstimo bancário | 02/03/2026 | 6.000,00",
        "Lançamentos que sumiram, só em A: 1",
        "1018 | 1018 | Feira de negócios | 20/03/2026 | -450,00",
        "Lançamentos que mudaram: 4",
        "1012 | 1012 | Serviço de março | 14/03/2026 | 1.000,00 | data_vencimento | 10/03/2026 | 14/03/2026",
        "01/03/2026 | fora | 0,00 | 6.000,00",
        "01/03/2026 | resultado | 1.540,00 | 1.980,00",
    ):
        assert line in lines, line
    assert not re.search(r"dias de atraso|faixa|juros|Variação|Relatório anterior", result.stdout)


def test_months_of_the_dre_are_those_of_both_reports(lastro: Lastro, folder: Path) -> None:
    sides = []
    for copy in ("antes.duckdb", "dados/ouro/publicado/lastro-000002.duckdb"):
        with duckdb.connect(str(folder / copy), read_only=True) as con:
            rows = con.execute("SELECT mes, codigo, valor FROM mart.dre WHERE nivel = 0 AND valor <> 0").fetchall()
        sides.append({(month.isoformat(), code): value for month, code, value in rows})
    zero = Dec("0.00")
    changed = {key for key in {*sides[0], *sides[1]} if sides[0].get(key, zero) != sides[1].get(key, zero)}
    found = {(each["mes"], each["codigo"]): (Dec(each["a"]), Dec(each["b"])) for each in ask(lastro, "1", "2")["dre"]}
    assert found == {key: (sides[0].get(key, zero), sides[1].get(key, zero)) for key in changed}
    assert ("2026-03-01", "despesas") in found


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (("2", "9"), "execução 9 não está no que se publicou"),
        (("2", "ontem"), "ontem"),
        (("2", "9" * 30), "9" * 30),
        (("1", "2", "--empresa", "prata"), "prata"),
        (("1", "2", "--config", "nada.toml"), "nada.toml"),
    ],
)
def test_what_cannot_be_compared_ends_with_2_and_says_what_to_do(
    lastro: Lastro, named: tuple[str, ...], told: str
) -> None:
    result = lastro(*named)
    assert (result.exit_code, told in result.stderr.replace("\n", "")) == (2, True)


def test_without_a_published_copy_the_command_that_writes_one_is_told(
    lastro: Lastro, folder: Path, tmp_path: Path
) -> None:
    shutil.copyfile(folder / "lastro.toml", tmp_path / "lastro.toml")
    result = lastro("1", "2", "--config", str(tmp_path / "lastro.toml"))
    assert (result.exit_code, "Rode antes lastro run --empresa ouro" in result.stderr.replace("\n", " ")) == (5, True)


@pytest.mark.longo
def test_a_recalculation_is_equal_to_its_reading(lastro: Lastro, folder: Path) -> None:
    # Last of the module: its copy is the third, and the first goes.
    run_served(load_settings(folder / "lastro.toml", {}, folder), expected.D, modo=Modo.RECALCULO)
    found = ask(lastro, "2", "3")
    assert (found["iguais"], found["sem_indicadores"], found["indicadores"]) == (True, [], [])
    assert "Iguais: nenhum indicador" in lastro("2", "3").stdout
