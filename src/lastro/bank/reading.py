"""The bank's files of a run: read through the door, kept, united, and their statement balances (S20, S23)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.bank.anchors import derive_eve, list_balances
from lastro.bank.days import unite
from lastro.bank.evidence import are_centavos
from lastro.bank.held_lines import tell_vanished
from lastro.bank.identity import list_file_accounts
from lastro.bank.ofx import SEM_CASAS, read_ofx
from lastro.bank.statements import BankAccount, BankKnown
from lastro.bank.storage import PLACE, keep_content, list_removed, read_contents, replace_lines, settle_doubt
from lastro.calendar import local_day
from lastro.entrada.door import NotRead, RefusedPart, hold_unread, list_seen, read_file, show_name
from lastro.run.options import EntryFiles
from lastro.transform.openings import OFX, Statement
from lastro.warehouse.loading.files import ReadFile

if TYPE_CHECKING:
    from lastro.run.session import RunSession

_ENDING: Final = ".ofx"


def know_bank(session: RunSession, files: Sequence[tuple[str, str]], past: date | None) -> BankKnown:
    """Take what the contents of files say, kept by an earlier step, by name and digest; of a past day what it knew."""
    read = read_contents(session.warehouse, files, list_keys(session), past)
    accounts = unite(read)
    removed = list_removed(session.warehouse, files, past)
    until = {sha256: day for _, sha256, day in removed}
    gone = [(name, sha256) for name, sha256, _ in removed]
    for each in read_contents(session.warehouse, gone, list_keys(session), past) if gone else ():
        if each.conta_id in accounts:
            accounts[each.conta_id] = tell_vanished(accounts[each.conta_id], [(each, until[each.sha256])])
    return BankKnown(read, accounts)


def read_bank_files(session: RunSession, folder: Path, lancamentos: pd.DataFrame) -> tuple[EntryFiles, BankKnown]:
    """Read every file of the folder; store new contents, and the lines of all files together.

    Args:
        session: the run.
        folder: the bank's folder.
        lancamentos: the entries of the service, shaped as `conformed.lancamentos`.

    Returns:
        The files with the balances that follow from them, and what is known of the bank on the day that is asked for.
    """
    read: list[ReadFile] = []
    day = local_day(session.run.iniciada_em, session.settings.fuso)
    for path in _list_files(folder, read):
        try:
            read.append(_read_one(session, path, day))
        except NotRead as error:
            read.append(_refuse(PLACE + show_name(path), str(error)))
    files = [(told.arquivo.removeprefix(PLACE), told.sha256) for told in read if told.sha256]
    past = find_known_day(session)
    every = know_bank(session, files, None)
    if _ask_books(session, every, lancamentos):
        every = know_bank(session, files, None)
    known = every if past is None else know_bank(session, files, past)
    replace_lines(session.warehouse, known.contas.values(), session.run.data_base)
    seen = {each.sha256 for each in known.lidos}
    entry = EntryFiles(
        [told if past is None or not told.sha256 or told.sha256 in seen else _note_later(told) for told in read],
        [*list_whole_days(known.contas.values()), *list_eves(every.contas.values(), session.run.data_extracao)],
    )
    return entry, known


def _ask_books(session: RunSession, known: BankKnown, lancamentos: pd.DataFrame) -> int:
    """Ask the books what the amounts of files without any decimal mark are; count the statements that they tell."""
    told = 0
    for each in known.lidos:
        if each.duvida != SEM_CASAS or each.conta_id is None:
            continue
        own = lancamentos[(lancamentos["conta_id"] == each.conta_id) & lancamentos["data_pagamento"].notna()]
        paid = [(value, day.date().toordinal()) for value, day in records_of(own, "valor_centavos", "data_pagamento")]
        centavos = are_centavos([(line.valor, line.dia.toordinal()) for line in each.linhas], paid)
        if centavos is not None:
            settle_doubt(session.warehouse, each, centavos=centavos)
            told += 1
    return told


def find_known_day(session: RunSession) -> date | None:
    """Find the last day of bank files that count: D for a past day, None for today, when all of them do (S20)."""
    return None if session.is_current else session.run.data_base


def _note_later(told: ReadFile) -> ReadFile:
    """Tell of a file that nobody had put there by D: of it only openings follow (S23)."""
    return replace(told, recusadas=(), nota="visto depois da data-base: dele só segue a abertura (S20)")


def list_keys(session: RunSession) -> dict[int, Sequence[str]]:
    """List what the settings call each account at its bank, by conta_id."""
    return {conta.conta_id: conta.extrato for conta in session.empresa.contas if conta.extrato}


def list_whole_days(accounts: Iterable[BankAccount]) -> list[Statement]:
    """List the balances that the bank's files state at the end of whole days (S23)."""
    return [
        Statement(account.conta_id, each.dia, each.valor, OFX)
        for account in accounts
        for each in list_balances(account)
        if not each.parcial and any(each.dia == one.saldo_em for one in account.lidos if one.saldo is not None)
    ]


def list_eves(accounts: Iterable[BankAccount], until: date) -> list[Statement]:
    """List the balances on the eve of what the bank's files cover, which anchor accounts (S23).

    Args:
        accounts: of every statement, whenever it was first seen: an opening holds for the whole past.
        until: the day of the reading.
    """
    return [
        Statement(account.conta_id, eve.dia, eve.valor, OFX, vespera=True, provada=eve.provada)
        for account in accounts
        if (eve := derive_eve(account, until)) is not None
    ]


def _list_files(folder: Path, read: list[ReadFile]) -> list[Path]:
    try:
        return list_seen(folder)
    except OSError as error:
        read.append(_refuse(PLACE.rstrip("/"), f"a pasta não pôde ser lida ({error.strerror})"))
        return []


def _read_one(session: RunSession, path: Path, day: date) -> ReadFile:
    """Read a file and keep what it says."""
    if path.suffix.lower() != _ENDING:
        raise NotRead(f"nome desconhecido nesta pasta; ela tem extratos {_ENDING}")
    with hold_unread():
        received = read_file(path)
        content = read_ofx(received.content)
    if content.motivo:
        raise NotRead(content.motivo)
    matched = list_file_accounts(received.name, list_keys(session))
    if len(matched) > 1 and not all(each.conta for each in content.extratos):
        raise NotRead(f"o nome dele é de várias contas ({', '.join(map(str, matched))}): deixe em extrato de uma só")
    keep_content(session.warehouse, received.sha256, content, day)
    refused = tuple(content.recusadas), content.rejeitadas
    return ReadFile(PLACE + received.name, received.sha256, len(received.content), content.transacoes, *refused)


def _refuse(arquivo: str, why: str) -> ReadFile:
    return ReadFile(arquivo, recusadas=(RefusedPart(why),))
