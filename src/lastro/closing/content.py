"""The content of a closing, shared by its sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from lastro.closing.figures import ClosedMonth, MonthSpan, list_spans
from lastro.grid.cells import Kind
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column
from lastro.grid.verdict import Finding
from lastro.grid.words import month_label


@dataclass(frozen=True)
class Change:
    """What the first edition said of a line, and what this one says; R$."""

    linha: str
    antes: Decimal
    agora: Decimal


@dataclass(frozen=True)
class Closing:
    """Everything that the file says.

    Attributes:
        month: the figures, over the view of F.
        edicao: its number.
        comentario: the lines of the comment, each with whether it is a heading; empty without one.
        passos: the section "Próximos passos" of the month before.
        mudancas: what changed since the first edition.
        lancamentos: the entries behind it: id, text, amount then and now.
        achados: findings of the run that touch the month, with how many of its entries.
    """

    month: ClosedMonth
    edicao: int
    comentario: tuple[tuple[str, bool], ...] = ()
    passos: tuple[str, ...] = ()
    mudancas: tuple[Change, ...] = ()
    lancamentos: tuple[tuple[int, str, Decimal | None, Decimal | None], ...] = ()
    achados: tuple[tuple[Finding, int], ...] = ()

    @cached_property
    def spans(self) -> Mapping[str, MonthSpan]:
        """What the closing of the month shows (`list_spans`)."""
        return list_spans(self.month.mes)

    @property
    def label(self) -> str:
        """The month as headers name it."""
        return month_label(self.month.mes)

    def title(self, sheet: str) -> str:
        """Head a sheet: every one names the month and the edition."""
        return f"Fechamento {self.label} · {self.edicao}ª edição · {sheet}"


LABEL, TEXT, WIDE = 52, 84, 26
"""Widths of what begins a row, of a sentence, and of amounts where there are few: title and stamp need the room."""


def money_column(header: str, key: str, width: int | None = None) -> Column:
    """Make a column of amounts without R$."""
    return Column(header, Kind.MONEY, dense=True, key=key, width=width)


def build_texts(name: str, title: str, lines: Sequence[str]) -> Section:
    """Make a table of sentences."""
    columns = (Column("Texto", Kind.TEXT, width=TEXT),)
    return Section(name, columns, tuple(Row((text,)) for text in lines), title=title)
