"""The causes to tell somebody about, derived from nothing but the state of the companies.

A cause is a state and no event: it is there until it is good again. Only what cannot become good again, a closed month
that was restated or a history that was rebuilt, is told once. Nothing here holds data of persons: errors and checks
name ids alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Final

from lastro.grid.words import count_text, format_date
from lastro.money import format_brl
from lastro.operation.state import AHEAD, LATE, NEVER, UNREADABLE, WRONG, CompanyState
from lastro.run.happened import FAILED, HELD, INTERRUPTED, TOKEN, Failure
from lastro.settings import Avisos
from lastro.warehouse.publication.published_run import PublishedRun

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
    APROVACAO = "aprovacao"
    A_APROVAR = "a_aprovar"
    PASSADO = "passado"
    DISCO = "disco"
    HISTORICO = "historico"
    RESUMO = "resumo"


TITLES: Final = {
    CauseKind.FALHOU: "a execução falhou",
    CauseKind.RETIDA: "execução retida: alguém precisa olhar",
    CauseKind.TOKEN: "o serviço recusa o token",
    CauseKind.ATRASO: "sem execução boa há tempo demais",
    CauseKind.CONFIGURACAO: "configuração com erro",
    CauseKind.NAO_CONFIAVEL: "NÃO CONFIÁVEL",
    CauseKind.MES_FECHADO: "mês fechado alterado",
    CauseKind.ARQUIVO: "arquivo que não pôde ser lido",
    CauseKind.APROVACAO: "pagamento que mudou depois da aprovação",
    CauseKind.A_APROVAR: "pagamentos esperam aprovação",
    CauseKind.PASSADO: "o publicado é de um dia passado",
    CauseKind.DISCO: "disco quase cheio",
    CauseKind.HISTORICO: "histórico reconstruído, retomado ou recomeçado",
    CauseKind.RESUMO: "resumo",
}
EVENTS: Final = frozenset({CauseKind.MES_FECHADO, CauseKind.HISTORICO, CauseKind.RESUMO})
"""Told once, and never called good again."""
STOPPING: Final = frozenset(
    {CauseKind.FALHOU, CauseKind.RETIDA, CauseKind.TOKEN, CauseKind.ATRASO, CauseKind.CONFIGURACAO}
)
"""Kinds that keep new figures from coming: one that gives way to another of them is not good yet."""
_INTERRUPTED_TOPIC: Final = "Execuções interrompidas e novas tentativas"
_OF_FAILURE: Final = {HELD: CauseKind.RETIDA, TOKEN: CauseKind.TOKEN, FAILED: CauseKind.FALHOU}


@dataclass(frozen=True, kw_only=True)
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
    empresa: str = MACHINE
    nome: str = ""
    marca: str = ""
    desde: datetime | None = None
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
        mark = f" de {self.marca}" if self.kind is CauseKind.RESUMO else mark
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
        now: the clock, UTC.
        free_bytes: what the disk of the data folder has left; None where it cannot be asked.
    """
    causes = [cause for state in states for cause in _find_of_company(state, avisos, now)]
    least = avisos.disco_minimo_mb
    if free_bytes is not None and free_bytes < least * 1_000_000:
        causes.append(
            Cause(
                kind=CauseKind.DISCO,
                houve=f"Restam {free_bytes // 1_000_000} MB no disco da pasta de dados; o mínimo é {least}.",
                hoje="Continuam os publicados. Se o disco encher, nenhuma execução publica.",
                fazer="lastro limpar --simular mostra o que a retenção tiraria; libere espaço.",
                tema="StorageError",
            )
        )
    return tuple(causes)


def find_cure(state: CompanyState, avisos: Avisos, now: datetime) -> str:
    """Say what to do about a company in a line: the cure of its first cause; empty where there is nothing to do.

    What a run under way may end is nobody's to do, and what is told once cannot be undone.
    """
    for cause in _find_of_company(state, avisos, now):
        waits = cause.suspensa and cause.de_novo is None
        if cause.kind not in EVENTS and not waits:
            return f"{cause.tema}: {cause.fazer}" if cause.tema == cause.marca else cause.fazer
    return ""


def _find_of_company(state: CompanyState, avisos: Avisos, now: datetime) -> Iterator[Cause]:
    tell, today = partial(Cause, empresa=state.empresa, nome=state.nome), _describe_today(state)
    run = f"lastro run --empresa {state.empresa}"
    if state.situacao == WRONG:
        yield tell(
            kind=CauseKind.CONFIGURACAO,
            houve=" ".join(state.erros),
            hoje=today,
            fazer="Corrija as chaves citadas.",
            tema="ConfigError",
        )
        return
    if state.falha is not None:
        # Of the first attempt nobody hears; what fails again is told, with when the next one comes.
        due = state.falha.de_novo if _is_retried(state.falha, now) else None
        yield tell(
            kind=_OF_FAILURE[state.falha.causa],
            marca=state.falha.classe,
            desde=state.falha.desde,
            houve=state.falha.mensagem,
            hoje=today,
            fazer=_cure_failure(state, state.falha),
            tema=state.falha.classe if state.falha.classe != INTERRUPTED else _INTERRUPTED_TOPIC,
            suspensa=due is not None and state.falha.tentativas == 0,
            de_novo=due,
        )
    elif state.interrompida is not None:
        execucao_id = state.interrompida.execucao_id
        yield tell(
            kind=CauseKind.FALHOU,
            marca=INTERRUPTED,
            desde=state.interrompida.desde,
            houve=f"O processo da execução {execucao_id} acabou sem uma palavra (queda de energia, kill).",
            hoje=today,
            fazer=run,
            tema=_INTERRUPTED_TOPIC,
        )
    if state.situacao == UNREADABLE:
        yield tell(
            kind=CauseKind.FALHOU,
            marca=UNREADABLE,
            houve=" ".join(state.erros),
            hoje="A cópia publicada não abre.",
            fazer="Dê acesso à pasta, como está dito acima." if state.fechada else run,
            tema="Leitores" if state.fechada else "Restaurar",
        )
    # Before anything is published, what failed is the whole story; later, that it has failed for long is another one.
    failed = state.falha is not None or state.interrompida is not None
    if state.situacao == LATE or (state.situacao == NEVER and not failed):
        yield tell(
            kind=CauseKind.ATRASO,
            desde=state.completa_em,
            houve="Nunca publicou uma leitura completa."
            if state.completa_em is None
            else f"Nenhuma leitura completa foi publicada nas últimas {avisos.horas_sem_execucao} horas.",
            hoje=today,
            fazer=f"Veja se o agendador está de pé (lastro doctor); depois, {run}",
            tema="atraso",
            suspensa=state.andamento is not None,
        )
    if state.adiante is not None:
        yield tell(
            kind=CauseKind.ATRASO,
            marca=AHEAD,
            houve=f"{state.adiante.fact[:1].upper()}{state.adiante.fact[1:]}",
            hoje=today,
            fazer=_begin_sentence(state.adiante.cure),
            tema="Relógio",
            suspensa=state.andamento is not None,
        )
    if state.publicada is not None:
        yield from _find_published(state.publicada, tell, run)
        count, total = state.publicada.aguardam
        if count:
            many = count_text(count, "pagamento decidido", "pagamentos decididos")
            yield tell(
                kind=CauseKind.A_APROVAR,
                houve=f"{many}, {format_brl(total)} ao todo.",
                hoje=f"Os de {format_date(state.publicada.data_base)} não os contam como decididos.",
                fazer="Abra pagamentos, confira as linhas e digite o nome em Aprovado por.",
                tema="Pagamentos",
            )
    yield from _find_page(state, avisos, tell)
    if state.historia is not None:
        yield tell(
            kind=CauseKind.HISTORICO,
            marca=state.historia.desde.isoformat(),
            desde=state.historia.desde,
            houve=_begin_sentence(f"{state.historia.por_que}; o histórico foi {state.historia.o_que}"),
            hoje=today,
            fazer=_begin_sentence(state.historia.o_que_fazer),
            tema="Restaurar",
        )


def _is_retried(falha: Failure, now: datetime) -> bool:
    return falha.de_novo is not None and now < falha.de_novo + RETRY_GRACE


def _cure_failure(state: CompanyState, falha: Failure) -> str:
    if falha.causa == HELD:
        how = "" if state.leitura is None else ", com --so-relatorios"
        return (
            f"Confira no serviço os ids citados; se estiver certo, aceite a execução {falha.execucao_id} pelo "
            f"número{how}."
        )
    if falha.causa == TOKEN:
        return "Renove o token na variável ou no arquivo que a configuração cita e rode de novo."
    cure = _begin_sentence(falha.o_que_fazer)
    if state.leitura is not None:
        run = f"lastro run --empresa {state.empresa} --so-relatorios"
        cure += f" A leitura {state.leitura.execucao_id} está provada: {run} faz o relatório dela."
    return cure


def _begin_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _find_published(shown: PublishedRun, tell: Callable[..., Cause], run: str) -> Iterator[Cause]:
    day, execucao = format_date(shown.data_base), f"execução {shown.execucao_id}"
    if shown.trust.erros:
        rules = ", ".join(shown.falhas)
        yield tell(
            kind=CauseKind.NAO_CONFIAVEL,
            marca=rules,
            houve="; ".join(f"{rule} {text}" for rule, text in shown.falhas.items()),
            hoje=f"Os de {day} ({execucao}) foram publicados e dizem NÃO CONFIÁVEL; não os repasse sem dizer qual "
            "número está em dúvida.",
            fazer=f"Abra Qualidade na planilha ({rules}), corrija no serviço ou na configuração e rode de novo.",
            tema="NÃO CONFIÁVEL",
        )
    if shown.passado:
        yield tell(
            kind=CauseKind.PASSADO,
            marca=shown.data_base.isoformat(),
            houve=f"Alguém publicou os números de {day} ({execucao}).",
            hoje=f"Quem abre vê os de {day}, não os da última leitura.",
            fazer=f"Para voltar a hoje: {run}",
            tema="Recálculo",
        )
    if shown.mes_fechado is not None:
        yield tell(
            kind=CauseKind.MES_FECHADO,
            marca=str(shown.execucao_id),
            houve=shown.mes_fechado,
            hoje=f"Os de {day} mostram o mês como é agora, outro do que já foi entregue.",
            fazer="Veja Mudanças (R14) na planilha e avise quem tem o relatório antigo.",
            tema="V32",
        )
    if shown.nao_lidos is not None:
        yield tell(
            kind=CauseKind.ARQUIVO,
            houve=shown.nao_lidos,
            hoje=f"Os de {day} ({execucao}) foram publicados sem ele.",
            fazer="Salve o arquivo de novo como .xlsx, ou tire-o da pasta; a próxima execução tenta de novo.",
            tema="Q31",
        )
    if shown.mudados is not None:
        yield tell(
            kind=CauseKind.APROVACAO,
            houve=shown.mudados,
            hoje=f"Os de {day} ({execucao}) não o contam como decidido: aguarda outra aprovação.",
            fazer="Veja em pagamentos, na coluna Decisão, o que mudou; confira por que e aprove de novo.",
            tema="Q42",
        )


def _find_page(state: CompanyState, avisos: Avisos, tell: Callable[..., Cause]) -> Iterator[Cause]:
    """Give the page of the day that is published, where somebody wants it as mail: it is no fault, and told once."""
    shown = state.publicada
    if not (avisos.email and avisos.email.resumo and state.resumo and state.is_fresh and shown) or shown.passado:
        return
    day = format_date(shown.data_base)
    yield tell(
        kind=CauseKind.RESUMO,
        marca=day,
        houve=state.resumo,
        hoje=f"{state.nome} · data-base {day} · execução {shown.execucao_id} · {shown.trust.scope}",
        fazer="",
        tema="",
    )


def _describe_today(state: CompanyState) -> str:
    shown = state.publicada
    if shown is None:
        return "Não há números: nada foi publicado ainda."
    return f"Continuam os de {format_date(shown.data_base)} (execução {shown.execucao_id}); nada foi trocado."
