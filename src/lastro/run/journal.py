"""What became of a company's last runs, in a small file that anybody may read without opening a warehouse.

`privado/situacao.json` says which run is under way, which failure no good run has come after, which reading waits for a
report, and whether the history was rebuilt. Only who holds the company's lock writes it. What was published the
published copy says itself; nothing of it is repeated here but the sentences about closings, which no table has (S25).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from lastro.api.breaker import TokenRefused
from lastro.errors import LastroError, RunHeld
from lastro.run.status_file import keep_text, take_known
from lastro.schema.run_kinds import Modo
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.file.store import PRIVATE_FOLDER

JOURNAL: Final = "situacao.json"
HELD, TOKEN, FAILED = "retida", "token", "falhou"
"""Kinds of failure, by what a person has to do."""
DEFECT, INTERRUPTED = "defeito", "interrompida"
"""Names of what is no error of ours: a defect of lastro, and a process that ended without a word."""
REBUILT: Final = "reconstruído da cópia publicada"
BEGUN_ANEW: Final = "recomeçado do zero"
RESUMED: Final = "retomado de um ponto anterior"
"""What became of a company's history when its private file was damaged or gone, or an older one was put there."""
_LOST: Final = (
    "o arquivo da empresa estava danificado ou faltava",
    "veja se o disco está bem; se falta histórico, restaure o backup",
)
_PUT_BACK: Final = (
    "o arquivo privado é mais velho que o publicado",
    "se alguém voltou atrás ou restaurou, nada; senão veja quem pôs ali o arquivo",
)
HISTORY_SHOWN: Final = timedelta(days=7)
"""How long that is told: as long as what was set aside is kept."""
_MOMENTS: Final = frozenset({"desde", "de_novo"})
_RECADOS: Final = "avisos"
"""What the file, of whatever version, calls `Journal.recados`."""


@dataclass(frozen=True)
class Attempt:
    """A run under way.

    Attributes:
        execucao_id: its number.
        tipo: kind of run.
        desde: when it began, UTC.
    """

    execucao_id: int
    tipo: str
    desde: datetime


@dataclass(frozen=True)
class Failure:
    """A failure after which no good run of its kind, and no complete one, has come.

    Attributes:
        execucao_id: number of the last run that failed; None where it did not get as far as a number.
        tipo: its kind.
        causa: HELD, TOKEN or FAILED.
        classe: name of the error, as the manual has it.
        codigo: exit code.
        mensagem: what it said; no personal data, as in every error.
        o_que_fazer: the cure in a few words.
        desde: when the first of the failures in a row was, UTC.
        de_novo: when it is tried again by itself, UTC; None when it is not.
        tentativas: how many attempts by itself came before, of those that are to go on.
    """

    execucao_id: int | None
    tipo: str
    causa: str
    classe: str
    codigo: int
    mensagem: str
    o_que_fazer: str
    desde: datetime
    de_novo: datetime | None = None
    tentativas: int = 0


@dataclass(frozen=True)
class Proven:
    """A proven reading that no report has published.

    Attributes:
        execucao_id: its number.
        desde: when it began, UTC: as of then its figures will be.
    """

    execucao_id: int
    desde: datetime


@dataclass(frozen=True)
class History:
    """What became of a company's history.

    Attributes:
        o_que: REBUILT, BEGUN_ANEW or RESUMED.
        desde: when, UTC.
    """

    o_que: str
    desde: datetime

    @property
    def por_que(self) -> str:
        """Say why."""
        return self._told[0]

    @property
    def o_que_fazer(self) -> str:
        """Say what to do about it."""
        return self._told[1]

    @property
    def _told(self) -> tuple[str, str]:
        return _PUT_BACK if self.o_que == RESUMED else _LOST


@dataclass(frozen=True)
class Journal:
    """Everything noted of a company; `recados` are warnings of the published run, `resumo` its page to mail."""

    andamento: Attempt | None = None
    falha: Failure | None = None
    historia: History | None = None
    leitura: Proven | None = None
    recados: tuple[str, ...] = ()
    resumo: str = ""

    def recent_history(self, now: datetime) -> History | None:
        """Say what became of the company's history lately."""
        history = self.historia
        return history if history is not None and now - history.desde <= HISTORY_SHOWN else None


def read_journal(pasta: Path) -> Journal:
    """Read what a company's runs left; a file that cannot be read says nothing."""
    try:
        document = json.loads((pasta / PRIVATE_FOLDER / JOURNAL).read_text(encoding="utf-8"))
        kinds = {"andamento": Attempt, "falha": Failure, "historia": History, "leitura": Proven}
        parts = {name: _read(kind, document.get(name)) for name, kind in kinds.items()}
        return Journal(**parts, recados=tuple(document.get(_RECADOS) or ()), resumo=document.get("resumo") or "")
    except (OSError, ValueError, TypeError, AttributeError):
        return Journal()


def _read(kind: type[Any], row: Mapping[str, Any] | None) -> Any:
    """Read one part; what another version says more of it is left out, and where it says less, only this is lost."""
    if row is None:
        return None
    known = take_known(kind, row)
    known |= {name: datetime.fromisoformat(known[name]) for name in _MOMENTS if known.get(name)}
    try:
        return kind(**known)
    except TypeError:
        return None


def note_begin(pasta: Path, execucao_id: int, tipo: str, moment: datetime) -> None:
    """Note that a run is under way; another one that stood there died without a word, and that is a failure."""
    before = read_journal(pasta)
    dead = before.andamento
    if dead is not None and dead.execucao_id != execucao_id:
        note_failure(pasta, dead.execucao_id, dead.tipo, KeyboardInterrupt(), moment)
        before = read_journal(pasta)
    _write(pasta, replace(before, andamento=Attempt(execucao_id, tipo, moment)))


def note_read(pasta: Path, execucao_id: int, moment: datetime) -> None:
    """Note that a reading that began at a moment is proven and waits for a report."""
    _write(pasta, replace(read_journal(pasta), andamento=None, leitura=Proven(execucao_id, moment)))


def note_failure(pasta: Path, execucao_id: int | None, tipo: str, error: BaseException, moment: datetime) -> None:
    """Note that a run failed; of several in a row for the same cause the first moment is kept."""
    journal = read_journal(pasta)
    before = journal.falha
    if isinstance(error, LastroError):
        told = (_find_cause(error), error.documented_name, error.exit_code, str(error), error.cure)
    elif isinstance(error, Exception):
        # What a defect says may be anybody's data.
        told = (FAILED, DEFECT, 1, f"um defeito do lastro ({type(error).__name__})", "rode de novo; se voltar, relate")
    else:
        told = (FAILED, INTERRUPTED, 130, "a execução foi interrompida antes de publicar", "rode de novo")
    since = before.desde if before is not None and before.causa == told[0] else moment
    _write(pasta, replace(journal, andamento=None, falha=Failure(execucao_id, tipo, *told, since)))


def note_unstarted(pasta: Path, tipo: str, error: LastroError, moment: datetime) -> None:
    """Note what kept a run from beginning, where the company has a folder and nobody holds it."""
    if not (pasta / PRIVATE_FOLDER).is_dir():
        return
    with contextlib.suppress(LastroError), CompanyLock(pasta).held("anota uma falha"):
        note_failure(pasta, None, tipo, error, moment)


def note_retry(pasta: Path, due: datetime, tried: int) -> None:
    """Note when what failed is tried again by itself, and how often it was."""
    journal = read_journal(pasta)
    if journal.falha is not None:
        _write(pasta, replace(journal, falha=replace(journal.falha, de_novo=due, tentativas=tried)))


def note_good(pasta: Path, tipo: str, leitura_id: int, recados: Sequence[str] | None, resumo: str = "") -> None:
    """Note that a run ended well and clear the noted failure: a complete run clears any, another one of its own kind.

    Args:
        pasta: the company's folder.
        tipo: kind of run.
        leitura_id: the reading that it reports: that one waits no more, nor does an older one.
        recados: what it warns of; None for one of a past day that published nothing and clears no failure: people still
            have what they had.
        resumo: its page as a text, where that goes out as mail.
    """
    journal = read_journal(pasta)
    falha = journal.falha
    good = falha is None or (recados is not None and tipo in (Modo.COMPLETA, falha.tipo))
    if recados is not None:
        journal = replace(journal, recados=tuple(recados), resumo=resumo)
    waiting = journal.leitura if journal.leitura is not None and journal.leitura.execucao_id > leitura_id else None
    _write(pasta, replace(journal, andamento=None, falha=None if good else falha, leitura=waiting))


def note_history(pasta: Path, what: str, moment: datetime, say: Callable[[str], None]) -> None:
    """Note and say that a company's history was rebuilt, resumed or begun anew; nothing where it is as it was."""
    if what:
        history = History(what, moment)
        _write(pasta, replace(read_journal(pasta), historia=history, leitura=None))  # of another file
        say(f"{pasta.name}: {history.por_que}; o histórico foi {what} (lastro manual Restaurar)")


def _find_cause(error: LastroError) -> str:
    if isinstance(error, TokenRefused):
        return TOKEN
    return HELD if isinstance(error, RunHeld) else FAILED


def _write(pasta: Path, journal: Journal) -> None:
    parts = asdict(journal)
    parts[_RECADOS] = parts.pop("recados")
    text = json.dumps(parts, ensure_ascii=False, default=datetime.isoformat)
    keep_text(pasta / PRIVATE_FOLDER / JOURNAL, text)
