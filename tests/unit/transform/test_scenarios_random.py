"""Projections of random hostile companies, and the arrears beside them, título by título."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import floor
from typing import Any

import pandas as pd
import pytest

from lastro.settings import Atraso, Cenario, Queda
from lastro.transform.forgotten_titulos import list_forgotten
from lastro.transform.habits import find_habits
from lastro.transform.position import Position, build_position
from lastro.transform.scenarios import plan_by_habits, plan_days_by_habits
from tests.bare import plan_projections
from tests.books import read_company
from tests.findings import find_by_rule
from tests.marks import thinned
from tests.views import rows_of, view_of

SEEDS = thinned(range(50), default=(0,))
Sums = dict[date, int]


@pytest.fixture(scope="module", params=SEEDS)
def position(request: pytest.FixtureRequest) -> Position:
    return read_company(request.param)


def day_of(value: Any) -> date | None:
    return None if pd.isna(value) else value.date()


def half_up(value: Fraction) -> int:
    return floor(abs(value) + Fraction(1, 2)) * (1 if value >= 0 else -1)


def business(position: Position, day: date) -> date:
    return position.calendario.next_business_day(day)


def arrival_of(position: Position, titulo: int) -> date | None:
    """When the money of a paid live charge comes, None without one."""
    links = position.cobranca_titulos
    mine = set(links.loc[links["titulo_id"] == titulo, "cobranca_id"])
    paid = [
        row
        for row in position.cobrancas.to_dict("records")
        if row["cobranca_id"] in mine and row["viva"] and row["paga"]
    ]
    if not paid:
        return None
    days = [day for row in paid if (day := day_of(row["data_a_transferir"])) is not None]
    return max([position.data_base, *days])


def differences(position: Position, days: dict[int, date | None], amounts: dict[int, int]) -> Sums:
    found: Sums = defaultdict(int)
    for row in rows_of(position.titulos):
        number, base = row["titulo_id"], day_of(row["data_projetada"])
        if number in days and (days[number] != base or amounts[number] != row["valor_centavos"]):
            if base is not None:
                found[base] -= row["valor_centavos"]
            if (day := days[number]) is not None:
                found[day] += amounts[number]
    return {day: value for day, value in found.items() if value}


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


def test_the_projection_by_habits_is_that_of_every_receivable(position: Position) -> None:
    today = position.data_base
    fallen: list[tuple[Any, Any, int, int, int]] = []
    seen: list[tuple[Any, Any]] = []
    for row in rows_of(position.titulos):
        if row["tipo"] != "R" or row["transferencia"] or row["fora_resultado"]:
            continue
        key = (row["pessoa_id"] if pd.notna(row["pessoa_id"]) else None,
               row["forma_pagamento_id"] if pd.notna(row["forma_pagamento_id"]) else None)  # fmt: skip
        due, on = day_of(row["data_vencimento"]), row["data_pagamento"].date() if row["pago"] else today
        if not row["pago"] or (today - on).days < 365:
            seen.append(key)
        late = row["vencido"] and not row["suspeito"]  # a day that looks mistyped says nothing of a habit (Q43)
        if due is not None and 0 <= (today - due).days < 365 and (row["pago"] or late):
            fallen.append((*key, row["valor_centavos"], (on - due).days, (today - due).days))

    def mean(chosen: list[tuple[Any, Any, int, int, int]], enough: int) -> int | None:
        for window, least in ((180, 3), (365, enough)):
            rows = [(valor, days) for *_, valor, days, age in chosen if age < window]
            total = sum(valor for valor, _ in rows)
            if len(rows) >= least and total:
                return half_up(Fraction(sum(valor * days for valor, days in rows), total))
        return None

    def habit(pessoa: Any) -> int:
        own = mean([row for row in fallen if row[0] == pessoa], 3)
        if own is not None:
            return own
        formas = [forma for person, forma in seen if person == pessoa]
        usual = min(set(formas), key=lambda forma: (-formas.count(forma), forma is None, forma or 0))
        alike = mean([row for row in fallen if row[1] == usual and usual is not None], 3)
        return (mean(fallen, 1) or 0) if alike is None else alike

    days: dict[int, date | None] = {}
    for row in open_rows(position):
        number, base = row["titulo_id"], day_of(row["data_projetada"])
        days[number] = base
        if row["tipo"] != "R" or row["transferencia"]:
            continue
        arrival = arrival_of(position, number) if row["cobranca_paga"] else None
        if arrival is not None:
            days[number] = business(position, arrival)
        elif row["situacao"] == "Agendado":
            past_due = row["data_vencimento"].date() < today  # mistyped, and on no day until it is corrected (Q43)
            days[number] = None if past_due else business(position, row["data_prevista"].date())
        else:
            late = 0 if row["fora_resultado"] else habit(row["pessoa_id"] if pd.notna(row["pessoa_id"]) else None)
            expected = business(position, row["data_vencimento"].date() + timedelta(days=late))
            gone = row["vencido"] and expected < today
            days[number] = None if gone else business(position, max(expected, today))
    # A receivable that looks settled is expected no more; about a payable one only asks (S26.4).
    settled = set(find_by_rule(position, "Q33")["Q33"].ids)
    days |= {
        row["titulo_id"]: None for row in open_rows(position) if row["tipo"] == "R" and row["titulo_id"] in settled
    }
    amounts = {row["titulo_id"]: row["valor_centavos"] for row in open_rows(position)}
    assert as_sums(plan_projections(position)[0].diferencas) == differences(position, days, amounts)
    beside = [
        row["valor_centavos"]
        for row in open_rows(position)
        if row["vencido"] and row["tipo"] == "R" and days[row["titulo_id"]] is None
        if not row["fora_resultado"] and not row["suspeito"]
    ]
    assert view_of(position).arrears.receber == sum(beside)


def test_a_scenario_is_that_of_every_titulo(position: Position) -> None:
    categorias = {row["categoria_id"]: set(row["ancestrais"]) for row in position.categorias.to_dict("records")}
    people = position.titulos.loc[position.titulos["tipo"] == "R", "pessoa_id"].dropna()
    customer = int(people.mode().iloc[0])
    chosen = int(position.linhas.loc[position.linhas["natureza"] == "R", "categoria_id"].dropna().mode().iloc[0])
    cenario = Cenario("X", Decimal("33.3"), 20, (Atraso(customer, 9),), (Queda(chosen, Decimal("12.5")),))
    lost: dict[int, int] = defaultdict(int)
    for row in rows_of(position.linhas):
        category = row["categoria_id"]
        known = pd.notna(category) and (category == chosen or chosen in categorias.get(category, set()))
        if known and not row["pago"] and not row["vencido"] and not row["transferencia"]:
            exact = Decimal(row["valor_centavos"]) * Decimal("0.125")
            lost[row["titulo_id"]] += int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
    forgotten = set(find_by_rule(position, "Q33")["Q33"].ids)
    days: dict[int, date | None] = {}
    amounts: dict[int, int] = {}
    for row in open_rows(position):
        number, base = row["titulo_id"], day_of(row["data_projetada"])
        days[number], amounts[number] = base, row["valor_centavos"] - lost[number]
        if number in forgotten and row["tipo"] == "R":
            days[number] = None
            continue
        if row["vencido"] and row["tipo"] == "P":
            days[number] = position.data_base
        if row["tipo"] != "R" or row["transferencia"]:
            continue
        if row["vencido"]:
            arrival = arrival_of(position, number) if row["cobranca_paga"] else None
            days[number] = business(position, arrival or position.data_base + timedelta(days=20))
            if arrival is None:
                share = Decimal(row["valor_centavos"]) * Decimal("0.333")
                amounts[number] = row["valor_centavos"] - int(share.quantize(Decimal(1), rounding=ROUND_HALF_UP))
        elif row["situacao"] != "Agendado" and pd.notna(row["pessoa_id"]) and row["pessoa_id"] == customer and base:
            days[number] = business(position, base + timedelta(days=9))
    found = plan_projections(position, cenarios=[cenario])[2]
    assert as_sums(found.diferencas) == differences(position, days, amounts)


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
