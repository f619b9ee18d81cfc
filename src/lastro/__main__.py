"""The program: what an installation puts on the path as `lastro`, and `python -m lastro`. It ends at once.

To take down object by object what Dagster, pandas and DuckDB have loaded takes Python a second in which nothing happens
that anybody needs. This module is imported before all that: what it registers for the end is done last, after every
thread has ended and every library has done what it registered.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import Final

_codes: Final[list[int]] = []
"""The exit code of the command, when it has ended with one."""


def enter() -> None:
    """Run the command line; a command that ends with a code ends the process, any other end is left to Python."""
    from lastro.cli import main

    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _codes.append(end.code or 0)
        raise


def _leave() -> None:
    """End the process, unless something could not be written: Python says so by a code of its own."""
    if not _codes:
        return
    if _codes[-1]:
        # What an error holds in a circle, left half-way, comes to its end as well.
        gc.collect()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except OSError:
        return
    os._exit(_codes[-1])


if not atexit._ncallbacks():
    # Else somebody was here before, as an agent that starts with Python, and what it registered would come after this.
    atexit.register(_leave)

if __name__ == "__main__":
    enter()
