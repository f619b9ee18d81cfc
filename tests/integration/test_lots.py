"""`lastro mapa` proposes who settles in lots (S12), from what a run published: a card, and who pays several at once."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from click.testing import CliRunner

from lastro.cli import main
from lastro_sandbox import create_app, golden_company, serve
from lastro_sandbox.model import Entry
from tests.golden.expected import D
from tests.served import TOKEN, run_served, write_settings

FORMS = 'formas = { 301 = "boleto", 302 = "Cartão de crédito" }'


def test_a_card_and_who_pays_several_at_once_are_proposed_until_the_settings_have_them(tmp_path: Path) -> None:
    """502 pays 24 títulos on 12 days, two a day; 501 as many, each on a day of its own."""
    books = golden_company()
    for number in range(24):
        for person, apart in ((502, number // 2), (501, number)):
            day = str(date(2026, 1, 5) + timedelta(apart))
            books.add_entry(
                Entry(
                    books.new_id("lancamentos"),
                    101,
                    11,
                    1_000,
                    "Venda",
                    day,
                    day,
                    day,
                    person,
                    forma_pagamento_id=302 if person == 502 else 301,
                )
            )
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url, FORMS)
        run_served(settings, D)
        more = "formas_sem_cobranca = [302]\npessoas_sem_cobranca = [502]"
        found = CliRunner().invoke(main, ["mapa", "--config", str(tmp_path / "lastro.toml")]).stdout.splitlines()
        write_settings(tmp_path, books, service.base_url, f"{FORMS}\n{more}")
        again = CliRunner().invoke(main, ["mapa", "--config", str(tmp_path / "lastro.toml")]).stdout
    assert found[0].startswith("# em [empresa.parametros], se uma adquirente repassa em lotes")
    assert found[1] == "# formas_sem_cobranca = [302]  # Cartão de crédito"
    assert found[2].startswith("# pessoas_sem_cobranca = [502]  # ")
    assert found[2].endswith(": 24 de 24 pagos em lote")
    assert "sem_cobranca" not in again
