"""A company's first run: its new file has small blocks, and others before much is loaded into them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lastro.run.order import StageResult
from lastro.run.stages import STAGES, run_stage
from lastro.warehouse import blocks
from lastro.warehouse.blocks import SMALL, USUAL, read_block_size
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, open_session, write_golden


@pytest.mark.parametrize(("many", "wanted"), [(200, USUAL), (200_000, SMALL)])
def test_blocks_fit_what_was_read_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, wanted: int
) -> None:
    monkeypatch.setattr(blocks, "MANY_ROWS", many)
    monkeypatch.setattr(blocks, "FEW_ROWS", many)
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        settings = write_golden(tmp_path, service.base_url)
        with open_session(settings, expected.D) as session:
            run_stage(session, STAGES[0])
            assert read_block_size(session.warehouse.con) == SMALL
            loaded = run_stage(session, STAGES[1])
            assert read_block_size(session.warehouse.con) == wanted
            assert isinstance(loaded, StageResult)
            assert session.warehouse.query("SELECT count(*) FROM core.linhas") == [(loaded.rows,)]
            assert session.warehouse.query("SELECT count(*) > 0 FROM ops.passadas") == [(True,)]
