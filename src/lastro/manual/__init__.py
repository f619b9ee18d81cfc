"""The rule book that ships with the product: pages in Markdown, read by name, by number or by heading.

Belongs here: finding a page or the part of it that a number such as S7, R13, V12 or Q19 names. Does not belong here:
the rules themselves (they stand in the pages), and printing (`lastro.manual.command`). Reading needs neither pandas nor
Dagster.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from lastro.folding import fold_words

PAGES = (
    "comecar",
    "regras",
    "servico",
    "relatorios",
    "configuracao",
    "verificacoes",
    "achados",
    "consultas",
    "consultas-proprias",
    "dbt",
    "dicionario",
    "decisoes",
    "como-fazer",
    "testes",
    "custo",
    "quando-o-caixa-aperta",
    "falhas",
    "tres-da-manha",
    "upgrade",
    "seguranca",
    "maquinas",
    "glossario",
)
"""The pages in the order in which a newcomer reads them."""
DICTIONARY, DICTIONARY_TITLE = "dicionario", "Dicionário de dados"
_HEADING = re.compile(r"^(#{1,3}) +(.+?) *$")
_NUMBERED = re.compile(r"^([A-Z]{1,4})(\d*(?:\.\d+)?)\. +(.+)$")
_NUMBER = re.compile(r"^([A-Za-z]{1,4})0*(\d+(?:\.\d+)?)$")
_TABLE = re.compile(r"(?:macros de )?(?:raw|core|hist|mart|prova|ops|position)(?:\.[a-z_0-9]+)?")


@dataclass(frozen=True)
class Topic:
    """What stands under one heading.

    Attributes:
        page: name of the page.
        level: 1 for the page's title, 2 or 3 below it.
        number: what code and sheets cite (`S7`, `S2.6`, `R13`, `PAR`); empty for a heading without one.
        title: the heading without the number.
        text: the heading and everything down to the next one of its level, without blank lines around it.
    """

    page: str
    level: int
    number: str
    title: str
    text: str


def list_pages() -> tuple[str, ...]:
    """List the names of the pages, in reading order."""
    return PAGES


def read_page(name: str) -> str:
    """Read a page whole, as it stands in the package.

    `configuracao` is written from the schema of the settings, `dicionario` from that of the files and the reports.
    """
    if name == DICTIONARY:
        # Here and not above: it builds every report, of a company without records.
        from lastro.manual.dictionary import render_dictionary

        return render_dictionary()
    if name == "configuracao":
        # Here and not above: the other pages need no settings.
        from lastro.settings.manual_page import render_settings

        return render_settings()
    return resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


def read_title(name: str) -> str:
    """Read the title of a page; that of the dictionary without rendering it."""
    return DICTIONARY_TITLE if name == DICTIONARY else read_page(name).splitlines()[0].removeprefix("# ")


@cache
def list_topics() -> tuple[Topic, ...]:
    """List everything with a heading, page by page, in order; the dictionary, which takes seconds, is left out."""
    return tuple(part for page in PAGES if page != DICTIONARY for part in _split(page, read_page(page)))


def list_tables() -> tuple[Topic, ...]:
    """List the schemas and tables of the dictionary."""
    return tuple(_split(DICTIONARY, read_page(DICTIONARY)))


def read_exact(tema: str) -> str | None:
    """Read a page by its name, or the part of one that a number or a heading names; None for anything else.

    Args:
        tema: `regras`, `S7`, `r13`, `V12`, `S2.6`, `IncompletePass`; case, accents and leading zeros do not matter.
            A sub-number without a heading of its own gives the rule it belongs to.

    >>> str(read_exact("s7")).splitlines()[0].split(".")[0]
    '## S7'
    """
    wanted = fold_words(tema)
    if wanted in PAGES:
        return read_page(wanted)
    parts = list_topics()
    number = _normalise(tema.strip())
    for key in dict.fromkeys((number, number.split(".")[0])):
        for part in parts:
            if part.number and _normalise(part.number) == key:
                return part.text + "\n"
    for part in parts:
        if fold_words(part.title) == wanted:
            return part.text + "\n"
    for part in list_tables() if _TABLE.fullmatch(wanted) else ():
        if fold_words(part.title) == wanted:
            return part.text + "\n"
    return None


def describe_topics(parts: tuple[Topic, ...] | None = None) -> str:
    """Say in one sentence or two what can be asked for: pages, numbers by family, and that headings work too."""
    families = _list_families(list_topics() if parts is None else parts)
    return (
        f"Páginas: {', '.join(PAGES)}. Números: {', '.join(families.values())}. Vale também o título de qualquer "
        "parte, como IncompletePass, uma tabela (a_receber), uma chave da configuração ou qualquer palavra."
    )


def describe_family(tema: str) -> str:
    """Say which numbers there are of the letters of a number that is none of them; empty for anything else.

    >>> describe_family("q99")[:3], describe_family("xyz1"), describe_family("quando")
    ('Q01', '', '')
    """
    found = _NUMBER.match(tema.strip())
    return _list_families(list_topics()).get(found[1].upper(), "") if found else ""


def _list_families(parts: Sequence[Topic]) -> dict[str, str]:
    """List the numbers of each family, written as spans."""
    families: dict[str, list[str]] = {}
    for part in parts:
        if part.number and "." not in part.number:
            families.setdefault(part.number.rstrip("0123456789"), []).append(part.number)
    return {letters: ", ".join(_write_spans(numbers)) for letters, numbers in families.items()}


def _write_spans(numbers: Sequence[str]) -> list[str]:
    spans: list[list[str]] = []
    for number in sorted(numbers, key=lambda number: (len(number), number)):
        if spans and _follows(number, spans[-1][-1]):
            spans[-1].append(number)
        else:
            spans.append([number])
    return [f"{span[0]} a {span[-1]}" if len(span) > 1 else span[0] for span in spans]


def _split(page: str, text: str) -> list[Topic]:
    lines = text.splitlines()
    marks: list[tuple[int, int, str]] = []
    fenced = False
    for place, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        match = None if fenced else _HEADING.match(line)
        if match:
            marks.append((place, len(match[1]), match[2]))
    parts = []
    for index, (start, level, heading) in enumerate(marks):
        end = next((place for place, other, _ in marks[index + 1 :] if other <= level), len(lines))
        numbered = _NUMBERED.match(heading)
        number = f"{numbered[1]}{numbered[2]}" if numbered else ""
        title = numbered[3] if numbered else heading
        parts.append(Topic(page, level, number, title, "\n".join(lines[start:end]).strip()))
    return parts


def _follows(number: str, other: str) -> bool:
    """Tell whether a number is the next one of its family: V32 does not follow V21.

    >>> _follows("V02", "V01"), _follows("V32", "V21"), _follows("R00", "S16")
    (True, False, False)
    """
    one, two = _NUMBER.match(number), _NUMBER.match(other)
    return bool(one and two and one[1] == two[1] and int(one[2]) == int(two[2]) + 1)


def _normalise(text: str) -> str:
    """Write a number as it is compared: capitals, no leading zeros."""
    found = _NUMBER.match(text)
    return f"{found[1].upper()}{found[2]}" if found else text.upper()
