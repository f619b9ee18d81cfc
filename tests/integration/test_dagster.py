"""The job as Dagster runs it: one run is one run of lastro, and nothing is green that was not done."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import dagster as dg
import duckdb
import pytest
from dagster._core.event_api import PartitionKeyFilter

from lastro.api.retry import RetryPolicy
from lastro.errors import ApiRejected
from lastro.extras import list_installed
from lastro.manual.search import find_topic
from lastro.operation.attempts import find_next_attempt
from lastro.pipelines.checks import build_check_specs, build_closing_specs, name_check
from lastro.pipelines.execution import prepare_home, run_recorded
from lastro.pipelines.freshness import CHECK
from lastro.pipelines.location import build_definitions
from lastro.pipelines.names import TAG_EXECUCAO, Names
from lastro.pipelines.private import DOORS, keep_engines
from lastro.pipelines.resources import (
    CONFIG_VARIABLE,
    TAG_DATA_BASE,
    TAG_EMPRESA,
    TAG_MODO,
    TAG_NOVA_TENTATIVA,
    TAG_TENTATIVA,
    TAG_VEREDITO,
    Host,
    write_order,
)
from lastro.pipelines.schedules import DIARIO_CRON
from lastro.pipelines.sensors import INTERROMPIDA, find_due_retries, find_silent_runs, sweep_dead_runs
from lastro.quality.queries import read_queries
from lastro.run.order import RunOrder, RunResult
from lastro.settings import Empresa, Settings, Window, load_settings
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.loading.kinds import Modo
from lastro_sandbox import Books, create_app, golden_company, make_company, serve
from tests.golden import expected
from tests.integration.location import define_in_process, define_multiprocess
from tests.marks import thinned
from tests.served import TOKEN, TOKEN_VARIABLE, clock_at, copy_golden, write_settings
from tests.tools.net import dump_company

ALL_ASSETS = "__ASSET_JOB"
"""The job that Dagster makes for what is materialised from the asset graph."""
PLANNED = (dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED, dg.DagsterEventType.ASSET_MATERIALIZATION)
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
ENV = {TOKEN_VARIABLE: TOKEN}


def host_of(settings: Settings, **options: Any) -> Host:
    return Host(**{"env": ENV, "settings": settings, "clock": clock_at(expected.D), **options})


def run_now(settings: Settings, empresa: Empresa | None = None, **options: Any) -> RunResult:
    asked = {"env": ENV, "clock": clock_at(expected.D), **options}
    return run_recorded(settings, empresa or settings.empresas[0], RunOrder(), **asked)


def execute(
    host: Host,
    job: str = "lastro_diario",
    *,
    order: RunOrder | None = None,
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
                run_config={**write_order(order or RunOrder()), **QUIET},
                tags=tags,
                **options,
            )
        )


def failures(result: dg.ExecuteInProcessResult) -> list[Any]:
    return [event for event in result.all_events if event.is_step_failure]


def metadata_of(failure: Any) -> dict[str, Any]:
    data = failure.event_specific_data.user_failure_data
    return {name: value.value for name, value in data.metadata.items()}


@pytest.fixture(scope="module")
def served(told_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A copy of the golden company that `lastro run` has run; nobody answers for its service."""
    return copy_golden(told_run, tmp_path_factory.mktemp("dagster"), "http://127.0.0.1:1")


@pytest.fixture(scope="module")
def finished(served: Settings) -> Iterator[dg.DagsterInstance]:
    prepare_home(served)
    with dg.DagsterInstance.get() as instance:
        yield instance


def test_the_run_stands_in_the_persistent_instance_and_says_what_it_was(
    finished: dg.DagsterInstance, served: Settings
) -> None:
    run = finished.get_run_records(dg.RunsFilter(job_name="lastro_diario"), limit=1)[0].dagster_run
    assert run.status is dg.DagsterRunStatus.SUCCESS
    assert run.job_name == "lastro_diario"
    assert run.tags["dagster/partition"] == served.empresas[0].id
    assert (run.tags[TAG_EXECUCAO], run.tags[TAG_MODO], run.tags[TAG_VEREDITO]) == ("1", "completa", "NÃO CONFIÁVEL")
    assert run.tags[TAG_DATA_BASE] == expected.D.isoformat()
    with duckdb.connect(str(served.pasta(served.empresas[0]) / "lastro.duckdb"), read_only=True) as con:
        assert con.execute("SELECT dagster_run_id FROM ops.execucoes").fetchall() == [(run.run_id,)]


def find_engines(instance: dg.DagsterInstance) -> list[Any]:
    """The engine of each door of each keeper of records, opened twice."""
    found = []
    for keeper in (instance.event_log_storage, instance.run_storage):
        for door in DOORS[type(keeper).__name__] * 2:
            with getattr(keeper, door)(*(["some run"] if door == "run_connection" else [])) as con:
                found.append(con.engine)
    return found


def test_each_file_of_records_has_one_engine(finished: dg.DagsterInstance) -> None:
    """Red where Dagster has moved one of the doors: then a run costs more, and is as it was."""
    with dg.DagsterInstance.get() as fresh:
        assert len({id(engine) for engine in find_engines(fresh)}) == 6
        kept = []
        for _ in range(2):  # whoever asks again finds it done
            keep_engines(fresh)
            kept += find_engines(fresh)
        assert len({id(engine) for engine in kept}) == 2
        assert {Path(engine.url.database).name for engine in kept} == {"event_log.db", "runs.db"}
        records: list[list[Any]] = [[one.get_run_records(), one.all_asset_keys()] for one in (fresh, finished)]
        assert records[0] == records[1]
        assert fresh.event_log_storage.supports_asset_checks
        fresh.add_run_tags(records[0][0][0].dagster_run.run_id, {"written": "so"})
    assert finished.get_run_records(dg.RunsFilter(tags={"written": "so"}))


@pytest.mark.usefixtures("finished")
def test_a_table_that_comes_later_is_seen() -> None:
    with dg.DagsterInstance.get() as fresh:
        keep_engines(fresh)
        events: Any = fresh.event_log_storage
        assert not events.has_table("later")
        with closing(sqlite3.connect(events.get_db_path())) as con:
            con.execute("CREATE TABLE later (x)")
            assert [events.has_table("later") for _ in range(2)] == [True, True]
            con.execute("DROP TABLE later")


def test_what_is_kept_otherwise_is_left_alone() -> None:
    class SqliteRunStorage:
        """One whose door has another name."""

    class PostgresEventLogStorage:
        def index_connection(self) -> None:
            raise AssertionError

    moved = [SqliteRunStorage(), PostgresEventLogStorage()]
    keep_engines(cast("dg.DagsterInstance", SimpleNamespace(run_storage=moved[0], event_log_storage=moved[1])))
    keep_engines(cast("dg.DagsterInstance", SimpleNamespace()))
    assert [vars(one) for one in moved] == [{}, {}]


def test_assets_tell_rows_and_control_totals(finished: dg.DagsterInstance) -> None:
    event = finished.get_latest_materialization_event(dg.AssetKey(["lastro", "core", "tabelas"]))
    assert event is not None
    assert event.asset_materialization is not None
    metadata = event.asset_materialization.metadata
    assert metadata["registros_linhas"].value == expected.CONTAGENS["linhas"]
    assert not [name for name in metadata if "centavos" in name]  # money is in the reports


def test_a_family_tells_its_own_rows_and_the_first_ones_of_its_reports(finished: dg.DagsterInstance) -> None:
    def metadata_of(family: str) -> dict[str, Any]:
        event = finished.get_latest_materialization_event(dg.AssetKey(["lastro", "mart", family]))
        assert event is not None
        assert event.asset_materialization is not None
        return {key: value.value for key, value in event.asset_materialization.metadata.items()}

    cover = metadata_of("capa")
    open_items = metadata_of("em_aberto")
    for told in (cover, open_items):
        assert told["dagster/row_count"] == sum(
            told[name] for name in told if name.endswith("_row_count") and "/" not in name
        )
        assert not [name for name in told if "centavos" in name]
    rows = [record.data for record in open_items["a_receber_amostra"].records]
    assert 0 < len(rows) <= 5
    assert not {"cliente", "descricao", "pessoa"} & set(rows[0])


def test_everything_says_what_to_do_when_it_is_red_and_reports_where_their_workbook_is(served: Settings) -> None:
    defs = build_definitions(Host(settings=served))
    graph = defs.resolve_asset_graph()
    said = {}
    for check in graph.asset_check_keys:
        said[check.to_user_string()] = graph.get_check_spec(check).description
    repository = defs.get_repository_def()
    said |= {job.name: job.description for job in repository.get_all_jobs()}
    said |= {schedule.name: schedule.description for schedule in repository.schedule_defs}
    said |= {sensor.name: sensor.description for sensor in repository.sensor_defs}
    silent = {
        name for name, text in said.items() if not re.search(r"(Vermelho|Amarelo|Se falhar|Se não rodar)\b", text or "")
    } - {"__ASSET_JOB"}
    assert silent == set()
    assert len(said) > 40
    for key in graph.get_all_asset_keys():
        if key.path[1] == "mart":
            assert graph.get(key).metadata["planilha"].asset_key == dg.AssetKey(["lastro", "excel", "publicacao"])


def test_a_launch_without_a_partition_says_what_to_choose(company: tuple[Settings, Books]) -> None:
    (failure,) = failures(execute(host_of(company[0]), empresa=None))
    assert metadata_of(failure)["erro"] == (
        "nenhuma partição foi escolhida, e uma execução é de uma empresa. Escolha uma: ouro."
    )


def test_checks_are_named_by_what_they_hold() -> None:
    names = {rule.id: name_check(rule) for rule in read_queries().values()}
    # Their history stands under these names: whoever changes one begins another.
    assert [names[rule] for rule in ("V01", "V03", "V05", "V08", "V20")] == [
        "V01_saldos_iniciais_mais_linhas_de_caixa",
        "V03_soma_dos_dias_igual_a_mes",
        "V05_a_ponte_competencia_x_caixa_fecha_em_cada_mes",
        "V08_dre_de_todos_os_meses",
        "V20_toda_categoria_pessoa_e_conta_citada_e_conhecida",
    ]
    assert all(re.fullmatch("V[0-9]{2}_[a-z0-9_]{5,56}", name) for name in names.values())


def test_the_graph_reads_from_the_reading_to_what_is_delivered() -> None:
    graph = build_definitions(Host(env={})).resolve_asset_graph()
    nodes = {key.to_user_string(): graph.get(key) for key in graph.get_all_asset_keys()}
    groups = {nodes[f"lastro/{name}"].group_name for name in ("raw/lancamentos", "core/tabelas", "excel/gerencial")}
    assert groups == {"lastro_leitura", "lastro_core", "lastro_entrega"}
    parents = {
        key.path[-1]: {parent.path[-1] for parent in nodes[key.to_user_string()].parent_keys}
        for key in graph.get_all_asset_keys()
        if key.path[1] in ("mart", "excel")
    }
    assert parents == {
        **{key: {"tabelas"} for key in ("caixa", "resultado", "em_aberto", "historico")},
        "registros": {"caixa", "resultado", "em_aberto", "historico"},
        "capa": {"registros"},
        "gerencial": {"caixa", "resultado", "em_aberto", "historico", "registros", "capa"},
        "publicacao": {"gerencial"},
    }
    assert "R09 Contas a receber" in (nodes["lastro/mart/em_aberto"].description or "")


def test_a_run_names_its_company_and_writes_few_events(finished: dg.DagsterInstance) -> None:
    run = finished.get_run_records(dg.RunsFilter(job_name="lastro_diario"), limit=1)[0].dagster_run
    assert run.tags[TAG_EMPRESA] == "Empresa Ouro Ltda"
    events = finished.all_logs(run.run_id)
    told = [event.dagster_event for event in events if event.dagster_event]
    outputs = [event.step_output_data for event in told if event.event_type is dg.DagsterEventType.STEP_OUTPUT]
    assert 40 < len(outputs) < 60  # an asset of a family of reports, a check of a rule
    # Each is planned, put out and told; then start and end of six steps, and seven of the run. One more says that
    # this test's folder is open to others, which no installation's is.
    own = [event for event in events if "aberta a todo usuário" not in event.user_message]
    assert len(own) <= 3 * len(outputs) + 2 * 6 + 7
    assert not any(output.metadata for output in outputs)  # it stands at the asset, and once


def test_all_that_a_run_plans_it_makes(finished: dg.DagsterInstance, served: Settings) -> None:
    """A backfill over good companies ends completed: what was planned and not made counts as failed there."""
    run = finished.get_run_records(dg.RunsFilter(job_name="lastro_diario"), limit=1)[0].dagster_run
    told: dict[dg.DagsterEventType, set[str]] = {kind: set() for kind in PLANNED}
    for entry in finished.all_logs(run.run_id, of_type=set(PLANNED)):
        event = entry.get_dagster_event()
        assert event.asset_key is not None
        told[event.event_type].add(event.asset_key.to_user_string())
    planned, made = (told[kind] for kind in PLANNED)
    assert planned == made
    graph = build_definitions(Host(settings=served)).resolve_asset_graph()
    assert planned == {key.to_user_string() for key in graph.materializable_asset_keys} - {"lastro/grupo/armazem"}
    assert graph.materializable_asset_keys == set(graph.get_all_asset_keys())


def test_an_asset_of_another_team_follows_each_publication(finished: dg.DagsterInstance, served: Settings) -> None:
    """The example of the manual, in a location that knows nothing of lastro."""
    (example,) = re.findall(r"```python\n(import dagster.*?)```", find_topic("maquinas"), re.DOTALL)
    theirs: dict[str, Any] = {}
    exec(compile(example, "maquinas", "exec", dont_inherit=True), theirs)  # noqa: S102 - our own page
    asset, publication = theirs["vencidos"], dg.AssetKey(["lastro", "excel", "publicacao"])
    defs = dg.Definitions.merge(build_definitions(host_of(served)), theirs["defs"])

    def ask(cursor: Any = None) -> tuple[set[str | None], Any]:
        result = dg.evaluate_automation_conditions(
            defs, finished, asset_selection=dg.AssetSelection.assets(asset.key), cursor=cursor
        )
        return set(result.get_requested_partitions(asset.key)), result.cursor

    _, cursor = ask()
    event = finished.get_latest_materialization_event(publication)
    assert event is not None
    assert event.asset_materialization is not None
    finished.report_runless_asset_event(event.asset_materialization)  # as if published again
    asked, cursor = ask(cursor)
    assert asked == {"ouro"}
    result = dg.materialize([asset], instance=finished, partition_key="ouro")
    (told,) = result.get_asset_materialization_events()
    assert told.materialization.metadata["titulos"].value == len(expected.R09["titulos"])
    assert told.materialization.metadata["veredito"].value == "NÃO CONFIÁVEL"
    assert ask(cursor)[0] == set()


def test_what_is_published_is_fresh_until_its_hours_are_over(finished: dg.DagsterInstance, served: Settings) -> None:
    asset = dg.AssetKey(["lastro", "excel", "publicacao"])
    key = dg.AssetCheckKey(asset, CHECK)

    def shown() -> bool:
        (record,) = finished.event_log_storage.get_asset_check_execution_history(
            key, limit=1, partition_filter=PartitionKeyFilter(key="ouro")
        )
        assert record.event is not None
        event = record.event.dagster_event
        assert event is not None
        return bool(event.asset_check_evaluation_data.passed)

    assert shown()
    began = finished.get_run_records(dg.RunsFilter(job_name="lastro_diario"), limit=1)[0].start_time
    assert began is not None
    clock = datetime.fromtimestamp(began, UTC)

    def look(hours: int, cursor: str | None) -> tuple[int, str | None]:
        """Evaluate the sensor, and do what it asks for as the daemon does."""
        definitions = build_definitions(host_of(served, clock=lambda: clock + timedelta(hours=hours)))
        sensor = definitions.get_repository_def().get_sensor_def("lastro_atualidade_das_empresas")
        with dg.build_sensor_context(finished, cursor=cursor, definitions=definitions) as context:
            data = sensor.evaluate_tick(context)
        for request in data.run_requests or ():
            job = definitions.resolve_job_def("lastro_atualidade")
            assert job.execute_in_process(instance=finished, tags=request.tags, run_config=QUIET).success
        return len(data.run_requests or ()), data.cursor

    asked, cursor = look(26, None)
    assert (asked, shown()) == (0, True)
    asked, cursor = look(27, cursor)
    assert (asked, shown()) == (1, False)
    assert look(28, cursor) == (0, cursor)
    asked, cursor = look(0, cursor)
    assert (asked, shown()) == (1, True)
    asked, cursor = look(27, cursor)  # what was said before without a run of the company is said again
    assert (asked, shown()) == (1, False)


@pytest.mark.longo
def test_what_the_reading_waits_for_stands_in_the_log(tmp_path: Path, environment: Callable[[Settings], None]) -> None:
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        settings = write_settings(tmp_path, golden_company(), service.base_url)
        environment(settings)
        slow = replace(settings, empresas=(replace(settings.empresas[0], limites=(Window(12, 12),)),))
        run_now(slow)
        with dg.DagsterInstance.get() as instance:
            said = [entry.user_message for entry in instance.all_logs(latest(instance).run_id)]
    # At most the window and a second; a slow machine has used a part of it.
    assert [text for text in said if re.fullmatch(r"espera 1?\d s \(limite de pedidos\)", text or "")]


def test_the_check_of_a_query_shows_it() -> None:
    own = [*build_check_specs(Names()), *build_closing_specs(Names(), Names().key("excel", "gerencial"))]
    specs = {spec.name.split("_")[0]: spec for spec in own}
    assert "FROM mart.ponte" in str(specs["V05"].metadata["consulta"].value)
    assert {name for name, spec in specs.items() if "consulta" in spec.metadata} == {*read_queries(*list_installed())}


def checks_of(instance: dg.DagsterInstance, run_id: str) -> dict[str, dg.AssetCheckEvaluation]:
    records = instance.get_records_for_run(run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION).records
    events = [record.event_log_entry.dagster_event for record in records]
    return {
        # A rule by its number, which its name begins with.
        event.asset_check_evaluation_data.check_name.split("_")[0]
        if event.asset_check_evaluation_data.check_name.startswith("V")
        else event.asset_check_evaluation_data.check_name: event.asset_check_evaluation_data
        for event in events
        if event is not None
    }


def test_every_v_rule_is_an_asset_check(finished: dg.DagsterInstance) -> None:
    run_id = finished.get_run_records(dg.RunsFilter(job_name="lastro_diario"), limit=1)[0].dagster_run.run_id
    results = checks_of(finished, run_id)
    assert set(read_queries(*list_installed())) <= set(results)
    assert results["V40"].description == "não se aplica"  # nothing was closed
    assert results["V13"].passed  # in transit until the announced day: told, never counted
    assert results["V13"].severity is dg.AssetCheckSeverity.WARN
    assert "9003" in str(results["V13"].metadata["chaves"].value)
    assert {name for name in read_queries() if not results[name].passed} == {"V21"}  # an opening says 1.00 more
    assert results["V21"].severity is dg.AssetCheckSeverity.ERROR
    assert results["V13"].description is not None
    assert results["V13"].description.startswith("informação: ")
    assert results["V05"].description is not None
    assert results["V05"].description.startswith("ok: ")
    assert not results["V05"].metadata  # what says nothing is left out
    listed = results["achados"].metadata["achados"]
    assert isinstance(listed, dg.TableMetadataValue)
    found = {record.data["regra"]: record.data for record in listed.records}
    assert {f"Q{number:02d}" for number in range(1, 21)} <= set(found)
    assert (found["Q02"]["registros"], found["Q02"]["ids"]) == (1, "1016")  # it is open in an inactive category
    assert (results["achados"].passed, results["achados"].severity) == (False, dg.AssetCheckSeverity.WARN)
    assert results["registros_ilegiveis"].passed
    assert {result.partition for result in results.values()} == {"ouro"}


def test_what_is_asked_is_documented_and_nothing_else_can_be_given() -> None:
    resource = build_definitions(Host(env={})).get_repository_def().get_top_level_resources()["execucao"]
    assert issubclass(cast("Any", resource).configurable_resource_cls, dg.ConfigurableResource)
    fields = cast("Any", resource.config_schema.config_type).fields
    accepted = {"aceitar_exclusoes", "aceitar_alteracoes", "aceitar_origem"}
    assert set(fields) == {"data_base", "modo", "publicar_passado", "fechamento", *accepted}
    assert all(field.description and not field.is_required for field in fields.values())
    assert "token" not in repr(resource).lower()


def ask_schedule(definitions: dg.Definitions, instance: dg.DagsterInstance, moment: datetime) -> Any:
    schedule = definitions.get_repository_def().get_schedule_def("lastro_diario_6h")
    context = dg.build_schedule_context(
        instance=instance, scheduled_execution_time=moment, repository_def=definitions.get_repository_def()
    )
    return schedule.evaluate_tick(context)


def test_the_schedule_asks_for_one_run_per_company_and_once_after_days_off(
    served: Settings, finished: dg.DagsterInstance
) -> None:
    moment = datetime(2026, 3, 17, 6, tzinfo=ZoneInfo("America/Sao_Paulo"))
    back = moment + timedelta(days=4, hours=5)  # Saturday, 11:00: five ticks were missed
    definitions = build_definitions(host_of(served, clock=lambda: back.astimezone(UTC)))
    schedule = definitions.get_repository_def().get_schedule_def("lastro_diario_6h")
    assert (schedule.cron_schedule, schedule.execution_timezone) == (DIARIO_CRON, "America/Sao_Paulo")
    assert schedule.default_status is dg.DefaultScheduleStatus.RUNNING
    asked = [
        [
            request.partition_key
            for request in ask_schedule(definitions, finished, moment + timedelta(days=day)).run_requests
        ]
        for day in range(5)
    ]
    assert asked == [[], [], [], [], ["ouro"]]


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
    run_now(settings)
    with dg.DagsterInstance.get() as instance:
        assert instance.get_dynamic_partitions("filial_empresa") == [settings.empresas[0].id]
        event = instance.get_latest_materialization_event(dg.AssetKey(["filial", "excel", "publicacao"]))
        assert event is not None
        run = latest(instance)
        assert [Names(local).owns(run, settings.ids) for local in ("filial", "matriz", "")] == [True, False, False]


def test_a_location_leaves_the_runs_of_another_one_alone(company: tuple[Settings, Books]) -> None:
    """Two machines may call a company alike: neither ends nor repeats what is the other's."""
    settings, _ = company
    here, there = replace(settings, local="um"), replace(settings, local="dois")
    later = datetime.now(UTC) + timedelta(seconds=90)
    prepare_home(here)
    with dg.DagsterInstance.get() as instance:
        run_id = started_run(instance, here, dg.DagsterRunStatus.STARTED)
        assert sweep_dead_runs(instance, there, lambda: later, sleep=lambda _: None) == []
        assert sweep_dead_runs(instance, settings, lambda: later, sleep=lambda _: None) == []
        unmounted = replace(here, dir=here.dir / "nao_montada")
        assert sweep_dead_runs(instance, unmounted, lambda: later, sleep=lambda _: None) == []
        instance.add_run_tags(run_id, {TAG_NOVA_TENTATIVA: f"{run_id} {later.isoformat()}"})
        assert sweep_dead_runs(instance, here, lambda: later, sleep=lambda _: None) == [run_id]
        assert [run.run_id for run in find_due_retries(instance, Names("um"), here.ids, later)] == [run_id]
        assert find_due_retries(instance, Names("dois"), there.ids, later) == []
        for by_hand in ("amanhã", "2026-03-16T09:10:00"):  # the latter without a zone
            instance.add_run_tags(run_id, {TAG_NOVA_TENTATIVA: f"{run_id} {by_hand}"})
            assert find_due_retries(instance, Names("um"), here.ids, later) == []
        instance.add_run_tags(run_id, {TAG_NOVA_TENTATIVA: f"{run_id} {later.isoformat()}"})
        # What the other machine ran since is not this company's.
        started_run(instance, there, dg.DagsterRunStatus.SUCCESS)
        assert [run.run_id for run in find_due_retries(instance, Names("um"), here.ids, later)] == [run_id]


def test_the_location_loads_without_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    definitions = build_definitions(Host(env={}))
    keys = {key.to_user_string() for key in definitions.resolve_asset_graph().get_all_asset_keys()}
    assert {
        "lastro/raw/lancamentos",
        "lastro/core/tabelas",
        "lastro/mart/caixa",
        "lastro/excel/gerencial",
        "lastro/excel/publicacao",
    } <= keys


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
    with pytest.raises(ApiRejected, match="token"):
        run_now(settings, env=host.env)
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
    result = execute(host_of(settings), "lastro_quente", order=RunOrder(modo=Modo.QUENTE))
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


def asset_keys(*prefixes: str) -> list[dg.AssetKey]:
    keys = build_definitions(Host(env={})).resolve_asset_graph().get_all_asset_keys()
    return sorted(key for key in keys if key.to_user_string().startswith(prefixes))


@pytest.mark.no_cover
def test_the_job_recalculo_reads_nothing_and_says_so_and_has_the_closing_that_it_makes(
    company: tuple[Settings, Books],
) -> None:
    settings, _ = company
    order = RunOrder(fechamento=date(2026, 2, 1))
    result = execute(host_of(settings, env={}), "lastro_recalculo", order=order)  # not even a token is asked for
    assert result.success
    assert not {key for key in materialised(result) if key.startswith("lastro/raw/")}
    with dg.DagsterInstance.get() as instance:
        assert latest(instance).tags[TAG_MODO] == "recálculo"
    (check,) = [one for one in result.get_asset_check_evaluations() if one.check_name.startswith("V40")]
    assert (check.passed, check.asset_key.path[-1]) == (True, "gerencial")
    closing = dg.AssetKey(["lastro", "excel", "fechamento"])
    (told,) = [one for one in result.get_asset_materialization_events() if one.asset_key == closing]
    assert told.materialization.metadata["arquivo"].value == "fechamento_2026-02.xlsx"
    assert told.partition == "ouro"


@pytest.mark.longo
def test_mart_and_excel_alone_are_a_recalculation(company: tuple[Settings, Books]) -> None:
    settings, _ = company
    result = execute(host_of(settings), asset_selection=asset_keys("lastro/mart/", "lastro/excel/"))
    assert result.success
    with dg.DagsterInstance.get() as instance:
        assert latest(instance).tags[TAG_MODO] == "recálculo"


LEFT_OUT = {
    ("lastro/raw/",): "deixam de fora core, mart, planilhas, publicacao",
    ("lastro/raw/", "lastro/core/"): "deixam de fora mart, planilhas, publicacao",
    ("lastro/mart/",): "deixam de fora planilhas, publicacao",
    ("lastro/excel/",): "deixam de fora mart",  # a recálculo would run in a step that says another thing
    ("lastro/core/", "lastro/excel/"): "deixam de fora mart",
    ("lastro/raw/lancamentos", "lastro/core/", "lastro/mart/", "lastro/excel/"): "a leitura é um passo só",
}


@pytest.mark.parametrize(("prefixes", "said"), thinned(LEFT_OUT.items(), default=[*LEFT_OUT.items()][4:]))
def test_stages_that_would_lead_nowhere_are_refused(
    company: tuple[Settings, Books], prefixes: tuple[str, ...], said: str
) -> None:
    settings, _ = company
    result = execute(host_of(settings), asset_selection=asset_keys(*prefixes))
    told = {metadata_of(failure)["erro"] for failure in failures(result)}
    assert [said in text for text in told] == [True]
    assert materialised(result) == set()


def test_a_number_given_by_hand_is_refused(company: tuple[Settings, Books]) -> None:
    failed = failures(execute(host_of(company[0]), "lastro_recalculo", tags={TAG_EXECUCAO: "1"}))
    assert "execução 1: o arquivo não a conhece como parte desta" in metadata_of(failed[0])["erro"]


@pytest.mark.parametrize("tag", thinned(("lastro/aceitar_exclusao", "lastro/data_base"), ("lastro/aceitar_exclusao",)))
def test_an_unknown_request_by_tag_is_refused(company: tuple[Settings, Books], tag: str) -> None:
    (failure,) = failures(execute(host_of(company[0]), tags={tag: "sim"}))
    assert tag in metadata_of(failure)["erro"]
    assert "aceitar_exclusoes" in metadata_of(failure)["erro"]


WITHOUT_EFFECT = (
    ("lastro_diario", RunOrder(modo=Modo.RECALCULO)),
    # What a mode has no use for stands in tests/integration/test_repeated_stages.py, without a job.
    ("lastro_quente", RunOrder(modo=Modo.QUENTE, aceitar_alteracoes=1)),
    ("lastro_recalculo", RunOrder(modo=Modo.QUENTE)),
    ("lastro_recalculo", RunOrder(aceitar_exclusoes=1)),
)


@pytest.mark.parametrize(("job", "order"), thinned(WITHOUT_EFFECT, default=WITHOUT_EFFECT[:1]))
def test_a_request_without_effect_is_refused(company: tuple[Settings, Books], job: str, order: RunOrder) -> None:
    (failure,) = failures(execute(host_of(company[0]), job, order=order))
    assert metadata_of(failure)["classe"] == "ConfigError"


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Callable[[Settings], None]:
    """Point the environment at a company's settings, as the code location of a server reads it."""

    def point(settings: Settings) -> None:
        monkeypatch.setenv(CONFIG_VARIABLE, settings.origem)
        monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
        prepare_home(settings)

    return point


def execute_apart(
    define: Callable[[], dg.JobDefinition], *, parent: str | None = None, empresa: str = "ouro"
) -> tuple[bool, list[Any]]:
    """Execute the job by its pointer, anew or again from a failure; return its success and its failures."""
    with dg.DagsterInstance.get() as instance:
        again = dg.ReexecutionOptions.from_failure(parent, instance) if parent else None
        with dg.execute_job(
            dg.reconstructable(define),
            instance,
            run_config=None if again else QUIET,
            tags={"dagster/partition": empresa},
            reexecution_options=again,
        ) as result:
            return result.success, [event for event in result.all_events if event.is_step_failure]


@pytest.mark.longo
def test_a_run_from_failure_is_held_again_then_superseded(
    tmp_path: Path, environment: Callable[[Settings], None]
) -> None:
    books = make_company(seed=3, lancamentos=300, hoje=expected.D)
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url)
        empresa = settings.empresas[0]
        environment(settings)
        run_now(settings)
        link = os.readlink(settings.pasta(empresa) / "lastro.duckdb")
        simple = [entry for entry in books.lancamentos.values() if not entry.lancamento_transferencia_id]
        for entry in simple[:60]:
            books.remove_entry(entry)
        assert not execute_apart(define_in_process, empresa=empresa.id)[0]
        with dg.DagsterInstance.get() as instance:
            held = latest(instance).run_id
        done, (failure,) = execute_apart(define_in_process, parent=held, empresa=empresa.id)
        assert (done, failure.step_key, metadata_of(failure)["classe"]) == (False, "core", "DeletionsHeld")
        assert os.readlink(settings.pasta(empresa) / "lastro.duckdb") == link
        # Accepted as the UI does it: the whole job again, under the same root as the run that was held.
        root = {"dagster/root_run_id": held, "dagster/parent_run_id": held}
        order = RunOrder(aceitar_exclusoes=2)
        assert execute(host_of(settings), order=order, empresa=empresa.id, tags=root).success
        done, (failure,) = execute_apart(define_in_process, parent=held, empresa=empresa.id)
        assert not done
        assert "superada pela execução 3: rode o job inteiro" in metadata_of(failure)["erro"]


@pytest.mark.longo
def test_any_executor_gives_the_same_content(tmp_path: Path, environment: Callable[[Settings], None]) -> None:
    dumps = []
    for define in (define_in_process, define_multiprocess):
        folder = tmp_path / define.__name__
        folder.mkdir()
        books = golden_company()
        with serve(create_app(books, token=TOKEN)) as service:
            environment(write_settings(folder, books, service.base_url, 'dre_mapa = { 30 = "fora" }'))
            assert execute_apart(define)[0]
        dumps.append(dump_company(folder))
    assert dumps[0] == dumps[1]
    assert len(dumps[0]) > 1_000


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
        results = {e.id: run_now(settings, e) for e in reversed(settings.empresas)}
    assert {name: bool(result.failed) for name, result in results.items()} == {"ouro": False, "prata": True}
    key = dg.AssetCheckKey(dg.AssetKey(["lastro", "mart", "registros"]), name_check(read_queries()["V21"]))
    with dg.DagsterInstance.get() as instance:
        storage = instance.event_log_storage
        status = {
            name: storage.get_latest_asset_check_execution_by_key([key], partition_filter=PartitionKeyFilter(key=name))[
                key
            ].status
            for name in results
        }
    assert {name: found.value for name, found in status.items()} == {"ouro": "SUCCEEDED", "prata": "FAILED"}


def started_run(instance: dg.DagsterInstance, settings: Settings, status: dg.DagsterRunStatus) -> str:
    """Leave a run as a server that was killed leaves it."""
    job = build_definitions(host_of(settings)).resolve_job_def(Names(settings.local).job(Modo.COMPLETA))
    tags = {"dagster/partition": settings.empresas[0].id, TAG_EXECUCAO: "2", **Names(settings.local).tags}
    return instance.create_run_for_job(job, status=status, tags=tags).run_id


# What has started is ended in the tests of two locations and of the sensor too.
@pytest.mark.parametrize(
    "status",
    thinned((dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING), default=(dg.DagsterRunStatus.CANCELING,)),
)
def test_a_run_whose_company_is_free_is_ended(company: tuple[Settings, Books], status: dg.DagsterRunStatus) -> None:
    settings, _ = company
    later = datetime.now(UTC) + timedelta(seconds=90)
    lock = CompanyLock(settings.pasta(settings.empresas[0]))
    prepare_home(settings)
    with dg.DagsterInstance.get() as instance:
        run_id = started_run(instance, settings, status)
        assert sweep_dead_runs(instance, settings, lambda: datetime.now(UTC), sleep=lambda _: None) == []  # too young
        lock.acquire("somebody")
        assert sweep_dead_runs(instance, settings, lambda: later, sleep=lambda _: None) == []
        lock.release()

        def take(_: float) -> None:
            lock.acquire("somebody")

        assert sweep_dead_runs(instance, settings, lambda: later, sleep=take) == []  # free once is not enough
        lock.release()
        assert sweep_dead_runs(instance, settings, lambda: later, sleep=lambda _: None) == [run_id]
        run = instance.get_run_by_id(run_id)
        assert run is not None
        assert run.status is dg.DagsterRunStatus.FAILURE
        assert sweep_dead_runs(instance, settings, lambda: later, sleep=lambda _: None) == []


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
    later = datetime.now(UTC) + timedelta(seconds=90)
    prepare_home(settings)
    sensor, repository = sensor_of(host_of(settings, clock=lambda: later), "lastro_interrompidas")
    assert sensor.default_status is dg.DefaultSensorStatus.RUNNING
    with dg.DagsterInstance.get() as instance:
        run_id = started_run(instance, settings, dg.DagsterRunStatus.STARTED)
        first = sensor.evaluate_tick(dg.build_sensor_context(instance=instance, repository_def=repository))
        assert first.cursor == run_id
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
    (failure,) = failures(execute(host_of(away, policy=policy, retries=True)))
    assert metadata_of(failure)["classe"] == "ApiUnavailable"
    with dg.DagsterInstance.get() as instance:
        failed = latest(instance)
        assert failed.status is dg.DagsterRunStatus.FAILURE  # it holds no slot while it waits
        assert failed.tags[TAG_NOVA_TENTATIVA] == f"{failed.run_id} 2026-03-16T09:10:00+00:00"
        asked = []
        for minutes in (4, 5):
            clock = moment() + timedelta(minutes=minutes)
            sensor, repository = sensor_of(
                host_of(settings, clock=lambda moment=clock: moment), "lastro_novas_tentativas"
            )
            data = sensor.evaluate_tick(dg.build_sensor_context(instance=instance, repository_def=repository))
            asked.append(
                [
                    (r.job_name, r.tags["dagster/partition"], r.tags[TAG_TENTATIVA], r.run_key)
                    for r in data.run_requests or ()
                ]
            )
        assert asked == [[], [("lastro_diario", "ouro", "1", f"tentativa-{failed.run_id}")]]
    # A re-execution inherits the tags of its parent; what failed there is not tried again for its sake.
    inherited = {TAG_NOVA_TENTATIVA: failed.tags[TAG_NOVA_TENTATIVA], TAG_TENTATIVA: "2"}
    evening = lambda: datetime(2026, 3, 16, 21, tzinfo=UTC)  # noqa: E731
    assert not execute(host_of(away, policy=policy, retries=True, clock=evening), tags=inherited).success
    # By hand, from the asset graph: whoever did that sees it fail, and no job of that name could be asked for.
    assert not execute(host_of(away, policy=policy, retries=True), ALL_ASSETS).success
    with dg.DagsterInstance.get() as instance:
        assert find_due_retries(instance, Names(), settings.ids, moment() + timedelta(hours=1)) == []
