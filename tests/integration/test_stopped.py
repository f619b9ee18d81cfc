"""What a person stops is stopped, whatever DuckDB makes of it: in every record, and nothing tries it again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import dagster as dg
import duckdb
import pytest

from lastro.clock import utc_now
from lastro.operation.causes import find_causes
from lastro.operation.state import read_states
from lastro.run.ending import find_ending, note_signals
from lastro.run.happened import DEFECT, INTERRUPTED, Failure, read_happened
from lastro.run.order import RunOrder
from lastro.run.stages import STAGES, run_stages
from lastro.schema.run_kinds import Modo
from lastro.settings import Avisos, Settings
from lastro_pipelines.execution import prepare_home
from lastro_pipelines.location import build_definitions
from lastro_pipelines.names import Names
from lastro_pipelines.resources import Host
from lastro_pipelines.sensors import find_due_retries
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.integration.location import QUIET, ask_for
from tests.marks import thinned
from tests.served import TOKEN, TOKEN_VARIABLE, clock_at, open_session, write_settings
from tests.stopping import Stop, Stopping, by_nobody, by_signal

RECALCULO = RunOrder(modo=Modo.RECALCULO)
LABELS = ("carga", "relatórios e verificações", "planilhas", "publicação")


@pytest.fixture(autouse=True)
def hear_signals() -> Iterator[None]:
    """As a terminal leaves them; a worker of pytest ignores one."""
    before = {each: signal.signal(each, signal.default_int_handler) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def noted(settings: Settings) -> Failure:
    falha = read_happened(settings.dir / "ouro").falha
    assert falha is not None
    return falha


def recorded_error(settings: Settings) -> tuple[object, ...]:
    with closing(duckdb.connect(str(settings.dir / "ouro" / "privado" / "lastro.duckdb"), read_only=True)) as con:
        return con.execute("SELECT situacao, erro FROM ops.execucoes ORDER BY execucao_id DESC LIMIT 1").fetchall()[0]


def demand_interrupted(settings: Settings) -> None:
    """Demand that every record of the company says the same."""
    falha = noted(settings)
    assert (falha.classe, falha.codigo) == (INTERRUPTED, 130)
    assert falha.mensagem == "a execução foi interrompida antes de publicar"
    assert recorded_error(settings) == ("falhou", "interrompida")
    states = read_states(settings, clock_at(expected.D)())
    assert states[0].describe()["falha"]["classe"] == "interrompida"
    (cause,) = find_causes(states, Avisos(), clock_at(expected.D)(), None)
    assert (cause.marca, "defeito" in f"{cause.title} {cause.houve} {cause.fazer}") == (INTERRUPTED, False)
    assert os.readlink(settings.dir / "ouro" / "lastro.duckdb").endswith("lastro-000001.duckdb")


@pytest.mark.parametrize(
    ("number", "label"),
    thinned(
        [(number, label) for label in LABELS for number in (signal.SIGINT, signal.SIGTERM)],
        default=[(signal.SIGTERM, "carga")],
    ),
)
def test_a_signal_within_a_query_is_the_interruption(settings: Settings, number: signal.Signals, label: str) -> None:
    with (
        note_signals() as received,
        pytest.raises(KeyboardInterrupt),
        open_session(
            settings,
            expected.D,
            order=RECALCULO,
            progress=Stopping(by_signal(number), label),
            stopped=lambda: bool(received()),
        ) as session,
    ):
        run_stages(session)
    demand_interrupted(settings)


def test_the_same_words_without_a_signal_are_a_defect(settings: Settings) -> None:
    with (
        note_signals() as received,
        pytest.raises(duckdb.InterruptException),
        open_session(
            settings,
            expected.D,
            order=RECALCULO,
            progress=Stopping(by_nobody),
            stopped=lambda: bool(received()),
        ) as session,
    ):
        run_stages(session)
    assert noted(settings).classe == DEFECT
    said = RuntimeError("Query interrupted")
    assert find_ending(said, lambda: False) is said
    assert isinstance(find_ending(said, lambda: True), KeyboardInterrupt)


def test_a_signal_that_a_stage_swallows_stops_before_the_next(settings: Settings) -> None:
    begun: list[str] = []
    with (
        pytest.raises(KeyboardInterrupt),
        open_session(settings, expected.D, order=RECALCULO, stopped=lambda: len(begun) > 1) as session,
    ):
        run_stages(session, begun.append)
    assert begun == [stage.nome for stage in STAGES[1:3]]
    demand_interrupted(settings)


def execute(settings: Settings, stop: Stop) -> tuple[dg.DagsterRunStatus, list[dg.DagsterRun]]:
    """Execute a recálculo as a process of Dagster's does; return how its run ended, and what lastro tries again."""
    host = Host(
        env={TOKEN_VARIABLE: TOKEN},
        settings=settings,
        clock=clock_at(expected.D),
        progress=Stopping(stop),
    )
    prepare_home(settings)
    job = build_definitions(host).resolve_job_def("lastro_recalculo")
    config = {**ask_for(modo="recalculo"), **QUIET}
    with dg.DagsterInstance.get() as instance:
        with suppress(dg.DagsterExecutionInterruptedError, KeyboardInterrupt):
            job.execute_in_process(instance=instance, partition_key="ouro", raise_on_error=False, run_config=config)
        (run,) = instance.get_runs(limit=1)
        return run.status, find_due_retries(instance, Names(), utc_now())


def cancel(con: duckdb.DuckDBPyConnection) -> None:
    """Stop in the UI, where the order reaches the process as the end of its query alone."""
    with dg.DagsterInstance.get() as instance:
        (run,) = instance.get_runs(limit=1)
        instance.report_run_canceling(run)
    con.interrupt()


def force(con: duckdb.DuckDBPyConnection) -> None:
    """Stop in the UI by force: it is called off before its process hears of it."""
    with dg.DagsterInstance.get() as instance:
        (run,) = instance.get_runs(limit=1)
        instance.report_run_canceling(run)
        instance.report_run_canceled(run)
    con.interrupt()


STOPS = {"int": by_signal(signal.SIGINT), "term": by_signal(signal.SIGTERM), "ui": cancel, "force": force}


@pytest.mark.parametrize("stop", thinned(STOPS, default=("term", "ui")))
def test_dagster_calls_off_what_was_stopped(settings: Settings, stop: str) -> None:
    """Of what it calls a failure it makes a new run by itself, which would publish."""
    assert execute(settings, STOPS[stop]) == (dg.DagsterRunStatus.CANCELED, [])
    demand_interrupted(settings)


def test_dagster_calls_a_defect_what_nobody_stopped(settings: Settings) -> None:
    assert execute(settings, by_nobody) == (dg.DagsterRunStatus.FAILURE, [])
    assert noted(settings).classe == DEFECT


STOPPED_RUN = """
import contextlib, signal, sys
import lastro.progress
from lastro.cli import main
from tests.stopping import Stopping, by_signal

@contextlib.contextmanager
def stopping(console):
    yield Stopping(by_signal(signal.Signals(int(sys.argv[1]))))

lastro.progress.open_progress = stopping
main(sys.argv[2:], prog_name="lastro")
"""


@pytest.mark.parametrize(
    ("number", "code"),
    thinned([(signal.SIGINT, 130), (signal.SIGTERM, 143)], default=[(signal.SIGTERM, 143)]),
)
def test_the_command_says_so_and_begins_no_other_company(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        write_settings(tmp_path, golden_company(), service.base_url)
        path = tmp_path / "lastro.toml"
        text = path.read_text(encoding="utf-8")
        path.write_text(text + text[text.index("[[empresa]]") :].replace('id = "ouro"', 'id = "prata"'), "utf-8")
        asked = ["run", "--config", str(path), "--json"]
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", STOPPED_RUN, str(int(number)), *asked],
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
            env={**os.environ, TOKEN_VARIABLE: TOKEN, "PYTHONPATH": os.getcwd()},
        )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "interrompido; nada mais é rodado" in done.stderr
    row = json.loads(done.stdout)
    assert (row["empresa"], row["erro"], row["codigo"], row["o_que_fazer"]) == (
        "ouro",
        "interrompida",
        130,
        "rode de novo",
    )
    said = read_happened(tmp_path / "dados" / "ouro")
    assert (said.andamento, said.falha and said.falha.classe) == (None, "interrompida")
    assert not (tmp_path / "dados" / "prata").exists()
