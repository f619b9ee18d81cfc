"""What is read of frames by key."""

from __future__ import annotations

import numpy as np
import pytest

from lastro.analysis.frames import ByKey


def test_a_key_is_found_among_many_and_what_has_none_is_told() -> None:
    made: list[int] = []

    def make(place: int) -> str:
        made.append(place)
        return "abc"[place]

    kept = ByKey(np.array([3, 7, 10**12]), make)
    assert (kept[7], kept.get(10**12), kept.get(4), kept.get(0), kept.get(10**13)) == ("b", "c", None, None, None)
    assert (len(kept), list(kept), 3 in kept, 8 in kept) == (3, [3, 7, 10**12], True, False)
    assert made[:2] == [1, 2]
    with pytest.raises(KeyError):
        kept[8]
    assert dict(ByKey(np.array([], dtype="int64"), make)) == {}
