"""The stored forecasts of cash and the realised sums beside them (S24).

Belongs here: `ops.previsao`. Does not belong here: how a forecast is made and measured (`lastro.analysis`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from lastro.analysis.forecast_record import GRAVADA, MODELO, Band, Measured
from lastro.calendar import week_start
from lastro.money import decimal_or_none, to_decimal
from lastro.schema.run_kinds import Situacao
from lastro.warehouse.file.store import Warehouse


def read_forecasts(warehouse: Warehouse, execucao_id: int, day: date) -> tuple[Measured, ...]:
    """Read one forecast per week and horizon that was made before a day, by the rules of now.

    Args:
        execucao_id: the run that asks; only complete runs before it are asked, and none that read after the day.
        day: D.

    Returns:
        Of each week what its last complete run stored, else what was reconstituted; by week and horizon.
    """
    rows = warehouse.query(
        "SELECT p.data_base, p.horizonte, p.fim, (p.previsto * 100)::BIGINT, (p.pago_no_dia * 100)::BIGINT, "
        "(p.realizado * 100)::BIGINT, p.origem, p.execucao_id, "
        "(p.erro_de * 100)::BIGINT, (p.erro_ate * 100)::BIGINT "
        "FROM ops.previsao p JOIN ops.execucoes e USING (execucao_id) "
        "WHERE e.situacao = ? AND p.execucao_id < ? AND e.data_extracao <= ? AND p.data_base < ? AND p.modelo = ? "
        "QUALIFY row_number() OVER (PARTITION BY p.semana, p.horizonte "
        "ORDER BY p.origem = ? DESC, p.data_base DESC, p.execucao_id DESC) = 1 ORDER BY p.semana, p.horizonte",
        [Situacao.COMPLETA, execucao_id, day, day, MODELO, GRAVADA],
    )
    return tuple(
        Measured(*row)._replace(faixa=None if upper is None else Band(lower, upper)) for *row, lower, upper in rows
    )


def write_forecasts(warehouse: Warehouse, execucao_id: int, forecasts: Iterable[Measured]) -> None:
    """Store the forecasts of a run and the realised sums of earlier ones; a stored figure never changes.

    Args:
        warehouse: the private file; call it in the transaction of the reports.
        forecasts: the earlier ones that it looked at and its own; those that no run stored yet become its own.
    """
    warehouse.con.execute("DELETE FROM ops.previsao WHERE execucao_id = ?", [execucao_id])
    forecasts = list(forecasts)
    warehouse.insert(
        "ops.previsao",
        [
            {
                "execucao_id": execucao_id,
                "data_base": forecast.data_base,
                "semana": week_start(forecast.data_base),
                "modelo": MODELO,
                "horizonte": forecast.horizonte,
                "fim": forecast.fim,
                "previsto": to_decimal(forecast.previsto),
                "pago_no_dia": to_decimal(forecast.pago_no_dia),
                "realizado": decimal_or_none(forecast.realizado),
                "origem": forecast.origem,
                "erro_de": decimal_or_none(forecast.faixa and forecast.faixa.lower),
                "erro_ate": decimal_or_none(forecast.faixa and forecast.faixa.upper),
            }
            for forecast in forecasts
            if not forecast.execucao_id
        ],
    )
    pending = set(warehouse.query("SELECT execucao_id, data_base, horizonte FROM ops.previsao WHERE realizado IS NULL"))
    over = [
        [to_decimal(forecast.realizado), forecast.execucao_id, forecast.data_base, forecast.horizonte]
        for forecast in forecasts
        if forecast.realizado is not None and (forecast.execucao_id, forecast.data_base, forecast.horizonte) in pending
    ]
    if over:
        warehouse.con.executemany(
            "UPDATE ops.previsao SET realizado = ? WHERE execucao_id = ? AND data_base = ? AND horizonte = ?", over
        )
