"""Hot runs refresh what is around today over a complete run; they infer no deletion and feed no history (S13)."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from lastro.errors import ConfigError
from lastro.schema.run_kinds import Modo
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, run_served, write_settings


def test_a_hot_run_needs_a_complete_one(tmp_path: Path) -> None:
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url)
        with pytest.raises(ConfigError, match="atualiza uma completa"):
            run_served(settings, expected.D, modo=Modo.QUENTE)


@pytest.mark.longo
def test_a_past_day_is_given_back_from_its_own_run(tmp_path: Path) -> None:
    earlier, later = golden_company(anterior=True), golden_company()
    day = date(2026, 2, 27)
    with serve(create_app(earlier, token=TOKEN)) as service:
        first = run_served(write_settings(tmp_path, earlier, service.base_url), day)
    with serve(create_app(later, token=TOKEN)) as service:
        settings = write_settings(tmp_path, later, service.base_url)
        run_served(settings, expected.D)
        again = run_served(settings, expected.D, data_base=day)
        rebuilt = run_served(settings, expected.D, data_base=day + timedelta(days=1))
    views = ("R01", "R02", "R04", "R06", "R07", "R08", "R09")
    tables = [{report.code: report.tables for report in result.catalogue.reports} for result in (first, again)]
    for code in views:
        assert tables[0][code] == tables[1][code], code
    with duckdb.connect(str(rebuilt.warehouse), read_only=True) as con:
        flags = con.execute("SELECT reconstituida FROM ops.execucoes ORDER BY execucao_id").fetchall()
    assert flags == [(False,), (False,), (False,), (True,)]
