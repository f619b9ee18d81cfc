"""Counting comparisons and keeping what differs, so that a check can hand over its offending keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from lastro.errors import MAX_KEYS
from lastro.grid.verdict import FALHOU, NAO_SE_APLICA, OK, Amount, Outcome

_SHOWN = 3


@dataclass(frozen=True)
class Difference:
    """One key whose found value is not the expected one."""

    chave: str
    esperado: Amount
    encontrado: Amount


class Tally:
    """Comparisons of one rule; exact, tolerance 0.00."""

    def __init__(self) -> None:
        self.count = 0
        self.differences: list[Difference] = []

    def compare(self, chave: str, esperado: Amount, encontrado: Amount) -> None:
        """Compare two values; None means undefined and equals only None."""
        self.count += 1
        if esperado != encontrado:
            self.differ(chave, esperado, encontrado)

    def differ(self, chave: str, esperado: Amount, encontrado: Amount) -> None:
        """Note two values that differ and were counted: thousands of keys need not be written to find none."""
        self.differences.append(Difference(chave, esperado, encontrado))

    def fail(self, chaves: Iterable[str], esperado: Amount = None, encontrado: Amount = None) -> None:
        """Note keys that break the rule by being there."""
        for chave in chaves:
            self.count += 1
            self.differences.append(Difference(chave, esperado, encontrado))

    def compare_maps(
        self,
        prefix: str,
        esperado: Mapping[Hashable, Decimal],
        encontrado: Mapping[Hashable, Decimal],
    ) -> None:
        """Compare sums by key; a key that one side lacks counts as 0.00 there."""
        zero = Decimal("0.00")
        for key in sorted({*esperado, *encontrado}, key=str):
            parts = key if isinstance(key, tuple) else (key,)
            text = " · ".join([prefix, *("sem" if part is None else str(part) for part in parts)])
            self.compare(text, esperado.get(key, zero), encontrado.get(key, zero))

    def compare_unique(self, prefix: str, chaves: Iterable[str]) -> None:
        """Note keys that come more than once."""
        for chave, times in Counter(chaves).items():
            if times > 1:
                self.fail([f"{prefix} · {chave}"], 1, times)

    def close(
        self,
        *,
        esperado: Amount = None,
        encontrado: Amount = None,
        severidade: str | None = None,
        detalhe: str = "",
    ) -> Outcome:
        """Say what the comparisons came to.

        Args:
            esperado: headline; when the rule fails and the headline agrees, the first difference stands instead.
            encontrado: headline as found.
            severidade: when it is not the rule's own.
            detalhe: what to say besides the comparisons.

        Returns:
            "não se aplica" when nothing could be compared.
        """
        if not self.count:
            return not_applicable(detalhe)
        first = self.differences[0] if self.differences else None
        if first is not None and esperado == encontrado and first.esperado != first.encontrado:
            esperado, encontrado = first.esperado, first.encontrado
        diferenca = None
        if isinstance(esperado, Decimal) and isinstance(encontrado, Decimal):
            diferenca = encontrado - esperado
        keys = tuple(dict.fromkeys(difference.chave for difference in self.differences))
        parts = [detalhe, f"{self.count} comparações" if self.count != 1 else "1 comparação"]
        parts += [
            f"{d.chave}: esperado {_write_amount(d.esperado)}, encontrado {_write_amount(d.encontrado)}"
            for d in self.differences[:_SHOWN]
            if d.esperado is not None or d.encontrado is not None
        ]
        return Outcome(
            severidade=severidade,
            situacao=FALHOU if self.differences else OK,
            esperado=esperado,
            encontrado=encontrado,
            diferenca=diferenca,
            registros=len(keys),
            chaves=keys[:MAX_KEYS],
            detalhe="; ".join(part for part in parts if part),
        )


def not_applicable(detalhe: str = "") -> Outcome:
    """Answer for a rule whose evidence is not there."""
    return Outcome(NAO_SE_APLICA, detalhe=detalhe)


def _write_amount(value: Amount) -> str:
    return "indefinido" if value is None else str(value)
