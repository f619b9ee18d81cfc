"""`lastro run --json` of the golden company, once for those who ask what it said and what Dagster keeps of it."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN_VARIABLE, write_golden

TOKEN = "ficha-7d1f-segura"  # noqa: S105 - opens a sandbox


@dataclass(frozen=True)
class Told:
    """How the command ended, what it printed, and what it asked of the service: method, path, query."""

    code: int
    stdout: str
    output: str
    requests: list[Any]


def run_told(folder: Path) -> None:
    """Run the golden company in a folder by the command, and leave beside it what it told."""
    level = logging.getLogger("dagster").level
    with serve(create_app(golden_company(), token=TOKEN)) as service, pytest.MonkeyPatch.context() as patch:
        for name in ("DAGSTER_HOME", "LASTRO_DAGSTER_HOME"):
            patch.setenv(name, "")  # another test's
        settings = write_golden(folder, service.base_url)
        asked = ["run", "--config", settings.origem, "--data-extracao", expected.D.isoformat(), "--json"]
        result = CliRunner().invoke(main, asked, env={TOKEN_VARIABLE: TOKEN})
        told = Told(result.exit_code, result.stdout, result.output, list(service.requests))
    logging.getLogger("dagster").setLevel(level)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    (folder / "dito.json").write_text(json.dumps(asdict(told)), encoding="utf-8")


def read_told(folder: Path) -> Told:
    return Told(**json.loads((folder / "dito.json").read_text(encoding="utf-8")))
