"""Notes typed at a desk: new ones of a file that came back, those in force, losers of conflicts.

A note is a cell that differs from what lastro wrote there, found by the key of its row. Belongs here: the rules over
values. Does not belong here: files (`lastro.desk.reader`) and tables (`lastro.desk.storage`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from lastro.desk.model import BY, COMMENT, Cells, Desk, DeskFile, Key, Note, TypedRow, is_understood
from lastro.desk.seen import APPROVED, OTHER, is_known, tell_unseen
from lastro.entrada.archive import MAX_TEXT

NOTE: Final = "anotacao"
"""The field for whatever there is to say of a row."""
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


@dataclass(frozen=True)
class _Past:
    """What the copies of a file said until now.

    Attributes:
        wrote: what lastro wrote into a row.
        own: what the copy of this name said when it was read last; None where the name is new.
        last: what holds of all copies saved by then, where somebody typed.
        later: what a copy saved later says, where somebody typed: an older one that is found brings it not twice.
        known: lines without key, and texts of cells and of columns of a person's own, that a copy brought already.
    """

    wrote: Cells
    own: Cells | None
    last: Cells
    later: Cells
    known: frozenset[tuple[object, ...]]

    def knew(self, key: Key, name: str) -> str:
        """Return what a cell said when the copy of this name was read last, or was written."""
        return self._find(self.own or {}, key, name)

    def said(self, key: Key, name: str) -> str:
        """Return what a cell said before in any copy."""
        return self._find(self.last, key, name)

    def is_new(self, key: Key, name: str, text: str) -> bool:
        """Tell whether a cell says what no copy said."""
        return text not in {self.knew(key, name), self.said(key, name), self.later.get(key, {}).get(name)}

    def is_emptied(self, key: Key, name: str, text: str) -> bool:
        """Tell whether a cell is as this copy knew it, and no copy saved last before it was."""
        return text == self.knew(key, name) not in (self.said(key, name), self.later.get(key, {}).get(name))

    def was_seen(self, key: Key, name: str, text: str) -> bool:
        """Tell whether a cell holds what somebody typed into another copy: this one was made of it."""
        return text == self.said(key, name) != self.knew(key, name)

    def has_told(self, key: Key, name: str, text: str) -> bool:
        """Tell whether lastro wrote a cell so, or a copy brought what it says."""
        return text == self.wrote[key][name] or (key, name, text) in self.known

    def _find(self, cells: Cells, key: Key, name: str) -> str:
        return cells.get(key, {}).get(name, self.wrote[key][name])


def _recall(
    desk_file: DeskFile, notes: Sequence[Note], copies: Mapping[str, Cells], arquivo: str, moment: datetime
) -> _Past:
    """Recall what the copies of a file said, from the notes that they brought and from how each was read last."""
    keys = {(row.tipo, row.chave) for row in desk_file.rows if row.tipo and row.chave is not None}
    wrote = {key: {**desk_file.desk.kind(key[0]).blank, **desk_file.escritos.get(key, {})} for key in keys}
    own: dict[Key, dict[str, str]] = {}
    last: dict[Key, dict[str, str]] = {}
    later: dict[Key, dict[str, str]] = {}
    known: set[tuple[object, ...]] = set()
    for note in sorted(notes, key=lambda note: note.moment):
        known.add(_fingerprint(note.rotulo, note.valores, note.extras))
        if note.key is None:
            continue
        known.update((note.key, _place(name), text) for name, text in note.extras.items())
        typed = {name: note.valores.get(name, "") for name in note.antes}
        known.update((note.key, name, text) for name, text in typed.items())
        if note.arquivo == arquivo:
            own.setdefault(note.key, {}).update(typed)
        if note.arquivo == arquivo or note.moment <= moment:
            last.setdefault(note.key, {}).update(typed)
        else:
            later[note.key] = {**typed, **later.get(note.key, {})}
    read = copies.get(arquivo, own if any(note.arquivo == arquivo for note in notes) else None)
    return _Past(wrote, read, last, later, frozenset(known))


def find_new_notes(
    desk_file: DeskFile,
    earlier: Iterable[Note],
    copies: Mapping[str, Cells] | None = None,
    *,
    arquivo: str,
    sha256: str,
    quando: datetime,
    quando_utc: datetime | None = None,
) -> list[Note]:
    """Find what was typed into a file since it was written, or since it was read last.

    A column that is gone is no cleared cell, and a row that is gone takes nothing back. What a copy of the same file
    under another name brought already is not new. Of a copy nobody knows what it was made of: a cell that another copy
    filled and that is as this name knew it, or as lastro wrote it, was emptied where the row, or most of the file,
    holds other texts of those copies, or where a copy under a new name brings nothing of its own. An approval that is
    not in a copy under a new name is taken back whatever that holds.

    `copies` is name -> the cells that were not as lastro wrote them when the copy of that name was read last. The file
    was not saved before what its name said last, whatever its clock says (`quando`, `quando_utc`).
    """
    arquivo_id = desk_file.arquivo_id or f"sem id: {arquivo}"
    notes = [note for note in earlier if note.arquivo_id == arquivo_id]
    for note in notes:
        if note.arquivo == arquivo and note.moment > (quando_utc or quando):
            quando, quando_utc = note.quando, note.quando_utc
    past = _recall(desk_file, notes, copies or {}, arquivo, quando_utc or quando)
    keyed = [(row, (row.tipo, row.chave)) for row in desk_file.rows if row.tipo and row.chave is not None]
    spoken = list_changed(desk_file)
    cells = [
        [
            (key, name, text)
            for name, text in row.valores.items()
            # A key may stand on several rows: the last that holds something speaks, an earlier one is told once.
            if text == spoken.get(key, {}).get(name, text) or not past.has_told(key, name, text)
        ]
        for row, key in keyed
    ]
    flat = [cell for own in cells for cell in own]
    emptied, seen = (sum(tell(*cell) for cell in flat) for tell in (past.is_emptied, past.was_seen))
    whole = seen >= max(emptied, 1) or (past.own is None and not any(past.is_new(*cell) for cell in flat))
    made: list[tuple[TypedRow, dict[str, str], dict[str, str]]] = []
    brought: dict[Key, dict[str, str]] = {}
    for (row, key), own in zip(keyed, cells, strict=True):
        descends = whole or any(past.was_seen(*cell) for cell in own)
        # What one row of a key brought, another neither brings nor undoes.
        first = brought.setdefault(key, {})
        antes = {}
        for _, name, text in own:
            doubted = past.own is None and name == APPROVED
            undone = past.is_emptied(key, name, text) and (descends or doubted)
            before = past.said(key, name) if descends or undone else past.knew(key, name)
            if text != first.get(name) and (undone or past.is_new(key, name, text)):
                antes[name] = first.get(name, before)
        extras = {
            name: text for name, text in row.extras.items() if text and (key, _place(name), text) not in past.known
        }
        row = _carry(row, antes, extras, past)  # noqa: PLW2901
        if antes or extras:
            made.append((row, antes, extras))
        first.update({name: row.valores[name] for name in antes})
    made += _find_orphans(desk_file, past)
    return [
        Note(
            row.tipo, row.chave, row.rotulo, row.valores, antes, extras, quando, arquivo, arquivo_id, sha256, quando_utc
        )
        for row, antes, extras in made
    ]


def _carry(row: TypedRow, antes: dict[str, str], extras: Mapping[str, str], past: _Past) -> TypedRow:
    """Put comments that are new behind what stands in the note of their row; `antes` says that it changed."""
    said = [text for name, text in extras.items() if name.startswith(COMMENT)]
    if not said or NOTE not in row.valores:
        return row
    stands = row.valores[NOTE] if NOTE in antes else past.said((row.tipo, row.chave or 0), NOTE)
    antes.setdefault(NOTE, stands)
    return replace(row, valores={**row.valores, NOTE: " · ".join(filter(None, [stands, *said]))[:MAX_TEXT]})


def _find_orphans(desk_file: DeskFile, past: _Past) -> Iterator[tuple[TypedRow, dict[str, str], dict[str, str]]]:
    """Yield the rows without a key in which something was typed that no copy brought yet."""
    for row in desk_file.rows:
        extras = {name: text for name, text in row.extras.items() if text}
        if (row.tipo and row.chave is not None) or not (any(row.valores.values()) or extras):
            continue
        orphan = TypedRow("", None, row.linha or row.rotulo, row.valores, row.extras)
        fresh = _fingerprint(orphan.rotulo, orphan.valores, extras) not in past.known
        if fresh and not _is_written(row, desk_file):
            yield orphan, {name: "" for name, text in row.valores.items() if text}, extras


def list_changed(desk_file: DeskFile) -> Cells:
    """List the cells of a file that are not as lastro wrote them."""
    changed: dict[Key, dict[str, str]] = {}
    for row in desk_file.rows:
        if row.tipo and row.chave is not None:
            key = (row.tipo, row.chave)
            wrote = desk_file.escritos.get(key, {})
            own = {name: text for name, text in row.valores.items() if text != wrote.get(name, "")}
            changed.setdefault(key, {}).update(own)
    return {key: own for key, own in changed.items() if own}


def hold_to_company(desk_file: DeskFile, empresa: str, nomes: Mapping[Key, str]) -> DeskFile:
    """Make an orphan of every row that cannot be shown to be this company's, in a file that lost its hidden sheet.

    Several companies may share a folder, and 501 is somebody in each of them. A row is this company's when the first
    row of its sheet ends with the company's name and the row is called after the person whom its key names here.
    """

    def hold(row: TypedRow) -> TypedRow:
        name, label = _fold(nomes.get((row.tipo, row.chave or 0), "")), _fold(row.rotulo)
        # Namesakes bear their id behind the name; a título what it is.
        named = bool(name) and (label == name or label.startswith((f"{name} (#", f"{name} ·")))
        ours = not row.tipo or (named and _fold(row.titulo).endswith(f"— {_fold(empresa)}"))
        return row if ours else row.stray(f"{WHOSE} {row.linha}")

    return replace(desk_file, rows=tuple(map(hold, desk_file.rows)))


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def tell_doubts(desk_file: DeskFile, notes: Sequence[Note]) -> Iterator[str]:
    """Say what of a file counts for nothing, because it does not show what lastro wrote or that is not known."""
    lost, other = (sum(row.linha.startswith(mark) for row in desk_file.rows) for mark in (WHOSE, OTHER))
    unseen = tell_unseen(notes)
    if not desk_file.arquivo_id:
        whose = f"; {lost} linha(s) não puderam ser reconhecidas como desta empresa" if lost else ""
        yield f"sem a folha que o identifica: só se leram as células amarelas, e aprovação nenhuma vale{whose}"
    elif not is_known(desk_file) and unseen:
        yield "esta versão do lastro não o escreveu: aprovação nenhuma dele vale, nem resposta; use o arquivo novo"
    if other:
        yield f"{other} linha(s) mostravam outra coisa do que o lastro escreveu para o id delas; estão em Órfãs"
    if is_known(desk_file):
        yield from unseen


def find_misunderstood(desk: Desk, notes: Sequence[Note], keys: Iterable[Key]) -> list[Key]:
    """List the key of each cell of these rows that should be a day, an amount or a number and is none (S18)."""
    held, _ = fold_notes(desk, notes)
    return sorted(
        key
        for key in set(keys) & held.keys()
        for each in desk.kind(key[0]).fields
        if not is_understood(held[key].valores, each)
    )


def _fingerprint(rotulo: str, valores: Mapping[str, str], extras: Mapping[str, str]) -> tuple[object, ...]:
    return (
        rotulo,
        tuple(sorted((k, v) for k, v in valores.items() if v)),
        tuple(sorted((_place(name), text) for name, text in extras.items())),
    )


def _place(name: str) -> str:
    """Leave out of the header of a comment its author, whom not every program keeps."""
    return name.partition(BY)[0] if name.startswith(COMMENT) else name


def _is_written(row: TypedRow, desk_file: DeskFile) -> bool:
    """Tell whether a row without its key shows nothing but what lastro wrote into one."""
    typed = {name: text for name, text in row.valores.items() if text}
    return not row.extras and any(
        all(values.get(name, "") == text for name, text in typed.items()) for values in desk_file.escritos.values()
    )


def fold_notes(desk: Desk, notes: Sequence[Note]) -> tuple[dict[Key, Held], dict[int, str]]:
    """Say what holds for each key, and which notes lost: per field the file saved last, of one moment the later note.

    Of rows whose fields do not hold nothing is lost, and nothing of an earlier day of a field that is daily.

    Returns:
        What holds, and place of a note in `notes` -> the file that won over it: both were typed without seeing each
        other. A later change by somebody who saw the earlier one is no conflict.
    """
    held: dict[Key, Held] = {}
    setters: dict[tuple[Key, str], int] = {}
    lost: dict[int, str] = {}
    for place in sorted(range(len(notes)), key=lambda place: (notes[place].moment, place)):
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
