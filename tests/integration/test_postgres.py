"""Dagster's records in a real PostgreSQL: a run, its connections, the password, and the database that goes away."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import StorageError
from lastro.settings import Settings, load_settings
from lastro_pipelines.execution import prepare_home
from lastro_pipelines.location import build_definitions
from lastro_pipelines.resources import Host
from lastro_sandbox import create_app, golden_company, serve
from tests.database import PASSWORD, PASSWORD_VARIABLE, Database, serve_database
from tests.golden import expected
from tests.served import TOKEN, TOKEN_VARIABLE, clock_at, write_settings

pytestmark = pytest.mark.maquinas
ENV = {TOKEN_VARIABLE: TOKEN}


@dataclass
class Place:
    settings: Settings
    database: Database
    monkeypatch: pytest.MonkeyPatch

    @property
    def company(self) -> Path:
        return self.settings.pasta(self.settings.empresas[0])

    def run(self) -> bool:
        """Execute the job as the daemon's worker does; return whether it ended well."""
        host = Host(env=ENV, settings=self.settings, clock=clock_at(expected.D))
        job = build_definitions(host).resolve_job_def("lastro_diario")
        with dg.DagsterInstance.get() as instance:
            return job.execute_in_process(instance=instance, partition_key=self.settings.ids[0]).success

    def ask(self, query: str) -> list[Any]:
        import psycopg2

        con = psycopg2.connect(
            host="127.0.0.1", port=self.database.port, user="lastro", password=PASSWORD, dbname="dagster"
        )
        try:
            cursor = con.cursor()
            cursor.execute(query)
            return cursor.fetchall()
        finally:
            con.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("registros")
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        serve_database() as database,
        serve(create_app(golden_company(), token=TOKEN)) as service,
    ):
        for name, value in {PASSWORD_VARIABLE: PASSWORD, **ENV}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("DAGSTER_HOME", "")
        write_settings(folder, golden_company(), service.base_url, 'dre_mapa = { 30 = "fora" }')
        settings = load_settings(folder / "lastro.toml", {}, folder)
        config = prepare_home(settings) / "dagster.yaml"
        # What somebody writes into it, as the manual shows, in the place of the keepers in files.
        document = yaml.safe_load(config.read_text(encoding="utf-8"))
        del document["event_log_storage"]
        for path in config.parent.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        config.write_text(yaml.safe_dump({**document, "storage": database.storage()}), encoding="utf-8")
        yield Place(settings, database, monkeypatch)


@pytest.fixture(scope="module")
def finished(place: Place) -> Place:
    prepare_home(place.settings)
    assert place.run()
    return place


def test_a_run_stands_in_the_database_and_in_no_file(finished: Place) -> None:
    assert finished.ask("SELECT count(*), min(status) FROM runs") == [(1, "SUCCESS")]
    assert finished.ask("SELECT count(*) > 150 FROM event_logs") == [(True,)]
    home = finished.settings.dir / "dagster"
    assert not list(home.rglob("*.db"))
    with duckdb.connect(str(finished.company / "lastro.duckdb"), read_only=True) as con:
        ours = con.execute("SELECT dagster_run_id FROM ops.execucoes").fetchall()
    assert ours == finished.ask("SELECT run_id FROM runs")


def test_the_password_is_in_no_file_and_in_no_record(finished: Place) -> None:
    for path in finished.settings.dir.rglob("*"):
        if path.is_file():
            assert PASSWORD.encode() not in path.read_bytes(), path
    for query in ("SELECT event FROM event_logs", "SELECT run_body FROM runs"):
        told = finished.ask(query)
        assert told
        assert not [row for (row,) in told if PASSWORD in row]


def test_a_database_that_is_down_is_exit_code_5_and_a_sentence(finished: Place) -> None:
    published = (finished.company / "lastro.duckdb").readlink()
    finished.database.stop()
    try:
        opened = CliRunner().invoke(main, ["dev", "--config", finished.settings.origem, "--porta", "0"])
    finally:
        finished.database.start()
    assert opened.exit_code == 5
    assert "o Dagster não consegue guardar os registros (" in flat(opened)
    assert "inicie o banco que dagster.yaml nomeia" in flat(opened)
    assert "Traceback" not in opened.output
    assert PASSWORD not in opened.output
    assert (finished.company / "lastro.duckdb").readlink() == published


def test_a_refused_password_is_told_and_not_shown(finished: Place) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv(PASSWORD_VARIABLE, "outra-senha")
        with pytest.raises(StorageError, match="password authentication failed") as caught:
            prepare_home(finished.settings)
    assert "outra-senha" not in str(caught.value)


def test_a_missing_password_is_a_mistake_of_the_settings(finished: Place) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.delenv(PASSWORD_VARIABLE)
        result = CliRunner().invoke(main, ["dev", "--config", finished.settings.origem, "--porta", "0"])
    assert result.exit_code == 2
    assert PASSWORD_VARIABLE in flat(result)


def test_what_a_terminal_published_is_told_in_the_database_again_and_again(finished: Place) -> None:
    definitions = build_definitions(Host(env=ENV, settings=finished.settings, clock=clock_at(expected.D)))
    sensor = definitions.get_repository_def().get_sensor_def("lastro_execucoes_de_fora")
    with dg.DagsterInstance.get() as instance:
        for execucao_id in (2, 3):
            order = ["--modo", "recalculo", "--config", finished.settings.origem]
            assert CliRunner().invoke(main, ["run", *order]).exit_code == 0
            data = sensor.evaluate_tick(dg.build_sensor_context(instance, definitions=definitions))
            assert f"execução {execucao_id}" in str(data.skip_message)
            for event in data.asset_events:
                instance.report_runless_asset_event(event)


def flat(result: Any) -> str:
    """What a command printed, in one line: the terminal breaks lines where it likes."""
    return " ".join(result.output.split())
