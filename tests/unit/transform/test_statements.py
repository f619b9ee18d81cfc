"""V19 says which accounts agree with their statements, which do not, and which were not looked at lately."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from lastro.settings import Conta, SaldoConferido
from lastro.transform.openings import list_configured
from tests.bare import store_statements
from tests.unit.reports.positions import make_golden
from tests.views import check_reports


def check(*saldos: tuple[int, str, str]) -> tuple[str, str]:
    contas = [
        Conta(conta_id, saldos_conferidos=(SaldoConferido(date.fromisoformat(day), Decimal(valor)),))
        for conta_id, day, valor in saldos
    ]
    position = replace(make_golden(), extrato_saldos=store_statements(list_configured(contas), set()))
    result = check_reports("V19", position)
    return result.situacao, result.detalhe


def test_states_stand_in_the_detail_of_v19() -> None:
    assert check((101, "2026-02-28", "7900.00"), (102, "2026-02-08", "2000.00")) == (
        "ok", "Confere: conta 101; Desatualizada: conta 102; 2 comparações",
    )  # fmt: skip
    situacao, detalhe = check((101, "2026-02-28", "7900.01"))
    assert situacao == "falhou"
    assert detalhe.startswith("Não confere: conta 101; Sem conferência: conta 102; 1 comparação; conta 101")
    assert check() == ("não se aplica", "nenhum saldo conferido")
