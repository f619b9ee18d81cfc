"""Reports of a day before the published one: they stand beside it, in `retro/`, and what everybody opens stays.

Whoever wants the past in the place of today asks twice: by the day, and by `publicar_passado`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lastro.run.parts import RETRO_FOLDER
from lastro.warehouse import runs
from lastro.warehouse.publish import read_published

if TYPE_CHECKING:
    from lastro.run.session import RunSession


def find_shelf(session: RunSession) -> Path | None:
    """Find the folder of a run's day in `retro/`; None for a run that becomes what everybody sees."""
    number = read_published(session.pasta)
    published = None if number is None else runs.read_run(session.warehouse, number)
    if published is None or session.order.publicar_passado or session.run.data_base >= published.data_base:
        return None
    return session.pasta / RETRO_FOLDER / session.run.data_base.isoformat()
