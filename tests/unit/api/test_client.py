"""What the client makes of every kind of answer, and that the token stays inside."""

from __future__ import annotations

import gzip
import io
import json
import logging
import threading
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from lastro.api.client import Client, Refused, Unreadable
from lastro.api.retry import RetryPolicy
from lastro.errors import ApiRejected, ApiUnavailable, LastroError

TOKEN = "s3gr3do/+=çanário"  # noqa: S105 (a canary)
SPELLINGS = (TOKEN, "s3gr3do", "%C3%A7an%C3%A1rio", "an\\u00e1rio")


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1_773_000_000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Asking(Client):
    """A client that is given answers in turn, the last one for ever, and keeps what it asks."""

    def __init__(
        self, *answers: httpx.Response | Exception, clock: Clock | None = None, token: str = TOKEN, **options: Any
    ) -> None:
        self.seen: list[httpx.Request] = []
        self.answers, clock = answers, clock or Clock()
        moved = {"now": lambda: clock.now, "monotonic": lambda: clock.now, "sleep": clock.sleep, "rng": lambda: 0.5}
        transport = httpx.MockTransport(self.give)
        super().__init__(
            "https://servico.test/base", token, **{"limites": (), "transport": transport, **moved, **options}
        )

    def give(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        # No service sends the same one twice.
        return httpx.Response(answer.status_code, headers=answer.headers, stream=answer.stream)


def packed(body: bytes, encoding: str = "gzip") -> httpx.Response:
    return httpx.Response(200, stream=httpx.ByteStream(body), headers={"Content-Encoding": encoding})


def test_asks_with_get_the_token_and_the_parameters_in_order() -> None:
    with Asking(httpx.Response(200, text='[{"id": 1}]', headers={"Date": "Mon, 16 Mar 2026 12:00:00 GMT"})) as client:
        answer = client.get_json("/v1/lancamentos", {"conta_id": 101, "limit": 500, "start": 0}, shape="list")
    assert client.seen[0].method == "GET"
    assert dict(client.seen[0].url.params) == {"conta_id": "101", "limit": "500", "start": "0", "access_token": TOKEN}
    assert client.seen[0].url.path == "/base/v1/lancamentos"
    assert answer.origem == "/v1/lancamentos?conta_id=101&limit=500&start=0"
    assert answer.value == [{"id": 1}]
    assert answer.data_servidor == datetime(2026, 3, 16, 12, tzinfo=UTC)
    assert client.requests == 1


TRANSIENT: list[httpx.Response | Exception] = [
    httpx.ConnectError("no"),
    httpx.ReadError("no"),
    httpx.RemoteProtocolError("no"),
    httpx.ReadTimeout("no"),
    httpx.Response(408),
    httpx.Response(429),
    httpx.Response(500, json={"error": TOKEN}),
    httpx.Response(502, html="<html/>"),
    httpx.Response(503),
    httpx.Response(504),
    httpx.Response(200, html="<html>login</html>"),
    httpx.Response(200, text=""),
    httpx.Response(200, text='[{"id": 1}, {"id":'),
    httpx.Response(200, json={}),
    httpx.Response(200, json={"errors": {"base": ["x"]}}),
    httpx.Response(200, text="null"),
]


@pytest.mark.parametrize("fault", TRANSIENT, ids=lambda fault: getattr(fault, "text", type(fault).__name__)[:20])
def test_what_says_nothing_about_the_data_is_asked_for_again_and_given_up_within_seconds(
    fault: httpx.Response | Exception,
) -> None:
    with Asking(fault, fault, fault, httpx.Response(200, text="[]")) as client:
        assert client.get_json("/v1/categorias", shape="list").value == []
    assert len(client.seen) == 4
    clock = Clock()
    with Asking(fault, clock=clock) as client, pytest.raises(ApiUnavailable, match="/v1/categorias") as caught:
        client.get_json("/v1/categorias", shape="list")
    assert len(client.seen) == 7
    assert clock.now - 1_773_000_000.0 < 60
    assert_silent(caught.value)


def test_is_more_patient_with_a_service_that_has_answered_before() -> None:
    with Asking(httpx.Response(200, text="[]"), httpx.Response(500)) as client:
        client.get_json("/v1/categorias", shape="list")
        with pytest.raises(ApiUnavailable, match=r"10 tentativas durante \d+ s; a última: HTTP 500"):
            client.get_json("/v1/categorias", shape="list")
    assert len(client.seen) == 11


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_ends_the_run_at_once(status: int) -> None:
    with Asking(httpx.Response(status, json={"error": f"invalid token {TOKEN}"})) as client:
        for _ in range(5):
            with pytest.raises(ApiRejected, match="Confira o token, e base_url") as caught:
                client.get_json("/v1/categorias")
            assert_silent(caught.value)
    assert len(client.seen) == 1


def test_a_refused_token_stops_threads_that_are_waiting() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(401 if request.url.path.endswith("/bad") else 500)

    ended: list[str] = []
    with Client(
        "https://servico.test", TOKEN, limites=(), transport=httpx.MockTransport(handle), rng=lambda: 1.0
    ) as client:

        def ask() -> None:
            with pytest.raises(LastroError):
                client.get_json("/v1/slow")
            ended.append("ended")

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        with pytest.raises(ApiRejected):
            client.get_json("/v1/bad")
        for thread in threads:
            thread.join(timeout=60)
    assert len(ended) == 3


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_refuses_redirects_and_names_the_path_only(status: int) -> None:
    with Asking(
        httpx.Response(status, headers={"Location": f"https://outro.test/?access_token={quote(TOKEN)}"})
    ) as client:
        for _ in range(2):
            with pytest.raises(ApiRejected, match="redireciona") as caught:
                client.get_json("/v1/categorias")
            assert type(caught.value) is ApiRejected  # no word of the token: a new one would change nothing
    assert len(client.seen) == 1
    assert "outro.test" not in str(caught.value)
    assert_silent(caught.value)


def test_a_refusal_names_the_fields_and_not_their_texts() -> None:
    body = {"errors": {"conta_id": [f"não existe {TOKEN}"], "Fulano de Tal": ["x"]}}
    with Asking(httpx.Response(422, json=body)) as client:
        for _ in range(2):  # one refusal says nothing about other requests
            with pytest.raises(Refused, match=r"HTTP 422\); ele cita conta_id\. ") as caught:
                client.get_json("/v1/lancamentos", {"conta_id": 9})
            assert caught.value.status == 422
            assert_silent(caught.value)
    assert len(client.seen) == 2


def test_a_probe_takes_a_forbidden_path_for_an_absent_one() -> None:
    with Asking(httpx.Response(403), httpx.Response(200, text="[]")) as client:
        with pytest.raises(Refused):
            client.get_json("/v1/contas", probe=True)
        assert client.get_json("/v1/categorias").value == []
    assert len(client.seen) == 2


@pytest.mark.parametrize("probe", [False, True])
@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "7"}, '{"errors": {"x": ["y"]}}', 7.0),
        ({}, "<html>Request blocked</html>", 0.75),
        ({}, "", 0.75),
    ],
)
def test_a_403_that_asks_to_wait_is_waited_for_as_a_429_is(
    headers: dict[str, str], body: str, seconds: float, probe: bool
) -> None:
    clock = Clock()
    listed, limited = httpx.Response(200, text="[]"), httpx.Response(403, headers=headers, text=body)
    with Asking(listed, limited, listed, clock=clock) as client:
        client.get_json("/v1/categorias")
        assert client.get_json("/v1/contas", probe=probe, attempts=2 if probe else None, shape="list").value == []
    assert sum(clock.slept) == pytest.approx(seconds)


def test_a_403_of_the_service_is_a_refused_token_whatever_was_answered_before() -> None:
    with Asking(
        httpx.Response(200, text="[]"), httpx.Response(403, json={"errors": {"access_token": ["x"]}})
    ) as client:
        client.get_json("/v1/categorias")
        with pytest.raises(ApiRejected, match="recusa o token"):
            client.get_json("/v1/clientes")
    assert len(client.seen) == 2


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("Mon, 16 Mar 2026 12:00:09 GMT", 9.0), ("86400", 300.0), ("Mon, 16 Mar 2020 12:00:09 GMT", 0.0)],
)
def test_honours_retry_after_in_both_forms_within_reason(header: str, seconds: float) -> None:
    clock = Clock()
    busy = httpx.Response(429, headers={"Retry-After": header, "Date": "Mon, 16 Mar 2026 12:00:00 GMT"})
    with Asking(busy, httpx.Response(200, text="[]"), clock=clock) as client:
        client.get_json("/v1/categorias")
    assert sum(clock.slept) == pytest.approx(seconds, abs=0.001)


def test_an_empty_window_is_waited_for_when_a_429_does_not_say_how_long() -> None:
    clock = Clock()
    with Asking(
        *[httpx.Response(429)] * 8, httpx.Response(200, text="[]"), clock=clock, policy=RetryPolicy(first_attempts=10)
    ) as client:
        client.get_json("/v1/categorias")
    assert sum(clock.slept) >= 60


def test_the_breaker_ends_a_run_whose_service_only_fails() -> None:
    policy = RetryPolicy(breaker=12)
    with Asking(httpx.Response(503), policy=policy) as client:
        messages = []
        for _ in range(3):
            with pytest.raises(ApiUnavailable) as caught:
                client.get_json("/v1/categorias")
            messages.append(str(caught.value))
    assert len(client.seen) == 12
    assert "deu resposta legível 12 vezes seguidas" in messages[1]
    assert messages[2] == messages[1]


def test_reads_compressed_bodies_and_other_charsets() -> None:
    rows = [{"descricao": "Serviços"}]
    latin = '[{"descricao": "Serviços"}]'.encode("latin-1")
    with Asking(
        packed(gzip.compress(json.dumps(rows).encode())),
        httpx.Response(200, content=latin, headers={"Content-Type": "application/json; charset=iso-8859-1"}),
        httpx.Response(200, content=latin, headers={"Content-Type": "application/json"}),
        httpx.Response(200, content=b"\xef\xbb\xbf" + json.dumps(rows).encode()),
    ) as client:
        assert [client.get_json("/v1/categorias").value for _ in range(4)] == [rows] * 4


@pytest.mark.parametrize(
    "odd",
    [
        httpx.Response(206, text="[]"),
        httpx.Response(203, text="[]"),
        packed(b"x", "br"),
        packed(gzip.compress(gzip.compress(b"[]")), "gzip, gzip"),
        packed(gzip.compress(b" " * 2**25)),
        httpx.Response(200, text="[" + "1," * 10_000 + "1]"),
    ],
    ids=["206", "203", "brotli", "gzip twice", "gzip bomb", "rows"],
)
def test_what_is_no_whole_answer_of_the_size_asked_for_is_asked_again(odd: httpx.Response) -> None:
    with Asking(odd, httpx.Response(200, text="[]")) as client:
        assert client.get_json("/v1/lancamentos", shape="list").value == []
    assert len(client.seen) == 2
    assert {request.headers["Accept-Encoding"] for request in client.seen} == {"gzip"}


def test_a_list_that_comes_whole_may_have_more_rows_than_a_page() -> None:
    with Asking(httpx.Response(200, text="[" + "1," * 10_000 + "1]")) as client:
        assert len(client.get_json("/v1/clientes", shape="list", whole=True).value) == 10_001


def test_a_service_that_only_puts_off_ends_the_run_after_half_an_hour() -> None:
    """429 with a long Retry-After, for ever: each answer alone would be waited for much longer, list by list."""
    clock = Clock()
    began = clock.now
    with Asking(
        *[httpx.Response(429, headers={"Retry-After": "999999"}) for _ in range(40)], clock=clock, policy=RetryPolicy()
    ) as client:
        messages = []
        for _ in range(5):
            with pytest.raises(ApiUnavailable) as caught:
                client.get_json("/v1/categorias")
            messages.append(str(caught.value))
    assert "em 1800 s" in messages[-1] or "em 2100 s" in messages[-1]
    assert clock.now - began <= 1800 + 2 * 300
    assert len(client.seen) <= 9


def test_an_endless_body_is_cut_off() -> None:
    class Endless(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            while True:
                yield b" " * 2**20

    with Asking(httpx.Response(200, stream=Endless()), httpx.Response(200, text="[]")) as client:
        assert client.get_json("/v1/categorias").value == []


def test_a_token_that_the_service_echoes_in_its_data_is_masked() -> None:
    echo = json.dumps([{"id": 1, "url": f"/x?access_token={TOKEN}", "nota": TOKEN}])
    with Asking(httpx.Response(200, text=echo)) as client:
        answer = client.get_json("/v1/lancamentos")
    assert not any(spelling in answer.line.decode() for spelling in SPELLINGS)
    assert answer.value[0]["nota"] == "***"


def test_nothing_that_is_logged_at_debug_holds_the_token() -> None:
    stream = io.StringIO()
    handler_to_stream = logging.StreamHandler(stream)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler_to_stream)
    root.setLevel(logging.DEBUG)
    try:
        with Asking(
            httpx.ConnectError(f"cannot reach ?access_token={TOKEN}"), httpx.Response(200, text="[]")
        ) as client:
            client.get_json("/v1/categorias")
            for name in ("httpx", "httpcore.http11", "httpcore.connection"):
                logging.getLogger(name).debug("GET %s", f"https://x/?access_token={TOKEN}&a=1")
                logging.getLogger(name).info("Location: %s", httpx.URL("https://x/", params={"access_token": TOKEN}))
            assert TOKEN not in repr(client)
    finally:
        root.removeHandler(handler_to_stream)
        root.setLevel(before)
    text = stream.getvalue()
    assert "/v1/categorias" in text
    assert "access_token=***" in text
    assert not any(spelling in text for spelling in SPELLINGS)


def assert_silent(error: BaseException) -> None:
    """The error, its chain and its traceback hold neither the token nor an address."""
    text = "".join(traceback.format_exception(error)) + repr(error.__cause__) + repr(error.__context__)
    assert not any(spelling in text for spelling in SPELLINGS)
    assert "servico.test" not in str(error)
    assert error.__cause__ is None


def test_a_question_with_an_end_is_given_up_rather_than_waited_for() -> None:
    clock = Clock()
    busy = httpx.Response(429, headers={"Retry-After": "300"})
    with Asking(busy, httpx.Response(200, text="[]"), clock=clock) as client:
        began = clock.now
        with pytest.raises(ApiUnavailable, match="HTTP 429"):
            client.get_json("/v1/contas", attempts=2, probe=True, within=20.0)
        assert (clock.now - began, len(client.seen)) == (0.0, 1)
        # What the service asked for holds for whatever is asked next.
        client.get_json("/v1/categorias")
        assert clock.now - began == pytest.approx(300, abs=0.001)


def test_an_answer_that_cannot_be_read_is_told_from_none() -> None:
    for came, kind in ((httpx.Response(200, text="<html>"), Unreadable), (httpx.Response(503), ApiUnavailable)):
        with Asking(came) as client, pytest.raises(ApiUnavailable) as caught:
            client.get_json("/v1/tags", attempts=2)
        assert type(caught.value) is kind
        assert caught.value.documented_name == "ApiUnavailable"


def test_every_wait_says_how_long_and_why() -> None:
    heard: list[tuple[float, str]] = []
    answers = (
        httpx.Response(503),
        httpx.Response(429, headers={"Retry-After": "7"}),
        httpx.ConnectError("Connection refused"),
        httpx.Response(200, text="[]"),
    )
    clock = Clock()
    with Asking(*answers, clock=clock, on_wait=lambda seconds, why: heard.append((seconds, why))) as client:
        client.get_json("/v1/tags")
    assert [why for _, why in heard] == [
        "HTTP 503 em /v1/tags, tentativa 1",
        "HTTP 429 em /v1/tags",
        "a conexão falhou (ninguém escuta ali) em /v1/tags, tentativa 3",
    ]
    assert [seconds for seconds, _ in heard] == [pytest.approx(seconds, abs=0.001) for seconds in clock.slept]
    assert heard[1][0] == pytest.approx(7, abs=0.001)


def test_a_short_token_is_masked_as_the_name_of_a_field_and_not_in_text() -> None:
    body = json.dumps([{"id": 1, "tk9": "tk9 é o código", "tk9x": 2}])
    refusal = httpx.Response(422, json={"errors": {"tk9": ["?"], "tk9[0]": ["?"], "conta_id": ["?"]}})
    odd = httpx.Response(200, json={"tk9": 1})
    with Asking(httpx.Response(200, text=body), refusal, odd, token="tk9") as client:  # noqa: S106 - opens nothing
        assert client.get_json("/v1/tags").value == [{"id": 1, "***": "tk9 é o código", "tk9x": 2}]
        for shape in ("any", "list"):
            with pytest.raises((Refused, ApiUnavailable)) as caught:
                client.get_json("/v1/tags", shape=shape, attempts=1)
            assert "tk9" not in str(caught.value)


def test_guessed_characters_and_the_clock_come_with_the_answer() -> None:
    clock = Clock()
    served = datetime.fromtimestamp(clock.now - 90_000, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    with Asking(
        httpx.Response(200, content=b'["S\xe3o", "\\ud83d"]'),
        httpx.Response(200, text="[]", headers={"Date": served}),
        clock=clock,
    ) as client:
        answer = client.get_json("/v1/tags")
        assert (answer.repaired, client.clock_offset) == (2, None)
        client.get_json("/v1/tags")
        assert client.clock_offset is not None
        assert client.clock_offset.total_seconds() == pytest.approx(90_000, abs=1)
