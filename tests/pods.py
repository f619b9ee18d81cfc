"""A stub of Kubernetes' API on this machine: jobs become processes that have the environment they are given, no other.

It keeps to what Dagster's launcher asks of a cluster. Not here: images, nodes, scheduling, rights, networks, eviction.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml  # type: ignore[import-untyped] # comes with Dagster

IMAGE_ENV = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "PYTHONUNBUFFERED": "1"}
"""What the image itself sets (`pipelines/lastro_pipelines/deploy/Dockerfile`)."""
GRACE_SECONDS = 30.0
_PATH = re.compile(r"^/(?:api|apis/(batch))/v1/namespaces/([^/]+)/(jobs|pods|events)(?:/([^/]+)(?:/(status|log))?)?$")


@dataclass
class Pod:
    """A job and its only pod."""

    manifest: dict[str, Any]
    env: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes]
    deleted: bool = False

    @property
    def name(self) -> str:
        return str(self.manifest["metadata"]["name"])

    def is_running(self) -> bool:
        return self.process.poll() is None

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send the pod's processes a signal, as the kernel's killer or a node that goes down would."""
        os.killpg(self.process.pid, number)

    def describe_job(self) -> dict[str, Any]:
        code = self.process.poll()
        status = {"active": 1} if code is None else {"succeeded": 1} if code == 0 else {"failed": 1}
        return {**self.manifest, "status": status}

    def describe_pod(self) -> dict[str, Any]:
        code = self.process.poll()
        template = self.manifest["spec"]["template"]
        phase = "Running" if code is None else "Succeeded" if code == 0 else "Failed"
        # A shell's way to say by which signal a process ended, as container runtimes do.
        exit_code = None if code is None else code if code >= 0 else 128 - code
        state = {"running": {}} if code is None else {"terminated": {"exitCode": exit_code, "reason": "Error"}}
        container = {"name": "dagster", "image": "x", "imageID": "x", "ready": code is None, "restartCount": 0}
        return {
            "metadata": {"name": self.name, "labels": {"job-name": self.name}},
            "spec": template["spec"],
            "status": {"phase": phase, "containerStatuses": [{**container, "state": state}]},
        }


@dataclass
class Cluster:
    """What `kubectl apply` would have put there, and what the launcher started.

    Attributes:
        folder: where pods print.
        secrets: name -> key -> value.
        config_maps: name -> folder with its files.
        claims: name -> folder of the volume.
        role: the Role of whoever asks, as its manifest says it; what it does not allow is refused.
        pods: name of the job -> its pod, the deleted ones too.
    """

    folder: Path
    namespace: str
    secrets: Mapping[str, Mapping[str, str]]
    config_maps: Mapping[str, Path]
    claims: Mapping[str, Path]
    role: Mapping[str, Any]
    pods: dict[str, Pod] = field(default_factory=dict)
    port: int = 0
    _server: ThreadingHTTPServer | None = None

    def start(self) -> None:
        """Answer, at the same port as before."""
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), _handle_for(self))
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Answer nobody: connections are refused. Pods live on."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @contextmanager
    def away(self) -> Iterator[None]:
        """Be away for a block."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def kubeconfig(self) -> Path:
        """Write the file by which a client finds it."""
        path = self.folder / "kubeconfig"
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "stub",
            "clusters": [{"name": "stub", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}],
            "users": [{"name": "stub", "user": {}}],
            "contexts": [{"name": "stub", "context": {"cluster": "stub", "user": "stub"}}],
        }
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        return path

    def allows(self, verb: str, group: str, resource: str) -> bool:
        """Tell whether the Role lets somebody do something."""
        return any(
            verb in rule["verbs"] and group in rule["apiGroups"] and resource in rule["resources"]
            for rule in self.role["rules"]
        )

    def create(self, manifest: dict[str, Any]) -> Pod:
        """Start the pod of a job.

        Raises:
            KeyError: when it names a secret, config map or claim that is not there.
        """
        spec = manifest["spec"]["template"]["spec"]
        (container,) = spec["containers"]
        name = manifest["metadata"]["name"]
        env = {**IMAGE_ENV, **self._build_env(container, self._mount(spec, container, name))}
        log = self.folder / f"{name}.{len(self.pods)}.log"
        command: list[str] = [*(container.get("command") or ()), *container["args"]]
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603 - what the launcher says
                command,
                env=env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        pod = Pod(manifest, env, log, process)
        self.pods[name] = pod
        return pod

    def delete_pod(self, pod: Pod) -> None:
        """End a pod as a cluster does: SIGTERM, and SIGKILL after a while."""
        pod.deleted = True
        if pod.is_running():
            pod.kill(signal.SIGTERM)
            timer = threading.Timer(GRACE_SECONDS, self._end, [pod])
            timer.daemon = True
            timer.start()

    def end(self) -> None:
        """Leave nothing behind."""
        self.stop()
        for pod in self.pods.values():
            self._end(pod)

    def _end(self, pod: Pod) -> None:
        if pod.is_running():
            pod.kill()
            pod.process.wait()

    def _mount(self, spec: dict[str, Any], container: dict[str, Any], name: str) -> dict[str, Path]:
        """Say which folder of this machine stands for each path of the pod."""
        sources = {}
        for volume in spec["volumes"]:
            if "configMap" in volume:
                sources[volume["name"]] = self.config_maps[volume["configMap"]["name"]]
            elif "persistentVolumeClaim" in volume:
                sources[volume["name"]] = self.claims[volume["persistentVolumeClaim"]["claimName"]]
            else:
                sources[volume["name"]] = self.folder / name / volume["name"]
                sources[volume["name"]].mkdir(parents=True)
        mounts = {mount["mountPath"]: sources[mount["name"]] for mount in container["volumeMounts"]}
        for path, source in mounts.items():
            # A volume cannot be mounted by a process: the folder of a claim has to be at its path already.
            if source in self.claims.values() and Path(path) != source:
                raise KeyError(path)
        return mounts

    def _build_env(self, container: dict[str, Any], mounts: Mapping[str, Path]) -> dict[str, str]:
        env: dict[str, str] = {}
        for source in container.get("envFrom", ()):
            env |= self.secrets[source["secretRef"]["name"]]
        for variable in container.get("env", ()):
            if "valueFrom" in variable:
                chosen = variable["valueFrom"]["secretKeyRef"]
                env[variable["name"]] = self.secrets[chosen["name"]][chosen["key"]]
            else:
                env[variable["name"]] = _translate(variable["value"], mounts)
        return env


def _translate(value: str, mounts: Mapping[str, Path]) -> str:
    for path, source in mounts.items():
        if value == path or value.startswith(f"{path}/"):
            return f"{source}{value[len(path) :]}"
    return value


def _handle_for(cluster: Cluster) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            _, kind, _, _ = self._parse("create")
            manifest = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if kind != "jobs" or manifest["kind"] != "Job":
                self._answer(404)
            elif manifest["metadata"]["name"] in cluster.pods:
                self._answer(409)
            else:
                try:
                    cluster.create(manifest)
                except KeyError as error:
                    self._answer(422, {"message": f"not there: {error}"})
                else:
                    self._answer(201, manifest)

        def do_GET(self) -> None:
            namespace, kind, name, part = self._parse("get")
            pods = [pod for pod in cluster.pods.values() if namespace == cluster.namespace]
            if name is not None:
                pod = next((pod for pod in pods if pod.name == name), None)
                if pod is None or (kind == "jobs" and pod.deleted):
                    self._answer(404)
                elif part == "log":
                    self._answer(200, text=pod.log.read_text(errors="replace"))
                else:
                    self._answer(200, pod.describe_job() if kind == "jobs" else pod.describe_pod())
                return
            query = parse_qs(urlsplit(self.path).query)
            ((_, _, wanted),) = [
                text.partition("=") for key in ("labelSelector", "fieldSelector") for text in query.get(key, ())
            ]
            found = [pod for pod in pods if pod.name == wanted and kind != "events"]
            items = [pod.describe_job() if kind == "jobs" else pod.describe_pod() for pod in found]
            self._answer(200, {"items": items})

        def do_DELETE(self) -> None:
            _, kind, name, _ = self._parse("delete")
            pod = cluster.pods.get(str(name))
            if pod is None:
                self._answer(404)
                return
            if kind == "pods":
                cluster.delete_pod(pod)
            else:
                pod.deleted = True
            self._answer(200, {"status": "Success"})

        def _parse(self, verb: str) -> tuple[str, str, str | None, str | None]:
            match = _PATH.match(urlsplit(self.path).path)
            if match is None:
                raise ValueError(self.path)
            group, namespace, kind, name, part = match.groups()
            verb = "list" if verb == "get" and name is None else verb
            resource = f"{kind}/{part}" if part else kind
            if not cluster.allows(verb, group or "", resource):
                self._answer(403, {"message": f"may not {verb} {resource}"})
                raise PermissionError(verb, resource)
            return namespace, kind, name, part

        def _answer(self, code: int, document: object = None, text: str = "") -> None:
            body = text.encode() if text else json.dumps(document if document is not None else {}).encode()
            self.send_response(code)
            self.send_header("Content-Type", "text/plain" if text else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def wait_until(true: Callable[[], object], what: str, seconds: float = 120.0) -> float:
    """Wait until something is so; return how long it took."""
    start = time.monotonic()
    while not true():
        if time.monotonic() - start > seconds:
            raise AssertionError(f"after {seconds:.0f} s: not {what}")
        time.sleep(0.1)
    return time.monotonic() - start
