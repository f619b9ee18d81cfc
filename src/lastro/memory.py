"""Returning freed memory to the system: the largest amount held decides how large a machine must be."""

from __future__ import annotations

import contextlib
import ctypes


def give_back() -> None:
    """Give back the pages that hold nothing any more, between what is in use too; where glibc is not, nothing.

    Of its own accord glibc keeps freed columns for the next ones, which often do not fit between small objects: after a
    million entries are composed, two thirds of what the process holds are such holes.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
