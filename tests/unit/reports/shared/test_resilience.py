"""R22 by hand: its rows on Indicadores, the line on the cover, what V30 must see and what Q30 must name."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.cells import Undefined
from lastro.grid.prints import Print
from lastro.grid.tables import Table
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.reports.cover.indicators import INDICATORS, TREND, print_indicators
from lastro.reports.printing import build_table
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.shared.kpis import BLOCKS, FOLEGO, list_book_kpis, list_kpis
from lastro.reports.shared.resilience import tell_dominant, tell_resilience
from lastro.reports.view import Judged
from lastro.settings import Parametros
from tests.damages import judge_damaged, list_damages
from tests.findings import find_all
from tests.unit.reports.positions import MAPA, make_golden, make_position
from tests.unit.reports.readers import value
from tests.views import view_of

GOLDEN = {
    "custo_fixo_mensal": "929.17", "folego_custo_fixo": "33.00", "folego_media": "9.20",
    "receita_liquida_media": "2258.33", "margem_contribuicao_pct": "99.08", "ponto_equilibrio": "937.82",
    "ponto_equilibrio_financeiro": "937.82", "margem_seguranca": "58.47", "concentracao_5_clientes": "100.00",
    "concentracao_maior_cliente": "67.90", "concentracao_5_devedores": "100.00",
}  # fmt: skip


VIEWS: dict[str, Judged] = {}


def view(**given: Any) -> Judged:
    """The view of a golden position; the same one for the same parameters."""
    key = repr(given)
    if key not in VIEWS:
        VIEWS[key] = view_of(make_golden(**{"extensao": True, "dre_mapa": MAPA, **given}), medidas=())
    return VIEWS[key]


def indicators(of: Judged) -> Table:
    """The table of a view, of R22 alone."""
    own = tuple(kpi for kpi in list_kpis(of) if kpi.spec in BLOCKS[FOLEGO])
    return table_of(view_of(of.position, known={list_book_kpis: own}))


def table_of(of: Judged, declared: Print = INDICATORS) -> Table:
    """A table of the sheet Indicadores."""
    table = build_table(declared, of)
    assert table is not None
    return table


def test_the_golden_rows() -> None:
    table = table_of(view())
    rows = [dict(zip((one.key for one in table.columns), row, strict=True)) for row in table.rows]
    own = {row["kpi"]: row for row in rows if row["bloco"] == "Fôlego"}
    assert {kpi: str(row["valor"]) for kpi, row in own.items()} == GOLDEN
    assert {own[kpi]["unidade"] for kpi in ("folego_custo_fixo", "folego_media")} == {"meses"}
    assert all(row["como_se_calcula"] for row in own.values())
    assert (own["ponto_equilibrio"]["como_se_calcula"], rows[-1]["bloco"]) == (
        "linhas 6 + 7 + 8 da DRE, 12 meses fechados / 12 / margem %", "Confiança",
    )  # fmt: skip


def test_the_line_of_the_cover() -> None:
    assert tell_resilience(list_kpis(view())) == (
        "9,2 meses (saídas de 3 meses) · ponto de equilíbrio 938/mês x receita 2.258 · 5 maiores clientes 100 %"
    )
    assert (
        tell_resilience(list_kpis(view(dre_mapa={}, extensao=False)))
        == "7,9 meses (saídas de 3 meses) · 5 maiores clientes 100 %"
    )
    # A tenth of the balance lasts 3.3 months of fixed cost; of outflows 0.9, which is the less.
    kpis = [replace(kpi, valor=kpi.number / 10) if kpi.slug.startswith("folego") and kpi.number else kpi
            for kpi in list_kpis(view())]  # fmt: skip
    assert tell_resilience(kpis).startswith("0,9 mês (saídas de 3 meses)")
    kpis = [replace(kpi, valor=Decimal("10.0")) if kpi.slug == "folego_media" else kpi for kpi in kpis]
    assert tell_resilience(kpis).startswith("3,3 meses (custos fixos)")
    both = (*list_kpis(view()), *list_kpis(view(dre_mapa={})))
    assert [kpi.indicador for kpi in both if kpi.slug == "custo_fixo_mensal"] == [
        "Custo fixo mensal (linhas 6 a 8 da DRE)", "Custo fixo mensal (saídas de 3 meses)",
    ]  # fmt: skip
    assert not tell_resilience(list_kpis(view_of(make_golden())))  # a scope


def test_a_customer_above_a_quarter_stands_by_name() -> None:
    """501 sold 12 of 40 in fev/26 and owes 30 of 90 late; 502 28 and 15; FIDC (fora), 503 at 25 % are not named."""
    base = {"conta_id": 101, "categoria_id": 11, "data_vencimento": "2026-03-02", "data_competencia": "2026-03-02"}
    sold = {**base, "data_vencimento": "2026-02-10", "data_pagamento": "2026-02-10", "data_competencia": "2026-02-10"}
    entries = [
        {**sold, "id": 1, "pessoa_id": 501, "valor": "12.00"}, {**sold, "id": 2, "pessoa_id": 502, "valor": "28.00"},
        {**base, "id": 3, "pessoa_id": 501, "valor": "30.00"}, {**base, "id": 4, "pessoa_id": 502, "valor": "15.00"},
        {**base, "id": 5, "pessoa_id": None, "valor": "22.50"}, {**base, "id": 6, "pessoa_id": 602, "valor": "22.50"},
        {**base, "id": 7, "pessoa_id": 502, "valor": "900.00", "categoria_id": 30},
    ]  # fmt: skip
    position = make_position(entries, parametros=Parametros(dre_mapa={30: "fora"}))
    of = view_of(position, medidas=())
    one, two = (position.rotulos.pessoa(number) for number in (501, 502))
    assert tell_dominant(of) == (
        f"{one} 30 % da receita de 12 meses e 33 % do vencido a receber; {two} 70 % da receita de 12 meses"
    )
    kpis = {kpi.slug: kpi.valor for kpi in list_kpis(of)}
    assert kpis["vencido_a_receber"] == kpis["vencido_efetivo_a_receber"] == Decimal("90.00")
    assert kpis["concentracao_5_devedores"] == Decimal("75.00")  # 67.50 of 90.00: nobody's 22.50 is in the whole
    room = open_room(position, {})
    room.show([table_of(of)])
    assert run_query(read_queries()["V30"], room).situacao == "ok"


def test_without_a_map_the_rows_say_why() -> None:
    unmapped = view(dre_mapa={})
    shown = print_indicators(unmapped, {one.name: table_of(unmapped, one) for one in (INDICATORS, TREND)})
    (row,) = [row for row in shown.rows if row.key == "kpi_ponto_equilibrio"]
    assert value(row.cells[1]) == Undefined("DRE não mapeada")


def test_v30_holds_and_sees_every_damage() -> None:
    golden = view()
    table, dre = indicators(golden), R06.build(golden).tables[0]
    room, query = open_room(golden.position, {}), read_queries()["V30"]
    room.show([table, dre])
    assert run_query(query, room).situacao == "ok"
    for kpi in [row[1] for row in table.rows if row[0] == "Fôlego"]:
        for damage in list_damages(room, f"mart.indicadores WHERE kpi = '{kpi}'", "valor", of_rows=True):
            assert str(kpi) in " ".join(judge_damaged(query, room, damage).chaves), damage
    damage = "UPDATE mart.dre SET valor = valor - 12 WHERE codigo = 'administrativas' AND nivel = 0"
    assert judge_damaged(query, room, damage).chaves == ("ponto de equilíbrio · DRE",)
    scope = judge_damaged(query, room, "DELETE FROM mart.indicadores WHERE bloco = 'Fôlego'")
    assert scope.situacao == "não se aplica"


@pytest.mark.parametrize(
    "given",
    [
        {"dre_mapa": {}},
        {"extensao": False},
        {"dre_mapa": {10: "receita_bruta"}},
        {"dre_mapa": {**MAPA, 23: "administrativas"}},
        {"dre_mapa": {**MAPA, 24: "financeiro", 22: "financeiro"}},
    ],
)
def test_v30_agrees_where_there_is_less_to_say(given: dict[str, Any]) -> None:
    golden = view(**given)
    room = open_room(golden.position, {})
    room.show([indicators(golden), R06.build(golden).tables[0]])
    found = run_query(read_queries()["V30"], room)
    assert found.situacao == "ok", found.detalhe


def test_q30_names_what_has_no_line_while_there_are_no_margins() -> None:
    def named(**given: Any) -> tuple[int, ...]:
        return find_all(make_golden(**given), rules=["Q30"]).findings[0].ids

    # 20 is the parent of 21 to 24; of 20 and 24 all amounts are of a later competence.
    assert named(dre_mapa={10: "receita_bruta"}) == (21, 22, 23, 30)
    assert named(dre_mapa={10: "receita_bruta", 20: "administrativas"}) == (30,)
    assert named(extensao=True, dre_mapa=MAPA) == ()
