"""The files that settings name, certificates and secrets, read within bounds; and secrets of the environment."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lastro.settings.parsers import Wrong

MAX_FILE_BYTES: Final = 1_000_000
MAX_TOKEN: Final = 4_096


def read_text(path: Path, most: int) -> str:
    """Read a file of text that cannot be long: no more than that is read, and nothing is waited for.

    Raises:
        OverflowError: when it is longer.
        OSError, UnicodeDecodeError: when it cannot be read, or is no file but a folder, a device or a queue.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "não é um arquivo comum")
        content = file.read(most + 1)
    if len(content) > most:
        raise OverflowError
    return content.decode("utf-8-sig")


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; a queue that nobody writes to would be waited for."""
    return os.open(path, flags | os.O_NONBLOCK)


def read_certificates(path: Path) -> str:
    """Read the certificates of a file, without what else stands in it.

    Raises:
        Wrong: when it cannot be read, or holds none.
    """
    import ssl  # loads what only a company behind an authority of its own, or the network, asks for

    try:
        text = read_text(path, MAX_FILE_BYTES)
    except OverflowError:
        raise Wrong(
            f"{path}: mais de {MAX_FILE_BYTES // 1000} kB; nenhum arquivo de certificados é tão grande"
        ) from None
    except (OSError, ValueError) as error:
        why = _name_cause(error) or "não é um arquivo de texto"
        raise Wrong(f"{path}: {why}; escreva o caminho de um arquivo de certificados (PEM)") from None
    certificates = "\n".join(re.findall("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----", text))
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=certificates)
    except (ssl.SSLError, ValueError):
        raise Wrong(
            f"{path}: não há certificado nele; deve ser um arquivo de texto (PEM) com BEGIN CERTIFICATE"
        ) from None
    return certificates


def read_secret(variable: str, path: str, env: Mapping[str, str]) -> str:
    """Read a secret from the file that holds it, or else from a variable of the environment.

    Raises:
        Wrong: naming the holder when it is missing, empty, too long, holds blanks, or others may write the file.
    """
    try:
        text = (_read_secret_file(path) if path else env.get(variable, "")).strip()
        if not text:
            raise Wrong("está vazio" if path else "não está definida")
        if not text.isprintable() or " " in text:
            raise Wrong("tem espaços ou caracteres de controle")
        if len(text) > MAX_TOKEN:
            raise Wrong(f"tem mais de {MAX_TOKEN} caracteres")
    except Wrong as wrong:
        raise Wrong(f"{name_holder(variable, path)} {wrong}") from None
    return text


def name_holder(variable: str, path: str) -> str:
    """Say where a secret is kept; the path of a file is not quoted, for somebody may have written the secret there."""
    return "o arquivo" if path else f"a variável {variable}"


def _read_secret_file(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode) and mode & stat.S_IWOTH:
            raise Wrong(
                "qualquer usuário desta máquina pode escrever nele: quem escreveu por último? Feche-o (chmod o=)"
            )
        return read_text(Path(path), MAX_FILE_BYTES)
    except (OSError, ValueError, OverflowError) as error:
        raise Wrong(f"não pode ser lido ({_name_cause(error) or type(error).__name__})") from None


def _name_cause(error: Exception) -> str:
    """Name what the system says; a missing permission in the words of who can mend it."""
    if isinstance(error, PermissionError):
        return "quem roda o lastro não tem permissão de leitura; veja de quem é e o modo com ls -l"
    return getattr(error, "strerror", None) or ""
