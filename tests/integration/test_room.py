"""A company's first run: its new file has small blocks, and others before much is loaded into them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lastro.run.order import StageResult
from lastro.run.stages import STAGES, run_stage
from lastro.warehouse.blocks import SMALL, USUAL, read_block_size
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, open_session, write_golden


@pytest.mark.parametrize(("received", "wanted"), [(30_000, USUAL), (60, SMALL)])
def test_blocks_fit_what_was_read_before_it_is_loaded(tmp_path: Path, received: int, wanted: int) -> None:
    """The proofs say how much came; of 30,000 records become more than the 200,000 rows that usual blocks are for."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        settings = write_golden(tmp_path, service.base_url)
        with open_session(settings, expected.D) as session:
            run_stage(session, STAGES[0])
            assert read_block_size(session.warehouse.con) == SMALL
            session.warehouse.con.execute(
                "UPDATE ops.passadas SET linhas_recebidas = ? WHERE lista = 'clientes'", [received]
            )
            loaded = run_stage(session, STAGES[1])
            assert read_block_size(session.warehouse.con) == wanted
            assert isinstance(loaded, StageResult)
            assert session.warehouse.query("SELECT count(*) FROM core.linhas") == [(loaded.rows,)]
            assert session.warehouse.query("SELECT count(*) > 0 FROM ops.passadas") == [(True,)]
