"""Read a JSON body without changing what it says: no number passes through a float, no text is lost.

A body usually goes to the landed file as it came. Where it holds something that DuckDB's reader would round, refuse or
choke on (a float literal, NaN, an integer beyond 64 bits, half a surrogate pair, NUL, a raw control character), it is
rewritten with those numbers as texts of their literal, and the original is landed beside it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from lastro.api.redaction import BodyMask

_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_DIGITS_AS_ZERO = bytes.maketrans(b"0123456789", b"0" * 10)
_LONG_NUMBER = b"0" * 19
_NUL = rb"\u0000"
_NO_VALUE = bytes(set(range(256)) - set(b"{[,"))
"""What a body is made of beside the signs before which, or after which, every value stands."""
_HALF = re.compile("[\ud800-\udfff]")
_INT64 = range(-(2**63), 2**63)
_LOOKED_INTO = frozenset({dict, list, float})
MAX_DEPTH = 200
"""Nesting that a body may have: a tree of 64 levels has 130; what reads it later goes down level by level."""
MAX_VALUES = 4_000_000
"""Objects, arrays and separators that a body may hold: a thousandth of what 16 MB of blanks and brackets could."""


@dataclass(frozen=True)
class Body:
    """A parsed body.

    Attributes:
        line: one line of JSON, in UTF-8, that reads exactly; the body as received but for line breaks between its
            tokens, or its rewritten form.
        value: the same, parsed; numbers with a fraction or exponent are texts of their literal.
        original: the body as received where `line` was rewritten, else None.
        halves: halves of surrogate pairs that became U+FFFD: characters that the service lost.
    """

    line: bytes
    value: Any
    original: str | None
    halves: int = 0


def _read_as_windows(byte: int) -> str:
    """Read a byte that is no UTF-8 as what old Windows services write."""
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


_ESCAPED_BYTES = {0xDC00 + byte: _read_as_windows(byte) for byte in range(0x80, 0x100)}
"""What `surrogateescape` makes of a byte that is no UTF-8 -> the character it is read as; it spoils no other."""
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


def decode_body(content: bytes, charset: str | None) -> tuple[str, int]:
    """Decode a body: UTF-8 as JSON demands, else the charset declared, else UTF-8 with odd bytes read as Windows'.

    Returns:
        The text, and how many of its characters were such bytes: they are a guess.
    """
    for encoding in ("utf-8-sig", charset):
        if encoding is None:
            continue
        try:
            return content.decode(encoding), 0
        except (UnicodeDecodeError, LookupError):
            continue
    text = content.decode("utf-8-sig", errors="surrogateescape")
    return text.translate(_ESCAPED_BYTES), len(_ESCAPED_BYTE.findall(text))


def expand_gzip(chunks: Iterable[bytes], most: int) -> bytes:
    """Expand one gzip stream, and never to more than a number of bytes.

    Raises:
        ValueError: when it is cut, damaged, longer than `most`, or more than one stream.
    """
    reader, parts, size = zlib.decompressobj(16 + zlib.MAX_WBITS), [], 0
    try:
        for chunk in chunks:
            parts.append(reader.decompress(chunk, most + 1 - size))
            size += len(parts[-1])
            if size > most:
                raise ValueError(f"um corpo de mais de {most // 2**20} MB")
            if reader.unused_data:
                raise ValueError("mais de um fluxo comprimido")
    except zlib.error:
        raise ValueError("um corpo comprimido danificado") from None
    if not reader.eof:
        raise ValueError("um corpo comprimido cortado")
    return b"".join(parts)


def read_body(content: bytes, charset: str | None, mask: BodyMask) -> tuple[Body, int]:
    """Read a body as it was received, and count the characters of it that are a guess (`decode_body`).

    Nearly every one is UTF-8 without the token and says everything exactly: it is read as it is, and never decoded.

    Raises:
        ValueError: when it is not JSON (cut, HTML, empty) or nested too deeply to be a record.
    """
    plain = None if mask.concerns(content) else _parse_plain(content)
    if plain is not None:
        return plain, 0
    text, guessed = decode_body(content, charset)
    return parse_body(mask(text)), guessed


def parse_body(text: str) -> Body:
    """Parse a decoded JSON body.

    Raises:
        ValueError: when it is not JSON (cut, HTML, empty) or nested too deeply to be a record.

    >>> parse_body('[{"valor": 12.50}]').line
    b'[{"valor": "12.50"}]'
    >>> parse_body('[{"valor": "12.50"}]').original is None
    True
    """
    encoded = text.encode("utf-8", "surrogatepass")
    if _has_too_many_values(encoded):
        raise ValueError("mais valores do que uma lista de registros tem")
    plain = _parse_plain(encoded)
    if plain is not None:
        return plain
    long_number, inexact = _has_long_number(encoded), _NUL in encoded

    def keep_literal(literal: str) -> str:
        nonlocal inexact
        inexact = True
        return literal

    def keep_integer(literal: str) -> int | str:
        return int(literal) if len(literal) < 21 and int(literal) in _INT64 else keep_literal(literal)

    options: dict[str, Any] = {"parse_float": keep_literal, "parse_constant": keep_literal}
    if long_number:
        options["parse_int"] = keep_integer
    try:
        try:
            value = json.loads(text, **options)
        except json.JSONDecodeError:
            # raw control characters inside texts are a fault of the service that costs nothing to read
            value = json.loads(text, strict=False, **options)
            inexact = True
    except RecursionError:
        raise ValueError("aninhado demais") from None
    _find_fraction(value)
    halves = 0
    if _ESCAPED_HALF.search(text):
        halves = len(_HALF.findall(json.dumps(value, ensure_ascii=False)))
    if not inexact and not halves:
        return Body(_join_lines(text.encode("utf-8", "replace")), value, None)
    value = _clean(value)
    line = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return Body(line, value, _HALF.sub("\ufffd", text), halves)


def _parse_plain(encoded: bytes) -> Body | None:
    """Parse UTF-8 that says everything exactly; None where it is not JSON, or only the patient reader can tell.

    That is a fraction, a number that is none or a long one, NUL, half a surrogate pair, a raw control character.
    """
    if _has_too_many_values(encoded) or _has_long_number(encoded) or _NUL in encoded:
        return None
    try:
        value = orjson.loads(encoded)
    except orjson.JSONDecodeError:
        return None
    return None if _find_fraction(value) else Body(_join_lines(encoded), value, None)


def _has_too_many_values(encoded: bytes) -> bool:
    return len(encoded) > MAX_VALUES < len(encoded.translate(None, _NO_VALUE))  # a short one has fewer bytes


def _has_long_number(encoded: bytes) -> bool:
    """Tell whether nineteen digits stand in a row; a pattern's search took ten times as long, as much as parsing."""
    return _LONG_NUMBER in encoded.translate(_DIGITS_AS_ZERO)


def _join_lines(encoded: bytes) -> bytes:
    """Make one line of it: line breaks can only stand between tokens here, and a landed page is one line."""
    return encoded.replace(b"\r", b" ").replace(b"\n", b" ")


def _find_fraction(value: Any) -> bool:
    """Tell whether there is a float in it; refuse what is nested deeper than any record, level by level."""
    level, fraction = [value], type(value) is float
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if type(outer) is dict or type(outer) is list
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in _LOOKED_INTO
        ]
        fraction = fraction or float in map(type, level)
        if not level:
            return fraction
    raise ValueError("aninhado demais")


def _clean(value: Any) -> Any:
    """Replace half surrogate pairs and drop NUL in every text of a JSON value."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value.replace("\x00", ""))
    if isinstance(value, list):
        return [_clean(element) for element in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(element) for key, element in value.items()}
    return value
