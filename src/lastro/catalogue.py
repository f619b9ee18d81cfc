"""Every report, check and KPI of one run, put together: the only place that knows which reports exist.

Reports and checks never import each other; here their values meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pandas as pd

from lastro.analysis.cash_series import build_series
from lastro.analysis.forecast_accuracy import Forecast
from lastro.grid.model import Column, Kind, Report, Value
from lastro.quality.checks import CheckInputs, run_checks
from lastro.quality.model import ALERTA, ERRO, FALHOU, MAX_KEYS, Finding, Verification
from lastro.quality.model import OK as PASSOU
from lastro.quality.rules import find_findings
from lastro.reports.kpis import Kpi, compute_kpis
from lastro.reports.parametros import build_parametros
from lastro.reports.r00 import build_r00
from lastro.reports.r01 import build_r01
from lastro.reports.r02 import build_r02
from lastro.reports.r03 import build_r03
from lastro.reports.r04 import build_r04
from lastro.reports.r05 import build_r05, build_r05_centros
from lastro.reports.r06 import build_r06
from lastro.reports.r07 import build_r07
from lastro.reports.r08 import build_r08
from lastro.reports.r09 import build_r09
from lastro.reports.r10 import build_r10
from lastro.reports.r11 import build_r11
from lastro.reports.r12 import build_r12
from lastro.reports.r13 import build_r13
from lastro.reports.r14 import build_r14, list_top_changes
from lastro.reports.r15 import build_r15
from lastro.reports.r16 import build_r16_sheets
from lastro.reports.r17 import build_r17
from lastro.settings import Empresa, Recorte
from lastro.transform.habits import find_habits
from lastro.transform.position import Position
from lastro.transform.scenarios import plan_projections
from lastro.transform.scope import narrow_position

CERTIFICATE = (
    Column("Listagem", Kind.TEXT, width=26),
    Column("Conta", Kind.TEXT),
    Column("Passada", Kind.INTEGER),
    Column("Contagem antes", Kind.INTEGER),
    Column("Páginas", Kind.INTEGER),
    Column("Recebidas", Kind.INTEGER),
    Column("Distintas", Kind.INTEGER),
    Column("Repetidas", Kind.INTEGER),
    Column("Ilegíveis", Kind.INTEGER),
    Column("Contagem depois", Kind.INTEGER),
    Column("Veredito", Kind.TEXT),
    Column("Prova", Kind.TEXT),
    Column("Motivo", Kind.TEXT, width=45),
)
"""The completeness certificate as printed on Parâmetros (S13)."""

RECORD_RULES = frozenset({"V09", "V10", "V14", "V15", "V16", "V20", "V21"})
"""Checks of what was received and read, which a scope takes over from the whole run (S15)."""

REPORT_TITLES = {
    "R00": "Resumo",
    "R01": "Saldos por conta",
    "R02": "Fluxo de caixa diário",
    "R03": "Fluxo de caixa semanal",
    "R04": "Fluxo de caixa mensal por categoria",
    "R05": "Fluxo mensal por conta",
    "R06": "DRE gerencial",
    "R07": "Ponte competência x caixa",
    "R08": "Contas a pagar",
    "R09": "Contas a receber",
    "R10": "Inadimplência por cliente",
    "R11": "Situação das cobranças",
    "R12": "Posição por cliente e fornecedor",
    "R13": "Previsto x realizado",
    "R14": "Mudanças desde o último relatório",
    "R15": "Qualidade dos dados",
    "R16": "Lançamentos",
    "R17": "Compromissos recorrentes e parcelados",
}
"""Every report of a run, in the order of the catalogue."""


@dataclass(frozen=True)
class RunFacts:
    """What a run knows beyond the position.

    Attributes:
        inputs: what the checks compare with.
        anterior: KPIs stored by the previous complete run, or None.
        certificado: one row per listing, columns as in `CERTIFICATE`.
        extras: rows for the head of Parâmetros: name, value, meaning.
        rejeitados: records that could not be read: lista, origem, página, posição, motivo.
        esquema: new and missing fields: lista, campo, situação, registros.
        fontes: where the figures come from: list and what was read.
        vencimentos: due dates that stored runs saw (`transform.habits.VENCIMENTOS_COLUMNS`), None without history.
        posicao_anterior: the position of the previous complete run, as of its own day (R14); None on the first run.
        previsoes: which stored run forecast which period (R13).
        posicoes: execucao_id -> position of that run as of its own day, for every run that `previsoes` names.
    """

    inputs: CheckInputs
    anterior: Mapping[str, Decimal] | None = None
    certificado: Sequence[tuple[Value, ...]] = ()
    extras: Sequence[tuple[str, str, str]] = ()
    rejeitados: Sequence[tuple[Value, ...]] = ()
    esquema: Sequence[tuple[Value, ...]] = ()
    fontes: Sequence[tuple[str, str]] = ()
    vencimentos: pd.DataFrame | None = None
    posicao_anterior: Position | None = None
    previsoes: Sequence[Forecast] = ()
    posicoes: Mapping[int, Position] = field(default_factory=dict)


@dataclass(frozen=True)
class Catalogue:
    """One run's reports in the order of the workbook, its checks, findings and KPIs."""

    reports: tuple[Report, ...]
    verifications: tuple[Verification, ...]
    findings: tuple[Finding, ...]
    kpis: tuple[Kpi, ...]

    def count_rows(self) -> dict[str, int]:
        """Count the rows that each report keeps in the warehouse, by code in lower case."""
        rows: dict[str, int] = {}
        for report in self.reports:
            code = report.code.lower()
            rows[code] = rows.get(code, 0) + sum(len(table.rows) for table in report.tables)
        return rows

    @property
    def outcomes(self) -> tuple[Verification, ...]:
        """Checks V01 to V21, then findings Q01 to Q20 in the same form, as `ops.verificacoes` keeps them."""
        return (*self.verifications, *(as_verification(finding) for finding in self.findings))

    @property
    def errors(self) -> tuple[Verification, ...]:
        """What makes the figures untrustworthy: a failed check, or a finding, of severity erro (S15, Q19)."""
        return tuple(check for check in self.outcomes if check.failed and check.severidade == ERRO)

    @property
    def warnings(self) -> tuple[Verification, ...]:
        """Failed checks of severity alerta; findings have their own sheet."""
        return tuple(check for check in self.verifications if check.failed and check.severidade == ALERTA)


def as_verification(finding: Finding) -> Verification:
    """Write a finding in the form of a check: it fails when it is more than information and found something."""
    serious = finding.gravidade in (ERRO, ALERTA)
    return Verification(
        id=finding.regra,
        descricao=finding.titulo,
        severidade=finding.gravidade,
        situacao=FALHOU if serious and finding.qtde else PASSOU,
        esperado=0,
        encontrado=finding.qtde,
        diferenca=finding.valor,
        registros=finding.qtde,
        chaves=tuple(str(number) for number in finding.ids[:MAX_KEYS]),
        detalhe=finding.por_que,
    )


def narrow_facts(facts: RunFacts, recorte: Recorte) -> RunFacts:
    """Keep of a run's facts what its scope can be held against: earlier runs narrowed alike, no KPIs of the whole."""
    before = facts.posicao_anterior
    return replace(
        facts,
        inputs=CheckInputs(),
        anterior=None if facts.anterior is None else {},
        posicao_anterior=None if before is None else narrow_position(before, recorte),
        posicoes={number: narrow_position(position, recorte) for number, position in facts.posicoes.items()},
    )


def build_catalogue(
    position: Position, empresa: Empresa, facts: RunFacts, *, inteiro: Catalogue | None = None
) -> Catalogue:
    """Build every report, then the checks over what they print, then the cover.

    Args:
        position: the position as of D, whole or narrowed to a scope.
        empresa: the settings of the company.
        facts: what the run knows beyond the position.
        inteiro: for a scope, the catalogue of the whole: what its checks and findings say of the records stands here
            too, for they judge what the run read and not what a scope shows of it.
    """
    series = build_series(position)
    habits = find_habits(position, facts.vencimentos)
    projections = plan_projections(position, empresa.cenarios, facts.vencimentos, habits)
    figures = [
        build_r01(position, series),
        build_r02(position, series, projections),
        build_r03(position, series, projections),
        build_r04(position, series, projections=projections),
        build_r05(position, series),
        *((build_r05_centros(position),) if position.parametros.fluxo_por_centro else ()),
        build_r06(position),
        build_r07(position),
        build_r08(position),
        build_r09(position),
        build_r10(position),
        build_r11(position),
        build_r12(position, habits),
        build_r13(position, facts.previsoes, facts.posicoes),
        changes := build_r14(position, facts.posicao_anterior),
        build_r17(position),
    ]
    ledger = build_r16_sheets(position)
    verifications = run_checks(position, facts.inputs, {report.sheet: report for report in (*figures, ledger[0])})
    findings = find_findings(position) if inteiro is None else list(inteiro.findings)
    if inteiro is not None:
        verifications = [
            whole if whole.id in RECORD_RULES else own
            for own, whole in zip(verifications, inteiro.verifications, strict=True)
        ]
    quality = build_r15(
        verifications,
        findings,
        rejeitados=facts.rejeitados,
        esquema=facts.esquema,
        planilhas=(*figures, *ledger),
    )
    parameters = build_parametros(
        position, empresa, extras=facts.extras, certificado=facts.certificado, certificado_colunas=CERTIFICATE
    )
    # A finding of severity erro counts like a failed check: the stamp says NÃO CONFIÁVEL, so the cover says why (Q19).
    grave = [finding for finding in findings if finding.gravidade == ERRO and finding.qtde]
    checks = [(check.id, check.severidade, not check.failed) for check in verifications]
    checks += [(finding.regra, ERRO, False) for finding in grave]
    alerts = [finding for finding in findings if finding.gravidade == ALERTA and finding.qtde]
    kpis = compute_kpis(position, series, checks=checks)
    following = [*figures, quality, *ledger, parameters]
    cover = build_r00(
        position,
        kpis=kpis,
        series=series,
        anterior=facts.anterior,
        checks=checks,
        textos={check.id: check.resumo or check.descricao for check in verifications}
        | {item.regra: item.titulo for item in grave},
        qualidade=[(finding.regra, finding.gravidade, finding.qtde, finding.titulo) for finding in alerts],
        indice=[(report.sheet, report.question) for report in following],
        mudancas=list_top_changes(changes),
        fontes=facts.fontes,
    )
    return Catalogue((cover, *following), tuple(verifications), tuple(findings), kpis)
