"""The sign of life of Dagster's scheduler, which a sensor of it leaves: whether a next tick can be believed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from lastro.run.status_file import keep_text

FILE: Final = "agendador.json"
SILENT_AFTER: Final = timedelta(minutes=10)


@dataclass(frozen=True)
class Scheduler:
    """What the scheduler last said.

    Attributes:
        vivo_em: when, UTC.
        proxima: its next tick for the complete run, UTC; None where that schedule is off.
        de_fora: whether it shows what is run elsewhere: the sensor for that is on.
    """

    vivo_em: datetime
    proxima: datetime | None
    de_fora: bool = True

    def is_alive(self, now: datetime) -> bool:
        """Tell whether it said something lately."""
        return now - self.vivo_em <= SILENT_AFTER


def read_scheduler(folder: Path) -> Scheduler | None:
    """Read the sign of life below the data folder; None where none was ever left."""
    try:
        document = json.loads((folder / FILE).read_text(encoding="utf-8"))
        next_tick = document["proxima"]
        return Scheduler(
            datetime.fromisoformat(document["vivo_em"]),
            None if next_tick is None else datetime.fromisoformat(next_tick),
            document.get("de_fora", True),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_scheduler(folder: Path, scheduler: Scheduler) -> None:
    """Leave the sign of life; a disk that takes nothing keeps nobody from working."""
    next_tick = None if scheduler.proxima is None else scheduler.proxima.isoformat()
    told = {"vivo_em": scheduler.vivo_em.isoformat(), "proxima": next_tick, "de_fora": scheduler.de_fora}
    keep_text(folder / FILE, json.dumps(told))
