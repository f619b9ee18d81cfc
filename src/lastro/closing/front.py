"""The first page of a closing: the month in numbers, why it is so, two charts, and who signs (S25)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from lastro.analysis.comparatives import MONTH_TO_DAY
from lastro.analysis.income_statement import RESULTADO
from lastro.calendar import add_months, month_end
from lastro.closing.content import Closing
from lastro.closing.figures import REVENUE_GROUPS, ClosedMonth, MonthSpan
from lastro.grid.charts import BALANCE_COLOUR, IN_COLOUR, Chart, ChartKind, Series, keep_drawable
from lastro.grid.pivot import list_rows
from lastro.grid.prints import Columns, Print, list_columns, look_by
from lastro.grid.sections import Style
from lastro.grid.words import month_label
from lastro.money import decimal_or_none, format_amount, to_decimal
from lastro.reports.printing import build_table
from lastro.reports.r19_comparatives import EXPLANATION
from lastro.transform.position import TRANSFERENCIAS
from lastro.transform.statements import ComparedStatement, find_statement_states

LABEL: Final = 52
"""Width of what begins a row: title and stamp need the room."""
AGREES: Final = "confere"
UNNAMED: Final = "sem categoria (Outras, na DRE)"
NOW_AND_THEN: Final = ("mes", "antes", "ano_antes")


def list_numbers(closing: Closing) -> Columns:
    """List the month in numbers beside the one before and last year's; a budget is by competence (R18)."""
    month, spans = closing.month, [closing.spans[name] for name in NOW_AND_THEN]
    resultado = next(line for line in month.lines if line.codigo == RESULTADO)
    told: Mapping[str, tuple[Callable[[MonthSpan], int | None], Collection[str]]] = {
        "Receita": (month.sum_revenue, REVENUE_GROUPS),
        UNNAMED: (month.sum_unnamed, ()),
        "Resultado": (lambda span: month.add_line(resultado, month.sum_dre(span)), resultado.grupos),
        "Geração de caixa": (partial(add_cash, month), ()),
        "Saldo no fim do mês": (lambda span: month.realised_balance(None, month_end(span.last)), ()),
    }
    rows = []
    for text, (amount, groups) in told.items():
        now, *then = map(amount, spans)
        if text != UNNAMED or any((now, *then)):
            budget = closing.sum_budget(groups) if groups else None
            rows.append((text, now, budget, *then, int(text == UNNAMED)))
    return closing.keep_budget(list_columns(("indicador", "mes", "orcado", *NOW_AND_THEN[1:], "nivel"), rows))


def add_cash(month: ClosedMonth, span: MonthSpan) -> int:
    """Add up the cash of some months, transfers left out."""
    return sum(v for (classe, _), v in month.sum_cash(span).items() if classe != TRANSFERENCIAS)


def list_net_lines(closing: Closing) -> Columns:
    """List the bridge in five lines, net: what is outside the result opened by its largest categories (R07)."""
    return list_columns(("linha", "mes", "nivel"), closing.tell_answers())


def tell_agreed(closing: Closing) -> Iterator[str]:
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


def list_reasons(closing: Closing) -> list[str]:
    """List the five sentences of R19 that explain the month against last year's: the month to D is whole at F."""
    table = build_table(EXPLANATION, closing.month.view)
    rows = [] if table is None else list_rows(table, ("par_id", "frase"))
    sentences = [str(frase) for par, frase in rows if par == MONTH_TO_DAY and frase]
    return sentences[:5] or ["Sem o mesmo mês do ano anterior não há comparação."]


def declare_texts(
    name: str, tell: Callable[[Closing], Sequence[str]], title: str | Callable[[Closing], str]
) -> Print[Closing]:
    """Declare a table of sentences, headed by what they tell; without any there is none."""

    def make(closing: Closing) -> Columns | None:
        texts = tell(closing)
        return {"texto": texts} if texts else None

    def head(closing: Closing) -> Mapping[str, str]:
        return {"texto": title(closing) if callable(title) else title}

    return Print(name, make=make, headers=head, widths={"texto": LABEL})


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


NUMBERS: Final = Print(
    "capa",
    make=list_numbers,
    named=lambda closing: closing.columns,
    widths={"indicador": LABEL},
    hidden=("nivel",),
    title="O mês em números",
    looks=look_by("indicador", {}, level="nivel"),
    notes=(tell_agreed,),
)
ANSWERS: Final = Print(
    "capa_ponte",
    make=list_net_lines,
    named=lambda closing: closing.columns,
    widths={"linha": LABEL},
    hidden=("nivel",),
    title="Do resultado ao caixa, em cinco linhas",
    looks=look_by("linha", {"= Caixa: variação do saldo": Style.TOTAL}, level="nivel"),
)
FRONT: Final = (
    NUMBERS,
    ANSWERS,
    declare_texts("capa_razoes", list_reasons, "Por que mudou em relação ao ano anterior"),
    declare_texts(
        "capa_comentario",
        lambda closing: closing.comments or [f"Sem comentário: escreva comentarios/{closing.month.mes:%Y-%m}.txt"],
        "Comentário",
    ),
    declare_texts(
        "capa_passos",
        lambda closing: closing.passos,
        lambda closing: f"Próximos passos, como ditos em {closing.columns['antes'].header}",
    ),
    declare_texts(
        "capa_assinaturas",
        lambda _: (
            "Responsável: ______________________________________     Data: ____/____/______",
            "Contador: ________________________________________     Data: ____/____/______",
        ),
        "Conferido por",
    ),
)
