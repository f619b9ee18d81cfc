"""Parses form bodies in bracket notation, exactly as written and in order.

``tags[][id]=1&tags[][id]=2`` is a list of two objects; ``itens_adicionais[][descricao]=a&itens_adicionais[][valor]=1``
is a list of one. A new element of a list of objects begins when a name comes that the last element already has as a
plain value. Explicit indexes (``itens[0][valor]``) are read as well, in the order in which they first appear.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_HEAD = re.compile(r"[^\[\]]+")
_STEP = re.compile(r"\[([^\[\]]*)\]")
_DEPTH_MAX = 8


@dataclass(slots=True)
class Node:
    """A parsed value: ``text`` of a plain field, ``fields`` of an object, ``elements`` of a list.

    A node usually has only one of the three; what a client mixes up is kept and the readers take what they look for.
    """

    text: str | None = None
    fields: dict[str, Node] = field(default_factory=dict)
    elements: list[Node] = field(default_factory=list)
    indexes: dict[str, Node] = field(default_factory=dict)

    def flat(self) -> dict[str, str]:
        """Return the plain fields of an object."""
        return {name: node.text for name, node in self.fields.items() if node.text is not None}

    def child(self, name: str) -> Node | None:
        """Return a field that is an object or a list, or None."""
        return self.fields.get(name)

    def items(self) -> list[Node]:
        """Return the elements of a list in order, however they were indexed."""
        return [*self.elements, *self.indexes.values()]


def split_name(name: str) -> list[str] | None:
    """Split ``a[][b]`` into ``['a', '', 'b']``; None for a name that is not bracket notation."""
    head = _HEAD.match(name)
    if head is None:
        return None
    steps = [head.group()]
    position = head.end()
    while position < len(name):
        step = _STEP.match(name, position)
        if step is None:
            return None
        steps.append(step.group(1))
        position = step.end()
    return steps if len(steps) <= _DEPTH_MAX else None


def parse_form(pairs: Iterable[tuple[str, str]]) -> Node:
    """Build the nested value of a form from its pairs in order.

    >>> form = parse_form([("a[][x]", "1"), ("a[][y][][id]", "7"), ("a[][y][][id]", "8"), ("a[][x]", "2")])
    >>> [item.flat() for item in form.fields["a"].items()]
    [{'x': '1'}, {'x': '2'}]
    >>> [tag.flat() for tag in form.fields["a"].items()[0].fields["y"].items()]
    [{'id': '7'}, {'id': '8'}]
    """
    root = Node()
    for name, value in _put_rows_together(list(pairs)):
        steps = split_name(name)
        if steps is None:
            root.fields[name] = Node(text=value)  # an odd name stays a plain field nobody reads
        else:
            _put(root, steps, value)
    return root


def _put_rows_together(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Turn lists of objects that came column by column into row by row.

    Some client libraries send a mapping of lists: ``a[][x]=1&a[][x]=2&a[][y]=3&a[][y]=4``. That is taken as columns
    only when nothing else fits: at least two names, each in one block, all equally often and more than once. Row by
    row such a body would be objects that lack their first fields.
    """
    columns: dict[str, dict[str, list[int]]] = {}
    for position, (name, _) in enumerate(pairs):
        steps = split_name(name)
        if steps is not None and len(steps) == 3 and steps[1] == "" and steps[2] != "":
            columns.setdefault(steps[0], {}).setdefault(steps[2], []).append(position)
    for found in columns.values():
        counts = {len(places) for places in found.values()}
        blocks = sorted(found.values())
        in_blocks = all(block[-1] < following[0] for block, following in itertools.pairwise(blocks))
        if len(found) < 2 or len(counts) != 1 or counts == {1} or not in_blocks:
            continue
        rows = [pairs[places[number]] for number in range(counts.pop()) for places in found.values()]
        for place, pair in zip(sorted(place for places in found.values() for place in places), rows, strict=True):
            pairs[place] = pair
    return pairs


def _put(node: Node, steps: list[str], value: str) -> None:
    """Walk to the place that ``steps`` name, making what is missing, and set the text there."""
    node = node.fields.setdefault(steps[0], Node())
    for position in range(1, len(steps)):
        step = steps[position]
        rest = steps[position + 1 :]
        if step == "":
            if not node.elements or not rest or _is_taken(node.elements[-1], rest):
                node.elements.append(Node())
            node = node.elements[-1]
        elif step.isascii() and step.isdigit():
            node = node.indexes.setdefault(step, Node())
        else:
            node = node.fields.setdefault(step, Node())
    node.text = value


def _is_taken(element: Node, steps: list[str]) -> bool:
    """Tell whether the place that ``steps`` name inside ``element`` already has a text, so a new element begins.

    A further list on the way can always take one more element, so it never begins a new outer one.
    """
    node = element
    for step in steps:
        if step == "":
            return False
        following = node.indexes.get(step) if step.isascii() and step.isdigit() else node.fields.get(step)
        if following is None:
            return False
        node = following
    return node.text is not None
