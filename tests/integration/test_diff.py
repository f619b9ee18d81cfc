"""`lastro diff` over the golden company on 27/02 and 16/03: run numbers, copies and workbooks, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from datetime import date
from decimal import Decimal as Dec
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
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


def book(day: date, kind: str = "gerencial") -> str:
    return f"dados/ouro/relatorios/{kind}_{day}.xlsx"


LATE = ("a_receber", "dias_de_atraso")
FIRST_COPY, SECOND_COPY = "antes.duckdb", "dados/ouro/publicado/lastro-000002.duckdb"


def ask(lastro: Lastro, *arguments: str) -> dict[str, Any]:
    result = lastro(*arguments, "--json")
    found: dict[str, Any] = json.loads(result.stdout, parse_float=pytest.fail)
    assert result.exit_code == (0 if found["iguais"] else 1)
    return found


def test_two_mornings_are_a_page_that_a_controller_reads(lastro: Lastro, folder: Path) -> None:
    """The figures are those of R00 and R14 (section 5), by hand."""
    result = lastro("1", "2")
    assert result.exit_code == 1
    lines = [re.sub(r"\s{2,}", " | ", line.strip()) for line in result.stdout.splitlines()]
    for line in (
        "A | execução 1 (completa) · data-base 27/02/2026",
        "B | execução 2 (completa) · data-base 16/03/2026",
        "Saldo atual | R$ 10.700,00 | R$ 15.980,00 | R$ 5.280,00",
        "Lançamentos novos, só em B (R$ 6.000,00): 2",
        "1014 | 02/03/2026 | R$ 6.000,00 | Empréstimo bancário",
        "Lançamentos que sumiram, só em A (-R$ 450,00): 1",
        "1018 | 20/03/2026 | -R$ 450,00 | Feira de negócios",
        "1010 | -R$ 110,00 | -R$ 120,00 | -R$ 10,00 | Suporte técnico",
        "Vencimento de lançamentos que mudaram: 1",
        "1012 | 10/03/2026 | 14/03/2026 | R$ 1.000,00 | Serviço de março",
        "1019 | – | 03/03/2026 | -R$ 600,00 | Despesas gerais",
        "mar/26 | Fora do resultado (memo) | R$ 0,00 | R$ 6.000,00 | R$ 6.000,00",
        "mar/26 | Resultado | R$ 1.540,00 | R$ 1.980,00 | R$ 440,00",
    ):
        assert line in lines
    assert not re.search(r"dias de atraso|faixa|juros|Variação|Relatório anterior", result.stdout)
    assert max(len(line) for line in result.stdout.splitlines() if str(folder) not in line) <= 100
    assert len(lines) <= 66


SAME_RUNS = (
    (FIRST_COPY, SECOND_COPY),
    ("1", SECOND_COPY),
    (book(BEFORE), book(expected.D)),
)


def test_numbers_copies_and_workbooks_name_the_same_runs(lastro: Lastro) -> None:
    numbers = ask(lastro, "1", "2")
    for named in SAME_RUNS:
        found = ask(lastro, *named)
        assert (found["a"], found["b"]) == named
        assert found == {**numbers, "a": found["a"], "b": found["b"]}
    assert (numbers["a"], numbers["b"]) == ("1", "2")
    assert numbers["relatorios"] is None
    assert [run["execucao_id"] for run in numbers["execucoes"]] == [1, 2]
    assert [each["linha_id"] for each in numbers["novas"]] == [1014, 1013]


def test_months_of_the_dre_are_those_of_both_reports(lastro: Lastro, folder: Path) -> None:
    sides = []
    for copy in (FIRST_COPY, SECOND_COPY):
        with duckdb.connect(str(folder / copy), read_only=True) as con:
            rows = con.execute("SELECT mes, codigo, valor FROM mart.dre WHERE nivel = 0 AND valor <> 0").fetchall()
        sides.append({(month.isoformat(), code): value for month, code, value in rows})
    zero = Dec("0.00")
    changed = {key for key in {*sides[0], *sides[1]} if sides[0].get(key, zero) != sides[1].get(key, zero)}
    found = {(each["mes"], each["codigo"]): (Dec(each["a"]), Dec(each["b"])) for each in ask(lastro, "1", "2")["dre"]}
    assert found == {key: (sides[0].get(key, zero), sides[1].get(key, zero)) for key in changed}
    assert ("2026-03-01", "despesas") in found


def test_all_of_two_days_has_what_the_day_moves(lastro: Lastro, folder: Path) -> None:
    found = ask(lastro, FIRST_COPY, SECOND_COPY, "--tudo")
    cells = {
        (table["tabela"], cell["linha"], cell["coluna"]): (cell["a"], cell["b"])
        for table in found["relatorios"]
        for cell in table["celulas"]
    }
    # Nothing was before the first report; what is late is so by 17 days more, and 1012, put off by four, by 13.
    assert cells["resumo", "saldo_atual", "relatorio_anterior"] == (None, "10700.00")
    assert {after - before for (table, _, column), (before, after) in cells.items() if (table, column) == LATE} == {
        13,
        17,
    }
    text = lastro(FIRST_COPY, SECOND_COPY, "--tudo").stdout
    assert "Relatórios:" in text
    assert max(len(line) for line in text.splitlines() if str(folder) not in line) <= 100
    assert "(--tudo)" not in text
    # The first run's own copy goes from publicado/: its reports are nowhere in reach of its number.
    (folder / "dados/ouro/publicado/lastro-000001.duckdb").rename(folder / "guardada.duckdb")
    assert "os da execução 1 não estão mais guardados" in lastro("1", "2", "--tudo").stdout
    (folder / "guardada.duckdb").rename(folder / "dados/ouro/publicado/lastro-000001.duckdb")


def test_long_lists_say_how_much_more_there_is(lastro: Lastro, folder: Path) -> None:
    with duckdb.connect(str(folder / "longa.duckdb")) as con:
        con.execute(f"ATTACH '{folder / FIRST_COPY}' AS de (READ_ONLY); COPY FROM DATABASE de TO longa")
        con.execute("UPDATE core.linhas SET data_vencimento = data_vencimento + 400")
        con.execute("UPDATE core.linhas SET data_competencia = '2026-08-01'")
        con.execute("INSERT INTO core.linhas SELECT * REPLACE (linha_id + 5000 AS linha_id) FROM core.linhas")
        con.execute("INSERT INTO core.linhas SELECT * REPLACE (linha_id + 9000 AS linha_id) FROM core.linhas")
        con.execute("UPDATE interno.resumo SET valor = valor + 0.01 WHERE kpi = 'saldo_atual'")
    moved = lastro(FIRST_COPY, "longa.duckdb").stdout
    count = int(re.findall(r"novos, só em B .*: (\d+)", moved)[0])
    assert f"  … e mais {count - 20} (--tudo)" in moved
    # Both are of one day, so their reports are compared too.
    assert "  Relatórios: 1 tabela difere" in moved
    assert "  … célula a célula: --tudo" in moved
    whole = lastro(FIRST_COPY, "longa.duckdb", "--tudo").stdout
    assert "--tudo" not in whole
    assert re.search(r"^  saldo_atual  valor +10\.700,00  10\.700,01$", whole, re.MULTILINE)


def save_book(path: Path, *rows: str) -> str:
    made = openpyxl.Workbook()
    assert made.active is not None
    for text in rows:
        made.active.append([text])
    made.save(path)
    return str(path)


STAMP = (
    "Empresa Ouro · Data-base 16/03/2026 (seg) · Extraído 16/03/2026 06:05 BRT · Execução {} · Contas: 2 de 2 · "
    "Filtro: {} · Extração COMPLETA"
)


def test_what_cannot_be_compared_ends_with_2_and_says_what_to_do(lastro: Lastro, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.xlsx"
    os.mkfifo(fifo)
    (tmp_path / "texto.xlsx").write_text("abc", encoding="utf-8")
    (tmp_path / "texto.duckdb").write_text("abc", encoding="utf-8")
    name = openpyxl.load_workbook(book(expected.D)).worksheets[1]["A2"].value.split(" · ")[0]
    scope = STAMP.replace("Empresa Ouro", name).format(2, "centro Loja")
    for named, *texts in (
        (("2", "9"), "execução 9 não está em", "lastro sql"),
        (("2", "9" * 30), "não é número de execução"),
        (("2", "ontem"), "ontem não é número de execução, cópia publicada", "lastro diff 12 13"),
        (("2", "nada.duckdb"), "nada.duckdb não existe"),
        (("2", "nada.xlsx"), "nada.xlsx não existe"),
        (("2", str(tmp_path / "texto.duckdb")), "não é a cópia publicada de uma empresa"),
        (("2", str(tmp_path / "texto.xlsx")), "danificado", "Dê o número"),
        (("2", str(fifo)), "não é um arquivo comum"),
        (("2", save_book(tmp_path / "sem.xlsx", "RESUMO", "nada")), "não diz de que execução é", "Dê o número"),
        (("2", save_book(tmp_path / "recorte.xlsx", "RESUMO", scope)), "Filtro: centro Loja", "Dê o número"),
        (("2", save_book(tmp_path / "alheia.xlsx", "R", STAMP.format(2, "nenhum"))), "é de Empresa Ouro, não de"),
        (("1", "2", "--empresa", "prata"), "prata"),
        (("1", "2", "--config", "nada.toml"), "nada.toml"),
    ):
        result = lastro(*named)
        assert result.exit_code == 2, (named, result.output)
        for text in texts:
            assert text in result.stderr.replace("\n", " "), named
        assert "Traceback" not in result.output


def test_files_of_another_company_are_refused(lastro: Lastro, folder: Path) -> None:
    with duckdb.connect(str(folder / "prata.duckdb")) as con:
        con.execute(f"ATTACH '{folder / FIRST_COPY}' AS de (READ_ONLY); COPY FROM DATABASE de TO prata")
        con.execute("UPDATE ops.relatorio SET empresa = 'prata'")
    for named in ((FIRST_COPY, "prata.duckdb"), ("2", "prata.duckdb")):
        result = lastro(*named)
        assert (result.exit_code, "é da empresa prata, não de ouro" in result.stderr) == (2, True)


def test_a_workbook_without_its_warehouse_says_where_that_should_be(
    lastro: Lastro, folder: Path, tmp_path: Path
) -> None:
    shutil.copyfile(folder / "lastro.toml", tmp_path / "lastro.toml")
    result = lastro(book(BEFORE), book(expected.D), "--config", str(tmp_path / "lastro.toml"))
    assert result.exit_code == 2
    assert "se compara pelos registros publicados de ouro" in result.stderr
    assert str(tmp_path / "dados" / "ouro" / "lastro.duckdb") in result.stderr


@pytest.mark.longo
def test_everything_is_compared_of_one_day(lastro: Lastro, folder: Path) -> None:
    # Last of the module: its copy is the third, and the first goes.
    run_served(load_settings(folder / "lastro.toml", {}, folder), expected.D, modo=Modo.RECALCULO)
    found = ask(lastro, "2", "3")
    assert (found["iguais"], found["tudo"], found["relatorios"]) == (True, True, [])
    assert (found["sem_indicadores"], found["indicadores"]) == ([], [])
    assert "Iguais: nada difere." in lastro("2", "3").stdout
