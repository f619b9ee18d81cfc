"""What differs between two workbooks of lastro: by sheet, row key and column, wherever a row or column has moved to.

A row is found by what names it: an id that no two rows of its table share in either file, else its leading labels with
the rows it stands under. Rows that share a name are paired equal ones first, then in order. Belongs here: the
comparison as values. Does not belong here: how a file is read (`lastro.export.sheet_reader`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from lastro.errors import MAX_KEYS
from lastro.export.sheet_reader import (
    DAY,
    ID,
    MONEY,
    TEXT,
    Read,
    ReadBook,
    ReadRow,
    ReadSheet,
    ReadTable,
    UnreadableBook,
    read_book,
    show,
)

ONLY_A, ONLY_B, CHANGED = "só em A", "só em B", "mudou"
WHOLE_ROW, WHOLE_COLUMN, WHOLE_TABLE, WHOLE_SHEET = "(linha)", "(coluna)", "(tabela)", "(planilha)"
TITLE, BESIDE = "(título)", "(ao lado)"
_STAMP_PARAMETERS: Final = frozenset({"execucao_id", "data_extracao", "versao"})
"""Rows of Parâmetros that say which run it was, and no figure."""
_STAMP_COLUMNS: Final = frozenset({"Execução"})
_ENTRIES: Final = frozenset({"título", "títulos", "lançamento", "lançamentos", "linha", "linha id", "id"})
"""Headers below which ids of entries stand."""
_ID_SHEETS: Final = frozenset({"lançamentos", "pagar títulos", "receber títulos"})
"""Where `Id` is that of an entry; elsewhere it may be a person's."""
_MOST_LABELS: Final = 6
_RARE: Final = 10
"""One row in so many may share its name: further labels, which are likelier to change, would lose more rows."""
_ZERO: Final = Decimal("0.00")

Key = tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """One cell, row, column, table or sheet that differs.

    Attributes:
        planilha: the sheet.
        tabela: title of its table; empty for the first one of a sheet.
        linha: what names the row; empty for a whole column, table or sheet.
        coluna: header, or `WHOLE_ROW`, `WHOLE_TABLE`, `WHOLE_SHEET`, `TITLE` of the table, `BESIDE` a table; of a
            column that one file has, its header, and `WHOLE_COLUMN` in the place of its value.
        tipo: `CHANGED`, `ONLY_A` or `ONLY_B`.
        a: what the first file says; None where it has nothing.
        b: the same of the second.
        valor: B less A in R$ over the cells of money meant, totals and parents of other rows left out; None without
            any.
        ids: títulos or lançamentos that the row names.
    """

    planilha: str
    tabela: str
    linha: str
    coluna: str
    tipo: str
    a: str | None = None
    b: str | None = None
    valor: Decimal | None = None
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class SheetSum:
    """The differences of one sheet: how many, B less A in R$, and at most `MAX_KEYS` ids of how many entries."""

    planilha: str
    diferencas: int
    valor: Decimal
    ids: tuple[int, ...]
    ids_total: int


@dataclass(frozen=True)
class Comparison:
    """Two workbooks side by side.

    Attributes:
        diferencas: what differs in figures and texts, by sheet.
        carimbos: what differs in stamps and times alone.
    """

    diferencas: tuple[Difference, ...]
    carimbos: tuple[Difference, ...]

    @property
    def is_equal(self) -> bool:
        """Both say the same; their stamps may differ."""
        return not self.diferencas

    @property
    def valor(self) -> Decimal:
        """B less A in R$ over all sheets; an entry that several sheets show counts in each."""
        return sum((each.valor for each in self.diferencas if each.valor is not None), _ZERO)

    def sheets(self) -> tuple[SheetSum, ...]:
        """Sum up each sheet that differs, in the order of the files."""
        by_sheet: dict[str, list[Difference]] = defaultdict(list)
        for each in self.diferencas:
            by_sheet[each.planilha].append(each)
        result = []
        for name, found in by_sheet.items():
            ids = sorted({number for each in found for number in each.ids})
            money = sum((each.valor for each in found if each.valor is not None), _ZERO)
            result.append(SheetSum(name, len(found), money, tuple(ids[:MAX_KEYS]), len(ids)))
        return tuple(result)


def compare_files(a: Path, b: Path) -> Comparison:
    """Compare two workbooks (gerencial, a scope or grupo) by what their cells hold; formulas by their stored results.

    Raises:
        UnreadableBook: one of them cannot be read, or they are of two kinds; the text names the file.
    """
    books = []
    for path in (a, b):
        try:
            books.append(read_book(path))
        except UnreadableBook as error:
            raise UnreadableBook(f"{path}: {error}") from None
    first, second = books
    if first.kind != second.kind:
        raise UnreadableBook(f"{a.name} é {first.kind} e {b.name} é {second.kind}: não têm as mesmas planilhas")
    return compare_books(first, second)


def compare_books(a: ReadBook, b: ReadBook) -> Comparison:
    """Compare two workbooks that were read."""
    differences: list[Difference] = []
    stamps: list[Difference] = []
    if a.created != b.created:
        stamps.append(Difference("", "", "propriedades", "criado em", CHANGED, a.created, b.created))
    for name in _union(tuple(a.sheets), tuple(b.sheets)):
        one, other = a.sheets.get(name), b.sheets.get(name)
        if one is None or other is None:
            money = [
                _money_of(row.cells, row) for table in (one or other or ReadSheet(name)).tables for row in table.rows
            ]
            differences.append(_one_sided(name, "", "", WHOLE_SHEET, _add(money), in_a=other is None))
            continue
        for left, right in _pair_stamps(one.stamp, other.stamp):
            stamps.append(Difference(name, "", "linhas 1 a 3", "carimbo", CHANGED, left, right))
        for each in _compare_sheets(one, other):
            (stamps if _is_stamp(each) else differences).append(each)
    return Comparison(tuple(differences), tuple(stamps))


def _pair_stamps(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[str, str]]:
    padded = max(len(a), len(b))
    for left, right in zip([*a, *[""] * (padded - len(a))], [*b, *[""] * (padded - len(b))], strict=True):
        if left != right:
            yield left, right


def _is_stamp(each: Difference) -> bool:
    return each.tipo == CHANGED and (
        each.coluna in _STAMP_COLUMNS or (each.planilha == "Parâmetros" and each.linha in _STAMP_PARAMETERS)
    )


def _union(a: Sequence[str], b: Sequence[str]) -> list[str]:
    return [*a, *(name for name in b if name not in a)]


def _compare_sheets(a: ReadSheet, b: ReadSheet) -> Iterator[Difference]:
    pairs = _pair_tables(a.tables, b.tables)
    for one, other in pairs:
        if one is not None and other is not None:
            yield from _TablePair(a.name, one, other).differences()
        elif (table := one or other) is not None:
            money = _add([_money_of(row.cells, row) for row in table.rows])
            yield _one_sided(a.name, table.title or table.headers[0], "", WHOLE_TABLE, money, in_a=other is None)
    yield from _compare_loose(a, b)


def _pair_tables(a: Sequence[ReadTable], b: Sequence[ReadTable]) -> list[tuple[ReadTable | None, ReadTable | None]]:
    """Pair tables by title (a sheet's first has none), by title but for its numbers, then by headers, in order."""
    left = list(b)
    found: dict[int, ReadTable] = {}
    for same in (_same_title, _same_words, _same_headers):
        for number, one in enumerate(a):
            if number not in found and (other := next((each for each in left if same(one, each)), None)) is not None:
                found[number] = other
                left = [each for each in left if each is not other]
    return [*((one, found.get(number)) for number, one in enumerate(a)), *((None, each) for each in left)]


def _same_title(one: ReadTable, other: ReadTable) -> bool:
    return one.title == other.title


def _same_words(one: ReadTable, other: ReadTable) -> bool:
    """Titles may count their rows or name a month."""
    return re.sub(r"\d+", "", one.title) == re.sub(r"\d+", "", other.title)


def _same_headers(one: ReadTable, other: ReadTable) -> bool:
    return one.headers == other.headers


def _compare_loose(a: ReadSheet, b: ReadSheet) -> Iterator[Difference]:
    """Compare what stands beside tables: figures by the text that labels them, texts by themselves."""
    sides: tuple[dict[str, list[Read]], dict[str, list[Read]]] = (defaultdict(list), defaultdict(list))
    for side, sheet in zip(sides, (a, b), strict=True):
        for label, cell in sheet.loose:
            side[label].append(cell)
    for label in _union(tuple(sides[0]), tuple(sides[1])):
        one, other = (
            list((Counter(side[label]) - Counter(twin[label])).elements()) for side, twin in (sides, sides[::-1])
        )
        if label not in {"nota", "texto"}:
            while one and other:
                yield from _changed(a.name, "", label, BESIDE, one.pop(0), other.pop(0), (), sums=True)
        for cells, in_a in ((one, True), (other, False)):
            for cell in cells:
                yield _one_sided(a.name, "", label, BESIDE, None, in_a=in_a, text=show(cell.value))


def _one_sided(
    planilha: str,
    tabela: str,
    linha: str,
    coluna: str,
    money: Decimal | None,
    *,
    in_a: bool,
    text: str | None = None,
    ids: tuple[int, ...] = (),
) -> Difference:
    """Describe what only one file has; what vanished counts against the sum."""
    valor = None if money is None else -money if in_a else money
    a, b = (text, None) if in_a else (None, text)
    return Difference(planilha, tabela, linha, coluna, ONLY_A if in_a else ONLY_B, a, b, valor, ids)


def _changed(
    planilha: str,
    tabela: str,
    linha: str,
    coluna: str,
    a: Read | None,
    b: Read | None,
    ids: tuple[int, ...],
    *,
    sums: bool,
) -> Iterator[Difference]:
    if a is not None and b is not None and a.value == b.value:
        return
    amounts = [
        each.value if each and each.kind == MONEY and isinstance(each.value, Decimal) else None for each in (a, b)
    ]
    valor = None
    if not sums and any(amount is not None for amount in amounts):
        valor = (amounts[1] or _ZERO) - (amounts[0] or _ZERO)
    texts = [None if each is None else show(each.value) for each in (a, b)]
    yield Difference(planilha, tabela, linha, coluna, CHANGED, texts[0], texts[1], valor, ids)


def _money_of(cells: Mapping[str, Read], row: ReadRow) -> Decimal | None:
    """Add the amounts of some cells of a row; None where there are none, or where the row repeats others."""
    if row.sums:
        return None
    return _add([each.value for each in cells.values() if each.kind == MONEY and isinstance(each.value, Decimal)])


def _add(amounts: Sequence[Decimal | None]) -> Decimal | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known, _ZERO) if known else None


def _ids_of(planilha: str, row: ReadRow) -> Iterator[int]:
    for header, cell in row.cells.items():
        name = header.casefold()
        if name not in _ENTRIES or (name == "id" and planilha.casefold() not in _ID_SHEETS):
            continue
        if cell.kind == ID and isinstance(cell.value, Decimal):
            yield int(cell.value)
        elif isinstance(cell.value, str) and re.fullmatch(r"\d+(?:[,;·\s]+\d+)*", cell.value):
            yield from map(int, re.findall(r"\d+", cell.value))


class _TablePair:
    """Two tables of the same place, their rows and columns found in each other."""

    def __init__(self, planilha: str, a: ReadTable, b: ReadTable) -> None:
        self._planilha, self._a, self._b = planilha, a, b
        self._tabela = a.title or b.title
        self._common = [header for header in a.headers if header in b.headers]
        self._names = self._choose_names()

    def differences(self) -> Iterator[Difference]:
        """Yield columns that one has, then cells and rows in the order of A, then the rows that only B has."""
        if self._a.title != self._b.title:
            yield Difference(self._planilha, self._tabela, "", TITLE, CHANGED, self._a.title, self._b.title)
        for table, in_a in ((self._a, True), (self._b, False)):
            for header in table.headers:
                if header not in self._common:
                    money = _add(
                        [_money_of({header: row.cells[header]}, row) for row in table.rows if header in row.cells]
                    )
                    yield _one_sided(self._planilha, self._tabela, "", header, money, in_a=in_a, text=WHOLE_COLUMN)
        pairs, left_a, left_b = self._pair_rows()
        for one, other in pairs:
            ids = tuple(sorted({*_ids_of(self._planilha, one), *_ids_of(self._planilha, other)}))
            for header in self._common:
                cells = one.cells.get(header), other.cells.get(header)
                if any(cells):
                    yield from _changed(
                        self._planilha, self._tabela, self._label(one), header, *cells, ids, sums=one.sums or other.sums
                    )
        for rows, in_a in ((left_a, True), (left_b, False)):
            for row in rows:
                shared = {header: cell for header, cell in row.cells.items() if header in self._common}
                yield _one_sided(
                    self._planilha, self._tabela, self._label(row), WHOLE_ROW, _money_of(shared, row),
                    in_a=in_a, ids=tuple(sorted(set(_ids_of(self._planilha, row)))),
                )  # fmt: skip

    def _choose_names(self) -> tuple[str, ...]:
        """Choose what names rows: an id that no two rows share, else the fewest labels that tell most apart."""
        kinds: dict[str, set[str]] = defaultdict(set)
        rows = [*self._a.rows, *self._b.rows]
        for row in rows:
            for header, cell in row.cells.items():
                kinds[header].add(cell.kind)
        labels = [header for header in self._common if kinds[header] and kinds[header] <= {TEXT, DAY, ID}]
        ids = [header for header in labels if kinds[header] == {ID}]
        full = [header for header in ids if sum(header in row.cells or row.sums for row in rows) == len(rows)]
        plain = [header for header in labels if header not in ids]
        for header in full:
            if not self._count_doubles((header,)):
                return (header,)
        choices: list[Key] = [tuple(plain[:count]) for count in range(1, min(len(plain), _MOST_LABELS) + 1)]
        choices += [tuple(labels)] if labels else []
        best, fewest = tuple(plain[:1]), len(rows) + 1
        for choice in choices:
            doubles = self._count_doubles(choice)
            if doubles < fewest:
                best, fewest = choice, doubles
            if doubles * _RARE <= len(rows):
                break
        return best

    def _count_doubles(self, headers: Key) -> int:
        return sum(
            count - 1
            for table in (self._a, self._b)
            for count in Counter(_name(row, headers) for row in table.rows).values()
        )

    def _pair_rows(self) -> tuple[list[tuple[ReadRow, ReadRow]], list[ReadRow], list[ReadRow]]:
        """Pair rows of one name, equal ones first, the others in order; and return what is left of each table."""
        waiting: dict[Key, list[ReadRow]] = defaultdict(list)
        for row in self._b.rows:
            waiting[_name(row, self._names)].append(row)
        pairs: dict[int, ReadRow] = {}
        for equal in (True, False):
            for number, row in enumerate(self._a.rows):
                there = waiting.get(_name(row, self._names))
                if number in pairs or not there:
                    continue
                place = next((at for at, each in enumerate(there) if self._same(row, each)), None) if equal else 0
                if place is not None:
                    pairs[number] = there.pop(place)
        left_a = [row for number, row in enumerate(self._a.rows) if number not in pairs]
        return (
            [(self._a.rows[number], other) for number, other in sorted(pairs.items())],
            left_a,
            [row for rows in waiting.values() for row in rows],
        )

    def _same(self, one: ReadRow, other: ReadRow) -> bool:
        return all(_value(one, header) == _value(other, header) for header in self._common)

    def _label(self, row: ReadRow) -> str:
        return " · ".join(part for part in _name(row, self._names) if part)


def _value(row: ReadRow, header: str) -> object:
    cell = row.cells.get(header)
    return None if cell is None else cell.value


def _name(row: ReadRow, headers: Sequence[str]) -> Key:
    """Return what names a row: the rows above it and its cells of the columns; its first cell where these are empty."""
    values = tuple(show(row.cells[header].value) if header in row.cells else "" for header in headers)
    if not any(values):
        values = (next((show(cell.value) for cell in row.cells.values()), ""),)
    return (*row.path, *values)
