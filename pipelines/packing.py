"""Events as they lie in the file of one machine: packed, for nine tenths of each are names of Dagster's fields.

Only `records` knows that they are: whoever reads through it gets text. What an earlier version wrote is text and stays.
"""

import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

_BEGINNING: Final = '{"__class__": "EventLog'
"""How every text begins that is worth packing: an event, or a record of one."""
_LEVEL: Final = 6
_DICTIONARY: Final = Path(__file__).with_suffix(".txt").read_bytes()
"""What the packer may point back to: events with little in them. What was packed with it cannot be read with another.

Whoever makes a better one leaves this one to read with, and holds the new one by its sum in the test too.
"""


def pack(value: Any) -> Any:
    """Pack a parameter of a statement if it is an event; anything else is given back."""
    if not isinstance(value, str) or not value.startswith(_BEGINNING):
        return value
    packer = zlib.compressobj(_LEVEL, zdict=_DICTIONARY)
    return packer.compress(value.encode()) + packer.flush()


def unpack(value: Any) -> Any:
    """Unpack what stands in a column if it was packed; no column of these files holds bytes of another kind.

    Raises:
        zlib.error: when the bytes are damaged, or were packed with another dictionary.
    """
    if not isinstance(value, bytes):
        return value
    unpacker = zlib.decompressobj(zdict=_DICTIONARY)
    text = unpacker.decompress(value)
    if not unpacker.eof:
        raise zlib.error("cut off")
    return text.decode()


def unpack_row(_: sqlite3.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Unpack a row that was read: `row_factory` of a connection."""
    return tuple(map(unpack, row))


def pack_parameters(parameters: Any) -> Any:
    """Pack what a statement is given: one row, or several."""
    if isinstance(parameters, Sequence) and parameters and isinstance(parameters[0], tuple | list):
        return [tuple(map(pack, row)) for row in parameters]
    return tuple(map(pack, parameters)) if isinstance(parameters, tuple) else parameters
