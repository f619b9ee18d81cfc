"""A line as a file has it, by what it is that of another file, and which of a file that went are nowhere (S20).

Belongs here: pure functions over lines of two files. Does not belong here: which of the files speaks
(`lastro.bank.days`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from lastro.bank.coverage import find_coverage
from lastro.bank.ofx import OfxLine
from lastro.bank.statements import RETIRADA, BankAccount, BankLine, Divergence, ReadStatement
from lastro.folding import slug

DAYS_MOVED: Final = 5
"""Days within which a line that an older file has and one that a newer file has may be one."""

_fold = lru_cache(65536)(slug)


@dataclass(slots=True, eq=False)
class HeldLine:
    """A line as the file that speaks for its day has it, with what older files called it."""

    dia: date
    valor: int
    texto: str
    historico: str
    fitid: str
    arquivo: str
    ordem: int
    lugar: date
    """The day among whose lines it stands."""
    moveu_em: date
    """The day on which it moved the balance."""
    n: int = 0
    antes: tuple[tuple[date, str, int], ...] = ()
    ultimo: str = ""
    """The last file that had it, once a newer one has not."""
    novo: tuple[str, date] | None = None
    """That newer file, and when it was first seen."""
    passada: bool = True
    """Its day had begun when the last file that had it was made."""

    @property
    def key(self) -> tuple[date, str, int]:
        """What it is."""
        return self.dia, self.texto, self.valor

    @property
    def number(self) -> str:
        """Its FITID where that can tell which line it is; empty where it cannot."""
        return self.fitid if is_number(self.fitid) else ""


def hold_line(line: OfxLine, day: date, arquivo: str) -> HeldLine:
    """Hold a transaction among the lines of a day."""
    return HeldLine(
        line.dia, line.valor, _fold(line.historico, " "), line.historico, line.fitid, arquivo, line.ordem, day, day
    )


Way = tuple[Callable[[HeldLine], Hashable], int]
BY_KEY: Final[Way] = (lambda line: line.key, 0)
BY_NUMBER: Final[Way] = (lambda line: (line.number, line.valor) if line.number else None, DAYS_MOVED)
WAYS: Final[Sequence[Way]] = (
    BY_KEY, BY_NUMBER, (lambda line: (line.dia, line.valor), 0), (lambda line: (line.texto, line.valor), DAYS_MOVED),
)  # fmt: skip
"""By what an older file's line and a newer one's are one, and within how many days: itself, number, day, text."""


def pair_lines(
    olds: Sequence[HeldLine], news: Sequence[HeldLine], way: Way, take_over: Callable[[HeldLine, HeldLine], None]
) -> tuple[list[HeldLine], list[HeldLine]]:
    """Pair lines one way, the nearest first; list what is left of both."""
    tell, days = way
    if not olds or not news:
        return list(olds), list(news)
    queues: defaultdict[Hashable, list[HeldLine]] = defaultdict(list)
    for old in olds:
        if (key := tell(old)) is not None:
            queues[key].append(old)
    taken, rest = set(), []
    for new in news:
        near = queues.get(tell(new))
        place = _find_nearest(near, new) if near and days else 0
        if not near or abs((near[place].dia - new.dia).days) > days:
            rest.append(new)
            continue
        old = near.pop(place)
        taken.add(id(old))
        take_over(old, new)
    return [old for old in olds if id(old) not in taken], rest


def _find_nearest(olds: Sequence[HeldLine], new: HeldLine) -> int:
    return min(range(len(olds)), key=lambda place: abs(olds[place].dia - new.dia))


def says_all(old: str, new: str) -> bool:
    """Tell whether one of two texts says all that the other says: banks complete them, and cut them."""
    return old == new or not (words := {*old.split()}) - {*new.split()} or {*new.split()} <= words


def is_number(fitid: str) -> bool:
    """Tell whether a FITID can tell one line from another: six letters and digits, or more."""
    return len(fitid) >= 6 and len("".join(filter(str.isalnum, fitid)).lstrip("0")) >= 6


def tell_vanished(account: BankAccount, removed: Iterable[tuple[ReadStatement, date]]) -> BankAccount:
    """Tell of lines of removed contents, whose days a file still covers, that no file of the account has now.

    Args:
        account: what the files that are there say.
        removed: statements of the account that are there no more, each with the last day on which it was.
    """
    covered = [(block, each) for each in account.lidos if (block := find_coverage(each)) is not None]
    by_value: defaultdict[int, list[BankLine]] = defaultdict(list)
    for line in (*account.linhas, *account.retiradas):
        by_value[line.valor].append(line)
    told: dict[tuple[date, str, int, int], Divergence] = {}
    for each, until in removed:
        olds = [hold_line(line, line.dia, each.arquivo) for line in each.linhas]
        news = [
            HeldLine(line.dia, valor, line.texto, line.historico, line.fitid, "", 0, line.dia, line.dia)
            for valor in {line.valor for line in olds} for line in by_value[valor]
        ]  # fmt: skip
        for way in WAYS[1:]:
            olds, news = pair_lines(olds, news, way, lambda _old, _new: None)
        equal: Counter[tuple[date, str, int]] = Counter()
        for old in olds:
            speaks = [file for block, file in covered if block.inicio <= old.dia <= block.fim]
            equal[old.key] += 1
            if old.valor and old.dia <= each.vista_em and speaks:
                told[*old.key, equal[old.key]] = Divergence(
                    RETIRADA, f"{each.arquivo} de {each.vista_em:%d/%m/%Y}", speaks[-1].arquivo,
                    max(until, speaks[-1].vista_em), old.dia, old.dia, old.valor, old.historico,
                )  # fmt: skip
    return replace(account, divergencias=(*account.divergencias, *(told[key] for key in sorted(told))))
