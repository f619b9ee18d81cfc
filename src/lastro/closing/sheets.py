"""The eight sheets of a closing, each headed by the month (S25): values that the writer of every workbook prints.

Belongs here: what stands on which sheet. Does not belong here: what a figure comes to (`lastro.closing.figures`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import MARGINS, find_sense
from lastro.analysis.percent_change import CompareRule
from lastro.analysis.tree import Vector, build_nodes
from lastro.calendar import ONE_DAY, month_end
from lastro.closing.content import WIDE, Closing
from lastro.closing.figures import MEMO_LATER, REVENUE_GROUPS, Sums
from lastro.closing.front import UNNAMED, build_front, draw_months, say_checked, show_answers, take_newest
from lastro.closing.notes import build_closing_indicators, build_notes
from lastro.grid.cells import UNDEFINED, Value, decimal_or_undefined
from lastro.grid.pivot import build_total
from lastro.grid.sections import MAX_LEVEL, Row, Section, Style
from lastro.grid.words import column_name
from lastro.grid.workbook import Family, Sheet
from lastro.money import to_decimal
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r07_bridge import LINES
from lastro.reports.shared.levels import skip_levels
from lastro.transform.position import CLASSES, FAIXA_KEYS, FAIXAS, TRANSFERENCIAS

TOP: Final = 10
AGREES: Final = "confere"
MOST_ROWS: Final = 60
"""Rows of a tree that a page has room for."""
CENTRES: Final = "dre_centros_periodo"
"""The table of R06 that at F is the month and the year by cost centre."""
SIDES: Final = {"a_receber": ("A receber", "R"), "a_pagar": ("A pagar", "P")}


def build_sheets(closing: Closing) -> tuple[Sheet, ...]:
    """Build the eight sheets in order, of ten pages at most: each fits the width of one."""
    parts: tuple[tuple[str, Callable[[Closing], Iterable[Section]], int], ...] = (
        ("Capa", build_front, 1),
        ("DRE", _build_dre, 2),
        ("Fluxo do mês", _build_cash, 1),
        ("Saldos", _build_balances, 1),
        ("A receber e a pagar", _build_open_items, 1),
        ("Ponte", _build_bridge, 1),
        ("Indicadores", build_closing_indicators, 1),
        ("Notas", build_notes, 2),
    )
    return tuple(
        Sheet(
            name,
            closing.title(name),
            tuple(build(closing)),
            draw_months(closing) if name == "Capa" else (),
            Family.RESULT,
            pages=pages,
        )
        for name, build, pages in parts
    )


def _build_dre(closing: Closing) -> Iterable[Section]:
    month, names = closing.month, ("mes", "antes", "ano_antes", "ano", "ano_ano_antes", "doze")
    keys = ("mes", "orcado", "desvio", "antes", "ano_antes", "var_mes", "ano", "ano_ano_antes", "var_ano", "doze")
    sums = {name: month.sum_dre(closing.spans[name]) for name in names}
    hidden = frozenset() if month.view.dre_map.margens else MARGINS
    rules = {
        name: CompareRule(sum(v for (group, _), v in sums[name].items() if group in REVENUE_GROUPS))
        for name in ("ano_antes", "ano_ano_antes")
    }
    rows = _list_revenue(closing, names, keys)
    for line in month.lines:
        if line.codigo in hidden:
            rows.append(Row((line.texto, *[UNDEFINED] * len(keys)), line.style))
            continue
        own = {name: month.add_line(line, sums[name]) for name in names}
        own["orcado"] = sum(centavos for group, _, centavos in closing.budget or () if group in line.grupos)
        own["desvio"] = own["mes"] - own["orcado"]
        cells: dict[str, Value] = {key: to_decimal(centavos) for key, centavos in own.items()}
        for key, now, then in (("var_mes", "mes", "ano_antes"), ("var_ano", "ano", "ano_ano_antes")):
            cells[key] = rules[then].compare(own[now], own[then], find_sense(line.codigo)).cell
        rows.append(Row((line.texto, *(cells[key] for key in keys)), line.style))
        rows += _list_nodes(closing, line.codigo if line.grupo else "", sums, keys)
    aviso = month.view.dre_map.aviso
    yield _outline(
        closing.lay("dre", ("linha", *keys), rows, title="DRE por competência", notes=(f"{aviso}.",) if aviso else ()),
        names,
    )
    yield from (section for section in R06.build(month.view).sections if section.name == CENTRES)


def _list_revenue(closing: Closing, names: Sequence[str], keys: Sequence[str]) -> list[Row]:
    """List the revenue of the cover above the lines where some of it has no category and is in none of the first."""
    sums = [{name: to_decimal(add(closing.spans[name])) for name in names} for add in (
        closing.month.sum_revenue, closing.month.sum_unnamed)]  # fmt: skip
    if not any(sums[1].values()):
        return []
    whole, unnamed = ([of.get(key) for key in keys] for of in sums)
    return [Row(("Receita", *whole), Style.SUBTOTAL), Row((UNNAMED, *unnamed), level=1)]


def _build_cash(closing: Closing) -> Iterable[Section]:
    month, names = closing.month, ("mes", "antes", "ano_antes", "ano", "doze")
    sums = {name: month.sum_cash(closing.spans[name]) for name in names}
    rows = [Row(("Saldo inicial", *_list_ends(closing, names, opening=True)), Style.SUBTOTAL)]
    for classe in CLASSES:
        totals = [sum(v for (group, _), v in sums[name].items() if group == classe) for name in names]
        rows.append(Row((classe, *map(to_decimal, totals)), Style.SECTION))
        if classe != TRANSFERENCIAS:
            rows += _list_nodes(closing, classe, sums, names)
    rows.append(Row(("Saldo final", *_list_ends(closing, names, opening=False)), Style.TOTAL))
    notes = (
        "Saldo inicial + entradas + saídas + não operacional + transferências + saldos implantados = saldo final.",
    )
    section = closing.lay("fluxo", ("categoria", *names), rows, title="Fluxo de caixa realizado", notes=notes)
    yield _outline(section, names)


def _list_nodes(closing: Closing, group: str, sums: Mapping[str, Sums], keys: Sequence[str]) -> Iterator[Row]:
    """List the categories of a group or class below it; only spans have their figures."""
    known = {key for by_key in sums.values() for own, key in by_key if own == group}
    parts: dict[int | None, Vector] = {
        key: np.array([by_key.get((group, key), 0) for by_key in sums.values()], np.int64) for key in known
    }
    for node in build_nodes(closing.month.view.position.categorias, parts) if parts else ():
        values = {name: to_decimal(int(value)) for name, value in zip(sums, node.valores, strict=True)}
        yield Row((node.label, *map(values.get, keys)), level=node.nivel + 1)


def _outline(section: Section, amounts: Sequence[str]) -> Section:
    """Leave out what would print a row twice, by its amounts; deep levels are folded so that it fits a page."""
    figures = list(zip(*(section.cells_of(key, section.rows) for key in amounts), strict=True))
    kept = skip_levels([row.level for row in section.rows], [str(row.cells[0]) for row in section.rows], figures)
    rows = tuple(replace(section.rows[place], level=min(level, MAX_LEVEL)) for place, level, _ in kept)
    shown = (level for level in (2, 1, 0) if sum(row.level <= level for row in rows) <= MOST_ROWS)
    return replace(section, rows=rows, outline=True, open_level=next(shown, 0))


def _list_ends(closing: Closing, names: Sequence[str], *, opening: bool) -> list[Value]:
    """List the balance before or after each span."""
    spans = [closing.spans[name] for name in names]
    days = [span.first - ONE_DAY if opening else month_end(span.last) for span in spans]
    return [decimal_or_undefined(closing.month.realised_balance(None, day)) for day in days]


def _build_balances(closing: Closing) -> Iterable[Section]:
    month, shown = closing.month, take_newest(closing)
    moved = month.sum_cash(closing.spans["mes"], "conta_id")
    rows = []
    for place, account in enumerate(month.view.series.accounts):
        ends = [month.realised_balance(place, day) for day in (month.mes - ONE_DAY, month.fim)]
        opening, end = map(decimal_or_undefined, ends)
        classes = [to_decimal(moved.get((classe, account.conta_id), 0)) for classe in CLASSES]
        statement = None if account.conta_id is None else shown[account.conta_id]
        checked = None if account.conta_id is None else say_checked(closing, statement)
        told = (statement.extrato, statement.diferenca) if statement else (None, None)
        rows.append(Row((account.descricao, opening, *classes, end, *told, checked)))
    added = ("saldo_inicial", *map(column_name, CLASSES), "saldo_final")
    section = closing.lay("saldos", ("conta", *added, "extrato", "diferenca", "conferencia"), rows, title="Contas")
    yield replace(section, rows=(*rows, build_total(section.columns, rows, "Total", only=added)))


def _build_open_items(closing: Closing) -> Iterable[Section]:
    month, keys = closing.month, ("faixa", *SIDES)
    values = {(block, key): value for block, key, _, value in month.list_all()}
    told = dict(zip((*FAIXA_KEYS, MEMO_LATER), (*FAIXAS, "Já lançado, de competência posterior (memo)"), strict=True))
    *rows, later = (Row((text, *(values[block, key] for block in SIDES))) for key, text in told.items())
    section = closing.lay("abertos", keys, rows, WIDE, title=f"Em aberto em {month.fim:%d/%m/%Y}")
    total = build_total(section.columns, rows, "Total")
    yield replace(section, rows=(*rows, total, replace(later, style=Style.MEMO)))
    items, labels = month.open_items, month.view.position.rotulos
    for block, (text, side) in SIDES.items():
        own = items[(items["lado"] == side) & ~items["depois"]]
        people = own.groupby("pessoa_id", dropna=False)["valor_centavos"].sum().reset_index()
        sums = sorted(records_of(people, *people.columns), key=lambda person: (-abs(person[1]), person[0] or 0))
        listed = [Row((labels.pessoa(person), to_decimal(int(value)))) for person, value in sums[:TOP]]
        title = f"{text}: os {TOP} maiores"
        yield closing.lay(f"{block}_pessoas", ("pessoa", "valor"), listed, title=title, empty="Nada em aberto")


def _build_bridge(closing: Closing) -> Iterable[Section]:
    bridge, year = closing.bridge, closing.spans["ano"]
    yield show_answers(closing, "ponte_resumo")
    rows = []
    for letter, text in LINES.items():
        months = bridge[letter]
        whole = sum(centavos for month, centavos in months.items() if year.first <= month <= year.last)
        style = Style.SUBTOTAL if text.startswith("=") else Style.NORMAL
        style = Style.TOTAL if text.startswith("= Variação") else style
        rows.append(Row((text, to_decimal(months.get(closing.month.mes, 0)), to_decimal(whole)), style))
    yield closing.lay("ponte", ("linha", "mes", "ano"), rows, WIDE, title="Letra por letra (R07)")
    *parts, cash = (Row((text, to_decimal(value))) for _, text, value in closing.month.list_identity())
    yield closing.lay(
        "identidade",
        ("ate_o_fim_do_mes", "acumulado"),
        (*parts, replace(cash, style=Style.TOTAL)),
        title="Resultado acumulado ao caixa acumulado (V40)",
        notes=("Transferências em nenhuma; o que é fora do resultado, só em não operacional.",),
    )
