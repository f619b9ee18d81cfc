"""R08 Contas a pagar: overdue and coming amounts, by supplier, and whether each account covers them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.cash_series import CashSeries
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Value
from lastro.grid.pivot import build_section, build_total, show_row
from lastro.grid.sections import Mark, Section
from lastro.grid.tables import Column, Table, id_columns
from lastro.grid.words import WEEKDAYS
from lastro.grid.workbook import Family, Report
from lastro.money import decimal_or_none, format_brl, to_decimal
from lastro.reports.shared.open_items import (
    TOP_PEOPLE,
    build_charts,
    build_detail,
    build_faixas,
    build_forward,
    build_people,
    select_open,
)
from lastro.reports.spec import ReportSpec
from lastro.transform.position import FAIXA_KEYS

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

AGENDA_DAYS = 15
AGENDA_COLUMNS = (
    Column("Data", Kind.DATE, "dia em que se paga: o dia útil em que o título se projeta", key="dia"),
    Column("Dia", Kind.TEXT, width=7, key="dia_da_semana"),
    Column("Conta", Kind.TEXT),
    Column(
        "Saldo antes",
        Kind.MONEY,
        "saldo: não se soma entre dias, semanas ou meses; da conta antes de pagar o dia",
        undefined=True,
    ),
    Column("A pagar", Kind.MONEY, "soma a pagar, negativa"),
    Column(
        "Saldo depois",
        Kind.MONEY,
        "saldo: não se soma entre dias, semanas ou meses; da conta depois de pagar o dia",
        alert="saldo",
        undefined=True,
    ),
    Column("Cobre?", Kind.TEXT, "Sim se o saldo da conta cobre o dia; Não se fica negativo", width=18),
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
    of_bands, bands, totals = build_faixas(
        abertos,
        "a_pagar_faixas",
        "R08: contas a pagar por faixa de atraso (S8)",
        "R08: o total e o vencido, com e sem carência (S8)",
        receivable=False,
    )
    comment = "R08: contas a pagar não vencidas por prazo (S8)"
    by_term, terms = build_forward(abertos, "a_pagar_a_vencer", comment, receivable=False)
    comment = "R08: contas a pagar por pessoa e faixa, 20 maiores e demais"
    people = build_people(position, abertos, "a_pagar_pessoas", comment)
    title = f"Por pessoa: {TOP_PEOPLE} maiores e demais"
    of_people = build_section(people, total_of=(*FAIXA_KEYS, "total"), title=title)
    by_day, agenda = _build_agenda(position, view.series, abertos)
    comment = "R08: um título a pagar em aberto por linha; valores negativos (S5)"
    listed, titulos = build_detail(position, view.entries, abertos, "a_pagar", comment, view.facts.mesas.decididos)
    return SPEC.report(
        sections=(of_bands, by_day, of_people, by_term, listed),
        tables=(bands, terms, people, agenda, titulos, totals),
        charts=build_charts(people, "A pagar", after=people.name),
    )


def _build_agenda(position: Position, series: CashSeries, abertos: pd.DataFrame) -> tuple[Section, Table]:
    """List the payments of D to D+14 by projected date and account (S4), against the account's balance.

    `Saldo antes` is the projected closing of the eve (on D the realised balance), as in R01 and R02.
    """
    day = position.data_base
    last = pd.Timestamp(day + timedelta(days=AGENDA_DAYS - 1))
    due = abertos[abertos["data_projetada"].notna() & (abertos["data_projetada"] <= last)]
    sums = due.groupby(["data_projetada", "conta_id"], dropna=False, as_index=False)[["valor_centavos"]].sum()
    sums = sums.sort_values(["data_projetada", "conta_id"])
    places = {account.conta_id: place for place, account in enumerate(series.accounts)}
    payments: list[tuple[Value, ...]] = []
    marks: list[frozenset[Mark]] = []
    for stamp, conta, to_pay in records_of(sums, "data_projetada", "conta_id", "valor_centavos"):
        place = places[conta]
        today = stamp.date() == day
        eve = stamp.date() if today else stamp.date() - timedelta(days=1)
        before = series.balance(eve, place, realised_only=today)
        after = None if before is None else before + to_pay
        payments.append(
            (
                stamp.date(),
                WEEKDAYS[stamp.weekday()],
                position.rotulos.conta(conta),
                decimal_or_none(before),
                to_decimal(to_pay),
                decimal_or_none(after),
                _covers(series, place, after),
                conta,
            )
        )
        closed = () if position.calendario.is_business_day(stamp.date()) else (Mark.NON_BUSINESS_DAY,)
        marks.append(frozenset({Mark.TODAY, *closed} if today else closed))
    comment = "R08: agenda de pagamentos dos próximos 15 dias por data e conta"
    table = Table("a_pagar_agenda", AGENDA_COLUMNS, payments, comment)
    rows = [show_row(AGENDA_COLUMNS, cells, marks=own) for cells, own in zip(table.rows, marks, strict=True)]
    if rows:
        rows.append(build_total(AGENDA_COLUMNS, rows, "Total", only=("a_pagar",)))
    overdue = int(abertos.loc[abertos["vencido"] & abertos["data_projetada"].isna(), "valor_centavos"].sum())
    notes = ["Saldo antes: saldo projetado da conta na véspera, entradas previstas até a véspera incluídas."]
    if overdue:
        notes.append(f"Vencidos a pagar fora desta agenda: {format_brl(to_decimal(overdue))}.")
    title = f"Agenda de pagamentos: próximos {AGENDA_DAYS} dias"
    return Section(table.name, AGENDA_COLUMNS, tuple(rows), title=title, notes=tuple(notes)), table


def _covers(series: CashSeries, place: int, after: int | None) -> str:
    """Say whether the balance covers the payments; without an opening balance nobody can know (S7)."""
    account = series.accounts[place]
    if account.cartao:
        return "Cartão"
    if account.provisoria or after is None:
        return "Sem saldo inicial"
    return "Sim" if after >= 0 else "Não"


SPEC: Final = ReportSpec(
    code="R08",
    name="a_pagar",
    title="Contas a pagar",
    question="O que está atrasado, o que vem pela frente e com quem?",
    family=Family.OPEN,
    build=build_r08,
    keys={
        "a_pagar_faixas": ("faixa",),
        "a_pagar_faixas_total": ("codigo",),
        "a_pagar_a_vencer": ("vence_em_dias",),
        "a_pagar": ("titulo_id",),
    },
    totalled=True,
)
