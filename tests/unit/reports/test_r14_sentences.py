"""What changed in sentences (R14): a series once, each changed linha once, the horizon first."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from lastro.grid.cells import Link
from lastro.grid.workbook import Report
from lastro.reports.r14_changes import SPEC as R14
from lastro.reports.r14_changes import TOP
from lastro.transform.position import Position
from tests.unit.reports.compared_runs import A
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import records, section, table
from tests.views import check_reports, view_of

BASE = {"conta_id": 101, "categoria_id": 21, "valor": "-100.00"}


def entry(number: int, due: str, paid: str | None = None, **more: Any) -> dict[str, Any]:
    named = {"descricao": f"Nota {number}", **BASE, **more}
    return {"id": number, "data_vencimento": due, "data_pagamento": paid, **named}


def compared(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> tuple[Position, Report]:
    """Report of 16/03, a Monday, compared with that of Friday 27/02."""
    position = make_position(now)
    return position, R14.build(view_of(position, before=make_position(before, data_base=A, data_extracao=A)))


def told(report: Report) -> list[tuple[str, Decimal | None, int]]:
    return [(row["O que mudou"], row["Valor"], row["Linhas"]) for row in records(table(report, "mudancas_resumo"))]


def test_a_series_is_one_sentence_whatever_became_of_its_parts() -> None:
    def part(number: int, due: str, **more: Any) -> dict[str, Any]:
        return entry(number, due, grupo_id=7, descricao="Retirada dos sócios", **more)

    before = [part(1, "2026-03-20"), part(2, "2026-04-20"), part(3, "2026-03-02")]
    after = [part(1, "2026-03-20", valor="-130.00"), part(3, "2026-03-02", paid="2026-03-02")]
    after += [part(number, f"2026-{number:02d}-20") for number in range(5, 12)]
    position, report = compared(before, after)
    assert told(report) == [
        # 7 new of 100, one of 100 gone, one dearer by 30.
        (
            "Retirada dos sócios: 1 parcela excluída, 7 parcelas novas, 1 parcela com outro valor, mar/26 a nov/26",
            Decimal("-630.00"),
            9,
        ),
        ("Pago: 1 lançamento", Decimal("-100.00"), 1),
    ]
    (first, second) = records(table(report, "mudancas_resumo"))
    assert (first["No horizonte"], first["De"], first["Até"]) == (True, date(2026, 3, 20), date(2026, 11, 20))
    assert (first["Tipo"], first["Grupo id"], first["Impacto no aberto"]) == ("EXCLUIDO", 7, Decimal("-630.00"))
    assert (second["Tipo"], second["Grupo id"], second["Impacto no aberto"]) == ("PAGO", None, Decimal("100.00"))
    # It leads to the largest of its parts that still exist.
    assert records(section(report, "mudancas_resumo"))[0]["Lançamento"] == Link(
        1, sheet="Lançamentos", key="titulo_id=1"
    )
    assert check_reports("V17", position, report).situacao == "ok"


WORDS: tuple[tuple[dict[str, Any] | None, dict[str, Any] | None, str, str], ...] = (
    (None, entry(1, "2026-04-01"), "lançamento novo, vence em 01/04/2026", "-100.00"),
    (entry(2, "2026-04-01"), None, "lançamento excluído, vencia em 01/04/2026", "100.00"),
    (entry(3, "2026-04-01"), entry(3, "2026-04-01", valor="-90.00"), "valor de -R$ 100,00 para -R$ 90,00", "10.00"),
    (entry(4, "2026-04-01"), entry(4, "2026-04-02"), "vencimento de 01/04/2026 para 02/04/2026", "-100.00"),
    (entry(5, "2026-02-20", "2026-02-20"), entry(5, "2026-02-20"), "baixa desfeita, venceu em 20/02/2026", "-100.00"),
)


def test_the_words_for_one_entry() -> None:
    _, report = compared([then for then, *_ in WORDS if then], [here for _, here, *_ in WORDS if here])
    wanted = {(f"Nota {number}: {words}", Decimal(valor), 1) for number, (*_, words, valor) in enumerate(WORDS, 1)}
    assert wanted <= set(told(report))


def test_the_horizon_comes_first_then_what_was_settled_then_what_fell_due() -> None:
    before = [entry(1, "2026-03-12"), entry(2, "2026-03-13"), entry(3, "2026-03-14"), entry(4, "2026-03-01")]
    after = [
        entry(1, "2026-03-12", "2026-03-12"),
        entry(2, "2026-03-13"),  # Friday: overdue
        entry(3, "2026-03-14"),  # Saturday: today it can be paid without charges
        entry(4, "2026-03-01", "2026-03-02", valor="55.00"),
        entry(5, "2027-03-01", valor="-9000.00"),
        entry(6, "2026-04-29", valor="-1.00"),  # D+44
        entry(7, "2026-03-10", "2026-03-10", valor="5.00"),  # booked as received
    ]
    _, report = compared(before, after)
    assert told(report) == [
        ("Nota 6: lançamento novo, vence em 29/04/2026", Decimal("-1.00"), 1),
        ("Pago: 1 lançamento", Decimal("-100.00"), 1),
        ("Recebido: 2 lançamentos, 1 deles novo", Decimal("60.00"), 2),
        ("Venceu e não foi pago: 1 título", Decimal("-100.00"), 1),
        ("Nota 5: lançamento novo, vence em 01/03/2027", Decimal("-9000.00"), 1),
    ]


def test_beyond_the_largest_there_is_one_sentence_per_kind() -> None:
    kept = [entry(100, "2026-05-01"), entry(101, "2026-05-01")]
    after = [entry(number, "2026-04-01", valor=f"-{number}.00") for number in range(1, TOP + 4)]
    after += [entry(100, "2026-05-01", documento="NF 1"), entry(101, "2026-05-01", lancamento_transferencia_id=9)]
    position, report = compared(kept, after)
    assert told(report)[TOP:] == [
        ("Demais: 3 lançamentos novos", Decimal("-6.00"), 3),  # 1 + 2 + 3
        ("Demais: 1 lançamento alterado", Decimal("0.00"), 1),
        ("Transferências entre contas: 1 lançamento", None, 1),
    ]
    assert check_reports("V17", position, report).situacao == "ok"
