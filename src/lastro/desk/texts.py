"""What a customer is written, by stage of the ladder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

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
