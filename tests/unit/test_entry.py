"""How the program of an installation ends: at once, and with everything done that somebody may count on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARIES = """
import atexit, sys, tempfile, threading

class Heavy:
    def __del__(self):
        print("taken down")

def wait():
    try:
        yield
    finally:
        print("unwound")

heavy = Heavy()
folder = tempfile.TemporaryDirectory(dir=sys.argv.pop(1))
atexit.register(print, "registered")
threading.Thread(target=lambda: (threading.main_thread().join(), print("awaited"))).start()

def work(main):
    half = wait()
    next(half)
    main()
"""
ENTER = "from lastro.__main__ import enter\n" + LIBRARIES + "work(enter)"
BEFORE = "import logging\n" + ENTER
PYTHONS = "from lastro.cli import main\n" + LIBRARIES + "work(main)"
"""The same command line with Python's own end."""


def run(code: str, folder: Path, *words: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code, str(folder), *words]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=120)  # noqa: S603 - ours


def test_the_program_is_the_entry() -> None:
    (named,) = re.findall(r'(?m)^lastro = "([\w.:]+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert EntryPoint("lastro", named, "console_scripts").load().__module__ == "lastro.__main__"


def test_what_libraries_do_at_the_end_is_done_and_nothing_is_taken_down(tmp_path: Path) -> None:
    ended = run(ENTER, tmp_path, "--version")
    version, *rest = ended.stdout.decode().splitlines()
    assert version.startswith("lastro ")
    assert rest == ["unwound", "awaited", "registered"]
    assert (ended.returncode, ended.stderr, list(tmp_path.iterdir())) == (0, b"", [])


def test_who_has_registered_before_has_pythons_own_end(tmp_path: Path) -> None:
    ended = run(BEFORE, tmp_path, "--version")
    assert ended.stdout.decode().splitlines()[1:] == ["unwound", "awaited", "registered", "taken down"]
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("words", [("run", "--config", "nada.toml"), ("manual", "comecar")])
def test_codes_and_output_are_those_of_pythons_own_end(words: tuple[str, ...], tmp_path: Path) -> None:
    mine, pythons = (run(code, tmp_path, *words) for code in (ENTER, PYTHONS))
    assert (mine.returncode, mine.stderr) == (pythons.returncode, pythons.stderr)
    assert b"unwound\n" in mine.stdout
    # In Python's own end what an error holds in a circle comes after what it takes down.
    assert sorted([*mine.stdout.splitlines(), b"taken down"]) == sorted(pythons.stdout.splitlines())


def test_an_output_into_a_file_is_whole(tmp_path: Path) -> None:
    with (tmp_path / "saida").open("wb") as file:
        run(ENTER, tmp_path, "manual", "regras", stdout=file.fileno())
    printed = (tmp_path / "saida").read_bytes()
    assert len(printed) > 40_000  # more than a buffer holds
    assert printed.endswith(b"\nunwound\nawaited\nregistered\n")


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        ("SystemExit('text')", 1),
        ("SystemExit(7)", 7),
        ("ValueError('x')", 1),
        pytest.param("KeyboardInterrupt()", -signal.SIGINT, marks=pytest.mark.skipif(os.name == "nt", reason="POSIX")),
    ],
)
def test_an_end_that_is_none_of_a_command_is_pythons(raised: str, code: int) -> None:
    """As when Ctrl+C comes while modules are imported."""
    cli = f"import sys\nclass Cli:\n    def main():\n        raise {raised}\nsys.modules['lastro.cli'] = Cli\n"
    command = [sys.executable, "-c", f"from lastro.__main__ import enter\n{cli}enter()"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)  # noqa: S603 - ours
    assert ended.returncode == code
    assert ("Traceback" in ended.stderr) == ("SystemExit" not in raised)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk without room for a byte is Linux's")
def test_an_output_that_was_not_written_is_no_success(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        codes = [run(code, tmp_path, "--version", stdout=full.fileno()).returncode for code in (ENTER, PYTHONS)]
    assert codes == [codes[1]] * 2
    assert codes[0] != 0


@pytest.mark.skipif(os.name == "nt", reason="a pipe that nobody reads is told so on POSIX")
def test_a_pipe_that_nobody_reads_ends_as_pythons_own(tmp_path: Path) -> None:
    told = []
    for name, module in (("enter", "__main__"), ("main", "cli")):
        reader, writer = os.pipe()
        os.close(reader)
        code = f"import sys; from lastro.{module} import {name}; sys.argv.pop(1); {name}()"
        ended = run(code, tmp_path, "manual", "regras", stdout=writer)
        os.close(writer)
        told.append((ended.returncode, ended.stderr))
    assert told[0] == told[1] == (1, b"")


@pytest.mark.skipif(os.name == "nt", reason="a descriptor that is closed at the start is POSIX's")
def test_without_any_output_it_ends_with_its_code() -> None:
    command = ["/bin/sh", "-c", '"$0" -m lastro nada >&- 2>&-', sys.executable]
    assert subprocess.run(command, check=False, timeout=120).returncode == 2  # noqa: S603 - ours
