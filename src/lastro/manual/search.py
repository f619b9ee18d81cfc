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
from lastro.manual import Topic, describe_topics, list_tables, list_topics, read_exact

SCHEMAS: Final = ("mart", "core", "hist", "banco", "ops", "raw")
"""Schemas of the published file, the one that people ask first."""
MOST_PLACES: Final = 20


def find_topic(tema: str) -> str:
    """Read what a topic names, or list the places that speak of it.

    Args:
        tema: a page, number or heading; else a table or view without its schema (`a_receber`), a key of the settings
            (`saldos_conferidos`), or both; else words of any page. Case and accents do not matter.

    Raises:
        ConfigError: when no page says anything of it; names what there is.

    >>> find_topic("variação, não saldo").splitlines()[1].split()[:2]
    ['lastro', 'manual']
    """
    exact = read_exact(tema)
    if exact is not None:
        return exact
    parts = list_topics()
    text = "\n".join(page for page in (_read_settings(tema), _read_tables(tema)) if page) or _list_places(tema, parts)
    if not text:
        raise ConfigError(f"manual: nada sobre «{tema}». {describe_topics(parts)}")
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


def _list_places(tema: str, parts: Sequence[Topic]) -> str:
    """List the smallest parts whose text holds the words, with the line that does."""
    wanted = fold_words(tema)
    if not wanted:
        return ""
    places = []
    for part in parts:
        # A part is told by its own lines, not by those of the parts within it.
        own = re.split(r"\n#{2,3} ", part.text)[0]
        line = next((line for line in own.splitlines() if wanted in fold_words(line)), None)
        if line is not None:
            ask = part.number or part.title
            places.append(f"  lastro manual {_quote(ask)}  ({part.page})\n      {_shorten(line, wanted)}")
    if not places:
        return ""
    count = f"{len(places)} lugares" if len(places) > 1 else "1 lugar"
    more = [f"  … e mais {len(places) - MOST_PLACES}."] if len(places) > MOST_PLACES else []
    return "\n".join([f"{count}:", *places[:MOST_PLACES], *more]) + "\n"


def _quote(text: str) -> str:
    return text if re.fullmatch(r"[\w.\-]+", text) else f'"{text}"'


def _shorten(line: str, wanted: str) -> str:
    """Keep 100 characters of a line, those around the words."""
    plain = line.strip().lstrip("#|-> ").replace("`", "")
    first = max(0, min(fold_words(plain).find(wanted) - 30, len(plain) - 100))
    return ("…" if first else "") + plain[first : first + 100] + ("…" if len(plain) > first + 100 else "")
