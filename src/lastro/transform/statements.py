"""Bank statement balances typed into the settings: does each account agree with its bank, and since when (V19)?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

import pandas as pd

from lastro.money import to_decimal
from lastro.transform.position import Position, as_date

VALIDADE_DIAS: Final = 35
"""A month and some days to read the next statement; an older agreement says nothing about today."""
CONFERE, NAO_CONFERE = "Confere", "Não confere"
DESATUALIZADA, SEM_CONFERENCIA = "Desatualizada", "Sem conferência"
STATES: Final = (CONFERE, NAO_CONFERE, DESATUALIZADA, SEM_CONFERENCIA)


@dataclass(frozen=True)
class StatementState:
    """What the latest statement balance of an account up to D says.

    Attributes:
        situacao: `CONFERE`, `NAO_CONFERE` (however old), `DESATUALIZADA` (agreed, more than `VALIDADE_DIAS` before D)
            or `SEM_CONFERENCIA`.
        data: day of the statement, None without one.
        conferido: balance of the statement.
        diferenca: computed balance of that day minus the statement's; None when the balance is undefined then (S7),
            which does not agree either.
    """

    situacao: str
    data: date | None = None
    conferido: Decimal | None = None
    diferenca: Decimal | None = None


def find_statement_states(
    position: Position, balance_of: Callable[[int, date], Decimal | None]
) -> dict[int, StatementState]:
    """Judge every configured account that is in use or has a statement balance up to D.

    Args:
        position: gives D, the accounts and `saldos_conferidos`; of two for one day the one written last counts.
        balance_of: computed realised balance of an account at the end of a day, None when undefined.

    Returns:
        conta_id -> state, by id.
    """
    latest: dict[int, tuple[date, int]] = {}
    saldos = position.saldos_conferidos
    for conta_id, data, centavos in zip(saldos["conta_id"], saldos["dia"], saldos["valor_centavos"], strict=True):
        day = as_date(data)
        known = latest.get(int(conta_id))
        if day is not None and day <= position.data_base and (known is None or day >= known[0]):
            latest[int(conta_id)] = (day, int(centavos))
    states: dict[int, StatementState] = {}
    for conta in position.contas.to_dict("records"):
        if pd.isna(conta["conta_id"]):
            continue
        number = int(conta["conta_id"])
        if number in latest:
            states[number] = _judge(latest[number], balance_of(number, latest[number][0]), position.data_base)
        elif conta["configurada"] and conta["ativa"]:
            states[number] = StatementState(SEM_CONFERENCIA)
    return dict(sorted(states.items()))


def _judge(statement: tuple[date, int], computed: Decimal | None, data_base: date) -> StatementState:
    day, conferido = statement[0], to_decimal(statement[1])
    difference = None if computed is None else computed - conferido
    if difference != 0:
        return StatementState(NAO_CONFERE, day, conferido, difference)
    stale = (data_base - day).days > VALIDADE_DIAS
    return StatementState(DESATUALIZADA if stale else CONFERE, day, conferido, difference)


def describe_states(states: dict[int, StatementState]) -> str:
    """Write which accounts are in which state.

    >>> describe_states({101: StatementState(CONFERE), 102: StatementState(SEM_CONFERENCIA)})
    'Confere: conta 101; Sem conferência: conta 102'
    """
    parts = []
    for state in STATES:
        numbers = [str(number) for number, found in states.items() if found.situacao == state]
        if numbers:
            parts.append(f"{state}: {'conta' if len(numbers) == 1 else 'contas'} {', '.join(numbers)}")
    return "; ".join(parts)
