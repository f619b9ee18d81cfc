"""`orcamento.xlsx` or `.csv`, the form that `lastro orcamento` writes: what each category shall bring or cost (R18).

Belongs here: what the cells of a budget mean. Does not belong here: the cells themselves (`lastro.entrada.table`) and
budgets of another form (`lastro.entrada.earlier_budget`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, NamedTuple

from lastro.entrada.door import NotRead, Refusals, RefusedPart
from lastro.entrada.table import TypedCell, TypedTable, name_cell, open_table
from lastro.entrada.typed_values import (
    FIRST_DAY,
    Ambiguous,
    NotUnderstood,
    parse_places,
    parse_typed_id,
    read_places,
    round_amount,
    write_number,
)
from lastro.folding import fold_words
from lastro.schema.values import ORIGINAL, PATH_SEPARATOR, REVISADO, TIPO_DESPESA

BUDGET_CSV, BUDGET_XLSX = "orcamento.csv", "orcamento.xlsx"
SHEET: Final = "Orçamento"
COLUMNS: Final = ("categoria_id", "categoria", "versao", "regime")
"""The form: its sheet, and its columns before the months."""
_MONTH: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_CURE: Final = "lastro orcamento escreve o formulário, e com --de ARQUIVO passa para ele um orçamento de outra forma"
_HALF_CENTAVO: Final = Decimal("0.005")
FindMonth = Callable[[Any, date], date | None]
"""Makes of a header, and the last day that it may be, the first day of its month; of anything else None."""


@dataclass(frozen=True)
class BudgetedCategory:
    """A category as a budget may name it: its path (`PATH_SEPARATOR`) and its tipo (`TIPO_DESPESA`)."""

    caminho: str
    tipo: int | None


class BudgetCell(NamedTuple):
    """What an amount is the budget of: version, category and month, its first day."""

    versao: str
    categoria_id: int
    mes: date


@dataclass(frozen=True)
class Budget:
    """What a file says.

    Attributes:
        valores: what holds, in order of its keys: signed R$, expenses negative.
        recusados: what does not (`Refusals`).
        rejeitados: how many amounts that are.
        arredondados: how many of `valores` were rounded to the centavo.
        folhas: the sheet that was read, then those that were not; none of a text.
    """

    valores: Mapping[BudgetCell, Decimal]
    recusados: tuple[RefusedPart, ...] = ()
    rejeitados: int = 0
    arredondados: int = 0
    folhas: tuple[str, ...] = ()


@dataclass(frozen=True)
class BudgetNames:
    """The categories of a company.

    Attributes:
        known: id -> category.
        gone: id -> last known path of one that was deleted.
        by_name: a row without an id means the category that its name or path says.
    """

    known: Mapping[int, BudgetedCategory]
    gone: Mapping[int, str]
    by_name: bool = False

    @cached_property
    def _ids(self) -> Mapping[str, set[int]]:
        """Folded path or name -> the ids that have it."""
        ids: dict[str, set[int]] = {}
        for categoria_id, categoria in self.known.items():
            for text in {categoria.caminho, categoria.caminho.split(PATH_SEPARATOR)[-1]}:
                ids.setdefault(_fold_path(text), set()).add(categoria_id)
        return ids

    def find(self, row: Mapping[str, Any]) -> int:
        """Find the category of a row.

        Raises:
            NotUnderstood: when there is none, or its id and its name are those of two.
        """
        id_text, text = show_value(row.get("categoria_id")), show_value(row.get("categoria"))
        named = self._ids.get(_fold_path(text), set())
        if not id_text and self.by_name and len(named) == 1:
            return next(iter(named))
        if not id_text and self.by_name and named:
            raise NotUnderstood(f"categoria desconhecida: {len(named)} têm este nome; escreva o id ou o caminho")
        if not id_text:
            raise NotUnderstood("categoria desconhecida" if self.by_name else "falta o categoria_id")
        categoria_id = parse_typed_id(id_text)
        if categoria_id is None or categoria_id not in self.known:
            was = None if categoria_id is None else self.gone.get(categoria_id)
            raise NotUnderstood("categoria desconhecida" if was is None else f"categoria excluída: era {was}")
        if named and categoria_id not in named:
            raise NotUnderstood("categoria_id e categoria são de duas categorias")
        return categoria_id


class TypedAmount(NamedTuple):
    """An amount that is filled in.

    Attributes:
        place: its cell, as A1.
        line: the row of the file, and `text` as it stands there.
        row: column -> what stands there.
        mes: its month; None where that was not understood.
        cell: the amount itself.
    """

    place: str
    line: int
    text: str
    row: Mapping[str, Any]
    mes: date | None
    cell: TypedCell


def read_budget(
    content: bytes, categorias: Mapping[int, BudgetedCategory], excluidas: Mapping[int, str], *, until: date = date.max
) -> Budget:
    """Read the form; of one key the first amount stays, and one of more places is rounded half up (R18).

    Args:
        content: the file; its bytes tell whether it is text or a workbook.
        categorias: the company's categories, id -> category.
        excluidas: categories that were deleted, id -> last known path.
        until: the last day that a month may have.

    Raises:
        NotRead: naming the first cell that is not as the form has it: another column or sheet, an amount that is
            hidden, merged, a percentage or a formula without a result, an expense with a sign, a typed subtotal.
    """
    table = open_table(content, SHEET)
    return read_entries(list_wide(table, read_month, until), BudgetNames(categorias, excluidas), table.folhas)


def read_month(value: Any, until: date) -> date | None:
    """Read the header of a month: `2026-01`, or its first day where a spreadsheet made one of that.

    >>> read_month("2026-01", date.max), read_month("jan/26", date.max), read_month(date(2026, 1, 2), date.max)
    (datetime.date(2026, 1, 1), None, None)
    """
    if isinstance(value, date):
        day = date(value.year, value.month, value.day)
        return hold_month(day.year, day.month, until) if day.day == 1 else None
    found = _MONTH.fullmatch(str(value))
    return hold_month(int(found[1]), int(found[2]), until) if found else None


def hold_month(year: int, month: int, until: date) -> date | None:
    """Make a month of a year; None where it is none, or lies where nobody budgets."""
    return date(year, month, 1) if 1 <= month <= 12 and FIRST_DAY.year <= year <= until.year else None


def list_wide(table: TypedTable, find_month: FindMonth, until: date, cure: str = _CURE) -> Iterator[TypedAmount]:
    """List the amounts of a table with a column a month; an empty one is none, and no zero.

    Raises:
        NotRead: when a column is neither one of the form nor a month, or stands twice.
    """
    months = _find_months(table, find_month, until, cure)
    demand_category(table, cure)
    if not months:
        raise NotRead(f"{name_cell(1, 0)}: não há nenhuma coluna de mês, como 2026-01; {cure}")
    for line, cells, text in table.rows:
        row = {name: cell.value for name, cell in zip(table.names, cells, strict=False) if name}
        for at, cell in enumerate(cells):
            if at in months and (show_value(cell.value) or cell.trouble):
                yield TypedAmount(name_cell(line, at), line, text, row, months[at], cell)
            elif at >= len(table.names) or not table.names[at]:
                demand_nothing(cell, name_cell(line, at))


def _find_months(table: TypedTable, find_month: FindMonth, until: date, cure: str) -> dict[int, date]:
    """Find which columns are months; place -> month."""
    months: dict[int, date] = {}
    for at, (name, head) in enumerate(zip(table.names, table.head, strict=True)):
        if head.trouble and head.value is None:
            raise NotRead(f"{name_cell(1, at)}: {head.trouble}")
        if name in COLUMNS or not name:
            continue
        month = find_month(head.value, until)
        if month is None:
            raise NotRead(
                f"{name_cell(1, at)}: «{show_value(head.value)[:60]}» não é uma coluna do formulário nem um mês como "
                f"2026-01; {cure}"
            )
        if month in months.values():
            raise NotRead(f"{name_cell(1, at)}: {month:%Y-%m} está duas vezes no cabeçalho")
        months[at] = month
    return months


def demand_category(table: TypedTable, cure: str) -> None:
    """Demand a column that names the category.

    Raises:
        NotRead: when there is none.
    """
    if not {*COLUMNS[:2]} & {*table.names}:
        raise NotRead(f"{name_cell(1, 0)}: falta no cabeçalho a coluna categoria_id; {cure}")


def demand_nothing(cell: TypedCell, place: str) -> None:
    """Demand that nothing stands in a column without a header.

    Raises:
        NotRead: naming the cell.
    """
    if show_value(cell.value) or cell.trouble:
        raise NotRead(f"{place}: há algo numa coluna sem nome; apague-o")


def read_entries(
    entries: Iterable[TypedAmount], names: BudgetNames, folhas: tuple[str, ...] = (), *, signed: bool = False
) -> Budget:
    """Read amounts one by one; what is not understood of one costs the others nothing.

    Args:
        entries: the amounts as typed.
        folhas: the sheet that was read, then the others.
        signed: expenses may all have a minus, which is taken away; otherwise none may.

    Raises:
        NotRead: as `read_budget`.
    """
    held: dict[BudgetCell, Decimal] = {}
    places: dict[BudgetCell, str] = {}
    refused = Refusals()
    for entry in entries:
        if entry.cell.trouble:
            raise NotRead(f"{entry.place}: {entry.cell.trouble}")
        try:
            key, amount = _read_amount(entry, names)
            if key in held:
                raise NotUnderstood("linha repetida")
            held[key], places[key] = amount, entry.place
        except NotUnderstood as error:
            refused.add(str(error), entry.line, entry.text, _find_number(entry.cell.value))
    costs = [key for key in held if names.known[key.categoria_id].tipo == TIPO_DESPESA]
    _demand_signs(held, costs, places, signed=signed)
    held.update((key, -abs(held[key])) for key in costs)
    _demand_no_sums(held, places, names.known)
    valores = {key: round_amount(held[key]) for key in sorted(held)}
    rounded = sum(valores[key] != amount for key, amount in held.items())
    return Budget(valores, refused.list_parts(), refused.quantas, rounded, folhas)


def _read_amount(entry: TypedAmount, names: BudgetNames) -> tuple[BudgetCell, Decimal]:
    """Read one amount as typed, with all its places."""
    versao = fold_words(show_value(entry.row.get("versao"))) or ORIGINAL
    if versao not in (ORIGINAL, REVISADO):
        raise NotUnderstood("versão desconhecida")
    regime = fold_words(show_value(entry.row.get("regime"))) or "competencia"
    if regime != "competencia":
        raise NotUnderstood("regime caixa não lido" if regime == "caixa" else "regime desconhecido")
    categoria_id = names.find(entry.row)
    if entry.mes is None:
        raise NotUnderstood("mês inválido")
    try:
        return BudgetCell(versao, categoria_id, entry.mes), _read_number(entry.cell.value)
    except Ambiguous:
        raise NotUnderstood("valor ambíguo") from None
    except NotUnderstood:
        raise NotUnderstood("valor inválido") from None


def _read_number(value: Any) -> Decimal:
    """Read a cell with all its places (S18): a text by its form, a number as stored; nothing else is one."""
    if not isinstance(value, str) and (isinstance(value, bool) or not isinstance(value, int | float | Decimal)):
        raise NotUnderstood("o valor: não é um número")
    number = parse_places(value, three=False) if isinstance(value, str) else read_places(value)
    round_amount(number)  # its bound
    return number


def _find_number(value: Any) -> Decimal | None:
    try:
        return round_amount(_read_number(value))
    except NotUnderstood:
        return None


def _demand_signs(
    held: Mapping[BudgetCell, Decimal], costs: Iterable[BudgetCell], places: Mapping[BudgetCell, str], *, signed: bool
) -> None:
    """Demand expenses without a sign or, where they may have one, all of them alike."""
    minus = [places[key] for key in costs if held[key] < 0]
    plus = [places[key] for key in costs if held[key] > 0]
    if minus and signed and plus:
        raise NotRead(f"{minus[0]}: despesa com sinal de menos, e a de {plus[0]} sem: deixe todas sem")
    if minus and not signed:
        raise NotRead(f"{minus[0]}: despesa com sinal de menos; despesas se digitam sem sinal")


def _demand_no_sums(
    held: Mapping[BudgetCell, Decimal], places: Mapping[BudgetCell, str], categorias: Mapping[int, BudgetedCategory]
) -> None:
    """Demand that no amount is the sum of those below its category: a subtotal that was typed would count twice.

    Of a version that revises, what it does not revise below the category is as it was.
    """
    ids = {key.categoria_id for key in held}
    paths = {each: _fold_path(categorias[each].caminho).split(PATH_SEPARATOR) for each in ids}
    groups: dict[tuple[str, date], dict[int, Decimal]] = {}
    for key, own in held.items():
        groups.setdefault((key.versao, key.mes), {})[key.categoria_id] = own
    for (versao, mes), amounts in groups.items():
        below: dict[tuple[str, ...], Decimal] = {}
        for categoria_id, own in {**groups.get((ORIGINAL, mes), {}), **amounts}.items():
            for depth in range(1, len(paths[categoria_id])):
                above = tuple(paths[categoria_id][:depth])
                below[above] = below.get(above, Decimal(0)) + own
        for categoria_id, own in amounts.items():
            total = below.get(tuple(paths[categoria_id]))
            if own and total is not None and abs(own - total) < _HALF_CENTAVO:
                place = places[BudgetCell(versao, categoria_id, mes)]
                raise NotRead(
                    f"{place}: é a soma das categorias abaixo e contaria outra vez; apague o valor, ou deixe a fórmula "
                    "do formulário"
                )


def show_value(value: Any) -> str:
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
