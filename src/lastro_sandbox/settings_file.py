"""Writes a ``lastro.toml`` that points at a sandbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lastro_sandbox import life as made_up
from lastro_sandbox.bank_statements import BANK
from lastro_sandbox.ledger import Books
from lastro_sandbox.life import Life
from lastro_sandbox.model import Named
from lastro_sandbox.tenants import Tenant

TOKEN_VARIABLE = "SANDBOX_TOKEN"  # noqa: S105 - the name of a variable
_TOP = ('dir = "dados"', 'fuso = "America/Sao_Paulo"')


def _head(books: Books, name: str, base_url: str, token_env: str) -> list[str]:
    return [
        "[[empresa]]",
        f'id = "{name or books.empresa_id}"',
        f'nome = "{_escape(books.nome)}"',
        f'base_url = "{base_url}"',
        f'token_env = "{token_env}"',
        "limites = []",
    ]


def _accounts(books: Books, *, linked: bool = False) -> list[str]:
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
        if linked:
            number = account["conta_id"]
            lines.append(f'extrato = ["{f"{BANK}/{number}" if books.contas[number].banco_id else "nenhum"}"]')
    return lines


def _desk() -> list[str]:
    people, chiefs = (", ".join(f'"{name}"' for name in names) for names in (made_up.RESPONSAVEIS, made_up.APROVADORES))
    return [
        f"responsaveis = [{people}]",
        f"aprovadores = [{chiefs}]",
        f'aprovacao_minima = "{made_up.APROVACAO_MINIMA}"',
        "",
        "[empresa.textos_cobranca]",
        *_pairs(made_up.TEXTOS),
    ]


def _parameters(books: Books) -> list[str]:
    named: dict[str, dict[int, Named]] = {
        "centros": books.centros, "tags": books.tags, "tipos_documento": books.tipos_documento
    }  # fmt: skip
    tables: dict[str, Mapping[int, str]] = {"dre_mapa": made_up.DRE_MAPA, "formas": made_up.FORMAS}
    tables |= {name: {one.id: one.descricao for one in records.values()} for name, records in named.items()}
    lines = []
    for name, table in tables.items():
        lines += ["", f"[empresa.parametros.{name}]", *_pairs(table)]
    return lines


def _pairs(table: Mapping[int, str] | Mapping[str, str]) -> list[str]:
    return [f'"{_escape(str(key))}" = "{_escape(text)}"' for key, text in table.items()]


def _escape(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" if c in '"\\' or ord(c) < 32 or ord(c) == 127 else c for c in text)


def describe_settings(books: Books, base_url: str, token_env: str = TOKEN_VARIABLE, life: Life | None = None) -> str:
    """Write a settings file (TOML) that points at this sandbox; with its life, all that such a company would set."""
    if life is None:
        return describe_companies([Tenant(books, "")], base_url, token_env)
    head = [*_TOP, "", *_head(books, "", base_url, token_env), *_desk()]
    return "\n".join([*head, *_accounts(books, linked=True), *_parameters(books)]) + "\n"


def describe_companies(tenants: Sequence[Tenant], base_url: str, token_env: str = TOKEN_VARIABLE) -> str:
    """Write a settings file of several companies, each with a variable of its own for its token."""
    lines = list(_TOP)
    for tenant in tenants:
        variable = name_variable(tenant, tenants, token_env)
        lines += ["", *_head(tenant.books, tenant.nome, base_url, variable), *_accounts(tenant.books)]
    return "\n".join(lines) + "\n"


def name_variable(tenant: Tenant, tenants: Sequence[Tenant], token_env: str = TOKEN_VARIABLE) -> str:
    """Name the variable of a company's token in a settings file of these companies."""
    return token_env if len(tenants) == 1 else f"{token_env}_{tenant.nome.upper().replace('-', '_')}"


def write_settings(path: Path, text: str) -> None:
    """Write a new settings file for its owner alone; one that is there stays.

    Raises:
        FileExistsError: there is one.
        OSError: it can't be written.
    """
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
