"""Where the reports of a day before the published one go: into `retro/`, so that what everybody opens stays.

To publish a past day in the place of today, one asks for the day and for `publicar_passado`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lastro.run.names import RETRO_FOLDER
from lastro.warehouse.loading import runs
from lastro.warehouse.publication.copies import read_published

if TYPE_CHECKING:
    from lastro.run.session import RunSession


def find_retro_folder(session: RunSession) -> Path | None:
    """Find the folder of a run's day in `retro/`; None for a run that becomes what everybody sees."""
    execucao_id = read_published(session.pasta)
    published = None if execucao_id is None else runs.read_run(session.warehouse, execucao_id)
    if published is None or session.order.publicar_passado or session.run.data_base >= published.data_base:
        return None
    return session.pasta / RETRO_FOLDER / session.run.data_base.isoformat()
