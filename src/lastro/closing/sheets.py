"""The eight sheets of a closing, each headed by the month (S25): values that the writer of every workbook prints.

Belongs here: what stands on which sheet. Does not belong here: what a figure comes to (`lastro.closing.figures`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd

from lastro.analysis.bridge import build_bridge
from lastro.analysis.comparatives import MONTH_TO_DAY
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import DESPESAS, MARGINS, RECEITAS, RESULTADO, find_sense
from lastro.analysis.percent_change import CompareRule
from lastro.analysis.tree import Vector, build_nodes
from lastro.calendar import ONE_DAY, month_end
from lastro.closing.content import LABEL, WIDE, Closing, build_texts, money_column
from lastro.closing.figures import MEMO_LATER, MonthSpan, Sums
from lastro.closing.notes import build_closing_indicators, build_notes
from lastro.grid.cells import UNDEFINED, Kind, Value, decimal_or_undefined
from lastro.grid.pivot import build_total, list_rows
from lastro.grid.sections import MAX_LEVEL, Row, Section, Style, join_columns
from lastro.grid.tables import Column
from lastro.grid.words import MONTHS, month_label
from lastro.grid.workbook import Family, Sheet
from lastro.money import format_amount, to_decimal
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r07_bridge import LINES
from lastro.reports.r19_comparatives import SPEC as R19
from lastro.reports.shared.levels import skip_levels
from lastro.schema.values import TIPO_DESPESA, TIPO_RECEITA
from lastro.transform.position import CLASSES, FAIXA_KEYS, FAIXAS, TRANSFERENCIAS
from lastro.transform.statements import ComparedStatement, find_statement_states

_T = TypeVar("_T")
TOP: Final = 10
AGREES: Final = "confere"
PLANNED: Final = {"Receita": "R", "Resultado": "RD"}
"""What of the cover is budgeted, and of which naturezas: a budget is by competence (R18)."""
CENTRES: Final = "dre_centros_periodo"
"""The table of R06 that at F is the month and the year by cost centre."""
NATUREZAS: Final[Mapping[Any, str]] = {TIPO_RECEITA: "R", TIPO_DESPESA: "D"}
BY_NATUREZA: Final = {"R": RECEITAS, "D": DESPESAS}


def build_sheets(closing: Closing) -> tuple[Sheet, ...]:
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
    return tuple(Sheet(name, closing.title(name), tuple(build(closing)), family=Family.RESULT) for name, build in parts)


def _list_columns(closing: Closing, names: Sequence[str], width: int | None = None) -> tuple[Column, ...]:
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
    return tuple(money_column(headers[name], name, width) for name in names)


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

    figures: dict[str, list[int | None]] = {
        "Receita": [revenue(spans[name]) for name in names],
        "Resultado": [month.add_line(resultado, month.sum_dre(spans[name])) for name in names],
        "Geração de caixa": [cash(spans[name]) for name in names],
        "Saldo no fim do mês": [month.realised_balance(None, month_end(spans[name].last)) for name in names],
    }
    rows = []
    for text, amounts in figures.items():
        now, *then = map(decimal_or_undefined, amounts)
        sides = PLANNED.get(text, "")
        asked = sum(centavos for _, side, centavos in budget or () if side in sides)
        rows.append(Row((text, now, *_budgeted(budget, to_decimal(asked) if sides else UNDEFINED), *then)))
    first, *others = _list_columns(closing, names)
    columns = (
        Column("Indicador", Kind.TEXT, width=LABEL),
        first,
        *_budgeted(budget, money_column("Orçado", "orcado")),
        *others,
    )
    states = find_statement_states(month.view.position, month.view.statements)
    agreed = sum(state.diferenca == 0 for state in states.values() if state.data is not None)
    flag = " Os saldos são variação: falta o extrato de alguma conta." if month.view.series.provisional else ""
    notes = [f"Saldos conferidos com o extrato: {agreed} de {len(month.view.series.accounts)}.{flag}"]
    for conta_id, statement in _find_newest(closing).items():
        if (told := _say_checked(closing, statement)) != AGREES:
            difference = statement.diferenca if statement else None
            more = f", difere {format_amount(difference)}" if difference else ""
            notes.append(f"{month.view.position.rotulos.conta(conta_id)}: {told}{more}.")
    yield Section("capa", columns, tuple(rows), title="O mês em números", notes=tuple(notes))
    yield build_texts("capa_razoes", "Por que mudou em relação ao ano anterior", _list_reasons(closing))
    empty = f"Sem comentário: escreva comentarios/{month.mes:%Y-%m}.txt"
    said = [text for text, _ in closing.comentario] or [empty]
    yield build_texts("capa_comentario", "Comentário", said)
    if closing.passos:
        before = month_label(spans["antes"].first)
        yield build_texts("capa_passos", f"Próximos passos, como ditos em {before}", closing.passos)


def _find_newest(closing: Closing) -> dict[int, ComparedStatement | None]:
    """Find the newest statement of the month or before of each account; None without one."""
    view, end = closing.month.view, closing.month.fim
    newest = {each.conta_id: each for each in view.statements if each.dia <= end}
    return {
        account.conta_id: newest.get(account.conta_id)
        for account in view.series.accounts
        if account.conta_id is not None
    }


def _say_checked(closing: Closing, statement: ComparedStatement | None) -> str:
    """Say of which day the statement is that an account is held against, and that there is none of the month's end."""
    end = f"sem extrato em {closing.month.fim:%d/%m}"
    if statement is None:
        return end
    agreed = AGREES if statement.diferenca == 0 else "não confere"
    return agreed if statement.dia == closing.month.fim else f"{end}; em {statement.dia:%d/%m} {agreed}"


def _list_reasons(closing: Closing) -> list[str]:
    """List the five sentences of R19 that explain the month against last year's: the month to D is whole at F."""
    tables = {table.name: table for table in R19.build(closing.month.view).tables}
    rows = list_rows(tables["comparativo_explicacao"], ("par_id", "frase"))
    sentences = [str(frase) for par, frase in rows if par == MONTH_TO_DAY and frase]
    return sentences[:5] or ["Sem o mesmo mês do ano anterior não há comparação."]


def _list_budget(closing: Closing) -> list[tuple[str, str, int]] | None:
    """List what is budgeted for the month: line of the DRE, natureza (S5), centavos; None where nothing is (R18)."""
    view, position = closing.month.view, closing.month.view.position
    if not view.budget.chaves:
        return None
    known = {
        key: (group, NATUREZAS.get(tipo))
        for key, group, tipo in records_of(position.categorias, "categoria_id", "dre_grupo", "tipo_categoria_id")
    }
    lines = []
    for key in view.budget.chaves:
        if not key.fora and key.orcada:
            centavos = int(key.vigente[closing.month.mes.month - 1])
            group, natureza = known[key.categoria_id]
            natureza = natureza or ("R" if centavos >= 0 else "D")
            lines.append((group if view.dre_map.classificada else BY_NATUREZA[natureza], natureza, centavos))
    return lines


def _budgeted(budget: object, *cells: _T) -> tuple[_T, ...]:
    """Give the cells of a budget where there is one."""
    return () if budget is None else cells


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
        if line.codigo in hidden:
            rows.append(Row((line.texto, *[UNDEFINED] * (8 if budget is None else 10)), line.style))
            continue

        def change(now: str, then: str, own: Mapping[str, int] = own, codigo: str = line.codigo) -> Value:
            return rules[then].compare(own[now], own[then], find_sense(codigo)).cell

        planned = sum(centavos for group, _, centavos in budget or () if group in line.grupos)
        month_now, before, last_year, *years, twelve = (to_decimal(own[name]) for name in names)
        rows.append(
            Row(
                (
                    *(line.texto, month_now),
                    *_budgeted(budget, to_decimal(planned), to_decimal(own["mes"] - planned)),
                    *(before, last_year, change("mes", "ano_antes")),
                    *(*years, change("ano", "ano_ano_antes"), twelve),
                ),
                line.style,
            )
        )
        parts = _spread(line.codigo, sums, names) if line.grupo else {}
        for node in build_nodes(month.view.position.categorias, parts) if parts else ():
            now, before, then, year, year_then, twelve = (to_decimal(int(value)) for value in node.valores)
            cells = (node.label, now, *_budgeted(budget, None, None), before, then, None, year, year_then, None, twelve)
            rows.append(Row(cells, level=node.nivel + 1))
    month_columns = _list_columns(closing, names)
    columns = (
        Column("Linha", Kind.TEXT, width=LABEL),
        month_columns[0],
        *_budgeted(budget, money_column("Orçado", "orcado"), money_column("Desvio", "desvio")),
        *month_columns[1:3],
        Column("Var. %", Kind.PERCENT, key="var_mes"),
        *month_columns[3:5],
        Column("Var. %", Kind.PERCENT, key="var_ano"),
        month_columns[5],
    )
    aviso = month.view.dre_map.aviso
    amounts = [place for place, column in enumerate(columns) if column.key in names]
    yield Section(
        "dre",
        columns,
        _skip_levels(rows, amounts),
        title="DRE por competência",
        outline=True,
        notes=(f"{aviso}.",) if aviso else (),
    )
    yield from (section for section in R06.build(month.view).sections if section.name == CENTRES)


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
            Row((node.label, *(to_decimal(int(v)) for v in node.valores)), level=node.nivel + 1)
            for node in build_nodes(month.view.position.categorias, parts)
        ]
    rows.append(Row(("Saldo final", *_list_ends(closing, names, opening=False)), Style.TOTAL))
    columns = (Column("Categoria", Kind.TEXT, width=LABEL), *_list_columns(closing, names))
    notes = (
        "Saldo inicial + entradas + saídas + não operacional + transferências + saldos implantados = saldo final.",
    )
    yield Section(
        "fluxo",
        columns,
        _skip_levels(rows, range(1, len(columns))),
        title="Fluxo de caixa realizado",
        outline=True,
        notes=notes,
    )


def _skip_levels(rows: Sequence[Row], amounts: Sequence[int]) -> tuple[Row, ...]:
    """Leave out what would print a row twice; columns of amounts tell rows apart."""
    figures = [tuple(row.cells[place] for place in amounts) for row in rows]
    kept = skip_levels([row.level for row in rows], [str(row.cells[0]) for row in rows], figures)
    return tuple(replace(rows[place], level=min(level, MAX_LEVEL)) for place, level, _ in kept)


def _spread(group: str, sums: Mapping[str, Sums], names: Sequence[str]) -> dict[int | None, Vector]:
    """Give the categories of a group or class a vector of the spans each."""
    keys = {key for by_key in sums.values() for own, key in by_key if own == group}
    return {key: np.array([sums[name].get((group, key), 0) for name in names], np.int64) for key in keys}


def _list_ends(closing: Closing, names: Sequence[str], *, opening: bool) -> list[Value]:
    """List the balance before or after each span."""
    spans = [closing.spans[name] for name in names]
    days = [span.first - ONE_DAY if opening else month_end(span.last) for span in spans]
    return [decimal_or_undefined(closing.month.realised_balance(None, day)) for day in days]


def _build_balances(closing: Closing) -> Iterable[Section]:
    month, view = closing.month, closing.month.view
    span = closing.spans["mes"]
    cash = month.cash
    inside = cash[(cash["mes_caixa"].dt.date == span.first)]
    keys = inside["conta_id"].astype("Int64")
    parts = pd.DataFrame({"conta_id": keys, "classe": inside["classe"], "valor": inside["valor_centavos"]})
    sums = parts.groupby(["conta_id", "classe"], dropna=False, as_index=False).agg(valor=("valor", "sum"))
    moved = {(key, classe): int(value) for key, classe, value in records_of(sums, "conta_id", "classe", "valor")}
    accounts = view.series.accounts
    shown = _find_newest(closing)
    statements = [None if account.conta_id is None else shown[account.conta_id] for account in accounts]

    def balances(day: date) -> list[Value]:
        return [decimal_or_undefined(month.realised_balance(place, day)) for place in range(len(accounts))]

    columns, rows = join_columns(
        (
            (Column("Conta", Kind.TEXT, width=LABEL), [account.descricao for account in accounts]),
            (money_column("Saldo inicial", "saldo_inicial"), balances(month.mes - ONE_DAY)),
            *(
                (
                    Column(classe, Kind.MONEY, dense=True),
                    [to_decimal(moved.get((account.conta_id, classe), 0)) for account in accounts],
                )
                for classe in CLASSES
            ),
            (money_column(f"Saldo em {month.fim:%d/%m}", "saldo_final"), balances(month.fim)),
            (
                money_column("Extrato", "extrato"),
                [statement.extrato if statement else None for statement in statements],
            ),
            (
                money_column("Diferença", "diferenca"),
                [statement.diferenca if statement else None for statement in statements],
            ),
            (
                Column("Conferência", Kind.TEXT, width=WIDE),
                [
                    None if account.conta_id is None else _say_checked(closing, statement)
                    for account, statement in zip(accounts, statements, strict=True)
                ],
            ),
        )
    )
    whole = build_total(columns, rows, "Total", only=[column.key for column in columns[1:7]])
    yield Section("saldos", columns, (*rows, whole), title="Contas")


def _build_open_items(closing: Closing) -> Iterable[Section]:
    values = {(block, key): value for block, key, _, value in closing.month.list_all()}
    sides = (("a_receber", "A receber", "R"), ("a_pagar", "A pagar", "P"))
    columns = (Column("Faixa", Kind.TEXT, width=LABEL), *(money_column(text, block, WIDE) for block, text, _ in sides))
    rows = [
        Row((text, *(values[block, key] for block, _, _ in sides)))
        for key, text in zip(FAIXA_KEYS, FAIXAS, strict=True)
    ]
    total = build_total(columns, rows, "Total")
    later = Row(
        ("Já lançado, de competência posterior (memo)", *(values[block, MEMO_LATER] for block, _, _ in sides)),
        Style.MEMO,
    )
    yield Section("abertos", columns, (*rows, total, later), title=f"Em aberto em {closing.month.fim:%d/%m/%Y}")
    items, labels = closing.month.open_items, closing.month.view.position.rotulos
    for block, text, side in sides:
        own = items[(items["lado"] == side) & ~items["depois"]]
        people = own.groupby("pessoa_id", dropna=False, as_index=False).agg(valor=("valor_centavos", "sum"))
        people_sums = sorted(
            records_of(people, "pessoa_id", "valor"), key=lambda person: (-abs(person[1]), person[0] or 0)
        )[:TOP]
        yield Section(
            f"{block}_pessoas",
            (Column("Pessoa", Kind.TEXT, width=LABEL), money_column("Valor", "valor")),
            tuple(Row((labels.pessoa(person), to_decimal(int(value)))) for person, value in people_sums),
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
    columns = (Column("Linha", Kind.TEXT, width=LABEL), *_list_columns(closing, ("mes", "ano"), WIDE))
    yield Section("ponte", columns, tuple(rows), title="Do resultado ao caixa")
    identity = [Row((text, to_decimal(value))) for _, text, value in closing.month.list_identity()]
    yield Section(
        "identidade",
        (Column("Até o fim do mês", Kind.TEXT, width=LABEL), money_column("Acumulado", "acumulado")),
        (*identity[:-1], Row(identity[-1].cells, Style.TOTAL)),
        title="Resultado acumulado ao caixa acumulado (V40)",
        notes=("Transferências em nenhuma; o que é fora do resultado, só em não operacional.",),
    )
