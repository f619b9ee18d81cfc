"""Which pages a listing of known size takes, what a `count` answer says and which record an element is; pure.

Pages overlap by one row wherever the spare room of the last page pays for it: the first row of a page must then be the
last row of the page before, and a row that left or entered the part already read shows at once. The last page asks for
at least one row more than there should be, and so shows where the listing ends. Neither costs a request beyond
`ceil(count / size) + extra`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_DIGITS = re.compile(r"[0-9]{1,18}")
MAX_ID = 2**63 - 1
MAX_COUNT = 10_000_000
"""Rows that a listing may claim to have; a larger claim is no count."""


@dataclass(frozen=True)
class Slot:
    """One planned request.

    Attributes:
        start: offset asked for.
        stop: offset after the last row that this slot answers for; the next slot's `start`, plus its overlap.
        overlap: 1 when the first row must be the last row of the slot before, else 0.
    """

    start: int
    stop: int
    overlap: int


def plan_slots(count: int, size: int, *, begin: int = 0, extra: int = 0) -> list[Slot]:
    """Plan the pages of a listing.

    Args:
        begin: rows that are already read.
        extra: requests that may be spent on overlap beyond the fewest possible.

    >>> plan_slots(1200, 500)
    [Slot(start=0, stop=500, overlap=0), Slot(start=499, stop=999, overlap=1), Slot(start=998, stop=1200, overlap=1)]
    >>> plan_slots(500, 500, extra=1)  # a full page does not show that it is the last
    [Slot(start=0, stop=500, overlap=0), Slot(start=499, stop=500, overlap=1)]
    >>> plan_slots(1000, 500)  # no room to spare: the overlap would cost a third request
    [Slot(start=0, stop=500, overlap=0), Slot(start=500, stop=1000, overlap=0)]
    """
    rest = count - begin
    if rest <= 0:
        return []
    pages = -(-rest // size)
    first_has_anchor = begin > 0
    # `extra` pages are only worth asking for when the overlaps need them
    for used in range(extra + 1):
        boundaries = pages + used - 1 + first_has_anchor
        if (pages + used) * size - rest > boundaries:
            pages += used
            break
    else:
        pages += extra
    spare = pages * size - rest - 1  # one is kept for the last page: asked beyond the end, it shows where that is
    slots: list[Slot] = []
    position = begin
    while position < count:
        wants = bool(slots) or first_has_anchor
        overlap = 1 if wants and spare > 0 and size > 1 else 0
        spare -= overlap
        start = position - overlap
        stop = min(count, start + size)
        slots.append(Slot(start, stop, overlap))
        position = stop
    if len(slots) < pages and slots[-1].start + size <= count:
        slots.append(Slot(count - 1, count, 1))  # the last row once more, and nothing after it
    return slots


def has_room(count: int, size: int) -> bool:
    """Tell whether the fewest pages have room for an overlap at each boundary and one row beyond the end.

    >>> has_room(1200, 500), has_room(1000, 500), has_room(499, 500), has_room(500, 500), has_room(0, 500)
    (True, False, True, False, True)
    """
    pages = -(-count // size)
    return pages * size - count >= pages


def parse_count(value: Any) -> int | None:
    """Read an answer to `tipo_view=count`; None when its shape says nothing.

    >>> [parse_count(shape) for shape in ({"0": 7}, [7], 7, {"count": 7}, {"total": 7}, [{"id": 1}], True)]
    [7, 7, 7, 7, None, None, None]
    """
    if isinstance(value, dict) and len(value) == 1:
        value = value.get("0", value.get("count"))
    elif isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT else None


def parse_id(value: Any) -> int | None:
    """Read a record id: a positive integer, also as text; None for anything else.

    >>> parse_id(7), parse_id("7"), parse_id(0), parse_id(True), parse_id("7.0")
    (7, 7, None, None, None)
    """
    if type(value) is int:  # not a boolean
        return value if 0 < value <= MAX_ID else None
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value) or None
    return None


def describe_shape(value: Any) -> str:
    """Describe a JSON value without quoting any of it, for messages.

    >>> describe_shape({"total": 7}), describe_shape([{"id": 1}, {"id": 2}]), describe_shape(None)
    ('um objeto com as chaves total', 'uma lista de 2 elementos', 'nulo')
    """
    if isinstance(value, dict):
        keys = ", ".join(key for key in list(value)[:5] if re.fullmatch(r"[A-Za-z_0-9]{1,40}", key))
        return f"um objeto com as chaves {keys}" if keys else "um objeto sem chaves legíveis"
    if isinstance(value, list):
        return f"uma lista de {len(value)} elementos"
    return {bool: "um booleano", str: "um texto", int: "um número"}.get(type(value), "nulo")
