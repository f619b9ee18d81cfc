"""One run of one company, stage by stage: read, load, report, write, publish. Dagster (or a test) only says when.

A run works on the company's private file and folder; nothing that anybody else opens changes before `publish`. Every
stage is whole or leaves no trace: pages are landed before they are parsed, tables are replaced in one transaction, the
workbook is written aside and moved, the published link is flipped last.

What happens when a process dies at any moment: the lock goes with it; the next run marks the dead one as failed, reads
everything again and converges to the same content.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zoneinfo import ZoneInfo

import httpx
import pandas as pd

from lastro.api.client import Client
from lastro.calendar import BusinessCalendar, build_calendar
from lastro.catalogue import Catalogue, RunFacts, build_catalogue, narrow_facts
from lastro.errors import ApiUnavailable, ConfigError, IncompletePass, LastroError, StorageError
from lastro.export.xlsx import render_workbook, workbook_name
from lastro.extract import read as extraction
from lastro.extract.passes import NoProgress, Passada, Progress
from lastro.extract.plan import choose_composites
from lastro.extract.rounds import UnprovedPass
from lastro.quality.checks import CheckInputs
from lastro.quality.model import Verification
from lastro.reports.model import Stamp, Value, Workbook
from lastro.reports.r13 import Forecast, plan_forecasts
from lastro.settings import Empresa, Settings, name_slug
from lastro.transform.composite_details import compare_composites
from lastro.transform.core import Conformed, CoreBuild, build_core
from lastro.transform.deletions import (
    ConfirmationPlan,
    check_limit,
    classify_absences,
    find_removed,
    plan_confirmations,
)
from lastro.transform.position import Core, Position, build_position
from lastro.transform.scope import count_split_charges, describe_scope, narrow_position
from lastro.warehouse.attachments import read_known_attachments, record_attachments
from lastro.warehouse.conform import conform_overdue, conform_run
from lastro.warehouse.control import read_control_totals
from lastro.warehouse.due_dates import read_due_dates
from lastro.warehouse.history import (
    create_history_macros,
    find_run_of_day,
    read_complete_runs,
    read_core_at,
    read_first_paid,
    read_forecast_core,
    read_known_records,
    read_pending_absences,
    record_absences,
    record_history,
)
from lastro.warehouse.publish import LINK_NAME, PUBLISHED_FOLDER, publish, restore_private
from lastro.warehouse.store import PRIVATE_FOLDER, CompanyLock, DamagedWarehouse, Warehouse, storage_error

ABSENCE_REQUESTS = 40
"""Most direct questions a run asks about entries that vanished from the listings (S13)."""
ATTACHMENT_REQUESTS = 50
"""Most attachments a run asks for; the rest wait for the next one."""
HOT_ENTRY_DAYS, HOT_CHARGE_DAYS = (35, 45), (60, 45)
"""Days before and after today that a hot run reads: caixa dates of entries, due dates of charges."""
PAGES_FOLDER = "paginas"
ATTACHMENTS_FOLDER = "anexos"
REPORTS_FOLDER = "relatorios"
STAGING_FOLDER = "preparo"
GERENCIAL = "gerencial"
"""Kind of the workbook that management opens (section 3)."""
EM_ANDAMENTO, COMPLETA, PARCIAL, FALHOU = "em andamento", "completa", "parcial", "falhou"
REFERENCIAS = ("categorias", "clientes", "fornecedores", "classificacoes")
"""Reference lists read whole, inactive records included (S11)."""


@dataclass(frozen=True)
class RunOrder:
    """What is asked of a run.

    Attributes:
        data_base: D; None takes the date of the extraction.
        data_extracao: the date of the extraction; None takes the clock's in the settings' zone. For rehearsals against
            a service whose own clock was set.
        aceitar_exclusoes: go on although the run removes more than `limite_exclusoes` (S13).
        quente: refresh only what management looks at, between complete runs: entries with a caixa date around today,
            overdue ones, recent charges. Such a run infers no deletion and never feeds R13 or R14.
        orcamento_anexos: most requests it spends on attachments, where they are asked for at all.
    """

    data_base: date | None = None
    data_extracao: date | None = None
    aceitar_exclusoes: bool = False
    quente: bool = False
    orcamento_anexos: int = ATTACHMENT_REQUESTS


@dataclass(frozen=True)
class StageResult:
    """What a stage did, for whoever watches.

    Attributes:
        rows: rows read or written.
        totals: control totals and facts by name.
    """

    rows: int
    totals: dict[str, int | str | Decimal] = field(default_factory=dict)


@dataclass(frozen=True)
class RunResult:
    """What a finished run leaves.

    Attributes:
        execucao_id: its number.
        data_base: D.
        warehouse: the published link.
        workbooks: the files written.
        verifications: V01 to V21.
        catalogue: reports and KPIs.
    """

    execucao_id: int
    data_base: date
    warehouse: Path
    workbooks: tuple[Path, ...]
    verifications: tuple[Verification, ...]
    catalogue: Catalogue

    @property
    def failed(self) -> tuple[Verification, ...]:
        """Failed checks of severity erro (S15)."""
        return self.catalogue.errors


_HALF_WRITTEN = (
    (PUBLISHED_FOLDER, ".lastro-*.novo*"),
    (f"{PRIVATE_FOLDER}/{PAGES_FOLDER}", "*/.*.tmp"),
    (PRIVATE_FOLDER, "*.copia"),
    (REPORTS_FOLDER, ".*.novo"),
    (ATTACHMENTS_FOLDER, "*/.*.tmp"),
)
"""Folder and pattern of the files that only a run that died leaves behind; who holds the lock may remove them."""
SKIPPED = StageResult(0, {"lido": "não: execução quente"})


class CompanyRun:
    """One run of one company; a context manager that holds the company's lock and private file.

    Call the stages in order: `read_contas`, `read_cobrancas`, `read_lancamentos`, `read_anexos` (optional),
    `read_referencia` for each of `REFERENCIAS`, `load_core`, `build_mart`, `write_workbook`, `publish`. `run_all` does.

    Args:
        settings: all settings.
        empresa: the company.
        token: its access token; held only by the client.
        order: what is asked.
        agora: the clock, UTC.
        progress: who watches the reading.
        transport: what sends the requests; tests pass their own.

    Raises:
        WarehouseBusy: on entering, when another run holds the company.
        StorageError: when its folder cannot be written.
    """

    def __init__(
        self,
        settings: Settings,
        empresa: Empresa,
        token: str,
        order: RunOrder | None = None,
        *,
        agora: Callable[[], datetime],
        progress: Progress | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.settings = settings
        self.empresa = empresa
        self.order = order or RunOrder()
        self.pasta = settings.pasta(empresa)
        self._token = token
        self._agora = agora
        self._progress = progress or NoProgress()
        self._transport = transport
        self._lock = CompanyLock(self.pasta)
        self._client: Client | None = None
        self._requests = 0
        self._warehouse: Warehouse | None = None
        self._execucao_id: int | None = None
        self._fresh = False
        self._damaged = False
        self._anexos: frozenset[int] = frozenset()
        self._seen: dict[int, str] = {}
        self._answers: Mapping[int, str] = {}
        self._found_accounts: dict[int, str] = {}
        self._loaded: CheckInputs | None = None
        self._catalogue: Catalogue | None = None
        self._staged: list[Path] = []

    def __enter__(self) -> Self:
        """Open the run."""
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Record a failure, if there was one, and close the run."""
        try:
            if error is not None:
                self.record_failure(error)
        finally:
            self.close()

    def open(self) -> None:
        """Take the company: lock, private file, traces of a run that died; harmless when it is taken already.

        Raises:
            WarehouseBusy: when another run holds the company.
            StorageError: when its folder cannot be written.
        """
        if self._warehouse is not None:
            return
        self._lock.acquire(f"pid {os.getpid()}, since {self._agora():%Y-%m-%d %H:%M:%S} UTC")
        try:
            self._warehouse = self._open_warehouse()
            self._clean_up()
        except BaseException as error:
            self._damaged = isinstance(error, DamagedWarehouse)
            self.close()
            raise

    def close(self) -> None:
        """Give everything back: connections, private file, lock."""
        self.close_client()
        if self._warehouse is not None:
            self._warehouse.close()
            self._warehouse = None
            shutil.rmtree(self._folder(STAGING_FOLDER), ignore_errors=True)
            if self._damaged:
                # A block that cannot be read would stop every further run at the same place.
                self._damaged = False
                with contextlib.suppress(StorageError):
                    restore_private(self.pasta)
        self._lock.release()

    def close_client(self) -> None:
        """Forget the connection to the service; the next reading opens a new one."""
        if self._client is not None:
            self._requests += self._client.requests
            self._client.close()
            self._client = None

    @property
    def requests(self) -> int:
        """Requests sent to the service so far."""
        return self._requests + (self._client.requests if self._client else 0)

    def _open_warehouse(self) -> Warehouse:
        if not (self.pasta / PRIVATE_FOLDER / LINK_NAME).exists():
            # New, or lost: to begin anew beside a published copy would publish a warehouse without history.
            restore_private(self.pasta)
        try:
            return Warehouse(self.pasta)
        except DamagedWarehouse:
            # Rebuilt from the published copy and the service; the damaged file stays beside it.
            restore_private(self.pasta)
            return Warehouse(self.pasta)

    def _clean_up(self) -> None:
        with self.warehouse.transaction() as con:
            con.execute(
                "UPDATE ops.execucoes SET situacao = ?, erro = 'interrompida', terminada_em = ? WHERE situacao = ?",
                [FALHOU, self._now(), EM_ANDAMENTO],
            )
        shutil.rmtree(self._folder(STAGING_FOLDER), ignore_errors=True)
        for folder, pattern in _HALF_WRITTEN:
            for leftover in (self.pasta / folder).glob(pattern):
                with contextlib.suppress(OSError):
                    leftover.unlink()

    def _folder(self, name: str) -> Path:
        return self.pasta / PRIVATE_FOLDER / name

    def _now(self) -> datetime:
        """Return the clock as naive UTC, as the warehouse stores instants."""
        return self._agora().astimezone(UTC).replace(tzinfo=None)

    @property
    def warehouse(self) -> Warehouse:
        """The private file of the company."""
        if self._warehouse is None:
            raise RuntimeError("open the CompanyRun first")
        return self._warehouse

    @property
    def client(self) -> Client:
        """The company's service; nothing is sent before the first reading."""
        if self._client is None:
            self._client = Client(
                self.empresa.base_url,
                self._token,
                limites=self.empresa.limites,
                estado=self._folder("ritmo.json"),
                transport=self._transport,
            )
        return self._client

    @property
    def calendario(self) -> BusinessCalendar:
        """Which days banks settle for this company."""
        parametros = self.empresa.parametros
        return build_calendar(parametros.feriados_extras, last_weekday_of_year_open=parametros.ultimo_dia_util_ano)

    @property
    def execucao_id(self) -> int:
        """Number of the run under way, else of the last complete one (a stage repeated by hand).

        Raises:
            ConfigError: when nothing was ever read.
        """
        if self._execucao_id is None:
            rows = self.warehouse.query("SELECT max(execucao_id) FROM ops.parametros")
            if rows[0][0] is None:
                raise ConfigError(f"{self.pasta}: nothing has been read yet. Run the whole job diario first.")
            self._execucao_id = int(rows[0][0])
        return self._execucao_id

    @property
    def pages(self) -> Path:
        """Folder of the run's landed pages."""
        return self._folder(PAGES_FOLDER) / f"{self.execucao_id:06d}"

    def begin(self) -> int:
        """Open a new run: number, dates, a row in `ops.execucoes`; later calls return the same number."""
        if self._fresh:
            return self.execucao_id
        local = self._agora().astimezone(ZoneInfo(self.settings.fuso)).date()
        extraction_day = self.order.data_extracao or local
        day = self.order.data_base or extraction_day
        for name, value in (("data_base", day), ("data_extracao", extraction_day)):
            if not 1900 <= value.year <= 2199:
                raise ConfigError(f"{name} {value}: choose a day between 1900 and 2199.")
        if day > extraction_day:
            raise ConfigError(
                f"data_base {day} lies after the extraction ({extraction_day}). Choose that day or an earlier one."
            )
        if self.order.quente and day != extraction_day:
            raise ConfigError("a hot run refreshes today: leave data_base out, or run the whole job for a past day.")
        if self.order.quente and self._find_base() is None:
            raise ConfigError(f"{self.pasta}: a hot run refreshes a complete one. Run the whole job once first.")
        with self.warehouse.transaction() as con:
            number = int(con.execute("SELECT coalesce(max(execucao_id), 0) + 1 FROM ops.execucoes").fetchall()[0][0])
            self.warehouse.insert(
                "ops.execucoes",
                [
                    {
                        "execucao_id": number,
                        "tipo_execucao": "quente" if self.order.quente else COMPLETA,
                        "situacao": EM_ANDAMENTO,
                        "data_extracao": extraction_day,
                        "data_base": day,
                        "reconstituida": day < extraction_day and find_run_of_day(self.warehouse, day) is None,
                        "iniciada_em": self._now(),
                        "versao": version("lastro"),
                    }
                ],
            )
        self._execucao_id, self._fresh = number, True
        try:
            shutil.rmtree(self.pages, ignore_errors=True)
            self.pages.mkdir(parents=True)
        except OSError as error:
            raise storage_error(self.pages, error) from None
        return number

    def _store_passes(self, passadas: Iterable[Passada]) -> None:
        rows = []
        for passada in passadas:
            row: dict[str, Any] = asdict(passada) | {"execucao_id": self.execucao_id}
            for name in ("iniciada_em", "terminada_em"):
                row[name] = row[name].astimezone(UTC).replace(tzinfo=None)
            rows.append(row)
        with self.warehouse.transaction():
            self.warehouse.insert("ops.passadas", rows)

    def _proved(self, read: Callable[[], Any]) -> Any:
        """Read, and keep the certificate of a reading that could not be proved too (S13)."""
        try:
            return read()
        except UnprovedPass as unproved:
            self._store_passes(unproved.passadas)
            raise

    def read_contas(self) -> StageResult:
        """Probe the account list and the other lists that the document does not show (observed behaviour 8 and 9)."""
        self.begin()
        if self.order.quente:
            return SKIPPED
        if not self.empresa.parametros.listas_observadas:
            return StageResult(0, {"listas_observadas": "não"})
        contas = extraction.probe_contas(self.client, self.pages, agora=self._agora)
        probes = [contas, *extraction.probe_listas(self.client, self.pages, agora=self._agora).values()]
        self._store_passes(probe.passada for probe in probes if probe.passada is not None)
        self._seen |= dict.fromkeys(contas.ids, "lista de contas do serviço")
        return StageResult(len(contas.ids), {probe.nome: "sim" if probe.existe else "não" for probe in probes})

    def read_cobrancas(self) -> StageResult:
        """Read all charges, proved, and the service's count per status."""
        self.begin()
        charges = self._proved(
            lambda: extraction.read_cobrancas(
                self.client,
                self.pages,
                janela=self._window(HOT_CHARGE_DAYS),
                progress=self._progress,
                agora=self._agora,
            )
        )
        self._store_passes((*charges.passadas, *charges.por_status))
        self._seen |= {conta: "cobranças" for conta in charges.contas if conta not in self._seen}
        return _pass_result(charges.passadas)

    def read_lancamentos(self) -> StageResult:
        """Read the entries of every account, proved, with what V09 and V15 compare them to."""
        self.begin()
        configured = [conta.conta_id for conta in self.empresa.contas]
        if not configured and not self._seen:
            raise ConfigError(
                f"{self.settings.origem}: empresa[{self.empresa.id}].conta: no account is configured and the service "
                "lists none. Add [[empresa.conta]] with its conta_id, or set LASTRO_CONTAS."
            )
        leitura = self._proved(
            lambda: extraction.read_lancamentos(
                self.client,
                configured,
                self.pages,
                candidatas=self._known_accounts() | self._seen,
                conhecidos=self._known_ids(),
                vencidos=self._is_current(),
                hoje=self._dates()[1],
                janela=self._window(HOT_ENTRY_DAYS),
                fuso=self.settings.fuso,
                progress=self._progress,
                agora=self._agora,
            )
        )
        self._store_passes(leitura.passadas)
        self._anexos = leitura.anexos
        self._found_accounts = {
            **{
                conta: f"lida sem estar configurada; vista em: {where}"
                for conta, where in leitura.contas_encontradas.items()
            },
            **{conta: f"NÃO lida: o serviço respondeu {what}" for conta, what in leitura.contas_recusadas.items()},
        }
        if self.order.quente:
            return _pass_result(leitura.passadas)
        wanted = [*choose_composites(leitura.compostos), *self._plan_absences("lancamentos", leitura.ids).perguntar]
        self._answers = extraction.read_detalhes(self.client, wanted, self.pages, progress=self._progress)
        return _pass_result(leitura.passadas)

    def read_anexos(self) -> StageResult:
        """Read the metadata of attachments never read before, and their files where asked; off by default.

        Each id is asked for once ever and remembered in `hist.anexos`; what the budget of a run does not reach waits
        for the next one. Nothing of the reports depends on attachments.

        Raises:
            ApiRejected, StorageError: from the reading; a service that does not answer only puts them off.
        """
        parametros = self.empresa.parametros
        if not (parametros.anexos or parametros.baixar_anexos):
            return StageResult(0, {"anexos": "não: desligado (parâmetro anexos)"})
        self.begin()
        if self.order.quente:
            return SKIPPED
        known = read_known_attachments(self.warehouse, with_files=parametros.baixar_anexos)
        try:
            read = extraction.read_anexos(
                self.client,
                self._anexos,
                self.pages,
                ja_lidos=known,
                orcamento=self.order.orcamento_anexos,
                destino=self.pasta / ATTACHMENTS_FOLDER if parametros.baixar_anexos else None,
                progress=self._progress,
            )
        except ApiUnavailable:
            # Optional: what cannot be had today must not keep the reports from being written.
            return StageResult(0, {"citados": len(self._anexos), "anexos": "adiados: o serviço não os entregou"})
        with self.warehouse.transaction():
            record_attachments(self.warehouse, self.execucao_id, self.pages, read.ausentes, read.arquivos)
        return StageResult(
            len(read.lidos),
            {
                "citados": len(self._anexos),
                "conhecidos": len(known & self._anexos),
                "ausentes": len(read.ausentes),
                "adiados": len(read.adiados),
                "arquivos": len(read.arquivos),
            },
        )

    def _plan_absences(self, lista: str, per_account: Mapping[int, Collection[int]] | None) -> ConfirmationPlan:
        """Find the records of the last recorded run that this run's listings lack (S13)."""
        if per_account is None:
            listed: Collection[int] = self._raw_ids(lista)
        else:
            listed = {number for ids in per_account.values() for number in ids}
        return plan_confirmations(
            read_known_records(self.warehouse, lista, self.execucao_id),
            read_pending_absences(self.warehouse, lista, self.execucao_id),
            listed,
            contas_lidas=None if per_account is None else list(per_account),
            orcamento=ABSENCE_REQUESTS,
        )

    def _raw_ids(self, lista: str) -> set[int]:
        rows = self.warehouse.query(f"SELECT DISTINCT try_cast(payload->>'id' AS BIGINT) FROM raw.{lista}")  # noqa: S608 - our own names
        return {int(number) for (number,) in rows if number is not None}

    def _settle_absences(self, conformed: Conformed) -> dict[str, pd.DataFrame]:
        """Say what became of every record that vanished; hold the run when too many would go (S13).

        Raises:
            DeletionsHeld: above `limite_exclusoes`, unless the order accepts it.
        """
        proved = self.warehouse.query(
            "SELECT DISTINCT conta_id FROM ops.passadas WHERE execucao_id = ? AND lista = 'lancamentos' AND veredito = "
            "'provada'",
            [self.execucao_id],
        )
        listed = self._raw_ids("lancamentos")
        plans = {
            "lancamentos": self._plan_absences(
                "lancamentos", {int(conta): listed for (conta,) in proved if conta is not None}
            ),
            "cobrancas": self._plan_absences("cobrancas", None),
        }
        details = conformed.detalhes.rename(columns={"lancamento_id": "registro_id"})
        inactive = [conta.conta_id for conta in self.empresa.contas if not conta.ativa]
        outcomes = {}
        for lista, plan in plans.items():
            known = read_known_records(self.warehouse, lista, self.execucao_id)
            outcomes[lista] = classify_absences(
                plan,
                self._answers if lista == "lancamentos" else {},
                known,
                read_pending_absences(self.warehouse, lista, self.execucao_id),
                details[["registro_id", "conta_id", "data_vencimento"]] if lista == "lancamentos" else details.iloc[:0],
                contas_inativas=inactive,
            )
            check_limit(
                known,
                find_removed(outcomes[lista]),
                self.empresa.parametros.limite_exclusoes,
                lista=lista,
                aceitas=self.order.aceitar_exclusoes,
            )
        return outcomes

    def _known_accounts(self) -> dict[int, str]:
        """Return the accounts of the last loaded run: an entry may have moved to one that is not configured."""
        rows = self.warehouse.query("SELECT conta_id FROM core.contas WHERE conta_id IS NOT NULL")
        return {int(conta): "execução anterior" for (conta,) in rows}

    def _known_ids(self) -> dict[int, set[int]]:
        """Return the entry ids per account of the last loaded run, which save rounds while entries change."""
        rows = self.warehouse.query(
            "SELECT try_cast(regexp_extract(origem, '[?&]conta_id=([0-9]+)', 1) AS BIGINT) AS conta_id, "
            "list(try_cast(payload->>'id' AS BIGINT)) FROM raw.lancamentos GROUP BY 1 HAVING conta_id IS NOT NULL"
        )
        return {int(conta): {number for number in ids if number is not None} for conta, ids in rows}

    def read_referencia(self, lista: str) -> StageResult:
        """Read one reference list whole, inactive records included; a hot run keeps those of the complete one."""
        self.begin()
        if self.order.quente:
            return SKIPPED
        passada = extraction.read_referencia(self.client, lista, self.pages, progress=self._progress, agora=self._agora)
        self._store_passes([passada])
        return _pass_result([passada])

    def _dates(self) -> tuple[date, date]:
        """Return D and the date of the extraction."""
        row = self.warehouse.query(
            "SELECT data_base, data_extracao FROM ops.execucoes WHERE execucao_id = ?", [self.execucao_id]
        )[0]
        return row[0], row[1]

    def _is_current(self) -> bool:
        day, extraction_day = self._dates()
        return day == extraction_day

    def _window(self, days: tuple[int, int]) -> tuple[date, date] | None:
        """Return the dates that a hot run reads; None for a complete one."""
        if not self.order.quente:
            return None
        _, today = self._dates()
        return today - timedelta(days=days[0]), today + timedelta(days=days[1])

    def _find_base(self) -> int | None:
        """Find the last complete run whose pages are still kept: what a hot run refreshes."""
        for run in reversed(read_complete_runs(self.warehouse)):
            if (self._folder(PAGES_FOLDER) / f"{run.execucao_id:06d}").exists():
                return run.execucao_id
        return None

    def _page_folders(self) -> list[Path]:
        """List the folders whose pages make up the run: its own, for a hot run after those of the complete one."""
        if not self._is_hot():
            return [self.pages]
        return [self._folder(PAGES_FOLDER) / f"{self._find_base() or 0:06d}", self.pages]

    def _is_hot(self) -> bool:
        """Tell whether the run under way, or the one a stage is repeated of, is a hot one."""
        return bool(
            self.warehouse.query(
                "SELECT tipo_execucao = 'quente' FROM ops.execucoes WHERE execucao_id = ?", [self.execucao_id]
            )[0][0]
        )

    def load_core(self) -> StageResult:
        """Check, cast and compose what was read; replace `core` and extend `hist` in one transaction.

        Raises:
            IncompletePass: when a listing of the run is not proved, or its pages are gone.
        """
        self._demand_proofs()
        folders = self._page_folders()
        for folder in folders:
            # Without this, a stage repeated by hand would replace everything by nothing.
            if not folder.exists():
                raise IncompletePass(
                    f"{folder}: the pages of the run are gone. Nothing was replaced; run the whole job."
                )
        complete = len(folders) == 1
        with self.warehouse.transaction():
            conformed = conform_run(self.warehouse.con, folders, self.execucao_id)
            outcomes = self._settle_absences(conformed) if complete else {}
            previous = self.warehouse.query(
                "SELECT composto_modo FROM ops.execucoes WHERE situacao = ? AND composto_modo IS NOT NULL "
                "AND execucao_id <> ? ORDER BY execucao_id DESC LIMIT 1",
                [COMPLETA, self.execucao_id],
            )
            built = build_core(
                conformed,
                self.empresa,
                modo_anterior=previous[0][0] if previous else None,
                observadas=read_first_paid(self.warehouse, self.execucao_id),
            )
            self.warehouse.write_core(built.core, self.execucao_id, self.calendario)
            self._write_parameters(built)
            self.warehouse.insert(
                "ops.esquema",
                [
                    {
                        "execucao_id": self.execucao_id,
                        "lista": "categorias",
                        "campo": "parent_id",
                        "situacao": f"ciclo cortado na categoria {categoria}",
                        "registros": 1,
                    }
                    for categoria in built.ciclos
                ],
            )
            if complete:
                record_history(self.warehouse, self.execucao_id)
            for lista, frame in outcomes.items():
                record_absences(self.warehouse, self.execucao_id, lista, frame)
            self.warehouse.create_macros()
            create_history_macros(self.warehouse)
        self.warehouse.release_memory()
        # Only what the checks ask of the loading is kept: the frames are read again from the file.
        self._loaded = CheckInputs(
            composto_evidence=built.evidence,
            diferencas=built.diferencas,
            compostos=compare_composites(conformed),
            conflitos_saldo_inicial=built.conflitos_saldo_inicial,
        )
        core = built.core
        return StageResult(
            len(core.linhas),
            {
                "titulos": len(core.titulos),
                "cobrancas": len(core.cobrancas),
                "soma_linhas": Decimal(int(core.linhas["valor_centavos"].sum())).scaleb(-2),
                "rejeitados": self.count_rejected(),
                **{
                    f"{lista}_{estado}": int((frame["estado"] == estado).sum())
                    for lista, frame in outcomes.items()
                    for estado in ("desaparecido", "excluido")
                },
                "composto_modo": built.evidence.mode,
            },
        )

    def _demand_proofs(self) -> None:
        """Refuse to load a run any of whose listings is not proved (S13)."""
        unproved = self.warehouse.query(
            "SELECT lista, conta_id FROM ops.passadas WHERE execucao_id = ? AND NOT starts_with(lista, 'cobrancas:') "
            "GROUP BY ALL HAVING NOT bool_or(veredito = 'provada') ORDER BY ALL",
            [self.execucao_id],
        )
        read = {
            row[0]
            for row in self.warehouse.query(
                "SELECT DISTINCT lista FROM ops.passadas WHERE execucao_id = ?", [self.execucao_id]
            )
        }
        hot = self._is_hot()
        needed = ("lancamentos:janela", "cobrancas:janela") if hot else ("lancamentos", "cobrancas", *REFERENCIAS)
        missing = [lista for lista in needed if lista not in read]
        if unproved or missing:
            names = [lista if conta is None else f"{lista} of account {conta}" for lista, conta in unproved]
            raise IncompletePass(
                f"run {self.execucao_id}: not proved complete: {', '.join([*names, *missing])}. Nothing was replaced; "
                "run the whole job again."
            )

    def _write_parameters(self, built: CoreBuild) -> None:
        day, extraction_day = self._dates()
        facts = {
            "data_base": day.isoformat(),
            "data_extracao": extraction_day.isoformat(),
            "fuso": self.settings.fuso,
        }
        self.warehouse.write_parameters(self.execucao_id, facts, self.empresa.parametros, built.evidence)
        con = self.warehouse.con
        # Only evidence is stored as a decision: a company without composites has decided nothing (S2.6).
        decided = built.evidence.mode if built.evidence.n0 + built.evidence.n1 else None
        con.execute("UPDATE ops.execucoes SET composto_modo = ? WHERE execucao_id = ?", [decided, self.execucao_id])

    def count_rows(self, schema: str, tables: Iterable[str]) -> dict[str, int]:
        """Count the rows of tables of the private file."""
        return {
            name: int(self.warehouse.query(f"SELECT count(*) FROM {schema}.{name}")[0][0])  # noqa: S608 - our own names
            for name in tables
        }

    def count_rejected(self) -> int:
        """Count the records that could not be read."""
        return int(self.warehouse.query("SELECT count(*) FROM raw.rejeitados")[0][0])

    def build_mart(self) -> StageResult:
        """Compute the reports and checks as of D and store them: `mart`, `ops.verificacoes`, `ops.kpis`."""
        if self._loaded is None:
            # Repeated by hand: what V14, V15 and V21 judge is in the pages, and a failed check must not pass unasked.
            self.load_core()
        position = self.read_position()
        facts = self._gather_facts(position, self._gather_inputs(position))
        self.warehouse.release_memory()
        catalogue = build_catalogue(position, self.empresa, facts)
        with self.warehouse.transaction() as con:
            for report in catalogue.reports:
                for table in report.tables:
                    self.warehouse.write_report_table(table)
            for name in ("ops.verificacoes", "ops.kpis"):
                con.execute(f"DELETE FROM {name} WHERE execucao_id = ?", [self.execucao_id])  # noqa: S608 - constants
            self.warehouse.insert("ops.verificacoes", self._verification_rows(catalogue))
            self.warehouse.insert(
                "ops.kpis",
                [
                    {
                        "execucao_id": self.execucao_id,
                        "kpi": kpi.slug,
                        "indicador": kpi.indicador,
                        "valor": kpi.number,
                        "unidade": kpi.kind.value,
                    }
                    for kpi in catalogue.kpis
                ],
            )
        self.warehouse.release_memory()
        self._catalogue = catalogue
        return StageResult(
            sum(len(table.rows) for report in catalogue.reports for table in report.tables),
            {"relatorios": len(catalogue.reports), "erros": len(catalogue.errors), "alertas": len(catalogue.warnings)},
        )

    def read_position(self) -> Position:
        """Take the position as of D: from the run extracted on that day if there is one, else from this run (S3)."""
        day, extraction_day = self._dates()
        exact = self._find_exact_run()
        if exact is not None:
            return self._take_position(read_core_at(self.warehouse, exact), day, day)
        return self._take_position(self.warehouse.read_core(), day, extraction_day)

    def _find_exact_run(self) -> int | None:
        """Find the complete run that gives a past D back exactly; None for today, and where there is none (S3)."""
        day, extraction_day = self._dates()
        return find_run_of_day(self.warehouse, day) if day < extraction_day else None

    def _take_position(self, core: Core, day: date, extraction_day: date) -> Position:
        return build_position(
            core,
            data_base=day,
            data_extracao=extraction_day,
            parametros=self.empresa.parametros,
            calendario=self.calendario,
        )

    def _read_past(self, day: date) -> tuple[Position | None, tuple[Forecast, ...], dict[int, Position]]:
        """Read what R13 and R14 compare with: the report before this one, and the runs that forecast its periods."""
        exact = self._find_exact_run()
        limit = self.execucao_id if exact is None else exact
        runs = [
            run for run in read_complete_runs(self.warehouse) if run.execucao_id < limit and run.data_extracao <= day
        ]
        if not runs:
            return None, plan_forecasts(day, {}), {}
        last = runs[-1]
        before = self._take_position(
            read_core_at(self.warehouse, last.execucao_id), last.data_extracao, last.data_extracao
        )
        forecasts = plan_forecasts(day, {run.execucao_id: run.data_extracao for run in runs})
        since = min(forecast.period.first for forecast in forecasts)
        extracted = {run.execucao_id: run.data_extracao for run in runs}
        positions = {}
        for number in sorted({forecast.execucao_id for forecast in forecasts if forecast.execucao_id is not None}):
            core = read_forecast_core(self.warehouse, number, since, exact)
            positions[number] = self._take_position(core, extracted[number], extracted[number])
        return before, forecasts, positions

    def _gather_inputs(self, position: Position) -> CheckInputs:
        """Read what the checks of the whole compare with; a scope takes their verdict over."""
        if self._find_exact_run() is not None:
            # A past day given back from history has other linhas than the raw records of this run.
            return CheckInputs()
        parametros = self.empresa.parametros
        return replace(
            self._loaded or CheckInputs(),
            controle_raw=read_control_totals(
                self.warehouse.con,
                modo=position.composto_modo,
                saldo_inicial_lancamentos=parametros.saldo_inicial_lancamentos,
                saldo_inicial_categorias=parametros.saldo_inicial_categorias,
            ),
            passadas=self.warehouse.read("ops.passadas", "execucao_id = ?", [self.execucao_id]),
            vencidos=conform_overdue(self.warehouse.con, self.pages) if self._is_current() else None,
        )

    def _gather_facts(self, position: Position, inputs: CheckInputs) -> RunFacts:
        query, number = self.warehouse.query, self.execucao_id
        before, forecasts, positions = self._read_past(position.data_base)
        previous = query(
            # The report before this one in D, not in time of writing: a past day asked for yesterday is no predecessor.
            "SELECT kpi, valor FROM ops.kpis WHERE execucao_id = (SELECT execucao_id FROM ops.execucoes WHERE "
            "situacao = ? AND tipo_execucao = 'completa' AND execucao_id < ? AND data_base <= ? "
            "ORDER BY data_base DESC, execucao_id DESC LIMIT 1)",
            [COMPLETA, number, position.data_base],
        )
        certificate = query(
            "SELECT lista, conta_id, passada, contagem_antes, paginas, linhas_recebidas, ids_distintos, repetidas, "
            "rejeitadas, contagem_depois, veredito, prova, motivo FROM ops.passadas WHERE execucao_id = ? "
            "ORDER BY lista, conta_id, passada",
            [number],
        )
        return RunFacts(
            inputs=inputs,
            anterior={kpi: value for kpi, value in previous if value is not None} if previous else None,
            certificado=[
                (row[0], None if row[1] is None else position.rotulos.conta(row[1]), *row[2:]) for row in certificate
            ],
            extras=[
                ("execucao_id", str(number), "número da execução"),
                ("fuso", self.settings.fuso, "zona em que o relógio da execução vira data"),
                ("versao", version("lastro"), "versão do lastro"),
            ],
            rejeitados=query("SELECT lista, origem, pagina, posicao, motivo FROM raw.rejeitados ORDER BY ALL"),
            esquema=query(
                "SELECT lista, campo, situacao, registros FROM ops.esquema WHERE execucao_id = ? ORDER BY ALL", [number]
            ),
            fontes=[(f"Conta {conta}", text) for conta, text in sorted(self._found_accounts.items())],
            posicao_anterior=before,
            previsoes=forecasts,
            posicoes=positions,
            vencimentos=read_due_dates(self.warehouse, number, position.data_base),
        )

    def _verification_rows(self, catalogue: Catalogue) -> list[dict[str, Any]]:
        return [
            {
                "execucao_id": self.execucao_id,
                "verificacao": check.id,
                "descricao": check.descricao,
                "severidade": check.severidade,
                "situacao": check.situacao,
                "esperado": None if check.esperado is None else str(check.esperado),
                "encontrado": None if check.encontrado is None else str(check.encontrado),
                "diferenca": check.diferenca,
                "registros": check.registros,
                "chaves": list(check.chaves),
                "detalhe": check.detalhe,
            }
            for check in catalogue.outcomes
        ]

    @property
    def catalogue(self) -> Catalogue:
        """Reports, checks and KPIs; computed now when the stage `build_mart` ran in another process."""
        if self._catalogue is None:
            self.build_mart()
        if self._catalogue is None:
            raise RuntimeError("build_mart leaves a catalogue")
        return self._catalogue

    def build_stamp(self) -> Stamp:
        """Say who, as of when, from which run and how far to trust it (section 3)."""
        catalogue = self.catalogue
        day, _ = self._dates()
        started, rebuilt, kind = self.warehouse.query(
            "SELECT iniciada_em, reconstituida, tipo_execucao FROM ops.execucoes WHERE execucao_id = ?",
            [self.execucao_id],
        )[0]
        proved, total = self.warehouse.query(
            "SELECT count(*) FILTER (WHERE provada), count(*) FROM (SELECT conta_id, bool_or(veredito = 'provada') AS "
            "provada FROM ops.passadas WHERE execucao_id = ? AND lista IN ('lancamentos', 'lancamentos:janela') "
            "GROUP BY conta_id)",
            [self.execucao_id],
        )[0]
        local, zone = read_local_time(started, self.settings.fuso)
        return Stamp(
            empresa=self.empresa.nome,
            data_base=day,
            extraido_em=local,
            fuso=zone,
            execucao_id=self.execucao_id,
            contas_lidas=proved,
            contas_total=total,
            extracao=str(kind).upper(),
            reconstituido=bool(rebuilt),
            erros=len(catalogue.errors),
            alertas=len(catalogue.warnings),
            rejeitados=self.count_rejected(),
        )

    def write_workbook(self) -> StageResult:
        """Write the workbook, and one per scope of the settings, aside; `publish` moves them to where people look."""
        catalogue, stamp = self.catalogue, self.build_stamp()
        path = self._render(GERENCIAL, catalogue, stamp)
        self._staged = [path, *self._write_scopes(catalogue, stamp)]
        facts: dict[str, int | str | Decimal] = {"arquivo": path.name, "bytes": path.stat().st_size}
        if self.empresa.recortes:
            facts["recortes"] = len(self.empresa.recortes)
        return StageResult(len(catalogue.reports), facts)

    def _render(self, kind: str, catalogue: Catalogue, stamp: Stamp) -> Path:
        names: dict[str, Value] = {"data_base": stamp.data_base, "execucao_id": stamp.execucao_id}
        names |= {f"kpi_{kpi.slug}": kpi.valor for kpi in catalogue.kpis}
        workbook = Workbook(
            kind, stamp, catalogue.reports, names=names, saldo_minimo=self.empresa.parametros.saldo_minimo
        )
        return render_workbook(workbook, self._folder(STAGING_FOLDER) / workbook_name(kind, stamp.data_base))

    def _write_scopes(self, whole: Catalogue, stamp: Stamp) -> list[Path]:
        """Write the workbook of each scope (section 2); what stands in the warehouse stays that of the whole."""
        if not self.empresa.recortes:
            return []
        position = self.read_position()
        facts = self._gather_facts(position, CheckInputs())
        paths = []
        for recorte in self.empresa.recortes:
            narrowed, text = narrow_position(position, recorte), describe_scope(recorte, position.rotulos)
            extras = [
                ("filtro", text, "recorte: só as linhas que atendem a todos os critérios"),
                (
                    "cobrancas_fora_do_filtro",
                    str(count_split_charges(position, narrowed)),
                    "cobranças de que só uma parte está no recorte: fora de Cobranças",
                ),
            ]
            own = replace(narrow_facts(facts, recorte), extras=[*facts.extras, *extras])
            catalogue = build_catalogue(narrowed, self.empresa, own, inteiro=whole)
            marked = replace(stamp, filtro=text, erros=len(catalogue.errors), alertas=len(catalogue.warnings))
            paths.append(self._render(f"{GERENCIAL}_{name_slug(recorte.nome)}", catalogue, marked))
        return paths

    def publish(self) -> RunResult:
        """Make the run the one that everybody sees: move the workbook, close the run, flip the link.

        A workbook that nobody wrote in this session (the stage was chosen alone) is written now.

        Raises:
            StorageError: when the disk is full or a folder cannot be written; then nothing was replaced.
        """
        catalogue, number = self.catalogue, self.execucao_id
        if not self._staged:
            self.write_workbook()
        before = self.warehouse.query("SELECT situacao FROM ops.execucoes WHERE execucao_id = ?", [number])[0][0]
        workbooks: list[Path] = []
        try:
            workbooks.extend(move_unclaimed(path, self.pasta / REPORTS_FOLDER) for path in self._staged)
            self._close_run(COMPLETA)
            link = publish(self.warehouse, number)
        except BaseException:
            # The copy must say that its run is complete, so the private file says it first; it takes that back here.
            for path in workbooks:
                path.unlink(missing_ok=True)
            with contextlib.suppress(LastroError):
                self._close_run(before)
            raise
        self._staged = []
        return RunResult(number, self._dates()[0], link, tuple(workbooks), catalogue.verifications, catalogue)

    def _close_run(self, situacao: str) -> None:
        with self.warehouse.transaction() as con:
            con.execute(
                "UPDATE ops.execucoes SET situacao = ?, terminada_em = ?, erro = NULL, "
                "requisicoes = greatest(coalesce(requisicoes, 0), ?) WHERE execucao_id = ?",
                [situacao, self._now(), self.requests, self.execucao_id],
            )

    def record_failure(self, error: BaseException) -> None:
        """Write into `ops.execucoes` why the run under way did not complete; nothing published changes.

        A private file that turned out damaged gives way to a copy of the published one when the run is closed.
        """
        self._damaged = self._damaged or isinstance(error, DamagedWarehouse)
        if not self._fresh or self._warehouse is None:
            return
        situation = PARCIAL if isinstance(error, IncompletePass) else FALHOU
        text = f"{error.documented_name}: {error}" if isinstance(error, LastroError) else type(error).__name__
        try:
            with self.warehouse.transaction() as con:
                con.execute(
                    "UPDATE ops.execucoes SET situacao = ?, erro = ?, terminada_em = ?, requisicoes = ? "
                    "WHERE execucao_id = ? AND situacao = ?",
                    [
                        situation,
                        text,
                        self._now(),
                        self.requests,
                        self.execucao_id,
                        EM_ANDAMENTO,
                    ],
                )
        except StorageError:
            # The disk is what failed; the first error is the one to tell, and the next run finds the traces.
            return

    def run_all(self) -> RunResult:
        """Run every stage in order."""
        self.read_contas()
        self.read_cobrancas()
        self.read_lancamentos()
        self.read_anexos()
        for lista in REFERENCIAS:
            self.read_referencia(lista)
        self.load_core()
        self.build_mart()
        self.write_workbook()
        return self.publish()


def _pass_result(passadas: Iterable[Passada]) -> StageResult:
    """Sum up the proved passes of a listing."""
    proved = [passada for passada in passadas if passada.veredito == "provada"]
    attempts = list(passadas)
    return StageResult(
        sum(passada.ids_distintos for passada in proved),
        {
            "paginas": sum(passada.paginas for passada in attempts),
            "requisicoes": sum(passada.requisicoes for passada in attempts),
            "provadas": len(proved),
            "passadas": len(attempts),
            "rejeitadas": sum(passada.rejeitadas for passada in proved),
        },
    )


def read_local_time(moment: datetime, fuso: str) -> tuple[datetime, str]:
    """Turn a stored UTC moment into the local one that a stamp prints, to the second, and the name of its zone.

    >>> read_local_time(datetime(2026, 3, 16, 9, 5), "America/Sao_Paulo")
    (datetime.datetime(2026, 3, 16, 6, 5), 'BRT')
    """
    local = moment.replace(tzinfo=UTC).astimezone(ZoneInfo(fuso))
    zone = local.tzname() or fuso
    return local.replace(tzinfo=None, microsecond=0), "BRT" if zone == "-03" else zone


def move_unclaimed(path: Path, folder: Path) -> Path:
    """Move a file into a folder under its name, or with `_r2`, `_r3` ... where that name is taken (section 3).

    Raises:
        StorageError: when the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, 10_000):
            suffix = "" if attempt == 1 else f"_r{attempt}"
            target = folder / f"{path.stem}{suffix}{path.suffix}"
            try:
                _claim(path, target)
            except FileExistsError:
                continue
            path.unlink()
            return target
    except OSError as error:
        raise storage_error(folder, error) from None
    raise StorageError(f"{folder}: {path.name} exists in 9,999 versions. Move old files away, then run again.")


def _claim(path: Path, target: Path) -> None:
    """Give a file a second name that must be free; where there are no hard links, a copy under that name.

    Raises:
        FileExistsError: when the name is taken, which a rename would not tell.
    """
    try:
        os.link(path, target)
    except FileExistsError:
        raise
    except OSError as error:
        # Network shares and USB sticks; or `relatorios` is a link to another disk.
        if error.errno not in (errno.EPERM, errno.EXDEV, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        aside = target.with_name(f".{target.name}.novo")
        try:
            shutil.copyfile(path, aside)
            os.replace(aside, target)
        except BaseException:
            aside.unlink(missing_ok=True)
            target.unlink(missing_ok=True)
            raise
