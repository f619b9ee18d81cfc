"""A read-only mapping over sorted ids that makes its values on demand: a dict of tuples takes ten times the memory.

Belongs here: looking up a key. Does not belong here: what stands there (`lastro.desk.queue`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

T = TypeVar("T")


class ByKey(Mapping[int, T], Generic[T]):
    """A value for each key, made when it is asked for."""

    def __init__(self, keys: np.ndarray[Any, Any], make: Callable[[int], T]) -> None:
        """Keep keys.

        Args:
            keys: ascending, each once.
            make: makes the value of the key at a place.
        """
        self._keys = keys
        self._make = make

    def __getitem__(self, key: int) -> T:
        """Make the value of a key.

        Raises:
            KeyError: nothing stands against it.
        """
        place = int(self._keys.searchsorted(key))
        if place == len(self._keys) or self._keys[place] != key:
            raise KeyError(key)
        return self._make(place)

    def __iter__(self) -> Iterator[int]:
        """Yield every key, ascending."""
        return iter(self._keys.tolist())

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._keys)
