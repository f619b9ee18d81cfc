"""The statement balances beside the books, as R01 lists them and tells of them (S23)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

from lastro.analysis.frames import read_fields, records_of
from lastro.grid.prints import Columns, Print
from lastro.grid.words import format_date
from lastro.reports.printing import Tables, print_section
from lastro.reports.turned import order_accounts
from lastro.transform.statements import MESES

if TYPE_CHECKING:
    from lastro.grid.sections import Section
    from lastro.reports.view import View

STATEMENTS_SHOWN: Final = 12
"""Statements of an account on the sheet, the newest; all of them stand in `mart.extratos`."""


def list_statements(view: View) -> Columns:
    """List the statement balances beside the books, account by account, in their order, then by day."""
    accounts = order_accounts(view)
    rank = {account.conta_id: place for place, account in enumerate(accounts)}
    compared = sorted(view.statements, key=lambda each: (rank[each.conta_id], each.dia))
    return {
        "conta_id": [each.conta_id for each in compared],
        "conta": [accounts[rank[each.conta_id]].descricao for each in compared],
        **read_fields(compared, "dia", "extrato", "livro"),
        "em_transito": [each.transito for each in compared],
        "diferenca": [each.diferenca for each in compared],
        "nasceu_no_periodo": [each.nasceu for each in compared],
        **read_fields(compared, "papel", "origem"),
    }


def show_newest(view: View, tables: Tables) -> Section:
    """Print the newest statements of every account."""
    section, ids = print_section(STATEMENTS, tables, view), tables[STATEMENTS.name].data["conta_id"].cells()
    left, rows = Counter(ids), []
    for conta_id, row in zip(ids, section.rows, strict=True):
        left[conta_id] -= 1
        if left[conta_id] < STATEMENTS_SHOWN:
            rows.append(row)
    return replace(section, rows=tuple(rows))


def tell_statements(view: View) -> Iterator[str]:
    """Say of which day the newest statements are, and which openings rest on one bank file alone (S23)."""
    newest: dict[int | None, date] = {each.conta_id: each.dia for each in view.statements}
    checked = [(account.descricao, newest.get(account.conta_id)) for account in order_accounts(view)]
    if told := [f"{name} {format_date(day)}" for name, day in checked if day is not None]:
        yield f"Saldo conferido: {'; '.join(told)}."
    contas = view.position.contas
    unproved = contas[contas["ancora_provada"].eq(other=False).fillna(value=False)].sort_values("conta_id")
    openings = records_of(unproved, "descricao", "ancora_dia")
    if told := [f"{name} (saldo de {format_date(day.date())})" for name, day in openings]:
        yield (
            f"Abertura de um só extrato: {'; '.join(told)}. Nenhum segundo saldo a confirma: ponha outro extrato, ou "
            "digite um saldo (lastro saldos)."
        )


STATEMENTS: Final = Print(
    "extratos",
    f"R01: um saldo de extrato, de até {MESES} meses antes; diferenca = livro - em_transito - extrato",
    list_statements,
    keys=("conta_id", "dia"),
    about={
        "diferenca": "livro menos em_transito menos extrato; nula onde o livro é indefinido",
        "origem": "quem disse o saldo: arquivo (saldos.csv), mesa (planilha Contas), config (saldos_conferidos) ou ofx "
        "(extratos)",
    },
    headers={"dia": "Dia"},
    undefined=("livro", "em_transito", "diferenca", "nasceu_no_periodo"),
    title="Extratos",
    notes=("Nasceu no período: a diferença menos a do extrato anterior da conta; diz em que período procurar.",),
    empty="Nenhum saldo de extrato: digite um em saldos.csv (lastro saldos).",
)
