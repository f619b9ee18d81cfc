"""Companies that are made once for all tests of a day: the workers of a session share them, and so do later sessions.

They stand in pytest's cache, under a digest of all that makes them: whoever changes a source, a fixture or a library
has them made anew. Nobody changes what was made; a folder that is not as it was left is made again.
"""

from __future__ import annotations

import fcntl
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("src", "pipelines", "tests")
STATES = 4
"""How many states of the sources keep their companies."""
_BESIDE = frozenset({".db-wal", ".db-shm"})


def make_once(
    config: pytest.Config, name: str, make: Callable[[Path], object], state: Callable[[], str] | None = None
) -> Path:
    """Make a folder in one of the workers, for all of them and for later sessions: nobody changes it.

    Args:
        config: of the session.
        name: of the folder.
        make: fills it.
        state: says what it is made by; `digest_sources`.
    """
    root = find_place(config, state or digest_sources)
    done = root / f"{name}.pronta"
    with (root / f"{name}.trava").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made, *files = done.read_text().splitlines() if done.exists() else [""]
        folder = root / made
        if not made or not set(files) <= set(describe(folder)):
            folder = Path(mkdtemp(prefix=f"{name}-", dir=root))  # another one: somebody may be reading the one before
            make(folder)
            done.write_text("\n".join((folder.name, *describe(folder))))
    return folder


@cache
def find_place(config: pytest.Config, state: Callable[[], str]) -> Path:
    """Find the folder of this state of the sources, and take away what older states left."""
    kept: pytest.Cache | None = getattr(config, "cache", None)
    if kept is None:  # without pytest's cache each worker makes its own
        place = Path(mkdtemp())
        config.add_cleanup(lambda: shutil.rmtree(place, ignore_errors=True))
        return place
    states = kept.mkdir("lastro")
    place = states / state()
    with states.with_name("lastro.trava").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of the workers that begin together one tidies up after the other
        place.mkdir(exist_ok=True)
        place.touch()  # used last of all
        others = sorted((path for path in states.iterdir() if path != place), key=lambda path: path.lstat().st_mtime)
        for old in others[: 1 - STATES]:
            shutil.rmtree(old, ignore_errors=True)
    return place


def digest_sources() -> str:
    """Digest the day, what is installed, and every file that no test is: a company may hold what any of them says."""
    digest = sha256(f"{date.today()} {sys.version}".encode())  # noqa: DTZ011 - of this machine, as files have it
    for place in map(Path, sys.path):
        digest.update("\n".join(sorted(path.name for path in place.glob("*.dist-info"))).encode())
    for path in list_sources():
        digest.update(f"\0{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def list_sources() -> Iterator[Path]:
    for place in SOURCES:
        for path in sorted((ROOT / place).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("test_"):
                yield path


def describe(folder: Path) -> list[str]:
    """Say name, size and moment of every file of a folder but what SQLite writes beside one that is read."""
    found = (path for path in sorted(folder.rglob("*")) if not path.is_dir() and path.suffix not in _BESIDE)
    told = ((path.relative_to(folder), path.lstat()) for path in found)
    return [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in told]
