"""What `dagster.yaml` says where each run is a pod of its own: who starts it, with what, and who watches over it.

Nothing of Kubernetes is imported here: whoever writes or compares the file needs no cluster.
"""

from typing import Any

from lastro.errors import StorageError
from lastro.settings import Settings
from lastro.settings.pods import Kubernetes

from .home import CONFIG, HOME_FOLDER

CONFIG_FOLDER = "/etc/lastro"
"""Where the config map with lastro.toml stands in every pod."""
DAGSTER_HOME = "/opt/dagster"
"""Of web server, daemon and pods: nothing in it outlives them."""
USER_ID = 10_001
"""Of the image (`pipelines/deploy/Dockerfile`)."""
START_SECONDS, CANCEL_SECONDS, LOOK_SECONDS = 600, 120, 30
GRACE_SECONDS = 60
"""What a pod is given between SIGTERM and SIGKILL: to note that it was interrupted."""
KEPT_SECONDS = 86_400
"""How long the cluster keeps a pod that ended, for `kubectl logs`."""
SMALL_RIGHTS: dict[str, Any] = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


def describe_instance(base: dict[str, Any], settings: Settings, kubernetes: Kubernetes) -> dict[str, Any]:
    """Write what `dagster.yaml` says of everything but the records.

    Args:
        base: what it says on a single machine; unchanged.
        settings: all settings.
        kubernetes: `[kubernetes]` of them.
    """
    runs = {**base["concurrency"]["runs"], "max_concurrent_runs": kubernetes.simultaneas}
    return {
        **base,
        "concurrency": {**base["concurrency"], "runs": runs},
        "run_launcher": {
            "module": "dagster_k8s",
            "class": "K8sRunLauncher",
            "config": describe_pods(settings, kubernetes),
        },
        "run_monitoring": {
            **base["run_monitoring"],
            "poll_interval_seconds": LOOK_SECONDS,
            "start_timeout_seconds": START_SECONDS,
            "cancel_timeout_seconds": CANCEL_SECONDS,
            # A run that goes on in another pod would skip the stages that the dead one had finished.
            "max_resume_run_attempts": 0,
        },
    }


def demand_volume(settings: Settings) -> None:
    """Refuse a data folder on which no code server has prepared its home: what a pod wrote there would go with it.

    Raises:
        StorageError: when the volume is not mounted, or is another one.
    """
    kubernetes = settings.kubernetes
    if kubernetes is not None and not (settings.dir / HOME_FOLDER / CONFIG).is_file():
        raise StorageError(
            f"{settings.dir}: not the volume that the code server keeps, so what is read here would be lost. Mount "
            f"the claim {kubernetes.volume} there (`lastro codigo --mostrar` writes it), then run again."
        )


def describe_pods(settings: Settings, kubernetes: Kubernetes) -> dict[str, Any]:
    """Write what a pod is given. Secrets by name alone; the launchpad may ask for memory and processors, no more."""
    return {
        "job_namespace": kubernetes.namespace,
        "service_account_name": kubernetes.conta_servico,
        "instance_config_map": kubernetes.configuracao,
        "postgres_password_secret": kubernetes.segredo_postgres,
        "dagster_home": DAGSTER_HOME,
        "job_image": kubernetes.imagem,
        "env_vars": [f"LASTRO_CONFIG={CONFIG_FOLDER}/lastro.toml", "DAGSTER_DISABLE_TELEMETRY=1"],
        "env_secrets": list(kubernetes.segredos),
        "volumes": [
            {"name": "dados", "persistentVolumeClaim": {"claimName": kubernetes.volume}},
            {"name": "configuracao", "configMap": {"name": kubernetes.configuracao}},
            {"name": "dagster", "emptyDir": {}},
            {"name": "tmp", "emptyDir": {}},
        ],
        "volume_mounts": [
            {"name": "dados", "mountPath": str(settings.dir)},
            {"name": "configuracao", "mountPath": CONFIG_FOLDER, "readOnly": True},
            {"name": "dagster", "mountPath": DAGSTER_HOME},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - the pod's own
        ],
        "resources": {
            "requests": {"cpu": kubernetes.cpu, "memory": kubernetes.memoria},
            "limits": {"memory": kubernetes.memoria},
        },
        "fail_pod_on_run_failure": True,
        "run_k8s_config": {
            "container_config": {
                "security_context": dict(SMALL_RIGHTS),
            },
            "pod_spec_config": {
                # It asks nothing of the cluster.
                "automount_service_account_token": False,
                "enable_service_links": False,
                "termination_grace_period_seconds": GRACE_SECONDS,
                "security_context": {
                    "runAsNonRoot": True,
                    "runAsUser": USER_ID,
                    "runAsGroup": USER_ID,
                    "fsGroup": USER_ID,
                    "fsGroupChangePolicy": "OnRootMismatch",
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
            },
            # Moving it to another node would end it: a run is not taken up where it was.
            "pod_template_spec_metadata": {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}},
            # A pod that died is not started again: the next run of the company is a run of its own.
            "job_spec_config": {"backoff_limit": 0, "ttl_seconds_after_finished": KEPT_SECONDS},
        },
        # Whoever reaches the UI can tag a run: with another image, variable or secret it would have every token.
        "only_allow_user_defined_k8s_config_fields": {"container_config": {"resources": True}},
        "only_allow_user_defined_env_vars": [],
    }
