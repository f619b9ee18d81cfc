"""The secret of a company: made once, for its owner alone, and the same until somebody takes it away."""

from __future__ import annotations

from pathlib import Path

import pytest

from lastro.errors import StorageError
from lastro.secret_key import KEY_NAME, digest, names_same_key, read_key, seal


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    key = read_key(tmp_path)
    assert (len(key), (tmp_path / KEY_NAME).stat().st_mode & 0o777) == (32, 0o600)
    assert read_key(tmp_path) == key
    assert [path.name for path in tmp_path.iterdir()] == ["chave"]


def test_half_a_key_is_none(tmp_path: Path) -> None:
    (tmp_path / KEY_NAME).write_bytes(bytes(31))
    key = read_key(tmp_path)
    assert len(key) == 32
    assert key[:31] != bytes(31)
    assert read_key(tmp_path) == key


def test_a_key_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / KEY_NAME).mkdir()
    with pytest.raises(StorageError, match="chave: "):
        read_key(tmp_path)


def test_another_key_or_another_text_digests_otherwise() -> None:
    digests = {digest(bytes([one]) * 32, text) for one in (0, 1) for text in ("12/345-6", "12/345-7")}
    assert len(digests) == 4


def test_what_one_key_sealed_is_compared_and_what_another_one_did_is_not() -> None:
    one, same, other = (seal(bytes(32), text) for text in ("12/345-6", "12/345-6", "12/345-7"))
    lost = seal(bytes([1]) * 32, "12/345-6")
    assert one == same != other
    assert names_same_key(one, other)
    assert names_same_key(one, "")  # an account where there was none
    assert not names_same_key(one, lost)
