"""What somebody should be told, found from the state of the companies: whoever looks at one state finds the same.

A cause is a state and no event: it is there until it is good again. Only what cannot become good again, a closed month
that was restated or a history that was rebuilt, is told once. Nothing here holds data of persons: errors and checks
name ids alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from lastro.errors import ConfigError
from lastro.grid.words import format_date
from lastro.operation.state import LATE, NEVER, UNREADABLE, WRONG, CompanyState
from lastro.run.journal import FAILED, HELD, INTERRUPTED, TOKEN, Failure
from lastro.settings import Avisos

RETRY_GRACE: Final = timedelta(minutes=15)
"""How long a new attempt may take to begin before somebody is told of the failure after all."""
MACHINE: Final = ""
"""In the place of a company: what is about all of them."""


class CauseKind(StrEnum):
    """What can be told."""

    FALHOU = "falhou"
    RETIDA = "retida"
    TOKEN = "token"  # noqa: S105 - the name of a cause
    ATRASO = "atraso"
    CONFIGURACAO = "configuracao"
    NAO_CONFIAVEL = "nao_confiavel"
    MES_FECHADO = "mes_fechado"
    ARQUIVO = "arquivo"
    PASSADO = "passado"
    DISCO = "disco"
    HISTORICO = "historico"


TITLES: Final = {
    CauseKind.FALHOU: "a execução falhou",
    CauseKind.RETIDA: "execução retida: alguém precisa olhar",
    CauseKind.TOKEN: "o serviço recusa o token",
    CauseKind.ATRASO: "sem execução boa há tempo demais",
    CauseKind.CONFIGURACAO: "configuração com erro",
    CauseKind.NAO_CONFIAVEL: "NÃO CONFIÁVEL",
    CauseKind.MES_FECHADO: "mês fechado alterado",
    CauseKind.ARQUIVO: "arquivo que não pôde ser lido",
    CauseKind.PASSADO: "o publicado é de um dia passado",
    CauseKind.DISCO: "disco quase cheio",
    CauseKind.HISTORICO: "histórico reconstruído ou recomeçado",
}
EVENTS: Final = frozenset({CauseKind.MES_FECHADO, CauseKind.HISTORICO})
"""Told once, and never called good again."""
STOPPING: Final = frozenset(
    {CauseKind.FALHOU, CauseKind.RETIDA, CauseKind.TOKEN, CauseKind.ATRASO, CauseKind.CONFIGURACAO}
)
"""Kinds that keep new figures from coming: one that gives way to another of them is not good yet."""
_OF_FAILURE: Final = {HELD: CauseKind.RETIDA, TOKEN: CauseKind.TOKEN, FAILED: CauseKind.FALHOU}


@dataclass(frozen=True)
class Cause:
    """One thing that somebody should be told.

    Attributes:
        kind: what it is.
        empresa: id of the company; MACHINE for all of them.
        nome: its name.
        marca: what tells it from another cause of the kind: name of the error, number of the run.
        desde: since when, UTC; None where nobody knows.
        houve: what happened.
        hoje: what it means for the figures that people have before them.
        fazer: what to do.
        tema: topic of `lastro manual`.
        suspensa: a run in progress or a planned retry may end it: until then no message is sent.
        de_novo: when it is tried again by itself, UTC; None when it is not.
    """

    kind: CauseKind
    empresa: str
    nome: str
    marca: str
    desde: datetime | None
    houve: str
    hoje: str
    fazer: str
    tema: str
    suspensa: bool = False
    de_novo: datetime | None = None

    @property
    def key(self) -> str:
        """What it is remembered by."""
        return "|".join((self.empresa, self.kind.value, self.marca))

    @property
    def title(self) -> str:
        """Say it in a line."""
        mark = f" ({self.marca})" if self.kind in (CauseKind.FALHOU, CauseKind.RETIDA) else ""
        if not self.empresa:
            return f"{TITLES[self.kind]}{mark}"
        # Companies may share a name; what is known of one with mistakes in its settings is its id alone.
        who = self.empresa if self.nome == self.empresa else f"{self.nome} ({self.empresa})"
        return f"{who}: {TITLES[self.kind]}{mark}"


def find_causes(
    states: Iterable[CompanyState], avisos: Avisos, now: datetime, free_bytes: int | None
) -> tuple[Cause, ...]:
    """Find everything that somebody should be told now.

    Args:
        states: how the companies stand.
        avisos: the settings.
        now: the clock, UTC.
        free_bytes: what the disk of the data folder has left; None where it cannot be asked.
    """
    found = [cause for state in states for cause in _find_of_company(state, avisos, now)]
    if free_bytes is not None and free_bytes < avisos.disco_minimo_mb * 1_000_000:
        found.append(
            Cause(
                CauseKind.DISCO,
                MACHINE,
                "",
                "",
                None,
                f"Restam {free_bytes // 1_000_000} MB no disco da pasta de dados; o mínimo é {avisos.disco_minimo_mb}.",
                "Continuam os publicados. Se o disco encher, nenhuma execução publica.",
                "lastro limpar --simular mostra o que a retenção tiraria; libere espaço.",
                "StorageError",
            )
        )
    return tuple(found)


def describe_broken(error: ConfigError) -> Cause:
    """Describe settings that are broken as a whole: they stop every company, and every other notice."""
    return Cause(
        CauseKind.CONFIGURACAO,
        MACHINE,
        "",
        "",
        None,
        str(error),
        "Continuam os publicados. Nenhuma execução começa e nenhum outro aviso sai até o arquivo ser corrigido.",
        "Corrija o que está citado; lastro estado volta a responder quando estiver certo.",
        "ConfigError",
    )


def _find_of_company(state: CompanyState, avisos: Avisos, now: datetime) -> Iterator[Cause]:
    who, today = (state.empresa, state.nome), _describe_today(state)
    if state.situacao == WRONG:
        yield Cause(
            CauseKind.CONFIGURACAO,
            *who,
            "",
            None,
            " ".join(state.erros),
            today,
            "Corrija as chaves citadas.",
            "ConfigError",
        )
        return
    if state.falha is not None:
        # Of the first attempt nobody hears; what fails again is told, with when the next one comes.
        due = state.falha.de_novo if _is_retried(state.falha, now) else None
        first = due is not None and state.falha.tentativas == 0
        yield replace(_tell_failure(state, state.falha, today), suspensa=first, de_novo=due)
    elif state.interrompida is not None:
        yield Cause(
            CauseKind.FALHOU,
            *who,
            INTERRUPTED,
            state.interrompida.desde,
            f"O processo da execução {state.interrompida.execucao_id} acabou sem uma palavra (queda de energia, kill).",
            today,
            f"lastro run --empresa {state.empresa}",
            "Execuções interrompidas e novas tentativas",
        )
    if state.situacao == UNREADABLE:
        yield Cause(
            CauseKind.FALHOU, *who, UNREADABLE, None, " ".join(state.erros), "A cópia publicada não abre.",
            f"lastro run --empresa {state.empresa}", "Restaurar",
        )  # fmt: skip
    if state.situacao in (LATE, NEVER):
        yield _tell_late(state, avisos, today)
    yield from _find_published(state)
    if state.historia is not None:
        yield Cause(
            CauseKind.HISTORICO, *who, state.historia.desde.isoformat(), state.historia.desde,
            f"O arquivo da empresa estava danificado ou faltava; o histórico foi {state.historia.o_que}.",
            today, "Veja se o disco está bem; se falta histórico, restaure o backup.", "Restaurar",
        )  # fmt: skip


def _is_retried(falha: Failure, now: datetime) -> bool:
    return falha.de_novo is not None and now < falha.de_novo + RETRY_GRACE


def _tell_failure(state: CompanyState, falha: Failure, today: str) -> Cause:
    kind = _OF_FAILURE[falha.causa]
    topic = falha.classe if falha.classe != INTERRUPTED else "Execuções interrompidas e novas tentativas"
    if kind is CauseKind.RETIDA:
        do = f"Confira no serviço os ids citados; se estiver certo, aceite a execução {falha.execucao_id} pelo número."
    elif kind is CauseKind.TOKEN:
        do = "Renove o token na variável ou no arquivo que a configuração cita e rode de novo."
    else:
        do = f"{falha.o_que_fazer[:1].upper()}{falha.o_que_fazer[1:]}."
    return Cause(kind, state.empresa, state.nome, falha.classe, falha.desde, falha.mensagem, today, do, topic)


def _tell_late(state: CompanyState, avisos: Avisos, today: str) -> Cause:
    hours = avisos.horas_sem_execucao
    happened = (
        "Nunca publicou uma leitura completa."
        if state.completa_em is None
        else f"Nenhuma leitura completa foi publicada nas últimas {hours} horas."
    )
    return Cause(
        CauseKind.ATRASO,
        state.empresa,
        state.nome,
        "",
        state.completa_em,
        happened,
        today,
        f"Veja se o agendador está de pé (lastro doctor); depois, lastro run --empresa {state.empresa}",
        "atraso",
        suspensa=state.andamento is not None,
    )


def _find_published(state: CompanyState) -> Iterator[Cause]:
    shown = state.publicada
    if shown is None:
        return
    if shown.erros:
        yield Cause(
            CauseKind.NAO_CONFIAVEL,
            state.empresa,
            state.nome,
            ", ".join(shown.falhas),
            None,
            "; ".join(f"{rule} {text}" for rule, text in shown.falhas.items()),
            f"Os de {format_date(shown.data_base)} (execução {shown.execucao_id}) foram publicados e dizem NÃO "
            "CONFIÁVEL; não os repasse sem dizer qual número está em dúvida.",
            "Abra Qualidade na planilha, corrija no serviço ou na configuração e rode de novo.",
            "NÃO CONFIÁVEL",
        )
    if shown.passado:
        yield Cause(
            CauseKind.PASSADO,
            state.empresa,
            state.nome,
            shown.data_base.isoformat(),
            None,
            f"Alguém publicou os números de {format_date(shown.data_base)} (execução {shown.execucao_id}).",
            f"Quem abre vê os de {format_date(shown.data_base)}, não os da última leitura.",
            f"Para voltar a hoje: lastro run --empresa {state.empresa}",
            "Recálculo",
        )
    if shown.mes_fechado is not None:
        yield Cause(
            CauseKind.MES_FECHADO,
            state.empresa,
            state.nome,
            str(shown.execucao_id),
            None,
            shown.mes_fechado,
            f"Os de {format_date(shown.data_base)} mostram o mês como é agora, outro do que já foi entregue.",
            "Veja Mudanças (R14) na planilha e avise quem tem o relatório antigo.",
            "V32",
        )
    if shown.nao_lidos is not None:
        yield Cause(
            CauseKind.ARQUIVO,
            state.empresa,
            state.nome,
            "",
            None,
            shown.nao_lidos,
            f"Os de {format_date(shown.data_base)} (execução {shown.execucao_id}) foram publicados sem ele.",
            "Salve-o de novo como .xlsx, ou tire-o da pasta; a próxima execução tenta de novo.",
            "Q31",
        )


def _describe_today(state: CompanyState) -> str:
    shown = state.publicada
    if shown is None:
        return "Não há números: nada foi publicado ainda."
    return f"Continuam os de {format_date(shown.data_base)} (execução {shown.execucao_id}); nada foi trocado."
