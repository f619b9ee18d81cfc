"""R07 Ponte competência x caixa: why profit is not cash, month by month."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Final

from lastro.analysis.bridge import build_bridge
from lastro.analysis.months import find_shown_months
from lastro.calendar import month_start
from lastro.grid.cells import Kind
from lastro.grid.charts import BALANCE_COLOUR, Chart, ChartKind, Series, keep_drawable
from lastro.grid.pivot import pivot
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, Table, period_of_month
from lastro.grid.words import month_label
from lastro.grid.workbook import Family, Report
from lastro.money import to_decimal
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

LINES = {
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

STEPS = {
    "a": "Resultado por competência",
    "b": "Receitas não recebidas",
    "c": "Despesas não pagas",
    "d": "Receitas recebidas em outro mês",
    "e": "Despesas pagas em outro mês",
    "f": "Pagas fora do controle",
    "g": "Receitas anteriores",
    "h": "Receitas posteriores",
    "i": "Despesas anteriores",
    "j": "Despesas posteriores",
    "k": "Não operacional",
    "l": "Geração de caixa",
}
"""Letter -> label of its step in the chart, shorter than in the table."""
STYLES = {"a": Style.SECTION, "l": Style.SUBTOTAL, "p": Style.TOTAL}


def build_r07(view: View) -> Report:
    """Build R07: a row per line of the bridge, a column per month; table `ponte` has a row per line and month.

    A chart shows the lines a to l of D's month.
    """
    position = view.position
    bridge = build_bridge(position)
    with_amounts = {month for line in bridge.values() for month, centavos in line.items() if centavos}
    periods = [period_of_month(month) for month in find_shown_months(position, with_amounts)]
    table = Table(
        "ponte",
        (
            Column(
                "Linha",
                Kind.TEXT,
                "letra da linha: a resultado, b a k passos, l geração de caixa, n e o, p variação do saldo",
            ),
            Column("Descrição", Kind.TEXT, "a letra por extenso"),
            Column("Mês", Kind.MONTH),
            Column("Valor", Kind.MONEY, "com o sinal com que soma: do resultado ao caixa"),
        ),
        tuple(
            (letter, text, period.month, to_decimal(bridge[letter].get(period.month, 0)))
            for letter, text in LINES.items()
            for period in periods
        ),
        "R07: uma linha por letra da ponte e mês; valores com sinal",
    )
    columns = (
        Column("Linha", Kind.TEXT, width=7),
        Column("Descrição", Kind.TEXT, width=48),
        *(Column(period.label, Kind.MONEY, dense=True, key=period.key, period=period) for period in periods),
    )
    rows = tuple(
        Row(
            (letter, text, *cells),
            style=STYLES.get(str(letter), Style.NORMAL),
            key=f"ponte-{letter}",
        )
        for (letter, text), cells in pivot(table, ("linha", "descricao"), periods, "valor").items()
    )
    notes = (
        "Valores com sinal: a soma de a até k é a geração de caixa; l + n + o é a variação do saldo consolidado.",
        "O mês da data-base usa só caixa realizado; meses futuros têm caixa zero.",
    )
    return SPEC.report(
        sections=(Section("ponte", columns, rows, notes=notes),),
        tables=(table,),
        charts=keep_drawable(_build_chart(bridge, month_start(position.data_base))),
    )


def _build_chart(bridge: Mapping[str, Mapping[date, int]], month: date) -> Chart:
    """Draw a month from its result (a) to its cash (l); steps of zero between them are left out."""
    amounts = {letter: bridge[letter].get(month, 0) for letter in STEPS}
    shown = [letter for letter, centavos in amounts.items() if centavos or letter in "al"]
    steps = tuple(to_decimal(amounts[letter]) for letter in shown)
    return Chart(
        f"Do resultado ao caixa: {month_label(month)}",
        ChartKind.WATERFALL,
        tuple(f"{letter} {STEPS[letter]}" for letter in shown),
        (Series("Valor", steps, BALANCE_COLOUR),),
        totals=frozenset({0, len(shown) - 1}),
        after="ponte",
    )


SPEC: Final = ReportSpec(
    code="R07",
    name="ponte",
    title="Ponte competência x caixa",
    question="Por que o resultado não é o caixa?",
    family=Family.RESULT,
    builder=build_r07,
    keys={
        "ponte": ("linha", "mes"),
    },
)
