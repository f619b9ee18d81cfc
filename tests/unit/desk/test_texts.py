"""Texts to customers and the links that open them."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from lastro.desk.book import MAX_SLIPS, write_slip_links
from lastro.desk.queue import Debt
from lastro.desk.texts import choose_text
from lastro.export.contacts import find_phone, link_email, link_whatsapp
from lastro.export.hyperlinks import MAX_URL
from lastro.settings import REGUA


def test_a_link_holds_the_text_as_it_was_written() -> None:
    text = "Olá, D'Ávila & Filhos: R$ 1.234,56 (100%)\nAté já! 😀"
    assert parse_qs(urlsplit(link_whatsapp("5511987654321", text)).query)["text"] == [text]
    link = link_email("a+b@exemplo.com.br", "Assunto é?", text)
    assert link.startswith("mailto:a%2Bb@exemplo.com.br?subject=Assunto%20%C3%A9%3F&body=")
    assert unquote(link.split("&body=")[1]) == text


def test_a_text_too_long_for_a_link_is_cut_at_a_word() -> None:
    link = link_whatsapp("5511987654321", "ação " * 2000)
    assert len(link) <= MAX_URL
    assert unquote(link).endswith("ação…")
    assert len(link_whatsapp("5511987654321", "ç" * 5000)) <= MAX_URL


@pytest.mark.parametrize("text", ["", "n/d", "123", "(11) 555", "+1 212 555 0100 99999"])
def test_what_is_no_number_is_no_link(text: str) -> None:
    assert find_phone(text) == ""


def test_every_usual_step_has_a_text_and_the_settings_win() -> None:
    assert len({choose_text(step.nome, {}) for step in REGUA}) == 4
    assert choose_text("Contato", {"Contato": "Oi"}) == "Oi"
    assert "{cliente}" in choose_text("Etapa minha", {})


def debt(titulo_id: int, due: date, valor: int, link: str) -> Debt:
    """A título overdue on 16/03/2026."""
    late = (date(2026, 3, 16) - due).days
    return Debt(
        titulo_id, 501, "", "", "", due, due, late, valor, 0, 0, "Vencido", 1, "", link, False, None, True, True, True,
        True,
    )  # fmt: skip


def test_one_text_carries_a_link_for_each_slip_the_oldest_first_and_says_of_which() -> None:
    first = debt(1, date(2025, 10, 18), 5_531_81, "https://b/1")
    second, without = debt(2, date(2026, 3, 2), 200_00, "https://b/2"), debt(3, date(2026, 1, 2), 9_99, "")
    assert write_slip_links((second,)) == "https://b/2"
    assert write_slip_links((second, without, first)) == (
        "Link do título de 18/10/2025, R$ 5.531,81: https://b/1\nLink do título de 02/03/2026, R$ 200,00: https://b/2"
    )
    many = [debt(number, date(2026, 3, 1), 1_00, f"https://b/{number}") for number in range(MAX_SLIPS + 2)]
    assert write_slip_links(many).splitlines()[MAX_SLIPS:] == ["e mais 2 links: peça-nos"]
    assert write_slip_links((without,)) == ""
