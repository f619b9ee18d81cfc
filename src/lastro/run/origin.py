"""Whose books a reading shows: the service and the accounts of the one before, or a person who looked (S13.4).

A token or an address of another company reads well, proves whole, and is another company's. Does not belong here: how
much went or changed (`lastro.transform.deletions`, `lastro.transform.past_changes`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from urllib.parse import urlsplit

from lastro.errors import OriginHeld, join_keys
from lastro.run.identity import read_accepted
from lastro.run.session import RunSession
from lastro.settings.addresses import is_local
from lastro.warehouse.loading import holds, reading_log

_NO_ACCOUNT = 0
"""Shown of a service that was not asked, for nothing of it was accepted."""


def name_service(address: str) -> str:
    """Name a service by host and port; all services of this machine are one, for their ports change.

    >>> name_service("https://API.example.com/base"), name_service("http://127.0.0.1:8200")
    ('api.example.com', '127.0.0.1')
    >>> name_service("https://api.example.com:8443")
    'api.example.com:8443'
    """
    parts = urlsplit(address if "//" in address else f"//{address}")
    host = (parts.hostname or "").rstrip(".")
    if is_local(host):
        return "127.0.0.1"
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return host if parts.port in (None, default) else f"{host}:{parts.port}"


def find_host(session: RunSession) -> str:
    """Find the service of the reading, with its port; of one by an older lastro that of the settings."""
    return session.reading.host or urlsplit(session.empresa.base_url).netloc


def demand_same_service(session: RunSession) -> None:
    """Hold the run, before anything is asked, when the settings name another service: the token is not its business.

    Raises:
        OriginHeld: unless the order accepts a run that was held for that service.
    """
    identity, here = holds.read_identity(session.warehouse), name_service(session.empresa.base_url)
    if identity is None or here == name_service(identity.host) or here in _read_accepted(session):
        return
    raise OriginHeld(
        f"base_url é {here}, e estes livros são de {name_service(identity.host)} (execução {identity.execucao_id}). "
        "Nada foi pedido e nada foi publicado. Corrija base_url; se o serviço mudou mesmo de endereço, "
        f"rode de novo com --aceitar-origem {session.execucao_id}.",
        {here: {_NO_ACCOUNT}},
    )


def demand_known_account(session: RunSession, shown: Iterable[int]) -> None:
    """Hold the run when the service shows accounts, and none of those that it showed before.

    Args:
        session: the run, loaded and not committed.
        shown: the accounts that records and lists of the service name.

    Raises:
        OriginHeld: unless the order accepts a run that showed one of them.
    """
    identity, here, seen = holds.read_identity(session.warehouse), name_service(find_host(session)), set(shown)
    if identity is None or not seen or not identity.contas or seen & identity.contas:
        return
    if seen & _read_accepted(session).get(here, frozenset()):
        return
    raise OriginHeld(
        f"o serviço mostra as contas {join_keys(sorted(seen))} e nenhuma das da execução {identity.execucao_id} "
        f"({join_keys(sorted(identity.contas))}). Nada foi publicado. Veja se endereço e token são "
        f"desta empresa; se forem, aceite-a: --so-relatorios --aceitar-origem {session.execucao_id}.",
        {here: seen},
    )


def demand_known_entry(session: RunSession, shown: Collection[int], window: tuple[date, date]) -> None:
    """Hold a hot run that shows none of the company's known entries: it would overlay another company's books.

    Args:
        session: the hot run, before anything is loaded.
        shown: ids of the entries that the window showed.
        window: the days that it read.

    Raises:
        OriginHeld: whatever the order accepts; a complete run has to come first.
    """
    known = {lancamento_id for ids in reading_log.read_known_ids(session.warehouse).values() for lancamento_id in ids}
    if not known or not known.isdisjoint(shown):
        return
    if not shown and not reading_log.count_linhas_between(session.warehouse, *window):
        return
    raise OriginHeld(
        f"a janela de {window[0]} a {window[1]} mostra {len(shown)} lançamentos, e nenhum dos {len(known)} "
        "que esta empresa tinha. Nada foi publicado. Veja se endereço e token são desta empresa; se "
        "forem, rode o job inteiro: ele diz o que sumiu.",
        {name_service(session.empresa.base_url): {_NO_ACCOUNT}},
    )


def _read_accepted(session: RunSession) -> dict[str, frozenset[int]]:
    return dict(read_accepted(session, session.order.aceitar_origem, holds.ORIGEM))
