"""When to try again and how long to wait first; pure.

Retried: transport errors, 408, 425, 429, 5xx and bodies that are not the JSON shape asked for (a proxy's HTML page, a
cut body, `{}` where a list is due): they say nothing about the data. Not retried: what will be refused again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

RETRIED_STATUS: Final = frozenset({408, 425, 429})
"""4xx answers that mean "not now" rather than "not so"; every 5xx is retried as well."""
TOO_MANY: Final = 429


@dataclass(frozen=True)
class RetryPolicy:
    """How patient the client is.

    Attributes:
        attempts: requests made for one answer before giving up. Ten, because a storm of faults at 25 % of requests then
            defeats one answer in a million.
        first_attempts: the same while nothing was ever answered: a wrong address should be told within seconds.
        base: seconds; the ceiling of the first wait, doubled each time.
        cap: seconds; the highest ceiling.
        base_429: the same for a 429 without `Retry-After`, whose window is at least a minute long.
        cap_429: seconds; its highest ceiling.
        retry_after_cap: seconds; the longest `Retry-After` that is believed.
        patience: seconds; the longest time for one answer, whatever `Retry-After` asks.
        breaker: failures in a row, over all threads and answers, that end the run.
        silence: seconds without any readable answer, over all threads, that end the run, however politely it is put
            off.
    """

    attempts: int = 10
    first_attempts: int = 7
    base: float = 0.25
    cap: float = 15.0
    base_429: float = 1.0
    cap_429: float = 60.0
    retry_after_cap: float = 300.0
    patience: float = 900.0
    breaker: int = 40
    silence: float = 1800.0

    def compute_wait(self, failures: int, random: float, *, status: int | None = None) -> float:
        """Compute the seconds to wait after so many failures in a row of one answer.

        Full jitter (anything between zero and the ceiling) so that threads and programs that failed together do not
        return together; a 429 waits at least half its ceiling, or the window would never empty.

        Args:
            failures: at least 1.
            random: uniform in [0, 1).
            status: HTTP status of the last failure, None for a transport error.

        >>> RetryPolicy().compute_wait(3, 0.5), RetryPolicy().compute_wait(2, 0.0, status=429)
        (0.5, 1.0)
        """
        doublings = min(failures - 1, 30)
        if status == TOO_MANY:
            return min(self.cap_429, math.ldexp(self.base_429, doublings)) * (0.5 + random / 2)
        return min(self.cap, math.ldexp(self.base, doublings)) * random


def parse_retry_after(text: str | None, now: datetime) -> float | None:
    """Parse `Retry-After`: seconds or an HTTP date; None when absent or unreadable.

    Args:
        text: the header's value.
        now: UTC, the server's own `Date` where known, so that its clock is compared with itself.

    >>> parse_retry_after("Sun, 01 Mar 2026 00:00:30 GMT", datetime(2026, 3, 1, tzinfo=UTC))
    30.0
    """
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    moment = parse_http_date(text)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def parse_http_date(text: str | None) -> datetime | None:
    """Parse an HTTP date header into UTC; None when absent or unreadable."""
    if text is None:
        return None
    try:
        moment = parsedate_to_datetime(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None
