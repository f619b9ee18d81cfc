"""The reading: every list of the service, proved complete, landed before it is parsed (S13). One stage, never in parts.

The lists that the document shows come first, so that a token that is refused ends the run with its own sentence; then
the lists it does not show, the charges, and last the entries of every account, as of one moment.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict
from datetime import UTC, date, timedelta
from typing import Any, TypeVar

from lastro.api.endpoints import REFERENCIAS
from lastro.errors import ConfigError
from lastro.extract.charges import read_cobrancas
from lastro.extract.entries import LancamentosRead, read_lancamentos
from lastro.extract.lists import probe_contas, probe_lists, read_reference
from lastro.extract.passes import Passada
from lastro.extract.plan import choose_composites
from lastro.extract.records import read_details
from lastro.extract.rounds import UnprovedPass
from lastro.run.order import StageResult
from lastro.run.origin import demand_known_entry, demand_same_service
from lastro.run.session import RunSession
from lastro.transform.deletions import plan_confirmations
from lastro.warehouse.loading import reading_log, runs
from lastro.warehouse.loading.history import read_known_records, read_pending_absences

_R = TypeVar("_R")

ABSENCE_REQUESTS = 40
"""Most direct questions a run asks about entries that vanished from the listings (S13)."""
HOT_ENTRY_DAYS, HOT_CHARGE_DAYS = (35, 45), (60, 45)
"""Days before and after today that a hot run reads: caixa dates of entries, due dates of charges."""


def read_service(session: RunSession) -> StageResult:
    """Read everything that the order asks for.

    Raises:
        ConfigError: when no account is known.
        OriginHeld: when it is another service than before, or a hot run shows nothing that is known.
        ApiRejected, ApiUnavailable, IncompletePass, StorageError: from the reading; nothing was replaced.
    """
    demand_same_service(session)
    parts: dict[str, StageResult] = {}
    complete = session.is_complete
    if complete:
        for name in REFERENCIAS:
            parts[name] = _read_reference(session, name)
    seen: dict[int, str] = {}
    if complete:
        parts["contas"] = _probe_lists(session, seen)
    parts["cobrancas"] = _read_cobrancas(session, seen)
    parts["lancamentos"], entries = _read_lancamentos(session, seen)
    if complete:
        _ask_one_by_one(session, entries)
    session.close_client()
    return StageResult(
        sum(part.rows for part in parts.values()),
        {"requisicoes": runs.count_requests(session.warehouse, session.execucao_id), "listas": len(parts)},
        parts,
    )


def _store_passes(session: RunSession, passadas: Iterable[Passada]) -> None:
    rows = []
    for passada in passadas:
        row: dict[str, Any] = asdict(passada) | {"execucao_id": session.execucao_id}
        for name in ("iniciada_em", "terminada_em"):
            row[name] = row[name].astimezone(UTC).replace(tzinfo=None)
        rows.append(row)
    reading_log.write_passes(session.warehouse, rows)


def _proved(session: RunSession, read: Callable[[], _R]) -> _R:
    """Read, and keep the certificate of a reading that could not be proved too (S13)."""
    try:
        return read()
    except UnprovedPass as unproved:
        _store_passes(session, unproved.passadas)
        raise


def _read_reference(session: RunSession, name: str) -> StageResult:
    passada = read_reference(session.source, name)
    _store_passes(session, [passada])
    return _sum_passes([passada])


def _probe_lists(session: RunSession, seen: dict[int, str]) -> StageResult:
    """Probe the account list and the other lists that the document does not show (manual: servico)."""
    contas = probe_contas(session.source)
    names = probe_lists(session.source, contas)
    probes = [contas, *names.values()]
    passadas = [probe.passada for probe in probes if probe.passada is not None]
    _store_passes(session, passadas)
    seen |= dict.fromkeys(contas.ids, "lista de contas do serviço")
    found = {probe.name: "sim" if probe.exists else probe.reason for probe in probes}
    return StageResult(len(contas.ids), {"segundos": _span(passadas), **found})


def _read_cobrancas(session: RunSession, seen: dict[int, str]) -> StageResult:
    window = _find_window(session, HOT_CHARGE_DAYS)
    charges = _proved(session, lambda: read_cobrancas(session.source, window=window))
    _store_passes(session, (*charges.passadas, *charges.by_status))
    seen |= {conta: "cobranças" for conta in charges.contas if conta not in seen}
    return _sum_passes(charges.passadas)


def _read_lancamentos(session: RunSession, seen: dict[int, str]) -> tuple[StageResult, LancamentosRead]:
    """Read the entries of every account, with what V09 and V15 compare them to; remember the accounts found."""
    warehouse, empresa = session.warehouse, session.empresa
    configured = [conta.conta_id for conta in empresa.contas]
    if not configured and not seen:
        raise ConfigError(
            f"{session.settings.origem}: empresa[{empresa.id}].conta: nenhuma conta configurada e o serviço "
            "não lista nenhuma. Acrescente [[empresa.conta]] com conta_id, ou defina LASTRO_CONTAS."
        )
    known = dict.fromkeys(reading_log.read_known_accounts(warehouse), "execução anterior")
    window = _find_window(session, HOT_ENTRY_DAYS)
    entries = _proved(
        session,
        lambda: read_lancamentos(
            session.source,
            configured,
            candidates=known | seen,
            known_ids=reading_log.read_known_ids(warehouse),
            with_overdue=session.is_current,
            today=session.run.data_extracao,
            window=window,
        ),
    )
    _store_passes(session, entries.passadas)
    if window is not None:
        demand_known_entry(session, set().union(*entries.ids.values()), window)
    accounts = {conta: (where, reading_log.LIDA) for conta, where in entries.found_accounts.items()}
    refused = {conta: (what, what) for conta, what in entries.refused_accounts.items()}
    reading_log.write_seen_accounts(warehouse, session.execucao_id, accounts | refused)
    return _sum_passes(entries.passadas), entries


def _ask_one_by_one(session: RunSession, entries: LancamentosRead) -> None:
    """Ask for composites whose items may be missing (V15) and for entries that vanished (S13); keep the answers."""
    warehouse, execucao_id = session.warehouse, session.execucao_id
    plan = plan_confirmations(
        read_known_records(warehouse, "lancamentos", execucao_id),
        read_pending_absences(warehouse, "lancamentos", execucao_id),
        set().union(*entries.ids.values()),
        read_accounts=list(entries.ids),
        budget=ABSENCE_REQUESTS,
    )
    wanted = [*choose_composites(entries.compostos), *plan.to_ask]
    answers = read_details(session.source, wanted)
    reading_log.write_answers(warehouse, execucao_id, answers)


def _find_window(session: RunSession, days: tuple[int, int]) -> tuple[date, date] | None:
    """Return the dates that a hot run reads; None for a complete one."""
    if session.is_complete:
        return None
    today = session.run.data_extracao
    return today - timedelta(days=days[0]), today + timedelta(days=days[1])


def _span(passadas: Collection[Passada]) -> float:
    """Return the seconds from the beginning of the first pass to the end of the last one."""
    if not passadas:
        return 0.0
    span = max(each.terminada_em for each in passadas) - min(each.iniciada_em for each in passadas)
    return round(span.total_seconds(), 1)


def _sum_passes(passadas: Iterable[Passada]) -> StageResult:
    """Sum up the proved passes of a listing."""
    attempts = list(passadas)
    proved = [passada for passada in attempts if passada.veredito == "provada"]
    return StageResult(
        sum(passada.ids_distintos for passada in proved),
        {
            "segundos": _span(attempts),
            "paginas": sum(passada.paginas for passada in attempts),
            "requisicoes": sum(passada.requisicoes for passada in attempts),
            "provadas": len(proved),
            "passadas": len(attempts),
            "rejeitadas": sum(passada.rejeitadas for passada in proved),
            "reparados": sum(passada.reparados for passada in proved),
        },
    )
