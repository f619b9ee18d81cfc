"""The manifests of `pipelines/lastro_pipelines/deploy/kubernetes`: what one names another has."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster

from lastro.cli import main
from lastro.manual.search import find_topic
from lastro.settings import Settings, load_settings
from lastro_pipelines.home import INSTANCE_SETTINGS

FOLDER = Path(__file__).parents[2] / "pipelines/lastro_pipelines/deploy" / "kubernetes"
NO_MANIFESTS = {"kustomization.yaml", "workspace.yaml", "dagster.yaml"}
NAMESPACE = "lastro"
USER_ID = 10_001
"""Of the image (`pipelines/lastro_pipelines/deploy/Dockerfile`)."""
PAGE = find_topic("maquinas")
OLDEST, NEWEST = "1.27", "1.37"
"""Of the cluster: 1.27 is the first whose probes ask gRPC without being told to; the newest whose schema was there."""


def read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def read_manifests() -> list[tuple[str, dict[str, Any]]]:
    return [
        (path.name, document)
        for path in sorted(FOLDER.glob("*.yaml"))
        if path.name not in NO_MANIFESTS
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    ]


MANIFESTS = read_manifests()
SETTINGS: Settings = load_settings(FOLDER / "lastro.toml", {}, FOLDER)
DEPLOYMENTS = [manifest for _, manifest in MANIFESTS if manifest["kind"] == "Deployment"]


def names(kind: str) -> set[str]:
    return {manifest["metadata"]["name"] for _, manifest in MANIFESTS if manifest["kind"] == kind}


def one(kind: str) -> dict[str, Any]:
    (found,) = (manifest for _, manifest in MANIFESTS if manifest["kind"] == kind)
    return found


def config_maps() -> dict[str, set[str]]:
    return {made["name"]: set(made["files"]) for made in read("kustomization.yaml")["configMapGenerator"]}


def secrets() -> dict[str, set[str]]:
    return {
        manifest["metadata"]["name"]: set(manifest["stringData"])
        for _, manifest in MANIFESTS
        if manifest["kind"] == "Secret"
    }


def pod_specs() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Give each pod that the manifests make, and the one that `dagster.yaml` describes: name, spec, container."""
    for manifest in DEPLOYMENTS:
        spec = manifest["spec"]["template"]["spec"]
        for container in spec["containers"]:
            yield container["name"], spec, container
    config = read("dagster.yaml")["run_launcher"]["config"]
    env = [{"name": "DAGSTER_PG_PASSWORD", "valueFrom": {"secretKeyRef": {
        "name": config["postgres_password_secret"], "key": "postgresql-password",
    }}}]  # fmt: skip
    run = config["run_k8s_config"]
    yield (
        "run",
        {
            "serviceAccountName": config["service_account_name"],
            "automountServiceAccountToken": run["pod_spec_config"]["automount_service_account_token"],
            "securityContext": run["pod_spec_config"]["security_context"],
            "volumes": config["volumes"],
        },
        {
            "image": config["job_image"],
            "env": env,
            "envFrom": [{"secretRef": {"name": name}} for name in config["env_secrets"]],
            "volumeMounts": config["volume_mounts"],
            "securityContext": run["container_config"]["security_context"],
            "resources": config["resources"],
        },
    )


PODS = list(pod_specs())
each_pod = pytest.mark.parametrize(("spec", "container"), [pod[1:] for pod in PODS], ids=[pod[0] for pod in PODS])


def test_kustomize_applies_every_manifest_but_the_secrets() -> None:
    kustomization = read("kustomization.yaml")
    assert {*kustomization["resources"], "segredos.exemplo.yaml"} == {name for name, _ in MANIFESTS}
    assert kustomization["namespace"] == NAMESPACE
    assert kustomization["generatorOptions"] == {"disableNameSuffixHash": True}
    for files in config_maps().values():
        for name in files:
            assert (FOLDER / name).is_file()
    assert names("Secret") == {
        manifest["metadata"]["name"] for name, manifest in MANIFESTS if name == "segredos.exemplo.yaml"
    }


def test_names_are_names_and_stand_once() -> None:
    seen = [(manifest["kind"], manifest["metadata"]["name"]) for _, manifest in MANIFESTS]
    assert len(set(seen)) == len(seen)
    for kind, name in seen:
        assert re.fullmatch("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name), (kind, name)
    for _, manifest in MANIFESTS:
        assert set(manifest) >= {"apiVersion", "kind", "metadata"}
        if manifest["kind"] != "Namespace":
            assert manifest["metadata"]["namespace"] == NAMESPACE
    assert names("Namespace") == {NAMESPACE}


@each_pod
def test_a_pod_names_only_what_is_there(spec: dict[str, Any], container: dict[str, Any]) -> None:
    assert spec["serviceAccountName"] in names("ServiceAccount")
    for variable in container["env"]:
        chosen = variable.get("valueFrom", {}).get("secretKeyRef")
        assert chosen is None or chosen["key"] in secrets()[chosen["name"]]
    for source in container.get("envFrom", ()):
        assert source["secretRef"]["name"] in secrets()
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == set(volumes)
    for volume in volumes.values():
        if "persistentVolumeClaim" in volume:
            assert volume["persistentVolumeClaim"]["claimName"] in names("PersistentVolumeClaim")
        elif "configMap" in volume:
            assert volume["configMap"]["name"] in config_maps()
        else:
            assert volume["emptyDir"] == {}
    for mount in container["volumeMounts"]:
        if "subPath" in mount:
            assert mount["subPath"] in config_maps()[volumes[mount["name"]]["configMap"]["name"]]


@each_pod
def test_a_pod_may_do_little(spec: dict[str, Any], container: dict[str, Any]) -> None:
    user = spec["securityContext"]
    assert (user["runAsNonRoot"], user["runAsUser"], user["fsGroup"]) == (True, USER_ID, USER_ID)
    assert user["seccompProfile"] == {"type": "RuntimeDefault"}
    rights = container["securityContext"]
    assert (rights["allowPrivilegeEscalation"], rights["readOnlyRootFilesystem"]) == (False, True)
    assert rights["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["limits"]["memory"]
    assert f"--uid {USER_ID} " in (FOLDER.parent / "Dockerfile").read_text(encoding="utf-8")


def test_only_the_pods_of_runs_are_given_tokens_and_only_two_may_ask_the_cluster() -> None:
    given = {name: [source["secretRef"]["name"] for source in pod.get("envFrom", ())] for name, _, pod in PODS}
    assert given == {"run": ["lastro-tokens"], "codigo": [], "daemon": [], "web": []}
    (tokens,) = (empresa.token_env for empresa in SETTINGS.empresas)
    assert tokens in secrets()["lastro-tokens"]
    bound = {subject["name"] for subject in one("RoleBinding")["subjects"]}
    assert bound <= names("ServiceAccount")
    assert one("RoleBinding")["roleRef"]["name"] == one("Role")["metadata"]["name"]
    asking = {name for name, spec, _ in PODS if spec["serviceAccountName"] in bound}
    assert asking == {"daemon", "web"}
    for name, spec, _ in PODS:
        assert spec.get("automountServiceAccountToken", True) is (name in asking)


def test_the_volume_is_where_companies_are_kept_and_nowhere_else() -> None:
    assert SETTINGS.volume == ".volume"
    for name, spec, pod in PODS:
        claims = {volume["name"] for volume in spec["volumes"] if "persistentVolumeClaim" in volume}
        paths = [mount["mountPath"] for mount in pod["volumeMounts"] if mount["name"] in claims]
        assert paths == ([str(SETTINGS.dir)] if name in ("run", "codigo") else [])


def test_services_and_policies_meet_the_pods_they_mean() -> None:
    labels = {
        manifest["metadata"]["name"]: manifest["spec"]["template"]["metadata"]["labels"] for manifest in DEPLOYMENTS
    }

    def chosen(selector: dict[str, str]) -> set[str]:
        return {name for name, found in labels.items() if selector.items() <= found.items()}

    for manifest in DEPLOYMENTS:
        assert chosen(manifest["spec"]["selector"]["matchLabels"]) == {manifest["metadata"]["name"]}
    service = one("Service")
    assert chosen(service["spec"]["selector"]) == {"lastro-codigo"}
    (port,) = service["spec"]["ports"]
    (code,) = (pod for name, _, pod in PODS if name == "codigo")
    for probe in ("startupProbe", "livenessProbe"):
        assert code[probe]["grpc"] == {"port": port["port"], "service": "DagsterApi"}
    assert code["command"][-1].endswith(f"-p {port['port']}")
    assert f"touch {SETTINGS.dir}/{SETTINGS.volume} " in code["command"][-1]
    (server,) = read("workspace.yaml")["load_from"]
    assert server["grpc_server"] == {
        "host": service["metadata"]["name"], "port": port["port"], "location_name": "lastro.pipelines.definitions",
    }  # fmt: skip
    policies = {
        manifest["metadata"]["name"]: manifest["spec"]
        for _, manifest in MANIFESTS
        if manifest["kind"] == "NetworkPolicy"
    }
    assert policies["ninguem-entra"] == {"podSelector": {}, "policyTypes": ["Ingress"]}
    (rule,) = policies["codigo"]["ingress"]
    assert chosen(policies["codigo"]["podSelector"]["matchLabels"]) == {"lastro-codigo"}
    assert chosen(rule["from"][0]["podSelector"]["matchLabels"]) == {"lastro-central"}
    assert [found["port"] for found in rule["ports"]] == [port["port"]]


def test_pods_start_programs_that_exist_from_one_image() -> None:
    assert len({pod["image"] for _, _, pod in PODS}) == 1
    scripts = {script.name for script in entry_points(group="console_scripts")}
    commands = {name: pod["command"] for name, _, pod in PODS if name != "run"}
    assert commands["codigo"][:2] == ["sh", "-c"]
    assert "exec dagster code-server start -m lastro_pipelines.definitions " in commands["codigo"][2]
    for program, *words in (commands["web"], commands["daemon"]):
        assert program in scripts
        if program == "lastro":
            command = main.get_command(click.Context(main), words[0])
            assert command is not None
            options = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words if word.startswith("-")} <= options


def test_what_limits_runs_is_what_lastro_writes_on_one_machine() -> None:
    written = yaml.safe_load(INSTANCE_SETTINGS)
    for folder in (FOLDER, FOLDER.parent / "maquinas"):
        ours = yaml.safe_load((folder / "dagster.yaml").read_text(encoding="utf-8"))
        assert (
            ours["concurrency"]["runs"]["tag_concurrency_limits"]
            == written["concurrency"]["runs"]["tag_concurrency_limits"]
        )
        assert ours["run_monitoring"].items() >= written["run_monitoring"].items()
        assert "max_runtime_seconds" not in ours["run_monitoring"]  # runs of lastro bring theirs as a tag
        assert ours["retention"] == written["retention"]
        assert ours["storage"]["postgres"]["postgres_db"]["password"] == {"env": "DAGSTER_PG_PASSWORD"}
    # A run of the launchpad is given no other image, variable, secret or volume.
    config = read("dagster.yaml")["run_launcher"]["config"]
    assert config["only_allow_user_defined_k8s_config_fields"] == {"container_config": {"resources": True}}
    assert config["only_allow_user_defined_env_vars"] == []


def test_the_page_shows_how_to_try_a_volume(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```python\n(import fcntl.*?)```", PAGE, re.DOTALL)
    program = [sys.executable, "-W", "ignore", "-c", shown.replace("/dados", str(tmp_path))]
    with subprocess.Popen(program) as first:  # noqa: S603 - our own interpreter
        try:
            while f" {first.pid} " not in Path("/proc/locks").read_text(encoding="ascii"):
                time.sleep(0.05)  # it has opened the file before it has the lock
            second = subprocess.run(program, capture_output=True, text=True, timeout=240, check=False)  # noqa: S603
        finally:
            first.kill()
    assert "BlockingIOError" in second.stderr


@pytest.mark.maquinas
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_manifests_are_what_the_schema_of_kubernetes_says(version: str) -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed").validate
    for _, manifest in MANIFESTS:
        validate(manifest, version, strict=True)
    with pytest.raises(Exception, match="replicaz"):
        validate({**DEPLOYMENTS[0], "spec": {**DEPLOYMENTS[0]["spec"], "replicaz": 1}}, version, strict=True)
