"""The clock, as the default of parameters that tests replace; the only place of the library that reads it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Read the clock in UTC."""
    return datetime.now(UTC)
