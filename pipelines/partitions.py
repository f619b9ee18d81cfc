"""One partition per company."""

import dagster as dg

EMPRESAS = dg.DynamicPartitionsDefinition(name="empresa")
"""Keys are the company ids of the settings; `register_companies` keeps them in step."""


def register_companies(instance: dg.DagsterInstance, ids: list[str]) -> None:
    """Make every company of the settings a partition, so that schedules and the UI can name it."""
    known = set(instance.get_dynamic_partitions("empresa"))
    missing = [empresa_id for empresa_id in ids if empresa_id not in known]
    if missing:
        instance.add_dynamic_partitions("empresa", missing)
