"""The state of each company: what is published, its age, failures since then.

Read from the published copies and the records of what happened, never from a file that a run holds: looking blocks
nobody.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lastro.calendar import local_day
from lastro.errors import ConfigError, LastroError
from lastro.files import demand_passage
from lastro.grid.words import format_moment
from lastro.run.happened import Attempt, Failure, History, read_happened, succeed
from lastro.run.session import EarlierClock
from lastro.settings import Empresa, Settings
from lastro.warehouse.file.lock import is_company_free
from lastro.warehouse.publication.copies import read_published
from lastro.warehouse.publication.published_run import CopyReader, PublishedRun, open_reader, read_published_run

FRESH, LATE, NEVER, WRONG, UNREADABLE = "em dia", "atrasada", "nunca publicou", "configuração", "ilegível"
AHEAD, REFUSED = "depois de hoje", "recusada"
"""How a company stands, in a word or two."""
SKEW = timedelta(minutes=2)
"""What clocks of two machines may differ by: who looks is not always who ran, and so much is no age at all."""
REFUSAL = ConfigError.__name__
"""A failure that no later run gets over by itself, where it came before the run had a number."""


@dataclass(frozen=True)
class CompanyState:
    """How one company stands.

    Attributes:
        empresa: its id.
        nome: its name, or the id where its settings cannot be read.
        pasta: its folder.
        situacao: FRESH, LATE, NEVER, WRONG or UNREADABLE; AHEAD where the last complete reading is of a later day or
            moment than the clock says, REFUSED where the last run was refused before it began.
        publicada: the run that everybody sees; None when there is none, or it cannot be read.
        completa_em: start of the last complete reading that was published, UTC.
        idade: how long ago that was.
        falha: what failed since, with no good run after it.
        leitura: a proven reading that waits for a report, and is none under way.
        andamento: the run under way.
        interrompida: a run that stands as under way and that nobody executes.
        erros: mistakes of its settings, or why its file cannot be read.
        bytes: what its folder holds.
        historia: what became of its history lately, where that was rebuilt, resumed or begun anew.
        recados: what the published run says besides: a closing that waits, a month that changed after one (S25).
        resumo: its page as a text, where that goes out as mail.
        adiante: what does not fit where it is AHEAD.
        fechada: whether its folder is somebody else's, and may not be entered: `erros` says how to be let in.
    """

    empresa: str
    nome: str
    pasta: Path
    situacao: str
    publicada: PublishedRun | None = None
    completa_em: datetime | None = None
    idade: timedelta | None = None
    falha: Failure | None = None
    leitura: Attempt | None = None
    andamento: Attempt | None = None
    interrompida: Attempt | None = None
    erros: tuple[str, ...] = ()
    bytes: int = 0
    historia: History | None = None
    recados: tuple[str, ...] = ()
    resumo: str = ""
    adiante: EarlierClock | None = None
    fechada: bool = False

    @property
    def is_fresh(self) -> bool:
        """Whether a complete reading was published within the hours that the settings allow."""
        return self.situacao == FRESH

    @property
    def veredito(self) -> str | None:
        """How far to trust what is published, in a word or two."""
        return None if self.publicada is None else self.publicada.trust.word

    def describe(self) -> dict[str, Any]:
        """Describe it for JSON; moments in UTC."""
        shown = self.publicada
        return {
            "empresa": self.empresa,
            "nome": self.nome,
            "situacao": self.situacao,
            "em_dia": self.is_fresh,
            "execucao_id": None if shown is None else shown.execucao_id,
            "tipo": None if shown is None else shown.tipo,
            "data_base": None if shown is None else shown.data_base.isoformat(),
            "passado": None if shown is None else shown.passado,
            "veredito": self.veredito,
            "falta": None if shown is None else str(shown.trust.falta),
            "leitura_completa_em": None if self.completa_em is None else self.completa_em.isoformat(timespec="seconds"),
            "idade_segundos": None if self.idade is None else int(self.idade.total_seconds()),
            "leitura_id": None if shown is None else shown.leitura_id,
            "leitura_requisicoes": None if shown is None else shown.leitura_requisicoes,
            "requisicoes": None if shown is None else shown.requisicoes,
            "segundos": None if shown is None else shown.segundos,
            "linhas": None if shown is None else shown.linhas,
            "erros_verificacao": None if shown is None else shown.trust.erros,
            "alertas": None if shown is None else shown.trust.alertas,
            "rejeitados": None if shown is None else shown.trust.rejeitados,
            "bytes": self.bytes,
            "em_andamento": None if self.andamento is None else self.andamento.execucao_id,
            "interrompida": None if self.interrompida is None else self.interrompida.execucao_id,
            "falha": None
            if self.falha is None
            else {
                "classe": self.falha.classe,
                "codigo": self.falha.codigo,
                "execucao_id": self.falha.execucao_id,
                "desde": self.falha.desde.isoformat(timespec="seconds"),
                "mensagem": self.falha.mensagem,
            },
            "leitura_sem_relatorio": None
            if self.leitura is None
            else {
                "execucao_id": self.leitura.execucao_id,
                "desde": self.leitura.desde.isoformat(timespec="seconds"),
            },
            "historia": None
            if self.historia is None
            else {"o_que": self.historia.o_que, "desde": self.historia.desde.isoformat(timespec="seconds")},
            "avisos": list(self.recados),
            "erros": list(self.erros),
        }


def read_states(settings: Settings, now: datetime) -> tuple[CompanyState, ...]:
    """Read how every company of the settings stands.

    Args:
        now: the clock, UTC.
    """
    wrong = [
        CompanyState(empresa_id, empresa_id, settings.dir / empresa_id, WRONG, erros=mistakes)
        for empresa_id, mistakes in settings.invalidas.items()
    ]
    with open_reader() as reader:
        return (*(read_state(settings, empresa, now, reader) for empresa in settings.empresas), *wrong)


def read_state(settings: Settings, of: Empresa, now: datetime, reader: CopyReader | None = None) -> CompanyState:
    """Read how one company stands; arguments as above, and what reads its published copy."""
    empresa, nome, pasta = of.id, of.nome, settings.pasta(of)
    try:
        demand_passage(pasta)
    except LastroError as error:
        return CompanyState(empresa, nome, pasta, UNREADABLE, erros=(str(error),), fechada=True)
    limit = timedelta(hours=settings.avisos.horas_sem_execucao)
    said = read_happened(pasta)
    held = said.andamento is not None and is_company_free(pasta) is False
    if said.andamento is not None and not held:
        if read_published(pasta) == said.andamento.execucao_id:
            succeed(pasta, said.andamento.execucao_id, now)  # which its process had no time to write
        # It may have ended between the two looks: then the record says so by now.
        said = read_happened(pasta)
    facts: dict[str, Any] = {
        "falha": said.falha,
        "leitura": None if held else said.leitura,
        "andamento": said.andamento if held else None,
        "interrompida": None if held else said.andamento,
        "bytes": measure_folder(pasta),
        "historia": said.recent_history(now),
        "recados": said.recados,
        "resumo": said.resumo,
    }
    try:
        shown = read_published_run(pasta, reader)
    except LastroError as error:
        return CompanyState(empresa, nome, pasta, UNREADABLE, erros=(str(error),), **facts)
    moment = None if shown is None or shown.completa_em is None else shown.completa_em.replace(tzinfo=UTC)
    if shown is None or moment is None:
        return CompanyState(empresa, nome, pasta, NEVER, shown, **facts)
    ahead = _find_ahead(empresa, shown, moment, now, settings.fuso)
    if ahead is not None:
        situacao = AHEAD
    elif said.falha is not None and said.falha.classe == REFUSAL and said.falha.execucao_id is None:
        situacao = REFUSED
    else:
        situacao = FRESH if now - moment <= limit else LATE
    age = now - moment if ahead is not None else max(now - moment, timedelta(0))
    return CompanyState(empresa, nome, pasta, situacao, shown, moment, age, adiante=ahead, **facts)


def _find_ahead(empresa: str, shown: PublishedRun, moment: datetime, now: datetime, fuso: str) -> EarlierClock | None:
    """Find what lies ahead of the clock: the day of the last complete reading, or the moment at which it began."""
    today, number = local_day(now, fuso), shown.completa_id or shown.execucao_id
    if shown.lida_no_dia is not None and shown.lida_no_dia > today:
        return EarlierClock(empresa, str(today), today, number, str(shown.lida_no_dia))
    if moment - now > SKEW:
        return EarlierClock(empresa, format_moment(now, fuso), today, number, format_moment(moment, fuso))
    return None


def measure_folder(folder: Path) -> int:
    """Sum up the sizes of all files below a folder; what goes meanwhile counts for nothing."""
    total, waiting = 0, [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total
