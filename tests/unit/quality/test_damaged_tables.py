"""Tables of the reports damaged one by one: each check must see it without a sheet.

Of every column named an amount is raised by a centavo, a row is left out, one stands twice, and a centavo moves from
one row to the next; of one of texts a text is another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from lastro.analysis.forecast_record import GRAVADA, Band, Measured
from lastro.grid.tables import Table
from lastro.grid.workbook import tables_of
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.reports.facts import DeskFacts, Facts
from lastro.reports.r03_weekly_flow import SPEC as R03
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r18_budget import SPEC as R18
from lastro.reports.r19_comparatives import SPEC as R19
from lastro.reports.r23_forecast import SPEC as R23
from lastro.reports.registry import REPORTS
from lastro.reports.spec import ReportSpec
from lastro.reports.view import View
from lastro.settings import Cenario
from lastro.transform.position import Position
from lastro.transform.scenarios import Decided, Promised
from lastro.warehouse.file.check_room import CheckRoom, Relation
from tests.bare import lay_out_noticed, list_noticed
from tests.books import make_empresa
from tests.budget import frame_golden_budget, read_golden_budget
from tests.entries import CONTA, entry
from tests.golden import dataset
from tests.unit.analysis.forecasts import list_forecasts
from tests.unit.quality.checked_books import (
    add_centavo,
    double_row,
    drop_row,
    list_asked,
    load_company,
    load_golden,
    move_centavo,
)
from tests.unit.reports.positions import make_golden
from tests.views import run_on

Change = Callable[[list[tuple[Any, ...]], int], list[tuple[Any, ...]]]
Judged = tuple[CheckRoom, Sequence[Table]]
OF_GOLDEN: dict[str, dict[str, str]] = {
    "V01": {"saldos_por_conta": "saldo_em_d", "saldos_por_conta_total": "menor_saldo_projetado"},
    "V02": {
        "fluxo_diario_contas": "saldo_final",
        "fluxo_mensal_total": "total",
        "fluxo_por_conta_total": "saldo_final",
    },
    "V03": {"fluxo_diario": "saidas_realizadas"},
    "V04": {
        "fluxo_por_conta": "saidas",
        "fluxo_diario_memo": "valor",
        "fluxo_mensal_memo": "valor",
    },
    "V05": {"ponte": "valor", "ponte_resumo": "valor"},
    "V06": {
        "a_pagar": "valor",
        "a_receber": "valor_atualizado",
        "a_pagar_faixas": "valor",
        "a_receber_a_vencer": "valor",
        "a_receber_pessoas": "total",
        "pessoas": "recebido_365_dias",
        "pessoas_formas": "valor_pago",
        "pessoas_habitos": "a_receber",
        "inadimplencia": "em_aberto",
        "inadimplencia_indices": "numerador",
        "inadimplencia_safra": "ainda_em_aberto",
        "previsto_realizado_vencimento": "pago_depois",
        "recorrentes": "valor_em_aberto",
        "a_pagar_faixas_total": "valor",
        "a_receber_faixas_total": "valor",
    },
    "V07": {"dre": "valor"},
    "V08": {
        "dre": "em_aberto",
        "dre_acumulado": "acumulado_no_ano",
        "dre_centros": "valor",
        "dre_tags_total": "resultado",
        "dre_tags": "resultado",
        "dre_sem_grupo": "valor",
    },
    "V12": {
        "cobrancas_por_status": "valor",
        "cobrancas_por_status_total": "valor",
        "cobrancas_funil_meses_total": "valor",
        "cobrancas_funil": "valor",
        "cobrancas_funil_meses": "valor",
        "cobrancas_em_transito": "liquido",
        "cobrancas_detalhe": "liquido",
        "cobrancas_divergencias": "valor",
        "cobrancas_pendentes_vencidas": "valor",
    },
    "V17": {"mudancas_ponte": "valor", "mudancas_tipos": "impacto_no_aberto"},
    "V18": {
        "previsto_realizado": "realizado",
        "previsto_realizado_desvios": "valor",
        "previsto_realizado_maiores": "diferenca",
    },
    "V41": {"resumo": "valor", "fazer_hoje": "valor", "kpis_tendencia": "valor"},
    "V42": {"lancamentos": "valor"},
}
"""Check -> tables of the golden company, with one of their columns."""
OTHERWISE = {
    "V09", "V10", "V11", "V13", "V14", "V15", "V16", "V19", "V20", "V21", "V30", "V32", "V34", "V35", "V36", "V37",
    "V38", "V43", "V44", "V45", "V46", "V47",
}  # fmt: skip
"""Checks whose damages are of records, or of two reports at once: each has tests of its own."""


WITH_SCENARIO = {
    "V02": {"fluxo_diario": "cenario_calote", "fluxo_diario_cenarios": "saldo_final cenario",
            "fluxo_semanal_cenarios": "diferenca cenario", "fluxo_mensal_cenarios": "saldo_contratual cenario"},
}  # fmt: skip
WITH_YEAR = {
    "V27": {"comparativo_resultado": "atual", "comparativo_caixa": "base", "comparativo_explicacao": "variacao",
            "comparativo_pessoas": "variacao", "dre_acumulado": "variacao_ate_d"},
}  # fmt: skip
WITH_FORECAST = {
    "V39": {"previsao_categorias": "ritmo_mensal realizado esperado", "previsao_teste": "erro",
            "previsao_cobertura": "correcao erro_de erro_ate", "previsao_semanal": "saldo_previsto"},
}  # fmt: skip
WITH_BUDGET = {
    "V22": {"orcado_mensal": "realizado contratado"},
    "V23": {
        "orcado_mensal": "original vigente saldo_a_contratar projecao",
        "orcado": "mes_orcado mes_realizado mes_desvio ate_orcado ate_realizado ate_desvio ano_orcado realizado "
        "contratado realizado_e_contratado saldo_a_contratar projecao ano_desvio",
        "orcado_nao_lido": "valor",
    },
}


@cache
def golden() -> Judged:
    """The golden company, all its reports."""
    books = load_golden("A")
    return books.room, tables_of(books.reports.values())


def judge(position: Position, specs: Sequence[ReportSpec], **facts: Any) -> Judged:
    """Some reports of a position, beside its records."""
    given = {name: facts.pop(name) for name in ("empresa", "received") if name in facts}
    view = View(position, given.get("empresa", make_empresa([], {})), Facts(**facts))
    return open_room(position, given.get("received", {})), tables_of([spec.build(view) for spec in specs])


@cache
def with_scenario() -> Judged:
    """The golden company with a scenario."""
    empresa = replace(make_empresa([], {}), cenarios=(Cenario("Calote", calote_pct=Decimal(30)),))
    specs = [spec for spec in REPORTS if spec.code in list_asked("V02")]
    return judge(load_golden("A").position, specs, empresa=empresa)


@cache
def with_year() -> Judged:
    """The golden company with the year before."""
    return judge(make_golden(extensao=True), (R06, R04, R19))


@cache
def with_forecast() -> Judged:
    """The same with what was forecast of it."""
    return judge(make_golden(extensao=True), (R03, R04, R23), medidas=list_forecasts())


@cache
def with_budget(linhas: int = 28) -> Judged:
    """The golden company with its budget, a file of so many lines."""
    refused = [part._replace(arquivo="entrada/orcamento.csv") for part in read_golden_budget().recusados]
    read = {"arquivos": Relation({"arquivo": "VARCHAR", "linhas": "BIGINT"}, [("entrada/orcamento.csv", linhas)])}
    position = replace(make_golden(), orcamento=frame_golden_budget())
    return judge(position, (R18, R06), nao_lidos=refused, received={**read, **lay_out_noticed((), nao_lidos=refused)})


LESS: dict[tuple[str, str], tuple[Change, ...]] = {
    ("V27", "dre_acumulado"): (add_centavo,),
    ("V23", "orcado_nao_lido"): (add_centavo, drop_row, double_row),
}
"""Of the DRE's rows only those of the comparison are its own, and what was not read has no other side."""
SCENES: dict[Callable[[], Judged], dict[str, dict[str, str]]] = {
    golden: OF_GOLDEN, with_scenario: WITH_SCENARIO, with_year: WITH_YEAR, with_forecast: WITH_FORECAST,
    with_budget: WITH_BUDGET,
}  # fmt: skip
DAMAGES = [
    pytest.param(scene, rule, name, column, id=f"{scene.__name__}-{rule}-{name}-{column}")
    for scene, rules in SCENES.items()
    for rule, tables in rules.items()
    for name, columns in tables.items()
    for column in columns.split()
]


def _change_text(rows: list[tuple[Any, ...]], place: int) -> list[tuple[Any, ...]]:
    first, *rest = rows
    return [(*first[:place], f"{first[place]}x", *first[place + 1 :]), *rest]


def _choose_damages(rule: str, table: Table, column: str, *, first: bool) -> tuple[Change, ...]:
    """Choose damages of a column; a row that is gone or there twice is one of the table."""
    if any(isinstance(value, str) for value in table.data[column].cells()):
        return (_change_text,)
    if (rule, table.name) in LESS:
        return LESS[rule, table.name]
    amounts = [value for value in table.data[column].cells() if value is not None]
    of_rows = (drop_row, double_row) if first else ()
    return (add_centavo, *of_rows, *([move_centavo] if len(amounts) > 1 else []))


def _holds(judged: Judged, rule: str, name: str = "", rows: Sequence[tuple[Any, ...]] | None = None) -> bool:
    """Whether a check holds where a table has other rows."""
    room, tables = judged
    room.show(replace(one, rows=tuple(rows)) if one.name == name and rows is not None else one for one in tables)
    return not run_on(rule, room, name).failed


def _find(judged: Judged, name: str) -> Table:
    (table,) = [one for one in judged[1] if one.name == name]
    return table


@pytest.mark.parametrize(
    ("scene", "rule"), [pytest.param(one, rule, id=f"{one.__name__}-{rule}") for one in SCENES for rule in SCENES[one]]
)
def test_tables_as_they_are_hold(scene: Callable[[], Judged], rule: str) -> None:
    assert _holds(scene(), rule)


@pytest.mark.parametrize(("scene", "rule", "name", "column"), DAMAGES)
def test_a_damaged_table_is_seen(scene: Callable[[], Judged], rule: str, name: str, column: str) -> None:
    judged = scene()
    table = _find(judged, name)
    first = column == SCENES[scene][rule][name].split()[0]
    for damage in _choose_damages(rule, table, column, first=first):
        assert not _holds(judged, rule, name, damage([*table.rows], table.place(column))), damage


Row = dict[str, Any]
CENT = Decimal("0.01")
RENT_BOOKED = {21: Decimal("-900.00"), 24: Decimal("0.00")}
"""Marketing (1016: -900.00) of March as rent, of which nothing is booked: the month adds up."""


def _raise(column: str, amount: Decimal | int, **where: Any) -> Callable[[list[Row]], list[Row]]:
    """Add to the first amount of a column in the rows that are meant."""

    def change(rows: list[Row]) -> list[Row]:
        meant = (n for n, row in enumerate(rows) if row[column] and where.items() <= row.items())
        number = next(meant)
        return [*rows[:number], rows[number] | {column: rows[number][column] + amount}, *rows[number + 1 :]]

    return change


def _slip(column: str) -> Callable[[list[Row]], list[Row]]:
    """Give each row the value of the row below."""
    return lambda rows: [row | {column: other[column]} for row, other in zip(rows, [*rows[1:], rows[0]], strict=True)]


@pytest.mark.parametrize(
    ("scene", "rule", "name", "change"),
    [
        # A letter that has nothing in any month: without it the bridge adds up all the same.
        (golden, "V05", "ponte", lambda rows: [row for row in rows if row["linha"] != "h"]),
        (with_year, "V27", "dre_acumulado", _slip("variacao_ate_d")),
        # Above what is receivable (1012: 1,000.00), below it, which the month's balance tells, and of a payable (1016).
        (with_forecast, "V39", "previsao_categorias", _raise("lancado", CENT, categoria_id=11)),
        (with_forecast, "V39", "previsao_categorias", _raise("lancado", -CENT, categoria_id=11)),
        (with_forecast, "V39", "previsao_categorias", _raise("lancado", -CENT, categoria_id=24)),
        (
            with_forecast, "V39", "previsao_categorias",
            lambda rows: [
                row | {"lancado": RENT_BOOKED[row["categoria_id"]]}
                if row["categoria_id"] in RENT_BOOKED and row["mes"] == date(2026, 3, 1) else row for row in rows
            ],
        ),
        (with_forecast, "V39", "fluxo_mensal_memo", _raise("valor", CENT, codigo="esperado_nao_lancado")),
        (
            with_forecast, "V39", "previsao_semanal",  # a band that leaves its balance out
            lambda rows: [row | {"faixa_ate": row["faixa_ate"] and row["saldo_previsto"] - CENT} for row in rows],
        ),
        *((with_forecast, "V39", "previsao_semanal", lambda rows, n=n: rows[:n] + rows[n + 1 :]) for n in (0, 5, 17)),
        *((with_forecast, "V39", "previsao_semanal", lambda rows, n=n: rows[: n + 1] + rows[n:]) for n in (0, 5, 17)),
        *(
            (with_forecast, "V39", "previsao_semanal",
             lambda rows, n=n: rows[:n] + _raise("saldo_previsto", CENT)(rows[n:])) for n in (0, 4, 5, 12, 17)
        ),
        # Without an error, which no median would show.
        (with_forecast, "V39", "previsao_teste", lambda rows: rows + [row for row in rows if row["erro"] is None]),
        (with_forecast, "V39", "previsao_cobertura", lambda rows: rows[1:]),
        *((with_forecast, "V39", "previsao_cobertura", _raise(key, 1)) for key in ("alargamento", "dentro", "janelas")),
    ],
)  # fmt: skip
def test_what_a_centavo_does_not_show_is_seen(
    scene: Callable[[], Judged], rule: str, name: str, change: Callable[[list[Row]], list[Row]]
) -> None:
    table = _find(scene(), name)
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    changed = change(rows)
    assert changed != rows
    assert not _holds(scene(), rule, name, [tuple(row.values()) for row in changed])


def test_what_the_desk_decided_is_booked_on_its_day_and_what_it_did_not_on_none() -> None:
    """1004 is overdue; with a decision it leaves on 20/03, and what is promised besides is no part of the booked."""
    position = make_golden(extensao=True, com_mesa=True)
    desk = DeskFacts(
        decisoes=[Decided(1004, date(2026, 3, 20)), Decided(3004, date(2026, 4, 15))],
        promessas=[Promised(501, None, date(2026, 3, 25), None)],
    )
    noticed = lay_out_noticed(list_noticed(position, decididos=[1004, 3004]))
    room, (*booked, _, _, _, _) = judge(
        position, (R03, R04, R23), medidas=list_forecasts(), mesas=desk, received=noticed
    )
    for told, holds in ((desk, True), (replace(desk, decisoes=()), False), (replace(desk, promessas=()), True)):
        _, shown = judge(position, (R23,), medidas=list_forecasts(), mesas=told)
        assert _holds((room, [*booked, *shown]), "V39") is holds


def test_a_company_of_which_no_forecast_is_over_yet_has_no_band_and_is_right() -> None:
    room, tables = judge(make_golden(extensao=True), (R03, R04, R23), medidas=())
    assert _holds((room, tables), "V39")


@pytest.mark.parametrize(("outside", "told"), [(4, ()), (5, ("faixas do horizonte 2",))])
def test_a_printed_band_that_left_out_more_than_four_of_twelve_is_told(outside: int, told: tuple[str, ...]) -> None:
    """Of twelve weeks some ended a centavo beyond the printed band; one before them, beyond it too, counts no more."""
    band = Band(-10_00, 10_00)
    weeks = [date(2025, 9, 8) + timedelta(days=7 * week) for week in range(13)]
    errors = [10_01, *[-10_01] * outside, *[10_00] * (12 - outside)]
    printed = [
        Measured(day, 2, day + timedelta(days=13), 0, 0, error, GRAVADA, 1, band)
        for day, error in zip(weeks, errors, strict=True)
    ]
    room, tables = judge(make_golden(extensao=True), (R23,), medidas=printed)
    room.show(tables)
    assert run_query(read_queries()["V46"], room).chaves == told


def test_a_value_of_the_budget_that_was_neither_read_nor_refused_is_counted() -> None:
    room, tables = with_budget(30)
    room.show(tables)
    assert run_query(read_queries()["V23"], room).chaves == ("entrada/orcamento.csv · valores",)


def test_a_paid_charge_whose_amount_nobody_said_adds_nothing() -> None:
    """Of every charge of its day or state the amount paid may be unknown: what they come to is 0.00 then."""
    payloads = dataset.payloads("A")
    payloads["cobrancas"] = [charge | {"valor_pago": None} for charge in payloads["cobrancas"]]
    books = load_company(payloads)
    books.room.show(tables_of(books.reports[code] for code in list_asked("V12")))
    keys = run_query(read_queries()["V12"], books.room).chaves
    assert [key for key in keys if key.startswith(("Em trânsito", "Cobranças por situação"))] == []


@pytest.mark.parametrize(
    ("rule", "name", "column", "key"),
    [("V01", "saldos_por_conta", "conta_id", 102), ("V08", "dre_sem_grupo", "categoria_id", 21)],
)
def test_what_comes_to_nothing_is_missed(rule: str, name: str, column: str, key: int) -> None:
    """102 took in 5.00 of 21 and spent them: the row of either changes no total, and stands there all the same."""
    spent = [
        entry(1, 101, "700.00", "2026-01-01", "2026-01-01"),
        entry(2, 102, "5.00", "2026-02-02", "2026-02-02", categoria_id=21),
        entry(3, 102, "-5.00", "2026-02-02", "2026-02-02", categoria_id=21),
    ]
    books = load_company(dataset.payloads("A") | {"lancamentos": spent, "cobrancas": [], "contas": [CONTA]})
    judged = (books.room, tables_of(books.reports[code] for code in list_asked(rule)))
    table = _find(judged, name)
    left = [row for row in table.rows if row[table.place(column)] != key]
    assert len(left) == len(table.rows) - 1
    assert (_holds(judged, rule), _holds(judged, rule, name, left)) == (True, False)


@pytest.mark.parametrize("damage", [add_centavo, drop_row, double_row])
def test_a_damaged_node_of_the_cash_flow_is_seen(damage: Change) -> None:
    """Of the rows of R04 that are no tree V07 says nothing."""
    table = _find(golden(), "fluxo_mensal")
    rows = [*table.rows]
    nodes = [row for row in rows if row[table.place("linha")] == "saidas" and row[table.place("nivel")]]
    damaged = [*(row for row in rows if row not in nodes), *damage(nodes, table.place("valor"))]
    assert not _holds(golden(), "V07", "fluxo_mensal", damaged)


@pytest.mark.parametrize("damage", [add_centavo, drop_row, double_row])
def test_a_damaged_difference_of_an_unknown_entry_is_seen(damage: Change) -> None:
    payloads = dataset.payloads("A")
    next(row for row in payloads["cobrancas"] if row["id"] == 9001)["lancamento_ids"] = "1012, 4242"
    books = load_company(payloads)
    tables = tables_of(books.reports[code] for code in list_asked("V12"))
    books.room.show(tables)
    assert run_query(read_queries()["V11"], books.room).chaves == ("cobrança 9001 · lançamento 4242",)
    assert "Divergências · M4 · cobrança 9001" not in run_query(read_queries()["V12"], books.room).chaves
    own = next(table for table in tables if table.name == "cobrancas_divergencias")
    rows = [row for row in own.rows if row[0] == "M4"]
    damaged = replace(own, rows=tuple(damage(rows, own.place("valor"))))
    books.room.show(damaged if table is own else table for table in tables)
    assert "Divergências · M4 · cobrança 9001" in run_query(read_queries()["V12"], books.room).chaves


def test_every_check_says_which_tables_are_its_own() -> None:
    assert sorted({*(rule for rules in SCENES.values() for rule in rules), *OTHERWISE}) == [*read_queries()]
