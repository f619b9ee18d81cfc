"""One company in a process of its own: `python -m lastro.commands.child`, asked by `lastro.operation.batch`.

What is asked comes as JSON on the standard input, and what became of it goes out as one line of JSON; no secret is in
either, for tokens are in the environment or in files.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path
from typing import Any, Final, cast

from lastro.access import keep_private
from lastro.commands.one import note_signals, run_one
from lastro.commands.options import read_settings
from lastro.run.order import Modo, RunOrder

_DAYS: Final = ("data_base", "data_extracao")
_HELD: Final = ("aceitar_exclusoes", "aceitar_alteracoes", "aceitar_origem")


def main() -> None:
    """Run the company that is asked for."""
    asked = json.loads(sys.stdin.read())
    with keep_private(), note_signals() as received:
        settings = read_settings(None if asked["config"] is None else Path(asked["config"]))
        order = parse_order(asked["order"])
        outcome = run_one(settings, asked["empresa"], order, None, received, recorded=asked["recorded"])
    sys.stdout.write(json.dumps(outcome.describe(), ensure_ascii=False) + "\n")


def parse_order(row: dict[str, Any]) -> RunOrder:
    """Read what the parent wrote of an order."""
    day = {name: None if row[name] is None else date.fromisoformat(row[name]) for name in _DAYS}
    held = {name: None if row[name] is None else int(row[name]) for name in _HELD}
    modo = None if row["modo"] is None else Modo(row["modo"])
    return RunOrder(**cast("dict[str, Any]", {**day, **held, "modo": modo}))


if __name__ == "__main__":
    main()
