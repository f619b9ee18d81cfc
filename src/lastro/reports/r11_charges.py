"""R11 Situação das cobranças: where the money is between issue and bank, and where charges and entries differ (S12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.charges import PENDENTE_RANK, is_in_transit
from lastro.analysis.ratios import Term
from lastro.folding import sort_key
from lastro.grid.cells import Value
from lastro.grid.pivot import build_total
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Table
from lastro.grid.workbook import Family
from lastro.money import ratio_pct, round_half_up, to_decimal
from lastro.reports.prints import Tables, print_section
from lastro.reports.r11_funnel import FUNNEL, MONTHS, MONTHS_TOTAL, draw_funnel
from lastro.reports.shared.charge_detail import CHARGES, DIFFERENCES, read_charges, read_live, status_label
from lastro.reports.spec import ReportSpec
from lastro.transform.charges import CANCELADO, RANKS
from lastro.transform.position import FAIXAS, find_faixas

if TYPE_CHECKING:
    from lastro.reports.view import View

TIMES: Final = {
    "dias_venc_pagto": ("pagas_com_data", "venc_pagto_media", "venc_pagto_mediana"),
    "dias_pagto_transf": ("transferidas_com_data", "pagto_transf_media", "pagto_transf_mediana"),
}
"""Days of a charge -> the columns that count them, and their mean and median."""


def list_status(view: View) -> Columns:
    """List (a), status x forma: unknown statuses after the known ones, all cancelled charges last in one row."""
    charges = view.once(read_charges)
    live, cancelled = view.once(read_live), charges[~charges["viva"]]
    statuses = sorted(live["status"].unique(), key=lambda status: (RANKS.get(status, len(RANKS) + 1), status))
    parts = [
        (status, label, part)
        for status in statuses
        for label, part in _split_by_forma(view, live[live["status"] == status])
    ]
    if len(cancelled):
        parts.append((CANCELADO, "Todas", cancelled))
    return {
        "status": [status_label(status) for status, *_ in parts],
        "forma": [label for _, label, _ in parts],
        **_sum_charges([part for *_, part in parts]),
        "status_codigo": [status for status, *_ in parts],
    }


def list_status_totals(view: View) -> Columns:
    """Sum the live charges, and those of them that collect no entry."""
    live = view.once(read_live)
    parts = {("total", "Total"): live}
    if len(orphans := live[~live["titulo_ids"].astype(bool)]):
        parts[("sem_lancamento", "Cobranças sem lançamento")] = orphans
    codes, texts = zip(*parts, strict=True)
    return {"codigo": codes, "linha": texts, **_sum_charges(list(parts.values()))}


def _split_by_forma(view: View, charges: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Split charges by payment method, sorted by its label, ties by id; those without one last."""
    forma, label = charges["forma_pagamento_id"], view.position.rotulos.forma
    ids = sorted(forma.dropna().unique().tolist(), key=lambda one: (sort_key(label(one)), one))
    parts = [(label(one), charges[(forma == one).fillna(value=False)]) for one in ids]
    return [*parts, (label(None), charges[forma.isna()])] if forma.isna().any() else parts


def _sum_charges(parts: Sequence[pd.DataFrame]) -> dict[str, list[Value]]:
    """Count the charges of each part and add them up; only what is paid counts for what customers and fees took."""
    paid = [part[part["paga"]] for part in parts]
    pago = [int(part["valor_pago_centavos"].sum()) for part in paid]
    taxas = [int(part["taxa_centavos"].sum()) for part in paid]
    return {
        "qtde": list(map(len, parts)),
        "valor": [to_decimal(int(part["valor_centavos"].sum())) for part in parts],
        "pago": list(map(to_decimal, pago)),
        "taxas": list(map(to_decimal, taxas)),
        "liquido": [to_decimal(int(part["liquido_centavos"].sum())) for part in paid],
        "taxa_pct": list(map(ratio_pct, taxas, pago)),
    }


def show_status(view: View, tables: Tables) -> Section:
    """Print (a): the cancelled charges stand below the total that leaves them out."""
    printed = print_section(STATUS, tables, view)
    codes = tables[STATUS.name].data["status_codigo"].cells()
    last = len(codes) - (CANCELADO in codes)
    own, rest = printed.rows[:last], printed.rows[len(codes) :]
    return replace(printed, rows=(*own, *rest[:1], *printed.rows[last : len(codes)], *rest[1:]))


def list_times(view: View) -> Columns:
    """List (c): days from due date to payment and from payment to transfer, per forma, live charges only."""
    parts = _split_by_forma(view, view.once(read_live))
    return {"forma": [label for label, _ in parts], **_measure_times([part for _, part in parts])}


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
    tables=(STATUS, STATUS_TOTALS, MONTHS, MONTHS_TOTAL, FUNNEL, TIMES_BY_FORMA, LATE, TRANSIT, CHARGES, DIFFERENCES),
    sections=(DIFFERENCES, show_status, MONTHS, LATE, TRANSIT, TIMES_BY_FORMA),
    charts=(draw_funnel,),
    totalled=True,
)
