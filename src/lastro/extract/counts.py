"""Counts of a listing: rows that the service announces, and rows that one pass brought."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from lastro.api.client import Client
from lastro.api.endpoints import Endpoint
from lastro.api.paging import describe_shape, parse_count, parse_id
from lastro.calendar import local_time
from lastro.extract.passes import FUTURE_HOURS, SLACK_SECONDS

COUNT_TRIES: Final = 3
"""Times that a count of unreadable shape is asked for before it is taken as unavailable."""
KNOWN_COUNT_TRIES: Final = 10
"""The same after one count was readable. The service does give counts then, so an unreadable one is a fault and is
asked for again like any other answer: without counts a reading needs two identical passes, which faults make rare."""


@dataclass
class Counting:
    """Whether the service gives counts: learnt once per reading.

    Attributes:
        reason: Portuguese, why there is none; empty while counts are readable.
        known: a count was readable before.
    """

    reason: str = ""
    known: bool = False


def read_count(
    client: Client, endpoint: Endpoint, params: Mapping[str, str | int], counting: Counting
) -> tuple[int | None, datetime | None]:
    """Ask how many rows a listing has; also the service's time of the answer.

    Returns:
        The count, None when the service gives none in a readable shape (`counting` then says what came), and the
        answer's `Date`.

    Raises:
        Refused: when the service refuses the question.
    """
    served: datetime | None = None
    if counting.reason:
        return None, None
    for _ in range(KNOWN_COUNT_TRIES if counting.known else COUNT_TRIES):
        answer = client.get_json(endpoint.path, {**params, "tipo_view": "count"})
        served, came = answer.data_servidor, describe_shape(answer.value)
        count = parse_count(answer.value)
        if count is not None:
            counting.known = True
            return count, served
    counting.reason = f"contagem indisponível: veio {came}"
    return None, served


@dataclass(frozen=True)
class ModifiedClock:
    """Tells rows touched during a round by their `modified`, a naive local text.

    Attributes:
        since: texts from here on are not older than the first count.
        beyond: texts after this belong to no clock of this world.
    """

    since: str
    beyond: str

    @classmethod
    def starting(cls, moment: datetime, zone: str) -> ModifiedClock:
        """Begin a round at a UTC moment by the service's clock, in the company's time zone."""
        local = local_time(moment, zone)
        return cls(
            (local - timedelta(seconds=SLACK_SECONDS)).strftime("%Y-%m-%d %H:%M:%S"),
            (local + timedelta(hours=FUTURE_HOURS)).strftime("%Y-%m-%d %H:%M:%S"),
        )


@dataclass
class PassCount:
    """What one pass over one listing brought.

    Attributes:
        ids: distinct record ids.
        elements: digest -> how often, of the elements without a readable id.
        recent: ids whose `modified` is not older than the beginning of the round.
        overlapped: every page was planned to begin with the last row of the one before.
        breaks: pages that did not, at the first asking, continue the one before and come whole.
        confirmed: rows that the pages skipped and that were asked for one by one.
        largest_page: most rows that one answer held.
        end: rows up to the end of the listing, when its last page was asked for more than it brought.
        digest: fingerprint of all rows regardless of order; only where asked for.
        repaired: characters that are a guess, because they came as no UTF-8.
    """

    ids: set[int] = field(default_factory=set)
    elements: Counter[str] = field(default_factory=Counter)
    recent: set[int] = field(default_factory=set)
    pages: int = 0
    received: int = 0
    repeated: int = 0
    breaks: int = 0
    overlapped: bool = True
    page_repeated: bool = False
    confirmed: int = 0
    largest_page: int = 0
    end: int | None = None
    stamped: int = 0
    in_future: int = 0
    digest: bytes | None = None
    repaired: int = 0

    @property
    def rejected(self) -> int:
        """Elements that are no object with a positive integer id."""
        return self.elements.total()

    @property
    def rows(self) -> int:
        """Distinct rows: different ids plus elements without one."""
        return len(self.ids) + self.rejected

    @property
    def has_clock(self) -> bool:
        """Whether most rows carry a `modified` that can be compared with the service's clock."""
        return 2 * (self.stamped - self.in_future) > self.rows

    def add(
        self,
        rows: list[Any],
        row_ids: list[int | None],
        stamps: ModifiedClock | None,
        observe: Callable[[Any, int], None],
        digests: list[bytes] | None = None,
    ) -> None:
        """Count rows.

        Args:
            rows: the elements of a page, planned overlap left out.
            row_ids: what `read_id` reads in each of them.
            stamps: tells rows touched during the round; None where rows carry no `modified`.
            observe: hears of every distinct row with an id.
            digests: collects the digest of every element; None where nobody compares them.
        """
        ids = self.ids
        for row, row_id in zip(rows, row_ids, strict=True):
            if digests is not None:
                digests.append(digest_row(row))
            if row_id is None:
                self.elements[digest_row(row).hex()] += 1
            elif row_id in ids:
                self.repeated += 1
            else:
                ids.add(row_id)
                if stamps is not None:
                    self._compare_modified(row, row_id, stamps)
                observe(row, row_id)

    def _compare_modified(self, row: Any, row_id: int, stamps: ModifiedClock) -> None:
        modified = row.get("modified")
        if not isinstance(modified, str) or len(modified) < 19:
            return
        if modified[10] != " ":
            modified = modified[:10] + " " + modified[11:]
        self.stamped += 1
        if modified >= stamps.since:
            if modified > stamps.beyond:
                self.in_future += 1
            else:
                self.recent.add(row_id)


def read_id(row: Any) -> int | None:
    """Read the id of an element; None when it is no object or has no positive integer id."""
    return parse_id(row.get("id")) if isinstance(row, dict) else None


def name_row(row: Any) -> str:
    """Name an element: by its id, or by its content when it has none."""
    row_id = read_id(row)
    return f"id {row_id}" if row_id is not None else digest_row(row).hex()


def digest_row(row: Any) -> bytes:
    """Digest an element by its content, whatever the order of its fields."""
    return digest_bytes(json.dumps(row, sort_keys=True, ensure_ascii=False).encode("utf-8", errors="replace"))


def digest_bytes(content: bytes) -> bytes:
    """Digest bytes, to compare them with others of the same reading."""
    return hashlib.blake2b(content, digest_size=16).digest()
