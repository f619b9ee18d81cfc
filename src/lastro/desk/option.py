"""The desks in a run: read what was typed into every workbook of theirs, keep it, write the new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import chain
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
from lastro.desk.plan import Payments, list_paying_accounts, plan_payments, read_books
from lastro.desk.promises import Promise, find_promises, list_broken, list_promised
from lastro.desk.queue import Queue, build_queue
from lastro.desk.reader import is_desk_file, read_desk
from lastro.desk.seen import SeenWords, hold_to_shown
from lastro.desk.sheets import make_view
from lastro.desk.tables import PAYMENTS, list_decisions, list_payments, list_promises
from lastro.entrada.door import NotRead, hold_unread, list_folder, open_file, read_open, show_name
from lastro.entrada.saldos import find_paying_account
from lastro.export.xlsx import render_workbook
from lastro.files import digest_file
from lastro.grid.tables import Table
from lastro.grid.workbook import tables_of
from lastro.money import to_centavos
from lastro.reports.facts import BankFacts, DeskFacts
from lastro.run.access import choose_mode
from lastro.run.names import APROVADOS, DADOS, FECHAMENTO, GERENCIAL, GRUPO, REPORTS_FOLDER, name_written, parse_name
from lastro.run.options import Option
from lastro.run.order import StageResult
from lastro.secret_key import read_key
from lastro.transform.openings import MESA, Statement
from lastro.warehouse.loading.files import keep_refused, read_refused

if TYPE_CHECKING:
    from lastro.catalogue import Catalogue, RunFacts
    from lastro.desk.model import Desk, Note
    from lastro.grid.workbook import Stamp
    from lastro.run.session import RunSession
    from lastro.settings import Empresa, Settings
    from lastro.transform.position import Position

_READABLE: Final = frozenset({".xlsx", ".xlsm"})
_FOREIGN: Final = frozenset(
    {".ods", ".fods", ".xls", ".xlsb", ".xltx", ".xltm", ".csv", ".tsv", ".txt", ".xml", ".numbers"}
)
"""What a file of a desk may have been saved as that is not read back."""
STATEMENT_LINES: Final = "pagamentos_extrato"
"""The table with the lines of statements that have no books, for the sheet *Extrato*."""
FIRST_SAVED: Final = datetime(1990, 1, 1, tzinfo=UTC)
"""Archives and disks without a time bear one before this."""
_NAMES: Final = tuple(desk.name for desk in DESKS)
_NOTHING_FOUND: Final = (
    "nenhuma linha da mesa foi encontrada nele e nada foi lido; abra e salve como Pasta de Trabalho do Excel (.xlsx)"
)


class DeskOption(Option):
    """The desks as an option of a run; a company that keeps personal data out of its files has none."""

    queue: Queue | None = None
    promises: Sequence[Promise] = ()
    payables: Payables = Payables(date.min)
    decisions: Decisions = Decisions()
    answers: Answers = Answers()
    banco: BankFacts = BankFacts()
    payments: Payments | None = None

    def read(self) -> Sequence[Statement]:
        """Read what was typed into every workbook of the desks' folder; list the balances typed on *Contas*."""
        if not self.session.empresa.dados_pessoais:
            return ()
        read_desk_files(self.session)
        held = find_statements(storage.read_notes(self.session.warehouse, PAGAMENTOS, self.session.settings.fuso))
        return [Statement(conta_id, dia, valor, MESA) for (conta_id, dia), (_, valor) in held.items()]

    def add_typed(self, facts: RunFacts) -> RunFacts:
        """Add what was typed beside lines of statements."""
        if not self.session.empresa.dados_pessoais:
            return facts
        held, _ = fold_notes(PAGAMENTOS, self._read_notes(PAGAMENTOS))
        typed = {extrato_id: noted.valores for (kind, extrato_id), noted in held.items() if kind == EXTRATO}
        return replace(facts, mesas=DeskFacts(extrato=typed))

    def add_facts(self, position: Position, facts: RunFacts) -> RunFacts:
        """Add promises, decisions, notes and texts that were not understood; for a past D those saved by then."""
        session = self.session
        if not session.empresa.dados_pessoais:
            return facts
        self.queue = queue = build_queue(position)
        self.banco = facts.banco
        collected, paying = self._read_notes(COBRANCA), self._renumber(self._read_notes(PAGAMENTOS))
        self.promises = find_promises(collected, queue)
        late = position.titulos[position.titulos["vencido"] & (position.titulos["tipo"] == "P")]
        owed = dict(records_of(late, "titulo_id", "valor_centavos"))
        words, today = self._read_words(paying), session.run.data_base
        asking = Asking(today, storage.find_upgrade(session.warehouse) or today, Approval.of(session.empresa))
        self.answers = answers = find_answers(words, owed, asking)
        told = {**{titulo_id: words.tell(titulo_id) for titulo_id in words.unseen}, **answers.motivos}
        self.payables = build_payables(
            position,
            typed=words.by_titulo,
            moved=facts.banco.movidos.keys(),
            answers=answers.dadas,
            undone=storage.read_undone(session.warehouse, today),
            told=told,
        )
        self.decisions = decisions = self._decide(words)
        self.payments = None
        shown = [(PESSOA, one.pessoa_id) for one in queue.clientes] + [(TITULO, one.titulo_id) for one in queue.titulos]
        notes = {key: held.valores.get("anotacao", "") for key, held in fold_notes(COBRANCA, collected)[0].items()}
        notes |= {(TITULO, titulo_id): cells.get("anotacao", "") for titulo_id, cells in decisions.celulas.items()}
        return replace(
            facts,
            mesas=replace(
                facts.mesas,
                anotacoes=notes,
                promessas=list_promised(self.promises),
                quebradas=list_broken(self.promises, queue),
                decisoes=decisions.in_force(),
                decisoes_vencidas=decisions.broken(),
                decididos=tell_decisions(decisions, answers.dadas),
                respostas=answers.dadas,
                pagadoras=list_paying_accounts(self.payables, decisions),
                mudados=decisions.changed(),
            ),
            nao_entendidos=[
                *facts.nao_entendidos,
                *find_misunderstood(COBRANCA, collected, shown),
                *self._list_misunderstood(paying),
            ],
        )

    def _read_words(self, notes: Sequence[Note]) -> SeenWords:
        files = (note.arquivo_id for note in notes if note.tipo == PAGAR)
        return SeenWords(notes, storage.read_shown(self.session.warehouse, files))

    def _decide(self, words: SeenWords) -> Decisions:
        session = self.session
        move = session.calendario.next_business_day
        return find_decisions(words, self.payables, Approval.of(session.empresa), move)

    def _read_notes(self, desk: Desk) -> list[Note]:
        """Read the notes of a desk; of a past D what was saved by it."""
        notes = storage.read_notes(self.session.warehouse, desk, self.session.settings.fuso)
        if self.session.is_current:
            return notes
        return [note for note in notes if note.quando.date() <= self.session.run.data_base]

    def _renumber(self, notes: Sequence[Note]) -> list[Note]:
        """Put what was typed beside a line of a bank beside the number that the line has now (S20)."""
        numbers = self.banco.renumeradas
        return [
            replace(note, chave=numbers.get(note.chave or 0, note.chave)) if note.tipo == EXTRATO else note
            for note in notes
        ]

    def _list_misunderstood(self, notes: Sequence[Note]) -> list[tuple[str, int]]:
        """List the cells of the payments desk that are not understood, by what their row is of; accounts typed too."""
        payables, cells = self.payables, self.decisions.celulas
        typed = {key: cells[key].get("conta") for key in cells if key in payables.abertos}
        shown = [(PAGAR, key) for key in typed] + [(CONTA, key) for key in payables.contas]
        misunderstood = find_misunderstood(PAGAMENTOS, notes, shown)
        misunderstood += [
            (PAGAR, key) for key, text in typed.items() if text and find_paying_account(text, payables.contas) is None
        ]
        misunderstood += [(PAGAR, key) for key in self.answers.nao_entendidas]
        return [(TITULO if kind == PAGAR else kind, key) for kind, key in sorted(misunderstood)]

    def list_tables(self, catalogue: Catalogue) -> Sequence[Table]:
        """List promises, decisions and the sheets of `pagamentos`."""
        if self.queue is None:
            return ()
        payments = list_payments(self.payables, self._plan(catalogue), self.banco.provas)
        return (list_promises(self.promises), list_decisions(self.decisions), *map(make_view, PAYMENTS, payments))

    @classmethod
    def list_empty_tables(cls) -> Sequence[Table]:
        """List them for the dictionary."""
        empty = list_payments(Payables(date.min), Payments((), (), ()), {})
        return (list_promises(()), list_decisions(Decisions()), *map(make_view, PAYMENTS, empty))

    def _plan(self, catalogue: Catalogue) -> Payments:
        """Plan them once: the tables and the workbook show the same."""
        if self.payments is None:
            known, empresa = not any(kpi.so_variacao for kpi in catalogue.kpis), self.session.empresa
            minimum, order = to_centavos(empresa.parametros.saldo_minimo), empresa.ordem_pagamentos
            tables = tables_of(catalogue.reports)
            books = read_books(tables, self.payables.variacoes, minimum, empresa.contas, known=known)
            self.payments = plan_payments(self.payables, self.decisions, order, books, self.session.calendario)
        return self.payments

    def write(self, catalogue: Catalogue, stamp: Stamp) -> StageResult:
        """Write both workbooks; how many notes this run read is told."""
        session = self.session
        if self.queue is None:
            return StageResult(0)
        # What came back since the reports were computed stands in the cells too, and counts in the next ones.
        unread = read_desk_files(session)
        paying = self._renumber(storage.read_notes(session.warehouse, PAGAMENTOS, session.settings.fuso))
        what = PaymentFile(
            self.payables,
            replace(self.decisions, celulas=self._decide(self._read_words(paying)).celulas),
            self._plan(catalogue),
            paying,
            self.banco.provas,
            self._find_statement_lines(catalogue),
            session.calendario,
            self.answers,
            self.banco.retiradas,
        )
        key, day = read_key(session.folder("")), stamp.data_base.isoformat()
        calls, payments = (
            # The id of a file stays, whatever becomes of its name.
            DeskMemory(desk, f"{session.empresa.id}/{desk.name}/{day}", key, self.payables.complete)
            for desk in DESKS
        )
        notes = storage.read_notes(session.warehouse, COBRANCA, session.settings.fuso)
        for memory, book in (
            (calls, build_desk(self.queue, notes, session.empresa, stamp, calls, unread)),
            (payments, build_payments(what, session.empresa, stamp, payments, unread)),
        ):
            path = render_workbook(book, session.staging / name_written(book.kind, stamp.data_base))
            storage.write_shown(session.warehouse, stamp.execucao_id, memory.arquivo_id, memory.shown)
            storage.keep_written_file(
                session.warehouse, stamp.execucao_id, path.name, digest_file(path), memory.arquivo_id
            )
        if self._tells_approved:
            path = session.staging / name_written(APROVADOS, stamp.data_base, ".csv")
            write_approved(self.payables, self.decisions, path)
        return StageResult(0, {"anotacoes_novas": storage.count_notes(session.warehouse, session.execucao_id)})

    def _find_statement_lines(self, catalogue: Catalogue) -> Table | None:
        """Find the lines of statements that another option or a report hands out for the sheet *Extrato*."""
        others = (option.list_tables(catalogue) for option in self.session.options if option is not self)
        tables = chain(tables_of(catalogue.reports), *others)
        return next((table for table in tables if table.name == STATEMENT_LINES), None)

    def list_files(self, day: date) -> Sequence[str]:
        """Name the workbooks of the desks, and the list of what is approved."""
        if not self.session.empresa.dados_pessoais:
            return ()
        approved = (name_written(APROVADOS, day, ".csv"),) if self._tells_approved else ()
        return (*(name_written(desk.name, day) for desk in DESKS), *approved)

    @property
    def _tells_approved(self) -> bool:
        """Whether a list of approved payments is written: not for a past day, nor where nothing was ever decided."""
        return self.session.is_current and bool(self.decisions.todas)

    def choose_place(self, name: str) -> tuple[Path, int]:
        """Put them where the desks work."""
        del name
        settings, empresa = self.session.settings, self.session.empresa
        folder = _desk_folder(settings, empresa)
        return folder, choose_mode(settings, writable=True, within=folder if empresa.pasta_cobranca else None)


OPTION: Final = DeskOption


def _desk_folder(settings: Settings, empresa: Empresa) -> Path:
    return Path(empresa.pasta_cobranca or settings.pasta(empresa) / REPORTS_FOLDER)


def read_desk_files(session: RunSession) -> list[str]:
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
    others = (GERENCIAL, DADOS, GRUPO, FECHAMENTO)
    return named is not None and named.kind.partition("_")[0] in others and named.suffix == ".xlsx"


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
