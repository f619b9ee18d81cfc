"""R22 by hand: fôlego, break-even, and why there is none; its golden rows stand in `reports/shared`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.resilience import BY_LINES, BY_OUTFLOWS, find_break_even, find_runway, sum_year
from lastro.transform.position import Position
from tests.unit.reports.positions import MAPA, make_golden, make_position
from tests.views import view_of

MARCH = date(2026, 3, 1)


def runway(position: Position) -> Any:
    view = view_of(position)
    return find_runway(position, view.series, sum_year(position, MARCH), view.dre_map, MARCH)


def break_even(position: Position) -> Any:
    return find_break_even(sum_year(position, MARCH), view_of(position).dre_map)


@pytest.mark.parametrize(
    ("given", "cost", "fixo", "media", "base"),
    [
        # (5,350.00 + 5,800.00 + 0) / 12; 30,680.00 / it, and / (3,900 + 1,500 + 4,600) / 3.
        ({"extensao": True, "dre_mapa": MAPA}, "929.17", "33.0", "9.2", BY_LINES),
        ({"extensao": True}, "3333.33", "9.2", "9.2", BY_OUTFLOWS),  # no map
        ({"dre_mapa": {10: "receita_bruta", 20: "administrativas", 30: "fora"}}, "2033.33", "7.9", "7.9", BY_OUTFLOWS),
        ({"extensao": True, "dre_mapa": {10: "receita_bruta"}}, "3333.33", "9.2", "9.2", BY_OUTFLOWS),  # parcial
    ],
)
def test_the_golden_runway(given: dict[str, Any], cost: str, fixo: str, media: str, base: str) -> None:
    assert runway(make_golden(**given)) == {
        "custo_fixo_mensal": (Decimal(cost), base),
        "folego_custo_fixo": (Decimal(fixo), ""),
        "folego_media": (Decimal(media), ""),
    }


def test_there_is_no_break_even_without_a_map_a_margin_or_variable_costs() -> None:
    assert break_even(make_golden())["ponto_equilibrio"] == (None, "DRE não mapeada")
    assert break_even(make_golden(dre_mapa={10: "receita_bruta"}))["margem_seguranca"] == (None, "DRE parcial")
    none = {**MAPA, 23: "administrativas"}
    found = break_even(make_golden(extensao=True, dre_mapa=none))
    assert found["ponto_equilibrio"] == (None, "sem custos variáveis no mapa")
    entries = [{"id": 1, "categoria_id": 23, "valor": "-5.00", "data_competencia": "2026-02-01"}]
    golden = make_golden(dre_mapa=MAPA)
    lost = make_position(
        [{**one, "conta_id": 101, "data_vencimento": "2026-02-01"} for one in entries],
        categorias=[{"id": 23, "descricao": "Custo", "tipo_categoria_id": 1, "parent_id": None, "ativo": True}],
        parametros=golden.parametros,
    )
    found = break_even(lost)
    assert set(found.values()) == {(None, "receita líquida não positiva")}


def test_a_variation_or_a_debt_gives_no_months() -> None:
    golden = make_golden()
    variation = replace(golden, contas=golden.contas.assign(provisoria=True, tem_saldo_inicial=False))
    found = runway(variation)
    assert found["folego_custo_fixo"] == (None, "variação, não saldo")
    poor = replace(golden, contas=golden.contas.assign(valor_saldo_inicial_centavos=-9_000_000))
    found = runway(poor)
    assert found["folego_custo_fixo"] == found["folego_media"] == (None, "saldo negativo")
    kinds = ["cartao" if key == 102 else "conta" for key in golden.contas["conta_id"]]
    cards = replace(golden, contas=golden.contas.assign(tipo=kinds))
    # 13,780.00 without the card / (1,500.00 + 4,600.00) / 3
    assert runway(cards)["folego_custo_fixo"] == (Decimal("6.8"), "")
