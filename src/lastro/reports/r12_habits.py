"""Two sections of R12: how each payer, and each payment method, really pays.

They stand on Pessoas and not on Inadimplência: a habit is drawn from what was paid, so it also concerns payers that owe
nothing today, and R10 lists only those that do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.frames import dicts_of
from lastro.analysis.ratios import Term
from lastro.grid.cells import Kind, Value
from lastro.grid.sections import Row, Section, Style
from lastro.grid.storage import store_labels
from lastro.grid.tables import Column, Table, TableColumn
from lastro.money import ratio_pct, to_decimal
from lastro.transform.habits import JANELA_HABITO_DIAS, MIN_TITULOS, OBSERVED, Habits

if TYPE_CHECKING:
    from lastro.transform.position import Position

COLUMNS: Final = (
    Column("Títulos pagos", Kind.INTEGER, "quantos títulos a receber foram pagos na janela do hábito"),
    Column("Valor pago", Kind.MONEY, dense=True),
    Column("Pagos com atraso", Kind.INTEGER, "quantos deles depois do vencimento"),
    Column("% com atraso", Kind.PERCENT, "pagos com atraso / títulos pagos"),
    Column("Atraso médio", Kind.NUMBER),
    Column("Maior atraso", Kind.INTEGER),
    Column("Títulos adiados", Kind.INTEGER, "quantos títulos tiveram o vencimento adiado"),
    Column("% adiados", Kind.PERCENT, "títulos adiados / títulos vistos em mais de uma execução"),
    Column("Adiamentos", Kind.INTEGER, "quantas vezes; um título pode ser adiado várias"),
    Column("Adiamento médio", Kind.NUMBER, "dias adiados por título adiado, em média"),
    Column("Maior adiamento", Kind.INTEGER, "dias do maior adiamento"),
    Column("Hábito em dias", Kind.INTEGER, "atraso que a projeção por hábitos supõe, em dias"),
    Column(
        "Base do hábito",
        Kind.TEXT,
        "de onde vem o hábito: pagador, forma ou empresa, o primeiro com pagamentos bastantes",
        width=18,
    ),
    Column("A receber", Kind.MONEY, "soma a receber em aberto, positiva", dense=True),
)
PUSHED: Final = frozenset({"titulos_adiados", "pct_adiados", "adiamentos", "adiamento_medio", "maior_adiamento"})
"""Blank without history: nothing was seen, which is not the same as nothing was pushed."""


def build_payers(position: Position, habits: Habits) -> Table:
    """Build the table of payers.

    Returns:
        Table `pessoas_habitos`, grain payer; value paid in the window descending, then id.
    """
    ids = habits.pagadores["pessoa_id"]
    return Table.of(
        "pessoas_habitos",
        (
            (
                Column("Pagador", Kind.TEXT, "nome de quem paga; dois iguais levam «(#número)»"),
                store_labels(ids, position.rotulos.pessoa),
            ),
            *_describe(habits.pagadores, habits),
            (Column("Id", Kind.INTEGER, key="pessoa_id"), ids),
        ),
        "R12: um pagador por linha: atraso, adiamentos e hábito, premissa da projeção por hábitos",
    )


def show_payers(table: Table, habits: Habits) -> Section:
    """Print the payers and all of them together."""
    rows = (
        *(Row(cells, key=f"habito-{cells[-1] or 'sem'}") for cells in table.rows),
        Row(("Total", *_total(habits), None), style=Style.TOTAL),
    )
    notes = (
        (
            f"Recebíveis que entram no resultado, pagos nos últimos {JANELA_HABITO_DIAS} dias ou em aberto. "
            "Atraso médio: pagamento - vencimento, ponderado pelo valor (antecipado é negativo)."
        ),
        (
            "Hábito: pagamento - primeiro vencimento conhecido, ponderado pelo valor, em dias inteiros; com menos de "
            f"{MIN_TITULOS} títulos pagos vale o da forma de pagamento mais usada, senão o da empresa. É a premissa da "
            "coluna «Se os hábitos persistirem» dos fluxos."
        ),
        "Adiado: o vencimento ficou mais distante de uma execução para outra; adiamento médio em dias por título "
        "adiado."
        if habits.com_historico
        else "Adiamentos: disponíveis a partir da segunda execução, que compara vencimentos.",
    )
    return Section(table.name, table.columns, rows, title="Hábitos de pagamento por pagador", notes=notes)


def build_methods(position: Position, habits: Habits) -> Table:
    """Build the table of payment methods: `pessoas_formas`, value paid in the window descending, then id."""
    ids = habits.formas["forma_pagamento_id"]
    return Table.of(
        "pessoas_formas",
        (
            (Column("Forma", Kind.TEXT), store_labels(ids, position.rotulos.forma)),
            *_describe(habits.formas, habits),
            (Column("Id", Kind.INTEGER, key="forma_id"), ids),
        ),
        "R12: uma forma de pagamento por linha: atraso, adiamentos e hábito dos pagadores",
    )


def _describe(frame: pd.DataFrame, habits: Habits) -> list[TableColumn]:
    figures = [
        _compute_figures(row, row["habito_dias"], row["habito_base"], habits)
        for row in dicts_of(frame, "habito_dias", "habito_base", *OBSERVED)
    ]
    return [(column, [row[column.key] for row in figures]) for column in COLUMNS]


def _total(habits: Habits) -> tuple[Value, ...]:
    frame = habits.pagadores
    amounts = {
        name: int(frame[name].max() if name.startswith("maior_") else frame[name].sum()) if len(frame) else 0
        for name in OBSERVED
    }
    figures = _compute_figures(amounts, habits.empresa_dias, None, habits)
    return tuple(figures[column.key] for column in COLUMNS)


def _compute_figures(amounts: dict[str, Any], habito: int | None, base: str | None, habits: Habits) -> dict[str, Value]:
    """Compute the figures of `COLUMNS` by key."""
    paid, pushed = amounts["titulos_pagos"], amounts["titulos_adiados"]
    figures: dict[str, Value] = {
        "titulos_pagos": paid,
        "valor_pago": to_decimal(amounts["valor_pago_centavos"]),
        "pagos_com_atraso": amounts["pagos_com_atraso"],
        "pct_com_atraso": ratio_pct(amounts["pagos_com_atraso"], paid),
        "atraso_medio": Term(amounts["valor_dias"], amounts["valor_pago_centavos"]).dias,
        "maior_atraso": amounts["maior_atraso"] if paid else None,
        "titulos_adiados": pushed,
        "pct_adiados": ratio_pct(pushed, amounts["titulos_observados"]),
        "adiamentos": amounts["adiamentos"],
        "adiamento_medio": Term(amounts["dias_adiados"], pushed).dias,
        "maior_adiamento": amounts["maior_adiamento"],
        "habito_em_dias": habito,
        "base_do_habito": base,
        "a_receber": to_decimal(amounts["a_receber_centavos"]),
    }
    return figures if habits.com_historico else figures | dict.fromkeys(PUSHED)
