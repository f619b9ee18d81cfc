"""The folder of what people type: read once a run, before the books are put together (S18, S23).

Whatever a file is or holds, the run goes on: what cannot be read stays where it is and is told (Q31, Q37).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lastro.entrada.door import NotRead, read_file, show_name
from lastro.entrada.saldos import FILE, read_balances
from lastro.money import parse_centavos
from lastro.run.session import RunSession
from lastro.settings.model import ENTRADA
from lastro.transform.openings import ARQUIVO, Statement
from lastro.warehouse.loading.files import ReadFile, RefusedPart, write_read_files

KNOWN: Final = (FILE,)
"""What the folder may hold."""
_UNSEEN: Final = ("~$", ".")
"""What the names of lock files and of hidden ones begin with."""


def read_entry_folder(session: RunSession, contas: Mapping[int, str]) -> list[Statement]:
    """Read the folder of what people type; keep what was read of it and what was not understood.

    Args:
        session: the run; what it kept of the folder before is replaced.
        contas: the company's accounts, id -> name.

    Returns:
        The statement balances of `saldos.csv` (S23); empty without one.
    """
    statements: list[Statement] = []
    read = []
    folder = session.settings.entrada(session.empresa)
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith(_UNSEEN))
    except FileNotFoundError:
        paths = []
        if session.empresa.pasta_entrada:
            read.append(_refuse(folder, "a pasta não existe ou não está acessível"))
    except OSError as error:
        paths = []
        read.append(_refuse(folder, f"a pasta não pôde ser lida ({error.strerror})"))
    for path in paths:
        if path.name.casefold() == FILE:
            told, found = _read_balances(path, contas)
            statements += found
        else:
            told = _refuse(path, f"nome desconhecido nesta pasta; os conhecidos são {', '.join(KNOWN)}")
        read.append(told)
    write_read_files(session.warehouse, session.execucao_id, read)
    return statements


def _refuse(path: Path, why: str) -> ReadFile:
    return ReadFile(f"{ENTRADA}/{show_name(path)}", recusadas=(RefusedPart(why),))


def _read_balances(path: Path, contas: Mapping[int, str]) -> tuple[ReadFile, list[Statement]]:
    try:
        received = read_file(path)
        balances = read_balances(received.content, contas)
    except NotRead as error:
        return _refuse(path, str(error)), []
    refused = tuple(RefusedPart(each.motivo, each.linha, each.texto) for each in balances.recusadas)
    name = f"{ENTRADA}/{received.name}"
    return (
        ReadFile(name, received.sha256, len(received.content), balances.linhas, refused),
        [Statement(each.conta_id, each.dia, parse_centavos(str(each.valor)), ARQUIVO) for each in balances.saldos],
    )
