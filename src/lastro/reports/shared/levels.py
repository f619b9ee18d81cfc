"""Levels of a tree that say nothing new: a row and its only child with equal figures are one row (R04, R06, R19).

Does not belong here: what a row is and comes to; SQL keeps every level.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from lastro.analysis.tree import DIRECT


class KeptRow(NamedTuple):
    """A row that is printed.

    Attributes:
        row: its number.
        level: its outline level now.
        leads: number of the row whose link it takes: the deepest of those that it stands for.
    """

    row: int
    level: int
    leads: int


def skip_levels(levels: Sequence[int], names: Sequence[str], figures: Sequence[Hashable]) -> list[KeptRow]:
    """Leave out what would print a row twice: a line's only child, of categories the parent of one.

    Args:
        levels: of all rows, parents before their children; 0 for lines.
        names: what each is called; "(direto)", which says nothing alone, gives way to its parent.
        figures: of all rows: equal ones are the same row twice.

    >>> [tuple(one) for one in skip_levels([0, 1, 2, 2, 0, 1, 2], "AabcBde", [3, 3, 1, 2, 5, 5, 5])]
    [(0, 0, 1), (2, 1, 2), (3, 1, 3), (4, 0, 6)]
    >>> levels, names = [0, 1, 2, 1, 2, 2], ["A", "b", "(direto)", "c", "(direto)", "d"]
    >>> [tuple(one) for one in skip_levels(levels, names, [5, 2, 2, 3, 1, 2])]
    [(0, 0, 0), (1, 1, 2), (3, 1, 3), (4, 2, 4), (5, 2, 5)]
    """
    return [kept for place, level in enumerate(levels) if not level for kept in _walk(place, 0, levels, names, figures)]


def _walk(
    place: int, depth: int, levels: Sequence[int], names: Sequence[str], figures: Sequence[Hashable]
) -> Iterator[KeptRow]:
    last, below = place, _children(place, levels)
    while len(below) == 1 and figures[below[0]] == figures[last]:
        last, below = below[0], _children(below[0], levels)
    # The row "(direto)" is the first below its parent.
    shown = last - 1 if last != place and names[last] == DIRECT else last
    yield KeptRow(shown if depth else place, depth, last)
    for child in below:
        yield from _walk(child, depth + 1, levels, names, figures)


def _children(place: int, levels: Sequence[int]) -> list[int]:
    below = takewhile(lambda other: levels[other] > levels[place], range(place + 1, len(levels)))
    return [other for other in below if levels[other] == levels[place] + 1]
