"""The income statement (R06): its lines as data, the linhas behind them, sums by category, month and cost centre."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final

import numpy as np
import pandas as pd

from lastro.analysis.dre_map import PARCIAL, DreMap, is_classified
from lastro.analysis.frames import records_of
from lastro.analysis.percent_change import CompareRule, PercentChange, Sense
from lastro.analysis.tree import Node, Vector, build_nodes
from lastro.calendar import add_months, month_start
from lastro.folding import sort_key
from lastro.grid.sections import Style
from lastro.money import ratio_pct, to_decimal
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


@dataclass(frozen=True)
class DreRow:
    """A row of the DRE before it is printed: a line, a category, or the "(direto)" part of one.

    Attributes:
        texto: what is printed.
        codigo: code of the line it belongs to.
        nivel: 0 for lines, 1 and deeper for categories.
        categoria_id: the category, None for lines and "Sem categoria".
        total: month -> signed centavos.
        pago: month -> the part that is paid at D.
        style: look of the row.
        key: unique in the sheet.
        node: of the category tree; None for lines.
    """

    texto: str
    codigo: str
    nivel: int
    categoria_id: int | None
    total: Mapping[date, int]
    pago: Mapping[date, int]
    style: Style = Style.NORMAL
    key: str = ""
    node: Node | None = None

    @property
    def categorias(self) -> tuple[int | None, ...]:
        """The categories at and below it, None for linhas without one; empty for lines."""
        return () if self.node is None else self.node.categorias

    def cells(self, month: date) -> tuple[Decimal, Decimal, Decimal]:
        """Return total, paid and open of a month."""
        total, pago = self.total.get(month, 0), self.pago.get(month, 0)
        return to_decimal(total), to_decimal(pago), to_decimal(total - pago)


_DRE_FIELDS = [
    "categoria_id", "centro_custo_lucro_id", "natureza", "fora_resultado", "mes_competencia", "data_competencia_ef",
    "valor_centavos", "pago", "tags",
]  # fmt: skip


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
) -> Iterator[tuple[Line, Node | None, Vector]]:
    """Lay lines out in printing order: each with its sum and no node, then, of a group, the nodes of its tree.

    Which nodes there are depends on the amounts (`build_nodes`), so what is laid out twice is joined by line, category
    and `direto`, never by place.

    Args:
        categorias: as `Position.categorias`.
        lines: the lines.
        amounts: group -> category -> signed centavos, a vector of `width` each.
        width: of the vectors.
    """
    nothing = np.zeros(width, dtype=np.int64)
    totals: dict[str, Vector] = {}
    for line in lines:
        parts = amounts.get(line.codigo, {}) if line.grupo else {}
        nodes = build_nodes(categorias, parts) if parts else ()
        vectors = [node.valores for node in nodes if node.nivel == 0]
        vectors += [totals.get(group, nothing) for group in line.parcelas]
        totals[line.codigo] = sum(vectors, start=nothing)
        yield line, None, totals[line.codigo]
        for node in nodes:
            yield line, node, node.valores


def build_dre_rows(position: Position, linhas: pd.DataFrame, months: list[date], lines: Sequence[Line]) -> list[DreRow]:
    """List the rows in printing order: each line, under a group line its category tree."""
    amounts = _sum_categories(linhas, months)
    rows = []
    for line, node, vector in lay_lines(position.categorias, lines, amounts, 2 * len(months)):
        total, pago = _by_month(vector, months)
        if node is None:
            key = f"dre-{line.codigo}"
            rows.append(DreRow(line.texto, line.codigo, 0, None, total, pago, style=line.style, key=key))
        else:
            key = f"dre-{line.codigo}-{node.categoria_id or 'sem'}{'-direto' if node.direto else ''}"
            own = (node.label, line.codigo, node.nivel + 1, node.categoria_id)
            rows.append(DreRow(*own, total, pago, key=key, node=node))
    return rows


def _sum_categories(linhas: pd.DataFrame, months: list[date]) -> dict[str, dict[int | None, Vector]]:
    """Sum by group and category: a vector with the total of every month, then its paid part."""
    places = {month: place for place, month in enumerate(months)}
    sums = linhas.groupby(["grupo", "categoria_id", "mes_competencia"], as_index=False, dropna=False)[
        ["valor_centavos", "pago_centavos"]
    ].sum()
    by_group: dict[str, dict[int | None, Vector]] = {}
    for group, category, month, total, paid in records_of(
        sums, "grupo", "categoria_id", "mes_competencia", "valor_centavos", "pago_centavos"
    ):
        of_group = by_group.setdefault(group, {})
        vector = of_group.setdefault(category, np.zeros(2 * len(months), np.int64))
        place = places[month.date()]
        vector[place] += total
        vector[len(months) + place] += paid
    return by_group


def _by_month(vector: Vector, months: list[date]) -> tuple[dict[date, int], dict[date, int]]:
    values = vector.tolist()
    return (
        dict(zip(months, values[: len(months)], strict=True)),
        dict(zip(months, values[len(months) :], strict=True)),
    )


def sum_revenue(linhas: pd.DataFrame) -> int:
    """Add revenue by natureza, `fora` left out, in centavos."""
    return int(linhas.loc[(linhas["natureza"] == "R") & ~linhas["fora_resultado"], "valor_centavos"].sum())


_GAINS: Final = frozenset({RECEITAS, "receita_bruta", RECEITA_LIQUIDA, MARGEM, EBITDA, "resultado_antes_ir", RESULTADO})
_EITHER: Final = frozenset({"financeiro", OUTRAS, FORA})


def find_sense(codigo: str) -> Sense:
    """Tell which sign a line of the DRE has in good order; Financeiro, Outras and Fora may have either (R04)."""
    return Sense.GAIN if codigo in _GAINS else Sense.EITHER if codigo in _EITHER else Sense.COST


@dataclass(frozen=True)
class YearFigures:
    """What stands right of the months of a row of the DRE.

    Attributes:
        acumulado: sum of the year up to D's month.
        pct_receita_liquida: its share of line 3; None without a map.
        comparado: D's month against the one before (R04).
    """

    acumulado: Decimal
    pct_receita_liquida: Decimal | None
    comparado: PercentChange


def accumulate_year(position: Position, linhas: pd.DataFrame, nodes: list[DreRow]) -> dict[str, YearFigures]:
    """Compute what stands right of the months, by key of the row.

    Args:
        position: gives D and the settings.
        linhas: result of `select_dre_linhas`.
        nodes: result of `build_dre_rows`.
    """
    current = month_start(position.data_base)
    before = add_months(current, -1)
    rule = CompareRule(sum_revenue(linhas[linhas["mes_competencia"] == pd.Timestamp(before)]))

    def year(node: DreRow) -> int:
        return sum(value for month, value in node.total.items() if current.replace(month=1) <= month <= current)

    net = next((year(node) for node in nodes if node.codigo == RECEITA_LIQUIDA and node.nivel == 0), None)
    figures = {}
    for node in nodes:
        now, then = node.total.get(current, 0), node.total.get(before, 0)
        share = None if net is None else ratio_pct(year(node), net)
        figures[node.key] = YearFigures(to_decimal(year(node)), share, rule.compare(now, then, find_sense(node.codigo)))
    return figures


@dataclass(frozen=True)
class Centros:
    """Sums of the DRE by cost centre.

    Attributes:
        names: centre id (None for none) -> label, in printing order.
        cells: (line code, centre id) -> month -> signed centavos.
        months: months that hold anything.
    """

    names: dict[int | None, str]
    cells: dict[tuple[str, int | None], dict[date, int]]
    months: tuple[date, ...]


def sum_centros(position: Position, linhas: pd.DataFrame, lines: Sequence[Line]) -> Centros:
    """Sum the DRE by cost centre.

    Args:
        position: gives the names of the centres.
        linhas: result of `select_dre_linhas`.
        lines: result of `find_lines`.
    """
    centro = linhas["centro_custo_lucro_id"].astype("Int64").fillna(-1).astype("int64")
    keys = ["grupo", "centro", "mes_competencia"]
    sums = linhas.assign(centro=centro).groupby(keys, as_index=False)[["valor_centavos"]].sum()
    cells: dict[tuple[str, int | None], dict[date, int]] = {}
    ids: set[int | None] = set()
    months: set[date] = set()
    for group, key, month, centavos in records_of(sums, "grupo", "centro", "mes_competencia", "valor_centavos"):
        centre = None if key == -1 else key
        ids.add(centre)
        months.add(month.date())
        cells.setdefault((group, centre), {})[month.date()] = centavos
    for line in lines:
        for centre in ids if line.parcelas else ():
            total: dict[date, int] = {}
            for code in line.parcelas:
                for month, centavos in cells.get((code, centre), {}).items():
                    total[month] = total.get(month, 0) + centavos
            cells[line.codigo, centre] = total
    names = {centre: position.rotulos.centro(centre) for centre in ids}
    order = sorted(ids, key=lambda centre: (centre is None, sort_key(names[centre]), centre or 0))
    return Centros({centre: names[centre] for centre in order}, cells, tuple(sorted(months)))


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


@dataclass(frozen=True)
class LeftOut:
    """What the months of the sheet do not hold.

    Attributes:
        anteriores: centavos of the result before the first month shown.
        posteriores: the same after the last one.
        sem_competencia: linhas without a competence month and their centavos, where there are any.
    """

    anteriores: int
    posteriores: int
    sem_competencia: tuple[int, int] | None


def find_left_out(position: Position, nodes: Sequence[DreRow], months: Sequence[date]) -> LeftOut:
    """Find what the shown months do not hold."""
    result = next(node for node in nodes if node.codigo == RESULTADO).total
    linhas = position.linhas
    without = linhas.loc[~linhas["transferencia"] & linhas["mes_competencia"].isna(), "valor_centavos"]
    return LeftOut(
        sum(value for month, value in result.items() if month < months[0]),
        sum(value for month, value in result.items() if month > months[-1]),
        (len(without), int(without.sum())) if len(without) else None,
    )
