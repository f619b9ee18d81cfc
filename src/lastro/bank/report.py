"""R20 Conciliação: is the balance of the books the bank's, and what does each side have alone?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lastro.bank.reconciliation import CERTO, SEM_EXTRATO, BankReconciliation, Reconciled
from lastro.bank.tables import (
    ACCOUNTS,
    DIVERGENCES,
    FILES,
    LEFT,
    MATCHED,
    RETURNED,
    describe_titulos,
    say_gross,
    say_ignored,
    take_found,
)
from lastro.grid.cells import Kind
from lastro.grid.sections import MOST_SHOWN, Section, say_more
from lastro.grid.table_rows import TableRows
from lastro.grid.words import count_text
from lastro.grid.workbook import Family
from lastro.money import format_amount, format_centavos, to_decimal
from lastro.reports.printing import print_section
from lastro.reports.shared.drill_down import lead_by
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lastro.grid.tables import Table
    from lastro.reports.printing import Tables
    from lastro.reports.view import View

SHEET: Final = "Conciliação"
_NOTES: Final = (
    "Saldo do banco = saldo do livro e todas as colunas entre eles, cada uma com o sinal que tem na conta.",
    "Abertura: o que já diferia na véspera do extrato; enquanto não é o que estava em trânsito, nada se concilia.",
    "Sugestão é só um palpite pelo valor: confira antes de dar baixa no serviço.",
)


def _show_accounts(view: View, tables: Tables) -> Section | None:
    bank_found, table = take_found(view), tables[ACCOUNTS.name]
    if bank_found is None:
        return None
    amounts = tuple(column.key for column in table.columns if column.kind is Kind.MONEY)
    notes = (*_NOTES, *_tell_accounts(view, bank_found.conciliacao, table))
    printed = replace(ACCOUNTS, total=amounts if len(table.rows) > 1 else (), notes=notes)
    return print_section(printed, tables, view)


def _tell_accounts(view: View, reconciliation: BankReconciliation, table: Table) -> Iterator[str]:
    pairs = zip(table.data["conta"].cells(), table.data["derivado"].cells(), strict=True)
    if derived := ", ".join(conta for conta, is_derived in pairs if is_derived):
        yield f"Saldo do banco derivado, do último e das linhas desde então: {derived}."
    if shown := sum(len(each.saldos) for each in reconciliation.lidos if each.conta_id is not None):
        yield f"{count_text(shown, 'transação é saldo', 'transações são saldos')}: confere as linhas, não as soma."
    names = describe_titulos(view.position)
    for account in reconciliation.contas.values():
        for titulo_id, value in account.esquecidas.items():
            opening = f"Abertura de {view.position.rotulos.conta(account.conta_id)}: {format_centavos(value)}"
            yield f"{opening} é a provável baixa esquecida «{names[titulo_id]}» ({titulo_id})."


def _show_left(view: View, tables: Tables) -> Section | None:
    """Show what only one side has; the título, its own or the suggested one, leads to Lançamentos."""
    if take_found(view) is None:
        return None
    section, table = print_section(LEFT, tables, view), tables[LEFT.name]
    columns = (replace(one, kind=Kind.LINK) if one.key == "titulo_id" else one for one in section.columns)
    rows = TableRows(table, last=MOST_SHOWN, links={"titulo_id": lead_by("titulo_id")(view, table)})
    return replace(section, columns=tuple(columns), rows=rows, notes=say_more(len(table.rows), f"mart.{table.name}"))


def say_bank(reconciliation: BankReconciliation) -> str:
    """Say in one line how the books stand beside the bank; empty where no account has a balance of both."""
    told = [
        account for account in reconciliation.contas.values() if account.livro is not None and account.banco is not None
    ]
    if not told:
        return ""
    book, bank = (to_decimal(sum(getattr(account, side) or 0 for account in told)) for side in ("livro", "banco"))
    ends = [account.ate for account in told if account.ate is not None]
    when = f"de {min(ends):%d/%m} a {max(ends):%d/%m}" if len({*ends}) > 1 else f"em {ends[0]:%d/%m}"
    parts = [f"livro {format_amount(book)}", f"extrato {format_amount(bank)} {when}"]
    days = [account.conciliado_ate for account in told]
    known = [day for day in days if day is not None]
    parts.append(f"conciliado até {min(known):%d/%m}" if len(known) == len(days) else _say_opening(told))
    lines = [line.valor for account in told for line in account.linhas]
    items = [item.valor for account in told for item in account.titulos]
    if lines:
        text = count_text(len(lines), "linha", "linhas")
        parts.append(f"{text} sem lançamento ({say_gross(lines)})")
    if items:
        text = count_text(len(items), "baixa", "baixas")
        parts.append(f"{text} sem movimento no banco ({say_gross(items)})")
    if (ignored := say_ignored(*told)) != CERTO:
        parts.append(ignored)
    missing = sum(account.situacao == SEM_EXTRATO for account in reconciliation.contas.values())
    if missing:
        parts.append(f"{count_text(missing, 'conta', 'contas')} sem extrato")
    return " · ".join(parts)


def _say_opening(accounts: Sequence[Reconciled]) -> str:
    """Say what of the openings that differ is a forgotten settlement, and what nothing explains."""
    forgotten = [value for account in accounts for value in account.esquecidas.values()]
    rest = [account.nao_explicado for account in accounts if account.nao_explicado]
    parts = [f"{say_gross(forgotten)} de {count_text(len(forgotten), 'baixa esquecida', 'baixas esquecidas')}"]
    told = [*(parts if forgotten else []), *([f"{say_gross(rest)} não explicado"] if rest else [])]
    return f"abertura: {', '.join(told)}"


SPEC: Final = ReportSpec(
    code="R20",
    name="conciliacao",
    title="Conciliação com o banco",
    question="O saldo do sistema é o do banco?",
    family=Family.CASH,
    tables=(ACCOUNTS, LEFT, MATCHED, FILES, DIVERGENCES),
    sections=(_show_accounts, DIVERGENCES, _show_left, RETURNED),
)
