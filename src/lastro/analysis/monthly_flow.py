"""The cash flow by line, category and month (R04), before it is printed.

Belongs here: which lines there are, what they and the categories below them come to. Does not belong here: its tables
and its sheet (`lastro.reports.r04_monthly_flow`), the balances of days and accounts (`lastro.analysis.cash_series`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    CashSeries,
    Flow,
)
from lastro.analysis.income_statement import sum_categories
from lastro.analysis.periods import list_places
from lastro.analysis.tree import Branch, build_nodes, list_branches
from lastro.grid.sections import Style
from lastro.grid.tables import Period, Sum
from lastro.transform.position import CLASS_KEYS, ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS

if TYPE_CHECKING:
    from lastro.transform.position import Position

LINES: Final[tuple[tuple[str, str, Callable[[Flow], int]], ...]] = (
    ("saldo_inicial", "Saldo inicial", lambda flow: flow.inicial or 0),
    ("saldos_implantados", "Saldos implantados", lambda flow: flow.line(IMPLANTADOS)),
    ("entradas", ENTRADAS, lambda flow: flow.line(LINE_ENTRADAS)),
    ("saidas", SAIDAS, lambda flow: flow.line(LINE_SAIDAS)),
    ("fluxo_operacional", "= Fluxo operacional", lambda flow: flow.operacional),
    ("nao_operacional", NAO_OPERACIONAL, lambda flow: flow.line(LINE_NAO_OPERACIONAL)),
    ("geracao_de_caixa", "= Geração de caixa", lambda flow: flow.geracao),
    ("transferencias", "Transferências entre contas", lambda flow: flow.transferencias),
    ("saldo_final", "Saldo final", lambda flow: flow.final or 0),
)
"""Code, printed text and amount of every line above the categories, in printed order."""
CLASSES: Final[Mapping[str, str]] = {
    **{code: classe for classe, code in CLASS_KEYS.items()}, "transferencias": TRANSFERENCIAS
}  # fmt: skip
"""Line -> the class whose entries it adds."""
BALANCES: Final = frozenset({"saldo_inicial", "saldos_implantados", "saldo_final"})
"""Lines without mean and ratios."""
SUMS: Final[Mapping[str, Sum]] = {"saldo_inicial": Sum.OPENING, "saldo_final": Sum.CLOSING}
"""Lines whose total over periods is not their sum."""
STYLES: Final[Mapping[str, Style]] = {
    "entradas": Style.SECTION, "saidas": Style.SECTION, "fluxo_operacional": Style.SUBTOTAL,
    "nao_operacional": Style.SECTION, "geracao_de_caixa": Style.SUBTOTAL, "saldo_final": Style.TOTAL,
}  # fmt: skip


def lay_flow(
    position: Position, series: CashSeries, movements: pd.DataFrame, periods: Sequence[Period]
) -> tuple[Branch, ...]:
    """Lay out every line, then the nodes of its tree, siblings by name; centavos per period.

    A mixed category may stand under two of Entradas, Saídas and Não operacional.

    Args:
        position: gives D and the categories.
        series: gives the lines.
        movements: those of it (`build_movements`), which the categories add up.
        periods: result of `plan_months`.
    """
    flows = [series.flow(period) for period in periods]
    shown = movements["data"].between(pd.Timestamp(periods[0].first), pd.Timestamp(periods[-1].last))
    movements = movements[shown].rename(columns={"classe": "grupo"})
    of_class = sum_categories(movements, len(periods), list_places(movements, periods, position.data_base))
    branches = []
    for code, text, pick in LINES:
        parts, has_tree = of_class.get(CLASSES.get(code, ""), {}), code != "transferencias"
        nodes = build_nodes(position.categorias, parts) if parts and has_tree else ()
        ids = [key for node in nodes if node.nivel == 0 for key in node.categorias]
        if not has_tree:
            ids = [None, *sorted(key for key in parts if key is not None)]
        amounts = np.array([pick(flow) for flow in flows], dtype=np.int64)
        branches.append(Branch(code, text, amounts, STYLES.get(code, Style.NORMAL), tuple(ids)))
        branches += list_branches(code, nodes)
    return tuple(branches)


def add_periods(branch: Branch, current: int) -> int:
    """Make one figure of all periods; `current` is the place of D's month in full, whose moments count already."""
    rule = SUMS.get(branch.codigo, Sum.FLOW)
    if rule is Sum.FLOW:
        return int(branch.valores.sum() - branch.valores[current])
    return int(branch.valores[0 if rule is Sum.OPENING else -1])
