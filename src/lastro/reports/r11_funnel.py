"""Part (b) of R11: how many live charges reached each stage, by due month."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.calendar import month_start
from lastro.grid.charts import BALANCE_COLOUR, Chart, ChartKind, Series, shorten
from lastro.grid.pivot import list_rows
from lastro.grid.prints import Columns, Print
from lastro.money import ratio_pct, to_decimal
from lastro.reports.printing import Tables
from lastro.reports.shared.charge_detail import STATUS_TEXTS, read_live
from lastro.transform.charges import RANKS

if TYPE_CHECKING:
    from lastro.reports.view import View

MONTHS_SHOWN: Final = 6
STAGES: Final = tuple(f"{rank} {stage}" for rank, stage in enumerate(STATUS_TEXTS, start=1))


def count_stages(view: View) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count the live charges that reached each stage, and add them up in centavos: due month x stage."""
    live = view.once(read_live)
    months = live["data_vencimento"].to_numpy("datetime64[M]").astype("datetime64[us]")
    reached = pd.DataFrame({stage: live["rank"] >= rank for stage, rank in RANKS.items()})
    values = reached.mul(live["valor_centavos"], axis=0)
    return reached.groupby(months).sum(), values.groupby(months).sum()


def list_funnel(view: View) -> Columns:
    """List (b), due month x stage; of those before the first stage nothing is known."""
    counts, values = view.once(count_stages)
    reached, before = (frame.to_numpy().ravel() for frame in (counts, counts.shift(axis=1, fill_value=0)))
    return {
        "mes_de_vencimento": pd.Series(counts.index.repeat(len(STAGES))),
        "etapa_alcancada": STAGES * len(counts),
        "qtde": pd.Series(reached),
        "valor": pd.Series(values.to_numpy().ravel()),
        "conversao_pct": list(map(ratio_pct, reached.tolist(), before.tolist())),
        "etapa": [*RANKS.values()] * len(counts),
    }


def list_months(view: View) -> Columns:
    """List (b) with a row per due month, D's and the five before."""
    last = month_start(view.position.data_base)
    months = pd.date_range(end=last, periods=MONTHS_SHOWN, freq="MS")
    counts, values = (frame.reindex(months, fill_value=0) for frame in view.once(count_stages))
    return {"mes_de_vencimento": pd.Series(months), **_lay_out(counts, values)}


def list_months_total(view: View) -> Columns:
    """Sum (b) over all months, also those before and after."""
    counts, values = (frame.sum().to_frame().T for frame in view.once(count_stages))
    return {"codigo": ["total"], "linha": ["Todos os meses"], **_lay_out(counts, values)}


def _lay_out(counts: pd.DataFrame, values: pd.DataFrame) -> Columns:
    """Lay the stages out side by side: how many reached them, which part of those before, and what was issued."""
    shares = {
        f"conversao_{stage}_pct": list(map(ratio_pct, counts[stage].tolist(), counts[before].tolist()))
        for before, stage in pairwise(RANKS)
    }
    return {**{stage: counts[stage] for stage in RANKS}, **shares, "valor": values["agendado"]}


def draw_funnel(_: View, tables: Tables) -> Chart:
    """Draw the amount of the charges that reached each stage, all due months together."""
    sums: dict[Any, Any] = dict.fromkeys(STAGES, to_decimal(0))
    for stage, amount in list_rows(tables[FUNNEL.name], ("etapa_alcancada", "valor")):
        sums[stage] += amount
    title, bars = "Funil das cobranças: valor que chegou a cada etapa", tuple(map(shorten, sums))
    return Chart(
        title,
        ChartKind.BAR,
        bars,
        (Series("Valor", tuple(sums.values()), BALANCE_COLOUR),),
        after="cobrancas_por_status",
    )


MONTHS: Final = Print(
    "cobrancas_funil_meses",
    "R11 (b): funil dos últimos seis meses de vencimento, uma etapa por coluna",
    list_months,
    widths={"mes_de_vencimento": 18},
    title="Funil por mês de vencimento: o que chegou a cada etapa",
    below="cobrancas_funil_meses_total",
    notes=(
        "Quantas chegaram à etapa, sem canceladas. %: das que chegaram à anterior. Valor: das emitidas.",
        "Todos os meses: também os que vencem antes ou depois destes, mês a mês em mart.cobrancas_funil.",
    ),
)
MONTHS_TOTAL: Final = Print(
    "cobrancas_funil_meses_total",
    "R11 (b): funil de todos os meses de vencimento, sem canceladas",
    list_months_total,
    keys=("codigo",),
)
FUNNEL: Final = Print(
    "cobrancas_funil",
    "R11 (b): funil por mês de vencimento, sem canceladas: quantas chegaram a cada etapa",
    list_funnel,
    keys=("mes_de_vencimento", "etapa"),
    about={"valor": "soma das cobranças que chegaram à etapa, positiva; cada etapa contém as seguintes"},
)
