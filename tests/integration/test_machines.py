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

from lastro.settings import load_settings
from lastro_pipelines.home import INSTANCE_SETTINGS
from lastro_pipelines.names import Names
from lastro_sandbox import create_app, make_company, serve
from tests.database import PASSWORD, PASSWORD_VARIABLE, free_port, serve_database
from tests.processes import code_server, started, wait_for_servers
from tests.served import TOKEN, TOKEN_VARIABLE, write_settings
from tests.tools.net import dump_company

EXAMPLE = Path(__file__).parents[2] / "pipelines/lastro_pipelines/deploy" / "maquinas"
PATIENCE_SECONDS = 240
MACHINES = ("maquina1", "maquina2")


def test_the_example_names_machines_as_their_settings_do() -> None:
    settings = load_settings(EXAMPLE / "lastro.toml", {}, EXAMPLE)
    assert settings.local == MACHINES[0]
    workspace = yaml.safe_load((EXAMPLE / "workspace.yaml").read_text(encoding="utf-8"))
    assert [entry["grpc_server"]["location_name"] for entry in workspace["load_from"]] == list(MACHINES)


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
            path.write_text(f'local = "{name}"\n{path.read_text(encoding="utf-8")}', encoding="utf-8")
            env = {**bare, TOKEN_VARIABLE: f"{TOKEN}{number}", "LASTRO_CONFIG": str(path)}
            log = tmp_path / f"{name}.log"
            stack.enter_context(started(*code_server(ports[name], name), env=env, log=log))
        company = load_settings(folders["maquina1"] / "lastro.toml", {}, tmp_path).empresas[0].id
        workspace = tmp_path / "workspace.yaml"
        servers = [
            {"grpc_server": {"host": "127.0.0.1", "port": ports[name], "location_name": name}} for name in MACHINES
        ]
        workspace.write_text(yaml.safe_dump({"load_from": servers}), encoding="utf-8")
        home = tmp_path / "central"
        home.mkdir()
        # The central machine has no company's settings.
        document = {"storage": database.storage(), **yaml.safe_load(INSTANCE_SETTINGS)}
        (home / "dagster.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
        central = {**bare, "DAGSTER_HOME": str(home)}
        wait_for_servers(ports, tmp_path)
        daemon = ["-m", "dagster._daemon", "run", "-w", str(workspace)]
        stack.enter_context(started(*daemon, env=central, log=tmp_path / "daemon.log"))
        for name in MACHINES:
            tags = json.dumps({"dagster/partition": company})
            launch = ["-m", "dagster", "job", "launch", "-w", str(workspace), "-l", name]
            subprocess.run(  # noqa: S603 - our own interpreter
                [sys.executable, *launch, "-j", f"{name}_diario", "--tags", tags],
                env=central,
                check=True,
                capture_output=True,
            )
        monkeypatch.setenv("DAGSTER_HOME", str(home))
        with dg.DagsterInstance.get() as instance:
            runs = wait_for_runs(instance, len(MACHINES), tmp_path)
            owners = {name: [run.status.value for run in runs if Names(name).owns(run)] for name in MACHINES}
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
            assert {path.name for path in folder.iterdir() if path.is_dir()} == {company}


def wait_for_runs(instance: dg.DagsterInstance, count: int, logs: Path) -> list[dg.DagsterRun]:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        # Not those of the locations' own sensors, which have no company.
        runs = [run for run in instance.get_runs() if "dagster/partition" in run.tags]
        if len(runs) == count and all(run.is_finished for run in runs):
            return runs
        time.sleep(1)
    told = {path.name: path.read_text(errors="replace")[-2_000:] for path in logs.glob("*.log")}
    raise AssertionError((list(instance.get_runs()), told))
