"""What the runs in a company's file came to: checks, indicators, and what people were last told of a day.

Does not belong here: the log of the runs (`lastro.warehouse.loading.runs`), forecasts (`forecasts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from lastro.grid.verdict import FALHOU, Verification
from lastro.schema.run_kinds import IS_COMPLETE, Situacao
from lastro.settings import Parametros, setting_rows
from lastro.warehouse.file.store import Warehouse


def write_outcomes(
    warehouse: Warehouse,
    execucao_id: int,
    verifications: Iterable[Verification],
    kpis: Iterable[Mapping[str, Any]],
) -> None:
    """Replace the checks and indicators of a run; call it in the transaction of its reports."""
    for name, rows in (("ops.verificacoes", map(_as_row, verifications)), ("ops.kpis", kpis)):
        warehouse.con.execute(f"DELETE FROM {name} WHERE execucao_id = ?", [execucao_id])
        warehouse.insert(name, [{"execucao_id": execucao_id, **row} for row in rows])


def keep_outcome(warehouse: Warehouse, execucao_id: int, check: Verification) -> None:
    """Keep the outcome of one more check of a run; call it inside `transaction()`."""
    warehouse.con.execute(
        "DELETE FROM ops.verificacoes WHERE execucao_id = ? AND verificacao = ?", [execucao_id, check.id]
    )
    warehouse.insert("ops.verificacoes", [{"execucao_id": execucao_id, **_as_row(check)}])


def _as_row(check: Verification) -> dict[str, Any]:
    return {
        "verificacao": check.id,
        "descricao": check.descricao,
        "severidade": check.severidade,
        "situacao": check.situacao,
        "esperado": None if check.esperado is None else str(check.esperado),
        "encontrado": None if check.encontrado is None else str(check.encontrado),
        "diferenca": check.diferenca,
        "registros": check.registros,
        "chaves": list(check.chaves),
        "detalhe": check.detalhe,
    }


def read_outcomes(warehouse: Warehouse, execucao_id: int) -> list[Verification]:
    """Read every outcome of a run, as `write_outcomes` and `keep_outcome` wrote it."""
    rows = warehouse.query(
        "SELECT verificacao, descricao, severidade, situacao, esperado, encontrado, diferenca, registros, chaves, "
        "detalhe FROM ops.verificacoes WHERE execucao_id = ?",
        [execucao_id],
    )
    return [replace(Verification(*row), chaves=tuple(row[8])) for row in rows]


def read_failed(warehouse: Warehouse, verificacao: str) -> dict[int, str]:
    """Read in which complete runs a check failed, and what each said of it."""
    return dict(
        warehouse.query(
            "SELECT execucao_id, detalhe FROM ops.verificacoes WHERE verificacao = ? AND situacao = ? AND execucao_id "
            f"IN (SELECT execucao_id FROM ops.execucoes WHERE {IS_COMPLETE})",
            [verificacao, FALHOU],
        )
    )


TREND_REPORTS: Final = 12
"""Reports of a trend, this one included."""


def read_told_reports(
    warehouse: Warehouse, day: date
) -> Iterator[tuple[date, Mapping[str, Decimal], frozenset[str], Mapping[str, str]]]:
    """Read what people last read of the days before D, oldest first: of each its last report, of whatever kind.

    A recálculo replaces the report of the reading that it shows, a hot run that of the morning. What is in `retro/`, or
    was published of a past day, is no report of its own day.

    Yields:
        Its D; slug -> value of the KPIs that have one; those that were a variation, no balance, for want of an opening
        (S23); and what it was computed with: name of a parameter -> text.
    """
    reports = warehouse.query(
        "SELECT max(execucao_id), data_base FROM ops.execucoes WHERE situacao = ? AND data_base = data_extracao AND "
        "data_base < ? AND execucao_id IN (SELECT execucao_id FROM ops.kpis) "
        "GROUP BY data_base ORDER BY data_base DESC LIMIT ?",
        [Situacao.COMPLETA, day, TREND_REPORTS - 1],
    )
    for execucao_id, own in reversed(reports):
        kpis = warehouse.query("SELECT kpi, valor, so_variacao FROM ops.kpis WHERE execucao_id = ?", [execucao_id])
        stored = warehouse.query(
            "SELECT parametro, valor_texto FROM ops.parametros WHERE execucao_id = ?", [execucao_id]
        )
        values = {kpi: value for kpi, value, _ in kpis if value is not None}
        yield own, values, frozenset(kpi for kpi, _, only in kpis if only), dict(stored)


def find_changed_parameters(stored: Mapping[str, str], parametros: Parametros) -> tuple[str, ...]:
    """Name the parameters that move figures and differ from those of a report; a parameter new since then is left out.

    Args:
        stored: what the report was computed with: name -> text.
        parametros: those of now.
    """
    decisive = {item.name for item in fields(parametros) if item.metadata["figures"]}
    return tuple(
        name
        for name, text, _ in setting_rows(parametros)
        if name in decisive and name in stored and stored[name] != text
    )
