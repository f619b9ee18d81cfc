"""Fixtures for the tests of programs that use the service: ``pytest_plugins = ["lastro_sandbox.pytest"]`` asks for it.

``lastro_sandbox`` serves a company of its own for each test; a marker says which::

    @pytest.mark.lastro_sandbox(lancamentos=300, dialeto="observado", falhas=["500:k=2"])
    def test_my_program(lastro_sandbox):
        run_my_program(lastro_sandbox.base_url, lastro_sandbox.token)
        assert [request["caminho"] for request in lastro_sandbox.requisicoes()] == ["/v1/lancamentos"]

Nothing is imported before a test asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from lastro_sandbox.ledger import Books
    from lastro_sandbox.tenants import Served

TOKEN: Final = "sandbox"  # noqa: S105 - the sandbox's own
_BOOKS: Final = frozenset(
    {"seed", "lancamentos", "hoje", "empresa_exemplo", "forma_composto", "saldo_inicial_lancamento", "dados"}
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A running sandbox as a test sees it.

    Attributes:
        base_url: where it answers.
        token: the access token.
        books: the records behind it, to look at.
    """

    base_url: str
    token: str
    books: Books
    _app: Any

    def requisicoes(self) -> list[dict[str, Any]]:
        """Return what was asked and how it was answered, oldest first, without the token."""
        return [asdict(noted) for noted in self._app.state.journal.kept]

    def avancar(self, dias: int = 1) -> str:
        """Move the company's day and return the new one. No request may be under way."""
        from lastro_sandbox.clock import advance

        return str(advance(self.books, dias)["hoje"])

    def falhas(self, *specs: str, semente: int = 1) -> None:
        """Put these faults in force in the place of all others; none clears them."""
        self._app.state.faults.replace(specs, semente=semente)

    def reiniciar(self) -> None:
        """Bring the books back to what they were at first."""
        company: Served = self._app.state.companies[0]
        company.start_over()


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "lastro_sandbox(**options): which company the fixture of that name serves")


@pytest.fixture
def lastro_sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Serve an invented company of 300 entries, or what the marker ``lastro_sandbox`` asks for, to one test.

    The marker takes what makes the books (``seed``, ``lancamentos``, ``hoje``, ``empresa_exemplo``,
    ``forma_composto``, ``saldo_inicial_lancamento``, or ``dados``, a folder) and every option of ``create_app``.
    """
    from lastro_sandbox.app import create_app
    from lastro_sandbox.origin import Origin
    from lastro_sandbox.server import serve
    from lastro_sandbox.tenants import Tenant

    marker = request.node.get_closest_marker("lastro_sandbox")
    options: dict[str, Any] = {"lancamentos": 300, **({} if marker is None else marker.kwargs)}
    wanted = {name: options.pop(name) for name in _BOOKS & options.keys()}
    for name, kind in (("hoje", date), ("dados", PurePath)):
        if isinstance(wanted.get(name), kind):
            wanted[name] = str(wanted[name])
    origin = Origin(dialeto=options.get("dialeto", "documento"), **wanted)
    tenant = Tenant(origin.build(), options.pop("token", TOKEN), recomeco=origin.build)
    app = create_app(empresas=[tenant], **{"controle": True, **options})
    with serve(app) as running:
        yield Sandbox(running.base_url, tenant.token, tenant.books, app)
