"""The V rules as data: what each says, how much it matters, what it stands on, how it is checked (S15).

A rule whose evidence or report is not there answers "não se aplica". The checks read what the reports print and add
the linhas again in their own way; they never change anything. A new rule is a file of `checks/`, whose head says the
rest; those that are functions still stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from lastro.grid.verdict import ALERTA, ERRO, Outcome, Verification
from lastro.quality.cash_sheets import check_blocks_of_centres, check_printed_cash, check_total_of_r01
from lastro.quality.charge_checks import check_v11, check_v12, check_v13
from lastro.quality.comparative_checks import check_wide_sheets
from lastro.quality.evidence import Checked, CheckInputs
from lastro.quality.open_checks import check_v06, check_v09
from lastro.quality.queries import Query, read_queries
from lastro.quality.reading_checks import check_v34, check_v35, check_v36, check_v37
from lastro.quality.record_checks import check_v10, check_v14, check_v15, check_v21
from lastro.quality.result_checks import check_v07, check_v08
from lastro.quality.runner import run_query

if TYPE_CHECKING:
    from lastro.grid.model import Report
    from lastro.quality.cash_tables import Reports
    from lastro.quality.tally import Tally
    from lastro.transform.position import Position


class About(StrEnum):
    """What a rule judges; a scope takes over from the whole run what was found about the records (S15)."""

    RECORDS = "o que foi recebido e lido"
    FIGURES = "o que os relatórios mostram"


@dataclass(frozen=True)
class Rule:
    """A V rule.

    Attributes:
        id: "V01".
        descricao: the rule in words, pt-BR.
        severidade: "erro" or "alerta", unless a result calls for the other (V09, V14).
        report: code of the report it stands on; R15 for the data as a whole.
        about: what it judges.
        check: the function that checks it.
    """

    id: str
    descricao: str
    severidade: str
    report: str
    about: About
    check: Callable[[Checked], Outcome]

    def verify(self, checked: Checked) -> Verification:
        """Check the rule."""
        found = self.check(checked)
        return Verification(
            id=self.id,
            descricao=self.descricao,
            severidade=found.severidade or self.severidade,
            situacao=found.situacao,
            esperado=found.esperado,
            encontrado=found.encontrado,
            diferenca=found.diferenca,
            registros=found.registros,
            chaves=found.chaves,
            detalhe=found.detalhe,
            resumo=found.resumo,
        )


_PYTHON = (
    Rule(
        "V06",
        "Posição em aberto: resumo = detalhe = títulos em aberto; a vencer + hoje + vencido = total",
        ERRO,
        report="R09",
        about=About.FIGURES,
        check=lambda it: check_v06(it.position, it.reports),
    ),
    Rule(
        "V07",
        "Árvore de categorias: nó = direto + filhas; raízes = total da seção",
        ERRO,
        report="R04",
        about=About.FIGURES,
        check=lambda it: check_v07(it.position, it.reports),
    ),
    Rule(
        "V08",
        "DRE de todos os meses = linhas fora de transferências e de 'fora'; DRE por centro = DRE",
        ERRO,
        report="R06",
        about=About.FIGURES,
        check=lambda it: check_v08(it.position, it.reports),
    ),
    Rule(
        "V09",
        "Vencidos por conta = filtros PA e RA do serviço",
        ERRO,
        report="R09",
        about=About.RECORDS,
        check=lambda it: check_v09(it.position, it.evidence.vencidos),
    ),
    Rule(
        "V10",
        "Leituras provadas por contagem; linhas por conta = registros recebidos",
        ERRO,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v10(it.position, it.evidence.controle_raw, it.evidence.passadas),
    ),
    Rule(
        "V11",
        "Lançamentos citados por cobranças vivas existem",
        ALERTA,
        report="R11",
        about=About.FIGURES,
        check=lambda it: check_v11(it.position, it.reports, it.disagreements),
    ),
    Rule(
        "V12",
        "Valor da cobrança viva = soma das linhas positivas de seus títulos",
        ALERTA,
        report="R11",
        about=About.FIGURES,
        check=lambda it: check_v12(it.position, it.reports, it.disagreements),
    ),
    Rule(
        "V13",
        "Situação da cobrança viva concorda com a do lançamento; cobranças por situação",
        ALERTA,
        report="R11",
        about=About.FIGURES,
        check=lambda it: check_v13(it.position, it.evidence.passadas, it.reports, it.disagreements),
    ),
    Rule(
        "V14",
        "Evidência sobre o valor do pai dos compostos",
        ERRO,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v14(it.evidence.composto_evidence, it.evidence.diferencas),
    ),
    Rule(
        "V15",
        "Componentes dos compostos: listagem = detalhe",
        ERRO,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v15(it.evidence.compostos),
    ),
    Rule(
        "V21",
        "Lançamentos de saldo inicial concordam com o configurado; no máximo um por conta e data",
        ERRO,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v21(it.evidence.conflitos_saldo_inicial),
    ),
    Rule(
        "V34",
        "Registros carregados ou rejeitados = registros provados, por listagem",
        ERRO,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v34(it.evidence),
    ),
    Rule(
        "V35",
        "Todo lançamento, item e cobrança pôde ser lido",
        ALERTA,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v35(it.evidence),
    ),
    Rule(
        "V36",
        "Relógio da máquina = relógio do serviço, com menos de um dia de diferença",
        ALERTA,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v36(it.evidence),
    ),
    Rule(
        "V37",
        "O serviço conta, lista, ordena e pagina como na leitura anterior",
        ALERTA,
        report="R15",
        about=About.RECORDS,
        check=lambda it: check_v37(it.evidence),
    ),
)


_PRINTED: Final[Mapping[str, Callable[[Tally, Position, Reports], None]]] = MappingProxyType(
    {"V01": check_total_of_r01, "V02": check_printed_cash, "V04": check_blocks_of_centres, "V27": check_wide_sheets}
)
"""Check -> what compares figures that stand on sheets alone."""


def _compare_nothing(_tally: Tally, _position: Position, _reports: Reports) -> None:
    """What most checks print and no table has."""


def _rule_of(query: Query) -> Rule:
    """Take a rule from the head of its file."""
    printed = _PRINTED.get(query.id, _compare_nothing)
    return Rule(
        query.id,
        query.titulo,
        query.fatos["Severidade"],
        report=query.fatos["Relatório"],
        about=About(query.fatos["Julga"]),
        check=lambda it: run_query(query, it.proof, it.reports, lambda tally: printed(tally, it.position, it.reports)),
    )


_ALL = sorted((*_PYTHON, *map(_rule_of, read_queries().values())), key=lambda rule: rule.id)
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for rule in _ALL})
"""Every V rule by its id, in order."""
RECORD_RULES: Final = frozenset(rule.id for rule in _ALL if rule.about is About.RECORDS)
"""Rules about what was received and read, which a scope takes over from the whole run (S15)."""


def run_checks(position: Position, evidence: CheckInputs, reports: Iterable[Report]) -> list[Verification]:
    """Run every V rule: always all of them, exact.

    Args:
        position: the position the reports were built from; not mutated.
        evidence: what the run knows besides.
        reports: the reports; a missing one takes its comparisons out.

    Returns:
        One per rule, in order.
    """
    checked = Checked(position, evidence, {report.sheet: report for report in reports})
    return [rule.verify(checked) for rule in _ALL]
