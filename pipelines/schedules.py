"""When: every morning, every company; by the hour if somebody wants it."""

from collections.abc import Iterator

import dagster as dg

from pipelines.partitions import register_companies
from pipelines.resources import TAG_QUENTE, Host, read_settings

DIARIO_CRON = "0 6 * * *"
"""06:00 in the zone of the settings."""

QUENTE_CRON = "0 8-19 * * 1-5"
"""Every working hour; off until somebody switches it on."""

quente = dg.define_asset_job(
    "quente",
    selection=dg.AssetSelection.all(),
    tags={TAG_QUENTE: "sim"},
    description="Entre execuções completas: relê o que vence ou foi pago perto de hoje, os vencidos e as cobranças.",
)
diario = dg.define_asset_job(
    "diario",
    selection=dg.AssetSelection.all(),
    description="Lê o serviço, carrega o armazém, calcula os relatórios, escreve as planilhas e publica.",
)


def build_schedules(host: Host, fuso: str) -> list[dg.ScheduleDefinition]:
    """Build the morning schedule, on, and the hourly one, off: one run per company of the settings, read anew."""

    def request_runs(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        ids = [empresa.id for empresa in (host.settings or read_settings(host.env)).empresas]
        register_companies(context.instance, ids)
        moment = f"{context.scheduled_execution_time:%Y-%m-%dT%H}"
        for empresa_id in ids:
            yield dg.RunRequest(run_key=f"{empresa_id}-{moment}", partition_key=empresa_id)

    @dg.schedule(
        job=diario,
        cron_schedule=DIARIO_CRON,
        execution_timezone=fuso,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Todas as manhãs às 06:00, uma execução por empresa.",
    )
    def diario_6h(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        yield from request_runs(context)

    @dg.schedule(
        job=quente,
        cron_schedule=QUENTE_CRON,
        execution_timezone=fuso,
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description="De hora em hora nos dias de trabalho; ligar se fizer falta.",
    )
    def quente_por_hora(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        yield from request_runs(context)

    return [diario_6h, quente_por_hora]
