"""The loading: checked, typed tables in the place of the earlier ones, history and its guards, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from lastro.api.endpoints import CONTAS, NAME_LISTS, REFERENCIAS
from lastro.calendar import month_start
from lastro.errors import IncompletePass
from lastro.run.desk import read_desks
from lastro.run.entry_folder import read_entry_folder
from lastro.run.identity import read_accepted
from lastro.run.names import CORE_TABLES
from lastro.run.order import StageResult
from lastro.run.origin import demand_known_account, find_host
from lastro.run.reading import ABSENCE_REQUESTS
from lastro.run.session import RunSession
from lastro.secret_key import read_key
from lastro.transform.composites import compare_composites
from lastro.transform.conformed import Conformed
from lastro.transform.core import CoreBuild, build_core
from lastro.transform.deletions import (
    check_deletions,
    classify_absences,
    find_list_losses,
    find_removed,
    plan_confirmations,
)
from lastro.transform.openings import describe_openings
from lastro.transform.past_changes import LANCAMENTOS, check_past_changes
from lastro.transform.past_day import restate
from lastro.warehouse.file.macros import create_macros
from lastro.warehouse.loading import holds, reading_log, runs
from lastro.warehouse.loading.conformer import RECEIVED, conform_overdue, conform_run
from lastro.warehouse.loading.control import read_control_totals
from lastro.warehouse.loading.dialect import observe_dialect, record_dialect
from lastro.warehouse.loading.history import (
    read_first_paid,
    read_known_records,
    read_past_changes,
    read_pending_absences,
    record_absences,
    record_history,
)
from lastro.warehouse.loading.listings import drop_received, find_repeated, read_listed_ids, read_whole_lists


def load_core(session: RunSession) -> StageResult:
    """Check, cast and compose what the reading landed; replace `core` and, after a complete reading, extend `hist`.

    Raises:
        IncompletePass: when a listing of the reading is not proved, or its pages are gone.
        OriginHeld: when the service shows none of the accounts of the reading before.
        DeletionsHeld, ChangesHeld: when more would go or change than the settings allow without being asked.
    """
    warehouse, execucao_id = session.warehouse, session.execucao_id
    _demand_proofs(session)
    folders = _list_page_folders(session)
    warehouse.make_room(reading_log.count_records(warehouse, session.reading.execucao_id))
    of_desks = read_desks(session)
    with warehouse.transaction(large=True):
        known_lists = read_whole_lists(warehouse.con)
        conformed = conform_run(warehouse.con, folders, execucao_id)
        if warehouse.holds_much():
            warehouse.release_memory()
        if session.is_complete:
            demand_known_account(session, _list_accounts(conformed))
        outcomes = _settle_absences(session, conformed, known_lists) if session.is_complete else {}
        compostos = compare_composites(conformed)
        typed = read_entry_folder(session, _name_accounts(session, conformed), conformed)
        built = build_core(
            conformed,
            session.empresa,
            modo_anterior=runs.read_previous_mode(warehouse, session.run.leitura_id),
            observadas=read_first_paid(warehouse, session.run.leitura_id),
            informados=[*typed.saldos, *of_desks],
            orcamento=typed.orcamento,
            ate=session.run.data_extracao,
            chave=read_key(session.folder("")),
        )
        warehouse.write_core(built.core, execucao_id, session.calendario)
        warehouse.trim()
        if session.is_complete:
            _demand_same_past(session)
            record_history(warehouse, session.run.leitura_id)
        for lista, frame in outcomes.items():
            record_absences(warehouse, session.run.leitura_id, lista, frame)
        _keep_facts(session, compostos, built)
        _keep_witnesses(session, built)
        drop_received(warehouse.con)
        counts = runs.count_rows(warehouse, CORE_TABLES)
        recall_day(session, built)
        create_macros(warehouse, session.empresa.id)
    rejected = reading_log.count_rejected(warehouse)
    totals: dict[str, int | float | str] = {
        "titulos": counts["titulos"],
        "cobrancas": counts["cobrancas"],
        "rejeitados": rejected,
        **{
            f"{lista}_{estado}": int((frame["estado"] == estado).sum())
            for lista, frame in outcomes.items()
            for estado in ("desaparecido", "excluido")
        },
        "composto_modo": built.evidence.mode,
    }
    return StageResult(counts["linhas"], totals, {name: StageResult(count) for name, count in counts.items()})


def _keep_witnesses(session: RunSession, built: CoreBuild) -> None:
    """Keep what the service and the records themselves say of the linhas: overdue lists (V09), control totals (V10)."""
    warehouse, parametros = session.warehouse, session.empresa.parametros
    warehouse.replace("raw.vencidos", conform_overdue(warehouse.con, session.pages))
    totals = read_control_totals(
        warehouse.con,
        modo=built.evidence.mode,
        saldo_inicial_lancamentos=parametros.saldo_inicial_lancamentos,
        saldo_inicial_categorias=parametros.saldo_inicial_categorias,
    )
    warehouse.replace("raw.controle", totals)


def _demand_proofs(session: RunSession) -> None:
    """Refuse to load a reading any of whose listings is not proved (S13)."""
    reading = session.reading
    window = ("lancamentos:janela", "cobrancas:janela")
    needed = window if reading.is_hot else ("lancamentos", "cobrancas", *REFERENCIAS)
    missing = reading_log.find_unproved(session.warehouse, reading.execucao_id, needed)
    if missing:
        raise IncompletePass(
            f"execução {reading.execucao_id}: não se provou completa: {', '.join(missing)}. Nada foi trocado; "
            "rode o job inteiro de novo."
        )


def _list_page_folders(session: RunSession) -> list[Path]:
    """List the folders whose pages make up the reading: those of a hot one lie over the complete one's.

    Raises:
        IncompletePass: when one of them is gone: everything would be replaced by nothing.
    """
    base = session.reading.base_id
    folders = [session.pages] if base is None else [session.pages_of(base), session.pages]
    for folder in folders:
        if not folder.exists():
            raise IncompletePass(f"{folder}: as páginas da leitura sumiram. Nada foi trocado; rode o job inteiro.")
    return folders


def _list_accounts(conformed: Conformed) -> set[int]:
    """List the accounts that the service names: in its list of them, in entries and in charges."""
    frames = (conformed.contas, conformed.lancamentos, conformed.cobrancas)
    return {int(conta) for frame in frames for conta in frame["conta_id"].dropna().unique()}


def _name_accounts(session: RunSession, conformed: Conformed) -> dict[int, str]:
    """Name the accounts that a person may mean: those of the settings, of the service's list and of the records."""
    listed = conformed.contas.set_index("conta_id")["descricao"].fillna("").to_dict()
    settings = {conta.conta_id: conta.descricao for conta in session.empresa.contas}
    ids = {*settings, *_list_accounts(conformed)}
    return {conta: settings.get(conta) or listed.get(conta) or f"Conta #{conta}" for conta in ids}


def _settle_absences(
    session: RunSession, conformed: Conformed, known_lists: Mapping[str, frozenset[int]]
) -> dict[str, pd.DataFrame]:
    """Say what became of every record that vanished; hold the run when too many would go (S13).

    Of the lists that come whole, whose ids before the run are `known_lists`, only the holding is decided here; the list
    of accounts, which a service need not have, is compared where it answered.

    Raises:
        DeletionsHeld: above `limite_exclusoes`, unless the order accepts a held run that showed all of them.
    """
    warehouse, leitura_id = session.warehouse, session.run.leitura_id
    details = conformed.detalhes.rename(columns={"lancamento_id": "registro_id"})
    details = details[["registro_id", "conta_id"]]
    inactive = [conta.conta_id for conta in session.empresa.contas if not conta.ativa]
    outcomes, removed = {}, {}
    for lista, accounts, answers, shown in (
        (
            "lancamentos",
            reading_log.read_proved_accounts(warehouse, leitura_id),
            reading_log.read_answers(warehouse, leitura_id),
            details,
        ),
        ("cobrancas", None, {}, details.iloc[:0]),
    ):
        known = read_known_records(warehouse, lista, leitura_id)
        pending = read_pending_absences(warehouse, lista, leitura_id)
        plan = plan_confirmations(
            known,
            pending,
            read_listed_ids(warehouse.con, lista),
            read_accounts=accounts,
            budget=ABSENCE_REQUESTS,
        )
        outcomes[lista] = classify_absences(plan, answers, known, pending, shown, inactive_accounts=inactive)
        removed[lista] = (known, find_removed(outcomes[lista]))
    lists = read_whole_lists(warehouse.con)
    if not (session.pages / f"{CONTAS.name}.jsonl.gz").exists():
        del lists[CONTAS.name]
    check_deletions(
        removed | find_list_losses(known_lists, lists),
        session.empresa.parametros.limite_exclusoes,
        execucao_id=session.execucao_id,
        accepted=read_accepted(session, session.order.aceitar_exclusoes, holds.EXCLUSOES),
    )
    return outcomes


def _demand_same_past(session: RunSession) -> None:
    """Hold the run when too much of the months before the previous complete run's month changed (S13).

    Raises:
        ChangesHeld: above `limite_alteracoes`, unless the order accepts a held run that showed all of them.
    """
    warehouse, execucao_id = session.warehouse, session.execucao_id
    accepted = read_accepted(session, session.order.aceitar_alteracoes, holds.ALTERACOES)
    earlier = [run for run in runs.read_complete_runs(warehouse) if run.leitura_id < session.run.leitura_id]
    if not earlier:
        return
    check_past_changes(
        read_past_changes(warehouse, session.run.leitura_id, month_start(earlier[-1].data_extracao)),
        session.empresa.parametros.limite_alteracoes,
        execucao_id=execucao_id,
        accepted=accepted.get(LANCAMENTOS, ()),
        deleted=read_accepted(session, session.order.aceitar_exclusoes, holds.EXCLUSOES).get(LANCAMENTOS, ()),
    )


def _keep_facts(session: RunSession, compostos: pd.DataFrame, built: CoreBuild) -> None:
    """Keep what the later stages ask of the loading: parameters, evidence of the checks, whose books these are."""
    warehouse, execucao_id, run = session.warehouse, session.execucao_id, session.run
    facts = {
        "data_base": run.data_base.isoformat(),
        "data_extracao": run.data_extracao.isoformat(),
        "fuso": session.settings.fuso,
        runs.ABERTURAS: describe_openings(built.core.contas),
    }
    runs.write_parameters(warehouse, execucao_id, facts, session.empresa.parametros, built.evidence)
    reading_log.write_cut_cycles(warehouse, execucao_id, built.ciclos)
    reading_log.write_reading_notes(warehouse, execucao_id, run.leitura_id, find_repeated(warehouse.con, RECEIVED))
    reading_log.write_evidence(
        warehouse,
        execucao_id,
        reading_log.LoadEvidence(built.evidence, built.diferencas, compostos, built.conflitos_saldo_inicial),
    )
    if session.is_complete:
        asked = (CONTAS.name, *NAME_LISTS)
        record_dialect(warehouse, run.leitura_id, observe_dialect(warehouse.con, run.leitura_id, asked))
    if not session.is_recalculation or holds.read_identity(warehouse) is None:
        contas = {int(conta) for conta in built.core.contas["conta_id"].dropna()}
        holds.write_identity(warehouse, session.empresa.id, find_host(session), contas, run.leitura_id)


def find_exact_run(session: RunSession) -> int | None:
    """Find the complete run that gives a past D back exactly; None for today, and where there is none (S3)."""
    return None if session.is_current else runs.find_run_of_day(session.warehouse, session.run.data_base)


def recall_day(session: RunSession, built: CoreBuild) -> None:
    """Put the tables of a past D into `core`, with the map and the openings of today; nothing where D has no run.

    Whatever reads `core` from here on, in this run and in its file, has one and the same past. The next loading
    replaces it; what is recorded is untouched.

    Args:
        session: the run, inside the transaction of its loading, after the history was written.
        built: what the reading under way gives.
    """
    exact = find_exact_run(session)
    if exact is None:
        return
    then = session.warehouse.read_core(exact)
    past = restate(then, built.core, session.empresa.parametros.dre_mapa)
    session.warehouse.write_core(past, exact, session.calendario)
