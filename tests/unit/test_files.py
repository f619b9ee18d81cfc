"""Files that are written whole or not at all, and held by one at a time."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from lastro.files import locked, write_whole


def test_a_file_is_replaced_with_the_mode_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    for mode in (0o600, 0o664):
        write_whole(path, b"new", mode=mode, durable=True)
        assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)
    before = os.umask(0o027)
    try:
        write_whole(path, b"newer")
    finally:
        os.umask(before)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"newer", 0o640)
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "a.csv"
    path.write_text("old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new", durable=True)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("a.csv", "old")]


def test_what_stands_at_the_name_aside_is_replaced_and_no_link_followed(tmp_path: Path) -> None:
    path, victim = tmp_path / "a.csv", tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / ".a.csv.novo").symlink_to(victim)
    write_whole(path, b"new")
    assert (path.read_text(), victim.read_text(), path.is_symlink()) == ("new", "untouched", False)


@pytest.mark.parametrize("name", ["", ".trava"], ids=["folder", "file"])
def test_one_holds_and_others_wait_as_long_as_they_say(tmp_path: Path, name: str) -> None:
    path, got = tmp_path / name, threading.Event()

    def wait() -> None:
        with locked(path):
            got.set()

    other = threading.Thread(target=wait)
    with locked(path):
        with pytest.raises(TimeoutError), locked(path, 0.15):
            pass
        other.start()
        assert not got.wait(0.1)
    other.join(10)
    assert got.is_set()
    with locked(path, 0):
        assert not name or path.stat().st_mode & 0o777 == 0o600
