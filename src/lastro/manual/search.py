"""Finding a topic by what somebody would call it: a table without its schema, a setting, any words of a page.

`lastro.manual.read_exact` knows the exact names; what it does not know is looked for here, in the order in which an
answer is most likely meant: settings and tables, then text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lastro.errors import ConfigError
from lastro.folding import fold_words
from lastro.manual import Topic, describe_family, describe_topics, list_tables, list_topics, read_exact

SCHEMAS: Final = ("mart", "core", "hist", "banco", "ops", "raw")
"""Schemas of the published file, the one that people ask first."""
MOST_PLACES: Final = 20


def find_topic(tema: str) -> str:
    """Read what a topic names, or list the places that speak of it.

    Args:
        tema: a page, number or heading; else a table or view without its schema (`a_receber`), a key of the settings
            (`saldos_conferidos`), or both; else words of any page, together or apart. Case and accents do not matter.

    Raises:
        ConfigError: when no page says anything of it; names what there is.

    >>> find_topic("variação, não saldo").splitlines()[1].split()[:2]
    ['lastro', 'manual']
    """
    exact = read_exact(tema)
    if exact is not None:
        return exact
    parts = list_topics()
    pages = (_read_settings(tema), _read_tables(tema), _list_reports(tema, parts))
    text = "\n".join(page for page in pages if page) or _list_places(tema, parts)
    if not text:
        family = describe_family(tema)
        raise ConfigError(f"manual: nada sobre «{tema}». {f'Há {family}.' if family else describe_topics(parts)}")
    return text


def _read_tables(tema: str) -> str:
    wanted = fold_words(tema)
    # The dictionary takes seconds: what cannot be a name is not looked for there.
    titles = {fold_words(part.title): part for part in list_tables()} if re.fullmatch("[a-z0-9_]+", wanted) else {}
    tables = [titles[name] for schema in SCHEMAS if (name := f"{schema}.{wanted}") in titles]
    if not tables:
        return ""
    others = ", ".join(part.title for part in tables[1:])
    return tables[0].text + "\n" + (f"\nTambém: {others}\n" if others else "")


def _read_settings(tema: str) -> str:
    # Here and not above: most questions are of pages, which need no settings.
    from lastro.settings.manual_page import read_setting

    return read_setting(tema.strip().casefold())


def _list_reports(tema: str, parts: Sequence[Topic]) -> str:
    """List the reports that the sheet of that name prints."""
    wanted, told = fold_words(tema), re.compile(r"\*\*Folha\*\* ([^.:,(]+)")
    found = [part for part in parts if (sheet := told.search(part.text)) and fold_words(sheet[1]) == wanted]
    lines = [f"  lastro manual {part.number}  {part.title}" for part in found if part.number]
    return "\n".join(["Nessa folha:", *lines]) + "\n" if lines else ""


def _list_places(tema: str, parts: Sequence[Topic]) -> str:
    """List the smallest parts that contain all the words, each with its best line, those with the phrase first."""
    wanted = fold_words(tema)
    if not wanted:
        return ""
    words = wanted.split()
    together: list[str] = []
    apart: list[str] = []
    for part in parts:
        # A part is told by its own lines, not by those of the parts within it.
        own = re.split(r"\n#{2,3} ", part.text)[0]
        if any(word not in fold_words(own) for word in words):
            continue
        line = max(own.splitlines(), key=lambda line: _count_words(line, wanted, words))
        one = wanted in fold_words(line)
        first = wanted if one else next(word for word in words if word in fold_words(line))
        ask = f"  lastro manual {_quote(part.number or part.title)}  ({part.page})\n      {_shorten(line, first)}"
        (together if one else apart).append(ask)
    places = together + apart
    if not places:
        return ""
    count = f"{len(places)} lugares" if len(places) > 1 else "1 lugar"
    more = [f"  … e mais {len(places) - MOST_PLACES}."] if len(places) > MOST_PLACES else []
    return "\n".join([f"{count}:", *places[:MOST_PLACES], *more]) + "\n"


def _count_words(line: str, wanted: str, words: Sequence[str]) -> int:
    """Count the words that a line holds; all of them together count for one more than all of them."""
    folded = fold_words(line)
    return len(words) + 1 if wanted in folded else sum(word in folded for word in words)


def _quote(text: str) -> str:
    return text if re.fullmatch(r"[\w.\-]+", text) else f'"{text}"'


def _shorten(line: str, wanted: str) -> str:
    """Keep 100 characters of a line, those around the words."""
    plain = line.strip().lstrip("#|-> ").replace("`", "")
    first = max(0, min(fold_words(plain).find(wanted) - 30, len(plain) - 100))
    return ("…" if first else "") + plain[first : first + 100] + ("…" if len(plain) > first + 100 else "")
