"""Keep below the service's request limits: one window or several, shared by threads and remembered between runs.

The service counts requests per token, not per process, so the recent request times are kept in a small file (`estado`)
under a key that is a hash; the token itself is never in it. Each window is a sliding log, not a refilling counter: a
bucket that starts full and refills while it is being emptied lets nearly twice its size through one window.
Pure but for that file: the clock and the sleep are parameters.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lastro.errors import StorageError
from lastro.files import locked

if TYPE_CHECKING:
    from lastro.settings import Window

MARGIN_SECONDS = 1.0
"""Added to every window: requests do not travel equally long, so the service sees them closer than we sent them."""
OWN_LIMITS = "limite de pedidos"
"""Why a request waits that nobody but `limites` holds back."""


def compute_wait(sent: Sequence[float], windows: Sequence[Window], at: float) -> float:
    """Compute how many seconds to wait before one more request keeps every window.

    Args:
        sent: times of the requests so far, ascending, in seconds.
        windows: the limits; none means never wait.
        at: the present, on the same scale.

    >>> from lastro.settings import Window
    >>> compute_wait([0.0, 1.0], [Window(2, 10)], 5.0)  # the request at 0.0 leaves the window (and its margin) at 11.0
    6.0
    """
    wait = 0.0
    for window in windows:
        if len(sent) >= window.requests:
            wait = max(wait, sent[-window.requests] + window.seconds + MARGIN_SECONDS - at)
    return wait


class Pacer:
    """Grant requests one by one; every thread of the process, and every process with the same `estado`, waits its turn.

    Args:
        windows: the limits; none means that nothing is waited for, and nothing is remembered.
        key: who is being counted, a hash of base address and token.
        estado: file of recent request times; None keeps them in memory.
        now: wall clock in seconds (wall, because other processes and later runs read the file).
        sleep: waits that many seconds.
    """

    def __init__(
        self,
        windows: Sequence[Window],
        key: str,
        estado: Path | None,
        *,
        now: Callable[[], float],
        sleep: Callable[[float], object],
    ) -> None:
        self._windows = tuple(windows)
        self._key = key
        self._estado = estado if self._windows else None
        self._now, self._sleep = now, sleep
        self._sent: list[float] = []
        self._blocked_until, self._blocked_by = 0.0, ""
        self._lock = threading.Lock()

    def acquire(self, on_wait: Callable[[float, str], None] = lambda _seconds, _why: None) -> None:
        """Return when one more request may be sent, and count it; `on_wait` hears of every wait beforehand, and why.

        Raises:
            StorageError: when `estado` can't be written.
        """
        while True:
            with self._lock, self._remembered():
                at = self._now()
                limits, blocked = compute_wait(self._sent, self._windows, at), self._blocked_until - at
                wait, why = max(limits, blocked), self._blocked_by if blocked > limits else OWN_LIMITS
                if wait <= 0:
                    self._sent.append(at)
                    return
            on_wait(wait, why)
            self._sleep(wait)

    def block(self, seconds: float, why: str) -> None:
        """Let nobody through for so many seconds: the service asked for it (`Retry-After`)."""
        with self._lock:
            if self._now() + seconds > self._blocked_until:
                self._blocked_until, self._blocked_by = self._now() + seconds, why

    @contextlib.contextmanager
    def _remembered(self) -> Iterator[None]:
        """Load the request times that others left, and leave ours; holds the file's lock in between."""
        longest = max((window.seconds for window in self._windows), default=0) + MARGIN_SECONDS
        if self._estado is None:
            self._prune(longest)
            yield
            return
        with contextlib.ExitStack() as stack:
            try:
                self._estado.parent.mkdir(parents=True, exist_ok=True)
                handle = stack.enter_context(locked(self._estado))
                file = stack.enter_context(open(handle, "r+", encoding="utf-8", closefd=False))
            except OSError as error:
                raise _not_kept(self._estado, error) from None
            everybody = _parse_estado(file.read())
            self._sent = sorted(everybody.get(self._key, ()))
            self._prune(longest)
            yield
            everybody[self._key] = self._sent
            try:
                file.seek(0)
                file.write(json.dumps(everybody))
                file.truncate()
                file.flush()
            except OSError as error:
                raise _not_kept(self._estado, error) from None

    def _prune(self, longest: float) -> None:
        at = self._now()
        # a time in the future comes from a clock that was set back: it must not block for ever
        self._sent = [min(sent, at) for sent in self._sent if sent > at - longest]


def _not_kept(estado: Path, error: OSError) -> StorageError:
    return StorageError(f"os horários dos pedidos não podem ser guardados em {estado.name}: {error.strerror}")


def _parse_estado(text: str) -> dict[str, list[float]]:
    """Read the file of request times; a damaged one counts as empty: the worst that follows is one 429."""
    try:
        everybody = json.loads(text) if text else {}
        return {str(key): [float(time) for time in times] for key, times in everybody.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
