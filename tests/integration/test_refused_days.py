"""A day or month that no run can take is refused before any company is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from lastro.cli import main

TEXT = """dir = "dados"

[[empresa]]
id = "nova"
nome = "Nova"
base_url = "http://127.0.0.1:1"
token_env = "NOVA"
"""


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--data-base", "2190-01-01"), "data_base 2190-01-01 é posterior à extração"),
        (("--fechamento", "2190-01"), "fechamento 2190-01: o mês ainda não acabou em "),
        (("--fechamento", "2026-13"), "'2026-13' não é um mês escrito AAAA-MM."),
    ],
)
def test_a_day_that_no_run_can_take_is_refused_at_once(tmp_path: Path, asked: tuple[str, str], told: str) -> None:
    (tmp_path / "lastro.toml").write_text(TEXT, encoding="utf-8")
    result = CliRunner().invoke(main, ["run", "--config", str(tmp_path / "lastro.toml"), *asked])
    assert told in str(result.exception) + result.output
    assert not (tmp_path / "dados").exists()
