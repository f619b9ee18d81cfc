"""Which amounts of a tree only sum up those below them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

_HALF_CENTAVO: Final = Decimal("0.005")


def find_sums(values: Mapping[int, Decimal], paths: Mapping[int, tuple[str, ...]]) -> set[int]:
    """Find the nodes whose amount equals, to the centavo, the sum of those below it, from the deepest up.

    What such a node has below it counts once, in the sums of those above it; any other adds its own amount to it.

    Args:
        values: node -> its own amount, with all its places; a node without one is not there.
        paths: node -> its names from the root on.

    >>> paths = {1: ("Despesas",), 2: ("Despesas", "Casa"), 3: ("Despesas", "Casa", "Luz"), 4: ("Despesas", "Pessoal")}
    >>> find_sums({1: Decimal(23), 2: Decimal(15), 3: Decimal(15), 4: Decimal(8)}, paths)
    {1, 2}
    """
    by_path = {paths[node]: node for node in values}
    below: dict[int, Decimal] = {}
    sums: set[int] = set()
    for path, node in sorted(by_path.items(), key=lambda each: -len(each[0])):
        own = values[node]
        if own and node in below and abs(own - below[node]) < _HALF_CENTAVO:
            sums.add(node)
        total = own if node in sums else own + below.get(node, 0)
        above = (by_path.get(path[:depth]) for depth in range(len(path) - 1, 0, -1))
        parent = next((each for each in above if each is not None), None)
        if parent is not None:
            below[parent] = below.get(parent, Decimal(0)) + total
    return sums
