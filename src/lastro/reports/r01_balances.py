"""R01 Saldos por conta: how much is in each account, today and ahead?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    PROVISIONAL_NOTE,
    CashSeries,
    Flow,
    find_last_day,
    money,
    provisional_notes,
    sort_accounts,
)
from lastro.calendar import ONE_DAY
from lastro.grid.cells import UNDEFINED, Kind, Undefined, Value
from lastro.grid.model import Column, Family, Mark, Origin, Period, Report, Row, Section, Style, Table
from lastro.grid.words import column_name, format_date
from lastro.money import to_decimal
from lastro.reports.spec import ReportSpec
from lastro.transform.statements import DESATUALIZADA, VALIDADE_DIAS, StatementState, find_statement_states

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

HEADERS: Final = (
    ("Conta", Kind.TEXT),
    ("Início do controle", Kind.DATE),
    ("Saldo inicial", Kind.MONEY),
    ("Saldo em <D-1>", Kind.MONEY),
    ("Entradas do dia", Kind.MONEY),
    ("Saídas do dia", Kind.MONEY),
    ("Não operacional do dia", Kind.MONEY),
    ("Transferências do dia", Kind.MONEY),
    ("Saldo em <D>", Kind.MONEY),
    ("A realizar 7 dias", Kind.MONEY),
    ("Saldo em D+7", Kind.MONEY),
    ("A realizar 30 dias", Kind.MONEY),
    ("Saldo em D+30", Kind.MONEY),
    ("Menor saldo projetado", Kind.MONEY),
    ("Data do menor saldo", Kind.DATE),
    ("Saldo conferido", Kind.MONEY),
    ("Diferença", Kind.MONEY),
    ("Conferência", Kind.TEXT),
)
"""The header as the catalogue writes it, from which the keys derive, and its kind."""
BALANCES: Final = frozenset({"Saldo em <D-1>", "Saldo em <D>", "Saldo em D+7", "Saldo em D+30"})


def build_r01(view: View) -> Report:
    """Build the sheet Saldos.

    Credit cards (`tipo: cartao`) stand in a block of their own below "Disponível". Undefined balances add nothing to
    the totals; the lowest balance of a total is that of the summed series, not a sum.

    Returns:
        Grain conta, balance at D descending, undefined last, then id.
    """
    position, series = view.position, view.series
    day, last = position.data_base, find_last_day(position)
    checked = _find_states(position, series)
    order = sort_accounts(series)
    cells = {number: _account_cells(series, number, last, checked) for number in order}
    cards = [number for number in order if series.accounts[number].cartao]
    others = [number for number in order if number not in cards]
    rows = [_account_row(series, number, cells[number]) for number in others]
    if cards:
        rows.append(_total_row(series, others, cells, last, "Disponível", Style.SUBTOTAL))
        rows.extend(_account_row(series, number, cells[number]) for number in cards)
        rows.append(_total_row(series, cards, cells, last, "Cartões", Style.SUBTOTAL))
    rows.append(_total_row(series, order, cells, last, "Total", Style.TOTAL))
    notes = [
        f"Menor saldo projetado: o de fim de dia de {format_date(day)} a {format_date(last)}; no total, o consolidado.",
        "Diferença = saldo calculado no dia da conferência menos o saldo conferido.",
        f"Conferência: a última até a data-base; {DESATUALIZADA} quando confere e tem mais de {VALIDADE_DIAS} dias.",
        *(
            f"Saldo conferido de {series.accounts[number].descricao}: {format_date(state.data)}."
            for number in order
            if (state := checked.get(series.accounts[number].conta_id)) is not None and state.data is not None
        ),
        *provisional_notes(series),
    ]
    section = Section("saldos_por_conta", _columns(day), tuple(rows), notes=tuple(notes), names=("conta_id",))
    table = Table(
        "saldos_por_conta",
        (Column("Conta id", Kind.INTEGER), *(Column(header, kind) for header, kind in HEADERS)),
        tuple(
            (
                series.accounts[number].conta_id,
                *(None if isinstance(value, Undefined) else value for value in cells[number]),
            )
            for number in order
        ),
        "R01: um saldo por conta na data-base (S7); saldo indefinido é nulo",
    )
    return SPEC.report((section,), (table,))


def _columns(day: date) -> tuple[Column, ...]:
    printed = {
        "Saldo em <D-1>": f"Saldo em {format_date(day - ONE_DAY)}",
        "Saldo em <D>": f"Saldo em {format_date(day)}",
    }
    return tuple(
        Column(
            printed.get(header, header),
            kind,
            dense=kind is Kind.MONEY,
            width=13 if kind is Kind.TEXT and header != "Conta" else None,
            alert="saldo" if header in BALANCES else None,
            key=column_name(header),
        )
        for header, kind in HEADERS
    )


def _account_row(series: CashSeries, number: int, cells: Sequence[Value]) -> Row:
    account = series.accounts[number]
    if not account.provisoria:
        return Row(tuple(cells), key=f"conta_{account.conta_id}", origin=Origin((account.conta_id,)))
    label = f"{account.descricao} ({PROVISIONAL_NOTE})"
    marks, origin = frozenset({Mark.PROVISIONAL}), Origin((account.conta_id,))
    return Row((label, *cells[1:]), key=f"conta_{account.conta_id}", marks=marks, origin=origin)


def _account_cells(
    series: CashSeries, number: int, last: date, checked: Mapping[int | None, StatementState]
) -> tuple[Value, ...]:
    account, day = series.accounts[number], series.data_base
    now = series.balance(day, number, realised_only=True)
    lowest = series.lowest(last, number)
    state = checked.get(account.conta_id, StatementState(""))
    return (
        account.descricao,
        account.inicio,
        to_decimal(account.saldo_inicial_centavos),
        money(series.balance(day - ONE_DAY, number)),
        *_day_cells(series.flow(Period("", day, day, "realizado"), number)),
        money(now),
        *_ahead_cells(series, now, 7, number),
        *_ahead_cells(series, now, 30, number),
        UNDEFINED if lowest is None else to_decimal(lowest[0]),
        None if lowest is None else lowest[1],
        state.conferido,
        UNDEFINED if state.conferido is not None and state.diferenca is None else state.diferenca,
        state.situacao or None,
    )


def _day_cells(flow: Flow) -> tuple[Value, ...]:
    lines = (flow.line(LINE_ENTRADAS), flow.line(LINE_SAIDAS), flow.line(LINE_NAO_OPERACIONAL), flow.transferencias)
    return tuple(to_decimal(value) for value in lines)


def _ahead_cells(series: CashSeries, now: int | None, days: int, number: int | None) -> tuple[Value, Value]:
    """Return what is still to move in D..D+days and the balance then; undefined when the balance at D is."""
    day = series.data_base
    moved = series.moved(day, day + timedelta(days=days), "a_realizar", number)
    moved[IMPLANTADOS] = 0
    pending = int(moved.sum())
    return to_decimal(pending), money(None if now is None else now + pending)


def _total_row(
    series: CashSeries,
    numbers: Sequence[int],
    cells: dict[int, tuple[Value, ...]],
    last: date,
    label: str,
    style: Style,
) -> Row:
    lowest = _lowest_of(series, numbers, last)
    own: dict[str, Value] = {
        "Conta": label,
        "Menor saldo projetado": None if lowest is None else to_decimal(lowest[0]),
        "Data do menor saldo": None if lowest is None else lowest[1],
    }
    values: list[Value] = []
    for position, (header, kind) in enumerate(HEADERS):
        shown = [value for number in numbers if isinstance(value := cells[number][position], Decimal)]
        missing = kind is not Kind.MONEY or (header in ("Saldo conferido", "Diferença") and not shown)
        values.append(own[header] if header in own else None if missing else sum(shown, start=to_decimal(0)))
    return Row(tuple(values), style=style)


def _lowest_of(series: CashSeries, numbers: Sequence[int], last: date) -> tuple[int, date] | None:
    """Find the lowest closing of some accounts' summed series; all accounts give the consolidated one."""
    if len(numbers) == len(series.accounts):
        return series.lowest(last)
    best: tuple[int, date] | None = None
    day = series.data_base
    while numbers and day <= last:
        value = series.total_of(numbers, day)
        if best is None or value < best[0]:
            best = (value, day)
        day += ONE_DAY
    return best


def _find_states(position: Position, series: CashSeries) -> Mapping[int | None, StatementState]:
    """Hold the latest statement balance of every account against the computed one of that day (V19)."""
    numbers = {account.conta_id: number for number, account in enumerate(series.accounts)}

    def balance_of(conta_id: int, day: date) -> Decimal | None:
        centavos = series.balance(day, numbers[conta_id], realised_only=True)
        return None if centavos is None else to_decimal(centavos)

    return dict(find_statement_states(position, balance_of).items())


SPEC: Final = ReportSpec(
    code="R01",
    name="saldos_por_conta",
    sheet="Saldos",
    title="Saldos por conta",
    question="Quanto há em cada conta, hoje e adiante?",
    family=Family.CASH,
    build=build_r01,
    keys={
        "saldos_por_conta": ("conta_id",),
    },
    totalled=frozenset({"saldos_por_conta"}),
)
