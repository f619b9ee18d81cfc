"""The bank's files of a run: read through the door, kept, united, and their statement balances (S20, S23)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.bank.anchors import derive_eve, list_balances
from lastro.bank.identity import unite
from lastro.bank.ofx import OfxFile, read_ofx
from lastro.bank.statements import BankAccount
from lastro.bank.storage import PLACE, keep_content, read_contents, replace_lines
from lastro.calendar import local_day
from lastro.entrada.door import NotRead, RefusedPart, hold_unread, list_seen, read_file, show_name
from lastro.run.options import EntryFiles
from lastro.transform.openings import OFX, Statement
from lastro.warehouse.loading.files import ReadFile

if TYPE_CHECKING:
    from lastro.run.session import RunSession

_ENDING: Final = ".ofx"


def read_bank_files(session: RunSession, folder: Path) -> EntryFiles:
    """Read every file of the folder; store new contents, and the lines of all files together."""
    read: list[ReadFile] = []
    known: list[tuple[str, str]] = []
    day = local_day(session.run.iniciada_em, session.settings.fuso)
    for path in _list_files(folder, read):
        try:
            content, told = _read_one(path)
        except NotRead as error:
            read.append(_refuse(PLACE + show_name(path), str(error)))
            continue
        read.append(told)
        keep_content(session.warehouse, told.sha256, content, day)
        known.append((told.arquivo.removeprefix(PLACE), told.sha256))
    warehouse, keys, past = session.warehouse, list_keys(session), find_known_day(session)
    statements = read_contents(warehouse, known, keys)
    then = statements if past is None else read_contents(warehouse, known, keys, past)
    every = unite(statements).values()
    accounts = every if past is None else unite(then).values()
    replace_lines(warehouse, accounts, session.run.data_base)
    seen = {each.sha256 for each in then}
    return EntryFiles(
        [told if past is None or not told.sha256 or told.sha256 in seen else _note_later(told) for told in read],
        [*list_whole_days(accounts), *list_eves(every, session.run.data_extracao)],
    )


def find_known_day(session: RunSession) -> date | None:
    """Find the day whose knowledge of the bank is asked for: D of a past day; None for today, which knows all (S20)."""
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
    eves = [(account.conta_id, derive_eve(account, until)) for account in accounts]
    return [
        Statement(conta_id, eve.dia, eve.valor, OFX, vespera=True, provada=eve.provada)
        for conta_id, eve in eves
        if eve is not None
    ]


def _list_files(folder: Path, read: list[ReadFile]) -> list[Path]:
    try:
        return list_seen(folder)
    except OSError as error:
        read.append(_refuse(PLACE.rstrip("/"), f"a pasta não pôde ser lida ({error.strerror})"))
        return []


def _read_one(path: Path) -> tuple[OfxFile, ReadFile]:
    if path.suffix.lower() != _ENDING:
        raise NotRead(f"nome desconhecido nesta pasta; ela tem extratos {_ENDING}")
    with hold_unread():
        received = read_file(path)
        content = read_ofx(received.content)
    if content.motivo:
        raise NotRead(content.motivo)
    refused = tuple(content.recusadas), content.rejeitadas
    return content, ReadFile(
        PLACE + received.name, received.sha256, len(received.content), content.transacoes, *refused
    )


def _refuse(arquivo: str, why: str) -> ReadFile:
    return ReadFile(arquivo, recusadas=(RefusedPart(why),))
