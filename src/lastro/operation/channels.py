"""How a notice leaves: by mail or webhook. No answer, address of a webhook or password is told on, or logged."""

from __future__ import annotations

import contextlib
import json
import re
import smtplib
import ssl
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from functools import partial
from typing import Any, Final

import httpx

from lastro.api.redaction import TOKEN_FILTER, list_spellings
from lastro.api.wire import build_transport, trust
from lastro.errors import NoticeNotSent
from lastro.grid.words import show_plainly
from lastro.operation.notice_text import Notice
from lastro.settings import Avisos, Email, Webhook
from lastro.settings.operation import CARTAO, STARTTLS, TLS, find_security
from lastro.settings.parsers import Wrong

SECONDS: Final = 30.0
"""What one channel may take in all, whatever the other side does; no wait of a socket ends before that."""
ANSWER_SECONDS: Final = 2.0
MAX_ANSWER: Final = 2_000
"""How long the body of a chat's answer may take, and how much of it is read: what says that it failed is short."""
ACCEPTED: Final = 202


_UNMET: Final = (
    ": pede usuario e senha, ou criptografia, que não há a localhost; aí escreva em servidor o nome da máquina"
)
"""What mends code 530 of a mail server."""
_WORDS: Final = re.compile(r"\b(fail(s|ed|ure)?|errors?)\b", re.IGNORECASE)
"""What a text says that took nothing: "Webhook message delivery failed with error: ..."."""
_NUMBERS: Final = ("errcode", "code", "statuscode", "status", "retcode")
"""Keys under which chats say by a number, or a word, how it went; 0 and what HTTP calls a success are good."""


def write_message(formato: str, subject: str, text: str) -> dict[str, Any]:
    r"""Write a notice as a chat takes it.

    Args:
        formato: `texto`, which most take, or `cartao` for what shows cards alone (a workflow of Teams).

    >>> write_message("texto", "Falhou", "Desde 6h.")
    {'text': 'Falhou\n\nDesde 6h.'}
    """
    if formato != CARTAO:
        return {"text": f"{subject}\n\n{text}"}
    # Runs of text, for a block of text reads Markdown, which a name of a file may hold; a block for each line of it.
    lines = [{"type": "TextRun", "text": subject, "weight": "Bolder"}]
    lines += [{"type": "TextRun", "text": line} for line in text.splitlines() if line]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": [{"type": "RichTextBlock", "inlines": [line]} for line in lines],
    }
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [content]}


def is_refusal(answer: bytes) -> bool:
    """Tell whether the body of an answer of status 2xx says that nothing was shown; silence says nothing.

    >>> [is_refusal(said) for said in (b"", b"ok", b"1", b'{"errcode": 0, "errmsg": "ok"}', b'{"text": "error"}')]
    [False, False, False, False, False]
    >>> [is_refusal(said) for said in (b'{"ok": false}', b'{"code": 9499, "msg": "Bad Request"}', b"delivery failed")]
    [True, True, True]
    """
    text = answer.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return bool(_WORDS.search(text))
    return isinstance(said, dict) and _refuses({key.casefold(): value for key, value in said.items()})


def _refuses(said: Mapping[str, Any]) -> bool:
    if any(said.get(key) is False for key in ("ok", "success")) or said.get("error") or said.get("errors"):
        return True
    return any(_is_bad(said[key]) for key in _NUMBERS if key in said)


def _is_bad(value: object) -> bool:
    if isinstance(value, str) and not value.isdecimal():
        return bool(_WORDS.search(value))
    if isinstance(value, bool) or not isinstance(value, int | str):
        return False
    return int(value) != 0 and not 200 <= int(value) < 300


class Channel(ABC):
    """A way to people."""

    nome: str
    where: str
    takes_pages = False
    """Whether it also carries the page of a company, on which there are names (`resumo`)."""

    def __init__(self, env: Mapping[str, str], seconds: float) -> None:
        self._env = env
        self._seconds = seconds

    def send(self, notice: Notice, moment: datetime) -> str:
        """Send a notice.

        Returns:
            Who of them did not get it although others did, or what its answer leaves open; empty when everybody did.

        Raises:
            NoticeNotSent: when nobody got it in time, naming the reason; and nothing else, whatever went wrong.
        """
        try:
            return _end_within(self._seconds, partial(self._send, notice, moment))
        except Wrong as wrong:
            why = f"[avisos.{self.nome}]: {wrong}."
        except Exception as error:  # noqa: BLE001 - what a peer can cause has no bounds
            why = f"{self.where}: {self._find_reason(error)}."
        # Out here it knows nothing of the error, which may hold the address.
        raise NoticeNotSent(why)

    @abstractmethod
    def _send(self, notice: Notice, moment: datetime) -> str:
        """Send it, as `send` says, raising whatever comes."""

    def _find_reason(self, error: Exception) -> str:
        if isinstance(error, _Answered):
            return str(error)
        if isinstance(error, smtplib.SMTPResponseException):
            return f"{type(error).__name__}, code {error.smtp_code}{_UNMET if error.smtp_code == 530 else ''}"
        for each in _list_causes(error):
            if isinstance(each, ssl.SSLCertVerificationError):
                return "o certificado não é de confiança; nomeie a autoridade em certificados"
            if isinstance(each, OSError) and each.strerror:
                return each.strerror
            if isinstance(each, TimeoutError):
                return f"não terminou em {self._seconds:g} segundos"
        return type(error).__name__


class Mail(Channel):
    """Mail by SMTP."""

    nome = "email"

    def __init__(
        self, settings: Email, env: Mapping[str, str], seguranca: str, certificados: str = "", seconds: float = SECONDS
    ) -> None:
        super().__init__(env, seconds)
        self._settings, self._seguranca, self._certificados = settings, seguranca, certificados
        self.takes_pages = settings.resumo
        self.where = f"servidor de e-mail {settings.servidor}:{settings.porta}"

    def _send(self, notice: Notice, moment: datetime) -> str:
        own = self._settings
        message = EmailMessage()
        message["Subject"] = _write_subject(notice)
        message["From"] = own.de
        message["To"] = ", ".join(own.para)
        message["Date"] = format_datetime(moment.astimezone(UTC))
        message["Message-ID"] = make_msgid("lastro", own.de.partition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(show_plainly(notice.texto))
        password = own.read_password(self._env)
        with contextlib.closing(self._call()) as server:
            if self._seguranca == STARTTLS:
                server.starttls(context=trust(self._certificados))
            if own.usuario:
                server.login(own.usuario, password)
            refused = server.send_message(message)
            # It has the message: its farewell is not waited for, lest the message be sent twice.
            with contextlib.suppress(OSError):
                server.putcmd("QUIT")
        return f"{self.where}: {len(refused)} de {len(own.para)} destinatários foram recusados" if refused else ""

    def _call(self) -> smtplib.SMTP:
        own = self._settings
        if self._seguranca != TLS:
            return smtplib.SMTP(own.servidor, own.porta, timeout=2 * self._seconds)
        return smtplib.SMTP_SSL(own.servidor, own.porta, timeout=2 * self._seconds, context=trust(self._certificados))


class Hook(Channel):
    """POST of JSON to a chat.

    The request goes to the transport of httpx and past its client: that one would write the address to a log, obey
    cookies and the environment, and follow redirects.
    """

    nome = where = "webhook"

    def __init__(
        self, settings: Webhook, env: Mapping[str, str], certificados: str = "", seconds: float = SECONDS
    ) -> None:
        super().__init__(env, seconds)
        self._settings, self._certificados = settings, certificados

    def _send(self, notice: Notice, _: datetime) -> str:
        body = write_message(self._settings.formato, _write_subject(notice), show_plainly(notice.texto))
        address = self._settings.read_target(self._env)
        request = httpx.Request(
            "POST",
            address,
            headers={"Content-Type": "application/json; charset=utf-8", "User-Agent": "lastro"},
            content=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            extensions={"timeout": httpx.Timeout(2 * self._seconds).as_dict()},
        )
        for secret in (address, request.url.raw_path.decode()):
            # A receiver may echo its address, and what is received is logged below.
            TOKEN_FILTER.add(list_spellings(secret))
        with build_transport(self._certificados) as transport:
            response = transport.handle_request(request)
            said = _read_answer(response)
        if not response.is_success:
            raise _Answered(f"respondeu {response.status_code}")
        if is_refusal(said):
            raise _Answered(f"respondeu {response.status_code}, e disse que falhou")
        if response.status_code == ACCEPTED and self._settings.formato != CARTAO:
            return 'respondeu 202, aceito e não mostrado; se nada chega ao chat, formato = "cartao"'
        return ""


def _read_answer(response: httpx.Response) -> bytes:
    """Read what a good answer says, and no more or longer than such a thing takes; what does not come says nothing."""
    said: list[bytes] = []

    def read() -> str:
        for part in response.iter_raw() if response.is_success else ():
            said.append(part)
            if sum(map(len, said)) >= MAX_ANSWER:
                break
        return ""

    with contextlib.suppress(httpx.HTTPError, OSError):  # what breaks off has been taken all the same
        _end_within(ANSWER_SECONDS, read)
    with contextlib.suppress(httpx.HTTPError, OSError):
        response.close()
    return b"".join(said)[:MAX_ANSWER]


class _Answered(Exception):
    """The other side answered, and not as it should; the text says how."""


def open_channels(avisos: Avisos, env: Mapping[str, str]) -> tuple[Channel, ...]:
    """List the ways that the settings name; their secrets are read when something is sent."""
    channels: list[Channel] = []
    if (email := avisos.email) is not None:
        channels.append(Mail(email, env, find_security(email.servidor, email.porta), avisos.certificados))
    if avisos.webhook is not None:
        channels.append(Hook(avisos.webhook, env, avisos.certificados))
    return tuple(channels)


def _end_within(seconds: float, work: Callable[[], str]) -> str:
    """Do something with a peer, and wait for it no longer than so many seconds, however often it says a little.

    Raises:
        TimeoutError: when the work came to no end; its thread ends with the process at the latest.
        Exception: whatever the work raised.
    """
    done: Future[str] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            done.set_exception(error)

    threading.Thread(target=run, name="lastro-aviso", daemon=True).start()
    return done.result(seconds)


def _write_subject(notice: Notice) -> str:
    """Write the subject in one line, whatever breaks a line in it."""
    return show_plainly(" ".join(notice.assunto.split()))


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """List an error and what caused it."""
    while error is not None:
        yield error
        error = error.__cause__
