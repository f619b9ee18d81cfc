"""What the reports of cash flow share (R02 to R05): their amounts, what the projections say, alerts, memo figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.cash_series import (
    ENVIADAS,
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    LINES,
    MOMENTS,
    PREVISTO,
    REALIZADO,
    RECEBIDAS,
    Flow,
    estimate_missing_recurrences,
    find_overdue_left_out,
)
from lastro.analysis.credit import Credit
from lastro.analysis.frames import store_centavos
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns
from lastro.grid.tables import Alert, Column, Sum, describe_column
from lastro.grid.words import column_name
from lastro.transform.scenarios import ATRASADO, CODES, PROMESSAS, VENCIMENTO

if TYPE_CHECKING:
    from lastro.reports.view import View

MEMO_RECEBER, MEMO_PAGAR = "Vencidos a receber (não projetados)", "Vencidos a pagar (não projetados)"
MEMO_ALL_SETTLED = "Saldo final se todos os vencidos forem liquidados"
MEMO_RECURRENCES = "Recorrências ainda não geradas (estimativa)"
RECURRENCES: Final = "recorrencias_nao_geradas"
WITH_OVERDUE: Final = "saldo_com_vencidos"
"""The memo figure that is a balance."""
BASE_NOTE: Final = (
    f"Saldo final: {VENCIMENTO.lower()}, cada título no seu dia, sem os vencidos. As colunas à direita mudam "
    "só as premissas, a partir da data-base."
)
UNJUDGED: Final = (ATRASADO, PROMESSAS)
"""Projections of which no alert speaks: paying all that is late at once is nobody's plan, promises are in the plan."""
SUMS: Final = {"saldo_inicial": Sum.OPENING, "saldo_final": Sum.CLOSING}


def day_key(day: date) -> str:
    """Return the key under which a link finds a day on *Fluxo diário* (R02)."""
    return f"dia_{day.isoformat()}"


def list_flow_lines(flows: Sequence[Flow]) -> dict[str, pd.Series]:
    """List the opening balance, what moves it (`LINES`) and the closing one; no balance is null (S7)."""
    return _between(flows, dict(zip(LINES, _stack(flows).sum(axis=2).T, strict=True)))


def list_amounts(flows: Sequence[Flow], net: str) -> dict[str, pd.Series]:
    """List the same with what is realised and what is predicted, and the net of the period under its own key."""
    moved = _stack(flows)
    by_line = moved.sum(axis=2)
    amounts = {
        "saldos_implantados": by_line[:, IMPLANTADOS],
        "entradas_realizadas": moved[:, LINE_ENTRADAS, REALIZADO],
        "saidas_realizadas": moved[:, LINE_SAIDAS, REALIZADO],
        "entradas_previstas": moved[:, LINE_ENTRADAS, PREVISTO],
        "saidas_previstas": moved[:, LINE_SAIDAS, PREVISTO],
        "nao_operacional": by_line[:, LINE_NAO_OPERACIONAL],
        "transferencias": by_line[:, RECEBIDAS] + by_line[:, ENVIADAS],
        net: by_line.sum(axis=1),
    }
    return _between(flows, amounts)


def _stack(flows: Sequence[Flow]) -> np.ndarray[tuple[int, int, int], np.dtype[np.int64]]:
    """Return centavos by flow, line and moment."""
    return np.array([flow.matrix for flow in flows], dtype="int64").reshape(-1, len(LINES), len(MOMENTS))


def _between(
    flows: Sequence[Flow], moved: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int64]]]
) -> dict[str, pd.Series]:
    """Put what moves the balances between them."""
    return {
        "saldo_inicial": store_centavos(flow.inicial for flow in flows),
        **{key: pd.Series(amounts) for key, amounts in moved.items()},
        "saldo_final": store_centavos(flow.final for flow in flows),
    }


def list_flow_columns(view: View, flows: Sequence[Flow], ends: Sequence[date], net: str) -> Columns:
    """List the amounts of consolidated periods, the alert, and the closing balance in every projection.

    Args:
        view: gives the projections.
        ends: their last days; before D a projection has no balance.
    """
    today, credit = view.position.data_base, view.credit
    amounts = list_amounts(flows, net)
    finals = amounts["saldo_final"].tolist()
    balances: dict[str, list[int | None]] = {
        one.nome: [
            None if end < today else final + one.difference_until(end) for final, end in zip(finals, ends, strict=True)
        ]
        for one in view.projections
    }
    judged = {VENCIMENTO: finals} | {name: own for name, own in balances.items() if name not in UNJUDGED}
    alerts = [find_alert(tuple(zip(judged, row, strict=True)), credit) for row in zip(*judged.values(), strict=True)]
    ahead = {name_key(name): store_centavos(values) for name, values in balances.items()}
    return {**amounts, "alerta": alerts, **ahead}


def find_alert(balances: Sequence[tuple[str, int | None]], credit: Credit) -> str | None:
    """Name the worst alert of the closing balances of a period, and the lines that have it if there are several.

    Args:
        balances: name and centavos, the booked one first; None counts nothing.
        credit: what they are asked for.

    >>> [find_alert([("No vencimento", final)], Credit(100_00)) for final in (-1, 99_99, 100_00)]
    ['Negativo', 'Abaixo do mínimo', None]
    """
    known = [(name, value) for name, value in balances if value is not None]
    for text, bound in credit.bounds:
        if names := [name for name, value in known if value < bound]:
            return text if len(known) == 1 else f"{text}: {', '.join(names)}"
    return None


def name_key(name: str) -> str:
    """Give the key of a projection in `mart`: of a line of projection it is older than the name."""
    return CODES.get(name) or column_name(name)


def describe_projections(view: View) -> Mapping[str, Column]:
    """Describe the column of every projection; those of the settings no dictionary has."""
    return {column.key: column for column in map(_describe_projection, (one.nome for one in view.projections))}


def _describe_projection(name: str) -> Column:
    column = describe_column(
        name_key(name), header=name, kind=Kind.MONEY, dense=True, alert=Alert.SALDO, sums=Sum.CLOSING
    )
    told = f"saldo: não se soma entre dias, semanas ou meses; saldo final em «{name}», nulo antes da data-base"
    return replace(column, about=column.about or told, shown=name != PROMESSAS)  # the plan has them


def tell_projections(view: View) -> tuple[str, ...]:
    """Say what every projection assumes."""
    printed = [projection for projection in view.projections if projection.nome != PROMESSAS]
    notes = tuple(note for projection in printed for note in projection.notas)
    return (BASE_NOTE, *notes) if view.projections else ()


def list_projected(view: View, ends: Sequence[date]) -> Columns:
    """List the closing balance of some days in every projection, beside the contractual one: grain day, projection."""
    projections = view.projections
    base = np.array([view.series.balance(end) for end in ends], dtype="int64").repeat(len(projections))
    change = np.array([one.difference_until(end) for end in ends for one in projections], dtype="int64")
    names = [one.nome for one in projections] * len(ends)
    return {
        "cenario": names,
        "saldo_contratual": pd.Series(base),
        "diferenca": pd.Series(change),
        "saldo_final": pd.Series(base + change),
        "codigo": list(map(name_key, names)),
    }


def list_flow_memo(view: View, last: date) -> Columns:
    """List the figures below a flow, outside its balances; the last day of the flow gives the one that is a balance."""
    position = view.position
    receive, pay, both = find_overdue_left_out(position)
    missing = sum(estimate_missing_recurrences(position, position.ultimo_dia).values())
    return {
        "memo": [MEMO_RECEBER, MEMO_PAGAR, MEMO_ALL_SETTLED, MEMO_RECURRENCES],
        "valor": pd.Series([receive, pay, (view.series.balance(last) or 0) + both, missing]),
        "codigo": ["vencidos_a_receber", "vencidos_a_pagar", WITH_OVERDUE, RECURRENCES],
    }
