"""Code servers, daemons and other processes of a test, killed at its end; the scripts of `deploy`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_SECONDS = 240
DEPLOY = Path(__file__).parents[1] / "pipelines/lastro_pipelines/deploy"


def sh(script: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run a script that servers are set up with."""
    return subprocess.run(  # noqa: S603 - our own script
        ["/bin/sh", str(DEPLOY / script), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )


@contextmanager
def started(*command: str, env: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (
        log.open("wb") as out,
        subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
            [sys.executable, *command],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def code_server(port: int, location: str) -> list[str]:
    """Return the arguments of Dagster's own code server for our location; LASTRO_CONFIG names the settings."""
    place = ["-h", "127.0.0.1", "-p", str(port), "--location-name", location]
    return ["-m", "dagster", "code-server", "start", "-m", "lastro_pipelines.definitions", *place]


def wait_for_servers(ports: dict[str, int], logs: Path) -> None:
    from dagster._grpc.client import DagsterGrpcClient

    for name, port in ports.items():
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                DagsterGrpcClient(port=port, host="127.0.0.1").ping("")
                break
            except Exception:  # noqa: BLE001 - whatever a server that is starting raises
                if time.monotonic() > until:
                    raise AssertionError((logs / f"{name}.log").read_text(errors="replace")[-3_000:]) from None
                time.sleep(0.5)
