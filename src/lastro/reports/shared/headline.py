"""What is said of the lines of projection: when cash runs short first, how deep it falls, and what none of them holds.

The cover, its page, *Fluxo diário* and the terminal say the same (S26). Does not belong here: where it stands.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from lastro.analysis.credit import BELOW_MINIMUM, BEYOND_LIMIT, NEGATIVE, USES_LIMIT, Credit, find_first_below
from lastro.grid.cover import Judgement, Tone
from lastro.money import divide_half_up
from lastro.transform.scenarios import ATRASADO, PLANO

if TYPE_CHECKING:
    from lastro.analysis.arrears import Arrears
    from lastro.reports.shared.kpis import Balances
    from lastro.reports.view import View
    from lastro.transform.scenarios import Outlook

_MARKS: Final[dict[str, tuple[str, Tone]]] = {
    NEGATIVE: ("✖", "ruim"), USES_LIMIT: ("▲", "neutro"), BELOW_MINIMUM: ("▲", "neutro"),
}  # fmt: skip


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


def tell_beside(view: View, line: Outlook) -> str:
    """Say beside the low of a line what it does not hold: the arrears; the one that pays all that is late says so."""
    if line.nome != ATRASADO:
        return tell_arrears(view.arrears)
    pay, receive = line.difference_until(view.position.data_base), view.arrears.receber
    paid = f"já com {format_reais(-pay)} atrasados a pagar" if pay else ""
    return ", ".join(filter(None, (paid, f"sem {format_reais(receive)} atrasados a receber" if receive else "")))


def judge_headline(view: View, balances: Balances) -> Judgement:
    """Say of the headline's line when cash runs short first, with how much, and how deep it falls (S26, S27).

    Args:
        view: its first line of projection is the headline's.
    """
    line = view.lines[0]
    put_off = line.adiado if line.nome == PLANO else ""
    detail = " · ".join(filter(None, (line.nome, put_off, tell_arrears(view.arrears))))
    text, tone = word_headline(balances, view.credit, view.position.data_base)
    return Judgement(text, detail, tone)


def word_headline(balances: Balances, credit: Credit, today: date) -> tuple[str, Tone]:
    """Write the headline of a line.

    >>> days = [date(2026, 11, 9), date(2026, 11, 10), date(2026, 12, 8)]
    >>> word_headline([*zip((5_00, -41_591_00, -226_000_00), days)], Credit(), days[0])[0]
    '✖ Negativo em 10/11 (−41.591); pior em 08/12: −226.000'
    >>> word_headline([*zip((5_00, -18_300_00, 1_00), days)], Credit(0, 50_000_00), days[0])
    ('▲ Usa o limite em 10/11 (−18.300 de 50.000)', 'neutro')
    >>> word_headline([*zip((-51_000_00, 0, 1_00), days)], Credit(0, 50_000_00), days[0])[0]
    '✖ Além do limite desde hoje, 09/11 (−51.000 de 50.000)'
    >>> word_headline([*zip((5_00, 3_00, 4_00), days)], Credit(), days[0])
    ('✔ Nunca negativo; menor em 10/11: 3', 'bom')
    """
    lowest, when = min(balances)
    matter = credit.judge(lowest)
    if not matter:
        never = "Acima do mínimo" if credit.minimo > 0 else "Nunca negativo"
        return f"✔ {never}; menor em {when:%d/%m}: {format_reais(lowest)}", "bom"
    first = find_first_below(balances, dict(credit.bounds)[matter])
    value, day = first or (lowest, when)
    since = f"desde hoje, {day:%d/%m}" if day == today else f"em {day:%d/%m}"
    of = f" de {format_reais(credit.limite)}" if credit.limite and matter != BELOW_MINIMUM else ""
    worst = f"; pior em {when:%d/%m}: {format_reais(lowest)}" if when != day else ""
    mark, tone = _MARKS[matter]
    name = BEYOND_LIMIT if matter == NEGATIVE and credit.limite else matter
    return f"{mark} {name} {since} ({format_reais(value)}{of}){worst}", tone
