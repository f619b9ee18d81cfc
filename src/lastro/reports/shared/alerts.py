"""What the stamp counts, in the words of who reads it: one list for cover, page, mail and terminal (S15)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from lastro.grid.verdict import CLOSED_MONTHS, ERRO, Finding, Verification, name_keys, state_word

if TYPE_CHECKING:
    from lastro.transform.labels import Labels

_RECORDS: Final = re.compile(r"\b(conta|pessoa|categoria)s? (\d+(?:, \d+)*)\b")


class ToldAlert(NamedTuple):
    """A check that failed, or a finding that counts: its number, what it says, and of a finding how many records."""

    regra: str
    texto: str
    ocorrencias: int | None


def list_alerts(checks: Iterable[Verification], findings: Iterable[Finding], labels: Labels) -> list[ToldAlert]:
    """List what the stamp counts: errors first, then the graver (the weight in their heads), checks before findings.

    Closed months that changed stand among the changes, as the alert that they are.
    """
    failed = [check for check in checks if check.failed and check.id != CLOSED_MONTHS]
    told = [
        *((one.severidade, (one.peso, 0, not one.resumo), ToldAlert(one.id, _tell(one, labels), None))
          for one in failed),
        *((one.gravidade, (one.peso, 1, True), ToldAlert(one.regra, one.titulo, one.qtde))
          for one in findings if one.counted),
    ]  # fmt: skip
    told.sort(key=lambda row: (row[0] != ERRO, row[1], row[2].regra))
    return [alert._replace(texto=f"{state_word(severity)}: {alert.texto}") for severity, _, alert in told]


def _tell(check: Verification, labels: Labels) -> str:
    """Say what a failed check means: its own words for it, or that its rule does not hold, and of what."""
    said = check.resumo or ": ".join(filter(None, ("não confere", check.descricao, name_keys(check))))
    return _name_records(said, labels)


def _name_records(text: str, labels: Labels) -> str:
    """Put the names of accounts, people and categories in the place of their ids, as who reads the page knows them."""
    names = {"conta": labels.conta, "pessoa": labels.pessoa, "categoria": labels.categoria}

    def name(found: re.Match[str]) -> str:
        return ", ".join(names[found[1]](int(one)) for one in found[2].split(", "))

    return _RECORDS.sub(name, text)
