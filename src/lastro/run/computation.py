"""The reports: the position as of D, what it is compared with, every report, check and indicator of the run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from typing import Final

from lastro.analysis.changes import Comparison
from lastro.analysis.expectation import RunningSums, list_realised
from lastro.analysis.forecast_accuracy import Forecast, plan_forecasts
from lastro.analysis.forecast_record import Measured, complete, reconstitute
from lastro.bank.report import SHEET, say_bank
from lastro.bank.tables import list_lines
from lastro.calendar import local_day
from lastro.catalogue import Catalogue, build_catalogue
from lastro.desk.plan import Payments, plan_payments, take_balances
from lastro.desk.tables import list_desk_tables
from lastro.grid.verdict import CLOSED_MONTHS, RISK, find_ids
from lastro.grid.words import format_date
from lastro.grid.workbook import tables_of
from lastro.quality.queries import read_prelude
from lastro.quality.runner import ReceivedViews
from lastro.reports.facts import DeskFacts, EarlierReport, Facts
from lastro.reports.view import View
from lastro.run.bank import find_bank
from lastro.run.closing import find_closings
from lastro.run.computed import Computed
from lastro.run.desk import find_desks, read_desks, read_typed_beside_lines
from lastro.run.happened import read_happened
from lastro.run.loading import find_exact_run
from lastro.run.order import StageResult
from lastro.run.own_questions import ask_questions
from lastro.run.session import RunSession
from lastro.schema.derivation import versions_at
from lastro.settings import Recorte
from lastro.transform.core import mark_outside
from lastro.transform.forgotten_titulos import find_questioned
from lastro.transform.openings import describe_openings
from lastro.transform.position import Core, Position, build_position
from lastro.transform.scope import narrow_position
from lastro.warehouse.file.changes import compare_reports
from lastro.warehouse.file.check_room import read_received, store_noticed, store_position, store_prelude, take_rows
from lastro.warehouse.file.dataset_views import store_datasets
from lastro.warehouse.file.report_tables import replace_report_tables
from lastro.warehouse.loading import files, holds, outcomes, reading_log, runs
from lastro.warehouse.loading.due_dates import read_due_dates
from lastro.warehouse.loading.forecasts import read_forecasts, write_forecasts
from lastro.warehouse.loading.history import read_forecast_core, read_late_core
from lastro.warehouse.loading.listings import find_repeated

BANCO: Final = "BANCO"
"""What begins the bank's line of the cover and of the terminal."""
SHOWN_DAYS: Final = 3
"""Days whose complete runs show a restated month on the cover."""
_COUNTED: Final = re.compile(r"; \d+ compara")
"""Where the detail of a check goes on with what was compared."""


def build_mart(session: RunSession) -> StageResult:
    """Store the reports, checks and indicators as of D: `mart`, `ops.verificacoes` and `ops.kpis`."""
    read_desks(session)  # what was typed since is part of the projection by promises
    warehouse = session.warehouse
    catalogue = _store_computed(session)
    refused = ask_questions(warehouse, session.settings.entrada(session.empresa))
    if refused != files.read_refused(warehouse, session.execucao_id, files.OF_QUESTIONS):
        # That a question has no answer is a finding (Q31), and what is published has all of them.
        files.keep_refused(warehouse, session.execucao_id, refused, files.OF_QUESTIONS)
        session.forget_computed()
        catalogue = _store_computed(session)
    rows = catalogue.count_rows()
    return StageResult(
        sum(rows.values()),
        {"relatorios": len(catalogue.reports), "erros": len(catalogue.errors), "alertas": len(catalogue.warnings)},
        {name: StageResult(count) for name, count in rows.items()},
        catalogue.outcomes,
    )


def _store_computed(session: RunSession) -> Catalogue:
    """Compute, and store what it comes to."""
    computed, warehouse = compute(session), session.warehouse
    catalogue = computed.catalogue
    warehouse.trim()  # the frames are gone, and what their reports become is made of other pieces
    tables = [*tables_of(catalogue.reports), computed.extrato]
    tables += () if computed.mesas is None else list_desk_tables(computed.mesas, computed.pagamentos)
    kpis = [
        {
            "kpi": kpi.slug,
            "indicador": kpi.indicador,
            "valor": kpi.number,
            "unidade": kpi.spec.unidade or kpi.spec.kind.value,
            "so_variacao": kpi.so_variacao,
        }
        for kpi in catalogue.kpis
    ]
    with warehouse.transaction(large=True):
        replace_report_tables(warehouse, tables)
        _store_prelude(session)
        store_position(warehouse, computed.posicao)
        store_datasets(warehouse)
        store_noticed(warehouse, catalogue.notados)
        outcomes.write_outcomes(warehouse, session.execucao_id, catalogue.outcomes, kpis)
        if session.is_current and session.is_complete:
            write_forecasts(warehouse, session.execucao_id, catalogue.previstos)
    computed.posicao.clear()  # as large as the frames that are gone
    return catalogue


def _recall_forecasts(session: RunSession, position: Position) -> tuple[Measured, ...]:
    """Read the forecasts that runs up to D had stored, from before D; without any, make those of the past Mondays."""
    limit = find_exact_run(session) or session.run.leitura_id
    stored = read_forecasts(session.warehouse, limit, position.data_base)
    if not stored:
        return reconstitute(position)
    return complete(stored, RunningSums(list_realised(position)), position.data_base)


def _store_prelude(session: RunSession) -> None:
    """Store what the checks that are SQL need to be asked again by anyone."""
    exact, run = find_exact_run(session), session.run
    report = {
        "execucao_id": session.execucao_id,
        "empresa": session.empresa.id,
        "data_base": run.data_base,
        "data_extracao": run.data_extracao if exact is None else run.data_base,
    }
    store_prelude(session.warehouse, report, read_prelude(), exact)


def compute(session: RunSession) -> Computed:
    """Compute every report, check and indicator of the run from the file, once a session; nothing is written."""
    return session.keep_computed(lambda: _compute(session))


def _compute(session: RunSession) -> Computed:
    """Compute them in the order that their data need: what people typed, bank, desks, closings, reports, payments."""
    position = read_position(session)
    received = _read_received(session)
    compared = compare_previous(session, read_previous(session, position), position)
    facts = gather_facts(session, position, compared)
    session.warehouse.release_memory()
    questioned = find_questioned(position)
    bank = find_bank(session, position, read_typed_beside_lines(session), questioned)
    if bank is not None:
        said = say_bank(bank.conciliacao)
        facts = replace(facts, banco=bank, linhas_da_capa=[(BANCO, said, SHEET)] if said else [])
    desk = find_desks(session, position, facts.banco, questioned)
    closings = find_closings(session, position)
    facts = replace(
        facts,
        mesas=DeskFacts() if desk is None else desk.fatos,
        nao_entendidos=[*(bank.nao_entendidos if bank else ()), *(desk.nao_entendidos if desk else ())],
        recados=closings.recados,
        extras=[*facts.extras, *closings.extras],
    )
    books = View(position, session.empresa, facts)
    catalogue = build_catalogue(books, received, file=session.warehouse)
    payments = Payments((), (), ())
    if desk is not None:
        order, balances = session.empresa.ordem_pagamentos, take_balances(books)
        em_risco = find_ids(catalogue.findings, RISK)
        payments = plan_payments(desk.payables, desk.decisions, order, balances, session.calendario, em_risco)
    return Computed(catalogue, list_lines(position, bank), desk, payments, closings.fecha, take_rows(position))


def read_position(session: RunSession) -> Position:
    """Take the position as of D, of the records that the loading gave back or read (S3)."""
    run = session.run
    extraction = run.data_extracao if find_exact_run(session) is None else run.data_base
    position = _take_position(session, session.warehouse.read_core(), run.data_base, extraction)
    return replace(position, vencimentos=read_due_dates(session.warehouse, run.leitura_id, run.data_base))


def _take_position(session: RunSession, core: Core, day: date, extraction_day: date) -> Position:
    session.warehouse.release_memory()
    position = build_position(
        core,
        data_base=day,
        data_extracao=extraction_day,
        parametros=session.empresa.parametros,
        calendario=session.calendario,
    )
    session.warehouse.trim()
    return position


def _list_earlier(session: RunSession) -> list[runs.StoredRun]:
    """List the complete runs before the one that is shown, up to D."""
    exact, day = find_exact_run(session), session.run.data_base
    limit = session.run.leitura_id if exact is None else exact
    complete = runs.read_complete_runs(session.warehouse)
    return [run for run in complete if run.execucao_id < limit and run.data_extracao <= day]


def _list_reports(session: RunSession) -> list[runs.StoredRun]:
    """List those of them that were the report of their own day, which is before D."""
    return [run for run in _list_earlier(session) if run.data_base == run.data_extracao < session.run.data_base]


def read_previous(session: RunSession, position: Position) -> tuple[Position, str] | None:
    """Read the last report of an earlier D, as of its own day (R14); None where there is none.

    Args:
        position: the position of this report, whose map holds on both sides.

    Returns:
        Its position, of linhas and títulos those that may have been late; and the relation of all its linhas.
    """
    earlier = _list_reports(session)
    if not earlier:
        return None
    execucao_id, day = earlier[-1].execucao_id, earlier[-1].data_extracao
    core = read_late_core(session.warehouse, execucao_id, day)
    linhas, titulos = mark_outside(core.linhas, core.titulos, position.categorias)
    before = _take_position(session, replace(core, linhas=linhas, titulos=titulos), day, day)
    return before, f"({versions_at('linhas', execucao_id, tags=True)})"


def compare_previous(
    session: RunSession, previous: tuple[Position, str] | None, position: Position, recorte: Recorte | None = None
) -> Comparison | None:
    """Hold the previous report (`read_previous`) against this one, of a scope by what of both lies in it."""
    if previous is None:
        return None
    before, linhas = previous
    if recorte is not None:
        # A charge whose títulos were not late is still one of those held against: which of them count, the scope says.
        before = replace(narrow_position(before, recorte), cobrancas=before.cobrancas)
    return compare_reports(session.warehouse.con, position, before, linhas, recorte)


def _read_forecasts(session: RunSession) -> tuple[tuple[Forecast, ...], dict[int, Position]]:
    """Read the runs that forecast the periods of R13."""
    warehouse = session.warehouse
    extracted = {run.execucao_id: run.data_extracao for run in _list_earlier(session)}
    forecasts = plan_forecasts(session.run.data_base, extracted)
    since = min(forecast.period.first for forecast in forecasts)
    execucao_ids = sorted({forecast.execucao_id for forecast in forecasts if forecast.execucao_id is not None})
    return forecasts, {
        execucao_id: _take_position(
            session,
            read_forecast_core(warehouse, execucao_id, since),
            extracted[execucao_id],
            extracted[execucao_id],
        )
        for execucao_id in execucao_ids
    }


def _read_received(session: RunSession) -> ReceivedViews:
    """Read what the checks of the whole compare with; a scope takes their verdict over."""
    # A past day given back from history has other linhas than the raw records of this run.
    return read_received(session.warehouse, session.execucao_id, read_prelude(), find_exact_run(session))


def gather_facts(session: RunSession, position: Position, compared: Comparison | None) -> Facts:
    """Read the facts that reports need beyond the position; the caller gives the comparison."""
    warehouse, reading = session.warehouse, session.run.leitura_id
    forecasts, positions = _read_forecasts(session)
    return Facts(
        repetidos=find_repeated(warehouse.con),
        anteriores=_recall_reports(session, position),
        certificado=[
            (row[0], None if row[1] is None else position.rotulos.conta(row[1]), *row[2:])
            for row in reading_log.read_certificate(warehouse, reading)
        ],
        extras=[
            ("execucao_id", str(session.execucao_id), "número da execução"),
            ("fuso", session.settings.fuso, "zona em que o relógio da execução vira data"),
            ("versao", version("lastro"), "versão do lastro"),
            *_tell_history(session),
            *files.describe_read_files(warehouse, session.execucao_id),
        ],
        rejeitados=reading_log.read_rejected(warehouse),
        esquema=reading_log.read_schema_notes(warehouse, session.execucao_id),
        fontes=_list_sources(session),
        comparacao=compared,
        reabertos=recall_restated(
            _list_reports(session), outcomes.read_failed(warehouse, CLOSED_MONTHS), session.run.data_base
        ),
        previsoes=forecasts,
        medidas=_recall_forecasts(session, position),
        posicoes=positions,
        nao_lidos=files.list_refused(warehouse, session.execucao_id),
        linhas_recusadas=files.count_refused(warehouse, session.execucao_id),
    )


def _recall_reports(session: RunSession, position: Position) -> list[EarlierReport]:
    """Recall what people last read of each earlier D, and what its figures cannot be compared for."""
    openings = describe_openings(position.contas)
    return [
        EarlierReport(
            day,
            kpis,
            so_variacao,
            outcomes.find_changed_parameters(parametros, session.empresa.parametros),
            parametros.get(runs.ABERTURAS, openings) == openings,
        )
        for day, kpis, so_variacao, parametros in outcomes.read_told_reports(session.warehouse, position.data_base)
    ]


def recall_restated(earlier: Sequence[runs.StoredRun], said: Mapping[int, str], day: date) -> list[tuple[date, str]]:
    """Recall the restated months that complete runs of fewer than `SHOWN_DAYS` days before D have shown (N12).

    Args:
        earlier: the complete runs before, oldest first.
        said: number of a run that found a closed month changed -> what it said.
        day: D.

    Returns:
        Day of each and the sentence, oldest first.
    """
    recalled = []
    for run in earlier:
        shown = {later.data_extracao for later in earlier if later.execucao_id >= run.execucao_id} - {day}
        if run.execucao_id in said and len(shown) < SHOWN_DAYS:
            recalled.append((run.data_extracao, _COUNTED.split(said[run.execucao_id])[0]))
    return recalled


def _tell_history(session: RunSession) -> list[tuple[str, str, str]]:
    """Say on Parâmetros that the history was rebuilt, resumed or begun anew lately."""
    history = read_happened(session.pasta).recent_history(session.clock())
    if history is None:
        return []
    when = format_date(local_day(history.desde, session.settings.fuso))
    return [("historico", f"{history.o_que} em {when}", f"{history.por_que} (Restaurar)")]


def _list_sources(session: RunSession) -> Sequence[tuple[str, str]]:
    """List what Parâmetros says of where the figures come from: a recálculo of itself, and accounts found or new."""
    sources = [("Extração", session.run.nota)] if session.run.nota else []
    identity = holds.read_identity(session.warehouse)
    new = () if identity is None else identity.contas_novas
    sources += [(f"Conta {conta}", "nova: a leitura anterior não a tinha") for conta in new]
    for conta, where, state in reading_log.read_seen_accounts(session.warehouse, session.run.leitura_id):
        text = (
            f"lida sem estar configurada; vista em: {where}"
            if state == reading_log.LIDA
            else f"NÃO lida: o serviço respondeu {state}"
        )
        sources.append((f"Conta {conta}", text))
    return sources


def add_written(session: RunSession, catalogue: Catalogue) -> Catalogue:
    """Add what was found of the closing that was written, which no catalogue has: it counts in the run's verdict."""
    known = {check.id for check in catalogue.outcomes}
    stored = outcomes.read_outcomes(session.warehouse, session.execucao_id)
    added = [check for check in stored if check.id not in known]
    together = sorted([*catalogue.verifications, *added], key=lambda check: check.id)
    return replace(catalogue, verifications=tuple(together))
