"""Keep the access token out of every log line.

The token is put into the address only below httpx (see `client.py`), so neither httpx's log lines nor its exceptions
know it; this filter is the second lock, for what the service itself sends back (a `Location`, an echo in a header) and
for the wire loggers. A filter on a logger does not apply to its children, so each one gets it.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from urllib.parse import quote, quote_plus

LOGGERS = (
    "httpx",
    "httpcore",
    *(f"httpcore.{part}" for part in ("connection", "connection_pool", "http11", "http2", "proxy", "socks")),
)
MASK = "***"
_PARAMETER = re.compile(r"(access_token(?:=|%3[dD]))[^&\s'\"\\)>\]]*")
_MIN_LENGTH = 8
"""A shorter token would be masked inside innocent text and data; its parameter form still is."""


def list_spellings(token: str) -> tuple[str, ...]:
    """List the ways in which a token can stand in a text, longest first, each at least eight characters long."""
    escaped = json.dumps(token)[1:-1]
    quoted = quote(token, safe="")
    ways = {token, quoted, quoted.lower(), quote(token), quote_plus(token), escaped, escaped.replace("/", "\\/")}
    return tuple(sorted((way for way in ways if len(way) >= _MIN_LENGTH), key=lambda way: (-len(way), way)))


def mask_token(text: str, spellings: tuple[str, ...]) -> str:
    """Mask the token, in any of its spellings, and the value of every `access_token=`.

    >>> mask_token("GET /v1/contas?access_token=abc&limit=5", ())
    'GET /v1/contas?access_token=***&limit=5'
    """
    for spelling in spellings:
        text = text.replace(spelling, MASK)
    return _PARAMETER.sub(r"\1" + MASK, text)


class BodyMask:
    """Masks the token in a body: a service that echoes it must not get it into our files.

    A token of less than eight characters may stand in innocent text and stays there; as the name of a field, or as a
    whole word of one, it is an echo all the same.

    >>> BodyMask("abc")('{"abc" : "abc", "abcd": 1, "abc.0": 2}')
    '{"***" : "abc", "abcd": 1, "***": 2}'
    """

    def __init__(self, token: str) -> None:
        self._spellings, self._echo = list_spellings(token), json.dumps(token)[1:-1]
        word = rf"(?<![A-Za-z0-9_]){re.escape(self._echo)}(?![A-Za-z0-9_])"
        self._as_name = re.compile(rf'"(?:[^"\\]*[^"\\A-Za-z0-9_])?{word}(?:[^"\\]*)"(?=\s*:)')
        self._signs = [text.encode("utf-8", "replace") for text in self._spellings or (self._echo,)]

    def concerns(self, content: bytes) -> bool:
        """Tell whether something in UTF-8 may hold the token at all, which hardly any body does."""
        return any(sign in content for sign in self._signs)

    def __call__(self, text: str) -> str:
        """Mask the token in a text."""
        for spelling in self._spellings:
            text = text.replace(spelling, MASK)
        # the search by pattern takes longer than parsing the body, and hardly any body holds the token at all
        return text if self._spellings or self._echo not in text else self._as_name.sub(f'"{MASK}"', text)


class TokenFilter(logging.Filter):
    """Mask the tokens of all open clients in what the HTTP libraries log."""

    def __init__(self) -> None:
        super().__init__()
        self._spellings: dict[tuple[str, ...], int] = {}
        self._lock = threading.Lock()

    def add(self, spellings: tuple[str, ...]) -> None:
        """Start masking a token; installs the filter on every logger of the HTTP libraries."""
        with self._lock:
            self._spellings[spellings] = self._spellings.get(spellings, 0) + 1
        for name in LOGGERS:
            logging.getLogger(name).addFilter(self)  # adding a filter twice is adding it once

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the message by its masked form; never drops a record."""
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 - whatever a foreign record does, a line without it is better than none
            message = "(unreadable log line)"
        for spellings in tuple(self._spellings):
            message = mask_token(message, spellings)
        record.msg, record.args = mask_token(message, ()), ()
        return True


TOKEN_FILTER = TokenFilter()
"""One for the process; tokens stay known to it, because pooled connections log after their client is closed."""
