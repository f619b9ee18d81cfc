"""The desk in a run: read what was typed into every `cobranca`, keep it, write the new one."""

from __future__ import annotations

import hashlib
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from lastro.access import choose_mode
from lastro.desk.book import Texts, build_desk
from lastro.desk.notes import find_new_notes
from lastro.export.desk_book import render_desk
from lastro.export.desk_reader import UnreadableFile, is_desk_file, read_desk
from lastro.export.xlsx import workbook_name
from lastro.grid.workbook import Stamp
from lastro.run.parts import COBRANCA, REPORTS_FOLDER
from lastro.warehouse.desk_notes import count_notes, keep_written_file, read_known_files, read_notes, write_notes

if TYPE_CHECKING:
    from lastro.run.session import RunSession

_READABLE: Final = frozenset({".xlsx", ".xlsm"})
_FOREIGN: Final = frozenset({".ods", ".xls", ".xlsb", ".csv"})
"""What a `cobranca` may have been saved as that is not read back."""


_OTHERS: Final = ("gerencial", "dados", "grupo")
"""What the names of other workbooks begin with."""


def desk_folder(session: RunSession) -> Path:
    """Return the folder in which the desk works."""
    return Path(session.empresa.pasta_cobranca or session.pasta / REPORTS_FOLDER)


def choose_desk_mode(session: RunSession, folder: Path) -> int:
    """Choose the mode of a new `cobranca`: whoever may write into its folder may save it.

    The folder's own mode is its owner's and is never changed.
    """
    usual = choose_mode(session.settings, writable=True)
    if not session.empresa.pasta_cobranca:
        return usual
    try:
        return usual | (stat.S_IMODE(folder.stat().st_mode) & 0o666)
    except OSError:
        return usual


def write_desk(session: RunSession, stamp: Stamp) -> int:
    """Read what came back since the reports were computed, too, then write `cobranca` aside.

    Returns:
        Notes that this run read.
    """
    unread = read_desk_files(session)
    empresa = session.empresa
    if session.queue is None:
        raise RuntimeError("compute the catalogue first")
    book = build_desk(
        session.queue,
        read_notes(session.warehouse),
        Texts(empresa.nome, empresa.textos_cobranca, empresa.responsaveis),
        stamp,
        f"{empresa.id}/{stamp.execucao_id}/{stamp.data_base.isoformat()}",
        unread,
    )
    path = render_desk(book, session.staging / workbook_name(COBRANCA, stamp.data_base))
    keep_written_file(session.warehouse, stamp.execucao_id, path.name, _digest(path))
    return count_notes(session.warehouse, session.execucao_id)


def read_desk_files(session: RunSession) -> list[str]:
    """Read every file of the desk's folder that is not as it was written or read last, and keep its notes.

    Returns:
        What could not be read and why. A file that is open is read as it was saved last.
    """
    folder = desk_folder(session)
    unread = []
    if session.empresa.pasta_cobranca and not folder.is_dir():
        unread.append(f"{folder.name}: a pasta não existe ou não está acessível")
    try:
        files = sorted(folder.iterdir(), key=lambda path: path.name) if folder.exists() else []
    except OSError as error:
        return [f"{folder.name}: a pasta não pôde ser lida ({error.strerror or type(error).__name__})"]
    names = {path.name for path in files}
    known = read_known_files(session.warehouse)
    for path in files:
        if path.name.startswith(("~$", ".")):
            continue
        unread += _note_oddities(path, names)
        if path.suffix.lower() not in _READABLE:
            continue
        try:
            _read_file(session, path, known)
        except (UnreadableFile, OSError) as error:
            reason = str(error) if isinstance(error, UnreadableFile) else error.strerror or type(error).__name__
            # Any workbook may be damaged; only one that could be of the desk is told.
            if not path.name.startswith(_OTHERS):
                unread.append(f"{path.name}: {reason}")
    return unread


def _note_oddities(path: Path, names: set[str]) -> list[str]:
    """Say what of a file is not read though the file may be: another format, or what is not saved yet."""
    kind = path.suffix.lower()
    if kind in _FOREIGN and path.name.casefold().startswith(COBRANCA):
        return [f"{path.name}: salvo como {kind}; salve como .xlsx"]
    if kind in _READABLE and (f"~${path.name}" in names or f".~lock.{path.name}#" in names):
        return [f"{path.name}: está aberto; o que ainda não foi salvo não foi lido"]
    return []


def _read_file(session: RunSession, path: Path, known: set[str]) -> None:
    """Read one workbook if it is the desk's and changed, and keep its notes.

    Raises:
        UnreadableFile: when it cannot be read.
        OSError: likewise.
    """
    if not is_desk_file(path):
        return
    digest = _digest(path)
    if digest in known:
        return
    found = read_desk(path)
    if found.arquivo_id and not found.arquivo_id.startswith(f"{session.empresa.id}/"):
        return  # another company's: several may share a folder
    zone = ZoneInfo(session.settings.fuso)
    saved = datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone(zone).replace(tzinfo=None, microsecond=0)
    notes = find_new_notes(found, read_notes(session.warehouse), arquivo=path.name, sha256=digest, quando=saved)
    write_notes(session.warehouse, session.execucao_id, path.name, digest, notes)
    known.add(digest)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
