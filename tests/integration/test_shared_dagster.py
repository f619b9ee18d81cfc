"""Beside code locations of other teams in one Dagster: their runs, their history and their partitions are theirs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster
from click.testing import CliRunner

from lastro.cli import main
from lastro.settings import Empresa, Settings
from lastro.warehouse.file.lock import is_company_free
from lastro_pipelines.home import LIMIT
from lastro_pipelines.location import build_definitions
from lastro_pipelines.names import Names, add_partitions
from lastro_pipelines.resources import Host
from lastro_pipelines.retention import plan_records
from lastro_pipelines.sensors import find_silent_runs
from tests.integration.location import is_blocked, read_origin

STARTED, SUCCESS, FAILURE = dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE
OURS = Names().default_location
THEIRS = "outra_equipe"


@dg.job(name="lastro_diario", partitions_def=dg.DynamicPartitionsDefinition(name="empresa"))
def diario() -> None:
    """Bears the name of a job of ours."""


def leave_run(
    instance: dg.DagsterInstance,
    status: dg.DagsterRunStatus,
    location: str = "",
    tags: dict[str, str] | None = None,
    *,
    empresa: str,
) -> dg.DagsterRun:
    """Leave a run of a location, or of none, in a state."""
    origin = read_origin(location, diario.name) if location else None
    every = {"dagster/partition": empresa, **(tags or {})}
    return instance.create_run_for_job(diario, status=status, remote_job_origin=origin, tags=every)


def leave_all(instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> tuple[set[str], set[str]]:
    """Leave runs of ours and of others, the latter as like ours as they come."""
    of = {each: Names().take_turns(each) for each in ("ouro", "saiu")}
    ours = [(OURS, of["ouro"], "ouro"), (OURS, of["saiu"], "saiu"), ("", of["ouro"], "ouro"), (OURS, {}, "ouro")]
    theirs: list[tuple[str, dict[str, str], str]] = [
        (THEIRS, {}, "ouro"),  # a partition named as our company
        (THEIRS, of["ouro"], "ouro"),  # another lastro
        ("", Names("filial").take_turns("ouro"), "ouro"),  # another one of several machines
        (OURS, of["saiu"], "ouro"),  # marked by hand
    ]
    made = [
        {leave_run(instance, status, where, tags, empresa=who).run_id for where, tags, who in each}
        for each in (ours, theirs)
    ]
    return made[0], made[1]


def test_runs_of_others_are_neither_ended_nor_repeated_nor_forgotten(
    settings: Settings, instance: dg.DagsterInstance
) -> None:
    names, later = Names(), datetime.now(UTC) + timedelta(minutes=10)
    for empresa in ("saiu", "deles"):
        (settings.dir / empresa / "privado").mkdir(parents=True)
        (settings.dir / empresa / "privado" / "trava").touch()
    ours, _ = leave_all(instance, STARTED)
    assert find_silent_runs(instance, names, settings, later) == ours
    good, _ = leave_all(instance, SUCCESS)
    failed, _ = leave_all(instance, FAILURE)
    planned = set(plan_records(instance, names, later + timedelta(days=31)))
    assert planned < good | failed
    assert planned >= failed
    assert len(good - planned) == 2  # the last good one of each company stays


def test_a_folder_without_a_lock_says_nothing_of_a_run(settings: Settings, instance: dg.DagsterInstance) -> None:
    leave_run(instance, STARTED, OURS, empresa="sem_pasta")
    assert is_company_free(settings.dir / "sem_pasta") is None
    assert find_silent_runs(instance, Names(), settings, datetime.now(UTC) + timedelta(minutes=10)) == set()


def host_of(*ids: str, **options: Any) -> Host:
    empresas = tuple(Empresa(each, each, "http://127.0.0.1:1", "TOKEN") for each in ids)
    return Host(env={}, settings=Settings(Path("dados"), "America/Sao_Paulo", empresas, "lastro.toml"), **options)


def tick(
    instance: dg.DagsterInstance, host: Host, cursor: str | None
) -> tuple[Sequence[tuple[type, list[str]]], str | None]:
    """Evaluate the sensor and do to the partitions what it asks for, as the daemon does."""
    repository = build_definitions(host).get_repository_def()
    with dg.build_sensor_context(instance, cursor=cursor, repository_def=repository) as context:
        data = repository.get_sensor_def("lastro_empresas").evaluate_tick(context)
    asked = [(type(request), list(request.partition_keys)) for request in data.dynamic_partitions_requests or ()]
    for request in data.dynamic_partitions_requests or ():
        if isinstance(request, dg.AddDynamicPartitionsRequest):
            instance.add_dynamic_partitions(request.partitions_def_name, request.partition_keys)
        else:
            for key in request.partition_keys:
                instance.delete_dynamic_partition(request.partitions_def_name, key)
    return asked, data.cursor


def test_of_partitions_only_those_go_that_were_companies_of_ours(instance: dg.DagsterInstance) -> None:
    own = Names().partition_set
    assert own.startswith("lastro")
    instance.add_dynamic_partitions("empresa", ["holding", "filial"])
    instance.add_dynamic_partitions(own, ["de_alguem"])

    asked, cursor = tick(instance, host_of("acme", "beta"), None)
    assert asked == [(dg.AddDynamicPartitionsRequest, ["acme", "beta"])]
    assert tick(instance, host_of("acme", "beta"), cursor)[0] == []
    asked, cursor = tick(instance, host_of("acme", "nova"), cursor)
    assert asked == [
        (dg.AddDynamicPartitionsRequest, ["nova"]),
        (dg.DeleteDynamicPartitionsRequest, ["beta"]),
    ]
    assert json.loads(cursor or "") == ["acme", "nova"]
    add_partitions(instance, Names(), ["acme", "outra"])
    assert set(instance.get_dynamic_partitions(own)) >= {"acme", "nova", "outra", "de_alguem"}
    assert set(instance.get_dynamic_partitions("empresa")) == {"holding", "filial"}


@pytest.mark.longo
def test_a_run_in_a_dagster_that_has_never_seen_lastro_ends_well(settings: Settings, tmp_path: Path) -> None:
    """Its partition is there by the time its first stage has begun; nobody has waited for the sensor."""
    job = build_definitions(Host(env={}, settings=settings)).resolve_job_def("lastro_recalculo")
    with dg.instance_for_test(temp_dir=str(tmp_path)) as fresh:
        assert job.execute_in_process(instance=fresh, tags={"dagster/partition": "ouro"}).success
        assert fresh.get_dynamic_partitions("lastro_empresa") == ["ouro"]
        event = fresh.get_latest_materialization_event(dg.AssetKey(["lastro", "excel", "publicacao"]))
        assert event is not None
        assert event.asset_materialization is not None
        assert event.asset_materialization.partition == "ouro"


def test_one_command_prints_the_one_limit_that_only_a_dagster_yaml_can_set(settings: Settings) -> None:
    result = CliRunner().invoke(main, ["dev", "--config", settings.origem, "--mostrar"])
    assert result.exit_code == 0, result.output
    limit = {"key": "lastro/uma_por_vez", "value": {"applyLimitPerUniqueValue": True}, "limit": 1}
    assert yaml.safe_load(result.output) == {"concurrency": {"runs": {"tag_concurrency_limits": [limit]}}}
    assert not (settings.dir / "dagster").exists()


def test_what_is_printed_lets_runs_of_a_company_wait_and_no_run_of_others(instance: dg.DagsterInstance) -> None:
    """As the daemon counts: two runs of one day's partition of another team's go on beside each other."""
    limits = yaml.safe_load(LIMIT)["concurrency"]["runs"]["tag_concurrency_limits"]
    moment = datetime(2026, 3, 17, 9, tzinfo=UTC)
    host = host_of("acme", "beta", clock=lambda: moment)
    repository = build_definitions(host).get_repository_def()
    asked: list[dg.RunRequest] = []
    for name in ("lastro_diario_6h", "lastro_quente_por_hora"):
        context = dg.build_schedule_context(
            instance=instance, scheduled_execution_time=moment, repository_def=repository
        )
        asked += repository.get_schedule_def(name).evaluate_tick(context).run_requests or []
    # The same by hand, as the page of the job and a backfill of it ask.
    asked += [dg.RunRequest(tags=dict(repository.get_job("lastro_recalculo").get_tags_for_partition_key("acme", None)))]
    acme, beta, hot, _, again = [
        instance.create_run_for_job(diario, status=STARTED, tags=request.tags) for request in asked
    ]
    theirs = [leave_run(instance, STARTED, THEIRS, empresa="2026-03-17") for _ in range(2)]

    assert is_blocked(limits, [acme], hot)
    assert is_blocked(limits, [acme], again)
    assert not is_blocked(limits, [acme, *theirs], beta)
    assert not is_blocked(limits, [acme, beta, theirs[0]], theirs[1])


def test_runs_bring_their_own_limits_and_ask_no_instance_for_them() -> None:
    jobs = build_definitions(host_of("acme")).get_repository_def().get_all_jobs()
    limits = {"dagster/max_runtime": "7200", "dagster/max_retries": "0"}
    assert {job.name: limits.items() <= job.run_tags.items() for job in jobs} == {
        "__ASSET_JOB": False,  # of what is launched from the graph the first stage says so
        **dict.fromkeys(("lastro_diario", "lastro_quente", "lastro_recalculo", "lastro_grupo"), True),
    }
