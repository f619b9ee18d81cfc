"""The job as Dagster runs it: assets, checks, partition, schedule; nothing that the UI could redirect."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from lastro.errors import ApiRejected
from lastro.quality.model import RULES
from lastro.settings import Settings
from lastro_sandbox import create_app, golden_company, serve
from pipelines.definitions import build_definitions
from pipelines.execution import run_company
from pipelines.resources import Host
from tests.golden import expected
from tests.served import TOKEN, TOKEN_VARIABLE, clock_at, write_settings


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        yield write_settings(tmp_path_factory.mktemp("dagster"), books, service.base_url, 'dre_mapa = { 30 = "fora" }')


@pytest.fixture(scope="module")
def finished(served: Settings) -> Iterator[dg.DagsterInstance]:
    host = Host(env={TOKEN_VARIABLE: TOKEN}, agora=clock_at(expected.D))
    result = run_company(served, served.empresas[0], host)
    assert result.workbooks[0].exists()
    with dg.DagsterInstance.get() as instance:
        yield instance


def test_the_run_stands_in_the_persistent_instance(finished: dg.DagsterInstance, served: Settings) -> None:
    run = finished.get_run_records(limit=1)[0].dagster_run
    assert run.status is dg.DagsterRunStatus.SUCCESS
    assert run.job_name == "diario"
    assert run.tags["dagster/partition"] == served.empresas[0].id


def test_assets_tell_rows_and_control_totals(finished: dg.DagsterInstance) -> None:
    event = finished.get_latest_materialization_event(dg.AssetKey(["core", "linhas"]))
    assert event is not None
    metadata = event.asset_materialization.metadata
    assert metadata["dagster/row_count"].value == expected.CONTAGENS["linhas"]
    assert metadata["soma_linhas"].value == "8480.00"


def test_every_v_rule_is_an_asset_check(finished: dg.DagsterInstance) -> None:
    run_id = finished.get_run_records(limit=1)[0].dagster_run.run_id
    results = {
        event.asset_check_evaluation_data.check_name: event.asset_check_evaluation_data
        for event in (
            record.event_log_entry.dagster_event
            for record in finished.get_records_for_run(
                run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION
            ).records
        )
    }
    assert set(RULES) <= set(results)
    assert not results["V13"].passed
    assert results["V13"].severity is dg.AssetCheckSeverity.WARN
    assert "9003" in str(results["V13"].metadata["chaves"].value)
    assert all(results[name].passed for name in RULES if name != "V13")
    assert not results["Q02"].passed  # 1016 is open in an inactive category
    assert results["Q19"].severity is dg.AssetCheckSeverity.ERROR
    assert results["registros_ilegiveis"].passed


def test_the_resource_has_no_configuration() -> None:
    resource = build_definitions(Host(env={})).get_repository_def().get_top_level_resources()["execucao"]
    assert resource.config_schema.config_type.fields == {}
    assert "token" not in repr(resource).lower()


def test_the_schedule_asks_for_one_run_per_company(served: Settings, finished: dg.DagsterInstance) -> None:
    definitions = build_definitions(Host(env={}, settings=served))
    schedule = definitions.get_repository_def().get_schedule_def("diario_6h")
    assert schedule.cron_schedule == "0 6 * * *"
    assert schedule.execution_timezone == "America/Sao_Paulo"
    assert schedule.default_status is dg.DefaultScheduleStatus.RUNNING
    moment = datetime(2026, 3, 17, 6, tzinfo=ZoneInfo("America/Sao_Paulo"))
    context = dg.build_schedule_context(
        instance=finished, scheduled_execution_time=moment, repository_def=definitions.get_repository_def()
    )
    data = schedule.evaluate_tick(context)
    assert [request.partition_key for request in data.run_requests] == [empresa.id for empresa in served.empresas]


def test_the_location_loads_without_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    definitions = build_definitions(Host(env={}))
    keys = {key.to_user_string() for key in definitions.resolve_asset_graph().get_all_asset_keys()}
    assert {"raw/lancamentos", "core/linhas", "mart/r04", "excel/gerencial", "excel/publicacao"} <= keys


def test_a_failure_says_what_to_do_and_is_recorded(served: Settings, finished: dg.DagsterInstance) -> None:
    host = Host(env={TOKEN_VARIABLE: "errado"}, agora=clock_at(expected.D))
    with pytest.raises(ApiRejected, match="token"):
        run_company(served, served.empresas[0], host)
    run = finished.get_run_records(limit=1)[0].dagster_run
    assert run.status is dg.DagsterRunStatus.FAILURE
