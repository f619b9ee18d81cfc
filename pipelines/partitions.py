"""The sensor that keeps the partitions of Dagster in step with the companies of the settings."""

import json

import dagster as dg

from lastro.errors import ConfigError

from .names import Names
from .resources import Host

EVERY_SECONDS = 60


def build_partition_sensor(host: Host, names: Names) -> dg.SensorDefinition:
    """Build the sensor `empresas`; it is on. It takes away only the partitions that it remembers to be ours."""

    @dg.sensor(
        minimum_interval_seconds=EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Faz de cada empresa da configuração uma partição, e tira a que saiu dela. Se falhar: lastro run "
        "--empresa também registra a empresa.",
    )
    def empresas(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        try:
            ids = set(host.load().ids)
        except ConfigError as error:
            return dg.SkipReason(str(error))
        there = set(context.instance.get_dynamic_partitions(str(names.empresas.name)))
        ours = set(json.loads(context.cursor or "[]"))
        new, gone = sorted(ids - there), sorted(ours & there - ids)
        changes = [names.empresas.build_add_request(new)] if new else []
        return dg.SensorResult(
            dynamic_partitions_requests=[*changes, *([names.empresas.build_delete_request(gone)] if gone else [])],
            cursor=json.dumps(sorted(ids)),
            skip_reason=None if new or gone else "nada mudou",
        )

    return empresas
