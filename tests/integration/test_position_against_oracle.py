"""Random hostile companies: what lastro makes of them equals the independent oracle (S1-S8).

What analysts ask of any day (`mart.titulos_em`, `linhas_em`, `saldos_em`) is the position as of that day.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lastro.transform.position import Position, build_position
from lastro.warehouse.file.store import Warehouse
from tests import books, random_companies
from tests.marks import thinned
from tests.oracle import flow
from tests.oracle.context import Context, build_context

SEEDS = thinned(range(1, 61), default=(1,))

LINHA_FIELDS = (
    "titulo_id", "conta_id", "categoria_id", "pessoa_id", "centro_custo_lucro_id", "grupo_id", "data_vencimento",
    "data_pagamento", "data_competencia_ef", "natureza", "transferencia", "fora_resultado", "pago", "caixa",
    "data_prevista", "data_projetada", "classe",
)  # fmt: skip
TITULO_FIELDS = (
    "tipo", "qtde_linhas", "conta_id", "pessoa_id", "categoria_id", "data_vencimento", "data_pagamento",
    "data_competencia_ef", "transferencia", "fora_resultado", "pago", "data_prevista", "data_efetiva", "dias_mora",
    "vencido", "em_carencia", "situacao",
)  # fmt: skip


def plain(value: Any) -> Any:
    """Turn a cell of a frame into what the oracle holds."""
    if value is None or (not isinstance(value, list) and pd.isna(value)):
        return None
    if isinstance(value, pd.Timestamp):
        return value.date()
    return value.item() if hasattr(value, "item") else value


def money(centavos: int) -> Decimal:
    return Decimal(int(centavos)).scaleb(-2)


def load(seed: int, folder: Path) -> tuple[Warehouse, Position, Context]:
    payload = random_companies.company(seed)
    empresa = books.make_empresa(payload["contas"], payload["parametros"])
    warehouse, _, position = books.load_books(
        folder, payload, empresa, data_base=payload["data_base"], data_extracao=payload["data_extracao"]
    )
    return warehouse, position, build_context(payload)


def compare(warehouse: Warehouse, position: Position, context: Context) -> None:
    assert position.composto_modo == context.modo["modo"]
    assert (position.composto_n0, position.composto_n1) == (context.modo["n0"], context.modo["n1"])

    ours = {
        (row["origem"], row["linha_id"], row["descricao"] == "Diferença de composto"): row
        for row in position.linhas.to_dict("records")
    }
    theirs = {
        (
            "lancamento" if row["origem"] == "diferenca" else row["origem"],
            row["linha_id"],
            row["origem"] == "diferenca",
        ): row
        for row in context.linhas
    }
    assert set(ours) == set(theirs)
    for key, expected in theirs.items():
        found = ours[key]
        assert money(found["valor_centavos"]) == expected["valor"], key
        for name in LINHA_FIELDS:
            assert plain(found[name]) == expected[name], (key, name)
        assert bool(found["vencido"]) == expected["vencida"], key

    titulos = {row["titulo_id"]: row for row in position.titulos.to_dict("records")}
    assert set(titulos) == set(context.titulos)
    for titulo_id, expected in context.titulos.items():
        found = titulos[titulo_id]
        for name in TITULO_FIELDS:
            if expected["pago"] and name in ("data_efetiva", "situacao", "dias_mora"):
                continue
            if name == "situacao" and expected[name] is None:  # transfers and zero values have none
                continue
            assert plain(found[name]) == expected[name], (titulo_id, name)
        for name in ("valor", "bruto", "deducoes", "multa", "juros"):
            assert money(found[f"{name}_centavos"]) == expected[name], (titulo_id, name)
        if not expected["pago"]:
            assert plain(found["dias_de_atraso"]) == expected["dias"], titulo_id
            assert expected["faixa"] in (found["faixa"], None), titulo_id

    day = position.data_base
    saldos = {row[0]: row[2] for row in warehouse.query(f"SELECT * FROM mart.saldos_em(DATE '{day}')")}  # noqa: S608
    for conta_id in context.contas:
        if conta_id is not None:
            assert saldos[conta_id] == flow.balance(context, conta_id, day), conta_id

    charges = {row["cobranca_id"]: row for row in position.cobrancas.to_dict("records")}
    assert set(charges) == set(context.cobrancas)
    for cobranca_id, expected in context.cobrancas.items():
        assert charges[cobranca_id]["status"] == expected["status"]
        assert money(charges[cobranca_id]["taxa_centavos"]) == expected["taxa"]


@pytest.mark.parametrize("seed", SEEDS)
def test_position_equals_the_oracle(seed: int, tmp_path: Path) -> None:
    warehouse, position, context = load(seed, tmp_path)
    with warehouse:
        compare(warehouse, position, context)


SEEDS_OF_DAYS = (7, 19, 23)
DAYS = 20


@pytest.fixture(params=SEEDS_OF_DAYS)
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Warehouse, Position]]:
    warehouse, position, _ = load(request.param, tmp_path)
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
