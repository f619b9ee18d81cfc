"""What the sheets of balances and cash flow share (R01 to R05): keys, money columns, alerts, memo rows, scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    PREVISTO,
    REALIZADO,
    Account,
    CashSeries,
    Flow,
    estimate_missing_recurrences,
    find_overdue_left_out,
)
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.sections import Row, Style
from lastro.grid.tables import Column, Sum, Table, find_place
from lastro.grid.words import column_name
from lastro.money import decimal_or_none, to_decimal

if TYPE_CHECKING:
    from lastro.transform.position import Position
    from lastro.transform.scenarios import Outlook

AMOUNTS: Final = (
    Column("Saldo inicial", Kind.MONEY, dense=True, sums=Sum.OPENING),
    Column("Saldos implantados", Kind.MONEY, dense=True),
    Column("Entradas realizadas", Kind.MONEY, "classe Entradas paga até a data-base", dense=True),
    Column("Saídas realizadas", Kind.MONEY, "classe Saídas paga até a data-base, negativa", dense=True),
    Column("Entradas previstas", Kind.MONEY, "classe Entradas em aberto, no dia projetado", dense=True),
    Column("Saídas previstas", Kind.MONEY, "classe Saídas em aberto, no dia projetado, negativa", dense=True),
    Column("Não operacional", Kind.MONEY, dense=True),
    Column(
        "Transferências",
        Kind.MONEY,
        "entre contas próprias; soma zero quando as duas pernas estão no período; positivo entra, negativo sai",
        dense=True,
    ),
)
"""Opening balance and the seven amounts that add to the net (R02); R03 has the same."""
NEGATIVE, BELOW_MINIMUM = "Negativo", "Abaixo do mínimo"
MEMO_RECEBER, MEMO_PAGAR = "Vencidos a receber (não projetados)", "Vencidos a pagar (não projetados)"
MEMO_ALL_SETTLED = "Saldo final se todos os vencidos forem liquidados"
MEMO_RECURRENCES = "Recorrências ainda não geradas (estimativa)"
RECURRENCES: Final = "recorrencias_nao_geradas"


def account_key(account: Account) -> str:
    """Return the key of an account's column on *Saldos* (R01, R05)."""
    return f"conta_{'sem' if account.conta_id is None else account.conta_id}"


def day_key(day: date) -> str:
    """Return the key under which a link finds a day on *Fluxo diário* (R02)."""
    return f"dia_{day.isoformat()}"


def amount_columns(span: str) -> tuple[Column, ...]:
    """Return the money columns of R02 and R03 and the alert; a row of theirs is a span of time, "do dia"."""
    about = f"soma das quatro classes {span}; positivo entra, negativo sai"
    return (
        *AMOUNTS,
        Column(f"Líquido {span}", Kind.MONEY, about, dense=True),
        Column("Saldo final", Kind.MONEY, dense=True, alert="saldo", sums=Sum.CLOSING),
        Column("Alerta", Kind.TEXT, "Negativo, com os cenários em que o saldo fica; nulo se nunca", width=26),
    )


def amount_cells(flow: Flow) -> tuple[Decimal, ...]:
    """Return the money cells of a consolidated period, `amount_columns` without the alert."""
    inicial, *moved, final = account_cells(flow)
    zero = to_decimal(0)
    return (inicial or zero, *(value or zero for value in moved), final or zero)


def account_cells(flow: Flow) -> tuple[Decimal | None, ...]:
    """Return the money cells of an account's period, `amount_columns` without the alert; no balance is None (S7)."""
    values = (
        flow.inicial,
        flow.line(IMPLANTADOS),
        int(flow.matrix[LINE_ENTRADAS, REALIZADO]),
        int(flow.matrix[LINE_SAIDAS, REALIZADO]),
        int(flow.matrix[LINE_ENTRADAS, PREVISTO]),
        int(flow.matrix[LINE_SAIDAS, PREVISTO]),
        flow.line(LINE_NAO_OPERACIONAL),
        flow.transferencias,
        flow.liquido,
        flow.final,
    )
    return tuple(decimal_or_none(value) for value in values)


SCENARIO_COLUMNS: Final = (
    Column("Cenário", Kind.TEXT, "nome do cenário"),
    Column(
        "Saldo contratual",
        Kind.MONEY,
        "saldo: não se soma entre dias, semanas ou meses; se tudo for pago no dia contratado",
    ),
    Column("Diferença", Kind.MONEY),
    Column("Saldo final", Kind.MONEY),
    Column("Código", Kind.TEXT),
)
"""Long form of the projection columns of R02 and R03, last the key of that column there."""
BASE_NOTE: Final = (
    "Saldo final: contratual, cada título no vencimento, sem os vencidos. As "
    "colunas à direita do alerta mudam só as premissas, a partir da data-base."
)


def projection_columns(projections: Sequence[Outlook]) -> tuple[Column, ...]:
    """Return a money column per projection."""
    return tuple(
        Column(projection.nome, Kind.MONEY, dense=True, alert="saldo", sums=Sum.CLOSING) for projection in projections
    )


def projection_cells(
    projections: Sequence[Outlook], flow: Flow, last: date, data_base: date
) -> tuple[Decimal | None, ...]:
    """Return the closing balance of a consolidated period in every projection; blank when the period ends before D."""
    if last < data_base:
        return (None,) * len(projections)
    return tuple(to_decimal((flow.final or 0) + projection.difference_until(last)) for projection in projections)


def projection_notes(projections: Sequence[Outlook]) -> tuple[str, ...]:
    """Say what every projection assumes."""
    if not projections:
        return ()
    return (BASE_NOTE, *(note for projection in projections for note in projection.notas))


def scenario_rows(
    projections: Sequence[Outlook], series: CashSeries, last: date
) -> list[tuple[str, Decimal, Decimal, Decimal, str]]:
    """Return the long form of one day or week end: scenario, base, difference, balance, key."""
    base = series.balance(last) or 0
    return [
        (projection.nome, to_decimal(base), to_decimal(change), to_decimal(base + change), column_name(projection.nome))
        for projection in projections
        for change in (projection.difference_until(last),)
    ]


def find_alert(
    final: Decimal, saldo_minimo: Decimal, projections: Sequence[Outlook], ahead: Sequence[Value]
) -> str | None:
    """Name the worst alert of a closing balance and, where there are several projections, those that have it.

    Args:
        final: the contractual balance.
        saldo_minimo: setting.
        projections: the other projections.
        ahead: their balances, None before D.

    >>> [find_alert(Decimal(final), Decimal("100.00"), (), ()) for final in ("-0.01", "99.99", "100.00")]
    ['Negativo', 'Abaixo do mínimo', None]
    """
    balances = [("contratual", final)]
    balances += [
        (outlook.nome, value) for outlook, value in zip(projections, ahead, strict=True) if isinstance(value, Decimal)
    ]
    for text, limit in ((NEGATIVE, Decimal(0)), (BELOW_MINIMUM, saldo_minimo)):
        names = [name for name, value in balances if value < limit]
        if names:
            return text if len(balances) == 1 else f"{text}: {', '.join(names)}"
    return None


@dataclass(frozen=True)
class Memo:
    """A figure below the flow, outside its balances (R02, R03).

    Attributes:
        codigo: what SQL and checks call it.
        label: what is printed.
        valor: the amount.
        column: key of the column of the flow in which it stands.
    """

    codigo: str
    label: str
    valor: Decimal
    column: str


MEMO_COLUMNS: Final = (
    Column("Memo", Kind.TEXT),
    Column("Valor", Kind.MONEY),
    Column("Código", Kind.TEXT),
)


def find_memo(position: Position, final_centavos: int, net: str) -> tuple[Memo, ...]:
    """List the memo rows of R02 and R03; they stand in the column `net` or in the closing."""
    receive, pay, both = find_overdue_left_out(position)
    missing = sum(estimate_missing_recurrences(position, position.ultimo_dia).values())
    return (
        Memo("vencidos_a_receber", MEMO_RECEBER, to_decimal(receive), net),
        Memo("vencidos_a_pagar", MEMO_PAGAR, to_decimal(pay), net),
        Memo("saldo_com_vencidos", MEMO_ALL_SETTLED, to_decimal(final_centavos + both), "saldo_final"),
        Memo(RECURRENCES, MEMO_RECURRENCES, to_decimal(missing), net),
    )


def memo_table(name: str, memo: Iterable[Memo], comment: str) -> Table:
    """Keep the memo figures for SQL."""
    return Table(name, MEMO_COLUMNS, tuple((line.label, line.valor, line.codigo) for line in memo), comment)


def memo_rows(table: Table, memo: Iterable[Memo], columns: Sequence[Column]) -> list[Row]:
    """Print the figures of `memo_table`, each in the column of a flow that its memo names."""
    rows = []
    for (label, amount, _), line in zip(table.rows, memo, strict=True):
        cells: list[Value | Cell] = [None] * len(columns)
        cells[0] = Cell(label, Kind.TEXT)
        cells[find_place(columns, line.column)] = amount
        rows.append(Row(tuple(cells), style=Style.MEMO))
    return rows
