"""What Dagster calls things: asset keys, and the partitions that are the companies.

Where several machines share one Dagster instance, the setting `local` stands before every name, so that none collides.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import dagster as dg

EQUIPE: Final = ("team:financeiro",)
"""Who answers for the assets, as the UI filters them."""
TAG_LOCAL: Final = "lastro/local"
"""On every run of a job of a location with a name of its own: that name."""
ON_RED: Final = "Vermelho: valem os números de antes; o erro e o que fazer estão no passo."
"""What every stage has in common: nothing that people open changes before the last of them is done."""
KEY_PARTS: Final = 2
"""Of an asset key without the location's name: layer and table."""


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

    @property
    def tags(self) -> dict[str, str]:
        """The tags of the location's jobs, by which it knows its runs again."""
        return {TAG_LOCAL: self.local} if self.local else {}

    def owns(self, run: dg.DagsterRun) -> bool:
        """Tell whether a run is this location's: by its job's tag, its assets, or the code server that it came from.

        Not every way to launch a run takes the tags of its job over; a code server is called as its location.
        """
        local = run.tags.get(TAG_LOCAL, "")
        if not local and run.asset_selection:
            path = next(iter(run.asset_selection)).path
            local = path[0] if len(path) > KEY_PARTS else ""
        elif not local and self.local and run.remote_job_origin is not None:
            local = run.remote_job_origin.location_name
        return local == self.local

    def spec(self, *path: str, description: str, **attributes: Any) -> dg.AssetSpec:
        """Describe an asset of a company: its group is the first part of its path, its table the path itself."""
        tags = {"dominio": "financeiro", "camada": path[0], **attributes.pop("tags", {})}
        return dg.AssetSpec(
            self.key(*path),
            description=f"{description}{'' if description.endswith(('.', '?')) else '.'} {ON_RED}",
            group_name=path[0],
            owners=list(EQUIPE),
            tags=tags,
            **attributes,
        )


def register_companies(instance: dg.DagsterInstance, names: Names, ids: Collection[str]) -> None:
    """Make every company of the settings a partition, so that schedules and the UI can name it; let the others go."""
    partitions = str(names.empresas.name)
    known = instance.get_dynamic_partitions(partitions)
    missing = [empresa_id for empresa_id in ids if empresa_id not in known]
    if missing:
        instance.add_dynamic_partitions(partitions, missing)
    for gone in sorted(set(known) - set(ids)):
        instance.delete_dynamic_partition(partitions, gone)
