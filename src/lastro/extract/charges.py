"""Read all charges and the service's count of them per status (R11)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from lastro.api.endpoints import COBRANCAS, STATUS_COBRANCA
from lastro.api.paging import parse_id
from lastro.extract.counts import Counting, read_count
from lastro.extract.passes import Passada
from lastro.extract.rounds import Listing, RoundReader, prove
from lastro.extract.source import Source

_EXTRA: Final = 2
"""Charges carry no `modified`, so what their budget has beyond the two counts goes into overlapping pages."""


@dataclass(frozen=True)
class CobrancasRead:
    """Charges.

    Attributes:
        passadas: every attempt, the proved one last.
        by_status: one counted listing per documented status (`cobrancas:status=<slug>`).
        contas: account ids that charges name.
    """

    passadas: tuple[Passada, ...]
    by_status: tuple[Passada, ...]
    contas: frozenset[int]


def read_cobrancas(
    source: Source,
    *,
    window: tuple[date, date] | None,
) -> CobrancasRead:
    """Read all charges, proved (S13), into `cobrancas`, and the service's count per status (R11).

    Args:
        source: what is read, and where the file goes.
        window: first and last due date to read, for a hot run: the listing is called `cobrancas:janela`, and nothing is
            counted per status. None reads everything.

    Raises:
        UnprovedPass: when no round closed.
        ApiRejected, ApiUnavailable, SchemaDrift, StorageError: from the reading.
    """
    contas: set[int] = set()
    by_status: list[Passada] = []

    def observe(row: Any, _row_id: int) -> None:
        conta = parse_id(row.get("conta_id"))
        if conta is not None:
            contas.add(conta)

    with source.reading() as pool:
        reader = RoundReader(source, pool, timed=False, extra=_EXTRA)
        filters = {} if window is None else {"data_inicio": str(window[0]), "data_fim": str(window[1])}
        listing = Listing(
            "cobrancas" if window is None else "cobrancas:janela", "cobrancas", COBRANCAS, filters, lambda: observe
        )

        def witness(round_number: int) -> None:
            if window is None and not reader.counting.reason:
                by_status[:] = pool.map(lambda status: _count_status(source, status, round_number), STATUS_COBRANCA)

        prove(reader, [listing], witness=witness)
    return CobrancasRead(tuple(listing.passadas), tuple(by_status), frozenset(contas))


def _count_status(source: Source, status: str, round_number: int) -> Passada:
    """Count the charges of one status; a certificate without rows."""
    client = source.client
    began, sent = source.clock(), client.requests_here
    counting = Counting()
    count, _ = read_count(client, COBRANCAS, {**COBRANCAS.params, "status": status}, counting)
    return Passada(
        lista=f"cobrancas:status={status}",
        passada=round_number,
        contagem_antes=count,
        paginas=0,
        linhas_recebidas=0,
        ids_distintos=0,
        repetidas=0,
        rejeitadas=0,
        contagem_depois=count,
        veredito="incompleta" if count is None else "provada",
        prova=None if count is None else "contagem",
        motivo=counting.reason,
        requisicoes=client.requests_here - sent,
        iniciada_em=began,
        terminada_em=source.clock(),
    )
