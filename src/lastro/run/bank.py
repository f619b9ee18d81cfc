"""The bank's side in a run: files read through the door, kept, united, and held against the books (S20, S23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.bank.anchors import list_eves, list_whole_days
from lastro.bank.days import unite
from lastro.bank.evidence import are_centavos
from lastro.bank.found import BankFound, hold_against_books, read_typed_lines
from lastro.bank.held_lines import tell_vanished
from lastro.bank.identity import list_file_accounts
from lastro.bank.ofx import SEM_CASAS, read_ofx
from lastro.bank.statements import BankKnown
from lastro.bank.storage import (
    PLACE,
    has_files,
    keep_content,
    list_read_files,
    list_removed,
    read_contents,
    replace_lines,
    settle_doubt,
)
from lastro.calendar import local_day
from lastro.entrada.door import NotRead, RefusedPart, hold_unread, list_seen, read_file, show_name
from lastro.run.session import RunSession
from lastro.transform.openings import Statement
from lastro.transform.position import Position
from lastro.warehouse.loading.files import ReadFile

_ENDING: Final = ".ofx"


@dataclass(frozen=True)
class BankFiles:
    """What stood in the bank's folder: its files, and the statement balances that follow from them (S23)."""

    arquivos: Sequence[ReadFile]
    saldos: Sequence[Statement]


def find_bank(
    session: RunSession, position: Position, typed: Mapping[int, Mapping[str, str]], questioned: frozenset[int]
) -> BankFound | None:
    """Find the differences between bank and books, and the proofs about open títulos, as known on D.

    Args:
        position: the position as of D; not mutated.
        typed: extrato_id -> field -> what a person typed beside that line.
        questioned: payables that may have been paid without anybody settling them (`find_questioned`).

    Returns:
        What was found; None for a company without statements, and for a day by which nobody had put one there.
    """
    warehouse, past = session.warehouse, _find_known_day(session)
    if not has_files(warehouse, session.execucao_id):
        return None
    files = list_read_files(warehouse, session.execucao_id)
    known = session.bank or _know_bank(session, [(name, sha256) for name, sha256, _ in files], past)
    if past is not None and not known.lidos:
        return None
    lines = read_typed_lines(typed, known.list_renumbered()[0])
    refused = {name: count for name, _, count in files}
    return hold_against_books(position, known, _list_keys(session), lines, questioned, refused)


def _know_bank(session: RunSession, files: Sequence[tuple[str, str]], past: date | None) -> BankKnown:
    """Take what the contents of files say, kept by an earlier step, by name and digest; of a past day what it knew."""
    read = read_contents(session.warehouse, files, _list_keys(session), past)
    accounts = unite(read)
    removed = list_removed(session.warehouse, files, past)
    until = {sha256: day for _, sha256, day in removed}
    gone = [(name, sha256) for name, sha256, _ in removed]
    for each in read_contents(session.warehouse, gone, _list_keys(session), past) if gone else ():
        if each.conta_id in accounts:
            accounts[each.conta_id] = tell_vanished(accounts[each.conta_id], [(each, until[each.sha256])])
    return BankKnown(read, accounts)


def read_bank_files(session: RunSession, folder: Path, lancamentos: pd.DataFrame) -> BankFiles:
    """Read every file of the folder; store new contents, and the lines of all files together.

    What is known of the bank on the day that is asked for stays with the session.

    Args:
        lancamentos: the entries of the service, shaped as `conformed.lancamentos`.
    """
    read: list[ReadFile] = []
    day = local_day(session.run.iniciada_em, session.settings.fuso)
    for path in _list_files(folder, read):
        try:
            read.append(_read_one(session, path, day))
        except NotRead as error:
            read.append(_refuse(PLACE + show_name(path), str(error)))
    files = [(told.arquivo.removeprefix(PLACE), told.sha256) for told in read if told.sha256]
    past = _find_known_day(session)
    every = _know_bank(session, files, None)
    if _ask_books(session, every, lancamentos):
        every = _know_bank(session, files, None)
    known = every if past is None else _know_bank(session, files, past)
    replace_lines(session.warehouse, known.contas.values(), session.run.data_base)
    seen = {each.sha256 for each in known.lidos}
    session.bank = known
    return BankFiles(
        [told if past is None or not told.sha256 or told.sha256 in seen else _note_later(told) for told in read],
        [*list_whole_days(known.contas.values()), *list_eves(every.contas.values(), session.run.data_extracao)],
    )


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


def _find_known_day(session: RunSession) -> date | None:
    """Find the last day of bank files that count: D for a past day, None for today, when all of them do (S20)."""
    return None if session.is_current else session.run.data_base


def _note_later(told: ReadFile) -> ReadFile:
    """Tell of a file that nobody had put there by D: of it only openings follow (S23)."""
    return replace(told, recusadas=(), nota="visto depois da data-base: dele só segue a abertura (S20)")


def _list_keys(session: RunSession) -> dict[int, Sequence[str]]:
    """List what the settings call each account at its bank, by conta_id."""
    return {conta.conta_id: conta.extrato for conta in session.empresa.contas if conta.extrato}


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
    matched = list_file_accounts(received.name, _list_keys(session))
    if len(matched) > 1 and not all(each.conta for each in content.extratos):
        raise NotRead(f"o nome dele é de várias contas ({', '.join(map(str, matched))}): deixe em extrato de uma só")
    keep_content(session.warehouse, received.sha256, content, day)
    refused = tuple(content.recusadas), content.rejeitadas
    return ReadFile(PLACE + received.name, received.sha256, len(received.content), content.transacoes, *refused)


def _refuse(arquivo: str, why: str) -> ReadFile:
    return ReadFile(arquivo, recusadas=(RefusedPart(why),))
