"""When a client stops asking: the service refuses, fails on and on, or the run has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable

from lastro.api.retry import RETRIED_STATUS
from lastro.errors import ApiRejected, ApiUnavailable

POLITE = 3
"""Answers in a row that only ask to wait, and are not counted as failures."""


class TokenRefused(ApiRejected):
    """The service does not take the access token (401, 403)."""


class Breaker:
    """Whether requests still go out: shared by all threads of a client, and told by all of them.

    Args:
        most: failures in a row, over all threads and answers, that end the run.
        silence: seconds without a readable answer that end it.
        monotonic: a steady clock in seconds.
    """

    def __init__(self, most: int, silence: float, monotonic: Callable[[], float]) -> None:
        self._most, self._silence, self._monotonic = most, silence, monotonic
        self._lock = threading.Lock()
        self._end: ApiRejected | ApiUnavailable | None = None
        self._failures_in_row = 0
        self._put_off = 0
        self._failing_since = 0.0
        self.stopped = threading.Event()
        self.answered = False
        self.requests = 0
        self._own = threading.local()

    def check(self) -> None:
        """Raise what ended the run, if anything did."""
        end = self._end
        if end is not None:
            raise type(end)(str(end)) from None

    def count_request(self) -> None:
        """Count a request that is about to be sent."""
        with self._lock:
            self.requests += 1
        self._own.requests = self.requests_here + 1

    @property
    def requests_here(self) -> int:
        """How many of the requests this thread sent."""
        sent: int = getattr(self._own, "requests", 0)
        return sent

    def note_contact(self) -> None:
        """Remember that the service does answer."""
        with self._lock:
            self._failures_in_row = self._put_off = 0
            self.answered = True

    def note_failure(self, what: str, status: int | None, path: str) -> None:
        """Count failures in a row over all threads; too many, or too long without an answer, end the run.

        An answer that only asks to wait is no failure, unless nothing else comes.
        """
        with self._lock:
            if self._failures_in_row == self._put_off == 0:
                self._failing_since = self._monotonic()
            if status in RETRIED_STATUS and self._put_off < POLITE:
                self._put_off += 1
            else:
                self._failures_in_row += 1
            seconds = self._monotonic() - self._failing_since
            over = self._failures_in_row >= self._most or seconds > self._silence
            if not over or self._end is not None:
                return
            self._end = ApiUnavailable(
                f"o serviço não deu resposta legível {self._failures_in_row + self._put_off} vezes seguidas "
                f"em {seconds:.0f} s; a última: {what} em {path}. Tente mais tarde"
            )
        self.stopped.set()

    def reject(self, error: ApiRejected) -> ApiRejected:
        """End the run with an error: every other thread stops before its next request, and raises one like it."""
        with self._lock:
            self._end = type(error)(str(error))  # a copy: the raised one holds the frames that it came through
        self.stopped.set()
        return error

    def stop(self) -> None:
        """Make every thread that is waiting or about to ask give up."""
        with self._lock:
            self._end = self._end or ApiUnavailable("a execução terminou")
        self.stopped.set()

    def resume(self) -> None:
        """Let requests through again, unless the service refused them."""
        with self._lock:
            if isinstance(self._end, ApiRejected):
                return
            self._end = None
            self._failures_in_row = self._put_off = 0
        self.stopped.clear()
