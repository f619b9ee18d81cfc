"""Proposals of a DRE group for the name of a category (S17); no figure of any report depends on them.

Belongs here: how a name is held against the words of `dre_palavras.txt`. Does not belong here: which categories are
asked about (`lastro.analysis.dre_map`).
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from lastro.folding import slug

FILE: Final = "dre_palavras.txt"
NOTHING: Final = "nada"
MISTA: Final = 0
_ARTICLES: Final = "(?:d|de|do|da|dos|das|a|as|o|os|ao|s|sobre|e|em|no|na|nos|nas|com|para)"


class Words(NamedTuple):
    """A line of `dre_palavras.txt`: what proposes a group, or with None that nothing is proposed.

    Attributes:
        grupo: the group, None = on purpose none.
        tipos: kinds of category that it is asked about, a digit each.
        termos: as `_compile_term` reads them.
    """

    grupo: str | None
    tipos: str
    termos: tuple[str, ...]


@cache
def read_words() -> tuple[Words, ...]:
    """Read the lines in the order in which they are tried; the first hit decides."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    words = []
    for line in text.splitlines():
        if not line.startswith("#"):
            head, _, terms = line.partition(": ")
            grupo, tipos = head.split()
            words.append(Words(None if grupo == NOTHING else grupo, tipos, tuple(terms.split(", "))))
    return tuple(words)


def suggest_group(nome: str, tipo: int | None, sought: str = "") -> str | None:
    """Propose the DRE group of a category by its name and kind.

    Args:
        nome: as the service has it.
        tipo: 1 expense, 2 revenue; 0 and null are mixed.
        sought: the only group that matters; what comes after its words is not tried.

    >>> suggest_group("Venda de imobilizado", 2), suggest_group("Venda de mercadorias", 2), suggest_group("Frete", 1)
    ('fora', 'receita_bruta', None)
    """
    folded, kind = slug(nome, " "), str(tipo or MISTA)
    words = read_words()
    last = max((place for place, one in enumerate(words, 1) if one.grupo == sought), default=len(words))
    for one in words[:last]:
        if kind in one.tipos and any(pattern.search(folded) for pattern in _compile(one)):
            return one.grupo
    return None


@cache
def _compile(words: Words) -> tuple[re.Pattern[str], ...]:
    return tuple(map(_compile_term, words.termos))


def _compile_term(term: str) -> re.Pattern[str]:
    """Compile a term: words in a row, singular for plural too.

    `a|b` is either word, `stem*` any ending, `~` some articles and prepositions or none, `=` the whole name, `^` its
    beginning, `$` its end.
    """
    whole, first, last = term.startswith("="), term.startswith("^"), term.endswith("$")
    text = ""
    for word in term.strip("=^$").split():
        if word == "~":
            text += f"(?: {_ARTICLES})*"
        else:
            text += (" " if text else "") + f"(?:{'|'.join(map(_inflect, word.split('|')))})"
    before = "^" if whole or first else "(?<![a-z0-9])"
    after = "$" if whole or last else "(?![a-z0-9])"
    return re.compile(before + text + after)


def _inflect(word: str) -> str:
    """Match a word and its plural.

    >>> _inflect("comissao"), _inflect("recebivel"), _inflect("embalagem"), _inflect("retid*")
    ('comissao|comissoes|comissaos', 'recebivel|recebiveis', 'embalagem|embalagens', 'retid[a-z0-9]*')
    """
    if word.endswith("*"):
        return f"{word[:-1]}[a-z0-9]*"
    if word.endswith("ao"):
        return f"{word}|{word[:-2]}oes|{word}s"
    if word.endswith("m"):
        return f"{word}|{word[:-1]}ns"
    if word.endswith("el"):
        return f"{word}|{word[:-2]}eis"
    if word.endswith(("al", "ol", "ul")):
        return f"{word}|{word[:-1]}is"
    if word.endswith(("r", "z")):
        return f"{word}|{word}es"
    return f"{word}|{word}s" if word[-1] in "aeiou" else word
