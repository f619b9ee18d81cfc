"""The group's database as an asset of its own, and the sensor that asks for it once a batch has ended."""

import hashlib
from datetime import datetime, timedelta

import dagster as dg

from lastro.errors import LastroError
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro.warehouse.publication.copies import read_published

from .failures import describe_failure, end_as_stopped
from .names import EQUIPE, LIMITS, Names
from .resources import Host
from .schedules import Job
from .watch import watch

EVERY_SECONDS = 60
PATIENCE = timedelta(minutes=15)
"""While companies still run it waits for them, but no longer."""
GRUPO = "grupo"
UNDER_WAY = tuple(dg.DagsterRunStatus[name] for name in ("NOT_STARTED", "QUEUED", "STARTING", "STARTED", "CANCELING"))


def build_group_asset(host: Host, names: Names) -> tuple[dg.AssetsDefinition, Job]:
    """Build the asset `grupo/armazem` and its job."""

    @dg.asset(
        key=names.key(GRUPO, "armazem"),
        group_name=names.name(GRUPO),
        owners=list(EQUIPE),
        kinds={"duckdb"},
        tags={"dominio": "financeiro", "camada": "grupo"},
        deps=[names.key("excel", "publicacao")],
        description="O que todas as empresas publicaram, num arquivo só, com a coluna empresa na frente "
        "(dados/grupo/lastro.duckdb). Vermelho: o arquivo de antes continua; veja o erro e rode lastro run de novo.",
    )
    def armazem(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
        from lastro.group.update import update_group

        try:
            with end_as_stopped(context):
                update = update_group(host.load())
        except LastroError as error:
            raise describe_failure(error) from None
        return dg.MaterializeResult(
            metadata={
                "trocadas": len(update.trocadas),
                "empresas_trocadas": ", ".join(update.trocadas),
                "retiradas": ", ".join(update.retiradas),
                "ilegiveis": "; ".join(f"{empresa}: {why}" for empresa, why in update.ilegiveis),
                "consultas_sem_resposta": "; ".join(f"{arquivo}: {why}" for arquivo, why in update.recusadas),
                "armazem": dg.MetadataValue.path(str(update.armazem)),
            }
        )

    job = dg.define_asset_job(
        names.name(GRUPO),
        selection=dg.AssetSelection.assets(names.key(GRUPO, "armazem")),
        description="Junta o que as empresas publicaram num arquivo só. Se falhar: o arquivo de antes continua; o "
        "passo diz o erro e o que fazer.",
        run_tags=LIMITS,
    )
    return armazem, job


def trace_published(settings: Settings) -> str:
    """Write in short which copy every company has published; empty where there are no two."""
    published = [(empresa_id, read_published(settings.dir / empresa_id)) for empresa_id in settings.ids]
    if sum(execucao_id is not None for _, execucao_id in published) < 2:
        return ""
    return hashlib.sha256(repr(sorted(published, key=str)).encode()).hexdigest()[:16]


def is_batch_over(instance: dg.DagsterInstance, names: Names, now: datetime) -> bool:
    """Tell whether no company runs or waits, or the batch has lasted so long that the group does not wait for it."""
    jobs = {names.job(modo) for modo in Modo}
    running = instance.get_run_records(dg.RunsFilter(statuses=list(UNDER_WAY)))
    began = [
        run.create_timestamp for run in running if run.dagster_run.job_name in jobs and names.owns(run.dagster_run)
    ]
    return not began or now - min(began) > PATIENCE


def build_group_sensor(host: Host, names: Names, job: Job) -> dg.SensorDefinition:
    """Build the sensor `grupo_atualizado`; it is quiet where there is one company."""

    @watch(
        host,
        names,
        EVERY_SECONDS,
        "Depois que as empresas rodaram, pede o armazém do grupo, uma vez por lote. Se falhar: lastro run o faz.",
        job=job,
    )
    def grupo_atualizado(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SensorResult | dg.SkipReason:
        published = trace_published(settings)
        if published in ("", context.cursor):
            return dg.SkipReason("nada mudou")
        if not is_batch_over(context.instance, names.seen_by(context), host.clock()):
            return dg.SkipReason("há empresas rodando")
        return dg.SensorResult([dg.RunRequest(run_key=f"grupo-{published}")], cursor=published)

    return grupo_atualizado
