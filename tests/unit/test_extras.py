"""Which Dagster lastro works with, said once for the metadata and once for who has another one."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from lastro.errors import ConfigError
from lastro.extras import demand, demand_dagster, write_bound
from tests.tools.versions import OLDEST

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize("found", ["1.12.13", "1.12.22", "1.13", "1.13.0", "1.13.27", "1.13.0rc1"])
def test_a_version_within_the_bound_will_do(found: str) -> None:
    demand_dagster(found)
    demand("dagster", "this test")


@pytest.mark.parametrize("found", ["1.11.16", "1.12", "1.12.0", "1.12.12", "1.14", "1.14.0", "2.0.0"])
def test_another_version_is_told_with_those_that_do(found: str) -> None:
    with pytest.raises(ConfigError, match=rf"dagster {found}: .*>=1\.12\.13,<1\.14.*--sem-dagster"):
        demand_dagster(found)


def test_the_metadata_says_the_same() -> None:
    wanted = write_bound()
    assert wanted == ">=1.12.13,<1.14"
    assert {f"dagster{wanted}", f"dagster-webserver{wanted}"} <= set(EXTRAS["dagster"])
    assert OLDEST == "==1.12.13"  # what `python -m tests.tools.versions` tries is what pip lets in
