"""R22 by hand: fôlego, break-even, margin of safety, concentration, and why there is none."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.resilience import find_break_even, find_concentration, find_runway
from lastro.transform.position import Position
from tests.unit.reports.positions import MAPA, make_golden, make_position
from tests.views import view_of

MARCH = date(2026, 3, 1)


def runway(position: Position) -> Any:
    return find_runway(position, view_of(position).series, MARCH)


def break_even(position: Position) -> Any:
    return find_break_even(position, view_of(position).dre_map, MARCH)


def test_the_golden_year() -> None:
    found = break_even(make_golden(extensao=True, dre_mapa=MAPA))
    assert (found.receita_liquida, found.margem, found.custo_fixo) == (2710000, 2685000, 1115000)
    assert (found.margem_pct, found.ponto, found.receita_media) == (
        Decimal("99.08"), Decimal("937.82"), Decimal("2258.33"),
    )  # fmt: skip
    assert (found.seguranca_pct, found.ponto_com_financeiro, found.motivo) == (
        Decimal("58.47"), Decimal("937.82"), "",
    )  # fmt: skip
    golden = make_golden(extensao=True)
    shares = find_concentration(golden, view_of(golden).ranking)
    assert (shares.top, shares.maior) == (Decimal("100.00"), Decimal("67.90"))


@pytest.mark.parametrize(("extensao", "fixo", "media"), [(True, "20.5", "9.2"), (False, "10.7", "7.9")])
def test_the_golden_runway(extensao: bool, fixo: str, media: str) -> None:
    found = runway(make_golden(extensao=extensao))
    assert found.custo_fixo == Decimal("1500.00")
    assert (found.fixo, found.media) == (Decimal(fixo), Decimal(media))


def test_there_is_no_break_even_without_a_map_a_margin_or_variable_costs() -> None:
    assert break_even(make_golden()).motivo == "DRE não mapeada"
    assert break_even(make_golden(dre_mapa={10: "receita_bruta"})).motivo == "DRE parcial"
    none = {**MAPA, 23: "administrativas"}
    assert break_even(make_golden(extensao=True, dre_mapa=none)).motivo == "sem custos variáveis no mapa"
    entries = [{"id": 1, "categoria_id": 23, "valor": "-5.00", "data_competencia": "2026-02-01"}]
    golden = make_golden(dre_mapa=MAPA)
    lost = make_position(
        [{**one, "conta_id": 101, "data_vencimento": "2026-02-01"} for one in entries],
        categorias=[{"id": 23, "descricao": "Custo", "tipo_categoria_id": 1, "parent_id": None, "ativo": True}],
        parametros=golden.parametros,
    )
    found = break_even(lost)
    assert (found.motivo, found.ponto, found.seguranca_pct) == ("receita líquida não positiva", None, None)


def test_a_variation_or_a_debt_gives_no_months() -> None:
    golden = make_golden()
    variation = replace(golden, contas=golden.contas.assign(provisoria=True, tem_saldo_inicial=False))
    found = runway(variation)
    assert (found.fixo, found.sem_fixo) == (None, "variação, não saldo")
    poor = replace(golden, contas=golden.contas.assign(valor_saldo_inicial_centavos=-9_000_000))
    assert (runway(poor).fixo, runway(poor).sem_media) == (None, "saldo negativo")
    kinds = ["cartao" if key == 102 else "conta" for key in golden.contas["conta_id"]]
    cards = replace(golden, contas=golden.contas.assign(tipo=kinds))
    assert runway(cards).fixo == Decimal("9.2")  # 13,780.00 without the card / 1,500.00
