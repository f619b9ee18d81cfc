"""The desks in a run: read what was typed into every workbook of theirs, keep it, write the new ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.analysis.frames import records_of
from lastro.calendar import local_time
from lastro.desk import storage
from lastro.desk.answers import Answers, Asking, find_answers
from lastro.desk.approved import write_approved
from lastro.desk.book import build_desk
from lastro.desk.decision_notes import tell_decisions
from lastro.desk.decisions import Approval, Decisions, find_decisions, find_statements
from lastro.desk.desks import COBRANCA, CONTA, DESKS, EXTRATO, PAGAMENTOS, PAGAR, PESSOA, TITULO
from lastro.desk.found import DeskFound
from lastro.desk.memory import DeskMemory
from lastro.desk.notes import (
    find_misunderstood,
    find_new_notes,
    fold_notes,
    hold_to_company,
    tell_doubts,
)
from lastro.desk.payables import Payables, build_payables
from lastro.desk.payments import PaymentFile, build_payments
from lastro.desk.plan import list_paying_accounts
from lastro.desk.promises import find_promises, list_broken, list_promised
from lastro.desk.queue import build_queue
from lastro.desk.reader import is_desk_file, read_desk
from lastro.desk.seen import SeenWords, hold_to_shown
from lastro.entrada.door import NotRead, hold_unread, list_folder, open_file, read_open, show_name
from lastro.entrada.saldos import find_paying_account
from lastro.export.xlsx import render_workbook
from lastro.files import digest_file
from lastro.reports.facts import BankFacts, DeskFacts
from lastro.run.access import choose_mode
from lastro.run.computed import Computed
from lastro.run.names import APROVADOS, NO_DESKS, REPORTS_FOLDER, name_written, parse_name
from lastro.run.session import RunSession
from lastro.secret_key import read_key
from lastro.transform.openings import MESA, Statement
from lastro.warehouse.loading.files import keep_refused, read_refused

if TYPE_CHECKING:
    from lastro.desk.model import Desk, Note
    from lastro.grid.workbook import Stamp
    from lastro.settings import Empresa, Settings
    from lastro.transform.position import Position

_READABLE: Final = frozenset({".xlsx", ".xlsm"})
_FOREIGN: Final = frozenset(
    {".ods", ".fods", ".xls", ".xlsb", ".xltx", ".xltm", ".csv", ".tsv", ".txt", ".xml", ".numbers"}
)
"""What a file of a desk may have been saved as that is not read back."""
FIRST_SAVED: Final = datetime(1990, 1, 1, tzinfo=UTC)
"""Archives and disks without a time bear one before this."""
_NAMES: Final = tuple(desk.name for desk in DESKS)
_NOTHING_FOUND: Final = (
    "nenhuma linha da mesa foi encontrada nele e nada foi lido; abra e salve como Pasta de Trabalho do Excel (.xlsx)"
)


def read_desks(session: RunSession) -> list[Statement]:
    """Read what was typed into every workbook of the desks' folder; list the balances typed on *Contas* (S23).

    A company that keeps personal data out of its files has no desks.
    """
    if not session.empresa.dados_pessoais:
        return []
    _read_files(session)
    held = find_statements(storage.read_notes(session.warehouse, PAGAMENTOS, session.settings.fuso))
    return [Statement(conta_id, dia, valor, MESA) for (conta_id, dia), (_, valor) in held.items()]


def read_typed_beside_lines(session: RunSession) -> dict[int, Mapping[str, str]]:
    """Read what stands beside lines of statements: extrato_id -> field -> what a person typed."""
    if not session.empresa.dados_pessoais:
        return {}
    held, _ = fold_notes(PAGAMENTOS, _read_notes(session, PAGAMENTOS))
    return {extrato_id: noted.valores for (kind, extrato_id), noted in held.items() if kind == EXTRATO}


def find_desks(
    session: RunSession, position: Position, banco: BankFacts, questioned: frozenset[int]
) -> DeskFound | None:
    """Find promises, decisions, notes and texts that were not understood; for a past D those saved by then.

    Args:
        position: the position as of D; not mutated.
        banco: what statements of banks say.
        questioned: payables that may have been paid without anybody settling them (`find_questioned`).

    Returns:
        What was found; None for a company that keeps personal data out of its files.
    """
    if not session.empresa.dados_pessoais:
        return None
    queue = build_queue(position, banco.devolvidos)
    collected, paying = _read_notes(session, COBRANCA), _renumber(_read_notes(session, PAGAMENTOS), banco)
    promises = find_promises(collected, queue)
    late = position.titulos[position.titulos["vencido"] & (position.titulos["tipo"] == "P")]
    owed = dict(records_of(late, "titulo_id", "valor_centavos"))
    words, today = _read_words(session, paying), session.run.data_base
    asking = Asking(today, storage.find_upgrade(session.warehouse) or today, Approval.of(session.empresa))
    answers = find_answers(words, owed, asking)
    told = {**{titulo_id: words.tell(titulo_id) for titulo_id in words.unseen}, **answers.motivos}
    payables = build_payables(
        position,
        typed=words.by_titulo,
        questioned=questioned - banco.nao_pagos,
        moved=banco.movidos.keys(),
        answers=answers.dadas,
        undone=storage.read_undone(session.warehouse, today),
        told=told,
    )
    decisions = _decide(session, words, payables)
    shown = [(PESSOA, one.pessoa_id) for one in queue.clientes] + [(TITULO, one.titulo_id) for one in queue.titulos]
    notes = {key: held.valores.get("anotacao", "") for key, held in fold_notes(COBRANCA, collected)[0].items()}
    notes |= {(TITULO, titulo_id): cells.get("anotacao", "") for titulo_id, cells in decisions.celulas.items()}
    facts = DeskFacts(
        anotacoes=notes,
        promessas=list_promised(promises),
        quebradas=list_broken(promises, queue),
        decisoes=decisions.in_force(),
        decisoes_vencidas=decisions.broken(),
        decididos=tell_decisions(decisions, answers.dadas),
        respostas=answers.dadas,
        pagadoras=list_paying_accounts(payables, decisions),
        mudados=decisions.changed(),
    )
    unclear = [
        *find_misunderstood(COBRANCA, collected, shown),
        *_list_misunderstood(payables, decisions, paying, answers),
    ]
    return DeskFound(queue, promises, payables, decisions, answers, facts, unclear, banco)


def _read_words(session: RunSession, notes: Sequence[Note]) -> SeenWords:
    files = (note.arquivo_id for note in notes if note.tipo == PAGAR)
    return SeenWords(notes, storage.read_shown(session.warehouse, files))


def _decide(session: RunSession, words: SeenWords, payables: Payables) -> Decisions:
    return find_decisions(words, payables, Approval.of(session.empresa), session.calendario.next_business_day)


def _read_notes(session: RunSession, desk: Desk) -> list[Note]:
    """Read the notes of a desk; of a past D what was saved by it."""
    notes = storage.read_notes(session.warehouse, desk, session.settings.fuso)
    return notes if session.is_current else [note for note in notes if note.quando.date() <= session.run.data_base]


def _renumber(notes: Sequence[Note], banco: BankFacts) -> list[Note]:
    """Put what was typed beside a line of a bank beside the number that the line has now (S20)."""
    numbers = banco.renumeradas
    return [
        replace(note, chave=numbers.get(note.chave or 0, note.chave)) if note.tipo == EXTRATO else note
        for note in notes
    ]


def _list_misunderstood(
    payables: Payables, decisions: Decisions, notes: Sequence[Note], answers: Answers
) -> list[tuple[str, int]]:
    """List the cells of the payments desk that are not understood, by what their row is of; accounts typed too."""
    cells = decisions.celulas
    typed = {key: cells[key].get("conta") for key in cells if key in payables.abertos}
    shown = [(PAGAR, key) for key in typed] + [(CONTA, key) for key in payables.contas]
    misunderstood = find_misunderstood(PAGAMENTOS, notes, shown)
    misunderstood += [
        (PAGAR, key) for key, text in typed.items() if text and find_paying_account(text, payables.contas) is None
    ]
    misunderstood += [(PAGAR, key) for key in answers.nao_entendidas]
    return [(TITULO if kind == PAGAR else kind, key) for kind, key in sorted(misunderstood)]


def write_desks(session: RunSession, computed: Computed, stamp: Stamp) -> dict[str, int]:
    """Write both workbooks, and the list of what is approved, into the staging folder; say how many notes were read."""
    found = computed.mesas
    if found is None:
        return {}
    # What came back since the reports were computed stands in the cells too, and counts in the next ones.
    unread = _read_files(session)
    paying = _renumber(storage.read_notes(session.warehouse, PAGAMENTOS, session.settings.fuso), found.banco)
    what = PaymentFile(
        found.payables,
        replace(found.decisions, celulas=_decide(session, _read_words(session, paying), found.payables).celulas),
        computed.pagamentos,
        paying,
        found.banco.provas,
        computed.extrato,
        session.calendario,
        found.answers,
        found.banco.retiradas,
    )
    key, day = read_key(session.folder("")), stamp.data_base.isoformat()
    calls, pays = (
        # The id of a file stays, whatever becomes of its name.
        DeskMemory(desk, f"{session.empresa.id}/{desk.name}/{day}", key, found.payables.complete)
        for desk in DESKS
    )
    notes = storage.read_notes(session.warehouse, COBRANCA, session.settings.fuso)
    for memory, book in (
        (calls, build_desk(found.queue, notes, session.empresa, stamp, calls, unread)),
        (pays, build_payments(what, session.empresa, stamp, pays, unread)),
    ):
        path = render_workbook(book, session.staging / name_written(book.kind, stamp.data_base))
        storage.write_shown(session.warehouse, stamp.execucao_id, memory.arquivo_id, memory.shown)
        storage.keep_written_file(session.warehouse, stamp.execucao_id, path.name, digest_file(path), memory.arquivo_id)
    if _tells_approved(session, found):
        write_approved(
            found.payables, found.decisions, session.staging / name_written(APROVADOS, stamp.data_base, ".csv")
        )
    return {"anotacoes_novas": storage.count_notes(session.warehouse, session.execucao_id)}


def list_desk_files(session: RunSession, found: DeskFound | None, day: date) -> tuple[str, ...]:
    """Name the workbooks of the desks for a day, and the list of what is approved."""
    if found is None:
        return ()
    approved = (name_written(APROVADOS, day, ".csv"),) if _tells_approved(session, found) else ()
    return (*(name_written(desk.name, day) for desk in DESKS), *approved)


def _tells_approved(session: RunSession, found: DeskFound) -> bool:
    """Whether a list of approved payments is written: not for a past day, nor where nothing was ever decided."""
    return session.is_current and bool(found.decisions.todas)


def choose_desk_place(session: RunSession) -> tuple[Path, int]:
    """Choose folder and mode of the files: where the desks work."""
    settings, empresa = session.settings, session.empresa
    folder = _desk_folder(settings, empresa)
    return folder, choose_mode(settings, writable=True, within=folder if empresa.pasta_cobranca else None)


def _desk_folder(settings: Settings, empresa: Empresa) -> Path:
    return Path(empresa.pasta_cobranca or settings.pasta(empresa) / REPORTS_FOLDER)


def _read_files(session: RunSession) -> list[str]:
    """Read every file of the desk's folder that is not as it was written or read last, and keep its notes.

    Whatever a file is or holds, the run goes on: what cannot be read stays where it is, is told, and is tried again.

    Returns:
        What was not read and why, for Histórico; kept with the run for Qualidade and for notices, too, but for what is
        only not saved yet. A file that is open is read as it was saved last.
    """
    refused: list[tuple[str, str]] = []
    unsaved: list[str] = []
    known = storage.read_known_files(session.warehouse)
    # What this run said of a file that it has read is not found out again.
    told = set(read_refused(session.warehouse, session.execucao_id))
    folder = _desk_folder(session.settings, session.empresa)
    paths, trouble = list_folder(folder, named=bool(session.empresa.pasta_cobranca))
    refused += [(show_name(folder), trouble)] if trouble else []
    for path in paths:
        name, kind = show_name(path), path.suffix.lower()
        if kind in _FOREIGN and name.casefold().startswith(_NAMES) and not name.casefold().startswith(APROVADOS):
            refused.append((name, f"salvo como {kind}; salve como .xlsx"))
        if kind not in _READABLE:
            continue
        if any(path.with_name(lock).exists() for lock in (f"~${path.name}", f".~lock.{path.name}#")):
            unsaved.append(f"{name}: está aberto; o que ainda não foi salvo não foi lido")
        try:
            with hold_unread():
                left = [(name, text) for text in _read_file(session, path, known)]
            refused += left or sorted(each for each in told if each[0] == name)
        except NotRead as error:
            # Any workbook may be damaged; only one that could be of the desk is told.
            if not _is_other(name):
                refused.append((name, str(error)))
    keep_refused(session.warehouse, session.execucao_id, refused)
    return [*(f"{name}: {text}" for name, text in refused), *unsaved]


def _is_other(name: str) -> bool:
    """Tell whether a name is that of another workbook of lastro."""
    named = parse_name(name)
    return named is not None and named.kind.partition("_")[0] in NO_DESKS and named.suffix == ".xlsx"


def _read_file(session: RunSession, path: Path, known: set[str]) -> Sequence[str]:
    """Read one workbook if it is the desk's and changed, and keep its notes.

    Returns:
        What of it was not read, or not taken for this company's.

    Raises:
        NotRead: when it cannot be read.
    """
    with open_file(path) as stream:
        if not is_desk_file(stream):
            if show_name(path).casefold().startswith(tuple(f"{name}_" for name in _NAMES)):
                raise NotRead(_NOTHING_FOUND)
            return ()
        received = read_open(stream, path)
    if received.sha256 in known:
        return ()
    # A clock that is ahead must not win every later conflict; what no program of our time saved bears no time at all.
    now = session.clock()
    moment = received.saved if FIRST_SAVED < received.saved < now else now
    saved = local_time(moment, session.settings.fuso)
    desk_file = read_desk(received, saved.date())
    whose, warehouse = desk_file.arquivo_id.partition("/")[0], session.warehouse
    if whose != session.empresa.id and _is_shared(session, whose):
        return ()  # another company's, which reads it
    if not desk_file.rows and (desk_file.escritos or not desk_file.arquivo_id):
        raise NotRead(_NOTHING_FOUND)  # not recorded as read: it stays, and every run tries again
    shown = storage.read_shown(warehouse, [desk_file.arquivo_id]).get(desk_file.arquivo_id, {})
    keys = [(row.tipo, row.chave or 0) for row in desk_file.rows if row.tipo]
    strange = any(key not in shown or (key[0] == PAGAR and shown[key].conta is None) for key in keys)
    named = storage.read_named(warehouse) if strange and (shown or whose != session.empresa.id) else {}
    if whose != session.empresa.id:
        desk_file = hold_to_company(replace(desk_file, arquivo_id=""), session.empresa.nome, named)
    earlier = storage.read_notes(warehouse, desk_file.desk, session.settings.fuso)
    desk_file = hold_to_shown(desk_file, shown, named, earlier)
    copies = storage.read_copies(warehouse, desk_file.arquivo_id)
    name = parse_name(received.name)
    if name is not None and str(name.day) in desk_file.arquivo_id.split("/"):
        copies.setdefault(received.name, {})  # the name by which lastro wrote it
    notes = find_new_notes(
        desk_file, earlier, copies,
        arquivo=received.name, sha256=received.sha256, quando=saved, quando_utc=local_time(moment, "UTC"),
    )  # fmt: skip
    storage.write_notes(warehouse, session.execucao_id, desk_file, received.name, received.sha256, notes)
    known.add(received.sha256)
    return [*desk_file.fora, *desk_file.avisos, *tell_doubts(desk_file, notes)]


def _is_shared(session: RunSession, whose: str) -> bool:
    """Tell whether a file is of another company, which reads this folder too: several may share one."""
    settings = session.settings
    own = _desk_folder(settings, session.empresa).resolve()
    others = (_desk_folder(settings, empresa).resolve() for empresa in settings.empresas if empresa.id == whose)
    return whose in settings.invalidas or own in others
