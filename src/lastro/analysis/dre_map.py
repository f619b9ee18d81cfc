"""The map of the income statement (S17): its state, its gaps, the margins that may be printed, suggestions.

Belongs here: questions about `dre_mapa` and the categories in use. Does not belong here: the lines of the DRE
(`lastro.analysis.income_statement`) and the words of the proposals (`lastro.analysis.dre_suggestions`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import pandas as pd

from lastro.analysis.dre_suggestions import suggest_group
from lastro.analysis.frames import records_of
from lastro.calendar import add_months, month_start
from lastro.folding import sort_key
from lastro.money import ratio_pct
from lastro.schema.values import PATH_SEPARATOR
from lastro.transform.categories import DIVIDA, FORA, INACTIVE_SUFFIX, OUTSIDE, find_mapped
from lastro.transform.position import Position

SEM_MAPA, PARCIAL, COMPLETO = "sem_mapa", "parcial", "completo"
STATE_NUMBERS: Final = {SEM_MAPA: 0, PARCIAL: 1, COMPLETO: 2}
"""How `mapa_estado` is stored from run to run."""
MESES: Final = 12
"""Closed months before D's that are looked at (S17)."""


@dataclass(frozen=True)
class DreMap:
    """What a company's `dre_mapa` says of the categories it uses (S17).

    Attributes:
        estado: `sem_mapa`, `parcial` or `completo`.
        classificada: the DRE is printed line by line; False prints revenue, expense and result only (no map, or one
            that names only `fora`).
        sem_grupo_centavos: sum of the |amounts| in the window of known categories without a group: neither they nor an
            ancestor are in the map.
        despesas_centavos: sum of all |expense| in the window, `fora` left out.
        tolerancia_pct: `dre_mapa_tolerancia_pct`.
    """

    estado: str
    classificada: bool
    sem_grupo_centavos: int
    despesas_centavos: int
    tolerancia_pct: Decimal

    @property
    def pct(self) -> Decimal | None:
        """Share of what has no group, in percent of the expense; None without expense."""
        return ratio_pct(self.sem_grupo_centavos, self.despesas_centavos)

    @property
    def margens(self) -> bool:
        """Whether Margem de contribuição and EBITDA mean something, here and in every figure made of them."""
        if not self.classificada or self.estado == SEM_MAPA:
            return False
        return not self.falta

    @property
    def falta(self) -> bool:
        """Whether it leaves more without a group than the tolerance allows: a result may then hold what is none."""
        # Exact: the rounded share may lie on the other side of the tolerance.
        return self.sem_grupo_centavos * 100 > self.despesas_centavos * self.tolerancia_pct

    @property
    def aviso(self) -> str | None:
        """What stands beside the title of the DRE, None for a complete map."""
        if not self.classificada:
            return "DRE não mapeada — rode `lastro mapa`"
        if self.estado == COMPLETO:
            return None
        return "DRE parcial" if self.pct is None else f"DRE parcial: {self.pct} % sem grupo".replace(".", ",")


_WINDOW_FIELDS: Final = [
    "categoria_id", "natureza", "fora_resultado", "transferencia", "valor_centavos", "data_competencia_ef"
]  # fmt: skip


def select_map_window(position: Position) -> pd.DataFrame:
    """Keep the linhas that S17 looks at: a value, no transfers, competence in 12 closed months or D's up to D."""
    linhas = position.linhas[_WINDOW_FIELDS]
    first = add_months(month_start(position.data_base), -MESES)
    day = linhas["data_competencia_ef"]
    inside = (day >= pd.Timestamp(first)) & (day <= pd.Timestamp(position.data_base))
    return linhas[inside & ~linhas["transferencia"] & (linhas["valor_centavos"] != 0)]


def find_dre_map(position: Position) -> DreMap:
    """Find the state of the map over the categories in use; "Sem categoria" and unknown ids do not count (Q01, Q20)."""
    parametros, categorias = position.parametros, position.categorias
    window = select_map_window(position)
    open_ids = set(categorias.loc[categorias["conhecida"] & ~categorias["dre_mapeada"], "categoria_id"].astype(int))
    missing = window[window["categoria_id"].isin(open_ids)]
    spent = window[(window["natureza"] == "D") & ~window["fora_resultado"]]
    estado = SEM_MAPA if not parametros.dre_mapa else PARCIAL if len(missing) else COMPLETO
    return DreMap(
        estado,
        is_classified(parametros.dre_mapa),
        int(missing["valor_centavos"].abs().sum()),
        int(spent["valor_centavos"].abs().sum()),
        parametros.dre_mapa_tolerancia_pct,
    )


def is_classified(dre_mapa: Mapping[int, str]) -> bool:
    """Tell whether a map names any group of the DRE besides those outside the result (S17)."""
    return bool(set(dre_mapa.values()) - OUTSIDE)


@dataclass(frozen=True)
class Proposal:
    """A line that `lastro mapa` prints: a category, its proposed group, and what would move with it.

    Attributes:
        categoria_id: the category.
        caminho: its path.
        grupo: the proposed group, None for what has no proposal.
        centavos: signed sum of the window's linhas below it that no nearer line of the map owns.
    """

    categoria_id: int
    caminho: str
    grupo: str | None
    centavos: int


def propose_map(
    categorias: pd.DataFrame, amounts: Mapping[int, int], dre_mapa: Mapping[int, str]
) -> tuple[list[Proposal], list[Proposal]]:
    """Propose lines for the map (S17).

    Args:
        categorias: grain category, known ones only: `categoria_id`, `descricao`, `ativo`, `tipo_categoria_id`,
            `parent_id`.
        amounts: category -> signed centavos of its linhas in the window, for those that have any of non-zero value.
        dre_mapa: the map that already stands in the settings.

    Returns:
        Proposals in the order of the tree, siblings by name: a category is there when its proposal is not what its
        nearest mapped or proposed ancestor gives. Then the used categories that nothing owns, |amount| descending.
    """
    rows = {
        key: (_bare_name(str(name), active=active), tipo, parent)
        for key, name, active, tipo, parent in records_of(
            categorias, "categoria_id", "descricao", "ativo", "tipo_categoria_id", "parent_id"
        )
    }
    children: dict[int | None, list[int]] = {}
    for key, (_, _, parent) in rows.items():
        children.setdefault(parent if parent in rows else None, []).append(key)
    proposals: dict[int, Proposal] = {}
    left: list[Proposal] = []
    # Of each node: its id, its path, the group that holds above it, and the node that owns what nobody nearer does.
    pending: list[tuple[int, str, str | None, int | None]] = []

    def push(keys: list[int], above: str, given: str | None, owner: int | None) -> None:
        by_name = sorted(keys, key=lambda key: (sort_key(rows[key][0]), key))
        pending.extend((key, f"{above}{rows[key][0]}", given, owner) for key in reversed(by_name))

    push(children.get(None, []), "", None, None)
    while pending:
        key, path, given, owner = pending.pop()
        name, tipo, _ = rows[key]
        if key in dre_mapa:
            given, owner = dre_mapa[key], None
        else:
            group = suggest_group(name, tipo)
            if group is None and given is None and amounts.get(key) == 0:
                group = FORA  # what only goes and comes back is no result, whatever it is called
            if group is not None and group != given:
                proposals[key] = Proposal(key, path, group, 0)
                given, owner = group, key
            if owner is not None and key in amounts:
                moved = proposals[owner].centavos + amounts[key]
                proposals[owner] = replace(proposals[owner], centavos=moved)
            elif given is None and key in amounts:
                left.append(Proposal(key, path, None, amounts[key]))
        push(children.get(key, []), f"{path}{PATH_SEPARATOR}", given, owner)
    left.sort(key=lambda proposal: (-abs(proposal.centavos), proposal.categoria_id))
    return [*proposals.values()], left


def _bare_name(name: str, *, active: bool) -> str:
    return name if active else name.removesuffix(INACTIVE_SUFFIX)


def find_groups(categorias: pd.DataFrame, dre_mapa: Mapping[int, str]) -> dict[int, str]:
    """Find the group of every category: by the map, else by what its name, or one above, suggests (S17).

    What the map puts in `fora` and a name calls a debt is a debt (S17): many maps are older than that group.
    """
    named = {
        key: suggest_group(str(name).removesuffix(INACTIVE_SUFFIX), tipo)
        for key, name, tipo in records_of(categorias, "categoria_id", "descricao", "tipo_categoria_id")
    }
    groups: dict[int, str] = {}
    above = zip(categorias["categoria_id"].tolist(), categorias["ancestrais"], strict=True)
    for (key, parents), mapped in zip(above, find_mapped(categorias, dre_mapa), strict=True):
        suggested = next(filter(None, map(named.get, (key, *reversed(parents)))), "")
        groups[key] = suggested if mapped is None or (mapped == FORA and suggested == DIVIDA) else mapped
    return groups


def find_named_as_outside(categorias: pd.DataFrame) -> set[int]:
    """Find the categories whose name S17 would put in `fora`: a loan, a contribution, an investment (Q21).

    Args:
        categorias: grain category: `categoria_id`, `descricao`, `ativo`, `tipo_categoria_id`, `conhecida`.

    Returns:
        The ids of known ones, whatever the map says of them.
    """
    known = categorias[categorias["conhecida"]]
    return {
        key
        for key, name, active, tipo in records_of(known, "categoria_id", "descricao", "ativo", "tipo_categoria_id")
        if suggest_group(_bare_name(str(name), active=active), tipo, FORA) in OUTSIDE
    }
