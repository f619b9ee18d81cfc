"""Hot runs refresh what is around today over a complete run; they infer no deletion and feed no history (S13)."""

from __future__ import annotations

import gzip
import json
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from lastro.errors import ConfigError, IncompletePass
from lastro.run.order import RunOrder
from lastro.run.process import list_stages
from lastro.run.stages import STAGES, run_stage
from lastro.schema.run_kinds import Modo
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.marks import thinned
from tests.served import TOKEN, copy_golden, open_session, run_served, write_settings


def make_old(pasta: Path) -> int:
    """Write the pages below a folder as a lastro before 0.3: without the account; return how many had one."""
    had = 0
    for path in pasta.rglob("*.jsonl.gz"):
        pages = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        had += sum(page.pop("conta_listada", None) is not None for page in pages)
        path.write_bytes(gzip.compress("".join(json.dumps(page) + "\n" for page in pages).encode()))
    return had


@pytest.mark.parametrize("modo", thinned((Modo.RECALCULO, Modo.QUENTE), default=(Modo.RECALCULO,)))
def test_pages_that_an_older_lastro_landed_are_refused(first_run: Path, tmp_path: Path, modo: Modo) -> None:
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        settings = copy_golden(first_run, tmp_path, service.base_url)
        assert make_old(tmp_path) > 0
        with open_session(settings, expected.D, order=(order := RunOrder(modo=modo))) as session:
            *before, core = list_stages(order)[: -len(STAGES[2:])]
            for stage in before:
                run_stage(session, stage)
            with pytest.raises(IncompletePass, match=r"paginas/\d+: .* anterior ao 0\.3, .* rode o job inteiro"):
                run_stage(session, core)


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
