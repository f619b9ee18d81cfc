"""The sheets of `cobranca`: Fila, Títulos, Sem cobrança, Divergências, Promessas, Histórico, Instruções."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lastro.analysis.charges import ACTIONS
from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.history import history_sheet
from lastro.desk.memory import DeskMemory
from lastro.desk.model import Key, Note
from lastro.desk.notes import Held, fold_notes
from lastro.desk.promise_notes import PromisedNotes, is_in_force, promises_sheet
from lastro.desk.promises import ABERTA, BROKEN, Promise, find_promises
from lastro.desk.queue import (
    SEM_PESSOA,
    Customer,
    Debt,
    Queue,
    describe_charges,
    score,
)
from lastro.desk.sheets import (
    count_inputs,
    make_book,
    make_column,
    make_inputs,
    make_instructions,
    make_sheet,
    make_table,
)
from lastro.desk.texts import (
    choose_text,
    fill_text,
    find_email,
    find_phone,
    is_mobile,
    link_email,
    link_phone,
    link_whatsapp,
)
from lastro.grid.cells import Cell, Kind, Link, Value, row_key
from lastro.grid.sections import SheetColumn
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.money import decimal_or_none, format_brl, to_decimal
from lastro.settings import DAR_BAIXA, Empresa

RESULTADOS: Final = (
    "Não atendeu", "Prometeu", "Contesta", "Pagou (conferir)", "Sem contato", "Negociado", "Jurídico",
)  # fmt: skip
SEM_EMAIL, SEM_TELEFONE = "sem e-mail", "sem telefone"
MAX_SLIPS: Final = 5
"""Links that one text carries."""


@dataclass(frozen=True)
class _Desk:
    queue: Queue
    empresa: Empresa
    held: Mapping[Key, Held]
    promises: Mapping[Key, Promise]
    memory: DeskMemory

    def noted(self, customer: Customer) -> Held:
        """What holds for a customer: the notes about a debt that is still there."""
        held = self.held.get((PESSOA, customer.pessoa_id), Held())
        live = held.contato is not None and is_in_force(held.contato.date(), customer.debts)
        return held if live else Held()


def build_desk(
    queue: Queue, notes: Sequence[Note], empresa: Empresa, stamp: Stamp, memory: DeskMemory, unread: Sequence[str] = ()
) -> Workbook:
    """Build the workbook.

    Args:
        queue: the desk of D before any note.
        notes: every note of the company.
        empresa: whose name signs the texts; with its own texts and who may be responsible.
        stamp: of the run.
        memory: the hidden sheet of the new file.
        unread: files that could not be read, and why: printed first.
    """
    held, lost = fold_notes(COBRANCA, notes)
    promises = find_promises(notes, queue)
    desk = _Desk(queue, empresa, held, {promise.key: promise for promise in promises}, memory)
    customers = sorted(queue.clientes, key=lambda customer: _place(desk, customer))
    sheets = (
        _queue_sheet(desk, customers),
        _titles_sheet(desk),
        _uncharged_sheet(desk),
        _differences_sheet(desk),
        promises_sheet(promises, queue),
        history_sheet(COBRANCA, notes, lost, PromisedNotes(promises, queue), unread),
        _instructions_sheet(desk),
    )
    return make_book(memory, stamp, sheets, unread)


def _place(desk: _Desk, customer: Customer) -> tuple[int, int, int, int]:
    """Order the queue: broken promises, others, promises not due, mere write-offs, títulos without a person."""
    promise = desk.promises.get((PESSOA, customer.pessoa_id))
    live = promise is not None and desk.noted(customer).valores.get("promessa") == promise.dia.isoformat()
    group = 1
    if customer.pessoa_id == SEM_PESSOA:
        group = 4
    elif desk.queue.etapas[customer.etapa] == DAR_BAIXA:
        group = 3
    elif live and promise is not None and promise.estado in BROKEN:
        group = 0
    elif live and promise is not None and promise.estado == ABERTA:
        group = 2
    return group, -score(customer, desk.queue.etapas), -customer.efetivo, customer.pessoa_id


def _ask(desk: _Desk, kind: str, held: Sequence[Held]) -> list[SheetColumn]:
    """Show the result of an earlier day, then the cells to type into: of results only those of D."""
    day, choices = desk.queue.data_base, {"resultado": RESULTADOS, "responsavel": desk.empresa.responsaveis}
    earlier: list[Value] = []
    typed = []
    for noted in held:
        when = noted.mudou.get("resultado")
        over = when is not None and when.date() != day
        earlier.append(noted.valores.get("resultado") or None if over else None)
        typed.append({**noted.valores, "resultado": ""} if over else noted.valores)
    inputs = make_inputs(desk.memory, COBRANCA.kind(kind).fields, day, typed, choices)
    return [(make_column("Último resultado", Kind.TEXT, 16), earlier), *inputs]


def _show_contacts(contacts: Sequence[tuple[Value | Cell, ...]]) -> list[SheetColumn]:
    columns = (
        make_column("Telefone", Kind.LINK, 18),
        make_column("WhatsApp", Kind.LINK, 11),
        make_column("E-mail", Kind.LINK, 28),
    )
    return [(column, [cells[place] for cells in contacts]) for place, column in enumerate(columns)]


def _show_payment(links: Iterable[str]) -> SheetColumn:
    cells = [Link("pagar »", url=link) if link else None for link in links]
    return make_column("Link de pagamento", Kind.LINK, 12), cells


def _contact_cells(
    desk: _Desk, reached: tuple[str, str], pessoa_id: int, etapa: int, debts: Sequence[Debt]
) -> tuple[Value | Cell, ...]:
    """Call, write and mail a person by telephone and e-mail, with the text of a stage."""
    text, subject = _write_letter(desk, pessoa_id, etapa, debts), f"{desk.empresa.nome}: valores em aberto"
    telefone, email = reached
    phone, address = find_phone(telefone), find_email(email)
    return (
        Link(telefone, url=link_phone(phone)) if phone else telefone or Cell(SEM_TELEFONE, Kind.TEXT, "ruim"),
        Link("abrir »", url=link_whatsapp(phone, text)) if is_mobile(phone) else None,
        Link(address, url=link_email(address, subject, text)) if address else Cell(SEM_EMAIL, Kind.TEXT, "ruim"),
    )


def _write_letter(desk: _Desk, pessoa_id: int, etapa: int, debts: Sequence[Debt]) -> str:
    """Fill the text of a stage in, for a person by the name it was registered with."""
    oldest = min((debt.vencimento for debt in debts if debt.vencimento), default=None)
    values = {
        "cliente": desk.queue.chamados.get(pessoa_id) or desk.queue.nomes.get(pessoa_id, ""),
        "empresa": desk.empresa.nome,
        "valor": format_brl(to_decimal(sum(debt.valor for debt in debts))),
        "titulos": count_text(len(debts), "título", "títulos"),
        "atraso": str(max((debt.dias_mora for debt in debts), default=0)),
        "vencimento": "" if oldest is None else format_date(oldest),
        "link": write_slip_links(debts),
    }
    return fill_text(choose_text(desk.queue.etapas[etapa], desk.empresa.textos_cobranca), values)


def write_slip_links(debts: Sequence[Debt]) -> str:
    """Write the links of the títulos that have one, the oldest first; where the text asks for several, whose each is.

    Only so many as an address that opens a conversation has room for; the rest are counted.
    """
    linked = [debt for debt in sorted(debts, key=lambda debt: (-debt.dias_mora, debt.titulo_id)) if debt.link]
    if not linked or len(debts) == 1:
        return linked[0].link if linked else ""
    lines = [_name_link(debt) for debt in linked[:MAX_SLIPS]]
    if len(linked) > MAX_SLIPS:
        lines.append(f"e mais {count_text(len(linked) - MAX_SLIPS, 'link', 'links')}: peça-nos")
    return "\n".join(lines)


def _name_link(debt: Debt) -> str:
    due = "" if debt.vencimento is None else f" de {format_date(debt.vencimento)}"
    return f"Link do título{due}, {format_brl(to_decimal(debt.valor))}: {debt.link}"


def _queue_sheet(desk: _Desk, customers: Sequence[Customer]) -> Sheet:
    etapas = desk.queue.etapas
    held = [desk.noted(customer) for customer in customers]
    # Of títulos as late as each other the sheet leads to the larger one.
    worst = [max(customer.debts, key=lambda debt: (debt.dias_mora, debt.valor)) for customer in customers]
    ordered = [sorted(customer.debts, key=lambda debt: -debt.dias_mora) for customer in customers]
    parts: tuple[SheetColumn, ...] = (
        (make_column("Prioridade", Kind.INTEGER, 9), range(1, len(customers) + 1)),
        (make_column("Cliente", Kind.TEXT, 30), [customer.nome for customer in customers]),
        *_show_contacts(
            [
                _contact_cells(
                    desk, (customer.telefone, customer.email), customer.pessoa_id, customer.etapa, customer.debts
                )
                for customer in customers
            ]
        ),
        (make_column("Vencido efetivo", Kind.MONEY, 15), [to_decimal(customer.efetivo) for customer in customers]),
        (
            make_column("Com encargos est.", Kind.MONEY, 15),
            [to_decimal(customer.efetivo + customer.encargos) for customer in customers],
        ),
        (
            make_column("Títulos", Kind.INTEGER, 8),
            [
                Link(len(customer.debts), sheet="Títulos", key=row_key("titulo_id", debt.titulo_id))
                for customer, debt in zip(customers, worst, strict=True)
            ],
        ),
        (make_column("Maior atraso", Kind.INTEGER, 8), [debt.dias_mora for debt in worst]),
        (make_column("Etapa", Kind.TEXT, 18), [etapas[customer.etapa] for customer in customers]),
        (make_column("Cobrança", Kind.TEXT, 30), [describe_charges(customer.debts) for customer in customers]),
        _show_payment(next((debt.link for debt in debts if debt.link), "") for debts in ordered),
        (make_column("Costuma pagar em", Kind.INTEGER, 10), [customer.habito for customer in customers]),
        (
            make_column("Último contato", Kind.DATE, 12),
            [noted.contato.date() if noted.contato else None for noted in held],
        ),
        *_ask(desk, PESSOA, held),
        (make_column("Pontos", Kind.INTEGER, 9), [score(customer, etapas) for customer in customers]),
        (make_column("pessoa_id", Kind.INTEGER, 10), [customer.pessoa_id for customer in customers]),
    )
    table = make_table("tbl_fila", parts, "Fila: um cliente com vencido ou vencendo hoje por linha", "pessoa_id")
    desk.memory.keep("Fila", table)
    sheet = make_sheet("Fila", (table,), "C62828")
    return replace(sheet, setup=replace(sheet.setup, counters=count_inputs(table)))


def _titles_sheet(desk: _Desk) -> Sheet:
    queue, debts = desk.queue, desk.queue.titulos
    again = ["Sim" if debt.segunda_via else "Não" if debt.tem_cobranca else None for debt in debts]
    updated = [to_decimal(debt.valor + debt.multa + debt.juros) for debt in debts]
    parts: tuple[SheetColumn, ...] = (
        (make_column("Cliente", Kind.TEXT, 30), [queue.nomes.get(debt.pessoa_id, "") for debt in debts]),
        (make_column("Documento", Kind.TEXT, 14), [debt.documento for debt in debts]),
        (make_column("Descrição", Kind.TEXT, 30), [debt.descricao for debt in debts]),
        (make_column("Parcela", Kind.TEXT, 8), [debt.parcela for debt in debts]),
        (make_column("Vencimento", Kind.DATE, 12), [debt.vencimento for debt in debts]),
        (make_column("Data efetiva", Kind.DATE, 12), [debt.data_efetiva for debt in debts]),
        (make_column("Dias de mora", Kind.INTEGER, 8), [debt.dias_mora for debt in debts]),
        (make_column("Valor", Kind.MONEY, 14), [to_decimal(debt.valor) for debt in debts]),
        (make_column("Multa est.", Kind.MONEY, 12), [to_decimal(debt.multa) for debt in debts]),
        (make_column("Juros est.", Kind.MONEY, 12), [to_decimal(debt.juros) for debt in debts]),
        (make_column("Atualizado est.", Kind.MONEY, 14), updated),
        (make_column("Situação", Kind.TEXT, 13), [debt.situacao for debt in debts]),
        (make_column("Etapa", Kind.TEXT, 18), [queue.etapas[debt.etapa] for debt in debts]),
        (make_column("Cobrança", Kind.TEXT, 14), [debt.cobranca for debt in debts]),
        _show_payment(debt.link for debt in debts),
        (make_column("2ª via", Kind.TEXT, 7), again),
        *_ask(desk, TITULO, [desk.held.get((TITULO, debt.titulo_id), Held()) for debt in debts]),
        (make_column("titulo_id", Kind.INTEGER, 10), [debt.titulo_id for debt in debts]),
    )
    title = "Títulos vencidos, vencendo hoje e nos próximos 7 dias"
    table = make_table("tbl_titulos_cobranca", parts, title, "titulo_id")
    desk.memory.keep("Títulos", table)
    return make_sheet("Títulos", (table,))


def _uncharged_sheet(desk: _Desk) -> Sheet:
    queue = desk.queue
    debts = sorted(
        (debt for debt in queue.titulos if not debt.tem_cobranca), key=lambda debt: (-debt.valor, debt.titulo_id)
    )
    contacts = [
        _contact_cells(desk, queue.contatos.get(debt.pessoa_id, ("", "")), debt.pessoa_id, debt.etapa, (debt,))
        for debt in debts
    ]
    inputs = _ask(desk, TITULO, [desk.held.get((TITULO, debt.titulo_id), Held()) for debt in debts])
    parts: tuple[SheetColumn, ...] = (
        (make_column("Cliente", Kind.TEXT, 30), [queue.nomes.get(debt.pessoa_id, "") for debt in debts]),
        (make_column("Documento", Kind.TEXT, 14), [debt.documento for debt in debts]),
        (make_column("Descrição", Kind.TEXT, 30), [debt.descricao for debt in debts]),
        (make_column("Vencimento", Kind.DATE, 12), [debt.vencimento for debt in debts]),
        (make_column("Dias de mora", Kind.INTEGER, 8), [debt.dias_mora for debt in debts]),
        (make_column("Valor", Kind.MONEY, 14), [to_decimal(debt.valor) for debt in debts]),
        (make_column("Motivo", Kind.TEXT, 34), [_explain_uncharged(debt) for debt in debts]),
        *_show_contacts(contacts),
        *(part for part in inputs if part[0].input and part[0].input.name == "anotacao"),
        (make_column("titulo_id", Kind.INTEGER, 10), [debt.titulo_id for debt in debts]),
    )
    title = "Sem cobrança: vencidos e a vencer em 7 dias que ninguém está pedindo, do maior ao menor"
    table = make_table("tbl_sem_cobranca", parts, title, "titulo_id")
    desk.memory.keep("Sem cobrança", table)
    return make_sheet("Sem cobrança", (table,))


def _explain_uncharged(debt: Debt) -> str:
    if debt.pessoa_id == SEM_PESSOA:
        return "sem pessoa no lançamento: não há de quem cobrar"
    return "nunca emitida" if debt.cancelada is None else f"cancelada em {format_date(debt.cancelada)}"


def _differences_sheet(desk: _Desk) -> Sheet:
    names, order = desk.queue.nomes, list(ACTIONS)
    differences = sorted(desk.queue.divergencias, key=lambda row: (order.index(row["tipo"]), row["cobranca_id"]))
    charges = [
        Link(str(row["cobranca_id"]), url=row["link_publico"]) if row["link_publico"] else str(row["cobranca_id"])
        for row in differences
    ]
    parts: tuple[SheetColumn, ...] = (
        (make_column("Tipo", Kind.TEXT, 7), [row["tipo"] for row in differences]),
        (
            make_column("Cliente", Kind.TEXT, 30),
            [names.get(row["cliente_id"] or SEM_PESSOA, "") for row in differences],
        ),
        (make_column("O que fazer", Kind.TEXT, 60), [ACTIONS[row["tipo"]] for row in differences]),
        (make_column("Valor", Kind.MONEY, 14), [to_decimal(row["valor_centavos"]) for row in differences]),
        (make_column("Diferença", Kind.MONEY, 14), [decimal_or_none(row["diferenca_centavos"]) for row in differences]),
        (make_column("Lançamentos", Kind.TEXT, 18), [", ".join(map(str, row["lancamentos"])) for row in differences]),
        (make_column("Cobrança", Kind.LINK, 12), charges),
    )
    title = "Divergências entre cobranças e lançamentos, a mais urgente primeiro (R11 g)"
    return make_sheet("Divergências", (make_table("tbl_divergencias", parts, title),))


def _instructions_sheet(desk: _Desk) -> Sheet:
    etapas = desk.queue.etapas
    weights = " · ".join(f"{name} = {place}" for place, name in enumerate(etapas) if name)
    texts = {name: " ".join(choose_text(name, desk.empresa.textos_cobranca).split()) for name in etapas if name}
    letters = "\n".join(f"{name}: {text}" for name, text in texts.items())
    return make_instructions("instrucoes.md", {"<pesos>": weights, "<textos>": letters})
