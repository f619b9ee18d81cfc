"""Read several listings as of one moment and prove it: count all, read all, count all, judge (see `passes`)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from lastro.api.client import Refused
from lastro.api.endpoints import Endpoint
from lastro.api.paging import has_room
from lastro.errors import IncompletePass, join_keys
from lastro.extract.counts import Counting, ModifiedClock, PassCount, read_count
from lastro.extract.landing import PageFile
from lastro.extract.listing import PageReader
from lastro.extract.passes import MAX_PASSES, Evidence, Passada, Verdict, judge_pass
from lastro.extract.source import Source

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
class Round:
    """What the present round shows of one listing, from its first count to its second.

    Attributes:
        since: our clock at the first count, None before it.
        stamps: tells rows touched since then; None where rows carry no `modified`.
        before, after: the two counts, None where there is none (yet).
        brought: what the pages brought.
        doubts: what further witnesses say against it, in words that are printed.
        requests: requests sent for it.
    """

    since: datetime | None = None
    stamps: ModifiedClock | None = None
    before: int | None = None
    after: int | None = None
    brought: PassCount = field(default_factory=PassCount)
    doubts: list[str] = field(default_factory=list)
    requests: int = 0


@dataclass
class Listing:
    """One listing, and what is known of it from round to round.

    Attributes:
        name: its name in the certificate.
        file_name: its file.
        endpoint: what to ask.
        params: its filter.
        observe: called before each round; returns the function that gets every row and its id.
        conta_id: the account whose listing it is, None where there is no such thing.
        known_ids: ids seen in it before the present round began.
        seen: those among them that an earlier round of this run saw.
        elements: digest -> how often, of the elements without a readable id that earlier rounds saw.
        digest: fingerprint of all rows of the round before, where there is no count.
        passadas: its certificates, one per round.
        refused: HTTP status with which the service refused it, None when it did not.
        round: the present round.
    """

    name: str
    file_name: str
    endpoint: Endpoint
    params: Mapping[str, str | int]
    observe: Callable[[], Callable[[Any, int], None]]
    conta_id: int | None = field(default=None, kw_only=True)
    known_ids: set[int] = field(default_factory=set, kw_only=True)
    seen: set[int] = field(default_factory=set, init=False)
    elements: Counter[str] = field(default_factory=Counter, init=False)
    digest: bytes | None = field(default=None, init=False)
    passadas: list[Passada] = field(default_factory=list, init=False)
    refused: int | None = field(default=None, init=False)
    round: Round = field(default_factory=Round, init=False)

    def name_in_full(self) -> str:
        """Name it in a message."""
        return self.name if self.conta_id is None else f"{self.name} de conta_id {self.conta_id}"

    def remember(self) -> None:
        """Remember what the present round showed, for the next one."""
        brought = self.round.brought
        self.known_ids |= brought.ids
        self.seen |= brought.ids
        self.elements |= brought.elements
        self.digest = brought.digest


@dataclass
class AccountListing(Listing):
    """The listing of one account, which is always known."""

    conta_id: int = field(kw_only=True)


_L = TypeVar("_L", bound=Listing)


@dataclass
class RoundReader:
    """Reads and judges rounds of one source.

    Attributes:
        source: what is read, and where the files go.
        pool: threads that ask ahead.
        timed: whether rows carry `modified`.
        extra: requests per listing that may be spent on overlap beyond the fewest possible.
        counting: whether the service gives counts.
    """

    source: Source
    pool: ThreadPoolExecutor
    timed: bool = True
    extra: int = 0
    counting: Counting = field(default_factory=Counting)

    def count_before(self, listings: Sequence[Listing]) -> None:
        """Open the rounds of listings: their counts and the service's time.

        The first one alone, which shows whether the service gives counts at all, then the others at a time.
        """
        for some in (listings[:1], listings[1:]):
            for _ in self.pool.map(self._count_before, some):
                pass

    def _count_before(self, listing: Listing) -> None:
        sent, since = self.source.client.requests_here, self.source.clock()
        params = {**listing.endpoint.params, **listing.params}
        try:
            before, served = read_count(self.source.client, listing.endpoint, params, self.counting)
        except Refused as refused:
            # is it the count that is refused, or the listing itself?
            self.source.client.get_json(listing.endpoint.path, {**params, "limit": 1}, shape="list")
            self.counting.reason = f"contagem indisponível: HTTP {refused.status}"
            before, served = None, None
        # the service's own time is compared with its own `modified`; of two clocks that disagree the earlier one
        # takes more rows for recent, which costs a second round at most
        began = since if served is None else min(served, since)
        stamps = ModifiedClock.starting(began, self.source.zone) if self.timed else None
        listing.round = Round(since, stamps, before, requests=self.source.client.requests_here - sent)

    def begin(self, listing: Listing, files: ExitStack) -> PageReader:
        """Read a listing's pages, for a closing listing all but the last; `files` holds its file open."""
        sent, now = self.source.client.requests, listing.round
        file = files.enter_context(PageFile(self.source.folder, listing.file_name, listing.conta_id))
        closing = self.is_closing(listing)
        self.source.progress.start(listing.name, listing.conta_id, now.before)
        pages = PageReader(
            self.source.client,
            self.pool,
            listing.endpoint,
            listing.params,
            file,
            stamps=now.stamps,
            observe=listing.observe(),
            progress=self.source.progress,
            extra=self.extra or int(closing),
            fingerprint=now.before is None,
        )
        now.brought = pages.brought
        pages.read(now.before, hold_last=closing)
        self.source.progress.finish()
        now.requests += self.source.client.requests - sent
        return pages

    def end(self, listing: Listing, pages: PageReader) -> None:
        """Read what was held back and make the file visible; for a closing listing this is its second count."""
        sent, now = self.source.client.requests, listing.round
        brought = pages.finish()
        skipped = listing.seen - brought.ids
        if now.before is not None and 0 < now.before - brought.rows <= len(skipped) <= MAX_CONFIRMED:
            pages.confirm(skipped, listing.conta_id)
        pages.commit()
        if self.is_closing(listing) and brought.end is not None:
            now.after = brought.end
        now.requests += self.source.client.requests - sent

    def is_closing(self, listing: Listing) -> bool:
        """Tell whether a listing's last page takes the place of its second count.

        Where the fewest pages have no room for overlaps and for one row beyond the end, the request of that count is
        spent on one page more. Asked beyond the end, and last of all, it says itself how long the listing is.
        """
        size = listing.endpoint.page or 0
        return self.timed and listing.round.before is not None and not has_room(listing.round.before, size)

    def count_after(self, listings: Sequence[Listing]) -> None:
        """Close the rounds of listings, all at a time; that of a closing one its last page closed."""
        for _ in self.pool.map(self._count_after, [listing for listing in listings if listing.round.after is None]):
            pass

    def _count_after(self, listing: Listing) -> None:
        now, sent = listing.round, self.source.client.requests_here
        params = {**listing.endpoint.params, **listing.params}
        now.after, _ = read_count(self.source.client, listing.endpoint, params, self.counting)
        if now.after != now.before == now.brought.rows:
            # a count that is wrong once is a fault; one that is wrong twice is a change
            now.after, _ = read_count(self.source.client, listing.endpoint, params, self.counting)
        now.requests += self.source.client.requests_here - sent

    def certify(self, listing: Listing, round_number: int) -> Verdict:
        """Judge a listing's round and write its `Passada`."""
        now, brought = listing.round, listing.round.brought
        unknown = brought.ids - listing.known_ids
        evidence = Evidence(
            count_before=now.before,
            count_after=now.after,
            rows=brought.rows,
            repeated=brought.repeated,
            unknown=len(unknown) + (brought.elements - listing.elements).total(),
            confirmed=brought.confirmed,
            recent=len(brought.recent & unknown),
            has_clock=self.timed and brought.has_clock,
            overlapped=brought.overlapped and brought.end is not None,
            end=brought.end,
            breaks=brought.breaks,
            page_repeated=brought.page_repeated,
            identical=None if listing.digest is None or brought.digest is None else listing.digest == brought.digest,
            doubts=tuple(now.doubts),
        )
        verdict = judge_pass(evidence, partial_overlap=not self.timed)
        notes = [text for text in (verdict.reason, self.counting.reason) if text]
        ended = self.source.clock()
        listing.passadas.append(
            Passada(
                lista=listing.name,
                conta_id=listing.conta_id,
                passada=round_number,
                contagem_antes=now.before,
                paginas=brought.pages,
                linhas_recebidas=brought.received,
                ids_distintos=len(brought.ids),
                repetidas=brought.repeated,
                rejeitadas=brought.rejected,
                contagem_depois=now.after,
                veredito=verdict.ruling,
                prova=verdict.ground,
                motivo="; ".join(notes),
                requisicoes=now.requests,
                iniciada_em=now.since or ended,
                terminada_em=ended,
                reparados=brought.repaired,
            )
        )
        if not verdict.proved:
            _LOG.info("%s, pass %d: %s", listing.name_in_full(), round_number, "; ".join(notes))
        return verdict


def prove(
    reader: RoundReader,
    listings: list[_L],
    *,
    discover: Callable[[], Iterable[_L]] = lambda: (),
    witness: Callable[[int], None],
) -> None:
    """Read all listings, again and again, until one round proves all of them.

    Args:
        reader: reads and certifies; its files hold the last round.
        listings: what to read; grows by what is discovered.
        discover: gives listings that the pages just read point at, until it gives none; a refused one is left out.
        witness: looks, before the second counts, for what speaks against the round, and adds it to `doubts`.

    Raises:
        UnprovedPass: when no round proves all.
    """
    for round_number in range(1, MAX_PASSES + 1):
        reader.count_before(listings)
        _read_round(reader, listings, discover)
        witness(round_number)
        reader.count_after(listings)
        verdicts = [reader.certify(listing, round_number) for listing in listings]
        if all(verdict.proved for verdict in verdicts):
            return
        if any(_is_stuck(listing) for listing in listings):
            break
        for listing in listings:
            listing.remember()
    doubtful = [
        f"{listing.name_in_full()}: {listing.passadas[-1].motivo or listing.passadas[-1].veredito}"
        for listing in listings
        if listing.passadas[-1].veredito != "provada"
    ]
    raise UnprovedPass(
        f"não se provou completa depois de {len(listings[0].passadas)} passadas, e nada foi trocado: "
        f"{join_keys(doubtful)}. Rode de novo quando menos lançamentos estiverem mudando; se persistir, "
        "o serviço não pagina ou não conta direito",
        [passada for listing in listings for passada in listing.passadas],
    )


def _read_round(reader: RoundReader, listings: list[_L], discover: Callable[[], Iterable[_L]]) -> None:
    """Read every listing once, those that close the round last, and what is discovered meanwhile."""
    with ExitStack() as files:
        held: list[tuple[_L, PageReader]] = []
        for listing in sorted(listings, key=reader.is_closing):
            pages = reader.begin(listing, files)
            if reader.is_closing(listing):
                held.append((listing, pages))
            else:
                reader.end(listing, pages)
        for listing, pages in held:
            reader.end(listing, pages)
        while discovered := list(discover()):
            for listing in discovered:
                try:
                    reader.count_before([listing])
                    reader.end(listing, reader.begin(listing, files))
                    listings.append(listing)
                except Refused as refused:
                    listing.refused = refused.status


def _is_stuck(listing: Listing) -> bool:
    """Tell whether the last rounds of a listing failed with the very same figures."""
    last = listing.passadas[-SAME_FAILURE:]
    figures = {
        (p.contagem_antes, p.linhas_recebidas, p.ids_distintos, p.repetidas, p.rejeitadas, p.contagem_depois)
        for p in last
    }
    return len(last) == SAME_FAILURE and len(figures) == 1 and all(p.veredito == "incompleta" for p in last)
