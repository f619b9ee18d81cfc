"""R10 Inadimplência por cliente: who owes, how bad it is, and what the next step is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.abc_curve import UNRANKED, Standing
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
from lastro.grid.cells import Kind, Link, row_key
from lastro.grid.charts import OUT_COLOUR, Chart, ChartKind, Series, keep_drawable
from lastro.grid.pivot import build_section
from lastro.grid.sections import Row, Section
from lastro.grid.storage import store_labels
from lastro.grid.tables import Column, Table
from lastro.grid.words import month_label
from lastro.grid.workbook import Family, Report
from lastro.money import ratio_pct, to_decimal
from lastro.reports.shared.open_items import ESTIMATE_NOTE
from lastro.reports.spec import ReportSpec
from lastro.settings import DAR_BAIXA, LEMBRETE
from lastro.transform.position import FAIXA_KEYS, FAIXAS, Position, as_date

if TYPE_CHECKING:
    from lastro.reports.view import View


SEM_ETAPA = ""
REMINDER_DAYS = 3
"""Before the due day, from when on the ladder reminds."""
TITULOS_SHEET = "Receber títulos"
"""Where each customer's own títulos stand (R09)."""
_CPF, _CNPJ = re.compile(r"^\d{11}$"), re.compile(r"^[0-9A-Z]{12}\d{2}$")
_NOISE = re.compile(r"[^0-9A-Za-z]")


def build_r10(view: View) -> Report:
    """Build R10 over receivables that are not `fora_resultado` (S9).

    Returns:
        Sections `inadimplencia_indices`, `inadimplencia` (grain person with something open, vencido descending) and
        `inadimplencia_safra`, with a chart of the safras of closed months.
    """
    position = view.position
    cohorts = find_vintages(position)
    ratios, vintages = _build_ratios(position), _build_vintages(position, cohorts)
    people = _build_people(position, view.ranking)
    of_due = ("% em aberto = ainda em aberto / todos os recebíveis com vencimento no mês.",)
    return SPEC.report(
        sections=(
            build_section(ratios, title="Índices (o mercado usa várias definições)"),
            _show_people(people),
            build_section(vintages, title="Safra por mês de vencimento", notes=of_due),
        ),
        tables=(ratios, people, vintages),
        charts=keep_drawable(_build_chart(position, cohorts)),
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
        after="a_receber_faixas",  # the table of safras stands below every customer
    )


def _build_ratios(position: Position) -> Table:
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
    return Table.of(
        "inadimplencia_indices",
        (
            (Column("Índice", Kind.TEXT, "o índice por extenso", width=34), [name for name, *_ in ratios]),
            (
                Column("Numerador", Kind.MONEY, dense=True),
                [to_decimal(ratio.numerador_centavos) for _, ratio, _ in ratios],
            ),
            (
                Column("Denominador", Kind.MONEY, dense=True),
                [to_decimal(ratio.denominador_centavos) for _, ratio, _ in ratios],
            ),
            (Column("%", Kind.PERCENT, "numerador / denominador"), [ratio.pct for _, ratio, _ in ratios]),
            (Column("Fórmula", Kind.TEXT, width=12), [formula for *_, formula in ratios]),
        ),
        "R10: índices de inadimplência, com a fórmula de cada um",
    )


def _build_vintages(position: Position, vintages: Mapping[date, Ratio]) -> Table:
    current = month_start(position.data_base)
    ratios = vintages.values()
    return Table.of(
        "inadimplencia_safra",
        (
            (Column("Safra", Kind.MONTH, "primeiro dia do mês de vencimento dos títulos", width=34), list(vintages)),
            (
                Column("Emitido", Kind.MONEY, "soma dos títulos a receber que venciam no mês, positiva"),
                [to_decimal(ratio.denominador_centavos) for ratio in ratios],
            ),
            (
                Column("Ainda em aberto", Kind.MONEY, "parte do emitido ainda em aberto na data-base, positiva"),
                [to_decimal(ratio.numerador_centavos) for ratio in ratios],
            ),
            (Column("% em aberto", Kind.PERCENT, "ainda em aberto / emitido"), [ratio.pct for ratio in ratios]),
            (
                Column("Situação", Kind.TEXT, "A vencer, Em curso, ou vazia num mês encerrado", width=18),
                ["A vencer" if month > current else "Em curso" if month == current else "" for month in vintages],
            ),
        ),
        "R10: safra por mês de vencimento: ainda em aberto / emitido",
    )


_OF_RECEIVABLES: Final = ("pessoa_id", "tipo", "transferencia", "fora_resultado", "pago", "data_pagamento")


def _build_people(position: Position, ranking: Mapping[int | None, Standing]) -> Table:
    recebiveis = select_receivables(position.titulos[list(_OF_RECEIVABLES)])
    abertos = select_receivables(position.titulos[~position.titulos["pago"]])
    sums = _sum_people(abertos.assign(etapa=find_steps(position, abertos)))
    paid = recebiveis[recebiveis["pago"]]
    latest = paid.groupby("pessoa_id", dropna=False, as_index=False)[["data_pagamento"]].max()
    last_paid = dict(records_of(latest, "pessoa_id", "data_pagamento"))
    documentos = dict(records_of(position.pessoas, "pessoa_id", "documento"))
    ids = [None if pd.isna(pessoa_id) else int(pessoa_id) for pessoa_id in sums["pessoa_id"]]
    vencido, encargos, stages = sums["vencido"], sums["encargos"], list_steps(position)
    overdue = int(vencido.sum())
    return Table.of(
        "inadimplencia",
        (
            (Column("Cliente", Kind.TEXT), store_labels(sums["pessoa_id"], position.rotulos.pessoa)),
            (
                Column("CPF/CNPJ", Kind.TEXT, "CPF ou CNPJ (dado pessoal)", width=20),
                [mask_document(documentos.get(pessoa_id) or "") for pessoa_id in ids],
            ),
            (
                Column("Classe ABC", Kind.TEXT, "A, B ou C pela parte acumulada do total (R12)", width=18),
                [ranking.get(pessoa_id, UNRANKED).classe for pessoa_id in ids],
            ),
            (Column("Em aberto", Kind.MONEY, dense=True, total=True), sums["aberto"]),
            (Column("A vencer", Kind.MONEY, dense=True, total=True), sums["aberto"] - vencido),
            (
                Column(
                    "Vencido",
                    Kind.MONEY,
                    "em aberto e vencido na data-base, bruto: com o que está em carência",
                    dense=True,
                    total=True,
                ),
                vencido,
            ),
            *(
                (Column(faixa, Kind.MONEY, dense=True, total=True, key=key), sums[f"faixa {faixa}"])
                for faixa, key in zip(FAIXAS[1:], FAIXA_KEYS[1:], strict=True)
            ),
            (
                Column(
                    "Em carência",
                    Kind.MONEY,
                    "vencido dentro da carência (S8), ainda sem encargos",
                    dense=True,
                    total=True,
                ),
                sums["carencia"],
            ),
            (Column("Maior atraso", Kind.INTEGER), sums["maior_atraso"]),
            (
                Column("Atraso médio", Kind.NUMBER),
                [Term(*pair).dias for pair in records_of(sums, "valor_dias", "vencido")],
            ),
            (
                Column(
                    "Encargos est.",
                    Kind.MONEY,
                    "multa e juros estimados na data-base (S8), positivos",
                    dense=True,
                    total=True,
                ),
                encargos,
            ),
            (Column("Valor atualizado", Kind.MONEY, dense=True, total=True), sums["aberto"] + encargos),
            (
                Column("% do vencido", Kind.PERCENT, "parte do vencido de todos"),
                [ratio_pct(value, overdue) for value in vencido.tolist()],
            ),
            (Column("% acumulado", Kind.PERCENT), [ratio_pct(value, overdue) for value in vencido.cumsum().tolist()]),
            (
                Column(
                    "Com cobrança paga", Kind.MONEY, "vencido cuja cobrança o cliente já pagou", dense=True, total=True
                ),
                sums["cobranca_paga"],
            ),
            (
                Column("Último recebimento", Kind.DATE, "dia do último recebimento da pessoa; nulo se nunca"),
                [as_date(last_paid.get(pessoa_id)) for pessoa_id in ids],
            ),
            (
                Column(
                    "Etapa da régua",
                    Kind.TEXT,
                    "passo da régua de cobrança pelo maior atraso (R10); vazia sem atraso",
                    width=22,
                ),
                [stages[place] for place in sums["etapa"].tolist()],
            ),
            (Column("Id", Kind.INTEGER, key="pessoa_id"), sums["pessoa_id"]),
        ),
        "R10: uma pessoa com título a receber em aberto por linha, sem os fora do resultado (S9)",
    )


def _show_people(table: Table) -> Section:
    """Print the customers, each leading to its own títulos."""
    rows = []
    for cells in table.rows:
        link = None
        if isinstance(pessoa_id := cells[-1], int):
            link = Link(pessoa_id, sheet=TITULOS_SHEET, key=row_key("pessoa_id", pessoa_id))
        rows.append(Row(cells, key=f"cliente-{pessoa_id or 'sem'}", link=link))
    notes = (
        "Só recebíveis que entram no resultado: o total vencido é o do Receber menos os fora do resultado.",
        "Etapa: a pior dos títulos da pessoa, por dias de mora (com cobrança viva, desde o vencimento dela).",
        ESTIMATE_NOTE,
    )
    return Section(
        table.name, table.columns, tuple(rows), title="Clientes com recebíveis em aberto", detail=True, notes=notes
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


def list_steps(position: Position) -> tuple[str, ...]:
    """List the steps of the ladder from harmless to worst; a person stands where the worst of its títulos stands."""
    return SEM_ETAPA, DAR_BAIXA, LEMBRETE, *(etapa.nome for etapa in position.parametros.regua)


def find_steps(position: Position, abertos: pd.DataFrame) -> pd.Series:
    """Place open receivables on the collection ladder (R10).

    Args:
        position: gives D and the charges.
        abertos: open receivables of `position.titulos`.

    Returns:
        Position of the step in `list_steps`, aligned with `abertos`. With a live charge the days count from its due
        date (S8); a título with a paid charge has to be written off ("Dar baixa"), whatever its age.
    """
    charges = position.cobrancas.drop_duplicates("cobranca_id").set_index("cobranca_id")["data_vencimento"]
    due = abertos["data_prevista"]
    if len(charges):
        charged = abertos["cobranca_id"].map(charges).astype("datetime64[us]")
        due = due.where(abertos["cobranca_id"].isna() | charged.isna(), charged)
    data_base = pd.Timestamp(position.data_base)
    stages, regua = list_steps(position), position.parametros.regua
    ends = np.array([etapa.ate_dias for etapa in regua[:-1]], dtype="int64")
    # Zero days late is the first step; more days than the last limit is the last step.
    step = np.searchsorted(ends, abertos["dias_mora"].to_numpy(), side="left") + stages.index(regua[0].nome)
    place = pd.Series(step, index=abertos.index, dtype="int64")
    ahead = due > data_base
    soon = due <= data_base + timedelta(days=REMINDER_DAYS)
    place = place.where(~ahead, stages.index(LEMBRETE)).where(~ahead | soon, stages.index(SEM_ETAPA))
    return place.where(~abertos["cobranca_paga"], stages.index(DAR_BAIXA))


def mask_document(documento: str) -> str:
    """Hide all but the middle of a CPF or CNPJ (manual: Planilha); a CNPJ may hold letters (since 2026).

    >>> mask_document("111.222.333-44"), mask_document("11222333000144")
    ('***.222.333-**', '**.222.333/0001-**')
    >>> mask_document("12345"), mask_document("")
    ('**3**', '')
    """
    digits = _NOISE.sub("", documento).upper()
    if _CPF.match(digits):
        return f"***.{digits[3:6]}.{digits[6:9]}-**"
    if _CNPJ.match(digits):
        return f"**.{digits[2:5]}.{digits[5:8]}/{digits[8:12]}-**"
    shown = len(digits) // 3
    start = (len(digits) - shown) // 2
    return "*" * start + digits[start : start + shown] + "*" * (len(digits) - start - shown)


SPEC: Final = ReportSpec(
    code="R10",
    name="inadimplencia",
    title="Inadimplência por cliente",
    question="Quem deve, há quanto tempo e qual é o próximo passo?",
    family=Family.OPEN,
    build=build_r10,
    keys={
        "inadimplencia": ("pessoa_id",),
        "inadimplencia_indices": ("indice",),
        "inadimplencia_safra": ("safra",),
    },
)
