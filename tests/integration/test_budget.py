"""A budget that is typed after a complete run: read by a hot one, shown, checked, and of a past day (R18, S13)."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import openpyxl
import pytest
from click.testing import CliRunner, Result

from lastro.cli import main
from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro_sandbox import Running
from tests.budget import FILE
from tests.golden import expected
from tests.served import ask, run_served


def recalculate(settings: Settings) -> RunResult:
    return run_served(settings, expected.D, modo=Modo.RECALCULO)


def sheets(result: RunResult) -> dict[str, list[tuple[object, ...]]]:
    (path,) = [path for path in result.workbooks if path.name.startswith("gerencial")]
    book = openpyxl.load_workbook(path, read_only=True)
    return {sheet.title: [*sheet.iter_rows(values_only=True)] for sheet in book.worksheets}


def test_a_hot_run_sees_a_payment_and_a_budget_and_keeps_everything_else(golden: tuple[Settings, Running]) -> None:
    settings, service = golden
    books, folder = service.books, settings.entrada(settings.empresas[0])
    folder.mkdir()
    (folder / "Orcamento.CSV").write_bytes(FILE.read_bytes())
    books.change_entry(books.lancamentos[1004], data_pagamento="2026-03-16")
    books.remove_entry(books.lancamentos[1016])
    result = run_served(settings, expected.D, modo=Modo.QUENTE)
    paths = [path for _, path, *_ in service.requests]
    assert not any("categorias" in path or "clientes" in path for path in paths)
    saldos = dict(ask(settings, f"SELECT conta_id, saldo FROM mart.saldos_em(DATE '{expected.D}')"))  # noqa: S608
    assert saldos[101] == expected.SALDOS[expected.D][101] - Decimal("1500.00")
    # 1016 is gone from the service; only a complete run may say so.
    assert ask(settings, "SELECT count(*) FROM core.linhas") == [(expected.CONTAGENS["linhas"],)]
    kinds = ask(settings, "SELECT tipo_execucao FROM ops.execucoes ORDER BY execucao_id")
    assert kinds == [("completa",), ("quente",)]
    assert ask(settings, "SELECT max(valido_de) FROM hist.linhas") == [(1,)]
    assert not result.failed
    found = sheets(result)
    assert ask(settings, "SELECT linhas, aceitas, rejeitadas FROM ops.arquivos") == [(28, 20, 8)]
    assert ask(settings, "SELECT sum(projecao), sum(ano_desvio) FROM mart.orcado") == [
        (Decimal("-2000.00"), Decimal("-5600.00"))
    ]
    texts = [cell for row in found["Resumo"] for cell in row if isinstance(cell, str)]
    assert any("projeção do ano -2.000,00 x 3.600,00 orçado (Desfavorável 5.600,00)" in text for text in texts)
    assert found["Orçado"][0][0] == "ORÇADO X REALIZADO"
    said = ask(
        settings,
        "SELECT verificacao, situacao FROM ops.verificacoes JOIN ops.relatorio USING (execucao_id) "
        "WHERE verificacao IN ('V22', 'V23', 'Q22') ORDER BY 1",
    )
    assert said == [("Q22", "falhou"), ("V22", "ok"), ("V23", "ok")]


@pytest.mark.longo
def test_of_two_files_neither_is_read_and_the_sheet_says_so(settings: Settings) -> None:
    folder = settings.entrada(settings.empresas[0])
    folder.mkdir()
    assert "Orçado" not in sheets(recalculate(settings))
    (folder / "Orcamento.CSV").write_bytes(FILE.read_bytes())
    (folder / "orcamento.xlsx").write_bytes(b"x")
    neither = sheets(recalculate(settings))
    assert any("dois arquivos de orçamento" in str(cell) for row in neither["Orçado"] for cell in row)
    assert ask(settings, "SELECT count(*) FROM core.orcamento") == [(0,)]


@pytest.mark.longo
def test_a_past_day_has_the_budget_that_its_run_knew(golden: tuple[Settings, Running]) -> None:
    """The day of the first run knew none; the next day's budget is there although its file is gone since."""
    second, third = expected.D + timedelta(days=1), expected.D + timedelta(days=2)
    settings, _ = golden
    folder = settings.entrada(settings.empresas[0])
    folder.mkdir()
    (folder / "orcamento.csv").write_bytes(FILE.read_bytes())
    run_served(settings, second)
    (folder / "orcamento.csv").unlink()
    assert "Orçado" not in sheets(run_served(settings, third))
    before = run_served(settings, third, modo=Modo.RECALCULO, data_base=expected.D)
    past = run_served(settings, third, modo=Modo.RECALCULO, data_base=second)
    assert (before.retroativa, past.retroativa) == (True, True)
    assert "Orçado" not in sheets(before)
    assert "Orçado" in sheets(past)
    with duckdb.connect(str(past.warehouse), read_only=True) as con:
        assert con.execute("SELECT sum(projecao) FROM mart.orcado").fetchall() == [(Decimal("-2000.00"),)]
        judged = "SELECT situacao FROM ops.verificacoes WHERE execucao_id = ? AND verificacao = 'V22'"
        assert con.execute(judged, [past.execucao_id]).fetchall() == [("ok",)]


def form(*words: str, settings: Settings) -> Result:
    return CliRunner().invoke(main, ["orcamento", *words, "--config", str(settings.origem)])


def test_the_form_is_written_filled_in_and_read_and_never_replaces_one(golden: tuple[Settings, Running]) -> None:
    settings, _ = golden
    folder = settings.entrada(settings.empresas[0])
    wrote = form("--ano", "2026", settings=settings)
    path = folder / "orcamento.xlsx"
    assert (wrote.exit_code, wrote.stdout, wrote.stderr) == (0, f"{path}\n", "")
    book = openpyxl.load_workbook(path)
    sheet = book["Orçamento"]
    lines = {row[0].value: row for row in sheet.iter_rows(min_row=2)}
    assert [*lines] == [10, 12, 11, 30, 20, 21, 22, 23]  # revenue, what is neither, expenses; 24 is not in use
    assert [sheet.cell(1, at).value for at in (1, 5, 16)] == ["categoria_id", "2026-01", "2026-12"]
    assert lines[20][4].value == "=SUBTOTAL(9,E7:E9)"
    for key, valor in ((11, 4000), (21, 1500)):
        for cell in lines[key][4:8]:
            cell.value = valor
    book.save(path)
    run_served(settings, expected.D, modo=Modo.QUENTE)
    budgeted = "SELECT categoria_id, count(*), sum(valor) FROM core.orcamento GROUP BY 1 ORDER BY 1"
    held = [(11, 4, Decimal("16000.00")), (21, 4, Decimal("-6000.00"))]
    assert ask(settings, budgeted) == held
    before = path.read_bytes()
    again = form("--ano", "2027", settings=settings)
    assert (again.exit_code, again.stdout) == (0, f"{folder / 'orcamento_r2.xlsx'}\n")
    assert "orcamento.xlsx fica como está, e vale" in again.stderr
    assert path.read_bytes() == before
    # The form of next year has what is budgeted of this one.
    next_year = openpyxl.load_workbook(folder / "orcamento_r2.xlsx")["Orçamento"]
    heads = [cell.value for cell in next_year[1]][4:]
    assert heads == [*(f"2026-{month:02}" for month in range(1, 5)), *(f"2027-{month:02}" for month in range(1, 13))]
    assert [cell.value for cell in next_year[4]][:9] == [11, "Receitas > Serviços", None, None, *[4000] * 4, None]
    path.unlink()
    (folder / "orcamento_r2.xlsx").rename(path)
    run_served(settings, expected.D, modo=Modo.QUENTE)
    assert ask(settings, budgeted) == held


def test_a_budget_of_another_form_is_shown_and_written_as_the_form(settings: Settings, tmp_path: Path) -> None:
    folder = settings.entrada(settings.empresas[0])
    folder.mkdir()
    long = folder / "orcamento.csv"
    long.write_text("categoria_id;mes;valor\n11;2026-01;4000,00\n11;2026-02;4000,00\n21;jan/26;1500\n99;2026-01;1\n")
    told = form("--de", str(long), "--ano", "2026", settings=settings)
    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        "orcamento.csv: o que se entendeu, a conferir",
        "  11 Receitas > Serviços · original · 2026-01 a 2026-02, 2 meses: 8.000,00",
        "  21 Despesas > Aluguel · original · 2026-01, 1 mês: -1.500,00",
        "  não entrou, linha 5: categoria desconhecida",
        str(folder / "orcamento_r2.xlsx"),
    ]
    assert "orcamento.csv fica como está" in told.stderr
    bad = tmp_path / "plano.csv"
    bad.write_text("categoria_id;jan\n11;1\n")
    refused = form("--de", str(bad), settings=settings)
    assert (refused.exit_code, "plano.csv: B1: «jan» não é" in refused.stderr) == (2, True)
    assert "Nada foi escrito" in refused.stderr
