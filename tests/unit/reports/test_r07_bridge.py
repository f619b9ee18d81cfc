"""R07: the golden bridge (section 5), payments outside control, and that it closes on random companies (V05)."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal

import pytest

from lastro.analysis.bridge import build_bridge
from lastro.reports.r07_bridge import LINES, build_r07
from lastro.settings import Conta, Parametros
from tests.golden import dataset, expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import view_of


@pytest.mark.parametrize("forma", dataset.FORMAS_COMPOSTO)
def test_golden_figures_in_every_shape_of_the_composite(forma: str) -> None:
    report = build_r07(view_of(make_golden(forma)))
    assert_well_formed(report)
    bridge = table(report, "ponte")
    for (year, month), figures in expected.R07.items():
        found = {line: record(bridge, linha=line, mes=date(year, month, 1))["Valor"] for line in LINES}
        found["n_mais_o"] = found.pop("n") + found.pop("o")
        assert found == figures


def test_variant_with_the_opening_balance_as_an_entry_changes_nothing() -> None:
    assert build_r07(view_of(make_golden(saldo_inicial=True))) == build_r07(view_of(make_golden()))


def test_sheet_has_a_column_per_month() -> None:
    report = build_r07(view_of(make_golden()))
    sheet = section(report, "ponte")
    months = [column.period.month for column in sheet.columns[2:] if column.period]
    assert months == [date(2025, month, 1) for month in range(3, 13)] + [date(2026, month, 1) for month in (1, 2, 3, 4)]
    cells = [cell for row in sheet.rows for cell in row.cells[2:]]
    assert cells == [row["Valor"] for row in records(table(report, "ponte"))]


def test_payment_before_control_closes_through_line_f() -> None:
    conta = Conta(101, "Banco Alfa", Decimal("100.00"), date(2026, 2, 1))
    paid = {"conta_id": 101, "data_vencimento": "2026-01-10", "data_competencia": "2026-01-10", "categoria_id": 11}
    position = make_position([{"id": 1, "valor": "50.00", "data_pagamento": "2026-01-20", **paid}], contas=[conta])
    bridge = build_bridge(position)
    january, february = date(2026, 1, 1), date(2026, 2, 1)
    assert (bridge["a"][january], bridge["f"][january], bridge["l"][january]) == (5000, -5000, 0)
    assert (bridge["o"][february], bridge["p"][february]) == (10000, 10000)


def test_paid_without_competence_counts_as_earlier() -> None:
    entry = {"id": 1, "valor": "-50.00", "conta_id": 101, "data_vencimento": "2026-03-10", "categoria_id": 21}
    position = make_position(
        [{**entry, "data_pagamento": "2026-03-12"}], parametros=Parametros(competencia_nula="excluir")
    )
    bridge = build_bridge(position)
    march = date(2026, 3, 1)
    assert bridge["a"] == {}
    assert (bridge["i"][march], bridge["l"][march]) == (-5000, -5000)


def test_control_that_starts_after_the_data_base_is_not_yet_implanted() -> None:
    conta = Conta(101, "Banco Alfa", Decimal("100.00"), date(2026, 3, 20))
    position = make_position([{"id": 1, "conta_id": 101, "data_vencimento": "2026-03-10"}], contas=[conta])
    assert build_bridge(position)["o"] == {}


def _random_company(seed: int) -> tuple[list[dict[str, object]], list[Conta]]:
    rng = random.Random(seed)  # noqa: S311 - test data

    def day() -> str:
        return (date(2025, 11, 1) + timedelta(days=rng.randrange(200))).isoformat()

    contas = [
        Conta(101, "A", Decimal(rng.randrange(10_000)), date(2026, 1, rng.randrange(1, 28))),
        Conta(102, "B", Decimal("7.00"), None),
    ]
    entries: list[dict[str, object]] = [
        {
            "id": number,
            "conta_id": rng.choice([101, 102]),
            "valor": f"{rng.choice(['', '-'])}{rng.randrange(1000)}.{rng.randrange(100):02d}",
            "categoria_id": rng.choice([11, 12, 21, 22, 30, None, 77]),
            "data_vencimento": day(),
            "data_pagamento": day() if rng.random() < 0.7 else None,
            "data_competencia": day() if rng.random() < 0.8 else None,
            "lancamento_transferencia_id": 9999 if rng.random() < 0.1 else None,
        }
        for number in range(1, 61)
    ]
    return entries, contas


@pytest.mark.parametrize("seed", range(25))
def test_closes_on_random_companies(seed: int) -> None:
    """Cash per month and the change of the balance, recomputed from the payloads with Decimal."""
    entries, contas = _random_company(seed)
    nula = ("vencimento", "caixa", "excluir")[seed % 3]
    parametros = Parametros(dre_mapa={30: "fora"}, competencia_nula=nula)
    bridge = build_bridge(make_position(entries, contas=contas, parametros=parametros))
    since = {conta.conta_id: conta.data_saldo_inicial for conta in contas}
    data_base = dataset.DATA_BASE
    cash: dict[date, Decimal] = {}
    change: dict[date, Decimal] = {date(2026, 1, 1): contas[0].valor_saldo_inicial or Decimal(0)}
    for entry in entries:
        if entry["data_pagamento"] is None:
            continue
        paid = date.fromisoformat(str(entry["data_pagamento"]))
        start = since[int(str(entry["conta_id"]))]
        if paid > data_base or (start is not None and paid < start):
            continue
        month, amount = paid.replace(day=1), Decimal(str(entry["valor"]))
        change[month] = change.get(month, Decimal(0)) + amount
        if entry["lancamento_transferencia_id"] is None:
            cash[month] = cash.get(month, Decimal(0)) + amount
    for month in {*cash, *change, *bridge["l"], *bridge["p"]}:
        assert Decimal(bridge["l"].get(month, 0)) / 100 == cash.get(month, 0)
        assert Decimal(bridge["p"].get(month, 0)) / 100 == change.get(month, 0)
