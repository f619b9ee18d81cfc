"""Notes typed at a desk: new ones of a file that came back, those in force, losers of conflicts.

A note is a cell that differs from what lastro wrote there, found by the key of its row. Belongs here: the rules over
values. Does not belong here: files (`lastro.desk.reader`) and tables (`lastro.desk.storage`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from lastro.desk.model import Desk, DeskFile, Key, Note, TypedRow, is_understood

WHOSE: Final = "de que empresa?"
"""What stands before a row that may be another company's."""


@dataclass
class Held:
    """What holds for one key.

    Attributes:
        valores: field -> text, the last change of each; nothing of a field that was never typed into.
        mudou: field -> when it was typed into last.
        contato: when something was typed last.
    """

    valores: dict[str, str] = field(default_factory=dict)
    mudou: dict[str, datetime] = field(default_factory=dict)
    contato: datetime | None = None


def find_new_notes(
    desk_file: DeskFile, earlier: Iterable[Note], *, arquivo: str, sha256: str, quando: datetime
) -> list[Note]:
    """Find what was typed into a file since it was written, or since it was read last.

    A column that is gone is no cleared cell, and a row that is gone takes nothing back. What a copy of the same file
    under another name brought already is not new.

    Args:
        desk_file: the file.
        earlier: notes recorded so far.
        arquivo: its name.
        sha256: of its content.
        quando: when it was saved.
    """
    arquivo_id = desk_file.arquivo_id or f"sem id: {arquivo}"
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
    made: list[tuple[TypedRow, dict[str, str], dict[str, str]]] = []
    brought: dict[Key, dict[str, str]] = {}
    for row in desk_file.rows:
        extras = {name: text for name, text in row.extras.items() if text}
        if row.tipo and row.chave is not None:
            key = (row.tipo, row.chave)
            before = {**desk_file.desk.kind(row.tipo).blank, **desk_file.escritos.get(key, {}), **own.get(key, {})}
            # A key may stand on two sheets, or twice on one: what one row brought, another neither brings nor undoes.
            first = brought.setdefault(key, {})
            antes = {
                name: first.get(name, before[name])
                for name, text in row.valores.items()
                if text not in (before[name], first.get(name)) and (key in own or (key, name, text) not in known)
            }
            extras = {name: text for name, text in extras.items() if (key, name, text) not in known}
            if antes or extras:
                made.append((row, antes, extras))
            first.update({name: row.valores[name] for name in antes})
        elif (any(row.valores.values()) or extras) and not _is_written(row, desk_file):
            orphan = TypedRow("", None, row.linha or row.rotulo, row.valores, row.extras)
            if _fingerprint(orphan.rotulo, orphan.valores, extras) not in known:
                antes = {name: "" for name, text in row.valores.items() if text}
                made.append((orphan, antes, extras))
    return [
        Note(row.tipo, row.chave, row.rotulo, row.valores, antes, extras, quando, arquivo, arquivo_id, sha256)
        for row, antes, extras in made
    ]


def hold_to_company(desk_file: DeskFile, empresa: str, nomes: Mapping[Key, str]) -> DeskFile:
    """Make an orphan of every row that cannot be shown to be this company's, in a file that lost its hidden sheet.

    Several companies may share a folder, and 501 is somebody in each of them. A row is this company's when the first
    row of its sheet ends with the company's name and the row is called after the person whom its key names here.

    Args:
        desk_file: the file.
        empresa: name of the company.
        nomes: customer or título -> name of its person.
    """
    rows = []
    for row in desk_file.rows:
        key = (row.tipo, row.chave or 0)
        name, label = _fold(nomes.get(key, "")), _fold(row.rotulo)
        # Namesakes bear their id behind the name; a título what it is.
        named = bool(name) and (label == name or label.startswith((f"{name} (#", f"{name} ·")))
        if not row.tipo or (named and _fold(row.titulo).endswith(f"— {_fold(empresa)}")):
            rows.append(row)
        else:
            rows.append(TypedRow("", None, row.rotulo, row.valores, row.extras, f"{WHOSE} {row.linha}"))
    return replace(desk_file, rows=tuple(rows))


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def find_misunderstood(desk: Desk, notes: Sequence[Note], keys: Iterable[Key]) -> list[Key]:
    """Find the cells that hold now and should be a day, an amount or a number and are none (S18).

    Args:
        desk: whose notes they are.
        notes: every note.
        keys: the rows that are still on the desk.

    Returns:
        The key of each such cell, ascending.
    """
    held, _ = fold_notes(desk, notes)
    return sorted(
        key
        for key in set(keys) & held.keys()
        for each in desk.kind(key[0]).fields
        if not is_understood(held[key].valores, each)
    )


def _fingerprint(rotulo: str, valores: Mapping[str, str], extras: Mapping[str, str]) -> tuple[object, ...]:
    return (rotulo, tuple(sorted((k, v) for k, v in valores.items() if v)), tuple(sorted(extras.items())))


def _is_written(row: TypedRow, desk_file: DeskFile) -> bool:
    """Tell whether a row without its key shows nothing but what lastro wrote into one."""
    typed = {name: text for name, text in row.valores.items() if text}
    return not row.extras and any(
        all(values.get(name, "") == text for name, text in typed.items()) for values in desk_file.escritos.values()
    )


def fold_notes(desk: Desk, notes: Sequence[Note]) -> tuple[dict[Key, Held], dict[int, str]]:
    """Say what holds for each key, and which notes lost: per field the file saved last wins.

    Args:
        desk: whose notes they are; of rows whose fields do not hold nothing is lost, and nothing of an earlier day of
            a field that is daily.
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
        kind = desk.kind(note.tipo)
        lasting = {each.name for each in kind.fields if kind.holds and not each.daily}
        for name, before in note.antes.items():
            text = note.valores.get(name, "")
            earlier = setters.get((note.key, name))
            if (
                earlier is not None
                and state.valores[name] not in (before, text)
                and (name in lasting or (kind.holds and notes[earlier].quando.date() == note.quando.date()))
            ):
                lost[earlier] = note.arquivo
            state.valores[name], state.mudou[name] = text, note.quando
            setters[(note.key, name)] = place
    return held, lost
