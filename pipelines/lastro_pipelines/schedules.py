"""When: every morning, every company; by the hour if somebody wants it."""

import functools
import operator
from collections.abc import Iterator, Mapping
from datetime import UTC, time, timedelta
from typing import Any

import dagster as dg

from lastro.schema.run_kinds import Modo

from .names import LIMITS, Names, add_partitions
from .resources import RESOURCE, Host

DIARIO, DIARIO_HOUR, DIARIO_EVERY = "diario_6h", time(6), timedelta(days=1)
"""06:00 in the zone of the settings."""
DIARIO_CRON = f"{DIARIO_HOUR.minute} {DIARIO_HOUR.hour} * * *"
QUENTE_CRON, QUENTE_EVERY = "0 8-19 * * 1-5", timedelta(hours=1)
"""Every working hour; off until somebody switches it on."""

Job = Any
"""What `dg.define_asset_job` makes: Dagster has no public name for it."""
Jobs = Mapping[Modo, Job]
_ON_FAILURE = (
    "Se falhar: nada do que se abre mudou; o passo vermelho diz o erro e o que fazer (lastro manual tres-da-manha)."
)
_LAYERS = ("raw", "core", "mart", "excel")
"""What is run company by company; the group's database is not."""


def build_jobs(names: Names, page: str) -> Jobs:
    """Build the jobs of a code location; their runs carry its name, and of whom they are.

    Args:
        names: of the location.
        page: what the first of them tells of the location.
    """
    reading, *rest = (dg.AssetSelection.key_prefixes([names.prefix, layer]) for layer in _LAYERS)
    reports = functools.reduce(operator.or_, rest)

    def build(modo: Modo, description: str) -> Job:
        asked = {} if modo is Modo.COMPLETA else {"resources": {RESOURCE: {"config": {"modo": modo.asked}}}}
        config = dg.PartitionedConfig(
            names.empresas,
            run_config_for_partition_key_fn=lambda _: asked,
            tags_for_partition_key_fn=names.take_turns,
        )
        return dg.define_asset_job(
            names.job(modo),
            reports if modo is Modo.RECALCULO else reading | reports,
            config,
            description=f"{description} {_ON_FAILURE}\n\n{page if modo is Modo.COMPLETA else ''}".strip(),
            run_tags=LIMITS,
        )

    return {
        Modo.COMPLETA: build(
            Modo.COMPLETA,
            "Comece por aqui: Materialize all, e a partição é a empresa. Lê o serviço, carrega o armazém, calcula os "
            "relatórios, escreve as planilhas e publica.",
        ),
        Modo.QUENTE: build(
            Modo.QUENTE,
            "Entre execuções completas: relê o que vence ou foi pago perto de hoje, os vencidos e as cobranças.",
        ),
        Modo.RECALCULO: build(
            Modo.RECALCULO,
            "Não lê o serviço: recalcula a última leitura publicada, com os parâmetros de agora, e diz que o fez.",
        ),
    }


def build_schedules(host: Host, fuso: str, names: Names, jobs: Jobs) -> list[dg.ScheduleDefinition]:
    """Build the morning schedule, on, and the hourly one, off: one run per company of the settings, read anew."""

    def build(name: str, modo: Modo, cron: str, every: timedelta, description: str) -> dg.ScheduleDefinition:
        def request_runs(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
            moment = context.scheduled_execution_time
            if host.clock() >= moment.astimezone(UTC) + every:
                # Back after days off: the service is read as it is now, so one run is as good as all that were missed.
                yield dg.SkipReason(f"{moment:%d/%m %H:%M} passou com o serviço parado; o horário seguinte já vale.")
                return
            settings = host.load()
            add_partitions(context.instance, names, settings.ids)
            for empresa_id in settings.ids:
                yield dg.RunRequest(run_key=f"{empresa_id}-{moment:%Y-%m-%dT%H}", partition_key=empresa_id)

        status = dg.DefaultScheduleStatus.RUNNING if modo is Modo.COMPLETA else dg.DefaultScheduleStatus.STOPPED
        return dg.schedule(
            name=names.name(name),
            job=jobs[modo],
            cron_schedule=cron,
            execution_timezone=fuso,
            default_status=status,
            description=description,
        )(request_runs)

    return [
        build(
            DIARIO,
            Modo.COMPLETA,
            DIARIO_CRON,
            DIARIO_EVERY,
            "Todas as manhãs às 06:00, uma execução por empresa. Se não rodar: lastro doctor e lastro manual atraso.",
        ),
        build(
            "quente_por_hora",
            Modo.QUENTE,
            QUENTE_CRON,
            QUENTE_EVERY,
            "De hora em hora nos dias de trabalho; ligar se fizer falta. Se não rodar: lastro doctor.",
        ),
    ]
