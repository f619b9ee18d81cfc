"""The entry folder: read once a run, before the position is built (S18, S23).

Whatever a file is or holds, the run goes on: what cannot be read stays where it is and is told (Q31, Q37).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.bank.storage import FOLDER as EXTRATOS
from lastro.calendar import add_months, local_day
from lastro.closing.comments import FOLDER as COMENTARIOS
from lastro.entrada.consultas import FOLDER as CONSULTAS
from lastro.entrada.door import NotRead, RefusedPart, hold_unread, list_folder, read_file, show_name
from lastro.entrada.orcamento import BUDGET_CSV, BUDGET_XLSX, BudgetedCategory, read_budget
from lastro.entrada.saldos import BALANCES_CSV, AccountStart, read_balances
from lastro.grid.words import count_text
from lastro.money import to_centavos
from lastro.run.bank import read_bank_files
from lastro.run.session import RunSession
from lastro.settings.model import ENTRADA
from lastro.transform.budget import build_budget
from lastro.transform.categories import build_categorias
from lastro.transform.conformed import Conformed
from lastro.transform.openings import ARQUIVO, Statement
from lastro.warehouse.loading.files import ReadFile, write_read_files
from lastro.warehouse.loading.history import read_last_paths
from lastro.warehouse.publication.balances import STARTS

BUDGETS: Final = (BUDGET_CSV, BUDGET_XLSX)
MONTHS_BUDGETED: Final = 120
"""A budget is of at most so many months ahead; a later month is a slip of the year."""
KNOWN: Final = (BALANCES_CSV, *BUDGETS, EXTRATOS, COMENTARIOS, CONSULTAS)
"""What the folder may hold; comments are read by a closing, questions when all that they ask is there."""


@dataclass(frozen=True)
class Typed:
    """What people typed.

    Attributes:
        saldos: the statement balances of `saldos.csv` (S23).
        orcamento: the budget, shaped as `core.orcamento` (R18).
    """

    saldos: list[Statement]
    orcamento: pd.DataFrame


def read_entry_folder(session: RunSession, contas: Mapping[int, str], received: Conformed) -> Typed:
    """Read the entry folder; store its rows and the rows that were not understood.

    Args:
        session: the run; what it kept of the folder before is replaced.
        contas: the company's accounts, id -> name.
        received: the records of the run; its categories and entries count here.
    """
    statements: list[Statement] = []
    orcamento = build_budget(())
    read: list[ReadFile] = []
    folder = session.settings.entrada(session.empresa)
    today = local_day(session.run.iniciada_em, session.settings.fuso)
    paths, trouble = list_folder(folder, named=bool(session.empresa.pasta_entrada))
    if trouble:
        read.append(_refuse(folder, trouble))
    budgets = [path for path in paths if path.name.casefold() in BUDGETS]
    for path in paths:
        if path.name.casefold() == BALANCES_CSV:
            told, balances = _read_balances(path, contas, today, _read_starts(session))
            statements += balances
            read.append(told)
        elif path in budgets and len(budgets) > 1:
            read.append(_refuse(path, "dois arquivos de orçamento: nenhum foi lido; deixe um só na pasta"))
        elif path in budgets:
            told, orcamento = _read_budget(session, path, received.categorias, today)
            read.append(told)
        elif path.name.casefold() == EXTRATOS:
            bank = read_bank_files(session, path, received.lancamentos)
            statements += bank.saldos
            read += bank.arquivos
        elif path.name.casefold() not in (COMENTARIOS, CONSULTAS):
            read.append(_refuse(path, f"nome desconhecido nesta pasta; os conhecidos são {', '.join(KNOWN)}"))
    write_read_files(session.warehouse, session.execucao_id, read)
    return Typed(statements, orcamento)


def find_budgets(folder: Path) -> list[str]:
    """Find the names of the budgets that stand in an entry folder."""
    return [path.name for path in list_folder(folder, named=False)[0] if path.name.casefold() in BUDGETS]


def _refuse(path: Path, why: str) -> ReadFile:
    return ReadFile(f"{ENTRADA}/{show_name(path)}", recusadas=(RefusedPart(why),))


def _read_starts(session: RunSession) -> dict[int, AccountStart]:
    """Read where the books of each account begin, as the last run knew it."""
    rows = session.warehouse.query(STARTS)
    return {conta_id: AccountStart(primeiro, ancora) for conta_id, primeiro, ancora in rows}


def _read_balances(
    path: Path, contas: Mapping[int, str], today: date, inicios: Mapping[int, AccountStart]
) -> tuple[ReadFile, list[Statement]]:
    try:
        with hold_unread():
            received = read_file(path)
            balances = read_balances(received.content, contas, today, inicios)
    except NotRead as error:
        return _refuse(path, str(error)), []
    name = f"{ENTRADA}/{received.name}"
    return (
        ReadFile(
            name, received.sha256, len(received.content), balances.linhas, balances.recusadas, balances.rejeitadas
        ),
        [Statement(each.conta_id, each.dia, to_centavos(each.valor), ARQUIVO) for each in balances.saldos],
    )


def _read_budget(session: RunSession, path: Path, received: pd.DataFrame, today: date) -> tuple[ReadFile, pd.DataFrame]:
    """Read the budget; a category has the service's name, in use or not, and a deleted one its last known name."""
    named, _ = build_categorias(received.assign(ativo=True), (), {})
    known = {
        key: BudgetedCategory(caminho, tipo)
        for key, caminho, tipo in records_of(named, "categoria_id", "caminho", "tipo_categoria_id")
    }
    gone = {key: text for key, text in read_last_paths(session.warehouse).items() if key not in known}
    try:
        with hold_unread():
            content = read_file(path)
            budget = read_budget(
                content.content,
                known,
                gone,
                until=add_months(today, MONTHS_BUDGETED),
            )
    except NotRead as error:
        return _refuse(path, str(error)), build_budget(())
    said = [f"folhas não lidas: {', '.join(budget.folhas[1:])}"] if budget.folhas[1:] else []
    if budget.arredondados:
        said.append(f"{count_text(budget.arredondados, 'valor arredondado', 'valores arredondados')} ao centavo")
    return (
        ReadFile(
            f"{ENTRADA}/{content.name}",
            content.sha256,
            len(content.content),
            len(budget.valores) + budget.rejeitados,
            budget.recusados,
            budget.rejeitados,
            "; ".join(said),
        ),
        build_budget((*key, to_centavos(valor)) for key, valor in budget.valores.items()),
    )
