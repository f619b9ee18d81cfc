"""The words of the stamp, and the examples of the docstrings."""

from __future__ import annotations

import doctest
from dataclasses import replace
from types import ModuleType

import pytest

from lastro.export import cells, columns, heading, layout, looks, references, rows, xlsx
from lastro.grid.workbook import Stamp
from tests.unit.export.export_values import STAMP


def test_the_stamp_says_as_of_when_from_which_run_and_over_what() -> None:
    assert heading.stamp_text(STAMP) == (
        "Acme Ltda · Data-base 16/03/2026 (seg) · Extraído 16/03/2026 06:05 BRT · Execução 2 · Contas: 2 de 2 · "
        "Filtro: nenhum · Extração COMPLETA"
    )


@pytest.mark.parametrize(
    ("stamp", "filtro"),
    [
        (STAMP, "nenhum"),
        (replace(STAMP, empresa="A · B & Cia", erros=2, rejeitados=1, reconstituido=True), "nenhum"),
        (replace(STAMP, filtro="centro Loja · conta 101"), "centro Loja · conta 101"),
        (replace(STAMP, extracao="QUENTE", fuso="America/Manaus"), "nenhum"),
        (replace(STAMP, nota="RECÁLCULO da extração de 15/03/2026 06:05 BRT (execução 1)"), "nenhum"),
    ],
)
def test_a_stamp_says_again_of_which_run_it_is(stamp: Stamp, filtro: str) -> None:
    assert heading.parse_stamp(heading.stamp_text(stamp)) == heading.Stamped(stamp.empresa, 2, filtro)


@pytest.mark.parametrize(
    "text", ["", "Execução 2", "Acme · Data-base 16/03/2026 (seg)", "Acme · Execução " + "9" * 5000, "=1+1"]
)
def test_another_text_is_no_stamp(text: str) -> None:
    assert heading.parse_stamp(text) is None


@pytest.mark.parametrize("module", [cells, columns, heading, layout, looks, references, rows, xlsx])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
