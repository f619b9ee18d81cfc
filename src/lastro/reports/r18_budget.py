"""R18 Orçado x realizado: are we within the budget, and how does the year close?

Of the budget in the folder of what people type; without one the tables are empty and stand on no sheet. A category
answers for amounts that is budgeted itself, or has amounts and no budgeted category above it. The sheet prints them as
the tree of R04: parents add up what is below them, and the budget that a parent has of its own stands as "(demais)".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.budget import MONTHS, OK, SEM_ORCAMENTO, BudgetKey, classify_deviation, order_tree
from lastro.analysis.percent_change import NOT_MEANINGFUL, SMALLEST_BASE
from lastro.analysis.tree import list_above
from lastro.grid.cells import UNDEFINED, Cell, Kind, Undefined, Value, sum_money
from lastro.grid.cover import Tone
from lastro.grid.pivot import list_dicts
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import MAX_LEVEL, Row, Section, Style
from lastro.grid.storage import store_money
from lastro.grid.tables import Alert, Table
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import ratio_pct, to_centavos
from lastro.reports.printing import Tables, print_section
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

_PREFIX: Final = "entrada/orcamento."
"""What the names of budget files begin with."""
ZERO: Final = Decimal("0.00")
UNBUDGETED, OUTSIDE, REST = "Não orçadas", "Fora do resultado", "(demais)"
DEVIATIONS: Final = ("mes_desvio", "ate_desvio", "ano_desvio")
SUMMED: Final = (
    "mes_orcado", "mes_realizado", "mes_desvio", "ate_orcado", "ate_realizado", "ate_desvio", "ano_orcado",
    "realizado_e_contratado", "saldo_a_contratar", "projecao", "ano_desvio", "realizado", "contratado",
)  # fmt: skip


def deviate(base: int, change: int) -> Decimal | None:
    """Give a deviation in percent of what was budgeted; of too little it says nothing."""
    return ratio_pct(change, abs(base)) if abs(base) >= SMALLEST_BASE else None


@dataclass(frozen=True)
class BudgetLine:
    """A printed row before it is one: its label, its level, the rows of the table that it adds up.

    Attributes:
        own: it is the one row of the table, not a sum.
    """

    label: str
    level: int
    rows: tuple[int, ...]
    own: bool = True
    style: Style = Style.NORMAL


def list_budget_lines(view: View) -> Iterator[BudgetLine]:
    """Give the tree, the categories without a budget, the total, and the categories outside the result."""
    keys, name = view.budget.chaves, view.position.rotulos.categoria_caminho
    inside = [row for row, key in enumerate(keys) if not key.fora]
    free = [row for row in inside if not keys[row].orcada]
    outside = [row for row, key in enumerate(keys) if key.fora]
    yield from _list_tree(view, [row for row in inside if keys[row].orcada])
    for label, rows, below, style in (
        (UNBUDGETED, free, free, Style.SECTION),
        ("Total", inside, [], Style.TOTAL),
        (f"{OUTSIDE} (memo)", outside, outside, Style.MEMO),
    ):
        if rows:
            yield BudgetLine(label, 0, tuple(rows), own=False, style=style)
        look = Style.MEMO if style is Style.MEMO else Style.NORMAL
        yield from (BudgetLine(name(keys[row].categoria_id), 1, (row,), style=look) for row in below)


def name_rows(view: View) -> list[str]:
    """Name the rows of the table as the tree does: what a parent has of its own is "(demais)" below it."""
    names = [view.position.rotulos.categoria_caminho(key.categoria_id) for key in view.budget.chaves]
    rest = {line.rows[0] for line in list_budget_lines(view) if line.own and line.label == REST}
    return [f"{name} > {REST}" if row in rest else name for row, name in enumerate(names)]


def _list_tree(view: View, budgeted: Sequence[int]) -> Iterator[BudgetLine]:
    """List the budgeted categories below their parents; one with budgeted categories below it has "(demais)"."""
    above = dict(list_above(view.position.categorias))
    own = {view.budget.chaves[row].categoria_id or 0: row for row in budgeted}
    below: dict[int, list[int]] = {}
    for key, row in own.items():
        for step in (*above[key], key):
            below.setdefault(step, []).append(row)
    for step in order_tree(view.position.categorias):
        rows, level, label = tuple(below.get(step, ())), len(above[step]), view.position.rotulos.categoria(step)
        leaf, style = rows == (own.get(step),), Style.NORMAL if above[step] else Style.SECTION
        if rows:
            yield BudgetLine(label, level, rows, own=leaf, style=style)
        if step in own and not leaf:
            yield BudgetLine(REST, level + 1, (own[step],))


def print_lines(view: View, table: Table) -> tuple[Row, ...]:
    """Print rows of the table, or the sums of some; a sum has no verdict."""
    cells = list_dicts(table)
    return tuple(_print_line(view, line, [cells[row] for row in line.rows]) for line in list_budget_lines(view))


def _print_line(view: View, line: BudgetLine, rows: Sequence[Mapping[str, Value]]) -> Row:
    closed, first = bool(view.budget.fechados), rows[0]
    figures = first if line.own else _add_rows(rows, closed=closed)
    absent: dict[str, Value] = dict.fromkeys((*SUMMED, "situacao"), UNDEFINED)
    absent["desvio_pct"] = Undefined(NOT_MEANINGFUL) if closed else UNDEFINED
    if not line.own:
        del absent["situacao"]
    cells: dict[str, Value | Cell] = {
        key: absent.get(key) if value is None else value for key, value in figures.items()
    }
    mixed = line.own and view.budget.chaves[line.rows[0]].mista
    for key in DEVIATIONS:
        if isinstance(value := figures[key], Decimal):
            cells[key] = Cell(value, Kind.MONEY, tone=_tone(value, mixed=mixed))
    cells["categoria"] = Cell(line.label, Kind.TEXT)
    key = f"orcado_{first['categoria_id'] or 'sem'}{'_fora' if first['fora_resultado'] else ''}"
    return Row(tuple(cells.values()), line.style, min(line.level, MAX_LEVEL), key if line.own else None)


def _add_rows(rows: Sequence[Mapping[str, Value]], *, closed: bool) -> dict[str, Value]:
    """Add rows up; the percent of a sum is that of its amounts."""
    values = {key: [row[key] for row in rows] for key in SUMMED}
    sums = {key: None if None in own else sum_money(own) for key, own in values.items()}
    base, change = (to_centavos(sums[key] or ZERO) for key in ("ate_orcado", "ate_desvio"))
    return {**dict.fromkeys(rows[0]), **sums, "desvio_pct": deviate(base, change) if closed else None}


def _tone(value: Decimal, *, mixed: bool) -> Tone:
    if not value or mixed:
        return ""
    return "bom" if value > 0 else "ruim"


def list_budget(view: View) -> Columns:
    """List the categories that answer for amounts; no closed month, no figure of one (R18)."""
    budget, keys, closed = view.budget, view.budget.chaves, view.budget.fechados
    minimum, january = to_centavos(view.position.parametros.fazer_minimo), np.full(len(keys), not closed)
    planned, done, ahead, left = budget.amounts
    spans = {"mes": slice(max(closed - 1, 0), closed), "ate": slice(closed)}
    booked, rest = (done + ahead).sum(axis=1), left.sum(axis=1)
    closed_months = {
        f"{name}_{key}": store_money(amounts[:, months].sum(axis=1), january)
        for name, months in spans.items()
        for key, amounts in (("orcado", planned), ("realizado", done), ("desvio", done - planned))
    }
    pairs = list(zip(*(amounts[:, :closed].sum(axis=1).tolist() for amounts in (planned, done)), strict=True))
    return {
        "categoria": view.once(name_rows),
        **closed_months,
        "desvio_pct": [deviate(then, now - then) if closed else None for then, now in pairs],
        "situacao": [
            _judge(key, then, now, minimum) if closed else None for key, (then, now) in zip(keys, pairs, strict=True)
        ],
        "ano_orcado": store_money(planned.sum(axis=1)),
        "realizado_e_contratado": store_money(booked),
        "saldo_a_contratar": store_money(rest),
        "projecao": store_money(booked + rest),
        "ano_desvio": store_money(booked + rest - planned.sum(axis=1)),
        "categoria_id": [key.categoria_id for key in keys],
        "realizado": store_money(done.sum(axis=1)),
        "contratado": store_money(ahead.sum(axis=1)),
        "orcada": [key.orcada for key in keys],
        "fora_resultado": [key.fora for key in keys],
    }


def _judge(key: BudgetKey, planned: int, done: int, minimum: int) -> str | None:
    if key.mista:
        return None
    if key.orcada:
        return classify_deviation(planned, done, minimum)
    return SEM_ORCAMENTO if abs(int(key.realizado.sum())) >= minimum else OK


def list_budgeted_months(view: View) -> Columns:
    """List what each category has in each month of D's year; null where the file has no row."""
    budget = view.budget
    planned, done, ahead, left = budget.amounts
    keys = [key for key in budget.chaves for _ in range(MONTHS)]
    original = np.array([key.original for key in budget.chaves], np.int64)
    has_original = np.array([key.tem_original for key in budget.chaves], bool)
    has_any = np.array([key.tem_vigente for key in budget.chaves], bool)
    return {
        "categoria_id": [key.categoria_id for key in keys],
        "categoria": [name for name in view.once(name_rows) for _ in range(MONTHS)],
        "orcada": [key.orcada for key in keys],
        "fora_resultado": [key.fora for key in keys],
        "mes": [*budget.meses] * len(budget.chaves),
        "original": store_money(original.ravel(), ~has_original.ravel()),
        "vigente": store_money(planned.ravel(), ~has_any.ravel()),
        "realizado": store_money(done),
        "contratado": store_money(ahead),
        "saldo_a_contratar": store_money(left),
        "projecao": store_money(done + ahead + left),
    }


def list_not_read(view: View) -> Columns:
    """List the amounts of the file that do not count, or the file as a whole."""
    refused = [each for each in view.facts.nao_lidos if each.arquivo.casefold().startswith(_PREFIX)]
    rows = [(each.linha, each.texto, each.motivo, each.valor) for each in refused]
    return list_columns(("linha", "texto", "motivo", "valor"), rows)


def name_columns(view: View) -> Mapping[str, str]:
    """Name the columns after the last closed month; beyond the last budgeted month it has no budget."""
    budget = view.budget
    month = month_label(budget.meses[budget.fechados - 1]) if budget.fechados else "Mês"
    budgeted = [month for key in budget.chaves for month in range(MONTHS) if key.tem_vigente[month]]
    has_budget = not budget.fechados or budget.fechados - 1 <= max(budgeted, default=MONTHS)
    return {
        "mes_orcado": f"{month} {'orçado' if has_budget else 'sem orçamento'}",
        "ate_orcado": f"Ano até {month.partition('/')[0]} orçado",
        "ate_realizado": "realizado",
        "categoria_id": "Id",
    }


def show_budget(view: View, tables: Tables) -> Section | None:
    """Print the tree, where there is a budget, or a file that was not read."""
    budget = view.budget
    if not budget.existe and not len(tables[NOT_READ.name].rows):
        return None
    empty = f"O orçamento não tem linhas de {budget.ano.year}"
    return replace(print_section(BUDGET, tables, view), outline=True, empty=empty)


BUDGET: Final = Print(
    "orcado",
    "R18: uma categoria orçada, ou sem orçamento",
    list_budget,
    keys=("categoria_id", "fora_resultado"),
    about={
        "situacao": "OK, Atenção, Crítico ou Não orçado; nula numa categoria mista e em janeiro",
        "realizado": "competência no ano e até a data-base",
    },
    headers=name_columns,
    widths={"categoria": 34, **dict.fromkeys(DEVIATIONS, 16)},  # "▼ R$ 1.234.567,89"
    alerts={**dict.fromkeys(DEVIATIONS, Alert.VARIACAO), "situacao": Alert.SITUACAO},
    dense=True,
    hidden=("realizado", "contratado", "orcada", "fora_resultado"),
    shown=("categoria_id",),
    title="Orçado x realizado",
    rows=print_lines,
    notes=(
        "Desvio: realizado - orçado; negativo é desfavorável, em receitas e em despesas.",
        "Desvio %: do orçado até o último mês fechado; «n/s» abaixo de R$ 100,00.",
        "Saldo a contratar: o que falta do orçado do mês em curso e dos seguintes; o de meses fechados não conta.",
        "Projeção: realizado + contratado + saldo a contratar.",
    ),
)
MONTHLY: Final = Print(
    "orcado_mensal",
    "R18: categoria e mês do ano da data-base",
    list_budgeted_months,
    keys=("categoria_id", "fora_resultado", "mes"),
    about={
        "realizado": "competência no mês e até a data-base",
        "contratado": "competência no mês e depois da data-base, pago ou não",
    },
    shown=("categoria_id",),
)
NOT_READ: Final = Print(
    "orcado_nao_lido",
    "R18: um valor do arquivo de orçamento que não conta, ou o arquivo todo",
    list_not_read,
    about={
        "linha": "linha do arquivo, o cabeçalho é a 1; nula quando se trata do arquivo todo",
        "valor": "valor como digitado; nulo onde não é um número",
    },
    kinds={"linha": Kind.INTEGER},
    widths={"texto": 60, "motivo": 40},
    title="Orçamento não lido",
    total=("valor",),
    optional=True,
)
SPEC: Final = ReportSpec(
    code="R18",
    name="orcado",
    title="Orçado x realizado",
    question="Estamos dentro do orçamento, e como o ano fecha?",
    family=Family.RESULT,
    tables=(BUDGET, MONTHLY, NOT_READ),
    sections=(show_budget, NOT_READ),
)
