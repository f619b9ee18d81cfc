"""What became of a run, as JSON tells it and as one process tells another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lastro.errors import LastroError
from lastro.grid.verdict import Finding
from lastro.run.order import RunResult

TOLD = ("Q22", "Q24", "Q28", "Q29", "Q31", "Q37", "Q39", "Q42")
"""Findings about what people typed or dropped: nobody else can tell them that it does not count."""


def is_told(finding: Finding) -> bool:
    """Tell whether a run says a finding by itself."""
    return finding.regra in TOLD and bool(finding.qtde)


@dataclass(frozen=True)
class RunOutcome:
    """What became of one company's run on the command line.

    Attributes:
        empresa: its id.
        nome: its name, or the id when the settings do not say it.
        seconds: how long it took.
        code: the exit code that it alone would give.
        result: what the run left, or None.
        error: what stopped it, or None; None too when the command was interrupted.
        told: what another process, which ran it, says of it; then there is neither result nor error here.
    """

    empresa: str
    nome: str
    seconds: float
    code: int
    result: RunResult | None = None
    error: LastroError | None = None
    told: Mapping[str, Any] | None = None

    @property
    def veredito(self) -> str:
        """The verdict of the run, or the name of the error that stopped it."""
        if self.result is not None:
            return self.result.veredito
        return "interrompida" if self.error is None else self.error.documented_name

    @property
    def cure(self) -> str:
        """What to do about it in a few words; empty when there is nothing."""
        if self.error is not None:
            return self.error.cure
        if self.result is None:
            return "rode de novo"
        failed = ", ".join(check.id for check in self.result.failed)
        return f"veja Qualidade: {failed}" if failed else " · ".join(self.result.catalogue.nao_contam)

    def describe(self) -> Mapping[str, Any]:
        """Describe it for JSON, for the table, and for the process that asked."""
        if self.told is not None:
            return self.told
        head = {
            "empresa": self.empresa,
            "nome": self.nome,
            "segundos": f"{self.seconds:.1f}",
            "codigo": self.code,
            "o_que_fazer": self.cure,
        }
        if self.result is not None:
            return {**head, **describe_result(self.result)}
        return {
            **head,
            "erro": self.veredito,
            "mensagem": str(self.error or ""),
            "requisicoes": None if self.error is None else self.error.requisicoes,
        }


def describe_result(result: RunResult) -> dict[str, Any]:
    """Describe a finished run for JSON: money as text with two decimals, never a float."""
    return {
        "execucao_id": result.execucao_id,
        "leitura_id": result.leitura_id,
        "data_base": result.data_base.isoformat(),
        "tipo": result.tipo,
        "veredito": result.veredito,
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
