"""The eight sheets of a closing, each headed by the month (S25): values that the writer of every workbook prints.

Belongs here: what stands on which sheet. Does not belong here: what a figure comes to (`lastro.closing.figures`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from lastro.analysis.comparatives import MONTH_TO_DAY
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import MARGINS, RESULTADO, find_sense
from lastro.analysis.percent_change import CompareRule
from lastro.analysis.tree import Vector, build_nodes
from lastro.calendar import ONE_DAY, month_end
from lastro.closing.content import WIDE, Closing, build_texts
from lastro.closing.figures import MEMO_LATER, MonthSpan, Sums
from lastro.closing.notes import build_closing_indicators, build_notes
from lastro.grid.cells import UNDEFINED, Value, decimal_or_undefined
from lastro.grid.pivot import build_total, list_rows
from lastro.grid.sections import MAX_LEVEL, Row, Section, Style
from lastro.grid.words import column_name, month_label
from lastro.grid.workbook import Family, Sheet
from lastro.money import format_amount, to_decimal
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r07_bridge import LINES
from lastro.reports.r19_comparatives import SPEC as R19
from lastro.reports.shared.levels import skip_levels
from lastro.transform.position import CLASSES, FAIXA_KEYS, FAIXAS, TRANSFERENCIAS
from lastro.transform.statements import ComparedStatement, find_statement_states

TOP: Final = 10
AGREES: Final = "confere"
CENTRES: Final = "dre_centros_periodo"
"""The table of R06 that at F is the month and the year by cost centre."""
SIDES: Final = {"a_receber": ("A receber", "R"), "a_pagar": ("A pagar", "P")}


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


def _build_cover(closing: Closing) -> Iterable[Section]:
    month, spans, names = closing.month, closing.spans, ("mes", "antes", "ano_antes")
    resultado = next(line for line in month.lines if line.codigo == RESULTADO)

    def cash(span: MonthSpan) -> int:
        return sum(v for (classe, _), v in month.sum_cash(span).items() if classe != TRANSFERENCIAS)

    def tell(text: str, amount: Callable[[MonthSpan], int | None], naturezas: str = "") -> Row:
        """Tell an indicator of each span, and what is budgeted of it: a budget is by competence (R18)."""
        now, *then = (decimal_or_undefined(amount(spans[name])) for name in names)
        asked = sum(centavos for _, natureza, centavos in closing.budget or () if natureza in naturezas)
        return Row((text, now, to_decimal(asked) if naturezas else UNDEFINED, *then))

    rows = [
        tell("Receita", month.sum_revenue, "R"),
        tell("Resultado", lambda span: month.add_line(resultado, month.sum_dre(span)), "RD"),
        tell("Geração de caixa", cash),
        tell("Saldo no fim do mês", lambda span: month.realised_balance(None, month_end(span.last))),
    ]
    keys, notes = ("indicador", "mes", "orcado", *names[1:]), tuple(_tell_balances(closing))
    yield closing.lay("capa", keys, rows, title="O mês em números", notes=notes)
    yield _show_answers(closing, "capa_ponte")
    yield build_texts("capa_razoes", "Por que mudou em relação ao ano anterior", _list_reasons(closing))
    empty = f"Sem comentário: escreva comentarios/{month.mes:%Y-%m}.txt"
    yield build_texts("capa_comentario", "Comentário", [text for text, _ in closing.comentario] or [empty])
    if closing.passos:
        before = month_label(spans["antes"].first)
        yield build_texts("capa_passos", f"Próximos passos, como ditos em {before}", closing.passos)


def _tell_balances(closing: Closing) -> Iterator[str]:
    """Say how many balances agree with a statement, and which do not."""
    view = closing.month.view
    states = find_statement_states(view.position, view.statements)
    agreed = sum(state.diferenca == 0 for state in states.values() if state.data is not None)
    flag = " Os saldos são variação: falta o extrato de alguma conta." if view.series.provisional else ""
    yield f"Saldos conferidos com o extrato: {agreed} de {len(view.series.accounts)}.{flag}"
    for conta_id, statement in _find_newest(closing).items():
        if (told := _say_checked(closing, statement)) != AGREES:
            difference = statement.diferenca if statement else None
            more = f", difere {format_amount(difference)}" if difference else ""
            yield f"{view.position.rotulos.conta(conta_id)}: {told}{more}."


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


def _build_dre(closing: Closing) -> Iterable[Section]:
    month, names = closing.month, ("mes", "antes", "ano_antes", "ano", "ano_ano_antes", "doze")
    keys = ("mes", "orcado", "desvio", "antes", "ano_antes", "var_mes", "ano", "ano_ano_antes", "var_ano", "doze")
    sums = {name: month.sum_dre(closing.spans[name]) for name in names}
    hidden = frozenset() if month.view.dre_map.margens else MARGINS
    rules = {
        name: CompareRule(sum(v for (group, _), v in sums[name].items() if group in ("receitas", "receita_bruta")))
        for name in ("ano_antes", "ano_ano_antes")
    }
    rows = []
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
    """Leave out what would print a row twice; columns of amounts tell rows apart."""
    figures = list(zip(*(section.cells_of(key, section.rows) for key in amounts), strict=True))
    kept = skip_levels([row.level for row in section.rows], [str(row.cells[0]) for row in section.rows], figures)
    rows = tuple(replace(section.rows[place], level=min(level, MAX_LEVEL)) for place, level, _ in kept)
    return replace(section, rows=rows, outline=True)


def _list_ends(closing: Closing, names: Sequence[str], *, opening: bool) -> list[Value]:
    """List the balance before or after each span."""
    spans = [closing.spans[name] for name in names]
    days = [span.first - ONE_DAY if opening else month_end(span.last) for span in spans]
    return [decimal_or_undefined(closing.month.realised_balance(None, day)) for day in days]


def _build_balances(closing: Closing) -> Iterable[Section]:
    month, shown = closing.month, _find_newest(closing)
    moved = month.sum_cash(closing.spans["mes"], "conta_id")
    rows = []
    for place, account in enumerate(month.view.series.accounts):
        ends = [month.realised_balance(place, day) for day in (month.mes - ONE_DAY, month.fim)]
        opening, end = map(decimal_or_undefined, ends)
        classes = [to_decimal(moved.get((classe, account.conta_id), 0)) for classe in CLASSES]
        statement = None if account.conta_id is None else shown[account.conta_id]
        checked = None if account.conta_id is None else _say_checked(closing, statement)
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


def _show_answers(closing: Closing, name: str) -> Section:
    """Print the bridge in five lines, net: what is outside the result opened by its largest categories (R07)."""
    *parts, cash = (Row((text, value), level=level) for text, value, level in closing.tell_answers())
    rows = (*parts, replace(cash, style=Style.TOTAL))
    return closing.lay(name, ("linha", "mes"), rows, WIDE, title="Do resultado ao caixa, em cinco linhas")


def _build_bridge(closing: Closing) -> Iterable[Section]:
    bridge, year = closing.bridge, closing.spans["ano"]
    yield _show_answers(closing, "ponte_resumo")
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
