"""A company on a port: its token, its books and how they are shown, where they are kept, and how to go back.

Several of them can share a port; the token of a request says which one it means.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from lastro_sandbox.answers import RowCache
from lastro_sandbox.decisions import CountShape, Dialect
from lastro_sandbox.ledger import Books
from lastro_sandbox.listing import Listings
from lastro_sandbox.operations import Service
from lastro_sandbox.records import freeze, thaw
from lastro_sandbox.store import Store

SNAPSHOTS_MAX: Final = 20
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(slots=True)
class Tenant:
    """What one company is served from.

    Args:
        token: the access token that means it.
        nome: how controls and the journal call it.
        estado: where its changes are kept between starts.
        recomeco: makes its books as they were at first; without it they are kept aside before the first change.
    """

    books: Books
    token: str
    nome: str = ""
    estado: Store | None = None
    recomeco: Callable[[], Books] | None = None


@dataclass(slots=True)
class Served:
    """A tenant while it is served."""

    tenant: Tenant
    service: Service
    rows: RowCache
    first: bytes | None = None
    snapshots: dict[str, bytes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How controls and the journal call it."""
        return self.tenant.nome or self.tenant.books.empresa_id

    def commit(self, *, moved: bool = False) -> None:
        """Store what a request changed."""
        books = self.tenant.books
        if self.tenant.estado is not None:
            self.tenant.estado.flush(books, moved=moved)
        books.touched.clear()

    def remember_first(self) -> None:
        """Keep the state aside before it first changes, where it could not be made again."""
        if self.first is None and self.tenant.recomeco is None:
            self.first = freeze(self.tenant.books)

    def start_over(self) -> None:
        """Bring the books back to what they were at first."""
        if self.tenant.recomeco is not None:
            self._become(self.tenant.recomeco())
        elif self.first is not None:
            self._become(thaw(self.first))

    def take_snapshot(self, name: str) -> None:
        """Keep the present state under a name.

        Raises:
            ValueError: a name that can't be, or too many of them.
        """
        if not _NAME.fullmatch(name):
            raise ValueError("deve ter de 1 a 40 letras sem acento, algarismos, - ou _")
        if name not in self.snapshots and len(self.snapshots) >= SNAPSHOTS_MAX:
            raise ValueError(f"já há {SNAPSHOTS_MAX} instantâneos: apague um")
        self.snapshots[name] = freeze(self.tenant.books)
        if self.tenant.estado is not None:
            self.tenant.estado.keep(name, self.snapshots[name])

    def drop_snapshot(self, name: str) -> None:
        """Forget a state.

        Raises:
            KeyError: there is none of this name.
        """
        del self.snapshots[name]
        if self.tenant.estado is not None:
            self.tenant.estado.keep(name, None)

    def restore_snapshot(self, name: str) -> None:
        """Bring the books back to a kept state.

        Raises:
            KeyError: there is none of this name.
        """
        self._become(thaw(self.snapshots[name]))

    def _become(self, books: Books) -> None:
        self.tenant.books.become(books)
        self.rows.clear()
        self.service.listings.clear()
        if self.tenant.estado is not None:
            self.tenant.estado.save_all(self.tenant.books)


def serve_tenant(tenant: Tenant, dialeto: Dialect, forma_count: CountShape) -> Served:
    """Make what one company is served from."""
    books = tenant.books
    books.settle_ids()
    books.indexes.rows_of("caixa", "conta_id", 0)  # the first page costs what every page costs
    service = Service(books=books, listings=Listings(books), dialeto=dialeto, forma_count=forma_count)
    served = Served(tenant, service, RowCache(books))
    if tenant.estado is not None:
        served.snapshots = tenant.estado.read_kept()
    return served
