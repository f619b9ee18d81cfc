"""The company of `lastro demo`, read and reported once: what its test looks at, and where the desks' tests begin."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from lastro.commands.demo import leave_typed
from lastro.settings import load_settings
from lastro_sandbox import Books, Life, add_life, create_app, describe_settings, make_company, serve
from tests.served import TOKEN, TOKEN_VARIABLE, run_served

DAY = date(2026, 11, 23)


def make_shown() -> tuple[Books, Life]:
    books = make_company(seed=1, lancamentos=2000, hoje=DAY)
    return books, add_life(books)


def run_shown(folder: Path) -> None:
    """Run it in a folder, as the command does, and close October."""
    books, life = make_shown()
    with serve(create_app(books, token=TOKEN)) as service:
        path = folder / "lastro.toml"
        path.write_text(describe_settings(books, service.base_url, TOKEN_VARIABLE, life), encoding="utf-8")
        settings = load_settings(path, {}, folder)
        leave_typed(settings, settings.empresas[0], books, life, DAY)
        run_served(settings, DAY, fechamento=date(2026, 10, 1))
