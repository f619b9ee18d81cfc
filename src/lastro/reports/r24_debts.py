"""R24 Dívidas: loans, plans of instalments and advances: what is owed of each, when, and what it takes of receipts.

On *Pagar*. Amounts keep the sign of payables: negative. Nothing is computed that the books do not have: no interest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.debts import list_debts
from lastro.calendar import add_months, month_end, month_start
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Section
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import format_centavos_brl, ratio_pct
from lastro.reports.printing import Tables, print_section
from lastro.reports.spec import ReportSpec
from lastro.transform.position import ENTRADAS, as_date

if TYPE_CHECKING:
    from datetime import date

    from lastro.reports.view import View

MONTHS: Final = 24


def _select(view: View) -> pd.DataFrame:
    """List the debts, with the month in which each leaves (S4); null where it is overdue."""
    debts = list_debts(view.position, view.settled)
    return debts.assign(mes=debts["data_projetada"].dt.to_period("M").dt.start_time.dt.date)


def _find_next_month(view: View) -> date:
    return add_months(month_start(view.position.data_base), 1)


def list_each_debt(view: View) -> Columns:
    """List each debt, a category and a person: those with late instalments first, then the larger."""
    following, labels = _find_next_month(view), view.position.rotulos
    rows: list[dict[str, Any]] = []
    for _, part in view.once(_select).groupby(["categoria_id", "pessoa_id"], dropna=False):
        late, ahead = part[part["vencido"]], part[~part["vencido"]]
        first = ahead["data_vencimento"].min()
        categoria_id, pessoa_id = (
            None if pd.isna(part[key].iloc[0]) else int(part[key].iloc[0]) for key in ("categoria_id", "pessoa_id")
        )
        rows.append(
            {
                "divida": labels.categoria_caminho(categoria_id),
                "pessoa": labels.pessoa(pessoa_id),
                "atrasado": int(late["valor_centavos"].sum()),
                "atrasadas": len(late),
                "proximo_vencimento": as_date(first),
                "proxima_parcela": int(ahead.loc[ahead["data_vencimento"] == first, "valor_centavos"].sum()),
                "mes_seguinte": int(part.loc[part["mes"] == following, "valor_centavos"].sum()),
                "valor": int(part["valor_centavos"].sum()),
                "qtde": len(part),
                "ultimo_vencimento": as_date(part["data_vencimento"].max()),
                "categoria_id": categoria_id,
                "pessoa_id": pessoa_id,
            }
        )
    rows.sort(key=lambda row: (not row["atrasadas"], row["valor"], row["categoria_id"] or 0, row["pessoa_id"] or 0))
    return {key: [row[key] for row in rows] for key in KEYS}


def list_debt_months(view: View) -> Columns:
    """List D's month and the following ones: what leaves of debts, and what is left; of the next one, of receipts."""
    debts, following = view.once(_select), _find_next_month(view)
    sums = debts.groupby("mes")["valor_centavos"].agg(["sum", "count"])
    left = int(debts.loc[~debts["vencido"], "valor_centavos"].sum())
    rows: list[tuple[Any, ...]] = []
    for offset in range(MONTHS if len(debts) else 0):
        month = add_months(month_start(view.position.data_base), offset)
        value, count = (int(sums[name].get(month, 0)) for name in ("sum", "count"))
        left -= value
        receipts = _sum_receipts(view, month) if month == following else None
        rows.append((month, value, count, left, receipts, ratio_pct(-value, receipts or 0)))
    return list_columns(("mes", "valor", "qtde", "resta", "entradas_previstas", "pct_das_entradas"), rows)


def _sum_receipts(view: View, month: date) -> int:
    """Add up the Entradas that are booked for a month to come, as *Fluxo mensal* has them (R04)."""
    moves = view.movements
    inside = moves["previsto"] & moves["data"].between(pd.Timestamp(month), pd.Timestamp(month_end(month)))
    return int(moves.loc[inside & (moves["classe"] == ENTRADAS), "valor_centavos"].sum())


def tell_share(view: View) -> Iterator[str]:
    """Say what of the receipts of next month debts take."""
    for month, value, receipts, share in zip(*(view.once(list_debt_months)[key] for key in SHARE), strict=True):
        if value and receipts is not None:
            said = f"Em {month_label(month)} saem {format_centavos_brl(-value)} de dívidas"
            taken = f"{share} % das entradas já lançadas para o mês".replace(".", ",")
            yield (
                f"{said}: {taken} ({format_centavos_brl(receipts)})."
                if share
                else f"{said}, e nada há lançado que entre."
            )


def show_months(view: View, tables: Tables) -> Section | None:
    """Print the months up to the last one in which anything leaves."""
    table = tables[BY_MONTH.name]
    used = [place for place, count in enumerate(table.data["qtde"].cells()) if count]
    if not used:
        return None
    return print_section(BY_MONTH, {**tables, table.name: table.take(np.arange(used[-1] + 1))}, view)


SHARE: Final = ("mes", "valor", "entradas_previstas", "pct_das_entradas")
KEYS: Final = (
    "divida", "pessoa", "atrasado", "atrasadas", "proximo_vencimento", "proxima_parcela", "mes_seguinte", "valor",
    "qtde", "ultimo_vencimento", "categoria_id", "pessoa_id",
)  # fmt: skip
SERIES: Final = Print(
    "dividas",
    "R24: uma dívida, categoria e pessoa, por linha: empréstimos, parcelamentos e antecipações a pagar",
    list_each_debt,
    keys=("categoria_id", "pessoa_id"),
    about={
        "atrasado": "o que dela está vencido, negativo",
        "atrasadas": "quantos títulos dela estão vencidos",
        "proximo_vencimento": "o primeiro vencimento do que não está vencido; nulo se nada mais vence",
        "valor": "tudo o que dela está lançado em aberto, negativo; nenhum juro além do lançado",
    },
    widths={"divida": 34, "pessoa": 26},
    title="Dívidas: empréstimos, parcelamentos e antecipações",
    total=("atrasado", "atrasadas", "proxima_parcela", "mes_seguinte", "valor", "qtde"),
    notes=(
        tell_share,
        "Só o que está lançado: juro nenhum se calcula. Dívida é o que o mapa da DRE diz, ou um parcelamento.",
    ),
    optional=True,
)
BY_MONTH: Final = Print(
    "dividas_meses",
    f"R24: o que sai de dívidas no mês da data-base, a partir dela, e nos {MONTHS - 1} seguintes; o vencido fora",
    list_debt_months,
    keys=("mes",),
    about={
        "valor": "o que sai de dívidas no mês (S4), negativo",
        "entradas_previstas": "as entradas já lançadas para o mês seguinte ao da data-base (R04); nulo em outro mês",
    },
    title=f"Dívidas por mês, até {MONTHS} meses",
    total=("valor", "qtde"),
    notes=("Resta: o que falta vencer depois do mês, do que está lançado. O vencido fora.",),
)
SPEC: Final = ReportSpec(
    code="R24",
    name="dividas",
    title="Dívidas",
    question="Quanto se deve a quem empresta, quando vence e quanto leva do que entra?",
    family=Family.OPEN,
    tables=(SERIES, BY_MONTH),
    sections=(SERIES, show_months),
)
