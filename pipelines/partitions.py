"""One partition per company."""

from collections.abc import Collection

import dagster as dg

EMPRESAS = dg.DynamicPartitionsDefinition(name="empresa")
"""Keys are the company ids of the settings; `register_companies` keeps them in step."""


def register_companies(instance: dg.DagsterInstance, ids: Collection[str]) -> None:
    """Make every company of the settings a partition, so that schedules and the UI can name it; let the others go."""
    name = str(EMPRESAS.name)
    known = instance.get_dynamic_partitions(name)
    missing = [empresa_id for empresa_id in ids if empresa_id not in known]
    if missing:
        instance.add_dynamic_partitions(name, missing)
    for gone in sorted(set(known) - set(ids)):
        instance.delete_dynamic_partition(name, gone)
