"""The parts of a workbook's archive: named, dated by the stamp alone, and compressed fast.

Belongs here: what every workbook's archive has in common. Does not belong here: what stands in the parts.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Final

from isal import isal_zlib

_LEVEL: Final = 1
"""Four times as fast as zlib's fastest, for a file of the same size."""


@contextmanager
def open_part(archive: zipfile.ZipFile, name: str, moment: datetime) -> Iterator[IO[bytes]]:
    """Open a part of an archive to be written; the same content and `moment` give the same bytes."""
    when = max(moment, datetime(1980, 1, 1))  # noqa: DTZ001 - zip times are naive, and start in 1980
    entry = zipfile.ZipInfo(name, (when.year, when.month, when.day, when.hour, when.minute, when.second))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.create_system = 3
    with archive.open(entry, "w") as part:
        part._compressor = _Compressor()  # type: ignore[attr-defined] # zipfile knows no other than zlib, and asks nobody
        yield part


class _Compressor:
    """isal's, made to write the same bytes for the same content wherever in memory it lies.

    Of what it is given first, its search for repetitions takes the address of its own state for the third place
    (1.9.1, with ISA-L 2.32.1), so in some thousand parts it overlooks one. A first byte in a block of its own goes
    another way through it, and costs six bytes a part.
    """

    def __init__(self) -> None:
        self.isal = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, -isal_zlib.MAX_WBITS)
        self._begun = False

    def compress(self, content: bytes) -> bytes:
        """Compress some of the content."""
        if self._begun or not content:
            return self.isal.compress(content)
        self._begun = True
        begin = self.isal.compress(content[:1]) + self.isal.flush(isal_zlib.Z_SYNC_FLUSH)
        return begin + self.isal.compress(memoryview(content)[1:])

    def flush(self) -> bytes:
        """Compress what is left."""
        return self.isal.flush()
