"""The links that call, write and mail a person: telephone, WhatsApp, e-mail."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from lastro.export.hyperlinks import MAX_URL

_EMAIL: Final = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s,;<>]+")


def find_phone(telefone: str) -> str:
    """Find the first Brazilian number in a text: digits with 55 and area code; "" when there is none.

    >>> find_phone("(11) 98765-4321 / 3333-4444"), find_phone("+55 11 3333 4444"), find_phone("ramal 12")
    ('5511987654321', '551133334444', '')
    """
    for part in re.split(r"[/;,|]|\bou\b|\be\b", telefone):
        digits = re.sub(r"\D", "", part)
        digits = digits.removeprefix("00").lstrip("0")
        if len(digits) in (12, 13) and digits.startswith("55"):
            return digits
        if len(digits) in (10, 11):
            return f"55{digits}"
    return ""


def is_mobile(phone: str) -> bool:
    """Tell whether a Brazilian number is a mobile one: nine digits after the area code, the first a 9.

    >>> is_mobile("5511987654321"), is_mobile("551133334444"), is_mobile("")
    (True, False, False)
    """
    return len(phone) == 13 and phone[4] == "9"


def find_email(email: str) -> str:
    """Find the first address in a text; "" when there is none."""
    found = _EMAIL.search(email)
    return found[0] if found else ""


def link_phone(phone: str) -> str:
    """Write the link that calls a number."""
    return f"tel:+{phone}"


def link_whatsapp(phone: str, text: str) -> str:
    """Write the link that opens a conversation with the text in it; a text too long for a link is cut at a word."""
    return _fit(f"https://wa.me/{phone}?text=", text)


def link_email(address: str, subject: str, text: str) -> str:
    """Write the link that begins an e-mail with subject and text, cut at a word where too long for a link."""
    return _fit(f"mailto:{quote(address, safe='@')}?subject={quote(subject)}&body=", text)


def _fit(head: str, text: str) -> str:
    """Append a text to an address, as much of it as an address may hold."""
    written = quote(text, safe="")
    while text and len(head) + len(written) > MAX_URL:
        text = text[: int(len(text) * 0.9)].rsplit(" ", 1)[0] if " " in text[:-1] else ""
        written = quote(f"{text}…", safe="")
    return head + written
