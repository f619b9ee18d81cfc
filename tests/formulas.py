"""The formulas of a workbook, calculated: no more of the language than lastro's own cells speak.

Written without a look at what makes them, so that a formula that says something else than the value beside it is seen
where no office suite is. Money is a Decimal; texts compare without regard to case; a blank is 0 and "".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import openpyxl
from openpyxl.utils import range_boundaries

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"]|"")*")|(?P<number>\d+(?:\.\d+)?)
    |(?P<ref>(?:(?:'(?:[^']|'')+'|\w+)!)?\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)(?![\w(])
    |(?P<name>[A-Z]+)(?=\()|(?P<word>TRUE|FALSE)|(?P<op><>|<=|>=|[-+*/&=<>(),]))""",
    re.VERBOSE,
)
EPOCH = date(1899, 12, 30)


class Failed(Exception):
    """What a cell shows as #N/A, #VALUE! and their like."""


class Sheets:
    """The cells of a workbook, each calculated when it is asked for."""

    def __init__(self, book: openpyxl.Workbook) -> None:
        self._book = book
        self._known: dict[tuple[str, int, int], Any] = {}

    def value(self, sheet: str, row: int, column: int) -> Any:
        key = sheet, row, column
        if key not in self._known:
            value = self._book[sheet].cell(row, column).value
            if isinstance(value, str) and value.startswith("="):
                value = _one(_Parser(value[1:], self, sheet).whole())
            elif isinstance(value, date):
                value = ((value.date() if isinstance(value, datetime) else value) - EPOCH).days
            self._known[key] = Decimal(str(value)) if isinstance(value, float) else value
        return self._known[key]

    def area(self, sheet: str, reference: str) -> Any:
        name, _, cells = reference.rpartition("!")
        left, top, right, bottom = (int(bound or 0) for bound in range_boundaries(cells.replace("$", "")))
        own = name.strip("'").replace("''", "'") or sheet
        found = [self.value(own, row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
        return found if ":" in cells else found[0]


def _one(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _number(value: Any) -> Any:
    if value is None:
        return 0
    if isinstance(value, str):
        raise Failed(f"{value!r} is no number")
    return int(value) if isinstance(value, bool) else value


def _text(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return "" if value is None else str(value)


def _compare(left: Any, right: Any, op: str) -> bool:
    if left is None or right is None:
        blank = "" if isinstance(left, str) or isinstance(right, str) else 0
        left, right = (blank if value is None else value for value in (left, right))
    left, right = (value.casefold() if isinstance(value, str) else value for value in (left, right))
    if isinstance(left, str) != isinstance(right, str):
        order = 1 if isinstance(left, str) else -1  # any text is above any number
    else:
        order = (left > right) - (left < right)
    return {"=": order == 0, "<>": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op]


def _each(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if isinstance(left, list) or isinstance(right, list):
        size = len(left) if isinstance(left, list) else len(right)
        lefts, rights = (value if isinstance(value, list) else [value] * size for value in (left, right))
        return [function(a, b) for a, b in zip(lefts, rights, strict=True)]
    return function(left, right)


def _meets(value: Any, criterion: Any) -> bool:
    """A criterion of SUMIFS: a number, or a comparison with one; texts and blanks meet none."""
    op, number = "=", criterion
    if isinstance(criterion, str):
        op, digits = re.fullmatch(r"(<>|<=|>=|<|>|=)?(-?[\d.]+)", criterion).groups()  # type: ignore[union-attr]
        op, number = op or "=", Decimal(digits)
    return not (value is None or isinstance(value, str)) and _compare(value, number, op)


class _Parser:
    """Calculates while it reads; what IF leaves out is read and not calculated."""

    def __init__(self, text: str, sheets: Sheets, sheet: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            assert match, text[place:]
            place = match.end()
            self._tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
        self._sheets, self._sheet, self._at = sheets, sheet, 0

    def whole(self) -> Any:
        tree = self._comparison()
        assert self._at == len(self._tokens)
        return tree()

    def _next(self, *ops: str) -> str:
        if self._at < len(self._tokens) and self._tokens[self._at] in [("op", op) for op in ops]:
            self._at += 1
            return self._tokens[self._at - 1][1]
        return ""

    def _chain(self, inner: Callable[[], Any], ops: tuple[str, ...], apply: Callable[[str, Any, Any], Any]) -> Any:
        tree = inner()
        while op := self._next(*ops):
            left, right = tree, inner()
            tree = lambda op=op, left=left, right=right: _each(lambda a, b: apply(op, a, b), left(), right())  # noqa: E731
        return tree

    def _comparison(self) -> Any:
        return self._chain(self._joined, ("=", "<>", "<=", ">=", "<", ">"), lambda op, a, b: _compare(a, b, op))

    def _joined(self) -> Any:
        return self._chain(self._sum, ("&",), lambda _, a, b: _text(a) + _text(b))

    def _sum(self) -> Any:
        return self._chain(
            self._product, ("+", "-"), lambda op, a, b: _number(a) + (_number(b) if op == "+" else -_number(b))
        )

    def _product(self) -> Any:
        def apply(op: str, a: Any, b: Any) -> Any:
            return _number(a) * _number(b) if op == "*" else Decimal(_number(a)) / Decimal(_number(b))

        return self._chain(self._signed, ("*", "/"), apply)

    def _signed(self) -> Any:
        if self._next("-"):
            inner = self._signed()
            return lambda: _each(lambda a, _: -_number(a), inner(), 0)
        return self._atom()

    def _atom(self) -> Any:
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "name":
            assert self._next("(")
            given = []
            while not self._next(")"):
                given.append(self._comparison())
                self._next(",")
            return lambda: self._call(text, given)
        if text == "(":
            inner = self._comparison()
            assert self._next(")")
            return inner
        if kind == "ref":
            return lambda: self._sheets.area(self._sheet, text)
        value: Any = {"text": text[1:-1].replace('""', '"'), "word": text == "TRUE"}.get(kind)
        return lambda: (Decimal(text) if "." in text else int(text)) if kind == "number" else value

    def _call(self, name: str, given: list[Any]) -> Any:
        if name == "IF":
            return given[1]() if _number(given[0]()) else given[2]()
        if name == "IFERROR":
            try:
                return given[0]()
            except Failed:
                return given[1]()
        values = [each() for each in given]
        return getattr(self, f"_{name.lower()}")(*values)

    def _and(self, *values: Any) -> bool:
        return all(map(_number, values))

    def _or(self, *values: Any) -> bool:
        return any(map(_number, values))

    def _not(self, value: Any) -> bool:
        return not _number(value)

    def _isnumber(self, value: Any) -> bool:
        return not (value is None or isinstance(value, str | bool))

    def _istext(self, value: Any) -> bool:
        return isinstance(value, str)

    def _int(self, value: Any) -> int:
        return int(_number(value) // 1)

    def _mod(self, value: Any, by: Any) -> Any:
        return _number(value) % _number(by)

    def _round(self, value: Any, places: Any) -> Any:
        return Decimal(_number(value)).quantize(Decimal(1).scaleb(-int(places)), ROUND_HALF_UP)

    def _left(self, value: Any, count: Any) -> str:
        return _text(value)[: int(count)]

    def _right(self, value: Any, count: Any) -> str:
        return _text(value)[-int(count) :]

    def _len(self, value: Any) -> int:
        return len(_text(value))

    def _sumproduct(self, values: Any) -> Any:
        return sum(map(_number, values if isinstance(values, list) else [values]))

    def _index(self, values: list[Any], place: Any) -> Any:
        if not 1 <= place <= len(values):
            raise Failed(f"no place {place}")
        return values[int(place) - 1]

    def _match(self, wanted: Any, values: list[Any], kind: Any) -> int:
        places = [n for n, value in enumerate(values, 1) if _compare(value, wanted, "<=" if kind else "=")]
        if not places:
            raise Failed(f"no {wanted}")
        return places[-1] if kind else places[0]

    def _sumifs(self, amounts: Any, *criteria: Any) -> Any:
        chosen = [True] * len(amounts if isinstance(amounts, list) else [amounts])
        for area, criterion in zip(criteria[::2], criteria[1::2], strict=True):
            listed = area if isinstance(area, list) else [area]
            chosen = [own and _meets(value, criterion) for own, value in zip(chosen, listed, strict=True)]
        listed = amounts if isinstance(amounts, list) else [amounts]
        return sum((_number(value) for value, own in zip(listed, chosen, strict=True) if own), start=Decimal(0))

    def _sumif(self, area: Any, criterion: Any, amounts: Any) -> Any:
        return self._sumifs(amounts, area, criterion)
