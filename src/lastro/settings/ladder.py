"""The collection ladder (R10), and the texts to customers that belong to its steps."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Final

from lastro.settings.parsers import MAX_DAYS, Wrong, parse_integer, parse_text, takes

MAX_LETTER: Final = 4_000
"""Characters of a text to a customer."""
LETTER_SIGNS: Final = "\n\r\t\u200d"
"""What nothing prints and a text to a customer may hold: lines, and the joiner inside some emoji."""


@dataclass(frozen=True)
class EtapaRegua:
    """One step of the collection ladder (R10).

    Attributes:
        nome: what is printed.
        ate_dias: the step holds up to this many days of mora; None = without end.
    """

    nome: str
    ate_dias: int | None

    def __str__(self) -> str:
        """Write the step as Parâmetros prints it."""
        return self.nome if self.ate_dias is None else f"{self.nome} até {self.ate_dias}"


REGUA: Final = (
    EtapaRegua("Vence hoje/carência", 0),
    EtapaRegua("1º aviso", 5),
    EtapaRegua("2º aviso", 15),
    EtapaRegua("Contato", 30),
    EtapaRegua("Negociação", 60),
    EtapaRegua("Negativação", 90),
    EtapaRegua("Protesto/jurídico", None),
)
DAR_BAIXA, LEMBRETE = "Dar baixa", "Lembrete"
"""Steps of the ladder that depend on no days of mora: a paid charge, and the last days before the due date."""


@takes("lista de { nome, ate_dias }")
def parse_regua(value: object) -> tuple[EtapaRegua, ...]:
    """Read the steps of the collection ladder (R10)."""
    mistake = Wrong(
        f'escreva as etapas em ordem, como [{{ nome = "Aviso", ate_dias = 15 }}, {{ nome = "Jurídico" }}]: '
        f"dias que crescem, nomes diferentes entre si e de {DAR_BAIXA} e {LEMBRETE}, e sem dias só "
        "na última"
    )
    if not isinstance(value, list) or not value:
        raise mistake
    steps = []
    for table in value:
        if not isinstance(table, dict) or not set(table) <= {"nome", "ate_dias"} or "nome" not in table:
            raise mistake
        days = table.get("ate_dias")
        steps.append(EtapaRegua(parse_text(table["nome"]), None if days is None else parse_integer(0, MAX_DAYS)(days)))
    ends = [step.ate_dias for step in steps[:-1]]
    names = {step.nome for step in steps} - {DAR_BAIXA, LEMBRETE}
    rising = None not in ends and all(limit < other for limit, other in itertools.pairwise(ends))  # type: ignore[operator]
    if not rising or steps[-1].ate_dias is not None or len(names) < len(steps):
        raise mistake
    return tuple(steps)


PLACEHOLDERS: Final = ("cliente", "empresa", "valor", "titulos", "atraso", "vencimento", "link")
"""What a text to a customer may name in braces."""


@takes("tabela de etapa = texto")
def parse_letters(value: object) -> dict[str, str]:
    """Read the texts to customers: step of the ladder -> text."""
    if not isinstance(value, dict):
        raise Wrong('escreva uma tabela de etapa = texto, como { "1º aviso" = "Olá, {cliente}. ..." }')
    letters = {str(step): parse_text(text, MAX_LETTER, unseen=LETTER_SIGNS) for step, text in value.items()}
    unknown = sorted(
        {name for text in letters.values() for name in re.findall(r"\{([^{}]*)\}", text)} - set(PLACEHOLDERS)
    )
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise Wrong(f"não há o campo {{{unknown[0][:40]}}}; há {known}")
    return letters
