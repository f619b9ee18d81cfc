"""The connection by real sockets: whose certificate is trusted, what the environment may say, what wrong ports say."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from lastro.api.client import Client
from lastro.api.retry import RetryPolicy
from lastro.errors import ApiUnavailable
from tests.peers import drip, peer, say

CERTIFICATES = Path(__file__).parents[2] / "stored/tls"
CA = CERTIFICATES / "ca.pem"
TOKEN = "ficha-7d1f-segura"  # noqa: S105 - opens nothing
ONCE = RetryPolicy(base=0.001, cap=0.001, attempts=1, first_attempts=1)


class _Service(BaseHTTPRequestHandler):
    """Answers an empty list, or the status and body that its server is told."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined] # a list that each test gives it
        status, body = self.server.answer  # type: ignore[attr-defined] # the same
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the library
        """Say nothing."""


@contextmanager
def serve(*, tls: bool, answer: tuple[int, bytes] = (200, b"[]")) -> Iterator[tuple[int, list[str]]]:
    """Serve on an ephemeral port; gives it and what was asked."""
    server = HTTPServer(("127.0.0.1", 0), _Service, bind_and_activate=True)
    asked: list[str] = []
    server.asked, server.answer = asked, answer  # type: ignore[attr-defined] # read by the handler
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a refused handshake is no news
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / "server.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def read(address: str, certificados: str = "", token: str = TOKEN) -> object:
    with Client(address, token, limites=(), policy=ONCE, certificados=certificados) as client:
        return client.get_json("/v1/categorias", shape="list").value


def test_the_firms_own_authority_is_trusted_when_the_settings_name_it() -> None:
    with serve(tls=True) as (port, asked):
        assert read(f"https://127.0.0.1:{port}", CA.read_text(encoding="ascii")) == []
    assert len(asked) == 1


def test_nobody_else_is_trusted_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.setenv(name, str(CA))
    monkeypatch.setenv("SSL_CERT_DIR", str(CERTIFICATES))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    with serve(tls=True) as (port, asked):
        with pytest.raises(ApiUnavailable, match="o certificado TLS não é de confiança"):
            read(f"https://127.0.0.1:{port}")
        assert read(f"https://127.0.0.1:{port}", CA.read_text(encoding="ascii")) == []
    assert len(asked) == 1
    assert not (tmp_path / "keys").exists()


def test_variables_that_name_nothing_do_no_harm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "gone/keys"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with serve(tls=False) as (port, _):
        assert read(f"http://127.0.0.1:{port}") == []


def test_a_certificate_for_another_name_is_refused() -> None:
    with serve(tls=True) as (port, asked), pytest.raises(ApiUnavailable, match="o certificado TLS não é de confiança"):
        read(f"https://localhost:{port}", CA.read_text(encoding="ascii"))
    assert not asked


def test_a_port_of_the_other_kind_is_told() -> None:
    with serve(tls=False) as (port, _), pytest.raises(ApiUnavailable, match="essa porta não fala TLS"):
        read(f"https://127.0.0.1:{port}")


def test_a_port_that_speaks_tls_is_told() -> None:
    """Most services answer a request in clear with an alert, the first bytes of TLS."""
    alert = say(b"", b"\x15\x03\x01\x00\x02\x02\x46")
    with peer(alert) as port, pytest.raises(ApiUnavailable, match="fala TLS: escreva https"):
        read(f"http://127.0.0.1:{port}")


def test_not_modified_is_no_redirect() -> None:
    with (
        serve(tls=False, answer=(304, b"")) as (port, _),
        pytest.raises(ApiUnavailable, match="HTTP 304, como se"),
    ):
        read(f"http://127.0.0.1:{port}")


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DRIPS = {
    "header lines": (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
    "early hints": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "a chunk size": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "the head of a gzip stream": (
        HEAD + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\xff", b"name",
    ),
    "a body": (HEAD + b"\r\n[", b" "),
}  # fmt: skip


@pytest.mark.parametrize("what", DRIPS)
def test_an_answer_that_never_ends_ends_with_the_attempt(what: str) -> None:
    """No read ever waits long here; only the attempt as a whole has an end."""
    first, again = DRIPS[what]
    with (
        peer(drip(again, first)) as port,
        Client(f"http://127.0.0.1:{port}", TOKEN, limites=(), policy=ONCE, attempt_seconds=0.3) as client,
        pytest.raises(ApiUnavailable, match=r"tempo esgotado \((Read|Connect)Timeout\)"),
    ):
        client.get_json("/v1/categorias", shape="list")
