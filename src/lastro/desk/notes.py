"""Notes typed at the desk: what is new in a file that came back, what holds now, what lost a conflict.

A note is a cell that differs from what lastro wrote there, found by the key of its row. Belongs here: the rules over
values. Does not belong here: files (`lastro.export.desk_reader`) and tables (`lastro.warehouse.desk_notes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lastro.grid.desk import BLANK, DeskFile, Key, Note, TypedRow


@dataclass
class Held:
    """What holds for one key.

    Attributes:
        valores: field -> text, the last change of each.
        contato: when something was typed last.
    """

    valores: dict[str, str] = field(default_factory=lambda: dict(BLANK))
    contato: datetime | None = None


def find_new_notes(
    found: DeskFile, earlier: Iterable[Note], *, arquivo: str, sha256: str, quando: datetime
) -> list[Note]:
    """Find what was typed into a file since it was written, or since it was read last.

    A column that is gone is no cleared cell, and a row that is gone takes nothing back. What a copy of the same file
    under another name brought already is not new.

    Args:
        found: the file.
        earlier: notes recorded so far.
        arquivo: its name.
        sha256: of its content.
        quando: when it was saved.
    """
    arquivo_id = found.arquivo_id or f"sem id: {arquivo}"
    own: dict[Key, dict[str, str]] = {}
    known: set[tuple[object, ...]] = set()
    for note in earlier:
        if note.arquivo_id != arquivo_id:
            continue
        known.add(_fingerprint(note.rotulo, note.valores, note.extras))
        if note.key is not None:
            known.update((note.key, name, note.valores.get(name, "")) for name in note.antes)
            known.update((note.key, name, text) for name, text in note.extras.items())
            if note.arquivo == arquivo:
                own.setdefault(note.key, {}).update({name: note.valores.get(name, "") for name in note.antes})
    notes = []
    for row in found.rows:
        extras = {name: text for name, text in row.extras.items() if text}
        if row.tipo and row.chave is not None:
            key = (row.tipo, row.chave)
            seen = own.get(key)
            before = {**BLANK, **found.escritos.get(key, {}), **(seen or {})}
            antes = {
                name: before[name]
                for name, text in row.valores.items()
                if text != before[name] and (seen is not None or (key, name, text) not in known)
            }
            extras = {name: text for name, text in extras.items() if (key, name, text) not in known}
            if antes or extras:
                notes.append(_note(row, antes, extras, arquivo, arquivo_id, sha256, quando))
            # The same row twice in one sheet is read twice: what the first brought is not new in the second.
            own.setdefault(key, {}).update({name: row.valores[name] for name in antes})
        elif (any(row.valores.values()) or extras) and not _is_written(row, found):
            orphan = TypedRow("", None, row.linha or row.rotulo, row.valores, row.extras)
            if _fingerprint(orphan.rotulo, orphan.valores, extras) not in known:
                antes = {name: "" for name, text in row.valores.items() if text}
                notes.append(_note(orphan, antes, extras, arquivo, arquivo_id, sha256, quando))
    return notes


def _note(
    row: TypedRow,
    antes: Mapping[str, str],
    extras: Mapping[str, str],
    arquivo: str,
    arquivo_id: str,
    sha256: str,
    quando: datetime,
) -> Note:
    return Note(row.tipo, row.chave, row.rotulo, row.valores, antes, extras, quando, arquivo, arquivo_id, sha256)


def _fingerprint(rotulo: str, valores: Mapping[str, str], extras: Mapping[str, str]) -> tuple[object, ...]:
    return (rotulo, tuple(sorted((k, v) for k, v in valores.items() if v)), tuple(sorted(extras.items())))


def _is_written(row: TypedRow, found: DeskFile) -> bool:
    """Tell whether a row without its key shows nothing but what lastro wrote into one."""
    typed = {name: text for name, text in row.valores.items() if text}
    return not row.extras and any(
        all(values.get(name, "") == text for name, text in typed.items()) for values in found.escritos.values()
    )


def fold_notes(notes: Sequence[Note]) -> tuple[dict[Key, Held], dict[int, str]]:
    """Say what holds for each key, and which notes lost: per field the file saved last wins.

    Args:
        notes: any order; those of one moment in the order given.

    Returns:
        What holds, and place of a note in `notes` -> the file that won over it: both were typed without seeing each
        other. A later change by somebody who saw the earlier one is no conflict.
    """
    held: dict[Key, Held] = {}
    setters: dict[tuple[Key, str], int] = {}
    lost: dict[int, str] = {}
    for place in sorted(range(len(notes)), key=lambda place: (notes[place].quando, place)):
        note = notes[place]
        if note.key is None:
            continue
        state = held.setdefault(note.key, Held())
        state.contato = note.quando
        for name, before in note.antes.items():
            text = note.valores.get(name, "")
            earlier = setters.get((note.key, name))
            if earlier is not None and before != state.valores[name] and text != state.valores[name]:
                lost[earlier] = note.arquivo
            state.valores[name] = text
            setters[(note.key, name)] = place
    return held, lost
