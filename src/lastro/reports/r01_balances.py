"""R01 Saldos por conta: how much is in each account, today and ahead?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    CashSeries,
    name_account,
    provisional_notes,
    sort_accounts,
)
from lastro.calendar import ONE_DAY
from lastro.grid.cells import UNDEFINED, Cell, Kind, Value, sum_money
from lastro.grid.pivot import list_dicts, show_row
from lastro.grid.sections import Mark, Row, Section, Style
from lastro.grid.tables import Column, Period, Table
from lastro.grid.words import format_date
from lastro.grid.workbook import Family, Report
from lastro.money import decimal_or_none, to_decimal
from lastro.reports.shared.flow_parts import account_key
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

_ABOUT_TOTALS: Final = {
    "saldo_inicial": "soma dos saldos com que o controle das contas começa (S7)",
    "diferenca": "soma das diferenças das contas conferidas; nula sem nenhuma",
}
"""What SQL is told of a total where it is another thing than of an account."""
STATEMENTS_SHOWN: Final = 12
"""Statements of an account on the sheet, the newest; all of them stand in `mart.extratos`."""
UNTOTALLED: Final = frozenset({"saldo_conferido", "diferenca", "abertura_calculada"})
"""Of these a total is printed only where an account has one."""
BALANCES: Final = frozenset({"saldo_em_d_1", "saldo_em_d", "saldo_em_d_7", "saldo_em_d_30"})


def build_r01(view: View) -> Report:
    """Build the sheet Saldos.

    Credit cards (`tipo: cartao`) stand in a block of their own below "Disponível". Undefined balances add nothing to
    the totals; the lowest balance of a total is that of the summed series, not a sum.

    Returns:
        Grain conta, balance at D descending, undefined last, then id.
    """
    position, series = view.position, view.series
    day, last = position.data_base, position.ultimo_dia
    compared = view.statements
    checked = dict[int | None, StatementState](find_statement_states(position, compared).items())
    order = sort_accounts(series)
    cards = [place for place in order if series.accounts[place].cartao]
    others = [place for place in order if place not in cards]
    blocks = [("disponivel", "Disponível", others), ("cartoes", "Cartões", cards)] if cards else []
    table = _list_accounts(position, series, order, last, checked)
    whole = _add_accounts(series, table, order, [*blocks, ("total", "Total", order)], last)
    shown = dict(zip(order, map(_show_account, list_dicts(table)), strict=True))
    of_code = {row["codigo"]: row for row in list_dicts(whole)}
    heads: list[tuple[str, str, Mapping[str, Value]]] = []
    for code, label, places in blocks or [("total", "Total", order)]:
        accounts = [series.accounts[place] for place in places]
        heads += [
            (account_key(account), name_account(account), shown[place])
            for place, account in zip(places, accounts, strict=True)
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
        *_say_unproved(position),
        *provisional_notes(series),
    ]
    section = _show_balances(table.columns[2:], heads, notes)
    order_of = {series.accounts[place].conta_id: rank for rank, place in enumerate(order)}
    compared.sort(key=lambda each: (order_of[each.conta_id], each.dia))
    statements = _build_statements(series, compared)
    return SPEC.report((section, _show_statements(statements)), (table, whole, statements))


def _say_checked(
    series: CashSeries, order: Sequence[int], checked: Mapping[int | None, StatementState]
) -> Iterator[str]:
    """Say of which day the newest statement of each account is."""
    states = [(series.accounts[place], checked.get(series.accounts[place].conta_id)) for place in order]
    days = [
        f"{account.descricao} {format_date(state.data)}"
        for account, state in states
        if state and state.data is not None
    ]
    if days:
        yield f"Saldo conferido: {'; '.join(days)}."


def _say_unproved(position: Position) -> Iterator[str]:
    """Say which openings rest on one bank file alone (S23)."""
    contas = position.contas[position.contas["ancora_provada"].eq(other=False).fillna(value=False)]
    told = [
        f"{conta['descricao']} (saldo de {format_date(conta['ancora_dia'].date())})"
        for conta in contas.sort_values("conta_id").to_dict("records")
    ]
    if told:
        yield (
            f"Abertura de um só extrato: {'; '.join(told)}. Nenhum segundo saldo a confirma: ponha outro extrato, ou "
            "digite um saldo (lastro saldos)."
        )


def _show_balances(
    lines: Sequence[Column], heads: Sequence[tuple[str, str, Mapping[str, Value]]], notes: Sequence[str]
) -> Section:
    """Print a figure a row and an account a column; what no account has is no row."""
    rows = []
    for line in lines:
        values = [cells.get(line.key) for _, _, cells in heads]
        if all(value is None for value in values):
            continue
        balance = line.key in BALANCES
        rows.append(
            Row(
                (line.header, *(value if line.kind is Kind.MONEY else Cell(value, line.kind) for value in values)),
                style=Style.SUBTOTAL if balance else Style.NORMAL,
                key=line.key,
                marks=frozenset({Mark.BALANCE}) if balance else frozenset(),
            )
        )
    columns = (
        Column("Saldo", Kind.TEXT, width=32),
        *(Column(text, Kind.MONEY, dense=True, key=key) for key, text, _ in heads),
    )
    return Section("saldos_por_conta", columns, tuple(rows), notes=tuple(notes))


def _show_account(cells: Mapping[str, Value]) -> Mapping[str, Value]:
    """Give an account's figures by key; a balance that does not exist, or a difference from one, is undefined (S7)."""
    unknown = [key for key in (*BALANCES, "menor_saldo_projetado") if cells[key] is None]
    if cells["diferenca"] is None and cells["saldo_conferido"] is not None:
        unknown.append("diferenca")
    return {**cells, **dict.fromkeys(unknown, UNDEFINED)}


def _list_accounts(
    position: Position,
    series: CashSeries,
    order: Sequence[int],
    last: date,
    checked: Mapping[int | None, StatementState],
) -> Table:
    """List the accounts; what is still to move, and the balance then, are of D..D+days."""
    day, accounts = series.data_base, [series.accounts[place] for place in order]
    before = [series.balance(day - ONE_DAY, place) for place in order]
    flows = [series.flow(Period("", day, day, "realizado"), place) for place in order]
    now = [series.balance(day, place, realised_only=True) for place in order]
    week, month = ([_pending(series, days, place) for place in order] for days in (7, 30))
    lowest = [series.lowest(last, place) for place in order]
    states = [checked.get(account.conta_id, StatementState("")) for account in accounts]
    openings, moved = _find_openings(position), _find_first_days(position)
    return Table.of(
        "saldos_por_conta",
        (
            (Column("Conta id", Kind.INTEGER), [account.conta_id for account in accounts]),
            (Column("Conta", Kind.TEXT), [account.descricao for account in accounts]),
            (
                Column(
                    "Início do controle",
                    Kind.DATE,
                    "dia a partir do qual a conta é controlada (S7); nulo = desde sempre",
                ),
                [account.inicio for account in accounts],
            ),
            (
                Column("Saldo inicial", Kind.MONEY, "saldo com que o controle da conta começa (S7)"),
                [to_decimal(account.saldo_inicial_centavos) for account in accounts],
            ),
            (
                Column(f"Saldo em {format_date(day - ONE_DAY)}", Kind.MONEY, key="saldo_em_d_1"),
                [decimal_or_none(balance) for balance in before],
            ),
            (Column("Entradas do dia", Kind.MONEY), [to_decimal(flow.line(LINE_ENTRADAS)) for flow in flows]),
            (Column("Saídas do dia", Kind.MONEY), [to_decimal(flow.line(LINE_SAIDAS)) for flow in flows]),
            (
                Column("Não operacional do dia", Kind.MONEY),
                [to_decimal(flow.line(LINE_NAO_OPERACIONAL)) for flow in flows],
            ),
            (Column("Transferências do dia", Kind.MONEY), [to_decimal(flow.transferencias) for flow in flows]),
            (
                Column(f"Saldo em {format_date(day)}", Kind.MONEY, key="saldo_em_d"),
                [decimal_or_none(balance) for balance in now],
            ),
            (Column("A realizar 7 dias", Kind.MONEY), [to_decimal(amount) for amount in week]),
            (Column("Saldo em D+7", Kind.MONEY), _add_pending(now, week)),
            (Column("A realizar 30 dias", Kind.MONEY), [to_decimal(amount) for amount in month]),
            (Column("Saldo em D+30", Kind.MONEY), _add_pending(now, month)),
            (Column("Menor saldo projetado", Kind.MONEY), [to_decimal(low[0]) if low else None for low in lowest]),
            (Column("Data do menor saldo", Kind.DATE), [low[1] if low else None for low in lowest]),
            (Column("Saldo conferido", Kind.MONEY), [state.conferido for state in states]),
            (
                Column(
                    "Diferença",
                    Kind.MONEY,
                    "saldo do dia da conferência menos em trânsito menos extrato; nula sem conferência",
                ),
                [state.diferenca for state in states],
            ),
            (
                Column(
                    "Conferência",
                    Kind.TEXT,
                    "contra o extrato (V19): Confere, Não confere, Desatualizada ou Sem conferência",
                ),
                [state.situacao or None for state in states],
            ),
            (Column("Abertura calculada", Kind.MONEY), [openings.get(account.conta_id) for account in accounts]),
            (
                Column("Primeiro movimento", Kind.DATE, "dia do primeiro pagamento da conta dentro do controle"),
                [moved.get(account.conta_id) for account in accounts],
            ),
        ),
        "R01: um saldo por conta na data-base (S7); saldo indefinido é nulo",
    )


def _pending(series: CashSeries, days: int, place: int) -> int:
    """Sum what is still to move in D..D+days."""
    day = series.data_base
    moved = series.moved(day, day + timedelta(days=days), "a_realizar", place)
    moved[IMPLANTADOS] = 0
    return int(moved.sum())


def _add_pending(now: Sequence[int | None], pending: Sequence[int]) -> list[Value]:
    """Return balances ahead; undefined where that at D is."""
    return [None if balance is None else to_decimal(balance + more) for balance, more in zip(now, pending, strict=True)]


def _add_accounts(
    series: CashSeries,
    table: Table,
    order: Sequence[int],
    blocks: Sequence[tuple[str, str, Sequence[int]]],
    last: date,
) -> Table:
    """Add the accounts of each block up, amount by amount; its lowest balance is that of its sum."""
    lowest = [_lowest_of(series, places, last) for _, _, places in blocks]
    own: dict[str, list[Value]] = {
        "menor_saldo_projetado": [to_decimal(low[0]) if low else None for low in lowest],
        "data_do_menor_saldo": [low[1] if low else None for low in lowest],
    }

    def add(key: str, places: Sequence[int]) -> Value:
        cells = dict(zip(order, table.data[key].cells(), strict=True))
        known = [cells[place] for place in places if cells[place] is not None]
        return None if key in UNTOTALLED and not known else sum_money(known)

    summed = [column for column in table.columns if column.kind is Kind.MONEY or column.key in own]
    return Table.of(
        "saldos_por_conta_total",
        (
            (Column("Código", Kind.TEXT), [code for code, _, _ in blocks]),
            (Column("Linha", Kind.TEXT), [label for _, label, _ in blocks]),
            *(
                (
                    replace(column, about=_ABOUT_TOTALS.get(column.key, column.about)),
                    own.get(column.key) or [add(column.key, places) for _, _, places in blocks],
                )
                for column in summed
            ),
        ),
        "R01: o total dos saldos e, com cartões, o das contas (disponivel) e o dos cartões; o menor saldo é o da soma",
    )


def _lowest_of(series: CashSeries, places: Sequence[int], last: date) -> tuple[int, date] | None:
    """Find the lowest closing of some accounts' summed series; all accounts give the consolidated one."""
    if len(places) == len(series.accounts):
        return series.lowest(last)
    best: tuple[int, date] | None = None
    day = series.data_base
    while places and day <= last:
        value = series.total_of(places, day)
        if best is None or value < best[0]:
            best = (value, day)
        day += ONE_DAY
    return best


def _find_openings(position: Position) -> dict[int | None, Value]:
    """Find the opening of every account in which it follows from a statement."""
    contas = position.contas[position.contas["origem_saldo"] == EXTRATO]
    centavos = map(to_decimal, contas["valor_saldo_inicial_centavos"].tolist())
    return dict(zip(contas["conta_id"].tolist(), centavos, strict=True))


def _find_first_days(position: Position) -> dict[int | None, Value]:
    """Find the first day on which an account moved."""
    linhas = position.linhas[position.linhas["caixa"]]
    first = linhas.groupby("conta_id", dropna=False)["data_pagamento"].min().reset_index()
    return {
        None if pd.isna(conta) else int(conta): as_date(day)
        for conta, day in zip(first["conta_id"], first["data_pagamento"], strict=True)
    }


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
                    "Livro",
                    Kind.MONEY,
                    "saldo calculado ao fim do dia, com sinal; nulo antes do controle da conta",
                    undefined=True,
                ),
                [each.livro for each in compared],
            ),
            (
                Column(
                    "Em trânsito",
                    Kind.MONEY,
                    "pago pelos livros até o dia e ainda não no banco, com sinal",
                    undefined=True,
                ),
                [each.transito for each in compared],
            ),
            (
                Column(
                    "Diferença",
                    Kind.MONEY,
                    "livro menos em_transito menos extrato; nula onde o livro é indefinido",
                    undefined=True,
                ),
                [each.diferenca for each in compared],
            ),
            (
                Column(
                    "Nasceu no período",
                    Kind.MONEY,
                    "a diferença menos a do extrato anterior da conta; do primeiro, toda ela",
                    undefined=True,
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
    for conta_id, *cells in statements.rows:
        left[conta_id] -= 1
        if left[conta_id] < STATEMENTS_SHOWN:
            rows.append(show_row(statements.columns[1:], cells))
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
    builder=build_r01,
    keys={
        "saldos_por_conta": ("conta_id",),
        "saldos_por_conta_total": ("codigo",),
        "extratos": ("conta_id", "dia"),
    },
    totalled=True,
)
