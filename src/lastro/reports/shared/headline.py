"""What is said of the lines of projection beside their figures: the arrears that none of them holds (S26)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.money import divide_half_up

if TYPE_CHECKING:
    from lastro.analysis.arrears import Arrears


def format_reais(centavos: int) -> str:
    """Write centavos as whole reais, as a headline has them.

    >>> format_reais(-4_159_050), format_reais(49)
    ('−41.591', '0')
    """
    reais = divide_half_up(abs(centavos), 100)
    return f"{'−' if centavos < 0 and reais else ''}{reais:,}".replace(",", ".")


def tell_arrears(arrears: Arrears) -> str:
    """Say beside a low what is late and in no line of projection; nothing where nothing is.

    >>> import pandas as pd
    >>> from lastro.analysis.arrears import Arrears
    >>> tell_arrears(Arrears(pd.Series([-604_824_00]), pd.Series([777_120_00])))
    'além disso 604.824 atrasados a pagar sem decisão e 777.120 atrasados a receber'
    """
    parts = [
        f"{format_reais(abs(sum_))} atrasados {words}"
        for sum_, words in ((arrears.pagar, "a pagar sem decisão"), (arrears.receber, "a receber"))
        if sum_
    ]
    return f"além disso {' e '.join(parts)}" if parts else ""
