"""Category trees of R04 and R06: a node is its direct amount plus its children (S11, V07)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from lastro.analysis.frames import records_of
from lastro.folding import sort_key
from lastro.grid.sections import Style
from lastro.schema.values import PATH_SEPARATOR
from lastro.transform.labels import SEM_CATEGORIA, tell_apart

DIRECT = "(direto)"
Vector = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Node:
    """One printed row of a category tree.

    Attributes:
        categoria_id: the category, None = "Sem categoria"; a "(direto)" row has its parent's.
        label: what is printed.
        caminho: path, with "(direto)" as last part where it applies.
        nivel: depth, 0 = root.
        direto: the child row for amounts booked on a category that has children.
        valores: signed centavos per column, children included.
        categorias: the categories with amounts in the node's subtree, in printed order.
    """

    categoria_id: int | None
    label: str
    caminho: str
    nivel: int
    direto: bool
    valores: Vector
    categorias: tuple[int | None, ...]


@dataclass(frozen=True)
class Branch:
    """A row of a statement before it is printed: a line, or below it a node of the tree of its categories.

    Attributes:
        codigo: of the line.
        texto: what is printed.
        valores: signed centavos per column.
        style: look of the row.
        categorias: those at and below it, None for what has none; empty for a line that leads to none.
        node: None for a line.
    """

    codigo: str
    texto: str
    valores: Vector
    style: Style
    categorias: tuple[int | None, ...] = ()
    node: Node | None = None

    @property
    def nivel(self) -> int:
        """0 for lines, 1 and deeper for categories."""
        return 0 if self.node is None else self.node.nivel + 1

    @property
    def categoria_id(self) -> int | None:
        """The category; None for lines and for "Sem categoria"."""
        return None if self.node is None else self.node.categoria_id

    @property
    def caminho(self) -> str:
        """The path of a category, the text of a line."""
        return self.texto.removeprefix("= ") if self.node is None else self.node.caminho

    @property
    def is_sum(self) -> bool:
        """Whether it is a line that adds other lines."""
        return self.style in (Style.SUBTOTAL, Style.TOTAL)

    @property
    def name(self) -> tuple[str, int | None, bool | None]:
        """What tells it apart in its statement, however often that is laid out: line, category, `direto`."""
        return self.codigo, self.categoria_id, None if self.node is None else self.node.direto

    def join(self, separator: str) -> str:
        """Write `name` as the key of a row."""
        if self.node is None:
            return self.codigo
        own = "sem" if self.categoria_id is None else str(self.categoria_id)
        return separator.join((self.codigo, own, *(("direto",) if self.node.direto else ())))


def list_branches(codigo: str, nodes: Sequence[Node]) -> list[Branch]:
    """List the nodes below a line."""
    return [Branch(codigo, node.label, node.valores, Style.NORMAL, node.categorias, node) for node in nodes]


def build_nodes(categorias: pd.DataFrame, amounts: Mapping[int | None, Vector]) -> tuple[Node, ...]:
    """Lay amounts booked per category out as printed rows, parents above their children.

    Args:
        categorias: grain category, as `Position.categorias`.
        amounts: category id (None = without category) -> int64 centavos per column, all of one length; ids that
            `categorias` does not hold are roots named "Categoria #id (não encontrada)".

    Returns:
        Rows in printed order: siblings by name (accents and case ignored, ties by id), "(direto)" first; those that a
        reader could not tell apart have their id beside the name. A category is left out when every column of every
        row below it is zero.
    """
    known = list(records_of(categorias, "categoria_id", "descricao", "caminho", "parent_id", "tem_filhas"))
    names, written = {key: text for key, text, *_ in known}, {key: path for key, _, path, *_ in known}
    parents, with_children = {key: above for key, *_, above, _ in known}, {key for key, *_, has in known if has}
    paths = tell_apart(written)
    twins = {key for key, path in paths.items() if path != written[key]}
    children: dict[int | None, list[int | None]] = {}
    roots: list[int | None] = []
    # Only what holds amounts, and what stands above it, can be printed.
    needed: set[int | None] = set()
    for key, vector in amounts.items():
        step = key
        while vector.any() and step not in needed:
            needed.add(step)
            parent = None if step is None else parents.get(step)
            if parent is None:
                roots.append(step)
                break
            children.setdefault(parent, []).append(step)
            step = parent

    def name(key: int | None) -> str:
        return SEM_CATEGORIA if key is None else names.get(key, f"Categoria #{key} (não encontrada)")

    def lay(key: int | None, nivel: int) -> list[Node]:
        direct = amounts.get(key)
        below: list[list[Node]] = [lay(child, nivel + 1) for child in children.get(key, []) if key is not None]
        below.sort(key=lambda block: _sort_value(block[0]))
        path = name(key) if key is None else paths.get(key, name(key))
        nodes = [node for block in below for node in block]
        total = sum((block[0].valores for block in below), start=np.zeros_like(_any_vector(amounts)))
        if direct is not None and direct.any():
            total = total + direct
            if key in with_children:
                own_path = path + PATH_SEPARATOR + DIRECT
                nodes.insert(0, Node(key, DIRECT, own_path, nivel + 1, direto=True, valores=direct, categorias=(key,)))
        own = (key,) if direct is not None and direct.any() else ()
        inside = [item for block in below for item in block[0].categorias]
        return [Node(key, name(key), path, nivel, direto=False, valores=total, categorias=(*own, *inside)), *nodes]

    blocks = sorted((lay(root, 0) for root in roots), key=lambda block: _sort_value(block[0]))
    # Only now: siblings of one name stand by id, whatever its digits.
    return tuple(
        replace(node, label=f"{node.label} (#{node.categoria_id})")
        if node.categoria_id in twins and not node.direto
        else node
        for block in blocks
        for node in block
    )


def list_above(categorias: pd.DataFrame) -> list[tuple[int, list[int]]]:
    """List each category with those above it, the root first."""
    return [
        (int(key), [int(step) for step in above])
        for key, above in zip(categorias["categoria_id"], categorias["ancestrais"], strict=True)
    ]


def rank_paths(categorias: pd.DataFrame) -> Callable[[pd.Series], pd.Series]:
    """Order categories as the tree prints them: by the names along their path, ties by id (R16).

    Returns:
        A function that turns a series of category ids (Int64, null = "Sem categoria") into int64 ranks.
    """
    names = dict(records_of(categorias, "categoria_id", "descricao"))
    keys: list[tuple[tuple[tuple[str, int], ...], int | None]] = [(((sort_key(SEM_CATEGORIA), -1),), None)]
    for key, above in list_above(categorias):
        keys.append((tuple((sort_key(names.get(step, f"Categoria #{step}")), step) for step in (*above, key)), key))
    keys.sort(key=lambda item: item[0])
    ranks = {key: place for place, (_, key) in enumerate(keys)}

    def rank(ids: pd.Series) -> pd.Series:
        known = {key: place for key, place in ranks.items() if key is not None}
        # An id that the table does not hold comes last, by id.
        return ids.map(known).where(ids.notna(), ranks[None]).fillna(ids + len(ranks)).astype("int64")

    return rank


def _any_vector(amounts: Mapping[int | None, Vector]) -> Vector:
    return next(iter(amounts.values()))


def _sort_value(node: Node) -> tuple[str, int]:
    return sort_key(node.label), -1 if node.categoria_id is None else node.categoria_id
