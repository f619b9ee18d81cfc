"""The income statement (R06): its lines as data, the linhas behind them, sums by category, month and cost centre."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd

from lastro.analysis.drill_down import Blocks, link_to_lancamentos
from lastro.analysis.frames import records_of
from lastro.analysis.tree import Vector, build_nodes
from lastro.calendar import add_months, month_start
from lastro.grid.cells import Link
from lastro.grid.model import Style
from lastro.money import ratio_pct, to_decimal
from lastro.transform.names import sort_key
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS, Position


@dataclass(frozen=True)
class Line:
    """One line of the DRE: a group of categories or the sum of other lines (R06)."""

    codigo: int
    texto: str
    grupo: str | None = None
    parcelas: tuple[int, ...] = ()
    style: Style = Style.SECTION


LINES = (
    Line(1, "1 Receita bruta", "receita_bruta"),
    Line(2, "2 (-) Deduções e impostos s/ vendas", "deducoes"),
    Line(3, "3 = Receita líquida", parcelas=(1, 2), style=Style.SUBTOTAL),
    Line(4, "4 (-) Custos variáveis", "custos_variaveis"),
    Line(5, "5 = Margem de contribuição", parcelas=(3, 4), style=Style.SUBTOTAL),
    Line(6, "6 Pessoal", "pessoal"),
    Line(7, "7 Administrativas", "administrativas"),
    Line(8, "8 Comerciais", "comerciais"),
    Line(9, "9 = EBITDA gerencial", parcelas=(5, 6, 7, 8), style=Style.SUBTOTAL),
    Line(10, "10 Resultado financeiro", "financeiro"),
    Line(11, "11 Outras", "outras"),
    Line(12, "12 = Resultado antes de IR/CSLL", parcelas=(9, 10, 11), style=Style.SUBTOTAL),
    Line(13, "13 IR/CSLL", "ir_csll"),
    Line(14, "14 = Resultado líquido", parcelas=(12, 13), style=Style.TOTAL),
    Line(15, "15 Fora do resultado (memo)", "fora", style=Style.MEMO),
)
GROUP_LABELS = {line.grupo: line.texto for line in LINES if line.grupo}
RECEITA_LIQUIDA, RESULTADO = 3, 14
SEM_GRUPO = "outras"
"""DRE group of what has no category: no type tells more (R06)."""


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
        link: block of Lançamentos.
    """

    texto: str
    codigo: int
    nivel: int
    categoria_id: int | None
    total: Mapping[date, int]
    pago: Mapping[date, int]
    style: Style = Style.NORMAL
    key: str = ""
    link: Link | None = None

    def cells(self, month: date) -> tuple[Decimal, Decimal, Decimal]:
        """Return total, paid and open of a month."""
        total, pago = self.total.get(month, 0), self.pago.get(month, 0)
        return to_decimal(total), to_decimal(pago), to_decimal(total - pago)


def select_dre_linhas(position: Position) -> pd.DataFrame:
    """Keep the linhas of the DRE: a value, no transfers, with a competence month (S4, S6, S8); add `grupo`.

    Returns:
        A copy with `grupo` (one of `settings.DRE_GRUPOS`; `fora` exactly where `fora_resultado`) and `pago_centavos`
        (the value where paid at D, else 0).
    """
    linhas = position.linhas
    counted = (linhas["valor_centavos"] != 0) & ~linhas["transferencia"]
    kept = linhas[counted & linhas["mes_competencia"].notna()]
    return kept.assign(
        grupo=find_dre_grupos(position, kept), pago_centavos=kept["valor_centavos"].where(kept["pago"], 0)
    )


def find_dre_grupos(position: Position, linhas: pd.DataFrame) -> pd.Series:
    """Find the DRE group (`settings.DRE_GRUPOS`) in which each linha counts, whether or not its month is known."""
    groups = position.categorias.set_index("categoria_id")["dre_grupo"].astype(object)
    grupo = linhas["categoria_id"].map(groups).astype(object)
    # The flag of the linha decides: line 15 and the bridge (R07) must leave out the same linhas.
    return grupo.where(grupo.notna() & (grupo != "fora"), SEM_GRUPO).where(~linhas["fora_resultado"], "fora")


def build_dre_rows(position: Position, blocks: Blocks, linhas: pd.DataFrame, months: list[date]) -> list[DreRow]:
    """List the rows in printing order: each line, under a group line its category tree."""
    amounts = _sum_categories(linhas, months)
    rows: list[DreRow] = []
    totals: dict[int, Vector] = {}
    for line in LINES:
        parts = amounts.get(line.grupo, {}) if line.grupo else {}
        below = build_nodes(position.categorias, parts) if parts else ()
        vectors = [node.valores for node in below if node.nivel == 0] + [totals[code] for code in line.parcelas]
        totals[line.codigo] = sum(vectors, start=np.zeros(2 * len(months), dtype=np.int64))
        rows.append(
            DreRow(
                line.texto,
                line.codigo,
                0,
                None,
                *_by_month(totals[line.codigo], months),
                style=line.style,
                key=f"dre-{line.codigo}",
            )
        )
        for node in below:
            rows.append(  # noqa: PERF401 - a comprehension would hide the nesting
                DreRow(
                    node.label,
                    line.codigo,
                    node.nivel + 1,
                    node.categoria_id,
                    *_by_month(node.valores, months),
                    key=f"dre-{line.codigo}-{node.categoria_id or 'sem'}{'-direto' if node.direto else ''}",
                    link=_link(blocks, line, node.categorias),
                )
            )
    return rows


def _sum_categories(linhas: pd.DataFrame, months: list[date]) -> dict[str, dict[int | None, Vector]]:
    """Sum by group and category: a vector of the totals of every month, then of what is paid of them."""
    places = {month: place for place, month in enumerate(months)}
    sums = linhas.groupby(["grupo", "categoria_id", "mes_competencia"], as_index=False, dropna=False)[
        ["valor_centavos", "pago_centavos"]
    ].sum()
    found: dict[str, dict[int | None, Vector]] = {}
    for group, category, month, total, paid in records_of(
        sums, "grupo", "categoria_id", "mes_competencia", "valor_centavos", "pago_centavos"
    ):
        of_group = found.setdefault(group, {})
        vector = of_group.setdefault(category, np.zeros(2 * len(months), np.int64))
        place = places[month.date()]
        vector[place] += total
        vector[len(months) + place] += paid
    return found


def _by_month(vector: Vector, months: list[date]) -> tuple[dict[date, int], dict[date, int]]:
    values = vector.tolist()
    return (
        dict(zip(months, values[: len(months)], strict=True)),
        dict(zip(months, values[len(months) :], strict=True)),
    )


def _link(blocks: Blocks, line: Line, categorias: tuple[int | None, ...]) -> Link | None:
    """Lead to the first block of Lançamentos below a row; the class is the line's usual one, else the other (S5)."""
    if line.grupo == "fora":
        return link_to_lancamentos(blocks, NAO_OPERACIONAL, categorias)
    first, second = (ENTRADAS, SAIDAS) if line.grupo == "receita_bruta" else (SAIDAS, ENTRADAS)
    return link_to_lancamentos(blocks, first, categorias) or link_to_lancamentos(blocks, second, categorias)


def accumulate_year(
    position: Position, nodes: list[DreRow]
) -> dict[str, tuple[Decimal, Decimal | None, Decimal | None]]:
    """Compute per row: sum of the year up to D's month, its share of line 3, D's month against the previous one."""
    current = month_start(position.data_base)
    before = add_months(current, -1)

    def year(node: DreRow) -> int:
        return sum(value for month, value in node.total.items() if current.replace(month=1) <= month <= current)

    net_revenue = next(year(node) for node in nodes if node.codigo == RECEITA_LIQUIDA and node.nivel == 0)
    figures = {}
    for node in nodes:
        now, then = node.total.get(current, 0), node.total.get(before, 0)
        figures[node.key] = (to_decimal(year(node)), ratio_pct(year(node), net_revenue), ratio_pct(now - then, then))
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
    cells: dict[tuple[int, int | None], dict[date, int]]
    months: tuple[date, ...]


def sum_centros(position: Position, linhas: pd.DataFrame) -> Centros:
    """Sum the DRE by cost centre.

    Args:
        position: gives the names of the centres.
        linhas: result of `select_dre_linhas`.
    """
    centro = linhas["centro_custo_lucro_id"].astype("Int64").fillna(-1).astype("int64")
    keys = ["grupo", "centro", "mes_competencia"]
    sums = linhas.assign(centro=centro).groupby(keys, as_index=False)[["valor_centavos"]].sum()
    cells: dict[tuple[int, int | None], dict[date, int]] = {}
    codes = {line.grupo: line.codigo for line in LINES if line.grupo}
    ids: set[int | None] = set()
    months: set[date] = set()
    for group, key, month, centavos in records_of(sums, "grupo", "centro", "mes_competencia", "valor_centavos"):
        centre = None if key == -1 else key
        ids.add(centre)
        months.add(month.date())
        cells.setdefault((codes[group], centre), {})[month.date()] = centavos
    for line in LINES:
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
    return linhas[(linhas["tags"].map(len) > 0) & (linhas["grupo"] != "fora")]


def sum_tags(position: Position, linhas: pd.DataFrame) -> list[tuple[int, str, int, int]]:
    """Sum the result by tag, all months; a linha counts once for each of its tags (S11).

    Returns:
        Tag, its name, linhas and centavos, by name, ties by id.
    """
    tagged = select_tagged(linhas)
    tags = tagged[["tags", "valor_centavos"]].assign(tags=tagged["tags"].map(lambda ids: sorted(set(ids))))
    sums = tags.explode("tags").groupby("tags")["valor_centavos"].agg(["size", "sum"]).reset_index()
    found = records_of(sums, "tags", "size", "sum")
    named = [(tag, position.rotulos.tag(tag), count, total) for tag, count, total in found]
    return sorted(named, key=lambda row: (sort_key(row[1]), row[0]))


def sum_unmapped(position: Position, linhas: pd.DataFrame) -> list[tuple[int, str, str, int, int]]:
    """Sum the categories with amounts that the configured map does not reach (Q20); none without a map.

    Returns:
        Category, its path, the line assumed, linhas and centavos, by path, ties by id.
    """
    if not position.parametros.dre_mapa:
        return []
    categorias = position.categorias
    unmapped = set(categorias.loc[~categorias["dre_mapeada"], "categoria_id"].astype(int))
    sums = linhas[linhas["categoria_id"].isin(unmapped)].groupby("categoria_id")["valor_centavos"].agg(["size", "sum"])
    groups = dict(zip(categorias["categoria_id"].astype(int), categorias["dre_grupo"], strict=True))
    found = [
        (category, position.rotulos.categoria_caminho(category), GROUP_LABELS[str(groups[category])], count, total)
        for category, count, total in records_of(sums.reset_index(), "categoria_id", "size", "sum")
    ]
    return sorted(found, key=lambda row: (sort_key(row[1]), row[0]))


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
