"""Two sections of R12: how each payer, and each payment method, really pays.

They stand on Pessoas and not on Inadimplência: a habit is drawn from what was paid, so it also concerns payers that owe
nothing today, and R10 lists only those that do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.analysis.ratios import Term
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row, Style
from lastro.grid.storage import store_labels
from lastro.grid.tables import Table
from lastro.money import ratio_pct
from lastro.transform.habits import HABIT_WINDOWS, JANELA_HABITO_DIAS, MIN_TITULOS, OBSERVED, Habits, tell_change

if TYPE_CHECKING:
    from lastro.reports.view import View

PUSHED: Final = ("titulos_adiados", "pct_adiados", "adiamentos", "adiamento_medio", "maior_adiamento")
"""Blank without history: nothing was seen, which is not the same as nothing was pushed."""


def list_payers(view: View) -> Columns:
    """List the payers, value paid in the window descending, then id."""
    payers = view.habits.pagadores
    names = store_labels(payers["pessoa_id"], view.position.rotulos.pessoa)
    return {
        "pessoa": names,
        **_describe(payers, view.habits),
        "mudanca_em_dias": payers["mudanca_dias"],
        "como_mudou": [tell_change(days) for (days,) in records_of(payers, "mudanca_dias")],
        "pessoa_id": payers["pessoa_id"],
    }


def list_methods(view: View) -> Columns:
    """List the payment methods, value paid in the window descending, then id."""
    methods = view.habits.formas
    names = store_labels(methods["forma_pagamento_id"], view.position.rotulos.forma)
    return {"forma": names, **_describe(methods, view.habits), "forma_pagamento_id": methods["forma_pagamento_id"]}


def _describe(frame: pd.DataFrame, habits: Habits) -> dict[str, Any]:
    paid, pushed = frame["titulos_pagos"], frame["titulos_adiados"]
    columns = {
        "titulos_pagos": paid,
        "valor_pago": frame["valor_pago_centavos"],
        "pagos_com_atraso": frame["pagos_com_atraso"],
        "pct_com_atraso": list(map(ratio_pct, frame["pagos_com_atraso"].tolist(), paid.tolist())),
        "atraso_medio": [Term(*pair).dias for pair in records_of(frame, "valor_dias", "valor_pago_centavos")],
        "maior_atraso": frame["maior_atraso"].astype("Int64").where(paid > 0),
        "titulos_adiados": pushed,
        "pct_adiados": list(map(ratio_pct, pushed.tolist(), frame["titulos_observados"].tolist())),
        "adiamentos": frame["adiamentos"],
        "adiamento_medio": [Term(*pair).dias for pair in records_of(frame, "dias_adiados", "titulos_adiados")],
        "maior_adiamento": frame["maior_adiamento"],
        "habito_em_dias": frame["habito_dias"],
        "base_do_habito": frame["habito_base"],
        "a_receber": frame["a_receber_centavos"],
    }
    return columns if habits.com_historico else {**columns, **dict.fromkeys(PUSHED, [None] * len(frame))}


def _total_payers(view: View, _: Table) -> Sequence[Row]:
    """Take all payers together: a mean of all is no sum of means."""
    habits, how = view.habits, {name: "max" if name.startswith("maior_") else "sum" for name in OBSERVED}
    whole = habits.pagadores.agg(how).fillna(0).astype("int64").to_frame().T
    whole = whole.assign(habito_dias=pd.array([habits.empresa_dias], dtype="Int64"), habito_base=None)
    blank = {key: [None] for key in ("mudanca_em_dias", "como_mudou", "pessoa_id")}
    (cells,) = PAYERS.table({"pessoa": ["Total"], **_describe(whole, habits), **blank}, view).rows
    return (Row(cells, style=Style.TOTAL),)


def _tell_pushed(view: View) -> Iterable[str]:
    if view.habits.com_historico:
        yield (
            "Adiado: o vencimento ficou mais distante de uma execução para outra; adiamento médio em dias por título "
            "adiado."
        )
    else:
        yield "Adiamentos: disponíveis a partir da segunda execução, que compara vencimentos."


PAYERS: Final = Print(
    "pessoas_habitos",
    "R12: um pagador por linha: atraso, adiamentos e hábito, premissa da projeção por hábitos",
    list_payers,
    headers={"pessoa_id": "Id"},
    widths={"base_do_habito": 18, "como_mudou": 34},
    dense=True,
    shown=("pessoa_id",),
    hidden=("mudanca_em_dias",),
    title="Hábitos de pagamento por pagador",
    below=_total_payers,
    notes=(
        (
            f"Recebíveis que entram no resultado, pagos nos últimos {JANELA_HABITO_DIAS} dias ou em aberto. "
            "Atraso médio: pagamento - vencimento, ponderado pelo valor (antecipado é negativo)."
        ),
        (
            "Hábito: pagamento - primeiro vencimento conhecido, ponderado pelo valor, do que venceu em "
            f"{HABIT_WINDOWS[0]} dias; vencido em aberto conta com os dias até hoje. Com menos de {MIN_TITULOS}, em "
            f"{HABIT_WINDOWS[1]} dias, senão o da forma de pagamento mais usada, senão o da empresa. É a premissa da "
            "coluna «Como os clientes pagam» dos fluxos."
        ),
        _tell_pushed,
    ),
)
METHODS: Final = Print(
    "pessoas_formas",
    "R12: uma forma de pagamento por linha: atraso, adiamentos e hábito dos pagadores",
    list_methods,
    headers={"forma_pagamento_id": "Id"},
    widths={"base_do_habito": 18},
    dense=True,
    shown=("forma_pagamento_id",),
    title="Hábitos de pagamento por forma",
)
