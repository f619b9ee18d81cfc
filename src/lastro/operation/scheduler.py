"""The sign of life of Dagster's scheduler, which a sensor of it leaves: whether a next tick can be believed."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from lastro.errors import LastroError
from lastro.run.record import keep_signal, read_signal

_WHO: Final = "agendador"
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
    """Read the sign of life in the home; None where none was ever left."""
    alive, tick, outside = json.loads(read_signal(folder, _WHO) or "[null, null, null]")
    return Scheduler(datetime.fromisoformat(alive), tick and datetime.fromisoformat(tick), outside) if alive else None


def write_scheduler(folder: Path, scheduler: Scheduler) -> None:
    """Leave the sign of life; a home that takes nothing keeps nobody from working."""
    tick = scheduler.proxima.isoformat() if scheduler.proxima else None
    with contextlib.suppress(LastroError):
        keep_signal(folder, _WHO, json.dumps([scheduler.vivo_em.isoformat(), tick, scheduler.de_fora]))
