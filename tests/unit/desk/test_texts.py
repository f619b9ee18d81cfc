"""Texts to customers and the links that open them."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from lastro.desk.texts import MAX_LINK, choose_text, find_phone, link_email, link_whatsapp
from lastro.settings import REGUA


def test_a_link_holds_the_text_as_it_was_written() -> None:
    text = "Olá, D'Ávila & Filhos: R$ 1.234,56 (100%)\nAté já! 😀"
    assert parse_qs(urlsplit(link_whatsapp("5511987654321", text)).query)["text"] == [text]
    link = link_email("a+b@exemplo.com.br", "Assunto é?", text)
    assert link.startswith("mailto:a%2Bb@exemplo.com.br?subject=Assunto%20%C3%A9%3F&body=")
    assert unquote(link.split("&body=")[1]) == text


def test_a_text_too_long_for_a_link_is_cut_at_a_word() -> None:
    link = link_whatsapp("5511987654321", "ação " * 2000)
    assert len(link) <= MAX_LINK
    assert unquote(link).endswith("ação…")
    assert len(link_whatsapp("5511987654321", "ç" * 5000)) <= MAX_LINK


@pytest.mark.parametrize("text", ["", "n/d", "123", "(11) 555", "+1 212 555 0100 99999"])
def test_what_is_no_number_is_no_link(text: str) -> None:
    assert find_phone(text) == ""


def test_every_usual_step_has_a_text_and_the_settings_win() -> None:
    assert len({choose_text(step.nome, {}) for step in REGUA}) == 4
    assert choose_text("Contato", {"Contato": "Oi"}) == "Oi"
    assert "{cliente}" in choose_text("Etapa minha", {})
