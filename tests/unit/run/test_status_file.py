"""Small files on a disk that has no byte left; where nobody may mount one, a folder that takes no other file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lastro.run.status_file import ROOM, keep_text


def blocked(path: Path) -> None:
    """Let no file be made aside, as on a full disk: a folder has its name."""
    (path.with_name(f".{path.name}.novo") / "x").mkdir(parents=True)


def test_a_text_is_replaced_whole_and_read_as_json(tmp_path: Path) -> None:
    path = tmp_path / "avisos.json"
    for document in ({"a": "x" * 9000}, {}, {"ç": [1, 2]}):
        keep_text(path, json.dumps(document, ensure_ascii=False))
        assert json.loads(path.read_text(encoding="utf-8")) == document
        assert path.stat().st_size % ROOM == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["avisos.json"]


def test_without_room_for_another_file_it_is_written_over_in_its_own(tmp_path: Path) -> None:
    path = tmp_path / "avisos.json"
    keep_text(path, "{}")
    held, size = os.stat(path).st_ino, path.stat().st_size
    blocked(path)
    for document in ({"a": "x" * ROOM}, {"b": 1}):
        keep_text(path, json.dumps(document))
        assert json.loads(path.read_text(encoding="utf-8")) == document
        assert (path.stat().st_ino, path.stat().st_size) == (held, size)


@pytest.mark.parametrize("there", [True, False])
def test_what_has_no_room_leaves_what_is_there(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "avisos.json"
    if there:
        keep_text(path, "{}")
    blocked(path)
    keep_text(path, json.dumps({"a": "x" * 3 * ROOM}))
    assert (json.loads(path.read_text(encoding="utf-8")) if there else path.exists()) == ({} if there else False)
