"""A UI behind the guard, asked over real sockets: its own page works, somebody else's starts nothing."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Collection
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.browsers import ATTACKS, Headers

PATIENCE = 240
RUNS = "{ runsOrError { ... on Runs { count } } }"


def write_launch(location: str, job: str, partition: str = "") -> str:
    """Write the mutation that starts a run."""
    selector = f'{{jobName: "{job}", repositoryLocationName: "{location}", repositoryName: "__repository__"}}'
    tags = f'{{key: "dagster/partition", value: "{partition}"}}' if partition else ""
    asked = f'{{runConfigData: "{{}}", mode: "default", selector: {selector}, executionMetadata: {{tags: [{tags}]}}}}'
    told = "__typename ... on LaunchRunSuccess { run { runId } }"
    return f"mutation {{ launchRun(executionParams: {asked}) {{ {told} }} }}"


def ask(url: str, query: str, **headers: str) -> Any:
    answer = httpx.post(f"{url}/graphql", json={"query": query}, headers=headers, timeout=PATIENCE, trust_env=False)
    return answer.json()["data"]


def send(url: str, method: str, path: str, headers: Headers, query: str = "") -> int:
    """Send a request with exactly these headers to a port of this machine, the query wherever one is read from.

    Returns:
        The status of the answer.
    """
    pairs, body = headers.items() if isinstance(headers, dict) else headers, json.dumps({"query": query})
    asked = f"{path}?query={quote(query)}" if query and "graphql" in path else path
    lines = [f"{method} {asked} HTTP/1.1", *(f"{name}: {value}" for name, value in pairs)]
    port = url.rpartition(":")[2]
    with socket.create_connection(("127.0.0.1", int(port)), PATIENCE) as connection:
        text = "\r\n".join([*lines, f"content-length: {len(body)}", "", body])
        connection.sendall(text.replace(":3000", f":{port}").encode())
        return int(connection.recv(4096).split()[1])


def find_answered(url: str, query: str = "", unsent: Collection[str] = ()) -> set[str]:
    """Find the attacks that are not refused, of those that are sent."""
    sent = {name: attack for name, attack in ATTACKS.items() if name not in unsent}
    return {name for name, attack in sent.items() if send(url, *attack, query) not in (400, 403, 405)}


def listen(url: str, origin: str, run_id: str) -> list[str]:
    """Ask for the log of a run by WebSocket; returns the kinds of what came until the log began."""
    logs = f'subscription {{ pipelineRunLogs(runId: "{run_id}") {{ __typename }} }}'
    with connect(
        f"{url.replace('http', 'ws')}/graphql",
        origin=Origin(origin),
        subprotocols=[Subprotocol("graphql-ws")],
        proxy=None,
        open_timeout=PATIENCE,
    ) as stream:
        assert stream.subprotocol == "graphql-ws"
        stream.send(json.dumps({"type": "connection_init"}))
        stream.send(json.dumps({"type": "start", "id": "1", "payload": {"query": logs}}))
        return [json.loads(stream.recv(timeout=PATIENCE))["type"] for _ in range(2)]


def assert_guarded_and_whole(url: str, launch: str, unsent: Collection[str] = ()) -> str:
    """The UI's own page works behind the guard; somebody else's starts nothing and reads nothing.

    Args:
        url: of a UI without runs.
        launch: the mutation that starts one.
        unsent: attacks that nobody sends here.

    Returns:
        The id of the run that the UI's own page has started.
    """
    page = httpx.get(f"{url}/runs", headers={"Sec-Fetch-Site": "none"}, trust_env=False)
    assert (page.status_code, "<title" in page.text) == (200, True)
    assert page.headers["x-frame-options"] == "DENY"
    script = re.findall(r'src="(/_next/[^"]+\.js)"', page.text)[0]
    assert httpx.get(url + script, headers={"Accept-Encoding": "gzip"}, trust_env=False).status_code == 200
    assert find_answered(url, launch, unsent) == set()
    with pytest.raises(InvalidStatus) as refused:
        listen(url, "http://evil.example", "x")
    assert refused.value.response.status_code == 403
    own = {"Origin": url, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
    assert ask(url, RUNS, **own)["runsOrError"]["count"] == 0
    launched = ask(url, launch, **own)["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess"
    assert ask(url, RUNS)["runsOrError"]["count"] == 1
    run_id = str(launched["run"]["runId"])
    assert listen(url, url, run_id) == ["connection_ack", "data"]
    return run_id
