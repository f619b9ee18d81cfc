"""Dagster's records: how long the events and logs of a run are kept, and the sensor that lets what is old go."""

import shutil
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import dagster as dg

from lastro.schema.run_kinds import Modo
from lastro.settings import Settings

from .names import PARTITION_TAG, Names
from .private import list_event_files
from .resources import Host
from .watch import watch

EVERY_SECONDS = 3_600
RECORD_DAYS, HOT_RECORD_DAYS = 30, 7
"""How long the records of a run stay, and those of a hot one."""
ENDED = (dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)
BUDGET_SECONDS = 40.0
"""A sensor is given a minute; what is left over goes an hour later."""


def plan_records(instance: dg.DagsterInstance, names: Names, now: datetime) -> list[str]:
    """List our runs whose records may go: ended, older than their days, and not the last good one of a company.

    The last good run of each company and job stays whatever its age: it is what the UI shows the company by.

    Args:
        instance: Dagster's instance.
        names: of this location.
        now: the clock, UTC.
    """
    ended = dg.RunsFilter(statuses=list(ENDED), created_before=now - timedelta(days=min(RECORD_DAYS, HOT_RECORD_DAYS)))
    records = []
    for record in instance.get_run_records(ended):
        run = record.dagster_run
        days = HOT_RECORD_DAYS if run.job_name == names.job(Modo.QUENTE) else RECORD_DAYS
        old = record.create_timestamp <= now - timedelta(days=days)
        if old and names.owns(run) and not _is_last_good(instance, names, run):
            records.append(run.run_id)
    return records


def _is_last_good(instance: dg.DagsterInstance, names: Names, run: dg.DagsterRun) -> bool:
    if run.status is not dg.DagsterRunStatus.SUCCESS or PARTITION_TAG not in run.tags:
        return False
    same = dg.RunsFilter(
        job_name=run.job_name,
        statuses=[dg.DagsterRunStatus.SUCCESS],
        tags={PARTITION_TAG: run.tags[PARTITION_TAG]},
    )
    ours = (earlier for record in instance.get_run_records(same) if names.owns(earlier := record.dagster_run))
    return next(ours).run_id == run.run_id


def remove_records(instance: dg.DagsterInstance, run_ids: Iterable[str], budget: float = float("inf")) -> int:
    """Let the records of runs go, and count those: row, events, logs, and the files that only they were in.

    Args:
        instance: Dagster's instance.
        run_ids: the runs.
        budget: seconds after which the rest waits for the next time.
    """
    gone, end = 0, time.monotonic() + budget
    for run_id in run_ids:
        if time.monotonic() > end:
            break
        instance.delete_run(run_id)
        shutil.rmtree(Path(instance.storage_directory()) / run_id, ignore_errors=True)  # where its logs are, if any
        for file in list_event_files(instance, run_id):
            file.unlink(missing_ok=True)
        gone += 1
    return gone


def build_retention_sensor(host: Host, names: Names) -> dg.SensorDefinition:
    """Build the sensor `limpeza`; what it lets go stands in `[retencao]`."""

    @watch(
        host,
        names,
        EVERY_SECONDS,
        "De hora em hora deixa ir o que passou do prazo de [retencao]: páginas, planilhas refeitas, sobras e registros "
        "antigos; nunca o que um relatório usa. Se falhar: lastro limpar --simular mostra o que seria.",
    )
    def limpeza(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SkipReason:
        from lastro.operation.retention import prune

        now = host.clock()
        records = plan_records(context.instance, names.seen_by(context), now)
        gone, runs = prune(settings, now), remove_records(context.instance, records, BUDGET_SECONDS)
        size = sum(item.bytes for item in gone) // 1_000_000
        return dg.SkipReason(f"{len(gone)} itens, {size} MB; {runs} execuções dos registros")

    return limpeza
