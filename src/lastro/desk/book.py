"""The sheets of `cobranca`: Fila, Títulos, Sem cobrança, Divergências, Promessas, Histórico, Instruções."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from operator import itemgetter
from typing import Any, Final

from lastro.analysis.charges import ACTIONS
from lastro.desk.contacts import find_email, find_phone, is_mobile, link_email, link_phone, link_whatsapp
from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.history import history_sheet
from lastro.desk.memory import DeskMemory
from lastro.desk.model import Key, Note
from lastro.desk.notes import Held, fold_notes
from lastro.desk.promise_notes import is_in_force, promises_sheet, tell_promises
from lastro.desk.promises import ABERTA, BROKEN, Promise, find_promises
from lastro.desk.queue import SEM_PESSOA, Customer, Debt, Queue, describe_charges, score
from lastro.desk.sheets import (
    MOST_ROWS,
    Parts,
    count_inputs,
    make_book,
    make_inputs,
    make_instructions,
    make_sheet,
    make_table,
    take,
    take_first,
)
from lastro.desk.texts import choose_text, fill_text
from lastro.grid.cells import Cell, Kind, Link, Value, row_key
from lastro.grid.prints import Print
from lastro.grid.sections import say_more
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.money import format_centavos_brl
from lastro.settings import DAR_BAIXA, Empresa

RESULTADOS: Final = (
    "Não atendeu", "Prometeu", "Contesta", "Pagou (conferir)", "Sem contato", "Negociado", "Jurídico",
)  # fmt: skip
WHERE_ALL: Final = "mart.a_receber (lastro sql) e tbl_titulos (dados)"
"""Where every receivable is that a list leaves out."""
MAX_SLIPS: Final = 5
"""Links that one text carries."""


FILA: Final[Print[None]] = Print(
    "tbl_fila",
    keys=("pessoa_id",),
    kinds={"titulos": Kind.INTEGER, "etapa": Kind.TEXT, "cobranca": Kind.TEXT},
    headers={"pessoa": "Cliente"},
    widths={"pessoa": 30, "cobranca": 30, "e_mail": 28, "whatsapp": 11},
    title="Fila: um cliente com vencido ou vencendo hoje por linha",
)
TITULOS: Final[Print[None]] = Print(
    "tbl_titulos_cobranca",
    keys=("titulo_id",),
    headers={"pessoa": "Cliente", "permitir_segunda_via": "2ª via"},
    kinds={"etapa": Kind.TEXT, "cobranca": Kind.TEXT, "permitir_segunda_via": Kind.TEXT},
    widths={"pessoa": 30, "descricao": 30, "parcela": 8, "situacao": 13, "permitir_segunda_via": 7},
    title="Títulos vencidos, vencendo hoje e nos próximos 7 dias",
)
SEM_COBRANCA: Final[Print[None]] = Print(
    "tbl_sem_cobranca",
    keys=("titulo_id",),
    headers={"pessoa": "Cliente"},
    widths={"pessoa": 30, "descricao": 30, "motivo": 34, "e_mail": 28, "whatsapp": 11},
    title="Sem cobrança: vencidos e a vencer em 7 dias que ninguém está pedindo, do maior ao menor",
)
DIVERGENCIAS: Final[Print[None]] = Print(
    "tbl_divergencias",
    headers={"pessoa": "Cliente"},
    widths={"tipo": 7, "pessoa": 30, "o_que_fazer": 60, "cobranca": 12},
    title="Divergências entre cobranças e lançamentos, a mais urgente primeiro (R11 g)",
)


@dataclass(frozen=True)
class _Desk:
    queue: Queue
    empresa: Empresa
    held: Mapping[Key, Held]
    promises: Mapping[Key, Promise]
    memory: DeskMemory
    most: int

    def choose(self, debts: Sequence[Debt]) -> tuple[tuple[Debt, ...], tuple[str, ...]]:
        """Choose the rows of a list of títulos; where the others are."""
        shown, _ = take_first(debts, [(TITULO, debt.titulo_id) in self.held for debt in debts], self.most)
        return shown, say_more(len(debts), WHERE_ALL, len(shown))

    def noted(self, customer: Customer) -> Held:
        """What holds for a customer: the notes about a debt that is still there."""
        held = self.held.get((PESSOA, customer.pessoa_id), Held())
        live = held.contato is not None and is_in_force(held.contato.date(), customer.debts)
        return held if live else Held()


def build_desk(
    queue: Queue,
    notes: Sequence[Note],
    empresa: Empresa,
    stamp: Stamp,
    memory: DeskMemory,
    unread: Sequence[str],
    most: int = MOST_ROWS,
) -> Workbook:
    """Build the workbook of D from every note of the company; files that could not be read are printed first.

    Lists of títulos end at `most` rows, those with a note among them.
    """
    held, lost = fold_notes(COBRANCA, notes)
    promises = find_promises(notes, queue)
    desk = _Desk(queue, empresa, held, {promise.key: promise for promise in promises}, memory, most)
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


def _ask(desk: _Desk, own: Print[None], kind: str, held: Sequence[Held]) -> Parts:
    """Show the result of an earlier day, then the cells to type into: of results only those of D."""
    day, choices = desk.queue.data_base, {"resultado": RESULTADOS, "responsavel": desk.empresa.responsaveis}
    over = [(when := one.mudou.get("resultado")) is not None and when.date() != day for one in held]
    earlier = [one.valores.get("resultado") or None if old else None for one, old in zip(held, over, strict=True)]
    typed = [{**one.valores, "resultado": ""} if old else one.valores for one, old in zip(held, over, strict=True)]
    inputs = make_inputs(desk.memory, COBRANCA.kind(kind).fields, day, typed, choices)
    return {**take(own, earlier, ultimo_resultado=lambda text: text), **inputs}


def _show_contacts(desk: _Desk, own: Print[None], asked: Sequence[tuple[int, int, Sequence[Debt]]]) -> Parts:
    """Show how to call, write and mail people, each with the text of a stage: pessoa_id, stage, what is asked for."""
    reached = [_reach(desk, *each) for each in asked]
    return take(own, reached, telefone=itemgetter(0), whatsapp=itemgetter(1), e_mail=itemgetter(2))


def _reach(desk: _Desk, pessoa_id: int, etapa: int, debts: Sequence[Debt]) -> tuple[Value | Cell, ...]:
    telefone, email = desk.queue.contatos.get(pessoa_id, ("", ""))
    phone, address, subject = find_phone(telefone), find_email(email), f"{desk.empresa.nome}: valores em aberto"
    text = _write_letter(desk, pessoa_id, etapa, debts) if is_mobile(phone) or address else ""
    return (
        Link(telefone, url=link_phone(phone)) if phone else telefone or Cell("sem telefone", Kind.TEXT, "ruim"),
        Link("abrir »", url=link_whatsapp(phone, text)) if is_mobile(phone) else None,
        Link(address, url=link_email(address, subject, text)) if address else Cell("sem e-mail", Kind.TEXT, "ruim"),
    )


def _link_payment(link: str) -> Link | None:
    return Link("pagar »", url=link) if link else None


def _write_letter(desk: _Desk, pessoa_id: int, etapa: int, debts: Sequence[Debt]) -> str:
    """Fill the text of a stage in, for a person by the name it was registered with."""
    oldest = min((debt.data_vencimento for debt in debts if debt.data_vencimento), default=None)
    values = {
        "cliente": desk.queue.chamados.get(pessoa_id) or desk.queue.nomes.get(pessoa_id, ""),
        "empresa": desk.empresa.nome,
        "valor": format_centavos_brl(sum(debt.valor for debt in debts)),
        "titulos": count_text(len(debts), "título", "títulos"),
        "atraso": str(max((debt.dias_de_mora for debt in debts), default=0)),
        "vencimento": "" if oldest is None else format_date(oldest),
        "link": write_slip_links(debts),
    }
    return fill_text(choose_text(desk.queue.etapas[etapa], desk.empresa.textos_cobranca), values)


def write_slip_links(debts: Sequence[Debt]) -> str:
    """Write the payment links of a customer's títulos, the oldest first. Of several, each link names its título.

    Only so many as an address that opens a conversation has room for; the rest are counted.
    """
    linked = [debt for debt in sorted(debts, key=lambda debt: (-debt.dias_de_mora, debt.titulo_id)) if debt.link]
    if not linked or len(debts) == 1:
        return linked[0].link if linked else ""
    lines = [_name_link(debt) for debt in linked[:MAX_SLIPS]]
    if len(linked) > MAX_SLIPS:
        lines.append(f"e mais {count_text(len(linked) - MAX_SLIPS, 'link', 'links')}: peça-nos")
    return "\n".join(lines)


def _name_link(debt: Debt) -> str:
    due = "" if debt.data_vencimento is None else f" de {format_date(debt.data_vencimento)}"
    return f"Link do título{due}, {format_centavos_brl(debt.valor)}: {debt.link}"


def _queue_sheet(desk: _Desk, customers: Sequence[Customer]) -> Sheet:
    etapas, places = desk.queue.etapas, count(1)
    held = [desk.noted(customer) for customer in customers]
    parts = {
        **take(FILA, customers, prioridade=lambda _: next(places), pessoa="nome"),
        **_show_contacts(desk, FILA, [(customer.pessoa_id, customer.etapa, customer.debts) for customer in customers]),
        **take(
            FILA, customers,
            vencido_efetivo="efetivo",
            com_encargos_est=lambda customer: customer.efetivo + customer.encargos,
            titulos=_link_worst,
            maior_atraso=lambda customer: max(debt.dias_de_mora for debt in customer.debts),
            etapa=lambda customer: etapas[customer.etapa],
            cobranca=lambda customer: describe_charges(customer.debts),
            link_de_pagamento=lambda customer: _link_payment(_find_slip(customer.debts)),
            costuma_pagar_em="habito",
        ),
        **take(FILA, held, ultimo_contato=lambda noted: noted.contato.date() if noted.contato else None),
        **_ask(desk, FILA, PESSOA, held),
        **take(FILA, customers, pontos=lambda customer: score(customer, etapas), pessoa_id="pessoa_id"),
    }  # fmt: skip
    table = make_table(FILA, parts)
    return make_sheet("Fila", (table,), "C62828", counters=count_inputs(table))


def _link_worst(customer: Customer) -> Link:
    """Count the títulos of a customer, and lead to the latest; of those as late as each other to the larger one."""
    worst = max(customer.debts, key=lambda debt: (debt.dias_de_mora, debt.valor))
    return Link(len(customer.debts), sheet="Títulos", key=row_key("titulo_id", worst.titulo_id))


def _find_slip(debts: Sequence[Debt]) -> str:
    return next((debt.link for debt in sorted(debts, key=lambda debt: -debt.dias_de_mora) if debt.link), "")


def _titles_sheet(desk: _Desk) -> Sheet:
    queue = desk.queue
    debts, rest = desk.choose(queue.titulos)
    parts = {
        **take(
            TITULOS, debts, "pessoa", "documento", "descricao", "parcela", "data_vencimento", "data_efetiva",
            "dias_de_mora", "valor", "multa_est", "juros_est",
            pessoa=lambda debt: queue.nomes.get(debt.pessoa_id, ""),
            atualizado_est=lambda debt: debt.valor + debt.multa_est + debt.juros_est,
            situacao="situacao",
            etapa=lambda debt: queue.etapas[debt.etapa],
            cobranca="cobranca",
            link_de_pagamento=lambda debt: _link_payment(debt.link),
            permitir_segunda_via=lambda debt: "Sim" if debt.segunda_via else "Não" if debt.tem_cobranca else None,
        ),
        **_ask(desk, TITULOS, TITULO, _hold(desk, debts)),
        **take(TITULOS, debts, "titulo_id"),
    }  # fmt: skip
    return make_sheet("Títulos", (make_table(TITULOS, parts, rest=rest),))


def _hold(desk: _Desk, debts: Sequence[Debt]) -> list[Held]:
    return [desk.held.get((TITULO, debt.titulo_id), Held()) for debt in debts]


def _uncharged_sheet(desk: _Desk) -> Sheet:
    queue = desk.queue
    uncharged = (debt for debt in queue.titulos if not debt.tem_cobranca and not debt.suspeito)
    debts, rest = desk.choose(sorted(uncharged, key=lambda debt: (-debt.valor, debt.titulo_id)))
    parts = {
        **take(
            SEM_COBRANCA, debts, "pessoa", "documento", "descricao", "data_vencimento", "dias_de_mora", "valor",
            pessoa=lambda debt: queue.nomes.get(debt.pessoa_id, ""), motivo=_explain_uncharged,
        ),
        **_show_contacts(desk, SEM_COBRANCA, [(debt.pessoa_id, debt.etapa, (debt,)) for debt in debts]),
        "anotacao": _ask(desk, SEM_COBRANCA, TITULO, _hold(desk, debts))["anotacao"],
        **take(SEM_COBRANCA, debts, "titulo_id"),
    }  # fmt: skip
    return make_sheet("Sem cobrança", (make_table(SEM_COBRANCA, parts, rest=rest),))


def _explain_uncharged(debt: Debt) -> str:
    if debt.pessoa_id == SEM_PESSOA:
        return "sem pessoa no lançamento: não há de quem cobrar"
    return "nunca emitida" if debt.cancelada is None else f"cancelada em {format_date(debt.cancelada)}"


def _differences_sheet(desk: _Desk) -> Sheet:
    names, order = desk.queue.nomes, list(ACTIONS)
    rows = sorted(desk.queue.divergencias, key=lambda row: (order.index(row["tipo"]), row["cobranca_id"]))
    parts = take(
        DIVERGENCIAS, rows,
        tipo=itemgetter("tipo"),
        pessoa=lambda row: names.get(row["pessoa_id"] or SEM_PESSOA, ""),
        o_que_fazer=lambda row: ACTIONS[row["tipo"]],
        valor=itemgetter("valor_centavos"),
        diferenca=itemgetter("diferenca_centavos"),
        lancamentos=lambda row: ", ".join(map(str, row["lancamentos"])),
        cobranca=_link_charge,
    )  # fmt: skip
    return make_sheet("Divergências", (make_table(DIVERGENCIAS, parts),))


def _link_charge(row: Mapping[str, Any]) -> Value:
    number, link = str(row["cobranca_id"]), row["link_publico"]
    return Link(number, url=link) if link else number


def _instructions_sheet(desk: _Desk) -> Sheet:
    etapas = desk.queue.etapas
    weights = " · ".join(f"{name} = {place}" for place, name in enumerate(etapas) if name)
    texts = {name: " ".join(choose_text(name, desk.empresa.textos_cobranca).split()) for name in etapas if name}
    letters = "\n".join(f"{name}: {text}" for name, text in texts.items())
    return make_instructions("instrucoes.md", {"<pesos>": weights, "<textos>": letters})
