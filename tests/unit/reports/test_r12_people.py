"""R12: the golden persons, the ABC curve with hand-made shares, mean terms."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from lastro.analysis.abc_curve import rank_customers
from lastro.grid.cells import Undefined
from lastro.grid.words import column_name
from lastro.reports.r12_people import SPEC as R12
from tests.golden import expected
from tests.unit.reports.positions import entry, make_golden, make_position
from tests.unit.reports.readers import record, records, section, table
from tests.views import view_of


def test_golden_figures() -> None:
    report = R12.build(view_of(make_golden()))
    rows = {
        row["Id"]: {column_name(name): cell for name, cell in row.items()} for row in records(table(report, "pessoas"))
    }
    assert set(rows) == set(expected.R12)
    for pessoa_id, figures in expected.R12.items():
        assert {name: rows[pessoa_id][name] for name in figures} == figures
        untold = {"a_receber_a_vencer", "a_receber_vencido", "a_pagar_a_vencer", "a_pagar_vencido", "recebido_12m",
                  "pago_12m"} - set(figures)  # fmt: skip
        assert {rows[pessoa_id][name] for name in untold} == {Decimal("0.00")}
    for pessoa_id, standing in expected.ABC.items():
        row = rows[pessoa_id]
        assert (row["receita_12m"], row["pct_acumulado"], row["classe_abc"]) == standing
    total = sum(row["posicao_liquida"] for row in rows.values())
    assert total == expected.R08["total"] + expected.R09["total"]


def test_golden_terms() -> None:
    terms = {row["Indicador"]: row for row in records(section(R12.build(view_of(make_golden())), "pessoas_prazos"))}
    wanted = expected.PRAZOS
    assert terms["PMR"]["Dias"] == wanted["pmr"]
    assert wanted["pmp"] is None
    assert (terms["PMP"]["Dias"], terms["Ciclo"]["Dias"]) == (Undefined("n/d sem mapa"),) * 2
    assert (terms["PMR"]["Numerador"], terms["PMR"]["Denominador"]) == wanted["pmr_parcelas"]
    assert (terms["PMP"]["Numerador"], terms["PMP"]["Denominador"]) == (None, None)
    assert terms["Prazo efetivo de recebimento"]["Dias"] == wanted["prazo_recebimento"]
    assert terms["Atraso médio de recebimento"]["Dias"] == wanted["atraso_recebimento"]
    assert terms["Prazo efetivo de pagamento"]["Dias"] == wanted["prazo_pagamento"]
    paying = terms["Prazo efetivo de pagamento"]
    assert (paying["Numerador"], paying["Denominador"]) == wanted["prazo_pagamento_parcelas"]
    assert terms["Atraso médio de pagamento"]["Dias"] == wanted["atraso_pagamento"]
    assert terms["Dias de caixa"]["Dias"] == wanted["dias_de_caixa"]
    assert terms["Dias de caixa"]["Denominador"] == wanted["saidas_90"]


def test_terms_of_each_person_weigh_by_value() -> None:
    """501: 5000.00 after 19 days, 4 late, and a refund of 200.00 at once; 602: 120.00 after 9, 600.00 29 days early."""
    people = records(table(R12.build(view_of(make_golden())), "pessoas"))
    assert {row["Id"]: (row["Prazo médio"], row["Atraso médio"]) for row in people if row["Id"]} == {
        501: (Decimal("18.3"), Decimal("3.8")),  # 95000 and 20000 of 5200
        502: (None, None),
        601: (Decimal("4.0"), Decimal("0.0")),  # two rents, each on the day it was due
        602: (Decimal("-22.7"), Decimal("0.0")),  # 1080 - 17400 of 720
    }


def test_who_a_person_is() -> None:
    report = section(R12.build(view_of(make_golden())), "pessoas")
    assert [row["Id"] for row in records(report)] == [502, 601, 501, 602, None]
    assert record(report, pessoa_id=602)["Tipo"] == "Ambos"
    assert record(report, pessoa_id=501)["Tipo"] == "Cliente"
    assert record(report, pessoa_id=601)["Tipo"] == "Fornecedor"
    assert record(report, pessoa_id=None)["Tipo"] == ""
    assert record(report, pessoa_id=601)["Último movimento"] == date(2026, 2, 5)


def test_people_stand_by_what_is_open_between_us_whatever_its_sign() -> None:
    """602 is owed 70.00 and owes 10.00; 501 and 502 come to 60.00 too, 601 to 80.00; 7 is even, nobody is last."""
    rows = [(602, "-70.00"), (602, "10.00"), (502, "60.00"), (501, "-60.00"), (601, "80.00"), (7, "9.00"),
            (7, "-9.00"), (None, "500.00")]  # fmt: skip
    entries = [
        entry(number, value, "2026-03-20", pessoa_id=who, categoria_id=11 if value[0] != "-" else 21)
        for number, (who, value) in enumerate(rows, 1)
    ]
    people = records(table(R12.build(view_of(make_position(entries))), "pessoas"))
    assert [(row["Id"], row["Posição líquida"]) for row in people] == [
        (601, Decimal("80.00")), (501, Decimal("-60.00")), (502, Decimal("60.00")), (602, Decimal("-60.00")),
        (7, Decimal("0.00")), (None, Decimal("500.00")),
    ]  # fmt: skip


def _revenue(*amounts: tuple[int | None, str]) -> list[dict[str, object]]:
    base = {"conta_id": 101, "categoria_id": 11, "data_vencimento": "2026-01-10"}
    return [{"id": n, "pessoa_id": who, "valor": value, **base} for n, (who, value) in enumerate(amounts, 1)]


def test_abc_looks_at_the_share_before_the_person() -> None:
    # Shares before: 0, 80 (B begins at 80), 95 (C begins at 95); only refunds: C and last; zero value: nothing.
    entries = _revenue((1, "80.00"), (2, "5.00"), (3, "15.00"), (5, "-7.00"), (None, "0.00"))
    ranking = rank_customers(make_position(entries))
    order = [(who, standing.classe, standing.acumulado_pct) for who, standing in ranking.items()]
    assert order == [
        (1, "A", Decimal("80.00")),
        (3, "B", Decimal("95.00")),
        (2, "C", Decimal("100.00")),
        (5, "C", None),
    ]


def test_abc_takes_twelve_closed_months_and_breaks_ties_by_id() -> None:
    base = {"conta_id": 101, "categoria_id": 11, "valor": "1.00"}
    days = ["2025-02-28", "2025-03-01", "2026-02-28", "2026-03-01"]
    entries = [{"id": n, "pessoa_id": 10 - n, "data_vencimento": day, **base} for n, day in enumerate(days, 1)]
    assert list(rank_customers(make_position(entries))) == [7, 8]


def test_person_known_only_from_an_item_has_revenue_and_no_titulo() -> None:
    base = {"conta_id": 101, "categoria_id": 11, "data_vencimento": "2026-01-10", "lancamento_composto_id": 4}
    entries = [
        {"id": 1, "valor": "10.00", "pessoa_id": 501, **base},
        {"id": 2, "valor": "5.00", "pessoa_id": 502, **base},
    ]
    report = section(R12.build(view_of(make_position(entries))), "pessoas")
    assert record(report, pessoa_id=501)["A receber vencido"] == Decimal("15.00")
    other = record(report, pessoa_id=502)
    assert (other["Posição líquida"], other["Receita 12m"]) == (Decimal("0.00"), Decimal("5.00"))
