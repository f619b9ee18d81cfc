"""V39 over the forecast of section 5 with extension E: it holds, and each damage of the tables turns it red."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from lastro.grid.tables import Table
from lastro.grid.workbook import tables_of
from lastro.quality.findings import lay_out_noticed, list_noticed
from lastro.quality.runner import open_proof
from lastro.reports.r03_weekly_flow import SPEC as R03
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r23_forecast import SPEC as R23
from lastro.reports.view import DeskFacts, Facts, View
from lastro.settings import Empresa
from lastro.transform.scenarios import Decided, Promised
from lastro.warehouse.file.proof import Proof
from tests.books import make_empresa
from tests.unit.analysis.forecasts import list_forecasts
from tests.unit.reports.positions import make_golden
from tests.views import run_on

CENT = Decimal("0.01")
MARCH = date(2026, 3, 1)


@cache
def judged() -> tuple[Proof, list[Table]]:
    position = make_golden(extensao=True)
    empresa: Empresa = make_empresa([], {})
    view = View(position, empresa, Facts(medidas=list_forecasts()))
    return open_proof(position), tables_of([build(view) for build in (R03.build, R04.build, R23.build)])


def check(name: str = "", rows: tuple[tuple[Any, ...], ...] = ()) -> str:
    proof, _ = judged()
    proof.show(replace(table, rows=rows) if table.name == name else table for table in tables())
    return run_on("V39", proof, name).situacao


def test_what_the_desk_decided_is_booked_on_its_day_and_what_it_did_not_on_none() -> None:
    """1004 is overdue; with a decision it leaves on 20/03, and what is promised besides is no part of the booked."""
    position = make_golden(extensao=True, com_mesa=True)
    desk = DeskFacts(
        decisoes=[Decided(1004, date(2026, 3, 20)), Decided(3004, date(2026, 4, 15))],
        promessas=[Promised(501, None, date(2026, 3, 25), None)],
    )
    noticed = lay_out_noticed(list_noticed(position, decididos=[1004, 3004]))

    def run(told: DeskFacts) -> str:
        view = View(position, make_empresa([], {}), Facts(medidas=list_forecasts(), mesas=desk))
        shown = View(position, make_empresa([], {}), Facts(medidas=list_forecasts(), mesas=told))
        proof = open_proof(position, noticed)
        proof.show(tables_of([R03.build(view), R04.build(view), R23.build(shown)]))
        return run_on("V39", proof, "").situacao

    assert (run(desk), run(replace(desk, decisoes=())), run(replace(desk, promessas=()))) == ("ok", "falhou", "ok")


def find(name: str) -> Table:
    return next(table for table in tables() if table.name == name)


def tables() -> list[Table]:
    return judged()[1]


@pytest.mark.parametrize("place", [0, 4, 5, 12, 17])
@pytest.mark.parametrize("damage", ["centavo", "gone", "twice"])
def test_a_damaged_week_is_seen(place: int, damage: str) -> None:
    table = find("previsao_semanal")
    rows, column = list(table.rows), table.place("saldo_previsto")
    if damage == "centavo":
        rows[place] = (*rows[place][:column], rows[place][column] + CENT, *rows[place][column + 1 :])  # type: ignore[operator]
    elif damage == "gone":
        del rows[place]
    else:
        rows.insert(place, rows[place])
    assert check("previsao_semanal", tuple(rows)) == "falhou"


@pytest.mark.parametrize(("categoria", "amount"), [(11, CENT), (11, -CENT), (24, -CENT)])
def test_a_booked_amount_that_the_books_do_not_have_is_seen(categoria: int, amount: Decimal) -> None:
    """Above what is receivable (1012: 1,000.00), below it, which the month's balance tells, and of a payable (1016)."""
    table = find("previsao_categorias")
    place, rows = table.place("lancado"), list(table.rows)
    number = next(n for n, row in enumerate(rows) if row[table.place("categoria_id")] == categoria and row[place])
    rows[number] = (*rows[number][:place], rows[number][place] + amount, *rows[number][place + 1 :])  # type: ignore[operator]
    assert check("previsao_categorias", tuple(rows)) == "falhou"


def test_a_payable_booked_in_another_category_is_seen() -> None:
    """Marketing (1016: -900.00) of March as rent, of which nothing is booked: the month adds up."""
    table = find("previsao_categorias")
    place, own, month = (table.place(key) for key in ("lancado", "categoria_id", "mes"))
    other: dict[object, Decimal] = {21: Decimal("-900.00"), 24: Decimal("0.00")}
    rows = [
        (*row[:place], other[row[own]], *row[place + 1 :]) if row[own] in other and row[month] == MARCH else row
        for row in table.rows
    ]
    assert sum(new != old for new, old in zip(rows, table.rows, strict=True)) == 2
    assert check("previsao_categorias", tuple(rows)) == "falhou"


@pytest.mark.parametrize("name", ["previsao_teste", "previsao_cobertura"])
def test_a_forecast_or_a_horizon_that_stands_twice_or_is_gone_is_seen(name: str) -> None:
    rows = tuple(find(name).rows)
    # Without an error, which no median would show.
    place = next((number for number, row in enumerate(rows) if row[4] is None), 0)
    assert check(name, (*rows[: place + 1], *rows[place:])) == "falhou"
    if name == "previsao_cobertura":
        assert check(name, rows[1:]) == "falhou"


def test_a_band_that_leaves_its_balance_out_is_seen() -> None:
    table = find("previsao_semanal")
    upper, balance = table.place("faixa_ate"), table.place("saldo_previsto")
    rows = [(*row[:upper], row[balance] - CENT if row[upper] else None, *row[upper + 1 :]) for row in table.rows]  # type: ignore[operator]
    assert check("previsao_semanal", tuple(rows)) == "falhou"


def test_a_memo_that_is_not_the_sum_of_its_categories_is_seen() -> None:
    table = find("fluxo_mensal_memo")
    code, value = table.place("codigo"), table.place("valor")
    rows = [
        (*row[:value], row[value] + CENT, *row[value + 1 :]) if row[code] == "esperado_nao_lancado" else row  # type: ignore[operator]
        for row in table.rows
    ]
    assert rows != list(table.rows)
    assert check("fluxo_mensal_memo", tuple(rows)) == "falhou"
