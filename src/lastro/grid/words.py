"""How dates, months and counts are written in pt-BR, and what a header becomes as a key."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal

from lastro.calendar import local_time
from lastro.folding import slug
from lastro.money import format_brl

WEEKDAYS = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")
TURNS = "\u202a-\u202e\u2066-\u2069"
"""Characters that turn the direction of what follows: a text can show another amount than it holds."""
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What steers a terminal, breaks a line without being seen, or is half a character: no text can carry it."""
_TURNS = re.compile(f"[{TURNS}]")
MONTHS = ("jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez")


def show_plainly(text: str) -> str:
    r"""Write a text for a terminal or a mail: controls as their codes, without characters that turn its direction.

    >>> show_plainly("a\x1b[31m\x07\u202eb\u2028\udcff")
    'a\\x1b[31m\\x07b\\u2028\\udcff'
    """
    return _CONTROLS.sub(_write_code, _TURNS.sub("", text))


def _write_code(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def month_label(month: date) -> str:
    """Write a month as the headers do.

    >>> month_label(date(2026, 3, 1))
    'mar/26'
    """
    return f"{MONTHS[month.month - 1]}/{month.year % 100:02d}"


def week_label(first: date, last: date) -> str:
    """Write an ISO week by its number and its days.

    >>> week_label(date(2026, 3, 16), date(2026, 3, 22))
    'Sem 12 · 16/03 a 22/03/2026'
    """
    return f"Sem {first.isocalendar().week:02d} · {first:%d/%m} a {last:%d/%m/%Y}"


def format_date(day: date) -> str:
    """Write a date as Brazilians read it.

    >>> format_date(date(2026, 3, 16))
    '16/03/2026'
    """
    return f"{day:%d/%m/%Y}"


def format_moment(moment: datetime, fuso: str) -> str:
    """Write a moment in a zone, to the minute.

    >>> format_moment(datetime(2026, 3, 16, 9, 5), "America/Sao_Paulo")
    '16/03/2026 06:05'
    """
    return f"{local_time(moment, fuso):%d/%m/%Y %H:%M}"


def write_age(age: timedelta) -> str:
    """Write an age in its two largest units.

    >>> write_age(timedelta(hours=26, minutes=5)), write_age(timedelta(minutes=7))
    ('1 d 2 h', '0 h 07')
    """
    minutes = int(age.total_seconds()) // 60
    days, hours = divmod(minutes // 60, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60:02d}"


def write_value(value: object) -> str:
    """Write a value by what it is; "–" where there is none.

    >>> write_value(Decimal("-7.50")), write_value(True), write_value([4, 5]), write_value("")
    ('-R$ 7,50', 'Sim', '4, 5', '–')
    """
    if isinstance(value, bool):
        return "Sim" if value else "Não"
    if isinstance(value, Decimal):
        return format_brl(value)
    if isinstance(value, date):
        return format_date(value)
    text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return text or "–"


def count_text(count: int, singular: str, plural: str) -> str:
    """Write a count with its noun.

    >>> count_text(1, "alerta", "alertas")
    '1 alerta'
    """
    return f"{count} {singular if count == 1 else plural}"


def column_name(header: str) -> str:
    """Turn a header into a key: lower case, no accents, `_` for all other characters, `%` as `pct`.

    >>> column_name("Líquido do dia"), column_name("% do total"), column_name("Saldo em D+7")
    ('liquido_do_dia', 'pct_do_total', 'saldo_em_d_7')
    """
    return slug(header.replace("%", " pct "))
