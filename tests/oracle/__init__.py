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

from .changes import r14, r14_cobrancas, r14_ponte
from .context import Context, build_context

__all__ = ["Context", "build_context", "r14", "r14_cobrancas", "r14_ponte"]
