"""CONTRIBUTING draws how an entry and a charge get from page to cell: no longer than it may be, and still so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

MOST_HOPS, MOST_FORMS = 12, 5
TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


class Hop(NamedTuple):
    """A line of a drawing."""

    number: int
    branch: str
    place: str
    forms: tuple[str, ...]


def read_drawings(text: str) -> dict[str, list[Hop]]:
    """Read the drawings of the section: what takes the way -> its hops, in order."""
    section = text.partition("\n## From page to cell\n")[2].partition("\n## ")[0]
    drawings: dict[str, list[Hop]] = {}
    for line in section.splitlines():
        if title := re.fullmatch(r"An? (\w+):", line):
            hops = drawings[title[1]] = []
        elif found := re.fullmatch(r"\| (\d+)(?:, (\w+))? \| `([\w.]+)` \| .+ \| (.+) \|", line):
            hops.append(Hop(int(found[1]), found[2] or "", found[3], tuple(found[4].split(" → "))))
    return drawings


def list_way(hops: Sequence[Hop], end: str) -> list[int]:
    """List the numbers of the hops that lead to an end."""
    return [hop.number for hop in hops if hop.branch in ("", end)]


DRAWINGS: Mapping[str, list[Hop]] = read_drawings(TEXT)
PLACES = sorted({hop.place for hops in DRAWINGS.values() for hop in hops})


def test_both_are_drawn() -> None:
    assert list(DRAWINGS) == ["entry", "charge"]


@pytest.mark.parametrize("what", DRAWINGS)
@pytest.mark.parametrize("end", ["view", "cell"])
def test_a_way_has_no_more_hops_than_it_may(what: str, end: str) -> None:
    way = list_way(DRAWINGS[what], end)
    assert way == list(range(1, len(way) + 1))
    assert len(way) <= MOST_HOPS
    assert f"{len(way)} " in TEXT.partition("\nAn entry takes ")[2].partition(".")[0]


@pytest.mark.parametrize("what", DRAWINGS)
def test_an_amount_has_no_more_forms_than_it_may(what: str) -> None:
    forms = {form for hop in DRAWINGS[what] for form in hop.forms}
    assert forms == {"JSON text", "DECIMAL(20,2)", "int64 centavos", "DECIMAL(18,2)", "cell text"}
    assert len(forms) <= MOST_FORMS


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_there(place: str) -> None:
    module, *names = place.split(".")
    found: object = import_module(f"lastro.{module}")
    path = f"lastro.{module}"
    for name in names:
        path += f".{name}"
        if not hasattr(found, name):
            import_module(path)
        found = getattr(found, name)
    assert callable(found)
