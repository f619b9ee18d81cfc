"""What became of a company's runs, as its record says: which is under way, which failure stands, what is told of it.

Only who holds the company's lock writes it. What a run published the published copy says itself; nothing of it is
repeated here but the sentences about closings, which no table has (S25), and the page to mail.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from lastro.api.breaker import TokenRefused
from lastro.errors import LastroError, RunHeld
from lastro.run.record import as_said, as_text, keep_signal, query_record, writing
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.file.store import PRIVATE_FOLDER
from lastro.warehouse.publication.copies import read_published

HELD, TOKEN, FAILED = "retida", "token", "falhou"
"""Kinds of failure, by what a person has to do."""
DEFECT, INTERRUPTED = "defeito", "interrompida"
"""Names of what is no error of ours: a defect of lastro, and a process that ended without a word."""
REBUILT: Final = "reconstruído da cópia publicada"
BEGUN_ANEW: Final = "recomeçado do zero"
RESUMED: Final = "retomado de um ponto anterior"
UNRECORDED: Final = "mantido, e o registro do que aconteceu recomeçado"
"""What became of a company's history when its private file was damaged or gone, or older, or its record was."""
_LOST: Final = (
    "o arquivo da empresa estava danificado ou faltava",
    "veja se o disco está bem; se falta histórico, restaure o backup",
)
_WHY: Final = {
    RESUMED: (
        "o arquivo privado é mais velho que o publicado",
        "se alguém voltou atrás ou restaurou, nada; senão veja quem pôs ali o arquivo",
    ),
    UNRECORDED: (
        "o registro da empresa estava danificado ou faltava",
        "veja se o disco está bem; as planilhas de antes ficam até alguém as apagar",
    ),
}
"""Why that was, and what to do about it; else _LOST."""
HISTORY_SHOWN: Final = timedelta(days=7)
"""How long that is told: as long as what was set aside is kept."""
_READ: Final = """SELECT
  (SELECT json_object('execucao_id', numero, 'tipo', tipo, 'desde', desde)
   FROM execucao WHERE fim IS NULL ORDER BY ordem DESC LIMIT 1),
  (SELECT json_object('execucao_id', numero, 'causa', causa, 'classe', classe, 'codigo', codigo, 'mensagem', texto,
   'o_que_fazer', cura, 'desde', primeira, 'de_novo', de_novo, 'tentativas', tentativas) FROM falha),
  (SELECT valor FROM sinal WHERE quem = 'historia'),
  (SELECT json_object('execucao_id', numero, 'tipo', tipo, 'desde', lida) FROM espera),
  (SELECT recados FROM execucao WHERE boa ORDER BY ordem DESC LIMIT 1),
  (SELECT resumo FROM execucao WHERE boa ORDER BY ordem DESC LIMIT 1)"""

_OPEN: Final = """INSERT INTO execucao (numero, tipo, desde) SELECT ?1, ?2, ?3
  WHERE NOT EXISTS (SELECT 1 FROM execucao WHERE numero IS ?1 AND fim IS NULL)"""


@dataclass(frozen=True)
class Attempt:
    """A run under way, or a proven reading: number, kind, and when it began, UTC."""

    execucao_id: int
    tipo: str
    desde: datetime


@dataclass(frozen=True)
class Failure:
    """A failure after which no good run of its kind, and no complete one, has come.

    Attributes:
        execucao_id: number of the last run that failed; None where it did not get as far as a number.
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
    causa: str
    classe: str
    codigo: int
    mensagem: str
    o_que_fazer: str
    desde: datetime
    de_novo: datetime | None = None
    tentativas: int = 0


@dataclass(frozen=True)
class History:
    """What became of a company's history (REBUILT, BEGUN_ANEW, RESUMED, UNRECORDED), why, the cure, and when, UTC."""

    o_que: str
    por_que: str
    o_que_fazer: str
    desde: datetime


@dataclass(frozen=True)
class Happened:
    """What the record says of a company.

    Attributes:
        andamento: a run that stands as under way.
        falha: the failure that stands.
        historia: what became of its history, whenever that was.
        leitura: a proven reading that no report has published: as of when it began its figures are.
        recados: warnings of the published run.
        resumo: its page to mail.
    """

    andamento: Attempt | None = None
    falha: Failure | None = None
    historia: History | None = None
    leitura: Attempt | None = None
    recados: tuple[str, ...] = ()
    resumo: str = ""

    def recent_history(self, now: datetime) -> History | None:
        """Say what became of the company's history lately."""
        history = self.historia
        return history if history is not None and now - history.desde <= HISTORY_SHOWN else None


def read_happened(pasta: Path) -> Happened:
    """Read what a company's runs came to; a record that cannot be read says nothing."""
    running, failed, history, proven, recados, page = next(iter(query_record(pasta, _READ)), (None,) * 6)
    return Happened(
        _read(Attempt, running),
        _read(Failure, failed),
        _read(History, history),
        _read(Attempt, proven),
        tuple(json.loads(recados or "[]")),
        page or "",
    )


def _read(kind: Callable[..., Any], text: str | None) -> Any:
    row: dict[str, Any] = json.loads(text or "{}")
    moments = {name: datetime.fromisoformat(row[name]) for name in ("desde", "de_novo") if row.get(name)}
    return kind(**row | moments) if row else None


def begin(pasta: Path, execucao_id: int, tipo: str, moment: datetime) -> None:
    """Write down that a run is under way; another one that stands there died without a word. Raises as `writing`."""
    with writing(pasta) as con:
        _end_dead(con, pasta, execucao_id, moment)
        con.execute(_OPEN, [execucao_id, tipo, as_text(moment)])


def note_proven(pasta: Path, execucao_id: int, began: datetime) -> None:
    """Write down that a reading that began at a moment is proven: it ends, and waits for a report."""
    with contextlib.suppress(LastroError), writing(pasta) as con:
        sql = "UPDATE execucao SET lida = ?1, fim = ?1 WHERE numero = ?2 AND fim IS NULL"
        con.execute(sql, [as_text(began), execucao_id])


def fail(pasta: Path, execucao_id: int | None, tipo: str, error: BaseException, moment: datetime) -> None:
    """Write down that a run failed; of several in a row for the same cause the first moment is kept.

    That it cannot be written is not told: the failure itself is, and the next run finds that this one died.
    """
    with contextlib.suppress(LastroError), writing(pasta) as con:
        _end_dead(con, pasta, execucao_id, moment)
        _fail(con, execucao_id, tipo, error, moment)


def fail_unstarted(pasta: Path, tipo: str, error: LastroError, moment: datetime) -> None:
    """Write down what kept a run from beginning, where the company has a folder and nobody holds it."""
    if (pasta / PRIVATE_FOLDER).is_dir():
        with contextlib.suppress(LastroError), CompanyLock(pasta).held("anota uma falha"):
            fail(pasta, None, tipo, error, moment)


def try_again(pasta: Path, due: datetime, tried: int) -> None:
    """Write down when what failed is tried again by itself, and how often it was."""
    with contextlib.suppress(LastroError), writing(pasta) as con:
        sql = "UPDATE execucao SET de_novo = ?, tentativas = ? WHERE ordem = (SELECT ordem FROM falha)"
        con.execute(sql, [as_text(due), tried])


def succeed(
    pasta: Path, execucao_id: int, moment: datetime, *, leitura_id: int | None = None, past: bool = False
) -> None:
    """Write down that a run ended well, and what it delivered is published; what cannot be written now is later.

    The reading that it reports, which is its own where none is named, waits no more, nor does an older one.

    A complete run clears any failure, another one those of its kind. One of a past day that published nothing clears
    none: people still have what they had.
    """
    with contextlib.suppress(LastroError), writing(pasta) as con:
        _succeed(con, execucao_id, moment, leitura_id or execucao_id, past=past)


def note_history(pasta: Path, what: str, moment: datetime, say: Callable[[str], None]) -> None:
    """Write down and say that a company's history was rebuilt, resumed or begun anew; nothing where it is as it was."""
    if what:
        why, cure = _WHY.get(what, _LOST)
        told = {"o_que": what, "por_que": why, "o_que_fazer": cure, "desde": moment.isoformat()}
        with contextlib.suppress(LastroError):
            keep_signal(pasta, "historia", json.dumps(told))
            with writing(pasta) as con:  # a reading of another file waits for nothing
                con.execute("UPDATE execucao SET lida = NULL")
        say(f"{pasta.name}: {why}; o histórico foi {what} (lastro manual Restaurar)")


def _end_dead(con: sqlite3.Connection, pasta: Path, but: int | None, moment: datetime) -> None:
    """End what stands as under way and is not: good where everybody sees it already, else interrupted."""
    for number, kind in con.execute("SELECT numero, tipo FROM execucao WHERE fim IS NULL AND numero IS NOT ?", [but]):
        if number == read_published(pasta):
            _succeed(con, number, moment, number, past=False)
        else:
            _fail(con, number, kind, KeyboardInterrupt(), moment)


def _succeed(con: sqlite3.Connection, execucao_id: int, moment: datetime, leitura_id: int, *, past: bool) -> None:
    own = {"numero": execucao_id, "agora": as_text(moment), "boa": not past, "leitura": leitura_id}
    con.execute("UPDATE execucao SET resumo = NULL WHERE numero <> :numero AND :boa", own)
    sql = "UPDATE execucao SET fim = :agora, boa = :boa, leitura = :leitura WHERE numero = :numero AND fim IS NULL"
    con.execute(sql, own)
    con.execute("UPDATE entrega SET publicada = :agora WHERE numero = :numero AND publicada IS NULL", own)


def _fail(con: sqlite3.Connection, number: int | None, kind: str, error: BaseException, moment: datetime) -> None:
    if isinstance(error, LastroError):
        cause = TOKEN if isinstance(error, TokenRefused) else HELD if isinstance(error, RunHeld) else FAILED
        told = (cause, error.documented_name, error.exit_code, as_said(str(error)), error.cure)
    elif isinstance(error, Exception):
        # What a defect says may be anybody's data.
        told = (FAILED, DEFECT, 1, f"um defeito do lastro ({type(error).__name__})", "rode de novo; se voltar, relate")
    else:
        told = (FAILED, INTERRUPTED, 130, "a execução foi interrompida antes de publicar", "rode de novo")
    now = as_text(moment)
    first = con.execute("SELECT primeira FROM falha WHERE causa = ?", told[:1]).fetchone() or (now,)
    con.execute(_OPEN, [number, kind, now])
    sql = "UPDATE execucao SET fim = ?, causa = ?, classe = ?, codigo = ?, texto = ?, cura = ?, primeira = ?"
    con.execute(f"{sql} WHERE numero IS ? AND fim IS NULL", [now, *told, *first, number])
