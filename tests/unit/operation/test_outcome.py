"""What the terminal says of a run whose balances are none."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from lastro.catalogue import Catalogue
from lastro.commands.outcome_text import print_result
from lastro.grid.cells import Kind, Link
from lastro.grid.cover import Cover, Judgement, Tile
from lastro.grid.verdict import Finding, Trust
from lastro.grid.workbook import Report
from lastro.operation.outcome import describe_result
from lastro.reports.shared.kpis import BLOCKS, Kpi
from lastro.run.order import RunResult
from tests.golden.expected import D


@pytest.mark.parametrize(
    ("unknown", "why"),
    [(2, "falta o extrato de 2 contas (lastro saldos)"), (0, "há lançamentos sem conta")],
)
def test_a_variation_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], unknown: int, why: str
) -> None:
    kpi = Kpi(BLOCKS["Caixa"][1], "Saldo atual", Decimal("5.00"), Link("Saldos"), so_variacao=True)
    found = Finding("Q11", "Conta sem saldo inicial", "alerta", unknown, None, (), "", "")
    cover = Cover(
        "",
        None,
        Judgement("Variação"),
        (),
        (Tile("CAIXA", kpi.valor, Kind.MONEY, name="Saldo atual"),),
        "",
        (),
        True,
    )
    report = Report("R00", "Resumo", (), cover=cover)
    catalogue = Catalogue((report,), (), (found,), (kpi,))
    result = RunResult(1, 1, D, tmp_path / "lastro.duckdb", (), 3, Trust(), catalogue)
    assert describe_result(result)["so_variacao"] == ["saldo_atual"]
    print_result("Ouro", result)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "Saldo atual" in line]
    assert line.endswith(f"R$ 5,00 — VARIAÇÃO, não saldo: {why}")
