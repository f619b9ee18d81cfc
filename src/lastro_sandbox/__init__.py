"""The documented financial service as a local sandbox, written from its document; imports nothing of lastro.

Use from Python::

    from lastro_sandbox import create_app, golden_company, make_company, serve

    with serve(create_app(make_company(seed=1, lancamentos=5000))) as sandbox:
        ...  # sandbox.base_url, sandbox.requests, sandbox.books
"""

from lastro_sandbox.app import create_app
from lastro_sandbox.cli import build_books, describe_settings
from lastro_sandbox.company import make_company
from lastro_sandbox.golden import golden_company
from lastro_sandbox.ledger import Books
from lastro_sandbox.server import Running, serve

__all__ = [
    "Books",
    "Running",
    "build_books",
    "create_app",
    "describe_settings",
    "golden_company",
    "make_company",
    "serve",
]
