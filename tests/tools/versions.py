"""What stands on Dagster, tested on other versions of it: `python -m tests.tools.versions`.

The oldest and the newest version that the bound lets in, and without the bound the newest of the
index: red there blocks nothing, and says what the next minor will ask. Each has an environment and a copy of the
repository. Takes some ten minutes a version, and an index that pip can reach.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from lastro.extras import VERSIONS, write_bound

ROOT = Path(__file__).parents[2]
BOUND = write_bound()
OLDEST, NEWEST, NEXT = f"=={'.'.join(map(str, VERSIONS[0]))}", BOUND, ""
"""What is asked of pip. The oldest is the first that the bound lets in: a team that pins one has just that."""
TESTS = ("test_dagster", "test_dagster_jobs", "test_shared_dagster", "test_dev", "test_web", "test_group")
_ASIDE = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__", "dados*", "dist", "build")


def make_copy(folder: Path, *, bounded: bool) -> Path:
    """Copy the repository, so that nothing of it is written; without its bound, where the next minor is tried."""
    copy = folder / "lastro"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=_ASIDE)
    if not bounded:
        for path, old, new in (
            ("pyproject.toml", BOUND, f">={VERSIONS[0][0]}"),
            ("src/lastro/extras.py", f"({VERSIONS[0]}, {VERSIONS[1]})", f"({VERSIONS[0]}, (99, 0))"),
        ):
            text = (copy / path).read_text(encoding="utf-8")
            if old not in text:
                raise SystemExit(f"{path}: {old} is not there; mend tests/tools/versions.py")
            (copy / path).write_text(text.replace(old, new), encoding="utf-8")
    return copy


def install(folder: Path, copy: Path, wanted: str) -> tuple[Path, str]:
    """Make an environment with that version; return its Python and the version that came."""
    python = folder / "venv" / "bin" / "python"
    run = [sys.executable, "-m", "venv", str(folder / "venv")]
    subprocess.run(run, check=True)  # noqa: S603 - our own interpreter
    held = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    constraints = folder / "constraints.txt"
    # All but Dagster and what it asks for by exact versions.
    constraints.write_text(re.sub(r"(?m)^dagster.*\n", "", held), encoding="utf-8")
    packages = [f"dagster{wanted}", f"dagster-webserver{wanted}", "-e", f"{copy}[test]"]
    pip = [str(python), "-m", "pip", "install", "--quiet", "-c", str(constraints), *packages]
    subprocess.run(pip, check=True)  # noqa: S603 - our own interpreter
    ask = [str(python), "-c", "from importlib.metadata import version; print(version('dagster'))"]
    told = subprocess.run(ask, check=True, capture_output=True, text=True)  # noqa: S603 - our own interpreter
    return python, told.stdout.strip()


def try_version(wanted: str, tests: list[str], workers: int) -> bool:
    """Run the tests against one version, say how they ended, and tell whether they are green."""
    with tempfile.TemporaryDirectory(prefix="lastro-versions-") as name:
        folder = Path(name)
        copy = make_copy(folder, bounded=wanted != NEXT)
        python, found = install(folder, copy, wanted)
        if wanted == NEXT and tuple(map(int, found.split(".")[:2])) < VERSIONS[1]:
            click.echo(f"dagster {found}: the newest of the index, and within the bound")
            return True
        files = [f"tests/integration/{test}.py" for test in tests]
        command = [str(python), "-m", "pytest", "-q", "-n", str(workers), *files]
        done = subprocess.run(command, cwd=copy, check=False, capture_output=True, text=True)  # noqa: S603
        told = done.stdout.rstrip().splitlines()
        green = done.returncode == 0
        if not green:
            click.echo("\n".join(told[-60:]))
        click.echo(f"dagster {found}: {'green' if green else 'RED'}: {told[-1] if told else done.stderr[-300:]}")
        return green


def main() -> int:
    """Try the versions asked for; 1 when one within the bound is red."""
    known = {"oldest": OLDEST, "newest": NEWEST, "next": NEXT}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", nargs="*", default=list(known), help="oldest, newest, next; default: all three")
    parser.add_argument("--tests", nargs="+", default=list(TESTS), help="modules of tests/integration")
    parser.add_argument("-n", type=int, default=2, dest="workers", help="processes of pytest")
    asked = parser.parse_args()
    if unknown := set(asked.which) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    green = {which: try_version(known[which], asked.tests, asked.workers) for which in asked.which}
    return 0 if all(green[which] for which in green if which != "next") else 1


if __name__ == "__main__":
    sys.exit(main())
