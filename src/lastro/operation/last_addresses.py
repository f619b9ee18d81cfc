"""The last good `[avisos]`, for the one notice that the settings themselves cannot address: that they are broken.

Addresses and names of variables stand in the file, never what the variables hold.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from lastro.run.status_file import keep_text, take_known
from lastro.settings import Avisos, Email, Settings, Webhook, find_data_folder

FILE: Final = "avisos_ultimo.json"


def keep_last(settings: Settings) -> None:
    """Keep who is told, below the data folder; where nobody is told any more, nobody is kept."""
    path, avisos = settings.dir / FILE, settings.avisos
    with contextlib.suppress(OSError):
        if not avisos.tells_anybody:
            path.unlink(missing_ok=True)
            return
        settings.dir.mkdir(parents=True, exist_ok=True)
        own = {"origem": str(Path(settings.origem).absolute()), "fuso": settings.fuso, "avisos": asdict(avisos)}
        text = json.dumps(own, ensure_ascii=False)
        if not path.exists() or path.read_text(encoding="utf-8").rstrip() != text:
            keep_text(path, text)


def read_last(path: Path) -> Settings | None:
    """Read who was to be told when a settings file was last good; None where nobody was, or it cannot be known.

    Args:
        path: the settings file.
    """
    folder = find_data_folder(path)
    try:
        kept = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if kept["origem"] != str(path.absolute()):
            return None
        own: dict[str, Any] = kept["avisos"]
        email, webhook = own.pop("email"), own.pop("webhook")
        avisos = Avisos(
            **own,
            email=email and Email(**{**take_known(Email, email), "para": tuple(email["para"])}),
            webhook=webhook and Webhook(**take_known(Webhook, webhook)),
        )
        return Settings(folder, kept["fuso"], (), kept["origem"], avisos=avisos)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
