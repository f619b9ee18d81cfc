"""R11 Situação das cobranças: where the money is between issue and bank, and where charges and entries differ (S12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.charges import PENDENTE_RANK, is_in_transit
from lastro.analysis.ratios import Term
from lastro.calendar import month_start
from lastro.folding import sort_key
from lastro.grid.cells import Value
from lastro.grid.charts import BALANCE_COLOUR, Chart, ChartKind, Series, shorten
from lastro.grid.pivot import build_total, list_rows
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Table
from lastro.grid.workbook import Family
from lastro.money import ratio_pct, round_half_up, to_decimal
from lastro.reports.printing import Tables, print_section
from lastro.reports.shared.charge_detail import (
    CARD_DAYS,
    CHARGES,
    DIFFERENCES,
    STATUS_TEXTS,
    label_status,
    read_charges,
    read_live,
    show_card_days,
)
from lastro.reports.spec import ReportSpec
from lastro.transform.charges import CANCELADO, RANKS
from lastro.transform.position import FAIXAS, find_faixas

if TYPE_CHECKING:
    from lastro.reports.view import View

PAID: Final = {"pago": "valor_pago_centavos", "taxas": "taxa_centavos", "liquido": "liquido_centavos"}
TIMES: Final = {
    "dias_venc_pagto": ("pagas_com_data", "venc_pagto_media", "venc_pagto_mediana"),
    "dias_pagto_transf": ("transferidas_com_data", "pagto_transf_media", "pagto_transf_mediana"),
}
"""Days of a charge -> the columns that count them, and their mean and median."""
MONTHS_SHOWN: Final = 6
STAGES: Final = tuple(f"{rank} {stage}" for rank, stage in enumerate(STATUS_TEXTS, start=1))


def list_status(view: View) -> Columns:
    """List (a), status x forma: unknown statuses after the known ones, all cancelled charges last in one row.

    Within a status by the label of the forma, ties by id, those without one last.
    """
    charges, label = view.once(read_charges), view.position.rotulos.forma
    live, last = charges["viva"], len(RANKS) + 1
    keys = [charges["status"].where(live, CANCELADO), charges["forma_pagamento_id"].where(live)]
    sums = _part_charges(charges).groupby(keys, dropna=False).sum()
    pairs = [(status, None if pd.isna(forma) else int(forma)) for status, forma in sums.index]
    ranks = {**RANKS, CANCELADO: last + 1}
    order = sorted(
        range(len(pairs)),
        key=lambda place: (ranks.get(pairs[place][0], last), pairs[place][0], *_place_forma(view, pairs[place][1])),
    )
    pairs = [pairs[place] for place in order]
    return {
        "status": [label_status(status) for status, _ in pairs],
        "forma": ["Todas" if status == CANCELADO else label(forma) for status, forma in pairs],
        **_tell_sums(sums.iloc[order]),
        "status_codigo": [status for status, _ in pairs],
    }


def list_status_totals(view: View) -> Columns:
    """Sum the live charges, and those of them that collect no entry."""
    live = view.once(read_live)
    amounts, orphans = _part_charges(live), ~live["titulo_ids"].astype(bool)
    sums = {("total", "Total"): amounts.sum()}
    if orphans.any():
        sums["sem_lancamento", "Cobranças sem lançamento"] = amounts[orphans].sum()
    codes, texts = zip(*sums, strict=True)
    return {"codigo": codes, "linha": texts, **_tell_sums(pd.DataFrame(list(sums.values())))}


def _place_forma(view: View, forma: int | None) -> tuple[bool, str, int]:
    """Tell what payment methods are sorted by: their label, ties by id; none given last."""
    return forma is None, sort_key(view.position.rotulos.forma(forma)), forma or 0


def _part_charges(charges: pd.DataFrame) -> pd.DataFrame:
    """Tell what every charge adds; only what is paid counts for what customers and fees took."""
    paid = {key: charges[field].fillna(0).astype("int64").where(charges["paga"], 0) for key, field in PAID.items()}
    return pd.DataFrame({"qtde": 1, "valor": charges["valor_centavos"], **paid}, index=charges.index)


def _tell_sums(sums: pd.DataFrame) -> Columns:
    shares = list(map(ratio_pct, sums["taxas"].tolist(), sums["pago"].tolist()))
    return {**{str(key): sums[key] for key in sums}, "taxa_pct": shares}


def show_status(view: View, tables: Tables) -> Section:
    """Print (a): the cancelled charges stand below the total that leaves them out."""
    printed = print_section(STATUS, tables, view)
    codes = tables[STATUS.name].data["status_codigo"].cells()
    last = len(codes) - (CANCELADO in codes)
    own, rest = printed.rows[:last], printed.rows[len(codes) :]
    return replace(printed, rows=(*own, *rest[:1], *printed.rows[last : len(codes)], *rest[1:]))


def list_times(view: View) -> Columns:
    """List (c): days from due date to payment and from payment to transfer, per forma, live charges only."""
    live, label = view.once(read_live), view.position.rotulos.forma
    split = live.groupby("forma_pagamento_id", dropna=False)
    parts = [(None if pd.isna(forma) else int(forma), part) for forma, part in split]  # type: ignore[arg-type]
    parts.sort(key=lambda pair: _place_forma(view, pair[0]))
    return {"forma": [label(forma) for forma, _ in parts], **_measure_times([part for _, part in parts])}


def _total_times(view: View, _: Table) -> Sequence[Row]:
    """Measure all formas together, whose mean and median no table has."""
    whole = _measure_times([view.once(read_live)])
    return (Row(("Total", *(values[0] for values in whole.values())), style=Style.TOTAL),)


def _measure_times(parts: Sequence[pd.DataFrame]) -> dict[str, list[Value]]:
    columns: dict[str, list[Value]] = {}
    for field, (count, mean, median) in TIMES.items():
        days = [part[field].dropna().to_numpy("int64") for part in parts]
        columns[count] = list(map(len, days))
        columns[mean] = [Term(int(one.sum()), len(one)).dias for one in days]
        columns[median] = [round_half_up(Decimal(float(np.median(one))), 1) if len(one) else None for one in days]
    return columns


def list_late(view: View) -> Columns:
    """List (d): pending charges due before D, by calendar days late."""
    live, today = view.once(read_live), pd.Timestamp(view.position.data_base)
    late = live[(live["rank"] == PENDENTE_RANK) & (live["data_vencimento"] < today)]
    values = late["valor_centavos"].groupby(find_faixas((today - late["data_vencimento"]).dt.days))
    late_bands = list(FAIXAS[1:])
    return {
        "faixa": late_bands,
        "qtde": values.size().reindex(late_bands, fill_value=0),
        "valor": values.sum().reindex(late_bands, fill_value=0),
    }


def list_on_the_way(view: View) -> Columns:
    """List (e): net amounts of ranks 3 and 4 by the day the service announces for the transfer, unknown ones last."""
    charges = view.once(read_charges)
    nets = charges[is_in_transit(charges)].groupby("data_a_transferir", dropna=False)["liquido_centavos"]
    sums = nets.sum()
    return {"data_a_transferir": pd.Series(sums.index), "qtde": nets.size(), "liquido": sums}


def _total_transit(_: View, table: Table) -> Sequence[Row]:
    """Sum (e), also where nothing is in transit."""
    return (build_total(table.columns, [Row(cells) for cells in table.rows], "Total", only=("qtde", "liquido")),)


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
STATUS: Final = Print(
    "cobrancas_por_status",
    "R11 (a): cobranças por situação e forma; canceladas em linha própria (S12)",
    list_status,
    widths={"status": 24},
    hidden=("status_codigo",),
    title="Situação x forma de cobrança",
    below="cobrancas_por_status_total",
    notes=(
        "Taxas: só das cobranças pagas. Canceladas ficam fora do total.",
        "O valor das cobranças nunca se soma às contas a receber: elas só anotam os lançamentos (S9).",
    ),
)
STATUS_TOTALS: Final = Print(
    "cobrancas_por_status_total",
    "R11 (a): todas as cobranças, sem canceladas; e as que não têm lançamento",
    list_status_totals,
    keys=("codigo",),
)
TIMES_BY_FORMA: Final = Print(
    "cobrancas_tempos",
    "R11 (c): dias do vencimento ao pagamento e do pagamento à transferência, por forma",
    list_times,
    title="Tempos por forma (dias)",
    below=_total_times,
    notes=(
        "Dias corridos; adiantado é negativo. Data de pagamento: a maior dos lançamentos, se todos estão pagos;",
        "senão o dia em que uma execução viu a cobrança paga pela primeira vez.",
    ),
)
LATE: Final = Print(
    "cobrancas_pendentes_vencidas",
    "R11 (d): cobranças pendentes e vencidas, por faixa de atraso",
    list_late,
    keys=("faixa",),
    widths={"faixa": 24},
    title="Pendentes vencidas por faixa",
    total=("qtde", "valor"),
)
TRANSIT: Final = Print(
    "cobrancas_em_transito",
    "R11 (e): valor líquido pago pelo cliente e ainda não transferido, por data prevista",
    list_on_the_way,
    keys=("data_a_transferir",),
    widths={"data_a_transferir": 18},
    title="Em trânsito por data a transferir",
    below=_total_transit,
    notes=("Líquido = valor pago - taxa. Sem data: a transferência ainda não foi anunciada.",),
)
SPEC: Final = ReportSpec(
    code="R11",
    name="cobrancas",
    title="Situação das cobranças",
    question="Onde está o dinheiro entre a emissão e o banco?",
    family=Family.OPEN,
    tables=(
        STATUS,
        STATUS_TOTALS,
        MONTHS,
        MONTHS_TOTAL,
        FUNNEL,
        TIMES_BY_FORMA,
        LATE,
        TRANSIT,
        CHARGES,
        DIFFERENCES,
        CARD_DAYS,
    ),
    sections=(DIFFERENCES, show_card_days, show_status, MONTHS, LATE, TRANSIT, TIMES_BY_FORMA),
    charts=(draw_funnel,),
)
