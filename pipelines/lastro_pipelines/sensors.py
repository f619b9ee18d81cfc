"""What must not wait for a person: runs that nobody executes any more, and runs that are to be tried again.

A company's lock is held for as long as a run of it is executed and goes with the process, so it proves what Dagster
cannot know: a run shown as under way whose company is free is dead.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

import dagster as dg

from lastro.schema.run_kinds import Modo
from lastro.settings import Settings

from .failures import AGAIN
from .names import PARTITION_TAG, RETRY_TAG, Names
from .resources import Host, count_retries
from .schedules import Jobs
from .watch import watch

EVERY_SECONDS = 30
QUIET_SECONDS = {
    dg.DagsterRunStatus.CANCELING: 60,
    # Its process, or a step, may still be starting; it takes the lock with the verb.
    dg.DagsterRunStatus.STARTED: 180,
    dg.DagsterRunStatus.STARTING: 180,
}
"""States in which a run holds its slot, and for how long it must have been silent before its lock says anything."""
RETRY_WINDOW = timedelta(hours=6)
"""A retry that could not be asked for in that time is not wanted any more: the next morning's run comes."""
LAST_RUNS = 50
"""Runs looked at a company: enough to find ours among those of another location with a company of that name."""
INTERROMPIDA = "interrompida: o processo que a executava acabou; a trava da empresa está livre. Rode de novo."


def find_silent_runs(instance: dg.DagsterInstance, names: Names, settings: Settings, now: datetime) -> set[str]:
    """Find our runs that Dagster shows as under way, that have been silent and whose company nobody holds.

    What cannot be looked at, a volume that is not mounted or a folder without a lock, says nothing of any run.
    """
    from lastro.warehouse.file.lock import is_company_free

    reported: set[str] = set()
    statuses = [
        status
        for status in QUIET_SECONDS
        # A pod, which is what mounts a volume, may wait long for its node and its image; Dagster's own monitoring ends
        # what never starts.
        if not settings.volume or status is not dg.DagsterRunStatus.STARTING
    ]
    for record in instance.get_run_records(dg.RunsFilter(statuses=statuses)):
        run = record.dagster_run
        if not names.owns(run):
            continue
        # By its folder, not by the settings: a company that left them holds its slot no less.
        empresa_id = run.tags.get(PARTITION_TAG)
        silent = empresa_id and _silence(instance, record, now) >= QUIET_SECONDS[run.status]
        if silent and is_company_free(settings.dir / str(empresa_id)) is True:
            reported.add(run.run_id)
    return reported


def _silence(instance: dg.DagsterInstance, record: dg.RunRecord, now: datetime) -> float:
    """Return the seconds since a run last said anything."""
    moments = [record.create_timestamp.timestamp(), record.start_time or 0.0]
    events = instance.get_records_for_run(record.dagster_run.run_id, limit=1, ascending=False).records
    moments += [event.event_log_entry.timestamp for event in events]
    return now.timestamp() - max(moments)


def end_dead_runs(instance: dg.DagsterInstance, run_ids: Collection[str]) -> list[str]:
    """Report runs as failed and give their slots back; those that ended meanwhile stay as they are."""
    ended = []
    for run_id in sorted(run_ids):
        run = instance.get_run_by_id(run_id)
        if run is not None and run.status in QUIET_SECONDS:
            instance.report_run_failed(run, INTERROMPIDA)
            instance.event_log_storage.free_concurrency_slots_for_run(run_id)
            ended.append(run_id)
    return ended


def find_due_retries(instance: dg.DagsterInstance, names: Names, now: datetime) -> list[dg.DagsterRun]:
    """Find the failed runs of our jobs that asked for another try whose time has come, and after which none came."""
    jobs = {names.job(modo) for modo in Modo}
    recent = dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE], updated_after=now - RETRY_WINDOW)
    due = []
    for record in instance.get_run_records(recent):
        run = record.dagster_run
        if run.job_name not in jobs or not names.owns(run) or PARTITION_TAG not in run.tags:
            continue
        # Whatever else the company was asked for since takes the place of the retry.
        of_company = dg.RunsFilter(tags={PARTITION_TAG: run.tags[PARTITION_TAG]})
        last = (
            record.dagster_run.run_id
            for record in instance.get_run_records(of_company, limit=LAST_RUNS)
            if names.owns(record.dagster_run)
        )
        if next(last, None) == run.run_id and _is_due(instance, run, now):
            due.append(run)
    return due


def _is_due(instance: dg.DagsterInstance, run: dg.DagsterRun, now: datetime) -> bool:
    """Tell whether the step that failed has said when the run is tried again, and that moment has come."""
    for entry in instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
        failed = entry.get_dagster_event().step_failure_data.user_failure_data
        moment = None if failed is None else failed.metadata.get(AGAIN)
        if isinstance(moment, dg.TimestampMetadataValue):
            return moment.value <= now.timestamp()
    return False


def build_sensors(host: Host, names: Names, jobs: Jobs) -> list[dg.SensorDefinition]:
    """Build the sensor of dead runs, and that of runs to be tried again."""

    @watch(
        host,
        names,
        EVERY_SECONDS,
        "Encerra execuções que ninguém mais executa, para que a empresa não fique presa. Se falhar: lastro run não "
        "espera por elas.",
    )
    def interrompidas(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SensorResult:
        silent = find_silent_runs(context.instance, names.seen_by(context), settings, host.clock())
        seen = set(filter(None, (context.cursor or "").split(",")))
        ended = end_dead_runs(context.instance, seen & silent)
        reason = f"encerradas: {', '.join(ended)}" if ended else "nenhuma execução interrompida"
        return dg.SensorResult(skip_reason=reason, cursor=",".join(sorted(silent - set(ended))))

    @watch(
        host,
        names,
        EVERY_SECONDS,
        "Pede de novo, como execução nova, o que falhou porque o serviço não respondeu ou a empresa estava ocupada, "
        "com pausas que crescem, até o meio-dia; a espera não prende vaga. Se falhar: o horário seguinte, ou "
        "lastro run --empresa.",
        jobs=list(jobs.values()),
    )
    def novas_tentativas(context: dg.SensorEvaluationContext, _: Settings) -> dg.SensorResult:
        requests = [
            dg.RunRequest(
                run_key=f"tentativa-{run.run_id}",
                job_name=run.job_name,
                run_config=run.run_config,
                tags={
                    PARTITION_TAG: run.tags[PARTITION_TAG],
                    **names.take_turns(run.tags[PARTITION_TAG]),
                    RETRY_TAG: str(count_retries(run) + 1),
                },
            )
            for run in find_due_retries(context.instance, names.seen_by(context), host.clock())
        ]
        return dg.SensorResult(requests, skip_reason=None if requests else "nada a tentar de novo")

    return [interrompidas, novas_tentativas]
