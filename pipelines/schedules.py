"""When: every morning, every company."""

from collections.abc import Iterator

import dagster as dg

from pipelines.partitions import register_companies
from pipelines.resources import Host, read_settings

DIARIO_CRON = "0 6 * * *"
"""06:00 in the zone of the settings."""

diario = dg.define_asset_job(
    "diario",
    selection=dg.AssetSelection.all(),
    description="Lê o serviço, carrega o armazém, calcula os relatórios, escreve as planilhas e publica.",
)


def build_schedule(host: Host, fuso: str) -> dg.ScheduleDefinition:
    """Build the morning schedule: one run per company of the settings, read anew each time."""

    @dg.schedule(
        job=diario,
        cron_schedule=DIARIO_CRON,
        execution_timezone=fuso,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        name="diario_6h",
        description="Todas as manhãs às 06:00, uma execução por empresa.",
    )
    def diario_6h(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        ids = [empresa.id for empresa in (host.settings or read_settings(host.env)).empresas]
        register_companies(context.instance, ids)
        day = context.scheduled_execution_time.date().isoformat()
        for empresa_id in ids:
            yield dg.RunRequest(run_key=f"{empresa_id}-{day}", partition_key=empresa_id)

    return diario_6h
