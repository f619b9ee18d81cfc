"""Runs the checks: counts what each compared, keeps what differs, and says what that came to (S15).

A check changes nothing. One that names a table which is not there compares nothing by it, and answers "não se aplica"
where it compared nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from lastro.errors import MAX_KEYS
from lastro.grid.verdict import FALHOU, NAO_SE_APLICA, OK, Amount, Verification
from lastro.grid.workbook import tables_of
from lastro.money import format_amount, format_brl
from lastro.quality.queries import TOTAL, About, Query, ask_differences, read_prelude, read_queries

if TYPE_CHECKING:
    from lastro.grid.workbook import Report
    from lastro.transform.position import Position
    from lastro.warehouse.file.check_room import CheckRoom, Relation
    from lastro.warehouse.file.store import Warehouse

PrivateFile: TypeAlias = "Warehouse"
"""Where the records of a run stand."""
ReceivedViews: TypeAlias = "Mapping[str, Relation]"
"""What the views of the prelude that rest on what was received came to (`warehouse.file.check_room.read_received`)."""
_AMOUNT: Final = re.compile(r"\{(-?\d+\.\d\d)\}")
Row: TypeAlias = "Mapping[str, Amount]"
"""A row that a SELECT compares whole: its fields by name."""
_TYPED: Final = ("descricao", "documento")
"""Fields that say what people typed."""
_SHOWN: Final = 3
"""Differences that a result tells with their amounts."""


@dataclass(frozen=True)
class _Told:
    """Headline and texts of a check; `informs` are texts of the keys `known`, used only when nothing differs."""

    headline: tuple[Amount, Amount]
    texts: Mapping[str, str | None]
    informs: Mapping[str, str | None]
    known: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """One key whose found value is not the expected one."""

    chave: str
    esperado: Amount
    encontrado: Amount


class Tally:
    """Comparisons of one check; exact, tolerance 0.00."""

    def __init__(self) -> None:
        self.count = 0
        self.differences: list[Difference] = []

    def compare(self, chave: str, esperado: Amount | Row, encontrado: Amount | Row, times: int = 1) -> None:
        """Compare two values or rows, which stand for several comparisons where they do; None equals only None."""
        self.count += times
        if isinstance(esperado, dict) and isinstance(encontrado, dict):
            esperado, encontrado = tell_fields(esperado, encontrado)
        if esperado != encontrado:
            self.differences.append(Difference(chave, cast("Amount", esperado), cast("Amount", encontrado)))

    def close(self, query: Query, esperado: Amount, encontrado: Amount, detalhe: str) -> Verification:
        """Say what the comparisons came to.

        Args:
            esperado: headline; when the check fails and the headline agrees, the first difference stands instead.
            detalhe: what to say besides the comparisons.

        Returns:
            "não se aplica" when nothing could be compared.
        """
        if not self.count:
            return Verification(query.id, query.titulo, query.severidade, NAO_SE_APLICA, detalhe=detalhe)
        first = self.differences[0] if self.differences else None
        if first is not None and esperado == encontrado and first.esperado != first.encontrado:
            esperado, encontrado = first.esperado, first.encontrado
        diferenca = None
        if isinstance(esperado, Decimal) and isinstance(encontrado, Decimal):
            diferenca = encontrado - esperado
        keys = tuple(dict.fromkeys(difference.chave for difference in self.differences))
        parts = [detalhe, f"{self.count} comparações" if self.count != 1 else "1 comparação"]
        parts += [
            f"{d.chave}: esperado {_write_amount(d.esperado)}, encontrado {_write_amount(d.encontrado)}"
            if d.esperado is not None or isinstance(d.encontrado, Decimal | int)
            else f"{d.chave}: {d.encontrado}"
            for d in self.differences[:_SHOWN]
        ]
        return Verification(
            query.id,
            query.titulo,
            query.severidade,
            situacao=FALHOU if self.differences else OK,
            esperado=esperado,
            encontrado=encontrado,
            diferenca=diferenca,
            registros=len(keys),
            chaves=keys[:MAX_KEYS],
            detalhe="; ".join(part for part in parts if part),
            peso=query.peso,
        )


def tell_fields(expected: Row, found: Row) -> tuple[str, str]:
    """Write of two rows the fields in which they differ; of a text that people typed only that it does.

    >>> tell_fields({"multa": 2, "descricao": "Aluguel"}, {"multa": 3, "descricao": "Luz"})
    ('multa 2 · descricao dos registros', 'multa 3 · descricao outra')
    >>> tell_fields({"titulo_id": 7, "valor": 2}, {"titulo_id": None, "valor": None})
    ('valor 2', 'nenhuma linha')
    """
    lacks = [all(value is None for value in row.values()) for row in (expected, found)]
    names = [name for name, value in expected.items() if found[name] != value and (not any(lacks) or name == "valor")]
    written = [
        "nenhuma linha"
        if lack
        else " · ".join(f"{name} {hidden if name in _TYPED else _write_amount(row[name])}" for name in names)
        for row, lack, hidden in zip((expected, found), lacks, ("dos registros", "outra"), strict=True)
    ]
    return written[0] or "uma linha", written[1] or "uma linha"


def _write_amount(value: Amount) -> str:
    if value is None:
        return "indefinido"
    return format_amount(value) if isinstance(value, Decimal) else str(value)


def open_room(
    position: Position,
    received: ReceivedViews = MappingProxyType({}),
    reports: Iterable[Report] = (),
    file: PrivateFile | None = None,
) -> CheckRoom:
    """Lay out what is judged: a position, what was received, and the tables of reports (`CheckRoom.show` takes others).

    Args:
        position: the position as of D; not mutated.
        received: what was received; a check whose view is not there does not apply.
        file: the private file, where its records are those of the position (`CheckRoom`).
    """
    # The rules are named where nothing is judged, and DuckDB takes a while to load.
    from lastro.warehouse.file.check_room import CheckRoom

    room = CheckRoom(position, read_prelude(), received, None if file is None else file.con)
    room.show(tables_of(reports))
    return room


def run_checks(room: CheckRoom, about: Container[About], opcoes: Iterable[str]) -> list[Verification]:
    """Run the checks of what is asked, in order, with those of rooms that take part."""
    return [run_query(query, room) for query in read_queries(*opcoes).values() if query.about in about]


def run_query(query: Query, room: CheckRoom) -> Verification:
    """Run a check over what a room holds.

    A SELECT that names a table which the reports do not have compares nothing.

    Args:
        room: the records and the reports' tables.
    """
    tally = Tally()
    told = _compare(query, room, tally)
    expected, actual = told.headline
    if expected != actual and not tally.differences:
        tally.compare(TOTAL, expected, actual)
    detail = told.texts.get("detalhe") or ("" if tally.count else query.fatos.get("Sem comparações", ""))
    outcome = tally.close(query, expected, actual, detail)
    if told.known and not outcome.failed:
        outcome = replace(outcome, registros=len(told.known), chaves=told.known[:MAX_KEYS])
        told = replace(told, texts=told.informs)
    return replace(
        outcome,
        situacao=told.texts.get("situacao") or outcome.situacao,
        severidade=told.texts.get("severidade") or outcome.severidade,
        resumo=told.texts.get("resumo") or outcome.resumo,
    )


def write_reais(text: str | None) -> str | None:
    """Write the amounts of a text that stand in braces as Brazilians read them."""
    return None if text is None else _AMOUNT.sub(lambda match: format_brl(Decimal(match[1])), text)


def _compare(query: Query, room: CheckRoom, tally: Tally) -> _Told:
    headline: tuple[Amount, Amount] = (None, None)
    questions = [ask_differences(select) for select in query.selects]
    # In one go: a question of its own takes longer than most of the answers.
    for answer in room.ask_each([question for question in questions if question is not None]):
        tally.count += answer["iguais"]
        for row in answer["outras"] or ():
            if row["chave"] == TOTAL:
                headline = (row["esperado"], row["encontrado"])
            else:
                tally.compare(*row.values())
    texts: dict[str, str | None] = {}
    informs: dict[str, str | None] = {}
    known: list[str] = []
    for select in (select for select, question in zip(query.selects, questions, strict=True) if question is None):
        names, rows = room.ask(select) or ([], [])
        for row in rows:
            said = {name: write_reais(value) for name, value in zip(names, row, strict=True)}
            chave = said.pop("chave", None)
            if chave is None:
                texts |= said
            else:
                known.append(chave)
                informs |= said
    return _Told(headline, texts, informs, tuple(known))
