"""R08 Contas a pagar: what is late, what is coming, with whom, and whether each account covers it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.cash_series import CashSeries, money
from lastro.analysis.frames import records_of
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.coded import detail_table
from lastro.grid.model import (
    Column,
    Family,
    Mark,
    Printing,
    Report,
    Row,
    Section,
    Style,
    id_columns,
    summary_table,
    table_of,
)
from lastro.grid.words import WEEKDAYS
from lastro.money import format_brl, to_decimal
from lastro.reports.open_items import build_charts, build_detail, build_faixas, build_forward, build_people, select_open
from lastro.reports.spec import Part, ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

AGENDA_DAYS = 15
AGENDA_COLUMNS = (
    Column("Data", Kind.DATE, key="dia"),
    Column("Dia", Kind.TEXT, width=7, key="dia_da_semana"),
    Column("Conta", Kind.TEXT),
    Column("Saldo antes", Kind.MONEY),
    Column("A pagar", Kind.MONEY),
    Column("Saldo depois", Kind.MONEY, alert="saldo"),
    Column("Cobre?", Kind.TEXT, width=18),
    *id_columns("conta_id"),
)


def build_r08(view: View) -> Report:
    """Build R08: open payables, negative in every column.

    Returns:
        Sections `a_pagar_faixas`, `a_pagar_a_vencer`, `a_pagar_pessoas`, `a_pagar_agenda` and the detail `a_pagar`; a
        table for each. A chart by person.
    """
    position = view.position
    abertos = select_open(position, "P")
    faixas = build_faixas(abertos, "a_pagar_faixas", charges=False)
    forward = build_forward(abertos, "a_pagar_a_vencer")
    people = build_people(position, abertos, "a_pagar_pessoas")
    agenda = _build_agenda(position, view.series, abertos)
    detail = build_detail(position, view.entries, abertos, "a_pagar", charges=False)
    return SPEC.report(
        sections=(faixas, agenda, people, forward, detail),
        tables=(
            summary_table(faixas, "R08: contas a pagar por faixa de atraso (S8)"),
            summary_table(forward, "R08: contas a pagar não vencidas por prazo (S8)"),
            summary_table(people, "R08: contas a pagar por pessoa e faixa, 20 maiores e demais"),
            table_of(agenda, "R08: agenda de pagamentos dos próximos 15 dias por data e conta"),
            detail_table(detail, "R08: um título a pagar em aberto por linha; valores negativos (S5)"),
        ),
        charts=build_charts(people, "A pagar"),
    )


def _build_agenda(position: Position, series: CashSeries, abertos: pd.DataFrame) -> Section:
    """List the payments of D to D+14 by projected date and account (S4), against the account's balance.

    `Saldo antes` is the projected closing of the eve (on D the realised balance), as in R01 and R02.
    """
    day = position.data_base
    last = pd.Timestamp(day + timedelta(days=AGENDA_DAYS - 1))
    due = abertos[abertos["data_projetada"].notna() & (abertos["data_projetada"] <= last)]
    sums = due.groupby(["data_projetada", "conta_id"], dropna=False, as_index=False)[["valor_centavos"]].sum()
    sums = sums.sort_values(["data_projetada", "conta_id"])
    numbers = {account.conta_id: number for number, account in enumerate(series.accounts)}
    rows = []
    for stamp, conta, to_pay in records_of(sums, "data_projetada", "conta_id", "valor_centavos"):
        number = numbers[conta]
        today = stamp.date() == day
        eve = stamp.date() if today else stamp.date() - timedelta(days=1)
        before = series.balance(eve, number, realised_only=today)
        after = None if before is None else before + to_pay
        cells: tuple[Value, ...] = (
            stamp.date(),
            WEEKDAYS[stamp.weekday()],
            position.rotulos.conta(conta),
            money(before),
            to_decimal(to_pay),
            money(after),
            _covers(series, number, after),
            conta,
        )
        marks = {Mark.TODAY} if today else set()
        if not position.calendario.is_business_day(stamp.date()):
            marks.add(Mark.NON_BUSINESS_DAY)
        rows.append(Row(cells, marks=frozenset(marks)))
    total = int(sums["valor_centavos"].sum())
    if rows:
        rows.append(
            Row((Cell("Total", Kind.TEXT), None, None, None, to_decimal(total), None, None, None), style=Style.TOTAL)
        )
    overdue = int(abertos.loc[abertos["vencido"] & abertos["data_projetada"].isna(), "valor_centavos"].sum())
    notes = ["Saldo antes: saldo projetado da conta na véspera, entradas previstas até a véspera incluídas."]
    if overdue:
        notes.append(f"Vencidos a pagar fora desta agenda: {format_brl(to_decimal(overdue))}.")
    return Section(
        "a_pagar_agenda",
        AGENDA_COLUMNS,
        tuple(rows),
        title=f"Agenda de pagamentos: próximos {AGENDA_DAYS} dias",
        notes=tuple(notes),
    )


def _covers(series: CashSeries, number: int, after: int | None) -> str:
    """Say whether the balance covers the payments; without an opening balance nobody can know (S7)."""
    account = series.accounts[number]
    if account.cartao:
        return "Cartão"
    if account.provisoria or after is None:
        return "Sem saldo inicial"
    return "Sim" if after >= 0 else "Não"


SPEC: Final = ReportSpec(
    code="R08",
    name="a_pagar",
    sheet="Pagar",
    title="Contas a pagar",
    question="O que está atrasado, o que vem pela frente e com quem?",
    family=Family.OPEN,
    build=build_r08,
    parts=(Part("Pagar títulos", "Títulos a pagar", "Que título é cada valor a pagar?", ("a_pagar",), Printing.NONE),),
    keys={
        "a_pagar_faixas": ("faixa",),
        "a_pagar_a_vencer": ("vence_em_dias",),
        "a_pagar": ("titulo_id",),
    },
    totalled=frozenset({"a_pagar_faixas", "a_pagar_a_vencer", "a_pagar_pessoas"}),
    summed=frozenset({"a_pagar_faixas", "a_pagar_a_vencer", "a_pagar_pessoas", "a_pagar_agenda"}),
)
