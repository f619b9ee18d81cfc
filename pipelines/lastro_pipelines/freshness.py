"""The check `atualidade`, company by company: green when a run publishes, red when no complete one came for too long.

A freshness policy of Dagster's is the asset's and not the partition's: it goes green as soon as any company ran.
"""

import json
from datetime import datetime
from typing import TYPE_CHECKING

import dagster as dg

from lastro.settings import Settings

from .assets.stages import build_check_spec
from .names import Names
from .private import forget_runless_results
from .resources import Host
from .watch import watch

if TYPE_CHECKING:
    from lastro.operation.state import CompanyState

CHECK = "atualidade"
EVERY_SECONDS = 300
_FRESH = (
    "Há uma leitura completa publicada dentro de horas_sem_execucao ([avisos], 26). Vermelho: as pessoas têm números "
    "velhos; veja lastro estado e lastro manual atraso."
)


def build_freshness_spec(names: Names, asset: dg.AssetKey) -> dg.AssetCheckSpec:
    """Build the check on what is published: who publishes tells it, and the sensor of the companies that do not."""
    return build_check_spec(names, CHECK, asset, _FRESH)


def judge(asset: dg.AssetKey, settings: Settings, state: "CompanyState", now: datetime) -> dg.AssetCheckEvaluation:
    """Tell whether a company is fresh, how it stands, and how old its last complete reading is."""
    from lastro.operation.causes import find_cure

    # A recálculo publishes too, and makes nothing fresher.
    cure = find_cure(state, settings.avisos, now)
    return dg.AssetCheckEvaluation(
        partition=state.empresa,
        check_name=CHECK,
        asset_key=asset,
        passed=state.is_fresh,
        description=f"{state.situacao}: {cure}" if cure else state.situacao,
        metadata={} if state.idade is None else {"idade_horas": round(state.idade.total_seconds() / 3600)},
    )


def build_freshness_sensor(host: Host, names: Names, asset: dg.AssetKey) -> dg.SensorDefinition:
    """Build the sensor that tells what no run says: that there was none. A run that publishes reports itself."""

    @watch(
        host,
        names,
        EVERY_SECONDS,
        "Marca de vermelho, na verificação atualidade, a empresa sem leitura completa há tempo demais. Se falhar: "
        "lastro estado diz o mesmo.",
    )
    def atualidade_das_empresas(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SensorResult:
        from lastro.operation.state import read_states

        now, before = host.clock(), json.loads(context.cursor or "{}")
        states = read_states(settings, now)
        changed = [state for state in states if before.get(state.empresa, True) != state.is_fresh]
        for state in changed:
            forget_runless_results(context.instance, [dg.AssetCheckKey(asset, CHECK)], state.empresa)
        late = ", ".join(sorted(state.empresa for state in states if not state.is_fresh))
        return dg.SensorResult(
            asset_events=[judge(asset, settings, state, now) for state in changed],
            skip_reason=f"atrasadas: {late or 'nenhuma'}",
            cursor=json.dumps({state.empresa: state.is_fresh for state in states}, sort_keys=True),
        )

    return atualidade_das_empresas
