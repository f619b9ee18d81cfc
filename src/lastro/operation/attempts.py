"""When a run that failed is tried again: where the service did not answer, or the company was busy."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from lastro.settings import Settings

PAUSES_MINUTES = (5, 10, 20, 40, 60)
"""How long a company waits for its first, second, ... further attempt; the last of them for every one after it."""
ALWAYS_TRIED = 2
"""Attempts that come at any hour; those after them come until `LAST_HOUR`."""
LAST_HOUR = time(12)
"""Until when, in the zone of the settings, what failed is tried again: figures of the afternoon help no morning."""


def find_next_attempt(settings: Settings, tried: int, now: datetime) -> datetime | None:
    """Find when a failed run is tried again; None when a person must look, or the next morning's run comes first.

    Args:
        tried: how many attempts came before this one, which was not the first where that is not 0.
        now: the clock, UTC.
    """
    due = now + timedelta(minutes=PAUSES_MINUTES[min(tried, len(PAUSES_MINUTES) - 1)])
    wanted = tried < ALWAYS_TRIED or due.astimezone(ZoneInfo(settings.fuso)).time() <= LAST_HOUR
    return due if wanted else None
