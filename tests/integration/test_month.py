"""Four companies over a month of mornings by a moved clock, with all that a month brings: told once, right every day.

The service of one is down for a week, the disk is full, the power goes in the middle of a run, a token is refused, a
company is taken out while somebody waits for it. Each morning brings every company a payment of its own amount, so that
its balance of any day is known beforehand; at noon one of them is read again by a hot run.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from lastro.api.retry import RetryPolicy
from lastro.clock import utc_now
from lastro.errors import LastroError
from lastro.operation.notice_log import tell
from lastro.operation.retention import prune
from lastro.operation.state import measure_folder, read_states
from lastro.run.order import RunOrder
from lastro.run.session import RunSession
from lastro.run.stages import run_stages
from lastro.schema.run_kinds import Modo
from lastro.settings import Avisos, Email, Empresa, Retencao, Settings
from lastro.warehouse.file.lock import CompanyLock
from lastro_sandbox import Books, create_app, golden_company, serve
from lastro_sandbox.faults import FaultPlan
from lastro_sandbox.model import Entry
from tests.golden import expected
from tests.mailbox import Mailbox, serve_mail
from tests.served import TOKEN, ask, clock_at, write_golden

HASTY = RetryPolicy(attempts=2, first_attempts=2, base=0.01, cap=0.02)
DAYS = 31
NAMES = ("Acme", "Beta", "Gama", "Delta")
DOWN, FULL, CUT, REFUSED, REFUSED_AT_LAST, REMOVED = range(3, 10), 12, 16, (19,), (22, 23), 24
"""Mornings: Beta's service, the disk, Gama's power, Acme's token, Delta's token, and Delta is not wanted any more."""
LOOKS = (10, 25, 40, 55, 130, 190, 430, 730)
"""Minutes after 06:00 in São Paulo at which somebody looks; a company is late at 08:05."""
FAILED, LATE = "a execução falhou", "sem execução boa há tempo demais"
TOLD = {
    3: [(10, f"Beta (beta): {FAILED} (ApiUnavailable)"), (130, f"Beta (beta): {LATE}")],
    **{day: [(10, f"Beta (beta): {FAILED} (ApiUnavailable) (e mais 1)")] for day in range(4, 10)},
    10: [(10, f"em ordem: Beta (beta): {FAILED} (ApiUnavailable) (e mais 1)")],
    # Four companies and the disk.
    12: [(10, f"Acme (acme): {FAILED} (StorageError) (e mais 4)"), (130, f"Acme (acme): {LATE} (e mais 3)")],
    13: [(10, f"em ordem: Acme (acme): {FAILED} (StorageError) (e mais 8)")],
    16: [(10, f"Gama (gama): {FAILED} (interrompida)"), (130, f"Gama (gama): {LATE}")],
    17: [(10, f"em ordem: Gama (gama): {FAILED} (interrompida) (e mais 1)")],
    19: [(10, "Acme (acme): o serviço recusa o token"), (130, f"Acme (acme): {LATE}")],
    20: [(10, "em ordem: Acme (acme): o serviço recusa o token (e mais 1)")],
    22: [(10, "Delta (delta): o serviço recusa o token"), (130, f"Delta (delta): {LATE}")],
    23: [(10, "Delta (delta): o serviço recusa o token (e mais 1)")],
}


@dataclass
class Company:
    """A company, its service, what came in, and what it should have published of which day."""

    number: int
    empresa: Empresa
    books: Books
    faults: FaultPlan
    paid: Decimal = expected.R01["saldo_total"]
    shown: tuple[date, Decimal] = (expected.D, Decimal(0))

    def receive(self, amount: int, day: date) -> None:
        """Let a payment come in: centavos of an amount that no other company and day has."""
        at = day.isoformat()
        key = max(self.books.lancamentos) + 1
        self.books.add_entry(Entry(key, 101, 11, amount, f"Venda de {at}", at, at, at, pessoa_id=501))
        self.paid += Decimal(amount).scaleb(-2)


@pytest.fixture
def companies(tmp_path: Path) -> Iterator[list[Company]]:
    with ExitStack() as served:
        found = []
        for number, name in enumerate(NAMES):
            app = create_app(golden_company(), token=TOKEN)
            address = served.enter_context(serve(app)).base_url
            (empresa,) = write_golden(tmp_path, address).empresas
            empresa = replace(empresa, id=name.lower(), nome=name, limites=())
            found.append(Company(number, empresa, app.state.books, app.state.faults))
        yield found


def run(
    settings: Settings,
    empresa: Empresa,
    day: date,
    *,
    token: str = TOKEN,
    modo: Modo | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> None:
    """Run a company as the morning would; what stops it stops nobody else."""
    clock = clock_at(day) if modo is None else lambda: datetime.combine(day, time(15), tzinfo=UTC)
    with (
        contextlib.suppress(LastroError),
        RunSession(settings, empresa, lambda: token, RunOrder(modo=modo), clock=clock, policy=HASTY) as session,
    ):
        run_stages(session, watch=watch)


def run_until(settings: Settings, empresa: Empresa, day: date, stage: str, reached: Event) -> None:
    """Run in a process of its own and tell when a stage begins."""
    run(settings, empresa, day, watch=lambda name: reached.set() if name == stage else None)


def cut_power(settings: Settings, empresa: Empresa, day: date) -> None:
    """Kill a run while it computes its reports."""
    fresh = multiprocessing.get_context("spawn")
    reached = fresh.Event()
    process = fresh.Process(target=run_until, args=(settings, empresa, day, "mart", reached))
    process.start()
    assert reached.wait(120)
    process.kill()
    process.join()
    assert process.exitcode == -9


@contextlib.contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Take the last byte of a disk."""
    ballast, space = disk / "lastre", os.statvfs(disk)
    try:
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, space.f_bavail * space.f_frsize)
        assert os.statvfs(disk).f_bavail == 0
        yield
    finally:
        ballast.unlink()


def grow_older(folder: Path) -> None:
    """Make every file a day older than the system thinks, for whom no day has passed."""
    for path in [folder, *folder.rglob("*")]:
        moment = path.lstat().st_mtime - 86_400
        os.utime(path, (moment, moment), follow_symlinks=False)


def look_all_day(settings: Settings, box: Mailbox, day: date) -> list[tuple[int, str]]:
    """Look as the sensor does; return what arrived, and after which look."""
    arrived = []
    for minutes in LOOKS:
        before = len(box.messages)
        tell(settings, {}, datetime.combine(day, time(9), tzinfo=UTC) + timedelta(minutes=minutes))
        arrived += [(minutes, str(message["Subject"])) for message in box.messages[before:]]
    return arrived


@pytest.mark.longo
@pytest.mark.timeout(3600)
def test_a_month(companies: list[Company], mount_disk: Callable[[str], Path]) -> None:
    group = pytest.importorskip("lastro.group.update")
    disk = mount_disk("size=800m")
    told: dict[int, list[tuple[int, str]]] = {}
    sizes: list[int] = []
    runs = 0
    with serve_mail() as box:
        mail = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), box.port)
        settings = Settings(
            disk / "dados",
            "America/Sao_Paulo",
            tuple(company.empresa for company in companies),
            "lastro.toml",
            avisos=Avisos(email=mail, disco_minimo_mb=1),
            retencao=Retencao(paginas_dias=7, planilhas_dias=10),
        )
        for number in range(DAYS):
            day = expected.D + timedelta(days=number)
            if settings.dir.exists():
                grow_older(settings.dir)
            if number == REMOVED:
                settings = replace(settings, empresas=settings.empresas[:3])
            with filled(disk) if number == FULL else contextlib.nullcontext():
                for company in companies[: len(settings.empresas)]:
                    runs += 1
                    run_morning(settings, company, number, day)
                with contextlib.suppress(LastroError):
                    group.update_group(settings)
                told[number] = look_all_day(settings, box, day)
                prune(settings, utc_now())
            check_figures(settings, companies[: len(settings.empresas)], day)
            if number != FULL:
                companies[0].receive(7, day)
                run(settings, companies[0].empresa, day, modo=Modo.QUENTE)
                runs += 1
                companies[0].shown = (day, companies[0].paid)
                check_figures(settings, companies[:1], day)
                group.update_group(settings)
            sizes.append(sum(measure_folder(settings.dir / name.lower()) for name in NAMES[:3]))
    assert {number: texts for number, texts in told.items() if texts} == {
        number: [(minutes, f"[lastro] {text}") for minutes, text in texts] for number, texts in TOLD.items()
    }
    assert runs <= 250
    check_at_rest(settings, sizes)


def run_morning(settings: Settings, company: Company, number: int, day: date) -> None:
    """Run a company on a morning, with what the morning brings, and note what it should show afterwards."""
    name = company.empresa.nome
    company.books.hoje = day.isoformat()
    company.receive(10_000 * (company.number + 1) + number, day)
    company.faults.replace(["503:p=1"] if name == "Beta" and number in DOWN else [])
    refused = (name == "Acme" and number in REFUSED) or (name == "Delta" and number in REFUSED_AT_LAST)
    if name == "Gama" and number == CUT:
        cut_power(settings, company.empresa, day)
    else:
        run(settings, company.empresa, day, token="errada-1" if refused else TOKEN)
    if not (refused or company.faults.faults or number == FULL or (name == "Gama" and number == CUT)):
        company.shown = (day, company.paid)


def check_figures(settings: Settings, companies: list[Company], day: date) -> None:
    """Hold what everybody sees against what came in until the last good run."""
    states = {state.empresa: state for state in read_states(settings, clock_at(day)())}
    for company in companies:
        name = company.empresa.id
        shown_on, balance = company.shown
        sql = f"SELECT max(data_base), (SELECT sum(saldo) FROM mart.saldos_em(DATE '{shown_on}')) FROM ops.execucoes"  # noqa: S608
        assert ask(settings.dir / name / "lastro.duckdb", sql) == [(shown_on, balance)], (name, day)
        assert states[name].veredito == "SOMAS CONFEREM", (name, day)


def check_at_rest(settings: Settings, sizes: list[int]) -> None:
    """Nobody is stuck, everybody is trusted, and a month takes no more room than half of it did."""
    last = expected.D + timedelta(days=DAYS - 1)
    for state in read_states(settings, clock_at(last)()):
        assert (state.situacao, state.veredito, state.falha) == ("em dia", "SOMAS CONFEREM", None), state
        assert (state.andamento, state.interrompida) == (None, None)
        lock = CompanyLock(state.pasta)
        lock.acquire("nobody")
        lock.release()
        assert len(list((state.pasta / "privado" / "paginas").iterdir())) <= 2 * 8
        assert len(list((state.pasta / "relatorios").glob("gerencial_*.xlsx"))) <= 2 * 11
        assert len(list((state.pasta / "publicado").iterdir())) <= 2
    own = "SELECT '{0}', count(*), sum(valor) FROM core.linhas"
    wanted = [ask(settings.dir / name / "lastro.duckdb", own.format(name))[0] for name in settings.ids]
    every = "SELECT empresa, count(*), sum(valor) FROM core.linhas GROUP BY empresa ORDER BY empresa"
    assert ask(settings.dir / "grupo" / "lastro.duckdb", every) == wanted
    assert sizes[-1] < 1.25 * sizes[15]
