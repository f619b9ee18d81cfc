"""How one period stands against another in percent, or why a percent would mislead (R04)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from typing import Final

from lastro.grid.cells import Undefined, Value
from lastro.money import ratio_pct

NOT_MEANINGFUL, TURNED = "n/s", "virou"
LARGEST_PCT: Final = Decimal("999.99")
SMALLEST_BASE: Final = 100_00
"""Centavos; a base below it gives no percent (R04)."""
NOTE: Final = (
    "Var. %: (atual - base) / |base|, + é melhor em toda linha; «n/s» onde a base tem o sinal contrário ou é pequena "
    "demais, «virou» onde o sinal mudou."
)


class Sense(Enum):
    """What sign the base of a line must have for a percent to say something."""

    GAIN = auto()
    COST = auto()
    EITHER = auto()


@dataclass(frozen=True)
class PercentChange:
    """An amount against its base.

    Attributes:
        variacao: what it has more, signed centavos.
        pct: change in percent of |base|; None where `nota` says why there is none.
        nota: "n/s", "virou", "> 999 %", "< -999 %" or None.
    """

    variacao: int
    pct: Decimal | None
    nota: str | None

    @property
    def cell(self) -> Value:
        """The percent as a sheet prints it; SQL gets null for a note."""
        return self.pct if self.nota is None else Undefined(self.nota)


@dataclass(frozen=True)
class CompareRule:
    """R04 for one base.

    Attributes:
        receitas_centavos: revenue of the base period; a total whose base is below 1 % of it says nothing.
        completa: False where the base lacks data: no percent at all.
    """

    receitas_centavos: int
    completa: bool = True

    def compare(self, atual: int, base: int, sense: Sense, *, total: bool = True) -> PercentChange:
        """Hold an amount against its base, both signed centavos; revenue measures a total only (R19)."""
        change = atual - base
        wrong = base == 0 or (sense is Sense.GAIN and base < 0) or (sense is Sense.COST and base > 0)
        small = abs(base) < SMALLEST_BASE or (total and abs(base) * 100 < self.receitas_centavos)
        if wrong or small or not self.completa:
            return PercentChange(change, None, NOT_MEANINGFUL)
        if (atual > 0) != (base > 0) and atual != 0:
            return PercentChange(change, None, TURNED)
        pct = ratio_pct(atual - base, abs(base))
        if pct is not None and abs(pct) > LARGEST_PCT:
            return PercentChange(change, None, "> 999 %" if pct > 0 else "< -999 %")
        return PercentChange(change, pct, None)


def list_changes(changes: Iterable[PercentChange | None], until: str = "") -> dict[str, list[Value]]:
    """Make the columns variacao, var_pct and var_nota, `until` added to each; None is not compared."""
    cells = [(None, None, None) if one is None else (one.variacao, one.pct, one.nota) for one in changes]
    keys = (f"variacao{until}", f"var_pct{until}", f"var_nota{until}")
    return {key: [row[place] for row in cells] for place, key in enumerate(keys)}
