"""What may go, and letting it go (`[retencao]`): never what a report, a recálculo, a hot run or a restoration needs.

Of what stands where people look only lastro's own files go, as they were written. Nothing goes by itself while the
clock or the number of what would go looks wrong. Dagster's records are pruned beside it (`pipelines.retention`).
History (`hist`) stays: R13 and R14 stand on it.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from lastro.errors import LastroError
from lastro.files import demand_passage
from lastro.operation.authorship import EDITED, find_author, identify
from lastro.operation.state import measure_folder
from lastro.run.delivery_log import Record, forget, is_as_written, read_record
from lastro.run.names import (
    APROVADOS,
    COBRANCA,
    DADOS,
    FECHAMENTO,
    GERENCIAL,
    GRUPO,
    PAGAMENTOS,
    PAGES_FOLDER,
    REPORTS_FOLDER,
    RESUMO,
    TYPED_INTO,
    WrittenName,
    parse_name,
)
from lastro.settings import GROUP_FOLDER, Retencao, Settings
from lastro.warehouse.file.lock import LOCK_NAME, CompanyLock
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER
from lastro.warehouse.publication.copies import read_published
from lastro.warehouse.publication.published_run import (
    CopyReader,
    open_reader,
    read_desk_contents,
    read_first_run,
    read_needed_pages,
)

PAGES, WORKBOOKS, LEFTOVERS, RECORDS = "páginas", "planilhas", "sobras", "registros do Dagster"
"""What is let go."""
CLOCK_AHEAD: Final = timedelta(days=45)
"""Longest after the last published run that anything goes by itself: a clock that jumped is older than any limit."""
LEFTOVER_DAYS: Final = 7  # of what runs that failed left: damaged files, copies of migrations, pages
FEW: Final = 10
"""Number of things from which on at most half go by themselves in one look."""
_AGES: Final = 1e11
"""Seconds beyond which an age is as good as any other; a calendar has no more."""
_KINDS: Final = re.compile(
    rf"({GERENCIAL}(_[a-z0-9_]+)?|{DADOS}|{GRUPO}|{'|'.join(TYPED_INTO)})\.xlsx|{RESUMO}\.(html|pdf)|{APROVADOS}\.csv|"
    rf"{DADOS}_tbl_[a-z0-9_]+\.parquet"
)
"""Kinds of files with their suffixes, of which older ones may go."""
_EVERY_DAY: Final = {COBRANCA: "mesa de cobrança", PAGAMENTOS: "mesa de pagamentos"}
"""The workbooks in which people type, and small ones: of them every day is kept."""
_ASIDE: Final = ".lixo"
_DAMAGED: Final = "lastro*.danificado"
_LEFTOVERS: Final = (_DAMAGED, "lastro-v*.bak.duckdb", "*.copia")


@dataclass(frozen=True)
class Removal:
    """One thing that may go.

    Attributes:
        o_que: PAGES, WORKBOOKS, LEFTOVERS or RECORDS.
        empresa: whose; the group's folder; or Dagster.
        caminho: file or folder; of a record the id of its run.
        bytes: what it holds.
        sha256: of a file of `relatorios` the content that was looked at: another one does not go.
    """

    o_que: str
    empresa: str
    caminho: str
    bytes: int
    sha256: str = ""

    def describe(self) -> dict[str, Any]:
        """Describe it for JSON."""
        return {"o_que": self.o_que, "empresa": self.empresa, "caminho": self.caminho, "bytes": self.bytes}


@dataclass(frozen=True)
class Kept:
    """One thing that stays.

    Attributes:
        o_que: PAGES, WORKBOOKS or LEFTOVERS.
        empresa: whose.
        caminho: file or folder.
        porque: why.
        ate: until which day (UTC) at least; None where no day ends it.
    """

    o_que: str
    empresa: str
    caminho: str
    porque: str
    ate: date | None = None

    def describe(self) -> dict[str, Any]:
        """Describe it for JSON."""
        return {**asdict(self), "ate": None if self.ate is None else self.ate.isoformat()}


@dataclass(frozen=True)
class Plan:
    """The files to delete, those that are kept and why, and warnings about deletions that look wrong."""

    going: tuple[Removal, ...]
    kept: tuple[Kept, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Look:
    """One file or folder and the reason to keep it; without a reason it is deleted."""

    path: Path
    why: str = ""
    until: datetime | None = None
    sha256: str = ""


@dataclass(frozen=True)
class _Folder:
    """A company's folder, or the group's, and what it is looked at with.

    Attributes:
        pasta: the folder.
        kept: for how many days things are kept.
        now: the clock, UTC.
        reader: what reads published copies.
        asked: whether a person asked.
    """

    pasta: Path
    kept: Retencao
    now: datetime
    reader: CopyReader
    asked: bool

    def age(self, path: Path) -> timedelta | None:
        """Read how long ago a file was written; None when it is gone."""
        try:
            seconds = self.now.timestamp() - path.stat().st_mtime
        except OSError:
            return None
        return timedelta(seconds=max(-_AGES, min(_AGES, seconds)))

    def keep_for(self, path: Path, days: int, why: str) -> _Look:
        """Keep a thing for so many days after it was written."""
        age = self.age(path)
        if age is None or age > timedelta(days=days):
            return _Look(path)
        return _Look(path, why, self.now - age + timedelta(days=days))


def plan_removals(settings: Settings, now: datetime, *, asked: bool = False) -> Plan:
    """Plan the deletions of every company, of companies that left the settings, and of the group.

    Args:
        settings: all settings.
        now: the clock, UTC.
        asked: whether a person asks for it: then neither the clock nor the number keeps anything.
    """
    plans = []
    with open_reader() as reader:
        for pasta in _list_folders(settings):
            folder = _Folder(pasta, settings.retencao, now, reader, asked)
            for what, look in (
                (PAGES, _look_at_pages),
                (WORKBOOKS, _look_at_workbooks),
                (LEFTOVERS, _look_at_leftovers),
            ):
                plans.append(_plan(folder, what, look(folder)))
    return Plan(
        tuple(item for plan in plans for item in plan.going),
        tuple(item for plan in plans for item in plan.kept),
        tuple(item for plan in plans for item in plan.warnings),
    )


def _plan(folder: _Folder, what: str, looks: Sequence[_Look]) -> Plan:
    """Let what looks wrong as a whole stay, unless somebody asked."""
    going, whose = [look for look in looks if not look.why], folder.pasta.name
    kept = [Kept(what, whose, str(look.path), look.why, _day(look.until)) for look in looks if look.why]
    wrong = _find_wrong(folder, len(going), len(looks)) if going else ""
    if wrong and not folder.asked:
        kept += [Kept(what, whose, str(look.path), wrong) for look in going]
        return Plan((), tuple(kept), (f"{whose}: {what}: {wrong}",))
    removals = (Removal(what, whose, str(each.path), _measure(each.path), each.sha256) for each in going)
    return Plan(tuple(removals), tuple(kept), (f"{whose}: {what}: sem pedir não sairiam: {wrong}",) if wrong else ())


def _find_wrong(folder: _Folder, going: int, of: int) -> str:
    """Say why nothing may go by itself; empty when it may."""
    signs = [folder.pasta / LINK_NAME]
    if folder.pasta.name == GROUP_FOLDER:
        signs = [*_list_files(folder)]
    age = min((age for age in map(folder.age, signs) if age is not None), default=None)
    if age is None:
        return "nada está publicado"
    if age > CLOCK_AHEAD:
        return f"o relógio está {age.days} dias além da última execução publicada"
    if age < timedelta(0):
        return "o relógio está antes da última execução publicada"
    return f"sairiam {going} de {of} de uma vez" if of >= FEW and 2 * going > of else ""


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.astimezone(UTC).date()


def _measure(path: Path) -> int:
    """Measure a file or a folder; what is gone meanwhile holds nothing."""
    if path.is_dir():
        return measure_folder(path)
    with contextlib.suppress(OSError):
        return path.lstat().st_size
    return 0


def remove(settings: Settings, removals: Iterable[Removal]) -> tuple[Removal, ...]:
    """Let go what was planned; a company that runs, or a file that will not go, waits for the next time.

    Returns:
        What is gone.
    """
    by_company = defaultdict(list)
    for removal in removals:
        by_company[removal.empresa].append(removal)
    gone = []
    for empresa, own in by_company.items():
        pasta = settings.dir / empresa
        aside = pasta / PRIVATE_FOLDER / _ASIDE
        with contextlib.suppress(LastroError), _hold(pasta):
            went = [removal for removal in own if _let_go(removal, aside)]
            gone += went
            if empresa != GROUP_FOLDER:  # which nobody holds: a line may just be written
                forget(pasta, {removal.sha256 for removal in went})
        # Without the lock: a run that begins meanwhile must not find its company taken.
        shutil.rmtree(aside, ignore_errors=True)
    return tuple(gone)


def _let_go(removal: Removal, aside: Path) -> bool:
    """Remove a file if it is as it was looked at, or move a folder aside, which is done at once."""
    path = Path(removal.caminho)
    with contextlib.suppress(OSError):
        if removal.o_que == PAGES:
            aside.mkdir(exist_ok=True)
            path.rename(aside / path.name)
        elif not removal.sha256 or is_as_written(path, None, {removal.sha256}):
            path.unlink()
        else:
            return False
        return True
    return False


def prune(settings: Settings, now: datetime) -> tuple[Removal, ...]:
    """Plan and let go: what runs after a batch of runs, and every hour beside the schedules."""
    return remove(settings, plan_removals(settings, now).going)


def _hold(pasta: Path) -> contextlib.AbstractContextManager[None]:
    """Hold a company's lock, so that no run begins that needs what is deleted; the group needs none."""
    return contextlib.nullcontext() if pasta.name == GROUP_FOLDER else CompanyLock(pasta).held("retenção")


def _list_folders(settings: Settings) -> list[Path]:
    """List the folders of companies, by what only they have, and the group's.

    Raises:
        StorageError: when one of a company of the settings is somebody else's.
    """
    folders = []
    for empresa in settings.empresas:
        demand_passage(settings.pasta(empresa))
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        folders = sorted(path for path in settings.dir.iterdir() if _is_company(path))
    group = settings.dir / GROUP_FOLDER
    return [*(path for path in folders if path != group), group]


def _is_company(path: Path) -> bool:
    with contextlib.suppress(OSError):  # a folder of others in ours, as a disk's lost+found
        return (path / PRIVATE_FOLDER / LOCK_NAME).is_file()
    return False


def _look_at_leftovers(folder: _Folder) -> list[_Look]:
    private, published = folder.pasta / PRIVATE_FOLDER, folder.age(folder.pasta / LINK_NAME)
    looks = []
    for path in sorted(path for pattern in _LEFTOVERS for path in private.glob(pattern) if _is_file(path)):
        look, age = folder.keep_for(path, LEFTOVER_DAYS, "recente"), folder.age(path)
        if not look.why and (published is None or age is None or age <= published):
            look = _Look(path, "nenhuma execução foi publicada depois")
        if not look.why and path.match(_DAMAGED) and not _is_covered(folder, path):
            look = _Look(path, "pode ser tudo o que resta do histórico")
        looks.append(look)
    return looks


def _is_covered(folder: _Folder, damaged: Path) -> bool:
    """Tell whether what is published has history from before a damaged file was written last."""
    with contextlib.suppress(LastroError, OSError):
        first = read_first_run(folder.pasta, folder.reader)
        return first is not None and first.replace(tzinfo=UTC).timestamp() < damaged.stat().st_mtime
    return False


def _look_at_pages(folder: _Folder) -> list[_Look]:
    execucao_id = read_published(folder.pasta)
    if execucao_id is None or folder.pasta.name == GROUP_FOLDER:
        return []
    try:
        needed = read_needed_pages(folder.pasta, folder.reader)
    except LastroError:
        # What cannot be read says nothing about what it needs.
        return []
    looks = []
    for path in sorted((folder.pasta / PRIVATE_FOLDER / PAGES_FOLDER).glob("[0-9]*")):
        if not path.name.isdecimal() or path.is_symlink() or not path.is_dir():
            continue
        run = int(path.name)
        if needed <= run <= execucao_id:
            looks.append(_Look(path, "a próxima execução pode precisar delas"))
        elif run > execucao_id:  # a run that failed, for a run under way holds the company
            looks.append(folder.keep_for(path, LEFTOVER_DAYS, "de uma execução que falhou"))
        else:
            looks.append(folder.keep_for(path, folder.kept.paginas_dias, "recentes"))
    return looks


def _look_at_workbooks(folder: _Folder) -> list[_Look]:
    """Look at the files of `relatorios` that bear a name of lastro's. Who wrote one is read only where that decides."""
    record = read_record(folder.pasta)

    @cache
    def read_back() -> frozenset[str]:
        """Read the digests of every workbook of a desk that was written or read, where one would go."""
        with contextlib.suppress(LastroError):
            return read_desk_contents(folder.pasta, folder.reader)
        return frozenset()

    by_kind: dict[str, dict[Path, WrittenName]] = defaultdict(dict)
    for path, named in _list_files(folder).items():
        by_kind[named.kind + named.suffix][path] = named
    looks = [_Look(path, "fechamento: fica sempre") for path in _list_closings(folder)]
    for files in by_kind.values():
        scheduled = _schedule(folder, files)
        if folder.asked or any(not look.why for look in scheduled):
            # What is a person's counts neither as the newest nor as the last of its week.
            authors = {path: find_author(path, record) for path in files}
            looks += [_Look(path, why) for path, why in authors.items() if why]
            scheduled = _schedule(folder, {path: named for path, named in files.items() if not authors[path]})
        looks += [look if look.why else _identify(look, record, read_back) for look in scheduled]
    return looks


def _identify(look: _Look, record: Record, read_back: Callable[[], frozenset[str]]) -> _Look:
    """Let a file go only with the content that lastro wrote or read back."""
    try:
        digest = identify(look.path, record, read_back)
    except OSError:
        return replace(look, why="não pôde ser lida")
    return replace(look, why="" if digest else EDITED, sha256=digest)


def _schedule(folder: _Folder, files: Mapping[Path, WrittenName]) -> list[_Look]:
    """Say of the files of one kind why each stays, and until when: the newest always does."""
    last: dict[str, int] = {}
    for named in files.values():
        last[named.day] = max(named.revision, last.get(named.day, 0))
    newest, kept, looks = max(last, default=""), folder.kept, []
    weekly = find_last_of_weeks(last)
    for path, named in files.items():
        if named.revision != last[named.day]:
            looks.append(folder.keep_for(path, kept.diarias_dias, "há outra mais nova do mesmo dia"))
        elif named.day == newest:
            looks.append(_Look(path, "a mais nova"))
        elif named.kind in _EVERY_DAY:
            looks.append(folder.keep_for(path, kept.planilhas_dias, _EVERY_DAY[named.kind]))
        elif named.day in weekly:
            looks.append(folder.keep_for(path, kept.planilhas_dias, "a última da semana"))
        else:
            looks.append(folder.keep_for(path, min(kept.diarias_dias, kept.planilhas_dias), "diária"))
    return looks


def _list_files(folder: _Folder) -> dict[Path, WrittenName]:
    """List the regular files of `relatorios` with names that lastro gives, but for closings."""
    names = {path: parse_name(path.name) for path in sorted((folder.pasta / REPORTS_FOLDER).glob("*_*.*"))}
    return {
        path: named
        for path, named in names.items()
        if named is not None and _KINDS.fullmatch(named.kind + named.suffix) and _is_file(path)
    }


def _list_closings(folder: _Folder) -> list[Path]:
    """List the workbooks of closed months: somebody may have sent them."""
    paths = sorted((folder.pasta / REPORTS_FOLDER).glob(f"{FECHAMENTO}_*.xlsx"))
    return [path for path in paths if (named := parse_name(path.name)) and named.kind == FECHAMENTO]


def _is_file(path: Path) -> bool:
    """Tell whether a path is a regular file: no link, no folder, nothing that is waited for."""
    with contextlib.suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False


def find_last_of_weeks(days: Iterable[str]) -> set[str]:
    """Find the last day of each week, from Monday to Sunday.

    Args:
        days: days as YYYY-MM-DD; one that the calendar does not have is a week of its own.

    >>> sorted(find_last_of_weeks(["2026-03-12", "2026-03-13", "2026-03-16", "2026-02-30"]))
    ['2026-02-30', '2026-03-13', '2026-03-16']
    """
    last: dict[tuple[int, int] | str, str] = {}
    for day in sorted(days):
        try:
            week: tuple[int, int] | str = date.fromisoformat(day).isocalendar()[:2]
        except ValueError:
            week = day
        last[week] = day
    return set(last.values())
