"""A run under way: the company's lock, private file, client, clock and number; open, close, fail.

What happens when a process dies at any moment: the lock goes with it; the next session marks the dead run as failed.
Does not belong here: what the stages do, and any result of theirs. Those are in the files.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from lastro.api.client import Client
from lastro.api.retry import RetryPolicy
from lastro.bank.statements import BankKnown
from lastro.calendar import BusinessCalendar, local_time
from lastro.errors import (
    ChangesHeld,
    ConfigError,
    DeletionsHeld,
    IncompletePass,
    LastroError,
    OriginHeld,
    RunHeld,
    StorageError,
)
from lastro.extract.passes import SILENT, Progress
from lastro.extract.source import Source
from lastro.grid.words import format_date
from lastro.run import happened
from lastro.run.computed import Computed
from lastro.run.ending import Stopped, find_ending, is_never_stopped
from lastro.run.names import PAGES_FOLDER, STAGING_FOLDER
from lastro.run.order import RunOrder
from lastro.run.recovery import open_warehouse, rebuild, settle
from lastro.schema.run_kinds import Modo, Situacao
from lastro.settings import Empresa, Settings
from lastro.settings.files import name_holder
from lastro.warehouse.file.faults import DamagedWarehouse
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.file.store import PRIVATE_FOLDER, Warehouse
from lastro.warehouse.loading import holds, runs
from lastro.warehouse.loading.runs import Run

_REASONS = {
    DeletionsHeld: holds.EXCLUSOES,
    ChangesHeld: holds.ALTERACOES,
    OriginHeld: holds.ORIGEM,
}


class EarlierClock(ConfigError):
    """The clock stands before the last complete reading: a report of now would be the newest, and of the past.

    Attributes:
        fact: what does not fit, a sentence.
        cure: the two ways out: one for each clock that may be the wrong one.
    """

    def __init__(self, empresa_id: str, now: str, today: date, execucao_id: int, read: str) -> None:
        """Say which reading lies ahead of the clock.

        Args:
            now: what the clock says, as it is compared: a day or a moment.
            today: its day, in the zone of the settings.
            execucao_id: number of the last complete run.
            read: when that one read the service, written as `now`.
        """
        self.fact = f"o relógio diz {now}, mas a execução {execucao_id} leu o serviço em {read}."
        self.cure = (
            "se o relógio desta máquina está errado agora, acerte-o; se está certo, o daquela execução é que estava "
            f"adiantado: lastro run --empresa {empresa_id} --publicar-passado --data-base {today} --data-extracao "
            f"{today} publica hoje ({format_date(today)}) e as próximas voltam a rodar sozinhas"
        )
        super().__init__(f"{self.fact} {self.cure[:1].upper()}{self.cure[1:]}.")


class RunSession:
    """One run of one company; a context manager that holds the company's lock and private file.

    Args:
        token: gives its access token when the service is first asked; only the client keeps it.
        clock: the clock, UTC.
        dagster_run_id: id of the Dagster run that it is; None without Dagster.
        transport: what sends the requests; tests pass their own.
        policy: how patient the client is.
        stopped: whether somebody stops it: then what it raises is the interruption (`find_ending`).
        begun: hears of each verb that begins, before it does anything.

    Raises:
        WarehouseBusy: on entering, when another run holds the company.
        StorageError: when its folder cannot be written.
    """

    def __init__(  # noqa: PLR0913 - whatever a test replaces is a parameter
        self,
        settings: Settings,
        empresa: Empresa,
        token: Callable[[], str],
        order: RunOrder | None = None,
        *,
        clock: Callable[[], datetime],
        dagster_run_id: str | None = None,
        progress: Progress = SILENT,
        transport: httpx.BaseTransport | None = None,
        policy: RetryPolicy | None = None,
        stopped: Stopped = is_never_stopped,
        begun: Callable[[Run], None] = lambda _: None,
    ) -> None:
        self.settings, self.empresa = settings, empresa
        self.order = order or RunOrder()
        self.pasta = settings.pasta(empresa)
        self.clock, self.progress, self.stopped, self._begun = clock, progress, stopped, begun
        self.dagster_run_id = dagster_run_id
        self._token, self._transport, self._policy = token, transport, policy
        self._lock = CompanyLock(self.pasta)
        self._client: Client | None = None
        self._warehouse: Warehouse | None = None
        self._run: Run | None = None
        self._damaged = False
        self.bank: BankKnown | None = None
        """What the bank's files say, once they are read."""
        self._computed: Computed | None = None

    def __enter__(self) -> Self:
        """Open the session."""
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Record what ended the run, if anything did, close the session, and raise the ending if it is another."""
        with contextlib.closing(self):
            ending = None if error is None else find_ending(error, self.stopped)
            if ending is not None:
                self.record_failure(ending)
        if ending is not None and ending is not error:
            raise ending from None

    def open(self) -> None:
        """Take the company: lock, private file, traces of a run that died; harmless when it is taken already.

        Raises:
            WarehouseBusy: when another run holds the company.
            StorageError: when its folder cannot be written, or the volume that holds it is not mounted.
        """
        if self._warehouse is not None:
            return
        _demand_volume(self.settings)
        self._since = f"pid {os.getpid()}, desde {local_time(self.clock(), self.settings.fuso):%d/%m/%Y %H:%M:%S}"
        self._lock.acquire(self._since)
        try:
            self._warehouse, what = open_warehouse(self.pasta)
            happened.note_history(self.pasta, what, self.clock(), self.progress.tell)
            runs.interrupt_runs(self.warehouse, self.now())
            settle(self.warehouse, self.now())
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def close(self) -> None:
        """Give everything back: connections, private file, lock, what was computed."""
        self._computed = self.bank = None  # Dagster keeps a reference to the session until the process ends
        self.close_client()
        if self._warehouse is not None:
            self._warehouse.close()
            self._warehouse = None
            if self._damaged:  # a block that cannot be read would stop every further run at the same place
                self._damaged = False
                with contextlib.suppress(StorageError):
                    happened.note_history(self.pasta, rebuild(self.pasta), self.clock(), self.progress.tell)
        self._lock.release()

    def close_client(self) -> None:
        """Forget the connection to the service, and note how much was asked of it."""
        if self._client is None:
            return
        self._client.close()
        client, self._client = self._client, None
        if self._run is not None and self._warehouse is not None:
            with contextlib.suppress(StorageError):
                runs.add_requests(self.warehouse, self.execucao_id, client.requests)
                if client.clock_offset is not None:
                    runs.note_clock(self.warehouse, self.execucao_id, round(client.clock_offset.total_seconds()))

    def confirm_lock(self) -> None:
        """Demand that this session still holds the company.

        Raises:
            WarehouseBusy: when it does not.
        """
        self._lock.confirm()

    def record_failure(self, error: BaseException) -> None:
        """Write into `ops` why the run under way did not complete, and what it was held for; nothing published changes.

        A private file that turned out damaged gives way to a copy of the published one when the session is closed.
        """
        self._damaged = self._damaged or isinstance(error, DamagedWarehouse)
        self.close_client()
        if self._run is None or self._warehouse is None:
            if isinstance(error, StorageError | EarlierClock):  # what was asked wrongly is told to who asked it
                happened.fail(self.pasta, None, self.order.tipo, error, self.clock())
            return
        situation = Situacao.PARCIAL if isinstance(error, IncompletePass) else Situacao.FALHOU
        # The disk may be what failed; the first error is the one to tell, and the next run finds the traces.
        with contextlib.suppress(StorageError):
            if isinstance(error, RunHeld):
                holds.write_held(self.warehouse, self.execucao_id, _REASONS[type(error)], error.held)
            runs.fail_run(self.warehouse, self.execucao_id, situation, _explain(error), self.now())
        if isinstance(error, LastroError):
            with contextlib.suppress(StorageError):
                error.requisicoes = runs.count_requests(self.warehouse, self.execucao_id)
        happened.fail(self.pasta, self.execucao_id, self.run.tipo, error, self.clock())

    def now(self) -> datetime:
        """Return the clock as naive UTC, as the warehouse stores instants."""
        return self.clock().astimezone(UTC).replace(tzinfo=None)

    @property
    def warehouse(self) -> Warehouse:
        """The private file of the company."""
        if self._warehouse is None:
            raise RuntimeError("open the RunSession first")
        return self._warehouse

    @property
    def calendario(self) -> BusinessCalendar:
        """Which days banks settle for this company."""
        parametros = self.empresa.parametros
        return BusinessCalendar(frozenset(parametros.feriados_extras))

    @property
    def has_run(self) -> bool:
        """Whether a run is under way."""
        return self._run is not None

    @property
    def run(self) -> Run:
        """The run under way."""
        if self._run is None:
            raise RuntimeError("nothing was begun: `identity.begin_reading`, `identity.begin_report`")
        return self._run

    @property
    def execucao_id(self) -> int:
        """Its number."""
        return self.run.execucao_id

    @property
    def reading(self) -> Run:
        """The run whose reading the figures show: the run itself, or the one of which it is a further report."""
        if self.run.leitura_id == self.run.execucao_id:
            return self.run
        run = runs.read_run(self.warehouse, self.run.leitura_id)
        if run is None:
            raise StorageError(
                f"{self.pasta}: a execução {self.run.leitura_id} não está no arquivo. Rode o job inteiro."
            )
        return run

    @property
    def is_recalculation(self) -> bool:
        """Whether the run computes a published reading again."""
        return self.run.tipo == Modo.RECALCULO

    @property
    def is_complete(self) -> bool:
        """Whether it reports a complete reading anew: only such a run writes history and infers deletions (S13)."""
        return self.run.tipo == Modo.COMPLETA

    @property
    def is_current(self) -> bool:
        """Whether D is the day of the reading."""
        return self.run.data_base == self.run.data_extracao

    def folder(self, name: str) -> Path:
        """Return a folder or file below the private one."""
        return self.pasta / PRIVATE_FOLDER / name

    def pages_of(self, execucao_id: int) -> Path:
        """Return the folder of the pages that a run landed."""
        return self.folder(PAGES_FOLDER) / f"{execucao_id:06d}"

    @property
    def pages(self) -> Path:
        """Folder of the reading's landed pages."""
        return self.pages_of(self.run.leitura_id)

    @property
    def source(self) -> Source:
        """The company's service, and the folder of this reading's pages; nothing is sent before the first question."""
        if self._client is None:
            self._client = Client(
                self.empresa.base_url,
                self._token(),
                holder=name_holder(self.empresa.token_env, self.empresa.token_file),
                limites=self.empresa.limites,
                estado=self.folder("ritmo.json"),
                transport=self._transport,
                certificados=self.empresa.certificados,
                policy=self._policy,
                on_wait=self.progress.wait,
            )
        return Source(self._client, self.pages, self.progress, self.clock, self.settings.fuso)

    @property
    def staging(self) -> Path:
        """Folder of what the run wrote aside and has not published."""
        return self.folder(STAGING_FOLDER) / f"{self.execucao_id:06d}"

    def keep_computed(self, compute: Callable[[], Computed]) -> Computed:
        """Compute what a run comes to once per session: what it says follows from the file alone."""
        self._computed = self._computed or compute()
        return self._computed

    def forget_computed(self) -> None:
        """Let it be computed again: the file says more than it did."""
        self._computed = None

    def enter(self, execucao_id: int) -> None:
        """Go on as a run: what follows is its own, and the lock names it."""
        self._run = runs.read_run(self.warehouse, execucao_id)
        self._lock.sign(f"{self._since}, execução {execucao_id}")
        happened.begin(self.pasta, execucao_id, self.run.tipo, self.clock())
        self._begun(self.run)


def _explain(error: BaseException) -> str:
    """Say in `ops.execucoes` what ended a run."""
    if isinstance(error, LastroError):
        return f"{error.documented_name}: {error}"
    return type(error).__name__ if isinstance(error, Exception) else runs.INTERROMPIDA


def _demand_volume(settings: Settings) -> None:
    """Refuse a data folder that is only the place of a volume: what was written there would be lost with the pod.

    Raises:
        StorageError: when the setting `volume` names a file that is not there.
    """
    if settings.volume and not (settings.dir / settings.volume).exists():
        raise StorageError(
            f"{settings.dir}: {settings.volume} não está lá: o volume não está montado, e o que se lesse "
            "se perderia. Monte-o; num volume novo, crie esse arquivo uma vez. Depois rode de novo."
        )
