"""A reading and its reports: what was proven is reported, again if need be, and by whoever comes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dagster as dg
import pytest

from lastro.errors import ConfigError, DeletionsHeld, StorageError
from lastro.run import computation, delivery, loading
from lastro.run.happened import read_happened
from lastro.run.order import RunResult
from lastro.run.stages import read, report
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro.warehouse.file.store import Warehouse
from lastro_pipelines.execution import prepare_home
from lastro_pipelines.location import build_definitions
from lastro_pipelines.resources import CONFIG_VARIABLE, Host
from lastro_sandbox import Running, create_app, golden_company, make_company, serve
from tests.golden import expected
from tests.integration.location import QUIET
from tests.marks import thinned
from tests.served import (
    GOLDEN_PARAMETERS,
    TOKEN,
    TOKEN_VARIABLE,
    Listener,
    ask,
    clock_at,
    copy_golden,
    folder_of,
    open_session,
    remove_simple,
    run_served,
    say,
    write_settings,
)  # fmt: skip
from tests.tools.net import dump_company

NEXT_DAY = expected.D + timedelta(days=1)
LATER = NEXT_DAY + timedelta(days=3)
BREAKS = {
    "core": (loading, "load_core"),
    "mart": (computation, "build_mart"),
    "planilhas": (delivery, "write_workbooks"),
    "publicacao": (delivery, "publish_run"),
}
RUNS = (
    "SELECT execucao_id, tipo_execucao, leitura_id, situacao, data_base FROM ops.execucoes WHERE execucao_id > 1 "
    "ORDER BY 1"
)
SAYS_WHICH_RUN = {"parametros", "kpis_tendencia"}
"""Tables with the number of the run, or of each run."""


def break_once(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Let a stage fail the next time, as a full disk would."""
    module, name = BREAKS[where]
    whole: Callable[..., object] = getattr(module, name)

    def fail(_: object) -> None:
        monkeypatch.setattr(module, name, whole)
        raise StorageError("disco cheio")

    monkeypatch.setattr(module, name, fail)


def tables_of(result: RunResult) -> dict[str, Any]:
    """The rows of every table of every report that names no run."""
    tables = {table.name: table.rows for report in result.catalogue.reports for table in report.tables}
    return {name: rows for name, rows in tables.items() if name not in SAYS_WHICH_RUN}


@pytest.mark.parametrize("where", thinned(BREAKS, default=("mart",)))
def test_a_report_that_failed_is_made_again_of_the_proven_reading(
    golden: tuple[Settings, Running],
    first_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
) -> None:
    settings, service = golden
    books = service.books
    books.change_entry(books.lancamentos[1004], data_pagamento="2026-03-16")
    (tmp_path / "outra").mkdir()
    whole = run_served(copy_golden(first_run, tmp_path / "outra", service.base_url), NEXT_DAY)
    break_once(monkeypatch, where)
    with pytest.raises(StorageError, match="disco cheio"):
        run_served(settings, NEXT_DAY)
    assert "a execução 2 não publicou (StorageError)" in say(settings)
    assert re.search(r"leitura provada, sem relatório: execução 2, de 17/03/2026 06:05, há \d+ d", say(settings))
    asked = len(service.requests)
    books.change_entry(books.lancamentos[1004], data_pagamento=None)  # the service goes on; nobody reads it
    heard = Listener()
    result = run_served(settings, LATER, so_relatorios=True, progress=heard)
    assert len(service.requests) == asked
    assert heard.heard == ["ouro: relatório da leitura de 17/03/2026 06:05 (execução 2), de há 3 d 0 h"]
    assert (result.execucao_id, result.leitura_id, result.tipo, result.data_base) == (3, 2, "completa", NEXT_DAY)
    assert tables_of(result) == tables_of(whole)
    assert [vars(one) for one in result.verifications] == [vars(one) for one in whole.verifications]
    assert "sem relatório" not in say(settings)
    assert "o publicado é a execução 3, da leitura da execução 2, de 17/03/2026 06:05" in say(settings)
    assert ask(settings, RUNS) == [
        (2, "completa", 2, "falhou", NEXT_DAY),
        (3, "completa", 2, "completa", NEXT_DAY),
    ]
    requests = "SELECT sum(requisicoes) FILTER (WHERE execucao_id = 2) > 0, sum(requisicoes) FILTER "
    assert ask(settings, f"{requests} (WHERE execucao_id = 3) FROM ops.execucoes") == [(True, None)]
    assert ask(settings, "SELECT nota FROM ops.execucoes WHERE execucao_id = 3") == [
        ("RELATÓRIO da extração de 17/03/2026 06:05 (execução 2)",)
    ]
    assert ask(settings, "SELECT tipo, linha_id FROM mart.mudancas WHERE tipo = 'LIQUIDADO'") == [("LIQUIDADO", 1004)]
    assert ask(settings, "SELECT DISTINCT valido_de FROM hist.linhas ORDER BY 1") == [(1,), (2,)]
    # A recálculo of it, a hot run over its pages and the next morning find it as any other.
    again = run_served(settings, NEXT_DAY, modo=Modo.RECALCULO)
    assert (again.tipo, again.execucao_id, again.leitura_id) == ("recálculo", 4, 2)
    tables = [tables_of(each) for each in (result, again)]
    for name in ("saldos_por_conta", "fluxo_mensal", "dre", "a_pagar", "a_receber", "mudancas", "lancamentos"):
        assert tables[0][name] == tables[1][name], name
    assert run_served(settings, NEXT_DAY, modo=Modo.QUENTE).execucao_id == 5
    assert ask(settings, "SELECT leitura_id, base_id FROM ops.execucoes WHERE execucao_id = 5") == [(5, 2)]
    last = run_served(settings, NEXT_DAY + timedelta(days=1))
    assert not last.failed
    assert ask(settings, "SELECT tipo, linha_id FROM mart.mudancas WHERE linha_id = 1004") == [("ESTORNADO", 1004)]


@pytest.mark.longo  # of all reports and checks the test before says so
def test_a_report_in_another_session_is_as_in_one(tmp_path: Path) -> None:
    dumps = []
    for apart in (False, True):
        folder = tmp_path / str(apart)
        folder.mkdir()
        books = golden_company()
        with serve(create_app(books, token=TOKEN)) as service:
            settings = write_settings(folder, books, service.base_url, GOLDEN_PARAMETERS)
            if apart:
                with open_session(settings, expected.D) as session:
                    read(session)
                    assert session.warehouse.query("SELECT situacao FROM ops.execucoes") == [("lida",)]
                assert read_happened(folder_of(settings)).andamento is None
                with open_session(settings, expected.D) as session:
                    assert [etapa.value for etapa, _ in report(session)] == ["core", "mart", "planilhas", "publicacao"]
            else:
                run_served(settings, expected.D)
        # What stands on the company's own secret, and is digested with it, is another's in each.
        dumps.append(sorted(re.sub(r"\b[0-9a-f]{32,64}\b", "", line) for line in dump_company(folder)))
    assert dumps[0] == dumps[1]


def test_a_reading_is_proven_and_read_in_one_move(
    golden: tuple[Settings, Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, _ = golden
    whole = Warehouse.insert

    def fail(self: Warehouse, table: str, rows: Any) -> None:
        if table == "ops.etapas":
            raise StorageError("disco cheio")
        whole(self, table, rows)

    monkeypatch.setattr(Warehouse, "insert", fail)
    with pytest.raises(StorageError), open_session(settings, NEXT_DAY) as session:
        read(session)
    monkeypatch.setattr(Warehouse, "insert", whole)
    with open_session(settings, NEXT_DAY) as session:
        assert session.warehouse.query("SELECT situacao FROM ops.execucoes WHERE execucao_id = 2") == [("falhou",)]
    assert run_served(settings, NEXT_DAY, so_relatorios=True).tipo == "recálculo"  # nothing waits
    assert "falhou" in ask(settings, "SELECT nota FROM ops.execucoes WHERE execucao_id = 3")[0][0]


def test_what_waits_for_a_person_is_reported_by_their_answer_alone(tmp_path: Path) -> None:
    books = make_company(seed=3, lancamentos=400, hoje=expected.D)
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url)
        run_served(settings, expected.D)
        remove_simple(books, 60)
        with pytest.raises(DeletionsHeld, match="--so-relatorios --aceitar-exclusoes 2"):
            run_served(settings, NEXT_DAY)
        asked = len(service.requests)
        # Whoever repeats the report is held again: nothing falls back to what was published.
        with pytest.raises(DeletionsHeld, match="--so-relatorios --aceitar-exclusoes 3"):
            run_served(settings, NEXT_DAY, so_relatorios=True)
        shown = run_served(settings, NEXT_DAY, modo=Modo.RECALCULO)  # meanwhile what is published can be computed
        assert (shown.execucao_id, shown.tipo, shown.data_base) == (4, "recálculo", expected.D)
        (note,) = ask(settings, "SELECT nota FROM ops.execucoes WHERE execucao_id = 4")[0]
        assert note.endswith("; a extração de 17/03/2026 06:05 (execução 2) espera relatório")
        assert "sem relatório: execução 2" in say(settings)
        with pytest.raises(ConfigError, match="Foram: 2, 3"):
            run_served(settings, NEXT_DAY, so_relatorios=True, aceitar_exclusoes=1)
        with pytest.raises(ConfigError, match="não aceita nada"):
            run_served(settings, NEXT_DAY, modo=Modo.RECALCULO, aceitar_exclusoes=2)
        accepted = run_served(settings, NEXT_DAY, so_relatorios=True, aceitar_exclusoes=2)
        assert (accepted.execucao_id, accepted.tipo, accepted.data_base) == (5, "completa", NEXT_DAY)
        assert ask(settings, "SELECT leitura_id FROM ops.execucoes WHERE execucao_id = 5") == [(2,)]
        assert len(service.requests) == asked
        with pytest.raises(ConfigError, match="nenhuma espera relatório"):
            run_served(settings, NEXT_DAY, so_relatorios=True, aceitar_exclusoes=2)


def test_a_newer_reading_takes_the_place_of_one_that_nobody_reported(
    golden: tuple[Settings, Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, _ = golden
    break_once(monkeypatch, "mart")
    with pytest.raises(StorageError):
        run_served(settings, NEXT_DAY)
    # One that was put into `retro/` is not reported again, nor is an older one, which would undo its history.
    run_served(settings, NEXT_DAY, data_base=expected.D - timedelta(days=20))
    assert run_served(settings, NEXT_DAY, so_relatorios=True).leitura_id == 1
    break_once(monkeypatch, "mart")
    with pytest.raises(StorageError):
        run_served(settings, NEXT_DAY)
    assert run_served(settings, NEXT_DAY).execucao_id == 6
    assert run_served(settings, NEXT_DAY, so_relatorios=True).tipo == "recálculo"
    assert ask(settings, "SELECT DISTINCT leitura_id FROM ops.execucoes WHERE tipo_execucao = 'recálculo'") == [
        (1,),
        (6,),
    ]


@pytest.mark.parametrize(
    "meanwhile", thinned(("inteira", "so_relatorios", "recalculo"), default=("so_relatorios", "recalculo"))
)
def test_between_the_steps_of_a_run_of_dagster_the_company_is_free(
    golden: tuple[Settings, Running], meanwhile: str
) -> None:
    settings, _ = golden
    link, heard = folder_of(settings) / "lastro.duckdb", Listener()
    with open_session(settings, NEXT_DAY, dagster_run_id="d") as session:
        read(session)
    orders: dict[str, dict[str, Any]] = {
        "so_relatorios": {"so_relatorios": True},
        "recalculo": {"modo": Modo.RECALCULO},
    }
    asked = orders.get(meanwhile, {})
    other = run_served(settings, NEXT_DAY, **asked)
    with open_session(settings, NEXT_DAY, dagster_run_id="d", progress=heard) as session:
        told = list(report(session))
    if meanwhile != "recalculo":
        assert (told, heard.heard) == ([], [f"ouro: já publicada pela execução {other.execucao_id}"])
        assert os.readlink(link).endswith(f"{other.execucao_id:06d}.duckdb")
        return
    # What is published has a higher number than what it was before: the report does not take its reading's.
    (_, result) = told[-1]
    assert isinstance(result, RunResult)
    assert (other.execucao_id, result.execucao_id, result.leitura_id, result.tipo) == (3, 4, 2, "completa")
    assert ask(settings, "SELECT execucao_id FROM ops.relatorio") == [(4,)]
    run_served(settings, NEXT_DAY + timedelta(days=1))
    assert [row[3] for row in ask(settings, RUNS)] == ["lida", "completa", "completa", "completa"]


def test_a_reading_keeps_its_host_and_takes_the_parameters_of_its_report(
    golden: tuple[Settings, Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, service = golden
    break_once(monkeypatch, "mart")
    with pytest.raises(StorageError):
        run_served(settings, NEXT_DAY)
    empresa = settings.empresas[0]
    changed = replace(
        empresa,
        base_url="http://127.0.0.1:1",
        parametros=replace(empresa.parametros, saldo_minimo=Decimal("15500.00")),
    )
    run_served(replace(settings, empresas=(changed,)), NEXT_DAY, so_relatorios=True)
    assert ask(settings, "SELECT count(*) FROM mart.fluxo_diario WHERE alerta = 'Abaixo do mínimo'")[0][0] > 0
    assert ask(settings, "SELECT host FROM ops.identidade") == [(urlsplit(service.base_url).netloc,)]


def test_the_day_of_a_report_is_said_by_its_order(golden: tuple[Settings, Running]) -> None:
    """Its first report is the run of the reading's number, which then has that day."""
    settings, _ = golden
    with open_session(settings, NEXT_DAY) as session:
        read(session)
    assert "leitura provada, sem relatório: execução 2" in say(settings)
    result = run_served(settings, LATER, so_relatorios=True, data_base=expected.D)
    assert (result.execucao_id, result.leitura_id, result.data_base) == (2, 2, expected.D)
    assert ask(settings, RUNS) == [(2, "completa", 2, "completa", expected.D)]
    again = run_served(settings, LATER, modo=Modo.RECALCULO)
    assert (again.execucao_id, again.data_base) == (3, NEXT_DAY)
    assert re.search(r" \d+ \(na 2\) ", say(settings))  # what it cost stands at its reading


def test_a_hot_reading_is_reported_alone_too(golden: tuple[Settings, Running], monkeypatch: pytest.MonkeyPatch) -> None:
    settings, _ = golden
    break_once(monkeypatch, "mart")
    with pytest.raises(StorageError):
        run_served(settings, expected.D, modo=Modo.QUENTE)
    with pytest.raises(ConfigError, match="uma execução quente atualiza hoje"):
        run_served(settings, expected.D, so_relatorios=True, data_base=expected.D - timedelta(days=1))
    result = run_served(settings, expected.D, so_relatorios=True)
    assert (result.execucao_id, result.leitura_id, result.tipo) == (3, 2, "quente")


def define() -> dg.JobDefinition:
    return build_definitions(Host(env=os.environ, clock=clock_at(NEXT_DAY))).resolve_job_def("lastro_diario")


def execute(parent: str | None = None, **selected: object) -> tuple[bool, str, dict[str, list[str]]]:
    """Execute the job by its pointer, anew or again from a failure; return what its steps did."""
    with dg.DagsterInstance.get() as instance:
        again = dg.ReexecutionOptions.from_failure(parent, instance) if parent else None
        with dg.execute_job(
            dg.reconstructable(define),
            instance,
            run_config=None if again else QUIET,
            tags={"dagster/partition": "ouro"},
            reexecution_options=again,
            **selected,  # type: ignore[arg-type]
        ) as result:
            events = result.all_events
            steps = {
                "feitos": [
                    key for event in events if event.is_step_success and "__" not in (key := str(event.step_key))
                ],
                "falhos": [str(event.step_key) for event in events if event.is_step_failure],
            }
            return result.success, result.run_id, steps


@pytest.mark.parametrize("where", thinned(BREAKS, default=("publicacao",)))
def test_from_failure_dagster_repeats_the_report_alone(
    golden: tuple[Settings, Running], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    settings, service = golden
    monkeypatch.setenv(CONFIG_VARIABLE, settings.origem)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    prepare_home(settings)
    break_once(monkeypatch, where)
    done, failed, steps = execute()
    assert (done, steps) == (False, {"feitos": ["leitura"], "falhos": ["relatorios"]})
    asked = len(service.requests)
    done, again, steps = execute(failed)
    assert (done, steps) == (True, {"feitos": ["relatorios"], "falhos": []})
    assert len(service.requests) == asked
    assert [row[:4] for row in ask(settings, RUNS)] == [
        (2, "completa", 2, "falhou"),
        (3, "completa", 2, "completa"),
    ]
    assert failed != again
    # Once more, and nothing has been read since: the published one is computed again, and says so.
    assert execute(failed)[0]
    assert ask(settings, RUNS)[-1][:3] == (4, "recálculo", 2)


def test_each_step_may_be_run_alone(golden: tuple[Settings, Running], monkeypatch: pytest.MonkeyPatch) -> None:
    settings, service = golden
    monkeypatch.setenv(CONFIG_VARIABLE, settings.origem)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    prepare_home(settings)
    keys = sorted(build_definitions(Host(env={})).resolve_asset_graph().get_all_asset_keys())
    raw = [key for key in keys if key.path[1] == "raw"]
    rest = [key for key in keys if key.path[1] in ("core", "mart", "excel")]
    link = os.readlink(folder_of(settings) / "lastro.duckdb")
    assert execute(asset_selection=raw[:1])[2]["feitos"] == ["leitura"]
    assert os.readlink(folder_of(settings) / "lastro.duckdb") == link
    asked = len(service.requests)
    assert execute(asset_selection=rest)[2]["feitos"] == ["relatorios"]
    assert len(service.requests) == asked
    assert [row[:4] for row in ask(settings, RUNS)] == [(2, "completa", 2, "completa")]


RUN_AND_LIST = """
import sys
from lastro.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert ended.code == 0, ended.code
ours = ("dagster", "lastro_pipelines")
print(sorted(name for name in sys.modules if name.startswith(ours)))
"""


def test_a_run_of_the_terminal_imports_nothing_of_dagster_where_it_has_a_home(first_run: Path, tmp_path: Path) -> None:
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    prepare_home(settings)
    asked = ["run", "--config", settings.origem, "--so-relatorios", "--sem-dagster"]
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", RUN_AND_LIST, *asked], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "[]"
    assert "--sem-dagster não faz mais nada" in ended.stderr
