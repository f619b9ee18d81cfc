"""What a customer is written, by stage of the ladder, and the links that open it: telephone, WhatsApp, e-mail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from lastro.export.hyperlinks import MAX_URL
from lastro.settings import DAR_BAIXA, LEMBRETE

_LEMBRETE: Final = (
    "Olá, {cliente}. Lembramos que há {titulos} a vencer conosco, no total de {valor}, com vencimento em "
    "{vencimento}.\n{link}\nSe já pagou, desconsidere. {empresa}"
)
_HOJE: Final = (
    "Olá, {cliente}. Vence hoje o valor de {valor} ({titulos}). Pagando hoje não há encargos.\n{link}\n{empresa}"
)
_AVISO: Final = (
    "Olá, {cliente}. Não identificamos o pagamento de {titulos}, no total de {valor}, com vencimento em {vencimento}. "
    "Pode nos dizer quando será pago?\n{link}\nSe já pagou, envie-nos o comprovante. {empresa}"
)
_NEGOCIACAO: Final = (
    "Olá, {cliente}. Consta em aberto o valor de {valor} ({titulos}), há {atraso} dias. Queremos encontrar uma forma "
    "de regularizar: responda por aqui ou ligue para nós.\n{link}\n{empresa}"
)
_ULTIMO: Final = (
    "{cliente}, consta em aberto o valor de {valor} ({titulos}), há {atraso} dias. Pedimos contato para regularizar e "
    "evitar as medidas previstas em contrato.\n{link}\n{empresa}"
)
_BAIXA: Final = "Olá, {cliente}. Confirmamos o seu pagamento e estamos dando baixa em {titulos}. Obrigado! {empresa}"
TEXTS: Final[Mapping[str, str]] = {
    LEMBRETE: _LEMBRETE,
    "Vence hoje/carência": _HOJE,
    "1º aviso": _AVISO,
    "2º aviso": _AVISO,
    "Contato": _AVISO,
    "Negociação": _NEGOCIACAO,
    "Negativação": _ULTIMO,
    "Protesto/jurídico": _ULTIMO,
    DAR_BAIXA: _BAIXA,
}
"""The text of each step of the usual ladder; a step with another name has that of a notice."""
_EMAIL: Final = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s,;<>]+")


def choose_text(etapa: str, own: Mapping[str, str]) -> str:
    """Return the text of a stage: the settings', else the usual one."""
    return own.get(etapa) or TEXTS.get(etapa, _AVISO)


def fill_text(text: str, values: Mapping[str, str]) -> str:
    """Put values into the placeholders of a text; a placeholder without a value is left out with the blanks around it.

    What a value holds is no placeholder, and one that is not known stays as it is written.

    >>> fill_text("Olá, {cliente}. {link} Até! {hoje}", {"cliente": "Ana {link}", "link": ""})
    'Olá, Ana {link}. Até! {hoje}'
    """
    filled = re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), text)
    return "\n".join(re.sub(r" {2,}", " ", line).strip() for line in filled.splitlines())


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
