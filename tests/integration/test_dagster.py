"""The job as Dagster runs it: one run is one run of lastro, and nothing is green that was not done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import dagster as dg
import duckdb
import pytest

from lastro.clock import utc_now
from lastro.manual.search import find_topic
from lastro.quality.queries import ROOMS, read_queries
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro.warehouse.file.lock import CompanyLock
from lastro_pipelines.checks import build_check_specs, build_closing_specs, name_check
from lastro_pipelines.execution import prepare_home
from lastro_pipelines.freshness import CHECK
from lastro_pipelines.location import build_definitions
from lastro_pipelines.names import Names
from lastro_pipelines.private import DOORS, keep_engines
from lastro_pipelines.resources import Host
from lastro_pipelines.schedules import DIARIO_CRON
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.integration.location import QUIET, host_of, only
from tests.served import GOLDEN_PARAMETERS, TOKEN, copy_golden, folder_of, run_served, write_settings

PLANNED = (dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED, dg.DagsterEventType.ASSET_MATERIALIZATION)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The golden company that Dagster has run, whose opening is not what its entry says; its service has ended."""
    books = golden_company(saldo_inicial=True)
    books.lancamentos[1000].valor += 100
    with serve(create_app(books, token=TOKEN, dialeto="observado")) as service:
        parametros = f"{GOLDEN_PARAMETERS}\nsaldo_inicial_lancamentos = [1000]"
        settings = write_settings(tmp_path_factory.mktemp("dagster"), books, service.base_url, parametros)
        prepare_home(settings)
        with dg.DagsterInstance.get() as instance:
            job = build_definitions(host_of(settings, clock=utc_now, data_extracao=expected.D)).resolve_job_def(
                "lastro_diario"
            )
            assert job.execute_in_process(instance=instance, partition_key="ouro", run_config=QUIET).success
    return settings


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
    assert {tag for tag in run.tags if tag.startswith("lastro/")} == {"lastro/uma_por_vez"}
    event = finished.get_latest_materialization_event(dg.AssetKey(["lastro", "excel", "publicacao"]))
    assert event is not None
    assert event.asset_materialization is not None
    told = {name: value.value for name, value in event.asset_materialization.metadata.items()}
    assert (told["execucao"], told["leitura"], told["tipo"]) == (1, 1, "completa")
    assert (told["data_base"], told["veredito"]) == (expected.D.isoformat(), "NÃO CONFIÁVEL")
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


def test_a_run_writes_few_events(finished: dg.DagsterInstance) -> None:
    run = finished.get_run_records(dg.RunsFilter(job_name="lastro_diario"), limit=1)[0].dagster_run
    events = finished.all_logs(run.run_id)
    told = [event.dagster_event for event in events if event.dagster_event]
    outputs = [event.step_output_data for event in told if event.event_type is dg.DagsterEventType.STEP_OUTPUT]
    assert 40 < len(outputs) < 65  # an asset of a family of reports, a check of a rule
    # Each is planned, put out and told; then start and end of two steps, seven of the run, and three lines that say
    # its number and of what reading it is. One more says that this test's folder is open to others, which no
    # installation's is.
    own = [event for event in events if "aberta a todo usuário" not in event.user_message]
    assert len(own) <= 3 * len(outputs) + 2 * 2 + 7 + 3
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


def test_the_check_of_a_query_shows_it() -> None:
    own = [*build_check_specs(Names()), *build_closing_specs(Names(), Names().key("excel", "gerencial"))]
    specs = {spec.name.split("_")[0]: spec for spec in own}
    assert "FROM mart.ponte" in str(specs["V05"].metadata["consulta"].value)
    assert {name for name, spec in specs.items() if "consulta" in spec.metadata} == {*read_queries(*ROOMS)}


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
    assert set(read_queries(*ROOMS)) <= set(results)
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


def test_what_is_published_is_fresh_until_its_hours_are_over(finished: dg.DagsterInstance, served: Settings) -> None:
    asset = dg.AssetKey(["lastro", "excel", "publicacao"])
    key = dg.AssetCheckKey(asset, CHECK)

    def shown() -> bool:
        (record,) = finished.event_log_storage.get_asset_check_execution_history(
            key, limit=1, partition_filter=only("ouro")
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
        """Evaluate the sensor, and record what it tells as the daemon does."""
        definitions = build_definitions(host_of(served, clock=lambda: clock + timedelta(hours=hours)))
        sensor = definitions.get_repository_def().get_sensor_def("lastro_atualidade_das_empresas")
        with dg.build_sensor_context(finished, cursor=cursor, definitions=definitions) as context:
            data = sensor.evaluate_tick(context)
        for event in data.asset_events:
            finished.report_runless_asset_event(event)
        return len(data.asset_events), data.cursor

    asked, cursor = look(26, None)
    assert (asked, shown()) == (0, True)
    asked, cursor = look(27, cursor)
    assert (asked, shown()) == (1, False)
    assert look(28, cursor) == (0, cursor)
    asked, cursor = look(0, cursor)
    assert (asked, shown()) == (1, True)
    asked, cursor = look(27, cursor)  # what was said before without a run of the company is said again
    assert (asked, shown()) == (1, False)


def test_what_a_terminal_published_is_told_once_by_a_sensor(first_run: Path, tmp_path: Path) -> None:
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    prepare_home(settings)
    definitions = build_definitions(host_of(settings))
    sensor = definitions.get_repository_def().get_sensor_def("lastro_execucoes_de_fora")

    def tick(instance: dg.DagsterInstance, cursor: str | None = None) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Evaluate the sensor and record what it tells, as the daemon does: by asset and by check."""
        data = sensor.evaluate_tick(dg.build_sensor_context(instance, definitions=definitions, cursor=cursor))
        made, judged = dict[str, Any](), dict[str, Any]()
        for event in data.asset_events:
            instance.report_runless_asset_event(event)
            assert event.partition == "ouro"
            if isinstance(event, dg.AssetMaterialization):
                made["/".join(event.asset_key.path[1:])] = {key: value.value for key, value in event.metadata.items()}
            elif isinstance(event, dg.AssetCheckEvaluation):
                judged[event.check_name.split("_")[0] if event.check_name[0] == "V" else event.check_name] = event
        return data, made, judged

    with dg.DagsterInstance.get() as instance:
        with CompanyLock(folder_of(settings)).held("somebody"):
            data, made, _ = tick(instance)
            assert (made, data.cursor) == ({}, "{}")  # who holds it may be telling of it
        data, made, judged = tick(instance)
        graph = definitions.resolve_asset_graph()
        keys = {"/".join(key.path[1:]) for key in graph.get_all_asset_keys()} - {"grupo/armazem"}
        assert set(made) == keys
        assert made["excel/publicacao"]["execucao"] == made["excel/publicacao"]["leitura"] == 1
        said = [made["excel/publicacao"][name] for name in ("tipo", "data_base", "veredito")]
        assert said == ["completa", expected.D.isoformat(), "SOMAS CONFEREM"]
        assert made["excel/publicacao"]["falta"] == "mapa da DRE"
        assert made["core/tabelas"]["registros_linhas"] == expected.CONTAGENS["linhas"]
        assert made["raw/lancamentos"]["dagster/row_count"] == 16
        others = {"completude", "registros_ilegiveis", "achados", "atualidade"}
        assert {*read_queries(*ROOMS), *others} == set(judged)
        assert {name for name, event in judged.items() if not event.passed} == {"achados"}
        assert tick(instance, data.cursor)[1:] == ({}, {})
        assert tick(instance)[1:] == ({}, {})  # a cursor that was lost: Dagster knows what it was told
        result = run_served(settings, expected.D, modo=Modo.RECALCULO, fechamento=date(2026, 2, 1))
        data, made, judged = tick(instance, data.cursor)
        assert set(made) == {*(key for key in keys if not key.startswith("raw/")), "excel/fechamento"}
        rows = result.catalogue.count_rows()
        told = {name: count for event in made.values() for name, count in event.items()}
        del rows["parametros"]  # which stands in `ops`
        assert {name: told[f"{name}_row_count"] for name in rows} == rows
        assert not [name for name in told if "centavos" in name]  # money is in the reports
        assert (made["excel/publicacao"]["execucao"], made["excel/publicacao"]["leitura"]) == (2, 1)
        assert made["excel/fechamento"]["arquivo"] == "fechamento_2026-02.xlsx"
        assert judged["V40"].description.startswith("ok")
