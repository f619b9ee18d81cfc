"""What Dagster records a run with, loaded at once: by a process from which those of many companies are forked.

Dagster loads the larger part of it when it opens its records: half of what a small company takes beside its own work.
"""

from typing import Final

from dagster._core.execution import execute_in_process
from dagster._core.storage import legacy_storage, noop_compute_log_manager, root
from dagster._core.storage.runs import sqlite as runs
from dagster._core.storage.schedules import sqlite as schedules

from . import execution, records

PARTS: Final = (execution, records, legacy_storage, execute_in_process, noop_compute_log_manager, root, runs, schedules)
