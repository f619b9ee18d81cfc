"""What charts are cut to: figures and what is said of them move together."""

from __future__ import annotations

from decimal import Decimal

from lastro.grid.charts import Chart, ChartKind, Series, cut_empty_ends


def test_the_first_projected_category_moves_with_the_cut() -> None:
    """Two empty months before, one after: of five the third and fourth stay, and the fourth is the projected one."""
    zero, one = Decimal("0.00"), Decimal("1.00")
    series = Series("Entradas", (zero, None, one, one, zero), "2E7D32", light_from=3)
    chart = cut_empty_ends(Chart("Por mês", ChartKind.COLUMN, tuple("abcde"), (series,)))
    assert chart.categories == ("c", "d")
    assert chart.series[0].values == (one, one)
    assert chart.series[0].light_from == 1


def test_projected_from_the_first_category_on() -> None:
    series = Series("Entradas", (None, Decimal("1.00")), "2E7D32", light_from=0)
    assert cut_empty_ends(Chart("t", ChartKind.COLUMN, ("a", "b"), (series,))).series[0].light_from == 0
