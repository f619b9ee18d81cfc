"""Notices as they arrive: at a mail server and at a receiver of webhooks, both on loopback; and what goes wrong."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from typing import Any

import pytest

from lastro.errors import NoticeNotSent
from lastro.operation.channels import Hook, Mail, open_channels
from lastro.operation.notice_text import Notice
from lastro.settings import Avisos, Email, Webhook
from lastro.settings.operation import NENHUMA, STARTTLS
from tests.mailbox import TLS, serve_hook, serve_mail

NOW = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
NOTICE = Notice("[lastro] Padaria São João: a execução falhou", "Números de ontem.\n.\nFim\n")
PASSWORD = "senha-31-segura"  # noqa: S105 - opens a test's mailbox


def email(port: int, **more: Any) -> Email:
    return Email("127.0.0.1", "lastro@example.com", ("ana@example.com", "caio@example.com"), port, **more)


def test_a_mail_arrives_whole_at_all_recipients() -> None:
    with serve_mail() as box:
        assert Mail(email(box.port), {}, NENHUMA).send(NOTICE, NOW) == ""
    (message,) = box.messages
    assert box.recipients == [["ana@example.com", "caio@example.com"]]
    assert message["Subject"] == NOTICE.assunto
    assert (message["From"], message["To"]) == ("lastro@example.com", "ana@example.com, caio@example.com")
    assert message["Date"].datetime == NOW
    assert message["Auto-Submitted"] == "auto-generated"
    assert message.get_content().replace("\r\n", "\n") == NOTICE.texto


def test_a_password_goes_out_only_encrypted_and_a_foreign_certificate_is_refused() -> None:
    own, trusted = {"usuario": "lastro", "senha_env": "SENHA"}, (TLS / "ca.pem").read_text(encoding="ascii")
    with serve_mail(tls=True, password=PASSWORD) as box:
        Mail(email(box.port, **own), {"SENHA": PASSWORD}, STARTTLS, trusted).send(NOTICE, NOW)
        assert box.said.index("STARTTLS") < next(n for n, said in enumerate(box.said) if said.startswith("AUTH"))
        with pytest.raises(
            NoticeNotSent, match=r"o certificado não é de confiança; nomeie a autoridade em certificados"
        ):
            Mail(email(box.port, **own), {"SENHA": PASSWORD}, STARTTLS).send(NOTICE, NOW)
        with pytest.raises(NoticeNotSent, match=r"code 535\.$") as caught:
            Mail(email(box.port, **own), {"SENHA": "errada-77"}, STARTTLS, trusted).send(NOTICE, NOW)
    assert "errada-77" not in str(caught.value)
    assert len(box.messages) == 1


def test_without_starttls_no_password_is_sent() -> None:
    with serve_mail(password=PASSWORD) as box, pytest.raises(NoticeNotSent):
        Mail(email(box.port, usuario="lastro", senha_env="SENHA"), {"SENHA": PASSWORD}, STARTTLS).send(NOTICE, NOW)
    assert not any(said.startswith("AUTH") for said in box.said)


def test_a_refused_recipient_is_told_and_the_others_get_theirs() -> None:
    with serve_mail(refuse=("ana@example.com",)) as box:
        said = Mail(email(box.port), {}, NENHUMA).send(NOTICE, NOW)
    assert said.endswith("1 de 2 destinatários foram recusados")
    assert box.recipients == [["caio@example.com"]]


def test_what_stops_a_mail_is_told_without_what_the_server_said() -> None:
    with serve_mail(down=True) as box, pytest.raises(NoticeNotSent, match="code 421") as caught:
        Mail(email(box.port), {}, NENHUMA).send(NOTICE, NOW)
    assert "secret-desk" not in str(caught.value)
    with serve_mail(demanding=True) as box, pytest.raises(NoticeNotSent, match="code 530: pede usuario e senha, ou "):
        Mail(email(box.port), {}, NENHUMA).send(NOTICE, NOW)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(NoticeNotSent, match=f"127.0.0.1:{port}: Connection refused"):
            Mail(email(port), {}, STARTTLS).send(NOTICE, NOW)
    with pytest.raises(NoticeNotSent, match="a variável SENHA não está definida"):
        Mail(email(port, usuario="lastro", senha_env="SENHA"), {}, STARTTLS).send(NOTICE, NOW)


def test_a_webhook_gets_the_text() -> None:
    with serve_hook() as box:
        Hook(Webhook("ENDERECO"), {"ENDERECO": box.address}).send(NOTICE, NOW)
    assert box.bodies == [{"text": f"{NOTICE.assunto}\n\n{NOTICE.texto}"}]


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_webhook_that_does_not_take_it_is_told_without_its_address(status: int) -> None:
    with serve_hook(status) as box, pytest.raises(NoticeNotSent, match=f"respondeu {status}") as caught:
        Hook(Webhook("ENDERECO"), {"ENDERECO": box.address}).send(NOTICE, NOW)
    assert "segredo" not in str(caught.value)
    assert len(box.bodies) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (200, b'{"ok": false, "description": "chat not found"}'),
        (200, b'{"errcode": 310000, "errmsg": "keywords not in content"}'),
        (200, b'{"status": "error"}'),
        (200, b"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429"),
        (202, b'{"error": {"code": "InvalidRequest"}}'),
    ],
)
def test_a_webhook_that_answers_that_it_failed_has_told_nobody(status: int, said: bytes) -> None:
    with serve_hook(status, said) as box, pytest.raises(NoticeNotSent, match=f"{status}, e disse que falhou") as caught:
        Hook(Webhook("ENDERECO"), {"ENDERECO": box.address}).send(NOTICE, NOW)
    assert "chat" not in str(caught.value)


@pytest.mark.parametrize(
    "said",
    [b"", b"1", b'{"errcode": 0, "errmsg": "ok"}', b'{"code": 0, "StatusCode": 0}', b'{"text": "an error"}', b"[]"],
)
def test_a_webhook_that_answers_nothing_bad_has_told(said: bytes) -> None:
    with serve_hook(200, said) as box:
        assert Hook(Webhook("ENDERECO"), {"ENDERECO": box.address}).send(NOTICE, NOW) == ""


def test_what_shows_cards_alone_gets_one_and_a_text_that_is_only_accepted_says_so() -> None:
    with serve_hook(202, b"") as box:
        card = Hook(Webhook("ENDERECO", formato="cartao"), {"ENDERECO": box.address}).send(NOTICE, NOW)
        text = Hook(Webhook("ENDERECO"), {"ENDERECO": box.address}).send(NOTICE, NOW)
    assert (card, text) == ("", 'respondeu 202, aceito e não mostrado; se nada chega ao chat, formato = "cartao"')
    (sent,) = box.bodies[0]["attachments"]
    assert (box.bodies[0]["type"], sent["contentType"]) == ("message", "application/vnd.microsoft.card.adaptive")
    shown = [block["inlines"][0]["text"] for block in sent["content"]["body"]]
    assert shown == [NOTICE.assunto, *filter(None, NOTICE.texto.splitlines())]


@pytest.mark.parametrize("address", ["http://10.0.0.5/segredo", "ftp://example.com/segredo", "segredo"])
def test_an_address_that_is_none_is_not_quoted(address: str) -> None:
    with pytest.raises(NoticeNotSent, match="não tem um endereço que comece com https") as caught:
        Hook(Webhook("ENDERECO"), {"ENDERECO": address}).send(NOTICE, NOW)
    assert "segredo" not in str(caught.value)


def test_only_what_is_set_is_a_way() -> None:
    both = Avisos(email=email(25), webhook=Webhook("ENDERECO"))
    assert [channel.nome for channel in open_channels(both, {})] == ["email", "webhook"]
    assert open_channels(Avisos(), {}) == ()


ODD = "Padaria\u2028São\r\nBcc: x@example.com\x85\x1b[31m\ud83d João\udcff"
"""What cannot be carried: breaks of lines that are not seen, controls, halves of characters."""


def test_what_a_mail_or_json_cannot_carry_is_replaced_and_the_rest_arrives() -> None:
    notice = Notice(f"[lastro] {ODD}", f"{ODD}\n.\nFim\n")
    with serve_mail() as box:
        assert Mail(email(box.port), {}, NENHUMA).send(notice, NOW) == ""
    (message,) = box.messages
    assert message["Subject"] == "[lastro] Padaria São Bcc: x@example.com \\x1b[31m\\ud83d João\\udcff"
    assert message["Bcc"] is None
    text = message.get_content().replace("\r\n", "\n")
    assert text == "Padaria\\u2028São\\x0d\nBcc: x@example.com\\x85\\x1b[31m\\ud83d João\\udcff\n.\nFim\n"
    with serve_hook() as hook:
        Hook(Webhook("ENDERECO"), {"ENDERECO": hook.address}).send(notice, NOW)
    assert hook.bodies == [{"text": f"{message['Subject']}\n\n{text}"}]
