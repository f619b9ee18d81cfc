"""FAZER HOJE: each of F1 to F6 with figures worked by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lastro.analysis.to_do import find_calls, find_payments, find_unsettled
from lastro.grid.verdict import Finding
from lastro.reports.shared.to_do import build_to_do
from lastro.settings import Conta, Parametros
from lastro.transform.position import Position
from tests.findings import find_all, find_by_rule, sides
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import records
from tests.views import view_of


def entry(number: int, valor: str, due: str, paid: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "conta_id": 101, "categoria_id": 11, "pessoa_id": 501, "valor": valor, "data_vencimento": due,
        "data_pagamento": paid, "data_competencia": due, **more,
    }  # fmt: skip


def test_golden_books() -> None:
    rows = records(build_to_do(view_of(make_golden())))
    assert [(row["Ordem"], row["Regra"], row["Frase"], row["Qtde"], row["Valor"], row["Planilha"]) for row in rows] == [
        # 2400.00 of Beta is all that is overdue without carência; the rent is 11 days late.
        (1, "F1", "Ligar para 1 cliente (100 % do vencido)", 1, Decimal("2400.00"), "Inadimplência"),
        (2, "F5", "Decidir 1 pagamento vencido", 1, Decimal("1500.00"), "Pagar títulos"),
    ]


def test_calls_stop_at_80_percent_and_at_ten() -> None:
    entries = [entry(n, valor, "2026-03-02", pessoa_id=n) for n, valor in ((1, "50.00"), (2, "30.00"), (3, "20.00"))]
    calls = find_calls(make_position(entries))
    assert (calls.pessoas, calls.centavos, calls.total_centavos) == ((1, 2), 8000, 10000)
    calls = find_calls(make_position([entry(n, "10.00", "2026-03-02", pessoa_id=n) for n in range(1, 31)]))
    assert (calls.pessoas, calls.centavos) == (tuple(range(1, 11)), 10000)
    # In carência since Saturday: nobody is called.
    assert find_calls(make_position([entry(1, "10.00", "2026-03-14")])).pessoas == ()


def test_small_amounts_are_left_out_and_the_largest_comes_first() -> None:
    entries = [entry(1, "600.00", "2026-03-02"), entry(2, "499.99", "2026-03-20")]
    rows = records(build_to_do(view_of(make_position(entries))))
    # F1 600.00; F2 600.00 + 499.99, one overdue and one to come, both without a charge.
    assert [(row["Regra"], row["Valor"]) for row in rows] == [("F2", Decimal("1099.99")), ("F1", Decimal("600.00"))]
    assert rows[0]["Frase"] == "Emitir cobrança: 1 vencido e 1 a vencer em 7 dias sem cobrança"
    high = make_position(entries, parametros=Parametros(fazer_minimo=Decimal("700.00")))
    assert [row["Regra"] for row in records(build_to_do(view_of(high)))] == ["F2"]


def find_forgotten(position: Position) -> tuple[int, ...]:
    return find_by_rule(position)["Q33"].ids


def test_forgotten_ones_of_both_sides_are_told_apart() -> None:
    entries = [
        entry(1, "-900.00", "2026-02-05", grupo_id=7), entry(2, "-900.00", "2026-03-05", "2026-03-05", grupo_id=7),
        entry(3, "850.00", "2026-02-05", grupo_id=8), entry(4, "850.00", "2026-03-05", "2026-03-05", grupo_id=8),
    ]  # fmt: skip
    position = make_position(entries)
    view = view_of(position, findings=find_all(position).findings)
    found = next(row for row in records(build_to_do(view)) if row["Regra"] == "F3")
    assert found["Valor"] == Decimal("1750.00")
    assert found["Frase"].endswith("esquecida: 1 a receber R$ 850,00 · 1 a pagar R$ 900,00")
    # A scope has the findings of the whole, and to do what of them lies in it.
    part = records(build_to_do(view_of(make_position(entries[:2]), findings=view.findings)))
    assert next(row["Valor"] for row in part if row["Regra"] == "F3") == Decimal("900.00")


def test_a_forgotten_instalment_of_a_series() -> None:
    series: dict[str, Any] = {"grupo_id": 7, "periodicidade": "M1", "categoria_id": 22, "descricao": "Folha"}
    entries = [entry(1, "-900.00", "2026-02-05", **series), entry(2, "-900.00", "2026-03-05", "2026-03-05", **series)]
    position = make_position(entries)
    assert find_forgotten(position) == (1,)
    findings = find_all(position).findings
    rows = {row["Regra"]: row for row in records(build_to_do(view_of(position, findings=findings)))}
    assert rows["F3"]["Frase"] == "Conferir «Folha» de 05/02/2026 em aberto há 39 dias: uma posterior já foi paga"
    # Thirty days are not more than thirty; and the later one must be paid.
    assert find_forgotten(make_position([{**entries[0], "data_vencimento": "2026-02-14"}, entries[1]])) == ()
    assert find_forgotten(make_position([entries[0], {**entries[1], "data_pagamento": None}])) == ()


def test_a_forgotten_payable_without_a_series() -> None:
    rent = [entry(n, "-100.00", f"2026-0{month}-05", paid, categoria_id=21)
            for n, month, paid in ((1, 1, None), (2, 2, "2026-02-05"), (3, 3, "2026-03-05"))]  # fmt: skip
    assert find_forgotten(make_position(rent)) == (1,)
    assert find_forgotten(make_position(rent[:2])) == ()  # two months are no habit
    assert find_forgotten(make_position([{**row, "valor": "100.00"} for row in rent])) == ()  # payables only
    other = {**rent[2], "pessoa_id": 502}
    assert find_forgotten(make_position([rent[0], rent[1], other])) == ()


def test_what_the_bank_announced_for_later_waits() -> None:
    def position(announced: str | None, status: str) -> Any:
        charge = {"id": 1, "valor": "80.00", "valor_pago": "80.00", "lancamento_ids": "1", "status_descricao": status,
                  "data_vencimento": "2026-03-10", "data_a_transferir": announced}  # fmt: skip
        return make_position([entry(1, "80.00", "2026-03-10")], cobrancas=[charge])

    for announced, status, now in (
        ("2026-03-16", "Cliente pagou", False), ("2026-03-15", "Transferindo", True), (None, "Cliente pagou", True),
        ("2026-03-20", "Transferido", True),
    ):  # fmt: skip
        found, waiting = find_unsettled(position(announced, status))
        assert (found["titulo_id"].tolist(), waiting["titulo_id"].tolist()) == (([1], []) if now else ([], [1]))


def test_payments_that_the_worst_projection_does_not_cover() -> None:
    conta = Conta(101, valor_saldo_inicial=Decimal("100.00"), data_saldo_inicial=None)
    entries = [
        entry(1, "-60.00", "2026-03-17"), entry(2, "-50.00", "2026-03-19"), entry(3, "-5.00", "2026-03-30"),
        entry(4, "90.00", "2026-03-20"),
    ]  # fmt: skip
    view = view_of(make_position(entries, contas=[conta]))
    # 100 - 60 - 50 = -10 on the 19th; the 90.00 of the 20th comes late.
    assert find_payments(view.position, view.series, ())["titulo_id"].tolist() == [2]
    high = make_position(entries, contas=[conta], parametros=Parametros(saldo_minimo=Decimal("50.00")))
    view = view_of(high)
    assert find_payments(high, view.series, ())["titulo_id"].tolist() == [1, 2]


def test_findings_to_tidy_up_are_added() -> None:
    findings = [
        Finding("Q01", "Sem categoria", "alerta", 2, sides("100.00", "400.00"), (1, 2), "", ""),
        Finding("Q21", "Jeito", "alerta", 1, sides("400.00", "0.00"), (30,), "", ""),
        Finding("Q03", "Sem pessoa", "alerta", 9, sides("9000.00", "0.00"), (), "", ""),
    ]
    (row,) = records(build_to_do(view_of(make_position([]), findings=findings)))
    assert (row["Regra"], row["Qtde"], row["Valor"]) == ("F6", 3, Decimal("900.00"))  # gross: never 400 - 300
    assert row["Frase"] == "Arrumar dados: sem categoria (2); jeito (1)"
