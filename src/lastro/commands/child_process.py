"""One company in a process of its own, asked by `lastro.operation.batch`.

What became of it goes out as one line of JSON; no secret is in it, for tokens are in the environment or in files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final, cast

from lastro.access import keep_private
from lastro.commands.company_run import note_signals, run_one
from lastro.run.order import Modo, RunOrder
from lastro.settings import load_settings

_DAYS: Final = ("data_base", "data_extracao", "fechamento")
_HELD: Final = ("aceitar_exclusoes", "aceitar_alteracoes", "aceitar_origem")


def work(asked: Mapping[str, Any], answer: str, *, environ: Mapping[str, str], folder: str) -> None:
    """Run the company that is asked for; what stands around is as it was around the parent.

    Args:
        asked: what `lastro.operation.batch` asks.
        answer: the file that takes what is printed.
        environ: of the parent.
        folder: in which it works.
    """
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, answer, os.O_WRONLY)):
        os.dup2(os.open(path, flags), number)
    with keep_private(), note_signals() as received:
        # Not `read_settings`: what there is to tell of the file the parent has told.
        settings = load_settings(None if asked["config"] is None else Path(asked["config"]), os.environ, Path.cwd())
        order = parse_order(asked["order"])
        outcome = run_one(settings, asked["empresa"], order, None, received, recorded=asked["recorded"])
    print(json.dumps(outcome.describe(), ensure_ascii=False), flush=True)  # noqa: T201 - the answer


def parse_order(row: dict[str, Any]) -> RunOrder:
    """Read what the parent wrote of an order."""
    day = {name: None if row[name] is None else date.fromisoformat(row[name]) for name in _DAYS}
    held = {name: None if row[name] is None else int(row[name]) for name in _HELD}
    modo = None if row["modo"] is None else Modo(row["modo"])
    past = {"publicar_passado": row["publicar_passado"] == str(True)}
    return RunOrder(**cast("dict[str, Any]", {**day, **held, **past, "modo": modo}))
