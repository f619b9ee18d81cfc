"""Which parameters of a family run by default, and which wait for `pytest -m longo`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import hypothesis
import pytest

from tests.golden.dataset import FORMAS_COMPOSTO


def thinned(values: Iterable[Any], default: Collection[Any]) -> list[Any]:
    """Keep all values of a family, marking `longo` what is not among those that run by default.

    A tuple stands for the values of several names, as `pytest.mark.parametrize` has it.
    """
    values = list(values)
    assert all(value in values for value in default), "a default that the family does not have"
    return [value if value in default else _longo(value) for value in values]


def examples(count: int) -> hypothesis.settings:
    """How many examples a costly property has by default; under any other profile it has as many as all."""
    default = hypothesis.settings.default
    assert default is not None
    daily = hypothesis.settings.get_current_profile_name() == "lastro"
    return hypothesis.settings(default, max_examples=count if daily else default.max_examples)


def _longo(value: Any) -> Any:
    return pytest.param(*value if isinstance(value, tuple) else (value,), marks=pytest.mark.longo)


EACH_SHAPE = thinned(FORMAS_COMPOSTO, default="AT")
"""For tests that show figures in every shape of the composite; B, C and D make the linhas of A."""
