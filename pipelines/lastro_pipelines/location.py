"""Assembles assets, checks, jobs, schedules, sensors and the one resource; no other logic."""

from typing import Final

import dagster as dg

from lastro.errors import ConfigError
from lastro.manual.search import find_topic
from lastro.settings import DEFAULT_FUSO

from .assets.core import build_core_part
from .assets.excel import PUBLISHED, build_publication_part, build_workbook_part
from .assets.mart import build_report_part
from .assets.reading import build_reading_part
from .assets.stages import build_reading_assets, build_report_assets
from .freshness import build_freshness_sensor
from .group import build_group_asset, build_group_sensor
from .names import Names
from .notices import build_notice_sensor
from .outside import build_outside_sensor
from .partitions import build_partition_sensor
from .resources import RESOURCE, Host, build_run_resource
from .retention import build_retention_sensor
from .schedules import build_jobs, build_schedules
from .sensors import build_sensors

FIRST_PAGE: Final = "Na UI do Dagster"
"""Page of the manual that whoever opens the location for the first time finds in its metadata, and at its first job."""


def build_definitions(host: Host) -> dg.Definitions:
    """Assemble the code location for a process.

    Args:
        host: what the process lends to its runs.
    """
    try:
        settings = host.load()
        fuso, names = settings.fuso, Names(settings.local)
    except ConfigError:
        # The location loads without settings; a run then fails and names every mistake.
        fuso, names = DEFAULT_FUSO, Names()
    page = find_topic(FIRST_PAGE)
    jobs, asset = build_jobs(names, page), names.key(*PUBLISHED)
    reading = build_reading_part(names)
    reports = [build_core_part(names), build_report_part(names), build_workbook_part(names)]
    reports.append(build_publication_part(host, names))
    company = dg.Definitions(
        assets=[build_reading_assets(names, reading), build_report_assets(names, reports)],
        jobs=[*jobs.values()],
        schedules=build_schedules(host, fuso, names, jobs),
        sensors=[
            *build_sensors(host, names, jobs),
            build_partition_sensor(host, names),
            build_outside_sensor(host, names, [reading, *reports]),
            build_notice_sensor(host, names),
            build_freshness_sensor(host, names, asset),
            build_retention_sensor(host, names),
        ],
        resources={RESOURCE: build_run_resource(host, names)},
        executor=dg.in_process_executor,
        metadata={"por_onde_comecar": dg.MarkdownMetadataValue(page)},
    )
    armazem, group_job = build_group_asset(host, names)
    sensor = build_group_sensor(host, names, group_job)
    return dg.Definitions.merge(company, dg.Definitions(assets=[armazem], jobs=[group_job], sensors=[sensor]))
