"""Which parameters a run names as changed since the report before: a setting that left is none of them (DEC60)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from lastro.reports.shared.kpis import list_kpis
from lastro.settings import Parametros, setting_rows
from lastro.warehouse.loading.outcomes import find_changed_parameters
from tests.books import make_parametros
from tests.unit.reports.positions import make_golden
from tests.views import view_of

LEFT = {"tolerancia": "0.00"}
"""What a run of the version before stored of a parameter that left."""


def store_before(**other: str) -> dict[str, str]:
    """What the version before stored: the parameters of now as they are unless set, and those that left."""
    return {name: text for name, text, _ in setting_rows(Parametros())} | LEFT | other


def test_a_parameter_that_left_is_not_told_as_changed() -> None:
    assert find_changed_parameters(store_before(), Parametros()) == ()


def test_a_parameter_that_moves_figures_and_changed_is_told() -> None:
    assert find_changed_parameters(store_before(competencia_nula="caixa"), Parametros()) == ("competencia_nula",)


OTHER: dict[str, Any] = {
    "dre_mapa_tolerancia_pct": "50", "historico_meses": 3, "multa_pct": {"receber": 7}, "juros_pct_mes": {"pagar": 5},
    "categorias_tributos": [91], "juros_tributos_pct_mes": "2",
    "regua": [{"nome": "Primeiro", "ate_dias": 3}, {"nome": "Depois"}], "saldo_minimo": "900.00",
    "fazer_minimo": "1.00", "fechamento": "2026-01-31", "fechamento_sem_mapa": True,
    "formas": {"1": "Pix"}, "centros": {"1": "Loja"}, "tags": {"1": "Obra"}, "tipos_documento": {"1": "Nota"},
    "limite_exclusoes": "1", "limite_alteracoes": "1",
}  # fmt: skip
"""Another value for each parameter that is said to move no figure."""


def test_what_is_said_to_move_no_figure_has_another_value_here() -> None:
    assert [item.name for item in fields(Parametros) if not item.metadata["figures"]] == list(OTHER)


def test_a_parameter_that_moves_no_figure_is_not_told_and_moves_none() -> None:
    each = {name: make_parametros({name: value}) for name, value in OTHER.items()}
    assert [
        name for name, one in each.items() if one == Parametros() or find_changed_parameters(store_before(), one)
    ] == []
    usual, other = (
        {kpi.slug: kpi.number for kpi in list_kpis(view_of(make_golden(**given))) if kpi.number is not None}
        for given in ({}, {name: getattr(one, name) for name, one in each.items()})
    )
    assert other == usual
