"""Short texts that change when companies may have: whoever looks often looks at these first."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from typing import Final

from lastro.run.journal import JOURNAL
from lastro.settings import Settings
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER
from lastro.warehouse.publication.copies import read_published

LOOK_AGAIN_SECONDS: Final = 900
"""How often the companies are looked at when nothing has changed: what is late becomes late without a word."""


def trace_companies(settings: Settings, now: datetime) -> str:
    """Write what changes whenever a company's state may have: looking at all of them costs more."""
    parts = [str(int(now.timestamp()) // LOOK_AGAIN_SECONDS), repr(settings.avisos)]
    for empresa_id in settings.ids:
        folder = settings.dir / empresa_id
        for path in (folder / PRIVATE_FOLDER / JOURNAL, folder / LINK_NAME):
            try:
                parts.append(str(os.lstat(path).st_mtime_ns))
            except OSError:
                parts.append("")
    return hashlib.sha256("/".join([*settings.ids, *parts]).encode()).hexdigest()[:16]


def trace_published(settings: Settings) -> str:
    """Write in short which copy every company has published; empty where there are no two."""
    published = [(empresa_id, read_published(settings.dir / empresa_id)) for empresa_id in settings.ids]
    if sum(execucao_id is not None for _, execucao_id in published) < 2:
        return ""
    return hashlib.sha256(repr(sorted(published, key=str)).encode()).hexdigest()[:16]
