"""The files that lastro delivered, as the record has them: it may remove these and no others.

A row is written before its file gets a name where people look, with that name, so that what a run that died left is
known as lastro's; once the run is published it says when. Does not belong here: what may go, and when
(`lastro.operation.retention`).
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from lastro.errors import LastroError
from lastro.files import digest_file
from lastro.run.earlier_records import has_earlier
from lastro.run.names import FECHAMENTO, RETRO_FOLDER, WrittenName, add_revision, parse_name
from lastro.run.placement import find_highest
from lastro.run.record import RECORD, as_text, query_record, writing
from lastro.warehouse.file.faults import storage_error

_PENDING = "SELECT caminho, numero, sha256 FROM entrega WHERE publicada IS NULL"


def deliver(
    folder: Path,
    execucao_id: int,
    written: Mapping[Path, Path],
    moment: datetime,
    *,
    said: tuple[Sequence[str], str] | None = None,
    published: bool = False,
) -> dict[Path, Path]:
    """Write down files that are about to be moved to where people look, and choose the name of each.

    It has one more than the highest `_r` of its kind and day, of all that was ever delivered and all that stands there:
    of one day the newest has the largest. What stands in `retro/` is numbered by itself; a closing has its edition.

    Args:
        folder: whose record it is: the company's, or the home.
        execucao_id: the run; of the group the last run of its companies.
        written: each file as it stands aside -> the folder that it goes to.
        moment: now, UTC.
        said: what the run warns of once it is published, and its page as a text, where that goes out as mail.
        published: whether nothing is to come after it that publishes them.

    Returns:
        Each file as it stands aside -> where it is to stand.

    Raises:
        StorageError: when that cannot be written down; then nothing may be moved.
    """
    targets, now = {}, as_text(moment)
    with writing(folder) as con:
        for path, place in written.items():
            target = targets[path] = place / _choose_name(con, folder, path.name, place)
            try:
                content = (path.stat().st_size, digest_file(path))
            except OSError as error:
                raise storage_error(folder, error) from None
            own = (_relate(folder, target), execucao_id, *_describe(target.name), *content, now)
            sql = "INSERT OR REPLACE INTO entrega VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)"
            con.execute(sql, [*own, now if published else None])
        if said is not None:
            sql = "UPDATE execucao SET recados = ?, resumo = ? WHERE numero = ? AND fim IS NULL"
            con.execute(sql, [json.dumps(said[0]), said[1], execucao_id])
    return targets


def take_back(folder: Path) -> None:
    """Remove the files that nobody said to be published, of runs that will not be, unless somebody changed them.

    Only who holds the company's lock calls it. What was changed is a person's from then on; what cannot be reached
    keeps its row, and goes another time.
    """
    gone = []
    for name, _, digest in query_record(folder, _PENDING):
        path = folder / name
        with contextlib.suppress(OSError):
            path.parent.stat()  # a share that is not there says nothing of its files
            with contextlib.suppress(FileNotFoundError):
                if not path.is_symlink() and digest_file(path) == digest:
                    path.unlink()
            gone.append((name,))
    if gone:
        with contextlib.suppress(LastroError), writing(folder) as con:
            con.executemany("DELETE FROM entrega WHERE caminho = ?", gone)


def list_pending(folder: Path) -> set[int]:
    """List the runs whose files nobody said to be published."""
    return {number for _, number, _ in query_record(folder, _PENDING)}


def has_delivered(folder: Path) -> bool:
    """Tell whether a company has delivered before; so does a record that says nothing, as a restoration leaves one."""
    told = query_record(folder, "SELECT count(*) FROM entrega")
    return has_earlier(folder) or (told[0][0] > 0 if told else (folder / RECORD).exists())


def note_read_back(folder: Path, read: Iterable[tuple[str, str, str | None]]) -> None:
    """Write down of files that people type into their name, the digest last read back, what of that was left unread."""
    sql = "UPDATE entrega SET lido = ?1, fora = ?2 WHERE especie = ?3 AND dia = ?4 AND r = ?5"
    with contextlib.suppress(LastroError), writing(folder) as con:
        con.executemany(sql, [(digest, left or None, *_describe(name)) for name, digest, left in read])


def _choose_name(con: sqlite3.Connection, folder: Path, name: str, place: Path) -> str:
    highest, (especie, dia, _) = 0, _describe(name)
    with contextlib.suppress(OSError):  # a share that is not there
        highest = find_highest(name, place)
    if not especie.startswith(f"{FECHAMENTO}."):
        sql = "SELECT max(r) FROM entrega WHERE especie = ? AND dia = ? AND (caminho LIKE 'retro/%') = ?"
        own = [especie, dia, _relate(folder, place).startswith(RETRO_FOLDER)]
        ((known,),) = con.execute(sql, own).fetchall()
        highest = max(highest, known or 0)
    return add_revision(name, highest + 1)


def _relate(folder: Path, path: Path) -> str:
    """Write a path from the folder on; with its root where it is elsewhere."""
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path.absolute())


def _describe(name: str) -> tuple[str, str, int]:
    """Describe a file by its name: kind with suffix, day, number; a name that no run gives is a kind of its own."""
    named = parse_name(name) or WrittenName(name, "", 1, "")
    return named.kind + named.suffix, named.day, named.revision
