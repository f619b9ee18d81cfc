"""Runs of one company at once, killed, ended, and cut off: in pods of a stub of Kubernetes, and beside a code server.

The launchers, the daemon, the code server and PostgreSQL are real; `tests/pods.py` says what the stub is. Where a test
needs a run to be under way it closes a gate before the service: whoever reads waits there, and holds the company.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster
from dagster._cli.job import _create_run
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import GrpcServerTarget

from lastro.schema.run_kinds import Modo
from lastro.settings import Settings, load_settings
from lastro_pipelines.names import Names
from lastro_sandbox import create_app, make_company, serve
from tests.database import PASSWORD, PASSWORD_VARIABLE, Database, free_port, serve_database
from tests.pods import Cluster, Pod, wait_until
from tests.processes import code_server, started, wait_for_servers
from tests.served import TOKEN_VARIABLE, write_settings

pytestmark = pytest.mark.maquinas
Status = dg.DagsterRunStatus
SECRET = "segredo-da-empresa-8f1c"  # noqa: S105 - the sandbox's own
EXAMPLE = Path(__file__).parents[2] / "pipelines/lastro_pipelines/deploy" / "kubernetes"
PODS, PROCESSES = "pods", "processes"
PROMPT_SECONDS = 60.0
"""With a look every second it is seldom more than one: this is for machines that are busy."""


class Gate:
    """Stands before the service: closed, it keeps every request waiting."""

    def __init__(self) -> None:
        self.opened, self.asked = threading.Event(), threading.Event()
        self.opened.set()

    @contextmanager
    def closed(self) -> Iterator[None]:
        self.asked.clear()
        self.opened.clear()
        try:
            yield
        finally:
            self.opened.set()

    def stand_before(self, app: Any) -> Any:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                self.asked.set()
                while not self.opened.is_set():
                    await asyncio.sleep(0.05)
            await app(scope, receive, send)

        return answer


@dataclass
class Place:
    kind: str
    folder: Path
    settings: Settings
    instance: dg.DagsterInstance
    workspace: WorkspaceProcessContext
    database: Database
    cluster: Cluster
    gate: Gate
    location: str

    def create(self, **tags: str) -> dg.DagsterRun:
        """Make a run of the company, as the launchpad does."""
        location = self.workspace.create_request_context().get_code_location(self.location)
        (repository,) = location.get_repositories().values()
        return _create_run(
            instance=self.instance,
            code_location=location,
            remote_repo=repository,
            remote_job=repository.get_full_job(Names(self.settings.local).job(Modo.COMPLETA)),
            run_config={},
            tags={"dagster/partition": self.settings.empresas[0].id, **tags},
            op_selection=None,
            run_id=None,
        )

    def launch(self, **tags: str) -> str:
        """Start a run at once, past the queue that lets a company run once at a time."""
        run = self.create(**tags)
        self.instance.launch_run(run.run_id, self.workspace.create_request_context())
        return run.run_id

    def queue(self) -> str:
        run = self.create()
        self.instance.submit_run(run.run_id, self.workspace.create_request_context())
        return run.run_id

    def hold(self) -> str:
        """Start a run and return it when it waits at the closed gate."""
        run_id = self.queue()
        wait_until(self.gate.asked.is_set, "a run that reads")
        return run_id

    def status(self, run_id: str) -> dg.DagsterRunStatus:
        run = self.instance.get_run_by_id(run_id)
        assert run is not None
        return run.status

    def wait_for(self, run_id: str, *statuses: dg.DagsterRunStatus) -> float:
        try:
            return wait_until(lambda: self.status(run_id) in statuses, f"{run_id} {statuses}", 180)
        except AssertionError:
            raise AssertionError((self.status(run_id), self.messages(run_id)[-8:], self.logs())) from None

    def messages(self, run_id: str) -> list[str]:
        return [entry.message or entry.user_message for entry in self.instance.all_logs(run_id)]

    def logs(self) -> dict[str, str]:
        return {path.name: path.read_text(errors="replace")[-1_500:] for path in self.folder.rglob("*.log")}

    def why(self, run_id: str) -> list[str]:
        """Name the classes of error with which a run's steps failed, as the UI shows them."""
        found = []
        for entry in self.instance.all_logs(run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
            assert entry.dagster_event is not None
            failure = entry.dagster_event.step_failure_data.user_failure_data
            found.append(str(failure.metadata["classe"].value) if failure is not None else "?")
        return found

    def kill(self, run_id: str) -> None:
        """SIGKILL to whoever executes a run."""
        if self.kind == PODS:
            self.pod(run_id).kill()
        else:
            held = (self.settings.pasta(self.settings.empresas[0]) / "privado" / "trava").read_text()
            os.kill(int(re.findall(r"pid (\d+)", held)[0]), signal.SIGKILL)

    def pod(self, run_id: str) -> Pod:
        return self.cluster.pods[f"dagster-run-{run_id}"]

    def published(self) -> list[str]:
        """Return the Dagster runs whose figures were ever published, in order."""
        link = self.settings.pasta(self.settings.empresas[0]) / "lastro.duckdb"
        if not link.exists():
            return []
        with duckdb.connect(str(link), read_only=True) as con:
            query = "SELECT dagster_run_id FROM ops.execucoes WHERE situacao = 'completa' ORDER BY execucao_id"
            return [run_id for (run_id,) in con.execute(query).fetchall()]


@pytest.fixture(scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    kind = request.param
    if kind == PODS:
        pytest.importorskip("dagster_k8s", reason="pip install dagster-k8s")
    folder = tmp_path_factory.mktemp(kind)
    with ExitStack() as stack:
        monkeypatch = stack.enter_context(pytest.MonkeyPatch.context())
        database = stack.enter_context(serve_database())
        gate, books = Gate(), make_company(seed=1, lancamentos=300)
        app = create_app(books, token=SECRET)
        app.add_middleware(_Before, gate=gate)
        service = stack.enter_context(serve(app))
        settings_folder, data, pods = folder / "configuracao", folder / "dados", folder / "cluster"
        settings_folder.mkdir()
        pods.mkdir()
        write_settings(settings_folder, books, service.base_url)
        path = settings_folder / "lastro.toml"
        data.mkdir()
        local = "maquina1" if kind == PROCESSES else ""
        head = f'dir = "{data}"\nlocal = "{local}"\n' if local else f'dir = "{data}"\nvolume = ".volume"\n'
        (data / ".volume").touch()  # as the command of codigo.yaml does
        path.write_text(head + re.sub(r"(?m)^dir = .*\n", "", path.read_text(encoding="utf-8")), encoding="utf-8")
        cluster = Cluster(
            pods,
            "lastro",
            {"lastro-postgres": {"postgresql-password": PASSWORD}, "lastro-tokens": {TOKEN_VARIABLE: SECRET}},
            {"lastro": settings_folder},
            {"lastro-dados": data},
            read_role(),
        )
        cluster.start()
        stack.callback(cluster.end)
        # Neither the code server nor the daemon has a token, unless runs are the code server's own processes.
        bare = {name: value for name, value in os.environ.items() if name not in (TOKEN_VARIABLE, "DAGSTER_HOME")}
        bare |= {PASSWORD_VARIABLE: PASSWORD, "HOME": str(pods)}
        monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
        for name in (PASSWORD_VARIABLE, "HOME"):
            monkeypatch.setenv(name, bare[name])
        cluster.kubeconfig()
        port, location = free_port(), local or "lastro.pipelines.definitions"
        env = {**bare, "LASTRO_CONFIG": str(path), **({TOKEN_VARIABLE: SECRET} if kind == PROCESSES else {})}
        stack.enter_context(started(*code_server(port, location), env=env, log=folder / f"{location}.log"))
        home = folder / "central"
        write_home(home, kind, data, database.storage())
        # The config map of the pods.
        shutil.copy(home / "dagster.yaml", settings_folder)
        workspace = folder / "workspace.yaml"
        server = {"host": "127.0.0.1", "port": port, "location_name": location}
        workspace.write_text(yaml.safe_dump({"load_from": [{"grpc_server": server}]}), encoding="utf-8")
        wait_for_servers({location: port}, folder)
        daemon = ["-m", "dagster._daemon", "run", "-w", str(workspace)]
        central = {**bare, "DAGSTER_HOME": str(home)}
        stack.enter_context(started(*daemon, env=central, log=folder / "daemon.log"))
        monkeypatch.setenv("DAGSTER_HOME", str(home))
        instance = stack.enter_context(dg.DagsterInstance.get())
        target = GrpcServerTarget(host="127.0.0.1", port=port, socket=None, location_name=location)
        context = stack.enter_context(WorkspaceProcessContext(instance, target))
        settings = load_settings(path, {}, folder)
        yield Place(kind, folder, settings, instance, context, database, cluster, gate, location)


def read_role() -> dict[str, Any]:
    """Read what the example lets web server and daemon do in the cluster."""
    documents = yaml.safe_load_all((EXAMPLE / "contas.yaml").read_text(encoding="utf-8"))
    (role,) = (document for document in documents if document["kind"] == "Role")
    return dict(role)


class _Before:
    """The gate as the sandbox's outermost layer."""

    def __init__(self, app: Any, gate: Gate) -> None:
        self._answer = gate.stand_before(app)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._answer(scope, receive, send)


def write_home(home: Path, kind: str, data: Path, storage: dict[str, Any]) -> None:
    """Write the example's dagster.yaml with our database, pointed at the stub and looked at more often."""
    example = {PODS: EXAMPLE, PROCESSES: EXAMPLE.parent / "maquinas"}[kind] / "dagster.yaml"
    document = yaml.safe_load(example.read_text(encoding="utf-8"))
    document["storage"] = storage
    document["run_monitoring"]["poll_interval_seconds"] = 1
    if kind == PODS:
        config = document["run_launcher"]["config"]
        # The home folder of the daemon and of this test; a pod has another one, and must not need the file.
        config |= {"load_incluster_config": False, "kubeconfig_file": "~/kubeconfig"}
        (mount,) = (mount for mount in config["volume_mounts"] if mount["name"] == "dados")
        mount["mountPath"] = str(data)
    home.mkdir()
    (home / "dagster.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")


in_pods = pytest.mark.parametrize("place", [PODS], indirect=True)
everywhere = pytest.mark.parametrize("place", [PODS, PROCESSES], indirect=True)


@in_pods
def test_a_run_is_a_pod_and_only_the_pod_has_the_token(place: Place) -> None:
    run_id = place.queue()
    place.wait_for(run_id, Status.SUCCESS, Status.FAILURE)
    assert place.status(run_id) is Status.SUCCESS
    assert place.published() == [run_id]
    pod = place.pod(run_id)
    assert pod.process.wait(60) == 0
    assert pod.env[TOKEN_VARIABLE] == SECRET
    spec = pod.manifest["spec"]["template"]["spec"]
    assert (spec["automountServiceAccountToken"], spec["serviceAccountName"]) == (False, "lastro-execucao")
    assert spec["restartPolicy"] == "Never"
    assert pod.manifest["spec"]["backoffLimit"] == 0
    for secret in (SECRET, PASSWORD):
        for told in (json.dumps(pod.manifest), pod.log.read_text(), (place.folder / "daemon.log").read_text()):
            assert secret not in told
        for path in place.folder.rglob("*"):
            if path.is_file():
                assert secret.encode() not in path.read_bytes(), path
        records = place.instance.all_logs(run_id)
        assert len(records) > 100
        assert not [entry for entry in records if secret in str(entry)]
        assert secret not in str(place.instance.get_run_by_id(run_id))


@everywhere
def test_three_runs_of_a_company_at_once_publish_one(place: Place) -> None:
    before = place.published()
    with place.gate.closed():
        runs = [place.launch() for _ in range(3)]
        wait_until(lambda: [place.status(run) for run in runs].count(Status.FAILURE) == 2, "two that lost", 180)
    (winner,) = [run for run in runs if place.status(run) is not Status.FAILURE]
    place.wait_for(winner, Status.SUCCESS, Status.FAILURE)
    assert place.status(winner) is Status.SUCCESS
    assert place.published() == [*before, winner]
    for run in runs:
        assert place.why(run) == ([] if run == winner else ["WarehouseBusy"])
        if place.kind == PODS:
            assert place.pod(run).process.wait(60) == (0 if run == winner else 1)


@everywhere
def test_a_company_whose_run_is_killed_goes_on_by_itself(place: Place) -> None:
    before = place.published()
    with place.gate.closed():
        first = place.hold()
        second = place.queue()
        place.kill(first)
        seconds = place.wait_for(first, Status.FAILURE)
        assert place.published() == before
    place.wait_for(second, Status.SUCCESS, Status.FAILURE)
    assert place.status(second) is Status.SUCCESS
    assert place.published() == [*before, second]
    assert seconds < PROMPT_SECONDS


@everywhere
def test_a_run_that_is_ended_from_dagster_publishes_nothing_and_the_next_one_does(place: Place) -> None:
    before = place.published()
    with place.gate.closed():
        run_id = place.hold()
        assert place.instance.run_launcher.terminate(run_id)
        seconds = place.wait_for(run_id, Status.CANCELED, Status.FAILURE)
        assert place.status(run_id) is Status.CANCELED
        if place.kind == PODS:
            wait_until(lambda: not place.pod(run_id).is_running(), "the end of the pod")
    assert place.published() == before
    after = place.queue()
    place.wait_for(after, Status.SUCCESS, Status.FAILURE)
    assert place.published() == [*before, after]
    assert seconds < PROMPT_SECONDS


@in_pods
def test_a_run_that_is_ended_while_the_api_is_away_ends_by_itself(place: Place) -> None:
    before = place.published()
    with place.gate.closed():
        run_id = place.hold()
        with place.cluster.away():
            assert not place.instance.run_launcher.terminate(run_id)
        assert place.status(run_id) is Status.CANCELING
        assert place.pod(run_id).is_running()
    place.wait_for(run_id, Status.CANCELED, Status.FAILURE, Status.SUCCESS)
    assert place.status(run_id) is Status.CANCELED
    place.pod(run_id).process.wait(60)
    assert place.status(run_id) is Status.CANCELED
    assert place.published() == before


@in_pods
def test_a_lock_that_is_stolen_stops_the_run_that_had_it(place: Place) -> None:
    """Somebody removes the lock's file, or the file system forgets it: who had it publishes nothing any more."""
    before = place.published()
    with place.gate.closed():
        first = place.hold()
        (place.settings.pasta(place.settings.empresas[0]) / "privado" / "trava").unlink()
        place.gate.asked.clear()
        second = place.launch()
        wait_until(lambda: place.gate.asked.is_set() or place.status(second) is Status.FAILURE, "a second reader")
    for run in (first, second):
        place.wait_for(run, Status.SUCCESS, Status.FAILURE)
    done = [run for run in (first, second) if place.status(run) is Status.SUCCESS]
    assert place.published() == [*before, *done]
    # DuckDB's own lock of the private file is the second one: who comes later may meet the older run there.
    assert place.why(first) == ["WarehouseBusy"]
    assert place.why(second) == ([] if second in done else ["WarehouseBusy"])


@in_pods
def test_a_database_that_dies_under_a_pod_publishes_nothing(place: Place) -> None:
    published = place.published()
    with place.gate.closed():
        run_id = place.launch()
        wait_until(place.gate.asked.is_set, "a run that reads")
        place.database.stop()
    try:
        assert place.pod(run_id).process.wait(240) != 0
    finally:
        place.database.start()
    log = place.pod(run_id).log.read_text()
    assert PASSWORD not in log
    assert SECRET not in log
    assert place.published() == published
