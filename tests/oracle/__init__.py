"""The independent reference calculation: what `reports.md` asks for, in plain Python and Decimal.

Written from the two documents only; it imports nothing of `lastro` or `lastro_sandbox`, no pandas and no duckdb, so
that a mistake of the pipeline cannot be here too. Clear rather than fast: it is meant for companies of a few hundred
entries. Where a document leaves a choice, the docstring of the function says which one was taken.

Use::

    ctx = build_context(payload)                # or build_context(payload, data_base=..., venc_regra="dia_util")
    r02(ctx)                                    # list of dicts, keys = column headers in lower case, no accents

Modules: `values` (reading, rounding), `days` (calendar), `dimensions`, `parameters`, `composites` (S1, S2, S7),
`charges` (S12), `context` (S3 to S8), `flow` (R01 to R05), `accrual` (R06, R07), `open_items` (R08 to R10),
`charge_reports` (R11), `people` (R12), `changes` (R13, R14), `quality` (R15, R16), `recurrence` (S10, R17), `resume`
(R00, example questions), `companies` (random hostile companies).
"""

from .accrual import map_state, r06, r06_categorias, r06_centros, r06_indicadores, r07, sums_by_tag
from .changes import choose_run, r13, r13_acuracia, r13_vencimento_pagamento, r14, r14_cobrancas, r14_ponte
from .charge_reports import (
    charge_checks,
    charges_on_their_way,
    r11_detalhe,
    r11_divergencias,
    r11_em_transito,
    r11_funil,
    r11_pendentes_vencidas,
    r11_status_forma,
    r11_tempos,
)
from .context import Context, build_context
from .flow import (
    balance,
    consolidated_balance,
    r01,
    r01_total,
    r02,
    r02_memo,
    r02_totais,
    r03,
    r04,
    r04_categorias,
    r04_indicadores,
    r04_memo,
    r04_total,
    r05,
)
from .open_items import (
    agenda,
    by_person,
    by_person_top,
    overdue_ids,
    position_totals,
    r08,
    r09,
    r10,
    r10_indices,
    summary,
)
from .people import r12, r12_prazos
from .quality import automatic_settlements, data_checks, r15, r16
from .recurrence import missing_recurrences, r17
from .resume import question, question_6, r00

__all__ = [
    "Context",
    "agenda",
    "automatic_settlements",
    "balance",
    "build_context",
    "by_person",
    "by_person_top",
    "charge_checks",
    "charges_on_their_way",
    "choose_run",
    "consolidated_balance",
    "data_checks",
    "map_state",
    "missing_recurrences",
    "overdue_ids",
    "position_totals",
    "question",
    "question_6",
    "r00",
    "r01",
    "r01_total",
    "r02",
    "r02_memo",
    "r02_totais",
    "r03",
    "r04",
    "r04_categorias",
    "r04_indicadores",
    "r04_memo",
    "r04_total",
    "r05",
    "r06",
    "r06_categorias",
    "r06_centros",
    "r06_indicadores",
    "r07",
    "r08",
    "r09",
    "r10",
    "r10_indices",
    "r11_detalhe",
    "r11_divergencias",
    "r11_em_transito",
    "r11_funil",
    "r11_pendentes_vencidas",
    "r11_status_forma",
    "r11_tempos",
    "r12",
    "r12_prazos",
    "r13",
    "r13_acuracia",
    "r13_vencimento_pagamento",
    "r14",
    "r14_cobrancas",
    "r14_ponte",
    "r15",
    "r16",
    "r17",
    "summary",
    "sums_by_tag",
]
