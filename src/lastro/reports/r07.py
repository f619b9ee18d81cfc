"""R07 Ponte competência x caixa: why profit is not cash, month by month."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

import pandas as pd

from lastro.analysis.months import find_shown_months, sum_by_month
from lastro.calendar import month_start
from lastro.grid.charts import keep_drawable
from lastro.grid.model import (
    BALANCE_COLOUR,
    Chart,
    ChartKind,
    Column,
    Kind,
    Report,
    Row,
    Section,
    Series,
    Style,
    Table,
    month_label,
    period_of_month,
)
from lastro.money import to_decimal

if TYPE_CHECKING:
    from lastro.transform.position import Position

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
OPERATING = "abcdefghijk"
STYLES = {"a": Style.SECTION, "l": Style.SUBTOTAL, "p": Style.TOTAL}


def build_bridge(position: Position) -> dict[str, dict[date, int]]:
    """Compute every line of the bridge (R07).

    The competence month mc is `mes_competencia`, the cash month mx `mes_caixa` (caixa linhas only). A linha without
    competence (`excluir`) counts as of an earlier competence. Lines a to j leave out transfers and `fora`.

    Args:
        position: the position; its frames are not changed.

    Returns:
        Letter of the line -> month -> signed centavos; months without amount may be missing.
    """
    linhas = position.linhas
    outside = linhas["transferencia"] | linhas["fora_resultado"]
    mc, mx, valor = linhas["mes_competencia"], linhas["mes_caixa"], linhas["valor_centavos"]
    receita, despesa = linhas["natureza"] == "R", linhas["natureza"] == "D"
    pago, caixa = linhas["pago"], linhas["caixa"]
    other_month = caixa & mc.notna() & (mx != mc)
    earlier, later = caixa & (mc.isna() | (mc < mx)), caixa & (mc > mx)

    def total(months: pd.Series, chosen: pd.Series, sign: int = 1) -> dict[date, int]:
        mask = chosen & ~outside
        return sum_by_month(months[mask], sign * valor[mask])

    bridge = {
        "a": total(mc, mc.notna()),
        "b": total(mc, receita & ~pago, -1),
        "c": total(mc, despesa & ~pago, -1),
        "d": total(mc, receita & other_month, -1),
        "e": total(mc, despesa & other_month, -1),
        "f": total(mc, pago & ~caixa, -1),
        "g": total(mx, receita & earlier),
        "h": total(mx, receita & later),
        "i": total(mx, despesa & earlier),
        "j": total(mx, despesa & later),
    }
    fora = caixa & linhas["fora_resultado"] & ~linhas["transferencia"]
    bridge["k"] = sum_by_month(mx[fora], valor[fora])
    bridge["l"] = _add(bridge[letter] for letter in OPERATING)
    transfers = caixa & linhas["transferencia"]
    bridge["n"] = sum_by_month(mx[transfers], valor[transfers])
    bridge["o"] = _sum_opening_balances(position)
    bridge["p"] = _add(bridge[letter] for letter in "lno")
    return bridge


def build_r07(position: Position) -> Report:
    """Build R07: a row per line of the bridge, a column per month; table `r07` has a row per line and month.

    A chart shows the lines a to l of D's month.
    """
    bridge = build_bridge(position)
    with_amounts = {month for line in bridge.values() for month, centavos in line.items() if centavos}
    months = find_shown_months(position, with_amounts)
    columns = (
        Column("Linha", Kind.TEXT, width=7),
        Column("Descrição", Kind.TEXT, width=52),
        *(
            Column(period.label, Kind.MONEY, dense=True, key=period.key, period=period)
            for period in map(period_of_month, months)
        ),
    )
    rows = tuple(
        Row(
            (letter, text, *(to_decimal(bridge[letter].get(month, 0)) for month in months)),
            style=STYLES.get(letter, Style.NORMAL),
            key=f"ponte-{letter}",
        )
        for letter, text in LINES.items()
    )
    notes = (
        "Valores com sinal: a soma de a até k é a geração de caixa; l + n + o é a variação do saldo consolidado.",
        "O mês da data-base usa só caixa realizado; meses futuros têm caixa zero.",
    )
    table = Table(
        "r07",
        (
            Column("Linha", Kind.TEXT),
            Column("Descrição", Kind.TEXT),
            Column("Mês", Kind.MONTH),
            Column("Valor", Kind.MONEY),
        ),
        tuple(
            (letter, text, month, to_decimal(bridge[letter].get(month, 0)))
            for letter, text in LINES.items()
            for month in months
        ),
        "R07: uma linha por letra da ponte e mês; valores com sinal",
    )
    return Report(
        code="R07",
        sheet="Ponte",
        title="Ponte competência x caixa",
        question="Por que o resultado não é o caixa?",
        sections=(Section("r07", columns, rows, notes=notes),),
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
    )


def _sum_opening_balances(position: Position) -> dict[date, int]:
    """Opening balances by the month in which the account's control starts, up to D (S7); undated ones never enter."""
    contas = position.contas
    started = contas[contas["data_saldo_inicial"] <= pd.Timestamp(position.data_base)]
    months = started["data_saldo_inicial"].dt.to_period("M").dt.to_timestamp()
    return sum_by_month(months, started["valor_saldo_inicial_centavos"])


def _add(lines: Iterable[dict[date, int]]) -> dict[date, int]:
    total: dict[date, int] = {}
    for line in lines:
        for month, centavos in line.items():
            total[month] = total.get(month, 0) + centavos
    return total
