"""What only looks changes nothing: `doctor`, `limpar --simular` and `estado`, whatever stands in the data folder."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.settings import Settings
from tests.marks import thinned
from tests.served import TOKEN, TOKEN_VARIABLE

LOOKS = (("doctor", "--sem-rede"), ("limpar", "--simular"), ("estado",))


def seen(folder: Path) -> dict[str, tuple[object, ...]]:
    """Read everything below a folder: mode, moment and content."""
    return {str(path.relative_to(folder)): _see(path) for path in (folder, *folder.rglob("*"))}


def _see(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    return status.st_mode, status.st_mtime_ns, path.read_bytes() if path.is_file() else b""


def look(folder: Path, *, home: Path | None = None) -> None:
    """Run what only looks."""
    for command, *options in LOOKS:
        env = {TOKEN_VARIABLE: TOKEN} | ({"DAGSTER_HOME": str(home)} if home else {})
        asked = [command, "--config", str(folder / "lastro.toml"), *options]
        result = CliRunner().invoke(main, asked, env=env)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output


def make_nothing(_home: Path) -> None:
    """A company that Dagster never ran."""


def make_empty(home: Path) -> None:
    """A home whose records are still to come."""
    home.mkdir()
    (home / "dagster.yaml").touch()


def make_broken(home: Path) -> None:
    home.mkdir()
    (home / "dagster.yaml").write_text("storage: [", encoding="utf-8")


@pytest.mark.parametrize(
    ("make", "named"),  # or somebody else's home
    thinned(
        product((make_nothing, make_empty, make_broken), (False, True)),
        default=[(make_nothing, False), (make_empty, True), (make_broken, False)],
    ),
)
def test_looking_makes_nothing(settings: Settings, tmp_path: Path, make: Callable[[Path], None], named: bool) -> None:
    home = tmp_path / "deles" if named else settings.dir / "dagster"
    if named and make is make_nothing:
        home.mkdir()
    else:
        make(home)
    before = seen(tmp_path)
    look(tmp_path, home=home if named else None)
    assert seen(tmp_path) == before


def test_a_folder_that_is_still_to_come_is_not_made(settings: Settings, tmp_path: Path) -> None:
    config = (tmp_path / "lastro.toml").read_text(encoding="utf-8")
    folder = tmp_path / "nova"
    folder.mkdir()
    (folder / "lastro.toml").write_text(config, encoding="utf-8")
    before = seen(folder)
    look(folder)
    assert seen(folder) == before
    assert settings.dir.exists()
