"""Every report, check and KPI of one run, put together.

Reports and checks never import each other; here their values meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final

from lastro.analysis.changes import Comparison
from lastro.analysis.credit import Credit
from lastro.analysis.forecast_record import Measured
from lastro.bank.found import BankFound
from lastro.bank.report import SPEC as BANK_REPORT
from lastro.errors import MAX_KEYS
from lastro.grid.cover import Cover
from lastro.grid.verdict import ALERTA, ERRO, FALHOU, Finding, Lack, Trust, Verification
from lastro.grid.verdict import OK as PASSOU
from lastro.grid.words import count_text
from lastro.grid.workbook import Report, Sheet, tables_of
from lastro.quality.findings import (
    ANSWER_RULES,
    MISUNDERSTOOD,
    UNLINKED,
    UNPAID,
    Noticed,
    find_findings,
    lay_out_noticed,
    list_noticed,
    note_answers,
    note_promised,
    note_returned,
    note_unpaid,
)
from lastro.quality.queries import RECORD_RULES, About, read_findings
from lastro.quality.runner import PrivateFile, ReceivedViews, open_room, run_checks
from lastro.reports.facts import BankFacts, Facts
from lastro.reports.registry import REPORTS
from lastro.reports.shared.kpis import Kpi, list_kpis
from lastro.reports.sheets import lay_out
from lastro.reports.spec import Phase, ReportSpec
from lastro.reports.view import View
from lastro.settings import Recorte
from lastro.transform.labels import Labels
from lastro.transform.position import Position
from lastro.transform.scope import narrow_position

EVERY_REPORT: Final[tuple[ReportSpec, ...]] = (*REPORTS, BANK_REPORT)
"""Every report of a run."""
REPORT_TITLES: Final = {
    spec.code: spec.title for spec in sorted(EVERY_REPORT, key=lambda spec: spec.code) if spec.code.startswith("R")
}
"""Every numbered report of a run, by code."""
REPORT_NAMES: Final = {spec.code: spec.name for spec in EVERY_REPORT}
"""What SQL and Dagster call each report, by code."""


@dataclass(frozen=True)
class Catalogue:
    """One run's reports, its checks, findings and KPIs.

    Attributes:
        notados: what the findings rest on and the records do not say (`ops.notados`).
        ditos: what the run says of itself in the terminal, besides its figures.
        recados: what it warns of besides, a sentence each (S25).
        nao_contam: what people typed and does not count, a few words each: it stands beside the number of warnings.
        previstos: earlier forecasts of cash, and the one that this run makes (S24).
        credito: what balances of all its accounts are asked for (S27).
        rotulos: names of accounts, people and categories.
    """

    reports: tuple[Report, ...]
    verifications: tuple[Verification, ...]
    findings: tuple[Finding, ...]
    kpis: tuple[Kpi, ...]
    notados: tuple[Noticed, ...] = ()
    ditos: tuple[str, ...] = ()
    recados: tuple[str, ...] = ()
    previstos: tuple[Measured, ...] = ()
    nao_contam: tuple[str, ...] = ()
    credito: Credit = field(default_factory=Credit)
    rotulos: Labels = field(default_factory=Labels)

    @cached_property
    def sheets(self) -> tuple[Sheet, ...]:
        """The sheets of the workbook for management, in order."""
        return lay_out(self.reports)

    @property
    def cover(self) -> Cover | None:
        """The first page, part by part."""
        return next((report.cover for report in self.reports if report.cover is not None), None)

    @property
    def nao_pagos(self) -> frozenset[int]:
        """The open títulos of which a bank proves that they were not paid (S20)."""
        return frozenset(record_id for rule, _, _, record_id in self.notados if rule == UNPAID)

    @property
    def respostas(self) -> Mapping[int, str]:
        """What the payments desk answered of late payables (S26.4), which holds in every scope."""
        return {record_id: ANSWER_RULES[rule] for rule, _, _, record_id in self.notados if rule in ANSWER_RULES}

    def count_rows(self) -> dict[str, int]:
        """Count the rows that each report keeps in the warehouse, by its name."""
        rows: dict[str, int] = {}
        for report in self.reports:
            name = REPORT_NAMES[report.code]
            rows[name] = rows.get(name, 0) + sum(len(table.rows) for table in report.tables)
        return rows

    @property
    def outcomes(self) -> tuple[Verification, ...]:
        """Checks V, then findings Q in the same form, as `ops.verificacoes` keeps them."""
        return (*self.verifications, *(as_verification(finding) for finding in self.findings))

    @property
    def errors(self) -> tuple[Verification, ...]:
        """What makes the figures untrustworthy: a failed check, or a finding, of severity erro (S15, Q19)."""
        return tuple(check for check in self.outcomes if check.failed and check.severidade == ERRO)

    @property
    def warnings(self) -> tuple[Verification, ...]:
        """What is worth a look: a failed check, or a finding, of severity alerta."""
        return tuple(check for check in self.outcomes if check.failed and check.severidade == ALERTA)

    def tell_trust(self, rejeitados: int) -> Trust:
        """Tell how far the figures can be trusted, with so many records that could not be read (S15)."""
        falta = Lack.of_company({kpi.slug: kpi.number for kpi in self.kpis})
        return Trust(len(self.errors), len(self.warnings), rejeitados, falta)


def as_verification(finding: Finding) -> Verification:
    """Write a finding in the form of a check: it fails when it is more than information and found something.

    Its amounts are words, before why it matters: receivables and payables have no sum that says anything.
    """
    return Verification(
        id=finding.regra,
        descricao=finding.titulo,
        severidade=finding.gravidade,
        situacao=FALHOU if finding.counted else PASSOU,
        esperado=0,
        encontrado=finding.qtde,
        registros=finding.qtde,
        chaves=tuple(str(record_id) for record_id in finding.ids[:MAX_KEYS]),
        detalhe=". ".join(filter(None, (finding.resumo, finding.por_que))),
        resumo=finding.resumo,
    )


def narrow_facts(facts: Facts, recorte: Recorte, comparacao: Comparison | None) -> Facts:
    """Keep of a run's facts what its scope can be held against: earlier runs narrowed alike, and no word of the whole.

    Args:
        facts: those of the whole.
        comparacao: the previous run held against this one, both narrowed (R14).
    """
    return replace(
        facts,
        nao_lidos=(),
        linhas_recusadas=0,
        banco=BankFacts(nao_pagos=facts.banco.nao_pagos),
        recados=(),
        anteriores=[replace(report, kpis={}) for report in facts.anteriores[-1:]],
        comparacao=comparacao,
        reabertos=(),
        medidas=None,
        posicoes={execucao_id: narrow_position(position, recorte) for execucao_id, position in facts.posicoes.items()},
    )


def build_catalogue(
    books: View,
    recebido: ReceivedViews = MappingProxyType({}),
    *,
    inteiro: Catalogue | None = None,
    file: PrivateFile | None = None,
) -> Catalogue:
    """Build the figures and judge them, then the cover and judge it, then what lists the verdict.

    Args:
        books: of the whole, or of a scope.
        recebido: what the views of the prelude that rest on what was received came to; of a scope nothing.
        inteiro: for a scope, the catalogue of the whole run, whose checks of the records are copied instead of run
            again. Findings are the scope's own.
        file: the private file, where its records are those of the position.
    """
    position, facts = books.position, books.facts
    figures = _build_phase(Phase.FIGURES, books)
    noticed = _list_noticed(position, facts, whole=inteiro is None)
    noticed += note_unpaid(facts.banco.nao_pagos) + note_answers(facts.mesas.respostas)
    noticed += note_returned(facts.banco.devolvidos)
    noticed += note_promised(books.promised_whole)
    unread = () if inteiro else facts.nao_lidos
    given = lay_out_noticed(noticed, unread, recebido.get("aberturas"))
    rooms = ("bank",) if isinstance(facts.banco, BankFound) else ()
    known = [] if inteiro is None else [check for check in inteiro.verifications if check.id in RECORD_RULES]
    with closing(open_room(position, {**recebido, **given}, figures, file)) as room:
        told = known or run_checks(room, {About.RECORDS}, rooms)
        told += run_checks(room, {About.FIGURES}, rooms)
        findings, items = find_findings(room, read_findings(*rooms))
        view = books.judged(_by_number(told), findings, figures, items)
        cover = _build_phase(Phase.COVER, view)
        room.show([items, *tables_of([*figures, *cover])])
        of_cover = run_checks(room, {About.COVER}, rooms)
    verifications = _by_number([*told, *of_cover])
    view = books.judged(verifications, findings, [*figures, *cover], items)
    if any(check.failed for check in of_cover):
        # What was found of the cover stands on the sheet of the verdict; it says so itself only where that fails.
        cover = _build_phase(Phase.COVER, view)
    reports = _in_order([*figures, *cover, *_build_phase(Phase.VERDICT, view)])
    return Catalogue(
        reports,
        tuple(verifications),
        tuple(findings),
        list_kpis(view),
        tuple(noticed),
        _say(facts),
        tuple(facts.recados),
        books.foretold,
        _say_uncounted(facts, findings) if inteiro is None else (),
        books.credit,
        position.rotulos,
    )


def _say(facts: Facts) -> tuple[str, ...]:
    return tuple(f"{heading}  {line}" for heading, line, _ in facts.linhas_da_capa)


def _say_uncounted(facts: Facts, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Say how much of what people typed does not count: nobody else can tell them."""
    found = {finding.regra: finding.qtde for finding in findings}
    files = len({part.arquivo for part in facts.nao_lidos if part.linha is None})
    counted = (
        (facts.linhas_recusadas, "linha de arquivo não conta", "linhas de arquivos não contam"),
        (files, "arquivo não lido", "arquivos não lidos"),
        (found.get(UNLINKED, 0), "extrato de conta não ligada", "extratos de contas não ligadas"),
        (found.get(MISUNDERSTOOD, 0), "texto da mesa não entendido", "textos da mesa não entendidos"),
    )
    return tuple(count_text(count, *words) for count, *words in counted if count)


def _list_noticed(position: Position, facts: Facts, *, whole: bool) -> list[Noticed]:
    """List the notes that findings need besides the records; in a scope only those of its own records."""
    return list_noticed(
        position,
        repetidos=facts.repetidos if whole else (),
        nao_entendidos=facts.nao_entendidos if whole else (),
        decididos=sorted(decision.titulo_id for decision in facts.mesas.decisoes),
        decisoes_vencidas=sorted(facts.mesas.decisoes_vencidas),
        movidos=facts.banco.movidos if whole else (),
        mudados=facts.mesas.mudados,
        nao_repassadas=[number for each in facts.banco.repasses for number in each.cobrancas] if whole else (),
    )


def _by_number(verifications: Iterable[Verification]) -> list[Verification]:
    return sorted(verifications, key=lambda check: check.id)


def _build_phase(phase: Phase, view: View) -> tuple[Report, ...]:
    return tuple(spec.build(view) for spec in EVERY_REPORT if spec.phase is phase)


def _in_order(reports: Iterable[Report]) -> tuple[Report, ...]:
    """Put reports in the order of their list."""
    codes = [spec.code for spec in EVERY_REPORT]
    return tuple(sorted(reports, key=lambda report: codes.index(report.code)))
