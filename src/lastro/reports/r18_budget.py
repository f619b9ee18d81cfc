"""R18 Orçado x realizado: are we within the budget, and how does the year close?

Of the budget in the folder of what people type; without one the tables are empty and stand on no sheet. A category
answers for amounts that is budgeted itself, or has amounts and no budgeted category above it. The sheet prints them as
the tree of R04: parents add up what is below them, and the budget that a parent has of its own stands as "(demais)".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.budget import MONTHS, OK, SEM_ORCAMENTO, BudgetKey, classify_deviation
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Section
from lastro.grid.storage import store_money
from lastro.grid.tables import Alert
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import to_centavos
from lastro.reports.printing import Tables, print_section
from lastro.reports.r18_tree import DEVIATIONS, deviate, name_rows, print_lines
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

_PREFIX: Final = "entrada/orcamento."
"""What the names of budget files begin with."""


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
