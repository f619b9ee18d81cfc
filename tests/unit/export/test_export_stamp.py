"""The words of the stamp, and the examples of the docstrings."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from lastro.export import cells, columns, heading, layout, looks, references, rows, xlsx
from tests.unit.export.export_values import STAMP


def test_the_stamp_says_as_of_when_from_which_run_and_over_what() -> None:
    assert heading.stamp_text(STAMP) == (
        "Acme Ltda · Data-base 16/03/2026 (seg) · Extraído 16/03/2026 06:05 BRT · Execução 2 · Contas: 2 de 2 · "
        "Filtro: nenhum · Extração COMPLETA"
    )


@pytest.mark.parametrize("module", [cells, columns, heading, layout, looks, references, rows, xlsx])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
