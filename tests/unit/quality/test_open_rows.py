"""What `prova` derives of a título that is open, by hand, and that V06 condemns no ladder, rate or charge."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lastro.quality.runner import open_room
from lastro.reports.r08_payables import SPEC as R08
from lastro.reports.r09_receivables import SPEC as R09
from lastro.reports.r10_overdue import SPEC as R10
from lastro.settings import EtapaRegua, Parametros
from lastro.transform.position import Position
from tests.unit.reports.positions import make_position
from tests.views import check_reports, view_of

DUE = ("2026-03-13", "2026-03-06", "2025-12-01", "2026-03-19", "2026-03-30")
"""Before Monday 16/03/2026: the Friday, ten days, and more than a hundred; three days and two weeks ahead."""
LADDER = (EtapaRegua("Contato até 5", 0), EtapaRegua("A até 3, B", 10), EtapaRegua("« até »", None))


def _entry(number: int, valor: str, day: str) -> dict[str, Any]:
    return {"id": number, "valor": valor, "conta_id": 101, "pessoa_id": 501, "data_vencimento": day}


def _owe(**more: Any) -> Position:
    """Of each day a receivable of one real (1 to 5) and a payable of one (11 to 15)."""
    entries = [_entry(number, "1.00", day) for number, day in enumerate(DUE, 1)]
    entries += [_entry(number, "-1.00", day) for number, day in enumerate(DUE, 11)]
    return make_position(entries, **more)


def _derive(position: Position, what: str) -> dict[int, Any]:
    answer = open_room(position).ask(f"SELECT titulo_id, {what} FROM prova.abertos ORDER BY titulo_id")  # noqa: S608
    assert answer is not None
    return dict(answer[1])


def test_estimates_are_rounded_half_up_on_both_sides() -> None:
    """Of a real half a percent is half a centavo, 3 % a month over ten days one, over 105 days ten and a half."""
    rates = {"receber": Decimal("0.5"), "pagar": Decimal("0.499999")}
    monthly = {"receber": Decimal(3), "pagar": Decimal(3)}
    position = _owe(parametros=Parametros(multa_pct=rates, juros_pct_mes=monthly))
    multa, juros = _derive(position, "multa_est"), _derive(position, "juros_est")
    assert [multa[number] for number in (1, 2, 4, 11, 12)] == [
        Decimal(text) for text in ("0.01", "0.01", "0", "0", "0")
    ]
    assert [juros[number] for number in (2, 3, 12, 13)] == [
        Decimal(text) for text in ("0.01", "0.11", "-0.01", "-0.11")
    ]


def test_a_ladder_is_read_whatever_its_steps_are_called() -> None:
    position = _owe(parametros=Parametros(regua=LADDER))
    assert _derive(position, "etapa") == {1: 4, 2: 4, 3: 5, 4: 2, 5: 0, **dict.fromkeys(range(11, 16))}
    view = view_of(position)
    assert not check_reports("V06", position, *(report.build(view) for report in (R08, R09, R10))).failed


CHARGES: dict[int, tuple[dict[str, Any], tuple[int, str, str, str]]] = {
    101: ({"data_vencimento": "2026-03-20"}, (0, "0", "0", "Pendente")),
    102: ({"data_vencimento": "2026-03-19"}, (2, "0", "0", "Pendente")),
    103: ({"data_vencimento": "2026-03-14"}, (3, "0", "0", "Pendente")),  # a Saturday: payable today
    104: ({"data_vencimento": "2026-03-06"}, (4, "0.02", "0.01", "Pendente")),
    105: ({"data_vencimento": "2026-03-06", "cobrar_juros": 0}, (4, "0.02", "0", "Pendente")),
    106: ({"data_vencimento": "2026-03-06", "percentual_multa": "5"}, (4, "0.05", "0.01", "Pendente")),
    107: (
        {"data_vencimento": "2026-03-06", "status_descricao": "Cliente pagou"},
        (1, "0.02", "0.01", "cobrança consta paga (Cliente pagou)"),
    ),
    108: (
        {"data_vencimento": "2026-03-20", "data_cancelamento": "2026-03-11"}, (4, "0.02", "0.01", "sem cobrança")
    ),
}  # fmt: skip
"""Título due ten days ago -> its charge, and its step, fine, interest and what is said of its charge."""


def test_with_a_charge_the_days_count_from_its_own() -> None:
    """2 % and, over ten days at 3 % a month, 1 %, unless the charge says otherwise."""
    rates = Parametros(juros_pct_mes={"receber": Decimal(3), "pagar": Decimal(0)}, regua=LADDER)
    usual = {"valor": "1.00", "status_descricao": "Pendente"}
    charges = [
        {"id": 9000 + number, "lancamento_ids": f"{number}", **usual, **own} for number, (own, _) in CHARGES.items()
    ]
    entries = [_entry(number, "1.00", "2026-03-06") for number in CHARGES]
    position = make_position(entries, cobrancas=charges, parametros=rates)
    found = {name: _derive(position, name) for name in ("etapa", "multa_est", "juros_est", "cobranca")}
    for number, (_, (etapa, multa, juros, cobranca)) in CHARGES.items():
        told = tuple(found[name][number] for name in found)
        assert told == (etapa, Decimal(multa), Decimal(juros), cobranca), number
    view = view_of(position)
    assert not check_reports("V06", position, *(report.build(view) for report in (R08, R09, R10))).failed
