"""The months of a budget: what a text means, which columns are months, and what only looks like one (R18)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from lastro.entrada.door import NotRead
from lastro.entrada.typed_values import FIRST_DAY, NotUnderstood, find_distrust, parse_day
from lastro.folding import fold_words

_PORTUGUESE: Final = (
    "janeiro", "fevereiro", "marco", "abril", "maio", "junho",
    "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
)  # fmt: skip
_ENGLISH: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH_OF: Final = {
    word: month
    for names in (_PORTUGUESE, _ENGLISH)
    for month, name in enumerate(names, 1)
    for word in (name, name[:3], name[:4])
}
_SUMS: Final = frozenset({"total", "ano", "year", "media", "soma", "acumulado", "acum", "ytd", "trimestre", "semestre"})
"""Words of columns that sum months up."""
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})(?: ?[-/. ] ?([0-9]{1,2})|([0-9]{2}))")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2}) ?[-/. ] ?([0-9]{4})|([0-9]{1,2})/(1[3-9]|[2-9][0-9])")
_NAMED: Final = re.compile(
    r"(?:[0-9]{1,2}[-/ ](?:de )?)?([a-z]+)[.,]?(?: ?[-/' ] ?| de )?(?:de )?([0-9]{4}|[0-9]{2})"
    r"|([0-9]{4})[-/. ]([a-z]+)\.?"
)
_MIDNIGHT: Final = re.compile(r"[t ]00:00(:00(\.0+)?)?z?$")
_FIRSTS: Final = re.compile(r"([0-9]{1,2})/0?1/(?:[0-9]{4}|[0-9]{2})")
_NUMBERS: Final = re.compile(
    r"[0-9]{1,2}|[0-9]{5,6}|[0-9]{1,4}[-/. ][0-9]{1,4}(?:[-/. ][0-9]{1,4})?"
    r"|(?:.*[^0-9])?(?:[0-9]{1,2}/[0-9]{2,4}|[0-9]{4}[-/][0-9]{1,2}|(?:mes|month) ?[0-9]{1,2})(?:[^0-9].*)?"
)
"""A column of numbers for a name, or with a month in figures among its words."""
_DASHES: Final = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_HOW: Final = "escreva o mês como jan/26 ou 2026-01"


def find_month(value: Any, *, until: date = date.max, distrust: str = "") -> date | None:
    """Find the month that a text means, as its first day: AAAA-MM, MM/AAAA, jan/26, Jan. 26, a day of it (R18).

    Args:
        value: a text, or a day.
        until: the last day that it may be; the first is in 1990, for files as for days (S18).
        distrust: why no slashed day of the file counts; empty where they do.

    >>> texts = "2026-01", "2026/1", "01/2026", "1/26", "Jan/26", "jan. 26", "15/01/2026", "janeiro de 2026", "202601"
    >>> {find_month(text).isoformat() for text in texts}
    {'2026-01-01'}
    """
    if isinstance(value, date):
        return _hold(value.year, value.month, until)
    text = _MIDNIGHT.sub("", fold_words(str(value).translate(_DASHES)))
    if found := _YEAR_FIRST.fullmatch(text):
        return _hold(int(found[1]), int(found[2] or found[3]), until)
    if found := _YEAR_LAST.fullmatch(text):
        return _hold(int(found[2] or found[4]), int(found[1] or found[3]), until)
    if found := _NAMED.fullmatch(text):
        return _hold(int(found[2] or found[3]), _MONTH_OF.get(found[1] or found[4], 0), until)
    try:
        return parse_day(text, until=until, distrust=distrust).replace(day=1)
    except NotUnderstood:
        return None


def _hold(year: int, month: int, until: date) -> date | None:
    """Make a month of a year, of two digits too; None where it is none, or lies where nobody budgets."""
    full = year + 2000 if year < 100 else year
    if not FIRST_DAY.year <= full <= until.year or not 1 <= month <= 12:
        return None
    return date(full, month, 1)


def distrust_days(texts: Iterable[str], amounts: Iterable[str], delimiter: str) -> str:
    """Find why no slashed day of a budget counts: as in every file, or because all are of a first (`2/1/2026`).

    >>> distrust_days(["1/1/2026", "2/1/2026"], (), ";")
    'os dias com barras são todos de janeiro, ou os primeiros de cada mês com o mês antes'
    """
    days = [text.strip() for text in texts if "/" in text]
    firsts = [_FIRSTS.fullmatch(text) for text in days if text.count("/") == 2]
    if len({found[1].lstrip("0") for found in firsts if found}) > 1 and all(firsts):
        return "os dias com barras são todos de janeiro, ou os primeiros de cada mês com o mês antes"
    return find_distrust(days, amounts, delimiter)


def choose_months(
    names: Sequence[str], headers: Mapping[str, Any], known: Collection[str], *, until: date, distrust: str
) -> dict[str, date]:
    """Find the columns that are months.

    Args:
        names: the columns in order, folded.
        headers: column -> what stands in the header, a text or a day.
        known: columns that mean something else.
        until: the last day that a month may have.
        distrust: why no slashed day of the file counts; empty where they do.

    Raises:
        NotRead: when two are the same month, or one stands among months, or looks like one, and is not understood:
            without it the year would be wrong.
    """
    others = [name for name in names if name and name not in known]
    found = {name: find_month(headers[name], until=until, distrust=distrust) for name in others}
    months = {name: month for name, month in found.items() if month is not None}
    places = [names.index(name) for name in months] or [0]
    shapes = {_shape(name) for name in months}
    for name in others:
        if name in months:
            continue
        if months and min(places) < names.index(name) < max(places):
            raise NotRead(f"a coluna «{name}» está entre os meses e não se entende como um: {_HOW}, ou tire a coluna")
        if _looks_like_month(name, shapes):
            raise NotRead(f"a coluna «{name}» parece um mês e não se entende: {_HOW}, ou tire a coluna")
    of_month: dict[date, str] = {}
    for name, month in months.items():
        if month in of_month:
            raise NotRead(f"as colunas «{of_month[month]}» e «{name}» são o mesmo mês: {_HOW}")
        of_month[month] = name
    return months


def _looks_like_month(name: str, shapes: Collection[str]) -> bool:
    words = re.findall("[a-z]+", name)
    if _SUMS & {*words}:
        return False
    return bool(any(word in _MONTH_OF for word in words) or _NUMBERS.fullmatch(name) or _shape(name) in shapes)


def _shape(text: str) -> str:
    """Write a text with every letter alike, and every digit."""
    return re.sub("[0-9]", "9", re.sub("[a-z]", "a", text))
