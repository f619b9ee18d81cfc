"""R20 Conciliação: is the balance of the books the bank's, and what does each side have alone?"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import sort_accounts
from lastro.bank.reconciliation import SEM_EXTRATO, BankReconciliation, Reconciled
from lastro.bank.tables import ACCOUNTS, LEFT, MATCHED, BankFound, build_tables, describe_titulos
from lastro.grid.cells import Kind, Link
from lastro.grid.pivot import build_section, leave_out_unused, list_rows
from lastro.grid.sections import MOST_SHOWN, Row, Section, say_more
from lastro.grid.tables import Column, Table, find_place
from lastro.grid.words import count_text
from lastro.grid.workbook import Family, Report
from lastro.money import format_amount, to_decimal
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lastro.reports.view import View

BANK: Final = "bank"
"""Under which name a run's facts hold `BankFound`."""
SHEET: Final = "Conciliação"
_NOTES: Final = (
    "Saldo do banco = saldo do livro e todas as colunas entre eles, cada uma com o sinal que tem na conta.",
    "Abertura: o que já diferia na véspera do extrato; enquanto não é o que estava em trânsito, nada se concilia.",
    "Sugestão é só um palpite pelo valor: confira antes de dar baixa no serviço.",
)


def build_r20(view: View) -> Report:
    """Build the sheet Conciliação; without statements, and in a scope, there is none, and no row in its tables."""
    bank_found = view.facts.por_opcao.get(BANK)
    if not isinstance(bank_found, BankFound):
        return SPEC.report((), build_tables(None, None))
    order = [view.series.accounts[place].conta_id for place in sort_accounts(view.series)]
    known = [conta_id for conta_id in order if conta_id is not None]
    tables = build_tables(view.position, bank_found, known)
    accounts, left, matched, _ = tables
    derived = ", ".join(str(cells[0]) for cells in accounts.rows if cells[_DERIVED])
    told = [f"Saldo do banco derivado, do último e das linhas desde então: {derived}."] if derived else []
    reconciliation, names = bank_found.conciliacao, describe_titulos(view.position)
    shown = sum(len(each.saldos) for each in reconciliation.lidos if each.conta_id is not None)
    if shown:
        told.append(
            f"{count_text(shown, 'transação é saldo', 'transações são saldos')}: confere as linhas, não as soma."
        )
    told += [
        f"Retirada pelo banco: {line.historico} de {line.dia:%d/%m/%Y}, {format_amount(to_decimal(line.valor))}."
        for line in reconciliation.retiradas[:_MOST_NAMED]
    ]
    told += [
        f"Abertura de {view.position.rotulos.conta(account.conta_id)}: {format_amount(to_decimal(value))} é a provável "
        f"baixa esquecida «{names[titulo_id]}» ({titulo_id})."
        for account in reconciliation.contas.values()
        for titulo_id, value in account.esquecidas.items()
    ]
    amounts = [column.key for column in ACCOUNTS if column.kind is Kind.MONEY]
    total_of = amounts if len(accounts.rows) > 1 else ()
    return SPEC.report(
        (
            reduce(
                leave_out_unused,
                _SELDOM,
                build_section(accounts, title="Do livro ao banco", notes=(*_NOTES, *told), total_of=total_of),
            ),
            _show_left(view, left),
            *_show_returned(matched),
        ),
        tables,
    )


_MOST_NAMED: Final = 10
"""Lines taken back that are named on the sheet; `mart.extrato_arquivos` counts all."""
_SELDOM: Final = (
    "diferencas_explicadas", "ignoradas", "fora_do_periodo", "abertura_em_transito", "abertura_baixas_esquecidas",
    "nao_explicado",
)  # fmt: skip
"""Columns that the sheet, which is one page wide, has only where one of them has something."""
_DERIVED: Final = find_place(ACCOUNTS, "derivado")
_TITULO: Final = find_place(LEFT, "titulo_id")


def _show_left(view: View, left: Table) -> Section:
    """Show what only one side has; the título, its own or the suggested one, leads to Lançamentos."""
    shown = tuple(
        Column("Título", Kind.LINK, width=12, key="titulo_id") if place == _TITULO else column
        for place, column in enumerate(LEFT)
    )
    rows = []
    for cells in left.rows[:MOST_SHOWN]:
        titulo = cells[_TITULO]
        link: Link | None = view.entries.link_titulo(titulo) if isinstance(titulo, int) else None
        rows.append(Row((*cells[:_TITULO], link, *cells[_TITULO + 1 :])))
    return Section(
        left.name, shown, tuple(rows), title="Pendências", detail=True,
        empty="Toda linha do banco tem lançamento, e toda baixa tem linha no banco",
        notes=say_more(len(left.rows), f"mart.{left.name}"),
    )  # fmt: skip


_RETURNED: Final = ("conta", "dia_no_banco", "historico", "valor_no_banco", "devolucao")


def _show_returned(matched: Table) -> Iterator[Section]:
    """Show what came back, which neither side lacks; without any there is no section."""
    place = find_place(MATCHED, "devolucao")
    rows = tuple(
        Row(cells) for cells, own in zip(list_rows(matched, _RETURNED), matched.rows, strict=True) if own[place]
    )
    if rows:
        columns = tuple(column for column in MATCHED if column.key in _RETURNED)
        more = say_more(len(rows), f"mart.{matched.name}")
        yield Section("devolvidas", columns, rows[:MOST_SHOWN], title="Dinheiro que voltou", detail=True, notes=more)


def say_bank(reconciliation: BankReconciliation) -> str:
    """Say in one line how the books stand beside the bank; empty where no account has a balance of both."""
    told = [
        account for account in reconciliation.contas.values() if account.livro is not None and account.banco is not None
    ]
    if not told:
        return ""
    book, bank = (to_decimal(sum(getattr(account, side) or 0 for account in told)) for side in ("livro", "banco"))
    until = min(account.ate for account in told if account.ate is not None)
    parts = [f"livro {format_amount(book)}", f"extrato {format_amount(bank)} em {until:%d/%m}"]
    days = [account.conciliado_ate for account in told]
    known = [day for day in days if day is not None]
    parts.append(f"conciliado até {min(known):%d/%m}" if len(known) == len(days) else _say_opening(told))
    lines = [line.valor for account in told for line in account.linhas]
    items = [item.valor for account in told for item in account.titulos]
    if lines:
        text = count_text(len(lines), "linha", "linhas")
        parts.append(f"{text} sem lançamento ({_say_gross(lines)})")
    if items:
        text = count_text(len(items), "baixa", "baixas")
        parts.append(f"{text} sem movimento no banco ({_say_gross(items)})")
    missing = sum(account.situacao == SEM_EXTRATO for account in reconciliation.contas.values())
    if missing:
        parts.append(f"{count_text(missing, 'conta', 'contas')} sem extrato")
    return " · ".join(parts)


def _say_opening(accounts: Sequence[Reconciled]) -> str:
    """Say what of the openings that differ is a forgotten settlement, and what nothing explains."""
    forgotten = [value for account in accounts for value in account.esquecidas.values()]
    rest = [account.nao_explicado for account in accounts if account.nao_explicado]
    parts = [f"{_say_gross(forgotten)} de {count_text(len(forgotten), 'baixa esquecida', 'baixas esquecidas')}"]
    told = [*(parts if forgotten else []), *([f"{_say_gross(rest)} não explicado"] if rest else [])]
    return f"abertura: {', '.join(told)}"


def _say_gross(amounts: Sequence[int]) -> str:
    """Write what came in and what went out, never the difference of the two."""
    sides = [sum(amount for amount in amounts if amount > 0), sum(amount for amount in amounts if amount < 0)]
    return " e ".join(format_amount(to_decimal(side)) for side in sides if side)


SPEC: Final = ReportSpec(
    code="R20",
    name="conciliacao",
    title="Conciliação com o banco",
    question="O saldo do sistema é o do banco?",
    family=Family.CASH,
    builder=build_r20,
    keys={"conciliacao": ("conta_id",), "extrato_arquivos": ("arquivo", "extrato")},
)
