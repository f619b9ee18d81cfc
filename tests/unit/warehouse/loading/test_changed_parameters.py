"""Which parameters a run names as changed since the report before: a setting that left is none of them (DEC60)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lastro.settings import Parametros, setting_rows
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.runs import find_changed_parameters

LEFT = {
    "tolerancia": "0.00", "ordem_categorias": "valor", "anexos": "sim", "baixar_anexos": "sim",
    "listas_observadas": "não", "ultimo_dia_util_ano": "não", "abc_cortes": "70, 90.5",
    "comparativo_base_minima": "250.00", "data_fechamento": "28/02/2026",
}  # fmt: skip
"""What a run of the version before stored of the parameters that left."""


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    with Warehouse(tmp_path) as opened:
        yield opened


def store_before(warehouse: Warehouse, **other: str) -> None:
    """Store run 1 as the version before did: the parameters of now as they are unless set, and those that left."""
    rows = {name: text for name, text, _ in setting_rows(Parametros())} | LEFT | other
    warehouse.insert(
        "ops.parametros", [{"execucao_id": 1, "parametro": name, "valor_texto": text} for name, text in rows.items()]
    )


def test_a_parameter_that_left_is_not_told_as_changed(warehouse: Warehouse) -> None:
    store_before(warehouse)
    assert find_changed_parameters(warehouse, 1, Parametros(fechamento=date(2026, 2, 28))) == ()


def test_one_that_took_its_place_is_told_when_it_says_something_else(warehouse: Warehouse) -> None:
    store_before(warehouse)
    assert find_changed_parameters(warehouse, 1, Parametros(fechamento=date(2026, 3, 31))) == ("fechamento",)
    assert find_changed_parameters(warehouse, 1, Parametros()) == ("fechamento",)


def test_a_parameter_that_stayed_and_changed_is_told(warehouse: Warehouse) -> None:
    store_before(warehouse, competencia_nula="caixa", data_fechamento="–")
    assert find_changed_parameters(warehouse, 1, Parametros()) == ("competencia_nula",)
