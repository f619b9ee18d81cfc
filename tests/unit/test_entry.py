"""How the program of an installation ends: with everything done that somebody may count on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import atexit, sys, threading, time
from lastro.cli import main

atexit.register(print, "registered")
threading.Thread(target=lambda: (time.sleep(0.3), print("awaited"))).start()
sys.argv = ["lastro", *sys.argv[1:]]
main()
"""


def run(*words: str, stdout: int | None = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CODE, *words]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603 - ours


def test_threads_are_awaited_and_what_is_registered_is_done() -> None:
    ended = run("--version")
    version, *rest = ended.stdout.splitlines()
    assert version.startswith("lastro ")
    assert rest == ["awaited", "registered"]
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_code_is_the_commands() -> None:
    ended = run("nada")
    assert ended.returncode == 2
    assert "nada" in ended.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk without room for a byte is Linux's")
def test_an_output_that_was_not_written_is_no_success() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        assert run("--version", stdout=full.fileno()).returncode not in {0, None}
