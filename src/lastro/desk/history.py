"""The sheet Histórico: typed notes and their state, with orphans and unread files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from lastro.desk.model import Desk, Key, Note, is_understood, read_typed
from lastro.desk.notes import WHOSE
from lastro.desk.sheets import make_column, make_sheet, make_table
from lastro.grid.cells import Kind, Value
from lastro.grid.model import Column, Sheet

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
    known = [place for place in newest if labels.get(notes[place].key) is not None]  # type: ignore[arg-type]
    orphans = [place for place in newest if place not in set(known)]
    fields = tuple(
        make_column(each.header, each.kind, _FIELD_WIDTHS.get(each.name, _USUAL_WIDTH)) for each in desk.fields
    )
    columns = (
        make_column("Salvo em", Kind.TIMESTAMP, 16),
        make_column("Situação", Kind.TEXT, 30),
        make_column(outcomes.chave, Kind.TEXT, 34),
        *fields,
        make_column("Mudou", Kind.TEXT, 26),
        outcomes.depois,
        make_column("Outras colunas", Kind.TEXT, 24),
        make_column("Arquivo", Kind.TEXT, 30),
        make_column("Tipo", Kind.TEXT, 9),
        make_column("Id", Kind.INTEGER, 9),
    )
    of_orphans = (
        make_column("Salvo em", Kind.TIMESTAMP, 16),
        make_column("Motivo", Kind.TEXT, 30),
        make_column("Linha como estava", Kind.TEXT, 34),
        *fields,
        make_column("Outras colunas", Kind.TEXT, 26),
        make_column("Arquivo", Kind.TEXT, 14),
    )
    rows = [
        _note_cells(desk, notes[place], str(labels[notes[place].key]), lost.get(place), outcomes)  # type: ignore[index]
        for place in known
    ]
    tables = [
        make_table("tbl_historico", columns, rows, "Histórico: uma anotação por linha, a mais nova primeiro"),
        make_table(
            "tbl_orfas",
            of_orphans,
            tuple(_orphan_cells(desk, notes[place]) for place in orphans),
            "Órfãs: anotações em linhas sem chave, ou com chave que não existe. Copie o que valer para a linha certa",
        ),
        make_table(
            "tbl_nao_lidos",
            (make_column("Arquivo não lido", Kind.TEXT, 16),),
            tuple((text,) for text in unread),
            "Arquivos que não puderam ser lidos agora: serão tentados de novo a cada execução",
        ),
    ]
    return make_sheet("Histórico", tables, "9E9E9E")


def _note_cells(desk: Desk, note: Note, label: str, winner: str | None, outcomes: Outcomes) -> tuple[Value, ...]:
    kind = desk.kind(note.tipo)
    cells = {each.name: read_typed(note.valores, each) for each in kind.fields} | dict(outcomes.find_cells(note))
    headers = {each.name: each.header for each in kind.fields}
    states = [*list_misunderstood(desk, note), *([] if winner is None else [f"perdeu para {winner}"])]
    return (
        note.quando,
        " · ".join((*states, *outcomes.find_states(note))) or "vale",
        label or note.rotulo,
        *(cells.get(each.name) for each in desk.fields),
        ", ".join(headers[name] for name in note.antes if name in headers),
        outcomes.find_result(note),
        "; ".join(f"{name}: {text}" for name, text in note.extras.items()),
        note.arquivo,
        kind.word,
        note.chave,
    )


def list_misunderstood(desk: Desk, note: Note) -> tuple[str, ...]:
    """Say which cells of a note hold a text that should be a day, an amount or a number and is none (S18)."""
    said = {Kind.DATE: "não entendi a data", Kind.MONEY: "não entendi o valor", Kind.INTEGER: "não entendi o número"}
    return tuple(
        f"{said[each.kind]} «{note.valores[each.name]}»"
        for each in desk.kind(note.tipo).fields
        if not is_understood(note.valores, each)
    )


def _orphan_cells(desk: Desk, note: Note) -> tuple[Value, ...]:
    if note.key is None:
        why = WHOSE if note.rotulo.startswith(WHOSE) else "linha sem chave"
    else:
        why = f"{desk.kind(note.tipo).key} {note.chave} não existe"
    return (
        note.quando,
        why,
        note.rotulo,
        *(read_typed(note.valores, each) for each in desk.fields),
        "; ".join(f"{name}: {text}" for name, text in note.extras.items()),
        note.arquivo,
    )
