"""Projections of random hostile companies, and the arrears beside them, título by título."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pandas as pd
import pytest

from lastro.transform.forgotten_titulos import list_forgotten
from lastro.transform.habits import find_habits
from lastro.transform.position import Position, build_position
from lastro.transform.scenarios import plan_by_habits, plan_days_by_habits
from tests.bare import plan_projections
from tests.books import read_company
from tests.marks import thinned
from tests.views import rows_of, view_of

SEEDS = thinned(range(50), default=(0,))
Sums = dict[date, int]


@pytest.fixture(scope="module", params=SEEDS)
def position(request: pytest.FixtureRequest) -> Position:
    return read_company(request.param)


def as_sums(frame: pd.DataFrame) -> Sums:
    return dict(zip(frame["data"].dt.date, frame["valor_centavos"].astype(int), strict=True))


def open_rows(position: Position) -> list[dict[str, Any]]:
    return [row for row in rows_of(position.titulos) if not row["pago"] and row["valor_centavos"]]


def test_one_projection_pays_on_d_what_is_overdue_and_that_is_what_is_beside_the_others(position: Position) -> None:
    owed = sum(row["valor_centavos"] for row in open_rows(position) if row["vencido"] and row["tipo"] == "P")
    assert as_sums(plan_projections(position)[1].diferencas) == ({position.data_base: owed} if owed else {})
    mistyped = position.titulos.loc[position.titulos["suspeito"], "titulo_id"].tolist()
    asked = [row for row in open_rows(position) if row["titulo_id"] not in mistyped]
    beside = sum(row["valor_centavos"] for row in asked if row["vencido"] and row["tipo"] == "P")
    assert view_of(position).arrears.pagar == beside


def test_two_days_looked_at_together_are_planned_as_each_is_alone(position: Position) -> None:
    days = position.data_base, position.data_base - timedelta(days=40)
    apart: dict[tuple[date, int], pd.Timestamp] = {}
    for day in days:
        core = replace(position, cobrancas=position.cobrancas[:0], cobranca_titulos=position.cobranca_titulos[:0])
        alone = build_position(
            core,
            data_base=day,
            data_extracao=position.data_extracao,
            parametros=position.parametros,
            calendario=position.calendario,
        )
        planned = plan_by_habits(alone, find_habits(alone), list_forgotten(alone.titulos)).dropna(subset=["dia"])
        apart |= {(day, titulo): moved for titulo, moved in zip(planned["titulo_id"], planned["dia"], strict=True)}
    both = pd.concat([position.titulos.assign(dia=pd.Timestamp(day)) for day in days], ignore_index=True)
    second = both["dia"] == pd.Timestamp(days[1])
    highest = both[["grupo_id", "pessoa_id", "forma_pagamento_id"]].max().max()
    for name in ("grupo_id", "pessoa_id", "forma_pagamento_id"):
        both[name] = both[name].where(~second, both[name] + highest)
    both["pessoa_id"] = both["pessoa_id"].where(~(both["pessoa_id"].isna() & second), -2)
    planned = plan_days_by_habits(position, both).dropna(subset=["data"])
    together = {
        (day.date(), titulo): moved
        for day, titulo, moved in zip(planned["dia"], planned["titulo_id"], planned["data"], strict=True)
    }
    assert together == apart
    assert {day for day, _ in together} == set(days)
