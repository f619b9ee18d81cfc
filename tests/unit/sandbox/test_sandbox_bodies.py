"""What a body may be: UTF-8, whatever its kind, and refused as a whole otherwise."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx
import pytest

from lastro_sandbox import create_app, golden_company, serve
from lastro_sandbox.params import explain_decimal

FORM = "application/x-www-form-urlencoded"
MULTIPART = 'multipart/form-data; boundary="x"'


@pytest.fixture(scope="module")
def observed() -> Iterator[httpx.Client]:
    with (
        serve(create_app(golden_company(), dialeto="observado")) as running,
        httpx.Client(base_url=running.base_url, params={"access_token": "sandbox"}) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (FORM, b"descricao=Conta\xe7\xe3o"),
        (FORM, b"descricao=Conta%E7%E3o"),
        (FORM, b"descri%E7ao=x"),
        ("text/plain", b"descricao=\xff"),
        ("application/json", b'{"descricao": "Conta\xe7\xe3o"}'),
        ("application/json", b'{"descricao": "\\ud800"}'),
        ("application/json", b'{"\\ud800": "x"}'),
        (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="descricao"\r\n\r\nConta\xe7\xe3o\r\n--x--\r\n'),
        (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="descri\xe7ao"\r\n\r\nx\r\n--x--\r\n'),
        (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="file"; filename="\xe7.txt"\r\n\r\nx\r\n--x--\r\n'),
    ],
)  # fmt: skip
def test_a_body_that_is_not_utf_8_is_refused(observed: httpx.Client, kind: str, body: bytes) -> None:
    answer = observed.post("/v1/contas", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["corpo"])
    assert "UTF-8" in answer.json()["errors"]["corpo"][0]


@pytest.mark.parametrize("text", [b"%E7", b"\xe7"])
def test_parameters_that_are_not_utf_8_are_refused(observed: httpx.Client, text: bytes) -> None:
    with socket.create_connection(("127.0.0.1", observed.base_url.port or 0)) as plain:
        plain.sendall(b"GET /v1/lancamentos?access_token=sandbox&conta_id=101&busca=" + text + b" HTTP/1.1\r\n"
                      b"Host: x\r\nConnection: close\r\n\r\n")  # fmt: skip
        answer = plain.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"UTF-8" in answer or text == b"\xe7"  # what is no text at all does not pass the server before us


def test_utf_8_is_kept_in_every_kind_of_body(observed: httpx.Client) -> None:
    name = "Conta ção 🏦"
    for arguments in ({"data": {"descricao": name}}, {"json": {"descricao": name}},
                      {"files": {"descricao": (None, name)}}, {"content": f"descricao={name}".encode()}):  # fmt: skip
        assert observed.post("/v1/contas", **arguments).json()["descricao"] == name


@pytest.mark.parametrize(
    ("text", "says"),
    [("10.505", "duas casas"), ("12345678901234", "13 algarismos"), ("abc", "como 10.00"), ("1e2", "como 10.00")],
)
def test_an_amount_that_is_refused_says_why(text: str, says: str) -> None:
    assert says in explain_decimal(text)
