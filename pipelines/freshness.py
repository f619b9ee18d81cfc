"""The check `atualidade`, company by company: green when a run publishes, red when no complete one came for too long.

A freshness policy of Dagster's is the asset's and not the partition's: it goes green as soon as any company ran.
"""

import contextlib
import json
from datetime import datetime

import dagster as dg

from lastro.errors import ConfigError
from lastro.settings import Settings

from .assets.stages import build_check_spec
from .names import Names
from .resources import Host

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


def judge(instance: dg.DagsterInstance, settings: Settings, asset: dg.AssetKey, now: datetime, cursor: str) -> str:
    """Report the check of every company whose state is another one than at the last look.

    Args:
        instance: Dagster's instance.
        settings: all settings.
        asset: what the check stands on.
        now: the clock, UTC.
        cursor: what the last look returned; empty for the first.

    Returns:
        What was reported of each company, as JSON.
    """
    from sqlalchemy.exc import IntegrityError

    from lastro.operation.state import read_states

    before = json.loads(cursor) if cursor else {}
    found = {}
    for state in read_states(settings, now):
        # A new run reports itself: only what becomes stale, or fresh again without one, is news.
        found[state.empresa] = state.is_fresh
        if before.get(state.empresa, True) == state.is_fresh:
            continue
        hours = None if state.idade is None else round(state.idade.total_seconds() / 3600)
        # Other keepers of Dagster's than ours take one evaluation without a run, and refuse the next.
        with contextlib.suppress(IntegrityError):
            instance.report_runless_asset_event(
                dg.AssetCheckEvaluation(
                    asset_key=asset,
                    check_name=CHECK,
                    passed=state.is_fresh,
                    severity=dg.AssetCheckSeverity.ERROR,
                    description=f"{state.situacao}: {state.cure}" if state.cure else state.situacao,
                    metadata={"idade_horas": dg.MetadataValue.int(hours)} if hours is not None else {},
                    partition=state.empresa,
                )
            )
    return json.dumps(found, sort_keys=True)


def build_freshness_sensor(host: Host, asset: dg.AssetKey) -> dg.SensorDefinition:
    """Build the sensor that judges what no run can: that there was none."""

    @dg.sensor(
        minimum_interval_seconds=EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Marca de vermelho, na verificação atualidade, a empresa sem leitura completa há tempo demais. Se "
        "falhar: lastro estado diz o mesmo.",
    )
    def atualidade_das_empresas(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        try:
            settings = host.load()
        except ConfigError as error:
            return dg.SkipReason(str(error))
        cursor = judge(context.instance, settings, asset, host.clock(), context.cursor or "")
        late = sorted(empresa for empresa, fresh in json.loads(cursor).items() if not fresh)
        return dg.SensorResult(skip_reason=f"atrasadas: {', '.join(late) or 'nenhuma'}", cursor=cursor)

    return atualidade_das_empresas
