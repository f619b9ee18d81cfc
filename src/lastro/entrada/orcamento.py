"""`orcamento.csv` or `.xlsx`: what each category shall bring or cost in a month, long or one column a month (R18)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from lastro.entrada.csv_table import TypedLine, demand_once, find_columns, read_lines
from lastro.entrada.door import NotRead, Refusals, RefusedPart
from lastro.entrada.typed_values import (
    Ambiguous,
    NotUnderstood,
    parse_amount,
    parse_day,
    parse_typed_id,
    read_number,
    write_number,
)
from lastro.entrada.workbook import read_workbook
from lastro.folding import fold_words
from lastro.schema.values import ORIGINAL, PATH_SEPARATOR, REVISADO, TIPO_DESPESA

BUDGET_CSV, BUDGET_XLSX = "orcamento.csv", "orcamento.xlsx"
AUTO, MODULO = "auto", "modulo"
"""How the file signs expenses (`orcamento_sinal`); the third way, "com_sinal", takes each amount as it stands."""
_CENTRES: Final = ("centro", "centro_custo_id")
_KNOWN: Final = ("categoria_id", "categoria", "versao", "regime", "mes", "valor", *_CENTRES)
_MONTHS: Final = (
    "janeiro", "fevereiro", "marco", "abril", "maio", "junho",
    "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
)  # fmt: skip
_MONTH_OF: Final = {word: month for month, name in enumerate(_MONTHS, 1) for word in (name, name[:3])}
_ISO: Final = re.compile(r"([0-9]{4})-([0-9]{1,2})")
_SLASHED: Final = re.compile(r"([0-9]{1,2})/([0-9]{4})")
_NAMED: Final = re.compile(r"([a-z]+)[/ -]([0-9]{4}|[0-9]{2})")


@dataclass(frozen=True)
class BudgetedCategory:
    """A category as a budget may name it: its path (`PATH_SEPARATOR`) and its tipo (`TIPO_DESPESA`)."""

    caminho: str
    tipo: int | None


@dataclass(frozen=True)
class BudgetAmount:
    """The budget of a category in a month: signed R$, expenses negative."""

    versao: str
    categoria_id: int
    mes: date
    valor: Decimal


@dataclass(frozen=True)
class Budget:
    """What a file says.

    Attributes:
        valores: what holds, by version, category and month.
        recusados: what does not (`Refusals`).
        rejeitados: how many amounts that are.
        ignoradas: headers of columns that say nothing here.
    """

    valores: tuple[BudgetAmount, ...] = ()
    recusados: tuple[RefusedPart, ...] = ()
    rejeitados: int = 0
    ignoradas: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Names:
    """The categories by every way of naming one.

    Attributes:
        known: id -> category.
        gone: id -> last known path of one that was deleted.
    """

    known: Mapping[int, BudgetedCategory]
    gone: Mapping[int, str]

    @cached_property
    def ids(self) -> Mapping[str, set[int]]:
        """Folded path or name -> the ids that have it."""
        ids: dict[str, set[int]] = {}
        for categoria_id, categoria in self.known.items():
            for text in {categoria.caminho, categoria.caminho.split(PATH_SEPARATOR)[-1]}:
                ids.setdefault(_fold_path(text), set()).add(categoria_id)
        return ids

    def find(self, cells: Mapping[str, Any]) -> int:
        """Find the category of a row by its id, else by its path or a name that only one has."""
        id_text, text = _show(cells.get("categoria_id")), _show(cells.get("categoria"))
        if id_text:
            categoria_id = parse_typed_id(id_text)
            if categoria_id is not None and categoria_id in self.known:
                return categoria_id
            if categoria_id is not None and categoria_id in self.gone:
                raise NotUnderstood(f"categoria excluída: era {self.gone[categoria_id]}")
            raise NotUnderstood("categoria desconhecida")
        named = sorted(self.ids.get(_fold_path(text), ()))
        if len(named) > 1:
            raise NotUnderstood(f"categoria desconhecida: {len(named)} têm este nome; escreva o id ou o caminho")
        if not named:
            raise NotUnderstood("categoria desconhecida")
        return named[0]


def read_budget(
    content: bytes,
    categorias: Mapping[int, BudgetedCategory],
    excluidas: Mapping[int, str],
    *,
    planilha: bool,
    sinal: str = AUTO,
) -> Budget:
    """Read the file: amounts as typed, then signed by `orcamento_sinal`; of one key the first stays (R18).

    Args:
        content: the file.
        categorias: the company's categories, id -> category.
        excluidas: categories that were deleted, id -> last known path.
        planilha: it is an .xlsx, whose first sheet counts.
        sinal: `orcamento_sinal`.

    Raises:
        NotRead: when it has no such columns, a header twice, or expenses with and without a sign.
    """
    names, headers, lines = _read_sheet(content) if planilha else _read_text(content)
    if not {"categoria_id", "categoria"} & {*names}:
        raise NotRead("falta a coluna categoria_id, ou categoria, no cabeçalho")
    months = {name: month for name in names if name not in _KNOWN and (month := find_month(headers[name])) is not None}
    if not months and not {"mes", "valor"} <= {*names}:
        raise NotRead("faltam as colunas mes e valor, ou uma coluna por mês, no cabeçalho")
    told = _Names(categorias, excluidas)
    held: dict[tuple[str, int, date], tuple[BudgetAmount, int]] = {}
    refused = Refusals()
    for line in lines:
        for month, typed in _list_amounts(line, months):
            try:
                amount = _read_amount(line, month, typed, told)
                key = amount.versao, amount.categoria_id, amount.mes
                if key in held:
                    raise NotUnderstood("linha repetida")
                held[key] = amount, line.number
            except NotUnderstood as error:
                refused.add(str(error), line.number, line.text, _number_of(typed))
    signed = _sign([*held.values()], categorias, sinal)
    ignored = tuple(headers[name] for name in names if name and name not in _KNOWN and name not in months)
    return Budget(tuple(sorted(signed, key=_order)), refused.list_parts(), refused.quantas, ignored)


def _order(amount: BudgetAmount) -> tuple[str, int, date]:
    return amount.versao, amount.categoria_id, amount.mes


def find_month(value: Any) -> date | None:
    """Find the month that a text means, as its first day: AAAA-MM, MM/AAAA, jan/26, janeiro 26, a day of it (R18).

    >>> [find_month(text).isoformat() for text in ("2026-01", "01/2026", "Jan/26", "15/01/2026", "janeiro 2026")]
    ['2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01']
    """
    if isinstance(value, date):
        return date(value.year, value.month, 1)
    text = fold_words(_show(value))
    if found := _ISO.fullmatch(text):
        return _first_day(int(found[1]), int(found[2]))
    if found := _SLASHED.fullmatch(text):
        return _first_day(int(found[2]), int(found[1]))
    if (found := _NAMED.fullmatch(text)) and found[1] in _MONTH_OF:
        return _first_day(int(found[2]) + (2000 if len(found[2]) == 2 else 0), _MONTH_OF[found[1]])
    try:
        return parse_day(text).replace(day=1)
    except NotUnderstood:
        return None


def _first_day(year: int, month: int) -> date | None:
    return date(year, month, 1) if year and 1 <= month <= 12 else None


def _list_amounts(line: TypedLine, months: Mapping[str, date]) -> Iterator[tuple[date | None, Any]]:
    """List the amounts of a row that are filled in, each with its month; an empty one is no row and no zero."""
    if months:
        yield from ((month, line.cells[name]) for name, month in months.items() if _show(line.cells.get(name)))
    elif _show(line.cells.get("valor")):
        yield find_month(line.cells["mes"]), line.cells["valor"]


def _read_amount(line: TypedLine, month: date | None, typed: Any, names: _Names) -> BudgetAmount:
    """Read one amount as typed, unsigned as it may be."""
    versao = fold_words(_show(line.cells.get("versao"))) or ORIGINAL
    if versao not in (ORIGINAL, REVISADO):
        raise NotUnderstood("versão desconhecida")
    regime = fold_words(_show(line.cells.get("regime"))) or "competencia"
    if regime != "competencia":
        raise NotUnderstood("regime caixa não lido" if regime == "caixa" else "regime desconhecido")
    if any(_show(line.cells.get(name)) for name in _CENTRES):
        raise NotUnderstood("orçamento por centro não lido")
    categoria_id = names.find(line.cells)
    if month is None:
        raise NotUnderstood("mês inválido")
    try:
        return BudgetAmount(versao, categoria_id, month, _amount_of(typed))
    except Ambiguous:
        raise NotUnderstood("valor ambíguo") from None
    except NotUnderstood:
        raise NotUnderstood("valor inválido") from None


def _amount_of(typed: Any) -> Decimal:
    """Read a cell as an amount (S18): a text by its form, a number as stored; nothing else is one."""
    if isinstance(typed, str):
        return parse_amount(typed)
    if isinstance(typed, bool) or not isinstance(typed, int | float | Decimal):
        raise NotUnderstood("o valor: não é um número")
    return read_number(typed)


def _number_of(typed: Any) -> Decimal | None:
    try:
        return _amount_of(typed)
    except NotUnderstood:
        return None


def _sign(
    held: Iterable[tuple[BudgetAmount, int]], categorias: Mapping[int, BudgetedCategory], sinal: str
) -> Iterator[BudgetAmount]:
    """Give expenses their sign; other categories keep what was typed (R18)."""
    rows = [*held]
    costs = [
        (amount, line_number) for amount, line_number in rows if categorias[amount.categoria_id].tipo == TIPO_DESPESA
    ]
    minus = [line_number for amount, line_number in costs if amount.valor < 0]
    plus = [line_number for amount, line_number in costs if amount.valor > 0]
    if sinal == AUTO and minus and plus:
        raise NotRead(
            f"há despesas com sinal (linha {min(minus)}) e sem sinal (linha {min(plus)}): use um só modo, ou diga qual "
            "em orcamento_sinal"
        )
    turned = sinal == MODULO or (sinal == AUTO and not minus)
    for amount, _ in rows:
        cost = categorias[amount.categoria_id].tipo == TIPO_DESPESA
        yield replace(amount, valor=-abs(amount.valor) or Decimal("0.00")) if cost and turned else amount


def _read_text(content: bytes) -> tuple[list[str], dict[str, str], Iterable[TypedLine]]:
    """Read delimited text: its columns folded, each with its header, and its rows."""
    _, names = find_columns(content)
    return names, {name: name for name in names}, read_lines(content, ())


def _read_sheet(content: bytes) -> tuple[list[str], dict[str, Any], list[TypedLine]]:
    """Read the first sheet of a workbook as its cells are stored; a formula without a stored result is no amount."""
    first, *_ = [*read_workbook(content).rows.values()] or [[]]
    head, *rows = first or [()]
    names = [fold_words(_show(cell)) for cell in head]
    demand_once(names)
    headers = {name: cell if isinstance(cell, date) else _show(cell) for name, cell in zip(names, head, strict=True)}
    lines = []
    for line_number, row in enumerate(rows, 2):
        if any(_show(cell) for cell in row):
            cells = dict(zip(names, (*row, *[None] * (len(names) - len(row))), strict=False))
            lines.append(TypedLine(line_number, cells, [*map(_show, row)]))
    return names, headers, lines


def _show(value: Any) -> str:
    """Write a cell as a person reads it; an empty one is the empty text."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value)
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, int | float | Decimal):
        return write_number(value)
    return value.isoformat() if isinstance(value, date) else str(value).strip()


def _fold_path(text: str) -> str:
    return PATH_SEPARATOR.join(fold_words(part) for part in text.split(PATH_SEPARATOR.strip()))
