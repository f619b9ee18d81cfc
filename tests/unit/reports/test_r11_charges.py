"""R11: the golden charges, every kind of difference (M1 to M11), and what may not be shown (LGPD)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from lastro.analysis.charges import find_differences
from lastro.grid.cells import Link
from lastro.reports.r11_charges import SPEC as R11
from lastro.reports.shared.charge_detail import STATUS_TEXTS
from tests.golden import expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table, value
from tests.views import view_of

GOLDEN = expected.R11


def test_cancelled_charges_stand_apart_from_the_total() -> None:
    rows = records(section(R11.build(view_of(make_golden())), "cobrancas_por_status"))
    assert [(row["Status"], row["Forma"], row["Qtde"]) for row in rows] == [
        ("Pendente", "boleto", 1),
        ("Cliente pagou", "boleto", 1),
        ("Transferido", "pix", 1),
        ("Total", None, 3),
        ("Cancelado", "Todas", 1),
    ]
    assert rows[1]["Taxa %"] == Decimal("0.15")  # 3.50 / 2400.00
    assert rows[0]["Taxas"] == Decimal("0.00")  # not paid yet


def test_what_is_on_its_way_and_what_is_late_are_added_up() -> None:
    report = R11.build(view_of(make_golden()))
    transit = [(row["Data a transferir"], row["Líquido"]) for row in records(section(report, "cobrancas_em_transito"))]
    assert transit == [(date(2026, 3, 17), Decimal("2396.50")), ("Total", Decimal("2396.50"))]  # 2400.00 less 3.50
    late = record(section(report, "cobrancas_pendentes_vencidas"), faixa="Total")
    assert (late["Qtde"], late["Valor"]) == (1, Decimal("1000.00"))


def test_funnel_by_due_month_and_conversion() -> None:
    report = R11.build(view_of(make_golden()))
    rows = records(section(report, "cobrancas_funil_meses"))
    shares = [f"% {stage}" for stage in STATUS_TEXTS[1:]]
    assert [rows[-1][name] for name in shares] == [*map(Decimal, ("100.00", "66.67", "50.00", "100.00"))]
    # D's month and the five before. 9001 (14/03) is pending, 9002 (30/01) transferred, 9003 (10/12) paid.
    assert [(row["Mês de vencimento"], [row[stage] for stage in STATUS_TEXTS], row["Valor"]) for row in rows] == [
        (date(2025, 10, 1), [0, 0, 0, 0, 0], Decimal("0.00")),
        (date(2025, 11, 1), [0, 0, 0, 0, 0], Decimal("0.00")),
        (date(2025, 12, 1), [1, 1, 1, 0, 0], Decimal("2400.00")),
        (date(2026, 1, 1), [1, 1, 1, 1, 1], Decimal("5000.00")),
        (date(2026, 2, 1), [0, 0, 0, 0, 0], Decimal("0.00")),
        (date(2026, 3, 1), [1, 1, 0, 0, 0], Decimal("1000.00")),
        ("Todos os meses", [3, 3, 2, 1, 1], Decimal("8400.00")),
    ]
    assert [rows[0][name] for name in shares] == [None] * 4
    january = [row for row in records(table(report, "cobrancas_funil")) if row["Mês de vencimento"] == date(2026, 1, 1)]
    assert [row["Qtde"] for row in january] == [1, 1, 1, 1, 1]
    assert {row["Mês de vencimento"] for row in records(table(report, "cobrancas_funil"))} == {
        date(2025, 12, 1), date(2026, 1, 1), date(2026, 3, 1),
    }  # fmt: skip


def test_times_by_forma() -> None:
    pix = record(section(R11.build(view_of(make_golden())), "cobrancas_tempos"), forma="pix")
    assert (pix["Venc.→pagto média"], pix["Pagto→transf. mediana"]) == (Decimal("4.0"), Decimal("2.0"))
    assert (
        record(section(R11.build(view_of(make_golden())), "cobrancas_tempos"), forma="boleto")["Venc.→pagto média"]
        is None
    )


def test_management_sees_no_email() -> None:
    columns = [column.header for column in table(R11.build(view_of(make_golden())), "cobrancas_detalhe").columns]
    assert "E-mail" not in columns


def test_every_charge_leads_to_its_public_page() -> None:
    report = R11.build(view_of(make_golden()))
    url = "https://cobranca.exemplo/pagar/hash9003"
    assert value(section(report, "cobrancas_divergencias").rows[0].cells[1]) == Link(9003, url=url)


BASE = {"conta_id": 101, "pessoa_id": 501, "data_vencimento": "2026-03-20", "valor": "100.00"}
CHARGE = {"id": 9, "valor": "100.00", "lancamento_ids": "1", "cliente_id": 501, "data_vencimento": "2026-03-20"}
PAID = {"status_descricao": "Transferido", "valor_pago": "100.00"}


def _kinds(entry: dict[str, Any], charge: dict[str, Any], *others: dict[str, Any]) -> list[tuple[str, int, str]]:
    position = make_position([{"id": 1, **BASE, **entry}], cobrancas=[{**CHARGE, **charge}, *others])
    return [
        (row["tipo"], row["cobranca_id"], ",".join(map(str, row["lancamentos"]))) for row in find_differences(position)
    ]


def test_kinds_of_difference() -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
        ({}, {}, []),
        ({}, PAID, ["M1"]),
        ({"data_pagamento": "2026-03-10"}, PAID, []),
        ({"data_pagamento": "2026-03-10"}, {}, ["M2"]),
        ({"data_pagamento": "2026-03-10"}, {"status_descricao": "Agendado"}, ["M2"]),
        ({}, {"valor": "99.99"}, ["M3"]),
        ({}, {"lancamento_ids": "{}, 9077"}, ["M4"]),
        ({}, {"data_cancelamento": "2026-03-01", "cliente_id": 502, "conta_id": 7}, ["M5"]),
        ({"data_pagamento": "2026-03-10"}, {"data_cancelamento": "2026-03-01"}, []),
        ({"data_vencimento": "2026-03-19"}, {}, ["M6"]),
        ({"data_vencimento": "2026-04-24"}, {}, []),  # 35 days after: still normal
        ({"data_vencimento": "2026-04-25"}, {}, ["M6"]),
        ({}, {"cliente_id": 502}, ["M7"]),
        ({"pessoa_id": None}, {}, ["M7"]),
        ({"pessoa_id": None}, {"cliente_id": None}, []),
        ({}, {"conta_id": 102}, ["M8"]),
        ({"data_pagamento": "2026-03-10"}, {**PAID, "valor_pago": None}, ["M9"]),
        ({"data_pagamento": "2026-03-10"}, {**PAID, "valor_pago": "101.00"}, ["M9"]),
        ({"data_pagamento": "2026-03-10"}, {**PAID, "valor_pago": "102.00", "valor_multa_juros": "2.00"}, []),
        ({}, {"status_descricao": "Em análise"}, ["M11"]),
    ]
    entries, charges = [], []
    for number, (entry, charge, _) in enumerate(cases, 1):
        linked = {**CHARGE, "lancamento_ids": "{}", **charge}
        entries.append({**BASE, **entry, "id": number})
        charges.append({**linked, "id": 100 + number, "lancamento_ids": linked["lancamento_ids"].format(number)})
    found: dict[int, list[str]] = {100 + number: [] for number, _ in enumerate(cases, 1)}
    for row in find_differences(make_position(entries, cobrancas=charges)):
        found[row["cobranca_id"]].append(row["tipo"])
    assert found == {100 + number: kinds for number, (*_, kinds) in enumerate(cases, 1)}


def test_two_live_charges_of_one_titulo() -> None:
    assert _kinds({}, {}, {**CHARGE, "id": 10}) == [("M10", 9, "1"), ("M10", 10, "1")]
    assert _kinds({}, {}, {**CHARGE, "id": 10, "data_cancelamento": "2026-03-01"}) == [("M5", 10, "1")]


def test_unknown_entries_are_named_and_the_amount_cannot_match() -> None:
    assert _kinds({}, {"lancamento_ids": "77"}) == [("M3", 9, ""), ("M4", 9, "77")]


def test_fee_booked_in_the_composite_is_no_difference() -> None:
    base = {**BASE, "lancamento_composto_id": 5}
    position = make_position([{"id": 1, **base}, {"id": 2, **base, "valor": "-3.50"}], cobrancas=[CHARGE])
    assert find_differences(position) == []


def test_differences_carry_their_amount() -> None:
    position = make_position([{"id": 1, **BASE}], cobrancas=[{**CHARGE, "valor": "98.00"}])
    row = record(table(R11.build(view_of(position)), "cobrancas_divergencias"), tipo="M3")
    assert (row["Diferença"], row["Cobrança"], row["Pessoa"]) == (Decimal("-2.00"), 9, "Azul")


def test_a_difference_leads_to_its_first_entry_and_an_unknown_one_leads_nowhere() -> None:
    """Charge 10 of 100.00 asks for entries 2 and 1 of 100.00 each; 9 of 150.00 for 3 and two that are nowhere."""
    charges = [
        {**CHARGE, "id": 10, "lancamento_ids": "2, 1"},
        {**CHARGE, "lancamento_ids": "78, 3, 77", "valor": "150.00"},
    ]
    position = make_position([{**BASE, "id": number} for number in (1, 2, 3)], cobrancas=charges)
    rows = section(R11.build(view_of(position)), "cobrancas_divergencias").rows
    assert [(*row.cells[:3], row.cells[5]) for row in rows] == [
        ("M3", 9, Link("3", sheet="Lançamentos", key="titulo_id=3"), Decimal("50.00")),
        ("M3", 10, Link("1, 2", sheet="Lançamentos", key="titulo_id=1"), Decimal("-100.00")),
        ("M4", 9, "77, 78", None),
    ]


def test_charge_without_entry_is_a_memo() -> None:
    position = make_position([{"id": 1, **BASE}], cobrancas=[{**CHARGE, "lancamento_ids": ""}])
    rows = section(R11.build(view_of(position)), "cobrancas_por_status").rows
    assert rows[-1].cells[:4] == ("Cobranças sem lançamento", None, 1, Decimal("100.00"))


def test_payment_date_may_be_observed_and_never_comes_from_the_future() -> None:
    entry = {"id": 1, **BASE}
    charge = {**CHARGE, **PAID, "data_transferido": "2026-03-15", "percentual_multa": "2.5"}
    seen = make_position([entry], cobrancas=[charge], observadas={9: date(2026, 3, 12)})
    row = record(table(R11.build(view_of(seen)), "cobrancas_detalhe"), cobranca_id=9)
    assert (row["Data de pagamento"], row["Data observada"]) == (date(2026, 3, 12), True)
    assert (row["Dias venc.→pagto"], row["Dias pagto→transf."]) == (-8, 3)
    assert row["Percentual de multa"] == Decimal("2.50")
    later = make_position(
        [{**entry, "data_pagamento": "2026-03-12"}],
        cobrancas=[charge],
        data_base=date(2026, 3, 11),
        data_extracao=date(2026, 3, 16),
    )
    assert record(table(R11.build(view_of(later)), "cobrancas_detalhe"), cobranca_id=9)["Data de pagamento"] is None


def test_median_of_an_even_number_of_charges() -> None:
    entries = [{**BASE, "id": n, "data_pagamento": f"2026-03-{day}"} for n, day in ((1, "03"), (2, "06"))]
    charges = [
        {**CHARGE, **PAID, "id": 8 + n, "lancamento_ids": str(n), "data_vencimento": "2026-03-01"} for n in (1, 2)
    ]
    row = record(
        section(R11.build(view_of(make_position(entries, cobrancas=charges))), "cobrancas_tempos"), forma="Sem forma"
    )
    assert (row["Venc.→pagto média"], row["Venc.→pagto mediana"]) == (Decimal("3.5"), Decimal("3.5"))
    assert row["Pagas com data"] == 2


def test_company_without_charges() -> None:
    report = R11.build(view_of(make_position([{"id": 1, **BASE}])))
    assert_well_formed(report)
    assert record(section(report, "cobrancas_por_status"), status="Total")["Taxa %"] is None
    assert section(report, "cobrancas_divergencias").rows == ()
