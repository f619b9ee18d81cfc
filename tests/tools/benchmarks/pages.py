"""A page server for the measurements: it keeps the bytes of every answer and sends them again as they were.

`python tests/tools/benchmarks/pages.py PORT UPSTREAM` stands between those who are measured and the sandbox, which
makes the rows of a page when it is first asked for them. What is asked for the first time it fetches there; afterwards
an answer costs what it takes to write its bytes. It needs nothing of lastro.

`/~` tells what was asked since it was last asked.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
import time
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, urlencode

_KEPT_HEADERS = ("Content-Type", "Content-Encoding", "Retry-After")
CONTROL = "/~"


class Pages:
    """What was answered, and how often.

    Args:
        upstream: host and port of the service behind.
    """

    def __init__(self, upstream: str) -> None:
        self._asked: list[str] = []
        self._upstream = upstream
        self._kept: dict[str, tuple[bytes, bytes]] = {}
        self._date, self._second = b"", 0

    def find(self, key: str, target: str) -> tuple[bytes, bytes]:
        """Return the head, without its date, and the body of an answer; ask for it where it is not kept."""
        if key not in self._kept:
            connection = http.client.HTTPConnection(self._upstream, timeout=120)
            connection.request("GET", target, headers={"Accept": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
            lines = [f"HTTP/1.1 {answer.status} {answer.reason}", f"Content-Length: {len(body)}"]
            lines += [f"{name}: {answer.headers[name]}" for name in _KEPT_HEADERS if name in answer.headers]
            connection.close()
            self._kept[key] = ("\r\n".join(lines).encode("latin-1"), body)
        return self._kept[key]

    def control(self) -> bytes:
        """Tell what was asked since the last time, without the token."""
        told, self._asked = json.dumps(self._asked).encode(), []
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(told), told)

    def answer(self, target: str) -> tuple[bytes, ...]:
        """Write the answer to a request."""
        path, _, query = target.partition("?")
        if path == CONTROL:
            return (self.control(),)
        parts = parse_qsl(query, keep_blank_values=True)
        key = f"{path}?{urlencode(sorted((name, text) for name, text in parts if name != 'access_token'))}"
        self._asked.append(key)
        head, body = self.find(key, target)
        now = int(time.time())
        if now != self._second:
            self._second, self._date = now, formatdate(now, usegmt=True).encode()
        return (head, b"\r\nDate: ", self._date, b"\r\n\r\n", body)


class Connection(asyncio.Protocol):
    """One client's connection, kept open; requests have no body."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._received = pages, b""
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            target = self._received[: self._received.index(b"\r\n")].split(b" ")[1].decode("latin-1")
            self._received = self._received[end + 4 :]
            self._transport.writelines(self._pages.answer(target))


async def serve(port: int, upstream: str) -> None:
    """Serve until the process ends."""
    pages = Pages(upstream)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(pages), "127.0.0.1", port)
    async with server:
        print("pages", flush=True)  # noqa: T201 - says that it listens
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))
