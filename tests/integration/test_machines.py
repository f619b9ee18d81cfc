"""Two machines in one Dagster: two code servers, one daemon, one PostgreSQL; each company only where it belongs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import dagster as dg
import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster
from click.testing import CliRunner

from lastro.cli import main
from lastro.pipelines.execution import prepare_home
from lastro.pipelines.home import INSTANCE_SETTINGS
from lastro.pipelines.names import Names
from lastro.settings import load_settings
from lastro_sandbox import create_app, make_company, serve
from tests.database import PASSWORD, PASSWORD_VARIABLE, free_port, serve_database
from tests.net import dump_company
from tests.processes import started, wait_for_servers
from tests.served import TOKEN, TOKEN_VARIABLE, write_settings

EXAMPLE = Path(__file__).parents[2] / "src/lastro/pipelines/deploy" / "maquinas"
PATIENCE_SECONDS = 240
MACHINES = ("maquina1", "maquina2")


def test_the_example_says_what_lastro_would_write() -> None:
    pytest.importorskip("dagster_postgres", reason="the extra lastro[postgres] is not installed")
    from lastro.pipelines.postgres import describe_storage

    settings = load_settings(EXAMPLE / "lastro.toml", {}, EXAMPLE)
    assert settings.postgres is not None
    assert settings.local == "maquina1"
    example = yaml.safe_load((EXAMPLE / "dagster.yaml").read_text(encoding="utf-8"))
    assert example.pop("storage") == describe_storage(settings.postgres)
    written = yaml.safe_load(INSTANCE_SETTINGS)
    del example["concurrency"]["runs"]["max_concurrent_runs"], written["concurrency"]["runs"]["max_concurrent_runs"]
    assert example == written
    workspace = yaml.safe_load((EXAMPLE / "workspace.yaml").read_text(encoding="utf-8"))
    assert [entry["grpc_server"]["location_name"] for entry in workspace["load_from"]] == list(MACHINES)


def test_a_code_server_without_a_name_or_common_records_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lastro.toml").write_text(
        '[[empresa]]\nid = "a"\nnome = "A"\nbase_url = "https://api.example.com"\ntoken_env = "T"\n', encoding="utf-8"
    )
    result = CliRunner().invoke(main, ["codigo", "--config", str(tmp_path / "lastro.toml"), "--porta", "4201"])
    assert result.exit_code == 2
    assert "local: missing" in result.output
    assert "postgres: missing" in result.output


@pytest.mark.maquinas
def test_two_machines_that_call_a_company_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = {name: value for name, value in os.environ.items() if name not in (TOKEN_VARIABLE, "DAGSTER_HOME")}
    bare[PASSWORD_VARIABLE] = PASSWORD
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    monkeypatch.setenv("DAGSTER_HOME", "")
    ports = {name: free_port() for name in MACHINES}
    with ExitStack() as stack:
        database = stack.enter_context(serve_database())
        folders = {}
        for number, name in enumerate(MACHINES, 1):
            # Each machine knows a company «empresa» with other books, behind a token of its own name.
            books = make_company(seed=number, lancamentos=300)
            service = stack.enter_context(serve(create_app(books, token=f"{TOKEN}{number}")))
            folders[name] = tmp_path / name
            folders[name].mkdir()
            write_settings(folders[name], books, service.base_url)
            path = folders[name] / "lastro.toml"
            path.write_text(f'local = "{name}"\n{path.read_text(encoding="utf-8")}{database.toml()}', encoding="utf-8")
            code = ["-c", "from lastro.cli import main; main()", "codigo", "--config", str(path)]
            env = {**bare, TOKEN_VARIABLE: f"{TOKEN}{number}"}
            log = tmp_path / f"{name}.log"
            stack.enter_context(started(*code, "--porta", str(ports[name]), env=env, log=log))
        company = load_settings(folders["maquina1"] / "lastro.toml", {}, tmp_path).empresas[0].id
        workspace = tmp_path / "workspace.yaml"
        servers = [
            {"grpc_server": {"host": "127.0.0.1", "port": ports[name], "location_name": name}} for name in MACHINES
        ]
        workspace.write_text(yaml.safe_dump({"load_from": servers}), encoding="utf-8")
        home = tmp_path / "central"
        home.mkdir()
        # The central machine has the same records and no company's settings.
        prepare_home(load_settings(folders["maquina1"] / "lastro.toml", {}, tmp_path))
        written = folders["maquina1"] / "dados" / "dagster" / "dagster.yaml"
        (home / "dagster.yaml").write_text(written.read_text(encoding="utf-8"), encoding="utf-8")
        central = {**bare, "DAGSTER_HOME": str(home)}
        wait_for_servers(ports, tmp_path)
        daemon = ["-m", "dagster._daemon", "run", "-w", str(workspace)]
        stack.enter_context(started(*daemon, env=central, log=tmp_path / "daemon.log"))
        for name in MACHINES:
            tags = json.dumps({"dagster/partition": company})
            launch = ["-m", "dagster", "job", "launch", "-w", str(workspace), "-l", name, "-j", "lastro_diario"]
            subprocess.run(  # noqa: S603 - our own interpreter
                [sys.executable, *launch, "--tags", tags], env=central, check=True, capture_output=True
            )
        monkeypatch.setenv("DAGSTER_HOME", str(home))
        with dg.DagsterInstance.get() as instance:
            runs = wait_for_runs(instance, len(MACHINES), tmp_path)
            owners = {name: [run.status.value for run in runs if Names(name).owns(run, [company])] for name in MACHINES}
            assert owners == {name: ["SUCCESS"] for name in MACHINES}
            keys = {key.path[0] for key in instance.all_asset_keys()}
            assert keys == set(MACHINES)
            for name in MACHINES:
                assert instance.get_dynamic_partitions(f"{name}_empresa") == [company]
            assert instance.get_dynamic_partitions("lastro_empresa") == []
        one, two = (dump_company(folders[name]) for name in MACHINES)
        assert one
        assert two
        assert one != two
        for name in MACHINES:
            folder = folders[name] / "dados"
            assert {path.name for path in folder.iterdir() if path.is_dir()} == {"dagster", company}


def wait_for_runs(instance: dg.DagsterInstance, count: int, logs: Path) -> list[dg.DagsterRun]:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        runs = list(instance.get_runs())
        if len(runs) == count and all(run.is_finished for run in runs):
            return runs
        time.sleep(1)
    told = {path.name: path.read_text(errors="replace")[-2_000:] for path in logs.glob("*.log")}
    raise AssertionError((list(instance.get_runs()), told))
