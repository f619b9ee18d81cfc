"""Own questions: three of an analyst, one right, one wrong, one hostile; the figures are what they are without them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
from click.testing import CliRunner

from lastro.cli import main
from lastro.manual import read_page
from tests.served import copy_golden

EXAMPLE = re.findall(r"```sql\n(.*?)```", read_page("consultas-proprias"), re.DOTALL)[0]
KPIS = "FROM ops.kpis WHERE kpi <> 'verificacoes_com_falha' AND execucao_id = (SELECT max(execucao_id) FROM ops.kpis)"
"""Every figure; a question without an answer is an alert more."""
RIGHT = """-- Título: Quanto há em cada conta
-- Pergunta: Onde está o dinheiro hoje?
-- Total: saldo
-- saldo: no fim da data-base
SELECT conta, saldo_em_d AS saldo, mart.data_base() AS dia, saldo_em_d::DOUBLE / 3 AS terco
FROM mart.saldos_por_conta WHERE saldo_em_d <> 0 ORDER BY saldo DESC
"""
WRONG = "-- Título: Por mês\n-- Pergunta: O que ficou?\nSELECT mess,\n  valor FROM mart.dre\n"
HOSTILE = "-- Título: Outra\n-- Pergunta: Que há fora?\nFROM read_text('/etc/hostname')\n"


def write(folder: Path, **questions: str) -> None:
    place = folder / "dados/ouro/entrada/consultas"
    place.mkdir(parents=True, exist_ok=True)
    for path in place.iterdir():
        path.unlink()
    for name, text in questions.items():
        (place / f"{name}.sql").write_text(text, encoding="utf-8")


def run(folder: Path) -> str:
    ended = CliRunner().invoke(main, ["run", "--config", str(folder / "lastro.toml"), "--modo", "recalculo"])
    assert ended.exit_code == 0
    return ended.output


def ask(folder: Path, sql: str) -> Sequence[tuple[Any, ...]]:
    with duckdb.connect(str(folder / "dados/ouro/lastro.duckdb"), read_only=True) as con:
        return con.execute(sql).fetchall()


def workbooks(folder: Path) -> list[Path]:
    return sorted((folder / "dados/ouro/relatorios").glob("consultas_*.xlsx"))


def test_questions_are_answered_or_told_and_those_of_before_are_gone(first_run: Path, tmp_path: Path) -> None:
    copy_golden(first_run, tmp_path, "http://127.0.0.1:9")
    kpis = sorted(row[1:] for row in ask(tmp_path, KPIS))
    write(tmp_path, saldos=RIGHT, meses=WRONG, fora=HOSTILE)
    output = run(tmp_path)
    assert sorted(row[1:] for row in ask(tmp_path, KPIS)) == kpis
    assert " alertas · 2 arquivos não lidos" in output
    assert '      entrada/consultas/meses.sql: linha 3: o DuckDB diz: Binder Error: Referenced column "mess"' in output
    assert "      entrada/consultas/fora.sql: lê um arquivo, um endereço ou uma extensão: só há o que está" in output
    assert ask(tmp_path, "SELECT consulta, linhas, motivo = '', segundos < 60 FROM minhas._perguntas ORDER BY 1") == [
        ("fora", None, False, True), ("meses", None, False, True), ("saldos", 2, True, True),
    ]  # fmt: skip
    assert ask(tmp_path, "SELECT conta, saldo FROM minhas.saldos") == [
        ("Banco Alfa", Decimal("13780.00")), ("Poupança", Decimal("2200.00")),
    ]  # fmt: skip
    comments = (
        "SELECT comment FROM duckdb_{}() WHERE schema_name = 'minhas' AND table_name = 'saldos' AND comment <> ''"
    )
    assert ask(tmp_path, comments.format("tables")) == [("Quanto há em cada conta: Onde está o dinheiro hoje?",)]
    assert ask(tmp_path, comments.format("columns")) == [("no fim da data-base",)]
    assert ask(tmp_path, "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'minhas'") == [(2,)]

    (path,) = workbooks(tmp_path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["LEIA-ME", "saldos"]
    index = [[cell.value for cell in row] for row in book["LEIA-ME"].iter_rows(min_row=5)]
    assert [(row[0], row[1], row[3]) for row in index if row[0]] == [
        ("fora", "Outra", None), ("meses", "Por mês", None), ("saldos", "Quanto há em cada conta", 2),
    ]  # fmt: skip
    sheet = book["saldos"]
    header = next(row for row in sheet.iter_rows() if row[0].value == "Conta")
    assert [cell.value for cell in header if cell.value] == ["Conta", "Saldo", "Dia", "Terco"]
    place = header[0].row or 0
    first = sheet[place + 1]
    assert [cell.number_format for cell in first[:4]] == [
        "@", '"R$" #,##0.00;-"R$" #,##0.00;"–"', "dd/mm/yyyy", "#,##0.00##",
    ]  # fmt: skip
    assert sheet.auto_filter.ref.startswith(f"A{place}:D")
    totals = [cell.value for row in sheet.iter_rows() for cell in row if str(cell.value).startswith("=SUBTOTAL(109")]
    assert len(totals) == 1

    write(tmp_path, atraso_por_cliente=EXAMPLE)
    asked = ["SELECT conta FROM mart.saldos_por_conta", "--config", str(tmp_path / "lastro.toml"), "--guardar"]
    kept = CliRunner().invoke(main, ["sql", *asked, "as_contas"])
    assert (kept.exit_code, "entrada/consultas/as_contas.sql: a próxima execução a faz" in kept.output) == (0, True)
    path = tmp_path / "dados/ouro/entrada/consultas/as_contas.sql"
    assert path.read_text(encoding="utf-8") == (
        "-- Título: As contas\n-- Pergunta: As contas?\nSELECT conta FROM mart.saldos_por_conta\n"
    )
    for name, told in {"as_contas": "já há uma consulta com esse nome", "As contas": "o nome não serve"}.items():
        refused = CliRunner().invoke(main, ["sql", *asked, name])
        assert (refused.exit_code, told in refused.output) == (2, True)
    assert "não lido" not in run(tmp_path)
    assert ask(tmp_path, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'minhas' ORDER BY 1") == [
        ("_perguntas",), ("as_contas",), ("atraso_por_cliente",),
    ]  # fmt: skip
    late = "SELECT pessoa, titulos, atrasado FROM minhas.atraso_por_cliente"
    assert ask(tmp_path, late) == [("Beta", 1, Decimal("2400.00"))]
    assert ask(tmp_path, "SELECT count(*) FROM minhas.as_contas") == [(2,)]
    listed = CliRunner().invoke(main, ["sql", "--config", str(tmp_path / "lastro.toml")]).output
    assert re.search(r"minhas\.as_contas +As contas: As contas\?", listed)

    written = len(workbooks(tmp_path))
    write(tmp_path)
    run(tmp_path)
    assert ask(tmp_path, "SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'minhas'") == [(0,)]
    assert len(workbooks(tmp_path)) == written
