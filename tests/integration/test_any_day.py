"""What analysts ask of any day (`mart.titulos_em`, `linhas_em`, `saldos_em`) is the position as of that day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from lastro.transform.position import Position, build_position
from lastro.warehouse.file.store import Warehouse
from tests.books import load_books, make_empresa
from tests.marks import thinned
from tests.random_companies import company


def plain(value: Any) -> Any:
    """Turn a cell of a frame into plain Python."""
    if value is None or (not isinstance(value, list) and pd.isna(value)):
        return None
    if isinstance(value, pd.Timestamp):
        return value.date()
    return value.item() if hasattr(value, "item") else value


def money(centavos: int) -> Decimal:
    return Decimal(int(centavos)).scaleb(-2)


DAYS = 20


@pytest.fixture(scope="module", params=thinned((7, 19, 23), default=(19,)))
def read(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Warehouse, Position]]:
    payload = company(request.param)
    empresa = make_empresa(payload["contas"], payload["parametros"])
    warehouse, _, position = load_books(
        tmp_path_factory.mktemp("books"), payload, empresa, data_base=payload["data_base"],
        data_extracao=payload["data_extracao"],
    )  # fmt: skip
    yield warehouse, position
    warehouse.close()


def _days(position: Position) -> list[date]:
    """Take days up to the reading: the last ones, and those around due days and payments."""
    last = position.data_extracao
    told = {
        day.date() + timedelta(days=step)
        for name in ("data_vencimento", "data_pagamento")
        for day in position.titulos[name].dropna()
        for step in (0, 1)
        if day.date() < last
    }
    around = sorted(told)
    every = max(1, len(around) // (DAYS - 4))
    return sorted({last - timedelta(days=back) for back in (0, 1, 2, 3)} | {*around[::every][: DAYS - 4]})


def _as_of(position: Position, day: date) -> Position:
    return build_position(
        position, data_base=day, data_extracao=position.data_extracao, parametros=position.parametros,
        calendario=position.calendario,
    )  # fmt: skip


def _ask(warehouse: Warehouse, what: str, day: date, keys: tuple[str, ...]) -> dict[Any, dict[str, Any]]:
    answer = warehouse.con.execute(f"FROM mart.{what}(?)", [day])
    names = [name for name, *_ in answer.description or ()]
    rows = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    found = {tuple(row[key] for key in keys): row for row in rows}
    assert len(found) == len(rows)
    return found


def _hold(frame: pd.DataFrame, found: dict[Any, dict[str, Any]], keys: tuple[str, ...]) -> int:
    """Hold what a macro tells against a frame, column by column; return how many columns both have."""
    money_of = {name: name.removesuffix("_centavos") for name in frame.columns}
    rows = frame.to_dict("records")
    assert {tuple(row[key] for key in keys) for row in rows} == {*found}
    names = [name for name in frame.columns if money_of[name] in next(iter(found.values()), {}) and name != "modified"]
    for row in rows:
        of_macro = found[tuple(row[key] for key in keys)]
        for name in names:
            expected = money(row[name]) if name.endswith("_centavos") else plain(row[name])
            assert of_macro[money_of[name]] == expected, (name, [row[key] for key in keys])
    return len(names)


def test_titulos_and_linhas_of_any_day_are_those_of_the_position(read: tuple[Warehouse, Position]) -> None:
    warehouse, position = read
    days = _days(position)
    assert len(days) >= DAYS
    for day in days:
        then = _as_of(position, day)
        titulos = _ask(warehouse, "titulos_em", day, ("titulo_id",))
        assert _hold(then.titulos, titulos, ("titulo_id",)) >= 37
        linhas = _ask(warehouse, "linhas_em", day, ("origem", "linha_id"))
        assert _hold(then.linhas, linhas, ("origem", "linha_id")) >= 35


def test_balances_of_any_day_are_openings_and_what_was_paid_since(read: tuple[Warehouse, Position]) -> None:
    warehouse, position = read
    for day in _days(position):
        paid = _as_of(position, day).linhas.query("caixa").groupby("conta_id", dropna=False)["valor_centavos"].sum()
        moved = {plain(key): int(value) for key, value in paid.items()}
        expected = {}
        for conta in position.contas.to_dict("records"):
            since = plain(conta["data_saldo_inicial"])
            whole = int(conta["valor_saldo_inicial_centavos"]) + moved.pop(plain(conta["conta_id"]), 0)
            expected[plain(conta["conta_id"])] = None if since is not None and day < since else money(whole)
        expected |= {key: money(value) for key, value in moved.items()}
        found = {key: row["saldo"] for (key,), row in _ask(warehouse, "saldos_em", day, ("conta_id",)).items()}
        assert {key: found.get(key, Decimal(0)) for key in expected} == expected, day
        assert {*found} >= {*expected} - {None}
