"""R07: the golden bridge (section 5), payments outside control, and that it closes on random companies (V05)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from lastro.analysis.bridge import build_bridge
from lastro.reports.r07_bridge import SPEC as R07
from lastro.settings import Conta, Parametros
from tests.golden import expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import records, section, table
from tests.views import view_of


def test_the_answer_in_five_lines_is_net_and_adds_up_to_the_cash() -> None:
    """March, from its letters by hand: b -4500, c +2400, j -600, and 6,000 of a loan in k; no opening is implanted."""
    answer = records(table(R07.build(view_of(make_golden())), "ponte_resumo"))
    march = {row["Linha"]: row["Valor"] for row in answer if row["Mês"] == date(2026, 3, 1)}
    assert {linha: str(valor) for linha, valor in march.items()} == {
        "resultado": "1980.00", "clientes": "-4500.00", "pagamentos": "2400.00", "nao_operacional": "6000.00",
        "adiantamentos": "-600.00", "implantados": "0.00", "caixa": "5280.00",
    }  # fmt: skip
    for (year, month), figures in expected.R07.items():
        own = {row["Linha"]: row["Valor"] for row in answer if row["Mês"] == date(year, month, 1)}
        assert own.pop("caixa") == sum(own.values()) == figures["p"]


def test_what_is_outside_the_result_is_opened_by_its_three_largest_categories_of_the_closed_month() -> None:
    """February: 500 of A, -400 of B, 300 of C, -100 of D, -100 of E; the three stay the same in January and March."""
    amounts = {31: "500.00", 32: "-400.00", 33: "300.00", 34: "-100.00", 35: "-100.00"}
    entries = [
        {
            "id": number, "valor": valor, "conta_id": 101, "categoria_id": categoria, "data_competencia": day,
            "data_vencimento": day, "data_pagamento": day,
        }
        for number, (categoria, valor, day) in enumerate(
            [*((one, valor, "2026-02-10") for one, valor in amounts.items()), (34, "9000.00", "2026-01-10")], 1
        )
    ]  # fmt: skip
    mapa = dict.fromkeys(amounts, "fora")
    position = make_position(entries, parametros=Parametros(dre_mapa=mapa))
    answer = records(table(R07.build(view_of(position)), "ponte_resumo"))
    opened = {
        month: [(row["Linha"], row["Categoria id"], str(row["Valor"])) for row in answer
                if row["Nível"] and row["Mês"] == date(2026, month, 1)]
        for month in (1, 2)
    }  # fmt: skip
    assert opened[2] == [
        ("categoria", 31, "500.00"), ("categoria", 32, "-400.00"), ("categoria", 33, "300.00"),
        ("demais", None, "-200.00"),
    ]  # fmt: skip
    assert [valor for _, _, valor in opened[1]] == ["0.00", "0.00", "0.00", "9000.00"]
    whole = {row["Linha"]: row["Valor"] for row in answer if row["Mês"] == date(2026, 2, 1)}
    assert (whole["nao_operacional"], whole["caixa"]) == (Decimal("200.00"), Decimal("200.00"))


def test_sheet_has_a_column_per_month() -> None:
    report = R07.build(view_of(make_golden()))
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
