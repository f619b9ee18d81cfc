"""The sheet Histórico: typed notes and their state, with orphans and unread files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from lastro.desk.model import Desk, Key, Note, is_understood, read_typed
from lastro.desk.notes import OTHER, WHOSE
from lastro.desk.sheets import make_column, make_sheet, make_table
from lastro.grid.cells import Kind, Value
from lastro.grid.sections import SheetColumn
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet

_FIELD_WIDTHS: Final = {"anotacao": 40, "resultado": 16}
_USUAL_WIDTH: Final = 13


class Outcomes(ABC):
    """What a desk says of its notes.

    Attributes:
        chave: header of what a row is called.
        depois: the column of what came of a note.
    """

    chave: str
    depois: Column

    @abstractmethod
    def find_label(self, key: Key) -> str | None:
        """Say what a key is called now; None where nothing has it."""

    @abstractmethod
    def find_states(self, note: Note) -> Sequence[str]:
        """Return the reasons why a note does not hold; none: it holds."""

    @abstractmethod
    def find_result(self, note: Note) -> Value:
        """Find the cell of `depois`."""

    def find_cells(self, note: Note) -> Mapping[str, Value]:
        """Find the later value that replaced each typed one, by field."""
        del note
        return {}


def history_sheet(
    desk: Desk, notes: Sequence[Note], lost: Mapping[int, str], outcomes: Outcomes, unread: Sequence[str]
) -> Sheet:
    """Build Histórico: every note, newest first; notes without a key that exists; files that could not be read.

    Args:
        desk: whose notes they are.
        notes: every note of the company.
        lost: place of a note -> the file that won over it.
        outcomes: what the desk says of them.
        unread: files that could not be read, and why.
    """
    newest = sorted(range(len(notes)), key=lambda place: (notes[place].quando, place), reverse=True)
    labels = {note.key: outcomes.find_label(note.key) for note in notes if note.key is not None}
    listed = [(notes[place], lost.get(place)) for place in newest]
    known = [noted for noted in listed if labels.get(noted[0].key) is not None]  # type: ignore[arg-type]
    orphans = [note for note, _ in listed if labels.get(note.key) is None]  # type: ignore[arg-type]
    tables = [
        make_table(
            "tbl_historico",
            _show_notes(desk, known, labels, outcomes),
            "Histórico: uma anotação por linha, a mais nova primeiro",
        ),
        make_table(
            "tbl_orfas",
            _show_orphans(desk, orphans),
            "Órfãs: anotações em linhas sem chave, ou com chave que não existe. Copie o que valer para a linha certa",
        ),
        make_table(
            "tbl_nao_lidos",
            ((make_column("Arquivo não lido", Kind.TEXT, 16), unread),),
            "Arquivos que não puderam ser lidos agora: serão tentados de novo a cada execução",
        ),
    ]
    return make_sheet("Histórico", tables, "9E9E9E")


def _show_notes(
    desk: Desk, known: Sequence[tuple[Note, str | None]], labels: Mapping[Key, str | None], outcomes: Outcomes
) -> list[SheetColumn]:
    """Show notes, each with the file that won over it, if any."""
    notes = [note for note, _ in known]
    states = [
        (*list_misunderstood(desk, note), *([] if winner is None else [f"perdeu para {winner}"]))
        for note, winner in known
    ]
    changed = [
        ", ".join(each.header for name in note.antes for each in desk.kind(note.tipo).fields if each.name == name)
        for note in notes
    ]
    return [
        (make_column("Salvo em", Kind.TIMESTAMP, 16), [note.quando for note in notes]),
        (
            make_column("Situação", Kind.TEXT, 30),
            [
                " · ".join((*own, *outcomes.find_states(note))) or "vale"
                for own, note in zip(states, notes, strict=True)
            ],
        ),
        (
            make_column(outcomes.chave, Kind.TEXT, 34),
            [labels[note.key] or note.rotulo for note in notes],  # type: ignore[index]
        ),
        *_show_fields(desk, [_read_fields(desk, note) | dict(outcomes.find_cells(note)) for note in notes]),
        (make_column("Mudou", Kind.TEXT, 26), changed),
        (outcomes.depois, [outcomes.find_result(note) for note in notes]),
        (make_column("Outras colunas", Kind.TEXT, 24), [_tell_others(note) for note in notes]),
        (make_column("Arquivo", Kind.TEXT, 30), [note.arquivo for note in notes]),
        (make_column("Tipo", Kind.TEXT, 9), [desk.kind(note.tipo).word for note in notes]),
        (make_column("Id", Kind.INTEGER, 9), [note.chave for note in notes]),
    ]


def _read_fields(desk: Desk, note: Note) -> dict[str, Value]:
    return {each.name: read_typed(note.valores, each) for each in desk.kind(note.tipo).fields}


def _show_fields(desk: Desk, cells: Sequence[Mapping[str, Value]]) -> list[SheetColumn]:
    return [
        (
            make_column(each.header, each.kind, _FIELD_WIDTHS.get(each.name, _USUAL_WIDTH)),
            [own.get(each.name) for own in cells],
        )
        for each in desk.fields
    ]


def _tell_others(note: Note) -> str:
    return "; ".join(f"{name}: {text}" for name, text in note.extras.items())


def _show_orphans(desk: Desk, notes: Sequence[Note]) -> list[SheetColumn]:
    return [
        (make_column("Salvo em", Kind.TIMESTAMP, 16), [note.quando for note in notes]),
        (make_column("Motivo", Kind.TEXT, 30), [_tell_why(desk, note) for note in notes]),
        (make_column("Linha como estava", Kind.TEXT, 34), [note.rotulo for note in notes]),
        *_show_fields(desk, [{each.name: read_typed(note.valores, each) for each in desk.fields} for note in notes]),
        (make_column("Outras colunas", Kind.TEXT, 26), [_tell_others(note) for note in notes]),
        (make_column("Arquivo", Kind.TEXT, 14), [note.arquivo for note in notes]),
    ]


def list_misunderstood(desk: Desk, note: Note) -> tuple[str, ...]:
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
