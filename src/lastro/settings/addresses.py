"""Addresses of services, pages and machines as the settings file gives them, and whether the way there is encrypted."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from lastro.settings.parsers import MAX_PATH, Wrong, parse_text, takes


@takes("endereço https://")
def parse_base_url(value: object) -> str:
    """Read a service's address: scheme, host and path, never a user, a query or a token."""
    text = parse_text(value, MAX_PATH)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise Wrong("escreva o endereço do serviço, como https://api.example.com") from None
    if parts.scheme not in ("http", "https") or not host or not _is_host(host) or re.search(r"\s|//\[v", text):
        raise Wrong("escreva um endereço que comece com https:// (ou http:// nesta máquina)")
    if "?" in text or "#" in text or parts.username or parts.password:
        raise Wrong("escreva o endereço sem usuário, consulta e token; o token vem do ambiente")
    return text.rstrip("/").removesuffix("/v1")


@takes("endereço sem caminho")
def parse_origin(value: object) -> str:
    """Read the origin of a web page: scheme, host and port, as a browser sends it.

    >>> parse_origin("https://Lastro.example.com/")
    'https://lastro.example.com'
    """
    text = parse_text(value).lower().removesuffix("/")
    wrong = Wrong("escreva endereços sem caminho, como https://lastro.example.com")
    if not re.fullmatch(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?", text):
        raise wrong
    try:
        urlsplit(text).port  # noqa: B018 - says whether it is one
    except ValueError:
        raise wrong from None
    return text


@takes("nome de máquina")
def parse_host(value: object) -> str:
    """Read the name or address of a machine."""
    text = parse_text(value)
    if not _is_host(text) or re.search(r"[\s/@]", text):
        raise Wrong("escreva o nome de uma máquina, como smtp.example.com")
    return text


def _is_host(host: str) -> bool:
    """Tell whether a host can be looked up: a name in any script, or an address."""
    try:
        if ":" in host or re.fullmatch(r"[0-9]+(\.[0-9]+){3}", host):
            ipaddress.ip_address(host)
            return True
        name = host.removesuffix(".").encode("idna")
        for text in (host, name.decode("idna")):
            if not text.isascii():
                import idna  # what httpx asks: it knows fewer signs than the codec

                idna.encode(text.lower())
    except ValueError:
        return False
    return re.fullmatch(rb"[a-zA-Z0-9_-]{1,63}(\.[a-zA-Z0-9_-]{1,63})*", name) is not None


def is_local(host: str) -> bool:
    """Tell whether a host is this machine, by name or address.

    >>> is_local("localhost"), is_local("127.9.9.9"), is_local("::1"), is_local("127.0.0.1.example")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_unencrypted(base_url: str) -> bool:
    """Tell whether an address is read without encryption over a network, not on this machine.

    >>> is_unencrypted("http://10.0.0.5"), is_unencrypted("http://127.0.0.1:8200"), is_unencrypted("https://10.0.0.5")
    (True, False, False)
    """
    parts = urlsplit(base_url)
    return parts.scheme == "http" and not is_local(parts.hostname or "")
