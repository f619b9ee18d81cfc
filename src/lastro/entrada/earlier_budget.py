"""A budget of another form than that of `lastro orcamento`, read once to be written as that (R18).

Read are the long list of 0.3.0, `mes` and `valor` a row, and a table with a column a month whose header is a plain one.
Whatever else stands in a file refuses it: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from lastro.entrada.door import NotRead
from lastro.entrada.orcamento import (
    COLUMNS,
    Budget,
    BudgetedCategory,
    BudgetNames,
    TypedAmount,
    demand_category,
    demand_nothing,
    hold_month,
    list_wide,
    read_entries,
    show_value,
)
from lastro.entrada.table import TypedCell, TypedTable, name_cell, open_table
from lastro.folding import fold_words

_CURE: Final = "tire-a, ou escreva o cabeçalho na primeira linha como no formulário"
_NAMES: Final = (
    "janeiro", "fevereiro", "marco", "abril", "maio", "junho",
    "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
)  # fmt: skip
_MONTHS: Final = {word: at for at, name in enumerate(_NAMES, 1) for word in (name, name[:3])}
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})-([0-9]{2})(?:-[0-9]{2}(?:[t ]00:00(?::00)?)?)?")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})/([0-9]{4})")
_NAMED: Final = re.compile(r"([a-z]+)(?:[-/ ]| de )([0-9]{4}|[0-9]{2})")


def convert_budget(content: bytes, categorias: Mapping[int, BudgetedCategory], *, until: date = date.max) -> Budget:
    """Read a budget of another form; a category may be named, and expenses may all have a minus.

    Args:
        content: the file; of a workbook the only sheet that a person sees counts.
        categorias: the company's categories, id -> category.
        until: the last day that a month may have.

    Raises:
        NotRead: naming the first cell that stands in the way (`lastro.entrada.orcamento.read_budget`).
    """
    table = open_table(content, None)
    long = {"mes", "valor"} <= {*table.names}
    entries = _list_rows(table, until) if long else list_wide(table, find_month, until, _CURE)
    return read_entries(entries, BudgetNames(categorias, {}, by_name=True), table.folhas, signed=True)


def find_month(value: Any, until: date) -> date | None:
    """Find the month that a text or a day means: AAAA-MM, MM/AAAA, jan/26, janeiro de 2026, a day of it.

    >>> {find_month(text, date.max).isoformat() for text in ("2026-01", "1/2026", "Jan/26", "janeiro de 2026")}
    {'2026-01-01'}
    """
    if isinstance(value, date):
        return hold_month(value.year, value.month, until)
    text = fold_words(str(value))
    if found := _YEAR_FIRST.fullmatch(text):
        return hold_month(int(found[1]), int(found[2]), until)
    if found := _YEAR_LAST.fullmatch(text):
        return hold_month(int(found[2]), int(found[1]), until)
    if found := _NAMED.fullmatch(text):
        year = int(found[2])
        return hold_month(year if year > 99 else 2000 + year, _MONTHS.get(found[1], 0), until)
    return None


def _list_rows(table: TypedTable, until: date) -> Iterator[TypedAmount]:
    """List the amounts of a table with a month a row."""
    known = (*COLUMNS, "mes", "valor")
    strange = next((at for at, name in enumerate(table.names) if name and name not in known), None)
    if strange is not None:
        raise NotRead(f"{name_cell(1, strange)}: «{table.names[strange][:60]}» não é uma coluna de orçamento; {_CURE}")
    demand_category(table, _CURE)
    amount = table.names.index("valor")
    for line, cells, text in table.rows:
        for at, cell in enumerate(cells):
            if at >= len(table.names) or not table.names[at]:
                demand_nothing(cell, name_cell(line, at))
        row = {name: cell.value for name, cell in zip(table.names, cells, strict=False) if name}
        cell = cells[amount] if amount < len(cells) else TypedCell(None)
        if show_value(cell.value) or cell.trouble:
            yield TypedAmount(name_cell(line, amount), line, text, row, find_month(row.get("mes"), until), cell)
