"""The check `atualidade`, company by company: green when a run publishes, red when no complete one came for too long.

A freshness policy of Dagster's is the asset's and not the partition's: it goes green as soon as any company ran.
"""

import json
import warnings
from datetime import datetime

import dagster as dg

from lastro.settings import Empresa, Settings

from .names import LIMITS, PARTITION_TAG, Names
from .resources import Host
from .schedules import Job
from .watch import watch

CHECK = "atualidade"
EVERY_SECONDS = 300


def build_freshness_check(host: Host, names: Names, asset: dg.AssetKey) -> tuple[dg.AssetChecksDefinition, Job]:
    """Build the check on what is published, which each run makes, and the job that makes it alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.PreviewWarning)  # as in `build_check_spec`

        @dg.asset_check(
            asset=asset,
            name=CHECK,
            description="Há uma leitura completa publicada dentro de horas_sem_execucao ([avisos], 26). Vermelho: as "
            "pessoas têm números velhos; veja lastro estado e lastro manual atraso.",
            partitions_def=names.empresas,
        )
        def atualidade(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
            from lastro.operation.state import WRONG

            settings = host.load()
            for empresa in (each for each in settings.empresas if each.id == context.partition_key):
                passed, text, hours = judge(settings, empresa, host.clock())
                return dg.AssetCheckResult(passed=passed, description=text, metadata=hours)
            return dg.AssetCheckResult(passed=False, description=WRONG)

    job = dg.define_asset_job(
        names.name(CHECK),
        dg.AssetSelection.checks(atualidade),
        dg.PartitionedConfig(names.empresas, run_config_for_partition_key_fn=lambda _: {}),
        run_tags=LIMITS,
        description="Diz, na verificação atualidade, que uma empresa ficou sem leitura completa há tempo demais, ou "
        "voltou a estar em dia. Se falhar: lastro estado diz o mesmo.",
    )
    return atualidade, job


def judge(settings: Settings, empresa: Empresa, now: datetime) -> tuple[bool, str, dict[str, int]]:
    """Tell whether a company is fresh, how it stands, and how old its last complete reading is."""
    from lastro.operation.causes import find_cure
    from lastro.operation.state import read_state

    # A recálculo publishes too, and makes nothing fresher.
    state = read_state(settings, empresa, now)
    cure = find_cure(state, settings.avisos, now)
    hours = {} if state.idade is None else {"idade_horas": round(state.idade.total_seconds() / 3600)}
    return state.is_fresh, f"{state.situacao}: {cure}" if cure else state.situacao, hours


def build_freshness_sensor(host: Host, names: Names, job: Job) -> dg.SensorDefinition:
    """Build the sensor that asks for what no run says: that there was none. A run that publishes reports itself."""

    @watch(
        host,
        names,
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
        late = ", ".join(sorted(each for each, fresh in fresh_now.items() if not fresh))
        return dg.SensorResult(
            [dg.RunRequest(f"{each} {now:%Y-%m-%dT%H:%M}", tags={PARTITION_TAG: each}) for each in changed],
            skip_reason=None if changed else f"atrasadas: {late or 'nenhuma'}",
            cursor=json.dumps(fresh_now, sort_keys=True),
        )

    return atualidade_das_empresas
