"""The sheets of `pagamentos`: Decidir, Já pagos, Contas, Dias, Extrato, Histórico, Instruções.

Does not belong here: which columns they have (`lastro.desk.tables`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lastro.calendar import BusinessCalendar
from lastro.desk import live
from lastro.desk.answers import ANSWERS, Answers
from lastro.desk.decision_notes import say_decision, tell_payments
from lastro.desk.decisions import AGUARDA, PAY, POSTPONE, Approval, Decision, Decisions
from lastro.desk.desks import CONTA, EXTRATO, PAGAMENTOS, PAGAR
from lastro.desk.history import history_sheet
from lastro.desk.memory import DeskMemory
from lastro.desk.model import HEADER_ROW, Note
from lastro.desk.notes import fold_notes
from lastro.desk.payables import Payable, Payables
from lastro.desk.plan import UNKNOWN, Payments
from lastro.desk.seen import ANSWER, APPROVED, CONFIRMED
from lastro.desk.sheets import (
    MOST_ROWS,
    Parts,
    count_sum,
    make_book,
    make_inputs,
    make_instructions,
    make_sheet,
    make_table,
    put_before,
    take,
    take_first,
)
from lastro.desk.tables import ACCOUNT_DAYS, ACCOUNTS, DAYS, DECIDE, PAID, list_payments
from lastro.export.layout import column_letter
from lastro.export.live_cells import enliven
from lastro.export.looks import RED, RED_FILL
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.forms import Highlight
from lastro.grid.prints import Print
from lastro.grid.sections import MOST_SHOWN, Section, join_columns, say_more
from lastro.grid.tables import Column, Table
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.money import to_decimal
from lastro.settings import Empresa


@dataclass(frozen=True)
class PaymentFile:
    """What a `pagamentos` is made of.

    Attributes:
        notes: every note of this desk.
        provas: titulo_id -> what the bank's statement says of a payment that looks forgotten.
        respostas: what was answered on *Já pagos*.
        retiradas: extrato_id of lines that the bank no longer has.
        extrato: lines of statements without books (`pagamentos_extrato`).
    """

    payables: Payables
    decisions: Decisions
    payments: Payments
    notes: Sequence[Note]
    provas: Mapping[int, str]
    extrato: Table | None
    calendario: BusinessCalendar
    respostas: Answers
    retiradas: Collection[int]


def build_payments(
    what: PaymentFile,
    empresa: Empresa,
    stamp: Stamp,
    memory: DeskMemory,
    unread: Sequence[str],
    most: int = MOST_ROWS,
) -> Workbook:
    """Build the workbook: amounts to pay are printed without a sign, and unreadable files are told first.

    *Decidir* ends at `most` rows, all that was typed about among them; every sum of the others counts the rest too.
    """
    _, lost = fold_notes(PAGAMENTOS, what.notes)
    whole = what.payments.linhas
    shown, left = take_first(whole, [line.titulo.titulo_id in what.decisions.celulas for line in whole], most)
    what = replace(what, payments=what.payments.show(shown, left))
    decide, paid, accounts, days, account_days = map(_print, list_payments(what.payables, what.payments, what.provas))
    ground = live.lay_ground(what.payments, what.payables.contas, what.payables.data_base, what.calendario, memory)
    outcomes = tell_payments(what.payables, what.decisions, what.notes, what.respostas.motivos, what.retiradas)
    sheets = [
        _decide_sheet(what, decide, empresa, memory, ground, say_more(len(whole), WHERE_ALL, len(shown))),
        _paid_sheet(what, paid, empresa, memory),
        _accounts_sheet(what, accounts, memory),
        _days_sheet(what, days, account_days, ground),
        *_statement_sheet(what, memory),
        history_sheet(PAGAMENTOS, what.notes, lost, outcomes, unread),
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
WHERE_ALL: Final = "mart.pagamentos_decidir (lastro sql) e tbl_titulos (dados)"
"""Where every payable is that *Decidir* leaves out."""
_BALANCES: Final = frozenset({"saldo_em_d", "sobra", "saldo_no_banco"})
"""Columns in which a sheet says that a balance is not known."""


def _print(parts: Parts) -> Parts:
    """Take the columns that a sheet shows, as it prints them; its key stands last."""
    printed = Parts()
    for key, (column, cells) in sorted(parts.items(), key=lambda part: part[0].endswith("_id")):
        shown: list[Any] = [*cells]
        if key in _PAID:
            shown = [value if value is None else -value for value in shown]
        elif key in _BALANCES:
            shown = [Cell(UNKNOWN, Kind.TEXT, "ruim") if value is None else value for value in shown]
        if column.shown:
            printed[key] = column, shown
    return printed


def _name_accounts(own: Print[None], what: PaymentFile, payables: Sequence[Payable]) -> Parts:
    return take(own, payables, conta_do_titulo=lambda one: what.payables.contas.get(one.conta_id or 0, ""))


def _decide_sheet(
    what: PaymentFile,
    parts: Parts,
    empresa: Empresa,
    memory: DeskMemory,
    ground: live.Ground,
    rest: tuple[str, ...],
) -> Sheet:
    payables, lines = what.payables, what.payments.linhas
    contas = tuple(payables.contas.values())
    choices = {"conta": contas, "responsavel": empresa.responsaveis, "aprovado_por": empresa.aprovadores}
    typed = [what.decisions.celulas.get(line.titulo.titulo_id, {}) for line in lines]
    fields = [each for each in PAGAMENTOS.kind(PAGAR).fields if each.name not in (ANSWER, CONFIRMED)]
    inputs = make_inputs(memory, fields, payables.data_base, typed, choices)
    beside = [row.cells[:5] for row in join_columns([*inputs.values()])[1]]
    days = [live.tell_day(line, own) for line, own in zip(lines, beside, strict=True)]
    parts["dia_decidido"] = parts["dia_decidido"][0], days
    parts |= take(DECIDE, lines, decisao=lambda line: _tone_decision(line.decisao))
    parts = put_before("bloco", {"pessoa": parts["pessoa"]}, parts)
    own_account = _name_accounts(DECIDE, what, [line.titulo for line in lines])
    parts = put_before("dia_decidido", {"aviso": parts["aviso"]}, put_before("acumulado", own_account, parts))
    parts = put_before("decisao", inputs, parts) | live.hide_columns(lines, beside, payables)
    section = _mark_both(make_table(DECIDE, parts, "tbl_decidir", rest))
    asking = live.list_asking(lines, Approval.of(empresa), payables, what.decisions)
    section = enliven(section, live.answer_rows(lines, days, ground, asking, payables.data_base))
    counters = count_sum(section, PAY, "valor") | count_sum(section, POSTPONE, "valor")
    return make_sheet("Decidir", (section,), "C62828", counters=counters)


def _mark_both(section: Section) -> Section:
    """Colour both dates of a row where both were typed: only the first of them counts."""
    marked = list(section.columns)
    for own, other in ((PAY, POSTPONE), (POSTPONE, PAY)):
        column = marked[section.place(own)]
        beside = f"${column_letter(section.place(other) + 1)}{HEADER_ROW + 1}"
        both = Highlight(f"AND(ISNUMBER({{cell}}),ISNUMBER({beside}))", RED, RED_FILL)
        if column.input is not None:
            asked = replace(column.input, highlights=(both, *column.input.highlights))
            marked[section.place(own)] = replace(column, input=asked)
    return replace(section, columns=tuple(marked))


def _tone_decision(decision: Decision | None) -> Value | Cell:
    text = say_decision(decision)
    return Cell(text, Kind.TEXT, "ruim") if text and decision and decision.estado == AGUARDA else text


def _paid_sheet(what: PaymentFile, parts: Parts, empresa: Empresa, memory: DeskMemory) -> Sheet:
    """Print what may be owed no more, for an answer and a second name only; one that is over is empty again."""
    paid, answers = what.payables.ja_pagos, what.respostas
    own = {each.name: each for each in PAGAMENTOS.kind(PAGAR).fields}
    fields = [own[ANSWER], replace(own[CONFIRMED], header=own[APPROVED].header), own["anotacao"]]
    typed = []
    for payable in paid:
        cells = what.decisions.celulas.get(payable.titulo_id, {})
        typed.append({**cells, ANSWER: "", CONFIRMED: ""} if payable.titulo_id in answers.vazias else cells)
    beside = {**_name_accounts(PAID, what, paid), "prova": parts["prova"]}
    choices = {ANSWER: ANSWERS, CONFIRMED: empresa.aprovadores}
    inputs = make_inputs(memory, fields, what.payables.data_base, typed, choices)
    parts = put_before("titulo_id", inputs, put_before("aviso", beside, parts))
    return make_sheet("Já pagos", (make_table(PAID, parts, "tbl_ja_pagos"),))


def _accounts_sheet(what: PaymentFile, parts: Parts, memory: DeskMemory) -> Sheet:
    """Print the accounts, with blank cells for a balance that the bank showed (`RowKind.holds`)."""
    day, blank = what.payables.data_base, PAGAMENTOS.kind(CONTA).blank
    inputs = make_inputs(memory, PAGAMENTOS.kind(CONTA).fields, day, [blank] * len(what.payments.contas))
    parts = put_before("conta_id", inputs, parts)
    section = enliven(make_table(ACCOUNTS, parts, "tbl_contas_a_pagar"), live.answer_accounts(what.payments, day))
    return make_sheet("Contas", (section,), "2E7D32")


def _days_sheet(what: PaymentFile, parts: Parts, of_accounts: Parts, ground: live.Ground) -> Sheet:
    if what.payments.fora:
        rests = [to_decimal(-what.payments.left_on(day.dia)) for day in what.payments.dias]
        column = Column("Fora da lista", Kind.MONEY, key="fora_da_lista")
        parts = put_before("contratual", {column.key: (column, rests)}, parts)
    section = enliven(make_table(DAYS, parts, "tbl_dias"), live.answer_days(what.payments))
    by_account = enliven(
        make_table(ACCOUNT_DAYS, of_accounts, "tbl_dias_contas"),
        live.answer_account_days(what.payments, ground, what.payables.data_base),
        HEADER_ROW + len(section.rows) + 4,
    )
    return make_sheet("Dias", (section, by_account), "1565C0")


def _statement_sheet(what: PaymentFile, memory: DeskMemory) -> tuple[Sheet, ...]:
    """Print the bank lines without an entry, with their input cells; no sheet without any."""
    table = what.extrato
    if table is None or not table.rows:
        return ()
    kind = PAGAMENTOS.kind(EXTRATO)
    held, _ = fold_notes(PAGAMENTOS, what.notes)
    parts: Parts = {
        column.key: (
            replace(column, header=kind.key if column.key == kind.key else column.header),
            table.data[column.key].cells()[:MOST_SHOWN],
        )
        for column in table.columns
    }
    typed = [held[key].valores if (key := (EXTRATO, one)) in held else {} for one in parts[kind.key][1]]
    inputs = make_inputs(memory, kind.fields, what.payables.data_base, typed, {"ignorar": ("Sim",)})
    more = say_more(len(table.rows), f"mart.{table.name}")
    title = "; ".join(("Extrato: o que está no banco e não está nos lançamentos", *more))
    own: Print[None] = Print("tbl_extrato", "", keys=(kind.key,), title=title)
    return (make_sheet("Extrato", (make_table(own, put_before(kind.key, inputs, parts)),), "6A1B9A"),)
