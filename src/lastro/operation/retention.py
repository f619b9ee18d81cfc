"""What may go, and letting it go (`[retencao]`): never what a report, a recálculo, a hot run or a restoration needs.

Of what stands where people look only what the record says that lastro delivered there goes, with the content that was
delivered, or that was last read back whole: another one is a person's. Nothing goes while the clock is far from the
last publication. Dagster's records are pruned beside it (`pipelines.retention`). History (`hist`) stays: R13 and R14
stand on it.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from lastro.errors import LastroError
from lastro.files import demand_passage
from lastro.operation.state import measure_folder
from lastro.run.digests import digest_file, is_as_written
from lastro.run.names import PAGES_FOLDER, REPORTS_FOLDER
from lastro.run.record import DAMAGED, as_text, query_record, writing
from lastro.settings import GROUP_FOLDER, Retencao, Settings
from lastro.warehouse.file.lock import LOCK_NAME, CompanyLock
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER
from lastro.warehouse.publication.copies import read_published
from lastro.warehouse.publication.published_run import CopyReader, open_reader, read_first_run, read_needed_pages

PAGES, WORKBOOKS, LEFTOVERS, RECORDS = "páginas", "planilhas", "sobras", "registros do Dagster"
"""What is let go."""
CLOCK_AHEAD: Final = 45
"""Days after the last publication up to which anything goes: a clock that jumped is older than any limit."""
LEFTOVER_DAYS: Final = 7  # of what runs that failed left: damaged files, copies of migrations, pages
EDITED: Final = "alguém a editou depois de escrita"
UNREAD: Final = "há nela o que o lastro não leu"
UNREADABLE: Final = "não pôde ser lida"
_ASIDE: Final = ".lixo"
_DAMAGED: Final = "lastro*.danificado"
_LEFTOVERS: Final = (_DAMAGED, "lastro-v*.bak.duckdb", "*.copia", f"../{DAMAGED}")
_DELIVERED: Final = """
WITH de_pe AS (
  SELECT *, max(r) OVER (PARTITION BY especie, dia) AS ultima, max(dia) OVER (PARTITION BY especie) AS ultimo_dia,
    max(dia) OVER (PARTITION BY especie, date(dia, '-6 days', 'weekday 1')) AS da_semana
  FROM entrega WHERE saiu IS NULL AND publicada IS NOT NULL AND caminho IN (SELECT value FROM json_each(:presentes))
), regra AS (
  SELECT *, CASE WHEN especie LIKE 'fechamento.%' THEN 'fechamento: fica sempre'
    WHEN r < ultima THEN 'há outra mais nova do mesmo dia'
    WHEN dia = ultimo_dia THEN 'a mais nova'
    WHEN especie LIKE 'cobranca.%' THEN 'mesa de cobrança' WHEN especie LIKE 'pagamentos.%' THEN 'mesa de pagamentos'
    WHEN dia = da_semana THEN 'a última da semana' ELSE 'diária' END AS porque FROM de_pe
), prazo AS (
  SELECT *, CASE WHEN porque LIKE 'há outra%' THEN :diarias WHEN porque = 'diária' THEN min(:diarias, :planilhas)
    WHEN porque LIKE 'mesa%' OR porque LIKE 'a última%' THEN :planilhas END AS dias FROM regra
)
SELECT caminho, bytes, sha256, lido, fora, porque, date(escrito, dias || ' days'),
  coalesce(julianday(:agora) - julianday(escrito) > dias, 0) FROM prazo ORDER BY caminho
"""
"""Every file that stands as delivered: why it stays, until when, and whether that time is over."""


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
    """One thing that stays: what, whose, where, why, and until which day (UTC) at least, where one ends it."""

    o_que: str
    empresa: str
    caminho: str
    porque: str
    ate: date | None = None

    def describe(self) -> dict[str, Any]:
        """Describe it for JSON."""
        return asdict(self) | {"ate": None if self.ate is None else self.ate.isoformat()}


@dataclass(frozen=True)
class Plan:
    """What may go, what stays, and why nothing of a company goes; a sentence each."""

    going: tuple[Removal, ...]
    kept: tuple[Kept, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Folder:
    """A company's folder, or the group's, and what it is looked at with."""

    pasta: Path
    kept: Retencao
    now: datetime
    reader: CopyReader

    @property
    def home(self) -> Path:
        """Whose record says what was delivered there."""
        return self.pasta.parent if self.pasta.name == GROUP_FOLDER else self.pasta

    def age(self, path: Path) -> timedelta | None:
        """Read how long ago a file was written; None when it is gone."""
        with contextlib.suppress(OSError, OverflowError):
            return timedelta(seconds=self.now.timestamp() - path.stat().st_mtime)
        return None

    def keep(self, what: str, path: Path, why: str, until: date | None = None) -> Kept:
        """Keep a thing."""
        return Kept(what, self.pasta.name, str(path), why, until)

    def keep_for(self, what: str, path: Path, days: int, why: str) -> Removal | Kept:
        """Keep a thing for so many days after it was written."""
        age = self.age(path)
        if age is not None and age <= timedelta(days=days):
            return self.keep(what, path, why, (self.now - age + timedelta(days=days)).astimezone(UTC).date())
        size = measure_folder(path) if path.is_dir() else path.lstat().st_size if age is not None else 0
        return Removal(what, self.pasta.name, str(path), size)


def plan_removals(settings: Settings, now: datetime) -> Plan:
    """Plan the deletions of every company, of companies that left the settings, and of the group.

    Args:
        settings: all settings.
        now: the clock, UTC.
    """
    going, kept, warnings = list[Removal](), list[Kept](), list[str]()
    with open_reader() as reader:
        for pasta in _list_folders(settings):
            folder = _Folder(pasta, settings.retencao, now, reader)
            looks = [*_look_at_pages(folder), *_look_at_files(folder), *_look_at_leftovers(folder)]
            may = [look for look in looks if isinstance(look, Removal)]
            kept += [look for look in looks if isinstance(look, Kept)]
            wrong = _find_wrong(folder) if may else ""
            if wrong:
                warnings.append(f"{pasta.name}: {wrong}")
                kept += [folder.keep(look.o_que, Path(look.caminho), wrong) for look in may]
            else:
                going += may
    return Plan(tuple(going), tuple(kept), tuple(warnings))


def _find_wrong(folder: _Folder) -> str:
    """Say why nothing may go; empty when it may."""
    sql = "SELECT julianday(?) - julianday(max(publicada)) FROM entrega"
    days = next((days for (days,) in query_record(folder.home, sql, [as_text(folder.now)])), None)
    if days is None:
        return "nada está publicado, pelo registro"
    if days > CLOCK_AHEAD:
        return f"o relógio está {int(days)} dias além da última execução publicada"
    return "o relógio está antes da última execução publicada" if days < 0 else ""


def remove(settings: Settings, removals: Iterable[Removal], now: datetime) -> tuple[Removal, ...]:
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
        aside, home = pasta / PRIVATE_FOLDER / _ASIDE, settings.dir if empresa == GROUP_FOLDER else pasta
        with contextlib.suppress(LastroError), _hold(pasta):
            went = [removal for removal in own if _let_go(removal, aside)]
            gone += went
            with writing(home) as con:
                rows = [(as_text(now), str(Path(each.caminho).relative_to(home))) for each in went if each.sha256]
                con.executemany("UPDATE entrega SET saiu = ? WHERE caminho = ?", rows)
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
        elif not removal.sha256 or is_as_written(path, {removal.sha256}):
            path.unlink()
        else:
            return False
        return True
    return False


def prune(settings: Settings, now: datetime) -> tuple[Removal, ...]:
    """Plan and let go: what runs after a batch of runs, and every hour beside the schedules."""
    return remove(settings, plan_removals(settings, now).going, now)


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
        folders = sorted(path for path in settings.dir.iterdir() if _is_file(path / PRIVATE_FOLDER / LOCK_NAME))
    group = settings.dir / GROUP_FOLDER
    return [*(path for path in folders if path != group), group]


def _look_at_files(folder: _Folder) -> Iterator[Removal | Kept]:
    """Look at what stands in `relatorios` as it was delivered; read are only the files whose time is over."""
    place = (folder.pasta / REPORTS_FOLDER).relative_to(folder.home)
    names = [str(path.relative_to(folder.home)) for path in (folder.home / place).glob("*") if _is_file(path)]
    asked: Mapping[str, object] = {
        "presentes": json.dumps(names), "agora": as_text(folder.now),
        "diarias": folder.kept.diarias_dias, "planilhas": folder.kept.planilhas_dias,
    }  # fmt: skip
    for name, size, written, read, left, why, until, over in query_record(folder.home, _DELIVERED, asked):
        path = folder.home / name
        if not over:
            yield folder.keep(WORKBOOKS, path, why, date.fromisoformat(until) if until else None)
            continue
        try:
            digest = digest_file(path)
        except OSError:
            yield folder.keep(WORKBOOKS, path, UNREADABLE)
            continue
        if digest == written or (digest == read and left is None):
            yield Removal(WORKBOOKS, folder.pasta.name, str(path), size, digest)
        else:
            yield folder.keep(WORKBOOKS, path, UNREAD if digest == read else EDITED)


def _look_at_leftovers(folder: _Folder) -> Iterator[Removal | Kept]:
    private, published = folder.pasta / PRIVATE_FOLDER, folder.age(folder.pasta / LINK_NAME)
    for path in sorted(path for pattern in _LEFTOVERS for path in private.glob(pattern) if _is_file(path)):
        look, age = folder.keep_for(LEFTOVERS, path, LEFTOVER_DAYS, "recente"), folder.age(path)
        if isinstance(look, Removal) and (published is None or age is None or age <= published):
            look = folder.keep(LEFTOVERS, path, "nenhuma execução foi publicada depois")
        if isinstance(look, Removal) and path.match(_DAMAGED) and not _is_covered(folder, path):
            look = folder.keep(LEFTOVERS, path, "pode ser tudo o que resta do histórico")
        yield look


def _is_covered(folder: _Folder, damaged: Path) -> bool:
    """Tell whether what is published has history from before a damaged file was written last."""
    with contextlib.suppress(LastroError, OSError):
        first = read_first_run(folder.pasta, folder.reader)
        return first is not None and first.replace(tzinfo=UTC).timestamp() < damaged.stat().st_mtime
    return False


def _look_at_pages(folder: _Folder) -> Iterator[Removal | Kept]:
    execucao_id = read_published(folder.pasta)
    if execucao_id is None or folder.pasta.name == GROUP_FOLDER:
        return
    try:
        needed = read_needed_pages(folder.pasta, folder.reader)
    except LastroError:
        return  # what cannot be read says nothing about what it needs
    for path in sorted((folder.pasta / PRIVATE_FOLDER / PAGES_FOLDER).glob("[0-9]*")):
        if not path.name.isdecimal() or path.is_symlink() or not path.is_dir():
            continue
        run = int(path.name)
        if needed <= run <= execucao_id:
            yield folder.keep(PAGES, path, "a próxima execução pode precisar delas")
        elif run > execucao_id:  # a run that failed, for a run under way holds the company
            yield folder.keep_for(PAGES, path, LEFTOVER_DAYS, "de uma execução que falhou")
        else:
            yield folder.keep_for(PAGES, path, folder.kept.paginas_dias, "recentes")


def _is_file(path: Path) -> bool:
    """Tell whether a path is a regular file: no link, no folder, nothing that is waited for or hidden."""
    with contextlib.suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False
