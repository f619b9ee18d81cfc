"""What the process gives back of the memory it no longer uses: the most it holds at a time is what a machine must have.

Two allocators keep what is freed for later. DuckDB's own leaves it unused for ten seconds, a hundred megabytes while
pages are loaded. glibc's, which Python and pandas use, takes freed columns of a large company for the next ones and
finds no room for them between small objects: after a million entries a half of what it held was such holes.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import MutableMapping
from typing import Final

DUCKDB_ALLOCATOR: Final = "DUCKDB_JE_MALLOC_CONF"
"""Where DuckDB's allocator looks for its options when it is loaded."""
OWN_PAGES: Final = 2**20
"""From so many bytes on a block has pages of its own, given back with it: a column of 131,072 rows has them."""
_M_MMAP_THRESHOLD: Final = -3


def keep_little(environ: MutableMapping[str, str]) -> None:
    """Make both allocators give back sooner; where there is another C library, only DuckDB's.

    Args:
        environ: the environment of this process, which DuckDB reads when it is loaded: call it before. What it says
            already is left.
    """
    environ.setdefault(DUCKDB_ALLOCATOR, "dirty_decay_ms:0")
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, OWN_PAGES)


def give_back() -> None:
    """Give back the pages that hold nothing any more, between what is in use too; where glibc is not, nothing."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
