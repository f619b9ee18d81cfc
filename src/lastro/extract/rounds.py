"""Read several listings as of one moment and prove it: count all, read all, count all, judge (see `passes`)."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from lastro.api.client import Client, Refused
from lastro.api.endpoints import Endpoint
from lastro.api.paging import has_room
from lastro.errors import IncompletePass, join_keys
from lastro.extract.landing import PageFile
from lastro.extract.listing import AHEAD, Counting, ModifiedClock, PageReader, Tally, read_count
from lastro.extract.passes import MAX_PASSADAS, Evidence, Passada, Progress, Verdict, judge

MAX_CONFIRMED: Final = 100
"""Rows skipped by a listing's pages that are asked for one by one; more than that are not skipped by ties."""
SAME_FAILURE: Final = 3
"""Rounds in a row that fail with the very same figures: nothing is moving, so further ones would fail as well."""
_LOG = logging.getLogger("lastro.extract")


class UnprovedPass(IncompletePass):
    """A listing could not be proved complete; nothing may be replaced.

    Attributes:
        passadas: every attempt, for the run log.
    """

    def __init__(self, message: str, passadas: Sequence[Passada]) -> None:
        self.passadas = tuple(passadas)
        super().__init__(message)


@dataclass
class Listing:
    """One listing of a round, and what is known of it from round to round.

    Attributes:
        lista: its name in the certificate.
        nome: its file.
        params: its filter.
        conta_id: its account, if it is one's.
        conhecidas: ids seen in it before the present round began.
        vistas: those among them that an earlier round of this run saw.
        recusada: HTTP status with which the service refused it, None when it did not.
    """

    lista: str
    nome: str
    endpoint: Endpoint
    params: Mapping[str, str | int]
    conta_id: int | None = None
    conhecidas: set[int] = field(default_factory=set)
    vistas: set[int] = field(default_factory=set)
    elementos: Counter[str] = field(default_factory=Counter)
    passadas: list[Passada] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    antes: int | None = None
    depois: int | None = None
    duvidas: list[str] = field(default_factory=list)
    digest: bytes | None = None
    desde: datetime | None = None
    requisicoes: int = 0
    recusada: int | None = None

    def describe(self) -> str:
        """Name it in a message."""
        return self.lista if self.conta_id is None else f"{self.lista} of conta_id {self.conta_id}"


@dataclass
class Reader:
    """Reads and judges rounds over one client.

    Attributes:
        observer: gives, for a listing about to be read, who hears of its rows (each with its id).
        timed: whether rows carry `modified`.
        extra: requests per listing that may be spent on overlap beyond the fewest possible.
    """

    client: Client
    pasta: Path
    pool: ThreadPoolExecutor
    progress: Progress
    agora: Callable[[], datetime]
    fuso: str
    observer: Callable[[Listing], Callable[[Any, int], None]]
    timed: bool = True
    extra: int = 0
    counting: Counting = field(default_factory=Counting)

    def count_before(self, listing: Listing) -> None:
        """Open a listing's bracket: its count and the service's time."""
        listing.duvidas, listing.depois = [], None
        sent = self.client.requests
        listing.desde = self.agora()
        params = {**listing.endpoint.params, **listing.params}
        try:
            listing.antes, served = read_count(self.client, listing.endpoint, params, self.counting)
        except Refused as refused:
            # is it the count that is refused, or the listing itself?
            self.client.get_json(listing.endpoint.path, {**params, "limit": 1}, shape="list")
            self.counting.motivo = f"contagem indisponível: HTTP {refused.status}"
            listing.antes, served = None, None
        # the service's own time is compared with its own `modified`; of two clocks that disagree the earlier one
        # takes more rows for recent, which costs a second round at most
        began = listing.desde if served is None else min(served, listing.desde)
        self._clocks[id(listing)] = ModifiedClock.starting(began, self.fuso) if self.timed else None
        listing.requisicoes = self.client.requests - sent

    def begin(self, listing: Listing, files: ExitStack) -> None:
        """Read a listing's pages, for a closing listing all but the last; `files` holds its file open."""
        sent = self.client.requests
        file = files.enter_context(PageFile(self.pasta, listing.nome))
        closing = self.is_closing(listing)
        self.progress.start(listing.lista, listing.conta_id, listing.antes)
        reader = PageReader(
            self.client,
            self.pool,
            listing.endpoint,
            listing.params,
            file,
            clock=self._clocks[id(listing)],
            observe=self.observer(listing),
            progress=self.progress,
            extra=self.extra or int(closing),
            fingerprint=listing.antes is None,
        )
        listing.tally = reader.tally
        reader.read(listing.antes, hold_last=closing)
        self.progress.finish()
        self._open[id(listing)] = (reader, file)
        listing.requisicoes += self.client.requests - sent

    def end(self, listing: Listing) -> None:
        """Read what was held back and make the file visible; for a closing listing this is its second count."""
        sent = self.client.requests
        reader, file = self._open.pop(id(listing))
        tally = reader.finish()
        skipped = listing.vistas - tally.ids
        if listing.antes is not None and 0 < listing.antes - tally.linhas <= len(skipped) <= MAX_CONFIRMED:
            reader.confirm(skipped, listing.conta_id)
        file.commit()
        if self.is_closing(listing) and tally.fim is not None:
            listing.depois = tally.fim
        listing.requisicoes += self.client.requests - sent

    def is_closing(self, listing: Listing) -> bool:
        """Tell whether a listing's last page takes the place of its second count.

        Where the fewest pages have no room for overlaps and for one row beyond the end, the request of that count is
        spent on one page more. Asked beyond the end, and last of all, it says itself how long the listing is.
        """
        size = listing.endpoint.page or 0
        return self.timed and listing.antes is not None and not has_room(listing.antes, size)

    def count_after(self, listing: Listing) -> None:
        """Close a listing's bracket, unless its last page did."""
        if listing.depois is not None:
            return
        sent = self.client.requests
        params = {**listing.endpoint.params, **listing.params}
        listing.depois, _ = read_count(self.client, listing.endpoint, params, self.counting)
        if listing.depois != listing.antes == listing.tally.linhas:
            # a count that is wrong once is a fault; one that is wrong twice is a change
            listing.depois, _ = read_count(self.client, listing.endpoint, params, self.counting)
        listing.requisicoes += self.client.requests - sent

    def judge(self, listing: Listing, number: int) -> Verdict:
        """Judge a listing's round, write its `Passada` and remember what it showed."""
        tally = listing.tally
        unknown = tally.ids - listing.conhecidas
        evidence = Evidence(
            contagem_antes=listing.antes,
            contagem_depois=listing.depois,
            linhas=tally.linhas,
            repetidas=tally.repetidas,
            paginas=tally.paginas,
            desconhecidas=len(unknown) + (tally.elementos - listing.elementos).total(),
            confirmadas=tally.confirmadas,
            recentes=len(tally.recentes & unknown),
            relogio=self.timed and tally.relogio,
            sobreposicao=tally.sobreposicao and tally.fim is not None,
            fim=tally.fim,
            quebras=tally.quebras,
            pagina_repetida=tally.pagina_repetida,
            identica=None if listing.digest is None or tally.digest is None else listing.digest == tally.digest,
            duvidas=tuple(listing.duvidas),
        )
        verdict = judge(evidence, partial_overlap=not self.timed)
        notes = [text for text in (verdict.motivo, self.counting.motivo) if text]
        ended = self.agora()
        listing.passadas.append(
            Passada(
                lista=listing.lista,
                conta_id=listing.conta_id,
                passada=number,
                contagem_antes=listing.antes,
                paginas=tally.paginas,
                linhas_recebidas=tally.recebidas,
                ids_distintos=len(tally.ids),
                repetidas=tally.repetidas,
                rejeitadas=tally.rejeitadas,
                contagem_depois=listing.depois,
                veredito=verdict.veredito,
                prova=verdict.prova,
                motivo="; ".join(notes),
                requisicoes=listing.requisicoes,
                iniciada_em=listing.desde or ended,
                terminada_em=ended,
            )
        )
        listing.conhecidas |= tally.ids
        listing.vistas |= tally.ids
        listing.elementos |= tally.elementos
        listing.digest = tally.digest
        if not verdict.proved:
            _LOG.info("%s, pass %d: %s", listing.describe(), number, "; ".join(notes))
        return verdict

    def __post_init__(self) -> None:
        self._clocks: dict[int, ModifiedClock | None] = {}
        self._open: dict[int, tuple[PageReader, PageFile]] = {}


def prove(
    reader: Reader,
    listings: list[Listing],
    *,
    discover: Callable[[], Iterable[Listing]] = lambda: (),
    witness: Callable[[int], None] = lambda _number: None,
    limite: int = MAX_PASSADAS,
) -> None:
    """Read all listings, again and again, until one round proves all of them.

    Args:
        reader: reads and judges; its files hold the last round.
        listings: what to read; grows by what is discovered.
        discover: gives listings that the pages just read point at, until it gives none; a refused one is left out.
        witness: looks, before the second counts, for what speaks against the round, and adds it to `duvidas`.
        limite: most rounds.

    Raises:
        UnprovedPass: when no round proves all.
    """
    for number in range(1, limite + 1):
        for listing in listings:
            reader.count_before(listing)
        with ExitStack() as files:
            for listing in sorted(listings, key=reader.is_closing):
                reader.begin(listing, files)
                if not reader.is_closing(listing):
                    reader.end(listing)
            for listing in filter(reader.is_closing, listings):
                reader.end(listing)
            while found := list(discover()):
                for listing in found:
                    try:
                        reader.count_before(listing)
                        reader.begin(listing, files)
                        reader.end(listing)
                        listings.append(listing)
                    except Refused as refused:
                        listing.recusada = refused.status
        witness(number)
        for listing in listings:
            reader.count_after(listing)
        verdicts = [reader.judge(listing, number) for listing in listings]
        if all(verdict.proved for verdict in verdicts):
            return
        if any(_is_stuck(listing) for listing in listings):
            break
    doubtful = [
        f"{listing.describe()}: {listing.passadas[-1].motivo or listing.passadas[-1].veredito}"
        for listing in listings
        if listing.passadas[-1].veredito != "provada"
    ]
    raise UnprovedPass(
        f"not proved complete after {len(listings[0].passadas)} passes, nothing was replaced: {join_keys(doubtful)}. "
        "Run it again when fewer entries are being changed; if it stays, the service does not page or count correctly",
        [passada for listing in listings for passada in listing.passadas],
    )


def _is_stuck(listing: Listing) -> bool:
    """Tell whether the last rounds of a listing failed with the very same figures."""
    last = listing.passadas[-SAME_FAILURE:]
    figures = {
        (p.contagem_antes, p.linhas_recebidas, p.ids_distintos, p.repetidas, p.rejeitadas, p.contagem_depois)
        for p in last
    }
    return len(last) == SAME_FAILURE and len(figures) == 1 and all(p.veredito == "incompleta" for p in last)


@contextlib.contextmanager
def reading(client: Client, progress: Progress) -> Iterator[ThreadPoolExecutor]:
    """Lend the threads that ask ahead, and show waits; when the reading fails, waiting threads give up at once."""
    client.resume()
    before, client.on_wait = client.on_wait, progress.wait
    pool = ThreadPoolExecutor(max_workers=AHEAD, thread_name_prefix="lastro-pages")
    try:
        yield pool
    except BaseException:
        client.stop()
        raise
    finally:
        client.on_wait = before
        pool.shutdown(wait=True, cancel_futures=True)
