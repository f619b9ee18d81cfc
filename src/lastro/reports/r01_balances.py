"""R01 Saldos por conta: how much is in each account, today and ahead?

Credit cards (`tipo: cartao`) stand in a block of their own below "Disponível". A balance that is undefined adds nothing
to the totals (S7); the lowest balance of a total is that of the summed series, not a sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.cash_series import IMPLANTADOS, list_provisional_notes, sort_accounts
from lastro.analysis.frames import read_fields, records_of, store_centavos
from lastro.calendar import ONE_DAY
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print, RowLook
from lastro.grid.sections import Mark
from lastro.grid.storage import Values
from lastro.grid.tables import Period, Table, describe_column
from lastro.grid.words import format_date
from lastro.grid.workbook import Family
from lastro.money import to_centavos
from lastro.reports.shared.flow_parts import list_flow_lines
from lastro.reports.spec import ReportSpec
from lastro.reports.turned import Figures, Head, Turned, head_account, order_accounts
from lastro.transform.openings import EXTRATO
from lastro.transform.position import as_date
from lastro.transform.statements import DESATUALIZADA, MESES, VALIDADE_DIAS, StatementState, find_statement_states

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

BALANCES: Final = ("saldo_em_d_1", "saldo_em_d", "saldo_em_d_7", "saldo_em_d_30")
CHECKED: Final = ("saldo_conferido", "diferenca", "abertura_calculada")
"""Columns whose total is known only where some account has a value."""
STATEMENTS_SHOWN: Final = 12
"""Statements of an account on the sheet, the newest; all of them stand in `mart.extratos`."""


def list_account_balances(view: View) -> Columns:
    """List the accounts; what is still to move, and the balance then, are of D to D+days."""
    position, series, day = view.position, view.series, view.position.data_base
    places = sort_accounts(series)
    accounts = [series.accounts[place] for place in places]
    ids = [account.conta_id for account in accounts]
    today = list_flow_lines([series.flow(Period("", day, day, "realizado"), place) for place in places])
    now = store_centavos(series.balance(day, place, realised_only=True) for place in places)
    week, month = (store_centavos(_sum_pending(view, days, place) for place in places) for days in (7, 30))
    lowest = [
        series.lowest(position.ultimo_dia, (place,)) if account.is_defined(day) else None
        for place, account in zip(places, accounts, strict=True)
    ]
    checked = dict[int | None, StatementState](find_statement_states(position, view.statements).items())
    states = [checked.get(conta_id, StatementState("")) for conta_id in ids]
    openings, first_days = _find_openings(position), _find_first_days(position)
    return {
        "conta_id": ids,
        "conta": [account.descricao for account in accounts],
        "data_saldo_inicial": [account.inicio for account in accounts],
        "valor_saldo_inicial": store_centavos(account.saldo_inicial_centavos for account in accounts),
        "saldo_em_d_1": store_centavos(series.balance(day - ONE_DAY, place) for place in places),
        **{f"{key}_do_dia": today[key] for key in ("entradas", "saidas", "nao_operacional")},
        "transferencias_do_dia": today["transf_recebidas"] + today["transf_enviadas"],
        "saldo_em_d": now,
        "a_realizar_7_dias": week,
        "saldo_em_d_7": now + week,
        "a_realizar_30_dias": month,
        "saldo_em_d_30": now + month,
        **_store_lowest(lowest),
        "saldo_conferido": store_centavos(_to_centavos(state.conferido) for state in states),
        "diferenca": store_centavos(_to_centavos(state.diferenca) for state in states),
        "conferencia": [state.situacao or None for state in states],
        "abertura_calculada": store_centavos(openings.get(conta_id) for conta_id in ids),
        "primeiro_movimento": [first_days.get(conta_id) for conta_id in ids],
    }


def _to_centavos(amount: Decimal | None) -> int | None:
    return None if amount is None else to_centavos(amount)


def _store_lowest(lowest: Sequence[tuple[int, date] | None]) -> Columns:
    return {
        "menor_saldo_projetado": store_centavos(low and low[0] for low in lowest),
        "data_do_menor_saldo": [low and low[1] for low in lowest],
    }


def _sum_pending(view: View, days: int, place: int) -> int:
    """Sum what is still to move in D to D+days, openings of accounts left out."""
    day = view.position.data_base
    moved = view.series.moved(day, day + timedelta(days=days), "a_realizar", place)
    return int(moved.sum() - moved[IMPLANTADOS].sum())


def _find_openings(position: Position) -> dict[int | None, int]:
    """Find the opening of every account in which it follows from a statement."""
    derived = position.contas[position.contas["origem_saldo"] == EXTRATO]
    return dict(records_of(derived, "conta_id", "valor_saldo_inicial_centavos"))


def _find_first_days(position: Position) -> dict[int | None, date | None]:
    """Find the first day on which an account moved."""
    linhas = position.linhas[position.linhas["caixa"]]
    first = linhas.groupby("conta_id", dropna=False)["data_pagamento"].min().reset_index()
    return {conta_id: as_date(day) for conta_id, day in records_of(first, "conta_id", "data_pagamento")}


def find_totalled(view: View) -> list[tuple[str, str, list[bool]]]:
    """Find what is added up: code and name of each block, and which of the ordered accounts stand in it."""
    cards = [account.cartao for account in order_accounts(view)]
    whole = ("total", "Total", [True] * len(cards))
    if not any(cards):
        return [whole]
    return [("disponivel", "Disponível", [not card for card in cards]), ("cartoes", "Cartões", cards), whole]


def list_account_totals(view: View) -> Columns:
    """Add the accounts of each block up, amount by amount; its lowest balance is that of its sum."""
    blocks, places = find_totalled(view), pd.Series(sort_accounts(view.series))
    totals: dict[str, Values] = {"codigo": [code for code, *_ in blocks], "linha": [text for _, text, _ in blocks]}
    for key, own in view.once(list_account_balances).items():
        if key == "menor_saldo_projetado":
            totals |= _store_lowest([_find_lowest(view, places[inside].tolist()) for *_, inside in blocks])
        elif isinstance(own, pd.Series):
            sums: list[Any] = [own[inside].sum(min_count=int(key in CHECKED)) for *_, inside in blocks]
            totals[key] = store_centavos(sums)
    return totals


def _find_lowest(view: View, places: Sequence[int]) -> tuple[int, date] | None:
    """Find the lowest balance of some accounts' sum; a block without an account has none."""
    last = view.position.ultimo_dia
    if len(places) == len(view.series.accounts):
        return view.series.lowest(last)
    return view.series.lowest(last, places) if places else None


def _list_heads(view: View) -> Iterator[Head]:
    """List the columns of the sheet: the accounts of each block and their total, then that of all."""
    left = order_accounts(view)
    for code, text, inside in find_totalled(view):
        own = [account for account, stands in zip(order_accounts(view), inside, strict=True) if stands]
        yield from (head_account(account, ACCOUNTS) for account in own if account in left)
        left = [account for account in left if account not in own]
        yield Head(code, text, TOTALS, (code,))


def find_undefined(row: Figures) -> Collection[str]:
    """Find what an account misses: a balance that does not exist, or the difference from one (S7)."""
    if "codigo" in row:
        return ()
    return (*BALANCES, "menor_saldo_projetado", *(["diferenca"] if row["saldo_conferido"] is not None else []))


def tell_balances(view: View) -> Iterator[str]:
    """Say what the figures are."""
    first, last = map(format_date, (view.position.data_base, view.position.ultimo_dia))
    yield f"Menor saldo projetado: o de fim de dia de {first} a {last}; no total, o consolidado."
    yield "Diferença = saldo calculado no dia da conferência, menos o que estava em trânsito, menos o saldo conferido."
    yield "Abertura calculada: o saldo inicial que segue do extrato mais antigo; 0,00 numa conta aberta nestes anos."
    yield f"Conferência: a última até a data-base; {DESATUALIZADA} quando confere e tem mais de {VALIDADE_DIAS} dias."
    yield from tell_statements(view)
    yield from list_provisional_notes(view.series)


def name_days(view: View) -> Mapping[str, str]:
    """Name the days of the balances at D and on its eve."""
    day = view.position.data_base
    return {"saldo_em_d_1": f"Saldo em {format_date(day - ONE_DAY)}", "saldo_em_d": f"Saldo em {format_date(day)}"}


def list_statements(view: View) -> Columns:
    """List the statement balances beside the books, account by account, in their order, then by day."""
    accounts = order_accounts(view)
    rank = {account.conta_id: place for place, account in enumerate(accounts)}
    compared = sorted(view.statements, key=lambda each: (rank[each.conta_id], each.dia))
    return {
        "conta_id": [each.conta_id for each in compared],
        "conta": [accounts[rank[each.conta_id]].descricao for each in compared],
        **read_fields(compared, "dia", "extrato", "livro"),
        "em_transito": [each.transito for each in compared],
        "diferenca": [each.diferenca for each in compared],
        "nasceu_no_periodo": [each.nasceu for each in compared],
        **read_fields(compared, "papel", "origem"),
    }


def _look_at_newest(_: View, table: Table) -> Iterator[RowLook | None]:
    ids = table.data["conta_id"].cells()
    left = Counter(ids)
    for conta_id in ids:
        left[conta_id] -= 1
        yield RowLook() if left[conta_id] < STATEMENTS_SHOWN else None


def tell_statements(view: View) -> Iterator[str]:
    """Say of which day the newest statements are, and which openings rest on one bank file alone (S23)."""
    newest: dict[int | None, date] = {each.conta_id: each.dia for each in view.statements}
    checked = [(account.descricao, newest.get(account.conta_id)) for account in order_accounts(view)]
    if told := [f"{name} {format_date(day)}" for name, day in checked if day is not None]:
        yield f"Saldo conferido: {'; '.join(told)}."
    contas = view.position.contas
    unproved = contas[contas["ancora_provada"].eq(other=False).fillna(value=False)].sort_values("conta_id")
    openings = records_of(unproved, "descricao", "ancora_dia")
    if told := [f"{name} (saldo de {format_date(day.date())})" for name, day in openings]:
        yield (
            f"Abertura de um só extrato: {'; '.join(told)}. Nenhum segundo saldo a confirma: ponha outro extrato, ou "
            "digite um saldo (lastro saldos)."
        )


STATEMENTS: Final = Print(
    "extratos",
    f"R01: um saldo de extrato, de até {MESES} meses antes; diferenca = livro - em_transito - extrato",
    list_statements,
    keys=("conta_id", "dia"),
    about={
        "diferenca": "livro menos em_transito menos extrato; nula onde o livro é indefinido",
        "origem": "quem disse o saldo: arquivo (saldos.csv), mesa (planilha Contas), config (saldos_conferidos) ou ofx "
        "(extratos)",
    },
    headers={"dia": "Dia"},
    undefined=("livro", "em_transito", "diferenca", "nasceu_no_periodo"),
    title="Extratos",
    looks=_look_at_newest,
    notes=("Nasceu no período: a diferença menos a do extrato anterior da conta; diz em que período procurar.",),
    empty="Nenhum saldo de extrato: digite um em saldos.csv (lastro saldos).",
)
ACCOUNTS: Final = Print(
    "saldos_por_conta",
    "R01: um saldo por conta na data-base (S7); saldo indefinido é nulo",
    list_account_balances,
    keys=("conta_id",),
    about={
        "diferenca": "saldo do dia da conferência menos em trânsito menos extrato; nula sem conferência",
    },
    headers=name_days,
)
TOTALS: Final = Print(
    "saldos_por_conta_total",
    "R01: o total dos saldos e, com cartões, o das contas (disponivel) e o dos cartões; o menor saldo é o da soma",
    list_account_totals,
    keys=("codigo",),
    about={
        "valor_saldo_inicial": "soma dos saldos com que o controle das contas começa (S7)",
        "diferenca": "soma das diferenças das contas conferidas; nula sem nenhuma",
    },
    headers=name_days,
)
SPEC: Final = ReportSpec(
    code="R01",
    name="saldos_por_conta",
    title="Saldos por conta",
    question="Quanto há em cada conta, hoje e adiante?",
    family=Family.CASH,
    tables=(ACCOUNTS, TOTALS, STATEMENTS),
    sections=(
        Turned(
            ACCOUNTS,
            describe_column("saldo", kind=Kind.TEXT, width=32),
            _list_heads,
            balances=dict.fromkeys(BALANCES, frozenset({Mark.BALANCE})),
            missing=find_undefined,
            notes=tell_balances,
        ),
        STATEMENTS,
    ),
)
