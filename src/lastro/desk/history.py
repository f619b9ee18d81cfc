"""The sheet Histórico: typed notes and their state, with orphans and unread files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lastro.desk.model import Desk, Key, Note, is_understood, read_typed
from lastro.desk.notes import WHOSE
from lastro.desk.seen import OTHER
from lastro.desk.sheets import Parts, head_field, make_sheet, make_table, take
from lastro.grid.cells import Kind, Value
from lastro.grid.prints import Print
from lastro.grid.workbook import Sheet

KNOWN: Final[Print[None]] = Print(
    "tbl_historico",
    widths={
        "situacao": 30, "mudou": 26, "outras_colunas": 24, "arquivo": 30, "tipo": 9, "sobre": 34,
    },
    title="Histórico: uma anotação por linha, a mais nova primeiro",
)  # fmt: skip
ORPHANS: Final[Print[None]] = Print(
    "tbl_orfas",
    widths={"motivo": 30, "linha_como_estava": 34, "outras_colunas": 26},
    title="Órfãs: anotações em linhas sem chave, ou com chave que não existe. Copie o que valer para a linha certa",
)
UNREAD: Final[Print[None]] = Print(
    "tbl_nao_lidos",
    headers={"arquivo": "Arquivo não lido"},
    widths={"arquivo": 16},
    title="Arquivos que não puderam ser lidos agora: serão tentados de novo a cada execução",
)


@dataclass(frozen=True)
class Outcome:
    """What came of a note.

    Attributes:
        states: why it does not hold; none: it holds.
        result: in the column `Outcomes.depois`: of an amount centavos.
        cells: field -> what stands there in the place of what was typed.
    """

    states: Sequence[str] = ()
    result: Value = None
    cells: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcomes:
    """What a desk says of its notes.

    Attributes:
        depois: key of that of what came of a note.
        name: says what a key is called now; None where nothing has it.
        tell: says what came of a note.
    """

    depois: str
    name: Callable[[Key], str | None]
    tell: Callable[[Note], Outcome]


def history_sheet(
    desk: Desk, notes: Sequence[Note], lost: Mapping[int, str], outcomes: Outcomes, unread: Sequence[str]
) -> Sheet:
    """Build Histórico: every note, newest first; notes without a key that exists; files that could not be read.

    `lost` is the place of a note -> the file that won over it (`fold_notes`).
    """
    labels: dict[Key | None, str | None] = {note.key: outcomes.name(note.key) for note in notes if note.key is not None}
    newest = sorted(range(len(notes)), key=lambda place: (notes[place].moment, place), reverse=True)
    winners = [(notes[place], lost.get(place)) for place in newest]
    known = [(note, winner, outcomes.tell(note)) for note, winner in winners if labels.get(note.key) is not None]
    own, came = [note for note, *_ in known], [outcome for *_, outcome in known]
    orphans = [note for note, _ in winners if labels.get(note.key) is None]
    valid = {
        **take(KNOWN, own, salvo_em="quando"),
        **take(KNOWN, known, situacao=lambda one: _tell_state(desk, *one)),
        **take(KNOWN, own, sobre=lambda note: labels[note.key] or note.rotulo),
        **_show_fields(desk, own, came),
        **take(KNOWN, own, mudou=lambda note: _tell_changed(desk, note)),
        **take(KNOWN, came, **{outcomes.depois: "result"}),
        **take(KNOWN, own, outras_colunas=_tell_others, arquivo="arquivo"),
        **take(KNOWN, own, tipo=lambda note: desk.kind(note.tipo).word, id="chave"),
    }
    strayed = {
        **take(ORPHANS, orphans, salvo_em="quando", motivo=lambda note: _tell_why(desk, note)),
        **take(ORPHANS, orphans, linha_como_estava="rotulo"),
        **_show_fields(desk, orphans, [Outcome()] * len(orphans)),
        **take(ORPHANS, orphans, outras_colunas=_tell_others, arquivo="arquivo"),
    }
    tables = [
        make_table(KNOWN, valid),
        make_table(ORPHANS, strayed),
        make_table(UNREAD, take(UNREAD, unread, arquivo=str)),
    ]
    return make_sheet("Histórico", tables, "9E9E9E")


def _tell_state(desk: Desk, note: Note, winner: str | None, outcome: Outcome) -> str:
    lost = () if winner is None else (f"perdeu para {winner}",)
    return " · ".join((*_list_misunderstood(desk, note), *lost, *outcome.states)) or "vale"


def _tell_changed(desk: Desk, note: Note) -> str:
    headers = {each.name: each.header for each in desk.kind(note.tipo).fields}
    return ", ".join(headers[name] for name in note.antes if name in headers)


def _show_fields(desk: Desk, notes: Sequence[Note], came: Sequence[Outcome]) -> Parts:
    """Show what was typed into each field, or what stands in its place."""
    pairs = list(zip(notes, came, strict=True))
    return {
        each.name: (head_field(each), [one.cells.get(each.name, read_typed(note.valores, each)) for note, one in pairs])
        for each in desk.fields
    }


def _tell_others(note: Note) -> str:
    return "; ".join(f"{name}: {text}" for name, text in note.extras.items())


def _list_misunderstood(desk: Desk, note: Note) -> tuple[str, ...]:
    """Say which cells of a note hold a text that should be a day, an amount or a number and is none (S18)."""
    said = {Kind.DATE: "não entendi a data", Kind.MONEY: "não entendi o valor", Kind.INTEGER: "não entendi o número"}
    return tuple(
        f"{said[each.kind]} «{note.valores[each.name]}»"
        for each in desk.kind(note.tipo).fields
        if not is_understood(note.valores, each)
    )


def _tell_why(desk: Desk, note: Note) -> str:
    if note.key is None:
        return next((mark for mark in (WHOSE, OTHER) if note.rotulo.startswith(mark)), "linha sem chave")
    return f"{desk.kind(note.tipo).key} {note.chave} não existe"
