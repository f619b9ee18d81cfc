"""Comparativos with last year (R19), from the document: pairs, sums, what explains the change."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from .accrual import accrual_linhas
from .context import Context
from .days import first_day, last_day, shift_month
from .values import compared, total

Record = dict[str, Any]
Days = tuple[date, date]


def r19_pairs(ctx: Context) -> dict[str, tuple[Days, Days]]:
    """The four pairs: name -> (first, last) of A and of B (R19.1, R19.2)."""
    day, month = ctx.data_base, ctx.mes
    ago = shift_month(month, -12)
    last = date(ago[0], ago[1], min(day.day, calendar.monthrange(*ago)[1]))
    closed, before = shift_month(month, -1), shift_month(month, -13)
    return {
        "mes_ate_d": ((first_day(month), day), (first_day(ago), last)),
        "mes_fechado": ((first_day(closed), last_day(closed)), (first_day(before), last_day(before))),
        "ano_ate_d": ((date(day.year, 1, 1), day), (date(ago[0], 1, 1), last)),
        "doze_fechados": (
            (first_day(shift_month(month, -12)), last_day(closed)),
            (first_day(shift_month(month, -24)), last_day(before)),
        ),
    }


def r19(ctx: Context) -> dict[str, Record]:
    """Comparison per pair that has a base: dict(receitas, despesas, resultado {(A, B, var)}, entradas, saidas, fluxo).

    `var` is R19.4's percent or word; "explica" lists (categoria_id, A, B) by |A - B| desc, id (null as 0), only those
    that differ; "pessoas" gives for each of them {pessoa_id: A - B}, zeros left out.
    """
    inside = [x for x in accrual_linhas(ctx) if not x["fora_resultado"] and x["valor"] != 0]
    cash = [x for x in ctx.linhas if x["caixa"] and not x["transferencia"] and x["valor"] != 0]
    if not inside:
        return {}
    held = {(x["data_competencia_ef"].year, x["data_competencia_ef"].month) for x in inside}
    followed = [month for month in held if shift_month(month, 1) in held]
    if not followed:
        return {}
    earliest = min(x["data_competencia_ef"] for x in inside if x["data_competencia_ef"] >= first_day(min(followed)))
    found = {}
    for name, (a, b) in r19_pairs(ctx).items():
        if earliest > b[1]:
            continue
        now, then = (_within(inside, days, "data_competencia_ef") for days in (a, b))
        paid, paid_then = (_within(cash, days, "data_pagamento") for days in (a, b))
        whole = name in ("mes_fechado", "doze_fechados")
        lacking = whole and _months(then) < _months(now)
        accounts = {x["conta_id"] for x in paid}
        late = any(
            ctx.contas[key]["data_saldo_inicial"] is not None and ctx.contas[key]["data_saldo_inicial"] > b[0]
            for key in accounts
            if key is not None
        )
        revenue, inflow = _revenue(then), total(x["valor"] for x in paid_then if x["classe"] == "Entradas")
        row: Record = {}
        for line, sense, pick in (
            ("receitas", "ganho", lambda x: x["natureza"] == "R"),
            ("despesas", "custo", lambda x: x["natureza"] == "D"),
            ("resultado", "ganho", lambda _: True),
        ):
            row[line] = _compare(now, then, pick, sense, revenue, lacking)
        for line, sense, classes in (
            ("entradas", "ganho", ("Entradas",)),
            ("saidas", "custo", ("Saídas",)),
            ("fluxo_operacional", "ganho", ("Entradas", "Saídas")),
            ("nao_operacional", "mista", ("Não operacional",)),
        ):
            mine, mine_then = ([x for x in side if x["classe"] in classes] for side in (paid, paid_then))
            row[line] = _compare(mine, mine_then, lambda _: True, sense, inflow, lacking or late)
        keys = {x["categoria_id"] for x in (*now, *then)}
        sums = [(key, _of(now, categoria_id=key), _of(then, categoria_id=key)) for key in keys]
        order = sorted(sums, key=lambda one: (-abs(one[1] - one[2]), one[0] or 0))
        row["explica"] = [one for one in order if one[1] != one[2]]
        row["pessoas"] = {
            key: {
                person: change
                for person in {x["pessoa_id"] for x in (*now, *then)}
                if (
                    change := _of(now, categoria_id=key, pessoa_id=person)
                    - _of(then, categoria_id=key, pessoa_id=person)
                )
            }
            for key in keys
        }
        found[name] = row
    return found


def _within(linhas: list[Record], days: Days, field: str) -> list[Record]:
    return [x for x in linhas if days[0] <= x[field] <= days[1]]


def _months(linhas: list[Record]) -> int:
    return len({(x["data_competencia_ef"].year, x["data_competencia_ef"].month) for x in linhas})


def _revenue(linhas: Iterable[Record]) -> Decimal:
    return total(x["valor"] for x in linhas if x["natureza"] == "R")


def _of(linhas: Iterable[Record], **wanted: Any) -> Decimal:
    return total(x["valor"] for x in linhas if all(x[name] == value for name, value in wanted.items()))


def _compare(
    now: list[Record], then: list[Record], pick: Callable[[Record], bool], sense: str, revenue: Decimal,
    lacking: bool,
) -> tuple[Decimal, Decimal, Decimal | str]:  # fmt: skip
    a, b = (total(x["valor"] for x in side if pick(x)) for side in (now, then))
    if lacking:
        return (a, b, "n/s")
    return (a, b, compared(a, b, sense, revenue))
