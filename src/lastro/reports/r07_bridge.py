"""R07 Ponte competência x caixa: why profit is not cash, month by month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.bridge import build_bridge
from lastro.analysis.months import find_shown_months
from lastro.calendar import month_start
from lastro.grid.cells import Kind
from lastro.grid.charts import BALANCE_COLOUR, Chart, ChartKind, Series
from lastro.grid.pivot import list_rows, pivot
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, Period, describe_column, period_of_month
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import to_decimal
from lastro.reports.prints import Tables
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
STEPS: Final = {
    "a": "Resultado por competência", "b": "Receitas não recebidas", "c": "Despesas não pagas",
    "d": "Receitas recebidas em outro mês", "e": "Despesas pagas em outro mês", "f": "Pagas fora do controle",
    "g": "Receitas anteriores", "h": "Receitas posteriores", "i": "Despesas anteriores", "j": "Despesas posteriores",
    "k": "Não operacional", "l": "Geração de caixa",
}  # fmt: skip
"""Letter -> label of its step in the chart, shorter than in the table."""
STYLES: Final = {"a": Style.SECTION, "l": Style.SUBTOTAL, "p": Style.TOTAL}


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
        "valor": [to_decimal(bridge[letter].get(period.month, 0)) for letter in LINES for period in periods],
    }


def _show_bridge(view: View, tables: Tables) -> Section:
    """Print a row per line, a column per month."""
    _, periods = view.once(_build_bridge_months)
    columns = (
        describe_column("linha", width=7),
        describe_column("descricao", width=48),
        *(Column(period.label, Kind.MONEY, dense=True, key=period.key, period=period) for period in periods),
    )
    spread = pivot(tables[BRIDGE.name], ("linha", "descricao"), periods, "valor")
    rows = tuple(
        Row((letter, text, *cells), style=STYLES.get(str(letter), Style.NORMAL), key=f"ponte-{letter}")
        for (letter, text), cells in spread.items()
    )
    notes = (
        "Valores com sinal: a soma de a até k é a geração de caixa; l + n + o é a variação do saldo consolidado.",
        "O mês da data-base usa só caixa realizado; meses futuros têm caixa zero.",
    )
    return Section(BRIDGE.name, columns, rows, notes=notes)


def _draw_steps(view: View, tables: Tables) -> Chart:
    """Draw D's month from its result (a) to its cash (l); steps of zero between them are left out."""
    month = month_start(view.position.data_base)
    rows = list_rows(tables[BRIDGE.name], ("linha", "mes", "valor"))
    amounts = {str(letter): value for letter, own, value in rows if own == month and isinstance(value, Decimal)}
    shown = [letter for letter in STEPS if amounts[letter] or letter in "al"]
    return Chart(
        f"Do resultado ao caixa: {month_label(month)}",
        ChartKind.WATERFALL,
        tuple(f"{letter} {STEPS[letter]}" for letter in shown),
        (Series("Valor", tuple(amounts[letter] for letter in shown), BALANCE_COLOUR),),
        totals=frozenset({0, len(shown) - 1}),
        after=BRIDGE.name,
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
SPEC: Final = ReportSpec(
    code="R07",
    name="ponte",
    title="Ponte competência x caixa",
    question="Por que o resultado não é o caixa?",
    family=Family.RESULT,
    tables=(BRIDGE,),
    sections=(_show_bridge,),
    charts=(_draw_steps,),
)
