"""The UI of `lastro dev` as a browser meets it: its own pages work, somebody else's page starts and reads nothing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import dagster as dg
import pytest
import uvicorn
from click.testing import CliRunner
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import InProcessWorkspaceLoadTarget

from lastro.cli import main
from lastro.guard.server import build_server
from lastro.settings import Settings, load_settings
from lastro_pipelines import LOCATION, MODULE
from lastro_pipelines.execution import prepare_home
from tests.guarded import RUNS, ask, assert_guarded_and_whole, write_launch

SETTINGS = """\
dir = "dados"

[[empresa]]
id = "acme"
nome = "Acme"
base_url = "http://127.0.0.1:9"
token_env = "ACME_TOKEN"
"""
LAUNCH = write_launch(LOCATION, "lastro_diario", "acme")
IN_PROCESS = pytest.mark.filterwarnings("ignore::DeprecationWarning")
"""Dagster's own, when it loads definitions in the process of its web server."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Stand in a folder with a company, its home prepared; without a token."""
    for name in list(os.environ):
        if name.startswith(("LASTRO_", "DAGSTER_", "ACME_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lastro.toml").write_text(SETTINGS, encoding="utf-8")
    settings = load_settings(None, {}, tmp_path)
    prepare_home(settings)
    return settings


@contextmanager
def serving(build: Callable[[socket.socket], uvicorn.Server]) -> Iterator[int]:
    """Serve in a thread, and give the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = build(listener)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serve_ui(*, read_only: bool = False) -> Iterator[str]:
    """Serve the true application behind the guard; runs are queued and never begun."""
    from dagster_webserver.app import create_app_from_workspace_process_context  # loaded by the tests that need it

    origin = InProcessCodeLocationOrigin(
        LoadableTargetOrigin(module_name=MODULE, working_directory=os.getcwd()), location_name=LOCATION
    )
    with (
        dg.DagsterInstance.get() as instance,
        WorkspaceProcessContext(instance, InProcessWorkspaceLoadTarget([origin]), read_only=read_only) as workspace,
    ):
        app = create_app_from_workspace_process_context(workspace)
        with serving(lambda listener: build_server(app, listener)) as port:
            yield f"http://127.0.0.1:{port}"


@IN_PROCESS
@pytest.mark.usefixtures("place")
def test_a_page_of_another_origin_starts_and_reads_nothing_and_the_ui_itself_works() -> None:
    with serve_ui() as url:
        assert_guarded_and_whole(url, LAUNCH)


@IN_PROCESS
@pytest.mark.usefixtures("place")
def test_a_ui_that_only_shows_starts_nothing() -> None:
    with serve_ui(read_only=True) as url:
        assert ask(url, LAUNCH)["launchRun"]["__typename"] == "UnauthorizedError"
        assert ask(url, RUNS)["runsOrError"]["count"] == 0


DEV = (sys.executable, "-m", "lastro", "dev")


@contextmanager
def lastro_dev(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start the command as a script in the background does, with SIGINT ignored; wait until it answers."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter
        [*DEV, "--porta", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN) and None,  # noqa: PLW1509 - no thread runs yet
    )
    assert process.stdout is not None
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            found = re.search(r"Dagster: http://127\.0\.0\.1:(\d+) ", line)
            if found:
                break
        else:
            pytest.fail("".join(lines))
        # Nobody else reads it, and a full pipe would stop the process.
        reader = threading.Thread(target=process.stdout.read, daemon=True)
        reader.start()
        yield process, int(found[1])
        process.kill()
        reader.join(120)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def find_children(pid: int) -> dict[int, str]:
    """Find all processes below one, with their arguments."""
    found: dict[int, str] = {}
    todo = [pid]
    while todo:
        parent = todo.pop()
        for task in Path(f"/proc/{parent}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found[child] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
                todo.append(child)
    return found


def gone(pids: dict[int, str], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


@pytest.mark.longo
def test_lastro_dev_runs_what_it_is_asked_and_ends_cleanly(place: Settings) -> None:
    with lastro_dev() as (process, port):
        run_id = assert_guarded_and_whole(f"http://127.0.0.1:{port}", LAUNCH)
        with dg.DagsterInstance.get() as instance:
            end = time.monotonic() + 120
            while not (run := instance.get_run_by_id(run_id)) or not run.is_finished:
                assert time.monotonic() < end, run
                time.sleep(0.5)
            # The queue let it begin and a process executed it: there is no token.
            assert run.status is dg.DagsterRunStatus.FAILURE
            assert instance.get_runs_count(dg.RunsFilter(job_name="lastro_diario")) == 1
        children = find_children(process.pid)
        assert sum("dagster-daemon" in arguments for arguments in children.values()) == 1
        # Neither the folder of the data, nor the one that it stands in.
        assert not any(str(place.dir.parent) in arguments for arguments in children.values()), children
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert gone(children, 30)


@pytest.mark.longo
@pytest.mark.usefixtures("place")
def test_a_daemon_that_ends_by_itself_is_noticed() -> None:
    with lastro_dev() as (process, _):
        children = find_children(process.pid)
        (daemon,) = [pid for pid, arguments in children.items() if "dagster-daemon" in arguments]
        os.kill(daemon, signal.SIGKILL)
        assert process.wait(60) == 1
        assert gone(children, 30)


@pytest.mark.longo
@pytest.mark.usefixtures("place")
def test_what_lastro_dev_started_ends_with_it_however_it_ends() -> None:
    with lastro_dev() as (process, _):
        children = find_children(process.pid)
        process.kill()
        process.wait()
        assert gone(children, 120)


@pytest.mark.usefixtures("place")
def test_a_port_that_is_taken_is_told_at_once() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(main, ["dev", "--porta", str(port)])
    assert done.exit_code == 2
    assert f"porta {port}" in done.stderr
    assert "--porta" in done.stderr
