"""What a customer is written, by stage of the ladder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def read_texts() -> Mapping[str, str]:
    """Read the text of each stage of the usual ladder (`textos.md`, several stages in one heading parted by |)."""
    text = resources.files("lastro.desk").joinpath("textos.md").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("# ")[1:])
    return {stage: own.strip() for heading, _, own in parts for stage in heading.split(" | ")}


def choose_text(etapa: str, own: Mapping[str, str]) -> str:
    """Return the text of a stage: the settings', else the usual one; a stage with another name has that of a notice."""
    return own.get(etapa) or read_texts().get(etapa) or read_texts()["1º aviso"]


def fill_text(text: str, values: Mapping[str, str]) -> str:
    """Put values into the placeholders of a text; a placeholder without a value is left out with the blanks around it.

    What a value holds is no placeholder, and one that is not known stays as it is written.

    >>> fill_text("Olá, {cliente}. {link} Até! {hoje}", {"cliente": "Ana {link}", "link": ""})
    'Olá, Ana {link}. Até! {hoje}'
    >>> fill_text("Olá, {cliente}. Até!", {"cliente": "Rede S.A."})
    'Olá, Rede S.A. Até!'
    """

    def fill(match: re.Match[str]) -> str:
        value = values.get(match[1], f"{{{match[1]}}}")
        return value if value.endswith(match[2]) else value + match[2]

    filled = re.sub(r"\{(\w+)\}(\.?)", fill, text)
    return "\n".join(" ".join(filter(None, line.split(" "))).strip() for line in filled.splitlines())
