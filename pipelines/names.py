"""What Dagster calls things: asset keys, and the partitions that are the companies.

Where several machines share one Dagster instance, the setting `local` stands before every name, so that none collides.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import dagster as dg

EQUIPE: Final = ("team:financeiro",)
"""Who answers for the assets, as the UI filters them."""


@dataclass(frozen=True)
class Names:
    """The names of one code location.

    Attributes:
        local: what they begin with; empty for none.
    """

    local: str = ""

    def key(self, *path: str) -> dg.AssetKey:
        """Return an asset key."""
        return dg.AssetKey([self.local, *path] if self.local else list(path))

    @property
    def empresas(self) -> dg.DynamicPartitionsDefinition:
        """One partition per company; `register_companies` keeps them in step with the settings."""
        return dg.DynamicPartitionsDefinition(name=f"{self.local}_empresa" if self.local else "empresa")

    def spec(self, *path: str, **attributes: Any) -> dg.AssetSpec:
        """Describe an asset: its group is the first part of its path, its table the path itself."""
        tags = {"dominio": "financeiro", "camada": path[0], **attributes.pop("tags", {})}
        return dg.AssetSpec(self.key(*path), group_name=path[0], owners=list(EQUIPE), tags=tags, **attributes)


def register_companies(instance: dg.DagsterInstance, names: Names, ids: Collection[str]) -> None:
    """Make every company of the settings a partition, so that schedules and the UI can name it; let the others go."""
    partitions = str(names.empresas.name)
    known = instance.get_dynamic_partitions(partitions)
    missing = [empresa_id for empresa_id in ids if empresa_id not in known]
    if missing:
        instance.add_dynamic_partitions(partitions, missing)
    for gone in sorted(set(known) - set(ids)):
        instance.delete_dynamic_partition(partitions, gone)
