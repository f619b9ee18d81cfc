"""The connection itself: which certificates are trusted, and that nothing in the environment has a say in it."""

from __future__ import annotations

import ssl

import certifi
import httpx


def build_transport(certificados: str = "") -> httpx.HTTPTransport:
    """Build what sends the requests.

    The environment is not asked: neither for proxies nor, as httpx's own transport would, for certificates to trust
    (`SSL_CERT_FILE`) or a file to write the session's keys to (`SSLKEYLOGFILE`, which Python's default context obeys).

    Args:
        certificados: certificates (PEM) of the authority to trust in the place of the public ones; empty for those.

    Raises:
        ssl.SSLError: when there is no certificate in them.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if certificados:
        context.load_verify_locations(cadata=certificados)
    else:
        context.load_verify_locations(cafile=certifi.where())
    return httpx.HTTPTransport(verify=context, trust_env=False, retries=0)
