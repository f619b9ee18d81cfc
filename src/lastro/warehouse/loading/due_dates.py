"""The due dates that stored runs saw: the only witness of a due date that was pushed (habits of payers)."""

from __future__ import annotations

from datetime import date

import pandas as pd

from lastro.transform.habits import VENCIMENTOS_COLUMNS
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.runs import read_complete_runs


def read_due_dates(warehouse: Warehouse, leitura_id: int, day: date) -> pd.DataFrame | None:
    """Read every due date that runs extracted up to a day saw of the títulos whose due date changed.

    Args:
        warehouse: the private file; the run itself may be recorded already.
        leitura_id: the reading that is asked about.
        day: D; what later runs saw is none of its business.

    Returns:
        Columns `VENCIMENTOS_COLUMNS`, by título and run; None when no other complete run was extracted up to that
        day, because then nothing could be compared.
    """
    earlier = [run for run in read_complete_runs(warehouse) if run.leitura_id != leitura_id]
    if not any(run.data_extracao <= day for run in earlier):
        return None
    # A título is followed by its carrier's id; títulos whose date never changed say nothing and stay in the file.
    frame = warehouse.con.execute(
        "SELECT h.titulo_id, e.data_extracao::TIMESTAMP AS data_extracao, h.data_vencimento::TIMESTAMP AS "
        "data_vencimento FROM hist.titulos h JOIN ops.execucoes e ON e.execucao_id = h.valido_de "
        "WHERE h.data_vencimento IS NOT NULL AND e.data_extracao <= ? "
        "QUALIFY min(h.data_vencimento) OVER (PARTITION BY h.titulo_id) < max(h.data_vencimento) OVER "
        "(PARTITION BY h.titulo_id) ORDER BY h.titulo_id, h.valido_de",
        [day],
    ).df()
    return frame.astype(VENCIMENTOS_COLUMNS)
