"""R10 Inadimplência por cliente: who owes, how bad it is, and what the next step is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.abc_curve import UNRANKED, rank_customers
from lastro.analysis.frames import records_of
from lastro.analysis.ratios import JANELA_INADIMPLENCIA_DIAS as JANELA
from lastro.analysis.ratios import (
    Ratio,
    Term,
    find_adjusted_ratio,
    find_default_ratio,
    find_overdue_ratio,
    find_vintages,
    select_receivables,
)
from lastro.calendar import month_start
from lastro.grid.cells import Kind, Link, Value, row_key
from lastro.grid.charts import keep_drawable
from lastro.grid.model import (
    OUT_COLOUR,
    Chart,
    ChartKind,
    Column,
    Family,
    Printing,
    Report,
    Row,
    Section,
    Series,
    table_of,
)
from lastro.grid.words import month_label
from lastro.money import ratio_pct, to_decimal
from lastro.reports.open_items import ESTIMATE_NOTE
from lastro.reports.personal import mask_document
from lastro.reports.spec import ReportSpec
from lastro.settings import DAR_BAIXA, LEMBRETE
from lastro.transform.position import FAIXA_KEYS, FAIXAS, Position, as_date

if TYPE_CHECKING:
    from lastro.reports.view import View


SEM_ETAPA = ""
TITULOS_SHEET = "Receber títulos"
"""Where each customer's own títulos stand (R09)."""

COLUMNS = (
    Column("Cliente", Kind.TEXT),
    Column("CPF/CNPJ", Kind.TEXT, width=20),
    Column("Classe ABC", Kind.TEXT, width=18),
    Column("Em aberto", Kind.MONEY, dense=True, total=True),
    Column("A vencer", Kind.MONEY, dense=True, total=True),
    Column("Vencido", Kind.MONEY, dense=True, total=True),
    *(
        Column(faixa, Kind.MONEY, dense=True, total=True, key=key)
        for faixa, key in zip(FAIXAS[1:], FAIXA_KEYS[1:], strict=True)
    ),
    Column("Em carência", Kind.MONEY, dense=True, total=True),
    Column("Maior atraso", Kind.INTEGER),
    Column("Atraso médio", Kind.NUMBER),
    Column("Encargos est.", Kind.MONEY, dense=True, total=True),
    Column("Valor atualizado", Kind.MONEY, dense=True, total=True),
    Column("% do vencido", Kind.PERCENT),
    Column("% acumulado", Kind.PERCENT),
    Column("Com cobrança paga", Kind.MONEY, dense=True, total=True),
    Column("Último recebimento", Kind.DATE),
    Column("Etapa da régua", Kind.TEXT, width=22),
)
ID_COLUMN = Column("Id", Kind.INTEGER, key="pessoa_id")
RATIO_COLUMNS = (
    Column("Índice", Kind.TEXT, width=34),
    Column("Numerador", Kind.MONEY),
    Column("Denominador", Kind.MONEY),
    Column("%", Kind.PERCENT),
    Column("Fórmula", Kind.TEXT, width=45),
)
VINTAGE_COLUMNS = (
    Column("Safra", Kind.MONTH, width=34),
    Column("Emitido", Kind.MONEY),
    Column("Ainda em aberto", Kind.MONEY),
    Column("% em aberto", Kind.PERCENT),
    Column("Situação", Kind.TEXT, width=18),
)


def build_r10(view: View) -> Report:
    """Build R10 over receivables that are not `fora_resultado` (S9).

    Returns:
        Sections `inadimplencia_indices`, `inadimplencia` (grain person with something open, vencido descending) and
        `inadimplencia_safra`, with a chart of the safras of closed months.
    """
    position = view.position
    ratios = _ratio_section(position)
    people = _people_section(position)
    found = find_vintages(position)
    vintages = _vintage_section(position, found)
    return SPEC.report(
        sections=(ratios, people, vintages),
        tables=(
            table_of(ratios, "R10: índices de inadimplência, com a fórmula de cada um"),
            table_of(people, "R10: uma pessoa com título a receber em aberto por linha, sem os fora do resultado (S9)"),
            table_of(vintages, "R10: safra por mês de vencimento: ainda em aberto / emitido"),
        ),
        charts=keep_drawable(_build_chart(position, found)),
    )


def _build_chart(position: Position, vintages: Mapping[date, Ratio]) -> Chart:
    """Draw the share still open of each closed month: of D's a part is not due yet, and the eye reads a collapse."""
    current = month_start(position.data_base)
    shown = {month: ratio.pct for month, ratio in vintages.items() if month < current}
    return Chart(
        "Safra: % ainda em aberto por mês de vencimento",
        ChartKind.LINE,
        tuple(map(month_label, shown)),
        (Series("% em aberto", tuple(shown.values()), OUT_COLOUR),),
        value_kind=Kind.PERCENT,
        after="inadimplencia_indices",  # the table of safras stands below every customer
    )


def _ratio_section(position: Position) -> Section:
    dias = position.parametros.inadimplencia_dias
    ratios = (
        ("Carteira vencida", find_overdue_ratio(position), "vencido / em aberto"),
        (
            f"Inadimplência: aberto há mais de {dias} dias, de qualquer data, sobre o que venceu em {JANELA} dias",
            find_default_ratio(position),
            f"em aberto há mais de {dias} dias (sem janela) / recebíveis com vencimento nos últimos {JANELA} dias",
        ),
        (
            "Carteira ajustada",
            find_adjusted_ratio(position),
            "vencido, menos em carência e menos com cobrança paga / em aberto",
        ),
    )
    rows = tuple(Row((name, *_ratio_cells(ratio), formula)) for name, ratio, formula in ratios)
    return Section("inadimplencia_indices", RATIO_COLUMNS, rows, title="Índices (o mercado usa várias definições)")


def _ratio_cells(ratio: Ratio) -> tuple[Value, Value, Value]:
    return to_decimal(ratio.numerador_centavos), to_decimal(ratio.denominador_centavos), ratio.pct


def _vintage_section(position: Position, vintages: Mapping[date, Ratio]) -> Section:
    current = month_start(position.data_base)
    rows = []
    for month, ratio in vintages.items():
        state = "A vencer" if month > current else "Em curso" if month == current else ""
        open_now, issued = to_decimal(ratio.numerador_centavos), to_decimal(ratio.denominador_centavos)
        rows.append(Row((month, issued, open_now, ratio.pct, state)))
    notes = ("% em aberto = ainda em aberto / todos os recebíveis com vencimento no mês.",)
    return Section(
        "inadimplencia_safra", VINTAGE_COLUMNS, tuple(rows), title="Safra por mês de vencimento", notes=notes
    )


_OF_RECEIVABLES: Final = ("pessoa_id", "tipo", "transferencia", "fora_resultado", "pago", "data_pagamento")


def _people_section(position: Position) -> Section:
    recebiveis = select_receivables(position.titulos[list(_OF_RECEIVABLES)])
    abertos = select_receivables(position.titulos[~position.titulos["pago"]])
    sums = _sum_people(abertos.assign(etapa=find_stages(position, abertos)))
    paid = recebiveis[recebiveis["pago"]]
    latest = paid.groupby("pessoa_id", dropna=False, as_index=False)[["data_pagamento"]].max()
    last_paid = dict(records_of(latest, "pessoa_id", "data_pagamento"))
    ranking = rank_customers(position)
    documentos = dict(records_of(position.pessoas, "pessoa_id", "documento"))
    overdue = int(sums["vencido"].sum())
    stages = list_stages(position)
    running = 0
    rows = []
    for pessoa_id, *figures in records_of(sums, "pessoa_id", *_SUMS):
        amounts = dict(zip(_SUMS, figures, strict=True))
        vencido = amounts["vencido"]
        running += vencido
        encargos = amounts["encargos"]
        cells: tuple[Value, ...] = (
            position.rotulos.pessoa(pessoa_id),
            mask_document(documentos.get(pessoa_id) or ""),
            ranking.get(pessoa_id, UNRANKED).classe,
            to_decimal(amounts["aberto"]),
            to_decimal(amounts["aberto"] - vencido),
            to_decimal(vencido),
            *(to_decimal(amounts[f"faixa {faixa}"]) for faixa in FAIXAS[1:]),
            to_decimal(amounts["carencia"]),
            amounts["maior_atraso"],
            Term(amounts["valor_dias"], vencido).dias,
            to_decimal(encargos),
            to_decimal(amounts["aberto"] + encargos),
            ratio_pct(vencido, overdue),
            ratio_pct(running, overdue),
            to_decimal(amounts["cobranca_paga"]),
            as_date(last_paid.get(pessoa_id)),
            stages[amounts["etapa"]],
        )
        link = None if pessoa_id is None else Link(pessoa_id, sheet=TITULOS_SHEET, key=row_key("pessoa_id", pessoa_id))
        rows.append(Row((*cells, pessoa_id), key=f"cliente-{pessoa_id or 'sem'}", link=link))
    columns = (*COLUMNS, ID_COLUMN)
    notes = (
        "Só recebíveis que entram no resultado: o total vencido é o do Receber menos os fora do resultado.",
        "Etapa: a pior dos títulos da pessoa, por dias de mora (com cobrança viva, desde o vencimento dela).",
        ESTIMATE_NOTE,
    )
    return Section(
        "inadimplencia", columns, tuple(rows), title="Clientes com recebíveis em aberto", detail=True, notes=notes
    )


_SUMS = (
    "aberto",
    "vencido",
    *(f"faixa {faixa}" for faixa in FAIXAS[1:]),
    "carencia",
    "encargos",
    "cobranca_paga",
    "valor_dias",
    "maior_atraso",
    "etapa",
)


def _sum_people(abertos: pd.DataFrame) -> pd.DataFrame:
    """Add the open receivables up per person: columns `_SUMS`, vencido descending, ties by id, "Sem pessoa" last."""
    valor, late = abertos["valor_centavos"], abertos["vencido"]
    dias = abertos["dias"].fillna(0).astype("int64").where(late, 0)
    parts = pd.DataFrame(
        {
            "pessoa_id": abertos["pessoa_id"],
            "aberto": valor,
            "vencido": valor.where(late, 0),
            **{f"faixa {faixa}": valor.where(late & (abertos["faixa"] == faixa), 0) for faixa in FAIXAS[1:]},
            "carencia": valor.where(abertos["em_carencia"], 0),
            "encargos": abertos["multa_centavos"] + abertos["juros_centavos"],
            "cobranca_paga": valor.where(abertos["cobranca_paga"], 0),
            "valor_dias": valor * dias,
            "maior_atraso": dias,
            "etapa": abertos["etapa"],
        }
    )
    how = {name: "max" if name in ("maior_atraso", "etapa") else "sum" for name in _SUMS}
    sums = parts.groupby("pessoa_id", dropna=False, as_index=False).agg(how)
    return sums.sort_values(["vencido", "pessoa_id"], ascending=[False, True], na_position="last", ignore_index=True)


def list_stages(position: Position) -> tuple[str, ...]:
    """List the steps of the ladder from harmless to worst; a person stands where the worst of its títulos stands."""
    return SEM_ETAPA, DAR_BAIXA, LEMBRETE, *(etapa.nome for etapa in position.parametros.regua)


def find_stages(position: Position, abertos: pd.DataFrame) -> pd.Series:
    """Place open receivables on the collection ladder (R10).

    Args:
        position: gives D and the charges.
        abertos: open receivables of `position.titulos`.

    Returns:
        Position of the step in `list_stages`, aligned with `abertos`. With a live charge the days count from its due
        date (S8); a título with a paid charge has to be written off ("Dar baixa"), whatever its age.
    """
    charges = position.cobrancas.drop_duplicates("cobranca_id").set_index("cobranca_id")["data_vencimento"]
    due = abertos["data_prevista"]
    if len(charges):
        charged = abertos["cobranca_id"].map(charges).astype("datetime64[us]")
        due = due.where(abertos["cobranca_id"].isna() | charged.isna(), charged)
    data_base = pd.Timestamp(position.data_base)
    stages, regua = list_stages(position), position.parametros.regua
    ends = np.array([etapa.ate_dias for etapa in regua[:-1]], dtype="int64")
    # Mora 0 is the first step, more than the last end is the last one.
    step = np.searchsorted(ends, abertos["dias_mora"].to_numpy(), side="left") + stages.index(regua[0].nome)
    place = pd.Series(step, index=abertos.index, dtype="int64")
    ahead = due > data_base
    soon = due <= data_base + timedelta(days=position.parametros.lembrete_dias)
    place = place.where(~ahead, stages.index(LEMBRETE)).where(~ahead | soon, stages.index(SEM_ETAPA))
    return place.where(~abertos["cobranca_paga"], stages.index(DAR_BAIXA))


SPEC: Final = ReportSpec(
    code="R10",
    name="inadimplencia",
    sheet="Inadimplência",
    title="Inadimplência por cliente",
    question="Quem deve, há quanto tempo e qual é o próximo passo?",
    family=Family.OPEN,
    build=build_r10,
    printing=Printing.FIRST_PAGE,
    keys={
        "inadimplencia": ("pessoa_id",),
        "inadimplencia_indices": ("indice",),
        "inadimplencia_safra": ("safra",),
    },
    lengths={"inadimplencia_indices": 3},
)
