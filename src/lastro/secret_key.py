"""The secret of one company: what lastro says of a text with it, nobody else can say or find out by trying.

`read_key` reads the file, and makes it where there is none; `digest` takes the key as a value, and so can be called
where no file may be touched. Whoever compares digests keeps them with what they were made of; a key that is lost makes
others, and what was compared with them before cannot be compared any more.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Final

from lastro.errors import StorageError
from lastro.files import describe_denial, write_whole

KEY_NAME: Final = "chave"
"""The file, beside the private one."""
_BYTES: Final = 32
_NAME_DIGITS: Final = 8


def read_key(folder: Path) -> bytes:
    """Read the key of a company; one that is not there, or not whole, is made anew. The company's lock is held.

    Args:
        folder: where its private file is.

    Returns:
        32 bytes: the same ones until somebody takes the file away.

    Raises:
        StorageError: when it can neither be read nor written.
    """
    path = folder / KEY_NAME
    try:
        with contextlib.suppress(FileNotFoundError):
            key = path.read_bytes()
            if len(key) == _BYTES:
                return key
        key = secrets.token_bytes(_BYTES)
        write_whole(path, key, mode=0o600, durable=True)
    except PermissionError as error:
        raise describe_denial(error) from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}. Libere o disco ou a pasta e rode de novo.") from None
    return key


def digest(key: bytes, text: str) -> str:
    """Return 128 bits that only the key and the text make, as 32 hexadecimal digits (HMAC-SHA-256, cut).

    >>> digest(bytes(32), "Papelaria Silva")
    '202c477e8bd6792d731448b099dc7d20'
    """
    return hmac.new(key, text.encode(), sha256).hexdigest()[:32]


def seal(key: bytes, text: str) -> str:
    """Return what stands for a text where others read it: equal texts are told, and none is found out by trying.

    What is sealed names its key by a few digits, so that what another key sealed is not taken for another text.

    >>> seal(bytes(32), "12/345-6") == seal(bytes(32), "12/345-6"), names_same_key(seal(bytes(32), "1"), "")
    (True, True)
    """
    return f"{digest(key, '')[:_NAME_DIGITS]}:{digest(key, text)}"


def names_same_key(one: str, other: str) -> bool:
    """Tell whether one key sealed two texts, or there is none of one of them: then unequal means another text."""
    return not one or not other or one.partition(":")[0] == other.partition(":")[0]
