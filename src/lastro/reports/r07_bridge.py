"""R07 Ponte competência x caixa: why profit is not cash, month by month: the answer in five lines, and in twelve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Final

from lastro.analysis.bridge import ANSWERS, OPENED, OTHERS, NetLine, answer_bridge, build_bridge
from lastro.analysis.months import find_shown_months
from lastro.calendar import add_months, month_start
from lastro.grid.cells import Kind
from lastro.grid.charts import BALANCE_COLOUR, Chart, ChartKind, Series
from lastro.grid.pivot import pivot
from lastro.grid.prints import Columns, Print, list_columns, look_by
from lastro.grid.sections import Style
from lastro.grid.tables import Column, Period, period_of_month
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import to_decimal
from lastro.reports.printing import Tables, build_table
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

LINES: Final = {
    "a": "Resultado por competência",
    "b": "Receitas do mês ainda não recebidas",
    "c": "Despesas do mês ainda não pagas",
    "d": "Receitas do mês recebidas em outro mês",
    "e": "Despesas do mês pagas em outro mês",
    "f": "Do mês, pagas fora do controle",
    "g": "Receitas de competências anteriores recebidas no mês",
    "h": "Receitas de competências posteriores recebidas no mês",
    "i": "Despesas de competências anteriores pagas no mês",
    "j": "Despesas de competências posteriores pagas no mês",
    "k": "Não operacional",
    "l": "= Geração de caixa",
    "n": "Transferências entre contas",
    "o": "Saldos implantados",
    "p": "= Variação do saldo",
}
"""Letter -> text of each row; the letters are those of the rule (there is no m)."""
TEXTS: Final = {
    "resultado": "Resultado por competência",
    "clientes": "Clientes pagaram menos (-) ou mais (+) do que se faturou",
    "pagamentos": "Pagamos menos (+) ou mais (-) do que se gastou",
    "nao_operacional": "Empréstimos, sócios, impostos parcelados",
    OTHERS: "as demais categorias",
    "adiantamentos": "Adiantado, e pago fora do controle",
    "implantados": "Transferências e saldos implantados",
    "caixa": "= Caixa: variação do saldo",
}
"""Line of the answer -> its text for any month."""
SIGNED: Final = {
    "clientes": ("Clientes pagaram {} do que se faturou", "Clientes pagaram o que se faturou"),
    "pagamentos": ("Pagamos {} do que se gastou", "Pagamos o que se gastou"),
}
"""Line -> its text in a month in which it is not zero, and in any other."""
STYLES: Final = {
    "a": Style.SECTION, "l": Style.SUBTOTAL, "p": Style.TOTAL, "resultado": Style.SECTION, "caixa": Style.TOTAL,
}  # fmt: skip


def _build_bridge_months(view: View) -> tuple[Mapping[str, Mapping[date, int]], Sequence[Period]]:
    """Build the bridge, and choose the months that are shown."""
    bridge = build_bridge(view.position)
    with_amounts = {month for line in bridge.values() for month, centavos in line.items() if centavos}
    return bridge, [period_of_month(month) for month in find_shown_months(view.position, with_amounts)]


def list_bridge_lines(view: View) -> Columns:
    """List each line of the bridge by month."""
    bridge, periods = view.once(_build_bridge_months)
    return {
        "linha": [letter for letter in LINES for _ in periods],
        "descricao": [text for text in LINES.values() for _ in periods],
        "mes": [period.month for period in periods] * len(LINES),
        "valor": [bridge[letter].get(period.month, 0) for letter in LINES for period in periods],
    }


def _answer(view: View) -> tuple[NetLine, ...]:
    """NetLine in five lines; outside the result the largest categories are those of the last month that is over."""
    bridge, _ = view.once(_build_bridge_months)
    last = add_months(month_start(view.position.data_base), -1)
    return tuple(answer_bridge(view.position, bridge, last))


def tell_answer(view: View, answer: NetLine, centavos: int) -> str:
    """Say what a line of the answer is in a month in which it comes to so much."""
    if answer.linha in SIGNED:
        text, even = SIGNED[answer.linha]
        return text.format("mais" if (centavos > 0) == (answer.linha == "clientes") else "menos") if centavos else even
    return TEXTS.get(answer.linha) or view.position.rotulos.categoria(answer.categoria_id)


def list_answers(view: View) -> Columns:
    """List the answer in five lines by month; below the fourth its categories, and what of them is left."""
    _, periods = view.once(_build_bridge_months)
    answers = [(answer, period.month) for answer in view.once(_answer) for period in periods]
    label = view.position.rotulos.categoria
    return {
        "linha": [answer.linha for answer, _ in answers],
        "letras": ["+".join(ANSWERS.get(answer.linha, "")) for answer, _ in answers],
        "descricao": [TEXTS.get(answer.linha) or label(answer.categoria_id) for answer, _ in answers],
        "mes": [month for _, month in answers],
        "nivel": [int(answer.linha in (OPENED, OTHERS)) for answer, _ in answers],
        "categoria_id": [answer.categoria_id for answer, _ in answers],
        "valor": [answer.months.get(month, 0) for answer, month in answers],
    }


def _spread(own: Print[View], names: tuple[str, ...], view: View) -> Columns | None:
    """Spread the months of a table over columns, and keep of it what names a line."""
    _, periods = view.once(_build_bridge_months)
    if (table := build_table(own, view)) is None:
        return None
    lines = pivot(table, names, periods, "valor").items()
    return list_columns((*names, *(period.key for period in periods)), [(*head, *cells) for head, cells in lines])


def _head_months(view: View) -> Mapping[str, Column]:
    _, periods = view.once(_build_bridge_months)
    months = [Column(period.label, Kind.MONEY, dense=True, key=period.key, period=period) for period in periods]
    return {month.key: month for month in months}


def _say_opened(view: View) -> Iterator[str]:
    if any(answer.linha == OPENED for answer in view.once(_answer)):
        last = month_label(add_months(month_start(view.position.data_base), -1))
        yield f"Abertas são as três maiores categorias de {last}, o último mês encerrado."


def _draw_steps(view: View, _: Tables) -> Chart:
    """Draw the last month that is over, from its result to its cash, each step with its amount."""
    month = add_months(month_start(view.position.data_base), -1)
    steps = [(answer, answer.months.get(month, 0)) for answer in view.once(_answer)]
    return draw_answer(view, steps, month_label(month), after=ANSWER.name)


def draw_answer(view: View, steps: Sequence[tuple[NetLine, int]], month: str, after: str) -> Chart:
    """Draw the answer of a month: what is opened by its categories, in the place of their sum; no step of zero."""
    opened = any(answer.linha in (OPENED, OTHERS) for answer, _ in steps)
    shown = [
        (answer, centavos)
        for answer, centavos in steps
        if answer.linha in ("resultado", "caixa") or (centavos and not (opened and answer.linha == "nao_operacional"))
    ]
    return Chart(
        f"Do resultado ao caixa: {month}",
        ChartKind.WATERFALL,
        tuple(tell_answer(view, answer, centavos).removeprefix("= ") for answer, centavos in shown),
        (Series("Valor", tuple(to_decimal(centavos) for _, centavos in shown), BALANCE_COLOUR),),
        totals=frozenset({0, len(shown) - 1}),
        after=after,
    )


ANSWER: Final = Print(
    "ponte_resumo",
    "R07: uma linha da resposta e mês; com sinal, as de nível 0 somam a variação do saldo",
    list_answers,
    keys=("linha", "categoria_id", "mes"),
    about={
        "linha": (
            "resultado, clientes, pagamentos, nao_operacional, e abaixo dela categoria e demais; adiantamentos e "
            "implantados só onde os há; caixa"
        ),
        "descricao": "a linha por extenso, ou a categoria",
        "categoria_id": "de uma linha categoria; nula nas outras",
        "nivel": "0 = linha da resposta; 1 = parte de nao_operacional",
        "valor": "com o sinal com que soma: do resultado ao caixa",
    },
)
BRIDGE: Final = Print(
    "ponte",
    "R07: uma linha por letra da ponte e mês; valores com sinal",
    list_bridge_lines,
    keys=("linha", "mes"),
    about={
        "linha": "letra da linha: a resultado, b a k passos, l geração de caixa, n e o, p variação do saldo",
        "descricao": "a letra por extenso",
        "valor": "com o sinal com que soma: do resultado ao caixa",
    },
)
SHOWN_ANSWER: Final = Print(
    ANSWER.name,
    make=partial(_spread, ANSWER, ("letras", "descricao", "linha", "nivel", "categoria_id")),
    named=_head_months,
    widths={"letras": 7, "descricao": 50},
    hidden=("linha", "nivel"),
    looks=look_by("linha", STYLES, level="nivel"),
    notes=(_say_opened,),
)
SHOWN_BRIDGE: Final = Print(
    BRIDGE.name,
    make=partial(_spread, BRIDGE, ("linha", "descricao")),
    named=_head_months,
    widths={"linha": 7, "descricao": 50},
    title="A ponte inteira, letra por letra",
    looks=look_by("linha", STYLES, key="ponte-{}"),
    notes=("De a até k é a geração de caixa; com n e o, a variação do saldo. Meses futuros têm caixa zero.",),
)
SPEC: Final = ReportSpec(
    code="R07",
    name="ponte",
    title="Ponte competência x caixa",
    question="Por que o resultado não é o caixa?",
    family=Family.RESULT,
    tables=(ANSWER, BRIDGE),
    sections=(SHOWN_ANSWER, SHOWN_BRIDGE),
    charts=(_draw_steps,),
)
