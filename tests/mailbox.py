"""A mail server of RFC 5321 and a receiver of webhooks on loopback: what a notice really is when it arrives."""

from __future__ import annotations

import base64
import contextlib
import json
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

TLS = Path(__file__).parent / "stored/tls"


@dataclass
class Mailbox:
    """What a mail server took, and how it behaves."""

    port: int = 0
    password: str = ""
    refuse: tuple[str, ...] = ()
    down: bool = False
    tls: bool = False
    demanding: bool = False
    messages: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


class _Session(socketserver.StreamRequestHandler):
    box: Mailbox

    def reply(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())
        self.wfile.flush()

    def handle(self) -> None:
        # A client that does not trust us hangs up in the middle of the handshake.
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            self.serve(stack)

    def serve(self, stack: contextlib.ExitStack) -> None:
        box = self.box
        if box.down:
            self.reply("421 not now, ask secret-desk@example.com")
            return
        self.reply("220 loopback ESMTP")
        accepted: list[str] = []
        while line := self.rfile.readline():
            text = line.decode().strip()
            verb = text.upper()
            box.said.append(text)
            if verb.startswith("EHLO"):
                self.reply("250-loopback")
                self.reply("250-AUTH PLAIN")
                self.reply("250 STARTTLS" if box.tls else "250 8BITMIME")
            elif verb == "STARTTLS":
                self.reply("220 go ahead")
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(TLS / "server.pem")
                secured = stack.enter_context(
                    context.wrap_socket(self.connection, server_side=True, do_handshake_on_connect=False)
                )
                secured.do_handshake()
                self.rfile, self.wfile = secured.makefile("rb"), secured.makefile("wb")
            elif box.demanding and verb.startswith("MAIL"):
                self.reply("530 must issue a STARTTLS command first")
            elif verb.startswith("AUTH PLAIN"):
                user, word = base64.b64decode(text.split()[2]).decode().split("\0")[1:]
                self.reply("235 welcome" if (user, word) == ("lastro", box.password) else f"535 no, {word} is wrong")
            elif verb.startswith("RCPT"):
                address = text.partition("<")[2].rstrip(">")
                if address in box.refuse:
                    self.reply("550 nobody here")
                else:
                    accepted.append(address)
                    self.reply("250 ok")
            elif verb == "DATA":
                self.reply("354 go on")
                body = b""
                while (line := self.rfile.readline()) != b".\r\n":
                    body += line.removeprefix(b".") if line.startswith(b"..") else line
                box.messages.append(message_from_bytes(body, policy=policy.default))
                box.recipients.append(accepted)
                self.reply("250 taken")
            elif verb == "QUIT":
                self.reply("221 bye")
                return
            else:
                self.reply("250 ok")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def serve_mail(**behaviour: Any) -> Iterator[Mailbox]:
    """Serve a mailbox on a free port."""
    box = Mailbox(**behaviour)
    handler = type("Handler", (_Session,), {"box": box})
    with _Server(("127.0.0.1", 0), handler) as server:
        box.port = server.server_address[1]
        with _served(server):
            yield box


@dataclass
class Hookbox:
    """What a receiver of webhooks was sent, and what it answers."""

    address: str = ""
    status: int = 200
    said: bytes = b"ok"
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def serve_hook(status: int = 200, said: bytes = b"ok") -> Iterator[Hookbox]:
    """Receive webhooks on a free port, at a path that is a secret."""
    box = Hookbox(status=status, said=said)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/T00/segredo"
            assert self.headers["Content-Type"].startswith("application/json")
            box.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(box.status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()
            self.wfile.write(box.said)

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        box.address = f"http://127.0.0.1:{server.server_address[1]}/T00/segredo"
        with _served(server):
            yield box


@contextmanager
def _served(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join(10)
