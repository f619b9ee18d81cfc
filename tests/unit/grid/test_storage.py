"""A table keeps each kind in one exact storage type, gives back the cells it was given, and refuses what is inexact."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.errors import AmountsTooLarge
from lastro.grid.cells import Kind, Value
from lastro.grid.storage import store_cells, store_each, store_labels, store_series, store_texts
from lastro.grid.tables import Column, Table

DAY, MOMENT = date(2026, 3, 16), datetime(2026, 3, 16, 6, 5, 7)  # noqa: DTZ001 - the API's times are naive
SOME: dict[Kind, list[Value]] = {
    Kind.TEXT: ["=1+1", None, "", "é 🎉", "=1+1"],
    Kind.LINK: ["https://exemplo/1", None],
    Kind.INTEGER: [10**17 + 1, None, -3],
    Kind.MONEY: [Decimal("1234567890123456.91"), None, Decimal("-0.01"), Decimal("0.00")],
    Kind.PERCENT: [Decimal("49.28"), None, Decimal("-12345.60")],
    Kind.NUMBER: [Decimal("-17.5"), Decimal("0.0"), None],
    Kind.DECIMAL: [Decimal("-17.5001"), Decimal("0.0000"), None],
    Kind.DATE: [DAY, None, date(1899, 12, 31), date(9999, 12, 31)],
    Kind.MONTH: [date(2026, 3, 1), None],
    Kind.TIMESTAMP: [MOMENT, None],
    Kind.BOOLEAN: [True, None, False],
}


@pytest.mark.parametrize("kind", Kind)
def test_cells_come_back_as_they_were_given(kind: Kind) -> None:
    for cells in (SOME[kind], SOME[kind][:1], [None, None], []):
        stored = store_cells(kind, cells)
        assert [repr(one) for one in stored.cells()] == [repr(one) for one in cells]
        assert len(stored) == len(cells)
        assert stored.part(1, 3).cells() == cells[1:3]
        assert stored.take(np.arange(len(cells))[::-1]).cells() == cells[::-1]


@given(st.lists(st.one_of(st.none(), st.integers(-(10**17), 10**17))))
def test_amounts_are_centavos_and_add_up_exactly(centavos: list[int | None]) -> None:
    amounts = [None if one is None else Decimal(one).scaleb(-2) for one in centavos]
    stored = store_cells(Kind.MONEY, amounts)
    assert stored.data.tolist() == centavos
    assert store_cells(Kind.MONEY, centavos).cells() == amounts
    assert store_series(Kind.MONEY, pd.Series(centavos, dtype="Int64")).cells() == amounts
    known = [one for one in amounts if one is not None]
    assert stored.figures() == ((min(known), max(known), sum(known)) if known else None)


@pytest.mark.parametrize(
    ("kind", "cells", "stored"),
    [
        (Kind.MONEY, [Decimal("1E+3"), Decimal(7), Decimal("0.1")], [100_000, 700, 10]),
        (Kind.PERCENT, [Decimal("0E-7")], [0]),
        (Kind.NUMBER, [Decimal(3), Decimal("2.50")], [30, 25]),
    ],
)
def test_fewer_places_than_the_kind_has_are_filled_up(kind: Kind, cells: list[Value], stored: list[int]) -> None:
    assert store_cells(kind, cells).data.tolist() == stored


@pytest.mark.parametrize(
    ("kind", "shown"),
    [(Kind.MONEY, "0.05"), (Kind.PERCENT, "0.05"), (Kind.NUMBER, "0.5"), (Kind.DECIMAL, "0.0005")],
)
def test_a_whole_number_is_the_smallest_unit_in_a_list_as_in_a_series(kind: Kind, shown: str) -> None:
    assert store_cells(kind, [5, None]).cells() == [Decimal(shown), None]
    assert store_series(kind, pd.Series([5, None], dtype="Int64")).cells() == [Decimal(shown), None]
    with pytest.raises(TypeError, match="'resumo', column 'valor': whole numbers"):
        Table("resumo", (Column("Valor", kind),), ((5,), (Decimal("0.5"),)), "")


@pytest.mark.parametrize("kind", Kind)
def test_a_float_is_refused_in_any_column(kind: Kind) -> None:
    for inexact in (1.0, float("nan")):
        with pytest.raises(TypeError, match=f"'t', column 'valor': .*{kind.name}"):
            Table("t", (Column("Valor", kind),), ((inexact,),), "")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'t', column 'valor'"):
        Table.of("t", [(Column("Valor", kind), pd.Series([1.0, None]))], "")


@pytest.mark.parametrize(
    ("kind", "cell", "error"),
    [
        (Kind.MONEY, Decimal("0.005"), ValueError),
        (Kind.NUMBER, Decimal("0.25"), ValueError),
        (Kind.MONEY, Decimal("NaN"), TypeError),
        (Kind.MONEY, Decimal("Infinity"), TypeError),
        (Kind.MONEY, "1.00", TypeError),
        (Kind.MONEY, True, TypeError),
        (Kind.PERCENT, Decimal("1E+17"), AmountsTooLarge),
        (Kind.INTEGER, 2**63, AmountsTooLarge),
        (Kind.INTEGER, True, TypeError),
        (Kind.INTEGER, Decimal(1), TypeError),
        (Kind.TEXT, 7, TypeError),
        (Kind.TEXT, Decimal("7.10"), TypeError),
        (Kind.DATE, MOMENT, TypeError),
        (Kind.TIMESTAMP, DAY, TypeError),
        (Kind.BOOLEAN, 1, TypeError),
    ],
)
def test_what_the_kind_does_not_store_exactly_is_refused_by_name(
    kind: Kind, cell: Value, error: type[Exception]
) -> None:
    with pytest.raises(error, match="'t', column 'valor'"):
        Table("t", (Column("Valor", kind),), ((cell,),), "")


SERIES: dict[Kind, tuple[pd.Series, list[Value]]] = {
    Kind.TEXT: (pd.Series(["a", None, "a"], dtype=object), ["a", None, "a"]),
    Kind.LINK: (pd.Series(["a", None], dtype=object), ["a", None]),
    Kind.INTEGER: (pd.Series([5, None], dtype="Int64"), [5, None]),
    Kind.MONEY: (pd.Series([-123405, None], dtype="Int64"), [Decimal("-1234.05"), None]),
    Kind.PERCENT: (pd.Series([4928], dtype="int64"), [Decimal("49.28")]),
    Kind.NUMBER: (pd.Series([175], dtype="int64"), [Decimal("17.5")]),
    Kind.DECIMAL: (pd.Series([175001], dtype="int64"), [Decimal("17.5001")]),
    Kind.DATE: (pd.Series(np.array([DAY, None], dtype="datetime64[us]")), [DAY, None]),
    Kind.MONTH: (pd.Series(np.array([date(2026, 3, 1)], dtype="datetime64[us]")), [date(2026, 3, 1)]),
    Kind.TIMESTAMP: (pd.Series(np.array([MOMENT, None], dtype="datetime64[us]")), [MOMENT, None]),
    Kind.BOOLEAN: (pd.Series([True, None, False], dtype="boolean"), [True, None, False]),
}


@pytest.mark.parametrize("kind", Kind)
def test_a_series_is_stored_as_the_cells_it_stands_for(kind: Kind) -> None:
    series, cells = SERIES[kind]
    stored = store_series(kind, series)
    assert stored.cells() == cells
    assert stored.data.dtype == store_cells(kind, cells).data.dtype


def test_a_series_of_another_dtype_is_refused() -> None:
    for kind, series in ((Kind.MONEY, [True]), (Kind.BOOLEAN, [1]), (Kind.DATE, [1]), (Kind.INTEGER, ["1"])):
        with pytest.raises(TypeError, match=kind.name):
            store_series(kind, pd.Series(series))


def test_a_key_is_made_into_its_cell_once_and_a_null_into_what_is_said() -> None:
    keys = pd.Series([2, None, 2, 3], dtype="Int64")
    asked: list[Any] = []

    def name(key: object) -> str:
        asked.append(key)
        return "nobody" if key is None else f"n{key}"

    assert store_labels(keys, name).cells() == ["n2", "nobody", "n2", "n3"]
    assert sorted(asked, key=str) == [2, 3, None]
    assert store_each(Kind.TEXT, keys, {2: "dois"}.get).cells() == ["dois", None, "dois", None]
    assert store_each(Kind.TEXT, keys, {2: "dois"}.get, "sem").cells() == ["dois", "sem", "dois", None]
    assert store_each(Kind.MONEY, keys, Decimal, Decimal(9)).cells() == [2, 9, 2, 3]
    texts = pd.Series(["a", "", None], dtype=object)
    assert store_texts(texts).cells() == ["a", None, None]
    assert store_texts(texts, "").cells() == ["a", "", ""]


@pytest.mark.parametrize("kind", Kind)
def test_different_values_are_told_apart_by_their_places(kind: Kind) -> None:
    cells = [*SOME[kind], *SOME[kind]]
    codes, different = store_cells(kind, cells).split()
    values = different.cells()
    assert [None if code < 0 else values[code] for code in codes.tolist()] == cells
    assert set(values) >= set(cells) - {None}
    assert len(values) == len(set(values))


def test_a_table_takes_columns_with_their_values_of_one_length_and_kind() -> None:
    columns = name, amount = (Column("Nome", Kind.TEXT), Column("Valor", Kind.MONEY))
    amounts = pd.Series([1, 2], dtype="int64")
    table = Table.of("t", [(name, store_cells(Kind.TEXT, ["a", "b"])), (amount, amounts)], "")
    assert table.rows == (("a", Decimal("0.01")), ("b", Decimal("0.02")))
    assert table == Table("t", columns, table.rows[:], "")
    assert table == Table.of("t", [(name, ["a", "b"]), (amount, [Decimal("0.01"), Decimal("0.02")])], "")
    assert table.take(np.array([1, 0])).rows == table.rows[::-1]
    assert (table.rows[-1], table.rows[1:], len(table.rows)) == (("b", Decimal("0.02")), (table.rows[1],), 2)
    for wrong in (["a"], store_cells(Kind.LINK, ["a", "b"])):
        with pytest.raises(ValueError, match="'t'"):
            Table.of("t", [(name, wrong), (amount, amounts)], "")
    with pytest.raises(ValueError, match="'t'"):
        Table("t", columns, (("a",),), "")
