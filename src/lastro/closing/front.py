"""The first page of a closing: the month in numbers, why it is so, two charts, and who signs (S25)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

from lastro.analysis.comparatives import MONTH_TO_DAY
from lastro.analysis.income_statement import RESULTADO
from lastro.calendar import add_months, month_end
from lastro.closing.content import Closing, build_texts
from lastro.closing.figures import REVENUE_GROUPS, ClosedMonth, MonthSpan
from lastro.grid.cells import UNDEFINED, decimal_or_undefined
from lastro.grid.charts import BALANCE_COLOUR, IN_COLOUR, Chart, ChartKind, Series, keep_drawable
from lastro.grid.pivot import list_rows
from lastro.grid.sections import Row, Section, Style
from lastro.grid.words import month_label
from lastro.money import decimal_or_none, format_amount, to_decimal
from lastro.reports.r19_comparatives import SPEC as R19
from lastro.transform.position import TRANSFERENCIAS
from lastro.transform.statements import ComparedStatement, find_statement_states

AGREES: Final = "confere"
UNNAMED: Final = "sem categoria (Outras, na DRE)"
SIGNATURES: Final = (
    "Responsável: ______________________________________     Data: ____/____/______",
    "Contador: ________________________________________     Data: ____/____/______",
)


def build_front(closing: Closing) -> Iterable[Section]:
    """Build the first page: numbers, the bridge in five lines, reasons, comment, and where to sign."""
    month, spans, names = closing.month, closing.spans, ("mes", "antes", "ano_antes")
    resultado = next(line for line in month.lines if line.codigo == RESULTADO)

    def tell(text: str, amount: Callable[[MonthSpan], int | None], groups: Collection[str] = (), level: int = 0) -> Row:
        """Tell an indicator of each span, and what is budgeted of it: a budget is by competence (R18)."""
        now, *then = (decimal_or_undefined(amount(spans[name])) for name in names)
        asked = sum(centavos for group, _, centavos in closing.budget or () if group in groups)
        return Row((text, now, to_decimal(asked) if groups else UNDEFINED, *then), level=level)

    unnamed = tell(UNNAMED, month.sum_unnamed, level=1)
    rows = [
        tell("Receita", month.sum_revenue, REVENUE_GROUPS),
        *([unnamed] if any(month.sum_unnamed(spans[name]) for name in names) else []),
        tell("Resultado", lambda span: month.add_line(resultado, month.sum_dre(span)), resultado.grupos),
        tell("Geração de caixa", lambda span: add_cash(month, span)),
        tell("Saldo no fim do mês", lambda span: month.realised_balance(None, month_end(span.last))),
    ]
    keys, notes = ("indicador", "mes", "orcado", *names[1:]), tuple(_tell_balances(closing))
    yield closing.lay("capa", keys, rows, title="O mês em números", notes=notes)
    yield show_answers(closing, "capa_ponte")
    yield build_texts("capa_razoes", "Por que mudou em relação ao ano anterior", _list_reasons(closing))
    empty = f"Sem comentário: escreva comentarios/{month.mes:%Y-%m}.txt"
    yield build_texts("capa_comentario", "Comentário", [text for text, _ in closing.comentario] or [empty])
    if closing.passos:
        before = month_label(spans["antes"].first)
        yield build_texts("capa_passos", f"Próximos passos, como ditos em {before}", closing.passos)
    yield build_texts("capa_assinaturas", "Conferido por", SIGNATURES)


def draw_months(closing: Closing) -> tuple[Chart, ...]:
    """Draw the result and the cash of the twelve months that end with the closed one."""
    month, months = closing.month, [add_months(closing.month.mes, back) for back in range(-11, 1)]
    spans = [MonthSpan(one, one) for one in months]
    resultado = next(line for line in month.lines if line.codigo == RESULTADO)
    results = tuple(to_decimal(month.add_line(resultado, month.sum_dre(span))) for span in spans)
    moved = tuple(to_decimal(add_cash(month, span)) for span in spans)
    balances = tuple(decimal_or_none(month.realised_balance(None, month_end(one))) for one in months)
    labels = tuple(map(month_label, months))
    return keep_drawable(
        Chart("Resultado por mês", ChartKind.COLUMN, labels, (Series("Resultado", results, BALANCE_COLOUR),)),
        Chart(
            "Caixa por mês",
            ChartKind.COLUMN,
            labels,
            (
                Series("Geração de caixa", moved, IN_COLOUR),
                Series("Saldo no fim do mês", balances, BALANCE_COLOUR, line=True),
            ),
        ),
    )


def add_cash(month: ClosedMonth, span: MonthSpan) -> int:
    """Add up the cash of some months, transfers left out."""
    return sum(v for (classe, _), v in month.sum_cash(span).items() if classe != TRANSFERENCIAS)


def show_answers(closing: Closing, name: str) -> Section:
    """Print the bridge in five lines, net: what is outside the result opened by its largest categories (R07)."""
    *parts, cash = (Row((text, value), level=level) for text, value, level in closing.tell_answers())
    rows = (*parts, replace(cash, style=Style.TOTAL))
    return closing.lay(name, ("linha", "mes"), rows, title="Do resultado ao caixa, em cinco linhas")


def _tell_balances(closing: Closing) -> Iterator[str]:
    """Say how many balances agree with a statement, and which do not."""
    view = closing.month.view
    states = find_statement_states(view.position, view.statements)
    agreed = sum(state.diferenca == 0 for state in states.values() if state.data is not None)
    flag = " Os saldos são variação: falta o extrato de alguma conta." if view.series.provisional else ""
    yield f"Saldos conferidos com o extrato: {agreed} de {len(view.series.accounts)}.{flag}"
    for conta_id, statement in take_newest(closing).items():
        if (told := say_checked(closing, statement)) != AGREES:
            difference = statement.diferenca if statement else None
            more = f", difere {format_amount(difference)}" if difference else ""
            yield f"{view.position.rotulos.conta(conta_id)}: {told}{more}."


def take_newest(closing: Closing) -> dict[int, ComparedStatement | None]:
    """Find the newest statement of the month or before of each account; None without one."""
    view, end = closing.month.view, closing.month.fim
    newest = {each.conta_id: each for each in view.statements if each.dia <= end}
    return {
        account.conta_id: newest.get(account.conta_id)
        for account in view.series.accounts
        if account.conta_id is not None
    }


def say_checked(closing: Closing, statement: ComparedStatement | None) -> str:
    """Say whether an account agrees with its newest statement, and of which day that is if not the month's end."""
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
