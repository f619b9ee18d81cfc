"""The category tree: depth, path, ancestors, DRE group (S5, S11, R06)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from lastro.schema.frames import FRAMES, shape
from lastro.schema.values import PATH_SEPARATOR, TIPO_DESPESA, TIPO_RECEITA
from lastro.transform.lookup import look_up

FORA, NAO_CLASSIFICADAS, OUTRAS = "fora", "nao_classificadas", "outras"
"""DRE groups that rules name: outside the result, known categories without a group, what has no known category."""
DIVIDA = "divida"
"""What the map calls a debt: in the DRE it is `FORA`, outside the result (S17)."""
OUTSIDE = frozenset({FORA, DIVIDA})
INACTIVE_SUFFIX = " (inativa)"


def build_categorias(
    received: pd.DataFrame, referenced: Iterable[int], dre_mapa: Mapping[int, str]
) -> tuple[pd.DataFrame, tuple[int, ...]]:
    """Flatten the category tree and add the placeholders of ids that entries name but the list does not hold (S11).

    Args:
        received: grain category, key `categoria_id`, with `descricao`, `tipo_categoria_id`, `parent_id`, `ativo`.
        referenced: category ids that linhas name.
        dre_mapa: setting; the nearest mapped ancestor wins (R06).

    Returns:
        The categories sorted by id, shaped as `core.categorias`, and the ids at which a cycle was cut.
    """
    nodes = {int(row["categoria_id"]): row for row in received.to_dict("records")}
    parents = {
        node_id: int(row["parent_id"])
        for node_id, row in nodes.items()
        if not pd.isna(row["parent_id"]) and int(row["parent_id"]) in nodes
    }
    cut = (*_cut_cycles(parents), *_cut_depth(parents))
    ancestors: dict[int, list[int]] = {}

    def find_ancestors(node_id: int) -> list[int]:
        chain: list[int] = []
        step = parents.get(node_id)
        while step is not None:
            chain.append(step)
            step = parents.get(step)
        return chain[::-1]

    names = {
        node_id: str(row["descricao"] or f"Categoria #{node_id}") + ("" if row["ativo"] else INACTIVE_SUFFIX)
        for node_id, row in nodes.items()
    }
    rows = []
    with_children = set(parents.values())
    for node_id, row in nodes.items():
        above = ancestors.setdefault(node_id, find_ancestors(node_id))
        tipo = None if pd.isna(row["tipo_categoria_id"]) else int(row["tipo_categoria_id"])
        rows.append(
            {
                "categoria_id": node_id,
                "descricao": names[node_id],
                "tipo_categoria_id": tipo,
                "parent_id": parents.get(node_id),
                "ativo": bool(row["ativo"]),
                "nivel": len(above),
                "caminho": PATH_SEPARATOR.join(names[step] for step in [*above, node_id]),
                "ancestrais": above,
                "conhecida": True,
                "tem_filhas": node_id in with_children,
            }
        )
    for node_id in sorted(set(referenced) - set(nodes)):
        name = f"Categoria #{node_id} (não encontrada)"
        rows.append(
            {
                "categoria_id": node_id,
                "descricao": name,
                "tipo_categoria_id": None,
                "parent_id": None,
                "ativo": True,
                "nivel": 0,
                "caminho": name,
                "ancestrais": [],
                "conhecida": False,
                "tem_filhas": False,
            }
        )
    # As objects first: among nulls pandas would guess float64, which rounds ids above 2^53.
    frame = pd.DataFrame(rows, columns=list(FRAMES["core.categorias"].names), dtype=object)
    shaped = map_categorias(frame, dre_mapa)
    return shaped.sort_values("categoria_id").reset_index(drop=True), cut


def map_categorias(categorias: pd.DataFrame, dre_mapa: Mapping[int, str]) -> pd.DataFrame:
    """Put every category into the group of its nearest mapped ancestor, itself first (R06).

    Args:
        categorias: grain category: `categoria_id`, `ancestrais` from the root, `tipo_categoria_id`, `conhecida`.
        dre_mapa: setting.

    Returns:
        The frame shaped as `core.categorias`, with `dre_grupo`, `dre_mapeada`, `fora_resultado`.
    """
    groups = find_mapped(categorias, dre_mapa)
    default = [
        _default_group(None if pd.isna(tipo) else int(tipo)) if known else OUTRAS
        for tipo, known in zip(categorias["tipo_categoria_id"], categorias["conhecida"], strict=True)
    ]
    mapped = categorias.assign(
        dre_grupo=[FORA if group == DIVIDA else group or other for group, other in zip(groups, default, strict=True)],
        dre_mapeada=[group is not None for group in groups],
        fora_resultado=[group in OUTSIDE for group in groups],
    )
    return shape("core.categorias", mapped)


def find_mapped(categorias: pd.DataFrame, dre_mapa: Mapping[int, str]) -> list[str | None]:
    """Find what the map says of each category: the line of its nearest mapped ancestor, itself first, if any."""
    return [
        next((dre_mapa[step] for step in (node_id, *reversed(above)) if step in dre_mapa), None)
        for node_id, above in zip(categorias["categoria_id"], categorias["ancestrais"], strict=True)
    ]


MAX_LEVELS = 64
"""Levels of a category tree: one that is deeper begins anew at the root."""


def _cut_depth(parents: dict[int, int]) -> tuple[int, ...]:
    """Make a root of every category that would stand below `MAX_LEVELS`; the tree has no cycles any more."""
    depths: dict[int, int] = {}
    cut = []
    for start in sorted(parents):
        chain = []
        step: int | None = start
        while step is not None and step not in depths:
            chain.append(step)
            step = parents.get(step)
        for node_id in reversed(chain):
            above = parents.get(node_id)
            depth = 0 if above is None else depths[above] + 1
            if depth >= MAX_LEVELS:
                del parents[node_id]
                cut.append(node_id)
                depth = 0
            depths[node_id] = depth
    return tuple(cut)


def _cut_cycles(parents: dict[int, int]) -> tuple[int, ...]:
    """Remove the upward link of the lowest id of every cycle; return those ids."""
    cut = []
    done: set[int] = set()
    for start in sorted(parents):
        trail: list[int] = []
        step: int | None = start
        while step is not None and step not in done and step not in trail:
            trail.append(step)
            step = parents.get(step)
        if step is not None and step in trail:
            lowest = min(trail[trail.index(step) :])
            del parents[lowest]
            cut.append(lowest)
        done.update(trail)
    return tuple(cut)


def _default_group(tipo: int | None) -> str:
    """DRE group of a category that the map does not reach: revenue alone needs no map to be told (S17)."""
    return "receita_bruta" if tipo == TIPO_RECEITA else NAO_CLASSIFICADAS


def find_natureza(linhas: pd.DataFrame, categorias: pd.DataFrame) -> pd.Series:
    """Tell revenue from expense per linha: by its category, mixed or unknown ones by the sign (S5).

    Returns:
        "R" or "D", aligned with `linhas`.
    """
    by_sign = linhas["valor_centavos"].ge(0).map({True: "R", False: "D"})
    tipo = look_up(linhas["categoria_id"], categorias.set_index("categoria_id")["tipo_categoria_id"])
    return tipo.map({TIPO_RECEITA: "R", TIPO_DESPESA: "D"}).fillna(by_sign).astype(object)
