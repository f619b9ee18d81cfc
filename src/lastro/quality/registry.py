"""The V rules as data: text, severity, report and query of each (S15).

A rule whose evidence or report is not there answers "não se aplica". The checks read the tables of the reports and add
the linhas again in their own way; they never change anything. A new rule is a file of `checks/`, whose head says the
rest.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Final

from lastro.grid.verdict import Outcome, Verification
from lastro.quality.evidence import Checked
from lastro.quality.queries import Query, read_queries
from lastro.quality.runner import run_query


class About(StrEnum):
    """What a rule judges; a scope takes over from the whole run what was found about the records (S15).

    The cover says what the checks found of records and figures, so it is judged last.
    """

    RECORDS = "o que foi recebido e lido"
    FIGURES = "o que os relatórios mostram"
    COVER = "o que a capa mostra"


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


def _rule_of(query: Query) -> Rule:
    """Take a rule from the head of its file."""
    return Rule(
        query.id,
        query.titulo,
        query.fatos["Severidade"],
        report=query.fatos["Relatório"],
        about=About(query.fatos["Julga"]),
        check=lambda it: run_query(query, it.proof),
    )


_ALL = [_rule_of(query) for query in read_queries().values()]
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for rule in _ALL})
"""Every V rule by its id, in order."""
RECORD_RULES: Final = frozenset(rule.id for rule in _ALL if rule.about is About.RECORDS)
"""Rules about what was received and read, which a scope takes over from the whole run (S15)."""


@cache
def list_rules(*options: str) -> Mapping[str, Rule]:
    """List every V rule by its id, in order, with those of some options, which judge where they take part."""
    return MappingProxyType(
        {name: RULES.get(name) or _rule_of(query) for name, query in read_queries(*options).items()}
    )


def judge(checked: Checked, about: Container[About] = tuple(About)) -> list[Verification]:
    """Run the V rules that apply to these tables, in order; the laid-out records stay in `checked`."""
    return [rule.verify(checked) for rule in list_rules(*checked.opcoes).values() if rule.about in about]
