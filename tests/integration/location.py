"""The code location of a served company, and what its tests ask of it; the clock stands still.

Two names of Dagster's are private: only by the first can records be asked for one partition, and the second is what its
daemon counts limits by, so that no test has a rule of its own about them.

For runs that are executed in other processes or again from a failure, settings and token come from the environment, as
they do for `lastro dev`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import dagster as dg
from dagster._core.event_api import PartitionKeyFilter
from dagster._utils.tags import TagConcurrencyLimitsCounter

from lastro.settings import Settings
from lastro_pipelines.resources import Host
from tests.golden import expected
from tests.served import TOKEN, TOKEN_VARIABLE, clock_at

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
ENV = {TOKEN_VARIABLE: TOKEN}


def ask_for(**asked: object) -> dict[str, Any]:
    """What is asked of a run, as the configuration of a Dagster run says it."""
    return {"resources": {"execucao": {"config": asked}}}


def only(partition: str) -> PartitionKeyFilter:
    """Choose the records of one partition."""
    return PartitionKeyFilter(key=partition)


def is_blocked(limits: Any, under_way: Sequence[dg.DagsterRun], run: dg.DagsterRun) -> bool:
    """Tell whether a run waits by `tag_concurrency_limits` while others are under way."""
    return TagConcurrencyLimitsCounter(limits, list(under_way)).is_blocked(run)


def host_of(settings: Settings, **options: Any) -> Host:
    return Host(**{"env": ENV, "settings": settings, "clock": clock_at(expected.D), **options})


def metadata_of(failure: Any) -> dict[str, Any]:
    data = failure.event_specific_data.user_failure_data
    return {name: value.value for name, value in data.metadata.items()}


def read_origin(location: str, job: str) -> Any:
    """Read the origin of a run of a code location, of which nothing but its name is known."""
    place = {"__class__": "RegisteredRepositoryLocationOrigin", "location_name": location}
    module = {
        "__class__": "ExternalRepositoryOrigin",
        "repository_location_origin": place,
        "repository_name": "__repository__",  # what Dagster calls the definitions of a module
    }
    origin = {"__class__": "ExternalPipelineOrigin", "external_repository_origin": module, "pipeline_name": job}
    return dg.deserialize_value(json.dumps(origin))
