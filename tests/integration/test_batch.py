"""Several companies: in turn, at a time, one of them bad, one of them killed; and the group's database after them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import dagster as dg
import duckdb
import pytest
from click.testing import CliRunner, Result

from lastro.cli import main
from lastro.manual.search import find_topic
from lastro.operation.batch import run_children
from lastro.operation.outcome import describe_outcome
from lastro.settings import load_settings
from lastro.warehouse.file.lock import CompanyLock
from lastro_pipelines.group import build_group_asset, build_group_sensor, trace_published
from lastro_pipelines.location import build_definitions
from lastro_pipelines.names import Names
from lastro_pipelines.resources import Host
from tests.golden import expected
from tests.marks import thinned
from tests.served import TOKEN, ask

STARTED = dg.DagsterRunStatus.STARTED
DAY = expected.D.isoformat()
COMPANY = (
    '[[empresa]]\nid = "{0}"\nnome = "Empresa {0}"\nbase_url = "{1}"\ntoken_env = "{2}"\n'
    '[[empresa.conta]]\nconta_id = 101\nvalor_saldo_inicial = "10000.00"\ndata_saldo_inicial = 2026-01-01\n'
    '[[empresa.conta]]\nconta_id = 102\nvalor_saldo_inicial = "2000.00"\ndata_saldo_inicial = 2026-02-01\n'
)
ENV = {"FICHA": TOKEN, "ERRADA": "errada-1"}


def write(folder: Path, address: str, **tokens: str) -> Path:
    path = folder / "lastro.toml"
    path.write_text("".join(COMPANY.format(name, address, token) for name, token in tokens.items()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory, address: str) -> tuple[Path, Result]:
    """Two good companies and a bad one, two at a time."""
    folder = tmp_path_factory.mktemp("lote")
    path = write(folder, address, acme="FICHA", ruim="ERRADA", beta="FICHA")
    arguments = ["run", "--config", str(path), "--data-extracao", DAY, "--paralelo", "2", "--json"]
    return folder, CliRunner().invoke(main, arguments, env=ENV)


def test_companies_at_a_time_are_each_their_own_and_told_as_they_end(batch: tuple[Path, Result]) -> None:
    folder, result = batch
    assert result.exit_code == 3, result.output
    told = {each["empresa"]: each for each in map(json.loads, result.stdout.splitlines())}
    assert sorted(told) == ["acme", "beta", "ruim"]
    for name in ("acme", "beta"):
        good = told[name]
        assert (good["codigo"], good["execucao_id"], good["kpis"]["saldo_atual"]) == (0, 1, "15980.00")
        assert good["requisicoes"] > 10
        assert Decimal(good["segundos"]) > 0
        assert (folder / "dados" / name / "lastro.duckdb").exists()
    bad = told["ruim"]
    assert (bad["codigo"], bad["erro"], bad["o_que_fazer"]) == (3, "ApiRejected", "confira token, endereço e contas")
    assert bad["requisicoes"] >= 1
    assert "errada-1" not in result.output


def test_the_group_database_has_every_company_that_published(batch: tuple[Path, Result]) -> None:
    pytest.importorskip("lastro.group.update")
    folder, _ = batch
    link = folder / "dados" / "grupo" / "lastro.duckdb"
    assert link.is_symlink()
    assert ask(link, "SELECT empresa, execucao_id FROM grupo.empresas ORDER BY ALL") == [("acme", 1), ("beta", 1)]
    own = ask(folder / "dados" / "acme" / "lastro.duckdb", "SELECT count(*), sum(valor) FROM core.linhas")
    for name in ("acme", "beta"):
        where = f"WHERE empresa = '{name}'"
        assert ask(link, f"SELECT count(*), sum(valor) FROM core.linhas {where}") == own  # noqa: S608
    # every table and view of the three schemas is there, with the company first
    listed = "SELECT schema_name || '.' || table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() "
    listed += "WHERE NOT internal AND schema_name IN ('core', 'mart', 'ops') GROUP BY ALL ORDER BY ALL"
    theirs = ask(folder / "dados" / "acme" / "lastro.duckdb", listed)
    wanted = [(name, ["empresa", *(each for each in columns if each != "empresa")]) for name, columns in theirs]
    assert ask(link, listed) == wanted
    comments = "SELECT comment FROM duckdb_columns() WHERE table_name = 'dre' AND column_name = 'valor'"
    assert ask(link, comments)[0][0] is not None


def test_the_query_of_the_manual_runs_on_the_group(batch: tuple[Path, Result]) -> None:
    """Of whichever companies the group has by now."""
    pytest.importorskip("lastro.group.update")
    link = batch[0] / "dados" / "grupo" / "lastro.duckdb"
    (sql,) = re.findall(r"```sql\n(.*?)```", find_topic("Muitas empresas"), flags=re.DOTALL)
    there = ask(link, "SELECT DISTINCT empresa FROM core.linhas ORDER BY ALL")
    assert ("acme",) in there
    assert sorted(ask(link, sql)) == [(name, Decimal("3400.00")) for (name,) in there]


def test_only_what_changed_is_replaced_and_who_left_goes(batch: tuple[Path, Result], address: str) -> None:
    group = pytest.importorskip("lastro.group.update")
    folder, _ = batch
    link = folder / "dados" / "grupo" / "lastro.duckdb"
    settings = load_settings(folder / "lastro.toml", {}, folder)
    before = link.resolve()
    assert group.update_group(settings) == group.GroupUpdate(link)
    assert link.resolve() == before
    held = duckdb.connect(str(link), read_only=True)
    smaller = load_settings(write(folder, address, acme="FICHA", nova="FICHA"), {}, folder)
    assert group.update_group(smaller) == group.GroupUpdate(link, retiradas=("beta",))
    assert ask(link, "SELECT DISTINCT empresa FROM core.linhas") == [("acme",)]
    # who had the old copy open keeps it
    assert held.execute("SELECT count(DISTINCT empresa) FROM core.linhas").fetchall() == [(2,)]
    held.close()


def test_in_turn_there_is_a_line_each_and_a_table(tmp_path: Path, address: str) -> None:
    path = write(tmp_path, address, ruim="ERRADA", vazia="VAZIA")
    result = CliRunner().invoke(main, ["run", "--config", str(path)], env=ENV)
    assert result.exit_code == 3
    lines = [line for line in result.stderr.splitlines() if line.startswith("[")]
    assert [line.partition(" · ")[0] for line in lines] == ["[1 de 2] ruim: ApiRejected", "[2 de 2] vazia: ConfigError"]
    assert [line.split()[:2] for line in result.stdout.splitlines() if line.strip()] == [
        ["Empresa", "Veredito"], ["ruim", "ApiRejected"], ["vazia", "ConfigError"],
    ]  # fmt: skip


@pytest.mark.parametrize("paralelo", thinned(("1", "2"), default=("2",)))
def test_a_line_of_json_is_out_when_its_company_ends_whatever_comes_after(tmp_path: Path, paralelo: str) -> None:
    """The second company never ends: the command is killed, and what it told of the first one is whole."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        path = write(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}", a="VAZIA", b="FICHA")
        options = ["--config", str(path), "--paralelo", paralelo, "--json-linhas"]
        with subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", "lastro", "run", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **ENV},
            start_new_session=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            wait_for(tmp_path / "dados" / "b" / "registro.db")
            os.killpg(process.pid, signal.SIGKILL)  # with the process of b, which would wait for minutes
            assert process.stdout.read() == ""
    assert (told["empresa"], told["erro"], told["codigo"]) == ("a", "ConfigError", 2)
    assert datetime.fromisoformat(told["em"]).tzinfo is UTC


def test_json_linhas_is_the_same_word_until_0_5(tmp_path: Path, address: str) -> None:
    path = write(tmp_path, address, vazia="VAZIA")
    for form in ("--json", "--json-linhas"):
        told = CliRunner().invoke(main, ["run", "--config", str(path), form], env=ENV)
        assert (told.exit_code, json.loads(told.stdout)["erro"]) == (2, "ConfigError")


@pytest.mark.longo
def test_a_signal_ends_those_under_way_and_begins_no_other(tmp_path: Path) -> None:
    """The service takes connections and never answers: only the signal ends it."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        path = write(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}", a="FICHA", b="FICHA", c="FICHA")
        options = ["--config", str(path), "--paralelo", "2", "--json"]
        command = [sys.executable, "-m", "lastro", "run", *options]
        with subprocess.Popen(  # noqa: S603 - our own interpreter
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **ENV}
        ) as process:
            for name in ("a", "b"):
                wait_for(tmp_path / "dados" / name / "registro.db")
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    told = [*map(json.loads, out.splitlines())]
    assert sorted((each["empresa"], each["erro"]) for each in told) == [("a", "interrompida"), ("b", "interrompida")]
    assert not (tmp_path / "dados" / "c").exists()


def wait_for(path: Path) -> None:
    end = time.monotonic() + 240
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
def test_a_parent_that_is_killed_takes_its_children_along_and_leaves_no_lock(tmp_path: Path) -> None:
    """The service never answers: nothing but their parent's end ends them."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        path = write(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}", a="FICHA", b="FICHA")
        with subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", "lastro", "run", "--config", str(path), "--paralelo", "2"],
            stderr=subprocess.DEVNULL, env={**os.environ, **ENV},
        ) as process:  # fmt: skip
            folders = [tmp_path / "dados" / name for name in ("a", "b")]
            for folder in folders:
                wait_for(folder / "privado" / "trava")
            children = [
                each for task in Path(f"/proc/{process.pid}/task").iterdir()
                for each in map(int, (task / "children").read_text().split())
            ]  # fmt: skip
            assert len(children) >= 2
            process.kill()
        end = time.monotonic() + 60
        while any(Path(f"/proc/{child}/exe").exists() for child in children):
            assert time.monotonic() < end
            time.sleep(0.05)
        for folder in folders:
            with CompanyLock(folder).held("teste"):
                pass


def die(_empresa: str) -> Mapping[str, Any]:
    os._exit(3)


def test_a_process_that_dies_is_told_as_its_company_alone() -> None:
    outcomes = list(run_children(die, ["a", "b"], most=2, received=frozenset))
    assert sorted((each["empresa"], each["codigo"], each["mensagem"]) for each in outcomes) == [
        (name, 1, "o processo terminou sem dizer nada; o que ele disse está acima.") for name in ("a", "b")
    ]


def name_process(empresa: str) -> Mapping[str, Any]:
    return describe_outcome(empresa, empresa, 0.0, os.getpid())


def test_a_process_goes_on_with_the_next_company() -> None:
    outcomes = list(run_children(name_process, ["a", "b", "c"], most=1, received=frozenset))
    assert len({each["codigo"] for each in outcomes}) == 1


def test_the_sensor_asks_once_a_batch(batch: tuple[Path, Result], tmp_path: Path, address: str) -> None:
    pytest.importorskip("lastro.group.update")
    folder, _ = batch
    settings = load_settings(write(folder, address, acme="FICHA", beta="FICHA"), {}, folder)
    host = Host(env={}, settings=settings)
    sensor = build_group_sensor(host, Names(), build_group_asset(host, Names())[1])
    with dg.instance_for_test(temp_dir=str(tmp_path)) as instance:

        def tick(cursor: str | None) -> tuple[int, str | None]:
            with dg.build_sensor_context(instance, cursor=cursor, definitions=build_definitions(host)) as context:
                data = sensor.evaluate_tick(context)
                return len(data.run_requests or ()), data.cursor

        busy = dg.DagsterRun("lastro_diario", run_id=str(uuid4()), status=STARTED, tags={"dagster/partition": "beta"})
        instance.add_run(busy)
        assert tick(None) == (0, None)
        instance.delete_run(busy.run_id)
        asked, cursor = tick(None)
        assert (asked, bool(cursor)) == (1, True)
        assert tick(cursor) == (0, cursor)
        result = build_definitions(host).resolve_job_def("lastro_grupo").execute_in_process(instance=instance)
    assert result.success
    (event,) = result.get_asset_materialization_events()
    metadata = event.materialization.metadata
    assert metadata["armazem"].value == str(folder / "dados" / "grupo" / "lastro.duckdb")


def test_one_company_has_no_group(tmp_path: Path, address: str) -> None:
    pytest.importorskip("lastro.group.update")
    assert trace_published(load_settings(write(tmp_path, address, acme="FICHA"), {}, tmp_path)) == ""
