"""`lastro run --json` of a golden company, once for those who ask what it said and what Dagster and its files keep."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import GOLDEN_PARAMETERS, TOKEN_VARIABLE, write_settings

TOKEN = "CANARIO-4f6b9c/2e+81=%41&ç"  # noqa: S105 - opens a sandbox, and is looked for afterwards
LOG = "tudo.log"


@dataclass(frozen=True)
class Told:
    """How the command ended, and what it printed."""

    code: int
    stdout: str
    output: str


@contextmanager
def log_everything(path: Path) -> Iterator[None]:
    """Log everything of everybody into a file."""
    handler = logging.FileHandler(path, encoding="utf-8")
    loggers = [logging.getLogger(), *map(logging.getLogger, ("httpx", "httpcore", "dagster", "urllib3", "asyncio"))]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def run_told(folder: Path) -> None:
    """Run the golden company in a folder by the command, and leave beside it what it told and what all logged.

    Its opening balance is not what the entry of it says, so a check of severity erro fails (S15); and its service shows
    the token back.
    """
    books = golden_company(saldo_inicial=True)
    books.lancamentos[1001].descricao = f"eco de {TOKEN}"
    books.lancamentos[1000].valor += 100
    app = create_app(books, token=TOKEN, dialeto="observado")
    with log_everything(folder / LOG), serve(app) as service, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", "")  # the run names its own, for all tests of the process
        parametros = f"{GOLDEN_PARAMETERS}\nsaldo_inicial_lancamentos = [1000]"
        settings = write_settings(folder, books, service.base_url, parametros)
        asked = ["run", "--config", settings.origem, "--data-extracao", expected.D.isoformat(), "--json"]
        result = CliRunner().invoke(main, asked, env={TOKEN_VARIABLE: TOKEN})
        told = Told(result.exit_code, result.stdout, result.output)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    (folder / "dito.json").write_text(json.dumps(asdict(told)), encoding="utf-8")


def read_told(folder: Path) -> Told:
    return Told(**json.loads((folder / "dito.json").read_text(encoding="utf-8")))
