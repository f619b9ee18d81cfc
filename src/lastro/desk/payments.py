"""The sheets of `pagamentos`: Decidir, Já pagos, Contas, Dias, Extrato, Histórico, Instruções."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lastro.desk.decided import DecidedNotes, say_decision
from lastro.desk.decisions import (
    AGUARDA,
    PAY,
    POSTPONE,
    Decision,
    Decisions,
)
from lastro.desk.desks import CONTA, EXTRATO, PAGAMENTOS, PAGAR
from lastro.desk.history import history_sheet
from lastro.desk.memory import DeskMemory
from lastro.desk.model import HEADER_ROW, Note, read_typed
from lastro.desk.notes import fold_notes
from lastro.desk.payables import Payable, Payables
from lastro.desk.plan import (
    BLOCKS,
    COVERED,
    PROBABLE,
    AccountLine,
    DayLine,
    Payments,
    name_series,
)
from lastro.desk.sheets import count_sum, make_column, make_input_columns, make_instructions, make_sheet, make_table
from lastro.export.layout import column_letter
from lastro.export.looks import RED
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.forms import Highlight
from lastro.grid.model import Column, Section, Sheet, Table
from lastro.grid.workbook import Stamp, Workbook
from lastro.money import decimal_or_none, to_decimal

IGNORE: Final = ("Sim",)
_ALERT: Final = "FFCDD2"


@dataclass(frozen=True)
class Names:
    """Whose names the settings offer: who is responsible, who approves."""

    responsaveis: tuple[str, ...] = ()
    aprovadores: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaymentFile:
    """What a `pagamentos` is made of.

    Attributes:
        payables: the desk of D before any decision.
        decisions: what was decided.
        payments: the desk with it.
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


def build_payments(
    what: PaymentFile, names: Names, stamp: Stamp, arquivo_id: str, unread: Sequence[str] = ()
) -> Workbook:
    """Build the workbook; what is to be paid is printed without its sign.

    Args:
        what: the desk.
        names: what the settings offer.
        stamp: of the run.
        arquivo_id: of the new file.
        unread: files that could not be read, and why: printed first.
    """
    memory = DeskMemory(PAGAMENTOS, arquivo_id)
    _, lost = fold_notes(PAGAMENTOS, what.notes)
    sheets = [
        _decide_sheet(what, names, memory),
        _paid_sheet(what, memory),
        _accounts_sheet(what, memory),
        _days_sheet(what, memory),
        *_statement_sheet(what, memory),
        history_sheet(PAGAMENTOS, what.notes, lost, DecidedNotes(what.payables, what.decisions, what.notes), unread),
        make_instructions("instrucoes_pagamentos.md", {}),
    ]
    notice = f"ATENÇÃO: {len(unread)} arquivo(s) não lido(s); veja o fim de Histórico." if unread else ""
    return Workbook(PAGAMENTOS.name, stamp, (*sheets, memory.build()), personal=True, notice=notice)


def _cells(kind: str, values: Mapping[str, str]) -> tuple[Value, ...]:
    return tuple(read_typed(values, each) for each in PAGAMENTOS.kind(kind).fields)


def _bad(text: str) -> Value | Cell:
    return text if text == COVERED else Cell(text, Kind.TEXT, "ruim")


def _decide_sheet(what: PaymentFile, names: Names, memory: DeskMemory) -> Sheet:
    day, contas = what.payables.data_base, tuple(what.payables.contas.values())
    choices = {"conta": contas, "responsavel": names.responsaveis, "aprovado_por": names.aprovadores}
    columns: tuple[Column, ...] = (
        make_column("Ordem", Kind.INTEGER, 7),
        make_column("Fornecedor", Kind.TEXT, 28),
        make_column("Bloco", Kind.TEXT, 16),
        make_column("Descrição", Kind.TEXT, 28),
        make_column("Documento", Kind.TEXT, 12),
        make_column("Parcela", Kind.TEXT, 8),
        make_column("Grupo", Kind.TEXT, 16),
        make_column("Vencimento", Kind.DATE, 12),
        make_column("Data efetiva", Kind.DATE, 12),
        make_column("Dias", Kind.INTEGER, 6),
        make_column("A pagar", Kind.MONEY, 14),
        make_column("Encargos est.", Kind.MONEY, 12),
        make_column("Conta do título", Kind.TEXT, 22),
        make_column("Acumulado", Kind.MONEY, 14),
        make_column("Cabe?", Kind.TEXT, 15),
        *make_input_columns(memory, PAGAMENTOS.kind(PAGAR).fields, day, choices),
        make_column("Decisão", Kind.TEXT, 24),
        make_column("titulo_id", Kind.INTEGER, 10),
    )
    rows = [
        (
            place,
            line.titulo.fornecedor,
            BLOCKS[line.bloco],
            line.titulo.descricao,
            line.titulo.documento,
            line.titulo.parcela,
            line.titulo.grupo,
            line.titulo.vencimento,
            line.titulo.efetiva,
            line.titulo.dias,
            decimal_or_none(-line.titulo.valor),
            decimal_or_none(-line.titulo.encargos),
            _name_account(what.payables, line.titulo),
            decimal_or_none(-line.acumulado),
            _bad(line.cabe),
            *_cells(PAGAR, what.decisions.celulas.get(line.titulo.titulo_id, {})),
            _tone_decision(line.decisao),
            line.titulo.titulo_id,
        )
        for place, line in enumerate(what.payments.linhas, 1)
    ]
    title = "Decidir: vencidos, de hoje e dos próximos 15 dias, na ordem em que o atraso pesa"
    table = make_table("tbl_decidir", _mark_both(columns), rows, title, "titulo_id")
    memory.keep(
        "Decidir", table, [what.payables.rotulos.get(line.titulo.titulo_id, "") for line in what.payments.linhas]
    )
    sheet = make_sheet("Decidir", (table,), "C62828")
    counters = count_sum(table, PAY, "a_pagar", '"R$" #,##0.00')
    counters |= count_sum(table, POSTPONE, "a_pagar", '"R$" #,##0.00')
    return replace(sheet, setup=replace(sheet.setup, counters=counters))


def _mark_both(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Colour both dates of a row where both were typed: only the first of them counts."""
    places = {column.input.name: place for place, column in enumerate(columns) if column.input}
    marked = list(columns)
    for own, other in ((PAY, POSTPONE), (POSTPONE, PAY)):
        column = columns[places[own]]
        beside = f"${column_letter(places[other] + 1)}{HEADER_ROW + 1}"
        both = Highlight(f"AND(ISNUMBER({{cell}}),ISNUMBER({beside}))", RED, _ALERT)
        if column.input is not None:
            asked = replace(column.input, highlights=(both, *column.input.highlights))
            marked[places[own]] = replace(column, input=asked)
    return tuple(marked)


def _tone_decision(decision: Decision | None) -> Value | Cell:
    text = say_decision(decision)
    return Cell(text, Kind.TEXT, "ruim") if text and decision and decision.estado == AGUARDA else text


def _name_account(payables: Payables, titulo: Payable) -> str:
    return payables.contas.get(titulo.conta_id, "") if titulo.conta_id is not None else ""


def _paid_sheet(what: PaymentFile, memory: DeskMemory) -> Sheet:
    day = what.payables.data_base
    (note,) = (each for each in PAGAMENTOS.kind(PAGAR).fields if each.name == "anotacao")
    columns = (
        make_column("Fornecedor", Kind.TEXT, 28),
        make_column("Descrição", Kind.TEXT, 30),
        make_column("Documento", Kind.TEXT, 14),
        make_column("Parcela", Kind.TEXT, 8),
        make_column("Vencimento", Kind.DATE, 12),
        make_column("Dias", Kind.INTEGER, 6),
        make_column("A pagar", Kind.MONEY, 14),
        make_column("Conta do título", Kind.TEXT, 22),
        make_column("Prova", Kind.TEXT, 30),
        *make_input_columns(memory, (note,), day, {}),
        make_column("titulo_id", Kind.INTEGER, 10),
    )
    rows = [
        (
            one.fornecedor,
            one.descricao,
            one.documento,
            one.parcela,
            one.vencimento,
            one.dias,
            decimal_or_none(-one.valor),
            _name_account(what.payables, one),
            what.provas.get(one.titulo_id, PROBABLE),
            read_typed(what.decisions.celulas.get(one.titulo_id, {}), note),
            one.titulo_id,
        )
        for one in what.payables.ja_pagos
    ]
    title = (
        "Já pagos? Abertos há mais de 30 dias, e uma ocorrência posterior já foi paga: confira antes de pagar de novo"
    )
    table = make_table("tbl_ja_pagos", columns, rows, title, "titulo_id")
    memory.keep("Já pagos", table, [what.payables.rotulos.get(one.titulo_id, "") for one in what.payables.ja_pagos])
    return make_sheet("Já pagos", (table,))


def _accounts_sheet(what: PaymentFile, memory: DeskMemory) -> Sheet:
    columns = (
        make_column("Conta", Kind.TEXT, 24),
        make_column("Saldo em D", Kind.MONEY, 15),
        make_column("Último extrato", Kind.DATE, 12),
        make_column("Saldo do extrato", Kind.MONEY, 15),
        make_column("Diferença", Kind.MONEY, 14),
        make_column("Vencido e hoje", Kind.MONEY, 15),
        make_column("Próximos 15 dias", Kind.MONEY, 15),
        make_column("Decidido", Kind.MONEY, 15),
        make_column("Sobra", Kind.MONEY, 15),
        *make_input_columns(memory, PAGAMENTOS.kind(CONTA).fields, what.payables.data_base, {}),
        make_column("conta_id", Kind.INTEGER, 10),
    )
    rows = [(*_account_cells(one), *_cells(CONTA, {}), one.conta_id) for one in what.payments.contas]
    title = "Contas: o que há, o que sai, o que sobra. À direita, o saldo que o banco mostrou no fim de um dia"
    table = make_table("tbl_contas_a_pagar", columns, rows, title, "conta_id")
    memory.keep("Contas", table, [one.nome for one in what.payments.contas])
    return make_sheet("Contas", (table,), "2E7D32")


def _account_cells(one: AccountLine) -> tuple[Value | Cell, ...]:
    unknown = Cell("sem saldo", Kind.TEXT, "ruim")
    extrato = one.extrato
    return (
        one.nome,
        unknown if one.saldo is None else to_decimal(one.saldo),
        None if extrato is None else extrato.dia,
        None if extrato is None else to_decimal(extrato.valor),
        None if extrato is None else decimal_or_none(extrato.diferenca),
        to_decimal(-one.vencido),
        to_decimal(-one.proximos),
        to_decimal(-one.decidido),
        unknown if one.sobra is None else to_decimal(one.sobra),
    )


def _days_sheet(what: PaymentFile, memory: DeskMemory) -> Sheet:
    columns = (
        make_column("Dia", Kind.DATE, 12),
        make_column("Vence", Kind.MONEY, 15),
        make_column("Decidido", Kind.MONEY, 15),
        *(make_column(name, Kind.MONEY, 16) for name in name_series()),
        make_column("Cobre?", Kind.TEXT, 18),
    )
    rows = [_day_cells(one) for one in what.payments.dias]
    title = "Dias: o que vence, o que se decidiu e o saldo no fim de cada dia"
    table = make_table("tbl_dias", columns, rows, title)
    memory.keep("Dias", table)
    return make_sheet("Dias", (table,), "1565C0")


def _day_cells(one: DayLine) -> tuple[Value | Cell, ...]:
    saldos = map(decimal_or_none, one.saldos)
    return (one.dia, to_decimal(-one.vence), to_decimal(-one.decidido), *saldos, _bad(one.cobre))


def _statement_sheet(what: PaymentFile, memory: DeskMemory) -> tuple[Sheet, ...]:
    """Print the bank lines without an entry, with their input cells; no sheet without any."""
    table = what.extrato
    if table is None or not table.rows:
        return ()
    kind = PAGAMENTOS.kind(EXTRATO)
    asked = make_input_columns(memory, kind.fields, what.payables.data_base, {"ignorar": IGNORE})
    held, _ = fold_notes(PAGAMENTOS, what.notes)
    *shown, key = table.columns
    rows = []
    for *cells, number in table.rows:
        noted = held.get((EXTRATO, int(str(number))))
        rows.append((*cells, *_cells(EXTRATO, {} if noted is None else noted.valores), number))
    columns = (
        *(make_column(one.header, one.kind, one.width or 16) for one in shown),
        *asked,
        make_column(kind.key, key.kind, 16),
    )
    title = "Extrato: o que está no banco e não está nos lançamentos"
    section: Section = make_table("tbl_extrato", columns, rows, title, kind.key)
    memory.keep("Extrato", section, ["" if row[0] is None else str(row[0]) for row in rows])
    return (make_sheet("Extrato", (section,), "6A1B9A"),)
