"""How a notice leaves: by mail or webhook, by the stdlib. No answer, address of a webhook or password is told on."""

from __future__ import annotations

import contextlib
import json
import smtplib
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import Final, Protocol

import certifi

from lastro.errors import NoticeNotSent
from lastro.notify.text import Notice
from lastro.settings import Avisos, Email, Webhook
from lastro.settings.operation import STARTTLS, TLS
from lastro.settings.parse import Wrong

SECONDS: Final = 10


class Channel(Protocol):
    """A way to people."""

    nome: str

    def send(self, notice: Notice, moment: datetime) -> str:
        """Send a notice.

        Returns:
            Who of them did not get it although others did; empty when everybody did.

        Raises:
            NoticeNotSent: when nobody got it.
        """


def open_channels(avisos: Avisos, env: Mapping[str, str]) -> tuple[Channel, ...]:
    """List the ways that the settings name; their secrets are read when something is sent."""
    channels: list[Channel] = []
    if avisos.email is not None:
        channels.append(Mail(avisos.email, env))
    if avisos.webhook is not None:
        channels.append(Hook(avisos.webhook, env))
    return tuple(channels)


def _trust(certificates: str) -> ssl.SSLContext:
    if certificates:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=certificates)
        return context
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certifi.where())
    return context


class Mail:
    """Mail by SMTP."""

    nome = "email"

    def __init__(self, settings: Email, env: Mapping[str, str]) -> None:
        self._settings = settings
        self._env = env

    def send(self, notice: Notice, moment: datetime) -> str:
        """Send a notice to all recipients.

        Returns:
            How many recipients the server refused, in words; empty for none.

        Raises:
            NoticeNotSent: naming server and reason.
        """
        own = self._settings
        message = EmailMessage()
        message["Subject"] = notice.assunto
        message["From"] = own.de
        message["To"] = ", ".join(own.para)
        message["Date"] = format_datetime(moment.astimezone(UTC))
        message["Message-ID"] = make_msgid("lastro", own.de.partition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(notice.texto)
        where = f"mail server {own.servidor}:{own.porta}"
        try:
            password = own.read_password(self._env)
            with contextlib.closing(self._connect()) as server:
                if own.seguranca == STARTTLS:
                    server.starttls(context=_trust(own.certificados))
                if own.usuario:
                    server.login(own.usuario, password)
                refused = server.send_message(message)
                # It has the message: what goes wrong with the farewell must not send it twice.
                with contextlib.suppress(OSError, smtplib.SMTPException):
                    server.quit()
        except Wrong as wrong:
            raise NoticeNotSent(f"[avisos.email]: {wrong}. Nobody was told.") from None
        except smtplib.SMTPResponseException as error:
            raise NoticeNotSent(f"{where}: {_name(error)}, code {error.smtp_code}. Nobody was told.") from None
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise NoticeNotSent(f"{where}: {_reason(error)}. Nobody was told.") from None
        return f"{where}: {len(refused)} of {len(own.para)} recipients were refused" if refused else ""

    def _connect(self) -> smtplib.SMTP:
        own = self._settings
        if own.seguranca == TLS:
            return smtplib.SMTP_SSL(own.servidor, own.porta, timeout=SECONDS, context=_trust(own.certificados))
        return smtplib.SMTP(own.servidor, own.porta, timeout=SECONDS)


class Hook:
    """POST of JSON to a chat or a program."""

    nome = "webhook"

    def __init__(self, settings: Webhook, env: Mapping[str, str]) -> None:
        self._settings = settings
        self._env = env

    def send(self, notice: Notice, moment: datetime) -> str:
        """Post a notice; an answer of 2xx means that it arrived, and redirects are not followed.

        Raises:
            NoticeNotSent: with the reason, never with the address, which is a secret.
        """
        body: dict[str, object] = {"text": f"{notice.assunto}\n\n{notice.texto}"}
        if self._settings.formato == "json":
            when = moment.astimezone(UTC).isoformat(timespec="seconds")
            body |= {"assunto": notice.assunto, "enviado_em": when, "avisos": list(notice.avisos)}
        try:
            request = urllib.request.Request(  # noqa: S310 - the settings take https, or http on this machine, alone
                self._settings.read_target(self._env),
                json.dumps(body, ensure_ascii=False).encode(),
                {"Content-Type": "application/json; charset=utf-8", "User-Agent": "lastro"},
            )
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}),
                urllib.request.HTTPSHandler(context=_trust(self._settings.certificados)),
                _NoRedirect(),
            )
            with opener.open(request, timeout=SECONDS):
                return ""
        except Wrong as wrong:
            raise NoticeNotSent(f"[avisos.webhook]: {wrong}. Nobody was told.") from None
        except urllib.error.HTTPError as error:
            error.close()
            raise NoticeNotSent(f"webhook: it answered {error.code}. Nobody was told.") from None
        except (OSError, ValueError) as error:
            raise NoticeNotSent(f"webhook: {_reason(error)}. Nobody was told.") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A notice goes where the settings say, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing: the answer itself is then the error."""
        return


def _reason(error: BaseException) -> str:
    cause = getattr(error, "reason", error)
    told = cause if isinstance(cause, BaseException) else error
    if isinstance(told, ssl.SSLCertVerificationError):
        return "its certificate is not trusted; name the authority in certificados"
    return getattr(told, "strerror", None) or _name(told)


def _name(error: BaseException) -> str:
    return type(error).__name__
