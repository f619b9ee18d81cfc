"""What may go, and letting it go (`[retencao]`): never what a report, a recálculo, a hot run or a restoration needs.

Of what stands where people look only what the record says that lastro delivered there goes, with the content that was
delivered, or that was last read back whole: another one is a person's. Nothing goes while the clock is far from the
last publication. Dagster's records are pruned beside it (`lastro_pipelines.retention`). History (`hist`) stays: R13 and
R14 stand on it.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from lastro.errors import LastroError
from lastro.files import demand_passage, digest_file
from lastro.operation.state import measure_folder
from lastro.run.names import PAGES_FOLDER, REPORTS_FOLDER
from lastro.run.record import DAMAGED, as_text, query_record, writing
from lastro.settings import GROUP_FOLDER, Retencao, Settings
from lastro.warehouse.file.lock import LOCK_NAME, CompanyLock
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER
from lastro.warehouse.publication.copies import read_published
from lastro.warehouse.publication.published_run import CopyReader, open_reader, read_first_run, read_needed_pages

PAGES, WORKBOOKS, LEFTOVERS = "páginas", "planilhas", "sobras"
"""What is let go."""
LEFTOVER_DAYS: Final = 7  # of what runs that failed left: damaged files, copies of migrations, pages
EDITED: Final = "alguém a editou depois de escrita"
UNREAD: Final = "há nela o que o lastro não leu"
UNREADABLE: Final = "não pôde ser lida"
_ASIDE: Final = ".lixo"
_DAMAGED: Final = "lastro*.danificado"
_LEFTOVERS: Final = (_DAMAGED, "lastro-v*.bak.duckdb", "*.copia", f"../{DAMAGED}")
_CLOCK: Final = """
SELECT CASE WHEN dias > 45 THEN printf('o relógio está %d dias além da última execução publicada', dias)
  WHEN dias < 0 THEN 'o relógio está antes da última execução publicada' ELSE '' END
FROM (SELECT julianday(:agora) - julianday(max(publicada)) AS dias FROM entrega) WHERE dias IS NOT NULL
"""
_UNKNOWN: Final = [("nada está publicado, pelo registro",)]
"""Why nothing may go: 45 days after the last publication a clock has jumped, which is older than any limit."""
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
class Candidate:
    """One thing that was looked at: it goes, or stays for a reason.

    Attributes:
        o_que: PAGES, WORKBOOKS or LEFTOVERS.
        empresa: whose, or the group's folder.
        caminho: file or folder.
        bytes: what it holds; 0 where that was not asked.
        porque: why it stays; empty where it goes.
        ate: until which day (UTC) it stays at least, where one ends it.
        sha256: of a file of `relatorios` the content that was looked at: another one does not go.
    """

    o_que: str
    empresa: str
    caminho: str
    bytes: int = 0
    porque: str = ""
    ate: date | None = None
    sha256: str = ""

    def describe(self) -> dict[str, Any]:
        """Describe it for JSON."""
        told: dict[str, Any] = {"o_que": self.o_que, "empresa": self.empresa, "caminho": self.caminho}
        if not self.porque:
            return told | {"bytes": self.bytes}
        return told | {"porque": self.porque, "ate": None if self.ate is None else self.ate.isoformat()}


@dataclass(frozen=True)
class Plan:
    """What may go, what stays, and why nothing of a company goes; a sentence each."""

    going: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]
    warnings: tuple[str, ...]


def plan_removals(settings: Settings, now: datetime) -> Plan:
    """Plan the deletions of every company, of companies that left the settings, and of the group.

    Args:
        now: the clock, UTC.
    """
    looks, warnings = list[Candidate](), list[str]()
    with open_reader() as reader:
        for pasta in _list_folders(settings):
            folder = _Folder(pasta, settings.retencao, now, reader)
            own = [*folder.look_at_pages(), *folder.look_at_files(), *folder.look_at_leftovers()]
            ((wrong,),) = query_record(folder.home, _CLOCK, {"agora": as_text(now)}) or _UNKNOWN
            if wrong and not all(look.porque for look in own):
                warnings.append(f"{pasta.name}: {wrong}")
                own = [look if look.porque else replace(look, porque=wrong, sha256="") for look in own]
            looks += own
    going = tuple(look for look in looks if not look.porque)
    return Plan(going, tuple(look for look in looks if look.porque), tuple(warnings))


def remove(settings: Settings, going: Iterable[Candidate], now: datetime) -> tuple[Candidate, ...]:
    """Let go what was planned; a company that runs, or a file that will not go, waits for the next time.

    Returns:
        What is gone.
    """
    gone = []
    for empresa, own in groupby(going, lambda look: look.empresa):
        pasta = settings.dir / empresa
        aside, home = pasta / PRIVATE_FOLDER / _ASIDE, settings.dir if empresa == GROUP_FOLDER else pasta
        # No run may begin that needs what is deleted; the group needs no lock.
        held = contextlib.nullcontext() if empresa == GROUP_FOLDER else CompanyLock(pasta).held("retenção")
        with contextlib.suppress(LastroError), held:
            went = [look for look in own if _let_go(look, aside)]
            gone += went
            with writing(home) as con:
                rows = [(as_text(now), str(Path(each.caminho).relative_to(home))) for each in went if each.sha256]
                con.executemany("UPDATE entrega SET saiu = ? WHERE caminho = ?", rows)
        # Without the lock: a run that begins meanwhile must not find its company taken.
        shutil.rmtree(aside, ignore_errors=True)
    return tuple(gone)


def _let_go(look: Candidate, aside: Path) -> bool:
    """Remove a file if it is as it was looked at, or move a folder aside, which is done at once."""
    path = Path(look.caminho)
    with contextlib.suppress(OSError):
        if look.o_que == PAGES:
            aside.mkdir(exist_ok=True)
            path.rename(aside / path.name)
        elif look.sha256 and digest_file(path) != look.sha256:
            return False
        else:
            path.unlink()
        return True
    return False


def prune(settings: Settings, now: datetime) -> tuple[Candidate, ...]:
    """Plan and let go: what runs after a batch of runs, and every hour beside the schedules."""
    return remove(settings, plan_removals(settings, now).going, now)


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

    def look_at_files(self) -> Iterator[Candidate]:
        """Look at what stands in `relatorios` as it was delivered; read are only the files whose time is over."""
        files = [path for path in (self.pasta / REPORTS_FOLDER).glob("*") if _is_file(path)]
        asked: dict[str, object] = {"presentes": json.dumps([str(path.relative_to(self.home)) for path in files])}
        asked |= {"agora": as_text(self.now), "diarias": self.kept.diarias_dias, "planilhas": self.kept.planilhas_dias}
        for name, size, *known, why, until, over in query_record(self.home, _DELIVERED, asked):
            look = Candidate(WORKBOOKS, self.pasta.name, str(self.home / name), size)
            if over:
                yield _judge(look, *known)
            else:
                yield replace(look, porque=why, ate=date.fromisoformat(until) if until else None)

    def look_at_leftovers(self) -> Iterator[Candidate]:
        """Look at what runs that failed left; it stays until one went well after it."""
        private, published = self.pasta / PRIVATE_FOLDER, self._age(self.pasta / LINK_NAME)
        for path in sorted(path for pattern in _LEFTOVERS for path in private.glob(pattern) if _is_file(path)):
            look, age = self._keep(LEFTOVERS, path, LEFTOVER_DAYS, "recente"), self._age(path)
            if not look.porque and (published is None or age is None or age <= published):
                look = replace(look, porque="nenhuma execução foi publicada depois")
            if not look.porque and path.match(_DAMAGED) and not self._covers(path):
                look = replace(look, porque="pode ser tudo o que resta do histórico")
            yield look

    def look_at_pages(self) -> Iterator[Candidate]:
        """Look at the pages that were read, a folder each run."""
        execucao_id = read_published(self.pasta)
        if execucao_id is None or self.pasta.name == GROUP_FOLDER:
            return
        try:
            needed = read_needed_pages(self.pasta, self.reader)
        except LastroError:
            return  # what cannot be read says nothing about what it needs
        for path in sorted((self.pasta / PRIVATE_FOLDER / PAGES_FOLDER).glob("[0-9]*")):
            if not path.name.isdecimal() or path.is_symlink() or not path.is_dir():
                continue
            run = int(path.name)
            if needed <= run <= execucao_id:
                yield Candidate(PAGES, self.pasta.name, str(path), porque="a próxima execução pode precisar delas")
            elif run > execucao_id:  # a run that failed, for a run under way holds the company
                yield self._keep(PAGES, path, LEFTOVER_DAYS, "de uma execução que falhou")
            else:
                yield self._keep(PAGES, path, self.kept.paginas_dias, "recentes")

    def _keep(self, what: str, path: Path, days: int, why: str) -> Candidate:
        """Keep a thing for so many days after it was written."""
        age = self._age(path)
        if age is not None and age <= timedelta(days=days):
            until = (self.now - age + timedelta(days=days)).astimezone(UTC).date()
            return Candidate(what, self.pasta.name, str(path), porque=why, ate=until)
        size = measure_folder(path) if path.is_dir() else path.lstat().st_size if age is not None else 0
        return Candidate(what, self.pasta.name, str(path), size)

    def _age(self, path: Path) -> timedelta | None:
        """Read how long ago a file was written; None when it is gone."""
        with contextlib.suppress(OSError, OverflowError):
            return timedelta(seconds=self.now.timestamp() - path.stat().st_mtime)
        return None

    def _covers(self, damaged: Path) -> bool:
        """Tell whether what is published has history from before a damaged file was written last."""
        with contextlib.suppress(LastroError, OSError):
            first = read_first_run(self.pasta, self.reader)
            return first is not None and first.replace(tzinfo=UTC).timestamp() < damaged.stat().st_mtime
        return False


def _judge(look: Candidate, written: str, read: str | None, left: str | None) -> Candidate:
    """Let a file go that is as it was delivered, or as it was last read back whole."""
    try:
        digest = digest_file(Path(look.caminho))
    except OSError:
        return replace(look, porque=UNREADABLE)
    if digest == written or (digest == read and left is None):
        return replace(look, sha256=digest)
    return replace(look, porque=UNREAD if digest == read else EDITED)


def _is_file(path: Path) -> bool:
    """Tell whether a path is a regular file: no link, no folder, nothing that is waited for or hidden."""
    with contextlib.suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False
