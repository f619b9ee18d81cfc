"""The bank's files of a run: read through the door, kept, united, and their statement balances (S20, S23)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.bank.ofx import OfxFile, read_ofx
from lastro.bank.statements import ReadStatement, derive_eve, list_balances, split_by_account
from lastro.bank.storage import PLACE, keep_content, read_contents, replace_lines
from lastro.calendar import local_day
from lastro.entrada.door import NotRead, RefusedPart, list_seen, read_file, show_name
from lastro.run.options import EntryFiles
from lastro.transform.openings import OFX, Statement
from lastro.warehouse.loading.files import ReadFile

if TYPE_CHECKING:
    from lastro.calendar import BusinessCalendar
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
    statements = read_contents(session.warehouse, known, list_keys(session))
    replace_lines(session.warehouse, statements, session.run.data_base, session.calendario)
    return EntryFiles(read, list_statements(statements, session.run.data_extracao, session.calendario))


def list_keys(session: RunSession) -> dict[int, Sequence[str]]:
    """List what the settings call each account at its bank, by conta_id."""
    return {conta.conta_id: conta.extrato for conta in session.empresa.contas if conta.extrato}


def list_statements(read: Sequence[ReadStatement], until: date, calendario: BusinessCalendar) -> list[Statement]:
    """List the statement balances of the bank's files: at the end of whole days, and on the eve of the first (S23)."""
    statements = []
    for conta_id, own in split_by_account(read).items():
        statements += [
            Statement(conta_id, each.dia, each.valor, OFX) for each in list_balances(own, date.max) if not each.parcial
        ]
        eve = derive_eve(own, until, calendario)
        if eve is not None:
            statements.append(Statement(conta_id, *eve, OFX, vespera=True))
    return statements


def _list_files(folder: Path, read: list[ReadFile]) -> list[Path]:
    try:
        return list_seen(folder)
    except OSError as error:
        read.append(_refuse(PLACE.rstrip("/"), f"a pasta não pôde ser lida ({error.strerror})"))
        return []


def _read_one(path: Path) -> tuple[OfxFile, ReadFile]:
    if path.suffix.lower() != _ENDING:
        raise NotRead(f"nome desconhecido nesta pasta; ela tem extratos {_ENDING}")
    received = read_file(path)
    content = read_ofx(received.content)
    if content.motivo:
        raise NotRead(content.motivo)
    return content, ReadFile(
        PLACE + received.name, received.sha256, len(received.content), content.transacoes, tuple(content.recusadas)
    )


def _refuse(arquivo: str, why: str) -> ReadFile:
    return ReadFile(arquivo, recusadas=(RefusedPart(why),))
