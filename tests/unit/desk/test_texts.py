"""Texts to customers and the links that open them."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from lastro.desk.texts import MAX_LINK, choose_text, find_phone, link_email, link_whatsapp
from lastro.errors import ConfigError
from lastro.settings import REGUA, load_settings

BASE = """[[empresa]]
id = "um"
nome = "Um"
base_url = "https://api.example.com"
token_env = "T"
"""


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


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('textos_cobranca = { "Contato" = "Olá {nome}" }', "no placeholder {nome}"),
        ('textos_cobranca = { "Ligar" = "Olá" }', "no step «Ligar»; the steps are Lembrete, "),
        ('exportar = ["xml"]', 'exportar: write one of "parquet", "csv", "json"'),
        ('dados_pessoais = "não"', "dados_pessoais: write true or false"),
    ],
)
def test_a_wrong_setting_is_told_with_its_key(tmp_path, line: str, told: str) -> None:
    path = tmp_path / "lastro.toml"
    path.write_text(f"{BASE}{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"empresa\[um\]\.") as caught:
        load_settings(path, {}, tmp_path).empresa("um")
    assert told in str(caught.value)


def test_the_desk_is_set_per_company(tmp_path) -> None:
    path = tmp_path / "lastro.toml"
    path.write_text(
        BASE + 'pasta_cobranca = "mesa"\nresponsaveis = ["Ana"]\ntextos_cobranca = { "Contato" = "Oi {cliente}" }\n',
        encoding="utf-8",
    )
    empresa = load_settings(path, {}, tmp_path).empresas[0]
    assert empresa.pasta_cobranca == str(tmp_path / "mesa")
    assert (empresa.responsaveis, empresa.textos_cobranca) == (("Ana",), {"Contato": "Oi {cliente}"})
