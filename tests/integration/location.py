"""The code location of a served company, for runs that are executed in other processes or again from a failure.

Settings and token come from the environment, as they do for `lastro dev`; the clock stands still.
"""

from __future__ import annotations

import os

import dagster as dg

from lastro.pipelines.location import build_definitions
from lastro.pipelines.resources import Host
from tests.golden import expected
from tests.served import clock_at


def _define(executor: dg.ExecutorDefinition) -> dg.JobDefinition:
    return build_definitions(Host(env=os.environ, clock=clock_at(expected.D)), executor).resolve_job_def(
        "lastro_diario"
    )


def define_in_process() -> dg.JobDefinition:
    return _define(dg.in_process_executor)


def define_multiprocess() -> dg.JobDefinition:
    return _define(dg.multiprocess_executor.configured({"max_concurrent": 2}))
