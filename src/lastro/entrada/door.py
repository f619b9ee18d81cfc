"""The door for every file of a person: opened without harm, read once, never waited for and never through a link.

Belongs here: what holds for a file whatever is in it. Does not belong here: reading one kind of it
(`lastro.entrada.workbook`).
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from lastro.errors import LastroError

MAX_BYTES: Final = 50_000_000
"""A larger file is no list that a person keeps."""
_WHY: Final = {
    errno.EACCES: "sem permissão de leitura, ou aberto e bloqueado",
    errno.EPERM: "sem permissão de leitura, ou aberto e bloqueado",
    errno.ELOOP: "é um atalho (link): ponha aqui o próprio arquivo",
    errno.ENOENT: "saiu da pasta enquanto era lido",
}
ZIP: Final = b"PK\x03\x04"
"""What a zip begins with, as a workbook does."""
WEB_PAGE: Final = "uma página da internet"
UTF16_MARKS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""What a text of two bytes a character begins with -> what decodes it."""
_FORMS: Final = {
    b"\xd0\xcf\x11\xe0": "uma planilha .xls, ou uma com senha",
    b"%pdf-": "um PDF",
    b"{\\rtf": "um documento .rtf",
    b"<!doctype html": WEB_PAGE,
    b"\x1f\x8b": "um arquivo .gz",
    b"\x89png": "uma imagem",
    b"\xff\xd8\xff": "uma imagem",
}
"""First bytes, in small letters -> what a file is that is no text."""
_OF_SYSTEMS: Final = frozenset(
    {"desktop.ini", "thumbs.db", "ehthumbs.db", "icon", "icon\r", "$recycle.bin", "__macosx"}
)
"""What systems put into folders, in small letters; nobody typed it."""
_CUT: Final = "\N{REPLACEMENT CHARACTER}"


MOST_REFUSED: Final = 1_000
"""Parts of a file that are told one by one; nobody mends more by hand."""
LONGEST_SHOWN: Final = 1_000
"""Characters of a refused line that are kept: the file has the others."""


class NotRead(Exception):
    """A file of a person, or a part of it, that is not read; the text says why and what to do, pt-BR."""


@contextlib.contextmanager
def hold_unread(what: str = "não pôde ser lido") -> Iterator[None]:
    """Let whatever the reading of a person's file raises be `NotRead`: it is told, and the run goes on.

    An error of lastro's own (`LastroError`) is nobody's file and stays what it is.

    Raises:
        NotRead: instead of anything else.
    """
    try:
        yield
    except (NotRead, LastroError):
        raise
    except Exception as error:  # noqa: BLE001 - one file of a person never costs the others, nor the reports
        raise NotRead(f"{what} ({type(error).__name__})") from None


class RefusedPart(NamedTuple):
    """What was not read of a person's file: a line of it, or all of it (S18).

    Attributes:
        motivo: why, pt-BR.
        linha: its line in the file, the header being 1; None for the whole file.
        texto: the line as it stood.
        valor: of an amount that does not count, what was typed; None where that is no number.
        arquivo: the file's name, where those of several files stand together.
    """

    motivo: str
    linha: int | None = None
    texto: str = ""
    valor: Decimal | None = None
    arquivo: str = ""


class Refusals:
    """The parts of a file that were not understood, in its order: 1,000 one by one, then one row for all others.

    Attributes:
        quantas: how many there are.
    """

    def __init__(self) -> None:
        self.quantas = 0
        self._parts: list[RefusedPart] = []
        self._first: int | None = None
        self._sum = Decimal(0)

    def add(self, motivo: str, linha: int, texto: str = "", valor: Decimal | None = None) -> None:
        """Note one more."""
        self.quantas += 1
        if self.quantas <= MOST_REFUSED:
            self._parts.append(RefusedPart(motivo, linha, texto[:LONGEST_SHOWN], valor))
            return
        self._first = self._first or linha
        self._sum += valor or 0

    def list_parts(self) -> tuple[RefusedPart, ...]:
        """List what is kept; the row for the others says how many, from which line on, and bears what they add up to.

        >>> refused = Refusals()
        >>> for linha in range(2, 1004):
        ...     refused.add("não entendi a data", linha)
        >>> refused.list_parts()[-1].linha, refused.list_parts()[-1].motivo
        (1002, 'mais 2 linhas sem ler, desta em diante')
        """
        more = self.quantas - len(self._parts)
        if not more:
            return tuple(self._parts)
        rest = f"mais {more} {'linha' if more == 1 else 'linhas'} sem ler, desta em diante"
        return (*self._parts, RefusedPart(rest, self._first, valor=self._sum or None))


@dataclass(frozen=True)
class Received:
    """A file as it was at one moment.

    Attributes:
        name: as it can be printed and stored (`show_name`).
        content: all of it.
        saved: when it was saved, UTC.
    """

    name: str
    content: bytes
    saved: datetime

    @cached_property
    def sha256(self) -> str:
        """Digest of the content."""
        return hashlib.sha256(self.content).hexdigest()


def show_name(path: Path) -> str:
    r"""Return the name of a file as it can be printed and stored: bytes that are no character are replaced.

    >>> show_name(Path("mesa/cobranca_\udcff.xlsx")), show_name(Path("a\nb.xlsx"))
    ('cobranca_�.xlsx', 'a�b.xlsx')
    """
    return "".join(each if each.isprintable() else _CUT for each in path.name)


def list_seen(folder: Path) -> list[Path]:
    """List the files that a person sees in a folder, by name: hidden files, locks and the system's own are left out.

    Raises:
        OSError: when it cannot be read.
    """
    return sorted(
        path
        for path in folder.iterdir()
        if not path.name.startswith(("~$", ".")) and path.name.casefold() not in _OF_SYSTEMS
    )


def list_folder(folder: Path, *, named: bool) -> tuple[list[Path], str]:
    """List what a person sees in a folder of their files; one that the settings do not name need not be there.

    Returns:
        The files, and what is to be told of a folder that cannot be read, pt-BR.
    """
    try:
        return list_seen(folder), ""
    except FileNotFoundError:
        return [], "a pasta não existe ou não está acessível" if named else ""
    except NotADirectoryError:
        return [], "a pasta não existe ou não está acessível"
    except OSError as error:
        return [], f"a pasta não pôde ser lida ({error.strerror})"


def name_form(content: bytes) -> str:
    r"""Name what a file is by its bytes, whatever it is called, pt-BR; empty where it may be text.

    >>> name_form(b"PK\x03\x04...xl/workbook.xml"), name_form(b"data;conta"), name_form("data".encode("utf-16"))
    ('uma planilha .xlsx', '', '')
    """
    if content.startswith(ZIP):
        if b"application/vnd.oasis" in content[:200]:
            return "uma planilha .ods"
        return "uma planilha .xlsx" if b"xl/" in content or b"[Content_Types]" in content else "um arquivo .zip"
    head = content[:1_000].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for begins, form in _FORMS.items():
        if head.startswith(begins):
            return form
    if b"urn:schemas-microsoft-com:office:spreadsheet" in head:
        return "uma planilha XML de 2003"
    if b"<html" in head:
        return WEB_PAGE
    sample = content[:1_000]
    wide = content.startswith(tuple(UTF16_MARKS)) or 4 * sample.count(0) > len(sample)
    return "um arquivo binário" if sample.count(0) and not wide else ""


@contextlib.contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading, without following a link and without waiting for anybody.

    Raises:
        NotRead: when it is a link, a fifo, a device or a folder, or cannot be read.
    """
    try:
        # Looked at first: to open a device can already do something.
        handle = os.open(_demand_regular(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise NotRead("não é um arquivo comum")
            yield stream
    except OSError as error:
        raise NotRead(_WHY.get(error.errno or 0, f"não pôde ser lido ({error.strerror})")) from None


def _demand_regular(path: Path) -> Path:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        raise NotRead(_WHY[errno.ELOOP])
    if not stat.S_ISREG(mode):
        raise NotRead("não é um arquivo comum")
    return path


def read_file(path: Path) -> Received:
    """Read a file of a person whole.

    Raises:
        NotRead: when it is no regular file, cannot be read, or is larger than 50 MB.
    """
    with open_file(path) as stream:
        return read_open(stream, path)


def read_open(stream: BinaryIO, path: Path) -> Received:
    """Read an open file from its beginning, whole and once: whatever is made of it is made of these bytes.

    Raises:
        NotRead: when it is larger than 50 MB.
    """
    status = os.fstat(stream.fileno())
    if status.st_size > MAX_BYTES:
        raise NotRead(f"tem {status.st_size // 1_000_000:,} MB; o limite é 50 MB".replace(",", "."))
    stream.seek(0)
    content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise NotRead("cresceu além de 50 MB enquanto era lido")
    return Received(show_name(path), content, datetime.fromtimestamp(status.st_mtime, UTC))
