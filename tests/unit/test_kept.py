"""What tests keep between sessions: made once, and anew when it is not as it was left or a source is another."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.kept import make_once


class Config:
    """As much of pytest's as there is to ask."""

    def __init__(self, folder: Path) -> None:
        self.cache, self.folder = self, folder

    def mkdir(self, name: str) -> Path:
        (self.folder / name).mkdir(exist_ok=True)
        return self.folder / name


def test_a_company_is_kept_until_it_or_a_source_changes(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "livro").write_text("um", encoding="utf-8")
        if len(made) == 3:
            raise KeyboardInterrupt

    def ask(source: str) -> Path:
        """Ask in a session of its own, which has its own `Config`."""
        return make_once(cast("pytest.Config", Config(tmp_path)), "empresa", make, lambda: source)

    first = ask("a")
    assert (ask("a"), ask("b") == first, len(made)) == (first, False, 2)
    (first / "livro").write_text("dois", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        ask("a")
    again = ask("a")  # what was interrupted is no company
    assert (again in made[:3], ask("a"), len(made)) == (False, again, 4)
    for source in "cdef":
        ask(source)
    assert {path.name for path in (tmp_path / "lastro").iterdir()} == set("cdef")
