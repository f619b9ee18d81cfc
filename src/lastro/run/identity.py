"""Which run a stage belongs to: a reading begins one; another stage goes on with it or recalculates a published one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import date, timedelta
from importlib.metadata import version
from typing import Any

from lastro.calendar import local_day, month_end
from lastro.errors import ConfigError, IncompletePass, RunSuperseded, join_keys
from lastro.grid.words import format_date, format_moment
from lastro.run import journal
from lastro.run.earlier_clock import EarlierClock
from lastro.run.names import STAGING_FOLDER
from lastro.run.recovery import find_last_number, is_behind
from lastro.run.session import RunSession
from lastro.schema.run_kinds import ENDED_WELL, Etapa, Modo
from lastro.warehouse.file.faults import storage_error
from lastro.warehouse.loading import holds, runs
from lastro.warehouse.loading.runs import Run
from lastro.warehouse.publication.copies import read_published

_FRESH = timedelta(hours=2)
"""Longest that a run may take in Dagster; pages that old are of the day on which they were read."""


def take_up(session: RunSession, etapa: Etapa) -> None:
    """Find the run that a stage belongs to, or begin it.

    The reading begins a run. Any other stage goes on with the run of its Dagster run, as long as no later one has
    loaded; where there is none, or that one is published, it begins a recálculo of the last published reading.

    Raises:
        ConfigError: when what is asked cannot be.
        RunSuperseded: when a later run has loaded.
        IncompletePass: when the run's own reading did not end, or is of another day.
    """
    if session.has_run:
        return
    if etapa is Etapa.LEITURA:
        _begin_reading(session)
        return
    run = None
    if session.continues is not None:
        run = runs.read_run(session.warehouse, session.continues)
        if run is None or run.dagster_run_id != session.dagster_run_id:
            raise IncompletePass(
                f"execução {session.continues}: o arquivo não a conhece como parte desta. Nada foi trocado; "
                "rode o job inteiro."
            )
    elif session.dagster_run_id is not None:
        run = runs.find_run_of_dagster(session.warehouse, session.dagster_run_id)
    if run is None or run.situacao in ENDED_WELL:
        _begin_recalculation(session)
    else:
        _go_on(session, run)


def _begin_reading(session: RunSession) -> None:
    order = session.order
    if order.modo is Modo.RECALCULO:
        raise ConfigError("o modo recalculo não lê nada: rode o job lastro_recalculo, ou só core, mart e planilhas.")
    hot = order.modo is Modo.QUENTE
    day, extraction_day = _choose_days(session, order.data_extracao or _today(session))
    base = None
    if order.data_extracao is None:
        _demand_later_clock(session, extraction_day)
    if hot:
        _demand_not_behind(session)
        if day != extraction_day:
            raise ConfigError(
                "uma execução quente atualiza hoje: tire data_base, ou rode o job inteiro para um dia passado."
            )
        if order.accepts:
            raise ConfigError(
                "uma execução quente não exclui nada e não muda o passado: aceite uma execução retida com uma completa."
            )
        held = holds.find_unanswered_hold(session.warehouse)
        if held is not None:
            raise ConfigError(
                f"a execução {held} foi retida e nenhuma completa veio depois: uma quente publicaria o que "
                "aquela não quis. Veja por que foi retida (lastro manual RunHeld) e rode o job inteiro."
            )
        base = _find_base(session)
        if base is None:
            raise ConfigError(
                f"{session.pasta}: uma execução quente atualiza uma completa. Rode o job inteiro uma vez antes."
            )
    # The accepted run numbers are checked now, so that a wrong one fails before an hour of reading.
    read_accepted(session, order.aceitar_exclusoes, holds.EXCLUSOES)
    read_accepted(session, order.aceitar_alteracoes, holds.ALTERACOES)
    read_accepted(session, order.aceitar_origem, holds.ORIGEM)
    _begin(
        session,
        {
            "tipo_execucao": order.tipo,
            "data_extracao": extraction_day,
            "data_base": day,
            "reconstituida": day < extraction_day and runs.find_run_of_day(session.warehouse, day) is None,
            "base_id": base,
        },
    )
    try:
        shutil.rmtree(session.pages, ignore_errors=True)
        session.pages.mkdir(parents=True)
    except OSError as error:
        raise storage_error(session.pages, error) from None


def _demand_later_clock(session: RunSession, today: date) -> None:
    """Refuse a clock that stands before the day of the last complete run (`EarlierClock`)."""
    for run in runs.read_complete_runs(session.warehouse)[-1:]:
        if today < run.data_extracao:
            raise EarlierClock(session.empresa.id, str(today), today, run.execucao_id, str(run.data_extracao))


def _demand_not_behind(session: RunSession) -> None:
    """Refuse to build on an older reading than the published one, which a file that was put back does not know."""
    if is_behind(session.warehouse):
        raise ConfigError(
            f"{session.pasta}: o arquivo privado é mais velho que o publicado (execução "
            f"{read_published(session.pasta)}), de que não sabe nada. Rode o job inteiro uma vez antes."
        )


def _begin_recalculation(session: RunSession) -> None:
    order = session.order
    if order.modo not in (None, Modo.RECALCULO):
        raise ConfigError(f"o modo {order.modo} lê o serviço: rode o job inteiro; as etapas escolhidas não leem nada.")
    if order.accepts:
        raise ConfigError(
            "aceitar_exclusoes, aceitar_alteracoes e aceitar_origem são de uma leitura: rode o job inteiro; "
            "as etapas escolhidas não leem nada."
        )
    _demand_not_behind(session)
    execucao_id = read_published(session.pasta)
    published = None if execucao_id is None else runs.read_run(session.warehouse, execucao_id)
    if published is None:
        raise ConfigError(
            f"{session.pasta}: ainda não há nada publicado que se possa calcular de novo. Rode antes o "
            "job inteiro, lastro_diario."
        )
    reading = runs.read_run(session.warehouse, published.leitura_id) or published
    day, _ = _choose_days(session, reading.data_extracao)
    when = format_moment(reading.iniciada_em, session.settings.fuso)
    note = f"RECÁLCULO da extração de {when} (execução {reading.execucao_id})"
    failed = runs.find_failed_reading(session.warehouse, reading.execucao_id)
    if failed is not None:
        when = format_moment(failed.iniciada_em, session.settings.fuso)
        note += f"; a extração de {when} (execução {failed.execucao_id}) falhou"
    _begin(
        session,
        {
            "tipo_execucao": Modo.RECALCULO,
            "data_extracao": reading.data_extracao,
            "data_base": day,
            "reconstituida": day < reading.data_extracao and runs.find_run_of_day(session.warehouse, day) is None,
            "leitura_id": reading.execucao_id,
            "base_id": reading.base_id,
            "nota": note,
        },
    )


def _begin(session: RunSession, row: dict[str, Any]) -> None:
    execucao_id = runs.open_run(
        session.warehouse,
        row | {"iniciada_em": session.now(), "versao": version("lastro"), "dagster_run_id": session.dagster_run_id},
        after=find_last_number(session.pasta),
    )
    if is_behind(session.warehouse) and runs.read_run(session.warehouse, execucao_id - 1) is None:
        # Told by the first run that passes over numbers alone: one that is tried again follows it.
        journal.note_history(session.pasta, journal.RESUMED, session.clock(), session.progress.tell)
    session.enter(execucao_id)
    # What an earlier run wrote aside and never published is nobody's any more.
    shutil.rmtree(session.folder(STAGING_FOLDER), ignore_errors=True)


def _go_on(session: RunSession, run: Run) -> None:
    later = runs.find_later_load(session.warehouse, run.execucao_id)
    if later is not None:
        raise RunSuperseded(
            f"execução {run.execucao_id}: superada pela execução {later}: rode o job inteiro. Continuar "
            "publicaria uma leitura mais velha como a mais nova."
        )
    if run.tipo != Modo.RECALCULO:
        if not runs.is_stage_done(session.warehouse, run.execucao_id, Etapa.LEITURA):
            raise IncompletePass(
                f"execução {run.execucao_id}: a leitura não terminou. Nada foi trocado; rode o job inteiro."
            )
        loaded = runs.is_stage_done(session.warehouse, run.execucao_id, Etapa.CORE)
        today = session.order.data_extracao or _today(session)
        if loaded and session.order.accepts:
            raise ConfigError(f"a execução {run.execucao_id} já carregou: não há mais nada nela a aceitar.")
        # A run that passes midnight between two stages goes on.
        if not loaded and run.data_extracao != today and session.now() - run.iniciada_em > _FRESH:
            raise IncompletePass(
                f"execução {run.execucao_id}: as páginas são de {run.data_extracao}, e hoje é {today}. Nada "
                "foi trocado; rode o job inteiro."
            )
    modo = session.order.modo
    if modo is not None and modo != run.tipo:
        raise ConfigError(f"modo {modo.asked}: a execução {run.execucao_id}, que continua aqui, é {run.tipo}.")
    if session.order.data_base not in (None, run.data_base):
        raise ConfigError(
            f"data_base {session.order.data_base}: a execução {run.execucao_id}, que continua aqui, é de "
            f"{run.data_base}. Rode o job inteiro para outro dia."
        )
    runs.reopen_run(session.warehouse, run.execucao_id)
    session.enter(run.execucao_id)


def _choose_days(session: RunSession, extraction_day: date) -> tuple[date, date]:
    order = session.order
    if order.publicar_passado and order.data_base is None:
        raise ConfigError("publicar_passado sem data_base: diga que dia passado publicar.")
    day = order.data_base or extraction_day
    for name, value in (("data_base", day), ("data_extracao", extraction_day)):
        if not 1900 <= value.year <= 2199:
            raise ConfigError(f"{name} {value}: escolha um dia entre 1900 e 2199.")
    if order.fechamento is not None and month_end(order.fechamento) >= day:
        raise ConfigError(f"fechamento {order.fechamento:%Y-%m}: o mês ainda não acabou em {format_date(day)}.")
    if day > extraction_day:
        raise ConfigError(
            f"data_base {day} é posterior à extração ({extraction_day}). Escolha esse dia ou um anterior."
        )
    return day, extraction_day


def _today(session: RunSession) -> date:
    return local_day(session.clock(), session.settings.fuso)


def _find_base(session: RunSession) -> int | None:
    """Find the last complete run whose pages are still kept: what a hot run refreshes."""
    for run in reversed(runs.read_complete_runs(session.warehouse)):
        if session.pages_of(run.execucao_id).exists():
            return run.execucao_id
    return None


def read_accepted(session: RunSession, held: int | None, motivo: str) -> Mapping[str, frozenset[int]]:
    """Read what a person accepted by naming a held run: list -> ids.

    Raises:
        ConfigError: when that run was not held for it.
    """
    if held is None:
        return {}
    shown = holds.read_held(session.warehouse, held, motivo)
    if not shown:
        known = join_keys(holds.list_held(session.warehouse, motivo)) or "nenhuma"
        raise ConfigError(f"aceitar_{motivo} {held}: essa execução não foi retida por isso. Foram: {known}.")
    return shown
