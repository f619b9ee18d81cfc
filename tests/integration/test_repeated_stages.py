"""Stages that run again, alone or in another process: they mean the same, publish nothing old, launder nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.errors import ConfigError, IncompletePass, StorageError, WarehouseBusy
from lastro.run.deliveries import deliver
from lastro.run.order import RunOrder, RunResult
from lastro.run.placement import move_unclaimed
from lastro.run.stages import STAGES, run_stage, run_stages
from lastro.schema.run_kinds import Modo, Situacao
from lastro.settings import Settings
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.loading.runs import close_run, mark_stage, read_complete_runs
from lastro_pipelines.execution import prepare_home
from lastro_sandbox import Running, create_app, golden_company, serve
from tests.golden import expected
from tests.marks import thinned
from tests.served import TOKEN, ask, copy_golden, folder_of, open_session, run_served, write_settings

READING, CORE, MART, WORKBOOKS, PUBLICATION = STAGES
NEXT_DAY = expected.D + timedelta(days=1)

KINDS = ("gerencial", "cobranca", "pagamentos", "dados")
"""The workbooks of a run, in order."""


@pytest.fixture(scope="module")
def unchanged(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, Running]]:
    """The same for tests in which nothing may happen."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        yield copy_golden(first_run, tmp_path_factory.mktemp("parada"), service.base_url), service


def seen(settings: Settings) -> dict[str, Any]:
    """What people can open, with contents and times: link, published copies, workbooks."""
    pasta = folder_of(settings)
    files = [*(pasta / "publicado").iterdir(), *(pasta / "relatorios").iterdir()]
    found: dict[str, Any] = {
        path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files
    }
    return {**found, LINK_NAME: os.readlink(pasta / LINK_NAME)}


@pytest.mark.longo
def test_a_recalculation_says_so_everywhere_and_touches_nothing_of_the_run(
    golden: tuple[Settings, Running],
) -> None:
    settings, service = golden
    books = service.books
    before, asked = seen(settings), len(service.requests)
    books.change_entry(books.lancamentos[1004], data_pagamento="2026-03-16")  # the service goes on; nobody reads it
    empresa = settings.empresas[0]
    changed = replace(empresa, parametros=replace(empresa.parametros, saldo_minimo=Decimal("15500.00")))
    result = run_served(replace(settings, empresas=(changed,)), NEXT_DAY, modo=Modo.RECALCULO)
    assert len(service.requests) == asked
    assert (result.execucao_id, result.data_base, result.requisicoes) == (2, expected.D, 0)
    now = seen(settings)
    assert {name: now[name] for name in before if name != LINK_NAME} == {
        name: before[name] for name in before if name != LINK_NAME
    }
    assert [path.name for path in result.workbooks] == [f"{kind}_2026-03-16_r2.xlsx" for kind in KINDS]
    said = "RECÁLCULO da extração de 16/03/2026 06:05 (execução 1)"
    book = openpyxl.load_workbook(result.workbooks[0])
    for sheet in book:
        assert said in str(sheet["A2"].value), sheet.title
    assert said in {cell.value for row in book["Parâmetros"].iter_rows(min_row=5) for cell in row}
    assert ask(settings, "SELECT execucao_id, tipo_execucao, leitura_id, data_base, nota FROM ops.execucoes") == [
        (1, "completa", 1, expected.D, None),
        (2, "recálculo", 1, expected.D, said),
    ]
    assert ask(settings, "SELECT DISTINCT execucao_id FROM ops.kpis ORDER BY 1") == [(1,), (2,)]
    assert ask(settings, "SELECT max(valido_de), max(valido_ate) FROM hist.linhas") == [(1, None)]
    saldo = dict(ask(settings, f"SELECT conta_id, saldo FROM mart.saldos_em(DATE '{expected.D}')"))  # noqa: S608
    assert saldo[101] == expected.SALDOS[expected.D][101]
    alerts = ask(settings, "SELECT count(*) FROM mart.fluxo_diario WHERE alerta = 'Abaixo do mínimo'")
    assert alerts[0][0] > 0  # the parameter of now


@pytest.mark.longo
def test_a_recalculation_of_a_hot_run_has_its_window(golden: tuple[Settings, Running]) -> None:
    settings, service = golden
    books = service.books
    books.change_entry(books.lancamentos[1004], data_pagamento="2026-03-16")
    hot = run_served(settings, expected.D, modo=Modo.QUENTE)
    again = run_served(settings, expected.D, modo=Modo.RECALCULO)
    assert ask(settings, "SELECT leitura_id, base_id FROM ops.execucoes WHERE execucao_id = 3") == [(2, 1)]
    tables = [{t.name: t.rows for r in run.catalogue.reports for t in r.tables} for run in (hot, again)]
    for name in ("saldos_por_conta", "fluxo_mensal", "dre", "a_pagar", "a_receber", "mudancas", "lancamentos"):
        assert tables[0][name] == tables[1][name], name


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (RunOrder(modo=Modo.RECALCULO, aceitar_exclusoes=1), "são de uma leitura"),
        (RunOrder(modo=Modo.RECALCULO, aceitar_alteracoes=1), "são de uma leitura"),
        (RunOrder(modo=Modo.RECALCULO, data_base=NEXT_DAY), "posterior à extração"),
    ],
)
def test_what_has_no_effect_on_a_recalculation_is_refused(
    unchanged: tuple[Settings, Running], order: RunOrder, said: str
) -> None:
    with open_session(unchanged[0], NEXT_DAY, order=order) as session, pytest.raises(ConfigError, match=said):
        run_stage(session, CORE)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (RunOrder(modo=Modo.QUENTE, data_base=date(2026, 3, 1)), "execução quente atualiza hoje"),
        (RunOrder(modo=Modo.QUENTE, aceitar_exclusoes=1), "não exclui nada"),
        (RunOrder(aceitar_exclusoes=1), "não foi retida por isso. Foram: nenhuma"),
        (RunOrder(data_base=date(1, 1, 1)), "entre 1900 e 2199"),
        (RunOrder(data_extracao=date(9999, 12, 31)), "entre 1900 e 2199"),
        (RunOrder(data_base=NEXT_DAY), "posterior à extração"),
    ],
)
def test_what_no_reading_can_do_is_refused_before_anything_is_asked(
    unchanged: tuple[Settings, Running], order: RunOrder, said: str
) -> None:
    settings, service = unchanged
    asked = len(service.requests)
    with open_session(settings, expected.D, order=order) as session, pytest.raises(ConfigError, match=said):
        run_stage(session, READING)
    assert len(service.requests) == asked


@pytest.mark.longo
def test_accounts_found_while_reading_are_told_on_parametros(tmp_path: Path) -> None:
    books = golden_company()
    with serve(create_app(books, token=TOKEN, dialeto="observado")) as service:
        settings = write_settings(tmp_path, books, service.base_url)
        empresa = settings.empresas[0]
        less = replace(settings, empresas=(replace(empresa, contas=empresa.contas[:1]),))
        result = run_served(less, expected.D)
    sheet = openpyxl.load_workbook(result.workbooks[0])["Parâmetros"]
    texts = [str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value]
    assert any("lida sem estar configurada" in text for text in texts)


def test_a_stage_repeated_without_its_pages_replaces_nothing(golden: tuple[Settings, Running]) -> None:
    settings, _ = golden
    before = seen(settings)
    pages = folder_of(settings) / "privado" / "paginas" / "000001"
    shutil.rmtree(pages)
    with (
        open_session(settings, expected.D, order=RunOrder(modo=Modo.RECALCULO)) as session,
        pytest.raises(IncompletePass, match="as páginas da leitura sumiram"),
    ):
        run_stage(session, CORE)
    assert seen(settings) == before


@pytest.mark.parametrize("broken", thinned(("publicado", "relatorios"), default=()))
def test_a_publication_that_fails_leaves_link_and_workbooks(golden: tuple[Settings, Running], broken: str) -> None:
    settings, _ = golden
    link, away = folder_of(settings) / LINK_NAME, folder_of(settings) / "guardado"
    target = os.readlink(link)
    with open_session(settings, expected.D, dagster_run_id="a") as session:

        def spoil(name: str) -> None:
            if name == PUBLICATION.nome:
                (folder_of(settings) / broken).rename(away)
                (folder_of(settings) / broken).write_text("a file where a folder should be", encoding="utf-8")

        with pytest.raises(StorageError, match=broken) as caught:
            run_stages(session, watch=spoil)
        session.record_failure(caught.value)
    (folder_of(settings) / broken).unlink()
    away.rename(folder_of(settings) / broken)
    assert os.readlink(link) == target
    assert {path.name for path in (folder_of(settings) / "relatorios").glob("*.xlsx")} == {
        f"{kind}_2026-03-16.xlsx" for kind in KINDS
    }
    with open_session(settings, expected.D, dagster_run_id="a") as session:
        assert session.warehouse.query("SELECT situacao FROM ops.execucoes WHERE execucao_id = 2") == [("falhou",)]
    result = run_served(settings, expected.D)
    assert [path.name for path in result.workbooks] == [f"{kind}_2026-03-16_r2.xlsx" for kind in KINDS]


def test_a_run_killed_while_it_publishes_is_no_basis(
    golden: tuple[Settings, Running],
) -> None:
    """The private file says complete before the link is flipped: whoever opens it next takes that back."""
    settings, _ = golden
    with open_session(settings, expected.D, dagster_run_id="a") as session:
        for stage in (READING, CORE):
            run_stage(session, stage)
        for stage in (MART, WORKBOOKS):  # what they wrote is made up: where it ends is what is told here
            mark_stage(session.warehouse, session.execucao_id, stage.nome, session.now())
        close_run(session.warehouse, session.execucao_id, Situacao.COMPLETA, session.now())
        # Moved to where people look, one of them was saved there by somebody, and then the process was gone.
        folder = session.pasta / "relatorios"
        session.staging.mkdir(parents=True)
        staged = [session.staging / f"{kind}_2026-03-16.xlsx" for kind in KINDS]
        for path in staged:
            path.write_text("de um processo que acabou", encoding="utf-8")
        chosen = deliver(session.pasta, session.execucao_id, dict.fromkeys(staged, folder), session.clock())
        moved = [move_unclaimed(path, target) for path, target in chosen.items()]
        assert {path.stem[-3:] for path in moved} == {"_r2"}
        (folder / "dados_2026-03-16_r2.xlsx").write_text("de uma pessoa", encoding="utf-8")
        shutil.rmtree(session.staging)
    with open_session(settings, expected.D, dagster_run_id="a") as session:
        assert session.warehouse.query("SELECT situacao, erro FROM ops.execucoes WHERE execucao_id = 2") == [
            ("falhou", "interrompida")
        ]
        assert [path.name for path in moved if path.exists()] == ["dados_2026-03-16_r2.xlsx"]
        assert [run.execucao_id for run in read_complete_runs(session.warehouse)] == [1]
    result = run_served(settings, expected.D)
    assert (result.execucao_id, [path.exists() for path in result.workbooks]) == (3, [True] * len(KINDS))
    revisions = {path.name.split("_")[0]: path.stem[-3:] for path in result.workbooks}
    assert revisions == {"gerencial": "_r2", "cobranca": "_r2", "pagamentos": "_r2", "dados": "_r3"}


def test_a_clock_set_back_reads_nothing(unchanged: tuple[Settings, Running]) -> None:
    """Its report would be the newest one, and of the past."""
    settings, service = unchanged
    asked, before = len(service.requests), seen(settings)
    with (
        open_session(settings, expected.D - timedelta(days=1)) as session,
        pytest.raises(ConfigError, match=r"o relógio diz 2026-03-15, mas a execução 1 leu o serviço em 2026-03-16"),
    ):
        run_stages(session)
    assert (len(service.requests), seen(settings)) == (asked, before)


@pytest.mark.longo
def test_a_run_that_lost_its_company_publishes_nothing(golden: tuple[Settings, Running]) -> None:
    settings, _ = golden
    before = seen(settings)
    lock = folder_of(settings) / "privado" / "trava"

    def steal(name: str) -> None:
        if name == PUBLICATION.nome:
            assert f"pid {os.getpid()}" in lock.read_text(encoding="utf-8")
            assert "execução 2, em " in lock.read_text(encoding="utf-8")
            lock.unlink()
            lock.write_text("pid 1, since ever, on elsewhere, boot another", encoding="utf-8")

    with open_session(settings, expected.D) as session, pytest.raises(WarehouseBusy, match="elsewhere"):
        run_stages(session, watch=steal)
    after = seen(settings)
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("text", ["telemetry: {enabled: [oops", "nonsense: 3"])
def test_a_dagster_file_that_nobody_can_read_is_told(tmp_path: Path, text: str) -> None:
    home = tmp_path / "dados" / "dagster"
    home.mkdir(parents=True)
    (home / "dagster.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="o Dagster não consegue ler"):
        prepare_home(write_settings(tmp_path, golden_company(), "http://127.0.0.1:1"))


@pytest.mark.longo
def test_neither_a_past_day_nor_an_earlier_run_of_the_day_is_the_report_before(
    golden: tuple[Settings, Running],
) -> None:
    settings, _ = golden
    past = run_served(settings, expected.D, data_base=date(2026, 1, 31))
    last = run_served(settings, expected.D)

    def previous(result: RunResult) -> object:
        table = result.catalogue.reports[0].tables[0]
        names = [column.key for column in table.columns]
        row = next(row for row in table.rows if "Saldo atual" in row)
        return row[names.index("relatorio_anterior")]

    assert (previous(past), previous(last)) == (None, None)  # whose is one: test_second_morning
