"""The service that is being read, with the folder that its pages land in: what every reading is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lastro.api.client import Client
from lastro.clock import utc_now
from lastro.extract.listing import AHEAD
from lastro.extract.passes import SILENT, Progress


@dataclass(frozen=True)
class Source:
    """A company's service and the folder of one reading.

    Attributes:
        client: the company's service.
        folder: where files go.
        progress: hears of pages, rows and waits.
        clock: the clock, UTC.
        zone: zone of the service's naive `modified`.
    """

    client: Client
    folder: Path
    progress: Progress = SILENT
    clock: Callable[[], datetime] = utc_now
    zone: str = "America/Sao_Paulo"

    @contextmanager
    def reading(self) -> Iterator[ThreadPoolExecutor]:
        """Lend the threads that ask ahead, and show waits; when the reading fails, waiting threads give up at once."""
        self.client.resume()
        before, self.client.on_wait = self.client.on_wait, self.progress.wait
        pool = ThreadPoolExecutor(max_workers=AHEAD, thread_name_prefix="lastro-pages")
        try:
            yield pool
        except BaseException:
            self.client.stop()
            raise
        finally:
            self.client.on_wait = before
            pool.shutdown(wait=True, cancel_futures=True)
