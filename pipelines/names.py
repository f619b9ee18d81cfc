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

from . import MODULE

CADASTROS: Final = "cadastros"
LISTS: Final = (CADASTROS, *(lista for lista in PARTS if lista not in REFERENCIAS))
"""The assets of the reading: the short lists, which are read together, are one."""
COMPLETE_ONLY: Final = (CADASTROS, "contas")
"""Those of them that a hot run does not read."""
PREFIX: Final = "lastro"
_JOBS: Final = {Modo.COMPLETA: "diario", Modo.QUENTE: "quente", Modo.RECALCULO: "recalculo"}
_GROUPS: Final = {"raw": "leitura", "excel": "entrega"}
"""What the graph calls a layer where it is not called as its tables are."""
EQUIPE: Final = ("team:financeiro",)
"""Who answers for the assets, as the UI filters them."""
TAG_LOCAL: Final = "lastro/local"
"""On every run of a job of a location with a name of its own: that name."""
TAG_EXECUCAO: Final = "lastro/execucao"
"""On every run of which a stage of ours has begun: its number, or `UNNUMBERED`. Nobody else writes it."""
UNNUMBERED: Final = "–"
PARTITION_TAG: Final = "dagster/partition"
TAG_UMA_POR_VEZ: Final = "lastro/uma_por_vez"
"""On every run of a company, of each company another value: of these an instance executes one at a time where its
`dagster.yaml` says so (`home.LIMIT`). A key of our own, for limits on another would be those of other teams' runs."""
LIMITS: Final = {"dagster/max_runtime": "7200", "dagster/max_retries": "0"}
"""On every run of ours. Seconds after which Dagster's monitoring, where it is on, ends it; and no retries by Dagster:
what may be tried again is (`sensors`), and what somebody stopped or a person must look at is not."""


@dataclass(frozen=True)
class Names:
    """The names of one code location.

    Attributes:
        local: what they begin with, where several machines share one instance; else they begin with `PREFIX`.
        location: what Dagster calls the location; empty where nobody has said it.
        only: the one company of a process that executes a run of it; empty for a location, whose companies change.
    """

    local: str = ""
    location: str = ""
    only: str = ""

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
        """One partition per company. Of a set that can change Dagster asks the records a hundred times a run."""
        if self.only:
            return dg.StaticPartitionsDefinition([self.only])
        return dg.DynamicPartitionsDefinition(name=self.partition_set)

    @property
    def tags(self) -> dict[str, str]:
        """The tags of the location's jobs: what limits their runs, and by what it knows them again."""
        return {**LIMITS, **({TAG_LOCAL: self.local} if self.local else {})}

    def take_turns(self, empresa_id: str) -> dict[str, str]:
        """Return the tag by which runs of a company are executed one at a time; another machine's may bear its name."""
        return {TAG_UMA_POR_VEZ: f"{self.prefix}.{empresa_id}"}

    @property
    def default_location(self) -> str:
        """What the location is called unless somebody names it otherwise; so are the runs of the terminal."""
        return self.local or MODULE

    def seen_by(self, context: dg.SensorEvaluationContext | dg.ScheduleEvaluationContext) -> "Names":
        """Return the names with that of the location as the daemon knows it."""
        origin = getattr(context, "code_location_origin", None)
        return self if origin is None else replace(self, location=origin.location_name)

    def owns(self, run: dg.DagsterRun, ids: Collection[str], *, begun: bool = True) -> bool:
        """Tell whether a run is this location's; in doubt it is not. Nothing else decides what may be done to a run.

        It is when a stage of ours has begun in it, and it came from this location; or from none that Dagster knows, or
        a terminal, and its partition is one of our companies.

        Args:
            run: any run of the instance.
            ids: the companies of the settings.
            begun: whether a stage of ours must have begun; what only waits for others asks of runs in the queue too.
        """
        if begun and TAG_EXECUCAO not in run.tags:
            return False
        # A stage that has begun has said the name; before that, not every way to launch a run takes its job's tags.
        if run.tags.get(TAG_LOCAL, "" if begun else self.local) != self.local:
            return False
        origin = run.remote_job_origin
        location = "" if origin is None else origin.location_name
        if location == (self.location or self.default_location):
            return True
        return location in ("", self.default_location) and run.tags.get(PARTITION_TAG) in ids

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
