"""The golden company with its entries of the payments desk, as a service serves it from a Monday on, and that run."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

from lastro.settings import Avisos, Email, Settings
from lastro_sandbox import Books, create_app, golden_company, serve
from lastro_sandbox.model import Category, Entry
from tests.golden import dataset
from tests.served import TOKEN, copy_golden, folder_of, run_served, write_golden

OWNER = "Dona Rosa"

MONDAY, TUESDAY = date(2026, 3, 16), date(2026, 3, 17)


def make_books() -> Books:
    books = golden_company()
    for number, name in dataset.CATEGORIAS_MESA:
        books.categorias[number] = Category(number, name, parent_id=20, ativo=True, tipo_categoria_id=1)
    for row in dataset.mesa():
        books.add_entry(
            Entry(
                row["id"], row["conta_id"], row["categoria_id"], int(Decimal(row["valor"]).scaleb(2)), row["descricao"],
                row["data_vencimento"], row["data_pagamento"], row["data_competencia"], row["pessoa_id"],
                row["grupo_id"],
            )
        )  # fmt: skip
    return books


def name_deciders(settings: Settings, minimum: str) -> Settings:
    """Name two clerks, and an owner who approves from an amount on."""
    own = replace(
        settings.empresas[0], aprovadores=(OWNER,), aprovacao_minima=Decimal(minimum), responsaveis=("Bia", "Caio")
    )
    return replace(settings, empresas=(own,))


def run_monday(folder: Path) -> None:
    """Run it on Monday, before anybody typed; a mail asks for its cover."""
    mail = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), 1, resumo=True)
    with serve(create_app(make_books(), token=TOKEN)) as service:
        settings = name_deciders(write_golden(folder, service.base_url), "1000.00")
        run_served(replace(settings, avisos=Avisos(email=mail)), MONDAY)


def copy_monday(monday_run: Path, folder: Path, base_url: str, minimum: str) -> tuple[Settings, Path]:
    """Give a test its own copy of it, and the file of the desk that Monday's run wrote."""
    settings = name_deciders(copy_golden(monday_run, folder, base_url), minimum)
    return settings, folder_of(settings) / "relatorios" / f"pagamentos_{MONDAY}.xlsx"
