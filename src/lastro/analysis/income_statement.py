"""The income statement (R06): its lines as data, the linhas behind them, sums by category, month and cost centre."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from lastro.analysis.dre_map import PARCIAL, DreMap, is_classified
from lastro.analysis.frames import records_of
from lastro.analysis.months import find_shown_months
from lastro.analysis.percent_change import Sense
from lastro.analysis.tree import Branch, Vector, build_nodes, list_branches
from lastro.folding import sort_key
from lastro.grid.sections import Style
from lastro.transform.categories import FORA, NAO_CLASSIFICADAS, OUTRAS
from lastro.transform.position import Position


@dataclass(frozen=True)
class Line:
    """One line of the DRE: a group of categories or the sum of other lines (R06).

    Attributes:
        codigo: its key in every table; a group's line is called after its group.
        texto: what is printed.
        parcelas: the groups that it adds, itself alone for a group.
        style: look of the row.
    """

    codigo: str
    texto: str
    parcelas: tuple[str, ...] = ()
    style: Style = Style.SECTION

    @property
    def grupo(self) -> str | None:
        """The group whose categories stand below it, None for a sum."""
        return None if self.parcelas else self.codigo

    @property
    def grupos(self) -> tuple[str, ...]:
        """The groups that it adds."""
        return self.parcelas or (self.codigo,)


RESULTADO, MARGEM, EBITDA = "resultado", "margem_contribuicao", "ebitda"
RECEITA_LIQUIDA: Final = "receita_liquida"
RECEITAS, DESPESAS = "receitas", "despesas"
MARGINS: Final = frozenset({MARGEM, EBITDA})
"""Lines that only a map makes meaningful (S17)."""
NET_GROUPS: Final = ("receita_bruta", "deducoes")
MARGIN_GROUPS: Final = (*NET_GROUPS, "custos_variaveis")
_EBITDA = (*MARGIN_GROUPS, "pessoal", "administrativas", "comerciais", NAO_CLASSIFICADAS)
_PRE_TAX = (*_EBITDA, "financeiro", OUTRAS)
_MEMO = Line(FORA, "Fora do resultado (memo)", style=Style.MEMO)
CLASSIFIED: Final = (
    Line("receita_bruta", "1 Receita bruta"),
    Line("deducoes", "2 (-) Deduções e impostos s/ vendas"),
    Line(RECEITA_LIQUIDA, "3 = Receita líquida", NET_GROUPS, Style.SUBTOTAL),
    Line("custos_variaveis", "4 (-) Custos variáveis"),
    Line(MARGEM, "5 = Margem de contribuição", MARGIN_GROUPS, Style.SUBTOTAL),
    Line("pessoal", "6 Pessoal"),
    Line("administrativas", "7 Administrativas"),
    Line("comerciais", "8 Comerciais"),
    Line(NAO_CLASSIFICADAS, "Não classificadas"),
    Line(EBITDA, "9 = EBITDA gerencial", _EBITDA, Style.SUBTOTAL),
    Line("financeiro", "10 Resultado financeiro"),
    Line(OUTRAS, "11 Outras"),
    Line("resultado_antes_ir", "12 = Resultado antes de IR/CSLL", _PRE_TAX, Style.SUBTOTAL),
    Line("ir_csll", "13 IR/CSLL"),
    Line(RESULTADO, "14 = Resultado líquido", (*_PRE_TAX, "ir_csll"), Style.TOTAL),
    replace(_MEMO, texto="15 Fora do resultado (memo)"),
)
"""The lines of a DRE with a map, in order."""
UNCLASSIFIED: Final = (
    Line(RECEITAS, "Receitas"),
    Line(DESPESAS, "Despesas"),
    Line(RESULTADO, "Resultado", (RECEITAS, DESPESAS), Style.TOTAL),
    _MEMO,
)
"""The lines without one: revenue and expense by natureza (S17)."""
GROUP_LABELS: Final = {line.codigo: line.texto for line in (*UNCLASSIFIED, *CLASSIFIED) if line.grupo}


def find_lines(mapa: DreMap, linhas: pd.DataFrame) -> tuple[Line, ...]:
    """Choose the lines to print (S17); Não classificadas stands in a complete map only where it holds something.

    Args:
        mapa: result of `find_dre_map`.
        linhas: result of `select_dre_linhas`.
    """
    if not mapa.classificada:
        return UNCLASSIFIED
    unclassified = mapa.estado == PARCIAL or bool((linhas["grupo"] == NAO_CLASSIFICADAS).any())
    return tuple(line for line in CLASSIFIED if unclassified or line.codigo != NAO_CLASSIFICADAS)


_DRE_FIELDS = [
    "categoria_id", "centro_custo_lucro_id", "natureza", "fora_resultado", "mes_competencia", "data_competencia_ef",
    "valor_centavos", "pago", "tags",
]  # fmt: skip


def find_beginning(months: pd.Series) -> pd.Timestamp:
    """Find where books begin that others are compared with: the first month that the next one follows (R19).

    A competence typed for 2006 stands alone, and begins nothing.

    Args:
        months: competence months by their first day, one per linha.

    Returns:
        First day of that month; NaT where no two follow each other.

    >>> find_beginning(pd.Series(pd.to_datetime(["2006-05-01", "2026-09-01", "2026-10-01", None])))
    Timestamp('2026-09-01 00:00:00')
    """
    held = np.unique(months.dropna().to_numpy("datetime64[M]"))
    followed = held[:-1][np.diff(held.astype("int64")) == 1]
    return pd.Timestamp(followed[0] if len(followed) else "NaT")


def select_dre_linhas(position: Position) -> pd.DataFrame:
    """Keep the linhas of the DRE: a value, no transfers, with a competence month (S4, S6, S8); add `grupo`.

    Returns:
        What a DRE asks of them, with `grupo` (as `find_dre_grupos`; `fora` exactly where `fora_resultado`) and
        `pago_centavos` (the value where paid at D, else 0).
    """
    linhas = position.linhas
    counted = (linhas["valor_centavos"] != 0) & ~linhas["transferencia"]
    kept = linhas.loc[counted & linhas["mes_competencia"].notna(), _DRE_FIELDS]
    return kept.assign(
        grupo=find_dre_grupos(position, kept), pago_centavos=kept["valor_centavos"].where(kept["pago"], 0)
    )


def find_dre_grupos(position: Position, linhas: pd.DataFrame) -> pd.Series:
    """Find the group in which each linha counts, whether or not its month is known: a line's `grupo` (S17).

    What has no known category is in `outras`: no type tells more. Without a map, natureza decides (S5).
    """
    if is_classified(position.parametros.dre_mapa):
        groups = position.categorias.set_index("categoria_id")["dre_grupo"].astype(object)
        grupo = linhas["categoria_id"].map(groups).astype(object)
        grupo = grupo.where(grupo.notna() & (grupo != FORA), OUTRAS)
    else:
        grupo = linhas["natureza"].map({"R": RECEITAS, "D": DESPESAS}).astype(object)
    # The flag of the linha decides: the memo line and the bridge (R07) must leave out the same linhas.
    return grupo.where(~linhas["fora_resultado"], FORA)


def lay_lines(
    categorias: pd.DataFrame, lines: Sequence[Line], amounts: Mapping[str, Mapping[int | None, Vector]], width: int
) -> Iterator[Branch]:
    """Lay lines out in printing order: each with its sum, then, of a group, the nodes of its tree.

    Which nodes there are depends on the amounts (`build_nodes`), so what is laid out twice is joined by `Branch.name`,
    never by place.

    Args:
        categorias: as `Position.categorias`.
        amounts: group -> category -> signed centavos, a vector of `width` each.
    """
    nothing = np.zeros(width, dtype=np.int64)
    totals: dict[str, Vector] = {}
    for line in lines:
        parts = amounts.get(line.codigo, {}) if line.grupo else {}
        nodes = build_nodes(categorias, parts) if parts else ()
        vectors = [node.valores for node in nodes if node.nivel == 0]
        vectors += [totals.get(group, nothing) for group in line.parcelas]
        totals[line.codigo] = sum(vectors, start=nothing)
        yield Branch(line.codigo, line.texto, totals[line.codigo], line.style)
        yield from list_branches(line.codigo, nodes)


def sum_categories(
    linhas: pd.DataFrame, width: int, parts: Iterable[tuple[Any, Any, pd.Series]]
) -> dict[str, dict[int | None, Vector]]:
    """Sum by group and category.

    Args:
        linhas: with `grupo` and `categoria_id`.
        parts: which of the linhas, the place in the vector where each of them counts, and what it counts.

    Returns:
        Group -> category -> signed centavos, a vector of `width` each.
    """
    groups = linhas.groupby(["grupo", "categoria_id"], dropna=False)
    keys = list(records_of(groups.size().rename("linhas").reset_index(), "grupo", "categoria_id"))
    rows, sums = groups.ngroup().to_numpy(), np.zeros((len(keys), width), np.int64)
    for chosen, places, centavos in parts:
        np.add.at(sums, (rows[chosen], places), centavos.to_numpy()[chosen])
    by_group: dict[str, dict[int | None, Vector]] = {}
    for (group, category), vector in zip(keys, sums, strict=True):
        by_group.setdefault(group, {})[category] = vector
    return by_group


@dataclass(frozen=True)
class Dre:
    """The DRE by month, before it is printed.

    Attributes:
        linhas: result of `select_dre_linhas`.
        lines: result of `find_lines`.
        hidden: codes of the lines that the map does not allow (S17).
        shown: first days of the months that a sheet prints, without gaps.
        months: the same of all that hold anything or are shown, in order.
        branches: lines and the categories below them, in printing order; of each its months, then their paid parts.
    """

    linhas: pd.DataFrame
    lines: tuple[Line, ...]
    hidden: Collection[str]
    shown: Sequence[date]
    months: Sequence[date]
    branches: tuple[Branch, ...]

    @cached_property
    def amounts(self) -> Vector:
        """Signed centavos: all and what is paid of it at D, branch x month."""
        both = np.stack([branch.valores for branch in self.branches]).reshape(len(self.branches), 2, -1)
        return both.swapaxes(0, 1)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Code of a line -> its place among the branches."""
        return {branch.codigo: place for place, branch in enumerate(self.branches) if branch.node is None}

    def add(self, first: date, last: date) -> Vector:
        """Add the months that begin between two days, centavos per branch."""
        chosen = np.array([first <= month <= last for month in self.months], np.int64)
        sums: Vector = self.amounts[0] @ chosen
        return sums


def lay_dre(position: Position, mapa: DreMap) -> Dre:
    """Lay out the DRE; `mapa` says which lines it has."""
    linhas = select_dre_linhas(position)
    with_amounts = {stamp.date() for stamp in linhas["mes_competencia"].unique()}
    shown = find_shown_months(position, with_amounts)
    months = sorted(with_amounts | set(shown))
    every = slice(None)
    place = np.array(months, "datetime64[us]").searchsorted(linhas["mes_competencia"].to_numpy("datetime64[us]"))
    parts = ((every, place, linhas["valor_centavos"]), (every, len(months) + place, linhas["pago_centavos"]))
    width, lines = 2 * len(months), find_lines(mapa, linhas)
    branches = lay_lines(position.categorias, lines, sum_categories(linhas, width, parts), width)
    return Dre(linhas, lines, frozenset() if mapa.margens else MARGINS, shown, months, tuple(branches))


def sum_revenue(linhas: pd.DataFrame) -> int:
    """Add revenue by natureza, `fora` left out, in centavos."""
    return int(linhas.loc[(linhas["natureza"] == "R") & ~linhas["fora_resultado"], "valor_centavos"].sum())


_GAINS: Final = frozenset(
    {
        *(RECEITAS, "receita_bruta", RECEITA_LIQUIDA, MARGEM, EBITDA, "resultado_antes_ir", RESULTADO),
        *("entradas", "fluxo_operacional", "geracao_de_caixa"),
    }
)
_EITHER: Final = frozenset({"financeiro", OUTRAS, FORA, "nao_operacional", "transferencias"})


def find_sense(codigo: str) -> Sense:
    """Tell which sign a line of the DRE or of the cash flow has in good order (R04).

    Financeiro, Outras, Fora, Não operacional and Transferências may have either.
    """
    return Sense.GAIN if codigo in _GAINS else Sense.EITHER if codigo in _EITHER else Sense.COST


class Centros(NamedTuple):
    """Sums of the DRE by cost centre.

    Attributes:
        names: centre, None for none -> its name, in printing order: by name, "Sem centro" last.
        months: that hold anything, in order.
        amounts: signed centavos, line x centre x month.
    """

    names: Mapping[int | None, str]
    months: Sequence[date]
    amounts: Vector


def sum_centros(position: Position, linhas: pd.DataFrame, lines: Sequence[Line]) -> Centros:
    """Sum linhas of the DRE (`select_dre_linhas`) by its lines and cost centre."""
    groups, found = pd.factorize(linhas["grupo"])
    centres, ids = pd.factorize(linhas["centro_custo_lucro_id"].astype("Int64").fillna(-1).astype("int64"))
    months, stamps = pd.factorize(linhas["mes_competencia"], sort=True)
    sums = np.zeros((len(found), len(ids), len(stamps)), np.int64)
    np.add.at(sums, (groups, centres, months), linhas["valor_centavos"].to_numpy())
    adds = np.array([[group in line.grupos for group in found] for line in lines], np.int64)
    keys = [None if key == -1 else key for key in ids.tolist()]
    names = [position.rotulos.centro(key) for key in keys]
    order = sorted(range(len(keys)), key=lambda place: (keys[place] is None, sort_key(names[place]), keys[place]))
    amounts = np.tensordot(adds, sums, 1)[:, order]
    return Centros({keys[place]: names[place] for place in order}, [one.date() for one in stamps], amounts)


def select_tagged(linhas: pd.DataFrame) -> pd.DataFrame:
    """Keep the linhas of the result that bear a tag."""
    tagged = linhas.loc[np.fromiter(map(bool, linhas["tags"]), bool, len(linhas))]
    return tagged[tagged["grupo"] != "fora"]


def sum_tags(position: Position, linhas: pd.DataFrame) -> list[tuple[int, str, int, int]]:
    """Sum the result by tag, all months; a linha counts once for each of its tags (S11).

    Returns:
        Tag, its name, linhas and centavos, by name, ties by id.
    """
    tagged = select_tagged(linhas)
    tags = tagged[["tags", "valor_centavos"]].assign(tags=tagged["tags"].map(lambda ids: sorted(set(ids))))
    sums = tags.explode("tags").groupby("tags")["valor_centavos"].agg(["size", "sum"]).reset_index()
    counted = records_of(sums, "tags", "size", "sum")
    named = [(tag, position.rotulos.tag(tag), count, total) for tag, count, total in counted]
    return sorted(named, key=lambda row: (sort_key(row[1]), row[0]))


def sum_unmapped(position: Position, linhas: pd.DataFrame) -> list[tuple[int, str, str | None, int, int]]:
    """Sum the categories with amounts that the map does not reach (Q20).

    Returns:
        Category, its path, the line in which it stands meanwhile (None without lines), linhas and centavos, by path,
        ties by id.
    """
    categorias = position.categorias
    unmapped = set(categorias.loc[~categorias["dre_mapeada"], "categoria_id"].astype(int))
    linhas = linhas.loc[linhas["categoria_id"].isin(unmapped), ["categoria_id", "valor_centavos"]]
    sums = linhas.groupby("categoria_id")["valor_centavos"].agg(["size", "sum"])
    groups = dict(zip(categorias["categoria_id"].astype(int), categorias["dre_grupo"], strict=True))
    classified = is_classified(position.parametros.dre_mapa)
    rows = [
        (
            category,
            position.rotulos.categoria_caminho(category),
            GROUP_LABELS[str(groups[category])] if classified else None,
            count,
            total,
        )
        for category, count, total in records_of(sums.reset_index(), "categoria_id", "size", "sum")
    ]
    return sorted(rows, key=lambda row: (sort_key(row[1]), row[0]))
