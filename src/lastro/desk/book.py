"""The sheets of `cobranca`: Fila, Títulos, Sem cobrança, Divergências, Promessas, Histórico, Instruções."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

from lastro.analysis.charges import ACTIONS
from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.history import history_sheet
from lastro.desk.memory import DeskMemory
from lastro.desk.model import Key, Note
from lastro.desk.notes import Held, fold_notes
from lastro.desk.promise_notes import is_in_force, promises_sheet, tell_promises
from lastro.desk.promises import ABERTA, BROKEN, Promise, find_promises
from lastro.desk.queue import SEM_PESSOA, Customer, Debt, Queue, describe_charges, score
from lastro.desk.sheets import (
    count_inputs,
    make_book,
    make_column,
    make_inputs,
    make_instructions,
    make_sheet,
    make_table,
    take_columns,
)
from lastro.desk.texts import choose_text, fill_text
from lastro.export.contacts import find_email, find_phone, is_mobile, link_email, link_phone, link_whatsapp
from lastro.grid.cells import Cell, Kind, Link, Value, row_key
from lastro.grid.sections import SheetColumn
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.money import format_brl, to_decimal
from lastro.settings import DAR_BAIXA, Empresa

RESULTADOS: Final = (
    "Não atendeu", "Prometeu", "Contesta", "Pagou (conferir)", "Sem contato", "Negociado", "Jurídico",
)  # fmt: skip
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
    """Build the workbook of D from every note of the company; files that could not be read are printed first."""
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
        history_sheet(COBRANCA, notes, lost, tell_promises(promises, queue), unread),
        _instructions_sheet(desk),
    )
    return make_book(memory, stamp, sheets, unread)


def _place(desk: _Desk, customer: Customer) -> tuple[int, int, int, int]:
    """Order the queue: broken promises, others, promises not due, mere write-offs, títulos without a person."""
    promise, group = desk.promises.get((PESSOA, customer.pessoa_id)), 1
    if customer.pessoa_id == SEM_PESSOA:
        group = 4
    elif desk.queue.etapas[customer.etapa] == DAR_BAIXA:
        group = 3
    elif promise is not None and desk.noted(customer).valores.get("promessa") == promise.dia.isoformat():
        group = 0 if promise.estado in BROKEN else 2 if promise.estado == ABERTA else 1
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


def _show_contacts(desk: _Desk, asked: Sequence[tuple[int, int, Sequence[Debt]]]) -> list[SheetColumn]:
    """Show how to call, write and mail people, each with the text of a stage: pessoa_id, stage, what is asked for."""
    reached = [_reach(desk, *each) for each in asked]
    return take_columns(
        reached,
        ("Telefone", Kind.LINK, 18, itemgetter(0)),
        ("WhatsApp", Kind.LINK, 11, itemgetter(1)),
        ("E-mail", Kind.LINK, 28, itemgetter(2)),
    )


def _reach(desk: _Desk, pessoa_id: int, etapa: int, debts: Sequence[Debt]) -> tuple[Value | Cell, ...]:
    text, subject = _write_letter(desk, pessoa_id, etapa, debts), f"{desk.empresa.nome}: valores em aberto"
    telefone, email = desk.queue.contatos.get(pessoa_id, ("", ""))
    phone, address = find_phone(telefone), find_email(email)
    return (
        Link(telefone, url=link_phone(phone)) if phone else telefone or Cell("sem telefone", Kind.TEXT, "ruim"),
        Link("abrir »", url=link_whatsapp(phone, text)) if is_mobile(phone) else None,
        Link(address, url=link_email(address, subject, text)) if address else Cell("sem e-mail", Kind.TEXT, "ruim"),
    )


def _link_payment(link: str) -> Link | None:
    return Link("pagar »", url=link) if link else None


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
    etapas, places = desk.queue.etapas, iter(range(1, len(customers) + 1))
    held = [desk.noted(customer) for customer in customers]
    parts = (
        *take_columns(
            customers,
            ("Prioridade", Kind.INTEGER, 9, lambda _: next(places)),
            ("Cliente", Kind.TEXT, 30, lambda customer: customer.nome),
        ),
        *_show_contacts(desk, [(customer.pessoa_id, customer.etapa, customer.debts) for customer in customers]),
        *take_columns(
            customers,
            ("Vencido efetivo", Kind.MONEY, 15, lambda customer: customer.efetivo),
            ("Com encargos est.", Kind.MONEY, 15, lambda customer: customer.efetivo + customer.encargos),
            ("Títulos", Kind.INTEGER, 8, _link_worst),
            ("Maior atraso", Kind.INTEGER, 8, lambda customer: max(debt.dias_mora for debt in customer.debts)),
            ("Etapa", Kind.TEXT, 18, lambda customer: etapas[customer.etapa]),
            ("Cobrança", Kind.TEXT, 30, lambda customer: describe_charges(customer.debts)),
            ("Link de pagamento", Kind.LINK, 12, lambda customer: _link_payment(_find_slip(customer.debts))),
            ("Costuma pagar em", Kind.INTEGER, 10, lambda customer: customer.habito),
        ),
        *take_columns(
            held, ("Último contato", Kind.DATE, 12, lambda noted: noted.contato.date() if noted.contato else None)
        ),
        *_ask(desk, PESSOA, held),
        *take_columns(
            customers,
            ("Pontos", Kind.INTEGER, 9, lambda customer: score(customer, etapas)),
            ("pessoa_id", Kind.INTEGER, 10, lambda customer: customer.pessoa_id),
        ),
    )
    table = make_table("tbl_fila", parts, "Fila: um cliente com vencido ou vencendo hoje por linha", "pessoa_id")
    return make_sheet("Fila", (table,), "C62828", counters=count_inputs(table))


def _link_worst(customer: Customer) -> Link:
    """Count the títulos of a customer, and lead to the latest; of those as late as each other to the larger one."""
    worst = max(customer.debts, key=lambda debt: (debt.dias_mora, debt.valor))
    return Link(len(customer.debts), sheet="Títulos", key=row_key("titulo_id", worst.titulo_id))


def _find_slip(debts: Sequence[Debt]) -> str:
    return next((debt.link for debt in sorted(debts, key=lambda debt: -debt.dias_mora) if debt.link), "")


def _titles_sheet(desk: _Desk) -> Sheet:
    queue, debts = desk.queue, desk.queue.titulos
    parts = (
        *take_columns(
            debts,
            ("Cliente", Kind.TEXT, 30, lambda debt: queue.nomes.get(debt.pessoa_id, "")),
            ("Documento", Kind.TEXT, 14, lambda debt: debt.documento),
            ("Descrição", Kind.TEXT, 30, lambda debt: debt.descricao),
            ("Parcela", Kind.TEXT, 8, lambda debt: debt.parcela),
            ("Vencimento", Kind.DATE, 12, lambda debt: debt.vencimento),
            ("Data efetiva", Kind.DATE, 12, lambda debt: debt.data_efetiva),
            ("Dias de mora", Kind.INTEGER, 8, lambda debt: debt.dias_mora),
            ("Valor", Kind.MONEY, 14, lambda debt: debt.valor),
            ("Multa est.", Kind.MONEY, 12, lambda debt: debt.multa),
            ("Juros est.", Kind.MONEY, 12, lambda debt: debt.juros),
            ("Atualizado est.", Kind.MONEY, 14, lambda debt: debt.valor + debt.multa + debt.juros),
            ("Situação", Kind.TEXT, 13, lambda debt: debt.situacao),
            ("Etapa", Kind.TEXT, 18, lambda debt: queue.etapas[debt.etapa]),
            ("Cobrança", Kind.TEXT, 14, lambda debt: debt.cobranca),
            ("Link de pagamento", Kind.LINK, 12, lambda debt: _link_payment(debt.link)),
            ("2ª via", Kind.TEXT, 7, lambda debt: "Sim" if debt.segunda_via else "Não" if debt.tem_cobranca else None),
        ),
        *_ask(desk, TITULO, [desk.held.get((TITULO, debt.titulo_id), Held()) for debt in debts]),
        *take_columns(debts, ("titulo_id", Kind.INTEGER, 10, lambda debt: debt.titulo_id)),
    )
    title = "Títulos vencidos, vencendo hoje e nos próximos 7 dias"
    return make_sheet("Títulos", (make_table("tbl_titulos_cobranca", parts, title, "titulo_id"),))


def _uncharged_sheet(desk: _Desk) -> Sheet:
    queue = desk.queue
    debts = sorted(
        (debt for debt in queue.titulos if not debt.tem_cobranca), key=lambda debt: (-debt.valor, debt.titulo_id)
    )
    inputs = _ask(desk, TITULO, [desk.held.get((TITULO, debt.titulo_id), Held()) for debt in debts])
    parts = (
        *take_columns(
            debts,
            ("Cliente", Kind.TEXT, 30, lambda debt: queue.nomes.get(debt.pessoa_id, "")),
            ("Documento", Kind.TEXT, 14, lambda debt: debt.documento),
            ("Descrição", Kind.TEXT, 30, lambda debt: debt.descricao),
            ("Vencimento", Kind.DATE, 12, lambda debt: debt.vencimento),
            ("Dias de mora", Kind.INTEGER, 8, lambda debt: debt.dias_mora),
            ("Valor", Kind.MONEY, 14, lambda debt: debt.valor),
            ("Motivo", Kind.TEXT, 34, _explain_uncharged),
        ),
        *_show_contacts(desk, [(debt.pessoa_id, debt.etapa, (debt,)) for debt in debts]),
        *(part for part in inputs if part[0].input and part[0].input.name == "anotacao"),
        *take_columns(debts, ("titulo_id", Kind.INTEGER, 10, lambda debt: debt.titulo_id)),
    )
    title = "Sem cobrança: vencidos e a vencer em 7 dias que ninguém está pedindo, do maior ao menor"
    return make_sheet("Sem cobrança", (make_table("tbl_sem_cobranca", parts, title, "titulo_id"),))


def _explain_uncharged(debt: Debt) -> str:
    if debt.pessoa_id == SEM_PESSOA:
        return "sem pessoa no lançamento: não há de quem cobrar"
    return "nunca emitida" if debt.cancelada is None else f"cancelada em {format_date(debt.cancelada)}"


def _differences_sheet(desk: _Desk) -> Sheet:
    names, order = desk.queue.nomes, list(ACTIONS)
    parts = take_columns(
        sorted(desk.queue.divergencias, key=lambda row: (order.index(row["tipo"]), row["cobranca_id"])),
        ("Tipo", Kind.TEXT, 7, lambda row: row["tipo"]),
        ("Cliente", Kind.TEXT, 30, lambda row: names.get(row["cliente_id"] or SEM_PESSOA, "")),
        ("O que fazer", Kind.TEXT, 60, lambda row: ACTIONS[row["tipo"]]),
        ("Valor", Kind.MONEY, 14, lambda row: row["valor_centavos"]),
        ("Diferença", Kind.MONEY, 14, lambda row: row["diferenca_centavos"]),
        ("Lançamentos", Kind.TEXT, 18, lambda row: ", ".join(map(str, row["lancamentos"]))),
        ("Cobrança", Kind.LINK, 12, _link_charge),
    )
    title = "Divergências entre cobranças e lançamentos, a mais urgente primeiro (R11 g)"
    return make_sheet("Divergências", (make_table("tbl_divergencias", parts, title),))


def _link_charge(row: Mapping[str, Any]) -> Value:
    number, link = str(row["cobranca_id"]), row["link_publico"]
    return Link(number, url=link) if link else number


def _instructions_sheet(desk: _Desk) -> Sheet:
    etapas = desk.queue.etapas
    weights = " · ".join(f"{name} = {place}" for place, name in enumerate(etapas) if name)
    texts = {name: " ".join(choose_text(name, desk.empresa.textos_cobranca).split()) for name in etapas if name}
    letters = "\n".join(f"{name}: {text}" for name, text in texts.items())
    return make_instructions("instrucoes.md", {"<pesos>": weights, "<textos>": letters})
