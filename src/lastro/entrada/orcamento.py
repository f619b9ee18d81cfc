"""`orcamento.csv` or `.xlsx`: what each category shall bring or cost in a month, long or one column a month (R18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from lastro.entrada.csv_table import TypedLine, demand_once, find_columns, read_lines
from lastro.entrada.door import ZIP, NotRead, Refusals, RefusedPart
from lastro.entrada.months import choose_months, distrust_days, find_month
from lastro.entrada.subtotals import find_sums
from lastro.entrada.typed_values import (
    Ambiguous,
    NotUnderstood,
    have_three_places,
    parse_places,
    parse_typed_id,
    read_places,
    round_amount,
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
SUBTOTAL: Final = "subtotal"
"""What begins the reason of an amount that only sums up those below its category (Q23)."""
_SUBTOTAL: Final = f"{SUBTOTAL}: é a soma das categorias abaixo e não se soma outra vez"
Key = tuple[str, int, date]
"""Version, category and month of an amount."""


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

    @property
    def key(self) -> Key:
        """What it is the amount of."""
        return self.versao, self.categoria_id, self.mes


@dataclass(frozen=True)
class Budget:
    """What a file says.

    Attributes:
        valores: what holds, by version, category and month.
        recusados: what does not (`Refusals`).
        rejeitados: how many amounts that are, without subtotals.
        subtotais: how many of them only sum up those below their category.
        ignoradas: headers of columns that say nothing here.
        arredondados: how many of `valores` were rounded to the centavo.
    """

    valores: tuple[BudgetAmount, ...] = ()
    recusados: tuple[RefusedPart, ...] = ()
    rejeitados: int = 0
    subtotais: int = 0
    ignoradas: tuple[str, ...] = ()
    arredondados: int = 0


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
    sinal: str = AUTO,
    until: date = date.max,
) -> Budget:
    """Read the file: amounts as typed, then signed by `orcamento_sinal`; of one key the first stays (R18).

    An amount of more places is rounded half up to the centavo. One that equals the sum of the budgets below its
    category is their subtotal and no budget.

    Args:
        content: the file; its bytes tell whether it is text or a workbook, whose first sheet counts.
        categorias: the company's categories, id -> category.
        excluidas: categories that were deleted, id -> last known path.
        sinal: `orcamento_sinal`.
        until: the last day that a month may have.

    Raises:
        NotRead: when it has no such columns, a header twice, a column that may be a month and is not understood, or
            expenses with and without a sign.
    """
    sheet = _read_sheet(content) if content.startswith(ZIP) else _read_text(content)
    names = sheet.names
    if not {"categoria_id", "categoria"} & {*names}:
        raise NotRead("falta a coluna categoria_id, ou categoria, no cabeçalho")
    months, distrust = _find_months(sheet, until)
    if not months and not {"mes", "valor"} <= {*names}:
        raise NotRead("faltam as colunas mes e valor, ou uma coluna por mês, no cabeçalho")
    places = [names.index(name) for name in months] or [0]
    nameless = [place for place, name in enumerate(names) if not name and min(places) < place < max(places)]
    reading = _Reading(_Names(categorias, excluidas), months, until, distrust, nameless)
    reading.three = have_three_places(
        typed for line in sheet.lines() for typed in _list_typed(line, months) if isinstance(typed, str)
    )
    for line in sheet.lines():
        reading.read(line)
    signed = {one.key: one for one in _sign([*reading.held.values()], categorias, sinal)}
    rejected, sums = reading.refused.quantas, find_subtotals(signed.values(), categorias)
    for key in sums:
        del signed[key]
        line = reading.held[key][1]
        reading.refused.add(_SUBTOTAL, line.number, line.text)
    rounded = {key: replace(signed[key], valor=round_amount(signed[key].valor)) for key in sorted(signed)}
    return Budget(
        tuple(rounded.values()),
        reading.refused.list_parts(),
        rejected,
        len(sums),
        tuple(sheet.headers[name] for name in names if name and name not in _KNOWN and name not in months),
        sum(one.valor != signed[key].valor for key, one in rounded.items()),
    )


@dataclass(frozen=True)
class _Sheet:
    """A budget as cells.

    Attributes:
        names: its columns in order, folded.
        headers: column -> what stands in the header, a text or a day.
        lines: gives its rows, each time from the first.
        delimiter: what delimits its cells; none in a workbook.
    """

    names: Sequence[str]
    headers: Mapping[str, Any]
    lines: Callable[[], Iterable[TypedLine]]
    delimiter: str = ""


def _find_months(sheet: _Sheet, until: date) -> tuple[dict[str, date], str]:
    """Find the columns of months, and why no slashed day of the file counts."""
    long = {"mes", "valor"} <= {*sheet.names}
    texts = [header for header in sheet.headers.values() if isinstance(header, str)]
    days = (_show(line.cells.get("mes")) for line in sheet.lines()) if long else texts
    others = [name for name in sheet.names if name and name not in _KNOWN]
    amounts = (str(line.cells.get(name) or "") for line in sheet.lines() for name in (["valor"] if long else others))
    distrust = distrust_days(days, amounts, sheet.delimiter)
    if long and not any(find_month(sheet.headers[name], until=until, distrust=distrust) for name in others):
        return {}, distrust
    return choose_months(sheet.names, sheet.headers, _KNOWN, until=until, distrust=distrust), distrust


@dataclass
class _Reading:
    """What is made of the rows, one after another.

    Attributes:
        names: the categories.
        months: columns that are months; none in a file with one month a row.
        until: the last day that a month may have.
        distrust: why no slashed day counts; empty where they do.
        nameless: places of columns without a name among months.
        three: the file's amounts have three places.
        held: version, category and month -> the amount with all its places, unsigned as it may be, and its row.
        refused: what does not count.
    """

    names: _Names
    months: Mapping[str, date]
    until: date
    distrust: str
    nameless: Sequence[int] = ()
    three: bool = False
    held: dict[Key, tuple[BudgetAmount, TypedLine]] = field(default_factory=dict)
    refused: Refusals = field(default_factory=Refusals)

    def read(self, line: TypedLine) -> None:
        """Read the amounts of a row, each for itself."""
        for month, typed in self._list_amounts(line):
            try:
                amount = self._read_amount(line, month, typed)
                if amount.key in self.held:
                    raise NotUnderstood("linha repetida")
                self.held[amount.key] = amount, line
            except NotUnderstood as error:
                self.refused.add(str(error), line.number, line.text, self._number_of(typed))

    def _list_amounts(self, line: TypedLine) -> Iterator[tuple[date | None, Any]]:
        """List the amounts of a row that are filled in, each with its month; an empty one is no row and no zero."""
        if any(place < len(line.typed) and line.typed[place].strip() for place in self.nameless):
            raise NotRead(f"linha {line.number}: há um valor numa coluna sem nome; dê-lhe um nome ou tire a coluna")
        if self.months:
            yield from ((month, line.cells[name]) for name, month in self.months.items() if _show(line.cells.get(name)))
        elif _show(line.cells.get("valor")):
            yield find_month(_plain(line.cells["mes"]), until=self.until, distrust=self.distrust), line.cells["valor"]

    def _read_amount(self, line: TypedLine, month: date | None, typed: Any) -> BudgetAmount:
        """Read one amount as typed, unsigned as it may be."""
        versao = fold_words(_show(line.cells.get("versao"))) or ORIGINAL
        if versao not in (ORIGINAL, REVISADO):
            raise NotUnderstood("versão desconhecida")
        regime = fold_words(_show(line.cells.get("regime"))) or "competencia"
        if regime != "competencia":
            raise NotUnderstood("regime caixa não lido" if regime == "caixa" else "regime desconhecido")
        if any(_show(line.cells.get(name)) for name in _CENTRES):
            raise NotUnderstood("orçamento por centro não lido")
        categoria_id = self.names.find(line.cells)
        if month is None:
            raise NotUnderstood("mês inválido")
        try:
            return BudgetAmount(versao, categoria_id, month, self._amount_of(typed))
        except Ambiguous:
            raise NotUnderstood("valor ambíguo") from None
        except NotUnderstood:
            raise NotUnderstood("valor inválido") from None

    def _amount_of(self, typed: Any) -> Decimal:
        """Read a cell with all its places (S18): a text by its form, a number as stored; nothing else is one."""
        if not isinstance(typed, str) and (isinstance(typed, bool) or not isinstance(typed, int | float | Decimal)):
            raise NotUnderstood("o valor: não é um número")
        number = parse_places(typed, three=self.three) if isinstance(typed, str) else read_places(typed)
        round_amount(number)  # its bound
        return number

    def _number_of(self, typed: Any) -> Decimal | None:
        try:
            return round_amount(self._amount_of(typed))
        except NotUnderstood:
            return None


def find_subtotals(amounts: Iterable[BudgetAmount], categorias: Mapping[int, BudgetedCategory]) -> list[Key]:
    """Find the amounts that only sum up what is budgeted below their category in the month: it would count twice.

    Of a version that revises, what it does not revise below the category is as it was.

    Args:
        amounts: signed, with all their places.
        categorias: id -> category.
    """
    months: dict[tuple[str, date], dict[int, Decimal]] = {}
    for one in amounts:
        months.setdefault((one.versao, one.mes), {})[one.categoria_id] = one.valor
    found: list[Key] = []
    for (versao, mes), own in months.items():
        whole = {**months.get((ORIGINAL, mes), {}), **own}
        paths = {key: tuple(_fold_path(categorias[key].caminho).split(PATH_SEPARATOR)) for key in whole}
        found += [(versao, key, mes) for key in find_sums(whole, paths) if key in own]
    return sorted(found)


def _list_typed(line: TypedLine, months: Mapping[str, date]) -> Iterator[Any]:
    """List what is typed where amounts are, empty cells left out."""
    return (line.cells[name] for name in (months or ("valor",)) if _show(line.cells.get(name)))


def _sign(
    rows: Sequence[tuple[BudgetAmount, TypedLine]], categorias: Mapping[int, BudgetedCategory], sinal: str
) -> Iterator[BudgetAmount]:
    """Give expenses their sign; other categories keep what was typed (R18)."""
    costs = [(amount, line.number) for amount, line in rows if categorias[amount.categoria_id].tipo == TIPO_DESPESA]
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


def _read_text(content: bytes) -> _Sheet:
    """Read delimited text."""
    delimiter, names = find_columns(content)
    return _Sheet(names, {name: name for name in names}, lambda: read_lines(content, ()), delimiter)


def _read_sheet(content: bytes) -> _Sheet:
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
    return _Sheet(names, headers, lambda: lines)


def _plain(value: Any) -> Any:
    """Return a day as it is, and any other cell as a person reads it."""
    return value if isinstance(value, date) else _show(value)


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
