"""How dates, months and counts are written in pt-BR, and what a header becomes as a key."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

WEEKDAYS = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")
TURNS = "\u202a-\u202e\u2066-\u2069"
"""Characters that turn the direction of what follows: a text can show another amount than it holds."""
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TURNS = re.compile(f"[{TURNS}]")
MONTHS = ("jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez")


def show_plainly(text: str) -> str:
    r"""Write a text for a terminal: controls as their codes, without characters that turn its direction.

    >>> show_plainly("a\x1b[31m\x07\u202eb")
    'a\\x1b[31m\\x07b'
    """
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", _TURNS.sub("", text))


def month_label(month: date) -> str:
    """Write a month as the headers do.

    >>> month_label(date(2026, 3, 1))
    'mar/26'
    """
    return f"{MONTHS[month.month - 1]}/{month.year % 100:02d}"


def format_date(day: date) -> str:
    """Write a date as Brazilians read it.

    >>> format_date(date(2026, 3, 16))
    '16/03/2026'
    """
    return f"{day:%d/%m/%Y}"


def count_text(count: int, singular: str, plural: str) -> str:
    """Write a count with its noun.

    >>> count_text(1, "alerta", "alertas")
    '1 alerta'
    """
    return f"{count} {singular if count == 1 else plural}"


def column_name(header: str) -> str:
    """Turn a header into a key: lower case, no accents, `_` for all other characters, `%` as `pct`.

    >>> column_name("Líquido do dia"), column_name("% do total"), column_name("Saldo em <D-1>")
    ('liquido_do_dia', 'pct_do_total', 'saldo_em_d_1')
    """
    text = unicodedata.normalize("NFKD", header.replace("%", " pct ").replace(">", " ").replace("<", " "))
    ascii_text = "".join(char for char in text if not unicodedata.combining(char)).lower()
    return re.sub(r"[^a-z0-9]+", "_", ascii_text).strip("_")
