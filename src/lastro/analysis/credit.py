"""The floor of a projected balance: credit of the bank counts, and so does the minimum that must be left (S27).

Belongs here: what a balance means. Does not belong here: balances, which stay what they are, and the words of a page.
Amounts are signed int64 centavos.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from lastro.money import format_centavos, format_reais, to_centavos
from lastro.settings import Conta

NEGATIVE, USES_LIMIT, BELOW_MINIMUM = "Negativo", "Usa o limite", "Abaixo do mínimo"
BEYOND_LIMIT: Final = "Além do limite"
"""What `NEGATIVE` is called where the bank lends anything."""
SHORT: Final = (NEGATIVE, BEYOND_LIMIT)
"""What nothing covers."""
COVERED: Final = "Sim"


@dataclass(frozen=True)
class Credit:
    """What verdicts ask of a balance.

    Attributes:
        minimo: `saldo_minimo`.
        limite: what the bank lends, of all accounts together or of one.
    """

    minimo: int = 0
    limite: int = 0

    @property
    def floor(self) -> int:
        """The balance below which a payment is not covered: with the limit it is less than the minimum."""
        return self.minimo - self.limite

    @property
    def bounds(self) -> tuple[tuple[str, int], ...]:
        """What is the matter below which balance, the worst first."""
        worst = BEYOND_LIMIT if self.limite else NEGATIVE
        return (worst, -self.limite), (USES_LIMIT, 0), (BELOW_MINIMUM, self.floor)

    def judge(self, balance: int) -> str:
        """Say what is the matter with a balance; "" where nothing is.

        >>> [Credit(10_00, 50_00).judge(balance) for balance in (-50_01, -50_00, -1, 0)]
        ['Além do limite', 'Usa o limite', 'Usa o limite', '']
        >>> [Credit(10_00).judge(balance) for balance in (-1, 0, 9_99, 10_00)]
        ['Negativo', 'Abaixo do mínimo', 'Abaixo do mínimo', '']
        """
        return next((text for text, bound in self.bounds if balance < bound), "")

    def cover(self, balance: int) -> str:
        """Say whether a balance is enough (*Cobre?*, *Cabe?*), at what price, or how much is missing.

        >>> [Credit(10_00, 50_00).cover(balance) for balance in (-50_01, -50_00, 0)]
        ['falta 0,01', 'Sim, usa 50 do limite', 'Sim']
        >>> [Credit(10_00).cover(balance) for balance in (-1, 0, 9_99, 10_00)]
        ['falta 0,01', 'Sim, abaixo do mínimo', 'Sim, abaixo do mínimo', 'Sim']
        """
        matter = self.judge(balance)
        if matter in SHORT:
            return f"falta {format_centavos(-self.limite - balance)}"
        return COVERED + {
            USES_LIMIT: f", usa {say_used(balance)}", BELOW_MINIMUM: ", abaixo do mínimo",
        }.get(matter, "")  # fmt: skip


def say_used(balance: int) -> str:
    """Say how much of the limit a balance below zero uses, in whole reais that cover it: of a few centavos 1.

    >>> say_used(-30), say_used(-50_00), say_used(-19_981_01)
    ('1 do limite', '50 do limite', '19.982 do limite')
    """
    return f"{format_reais(-(balance // 100) * 100)} do limite"


def find_limits(contas: Iterable[Conta], ids: Collection[int | None]) -> dict[int, int]:
    """Find what the bank lends on each of some accounts: conta_id -> centavos."""
    return {one.conta_id: to_centavos(one.limite) for one in contas if one.limite and one.conta_id in ids}


def find_first_below(balances: Iterable[tuple[int, date]], limit: int) -> tuple[int, date] | None:
    """Find the first balance below so many centavos, and its day."""
    return next(((value, day) for value, day in balances if value < limit), None)
