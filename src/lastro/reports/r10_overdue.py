"""R10 Inadimplência por cliente: who owes, how bad it is, and what the next step is.

Over receivables that are not `fora_resultado` (S9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.abc_curve import UNRANKED
from lastro.analysis.collection_ladder import find_steps, leave_returned, list_steps, mask_document
from lastro.analysis.frames import records_of
from lastro.analysis.ratios import JANELA_INADIMPLENCIA_DIAS as JANELA
from lastro.analysis.ratios import (
    Term,
    find_adjusted_ratio,
    find_default_ratio,
    find_overdue_ratio,
    find_vintages,
    select_receivables,
)
from lastro.calendar import month_start
from lastro.grid.cells import Kind
from lastro.grid.charts import OUT_COLOUR, ChartKind
from lastro.grid.prints import Columns, Print
from lastro.grid.storage import store_cells, store_each, store_labels
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.workbook import Family
from lastro.money import ratio_pct
from lastro.reports.printing import Plot
from lastro.reports.shared.open_items import ESTIMATE_NOTE
from lastro.reports.spec import ReportSpec
from lastro.transform.position import FAIXA_KEYS, FAIXAS, as_date

if TYPE_CHECKING:
    from lastro.reports.view import View

LATE_BANDS: Final = dict(zip(FAIXA_KEYS[1:], FAIXAS[1:], strict=True))


def list_ratios(view: View) -> Columns:
    """List the three ratios of default that the market uses."""
    position = view.position
    dias = position.parametros.inadimplencia_dias
    ratios = find_overdue_ratio(position), find_default_ratio(position), find_adjusted_ratio(position)
    return {
        "indice": [
            "Carteira vencida",
            f"Inadimplência: aberto há mais de {dias} dias, de qualquer data, sobre o que venceu em {JANELA} dias",
            "Carteira ajustada",
        ],
        "numerador": [ratio.numerador_centavos for ratio in ratios],
        "denominador": [ratio.denominador_centavos for ratio in ratios],
        "pct": [ratio.pct for ratio in ratios],
        "formula": [
            "vencido / em aberto",
            f"em aberto há mais de {dias} dias (sem janela) / recebíveis com vencimento nos últimos {JANELA} dias",
            "vencido, menos em carência e menos com cobrança paga / em aberto",
        ],
    }


def list_vintages(view: View) -> Columns:
    """List the receivables by month of their due date, and what of them is still open."""
    vintages, current = find_vintages(view.position), month_start(view.position.data_base)
    ratios = vintages.values()
    return {
        "safra": list(vintages),
        "emitido": [ratio.denominador_centavos for ratio in ratios],
        "ainda_em_aberto": [ratio.numerador_centavos for ratio in ratios],
        "pct_em_aberto": [ratio.pct for ratio in ratios],
        "situacao": ["A vencer" if month > current else "Em curso" if month == current else "" for month in vintages],
    }


def list_debtors(view: View) -> Columns:
    """List who has something open, the largest overdue first, ties by id, "Sem pessoa" last."""
    position, steps = view.position, list_steps(view.position)
    sums, last_paid = _sum_debtors(view), _find_last_payments(view)
    documents = dict(records_of(position.pessoas, "pessoa_id", "documento"))
    ids, late, all_late = sums["pessoa_id"], sums["vencido"], int(sums["vencido"].sum())
    people = [pessoa_id for (pessoa_id,) in records_of(sums, "pessoa_id")]
    return {
        "pessoa": store_labels(ids, position.rotulos.pessoa),
        "cpf_cnpj": store_each(Kind.TEXT, ids, lambda one: mask_document(documents.get(one) or ""), ""),
        "classe_abc": [view.ranking.get(pessoa_id, UNRANKED).classe for pessoa_id in people],
        "em_aberto": sums["em_aberto"],
        "a_vencer": sums["em_aberto"] - late,
        "vencido": late,
        **{key: sums[key] for key in LATE_BANDS},
        "em_carencia": sums["em_carencia"],
        "maior_atraso": sums["maior_atraso"],
        "atraso_medio": [Term(*pair).dias for pair in records_of(sums, "valor_dias", "vencido")],
        "encargos_est": sums["encargos_est"],
        "valor_atualizado": sums["em_aberto"] + sums["encargos_est"],
        "pct_do_vencido": [ratio_pct(value, all_late) for value in late.tolist()],
        "pct_acumulado": [ratio_pct(value, all_late) for value in late.cumsum().tolist()],
        "com_cobranca_paga": sums["com_cobranca_paga"],
        "ultimo_recebimento": [as_date(last_paid.get(pessoa_id)) for pessoa_id in people],
        "etapa_da_regua": [steps[place] for place in sums["etapa"].tolist()],
        "pessoa_id": ids,
    }


def _sum_debtors(view: View) -> pd.DataFrame:
    """Add the open receivables up per person."""
    titulos = view.position.titulos
    open_ = select_receivables(titulos[~titulos["pago"]])
    valor, late = open_["valor_centavos"], open_["vencido"]
    dias = open_["dias_de_atraso"].fillna(0).astype("int64").where(late, 0)
    parts = pd.DataFrame(
        {
            "pessoa_id": open_["pessoa_id"],
            "em_aberto": valor,
            "vencido": valor.where(late, 0),
            **{key: valor.where(late & (open_["faixa"] == faixa), 0) for key, faixa in LATE_BANDS.items()},
            "em_carencia": valor.where(open_["em_carencia"], 0),
            "encargos_est": open_["multa_centavos"] + open_["juros_centavos"],
            "com_cobranca_paga": valor.where(open_["cobranca_paga"], 0),
            "valor_dias": valor * dias,
            "maior_atraso": dias,
            "etapa": find_steps(view.position, leave_returned(open_, view.facts.banco.devolvidos)),
        }
    )
    how = {name: "max" if name in ("maior_atraso", "etapa") else "sum" for name in parts.columns[1:]}
    sums = parts.groupby("pessoa_id", dropna=False, as_index=False).agg(how)
    return sums.sort_values(["vencido", "pessoa_id"], ascending=[False, True], na_position="last", ignore_index=True)


def _find_last_payments(view: View) -> dict[int | None, pd.Timestamp]:
    titulos = view.position.titulos
    paid = select_receivables(titulos[titulos["pago"]])
    latest = paid.groupby("pessoa_id", dropna=False, as_index=False)[["data_pagamento"]].max()
    return dict(records_of(latest, "pessoa_id", "data_pagamento"))


def _lead_to_titulos(_: View, table: Table) -> Leads:
    people = table.data["pessoa_id"]
    targets = [None if pessoa_id is None else "Receber títulos" for pessoa_id in people.cells()]
    return Leads(store_cells(Kind.TEXT, targets), "pessoa_id", people)


RATIOS: Final = Print(
    "inadimplencia_indices",
    "R10: índices de inadimplência, com a fórmula de cada um",
    list_ratios,
    keys=("indice",),
    about={"indice": "o índice por extenso", "pct": "numerador / denominador"},
    widths={"indice": 34, "formula": 12},
    dense=True,
    title="Índices (o mercado usa várias definições)",
)
DEBTORS: Final = Print(
    "inadimplencia",
    "R10: uma pessoa com título a receber em aberto por linha, sem os fora do resultado (S9)",
    list_debtors,
    keys=("pessoa_id",),
    about={"vencido": "em aberto e vencido na data-base, bruto: com o que está em carência"},
    headers={"pessoa_id": "Id"},
    widths={"cpf_cnpj": 20, "classe_abc": 18, "etapa_da_regua": 22},
    dense=True,
    shown=("pessoa_id",),
    title="Clientes com recebíveis em aberto",
    detail=True,
    lead=_lead_to_titulos,
    notes=(
        "Só recebíveis que entram no resultado: o total vencido é o do Receber menos os fora do resultado.",
        "Etapa: a pior dos títulos da pessoa, por dias de mora (com cobrança viva, desde o vencimento dela).",
        ESTIMATE_NOTE,
    ),
)  # fmt: skip
VINTAGES: Final = Print(
    "inadimplencia_safra",
    "R10: safra por mês de vencimento: ainda em aberto / emitido",
    list_vintages,
    keys=("safra",),
    about={"situacao": "A vencer, Em curso, ou vazia num mês encerrado"},
    widths={"safra": 34, "situacao": 18},
    title="Safra por mês de vencimento",
    notes=("% em aberto = ainda em aberto / todos os recebíveis com vencimento no mês.",),
)
SPEC: Final = ReportSpec(
    code="R10",
    name="inadimplencia",
    title="Inadimplência por cliente",
    question="Quem deve, há quanto tempo e qual é o próximo passo?",
    family=Family.OPEN,
    tables=(RATIOS, DEBTORS, VINTAGES),
    charts=(
        Plot(
            "Safra: % ainda em aberto por mês de vencimento",
            ChartKind.LINE,
            VINTAGES.name,
            "safra",
            {"pct_em_aberto": ("% em aberto", OUT_COLOUR)},
            after=VINTAGES.name,
            # Of D's month a part is not due yet, and the eye reads a collapse.
            rows=lambda view, row: row["safra"] < month_start(view.position.data_base),
            value_kind=Kind.PERCENT,
        ),
    ),
)
