"""The documented financial service as a local sandbox, written from its document; imports nothing of lastro.

Use from Python::

    from lastro_sandbox import create_app, golden_company, make_company, serve

    with serve(create_app(make_company(seed=1, lancamentos=5000))) as sandbox:
        ...  # sandbox.base_url, sandbox.requests, sandbox.books
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lastro_sandbox.app import create_app
    from lastro_sandbox.cli import build_books
    from lastro_sandbox.company import make_company
    from lastro_sandbox.golden import golden_company
    from lastro_sandbox.ledger import Books
    from lastro_sandbox.life import Life, add_life
    from lastro_sandbox.server import Running, serve
    from lastro_sandbox.settings_file import describe_settings
    from lastro_sandbox.tenants import Tenant

__all__ = [
    "Books",
    "Life",
    "Running",
    "Tenant",
    "add_life",
    "build_books",
    "create_app",
    "describe_settings",
    "golden_company",
    "make_company",
    "serve",
]

_HOMES = {
    "Books": "ledger",
    "Life": "life",
    "Running": "server",
    "Tenant": "tenants",
    "add_life": "life",
    "build_books": "cli",
    "create_app": "app",
    "describe_settings": "settings_file",
    "golden_company": "golden",
    "make_company": "company",
    "serve": "server",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for, and nothing before: pytest loads this package in every run of whoever installed it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
