"""One company in a process of its own, asked by `lastro.operation.batch`.

What became of it goes out as one line of JSON; no secret is in it, for tokens are in the environment or in files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lastro.commands.company_run import run_one
from lastro.garbage import collect_seldom
from lastro.run.access import keep_private
from lastro.run.ending import note_signals
from lastro.settings import load_settings
from lastro.terminal import speak_anywhere


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
    for descriptor, path, flags in ((0, os.devnull, os.O_RDONLY), (1, answer, os.O_WRONLY)):
        os.dup2(os.open(path, flags), descriptor)
    speak_anywhere()
    collect_seldom()
    with keep_private(), note_signals() as received:
        # Not `read_settings`: what there is to tell of the file the parent has told.
        settings = load_settings(asked["config"], os.environ, Path.cwd())
        outcome = run_one(settings, asked["empresa"], asked["order"], None, received)
    # In ASCII: the stream may be of an encoding that lacks what a name holds.
    print(json.dumps(outcome.describe()), flush=True)  # noqa: T201 - the answer
