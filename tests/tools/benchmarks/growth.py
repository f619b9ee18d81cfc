"""How what is refused or matched grows: four times as much input beside the same shape at its size (4 is linear)."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Final

from lastro.errors import ConfigError
from lastro.settings import load_settings
from tests.tools.benchmarks.processes import tell

COMPANY: Final = """[[empresa]]
id = "acme"
nome = "Acme Ltda"
base_url = "https://api.example.com"
token_env = "ACME_TOKEN"
"""
SETTINGS: Final[Mapping[str, Callable[[int], str]]] = {
    "tables": lambda size: "".join(f"[t{number}]\n" for number in range(size)),
    "companies of nothing": lambda size: "[[empresa]]\n" * size,
    "unknown keys": lambda size: COMPANY + "".join(f"k{number} = 1\n" for number in range(size)),
    "one account again": lambda size: COMPANY + "[[empresa.conta]]\nconta_id = 1\n" * size,
    "a key of dots": lambda size: "a" + ".a" * size + " = 1",
    "right companies": lambda size: "".join(COMPANY.replace("acme", f"e{number}") for number in range(size // 10)),
}
"""Settings of as many parts, within the megabyte that a file may have."""


def bench_growth(rows: int, options: argparse.Namespace) -> None:  # noqa: ARG001 - as the others
    """Four times the settings, and the lines of a statement."""
    size = min(rows, 5_000)
    with tempfile.TemporaryDirectory() as name:
        for shape, text in SETTINGS.items():
            _say(f"settings: {shape}", size, partial(read_settings, Path(name), text))
    _say("matching of bank lines", size, import_module("tests.bank").match_lines)


def read_settings(folder: Path, text: Callable[[int], str], count: int) -> None:
    """Read settings of so many parts, right or wrong."""
    file = folder / "lastro.toml"
    file.write_text(text(count), encoding="utf-8")
    try:
        load_settings(file, {}, folder)
    except ConfigError:
        return


def _say(label: str, size: int, work: Callable[[int], None]) -> None:
    taken = []
    for many in (size, 4 * size):
        began = process_time()
        work(many)
        taken.append(process_time() - began)
    tell(f"{label:<34}{size:7d} {taken[0]:7.2f} s {4 * size:7d} {taken[1]:7.2f} s {taken[1] / taken[0]:6.1f}")
