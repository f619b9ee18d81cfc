"""What is asked of a job, of the asset graph and of the sensors: what it does, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from lastro.api.retry import RetryPolicy
from lastro.errors import ApiRejected
from lastro.operation.attempts import find_next_attempt
from lastro.quality.queries import read_queries
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings, load_settings
from lastro.warehouse.file.lock import CompanyLock
from lastro_pipelines.checks import name_check
from lastro_pipelines.execution import prepare_home
from lastro_pipelines.location import build_definitions
from lastro_pipelines.names import LIMITS, RETRY_TAG, Names
from lastro_pipelines.resources import Host
from lastro_pipelines.sensors import INTERROMPIDA, end_dead_runs, find_due_retries, find_silent_runs
from lastro_sandbox import Books, create_app, golden_company, serve
from tests.golden import expected
from tests.integration.location import QUIET, ask_for, host_of, metadata_of, only
from tests.marks import thinned
from tests.served import TOKEN, TOKEN_VARIABLE, clock_at, copy_golden, write_settings

ALL_ASSETS = "__ASSET_JOB"
"""The job that Dagster makes for what is materialised from the asset graph."""


def execute(
    host: Host,
    job: str = "lastro_diario",
    *,
    asked: dict[str, Any] | None = None,
    tags: dict[str, str] | None = None,
    **options: Any,
) -> dg.ExecuteInProcessResult:
    """Execute a job as a run from the UI would be, in the persistent instance of the company's home."""
    assert host.settings is not None
    prepare_home(host.settings)
    with dg.DagsterInstance.get() as instance:
        return (
            build_definitions(host)
            .resolve_job_def(job)
            .execute_in_process(
                instance=instance,
                partition_key=options.pop("empresa", "ouro"),
                raise_on_error=False,
                run_config={**ask_for(**asked or {}), **QUIET},
                tags=tags,
                **options,
            )
        )


def failures(result: dg.ExecuteInProcessResult) -> list[Any]:
    return [event for event in result.all_events if event.is_step_failure]


def test_a_launch_without_a_partition_says_what_to_choose(company: tuple[Settings, Books]) -> None:
    (failure,) = failures(execute(host_of(company[0]), empresa=None))
    assert metadata_of(failure)["erro"] == (
        "nenhuma partição foi escolhida, e uma execução é de uma empresa. Escolha uma: ouro."
    )


@pytest.mark.no_cover
def test_a_company_with_a_mistake_is_asked_for_and_says_so(tmp_path: Path) -> None:
    write_settings(tmp_path, golden_company(), "http://127.0.0.1:1")
    text = (tmp_path / "lastro.toml").read_text(encoding="utf-8")
    wrong = '\n[[empresa]]\nid = "ruim"\nnome = "Ruim"\nbase_url = "ftp://x"\ntoken_env = "RUIM"\n'
    (tmp_path / "lastro.toml").write_text(text + wrong, encoding="utf-8")
    settings = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    assert (settings.ids, [empresa.id for empresa in settings.empresas]) == (("ouro", "ruim"), ["ouro"])
    prepare_home(settings)
    with dg.DagsterInstance.get() as instance:
        assert set(instance.get_dynamic_partitions("lastro_empresa")) == {"ouro", "ruim"}
    (failure,) = failures(execute(host_of(settings), empresa="ruim"))
    assert "empresa[ruim].base_url" in metadata_of(failure)["erro"]


@pytest.mark.longo
@pytest.mark.no_cover
def test_a_location_of_its_own_name_collides_with_nobody(company: tuple[Settings, Books]) -> None:
    """Assets, checks and partitions all begin with the setting `local`, and a run of such a location ends well."""
    settings = replace(company[0], local="filial")
    graph = build_definitions(host_of(settings)).resolve_asset_graph()
    assert {key.path[0] for key in graph.get_all_asset_keys()} == {"filial"}
    assert {key.asset_key.path[0] for key in graph.asset_check_keys} == {"filial"}
    assert dg.AssetKey(["filial", "mart", "resultado"]) in graph.get_all_asset_keys()
    assert execute(host_of(settings), "filial_diario").success
    with dg.DagsterInstance.get() as instance:
        assert instance.get_dynamic_partitions("filial_empresa") == [settings.empresas[0].id]
        event = instance.get_latest_materialization_event(dg.AssetKey(["filial", "excel", "publicacao"]))
        assert event is not None
        run = latest(instance)
        assert [Names(local).owns(run) for local in ("filial", "matriz", "")] == [True, False, False]


LATER = timedelta(minutes=4)


def sweep(
    instance: dg.DagsterInstance, settings: Settings, after: timedelta, meanwhile: Callable[[], None] = lambda: None
) -> list[str]:
    """Look twice for dead runs, and end them, as the sensor does."""
    names, moment = Names(settings.local), datetime.now(UTC) + after
    first = find_silent_runs(instance, names, settings, moment)
    meanwhile()
    return end_dead_runs(instance, first & find_silent_runs(instance, names, settings, moment))


@pytest.fixture(scope="module")
def company(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, Books]]:
    """The golden company, read and published once without Dagster; what follows changes none of its books."""
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        yield copy_golden(first_run, tmp_path_factory.mktemp("empresa"), service.base_url), books


def latest(instance: dg.DagsterInstance) -> dg.DagsterRun:
    return instance.get_run_records(limit=1)[0].dagster_run


def materialised(result: dg.ExecuteInProcessResult) -> set[str]:
    events = result.get_asset_materialization_events()
    return {event.asset_key.to_user_string() for event in events if event.asset_key}


def test_a_refused_token_is_one_red_step_with_a_sentence(company: tuple[Settings, Books]) -> None:
    settings, _ = company
    host = host_of(settings, env={TOKEN_VARIABLE: "errado"})
    result = execute(host)
    (failure,) = failures(result)
    assert failure.step_key == "leitura"
    found = metadata_of(failure)
    assert (found["classe"], found["codigo_saida"], found["o_que_fazer"]) == ("ApiRejected", 3, ApiRejected.cure)
    assert found["manual"] == "lastro manual ApiRejected"
    assert "/v1/categorias" in found["erro"]  # the document shows that list: its refusal is the token's
    # Dagster prints its own frames below; the sentence stands first, and nothing of ours behind it.
    error = failure.event_specific_data.error
    assert error.message.strip().endswith(f"ApiRejected: {found['erro']}")
    assert error.cause is None
    assert materialised(result) == set()
    assert result.get_asset_check_evaluations() == []
    with dg.DagsterInstance.get() as instance:
        assert latest(instance).status is dg.DagsterRunStatus.FAILURE


@pytest.mark.longo
def test_a_hot_run_shows_only_what_it_read(company: tuple[Settings, Books]) -> None:
    settings, _ = company
    result = execute(host_of(settings), "lastro_quente", asked={"modo": "quente"})
    assert result.success
    assert {key for key in materialised(result) if key.startswith("lastro/raw/")} == {
        "lastro/raw/cobrancas",
        "lastro/raw/lancamentos",
    }
    completeness = {
        check.asset_key.to_user_string()
        for check in result.get_asset_check_evaluations()
        if check.check_name == "completude"
    }
    assert completeness == {"lastro/raw/cobrancas", "lastro/raw/lancamentos"}


@pytest.mark.no_cover
def test_the_job_recalculo_reads_nothing_and_says_so_and_has_the_closing_that_it_makes(
    company: tuple[Settings, Books],
) -> None:
    settings, _ = company
    asked = {"modo": "recalculo", "fechamento": "2026-02"}
    result = execute(host_of(settings, env={}), "lastro_recalculo", asked=asked)  # not even a token is asked for
    assert result.success
    assert not {key for key in materialised(result) if key.startswith("lastro/raw/")}
    (published,) = [
        one
        for one in result.get_asset_materialization_events()
        if one.asset_key == dg.AssetKey(["lastro", "excel", "publicacao"])
    ]
    assert published.materialization.metadata["tipo"].value == "recálculo"
    (check,) = [one for one in result.get_asset_check_evaluations() if one.check_name.startswith("V40")]
    assert (check.passed, check.asset_key.path[-1]) == (True, "gerencial")
    closing = dg.AssetKey(["lastro", "excel", "fechamento"])
    (told,) = [one for one in result.get_asset_materialization_events() if one.asset_key == closing]
    assert told.materialization.metadata["arquivo"].value == "fechamento_2026-02.xlsx"
    assert told.partition == "ouro"


@pytest.mark.longo
@pytest.mark.no_cover
def test_a_red_company_stays_red_when_the_next_one_is_green(tmp_path: Path) -> None:
    books = golden_company(saldo_inicial=True)
    with serve(create_app(books, token=TOKEN)) as service:
        write_settings(tmp_path, books, service.base_url)
        file = tmp_path / "lastro.toml"
        text = file.read_text(encoding="utf-8")
        table = text[text.index("[[empresa]]") :] + "\n[empresa.parametros]\nsaldo_inicial_lancamentos = [1000]\n"
        # The second one's opening balance is configured otherwise than its entry says: V21 fails there.
        other = table.replace('id = "ouro"', 'id = "prata"').replace('"10000.00"', '"9999.00"')
        file.write_text("\n".join([text[: text.index("[[empresa]]")], table, other]), encoding="utf-8")
        settings = load_settings(file, {}, tmp_path)
        results = {e.id: execute(host_of(settings), empresa=e.id) for e in reversed(settings.empresas)}
    assert all(result.success for result in results.values())
    key = dg.AssetCheckKey(dg.AssetKey(["lastro", "mart", "registros"]), name_check(read_queries()["V21"]))
    with dg.DagsterInstance.get() as instance:
        storage = instance.event_log_storage
        status = {
            name: storage.get_latest_asset_check_execution_by_key([key], partition_filter=only(name))[key].status
            for name in results
        }
    assert {name: found.value for name, found in status.items()} == {"ouro": "SUCCEEDED", "prata": "FAILED"}


def started_run(instance: dg.DagsterInstance, settings: Settings, status: dg.DagsterRunStatus) -> str:
    """Leave a run as a server that was killed leaves it."""
    job = build_definitions(host_of(settings)).resolve_job_def(Names(settings.local).job(Modo.COMPLETA))
    empresa_id = settings.empresas[0].id
    tags = {"dagster/partition": empresa_id, **LIMITS, **Names(settings.local).take_turns(empresa_id)}
    return instance.create_run_for_job(job, status=status, tags=tags).run_id


# What has started is ended in the tests of two locations and of the sensor too.
@pytest.mark.parametrize(
    "status",
    thinned((dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING), default=(dg.DagsterRunStatus.CANCELING,)),
)
def test_a_run_whose_company_is_free_is_ended(company: tuple[Settings, Books], status: dg.DagsterRunStatus) -> None:
    settings, _ = company
    lock = CompanyLock(settings.pasta(settings.empresas[0]))
    prepare_home(settings)
    with dg.DagsterInstance.get() as instance:
        run_id = started_run(instance, settings, status)
        assert sweep(instance, settings, timedelta(0)) == []  # too young
        lock.acquire("somebody")
        assert sweep(instance, settings, LATER) == []
        lock.release()
        taken = lambda: lock.acquire("somebody")  # noqa: E731
        assert sweep(instance, settings, LATER, taken) == []  # free once is not enough
        lock.release()
        assert sweep(instance, settings, LATER) == [run_id]
        run = instance.get_run_by_id(run_id)
        assert run is not None
        assert run.status is dg.DagsterRunStatus.FAILURE
        assert sweep(instance, settings, LATER) == []


def test_a_pod_that_waits_for_its_node_is_left_to_the_monitoring_of_its_cluster(
    company: tuple[Settings, Books],
) -> None:
    settings, _ = company
    later = datetime.now(UTC) + timedelta(seconds=400)
    pods = replace(settings, volume=".volume")
    prepare_home(settings)
    with dg.DagsterInstance.get() as instance:
        run_id = started_run(instance, settings, dg.DagsterRunStatus.STARTING)
        assert find_silent_runs(instance, Names(), settings, later) == {run_id}
        assert find_silent_runs(instance, Names(), pods, later) == set()


def sensor_of(host: Host, name: str) -> tuple[dg.SensorDefinition, Any]:
    repository = build_definitions(host).get_repository_def()
    return repository.get_sensor_def(name), repository


def test_the_sensor_ends_a_dead_run_at_its_second_look(company: tuple[Settings, Books]) -> None:
    settings, _ = company
    later = datetime.now(UTC) + LATER
    prepare_home(settings)
    sensor, repository = sensor_of(host_of(settings, clock=lambda: later), "lastro_interrompidas")
    assert sensor.default_status is dg.DefaultSensorStatus.RUNNING
    with dg.DagsterInstance.get() as instance:
        run_id = started_run(instance, settings, dg.DagsterRunStatus.STARTED)
        first = sensor.evaluate_tick(dg.build_sensor_context(instance=instance, repository_def=repository))
        assert run_id in str(first.cursor).split(",")
        context = dg.build_sensor_context(instance=instance, repository_def=repository, cursor=first.cursor)
        assert run_id in str(sensor.evaluate_tick(context).skip_message)
        events = instance.get_records_for_run(run_id).records
        told = [event.event_log_entry.dagster_event for event in events]
        assert INTERROMPIDA in [event.message for event in told if event is not None]


def test_pauses_grow_until_noon_and_the_first_two_attempts_come_at_any_hour(settings: Settings) -> None:
    waited: list[str] = []
    moment = datetime(2026, 3, 16, 9, tzinfo=UTC)  # 06:00 in São Paulo
    while (due := find_next_attempt(settings, len(waited), moment)) is not None:
        waited.append(f"{due - timedelta(hours=3):%H:%M}")
        moment = due
    assert waited == ["06:05", "06:15", "06:35", "07:15", "08:15", "09:15", "10:15", "11:15"]
    evening = datetime(2026, 3, 16, 21, tzinfo=UTC)
    assert [find_next_attempt(settings, tried, evening) is not None for tried in range(4)] == [True, True, False, False]


def test_a_service_that_is_down_is_asked_again_by_another_run(company: tuple[Settings, Books]) -> None:
    settings, _ = company
    empresa = settings.empresas[0]
    away = replace(settings, empresas=(replace(empresa, base_url="http://127.0.0.1:1"),))
    policy = RetryPolicy(first_attempts=2, base=0.01)
    moment = clock_at(expected.D)
    (failure,) = failures(execute(host_of(away, policy=policy)))
    assert metadata_of(failure)["classe"] == "ApiUnavailable"
    with dg.DagsterInstance.get() as instance:
        failed = latest(instance)
        assert failed.status is dg.DagsterRunStatus.FAILURE  # it holds no slot while it waits
        assert metadata_of(failure)["de_novo"] == datetime(2026, 3, 16, 9, 10, tzinfo=UTC).timestamp()
        asked = []
        for minutes in (4, 5):
            clock = moment() + timedelta(minutes=minutes)
            sensor, repository = sensor_of(
                host_of(settings, clock=lambda moment=clock: moment), "lastro_novas_tentativas"
            )
            data = sensor.evaluate_tick(dg.build_sensor_context(instance=instance, repository_def=repository))
            asked.append(
                [
                    (r.job_name, r.tags["dagster/partition"], r.tags[RETRY_TAG], r.run_key)
                    for r in data.run_requests or ()
                ]
            )
        assert asked == [[], [("lastro_diario", "ouro", "1", f"tentativa-{failed.run_id}")]]
        assert find_due_retries(instance, Names("filial"), moment() + timedelta(hours=1)) == []
    # In the evening there are two more attempts, and no third.
    evening = lambda: datetime(2026, 3, 16, 21, tzinfo=UTC)  # noqa: E731
    result = execute(host_of(away, policy=policy, clock=evening), tags={RETRY_TAG: "2"})
    assert "de_novo" not in metadata_of(failures(result)[0])
    # By hand, from the asset graph: whoever did that sees it fail, and no job of that name could be asked for.
    assert not execute(host_of(away, policy=policy), ALL_ASSETS).success
    with dg.DagsterInstance.get() as instance:
        assert find_due_retries(instance, Names(), moment() + timedelta(hours=1)) == []
