"""What is said of the lines of projection: when cash runs short first, how deep it falls, and what each leaves out.

The cover, its page, *Fluxo diário* and the terminal say the same (S26). Does not belong here: where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from lastro.analysis.arrears import LeftOut
from lastro.analysis.credit import BELOW_MINIMUM, BEYOND_LIMIT, SHORT, Credit, find_first_below
from lastro.grid.cover import Judgement, Tone
from lastro.money import format_reais
from lastro.transform.scenarios import ATRASADO, PLANO

if TYPE_CHECKING:
    from lastro.reports.shared.kpis import Balances
    from lastro.reports.view import View
    from lastro.transform.scenarios import Outlook


def tell_arrears(left: LeftOut) -> str:
    """Say what is late and not in the line of the headline; nothing where nothing is.

    >>> tell_arrears(LeftOut(604_824_00, 0, 777_120_00, 0))
    'além disso 604.824 atrasados a pagar sem decisão e 777.120 atrasados a receber'
    """
    return _join("além disso", [(left.pagar, "atrasados a pagar sem decisão"), (left.receber, "atrasados a receber")])


def tell_beside(line: Outlook, left: LeftOut, today: date) -> str:
    """Say beside the low of a small line what it leaves out, and what of that is decided or promised.

    The one that pays today all that is late says how much that is.
    """
    owed = f"atrasados a pagar{f' ({format_reais(left.decidido)} já decididos)' if left.decidido else ''}"
    due = f"atrasados a receber{f' ({format_reais(left.prometido)} prometidos)' if left.prometido else ''}"
    beside = _join("sem", [(left.pagar, owed), (left.receber, due)])
    paid = -line.difference_until(today) if line.nome == ATRASADO else 0
    return ", ".join(filter(None, (_join("já com", [(paid, "atrasados a pagar")]), beside)))


def _join(begin: str, sums: Iterable[tuple[int, str]]) -> str:
    said = " e ".join(f"{format_reais(value)} {words}" for value, words in sums if value)
    return f"{begin} {said}" if said else ""


def judge_headline(view: View, balances: Balances) -> Judgement:
    """Say of the headline's line when cash runs short first, with how much, and how deep it falls (S26, S27).

    Args:
        view: its first line of projection is the headline's.
    """
    line = view.lines[0]
    put_off = line.adiado if line.nome == PLANO else ""
    detail = " · ".join(filter(None, (line.nome, put_off, tell_arrears(view.arrears.leave_out(line.nome)))))
    text, tone = word_headline(balances, view.credit, view.position.data_base)
    return Judgement(text, detail, tone)


def word_headline(balances: Balances, credit: Credit, today: date) -> tuple[str, Tone]:
    """Write the headline of a line.

    >>> days = [date(2026, 11, 9), date(2026, 11, 10), date(2026, 12, 8)]
    >>> word_headline([*zip((5_00, -41_591_00, -226_000_00), days)], Credit(), days[0])[0]
    '✖ Negativo em 10/11 (−41.591); pior em 08/12: −226.000'
    >>> word_headline([*zip((5_00, -18_300_00, 1_00), days)], Credit(0, 50_000_00), days[0])
    ('▲ Usa o limite em 10/11 (−18.300 de 50.000)', 'atenção')
    >>> word_headline([*zip((-9_00, -51_000_00, -60_000_00), days)], Credit(0, 50_000_00), days[0])[0]
    '✖ Usa o limite hoje (−9 de 50.000); além dele em 10/11 (−51.000); pior em 08/12: −60.000'
    >>> word_headline([*zip((-51_000_00, 0, 1_00), days)], Credit(0, 50_000_00), days[0])[0]
    '✖ Além do limite hoje (−51.000 de 50.000)'
    >>> word_headline([*zip((5_00, 3_00, 4_00), days)], Credit(), days[0])
    ('✔ Nunca negativo; menor em 10/11: 3', 'bom')
    """
    lowest, when = min(balances)
    matter = credit.judge(lowest)
    if not matter:
        never = "Acima do mínimo" if credit.minimo > 0 else "Nunca negativo"
        return f"✔ {never}; menor em {when:%d/%m}: {format_reais(lowest)}", "bom"
    firsts = list_first_days(balances, credit, today)
    of = f" de {format_reais(credit.limite)}" if credit.limite and matter != BELOW_MINIMUM else ""
    told = [f"{text} ({format_reais(value)}{'' if place else of})" for place, (text, value, _) in enumerate(firsts)]
    if when != firsts[-1][2]:
        told.append(f"pior em {when:%d/%m}: {format_reais(lowest)}")
    text = "; ".join(told)
    text = f"{text[:1].upper()}{text[1:]}"
    return (f"✖ {text}", "ruim") if matter in SHORT else (f"▲ {text}", "atenção")


def list_first_days(balances: Balances, credit: Credit, today: date) -> list[tuple[str, int, date]]:
    """List the first days on which a line is short: below zero, and beyond what the bank lends where it goes there.

    Returns:
        Of each the words, the balance and the day; of a line that is never below zero the first one below the minimum.
    """
    said: list[tuple[str, int, date]] = []
    for matter, bound in reversed(credit.bounds):
        found = find_first_below(balances, bound)
        if found is None or (matter == BELOW_MINIMUM and min(balances)[0] < 0):
            continue
        value, day = found
        said = [one for one in said if one[2] != day]
        name = "além dele" if said and matter == BEYOND_LIMIT else matter.lower()
        said.append((f"{name} hoje" if day == today else f"{name} em {day:%d/%m}", value, day))
    return said
