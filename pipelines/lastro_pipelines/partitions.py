"""The sensor that keeps the partitions of Dagster in step with the companies of the settings."""

import json

import dagster as dg

from lastro.settings import Settings

from .names import Names
from .resources import Host
from .watch import watch

EVERY_SECONDS = 60


def build_partition_sensor(host: Host, names: Names) -> dg.SensorDefinition:
    """Build the sensor `empresas`; it takes away only the partitions that it remembers to be ours."""

    @watch(
        host,
        names,
        EVERY_SECONDS,
        "Faz de cada empresa da configuração uma partição, e tira a que saiu dela. Se falhar: lastro run --empresa "
        "também registra a empresa.",
    )
    def empresas(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SensorResult:
        ids = set(settings.ids)
        there = set(context.instance.get_dynamic_partitions(names.partition_set))
        ours = set(json.loads(context.cursor or "[]"))
        new, gone = sorted(ids - there), sorted(ours & there - ids)
        return dg.SensorResult(
            dynamic_partitions_requests=[
                *([dg.AddDynamicPartitionsRequest(names.partition_set, new)] if new else []),
                *([dg.DeleteDynamicPartitionsRequest(names.partition_set, gone)] if gone else []),
            ],
            cursor=json.dumps(sorted(ids)),
            skip_reason=None if new or gone else "nada mudou",
        )

    return empresas
