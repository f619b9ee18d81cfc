"""Which line of the bank is which título of the books: by hand, one to one, then by exact sums of a structure (S20).

Belongs here: pure functions over one account; amounts are int signed centavos. Does not belong here: which lines and
títulos take part (`lastro.bank.reconciliation`), and what is only suggested (`lastro.bank.evidence`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Final

import numpy as np

from lastro.bank.returns import CHARGE_DAYS, DAYS_APART, is_return, pair_returns
from lastro.bank.statements import BankLine

MOST_CELLS: Final = 250_000
"""A piece of more lines x títulos is swept instead of solved."""
MANUAL, UM_A_UM, LOTE, IGNORADA, DEVOLVIDA = "manual", "1:1", "lote", "ignorada", "devolvida"
RETURNED: Final = "devolvido em"
"""What is said of a line that came back, before the day on which it did."""
_PAIR: Final = 1 << 40
"""What a pair is worth beside the days that it costs."""
_NEVER: Final = -(1 << 60)


@dataclass(frozen=True, slots=True)
class BookItem:
    """A título that the books have as paid from an account: its payment day and signed centavos, never 0."""

    titulo_id: int
    dia: date
    valor: int
    pessoa_id: int | None


@dataclass(frozen=True)
class ChargeItem:
    """A paid charge: the day its money reaches the bank, what reaches it, and the títulos that it collects.

    `bruto` is what those títulos come to, by which a bank may take the money back; `conta_id` the account that it
    comes to, None where nobody says.
    """

    cobranca_id: int
    dia: date
    liquido: int | None
    titulos: tuple[int, ...]
    bruto: int | None = None
    conta_id: int | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A line of the bank and the títulos that it stands for; none where a person ignores the line, or it came back.

    Attributes:
        linha: the line.
        titulos: by id.
        passo: `MANUAL`, `UM_A_UM`, `LOTE`, `IGNORADA` or `DEVOLVIDA`.
        diferenca: line less títulos, signed centavos; explained by hand, or by the fees of a charge. Of a return, what
            the bank kept of the money that it had brought.
        volta: of a line that came back, or returns another, the words for it, with the other's day.
    """

    linha: BankLine
    titulos: tuple[BookItem, ...]
    passo: str
    diferenca: int = 0
    volta: str = ""


@dataclass(frozen=True)
class Matching:
    """What became of every line and título of one account.

    Attributes:
        pares: what was matched, lines in their order.
        linhas: lines without book.
        titulos: títulos without a line.
        recusados: lines whose título, typed by hand, is unknown or taken.
    """

    pares: tuple[Match, ...] = ()
    linhas: tuple[BankLine, ...] = ()
    titulos: tuple[BookItem, ...] = ()
    recusados: tuple[BankLine, ...] = ()


def match_account(
    lines: Sequence[BankLine],
    items: Sequence[BookItem],
    *,
    charges: Sequence[ChargeItem],
    por_mao: Mapping[int, BookItem | None],
    ignoradas: Set[int],
) -> Matching:
    """Match the lines of an account with its títulos; whatever is matched leaves the pool.

    Args:
        lines: of the block, none of them 0.
        items: títulos of the account, paid within the block widened by `DAYS_APART` days.
        charges: paid charges of the company.
        por_mao: extrato_id -> the título that a person typed, which need not be in `items`; None where there is none.
        ignoradas: extrato_ids that a person ignores.
    """
    ordered = sorted(lines, key=lambda line: (line.dia, line.texto, line.n, line.extrato_id))
    pool = _Pool(ordered, sorted(items, key=lambda item: (item.dia, item.titulo_id)))
    refused = pool.take_by_hand(por_mao, ignoradas)
    pool.take_returns()
    pool.take_returned_charges(charges)
    pool.pair_one_to_one()
    pool.match_groups(charges)
    return Matching(
        tuple(pool.found[line.extrato_id] for line in ordered if line.extrato_id in pool.found),
        tuple(pool.lines.values()),
        tuple(pool.items.values()),
        tuple(refused),
    )


class _Pool:
    """The entries and lines of one account that are still free, and the matches so far."""

    def __init__(self, lines: Sequence[BankLine], items: Sequence[BookItem]) -> None:
        self.lines = {line.extrato_id: line for line in lines}
        self.items = {item.titulo_id: item for item in items}
        self.found: dict[int, Match] = {}
        self._whole = list(items)

    def _take(self, line: BankLine, items: Sequence[BookItem], passo: str) -> None:
        own = tuple(sorted(items, key=lambda item: item.titulo_id))
        difference = line.valor - sum(item.valor for item in own) if own else 0
        self.found[line.extrato_id] = Match(self.lines.pop(line.extrato_id), own, passo, difference)
        for item in own:
            self.items.pop(item.titulo_id, None)

    def take_by_hand(self, typed: Mapping[int, BookItem | None], ignored: Set[int]) -> list[BankLine]:
        """Take what a person paired or ignores; return the lines whose título is unknown or taken."""
        refused, taken = [], set()
        for extrato_id, line in list(self.lines.items()):
            if extrato_id in typed:
                item = typed[extrato_id]
                if item is not None and item.titulo_id not in taken:
                    taken.add(item.titulo_id)
                    self._take(line, [item], MANUAL)
                    continue
                refused.append(line)
            if extrato_id in ignored:
                self._take(line, [], IGNORADA)
        return refused

    def take_returns(self) -> None:
        """Take what came back: neither the line nor its return stands for anything in the books."""
        for line, back in pair_returns([*self.lines.values()], self._is_booked):
            self._take_back(line, back)

    def take_returned_charges(self, charges: Iterable[ChargeItem]) -> None:
        """Take the money of a charge, net or gross, that a line says to be returned, net or gross, within ten days.

        The charge is of the line's account. What the books have both sides of is no return, whatever charge it fits.
        """
        by_value: defaultdict[int, list[BankLine]] = defaultdict(list)
        for line in self.lines.values():
            by_value[line.valor].append(line)
        for charge in sorted(charges, key=lambda charge: (charge.dia, charge.cobranca_id)):
            amounts = {value for value in (charge.liquido, charge.bruto) if value}
            came = [
                one
                for value in amounts
                for one in by_value[value]
                if abs((one.dia - charge.dia).days) <= DAYS_APART and charge.conta_id in {None, one.conta_id}
            ]
            booked = all(titulo_id in self.items for titulo_id in charge.titulos)
            pairs = [
                ((back.dia - line.dia).days, line.dia, line.extrato_id, back.extrato_id, line, back)
                for back in (one for value in amounts for one in by_value[-value] if is_return(one))
                for line in came
                if 0 <= (back.dia - line.dia).days <= CHARGE_DAYS
                and {line.extrato_id, back.extrato_id} <= self.lines.keys()
                and not ((booked or self._is_booked(line)) and self._is_booked(back))
            ]
            if pairs:
                self._take_back(*min(pairs)[-2:])

    def _take_back(self, line: BankLine, back: BankLine) -> None:
        kept = line.valor + back.valor
        for own, rest, text in (
            (line, 0, f"{RETURNED} {back.dia:%d/%m}"), (back, kept, f"devolução de {line.dia:%d/%m}"),
        ):  # fmt: skip
            self.found[own.extrato_id] = Match(self.lines.pop(own.extrato_id), (), DEVOLVIDA, rest, text)

    @cached_property
    def _days(self) -> Mapping[int, Sequence[date]]:
        days: defaultdict[int, list[date]] = defaultdict(list)
        for item in self.items.values():
            days[item.valor].append(item.dia)
        return days

    def _is_booked(self, line: BankLine) -> bool:
        """Tell whether the books have a título near a line that it may stand for; asked before any is matched."""
        return any(abs((line.dia - day).days) <= DAYS_APART for day in self._days.get(line.valor, ()))

    def pair_one_to_one(self) -> None:
        """Pair lines and títulos of one value: the most pairs, then the fewest days in total."""
        lines: defaultdict[int, list[BankLine]] = defaultdict(list)
        items: defaultdict[int, list[BookItem]] = defaultdict(list)
        for line in self.lines.values():
            lines[line.valor].append(line)
        for item in self.items.values():
            items[item.valor].append(item)
        for value in lines.keys() & items.keys():
            own, others = lines[value], items[value]
            pairs = pair_days([item.dia.toordinal() for item in own], [item.dia.toordinal() for item in others])
            for place, other in pairs:
                self._take(own[place], [others[other]], UM_A_UM)

    def match_groups(self, charges: Iterable[ChargeItem]) -> None:
        """Match lines with the exact sum of a group of títulos (g1, g2, g4): all still free, of a person what is."""
        by_value: defaultdict[int, list[BankLine]] = defaultdict(list)
        for line in self.lines.values():
            by_value[line.valor].append(line)
        signs = self._group(lambda item: item.valor > 0)
        for day, items, sums in chain(self._group_free(), self._group_charges(charges), signs):
            if not all(item.titulo_id in self.items for item in items):
                continue
            for total in sums:
                near = [
                    (abs((line.dia - day).days), line.dia, line.extrato_id, line)
                    for line in by_value.get(total, ())
                    if line.extrato_id in self.lines and abs((line.dia - day).days) <= DAYS_APART
                ]
                if near:
                    self._take(min(near)[3], items, LOTE)
                    break

    def _group(self, tell: Callable[[BookItem], int | None]) -> list[_Group]:
        """Group títulos of one payment day that a function tells the same of."""
        groups: defaultdict[tuple[date, int], list[BookItem]] = defaultdict(list)
        for item in self._whole:
            if (own := tell(item)) is not None:
                groups[item.dia, own].append(item)
        return [(day, own, (_add(own),)) for (day, _), own in sorted(groups.items()) if len(own) > 1]

    def _group_free(self) -> Iterator[_Group]:
        """Group the títulos of a person and day that are free at that moment: all of them, then by sign (g1)."""
        for day, items, _ in self._group(attrgetter("pessoa_id")):
            for signs in ((True, False), (True,), (False,)):
                free = [item for item in items if item.titulo_id in self.items and (item.valor > 0) in signs]
                if len(free) > 1:
                    yield day, free, (_add(free),)

    def _group_charges(self, charges: Iterable[ChargeItem]) -> list[_Group]:
        """Group what charges collect by charge, then by the day on which their money comes (g2)."""
        own = {item.titulo_id: item for item in self._whole}
        known = [
            charge for charge in charges if charge.titulos and all(titulo_id in own for titulo_id in charge.titulos)
        ]
        known.sort(key=lambda charge: (charge.dia, charge.cobranca_id))
        days: defaultdict[date, list[ChargeItem]] = defaultdict(list)
        for charge in known:
            days[charge.dia].append(charge)
        groups: list[_Group] = []
        for some in chain(([charge] for charge in known), (each for each in days.values() if len(each) > 1)):
            ids = sorted({titulo_id for charge in some for titulo_id in charge.titulos})
            items = [own[titulo_id] for titulo_id in ids]
            net = [charge.liquido for charge in some if charge.liquido is not None]
            sums = (sum(net), _add(items)) if len(net) == len(some) else (_add(items),)
            groups.append((some[0].dia, items, sums))
        return groups


_Group = tuple[date, list[BookItem], tuple[int, ...]]
"""The day of a group, its títulos, and the sums that a line may have."""


def _add(items: Iterable[BookItem]) -> int:
    return sum(item.valor for item in items)


def pair_days(bank: Sequence[int], books: Sequence[int]) -> list[tuple[int, int]]:
    """Pair days at most `DAYS_APART` apart: the most pairs, then the fewest days in total, no two pairs crossing.

    Args:
        bank: days as ordinals, ascending.
        books: likewise.

    Returns:
        Places in both, ascending.

    >>> pair_days([5, 9], [1, 6]), pair_days([2, 3, 20], [1, 3, 5])
    ([(0, 0), (1, 1)], [(0, 0), (1, 1)])
    """
    merged = sorted([*((day, 0) for day in bank), *((day, 1) for day in books)])
    pairs: list[tuple[int, int]] = []
    begin, place = [0, 0], [0, 0]
    for index, (day, side) in enumerate(merged):
        place[side] += 1
        if index + 1 == len(merged) or merged[index + 1][0] - day > DAYS_APART:
            own, others = bank[begin[0] : place[0]], books[begin[1] : place[1]]
            pairs += [(begin[0] + place, begin[1] + other) for place, other in _pair_piece(own, others)]
            begin = [*place]
    return pairs


def count_pairs(lines: Iterable[tuple[int, int]], items: Iterable[tuple[int, int]]) -> int:
    """Count the pairs of one value at most `DAYS_APART` days apart; each is a value and the ordinal of its day."""
    bank: defaultdict[int, list[int]] = defaultdict(list)
    books: defaultdict[int, list[int]] = defaultdict(list)
    for sides, side in ((lines, bank), (items, books)):
        for value, day in sorted(sides):
            side[value].append(day)
    return sum(len(pair_days(bank[value], books[value])) for value in bank.keys() & books.keys())


def _pair_piece(bank: Sequence[int], books: Sequence[int]) -> list[tuple[int, int]]:
    if not bank or not books:
        return []
    if len(bank) * len(books) > MOST_CELLS:
        return _sweep(bank, books)
    return [(0, 0)] if len(bank) == len(books) == 1 and abs(bank[0] - books[0]) <= DAYS_APART else _solve(bank, books)


def _sweep(bank: Sequence[int], books: Sequence[int]) -> list[tuple[int, int]]:
    """Pair the earliest with the earliest within `DAYS_APART` days: as many pairs, not always the fewest days."""
    pairs, line, other = [], 0, 0
    while line < len(bank) and other < len(books):
        apart = bank[line] - books[other]
        if abs(apart) <= DAYS_APART:
            pairs.append((line, other))
        line += apart <= DAYS_APART
        other += apart >= -DAYS_APART
    return pairs


def _solve(bank: Sequence[int], books: Sequence[int]) -> list[tuple[int, int]]:
    """Solve a piece: on equal score pair, else drop the line, else the título."""
    days = np.asarray(books, dtype=np.int64)
    apart = np.abs(np.asarray(bank, dtype=np.int64)[:, None] - days)
    worth = np.where(apart <= DAYS_APART, _PAIR - apart, _NEVER)
    best = np.zeros((len(bank) + 1, len(books) + 1), dtype=np.int64)
    for line in range(len(bank) - 1, -1, -1):
        row = np.maximum(best[line + 1, :-1], worth[line] + best[line + 1, 1:])
        best[line, :-1] = np.maximum.accumulate(row[::-1])[::-1]
    pairs, line, other = [], 0, 0
    while line < len(bank) and other < len(books):
        score = best[line, other]
        if worth[line, other] + best[line + 1, other + 1] == score:
            pairs.append((line, other))
            line, other = line + 1, other + 1
        elif best[line + 1, other] == score:
            line += 1
        else:
            other += 1
    return pairs
