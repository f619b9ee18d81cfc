"""The DRE by cost centre and by tag, and the categories that its map leaves out (R06)."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.income_statement import select_tagged, sum_centros, sum_tags, sum_unmapped
from lastro.calendar import month_start
from lastro.grid.cells import Kind
from lastro.grid.pivot import list_rows, show_row
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Row, Section, Style
from lastro.grid.storage import store_money
from lastro.grid.tables import Column, describe_column
from lastro.grid.words import month_label
from lastro.reports.printing import Tables

if TYPE_CHECKING:
    from lastro.reports.view import View

AMOUNT: Final = {"valor": "receita positiva, despesa negativa; nulo onde o mapa não permite a linha (S17)"}
TOTAL: Final = "total"


def list_centres(view: View) -> Columns:
    """List line x cost centre x month, all that hold anything."""
    dre = view.dre
    centros = sum_centros(view.position, dre.linhas, dre.lines)
    rows = list(product(dre.lines, centros.names, centros.months))
    hidden = np.array([line.codigo in dre.hidden for line in dre.lines], dtype=bool)
    return {
        "codigo": [line.codigo for line, *_ in rows],
        "linha": [line.texto for line, *_ in rows],
        "centro_custo_lucro_id": [centre for _, centre, _ in rows],
        "centro": [centros.names[centre] for _, centre, _ in rows],
        "mes": [month for *_, month in rows],
        "valor": store_money(centros.amounts, hidden),
    }


def list_to_date(view: View) -> Columns:
    """List D's month and year, each up to D, x line x cost centre with amounts in the year, and the total of all."""
    dre, day = view.dre, view.position.data_base
    begins = {"mes": month_start(day), "ano": month_start(day).replace(month=1)}
    inside = dre.linhas["data_competencia_ef"].between(pd.Timestamp(begins["ano"]), pd.Timestamp(day))
    centros = sum_centros(view.position, dre.linhas[inside], dre.lines)
    names = {f"centro_{'sem' if key is None else key}": name for key, name in centros.names.items()} | {TOTAL: "Total"}
    rows = list(product(begins, dre.lines, names))
    counted = [np.array([month >= first for month in centros.months], np.int64) for first in begins.values()]
    sums = [np.column_stack([part, part.sum(axis=1)]) for part in (centros.amounts @ months for months in counted)]
    hidden = np.array([line.codigo in dre.hidden for _, line in product(begins, dre.lines)], dtype=bool)
    return {
        "codigo": [line.codigo for _, line, _ in rows],
        "linha": [line.texto for _, line, _ in rows],
        "periodo": [period for period, *_ in rows],
        "de": [begins[period] for period, *_ in rows],
        "ate": [day] * len(rows),
        "coluna": [key for *_, key in rows],
        "centro": [names[key] for *_, key in rows],
        "valor": store_money(np.concatenate(sums), hidden),
    }


def show_periods(view: View, tables: Tables) -> Section:
    """Print month and year up to D as blocks of lines, a column per cost centre."""
    table, day = tables[OF_PERIODS.name], view.position.data_base
    headings = dict.fromkeys(list_rows(table, ("coluna", "centro")))
    columns = (
        describe_column("linha", width=34),
        *(Column(str(name), Kind.MONEY, dense=True, key=str(key), undefined=True) for key, name in headings),
    )
    figures = list_rows(table, ("periodo", "codigo", "coluna", "valor"))
    values = {(period, code, key): value for period, code, key, value in figures}
    rows = []
    for period, label in (("mes", f"{month_label(day)} até dia {day.day}"), ("ano", f"{day.year} até {day:%d/%m}")):
        rows.append(Row((label, *([None] * len(headings))), Style.SECTION))
        for line in view.dre.lines:
            style = Style.NORMAL if line.style is Style.SECTION else line.style
            cells = (line.texto, *(values[period, line.codigo, key] for key, _ in headings))
            rows.append(show_row(columns, cells, style=style, level=1))
    return Section(table.name, columns, tuple(rows), title="Por centro de custo/lucro")


def list_tagged(view: View) -> Columns:
    """List the result by tag, of all months: a linha with two tags counts in both (S11)."""
    return list_columns(("tag_id", "tag", "linhas", "resultado"), sum_tags(view.position, view.dre.linhas))


def add_tagged(view: View) -> Columns:
    """Add up what has a tag; tags overlap, so each linha counts once (S11)."""
    tagged = select_tagged(view.dre.linhas)["valor_centavos"]
    amount = int(tagged.sum())
    return {"codigo": [TOTAL], "linha": ["Total sem repetição"], "linhas": [len(tagged)], "resultado": [amount]}


def list_unmapped(view: View) -> Columns:
    """List the categories with amounts that the map gives no group, with the line that they count in (Q20)."""
    rows = sum_unmapped(view.position, view.dre.linhas)
    named = [(*row, key) for key, *row in rows]
    return list_columns(("categoria", "linha_assumida", "linhas", "valor", "categoria_id"), named)


CENTRES: Final = Print(
    "dre_centros",
    "R06: uma linha por linha da DRE, centro de custo/lucro e mês de competência",
    list_centres,
    keys=("codigo", "centro_custo_lucro_id", "mes"),
    about={"mes": "primeiro dia do mês de competência", **AMOUNT},
    shown=("centro_custo_lucro_id",),
)
OF_PERIODS: Final = Print(
    "dre_centros_periodo",
    "R06: o mês e o ano até a data-base por linha da DRE e centro com valor neles; total é o de todos",
    list_to_date,
    keys=("codigo", "periodo", "coluna"),
    about=AMOUNT,
)
TAGS: Final = Print(
    "dre_tags",
    "R06: Resultado por tag (todos os meses)",
    list_tagged,
    keys=("tag_id",),
    headers={"tag_id": "Id"},
    shown=("tag_id",),
)
ALL_TAGS: Final = Print(
    "dre_tags_total",
    "R06: o resultado de tudo o que tem etiqueta, cada linha uma vez",
    add_tagged,
    keys=("codigo",),
    about={"resultado": "receitas menos despesas das linhas com alguma etiqueta, cada uma uma vez"},
)
UNMAPPED: Final = Print(
    "dre_sem_grupo",
    "R06: Categorias sem grupo no mapa da DRE (Q20)",
    list_unmapped,
    keys=("categoria_id",),
    headers={"categoria_id": "Id"},
    widths={"categoria": 34, "linha_assumida": 18},
    dense=True,
    shown=("categoria_id",),
    title="Categorias sem grupo no mapa da DRE (Q20)",
    optional=True,
)
