"""R01 Saldos por conta: how much is in each account, today and ahead?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    CashSeries,
    Flow,
    find_last_day,
    name_account,
    provisional_notes,
    sort_accounts,
)
from lastro.calendar import ONE_DAY
from lastro.grid.cells import UNDEFINED, Cell, Kind, Value
from lastro.grid.model import Column, Family, Mark, Period, Report, Row, Section, Style, Table
from lastro.grid.pivot import list_dicts
from lastro.grid.words import column_name, format_date
from lastro.money import decimal_or_none, to_decimal
from lastro.reports.spec import ReportSpec
from lastro.transform.openings import EXTRATO
from lastro.transform.position import as_date
from lastro.transform.statements import (
    DESATUALIZADA,
    MESES,
    VALIDADE_DIAS,
    ComparedStatement,
    StatementState,
    find_statement_states,
)

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

HEADERS: Final = (
    Column("Conta", Kind.TEXT),
    Column("Início do controle", Kind.DATE, "dia a partir do qual a conta é controlada (S7); nulo = desde sempre"),
    Column("Saldo inicial", Kind.MONEY, "saldo com que o controle da conta começa (S7)"),
    Column("Saldo em <D-1>", Kind.MONEY),
    Column("Entradas do dia", Kind.MONEY),
    Column("Saídas do dia", Kind.MONEY),
    Column("Não operacional do dia", Kind.MONEY),
    Column("Transferências do dia", Kind.MONEY),
    Column("Saldo em <D>", Kind.MONEY),
    Column("A realizar 7 dias", Kind.MONEY),
    Column("Saldo em D+7", Kind.MONEY),
    Column("A realizar 30 dias", Kind.MONEY),
    Column("Saldo em D+30", Kind.MONEY),
    Column("Menor saldo projetado", Kind.MONEY),
    Column("Data do menor saldo", Kind.DATE),
    Column("Saldo conferido", Kind.MONEY),
    Column(
        "Diferença", Kind.MONEY, "saldo do dia da conferência menos em trânsito menos extrato; nula sem conferência"
    ),
    Column("Conferência", Kind.TEXT, "contra o extrato (V19): Confere, Não confere, Desatualizada ou Sem conferência"),
    Column("Abertura calculada", Kind.MONEY),
    Column("Primeiro movimento", Kind.DATE, "dia do primeiro pagamento da conta dentro do controle"),
)
"""The header as the catalogue writes it, from which the keys derive."""
_ABOUT_TOTALS: Final = {
    "saldo_inicial": "soma dos saldos com que o controle das contas começa (S7)",
    "diferenca": "soma das diferenças das contas conferidas; nula sem nenhuma",
}
STATEMENTS_SHOWN: Final = 12
"""Statements of an account on the sheet, the newest; all of them stand in `mart.extratos`."""
UNTOTALLED: Final = frozenset({"Saldo conferido", "Diferença", "Abertura calculada"})
"""Of these a total is printed only where an account has one."""
COLUMN_KEYS: Final = tuple(column.key for column in HEADERS)
LOWEST_DAY: Final = COLUMN_KEYS.index("data_do_menor_saldo")
BALANCES: Final = ("Saldo em <D-1>", "Saldo em <D>", "Saldo em D+7", "Saldo em D+30")
UNDEFINABLE: Final = tuple(map(column_name, (*BALANCES, "Menor saldo projetado")))
"""Columns that say so where an account has no balance."""


def build_r01(view: View) -> Report:
    """Build the sheet Saldos.

    Credit cards (`tipo: cartao`) stand in a block of their own below "Disponível". Undefined balances add nothing to
    the totals; the lowest balance of a total is that of the summed series, not a sum.

    Returns:
        Grain conta, balance at D descending, undefined last, then id.
    """
    position, series = view.position, view.series
    day, last = position.data_base, find_last_day(position)
    compared = view.statements
    checked = dict[int | None, StatementState](find_statement_states(position, compared).items())
    order = sort_accounts(series)
    beginnings = _find_beginnings(position)
    cells = {
        number: (*_account_cells(series, number, last, checked), *beginnings[series.accounts[number].conta_id])
        for number in order
    }
    cards = [number for number in order if series.accounts[number].cartao]
    others = [number for number in order if number not in cards]
    blocks = (("disponivel", "Disponível", others), ("cartoes", "Cartões", cards)) if cards else ()
    totals = {
        code: _total_cells(series, numbers, cells, last, label)
        for code, label, numbers in (*blocks, ("total", "Total", order))
    }
    table = Table(
        "saldos_por_conta",
        (Column("Conta id", Kind.INTEGER), *HEADERS),
        tuple((series.accounts[number].conta_id, *cells[number]) for number in order),
        "R01: um saldo por conta na data-base (S7); saldo indefinido é nulo",
    )
    added = [place for place, one in enumerate(HEADERS) if one.kind is Kind.MONEY or place == LOWEST_DAY]
    whole = Table(
        "saldos_por_conta_total",
        (
            Column("Código", Kind.TEXT),
            Column("Linha", Kind.TEXT),
            *(replace(HEADERS[place], about=_ABOUT_TOTALS.get(COLUMN_KEYS[place], "")) for place in added),
        ),
        tuple((code, values[0], *(values[place] for place in added)) for code, values in totals.items()),
        "R01: o total dos saldos e, com cartões, o das contas (disponivel) e o dos cartões; o menor saldo é o da soma",
    )
    shown = {number: _show_account(own[1:]) for number, own in zip(order, table.rows, strict=True)}
    of_code = {row["codigo"]: row for row in list_dicts(whole)}
    heads: list[tuple[str, str, Mapping[str, Value]]] = []
    for code, label, numbers in blocks or (("total", "Total", order),):
        accounts = [series.accounts[number] for number in numbers]
        heads += [
            (f"conta_{'sem' if one.conta_id is None else one.conta_id}", name_account(one), shown[number])
            for number, one in zip(numbers, accounts, strict=True)
        ]
        heads.append((code, label, of_code[code]))
    if blocks:
        heads.append(("total", "Total", of_code["total"]))
    notes = [
        f"Menor saldo projetado: o de fim de dia de {format_date(day)} a {format_date(last)}; no total, o consolidado.",
        "Diferença = saldo calculado no dia da conferência, menos o que estava em trânsito, menos o saldo conferido.",
        "Abertura calculada: o saldo inicial que segue do extrato mais antigo; 0,00 numa conta aberta nestes anos.",
        f"Conferência: a última até a data-base; {DESATUALIZADA} quando confere e tem mais de {VALIDADE_DIAS} dias.",
        *_say_checked(series, order, checked),
        *provisional_notes(series),
    ]
    section = _show_balances(day, heads, notes)
    order_of = {series.accounts[number].conta_id: place for place, number in enumerate(order)}
    compared.sort(key=lambda each: (order_of[each.conta_id], each.dia))
    statements = _build_statements(series, compared)
    return SPEC.report((section, _show_statements(statements)), (table, whole, statements))


def _say_checked(
    series: CashSeries, order: Sequence[int], checked: Mapping[int | None, StatementState]
) -> Iterator[str]:
    """Say of which day the newest statement of each account is."""
    states = [(series.accounts[number], checked.get(series.accounts[number].conta_id)) for number in order]
    days = [f"{one.descricao} {format_date(state.data)}" for one, state in states if state and state.data is not None]
    if days:
        yield f"Saldo conferido: {'; '.join(days)}."


def _show_balances(day: date, heads: Sequence[tuple[str, str, Mapping[str, Value]]], notes: Sequence[str]) -> Section:
    """Print a figure a row and an account a column; what no account has is no row."""
    printed = {
        "Saldo em <D-1>": f"Saldo em {format_date(day - ONE_DAY)}",
        "Saldo em <D>": f"Saldo em {format_date(day)}",
    }
    rows = []
    for one in HEADERS[1:]:
        header, kind, key = one.header, one.kind, one.key
        values = [cells.get(key) for _, _, cells in heads]
        if all(value is None for value in values):
            continue
        balance = header in BALANCES
        rows.append(
            Row(
                (printed.get(header, header), *(one if kind is Kind.MONEY else Cell(one, kind) for one in values)),
                style=Style.SUBTOTAL if balance else Style.NORMAL,
                key=key,
                marks=frozenset({Mark.BALANCE}) if balance else frozenset(),
            )
        )
    columns = (
        Column("Saldo", Kind.TEXT, width=32),
        *(Column(text, Kind.MONEY, dense=True, key=key) for key, text, _ in heads),
    )
    return Section("saldos_por_conta", columns, tuple(rows), notes=tuple(notes))


def _show_account(cells: Sequence[Value]) -> Mapping[str, Value]:
    """Give an account's figures by key; a balance that does not exist, or a difference from one, is undefined (S7)."""
    shown = dict(zip(COLUMN_KEYS, cells, strict=True))
    unknown = [key for key in UNDEFINABLE if shown[key] is None]
    if shown["diferenca"] is None and shown["saldo_conferido"] is not None:
        unknown.append("diferenca")
    return shown | dict.fromkeys(unknown, UNDEFINED)


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
        decimal_or_none(series.balance(day - ONE_DAY, number)),
        *_day_cells(series.flow(Period("", day, day, "realizado"), number)),
        decimal_or_none(now),
        *_ahead_cells(series, now, 7, number),
        *_ahead_cells(series, now, 30, number),
        None if lowest is None else to_decimal(lowest[0]),
        None if lowest is None else lowest[1],
        state.conferido,
        state.diferenca,
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
    return to_decimal(pending), decimal_or_none(None if now is None else now + pending)


def _total_cells(
    series: CashSeries,
    numbers: Sequence[int],
    cells: Mapping[int, tuple[Value, ...]],
    last: date,
    label: str,
) -> tuple[Value, ...]:
    lowest = _lowest_of(series, numbers, last)
    own: dict[str, Value] = {
        "Conta": label,
        "Menor saldo projetado": None if lowest is None else to_decimal(lowest[0]),
        "Data do menor saldo": None if lowest is None else lowest[1],
    }
    values: list[Value] = []
    for position, one in enumerate(HEADERS):
        header, kind = one.header, one.kind
        shown = [value for number in numbers if isinstance(value := cells[number][position], Decimal)]
        missing = kind is not Kind.MONEY or (header in UNTOTALLED and not shown)
        values.append(own[header] if header in own else None if missing else sum(shown, start=to_decimal(0)))
    return tuple(values)


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


def _find_beginnings(position: Position) -> dict[int | None, tuple[Value, Value]]:
    """Find for every account the opening that follows from a statement, if it does, and the first day it moved."""
    linhas = position.linhas[position.linhas["caixa"]]
    first = linhas.groupby("conta_id", dropna=False)["data_pagamento"].min().reset_index()
    moved = {
        None if pd.isna(conta) else int(conta): as_date(day)
        for conta, day in zip(first["conta_id"], first["data_pagamento"], strict=True)
    }
    contas = position.contas[position.contas["origem_saldo"] == EXTRATO]
    openings = dict(zip(contas["conta_id"].tolist(), contas["valor_saldo_inicial_centavos"].tolist(), strict=True))
    known = {None, *moved, *position.contas["conta_id"].dropna().astype(int)}
    return {conta: (to_decimal(openings[conta]) if conta in openings else None, moved.get(conta)) for conta in known}


def _build_statements(series: CashSeries, compared: Sequence[ComparedStatement]) -> Table:
    names = {account.conta_id: account.descricao for account in series.accounts}
    return Table.of(
        "extratos",
        (
            (Column("Conta id", Kind.INTEGER), [each.conta_id for each in compared]),
            (Column("Conta", Kind.TEXT), [names[each.conta_id] for each in compared]),
            (Column("Dia", Kind.DATE), [each.dia for each in compared]),
            (
                Column("Extrato", Kind.MONEY, "saldo que o banco mostrou ao fim do dia, com sinal"),
                [each.extrato for each in compared],
            ),
            (
                Column(
                    "Livro", Kind.MONEY, "saldo calculado ao fim do dia, com sinal; nulo antes do controle da conta"
                ),
                [each.livro for each in compared],
            ),
            (
                Column("Em trânsito", Kind.MONEY, "pago pelos livros até o dia e ainda não no banco, com sinal"),
                [each.transito for each in compared],
            ),
            (
                Column(
                    "Diferença", Kind.MONEY, "livro menos em_transito menos extrato; nula onde o livro é indefinido"
                ),
                [each.diferenca for each in compared],
            ),
            (
                Column(
                    "Nasceu no período",
                    Kind.MONEY,
                    "a diferença menos a do extrato anterior da conta; do primeiro, toda ela",
                ),
                [each.nasceu for each in compared],
            ),
            (
                Column("Papel", Kind.TEXT, "âncora: dele segue a abertura da conta; conferência: confere os livros"),
                [each.papel for each in compared],
            ),
            (
                Column(
                    "Origem",
                    Kind.TEXT,
                    "quem disse o saldo: arquivo (saldos.csv), mesa (planilha Contas), config (saldos_conferidos) ou "
                    "ofx (extratos)",
                ),
                [each.origem for each in compared],
            ),
        ),
        f"R01: um saldo de extrato, de até {MESES} meses antes; diferenca = livro - em_transito - extrato",
    )


def _show_statements(statements: Table) -> Section:
    """Show the newest statements of every account."""
    left = Counter(conta_id for conta_id, *_ in statements.rows)
    rows = []
    for conta_id, *values in statements.rows:
        left[conta_id] -= 1
        if left[conta_id] < STATEMENTS_SHOWN:
            cells = tuple(UNDEFINED if value is None else value for value in values)
            rows.append(Row(cells))
    return Section(
        "extratos",
        statements.columns[1:],
        tuple(rows),
        title="Extratos",
        notes=("Nasceu no período: a diferença menos a do extrato anterior da conta; diz em que período procurar.",),
        empty="Nenhum saldo de extrato: digite um em saldos.csv (lastro saldos).",
    )


SPEC: Final = ReportSpec(
    code="R01",
    name="saldos_por_conta",
    title="Saldos por conta",
    question="Quanto há em cada conta, hoje e adiante?",
    family=Family.CASH,
    build=build_r01,
    keys={
        "saldos_por_conta": ("conta_id",),
        "saldos_por_conta_total": ("codigo",),
        "extratos": ("conta_id", "dia"),
    },
    totalled=True,
)
