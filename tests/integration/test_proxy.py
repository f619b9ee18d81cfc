"""The way of `lastro web --para` to a server that knows nothing of it: what arrives there, and what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from lastro.cli import main
from lastro.pipelines.proxy import Proxy
from lastro.pipelines.services import build_config
from lastro.pipelines.web import Guard

ENDED: list[str] = []
"""What the other side noticed the end of."""


async def tell(request: Request) -> Response:
    said = [(key, value) for key, value in request.headers.items()]
    return JSONResponse(
        {"path": request.scope["raw_path"].decode(), "query": request.url.query, "headers": said,
         "body": (await request.body()).decode()},
        headers={"Connection": "x-ours", "X-Ours": "1", "X-Theirs": "2"},
    )  # fmt: skip


async def drip(_: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        try:
            yield b"first"
            await asyncio.sleep(20)
            yield b"never"
        finally:
            ENDED.append("http")

    return StreamingResponse(pieces())


async def leave(request: Request) -> Response:
    return RedirectResponse(f"{request.url.scheme}://{request.url.netloc}/chegada?a=1")


async def talk(socket: WebSocket) -> None:
    await socket.accept(subprotocol=socket.scope["subprotocols"][-1])
    await socket.send_json({key: socket.headers.get(key) for key in ("host", "origin", "cookie")})
    try:
        while True:
            said = await socket.receive_text()
            if said == "fim":
                await socket.close(4321, "acabou")
                return
            await socket.send_bytes(said.encode())
    except WebSocketDisconnect as end:
        ENDED.append(f"ws {end.code}")


@contextlib.contextmanager
def serving(app: Any) -> Iterator[int]:
    config = build_config(app)
    config.port = 0
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def there() -> Iterator[int]:
    routes = [Route("/gota", drip), Route("/sai", leave), WebSocketRoute("/graphql", talk),
              Route("/{rest:path}", tell, methods=["GET", "POST"])]  # fmt: skip
    with serving(Starlette(routes=routes)) as port:
        yield port


@pytest.fixture(scope="module")
def here(there: int) -> Iterator[int]:
    with serving(Proxy(f"http://127.0.0.1:{there}")) as port:
        yield port


def test_a_request_arrives_as_it_was_but_for_whom_it_names(here: int, there: int) -> None:
    url, own = f"http://127.0.0.1:{here}", f"http://127.0.0.1:{there}"
    headers = {"Origin": url, "Connection": "x-mine", "X-Mine": "1", "Cookie": "a=b", "Accept-Encoding": "identity"}
    answer = httpx.post(f"{url}/a%2Fb?x=%20", headers=headers, content=b'{"q": 1}')
    seen = answer.json()
    assert (seen["path"], seen["query"], seen["body"]) == ("/a%2Fb", "x=%20", '{"q": 1}')
    told = dict(seen["headers"])
    assert len(told) == len(seen["headers"])  # none twice
    assert (told["host"], told["origin"], told["cookie"]) == (own.removeprefix("http://"), own, "a=b")
    assert told["accept-encoding"] == "identity"
    assert not {"x-mine", "transfer-encoding"} & set(told)
    assert (answer.headers["x-theirs"], "x-ours" in answer.headers) == ("2", False)
    away = httpx.get(f"{url}/sai", follow_redirects=False)
    assert (away.status_code, away.headers["location"]) == (307, "/chegada?a=1")


def wait_for(end: str) -> bool:
    until = time.monotonic() + 10
    while end not in ENDED and time.monotonic() < until:
        time.sleep(0.02)
    return end in ENDED


def test_an_answer_is_passed_on_as_it_comes_and_its_end_is_told_there(here: int) -> None:
    began = time.monotonic()
    with httpx.stream("GET", f"http://127.0.0.1:{here}/gota") as answer:
        assert next(answer.iter_raw()) == b"first"
    assert time.monotonic() - began < 10
    assert wait_for("http")


def test_a_socket_keeps_its_protocol_and_its_codes(here: int, there: int) -> None:
    address = f"ws://127.0.0.1:{here}/graphql"
    wanted: Any = ["graphql-transport-ws", "graphql-ws"]
    headers = {"Origin": f"http://127.0.0.1:{here}", "Cookie": "a=b"}
    with connect(address, subprotocols=wanted, additional_headers=headers) as stream:
        assert stream.subprotocol == "graphql-ws"
        assert f'"host":"127.0.0.1:{there}","origin":"http://127.0.0.1:{there}","cookie":"a=b"' in str(stream.recv(10))
        stream.send("olá")
        assert stream.recv(10) == "olá".encode()
        stream.send("fim")
        with pytest.raises(ConnectionClosed) as closed:
            stream.recv(10)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4321, "acabou")
    with connect(address, subprotocols=wanted) as stream:
        stream.recv(10)
        stream.close(4003, "saí")
    assert wait_for("ws 4003")


def test_a_server_that_is_away_is_told() -> None:
    with serving(Guard(Proxy("http://127.0.0.1:9"), 80)) as port:
        headers = {"Host": "127.0.0.1"}
        answer = httpx.get(f"http://127.0.0.1:{port}/runs", headers=headers)
        assert answer.status_code == 502
        assert answer.text.startswith("lastro: The Dagster at http://127.0.0.1:9 does not answer (ConnectError)")
        with (
            pytest.raises(InvalidStatus) as refused,
            connect(f"ws://127.0.0.1:{port}/graphql", additional_headers={**headers, "Host": "127.0.0.1"}),
        ):
            pass
        assert refused.value.response.status_code in (403, 502)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "one of --workspace and --para"),
        (["--para", "http://10.0.0.10/dagster"], "--para http://10.0.0.10/dagster: write addresses without path"),
        (["--para", "http://10.0.0.10", "--endereco", "x"], "--endereco x: write addresses"),
        (["--para", "http://10.0.0.10", "--somente-leitura"], "--somente-leitura is for --workspace"),
        (["--workspace", "workspace.yaml"], "DAGSTER_HOME: not set"),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_is_told(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["web", *arguments], env={"DAGSTER_HOME": ""})
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
