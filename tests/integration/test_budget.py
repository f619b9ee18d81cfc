"""A budget that is typed after a complete run: read by a hot one, shown, checked, and of a past day (R18, S13)."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import openpyxl
import pytest

from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro_sandbox import create_app, golden_company, serve
from tests.budget import FILE
from tests.golden import expected
from tests.served import TOKEN, ask, copy_golden, run_served


def recalculate(settings: Settings) -> RunResult:
    return run_served(settings, expected.D, modo=Modo.RECALCULO)


def sheets(result: RunResult) -> dict[str, list[tuple[object, ...]]]:
    (path,) = [path for path in result.workbooks if path.name.startswith("gerencial")]
    book = openpyxl.load_workbook(path, read_only=True)
    return {sheet.title: [*sheet.iter_rows(values_only=True)] for sheet in book.worksheets}


def test_a_hot_run_sees_a_payment_and_a_budget_and_keeps_everything_else(first_run: Path, tmp_path: Path) -> None:
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        settings = copy_golden(first_run, tmp_path, service.base_url)
        folder = settings.entrada(settings.empresas[0])
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
    assert ask(settings, "SELECT linhas, aceitas, rejeitadas FROM ops.arquivos") == [(29, 20, 9)]
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
def test_a_past_day_has_the_budget_that_its_run_knew(first_run: Path, tmp_path: Path) -> None:
    """The day of the first run knew none; the next day's budget is there although its file is gone since."""
    second, third = expected.D + timedelta(days=1), expected.D + timedelta(days=2)
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        settings = copy_golden(first_run, tmp_path, service.base_url)
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
