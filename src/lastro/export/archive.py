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
    """Open a part of an archive to be written; its bytes follow from its content and the stamp's time alone."""
    when = max(moment, datetime(1980, 1, 1))  # noqa: DTZ001 - zip times are naive, and start in 1980
    entry = zipfile.ZipInfo(name, (when.year, when.month, when.day, when.hour, when.minute, when.second))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.create_system = 3
    with archive.open(entry, "w") as part:
        # zipfile knows no other compressor than zlib, and asks nobody.
        part._compressor = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, -isal_zlib.MAX_WBITS)  # type: ignore[attr-defined]
        yield part
