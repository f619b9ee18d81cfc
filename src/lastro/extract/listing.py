"""Read one listing once, from its first row to its last, and count what came.

The pages of a listing of known size are asked for ahead of time by a few threads and taken in order, so what is landed
does not depend on timing. A page that is shorter than planned is filled up by rows received (a server may cap below the
asked limit, for good or once); one that repeats or does not continue the page before is asked for again before it
counts against the pass: caches and proxies do that without the data having changed.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from lastro.api.client import Answer, Client, Refused
from lastro.api.endpoints import Endpoint
from lastro.api.paging import Slot, parse_id, plan_slots
from lastro.errors import IncompletePass, SchemaDrift
from lastro.extract.counts import ModifiedClock, PassCount, digest_bytes, name_row, read_id
from lastro.extract.landing import Packed, PageFile, pack
from lastro.extract.passes import Progress

AHEAD: Final = 7
"""Pages asked for ahead of the one being taken: with it, eight requests are under way at most."""
ASK_AGAIN: Final = 2
"""Times that a page which repeats or breaks is asked for again."""
MOST_UNCOUNTED: Final = 2_000
"""Full pages of a listing without a count, a million entries: what goes on beyond may well go on for ever."""
MOST_UNCOUNTED_PAGES: Final = 20_000
"""Pages of it, however short: eight hours by the default limits."""
_WITHOUT_ANY_ID: Final = 50
"""A listing of so many elements, none with an id, is another service's or another version's."""


@dataclass(frozen=True)
class ReceivedPage:
    """A page that came: the answer, the ids of its rows, and these as they are landed when it overlaps as planned."""

    answer: Answer
    ids: list[int | None]
    packed: Packed


class PageReader:
    """One pass over one listing.

    Args:
        pool: threads that ask ahead.
        file: where accepted pages are landed.
        stamps: tells rows touched during the round; None where rows carry no `modified`.
        observe: hears of every distinct row with an id.
        progress: hears of pages and rows.
        extra: requests that may be spent on overlap beyond the fewest possible.
        fingerprint: whether to digest all rows, for a comparison with another pass.
    """

    def __init__(  # noqa: PLR0913 - what a pass is made of; made in one place
        self,
        client: Client,
        pool: ThreadPoolExecutor,
        endpoint: Endpoint,
        params: Mapping[str, str | int],
        file: PageFile,
        *,
        stamps: ModifiedClock | None,
        observe: Callable[[Any, int], None],
        progress: Progress,
        extra: int,
        fingerprint: bool,
    ) -> None:
        if endpoint.page is None:
            raise ValueError("a listing without pages is one answer")
        self._client, self._pool, self._endpoint = client, pool, endpoint
        self._params = {**endpoint.params, **params}
        self._file, self._stamps, self._observe, self._progress = file, stamps, observe, progress
        self._size, self._extra = endpoint.page, extra
        self._last: str | None = None
        self._expected = self._position = 0
        self._held: Slot | None = None
        self._short = 0
        self._texts: set[bytes] = set()
        self._digests: list[bytes] | None = [] if fingerprint else None
        self.brought = PassCount()

    def read(self, count: int | None, *, hold_last: bool = False) -> None:
        """Read all pages: up to `count` rows, or to the end of the listing when there is no count.

        Args:
            count: rows that the listing has; None when unknown.
            hold_last: leave the last page to `finish`, when there are several.

        Raises:
            ApiRejected, ApiUnavailable: from the client.
            IncompletePass: when a listing without a count goes on beyond reason.
            StorageError: when the pages can't be kept.
        """
        if count is None:
            self._read_to_the_end()
            return
        self._expected = count
        # a count of nothing is taken at its word no more than any other: one page must come empty
        slots = deque(plan_slots(count, self._size, extra=self._extra) or [Slot(0, 0, 0)])
        if hold_last and len(slots) > 1:
            self._held = slots.pop()
        self._read_slots(slots)

    def finish(self) -> PassCount:
        """Read the page that was held back, and give what came.

        Raises:
            SchemaDrift: when no element of a long listing has an id; and what `read` raises.
        """
        held, self._held = self._held, None
        if held is not None and not self.brought.page_repeated:
            self._read_slots(deque([held]))
        brought = self.brought
        if not brought.ids and brought.rejected >= _WITHOUT_ANY_ID:
            raise SchemaDrift(f"{self._endpoint.path}: nenhum de {brought.rejected} elementos tem um id inteiro")
        if self._digests is not None:
            brought.digest = hashlib.blake2b(b"".join(sorted(self._digests)), digest_size=16).digest()
        return brought

    def commit(self) -> None:
        """Make the file of the pages durable and visible.

        Raises:
            StorageError: when that fails.
        """
        self._file.commit()

    def confirm(self, skipped: set[int], conta_id: int | None) -> None:
        """Ask one by one for rows that an earlier pass saw and this one skipped; those that are there count as read."""
        for row_id in sorted(skipped):
            try:
                answer = self._client.get_json(f"{self._endpoint.path}/{row_id}", shape="object")
            except Refused:
                continue
            row = answer.value
            if read_id(row) == row_id and (conta_id is None or parse_id(row.get("conta_id")) == conta_id):
                self._file.add(answer, listed=False)
                self.brought.add([row], [row_id], self._stamps, self._observe, self._digests)
                self.brought.confirmed += 1
                self.brought.repaired += answer.repaired
                self.brought.pages += 1
                self.brought.received += 1

    def _read_to_the_end(self) -> None:
        """Read until a page brings nothing but the last row again (or, at the very beginning, nothing)."""
        while True:
            position = self.brought.received
            overlap = 1 if position else 0
            slot = Slot(position - overlap, 0, overlap)
            page, repeats = self._insist(self._ask(slot.start, self._size, overlap), slot, self._size)
            fresh = self._take(page, overlap) - overlap
            if fresh <= 0:
                return
            _demand_an_end(self._endpoint, self.brought)
            if repeats >= fresh:
                self.brought.page_repeated = True
                return

    def _read_slots(self, slots: deque[Slot]) -> None:  # noqa: C901 - what a page may be, while others are under way
        pending: deque[tuple[Slot, Future[ReceivedPage]]] = deque()
        try:
            while slots or pending:
                while slots and len(pending) <= AHEAD:
                    slot = slots.popleft()
                    pending.append((slot, self._pool.submit(self._ask, slot.start, self._size, slot.overlap)))
                slot, future = pending.popleft()
                if slot.start != self._position - slot.overlap:
                    # the page before ended elsewhere: nothing ties this one to it
                    slot = Slot(slot.start, slot.stop, 0)
                    self.brought.breaks += 1
                elif slot.start > 0 and not slot.overlap:
                    self.brought.overlapped = False
                page, repeats = self._insist(future.result(), slot, self._size)
                last = not slots and not pending and self._held is None
                received = self._take(page, slot.overlap)
                # a short page may repeat by a change; a full one only where the service does not page
                if received >= self._size > slot.overlap and repeats >= received - slot.overlap and slot.start > 0:
                    self.brought.page_repeated = True
                    return
                self._position = slot.start + received
                cap: int | None = None
                if self._position < slot.stop:
                    # two pages in a row that are equally short are the server's own size, which is no sign of a change
                    if 1 < received == self._short:
                        cap = received
                        self.brought.breaks -= 1
                    else:
                        self._short = received
                        cap = self._fill(slot.stop, received)
                        self.brought.breaks += cap is None
                        if self._position < slot.stop and cap is None:
                            return  # the listing ends here: what lies beyond cannot make the pass whole
                        if self._position > slot.stop and not last:
                            cap = self._size  # a page of fixed size filled up further than was planned
                else:
                    self._short = 0
                    if self._position > slot.stop and not last:
                        cap = max(self._size, received)
                    elif last and received < self._size:
                        self.brought.end = self._position
                if cap is not None:
                    self._size, self._held = cap, None
                    _cancel(pending)
                    pending.clear()
                    # a server that sends less than it is asked for takes more requests anyway: overlap throughout
                    slots = deque(plan_slots(self._expected, cap, begin=self._position, extra=self._expected))
        finally:
            _cancel(pending)

    def _fill(self, stop: int, received: int) -> int | None:
        """Ask for the rest of a page that came short; returns the server's own page size when it shows."""
        short = 0
        while self._position < stop:
            if 1 < received == short < self._size:
                return received  # twice in a row as short: that is what the server sends
            short = received
            overlap = 1 if self._position else 0
            limit = stop - self._position + overlap
            slot = Slot(self._position - overlap, stop, overlap)
            page, repeats = self._insist(self._ask(slot.start, limit, overlap), slot, limit)
            received = self._take(page, overlap)
            if received <= overlap:
                return None  # nothing but the last row again: the listing got shorter
            if repeats >= received - overlap:
                self.brought.page_repeated = True
                return None
            self._position = slot.start + received
        return None

    def _ask(self, start: int, limit: int, overlap: int) -> ReceivedPage:
        """Ask for a page and compress it as it is landed when it overlaps as planned; any thread may."""
        params = dict(self._params)
        if self._endpoint.sends_limit:
            params["limit"] = limit
        params["start"] = start
        answer = self._client.get_json(self._endpoint.path, params, shape="list")
        return ReceivedPage(answer, list(map(read_id, answer.value)), pack(answer, overlap))

    def _insist(self, page: ReceivedPage, slot: Slot, limit: int) -> tuple[ReceivedPage, int]:
        """Ask again while a page repeats or breaks; returns the best answer and how many of its rows are repeats.

        That it had to be asked again stays in evidence: a second, fitting answer can also come of a second change.
        """
        repeats, broken = self._compare(page, slot)
        self.brought.breaks += bool(repeats or broken)
        for _ in range(ASK_AGAIN):
            if not repeats and not broken:
                break
            page = self._ask(slot.start, limit, slot.overlap)
            repeats, broken = self._compare(page, slot)
        return page, repeats

    def _compare(self, page: ReceivedPage, slot: Slot) -> tuple[int, bool]:
        """Count the rows of a page that came before, planned overlap apart, and see whether it continues the last."""
        rows = page.answer.value
        if not rows:
            return 0, bool(slot.overlap)
        continues = not slot.overlap or name_row(rows[0]) == self._last
        ids = [row_id for row_id in page.ids[slot.overlap if continues else 0 :] if row_id is not None]
        repeats = len(ids) - len(set(ids).difference(self.brought.ids))
        if not ids and digest_bytes(page.answer.line) in self._texts:
            repeats = len(rows)  # a page without any id shows its repetition only by its text
        return repeats, not continues

    def _take(self, page: ReceivedPage, overlap: int) -> int:
        """Tally and land a page; returns the elements received, the overlapping one included."""
        answer, brought = page.answer, self.brought
        rows = answer.value
        if not rows:
            return 0
        skip = 1 if overlap and name_row(rows[0]) == self._last else 0
        brought.add(rows[skip:], page.ids[skip:], self._stamps, self._observe, self._digests)
        self._last = name_row(rows[-1])
        if len(rows) > skip:
            # what was expected to overlap may not, and what begins anew has nothing to overlap with
            self._file.add(answer, page.packed if page.packed.overlap == skip else pack(answer, skip))
            brought.pages += 1
            brought.repaired += answer.repaired
        if not brought.ids:
            self._texts.add(digest_bytes(answer.line))
        brought.largest_page = max(brought.largest_page, len(rows))
        brought.received += len(rows) - skip
        self._progress.advance(1, len(rows) - skip)
        return len(rows)


def _demand_an_end(endpoint: Endpoint, brought: PassCount) -> None:
    """End a listing without a count that goes on beyond reason: what it brings fills memory and disk."""
    if brought.received > MOST_UNCOUNTED * (endpoint.page or 1) or brought.pages > MOST_UNCOUNTED_PAGES:
        raise IncompletePass(
            f"{endpoint.path}: o serviço não dá contagem, nem fim depois de {brought.received} linhas. "
            "Nada foi trocado. Uma lista que se repete é defeito do serviço: relate a ele"
        )


def _cancel(pending: deque[tuple[Slot, Future[ReceivedPage]]]) -> None:
    for _, future in pending:
        future.cancel()
