"""The sheet Histórico: typed notes and their state, with orphans and unread files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lastro.desk.model import Desk, Key, Note, is_understood, read_typed
from lastro.desk.notes import OTHER, WHOSE
from lastro.desk.sheets import make_column, make_sheet, make_table, take_columns
from lastro.grid.cells import Kind, Value
from lastro.grid.sections import SheetColumn
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet


@dataclass(frozen=True)
class Outcome:
    """What came of a note.

    Attributes:
        states: why it does not hold; none: it holds.
        result: the cell of `Outcomes.depois`.
        cells: field -> what stands there in the place of what was typed.
    """

    states: Sequence[str] = ()
    result: Value = None
    cells: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcomes:
    """What a desk says of its notes.

    Attributes:
        chave: header of what a row is called.
        depois: the column of what came of a note.
        name: says what a key is called now; None where nothing has it.
        tell: says what came of a note.
    """

    chave: str
    depois: Column
    name: Callable[[Key], str | None]
    tell: Callable[[Note], Outcome]


def history_sheet(
    desk: Desk, notes: Sequence[Note], lost: Mapping[int, str], outcomes: Outcomes, unread: Sequence[str]
) -> Sheet:
    """Build Histórico: every note, newest first; notes without a key that exists; files that could not be read.

    `lost` is the place of a note -> the file that won over it (`fold_notes`).
    """
    labels: dict[Key | None, str | None] = {note.key: outcomes.name(note.key) for note in notes if note.key is not None}
    newest = sorted(range(len(notes)), key=lambda place: (notes[place].quando, place), reverse=True)
    winners = [(notes[place], lost.get(place)) for place in newest]
    known = [(note, winner, outcomes.tell(note)) for note, winner in winners if labels.get(note.key) is not None]
    orphans = [note for note, _ in winners if labels.get(note.key) is None]
    valid = (
        *take_columns(
            known,
            ("Salvo em", Kind.TIMESTAMP, 16, lambda one: one[0].quando),
            ("Situação", Kind.TEXT, 30, lambda one: _tell_state(desk, *one)),
            (outcomes.chave, Kind.TEXT, 34, lambda one: labels[one[0].key] or one[0].rotulo),
        ),
        *_show_fields(desk, [(note, outcome.cells) for note, _, outcome in known]),
        *take_columns(known, ("Mudou", Kind.TEXT, 26, lambda one: _tell_changed(desk, one[0]))),
        (outcomes.depois, [outcome.result for _, _, outcome in known]),
        *take_columns(
            known,
            ("Outras colunas", Kind.TEXT, 24, lambda one: _tell_others(one[0])),
            ("Arquivo", Kind.TEXT, 30, lambda one: one[0].arquivo),
            ("Tipo", Kind.TEXT, 9, lambda one: desk.kind(one[0].tipo).word),
            ("Id", Kind.INTEGER, 9, lambda one: one[0].chave),
        ),
    )
    strayed = (
        *take_columns(
            orphans,
            ("Salvo em", Kind.TIMESTAMP, 16, lambda note: note.quando),
            ("Motivo", Kind.TEXT, 30, lambda note: _tell_why(desk, note)),
            ("Linha como estava", Kind.TEXT, 34, lambda note: note.rotulo),
        ),
        *_show_fields(desk, [(note, {}) for note in orphans]),
        *take_columns(
            orphans,
            ("Outras colunas", Kind.TEXT, 26, _tell_others),
            ("Arquivo", Kind.TEXT, 14, lambda note: note.arquivo),
        ),
    )
    lines = ((make_column("Arquivo não lido", Kind.TEXT, 16), unread),)
    orphaned = "Órfãs: anotações em linhas sem chave, ou com chave que não existe. Copie o que valer para a linha certa"
    refused = "Arquivos que não puderam ser lidos agora: serão tentados de novo a cada execução"
    tables = [
        make_table("tbl_historico", valid, "Histórico: uma anotação por linha, a mais nova primeiro"),
        make_table("tbl_orfas", strayed, orphaned),
        make_table("tbl_nao_lidos", lines, refused),
    ]
    return make_sheet("Histórico", tables, "9E9E9E")


def _tell_state(desk: Desk, note: Note, winner: str | None, outcome: Outcome) -> str:
    lost = () if winner is None else (f"perdeu para {winner}",)
    return " · ".join((*_list_misunderstood(desk, note), *lost, *outcome.states)) or "vale"


def _tell_changed(desk: Desk, note: Note) -> str:
    headers = {each.name: each.header for each in desk.kind(note.tipo).fields}
    return ", ".join(headers[name] for name in note.antes if name in headers)


def _show_fields(desk: Desk, notes: Sequence[tuple[Note, Mapping[str, Value]]]) -> list[SheetColumn]:
    """Show what was typed into each field, or what stands in its place."""
    return [
        (
            make_column(each.header, each.kind, each.width),
            [cells.get(each.name, read_typed(note.valores, each)) for note, cells in notes],
        )
        for each in desk.fields
    ]


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
