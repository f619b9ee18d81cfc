"""What a run does its work with, loaded at once: by a process from which those of many companies are forked.

Everybody else loads each part when it is its turn (`stages`).
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from lastro import progress
from lastro.operation import state
from lastro.run import begin, deliver, desk, load, read, report, whole

PARTS: Final = [progress, state, begin, deliver, desk, load, read, report, whole]
"""The modules that stages and commands ask for by themselves; each brings what it stands on."""

if find_spec("reportlab") is not None:
    from lastro.export import page_pdf

    PARTS.append(page_pdf)
