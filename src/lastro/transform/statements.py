"""Bank statement balances beside the books: does each account agree with its bank, and since when (S23, V19)?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

import pandas as pd

from lastro.calendar import add_months
from lastro.money import to_decimal
from lastro.transform.openings import ANCORA, PRETERIDO, sum_transit
from lastro.transform.position import Position

VALIDADE_DIAS: Final = 35
"""A month and some days to read the next statement; an older agreement says nothing about today."""
MESES: Final = 13
"""Statements older than so many months before D are not compared any more."""
CONFERE, NAO_CONFERE = "Confere", "Não confere"
DESATUALIZADA, SEM_CONFERENCIA = "Desatualizada", "Sem conferência"


@dataclass(frozen=True)
class ComparedStatement:
    """A statement balance beside the books of its day; amounts signed.

    Attributes:
        conta_id: the account.
        dia: the statement's day.
        extrato: what the bank showed at its end.
        livro: the computed balance of that day; None when it is undefined then (S7).
        transito: what was paid by the books and not yet at the bank (S23).
        diferenca: livro - transito - extrato; None without livro.
        nasceu: what of it is younger than the statement before; of the first all of it.
        papel: what the statement is for: anchor or check.
        origem: where it comes from.
    """

    conta_id: int
    dia: date
    extrato: Decimal
    livro: Decimal | None
    transito: Decimal
    diferenca: Decimal | None
    nasceu: Decimal | None
    papel: str
    origem: str


@dataclass(frozen=True)
class StatementState:
    """What the latest statement balance of an account up to D says.

    Attributes:
        situacao: `CONFERE`, `NAO_CONFERE` (however old), `DESATUALIZADA` (agreed, more than `VALIDADE_DIAS` before D)
            or `SEM_CONFERENCIA`: none, or only the anchor itself, which agrees by construction, as the file does from
            which it follows while no second balance proves it (S23).
        data: day of the statement, None without one.
        conferido: balance of the statement.
        diferenca: `ComparedStatement.diferenca`; None, too, when the balance is undefined then (S7), which does not
            agree either.
        transito: `ComparedStatement.transito`, which `diferenca` leaves out.
    """

    situacao: str
    data: date | None = None
    conferido: Decimal | None = None
    diferenca: Decimal | None = None
    transito: Decimal = Decimal(0)


def compare_statements(
    position: Position, balance_of: Callable[[int, date], Decimal | None]
) -> list[ComparedStatement]:
    """Hold every statement balance up to D, of the last `MESES` months and the anchor, against the books (V19).

    An account without an opening has a variation and no balance to hold anything against.

    Args:
        position: gives D, the charges and `extrato_saldos`.
        balance_of: computed realised balance of an account at the end of a day, None when undefined.

    Returns:
        By account and day.
    """
    saldos = position.extrato_saldos
    since, until = pd.Timestamp(add_months(position.data_base, -MESES)), pd.Timestamp(position.data_base)
    in_time = ((saldos["dia"] >= since) | (saldos["papel"] == ANCORA)) & (saldos["dia"] <= until)
    contas = position.contas
    varying = contas.loc[~contas["tem_saldo_inicial"] & contas["data_saldo_inicial"].isna(), "conta_id"]
    counts = in_time & (saldos["papel"] != PRETERIDO) & ~saldos["conta_id"].isin(varying)
    shown = saldos[counts].sort_values(["conta_id", "dia"])
    compared: list[ComparedStatement] = []
    for row in shown.to_dict("records"):
        conta_id, day, extrato = int(row["conta_id"]), row["dia"].date(), to_decimal(row["valor_centavos"])
        livro, under_way = balance_of(conta_id, day), to_decimal(sum_transit(position.em_transito, conta_id, day))
        difference = None if livro is None else livro - under_way - extrato
        before = compared[-1].diferenca if compared and compared[-1].conta_id == conta_id else None
        born = None if difference is None else difference - (before or 0)
        compared.append(
            ComparedStatement(conta_id, day, extrato, livro, under_way, difference, born, row["papel"], row["origem"])
        )
    return compared


def find_statement_states(position: Position, compared: Sequence[ComparedStatement]) -> dict[int, StatementState]:
    """Judge every configured account that is in use or has a statement balance, by the latest one.

    Args:
        position: gives D and the accounts.
        compared: `compare_statements` of it.

    Returns:
        conta_id -> state, by id.
    """
    latest = {each.conta_id: each for each in compared}
    states: dict[int, StatementState] = {}
    for conta in position.contas.dropna(subset=["conta_id"]).to_dict("records"):
        conta_id = int(conta["conta_id"])
        if conta_id in latest:
            unproved = latest[conta_id].papel == ANCORA or conta["ancora_provada"] is False
            states[conta_id] = _find_state(latest[conta_id], position.data_base, proved=not unproved)
        elif conta["configurada"] and conta["ativa"]:
            states[conta_id] = StatementState(SEM_CONFERENCIA)
    return dict(sorted(states.items()))


def _find_state(statement: ComparedStatement, data_base: date, *, proved: bool) -> StatementState:
    state = NAO_CONFERE
    if statement.diferenca == 0:
        state = DESATUALIZADA if (data_base - statement.dia).days > VALIDADE_DIAS else CONFERE
        state = state if proved else SEM_CONFERENCIA
    return StatementState(state, statement.dia, statement.extrato, statement.diferenca, statement.transito)
