"""The code location: assembles assets, checks, job, schedule and the one resource; no other logic."""

import dagster as dg

from lastro.errors import ConfigError
from lastro.settings import DEFAULT_FUSO
from pipelines.assets.core import core
from pipelines.assets.excel import gerencial, publicacao
from pipelines.assets.mart import mart
from pipelines.assets.raw import RAW
from pipelines.resources import Host, build_run_resource, read_settings
from pipelines.schedules import build_schedules, diario, quente

SCHEDULED_RETRIES = 2


def build_definitions(host: Host) -> dg.Definitions:
    """Assemble the code location for a process."""
    try:
        fuso = (host.settings or read_settings(host.env)).fuso
    except ConfigError:
        # The location loads without settings; a run then fails and names every mistake.
        fuso = DEFAULT_FUSO
    return dg.Definitions(
        assets=[*RAW, core, mart, gerencial, publicacao],
        jobs=[diario, quente],
        schedules=build_schedules(host, fuso),
        resources={"execucao": build_run_resource(host)},
        executor=dg.in_process_executor,
    )


defs = build_definitions(Host(retries=SCHEDULED_RETRIES))
