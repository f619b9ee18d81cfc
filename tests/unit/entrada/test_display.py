"""Which number formats show an amount as it is, as people set them and as programs rewrite them."""

from __future__ import annotations

import pytest

from lastro.entrada.display import shows_amount


@pytest.mark.parametrize(
    "code",
    ['"R$ "#,##0.00;"-R$ "#,##0.00;\\–', "[$R$-416]\\ #,##0.00;[RED]-[$R$-416]\\ #,##0.00", "#,##0.00_);(#,##0.00)",
     "General", "0.00", '_-"R$"* #,##0.00_-'],
)  # fmt: skip
def test_a_format_that_a_program_rewrote_shows_the_same_figure(code: str) -> None:
    assert shows_amount(code)
    assert shows_amount(code, negative=True)


@pytest.mark.parametrize(
    "code",
    ['"60,00"', '"R$ 60,00";0.00', "#,##0", "0.0", "#,##0.00,", "0,.00", '0"."00', "0.00%", ";;;", "[$60-416]",
     "[>1]0.00", "[White]0.00", "dd/mm/yyyy", '0.00" mil"', "*0#,##0.00"],
)  # fmt: skip
def test_a_format_that_shows_another_figure_is_told(code: str) -> None:
    assert not shows_amount(code)
