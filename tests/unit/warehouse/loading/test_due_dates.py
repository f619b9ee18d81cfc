"""Due dates seen by stored runs: only those that changed, never what a later run saw."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

from lastro.transform.habits import find_habits
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.due_dates import read_due_dates
from tests.books import make_empresa
from tests.golden import dataset
from tests.histories import load_run

A, B = date(2026, 2, 27), date(2026, 3, 16)
EMPRESA = make_empresa(dataset.CONTAS, dataset.PARAMETROS)


def test_the_golden_runs_show_the_one_due_date_that_moved(one_run: Path, tmp_path: Path) -> None:
    shutil.copytree(one_run, tmp_path / "empresa")
    with Warehouse(tmp_path / "empresa") as warehouse:
        assert read_due_dates(warehouse, 1, A) is None
    with load_run(tmp_path / "empresa", dataset.payloads(), EMPRESA, B, 2) as (warehouse, position):
        found = read_due_dates(warehouse, 2, B)
        assert found is not None
        rows = [(n, seen.date(), due.date()) for n, seen, due in found.itertuples(index=False)]
        # 1012: due 10/03 on 27/02, 14/03 on 16/03; no other título's date changed
        assert rows == [(1012, A, date(2026, 3, 10)), (1012, B, date(2026, 3, 14))]
        early = read_due_dates(warehouse, 2, date(2026, 3, 15))
        assert early is not None
        assert early.empty
        assert read_due_dates(warehouse, 2, date(2026, 2, 26)) is None
        azul = find_habits(replace(position, vencimentos=found)).pagadores.set_index("pessoa_id").loc[501]
        assert (azul["adiamentos"], azul["dias_adiados"], azul["titulos_adiados"]) == (1, 4, 1)
