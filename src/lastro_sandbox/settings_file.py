"""Writes a ``lastro.toml`` that points at a sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lastro_sandbox.ledger import Books
from lastro_sandbox.tenants import Tenant

TOKEN_VARIABLE = "SANDBOX_TOKEN"  # noqa: S105 - the name of a variable


def _head(books: Books, name: str, base_url: str, token_env: str) -> list[str]:
    return [
        "[[empresa]]",
        f'id = "{name or books.empresa_id}"',
        f'nome = "{_escape(books.nome)}"',
        f'base_url = "{base_url}"',
        f'token_env = "{token_env}"',
        "limites = []",
    ]


def _accounts(books: Books) -> list[str]:
    lines = []
    for account in books.describe_accounts():
        lines += [
            "",
            "[[empresa.conta]]",
            f"conta_id = {account['conta_id']}",
            f'descricao = "{_escape(account["descricao"])}"',
            f'valor_saldo_inicial = "{account["valor_saldo_inicial"]}"',
        ]
        if account["data_saldo_inicial"] is not None:
            lines.append(f"data_saldo_inicial = {account['data_saldo_inicial']}")
    return lines


def _escape(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" if c in '"\\' or ord(c) < 32 or ord(c) == 127 else c for c in text)


def describe_settings(books: Books, base_url: str, token_env: str = TOKEN_VARIABLE) -> str:
    """Write a settings file (TOML) that points at this sandbox."""
    return describe_companies([Tenant(books, "")], base_url, token_env)


def describe_companies(tenants: Sequence[Tenant], base_url: str, token_env: str = TOKEN_VARIABLE) -> str:
    """Write a settings file of several companies, each with a variable of its own for its token."""
    lines = ['dir = "dados"', 'fuso = "America/Sao_Paulo"']
    for tenant in tenants:
        variable = token_env if len(tenants) == 1 else f"{token_env}_{tenant.nome.upper().replace('-', '_')}"
        lines += ["", *_head(tenant.books, tenant.nome, base_url, variable), *_accounts(tenant.books)]
    return "\n".join(lines) + "\n"


def write_settings(path: Path, text: str) -> None:
    """Write a new settings file for its owner alone; one that is there stays.

    Raises:
        FileExistsError: there is one.
        OSError: it can't be written.
    """
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
