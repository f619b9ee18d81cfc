"""R06 DRE gerencial: result by competence, by line and category, by cost centre and by tag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from lastro.analysis.cash_series import Blocks, find_blocks, link_to_lancamentos
from lastro.analysis.frames import records_of
from lastro.analysis.months import find_shown_months, month_header
from lastro.analysis.tree import Vector, build_nodes
from lastro.calendar import add_months, month_start
from lastro.grid.charts import cut_empty_ends, has_room, keep_drawable
from lastro.grid.model import (
    BALANCE_COLOUR,
    IN_COLOUR,
    OUT_COLOUR,
    Chart,
    ChartKind,
    Column,
    Kind,
    Link,
    Report,
    Row,
    Section,
    Series,
    Style,
    Table,
    Value,
    month_label,
    period_of_month,
    table_of,
)
from lastro.money import format_brl, ratio_pct, to_decimal
from lastro.transform.names import sort_key
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS

if TYPE_CHECKING:
    from lastro.transform.position import Position


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
MAX_LEVEL = 7


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
    groups = position.categorias.set_index("categoria_id")["dre_grupo"].astype(object)
    grupo = kept["categoria_id"].map(groups).astype(object)
    # The flag of the linha decides: line 15 and the bridge (R07) must leave out the same linhas.
    grupo = grupo.where(grupo.notna() & (grupo != "fora"), SEM_GRUPO).where(~kept["fora_resultado"], "fora")
    return kept.assign(grupo=grupo, pago_centavos=kept["valor_centavos"].where(kept["pago"], 0))


def build_r06(position: Position, mes_centros: date | None = None) -> Report:
    """Build R06.

    Args:
        position: the position.
        mes_centros: first day of the month of the cost-centre table; default D's month.

    Returns:
        Sections `r06` (line or category x month), `r06_centros`, `r06_tags` (if any tag) and `r06_sem_grupo` (if a map
        is set and leaves categories with amounts out, Q20). Tables: `r06` (all months that hold anything, not only
        those shown), `r06_acumulado`, `r06_centros` (all months), `r06_tags`, `r06_sem_grupo`. A chart of the result.
    """
    linhas = select_dre_linhas(position)
    with_amounts = {stamp.date() for stamp in linhas["mes_competencia"].unique()}
    months = find_shown_months(position, with_amounts)
    nodes = _build_rows(position, linhas, sorted(with_amounts | set(months)))
    mes = month_start(mes_centros or position.data_base)
    optional = (_tag_section(position, linhas), _unmapped_section(position, linhas))
    centros = _sum_centros(position, linhas)
    sections = (
        _main_section(position, nodes, months),
        _centro_section(centros, mes),
        *(section for section in optional if section is not None),
    )
    tables = [
        _main_table(nodes, sorted(with_amounts | set(months))),
        _accumulated_table(position, nodes),
        _centro_table(centros),
        *(table_of(section, f"R06: {section.title}") for section in optional if section is not None),
    ]
    return Report(
        code="R06",
        sheet="DRE",
        title="DRE gerencial (competência)",
        question="A operação dá lucro, e em que mês ele aconteceu?",
        sections=sections,
        tables=tuple(tables),
        charts=keep_drawable(cut_empty_ends(_build_chart(position, nodes, months))),
    )


def _build_chart(position: Position, nodes: list[DreRow], months: list[date]) -> Chart:
    """Draw lines 3 and 14 by month and what lies between them, sign turned: what the revenue was spent on."""
    shown = [month for month in months if has_room(month, position.data_base)]
    lines = {node.codigo: node.total for node in nodes if node.nivel == 0}
    revenue = [lines[RECEITA_LIQUIDA].get(month, 0) for month in shown]
    result = [lines[RESULTADO].get(month, 0) for month in shown]
    spent = [earned - left for earned, left in zip(revenue, result, strict=True)]
    return Chart(
        "Receita líquida, despesas e resultado por mês",
        ChartKind.COLUMN,
        tuple(month_label(month) for month in shown),
        (
            Series("Receita líquida", tuple(map(to_decimal, revenue)), IN_COLOUR),
            Series("Despesas", tuple(map(to_decimal, spent)), OUT_COLOUR),
            Series("Resultado líquido", tuple(map(to_decimal, result)), BALANCE_COLOUR, line=True),
        ),
        after="r06",
    )


def _build_rows(position: Position, linhas: pd.DataFrame, months: list[date]) -> list[DreRow]:
    """List the rows in printing order: each line, under a group line its category tree."""
    amounts = _sum_categories(linhas, months)
    blocks = find_blocks(position)
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


def _main_section(position: Position, nodes: list[DreRow], months: list[date]) -> Section:
    columns = [Column("Linha", Kind.TEXT, width=44)]
    for month in months:
        band, header, period = month_label(month), month_header(month, position.data_base), period_of_month(month)
        columns += [
            Column(header, Kind.MONEY, dense=True, group=band, key=period.key, period=period),
            Column("Pago/recebido", Kind.MONEY, dense=True, level=1, group=band, key=f"{period.key}_pago"),
            Column("Em aberto", Kind.MONEY, dense=True, level=1, group=band, key=f"{period.key}_em_aberto"),
        ]
    columns += ACCUMULATED_COLUMNS
    accumulated = _accumulate(position, nodes)
    rows = []
    for node in nodes:
        cells: list[Value] = [node.texto]
        for month in months:
            cells += node.cells(month)
        rows.append(
            Row(
                (*cells, *accumulated[node.key]),
                style=node.style,
                level=min(node.nivel, MAX_LEVEL),
                key=node.key,
                link=node.link,
            )
        )
    notes = [
        "Valores com sinal: todas as linhas se somam. Meses ainda não encerrados na data-base são parciais.",
        "Acumulado no ano: de janeiro ao mês da data-base. AH %: mês da data-base / mês anterior - 1.",
        "% receita líquida: acumulado da linha / acumulado da linha 3.",
    ]
    notes += _left_out_notes(position, nodes, months)
    return Section("r06", tuple(columns), tuple(rows), notes=tuple(notes), outline=True)


ACCUMULATED_COLUMNS = (
    Column("Acumulado no ano", Kind.MONEY, dense=True),
    Column("% receita líquida", Kind.PERCENT),
    Column("AH %", Kind.PERCENT),
)


def _accumulate(position: Position, nodes: list[DreRow]) -> dict[str, tuple[Decimal, Decimal | None, Decimal | None]]:
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


def _left_out_notes(position: Position, nodes: list[DreRow], months: list[date]) -> list[str]:
    """Say what the shown months do not hold, so that nothing falls off silently."""
    result = next(node for node in nodes if node.codigo == RESULTADO)
    notes = []
    earlier = sum(value for month, value in result.total.items() if month < months[0])
    later = sum(value for month, value in result.total.items() if month > months[-1])
    for text, rest in (("anteriores", earlier), ("posteriores", later)):
        if rest:
            notes.append(f"Resultado líquido de meses {text} aos mostrados: {_brl(rest)}.")
    linhas = position.linhas
    without = linhas[~linhas["transferencia"] & linhas["mes_competencia"].isna()]
    if len(without):
        notes.append(
            f"Sem competência (competencia_nula = excluir), fora desta DRE: {len(without)} linha(s), "
            f"{_brl(int(without['valor_centavos'].sum()))}."
        )
    return notes


def _main_table(nodes: list[DreRow], months: list[date]) -> Table:
    columns = (
        Column("Código", Kind.INTEGER),
        Column("Linha", Kind.TEXT),
        Column("Nível", Kind.INTEGER),
        Column("Categoria id", Kind.INTEGER),
        Column("Mês", Kind.MONTH),
        Column("Valor", Kind.MONEY),
        Column("Pago/recebido", Kind.MONEY),
        Column("Em aberto", Kind.MONEY),
    )
    rows = tuple(
        (node.codigo, node.texto, node.nivel, node.categoria_id, month, *node.cells(month))
        for node in nodes
        for month in months
    )
    return Table(
        "r06",
        columns,
        rows,
        "R06: uma linha por linha da DRE ou categoria e mês de competência (S4); nível 0 são as linhas",
    )


def _accumulated_table(position: Position, nodes: list[DreRow]) -> Table:
    columns = (
        Column("Código", Kind.INTEGER),
        Column("Linha", Kind.TEXT),
        Column("Nível", Kind.INTEGER),
        Column("Categoria id", Kind.INTEGER),
        *ACCUMULATED_COLUMNS,
    )
    figures = _accumulate(position, nodes)
    rows = tuple((node.codigo, node.texto, node.nivel, node.categoria_id, *figures[node.key]) for node in nodes)
    return Table("r06_acumulado", columns, rows, "R06: acumulado do ano e análises por linha da DRE ou categoria")


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


def _sum_centros(position: Position, linhas: pd.DataFrame) -> Centros:
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


def _centro_section(centros: Centros, mes: date) -> Section:
    """Build the second table: the lines of the DRE for one month, a column per cost centre with amounts in it."""
    used = [
        centre
        for centre in centros.names
        if any(centros.cells.get((line.codigo, centre), {}).get(mes) for line in LINES)
    ]
    columns = (
        Column("Linha", Kind.TEXT, width=44),
        *(
            Column(centros.names[centre], Kind.MONEY, dense=True, key=f"centro_{'sem' if centre is None else centre}")
            for centre in used
        ),
        Column("Total", Kind.MONEY, dense=True),
    )
    rows = []
    for line in LINES:
        values = [centros.cells.get((line.codigo, centre), {}).get(mes, 0) for centre in used]
        style = Style.NORMAL if line.style is Style.SECTION else line.style
        rows.append(Row((line.texto, *map(to_decimal, values), to_decimal(sum(values))), style=style))
    return Section("r06_centros", columns, tuple(rows), title=f"DRE por centro de custo/lucro: {month_label(mes)}")


def _centro_table(centros: Centros) -> Table:
    columns = (
        Column("Código", Kind.INTEGER),
        Column("Linha", Kind.TEXT),
        Column("Centro id", Kind.INTEGER),
        Column("Centro", Kind.TEXT),
        Column("Mês", Kind.MONTH),
        Column("Valor", Kind.MONEY),
    )
    rows = tuple(
        (
            line.codigo,
            line.texto,
            centre,
            name,
            month,
            to_decimal(centros.cells.get((line.codigo, centre), {}).get(month, 0)),
        )
        for line in LINES
        for centre, name in centros.names.items()
        for month in centros.months
    )
    return Table(
        "r06_centros", columns, rows, "R06: uma linha por linha da DRE, centro de custo/lucro e mês de competência"
    )


def _tag_section(position: Position, linhas: pd.DataFrame) -> Section | None:
    """Sum the result by tag, all months; tags overlap, so the total counts distinct linhas (S11)."""
    tagged = linhas[(linhas["tags"].map(len) > 0) & (linhas["grupo"] != "fora")]
    if tagged.empty:
        return None
    tags = tagged[["tags", "valor_centavos"]].assign(tags=tagged["tags"].map(lambda ids: sorted(set(ids))))
    sums = tags.explode("tags").groupby("tags")["valor_centavos"].agg(["size", "sum"])
    named = sorted(
        (
            (position.rotulos.tag(tag_id), tag_id, count, total)
            for tag_id, count, total in records_of(sums.reset_index(), "tags", "size", "sum")
        ),
        key=lambda row: (sort_key(row[0]), row[1]),
    )
    rows = [Row((tag_id, name, count, to_decimal(total))) for name, tag_id, count, total in named]
    rows.append(
        Row(
            (None, "Total sem repetição", len(tagged), to_decimal(int(tagged["valor_centavos"].sum()))),
            style=Style.TOTAL,
        )
    )
    columns = (
        Column("Id", Kind.INTEGER),
        Column("Tag", Kind.TEXT),
        Column("Linhas", Kind.INTEGER),
        Column("Resultado", Kind.MONEY),
    )
    notes = ("Uma linha pode ter várias tags: as linhas da tabela se sobrepõem e não se somam.",)
    return Section("r06_tags", columns, tuple(rows), title="Resultado por tag (todos os meses)", notes=notes)


def _unmapped_section(position: Position, linhas: pd.DataFrame) -> Section | None:
    """List the categories with amounts that the configured map does not reach (Q20)."""
    if not position.parametros.dre_mapa:
        return None
    categorias = position.categorias
    unmapped = set(categorias.loc[~categorias["dre_mapeada"], "categoria_id"].astype(int))
    sums = linhas[linhas["categoria_id"].isin(unmapped)].groupby("categoria_id")["valor_centavos"].agg(["size", "sum"])
    if sums.empty:
        return None
    groups = dict(zip(categorias["categoria_id"].astype(int), categorias["dre_grupo"], strict=True))
    found = list(records_of(sums.reset_index(), "categoria_id", "size", "sum"))
    found.sort(key=lambda row: (sort_key(position.rotulos.categoria_caminho(row[0])), row[0]))
    rows = tuple(
        Row(
            (
                category,
                position.rotulos.categoria_caminho(category),
                GROUP_LABELS[str(groups[category])],
                count,
                to_decimal(total),
            )
        )
        for category, count, total in found
    )
    columns = (
        Column("Id", Kind.INTEGER),
        Column("Categoria", Kind.TEXT),
        Column("Linha assumida", Kind.TEXT),
        Column("Linhas", Kind.INTEGER),
        Column("Valor", Kind.MONEY),
    )
    return Section("r06_sem_grupo", columns, rows, title="Categorias sem grupo no mapa da DRE (Q20)")


def _brl(centavos: int) -> str:
    return format_brl(to_decimal(centavos))
