"""Peers that drip, keep silent, talk nonsense or never end: NoticeNotSent in time, and nothing is left behind."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lastro.commands.run import finish
from lastro.errors import NoticeNotSent
from lastro.operation.channels import MAX_SAID, SECONDS, Channel, Hook, Mail
from lastro.operation.deadline import Connections, end_within
from lastro.operation.notice_text import Notice
from lastro.settings import Avisos, Email, Empresa, Settings, Webhook
from tests.peers import PATIENCE, Script, drip, peer, say

NOW = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
NOTICE = Notice("[lastro] ensaio", "Nada aconteceu.\n")
TIME, TLS_TIME, AMPLE = 0.1, 1.0, 60.0
"""Seconds of what only the deadline ends, of that in a handshake, and of what ends by itself.

The end must not come while TLS begins: Python (3.11) leaves the socket open whose peer is gone just then.
"""


@pytest.fixture(scope="module", autouse=True)
def few_objects() -> Iterator[None]:
    """What there was before is not looked through each time that what a test left is collected."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def mail(port: int, seguranca: str = "nenhuma", *own: Any, seconds: float = AMPLE) -> Mail:
    settings = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), port, *own)
    return Mail(settings, {"SENHA": "abre-te-sesamo"}, seguranca, seconds=seconds)


def hook(port: int, scheme: str = "http", seconds: float = AMPLE) -> Hook:
    return Hook(Webhook("ENDERECO"), {"ENDERECO": f"{scheme}://127.0.0.1:{port}/T00/segredo"}, seconds=seconds)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "lastro-aviso"]


def miss(channel: Channel) -> str:
    """Send what cannot arrive: the error is told, and no thread or open socket outlives it.

    What a deadline ends says so, and its peer would go on for ever: the time itself is not measured.
    """
    with pytest.raises(NoticeNotSent) as caught:
        channel.send(NOTICE, NOW)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    for thread in threads():
        thread.join(PATIENCE)
    assert not threads()
    gc.collect()  # an open socket is a ResourceWarning now, and so an error
    return str(caught.value)


LATE = "não terminou em {:g} segundos"
HELLO, EHLO = b"220 loopback\r\n", b"250-loopback\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n"
TLS_BEGUN = b"\x16\x03\x03\x40\x00"
"""A record of 16 kB that has begun."""
MAILS: dict[str, tuple[str, Script, str]] = {
    "silence": ("nenhuma", say(b""), LATE),
    "half a greeting, byte by byte": ("nenhuma", drip(b"2"), LATE),
    "a greeting without end": ("nenhuma", drip(b"220-still here\r\n"), LATE),
    "a greeting without end, at full speed": ("nenhuma", drip(b"220-\r\n" * 5_000, pause=0), "mais de 100 kB"),
    "a line too long": ("nenhuma", say(b"220 " + b"x" * 9_000), "code 500"),
    "no number": ("nenhuma", say(b"\xff\xfe\x00 hello\r\n"), "SMTPConnectError, code -1"),
    "another number": ("nenhuma", say(b"999 hello\r\n"), "SMTPConnectError, code 999"),
    "a web page": ("nenhuma", say(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "code -1"),
    "silence in the place of TLS": ("tls", say(b""), LATE),
    "a handshake that drips": ("tls", drip(b"\x00", TLS_BEGUN), LATE),
    "plain in the place of TLS": ("tls", say(HELLO), "[SSL"),
    "silence after EHLO": ("nenhuma", say(HELLO), LATE),
    "an answer to EHLO without end": ("nenhuma", drip(b"250-X\r\n", HELLO), LATE),
    "silence in the place of STARTTLS": ("starttls", say(HELLO, EHLO, b"220 go\r\n"), LATE),
    "STARTTLS that drips": ("starttls", drip(b"\x00", HELLO, EHLO, b"220 go\r\n", TLS_BEGUN), LATE),
    "silence after DATA": ("nenhuma", say(HELLO, EHLO, b"250 a\r\n", b"250 b\r\n", b"354 go\r\n"), LATE),
    "gone after DATA": (
        "nenhuma", lambda peer: say_and_go(peer, HELLO, EHLO, b"250 a\r\n", b"250 b\r\n", b"354 go\r\n"), ""),
}  # fmt: skip


def say_and_go(connection: socket.socket, *parts: bytes) -> None:
    for part in parts:
        connection.sendall(part)
        connection.recv(65_536)
    connection.shutdown(socket.SHUT_WR)  # an end, and no reset of what is still on its way here
    while connection.recv(65_536):
        pass


@pytest.mark.parametrize("case", MAILS)
def test_a_mail_server_is_waited_for_so_long_and_no_longer(case: str) -> None:
    seguranca, script, told = MAILS[case]
    with peer(script) as port:
        seconds = AMPLE if told != LATE else TIME if seguranca == "nenhuma" else TLS_TIME
        said = miss(mail(port, seguranca, seconds=seconds))
    assert said.startswith(f"servidor de e-mail 127.0.0.1:{port}: ")
    assert told.format(seconds) in said


def test_silence_after_a_password_is_an_end_and_not_told_on() -> None:
    with peer(say(HELLO, EHLO)) as port:
        said = miss(mail(port, "nenhuma", "lastro", "SENHA", seconds=TIME))
    assert said == f"servidor de e-mail 127.0.0.1:{port}: {LATE.format(TIME)}."


def test_a_server_that_has_the_mail_and_falls_silent_is_not_sent_it_again() -> None:
    taken = say(HELLO, EHLO, b"250 a\r\n", b"250 b\r\n", b"354 go\r\n", b"250 taken\r\n")
    with peer(taken) as port:
        assert mail(port).send(NOTICE, NOW) == ""


OK = b"HTTP/1.1 200 OK\r\n"
HOOKS: dict[str, tuple[Script, str]] = {
    "silence": (say(b""), LATE),
    "half a status, byte by byte": (drip(b"H"), LATE),
    "headers that drip": (drip(b"X: y\r\n", OK), LATE),
    "a header that drips": (drip(b"y", OK + b"X: "), LATE),
    "headers without end, at full speed": (drip(b"X: y\r\n" * 5_000, OK, pause=0), "RemoteProtocolError"),
    "hints without end": (drip(b"HTTP/1.1 103 Early Hints\r\n\r\n", b""), LATE),
    "no status": (say(b"", b"nonsense\r\n\r\n"), "RemoteProtocolError"),
    "a status of letters": (say(b"", b"HTTP/1.1 OK\r\n\r\n"), "RemoteProtocolError"),
    "a status too long": (say(b"", b"HTTP/1.1 200 " + b"x" * 200_000 + b"\r\n\r\n"), "RemoteProtocolError"),
    "bytes": (say(b"", b"\x00\xff" * 100), "RemoteProtocolError"),
    "gone": (lambda connection: say_and_go(connection, b""), "RemoteProtocolError"),
    "another place": (say(b"", b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\n\r\n"), "respondeu 307"),
    "a question for a password": (
        say(b"", b'HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm="a"\r\n\r\n'), "respondeu 401"),
    "another protocol": (
        say(b"", b"HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "RemoteProtocolError"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOOKS)
def test_a_webhook_is_waited_for_so_long_and_no_longer(case: str) -> None:
    script, told = HOOKS[case]
    with peer(script) as port:
        said = miss(hook(port, seconds=TIME if told == LATE else AMPLE))
    assert said.startswith("webhook: ")
    assert told.format(TIME) in said


@pytest.mark.parametrize("script", [say(b""), drip(b"\x00", TLS_BEGUN), say(b"", b"HTTP/1.1 200 OK\r\n\r\n")])
def test_a_webhook_without_tls_that_ends_is_told(script: Script) -> None:
    with peer(script) as port:
        said = miss(hook(port, "https", TLS_TIME))
    assert "segredo" not in said


@pytest.mark.parametrize(
    "answer",
    [
        drip(b"x" * 1_000, b"", OK + b"\r\n"),
        say(b"", OK + b"".join(b"X-%d: y\r\n" % number for number in range(200)) + b"\r\n"),
        say(b"", OK + b"Content-Length: 10\r\n\r\n"),
        say(b"", OK + b"Set-Cookie: a=b\r\nTransfer-Encoding: chunked\r\n\r\nzzz"),
    ],
    ids=["a body without end", "200 headers", "a body that does not come", "a body of nonsense"],
)
def test_what_follows_a_good_answer_is_not_waited_for(answer: Script) -> None:
    with peer(answer) as port:
        assert hook(port).send(NOTICE, NOW) == ""


def test_nonsense_of_a_webhook_does_not_end_what_follows_a_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dados").mkdir()
    empresa = Empresa("acme", "Acme Ltda", "https://servico.exemplo", "TOKEN")
    with peer(say(b"", b"nonsense\r\n\r\n")) as port:
        (tmp_path / "endereco").write_text(f"http://127.0.0.1:{port}/T00/segredo", encoding="utf-8")
        avisos = Avisos(disco_minimo_mb=1, webhook=Webhook(endereco_file=str(tmp_path / "endereco")))
        finish(Settings(tmp_path / "dados", "America/Sao_Paulo", (empresa,), "lastro.toml", avisos=avisos))
    assert "lastro: webhook: RemoteProtocolError. Ninguém foi avisado." in capsys.readouterr().err


def test_half_a_minute_is_the_time_of_a_channel() -> None:
    assert SECONDS == 30
    assert MAX_SAID == 100_000


def test_what_cannot_be_cut_is_left_alone() -> None:
    """As a look-up of a name, which nothing ends but the system."""
    release, held = threading.Event(), Connections()

    def work(connections: Connections) -> None:
        release.wait()
        one, other = socket.socketpair()
        with one, other:
            connections.hold(one)  # too late: cut at once
            assert other.recv(1) == b""
            held.hold(one)
            held.cut()

    with pytest.raises(TimeoutError):
        end_within(TIME, work)
    (thread,) = threads()
    assert thread.daemon
    release.set()
    thread.join(PATIENCE)
    assert not threads()


def test_an_interrupt_comes_through_and_cuts() -> None:
    me = threading.main_thread().ident
    assert me is not None

    def interrupt(connection: socket.socket) -> None:
        signal.pthread_kill(me, signal.SIGINT)
        while connection.recv(65_536):
            pass

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a worker of pytest ignores it
    try:
        # A signal between Python's last look and its wait is seen when the wait ends, rarely: no reason to wait long.
        with peer(interrupt) as port, pytest.raises(KeyboardInterrupt):
            mail(port, seconds=10).send(NOTICE, NOW)
    finally:
        signal.signal(signal.SIGINT, before)
    for thread in threads():
        thread.join(PATIENCE)
    assert not threads()


def test_no_log_line_holds_the_address_even_of_what_the_receiver_echoes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(connection: socket.socket) -> None:
        path = connection.recv(65_536).split()[1]
        connection.sendall(
            b"HTTP/1.1 302 Found\r\nLocation: " + path + b"\r\nX-Asked: http://127.0.0.1" + path + b"\r\n\r\n"
        )

    with peer(echo) as port, pytest.raises(NoticeNotSent):
        hook(port).send(NOTICE, NOW)
    assert "302" in caplog.text
    assert "segredo" not in caplog.text
