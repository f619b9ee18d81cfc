"""The desk in a run: read what was typed into every `cobranca`, keep it, write the new one."""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from lastro.access import choose_mode
from lastro.desk.book import Texts, build_desk
from lastro.desk.desks import COBRANCA, DESKS, PESSOA, TITULO
from lastro.desk.notes import WHOSE, find_misunderstood, find_new_notes, fold_notes, hold_to_company
from lastro.desk.promises import Promise, find_promises, list_promised
from lastro.desk.queue import Queue, build_queue
from lastro.desk.reader import is_desk_file, read_desk
from lastro.desk.storage import (
    count_notes,
    keep_refused,
    keep_written_file,
    read_debtors,
    read_known_files,
    read_notes,
    read_refused,
    write_notes,
)
from lastro.desk.tables import list_promises
from lastro.entrada.door import NotRead, open_file, read_open, show_name
from lastro.errors import LastroError
from lastro.export.xlsx import render_workbook, workbook_name
from lastro.grid.workbook import Stamp
from lastro.run.names import REPORTS_FOLDER
from lastro.run.options import Option

if TYPE_CHECKING:
    from datetime import date

    from lastro.catalogue import Catalogue, RunFacts
    from lastro.grid.model import Table
    from lastro.run.session import RunSession
    from lastro.transform.position import Position

_READABLE: Final = frozenset({".xlsx", ".xlsm"})
_FOREIGN: Final = frozenset({".ods", ".xls", ".xlsb", ".csv"})
"""What a file of a desk may have been saved as that is not read back."""
_NAMES: Final = tuple(desk.name for desk in DESKS)


_OTHERS: Final = re.compile(r"(gerencial|dados|grupo)(_.+)?_[0-9]{4}-[0-9]{2}-[0-9]{2}(_r[0-9]+)?\.xlsx")
"""What other workbooks of lastro are called."""


class Delivery(Option):
    """The desk as an option of a run; a company that keeps personal data out of its files has none."""

    queue: Queue | None = None
    promises: Sequence[Promise] = ()

    def read(self) -> None:
        """Read what was typed into every `cobranca` of the folder."""
        if self.session.empresa.dados_pessoais:
            read_desk_files(self.session)

    def add_facts(self, position: Position, facts: RunFacts) -> RunFacts:
        """Add what was promised and is still to come, and what was not understood; of a past D what was saved by it."""
        session = self.session
        if not session.empresa.dados_pessoais:
            return facts
        self.queue = queue = build_queue(position, facts.vencimentos)
        notes = read_notes(session.warehouse, COBRANCA)
        if not session.is_current:
            notes = [note for note in notes if note.quando.date() <= queue.data_base]
        shown = [
            *((PESSOA, client.pessoa_id) for client in queue.clientes),
            *((TITULO, debt.titulo_id) for debt in queue.titulos),
        ]
        self.promises = find_promises(notes, queue)
        return replace(
            facts,
            anotacoes={key: held.valores.get("anotacao", "") for key, held in fold_notes(notes)[0].items()},
            promessas=list_promised(self.promises),
            nao_entendidos=find_misunderstood(COBRANCA, notes, shown),
        )

    def list_tables(self) -> Sequence[Table]:
        """List the promises."""
        return () if self.queue is None else (list_promises(self.promises),)

    @classmethod
    def list_empty_tables(cls) -> Sequence[Table]:
        """List them for the dictionary."""
        return (list_promises(()),)

    def write(self, catalogue: Catalogue, stamp: Stamp) -> dict[str, int]:
        """Write `cobranca`; how many notes this run read is told."""
        del catalogue
        return {"anotacoes_novas": write_desk(self.session, self.queue, stamp)} if self.queue is not None else {}

    def list_files(self, day: date) -> Sequence[str]:
        """Name the workbook of the desk."""
        return (workbook_name(COBRANCA.name, day),) if self.session.empresa.dados_pessoais else ()

    def choose_place(self, name: str) -> tuple[Path, int]:
        """Put it where the desk works."""
        del name
        folder = desk_folder(self.session)
        return folder, choose_desk_mode(self.session, folder)


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


def write_desk(session: RunSession, queue: Queue, stamp: Stamp) -> int:
    """Read what came back since the reports were computed, too, then write `cobranca` aside.

    Returns:
        Notes that this run read.
    """
    unread = read_desk_files(session)
    empresa = session.empresa
    book = build_desk(
        queue,
        read_notes(session.warehouse, COBRANCA),
        Texts(empresa.nome, empresa.textos_cobranca, empresa.responsaveis),
        stamp,
        f"{empresa.id}/{COBRANCA.name}/{stamp.execucao_id}/{stamp.data_base.isoformat()}",
        unread,
    )
    path = render_workbook(book, session.staging / workbook_name(COBRANCA.name, stamp.data_base))
    with path.open("rb") as written:
        digest = hashlib.file_digest(written, "sha256").hexdigest()
    keep_written_file(session.warehouse, stamp.execucao_id, path.name, digest)
    return count_notes(session.warehouse, session.execucao_id)


def read_desk_files(session: RunSession) -> list[str]:
    """Read every file of the desk's folder that is not as it was written or read last, and keep its notes.

    Whatever a file is or holds, the run goes on: what cannot be read stays where it is, is told, and is tried again.

    Returns:
        What was not read and why, for Histórico; kept with the run for Qualidade and for notices, too, but for what is
        only not saved yet. A file that is open is read as it was saved last.
    """
    folder = desk_folder(session)
    refused: list[tuple[str, str]] = []
    unsaved: list[str] = []
    known = read_known_files(session.warehouse)
    # What this run said of a file that it has read is not found out again.
    told = set(read_refused(session.warehouse, session.execucao_id))
    for path in _list_files(folder, refused, named=bool(session.empresa.pasta_cobranca)):
        name, kind = show_name(path), path.suffix.lower()
        if kind in _FOREIGN and name.casefold().startswith(_NAMES):
            refused.append((name, f"salvo como {kind}; salve como .xlsx"))
        if kind not in _READABLE:
            continue
        if any(path.with_name(lock).exists() for lock in (f"~${path.name}", f".~lock.{path.name}#")):
            unsaved.append(f"{name}: está aberto; o que ainda não foi salvo não foi lido")
        try:
            found = _read_file(session, path, known)
            refused += [(name, text) for text in found] if found else sorted(each for each in told if each[0] == name)
        except LastroError:
            raise  # of our own file, not of theirs
        except NotRead as error:
            # Any workbook may be damaged; only one that could be of the desk is told.
            if not _OTHERS.fullmatch(name):
                refused.append((name, str(error)))
        except Exception as error:  # noqa: BLE001 - one file of a person never costs the others, nor the reports
            refused.append((name, f"não pôde ser lido ({type(error).__name__})"))
    keep_refused(session.warehouse, session.execucao_id, refused)
    return [*(f"{name}: {text}" for name, text in refused), *unsaved]


def _list_files(folder: Path, refused: list[tuple[str, str]], *, named: bool) -> list[Path]:
    """List what the desk's folder holds, hidden and lock files left out."""
    try:
        files = sorted(folder.iterdir(), key=lambda path: path.name)
    except (FileNotFoundError, NotADirectoryError):
        if named:
            refused.append((show_name(folder), "a pasta não existe ou não está acessível"))
        return []
    except OSError as error:
        refused.append((show_name(folder), f"a pasta não pôde ser lida ({error.strerror})"))
        return []
    return [path for path in files if not path.name.startswith(("~$", "."))]


def _read_file(session: RunSession, path: Path, known: set[str]) -> Sequence[str]:
    """Read one workbook if it is the desk's and changed, and keep its notes.

    Returns:
        What of it was not read, or not taken for this company's.

    Raises:
        NotRead: when it cannot be read.
    """
    with open_file(path) as stream:
        if not is_desk_file(stream):
            return ()
        received = read_open(stream, path)
    if received.sha256 in known:
        return ()
    zone = ZoneInfo(session.settings.fuso)
    # A clock that is ahead must not win every later conflict.
    moment = min(received.saved, session.clock())
    saved = moment.astimezone(zone).replace(tzinfo=None, microsecond=0)
    found = read_desk(received, saved.date())
    if found.arquivo_id and not found.arquivo_id.startswith(f"{session.empresa.id}/"):
        return ()  # another company's: several may share a folder
    told = list(found.fora)
    if not found.arquivo_id:
        found = hold_to_company(found, session.empresa.nome, read_debtors(session.warehouse))
        if lost := sum(row.linha.startswith(WHOSE) for row in found.rows):
            told.append(
                f"sem a folha que o identifica: {lost} linha(s) não puderam ser reconhecidas como desta empresa"
            )
    desk, warehouse = found.desk, session.warehouse
    notes = find_new_notes(
        found, read_notes(warehouse, desk), arquivo=received.name, sha256=received.sha256, quando=saved
    )
    write_notes(warehouse, session.execucao_id, desk, received.name, received.sha256, notes)
    known.add(received.sha256)
    return told
