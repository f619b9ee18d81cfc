"""Who starts the pods: Dagster's launcher for Kubernetes, less quick to call a living pod dead.

Named in `dagster.yaml` (`kubernetes.py`); needs the extra `[kubernetes]`.
"""

import dagster as dg
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster_k8s.launcher import K8sRunLauncher

NO_JOB = "could not be found"
"""How Dagster's launcher ends its answer when the cluster says that there is no such job."""


class PodLauncher(K8sRunLauncher):  # type: ignore[misc] # of an extra that types must not need
    """A launcher to which silence of the cluster's API says nothing of a pod.

    Dagster's own shows every run under way as failed when the API is away for a moment, as it is when its server is
    upgraded; the pods live on, publish, and turn the same runs green. A job that is gone is still a failure, and a pod
    that died behind an API that stays away is found by its company's lock (`sensors.py`) or by `max_runtime_seconds`.
    """

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Tell how a pod is; RUNNING, with the reason, while nobody can tell."""
        found: CheckRunHealthResult = super().check_run_worker_health(run)
        told = found.msg or ""
        if found.status is WorkerStatus.UNKNOWN and not told.endswith(NO_JOB):
            return CheckRunHealthResult(WorkerStatus.RUNNING, told)
        return found
