"""V17, V18 and V32: what R14 and R13 tell about stored runs closes, and a restated month is told (S15)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd

from lastro.analysis.changes import NEWLY_LATE
from lastro.calendar import ONE_DAY, month_start
from lastro.grid.verdict import OK, Outcome
from lastro.grid.words import count_text
from lastro.money import format_brl, to_decimal
from lastro.quality.cash_tables import Reports
from lastro.quality.printed import Found, find_table, month_text, read_columns, sum_money
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally, not_applicable

if TYPE_CHECKING:
    from lastro.transform.position import Position

NO_EARLIER_RUN = "sem execução anterior"


def check_v17(position: Position, reports: Reports) -> Outcome:
    """V17: R14's bridge leads from the open items of the earlier run to those of this one; its changes explain it.

    Args:
        position: run B as of D.
        reports: R14, if there.
    """
    tally = Tally()
    amounts = [row[0] for row in _rows(reports, "mudancas_ponte", "valor")]
    if amounts:
        linhas = position.linhas
        pending = linhas[~linhas["pago"] & ~linhas["transferencia"]]
        now = to_decimal(int(pending["valor_centavos"].sum()))
        tally.compare("ponte · soma", amounts[-1], sum_money(amounts[:-1]))
        tally.compare("ponte · em aberto agora", now, amounts[-1])
        tally.compare("ponte · linhas", 7, len(amounts))
        _compare_changes(tally, reports, amounts[-1] - amounts[0])
        compare_sheets(tally, reports, ("R14",))
    if not tally.count:
        return not_applicable(NO_EARLIER_RUN)
    return tally.close(esperado=amounts[-1], encontrado=amounts[-1])


def _compare_changes(tally: Tally, reports: Reports, change: Decimal) -> None:
    """The impacts of the single changes add to those by type, and to the change of what is open."""
    changes = _rows(reports, "mudancas", "tipo", "linha_id", "impacto_no_aberto", "impacto_no_resultado")
    types = _rows(reports, "mudancas_tipos", "tipo", "linhas", "impacto_no_aberto", "impacto_no_resultado")
    opened = sum_money(row[2] for row in changes)
    tally.compare("mudanças · impacto no aberto", change, opened)
    for tipo, count, on_open, on_result in types:
        mine = [row for row in changes if row[0] == tipo]
        tally.compare(f"mudanças · {tipo} · aberto", on_open, sum_money(row[2] for row in mine))
        tally.compare(f"mudanças · {tipo} · resultado", on_result, sum_money(row[3] for row in mine))
        # An entry has one row per field; its impact stands on the first.
        tally.compare(f"mudanças · {tipo} · linhas", count, sum(row[2] is not None for row in mine))
    tally.compare("mudanças · tipos", len({row[0] for row in changes}), len(types))
    told = _rows(reports, "mudancas_resumo", "tipo", "linhas", "impacto_no_aberto")
    moved = [row for row in told if row[0] not in NEWLY_LATE]
    tally.compare("em frases · impacto no aberto", change, sum_money(row[2] for row in moved))
    tally.compare("em frases · linhas", sum(row[1] for row in types), sum(row[1] for row in moved))


def check_v32(reports: Reports) -> Outcome:
    """V32: the closed months show what the previous report showed; where not, the entries explain it to the centavo.

    Args:
        reports: R14, if there.
    """
    bridge = find_table(reports, "mudancas_ponte")
    if bridge is None or not bridge.rows:
        return not_applicable(NO_EARLIER_RUN)
    tally = Tally()
    changed: dict[str, Decimal] = {}
    for month, regime, before, after, explained in _rows(
        reports, "mudancas_meses", "mes", "regime", "antes", "depois", "explicado"
    ):
        key = f"{month_text(month)} · {regime}"
        tally.compare(key, before, after)
        tally.compare(f"{key} · explicado", after - before, explained)
        changed[regime] = changed.get(regime, Decimal("0.00")) + after - before
    entries = _rows(reports, "mudancas_meses_linhas", "mes", "linha_id")
    tally.fail([f"{month_text(month)} · lançamento {entry}" for month, entry in entries])
    if not tally.count:
        return replace(not_applicable(), situacao=OK, detalhe="nenhum mês fechado mudou")
    months, linhas = len({month for month, *_ in entries}), len({entry for _, entry in entries})
    sums = "; ".join(f"{regime.lower()} {format_brl(value)}" for regime, value in changed.items())
    told = (
        f"{count_text(months, 'mês fechado alterado', 'meses fechados alterados')} por "
        f"{count_text(linhas, 'linha', 'linhas')}: {sums}"
    )
    return replace(tally.close(detalhe=told), resumo=told)


def check_v18(position: Position, reports: Reports) -> Outcome:
    """V18: R13's forecast plus its classes is the cash of the period, and every row's error is actual minus forecast.

    Args:
        position: the position as of D.
        reports: R13, if there.
    """
    tally = Tally()
    steps = _rows(reports, "previsto_realizado_desvios", "item", "linhas", "valor")
    happened = None
    if steps:
        eve = position.data_base - ONE_DAY
        happened = _sum_cash(position, month_start(eve), eve, fora=True)
        tally.compare("cascata · soma", steps[-1][2], sum_money(row[2] for row in steps[:-1]))
        tally.compare("cascata · realizado", happened, steps[-1][2])
        tally.compare("cascata · itens distintos", len(steps), len({row[0] for row in steps}))
    names = ("periodo", "de", "ate", "antecedencia_dias", "previsto", "realizado", "erro")
    accuracy = _rows(reports, "previsto_realizado", *names)
    for label, first, last, lead, forecast, actual, error in accuracy:
        key = f"{label} · {lead} dias"
        tally.compare(f"{key} · erro", actual - forecast, error)
        tally.compare(f"{key} · realizado", _sum_cash(position, first, last, fora=False), actual)
    tally.compare_unique("previsão", [f"{row[0]} · {row[3]} dias" for row in accuracy])
    largest = _rows(reports, "previsto_realizado_maiores", "linha_id", "previsto", "realizado", "diferenca")
    for linha_id, forecast, actual, difference in largest:
        tally.compare(f"linha {linha_id} · diferença", actual - forecast, difference)
    tally.compare_unique("maiores diferenças", [f"linha {row[0]} · {row[1]} · {row[2]}" for row in largest])
    compare_sheets(tally, reports, ("R13",))
    if not (accuracy or steps):
        return not_applicable(NO_EARLIER_RUN)
    return tally.close(esperado=happened, encontrado=happened)


def _sum_cash(position: Position, first: object, last: object, *, fora: bool) -> Decimal:
    """Add the caixa linhas paid in a period, transfers left out."""
    linhas = position.linhas
    chosen = linhas["caixa"] & ~linhas["transferencia"]
    chosen &= (linhas["data_pagamento"] >= pd.Timestamp(str(first))) & (
        linhas["data_pagamento"] <= pd.Timestamp(str(last))
    )
    if not fora:
        chosen &= ~linhas["fora_resultado"]
    return to_decimal(int(linhas.loc[chosen, "valor_centavos"].sum()))


def _rows(reports: Reports, name: str, *columns: str) -> list[tuple[Found, ...]]:
    table = find_table(reports, name)
    return [] if table is None else read_columns(table, *columns)
