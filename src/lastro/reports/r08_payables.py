"""R08 Contas a pagar: overdue and coming amounts, by supplier, and whether each account covers them.

Amounts are negative in every column.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.cash_series import CashSeries
from lastro.analysis.frames import records_of
from lastro.grid.prints import Columns, Print, Remark
from lastro.grid.tables import Alert
from lastro.grid.words import WEEKDAYS
from lastro.grid.workbook import Family
from lastro.reports.printing import mark_days
from lastro.reports.shared.open_items import (
    EFFECTIVE_NOTE,
    PAYABLE,
    declare_bands,
    declare_people,
    declare_terms,
    declare_titulos,
    plot_people,
    select_open,
    show_titulos,
)
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

AGENDA_DAYS: Final = 15


def list_agenda(view: View) -> Columns:
    """List the payments of D to D+14 by projected date and account (S4), against the account's balance.

    `saldo_antes` is the projected closing of the eve (on D the realised balance), as in R01 and R02.
    """
    position, series = view.position, view.series
    today, open_ = position.data_base, view.once(select_open, "P")
    due = open_[open_["data_projetada"] <= pd.Timestamp(today + timedelta(days=AGENDA_DAYS - 1))]
    sums = due.groupby(["data_projetada", "conta_id"], dropna=False, as_index=False)[["valor_centavos"]].sum()
    sums = sums.sort_values(["data_projetada", "conta_id"])
    places = {account.conta_id: place for place, account in enumerate(series.accounts)}
    days, accounts, to_pay = zip(*records_of(sums, *sums.columns), strict=True) if len(sums) else ((), (), ())
    days = tuple(stamp.date() for stamp in days)
    before = [
        series.balance(day if day == today else day - timedelta(days=1), places[conta], realised_only=day == today)
        for day, conta in zip(days, accounts, strict=True)
    ]
    after = [None if start is None else start + paid for start, paid in zip(before, to_pay, strict=True)]
    return {
        "dia": days,
        "dia_da_semana": [WEEKDAYS[day.weekday()] for day in days],
        "conta": [position.rotulos.conta(conta) for conta in accounts],
        "saldo_antes": before,
        "a_pagar": to_pay,
        "saldo_depois": after,
        "cobre": [_covers(series, places[conta], left) for conta, left in zip(accounts, after, strict=True)],
        "conta_id": accounts,
    }


def _covers(series: CashSeries, place: int, after: int | None) -> str:
    """Say whether the balance covers the payments; without an opening balance nobody can know (S7)."""
    account = series.accounts[place]
    if account.cartao:
        return "Cartão"
    if account.provisoria or after is None:
        return "Sem saldo inicial"
    return "Sim" if after >= 0 else "Não"


BANDS, PARTS = declare_bands(PAYABLE, "com e sem carência", EFFECTIVE_NOTE)
TERMS: Final = declare_terms(PAYABLE)
PEOPLE: Final = declare_people(PAYABLE)
_BALANCE: Final = "saldo: não se soma entre dias, semanas ou meses; da conta {} de pagar o dia"
AGENDA: Final = Print(
    "a_pagar_agenda",
    "R08: agenda de pagamentos dos próximos 15 dias por data e conta",
    list_agenda,
    about={
        "dia": "dia em que se paga: o dia útil em que o título se projeta",
        "saldo_antes": _BALANCE.format("antes"),
        "a_pagar": "soma a pagar, negativa",
        "saldo_depois": _BALANCE.format("depois"),
    },
    widths={"dia_da_semana": 7, "cobre": 18},
    alerts={"saldo_depois": Alert.SALDO},
    undefined=("saldo_antes", "saldo_depois"),
    title=f"Agenda de pagamentos: próximos {AGENDA_DAYS} dias",
    total=("a_pagar",),
    marks=mark_days("dia"),
    notes=(
        "Saldo antes: saldo projetado da conta na véspera, entradas previstas até a véspera incluídas.",
        Remark("Vencidos a pagar fora desta agenda: {}.", PARTS.name, "vencido"),
    ),
)
TITULOS: Final = declare_titulos(
    PAYABLE,
    "um título a pagar em aberto por linha; valores negativos (S5)",
    "o que falta pagar do título, negativo; juros estimados fora",
    used=("decisao", "aviso"),
)
SPEC: Final = ReportSpec(
    code="R08",
    name="a_pagar",
    title="Contas a pagar",
    question="O que está atrasado, o que vem pela frente e com quem?",
    family=Family.OPEN,
    tables=(BANDS, TERMS, PEOPLE, AGENDA, TITULOS, PARTS),
    sections=(BANDS, AGENDA, PEOPLE, TERMS, partial(show_titulos, TITULOS)),
    charts=(plot_people(PEOPLE, "A pagar", PEOPLE.name),),
)
