"""Bytes of an archive's parts: they follow from the content, not from where in memory the compressor lies."""

from __future__ import annotations

import zipfile
from datetime import datetime
from io import BytesIO

from lastro.export.archive import open_part

MOMENT = datetime(2026, 3, 16, 6, 5)  # noqa: DTZ001 - as zip has it


def imitate(compressor: object) -> bytes:
    """Make a content that begins, twice, with what the compressor takes for the third place of it."""
    address = (id(compressor) >> 16 & 0xFFFFFFFF).to_bytes(4, "little")
    numbers = b",".join(b"%d" % (number**2) for number in range(300))
    return address + numbers[:80] + address + numbers


def test_parts_of_the_same_content_have_the_same_bytes() -> None:
    archives = [BytesIO(), BytesIO()]
    with zipfile.ZipFile(archives[0], "w") as one, zipfile.ZipFile(archives[1], "w") as other:
        with open_part(one, "a.xml", MOMENT) as first, open_part(other, "a.xml", MOMENT) as second:
            content = imitate(first._compressor.isal)  # type: ignore[attr-defined]
            first.write(content)
            second.write(content)  # by a compressor that lies elsewhere
        assert one.read("a.xml") == content
    assert archives[0].getvalue() == archives[1].getvalue()


def test_an_empty_write_changes_nothing() -> None:
    with zipfile.ZipFile(BytesIO(), "w") as archive:
        with open_part(archive, "a.xml", MOMENT) as part:
            for content in (b"", b"<a", b"", b"/>"):
                part.write(content)
        assert archive.read("a.xml") == b"<a/>"
