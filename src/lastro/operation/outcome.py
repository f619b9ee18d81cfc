"""What became of a run, as JSON tells it and as one process tells another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lastro.errors import LastroError
from lastro.grid.verdict import Finding
from lastro.run.happened import INTERRUPTED
from lastro.run.order import RunResult

TOLD = ("Q22", "Q24", "Q28", "Q29", "Q31", "Q37", "Q39", "Q42")
"""Findings about what people typed or dropped: nobody else can tell them that it does not count."""


def is_told(finding: Finding) -> bool:
    """Tell whether a run says a finding by itself."""
    return finding.regra in TOLD and bool(finding.qtde)


def describe_outcome(
    empresa: str,
    nome: str,
    seconds: float,
    code: int,
    result: RunResult | None = None,
    error: LastroError | None = None,
) -> Mapping[str, Any]:
    """Describe what became of one company's run, for JSON, for the table, and for the process that asked.

    Args:
        nome: its name, or the id when the settings do not say it.
        code: the exit code that it alone would give.
        result: what the run left, or None.
        error: what stopped it, or None; None too when the command was interrupted.
    """
    head = {
        "empresa": empresa,
        "nome": nome,
        "segundos": f"{seconds:.1f}",
        "codigo": code,
        "o_que_fazer": _find_cure(result, error),
    }
    if result is not None:
        return {**head, **describe_result(result)}
    return {
        **head,
        "erro": INTERRUPTED if error is None else error.documented_name,
        "mensagem": str(error or ""),
        "requisicoes": None if error is None else error.requisicoes,
    }


def _find_cure(result: RunResult | None, error: LastroError | None) -> str:
    """Say what to do about it in a few words; empty when there is nothing."""
    if error is not None:
        return error.cure
    if result is None:
        return "rode de novo"
    failed = ", ".join(check.id for check in result.failed)
    return f"veja Qualidade: {failed}" if failed else " · ".join(result.catalogue.nao_contam)


def describe_result(result: RunResult) -> dict[str, Any]:
    """Describe a finished run for JSON: money as text with two decimals, never a float."""
    return {
        "execucao_id": result.execucao_id,
        "leitura_id": result.leitura_id,
        "data_base": result.data_base.isoformat(),
        "tipo": result.tipo,
        "veredito": result.veredito,
        "falta": str(result.trust.falta),
        "retroativa": result.retroativa,
        "requisicoes": result.requisicoes,
        "armazem": str(result.warehouse),
        "planilhas": [str(path) for path in result.workbooks],
        "paginas": [str(path) for path in result.paginas],
        "kpis": {kpi.slug: None if kpi.valor is None else str(kpi.valor) for kpi in result.catalogue.kpis},
        "so_variacao": [kpi.slug for kpi in result.catalogue.kpis if kpi.so_variacao],
        "ditos": list(result.catalogue.ditos),
        "avisos": list(result.catalogue.recados),
        "verificacoes": {check.id: check.situacao for check in result.verifications},
        "nao_contam": list(result.catalogue.nao_contam),
        "arquivos_e_textos": {finding.regra: finding.dito for finding in result.catalogue.findings if is_told(finding)},
        "falhas": [
            {"id": check.id, "severidade": check.severidade, "chaves": list(check.chaves), "detalhe": check.detalhe}
            for check in (*result.catalogue.errors, *result.catalogue.warnings)
        ],
    }
