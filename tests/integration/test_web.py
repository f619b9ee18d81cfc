"""`lastro web` before and instead of a stock Dagster that knows nothing of lastro."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from lastro.cli import main

PATIENCE = 240
FOREIGN = """
import dagster as dg

@dg.asset
def alheio() -> int:
    return 1

defs = dg.Definitions(assets=[alheio], jobs=[dg.define_asset_job("alheia")])
"""
LAUNCH = """mutation { launchRun(executionParams: {runConfigData: "{}", mode: "default", selector: {
  repositoryLocationName: "foreign.py", repositoryName: "__repository__", jobName: "alheia"}}) { __typename } }"""
RUNS = "{ runsOrError { ... on Runs { count } } }"
LOGS = 'subscription { pipelineRunLogs(runId: "x") { __typename } }'
WEB = (sys.executable, "-m", "lastro", "web", "--porta", "0")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a foreign code location and a home of its own."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    (tmp_path / "foreign.py").write_text(FOREIGN, encoding="utf-8")
    (tmp_path / "workspace.yaml").write_text("load_from:\n  - python_file: foreign.py\n", encoding="utf-8")
    (tmp_path / "vazio.yaml").write_text("load_from: []\n", encoding="utf-8")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603 - ours
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        process.stdout.close()


@contextmanager
def lastro_web(*arguments: str) -> Iterator[str]:
    """Start the command and wait until it says where it answers."""
    with started(*WEB, *arguments) as process:
        lines = []
        for line in process.stdout or ():
            lines.append(line)
            if found := re.search(r"Dagster: (http://127\.0\.0\.1:\d+) ", line):
                break
        else:
            pytest.fail("".join(lines))
        threading.Thread(target=(process.stdout or sys.stdin).read, daemon=True).start()
        yield found[1]
    assert process.returncode == 0


@contextmanager
def stock_dagster(workspace: str) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = str(Path(sys.executable).parent / "dagster-webserver")
    with started(command, "-w", workspace, "-h", "127.0.0.1", "-p", str(port)) as process:
        threading.Thread(target=(process.stdout or sys.stdin).read, daemon=True).start()
        end = time.monotonic() + PATIENCE
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{port}/server_info", trust_env=False)
                break
            except httpx.TransportError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"


def ask(url: str, query: str, **headers: str) -> Any:
    answer = httpx.post(f"{url}/graphql", json={"query": query}, headers=headers, timeout=PATIENCE, trust_env=False)
    return answer.json()["data"]


def attack(url: str) -> Iterator[Callable[[], httpx.Response]]:
    """Give the ways in which a page of somebody else would start a run."""
    target, host = f"{url}/graphql", url.removeprefix("http://")
    as_json = {"Content-Type": "application/json"}
    body = json.dumps({"query": LAUNCH})
    yield lambda: httpx.get(target, params={"query": LAUNCH}, trust_env=False)
    yield lambda: httpx.get(target, params={"query": LAUNCH}, headers={"Host": "evil.example"}, trust_env=False)
    yield lambda: httpx.post(target, content=body, headers={**as_json, "Origin": "http://evil.example"})
    yield lambda: httpx.post(target, content=body, headers={**as_json, "Sec-Fetch-Site": "cross-site"})
    yield lambda: httpx.post(
        target, content=body, headers={**as_json, "Host": host.replace("127.0.0.1", "evil.example")}
    )
    yield lambda: httpx.post(target, params={"query": LAUNCH}, headers={"Content-Type": "text/plain"})
    yield lambda: httpx.post(f"{url}/report_asset_materialization/alheio", json={})


def assert_guarded_and_whole(url: str) -> None:
    """The UI's own page works behind the guard; somebody else's starts nothing and reads nothing."""
    page = httpx.get(f"{url}/runs", headers={"Sec-Fetch-Site": "none"}, trust_env=False)
    assert (page.status_code, "<title" in page.text) == (200, True)
    assert page.headers["x-frame-options"] == "DENY"
    script = re.findall(r'src="(/_next/[^"]+\.js)"', page.text)[0]
    assert httpx.get(url + script, headers={"Accept-Encoding": "gzip"}, trust_env=False).status_code == 200
    for number, send in enumerate(attack(url)):
        answer = send()
        assert answer.status_code in (403, 405), number
        assert answer.text.startswith("lastro: ")
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(
            f"{url.replace('http', 'ws')}/graphql",
            origin=Origin("http://evil.example"),
            proxy=None,
            open_timeout=PATIENCE,
        ),
    ):
        pass
    assert refused.value.response.status_code == 403
    own = {"Origin": url, "Sec-Fetch-Site": "same-origin"}
    assert ask(url, RUNS, **own)["runsOrError"]["count"] == 0
    with connect(
        f"{url.replace('http', 'ws')}/graphql",
        origin=Origin(url),
        subprotocols=[Subprotocol("graphql-ws")],
        proxy=None,
        open_timeout=PATIENCE,
    ) as stream:
        assert stream.subprotocol == "graphql-ws"
        stream.send(json.dumps({"type": "connection_init"}))
        stream.send(json.dumps({"type": "start", "id": "1", "payload": {"query": LOGS}}))
        kinds = [json.loads(stream.recv(timeout=PATIENCE))["type"] for _ in range(2)]
    assert kinds == ["connection_ack", "data"]


def assert_starts_a_run(url: str) -> None:
    assert ask(url, LAUNCH)["launchRun"]["__typename"] == "LaunchRunSuccess"
    assert ask(url, RUNS)["runsOrError"]["count"] == 1


@pytest.mark.longo
@pytest.mark.usefixtures("place")
def test_a_stock_dagster_is_guarded_by_what_stands_before_it() -> None:
    with stock_dagster("vazio.yaml") as there, lastro_web("--para", there) as url:
        assert_guarded_and_whole(url)
        # What stands behind it is as open as ever: whoever reaches that port is not asked.
        assert httpx.get(f"{there}/graphql", params={"query": RUNS}, headers={"Host": "evil.example"}).is_success


@pytest.mark.longo
@pytest.mark.usefixtures("place")
def test_a_run_of_somebody_elses_is_started_through_the_guard() -> None:
    with stock_dagster("workspace.yaml") as there, lastro_web("--para", there) as url:
        assert_guarded_and_whole(url)
        assert_starts_a_run(url)


@pytest.mark.longo
@pytest.mark.usefixtures("place")
def test_a_workspace_is_served_under_the_guard_and_read_only_shows() -> None:
    with lastro_web("-w", "workspace.yaml") as url:
        assert_guarded_and_whole(url)
        assert_starts_a_run(url)
    with lastro_web("-w", "workspace.yaml", "--somente-leitura") as url:
        assert ask(url, LAUNCH)["launchRun"]["__typename"] == "UnauthorizedError"


OWN = """\
dir = "dados"
enderecos_ui = ["https://lastro.example.com"]

[[empresa]]
id = "acme"
nome = "Acme"
base_url = "http://127.0.0.1:9"
token_env = "ACME_TOKEN"
"""
JOBS = "{ repositoriesOrError { ... on RepositoryConnection { nodes { jobs { name } } } } }"


@pytest.mark.longo
def test_without_a_file_the_location_of_the_settings_is_served(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME")
    (place / "lastro.toml").write_text(OWN, encoding="utf-8")
    with lastro_web() as url:
        (repository,) = ask(url, JOBS, Host="lastro.example.com")["repositoriesOrError"]["nodes"]
        assert "lastro_diario" in {job["name"] for job in repository["jobs"]}
    assert (place / "dados" / "dagster" / "dagster.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--para", "http://127.0.0.1:3000", "-w", "workspace.yaml"], "tire -w"),
        (["--para", "http://127.0.0.1:3000", "--somente-leitura"], "--somente-leitura"),
        (["--para", "ftp://a.example"], "--para: escreva endereços sem caminho"),
        (["--para", "http://u:s@a.example"], "--para: escreva endereços sem caminho"),
        (["--para", "http://a.example/dagster"], "--para: escreva endereços sem caminho"),
        (["--para", "http://localhost:3000"], "essa é a porta deste comando"),
        (["--para", "http://127.0.0.1:3001", "--endereco", "*"], "--endereco: escreva endereços sem caminho"),
        (["-w", "workspace.yaml"], "DAGSTER_HOME não está definida"),
        ([], "lastro.toml: o arquivo não existe"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("place")
def test_what_cannot_be_served_is_told(monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    result = CliRunner().invoke(main, ["web", *arguments])
    assert result.exit_code == 2, result.output
    assert said in result.output.replace("\n", " ")
    assert "u:s" not in result.output


@pytest.mark.parametrize(
    ("host", "told"), [("127.0.0.1", False), ("[::1]", False), ("127.evil.example", True), ("10.0.0.5", True)]
)
@pytest.mark.usefixtures("place")
def test_an_open_way_to_another_machine_is_told(host: str, told: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:  # so that nothing is served
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(main, ["web", "--para", f"http://{host}:1", "--porta", port])
    assert (result.exit_code, "o caminho até lá não é cifrado" in result.output) == (2, told), result.output


def test_a_workspace_or_home_that_dagster_cannot_read_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "torto.yaml").write_text("load_from: 7\n", encoding="utf-8")
    asked = ["web", "-w", "torto.yaml", "--porta", "0"]
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, "não começou" in result.output) == (2, True), result.output
    monkeypatch.setenv("DAGSTER_HOME", str(place / "nenhuma"))
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, "não começou" in result.output) == (2, True), result.output
