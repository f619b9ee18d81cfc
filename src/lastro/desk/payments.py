"""The sheets of `pagamentos`: Decidir, Já pagos, Contas, Dias, Extrato, Histórico, Instruções."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from lastro.calendar import BusinessCalendar
from lastro.desk.decision_notes import say_decision, tell_payments
from lastro.desk.decisions import AGUARDA, PAY, POSTPONE, Approval, Decision, Decisions
from lastro.desk.desks import CONTA, EXTRATO, PAGAMENTOS, PAGAR
from lastro.desk.history import history_sheet
from lastro.desk.live import (
    Ground,
    answer_account_days,
    answer_accounts,
    answer_days,
    answer_rows,
    hide_columns,
    lay_ground,
    tell_day,
)
from lastro.desk.memory import DeskMemory
from lastro.desk.model import HEADER_ROW, Note, place_inputs
from lastro.desk.notes import fold_notes
from lastro.desk.payables import Payables
from lastro.desk.plan import UNKNOWN, Payments
from lastro.desk.sheets import count_sum, make_book, make_column, make_inputs, make_instructions, make_sheet, make_table
from lastro.desk.tables import list_payments
from lastro.export.layout import column_letter
from lastro.export.live_cells import enliven
from lastro.export.looks import RED, RED_FILL
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.forms import Highlight
from lastro.grid.sections import MOST_SHOWN, SheetColumn, join_columns, say_more
from lastro.grid.tables import Column, Table
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.settings import Empresa


@dataclass(frozen=True)
class PaymentFile:
    """What a `pagamentos` is made of.

    Attributes:
        notes: every note of this desk.
        provas: titulo_id -> what the bank's statement says of a payment that looks forgotten.
        extrato: lines of statements without books (`pagamentos_extrato`), where there are any.
    """

    payables: Payables
    decisions: Decisions
    payments: Payments
    notes: Sequence[Note] = ()
    provas: Mapping[int, str] = field(default_factory=dict)
    extrato: Table | None = None
    calendario: BusinessCalendar = field(default_factory=BusinessCalendar)


def build_payments(
    what: PaymentFile, empresa: Empresa, stamp: Stamp, memory: DeskMemory, unread: Sequence[str] = ()
) -> Workbook:
    """Build the workbook; what is to be paid is printed without its sign, files that could not be read before all."""
    _, lost = fold_notes(PAGAMENTOS, what.notes)
    decide, paid, accounts, days, account_days = list_payments(what.payables, what.payments, what.provas)
    ground = lay_ground(what.payments, what.payables.contas, what.payables.data_base, what.calendario, memory)
    sheets = [
        _decide_sheet(what, decide, empresa, memory, ground),
        _paid_sheet(what, paid, memory),
        _accounts_sheet(what, accounts, memory),
        _days_sheet(what, days, account_days, ground),
        *_statement_sheet(what, memory),
        history_sheet(PAGAMENTOS, what.notes, lost, tell_payments(what.payables, what.decisions, what.notes), unread),
        make_instructions("instrucoes_pagamentos.md", {}),
    ]
    return make_book(memory, stamp, sheets, unread)


_PAID: Final = frozenset(
    {
        "valor", "encargos_est", "acumulado", "vencido_e_hoje", "proximos_15_dias", "decidido", "adiado", "em_aberto",
        "vence",
    }
)  # fmt: skip
"""Columns of what is to be paid, which a sheet prints without its sign."""
_BALANCES: Final = frozenset({"saldo_em_d", "sobra", "saldo_no_banco"})
"""Columns in which a sheet says that a balance is not known."""
_SHORT: Final = frozenset({"cabe", "cobre", "saldo_depois", "sobra", "saldo_no_banco", "com_o_combinado"})
"""Columns that are red where money is missing."""
_HEADERS: Final = {"valor": "A pagar", "titulo_id": "titulo_id", "conta_id": "conta_id"}
"""What it calls a column, where not as the table does."""


def _show(table: Table, **widths: int) -> list[SheetColumn]:
    """Take columns of a table, each with its width on the sheet."""
    parts: list[SheetColumn] = []
    for key, width in widths.items():
        column, cells = table.columns[table.place(key)], table.data[key].cells()
        if key in _PAID:
            cells = [-value if isinstance(value, Decimal) else value for value in cells]
        elif key in _BALANCES:
            cells = [Cell(UNKNOWN, Kind.TEXT, "ruim") if value is None else value for value in cells]
        made = make_column(_HEADERS.get(key, column.header), column.kind, width)
        parts.append((replace(made, alert="falta") if key in _SHORT else made, cells))
    return parts


def _decide_sheet(what: PaymentFile, table: Table, empresa: Empresa, memory: DeskMemory, ground: Ground) -> Sheet:
    payables, lines = what.payables, what.payments.linhas
    contas = tuple(payables.contas.values())
    choices = {"conta": contas, "responsavel": empresa.responsaveis, "aprovado_por": empresa.aprovadores}
    typed = [what.decisions.celulas.get(line.titulo.titulo_id, {}) for line in lines]
    own_account = [payables.contas.get(line.titulo.conta_id or 0, "") for line in lines]
    inputs = make_inputs(memory, PAGAMENTOS.kind(PAGAR).fields, payables.data_base, typed, choices)
    beside = [row.cells[:5] for row in join_columns(inputs)[1]]
    days = [tell_day(line, own) for line, own in zip(lines, beside, strict=True)]
    parts = (
        *_show(table, ordem=7, fornecedor=28, bloco=16, descricao=28, documento=12, parcela=8, grupo=16),
        *_show(table, vencimento=12, data_efetiva=12, dias=6, valor=14, encargos_est=12),
        (make_column("Conta do título", Kind.TEXT, 22), own_account),
        *_show(table, acumulado=14, aviso=20),
        (make_column("Dia decidido", Kind.DATE, 13), days),
        *_show(table, saldo_antes=15, saldo_depois=15, cabe=18),
        *inputs,
        (make_column("Decisão", Kind.TEXT, 24), [_tone_decision(line.decisao) for line in lines]),
        *_show(table, titulo_id=10),
        *hide_columns(lines, beside),
    )
    title = "Decidir: a folha primeiro, vencidos, de hoje e dos próximos 15 dias, na ordem em que o atraso pesa"
    section = make_table("tbl_decidir", parts, title, "titulo_id")
    section = replace(section, columns=_mark_both(section.columns))
    section = enliven(section, answer_rows(lines, days, ground, Approval.of(empresa), payables.data_base))
    counters = count_sum(section, PAY, "a_pagar") | count_sum(section, POSTPONE, "a_pagar")
    return make_sheet("Decidir", (section,), "C62828", counters=counters)


def _mark_both(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Colour both dates of a row where both were typed: only the first of them counts."""
    places = place_inputs(columns)
    marked = list(columns)
    for own, other in ((PAY, POSTPONE), (POSTPONE, PAY)):
        column = columns[places[own]]
        beside = f"${column_letter(places[other] + 1)}{HEADER_ROW + 1}"
        both = Highlight(f"AND(ISNUMBER({{cell}}),ISNUMBER({beside}))", RED, RED_FILL)
        if column.input is not None:
            asked = replace(column.input, highlights=(both, *column.input.highlights))
            marked[places[own]] = replace(column, input=asked)
    return tuple(marked)


def _tone_decision(decision: Decision | None) -> Value | Cell:
    text = say_decision(decision)
    return Cell(text, Kind.TEXT, "ruim") if text and decision and decision.estado == AGUARDA else text


def _paid_sheet(what: PaymentFile, table: Table, memory: DeskMemory) -> Sheet:
    payables, paid = what.payables, what.payables.ja_pagos
    note = [each for each in PAGAMENTOS.kind(PAGAR).fields if each.name == "anotacao"]
    typed = [what.decisions.celulas.get(payable.titulo_id, {}) for payable in paid]
    own_account = [payables.contas.get(payable.conta_id or 0, "") for payable in paid]
    parts = (
        *_show(table, fornecedor=28, descricao=30, documento=14, parcela=8, vencimento=12, dias=6, valor=14),
        (make_column("Conta do título", Kind.TEXT, 22), own_account),
        *_show(table, prova=30, aviso=20),
        *make_inputs(memory, note, payables.data_base, typed),
        *_show(table, titulo_id=10),
    )
    title = (
        "Já pagos? Abertos há mais de 30 dias, e uma ocorrência posterior já foi paga: confira antes de pagar de novo"
    )
    return make_sheet("Já pagos", (make_table("tbl_ja_pagos", parts, title, "titulo_id"),))


def _accounts_sheet(what: PaymentFile, table: Table, memory: DeskMemory) -> Sheet:
    """Print the accounts, with blank cells for a balance that the bank showed (`RowKind.holds`)."""
    parts = (
        *_show(table, conta=24, saldo_em_d=15, em_transito=14, ultimo_extrato=12, saldo_do_extrato=15, diferenca=14),
        *_show(table, vencido_e_hoje=15, proximos_15_dias=15, decidido=15, adiado=15, sobra=15, proposta=36),
        *make_inputs(memory, PAGAMENTOS.kind(CONTA).fields, what.payables.data_base, [{}] * len(table.rows)),
        *_show(table, conta_id=10),
    )
    title = "Contas: o que há, o que sai, o que sobra. À direita, o saldo que o banco mostrou no fim de um dia"
    section = make_table("tbl_contas_a_pagar", parts, title, "conta_id")
    section = enliven(section, answer_accounts(what.payments, what.payables.data_base))
    return make_sheet("Contas", (section,), "2E7D32")


def _days_sheet(what: PaymentFile, table: Table, account_days: Table, ground: Ground) -> Sheet:
    day = what.payables.data_base
    parts = (
        *_show(table, dia=12, vence=24, decidido=15, adiado=15, em_aberto=15, contratual=16, conservador=16),
        *_show(table, com_decisoes=16, com_o_combinado=16, cobre=18),
    )
    section = make_table("tbl_dias", parts, "Dias: o que vence, o que se decidiu e o saldo no fim de cada dia")
    section = enliven(section, answer_days(what.payments))
    parts = (*_show(account_days, dia=12, conta=24, decidido=15, adiado=15, em_aberto=15, saldo_no_banco=16),)
    title = "Por conta, no banco: no vencimento e com o que se decidiu, sem o que ainda está em trânsito"
    by_account = make_table("tbl_dias_contas", parts, title)
    first = HEADER_ROW + len(section.rows) + 4
    by_account = enliven(by_account, answer_account_days(what.payments, ground, day), first)
    return make_sheet("Dias", (section, by_account), "1565C0")


def _statement_sheet(what: PaymentFile, memory: DeskMemory) -> tuple[Sheet, ...]:
    """Print the bank lines without an entry, with their input cells; no sheet without any."""
    table = what.extrato
    if table is None or not table.rows:
        return ()
    kind = PAGAMENTOS.kind(EXTRATO)
    held, _ = fold_notes(PAGAMENTOS, what.notes)
    *shown, key = table.columns
    cells = {column.key: table.data[column.key].cells()[:MOST_SHOWN] for column in table.columns}
    extrato_ids = cells[key.key]
    typed = [held[EXTRATO, extrato_id].valores if (EXTRATO, extrato_id) in held else {} for extrato_id in extrato_ids]
    parts = (
        *((make_column(column.header, column.kind, column.width or 16), cells[column.key]) for column in shown),
        *make_inputs(memory, kind.fields, what.payables.data_base, typed, {"ignorar": ("Sim",)}),
        (make_column(kind.key, key.kind, 16), extrato_ids),
    )
    title = "Extrato: o que está no banco e não está nos lançamentos"
    title = "; ".join((title, *say_more(len(table.rows), f"mart.{table.name}")))
    section = make_table("tbl_extrato", parts, title, kind.key)
    return (make_sheet("Extrato", (section,), "6A1B9A"),)
