"""Columns that tables of `mart` have beside a report's: which rows add up (`soma`), which hold none (`so_variacao`)."""

from __future__ import annotations

from typing import Final

from lastro.analysis.income_statement import GROUP_LABELS
from lastro.schema.derivation import quote
from lastro.transform.categories import FORA

_LEAVES: Final = f"codigo IN ({', '.join(quote(grupo) for grupo in GROUP_LABELS if grupo != FORA)})"
_FLOWS: Final = "nivel = 0 AND linha IN ('entradas', 'saidas', 'nao_operacional', 'transferencias')"
_FIRST_TOTAL: Final = "codigo = 'total'"
_SOMA: Final[dict[str, str]] = {
    "a_pagar_faixas_total": _FIRST_TOTAL,
    "a_receber_faixas_total": _FIRST_TOTAL,
    "cobrancas_funil": "etapa = 1",
    "cobrancas_por_status": "status_codigo <> 'cancelado'",
    "cobrancas_por_status_total": _FIRST_TOTAL,
    "comparativo_caixa": "nivel = 0 AND codigo IN ('entradas', 'saidas', 'nao_operacional')",
    "comparativo_resultado": f"nivel = 0 AND {_LEAVES}",
    "dre": f"nivel = 0 AND {_LEAVES}",
    "dre_acumulado": f"nivel = 0 AND {_LEAVES}",
    "dre_centros": _LEAVES,
    "dre_centros_periodo": f"periodo = 'ano' AND coluna <> 'total' AND {_LEAVES}",
    "fluxo_mensal": _FLOWS,
    "fluxo_mensal_total": _FLOWS,
    "mudancas_ponte": "item NOT LIKE '=%'",
    "ponte": "linha NOT IN ('l', 'p')",
    "ponte_resumo": "nivel = 0 AND linha <> 'caixa'",
    "previsto_realizado_desvios": "item <> 'Realizado'",
    "saldos_por_conta_total": _FIRST_TOTAL,
    "tributos_total": _FIRST_TOTAL,
}
"""Table -> which of its rows add up to its total once; the others are part of one of these, or their sum.

The total is, by table:

- dre and its kin: the result of the months;
- fluxo_mensal, ponte, ponte_resumo: the change of the balance;
- mudancas_ponte: what is open now;
- previsto_realizado_desvios: what was realised.

SQL, over the columns of the table and `core`.
"""
_OF_ACCOUNT: Final = "conta_id IS NULL OR conta_id IN (SELECT c.conta_id FROM core.contas c WHERE c.provisoria)"
_OF_ALL: Final = (
    "EXISTS (FROM core.contas c WHERE c.provisoria) OR EXISTS (FROM core.linhas l WHERE l.conta_id IS NULL "
    "AND l.data_pagamento IS NOT NULL)"
)
_SO_VARIACAO: Final[dict[str, str]] = {
    **dict.fromkeys(("saldos_por_conta", "fluxo_diario_contas", "fluxo_por_conta", "a_pagar_agenda"), _OF_ACCOUNT),
    **dict.fromkeys(
        (
            "saldos_por_conta_total",
            "fluxo_por_conta_total",
            "fluxo_diario",
            "fluxo_semanal",
            "fluxo_mensal",
            "fluxo_mensal_total",
            "previsao_semanal",
            "fluxo_diario_cenarios",
            "fluxo_semanal_cenarios",
            "fluxo_mensal_cenarios",
        ),
        _OF_ALL,
    ),
}
"""Table -> whether the balances of a row are none: an account has no opening balance, or one of a total has none."""
COMPUTED: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "soma": ("verdadeiro nas linhas que se somam: só elas dão o total, uma vez cada", _SOMA),
    "so_variacao": (
        "verdadeiro onde falta o saldo inicial de uma conta: o saldo é só uma variação (S23)",
        _SO_VARIACAO,
    ),
}
"""Column, BOOLEAN and never null -> what it says, and the condition of each table that has it."""
