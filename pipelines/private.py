"""The three things of Dagster that stand under a private name, and what to do when one of them is gone.

Everything else here is what `import dagster as dg`, the keys of `dagster.yaml` and the commands of its documentation
offer; a test counts these. Each was there from 1.12 to 1.13. When Dagster moves one, its release notes or a search for
the class name in its source say where to; a `dagster.yaml` that was written before is then mended by hand, or moved
away, and the next command writes a new one. `place_runs` stands here too: its names are public, yet no page has them.
"""

import json
from pathlib import Path
from typing import Any, Final

import dagster as dg

EVENTS: Final = ("dagster._core.storage.event_log", "ConsolidatedSqliteEventLogStorage")
"""Module and class of the keeper of events in one file, named so in Dagster's documentation of `dagster.yaml`. A file a
run, the default, takes half as much room again and more time. Gone: leave `event_log_storage` out of `dagster.yaml`."""
OUTPUT: Final = ("dagster._core.storage.noop_compute_log_manager", "NoOpComputeLogManager")
"""The same of the keeper of printed output that keeps none: the terminal and the journal have it. Gone: leave
`compute_logs` out; each step then starts processes to copy what it prints into files."""


def open_workspace(instance: dg.DagsterInstance, workspace: Path, *, read_only: bool) -> Any:
    """Open what Dagster's web application is made from; a context manager.

    Dagster's own command for its web server listens by itself, without the guard. Gone: `dagster_webserver.cli` shows
    how that command makes it.

    Args:
        instance: the records.
        workspace: the file that names the code locations.
        read_only: whether the UI only shows.
    """
    from dagster._core.workspace import context, load_target
    from dagster_webserver.version import __version__

    target = load_target.WorkspaceFileTarget(paths=[str(workspace)])
    return context.WorkspaceProcessContext(instance, target, version=__version__, read_only=read_only)


def place_runs(instance: dg.DagsterInstance, location: str) -> None:
    """Let the runs that this process executes be those of a code location, as the runs are that the daemon starts.

    `execute_in_process` names no location, and Overview leaves out what names none. An origin is made from the form in
    which it is recorded, which every later Dagster must read. Gone: without this call the runs stand in Runs alone.

    Args:
        instance: the records, as this process opened them.
        location: what Dagster calls the code location.
    """
    create = instance.create_run_for_job

    def create_placed(job_def: dg.JobDefinition, **asked: Any) -> dg.DagsterRun:
        return create(job_def, remote_job_origin=read_origin(location, job_def.name), **asked)

    instance.create_run_for_job = create_placed  # type: ignore[method-assign, assignment]


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
