"""Where the reports of a day before the published one go: into `retro/`, so that what everybody opens stays.

To publish a past day in the place of today, one asks for the day and for `publicar_passado`.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from pathlib import Path

from lastro.errors import StorageError
from lastro.run.names import RETRO_FOLDER
from lastro.schema.run_kinds import Situacao
from lastro.warehouse.file.store import LINK_NAME, Warehouse
from lastro.warehouse.loading import runs
from lastro.warehouse.loading.runs import Run
from lastro.warehouse.publication.copies import read_published
from lastro.warehouse.publication.published_file import open_published


def find_retro_folder(pasta: Path, run: Run, warehouse: Warehouse) -> Path | None:
    """Find the folder of a run's day in `retro/`; None for a run that becomes what everybody sees."""
    execucao_id = read_published(pasta)
    if execucao_id is None:
        return None
    published = runs.read_run(warehouse, execucao_id)
    # Of what is published a private file that was put back does not know the day: only today comes in its place.
    shown = run.data_extracao if published is None else published.data_base
    return None if run.data_base >= shown else _name_folder(pasta, run.data_base)


def is_in_retro(pasta: Path, run: Run) -> bool:
    """Tell whether the copy of the warehouse that stands in `retro/` for the day of a run says that it ended well."""
    sql = "SELECT 1 FROM ops.execucoes WHERE execucao_id = ? AND situacao = ?"
    with suppress(StorageError), open_published(_name_folder(pasta, run.data_base) / LINK_NAME) as con:
        return con.execute(sql, [run.execucao_id, Situacao.RETROATIVA]).fetchone() is not None
    return False


def _name_folder(pasta: Path, day: date) -> Path:
    return pasta / RETRO_FOLDER / day.isoformat()
