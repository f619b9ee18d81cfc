"""A table of R13: what fell due in each month, and when it was paid; the sheet has it where no run is old enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from lastro.analysis.forecast_accuracy import sum_due_and_paid
from lastro.calendar import add_months, month_start
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row
from lastro.grid.storage import store_each
from lastro.grid.tables import Table
from lastro.money import ratio_pct

if TYPE_CHECKING:
    from lastro.reports.view import View

DUE_MONTHS: Final = 13
"""Due months up to D's that the sheet shows; SQL has all."""


def list_due(view: View) -> Columns:
    """List what fell due in each month up to D's, and when it was paid."""
    sums = sum_due_and_paid(view.position)
    total = sums[["no_mes", "antes", "depois", "em_aberto"]].sum(axis=1)
    return {
        "mes_de_vencimento": sums["mes"],
        "tipo": store_each(Kind.TEXT, sums["tipo"], lambda tipo: "A receber" if tipo == "R" else "A pagar"),
        "vencia": total,
        "pago_no_mes": sums["no_mes"],
        "pago_antes": sums["antes"],
        "pago_depois": sums["depois"],
        "em_aberto": sums["em_aberto"],
        "pct_realizacao": list(map(ratio_pct, (sums["no_mes"] + sums["antes"]).abs().tolist(), total.abs().tolist())),
        "tipo_codigo": sums["tipo"],
    }


def _show_due(view: View, table: Table) -> Sequence[Row]:
    begin = add_months(month_start(view.position.data_base), 1 - DUE_MONTHS)
    months = table.data["mes_de_vencimento"].cells()
    return [Row(cells) for month, cells in zip(months, table.rows, strict=True) if month >= begin]


DUE: Final = Print(
    "previsto_realizado_vencimento",
    "R13: títulos por mês de vencimento e tipo: quando foram pagos",
    list_due,
    keys=("mes_de_vencimento", "tipo_codigo"),
    about={"tipo": "A receber ou A pagar"},
    widths={"tipo": 12},
    hidden=("tipo_codigo",),
    title="Vencimento x pagamento",
    rows=_show_due,
    notes=(
        (
            "Sem execução completa anterior ao período, compara-se o vencimento atual com o pagamento. "
            "% realização = pago até o fim do mês / vencia."
        ),
    ),
)
