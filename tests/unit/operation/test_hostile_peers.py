"""Peers that drip, keep silent or talk nonsense: NoticeNotSent in time, and nothing of theirs is told on."""

from __future__ import annotations

import logging
import socket
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lastro.commands.run import finish
from lastro.errors import NoticeNotSent
from lastro.operation.channels import SECONDS, Channel, Hook, Mail
from lastro.operation.notice_text import Notice
from lastro.settings import Avisos, Email, Empresa, Settings, Webhook
from tests.peers import PATIENCE, Script, peer, say

NOW = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
NOTICE = Notice("[lastro] ensaio", "Nada aconteceu.\n")
TIME, AMPLE = 0.2, 60.0
"""Seconds of what only the deadline ends, and of what ends by itself."""
LATE = f"não terminou em {TIME:g} segundos"


def mail(port: int, seguranca: str = "nenhuma", *own: Any, seconds: float = AMPLE) -> Mail:
    settings = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), port, *own)
    return Mail(settings, {"SENHA": "abre-te-sesamo"}, seguranca, seconds=seconds)


def hook(port: int, scheme: str = "http", seconds: float = AMPLE) -> Hook:
    return Hook(Webhook("ENDERECO"), {"ENDERECO": f"{scheme}://127.0.0.1:{port}/T00/segredo"}, seconds=seconds)


def miss(channel: Channel) -> str:
    """Send what cannot arrive: the error alone is told, and its thread ends with its peer."""
    with pytest.raises(NoticeNotSent) as caught:
        channel.send(NOTICE, NOW)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return str(caught.value)


def drip(part: bytes, *before: bytes) -> Script:
    """Say something again and again, for ten times as long as anybody waits."""

    def run(connection: socket.socket) -> None:
        pause = threading.Event()
        for each in before:
            connection.sendall(each)
            connection.recv(65_536)
        for _ in range(200):
            connection.sendall(part)
            pause.wait(TIME / 20)

    return run


HELLO, EHLO = b"220 loopback\r\n", b"250-loopback\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n"
MAILS: dict[str, tuple[str, Script, str]] = {
    "silence": ("nenhuma", say(b""), LATE),
    "a greeting without end": ("nenhuma", drip(b"220-still here\r\n"), LATE),
    "a line too long": ("nenhuma", say(b"220 " + b"x" * 9_000), "code 500"),
    "no number": ("nenhuma", say(b"\xff\xfe\x00 hello\r\n"), "SMTPConnectError, code -1"),
    "silence in the place of TLS": ("tls", say(b""), LATE),
    "plain in the place of TLS": ("tls", say(HELLO), "[SSL"),
    "an answer to EHLO without end": ("nenhuma", drip(b"250-X\r\n", HELLO), LATE),
    "silence after DATA": ("nenhuma", say(HELLO, EHLO, b"250 a\r\n", b"250 b\r\n", b"354 go\r\n"), LATE),
}


@pytest.mark.parametrize("case", MAILS)
def test_a_mail_server_is_waited_for_so_long_and_no_longer(case: str) -> None:
    seguranca, script, told = MAILS[case]
    with peer(script) as port:
        said = miss(mail(port, seguranca, seconds=TIME if told == LATE else AMPLE))
    assert said.startswith(f"servidor de e-mail 127.0.0.1:{port}: ")
    assert told in said


def test_a_server_that_has_the_mail_and_falls_silent_is_not_sent_it_again() -> None:
    taken = say(HELLO, EHLO, b"250 a\r\n", b"250 b\r\n", b"354 go\r\n", b"250 taken\r\n")
    with peer(taken) as port:
        assert mail(port).send(NOTICE, NOW) == ""


OK = b"HTTP/1.1 200 OK\r\n"
HOOKS: dict[str, tuple[Script, str]] = {
    "silence": (say(b""), LATE),
    "headers that drip": (drip(b"X: y\r\n", OK), LATE),
    "no status": (say(b"", b"nonsense\r\n\r\n"), "RemoteProtocolError"),
    "another place": (say(b"", b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\n\r\n"), "respondeu 307"),
}


@pytest.mark.parametrize("case", HOOKS)
def test_a_webhook_is_waited_for_so_long_and_no_longer(case: str) -> None:
    script, told = HOOKS[case]
    with peer(script) as port:
        said = miss(hook(port, seconds=TIME if told == LATE else AMPLE))
    assert said.startswith("webhook: ")
    assert told in said
    assert "segredo" not in said


@pytest.mark.parametrize("answer", [drip(b"x", b"", OK + b"\r\n"), say(b"", OK + b"Content-Length: 10\r\n\r\n")])
def test_a_body_that_does_not_end_takes_nothing_from_a_good_answer(answer: Script) -> None:
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
    assert SECONDS == 30


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
    for thread in threading.enumerate():
        if thread.name == "lastro-aviso":
            thread.join(PATIENCE)
