"""What is late and in no line of projection (S26), each título by hand; D is Monday, 16/03/2026."""

from __future__ import annotations

from datetime import date
from typing import Any

from lastro.analysis.arrears import Arrears
from lastro.reports.facts import BankFacts, DeskFacts
from lastro.reports.shared.headline import tell_arrears, tell_beside
from lastro.settings import Parametros
from lastro.transform.scenarios import AS_BOOKED, CODES, Decided, Promised
from tests.unit.reports.positions import COBRANCA, make_position
from tests.views import view_of


def entry(number: int, valor: str, due: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "conta_id": 101, "categoria_id": 21 if valor[0] == "-" else 11, "pessoa_id": 501, "valor": valor,
        "data_vencimento": due, "data_competencia": due, **more,
    }  # fmt: skip


PAID = [entry(n, "10.00", "2026-02-02", data_pagamento="2026-02-12") for n in (90, 91, 92)]
"""501 paid ten days late; with 11 to 16, open for 18, 6, 17, 14 and 13 days, that makes 4310 / 330 = 13."""
CHARGE = {**COBRANCA, "id": 9, "valor": "70.00", "valor_pago": "70.00", "status_descricao": "Cliente pagou",
          "lancamento_ids": "14", "data_vencimento": "2026-03-02"}  # fmt: skip
COMPANY = (
    entry(1, "-100.00", "2026-01-05"),  # nobody decided
    entry(2, "-200.00", "2026-03-13"),  # due on Friday
    entry(3, "-0.50", "2026-02-01"),
    entry(4, "-400.00", "2026-03-02"),  # decided
    entry(5, "-800.00", "2026-03-02"),  # the bank paid it
    entry(6, "-1600.00", "2026-03-02"),  # answered at the desk
    entry(7, "-3200.00", "2026-03-16"),  # due on D
    entry(8, "-6400.00", "2026-03-02", data_pagamento="2026-03-05"),  # paid
    entry(9, "-12800.00", "2026-03-02", lancamento_transferencia_id=10),
    entry(10, "12800.00", "2026-03-02", lancamento_transferencia_id=9),
    entry(11, "30.00", "2026-02-26"),  # thirteen days late were over on the 11th
    entry(12, "50.00", "2026-03-10"),  # comes on the 23rd by habit
    entry(13, "60.00", "2026-02-27"),  # 20.00 of it are promised
    entry(14, "70.00", "2026-03-02"),  # its charge is paid
    entry(15, "80.00", "2026-03-03", categoria_id=30),  # out of the result, as are advances of a factoring
    entry(16, "90.00", "2026-03-03"),  # the bank received it
    entry(17, "-25600.00", "2025-03-03", data_competencia="2026-03-03"),  # the year looks mistyped
    entry(18, "100.00", "2025-03-03", data_competencia="2026-03-03"),
    *PAID,
)


def of_company(**desk: Any) -> Arrears:
    position = make_position(COMPANY, cobrancas=[CHARGE], parametros=Parametros(dre_mapa={30: "fora"}))
    bank = BankFacts(movidos={5: "o banco pagou em 03/03", 16: "o banco recebeu em 04/03"})
    return view_of(position, mesas=DeskFacts(**desk), banco=bank).arrears


def test_nobody_decided_about_what_is_late_and_no_line_counts_it() -> None:
    promised = (Promised(None, 13, date(2026, 3, 25), 20_00),)
    decided = (Decided(4, date(2026, 3, 20)),)
    found = of_company(decisoes=decided, promessas=promised, respostas={6: "pago", 1: "devo"})
    assert found.a_pagar.to_dict() == {1: -100_00, 2: -200_00, 3: -50}
    assert found.a_receber.to_dict() == {11: 30_00, 13: 40_00}
    assert (found.pagar, found.receber) == (-300_50, 70_00)


def test_each_line_of_projection_leaves_out_what_is_late_in_its_own_way() -> None:
    """To pay 100.00, 200.00, 0.50 and 400.00, which is decided; to come 30.00, 50.00, 60.00 and 70.00, 20.00 promised.

    By habit 50.00 come, and the 70.00 of a paid charge.
    """
    promised = (Promised(None, 13, date(2026, 3, 25), 20_00),)
    told = {6: "pago", 1: "devo"}
    found = of_company(decisoes=(Decided(4, date(2026, 3, 20)),), promessas=promised, respostas=told)
    assert {name: found.leave_out(name) for name in CODES} == {
        "No vencimento": (700_50, 400_00, 210_00, 20_00),
        "Plano": (300_50, 0, 190_00, 0),
        "Como os clientes pagam": (700_50, 400_00, 90_00, 20_00),
        "Pagando já o atrasado": (0, 0, 210_00, 20_00),
    }
    # Deciding and promising take nothing out of a line that does not hold what was decided.
    assert of_company(respostas=told).leave_out("No vencimento") == (700_50, 0, 210_00, 0)
    today, plan, booked = date(2026, 3, 16), found.leave_out("Plano"), found.leave_out("No vencimento")
    assert tell_arrears(plan) == "além disso 301 atrasados a pagar sem decisão e 190 atrasados a receber"
    assert tell_beside(AS_BOOKED, booked, today) == (
        "sem 701 atrasados a pagar (400 já decididos) e 210 atrasados a receber (20 prometidos)"
    )


def test_without_a_desk_all_that_is_late_and_not_proven_is_arrears() -> None:
    found = of_company()
    assert (found.pagar, found.receber) == (-100_00 - 200_00 - 50 - 400_00 - 1600_00, 30_00 + 60_00)


def test_a_late_receivable_that_is_typed_to_be_paid_is_in_no_line_and_the_one_due_today_is() -> None:
    """Of 3 of March, typed for the 20th (Q43): neither the headline nor the habits count it; that of D they do."""
    typed = [("2026-03-03", "100.00"), ("2026-03-16", "7.00")]
    entries = [entry(n, valor, due, data_pagamento="2026-03-20") for n, (due, valor) in enumerate(typed, 1)]
    view = view_of(make_position([*entries, *PAID]))
    last = date(2026, 3, 31)
    assert (view.series.balance(last) or 0) - (view.series.balance(date(2026, 3, 16)) or 0) == 7_00
    assert [line.difference_until(last) for line in view.lines] == [0] * len(view.lines)
    assert view.arrears.receber == 0  # it is asked about, not added up


def test_nothing_late_says_nothing() -> None:
    nothing = view_of(make_position([entry(1, "-5.00", "2026-03-16")])).arrears.leave_out("No vencimento")
    assert (tell_arrears(nothing), tell_beside(AS_BOOKED, nothing, date(2026, 3, 16))) == ("", "")
