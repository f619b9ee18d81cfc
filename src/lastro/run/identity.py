"""What is begun: a reading of the service, or the report of a reading."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from lastro.calendar import local_day
from lastro.errors import ConfigError, join_keys
from lastro.grid.words import format_moment, write_age
from lastro.run import happened
from lastro.run.names import STAGING_FOLDER
from lastro.run.recovery import find_last_number, is_behind
from lastro.run.session import EarlierClock, RunSession
from lastro.schema.run_kinds import Modo, Situacao
from lastro.warehouse.file.faults import storage_error
from lastro.warehouse.loading import holds, runs
from lastro.warehouse.loading.runs import Run
from lastro.warehouse.publication.copies import read_published

_HOT_IS_TODAY = "uma execução quente atualiza hoje: tire data_base, ou rode o job inteiro para um dia passado."


def begin_reading(session: RunSession) -> None:
    """Begin a reading: the next number, which is that of its first report too.

    Raises:
        ConfigError: when what is asked cannot be.
    """
    order = session.order
    if order.modo is Modo.RECALCULO:
        raise ConfigError("o modo recalculo não lê nada: rode o job lastro_recalculo, ou só os relatórios.")
    hot = order.modo is Modo.QUENTE
    day, extraction_day = _choose_days(session, order.data_extracao or _today(session))
    base = None
    if order.data_extracao is None:
        _demand_later_clock(session, extraction_day)
    if hot:
        _demand_not_behind(session)
        if day != extraction_day:
            raise ConfigError(_HOT_IS_TODAY)
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
    _demand_held(session)  # now, so that a wrong number fails before an hour of reading
    _begin(
        session,
        {
            "tipo_execucao": order.tipo,
            "data_extracao": extraction_day,
            "data_base": day,
            "reconstituida": day < extraction_day and runs.find_run_of_day(session.warehouse, day) is None,
            "base_id": base,
            "host": urlsplit(session.empresa.base_url).netloc,
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


def find_published_meanwhile(session: RunSession) -> int | None:
    """Find the run that published what the run that now asks for a report has read, or a newer reading.

    Between the two steps of a Dagster run the company is free. Who asks for a report alone has read nothing.
    """
    run_id, shown = session.dagster_run_id, read_published(session.pasta)
    if run_id is None or shown is None or session.order.modo is Modo.RECALCULO:
        return None
    read = runs.find_reading_of_dagster(session.warehouse, run_id)
    return shown if read is not None and _find_waiting(session) is None else None


def begin_report(session: RunSession) -> None:
    """Begin a report: of the newest proven reading, or a recálculo where that is asked for or none waits.

    The first report of a reading is the run of its number, unless another run has been begun since; every further one,
    after a report that failed, has a number of its own. A recálculo that is asked for leaves alone what waits.

    Raises:
        ConfigError: when what is asked cannot be.
    """
    order = session.order
    if order.modo is Modo.RECALCULO:
        if order.accepts:
            raise ConfigError(
                "um recálculo é da leitura publicada e não aceita nada: aceitar_exclusoes, aceitar_alteracoes e "
                "aceitar_origem são de uma leitura que espera (--so-relatorios) ou de uma nova (o job inteiro)."
            )
        _begin_recalculation(session)
        return
    reading = _find_waiting(session)
    if reading is not None:
        _begin_report_of(session, reading)
        return
    if order.accepts:
        raise ConfigError(
            "aceitar_exclusoes, aceitar_alteracoes e aceitar_origem são de uma leitura, e nenhuma espera relatório: "
            "rode o job inteiro."
        )
    _begin_recalculation(session)


def _find_waiting(session: RunSession) -> Run | None:
    """Find the newest proven reading, where it is newer than the published one and waits for a report."""
    shown, published = read_published(session.pasta), _read_published(session)
    after = (shown or 0) if published is None else published.leitura_id
    return runs.find_waiting_reading(session.warehouse, after)


def _read_published(session: RunSession) -> Run | None:
    """Read the published run; None without one, and where the file does not know it."""
    shown = read_published(session.pasta)
    return None if shown is None else runs.read_run(session.warehouse, shown)


def _begin_report_of(session: RunSession, reading: Run) -> None:
    _demand_held(session)
    row = _describe_report(session, reading) | {"base_id": reading.base_id, "tipo_execucao": reading.tipo}
    if reading.is_hot and row["data_base"] != reading.data_extracao:
        raise ConfigError(_HOT_IS_TODAY)
    when = f"{format_moment(reading.iniciada_em, session.settings.fuso)} (execução {reading.execucao_id})"
    if not session.has_run:  # else it was read a moment ago
        age = write_age(session.now() - reading.iniciada_em)
        session.progress.tell(f"{session.pasta.name}: relatório da leitura de {when}, de há {age}")
    if reading.situacao == Situacao.LIDA and reading.execucao_id == _find_last(session):
        runs.take_reading(session.warehouse, reading.execucao_id, row | {"dagster_run_id": session.dagster_run_id})
        session.enter(reading.execucao_id)
    else:
        _begin(session, row | {"nota": f"RELATÓRIO da extração de {when}"})


def _find_last(session: RunSession) -> int:
    """Find the last number that was given: what is published, or loaded, has the highest there is."""
    return max(runs.find_highest_number(session.warehouse), find_last_number(session.pasta))


def _describe_report(session: RunSession, reading: Run) -> dict[str, Any]:
    day, _ = _choose_days(session, reading.data_extracao)
    return {
        "data_extracao": reading.data_extracao,
        "data_base": day,
        "reconstituida": day < reading.data_extracao and runs.find_run_of_day(session.warehouse, day) is None,
        "leitura_id": reading.execucao_id,
    }


def _begin_recalculation(session: RunSession) -> None:
    _demand_not_behind(session)
    published = _read_published(session)
    if published is None:
        raise ConfigError(
            f"{session.pasta}: ainda não há nada publicado que se possa calcular de novo. Rode antes o "
            "job inteiro, lastro_diario."
        )
    reading = runs.read_run(session.warehouse, published.leitura_id) or published

    def name(run: Run) -> str:
        return f"a extração de {format_moment(run.iniciada_em, session.settings.fuso)} (execução {run.execucao_id})"

    note = f"RECÁLCULO d{name(reading)}"
    waiting = runs.find_waiting_reading(session.warehouse, reading.execucao_id)
    failed = runs.find_failed_reading(session.warehouse, reading.execucao_id)
    if waiting is not None:
        note += f"; {name(waiting)} espera relatório"
    elif failed is not None:
        note += f"; {name(failed)} falhou"
    row = {"tipo_execucao": Modo.RECALCULO, "base_id": reading.base_id, "nota": note}
    _begin(session, _describe_report(session, reading) | row)


def _begin(session: RunSession, row: dict[str, Any]) -> None:
    execucao_id = runs.open_run(
        session.warehouse,
        row | {"iniciada_em": session.now(), "versao": version("lastro"), "dagster_run_id": session.dagster_run_id},
        after=find_last_number(session.pasta),
    )
    if is_behind(session.warehouse) and runs.read_run(session.warehouse, execucao_id - 1) is None:
        # Told by the first run that passes over numbers alone: one that is tried again follows it.
        happened.note_history(session.pasta, happened.RESUMED, session.clock(), session.progress.tell)
    session.enter(execucao_id)
    # What an earlier run wrote aside and never published is nobody's any more.
    shutil.rmtree(session.folder(STAGING_FOLDER), ignore_errors=True)


def _choose_days(session: RunSession, extraction_day: date) -> tuple[date, date]:
    order = session.order
    if order.publicar_passado and order.data_base is None:
        raise ConfigError("publicar_passado sem data_base: diga que dia passado publicar.")
    return order.demand_days(extraction_day), extraction_day


def _today(session: RunSession) -> date:
    return local_day(session.clock(), session.settings.fuso)


def _find_base(session: RunSession) -> int | None:
    """Find the reading of the last complete run whose pages are still kept: what a hot run refreshes."""
    for run in reversed(runs.read_complete_runs(session.warehouse)):
        if session.pages_of(run.leitura_id).exists():
            return run.leitura_id
    return None


def _demand_held(session: RunSession) -> None:
    """Demand that the run numbers that the order accepts are those of held runs."""
    read_accepted(session, session.order.aceitar_exclusoes, holds.EXCLUSOES)
    read_accepted(session, session.order.aceitar_alteracoes, holds.ALTERACOES)
    read_accepted(session, session.order.aceitar_origem, holds.ORIGEM)


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
