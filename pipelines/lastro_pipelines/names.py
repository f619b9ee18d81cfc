"""What Dagster calls things, and whose a run is: one Dagster may show the code locations of many teams.

Where several machines share one Dagster instance, the setting `local` stands before every name, so that none collides.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Final

import dagster as dg

from lastro.api.endpoints import REFERENCIAS
from lastro.folding import slug
from lastro.grid.workbook import Family
from lastro.run.names import PARTS
from lastro.schema.run_kinds import Modo

from . import LOCATION

CADASTROS: Final = "cadastros"
LISTS: Final = (CADASTROS, *(lista for lista in PARTS if lista not in REFERENCIAS))
"""The assets of the reading: the short lists, which are read together, are one."""
PREFIX: Final = "lastro"
_JOBS: Final = {Modo.COMPLETA: "diario", Modo.QUENTE: "quente", Modo.RECALCULO: "recalculo"}
_GROUPS: Final = {"raw": "leitura", "excel": "entrega"}
"""What the graph calls a layer where it is not called as its tables are."""
EQUIPE: Final = ("team:financeiro",)
"""Who answers for the assets, as the UI filters them."""
PARTITION_TAG: Final = "dagster/partition"
TAG_UMA_POR_VEZ: Final = "lastro/uma_por_vez"
"""On every run of a company, of each company another value: of these an instance executes one at a time where its
`dagster.yaml` says so (`home.LIMIT`), and by it the run is known as ours. A key of our own, for limits on another would
be those of other teams' runs."""
RETRY_TAG: Final = "dagster/retry_number"
"""Dagster's own: how many runs this one tries again (`sensors`)."""
LIMITS: Final = {"dagster/max_runtime": "7200", "dagster/max_retries": "0"}
"""On every run of ours. Seconds after which Dagster's monitoring, where it is on, ends it; and no retries by Dagster:
what may be tried again is (`sensors`), and what somebody stopped or a person must look at is not."""


@dataclass(frozen=True)
class Names:
    """The names of one code location.

    Attributes:
        local: what they begin with, where several machines share one instance; else they begin with `PREFIX`.
        location: what Dagster calls the location; empty where nobody has said it.
    """

    local: str = ""
    location: str = ""

    @property
    def prefix(self) -> str:
        """What every name begins with: in a Dagster of many teams `core` and `diario` are everybody's words."""
        return self.local or PREFIX

    def key(self, *path: str) -> dg.AssetKey:
        """Return an asset key."""
        return dg.AssetKey([self.prefix, *path])

    def family(self, family: Family) -> dg.AssetKey:
        """Return the key of a family of reports."""
        return self.key("mart", write_plainly(family.value))

    def job(self, modo: Modo) -> str:
        """Return the name of a job."""
        return self.name(_JOBS[modo])

    def name(self, what: str) -> str:
        """Return the name of a job or a group of assets."""
        return f"{self.prefix}_{what}"

    @property
    def partition_set(self) -> str:
        """What Dagster calls the set of our partitions, which is nobody else's; `build_partition_sensor` keeps it."""
        return self.name("empresa")

    @property
    def empresas(self) -> dg.PartitionsDefinition:
        """One partition per company."""
        return dg.DynamicPartitionsDefinition(name=self.partition_set)

    def take_turns(self, empresa_id: str) -> dict[str, str]:
        """Return the tag by which runs of a company are executed one at a time; another machine's may bear its name."""
        return {TAG_UMA_POR_VEZ: f"{self.prefix}.{empresa_id}"}

    @property
    def default_location(self) -> str:
        """What the location is called unless somebody names it otherwise."""
        return self.local or LOCATION

    def seen_by(self, context: dg.SensorEvaluationContext | dg.ScheduleEvaluationContext) -> "Names":
        """Return the names with that of the location as the daemon knows it."""
        origin = getattr(context, "code_location_origin", None)
        return self if origin is None else replace(self, location=origin.location_name)

    def owns(self, run: dg.DagsterRun) -> bool:
        """Tell whether a run is this location's; in doubt it is not. Nothing else decides what may be done to a run.

        It is when its turns are those of a company under our prefix, or it is of another job of ours; and it came from
        this location, or from none that Dagster knows.

        Args:
            run: any run of the instance.
        """
        turns, partition = run.tags.get(TAG_UMA_POR_VEZ), run.tags.get(PARTITION_TAG, "")
        known = self.take_turns(partition)[TAG_UMA_POR_VEZ] == turns
        if not known and (turns is not None or not run.job_name.startswith(self.name(""))):
            return False
        origin = run.remote_job_origin
        return origin is None or origin.location_name == (self.location or self.default_location)

    def spec(self, *path: str, description: str, **attributes: Any) -> dg.AssetSpec:
        """Describe an asset of a company: its table is its path, its group the one given, or that of its layer."""
        tags = {"dominio": "financeiro", "camada": path[0], **attributes.pop("tags", {})}
        return dg.AssetSpec(
            self.key(*path),
            description=f"{description}{'' if description.endswith(('.', '?')) else '.'}",
            group_name=self.name(attributes.pop("group", _GROUPS.get(path[0], path[0]))),
            owners=list(EQUIPE),
            tags=tags,
            **attributes,
        )


def write_plainly(text: str) -> str:
    """Write words as Dagster takes them in names: letters without accents, digits and `_`.

    >>> write_plainly("DRE por centro = DRE")
    'dre_por_centro_igual_a_dre'
    """
    return slug(text.replace("=", " igual a ").replace("+", " mais "))


def add_partitions(instance: dg.DagsterInstance, names: Names, ids: Collection[str]) -> None:
    """Make companies of the settings partitions, for whoever starts runs of them at once."""
    known = instance.get_dynamic_partitions(names.partition_set)
    missing = [empresa_id for empresa_id in ids if empresa_id not in known]
    if missing:
        instance.add_dynamic_partitions(names.partition_set, missing)
