"""The checks and findings that are SQL: one file each, its head as data, its SELECTs as they stand (`checks/V05.sql`).

A head says number and title, then facts, one a line (`-- Severidade: erro`). A SELECT returns what was compared:
`chave`, `esperado`, `encontrado` and, where a row stands for several comparisons, `comparacoes`; the row `total` is the
headline. What many checks compare alike a stanza says in the place of a SELECT (`lastro.quality.stanzas`).

One that returns `detalhe` says what a person reads: `detalhe`, `resumo` and, where they are not the usual ones,
`situacao` and `severidade`; a row with a `chave` says it of that one, and only where nothing differs. Of a finding
(`checks/Q16.sql`) the first SELECT returns its records (`lastro.quality.findings`), and a second one what a person
reads of them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

from lastro.grid.verdict import LIGHT
from lastro.quality.stanzas import MORE, expand

_TITLE: Final = re.compile(r"-- ([VQ]\d{2}|MEMO) · (.+)")
_FACT: Final = re.compile(r"-- ([^:]+): (.+)")
_REPORT: Final = re.compile(r"\bmart\.([a-z_][a-z0-9_]*)")
_TOLD: Final = re.compile(r"\bAS detalhe\b")
"""What a SELECT has that tells a person something."""
TOTAL: Final = "total"
"""Key of the row that is the headline."""
_OWN: Final = "quality"
"""The room whose checks and findings every run has."""
ROOMS: Final = ("bank", "closing")
"""The rooms with checks of their own, which judge where there is anything of theirs."""
FACTS: Final = ("Severidade", "Relatório", "Julga", "Por que importa", "O que fazer")
"""What the head of every check says."""
FINDING_FACTS: Final = ("Gravidade", "Relatório", "Por que importa", "O que fazer")
"""What the head of every finding says."""
WEIGHT: Final = "Peso"
"""The place of an alert among its kind: 1 can cost the company, 2 changes what is decided; without it tidying (3)."""
SIDES: Final = "Lados"
"""What the head of a finding may say of its amounts: "em aberto", to be received and paid, or "nenhum", of no side."""
EACH: Final = "Cada um"
"""Where the head of a finding wants the texts of its records, ten a file: "Por que importa" or "O que fazer"; the
terminal has them too."""
USUAL: Final = {True: ("Julga", "o que os relatórios mostram"), False: ("Relatório", "R15")}
"""Of a check, and of a finding: the fact that most heads need not say."""
OPTIONAL: Final = ("Sem comparações", "Só relações internas")
"""Facts that some heads have: the text where nothing could be compared, and why a check has no outer comparison."""


class About(StrEnum):
    """What a check judges; a scope takes over from the whole run what was found about the records (S15).

    The cover says what the checks found of records and figures, so it is judged last.
    """

    RECORDS = "o que foi recebido e lido"
    FIGURES = "o que os relatórios mostram"
    COVER = "o que a capa mostra"


@dataclass(frozen=True)
class Query:
    """One check or finding.

    Attributes:
        id: "V05", "Q16" or "MEMO".
        titulo: the rule in words, pt-BR.
        fatos: the other facts of the head, by name.
        texto: the whole file, with the SELECTs of its stanzas: what anyone can run.
        selects: its SELECTs, in order.
    """

    id: str
    titulo: str
    fatos: Mapping[str, str]
    texto: str
    selects: tuple[str, ...]

    @property
    def severidade(self) -> str:
        """Severity of a check: "erro" or "alerta", unless a result calls for the other (V09, V14)."""
        return self.fatos["Severidade"]

    @property
    def peso(self) -> int:
        """Its place among alerts, 1 first."""
        return int(self.fatos.get(WEIGHT, LIGHT))

    @property
    def report(self) -> str:
        """Code of the report it stands on; R15 for the data as a whole."""
        return self.fatos["Relatório"]

    @property
    def about(self) -> About:
        """What a check judges."""
        return About(self.fatos["Julga"])


def parse_query(text: str) -> Query:
    """Read the text of a file.

    Raises:
        ValueError: when the head lacks a fact, has one that nobody knows, or no SELECT follows.
    """
    head, _, body = text.partition("\n\n")
    first, *lines = head.splitlines()
    title = _TITLE.fullmatch(first)
    if title is None:
        raise ValueError(f"no number and title: {first!r}")
    facts = dict([USUAL[title[1].startswith("V")]])
    for line in lines:
        fact = _FACT.fullmatch(line)
        if line.startswith(MORE) and facts:
            facts[[*facts][-1]] += " " + line.removeprefix(MORE)
        elif fact is None:
            raise ValueError(f"{title[1]}: no fact: {line!r}")
        else:
            facts[fact[1]] = fact[2]
    needed, optional = (FACTS, OPTIONAL) if title[1].startswith("V") else (FINDING_FACTS, (SIDES, EACH))
    wrong = {*needed} - {*facts} | {*facts} - {*needed, *optional, WEIGHT}
    body = expand(title[1], body)
    selects = tuple(part.strip().removesuffix(";") for part in re.split(r";\n", body) if part.strip())
    if wrong or not selects:
        raise ValueError(f"{title[1]}: {', '.join(sorted(wrong)) or 'SELECT'} of its head is missing or unknown")
    return Query(title[1], title[2], MappingProxyType(facts), f"{head}\n\n{body}", selects)


@cache
def read_queries(*rooms: str) -> Mapping[str, Query]:
    """Read every check that is SQL, by its number, in order, with those of some rooms."""
    checks = {name: query for name, query in _read_all(*rooms).items() if name.startswith("V")}
    return MappingProxyType(dict(sorted(checks.items())))


@cache
def read_findings(*rooms: str) -> Mapping[str, Query]:
    """Read every finding by its number, in order, with those of some rooms; the memo comes last."""
    findings = {name: query for name, query in _read_all(*rooms).items() if not name.startswith("V")}
    return MappingProxyType(dict(sorted(findings.items(), key=lambda named: (not named[0].startswith("Q"), named[0]))))


@cache
def _read_all(*rooms: str) -> Mapping[str, Query]:
    queries = [parse_query(text) for room in (_OWN, *rooms) for text in _read_texts("checks", room).values()]
    return MappingProxyType({query.id: query for query in queries})


@cache
def read_prelude() -> Mapping[str, str]:
    """Read what checks share, the views `prova.<name>`: name -> SELECT, each with the comment that it begins with.

    Those of every room are among them: a file has the same views, whoever takes part in a run.
    """
    rooms = (_OWN, "warehouse.file", *ROOMS)
    return MappingProxyType(dict(sorted(named for room in rooms for named in _read_texts("prova", room).items())))


def ask_differences(select: str) -> str | None:
    """Write a SELECT as a run asks it: how many comparisons agree, and the rows that do not, or are the headline.

    Returns:
        SQL of one value; None for a SELECT that tells a person something.
    """
    if _TOLD.search(select):
        return None
    times = "comparacoes" if "comparacoes" in select else "1"
    row = f"{{'chave': chave, 'esperado': esperado, 'encontrado': encontrado, 'comparacoes': {times}}}"
    equal = f"chave IS DISTINCT FROM '{TOTAL}' AND esperado IS NOT DISTINCT FROM encontrado"
    return f"""(SELECT {{'iguais': coalesce(sum({times}) FILTER ({equal}), 0)::BIGINT,
  'outras': list({row}) FILTER (NOT ({equal}))}} FROM (
{select}
))"""  # noqa: S608 - the package's own text


def join_selects(query: Query, reports: Container[str], *, tudo: bool) -> str | None:
    """Write a check as one question on a published file.

    Args:
        reports: names of the tables of `mart` that are there.
        tudo: whether to return what agrees, too.

    Returns:
        SQL that returns `chave`, `esperado` and `encontrado` as texts; None where no SELECT finds all its tables.
    """
    shown = "chave, esperado::VARCHAR AS esperado, encontrado::VARCHAR AS encontrado"
    where = "" if tudo else " WHERE esperado IS DISTINCT FROM encontrado"
    parts = [
        f"SELECT {shown} FROM (\n{select}\n){where}"  # noqa: S608 - the package's own text
        for select in query.selects
        if all(name in reports for name in _REPORT.findall(select)) and not _TOLD.search(select)
    ]
    return "\nUNION ALL\n".join(parts) or None


def _read_texts(folder: str, room: str) -> dict[str, str]:
    place = resources.files(f"lastro.{room}").joinpath(folder)
    files = place.iterdir() if place.is_dir() else ()
    texts = {file.name.removesuffix(".sql"): file.read_text(encoding="utf-8") for file in files}
    return dict(sorted(texts.items()))


RECORD_RULES: Final = frozenset(query.id for query in read_queries().values() if query.about is About.RECORDS)
"""Checks of what was received and read, which a scope takes over from the whole run (S15)."""
