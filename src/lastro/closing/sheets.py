"""The eight sheets of a closing, each headed by the month (S25): values that the writer of every workbook prints.

Belongs here: what stands on which sheet. Does not belong here: what a figure comes to (`lastro.closing.figures`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

import numpy as np
import pandas as pd

from lastro.analysis.bridge import build_bridge
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import MARGINS, RESULTADO, find_sense
from lastro.analysis.percent_change import CompareRule
from lastro.analysis.tree import Vector, build_nodes
from lastro.calendar import ONE_DAY, month_end
from lastro.closing.content import Closing, build_texts, money_column
from lastro.closing.figures import MEMO_LATER, MonthSpan, Sums
from lastro.closing.notes import build_closing_indicators, build_notes
from lastro.grid.cells import UNDEFINED, Kind, Value
from lastro.grid.model import MAX_LEVEL, Column, Family, Report, Row, Section, Style
from lastro.grid.pivot import list_rows
from lastro.grid.words import MONTHS, month_label
from lastro.money import to_decimal
from lastro.reports.r07_bridge import LINES
from lastro.reports.r19_comparatives import build_r19
from lastro.transform.position import CLASSES, FAIXA_KEYS, FAIXAS, TRANSFERENCIAS
from lastro.transform.statements import find_statement_states

TOP: Final = 10
MONTH_TO_F: Final = "mes_ate_d"
"""The pair of R19 that at F is the whole month against last year's."""


def build_sheets(closing: Closing) -> tuple[Report, ...]:
    """Build the eight sheets in order."""
    parts: tuple[tuple[str, Callable[[Closing], Iterable[Section]]], ...] = (
        ("Capa", _build_cover),
        ("DRE", _build_dre),
        ("Fluxo do mês", _build_cash),
        ("Saldos", _build_balances),
        ("A receber e a pagar", _build_open_items),
        ("Ponte", _build_bridge),
        ("Indicadores", build_closing_indicators),
        ("Notas", build_notes),
    )
    return tuple(
        Report("S25", name, closing.title(name), tuple(build(closing)), family=Family.RESULT) for name, build in parts
    )


def _list_columns(closing: Closing, names: Sequence[str]) -> tuple[Column, ...]:
    """Name the columns of spans."""
    mes = closing.month.mes
    month, then = MONTHS[mes.month - 1], month_label(closing.spans["ano_antes"].first)
    headers = {
        "mes": closing.label,
        "antes": month_label(closing.spans["antes"].first),
        "ano_antes": then,
        "ano": f"Ano até {month}/{mes.year % 100:02d}",
        "ano_ano_antes": f"Ano até {then}",
        "doze": "12 meses",
    }
    return tuple(money_column(headers[name], name) for name in names)


def _build_cover(closing: Closing) -> Iterable[Section]:
    month, spans = closing.month, closing.spans
    budget = _list_budget(closing)
    resultado = next(line for line in month.lines if line.codigo == RESULTADO)
    names = ("mes", "antes", "ano_antes")

    def revenue(span: MonthSpan) -> int:
        frame = month.dre
        inside = (frame["mes_competencia"].dt.date >= span.first) & (frame["mes_competencia"].dt.date <= span.last)
        earned = inside & (frame["natureza"] == "R") & ~frame["fora_resultado"]
        return int(frame.loc[earned, "valor_centavos"].sum())

    def cash(span: MonthSpan) -> int:
        return sum(v for (classe, _), v in month.sum_cash(span).items() if classe != TRANSFERENCIAS)

    balances = [month.find_balance(None, month_end(spans[name].last)) for name in names]
    rows = [
        ("Receita", *(to_decimal(revenue(spans[name])) for name in names), None),
        (
            "Resultado",
            *(to_decimal(month.add_line(resultado, month.sum_dre(spans[name]))) for name in names),
            None if budget is None else to_decimal(sum(budget.values())),
        ),
        ("Geração de caixa", *(to_decimal(cash(spans[name])) for name in names), None),
        ("Saldo no fim do mês", *(None if one is None else to_decimal(one) for one in balances), None),
    ]
    columns = (
        Column("Indicador", Kind.TEXT, width=34),
        *_list_columns(closing, names),
        money_column("Orçado", "orcado"),
    )
    states = find_statement_states(month.view.position, month.view.statements)
    agreed = sum(one.diferenca == 0 for one in states.values() if one.data is not None)
    flag = " Os saldos são variação: falta o extrato de alguma conta." if month.view.series.provisional else ""
    notes = (f"Saldos conferidos com o extrato: {agreed} de {len(month.view.series.accounts)}.{flag}",)
    yield Section("capa", columns, tuple(Row(row) for row in rows), title="O mês em números", notes=notes)
    yield build_texts("capa_razoes", "Por que mudou em relação ao ano anterior", _list_reasons(closing))
    empty = f"Sem comentário: escreva comentarios/{month.mes:%Y-%m}.txt"
    said = [text for text, _ in closing.comentario] or [empty]
    yield build_texts("capa_comentario", "Comentário", said)
    if closing.passos:
        before = month_label(spans["antes"].first)
        yield build_texts("capa_passos", f"Próximos passos, como ditos em {before}", closing.passos)


def _list_reasons(closing: Closing) -> list[str]:
    """List the five sentences of R19 that explain the month against last year's."""
    tables = {table.name: table for table in build_r19(closing.month.view).tables}
    rows = list_rows(tables["comparativo_explicacao"], ("par_id", "frase"))
    found = [str(frase) for par, frase in rows if par == MONTH_TO_F and frase]
    return found[:5] or ["Sem o mesmo mês do ano anterior não há comparação."]


def _list_budget(closing: Closing) -> dict[str, int] | None:
    """Add what is budgeted for the month by group of the DRE, in centavos; None where nothing is (R18)."""
    position = closing.month.view.position
    budget = closing.month.view.budget
    if not budget.chaves:
        return None
    groups = dict(zip(position.categorias["categoria_id"], position.categorias["dre_grupo"], strict=True))
    tipos = dict(zip(position.categorias["categoria_id"], position.categorias["tipo_categoria_id"], strict=True))
    classified = closing.month.view.dre_map.classificada
    found: dict[str, int] = {}
    for key in budget.chaves:
        if not key.fora and key.orcada:
            centavos = int(key.vigente[closing.month.mes.month - 1])
            side = "despesas" if tipos.get(key.categoria_id) == 1 or centavos < 0 else "receitas"
            group = str(groups.get(key.categoria_id)) if classified else side
            found[group] = found.get(group, 0) + centavos
    return found


def _build_dre(closing: Closing) -> Iterable[Section]:
    month = closing.month
    names = ("mes", "antes", "ano_antes", "ano", "ano_ano_antes", "doze")
    sums = {name: month.sum_dre(closing.spans[name]) for name in names}
    budget = _list_budget(closing)
    hidden = frozenset() if month.view.dre_map.margens else MARGINS
    rules = {
        name: CompareRule(sum(v for (group, _), v in sums[name].items() if group in ("receitas", "receita_bruta")))
        for name in ("ano_antes", "ano_ano_antes")
    }
    rows = []
    for line in month.lines:
        own = {name: month.add_line(line, sums[name]) for name in names}
        planned = None if budget is None else sum(v for group, v in budget.items() if group in line.grupos)
        if line.codigo in hidden:
            rows.append(Row((line.texto, *[UNDEFINED] * 10), line.style))
            continue

        def change(now: str, then: str, own: Mapping[str, int] = own, codigo: str = line.codigo) -> Value:
            return rules[then].compare(own[now], own[then], find_sense(codigo)).cell

        rows.append(
            Row(
                (
                    line.texto,
                    to_decimal(own["mes"]),
                    *((None, None) if planned is None else (to_decimal(planned), to_decimal(own["mes"] - planned))),
                    to_decimal(own["antes"]),
                    to_decimal(own["ano_antes"]),
                    change("mes", "ano_antes"),
                    to_decimal(own["ano"]),
                    to_decimal(own["ano_ano_antes"]),
                    change("ano", "ano_ano_antes"),
                    to_decimal(own["doze"]),
                ),
                line.style,
            )
        )
        parts = _spread(line.codigo, sums, names) if line.grupo else {}
        for node in build_nodes(month.view.position.categorias, parts) if parts else ():
            now, before, then, year, year_then, twelve = (to_decimal(int(value)) for value in node.valores)
            cells: tuple[Value, ...] = (node.label, now, None, None, before, then, None, year, year_then, None, twelve)
            rows.append(Row(cells, level=min(node.nivel + 1, MAX_LEVEL)))
    month_columns = _list_columns(closing, names)
    columns = (
        Column("Linha", Kind.TEXT, width=38),
        month_columns[0],
        money_column("Orçado", "orcado"),
        money_column("Desvio", "desvio"),
        *month_columns[1:3],
        Column("Var. %", Kind.PERCENT, key="var_mes"),
        *month_columns[3:5],
        Column("Var. %", Kind.PERCENT, key="var_ano"),
        month_columns[5],
    )
    aviso = month.view.dre_map.aviso
    yield Section(
        "dre", columns, tuple(rows), title="DRE por competência", outline=True, notes=(f"{aviso}.",) if aviso else ()
    )


def _build_cash(closing: Closing) -> Iterable[Section]:
    month = closing.month
    names = ("mes", "antes", "ano_antes", "ano", "doze")
    sums = {name: month.sum_cash(closing.spans[name]) for name in names}
    rows = [Row(("Saldo inicial", *_list_ends(closing, names, opening=True)), Style.SUBTOTAL)]
    for classe in CLASSES:
        parts = _spread(classe, sums, names)
        totals = [sum(v for (group, _), v in sums[name].items() if group == classe) for name in names]
        rows.append(Row((classe, *map(to_decimal, totals)), Style.SECTION))
        if classe == TRANSFERENCIAS or not parts:
            continue
        rows += [
            Row((node.label, *(to_decimal(int(v)) for v in node.valores)), level=min(node.nivel + 1, MAX_LEVEL))
            for node in build_nodes(month.view.position.categorias, parts)
        ]
    rows.append(Row(("Saldo final", *_list_ends(closing, names, opening=False)), Style.TOTAL))
    columns = (Column("Categoria", Kind.TEXT, width=38), *_list_columns(closing, names))
    notes = (
        "Saldo inicial + entradas + saídas + não operacional + transferências + saldos implantados = saldo final.",
    )
    yield Section("fluxo", columns, tuple(rows), title="Fluxo de caixa realizado", outline=True, notes=notes)


def _spread(group: str, sums: Mapping[str, Sums], names: Sequence[str]) -> dict[int | None, Vector]:
    """Give the categories of a group or class a vector of the spans each."""
    keys = {key for one in sums.values() for own, key in one if own == group}
    return {key: np.array([sums[name].get((group, key), 0) for name in names], np.int64) for key in keys}


def _list_ends(closing: Closing, names: Sequence[str], *, opening: bool) -> list[Value]:
    """List the balance before or after each span."""
    found: list[Value] = []
    for name in names:
        span = closing.spans[name]
        balance = closing.month.find_balance(None, span.first - ONE_DAY if opening else month_end(span.last))
        found.append(UNDEFINED if balance is None else to_decimal(balance))
    return found


def _build_balances(closing: Closing) -> Iterable[Section]:
    month, view = closing.month, closing.month.view
    span = closing.spans["mes"]
    cash = month.cash
    inside = cash[(cash["mes_caixa"].dt.date == span.first)]
    keys = inside["conta_id"].astype("Int64")
    parts = pd.DataFrame({"conta_id": keys, "classe": inside["classe"], "valor": inside["valor_centavos"]})
    sums = parts.groupby(["conta_id", "classe"], dropna=False, as_index=False).agg(valor=("valor", "sum"))
    moved = {(key, classe): int(value) for key, classe, value in records_of(sums, "conta_id", "classe", "valor")}
    shown = {one.conta_id: one for one in view.statements if one.dia == month.fim}
    rows = []
    for number, account in enumerate(view.series.accounts):
        begin, end = month.find_balance(number, month.mes - ONE_DAY), month.find_balance(number, month.fim)
        statement = shown.get(account.conta_id) if account.conta_id is not None else None
        rows.append(
            Row(
                (
                    account.descricao,
                    UNDEFINED if begin is None else to_decimal(begin),
                    *(to_decimal(moved.get((account.conta_id, classe), 0)) for classe in CLASSES),
                    UNDEFINED if end is None else to_decimal(end),
                    None if statement is None else statement.extrato,
                    None if statement is None else statement.diferenca,
                )
            )
        )
    columns = (
        Column("Conta", Kind.TEXT, width=30),
        money_column("Saldo inicial", "saldo_inicial"),
        *(money_column(classe, classe.casefold().replace(" ", "_")) for classe in CLASSES),
        money_column(f"Saldo em {month.fim:%d/%m}", "saldo_final"),
        money_column("Extrato", "extrato"),
        money_column("Diferença", "diferenca"),
    )
    whole = Row(("Total", *(_add_cells(rows, place) for place in range(1, 7)), None, None), Style.TOTAL)
    yield Section("saldos", columns, (*rows, whole), title="Contas")


def _add_cells(rows: Sequence[Row], place: int) -> Decimal:
    values = (row.cells[place] for row in rows)
    return sum((value for value in values if isinstance(value, Decimal)), Decimal("0.00"))


def _build_open_items(closing: Closing) -> Iterable[Section]:
    values = {(block, key): value for block, key, _, value in closing.month.list_all()}
    sides = (("a_receber", "A receber", "R"), ("a_pagar", "A pagar", "P"))
    columns = (Column("Faixa", Kind.TEXT, width=38), *(money_column(text, block) for block, text, _ in sides))
    rows = [
        Row((text, *(values[block, key] for block, _, _ in sides)))
        for key, text in zip(FAIXA_KEYS, FAIXAS, strict=True)
    ]
    total = Row(("Total", *(_add_cells(rows, place) for place in (1, 2))), Style.TOTAL)
    later = Row(
        ("Já lançado, de competência posterior (memo)", *(values[block, MEMO_LATER] for block, _, _ in sides)),
        Style.MEMO,
    )
    yield Section("abertos", columns, (*rows, total, later), title=f"Em aberto em {closing.month.fim:%d/%m/%Y}")
    items, labels = closing.month.open_items, closing.month.view.position.rotulos
    for block, text, side in sides:
        own = items[(items["lado"] == side) & ~items["depois"]]
        people = own.groupby("pessoa_id", dropna=False, as_index=False).agg(valor=("valor_centavos", "sum"))
        found = sorted(records_of(people, "pessoa_id", "valor"), key=lambda one: (-abs(one[1]), one[0] or 0))[:TOP]
        yield Section(
            f"{block}_pessoas",
            (Column("Pessoa", Kind.TEXT, width=38), money_column("Valor", "valor")),
            tuple(Row((labels.pessoa(person), to_decimal(int(value)))) for person, value in found),
            title=f"{text}: os {TOP} maiores",
            empty="Nada em aberto",
        )


def _build_bridge(closing: Closing) -> Iterable[Section]:
    bridge = build_bridge(closing.month.view.position)
    year = closing.spans["ano"]
    rows = []
    for letter, text in LINES.items():
        months = bridge[letter]
        own = months.get(closing.month.mes, 0)
        whole = sum(centavos for month, centavos in months.items() if year.first <= month <= year.last)
        style = (
            Style.TOTAL if text.startswith("= Variação") else Style.SUBTOTAL if text.startswith("=") else Style.NORMAL
        )
        rows.append(Row((text, to_decimal(own), to_decimal(whole)), style))
    columns = (Column("Linha", Kind.TEXT, width=52), *_list_columns(closing, ("mes", "ano")))
    yield Section("ponte", columns, tuple(rows), title="Do resultado ao caixa")
    identity = [Row((text, to_decimal(value))) for _, text, value in closing.month.list_identity()]
    yield Section(
        "identidade",
        (Column("Até o fim do mês", Kind.TEXT, width=52), money_column("Acumulado", "acumulado")),
        (*identity[:-1], Row(identity[-1].cells, Style.TOTAL)),
        title="Resultado acumulado ao caixa acumulado (V40)",
        notes=("Transferências em nenhuma; o que é fora do resultado, só em não operacional.",),
    )
