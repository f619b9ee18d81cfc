"""What runs foretold stays as it was written; what came of it is filled in once (S24)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lastro.analysis.forecast_record import GRAVADA, RECONSTITUIDA, Band, Measured
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.forecasts import read_forecasts, write_forecasts

MONDAY, NEXT = date(2026, 3, 9), date(2026, 3, 16)
SUNDAY = date(2026, 3, 15)


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    with Warehouse(tmp_path) as opened:
        opened.insert(
            "ops.execucoes",
            [
                {"execucao_id": number, "situacao": state, "data_base": day, "data_extracao": day}
                for number, state, day in (
                    (1, "completa", MONDAY),
                    (2, "completa", date(2026, 3, 11)),
                    (3, "falhou", date(2026, 3, 12)),
                    (4, "em andamento", NEXT),
                )
            ],
        )
        yield opened


def test_of_a_week_the_last_complete_run_counts_and_a_reconstituted_one_without_it(warehouse: Warehouse) -> None:
    past = Measured(MONDAY, 1, SUNDAY, 100_00, 0, 90_00)
    older = Measured(date(2026, 3, 2), 1, date(2026, 3, 8), 70_00, 0, 70_00)
    write_forecasts(warehouse, 1, [older, past])
    assert [one.previsto for one in read_forecasts(warehouse, 2, NEXT)] == [70_00, 100_00]
    write_forecasts(warehouse, 2, [Measured(date(2026, 3, 11), 1, SUNDAY, 120_00, 5_00, origem=GRAVADA)])
    write_forecasts(warehouse, 3, [Measured(date(2026, 3, 12), 1, SUNDAY, 999_00, 0, origem=GRAVADA)])  # it failed
    found = read_forecasts(warehouse, 4, NEXT)
    assert [(one.previsto, one.origem, one.execucao_id) for one in found] == [
        (70_00, RECONSTITUIDA, 1),
        (120_00, GRAVADA, 2),
    ]
    assert read_forecasts(warehouse, 4, date(2026, 3, 9)) == found[:1]  # made before the day that asks
    # Of a past day nothing counts that a later run foretold, be it of a week before that day.
    assert [one.execucao_id for one in read_forecasts(warehouse, 4, date(2026, 3, 10))] == [1, 1]
    assert read_forecasts(warehouse, 4, date(2026, 3, 8)) == ()


def test_what_came_is_filled_in_once_and_a_stored_forecast_never_changes(warehouse: Warehouse) -> None:
    write_forecasts(warehouse, 1, [Measured(MONDAY, 1, SUNDAY, 100_00, 5_00, origem=GRAVADA)])
    (stored,) = read_forecasts(warehouse, 2, NEXT)
    assert (stored.previsto, stored.pago_no_dia, stored.realizado) == (100_00, 5_00, None)
    own = Measured(NEXT, 1, date(2026, 3, 22), 200_00, 0, origem=GRAVADA, faixa=Band(-30_00, 45_50))
    write_forecasts(warehouse, 2, [stored._replace(realizado=80_00, previsto=1), own])
    write_forecasts(warehouse, 4, [stored._replace(realizado=70_00)])
    first, second = read_forecasts(warehouse, 4, date(2026, 3, 23))
    assert (first.previsto, first.realizado, first.erro) == (100_00, 80_00, -20_00)
    assert (second.execucao_id, second.previsto, second.realizado) == (2, 200_00, None)
    assert (first.faixa, second.faixa) == (None, Band(-30_00, 45_50))


def test_a_run_that_writes_its_reports_again_foretells_once(warehouse: Warehouse) -> None:
    forecasts = [Measured(MONDAY, week, SUNDAY, week * 100, 0, origem=GRAVADA) for week in (1, 2)]
    write_forecasts(warehouse, 1, forecasts)
    write_forecasts(warehouse, 1, forecasts)
    assert warehouse.query("SELECT count(*), sum(previsto) FROM ops.previsao")[0][:1] == (2,)
