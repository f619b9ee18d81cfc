"""What people saw when they wrote a word: the one place that says whether a word about what a file showed counts.

Who approves or answers agrees to what the row shows. Such a word counts where it is known what lastro wrote into that
row of that file, and where the row lets a person see it. Whatever is not known was not seen: the word is kept beside
the others, says why it has no effect, and waits. Does not belong here: what follows from a word that counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from lastro.desk.desks import CONTA, PAGAMENTOS, PAGAR
from lastro.desk.model import DeskFile, Key, Note, Shown, TypedRow
from lastro.folding import sort_key
from lastro.money import to_decimal

OTHER: Final = "a linha mostrava outra coisa"
"""What stands before a row that is not as lastro wrote the one with its key."""
APPROVED, ANSWER, CONFIRMED = "aprovado_por", "resposta", "resposta_aprovada_por"
"""The fields whose words are about what the row shows."""
NOT_KNOWN: Final = "esta versão do lastro não escreveu o arquivo da aprovação: aprove no novo"
_KEY: Final = "titulo_id"
BOUND: Final = {
    each.name: each.header for each in PAGAMENTOS.kind(PAGAR).fields if each.name in (APPROVED, ANSWER, CONFIRMED)
}
_MARK: Final = " (sem efeito: "
_STRANGE: Final = "sem id: "
"""What the id of a file begins with that was not known when it was read: no file is ever given such a one."""
Files = Mapping[str, Mapping[Key, Shown]]
"""Id of a file -> row -> what lastro wrote there."""


def _look_up(shown: Mapping[Key, Shown], key: Key | None) -> Shown | None:
    seen = None if key is None else shown.get(key)
    return None if seen is None or seen.valor is None else seen


@dataclass(frozen=True)
class SeenWords:
    """What was typed at the payments desk, with what the files showed in which it was typed.

    Attributes:
        notes: in the order in which they were read.
        shown: id of a file -> row -> what lastro wrote there.
    """

    notes: Sequence[Note]
    shown: Files

    @cached_property
    def by_titulo(self) -> Mapping[int, Sequence[Note]]:
        """The notes of each payable, in the same order."""
        found: dict[int, list[Note]] = {}
        for note in self.notes:
            if note.tipo == PAGAR and note.chave is not None:
                found.setdefault(note.chave, []).append(note)
        return found

    def find_seen(self, note: Note) -> Shown | None:
        """Return what the row of a note showed whoever typed it; None where that is not known: nobody saw it."""
        return _look_up(self.shown.get(note.arquivo_id, {}), note.key)

    def find_last(self, titulo_id: int, name: str) -> Note | None:
        """Find the note that said something in a field last that counts: of what was seen, or that it is no more."""
        said = [note for note in self.by_titulo.get(titulo_id, ()) if self._is_said(note, name)]
        return max(reversed(said), key=lambda note: note.moment, default=None)

    def _is_said(self, note: Note, name: str) -> bool:
        return name in note.antes and (not note.valores.get(name) or self.find_seen(note) is not None)

    @cached_property
    def unseen(self) -> Mapping[int, Mapping[str, str]]:
        """Payable -> field -> why the word typed last into it has no effect; under "" why its row is an orphan."""
        found: dict[int, dict[str, str]] = {}
        for note in sorted(self.notes, key=lambda note: note.moment):
            stray = note.extras.get(_KEY) if note.rotulo.startswith(OTHER) else None
            if chave := int(stray or 0) or (note.chave if note.tipo == PAGAR else None):
                why, marks = found.setdefault(chave, {}), _list_marks(note) if note.key else {}
                why[""] = "" if note.key else f"{OTHER}: veja Órfãs em Histórico"
                for name in BOUND if note.key else ():
                    if name in note.antes or name in marks:
                        why[name] = marks.get(name) or ("" if self._is_said(note, name) else NOT_KNOWN)
        return found

    def tell(self, titulo_id: int) -> str:
        """Say why what was typed last about a payable has no effect: nobody saw what it was about; "" where it has."""
        why = self.unseen.get(titulo_id, {})
        told = ((name, why.get(name)) for name in ("", *BOUND))
        return "; ".join(f"{BOUND[name]}: {text}" if name else text for name, text in told if text)


def is_known(desk_file: DeskFile) -> bool:
    """Tell whether lastro wrote the file of which this is a copy, as it knew when it was read."""
    return bool(desk_file.arquivo_id) and not desk_file.arquivo_id.startswith(_STRANGE)


def hold_to_shown(
    desk_file: DeskFile, shown: Mapping[Key, Shown], nomes: Mapping[Key, str], notes: Iterable[Note]
) -> DeskFile:
    """Hold each row to what lastro wrote there; a file that is not known has no id any more, for good.

    A row that shows something else than what was written for its key is an orphan. A word about what its row shows
    that nobody could see there is kept beside the others, unless it counted before (`notes`) or lastro itself wrote it.
    An emptied cell takes back what it said, whoever sees it. `shown` is empty where it is not known what the file
    showed; `nomes` is what rows are called here: one that the file did not show may be none of them.
    """
    counted = {
        (note.key, name, note.valores.get(name))
        for note in notes
        if note.arquivo_id == desk_file.arquivo_id
        for name in note.antes.keys() & BOUND.keys()
    }

    def hold(row: TypedRow) -> TypedRow:
        key = (row.tipo, row.chave or 0)
        if shown and row.tipo and not _shows(row, shown.get(key), nomes.get(key)):
            return replace(row.stray(f"{OTHER}: {row.linha}"), extras={**row.extras, _KEY: str(row.chave)})
        written, valores, beside = desk_file.escritos.get(key, {}), dict(row.valores), dict(row.extras)
        for name, header in BOUND.items() if row.tipo else ():
            text = valores.get(name, "")
            known = text in ("", written.get(name)) or (key, name, text) in counted
            if not known and (why := _find_why(row, name, _look_up(shown, key), nomes)):
                beside[f"{header}{_MARK}{why})"] = valores.pop(name)
        return replace(row, valores=valores, extras=beside)

    arquivo_id = desk_file.arquivo_id if shown or not desk_file.arquivo_id else _STRANGE + desk_file.arquivo_id
    return replace(desk_file, arquivo_id=arquivo_id, rows=tuple(map(hold, desk_file.rows)))


def _find_why(row: TypedRow, name: str, wrote: Shown | None, nomes: Mapping[Key, str]) -> str:
    """Say why a word in a row is of nobody who could see what lastro wrote there; "" where it is."""
    if wrote is None:
        return NOT_KNOWN
    account = nomes.get((CONTA, wrote.conta_id or 0), "") if wrote.conta is None else wrote.conta
    paid = f"{wrote.data_vencimento or ''} {account}"
    other = "" if _plain(row.paga) == _plain(paid) else "Vencimento ou Conta do título não é o que o lastro escreveu"
    return row.cego.get(name) or other


def _shows(row: TypedRow, wrote: Shown | None, name: str | None) -> bool:
    """Tell whether the columns of a row show what lastro wrote; a row that it did not write is not judged."""
    if row.valor is None:
        return True
    if wrote is None:
        return name is None or not (row.rotulo or row.valor)
    valor = "" if wrote.valor is None else str(to_decimal(wrote.valor))
    return (_plain(row.rotulo), row.valor) == (_plain(wrote.rotulo), valor)


def _plain(text: str) -> str:
    """Leave of a text what no program changes when it saves it: letters, and digits without zeros before them."""
    return "".join(filter(str.isalnum, re.sub(r"(?<![0-9.])0+(?=[0-9])", "", sort_key(text))))


def _list_marks(note: Note) -> dict[str, str]:
    """List the fields whose word was held back in a note, and why."""
    parts = [header.partition(_MARK) for header in note.extras]
    return {name: why[:-1] for name, own in BOUND.items() for header, mark, why in parts if mark and header == own}


def tell_unseen(notes: Sequence[Note]) -> list[str]:
    """Say which words that a file brought have no effect, and why: a sentence for each reason, with up to ten keys."""
    rows: dict[str, list[str]] = {}
    for note in notes:
        for name, why in _list_marks(note).items():
            rows.setdefault(f"{BOUND[name]} sem efeito: {why}", []).append(str(note.chave))
    return [f"{text} (títulos {', '.join(keys[:10])}{', …' if keys[10:] else ''})" for text, keys in rows.items()]
