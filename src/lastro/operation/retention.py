"""What may go, and letting it go (`[retencao]`): never what a report, a recálculo, a hot run or a restoration needs.

Dagster's records are pruned beside it (`pipelines.retention`). History (`hist`) stays: R13 and R14 stand on it.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

from lastro.errors import LastroError
from lastro.operation.state import measure_folder
from lastro.run.closing import KIND as CLOSING
from lastro.run.parts import COBRANCA, PAGES_FOLDER, REPORTS_FOLDER, RESUMO
from lastro.settings import GROUP_FOLDER, Retencao, Settings
from lastro.warehouse.lock import CompanyLock
from lastro.warehouse.publish import LINK_NAME, read_published
from lastro.warehouse.published import Reader, open_reader, read_needed_pages
from lastro.warehouse.store import PRIVATE_FOLDER

PAGES, WORKBOOKS, LEFTOVERS, RECORDS = "páginas", "planilhas", "sobras", "registros do Dagster"
"""What is let go."""
_WORKBOOK: Final = re.compile(
    r"(?P<kind>.+)_(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(_r(?P<revision>[0-9]+))?\.(?P<suffix>xlsx|html|pdf)"
)
_BOOK: Final = "xlsx"
_EVERY_DAY: Final = f"{COBRANCA}.{_BOOK}"
"""The workbook in which people type, and a small one: of it every day is kept."""
_ASIDE: Final = ".lixo"
_LEFTOVERS: Final = ("lastro.danificado", "lastro-v*.bak.duckdb", "*.copia")


@dataclass(frozen=True)
class Removal:
    """One thing that may go.

    Attributes:
        o_que: PAGES, WORKBOOKS, LEFTOVERS or RECORDS.
        empresa: whose; the group's folder; or Dagster.
        caminho: file or folder; of a record the id of its run.
        bytes: what it holds.
    """

    o_que: str
    empresa: str
    caminho: str
    bytes: int


def plan_removals(settings: Settings, now: datetime) -> tuple[Removal, ...]:
    """List what may go of every company, of those that left the settings too, and of the group.

    Args:
        settings: all settings.
        now: the clock, UTC.
    """
    found: list[Removal] = []
    with open_reader() as reader:
        for pasta in _list_companies(settings.dir):
            found += _plan_company(pasta, settings.retencao, now, reader)
    of_group = settings.dir / GROUP_FOLDER / REPORTS_FOLDER
    return (*found, *_plan_workbooks(GROUP_FOLDER, of_group, settings.retencao, now))


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
        aside = settings.dir / empresa / PRIVATE_FOLDER / _ASIDE
        with contextlib.suppress(LastroError), _held(settings.dir, empresa):
            gone += [removal for removal in own if _let_go(Path(removal.caminho), aside)]
        # Without the lock: a run that begins meanwhile must not find its company taken.
        shutil.rmtree(aside, ignore_errors=True)
    return tuple(gone)


def _let_go(path: Path, aside: Path) -> bool:
    """Remove a file, or move a folder aside, which is done at once."""
    with contextlib.suppress(OSError):
        if path.is_dir():
            aside.mkdir(exist_ok=True)
            path.rename(aside / path.name)
        else:
            path.unlink()
        return True
    return False


def prune(settings: Settings, now: datetime) -> tuple[Removal, ...]:
    """Plan and let go: what runs after a batch of runs, and every hour beside the schedules."""
    return remove(settings, plan_removals(settings, now))


@contextlib.contextmanager
def _held(folder: Path, empresa: str) -> Iterator[None]:
    """Hold a company, so that no run begins that needs what goes; the group has no lock and needs none."""
    if empresa == GROUP_FOLDER:
        yield
        return
    lock = CompanyLock(folder / empresa)
    lock.acquire("retention")
    try:
        yield
    finally:
        lock.release()


def _list_companies(folder: Path) -> list[Path]:
    """List the folders of companies, by what only they have."""
    with contextlib.suppress(OSError):
        return sorted(path for path in folder.iterdir() if (path / PRIVATE_FOLDER / "trava").is_file())
    return []


def _plan_company(pasta: Path, kept: Retencao, now: datetime, reader: Reader) -> Iterator[Removal]:
    yield from _plan_pages(pasta, kept, now, reader)
    yield from _plan_workbooks(pasta.name, pasta / REPORTS_FOLDER, kept, now)
    published = _read_age(pasta / LINK_NAME, now)
    for pattern in _LEFTOVERS:
        for path in sorted((pasta / PRIVATE_FOLDER).glob(pattern)):
            age = _read_age(path, now)
            # Only once a run went well after it was set aside.
            if published is not None and age is not None and timedelta(days=kept.sobras_dias) < age > published:
                yield Removal(LEFTOVERS, pasta.name, str(path), path.stat().st_size)


def _plan_pages(pasta: Path, kept: Retencao, now: datetime, reader: Reader) -> Iterator[Removal]:
    number = read_published(pasta)
    if number is None:
        return
    try:
        needed = read_needed_pages(pasta, reader)
    except LastroError:
        # What cannot be read says nothing about what it needs.
        return
    for path in sorted((pasta / PRIVATE_FOLDER / PAGES_FOLDER).glob("[0-9]*")):
        run, age = int(path.name) if path.name.isdecimal() else None, _read_age(path, now)
        if run is None or age is None or (run >= needed and run <= number):
            continue
        # Later than what is published: a run that failed, for a run under way holds the company.
        days = kept.sobras_dias if run > number else kept.paginas_dias
        if age > timedelta(days=days):
            yield Removal(PAGES, pasta.name, str(path), measure_folder(path))


def _plan_workbooks(empresa: str, folder: Path, kept: Retencao, now: datetime) -> Iterator[Removal]:
    by_kind: dict[str, list[tuple[str, int, Path]]] = defaultdict(list)
    for path in sorted(folder.glob("*_*.*")):
        match = _WORKBOOK.fullmatch(path.name)
        # Of other files than workbooks only the page is lastro's by its name.
        if match and match["kind"] != CLOSING and (match["suffix"] == _BOOK or match["kind"] == RESUMO):
            kind = f"{match['kind']}.{match['suffix']}"
            by_kind[kind].append((match["day"], int(match["revision"] or 1), path))
    for kind, files in by_kind.items():
        last_day = max(day for day, _, _ in files)
        last = {day: max(revision for other, revision, _ in files if other == day) for day, _, _ in files}
        weekly = set(last) if kind == _EVERY_DAY else find_last_of_weeks(last)
        for day, revision, path in files:
            if (day, revision) == (last_day, last[last_day]):
                continue
            if revision != last[day]:
                days = kept.refeitas_dias
            else:
                days = kept.planilhas_dias if day in weekly else min(kept.diarias_dias, kept.planilhas_dias)
            age = _read_age(path, now)
            if age is not None and age > timedelta(days=days):
                yield Removal(WORKBOOKS, empresa, str(path), path.stat().st_size)


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


def _read_age(path: Path, now: datetime) -> timedelta | None:
    """Read how long ago a file was written; None when it is gone."""
    try:
        return timedelta(seconds=now.timestamp() - path.stat().st_mtime)
    except OSError:
        return None
