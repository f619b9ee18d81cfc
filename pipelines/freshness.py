"""The check `atualidade`, company by company: green when a run publishes, red when no complete one came for too long.

A freshness policy of Dagster's is the asset's and not the partition's: it goes green as soon as any company ran.
"""

import json
from collections.abc import Collection
from datetime import datetime

import dagster as dg

from lastro.settings import Settings

from .assets.stages import build_check_spec
from .names import TAG_EXECUCAO, UNNUMBERED, Names
from .resources import Host
from .watch import watch

CHECK = "atualidade"
EVERY_SECONDS = 300


def build_freshness_spec(names: Names, asset: dg.AssetKey) -> dg.AssetCheckSpec:
    """Build the check on what is published."""
    return build_check_spec(
        names,
        CHECK,
        asset,
        "Há uma leitura completa publicada dentro de horas_sem_execucao ([avisos], 26). Vermelho: as pessoas têm "
        "números velhos; veja lastro estado e lastro manual atraso.",
    )


def report(
    context: dg.OpExecutionContext, settings: Settings, asset: dg.AssetKey, ids: Collection[str], now: datetime
) -> None:
    """Report the check of companies as they stand now."""
    from lastro.operation.causes import find_cure
    from lastro.operation.state import read_states

    for state in read_states(settings, now):
        if state.empresa not in ids:
            continue
        cure = find_cure(state, settings.avisos, now)
        hours = None if state.idade is None else round(state.idade.total_seconds() / 3600)
        context.log_event(
            dg.AssetCheckEvaluation(  # type: ignore[arg-type] # taken since 1.5, though its annotation leaves it out
                asset_key=asset,
                check_name=CHECK,
                passed=state.is_fresh,
                severity=dg.AssetCheckSeverity.ERROR,
                description=f"{state.situacao}: {cure}" if cure else state.situacao,
                metadata={"idade_horas": dg.MetadataValue.int(hours)} if hours is not None else {},
                partition=state.empresa,
            )
        )


def build_freshness_job(host: Host, names: Names, asset: dg.AssetKey) -> dg.JobDefinition:
    """Build the job that says of companies how fresh they are; what is said without a run can be said only once."""

    @dg.op(name=CHECK, config_schema={"empresas": [str]})
    def atualidade(context: dg.OpExecutionContext) -> None:
        context.instance.add_run_tags(context.run.run_id, {TAG_EXECUCAO: UNNUMBERED, **names.tags})
        report(context, host.load(), asset, context.op_config["empresas"], host.clock())

    @dg.job(
        name=names.name(CHECK),
        executor_def=dg.in_process_executor,
        tags=names.tags,
        description="Diz, na verificação atualidade, que uma empresa ficou sem leitura completa há tempo demais, ou "
        "voltou a estar em dia. Se falhar: lastro estado diz o mesmo.",
    )
    def job() -> None:
        atualidade()

    return job


def build_freshness_sensor(host: Host, job: dg.JobDefinition) -> dg.SensorDefinition:
    """Build the sensor that asks for what no run says: that there was none. A run that publishes reports itself."""

    @watch(
        host,
        EVERY_SECONDS,
        "Marca de vermelho, na verificação atualidade, a empresa sem leitura completa há tempo demais. Se falhar: "
        "lastro estado diz o mesmo.",
        job=job,
    )
    def atualidade_das_empresas(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SensorResult:
        from lastro.operation.state import read_states

        now, before = host.clock(), json.loads(context.cursor or "{}")
        fresh_now = {state.empresa: state.is_fresh for state in read_states(settings, now)}
        changed = sorted(each for each, fresh in fresh_now.items() if before.get(each, True) != fresh)
        asked = dg.RunRequest(
            run_key=f"{','.join(changed)} {now:%Y-%m-%dT%H:%M}",
            run_config={"ops": {CHECK: {"config": {"empresas": changed}}}},
        )
        late = ", ".join(sorted(each for each, fresh in fresh_now.items() if not fresh))
        return dg.SensorResult(
            run_requests=[asked] if changed else [],
            skip_reason=None if changed else f"atrasadas: {late or 'nenhuma'}",
            cursor=json.dumps(fresh_now, sort_keys=True),
        )

    return atualidade_das_empresas
