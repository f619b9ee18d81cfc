"""The sheets of `cobranca`: Fila, Títulos, Sem cobrança, Divergências, Promessas, Histórico, Instruções."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lastro.analysis.charges import ACTIONS
from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.history import history_sheet
from lastro.desk.memory import DeskMemory
from lastro.desk.model import Key, Note, read_typed
from lastro.desk.notes import Held, fold_notes
from lastro.desk.promised import Collected, is_in_force, promises_sheet
from lastro.desk.promises import ABERTA, BROKEN, Promise, find_promises
from lastro.desk.queue import (
    SEM_PESSOA,
    Customer,
    Debt,
    Queue,
    describe_charges,
    rank_action,
    score,
)
from lastro.desk.sheets import count_inputs, make_column, make_input_columns, make_instructions, make_sheet, make_table
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
from lastro.grid.model import Column, Sheet
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import Stamp, Workbook
from lastro.money import decimal_or_none, format_brl, to_decimal
from lastro.settings import DAR_BAIXA

RESULTADOS: Final = (
    "Não atendeu", "Prometeu", "Contesta", "Pagou (conferir)", "Sem contato", "Negociado", "Jurídico",
)  # fmt: skip
SEM_EMAIL, SEM_TELEFONE = "sem e-mail", "sem telefone"
MAX_SLIPS: Final = 5
"""Links that one text carries."""


@dataclass(frozen=True)
class Texts:
    """What the settings say of the desk.

    Attributes:
        empresa: name that signs the texts.
        textos: stage -> text.
        responsaveis: who may be responsible.
    """

    empresa: str
    textos: Mapping[str, str] = field(default_factory=dict)
    responsaveis: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Desk:
    queue: Queue
    texts: Texts
    held: Mapping[Key, Held]
    promises: Mapping[Key, Promise]
    memory: DeskMemory

    def noted(self, customer: Customer) -> Held:
        """What holds for a customer: the notes about a debt that is still there."""
        held = self.held.get((PESSOA, customer.pessoa_id), Held())
        live = held.contato is not None and is_in_force(held.contato.date(), customer.debts)
        return held if live else Held()


def build_desk(
    queue: Queue, notes: Sequence[Note], texts: Texts, stamp: Stamp, arquivo_id: str, unread: Sequence[str] = ()
) -> Workbook:
    """Build the workbook.

    Args:
        queue: the desk of D before any note.
        notes: every note of the company.
        texts: what the settings say.
        stamp: of the run.
        arquivo_id: of the new file.
        unread: files that could not be read, and why: printed first.
    """
    held, lost = fold_notes(COBRANCA, notes)
    promises = find_promises(notes, queue)
    memory = DeskMemory(COBRANCA, arquivo_id)
    desk = _Desk(queue, texts, held, {promise.key: promise for promise in promises}, memory)
    customers = sorted(queue.clientes, key=lambda one: _place(desk, one))
    sheets = (
        _queue_sheet(desk, customers),
        _titles_sheet(desk),
        _uncharged_sheet(desk),
        _differences_sheet(desk),
        promises_sheet(promises, queue),
        history_sheet(COBRANCA, notes, lost, Collected(promises, queue), unread),
        _instructions_sheet(desk),
    )
    for sheet in sheets:
        if len(sheet.sections) == 1 and not sheet.sections[0].anchors:
            memory.keep(sheet.name, sheet.sections[0])
    notice = f"ATENÇÃO: {len(unread)} arquivo(s) não lido(s); veja o fim de Histórico." if unread else ""
    return Workbook(COBRANCA.name, stamp, (*sheets, memory.build()), personal=True, notice=notice)


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


def _input_columns(desk: _Desk, kind: str) -> tuple[Column, ...]:
    choices = {"resultado": RESULTADOS, "responsavel": desk.texts.responsaveis}
    return make_input_columns(desk.memory, COBRANCA.kind(kind).fields, desk.queue.data_base, choices)


def _input_cells(desk: _Desk, kind: str, held: Held) -> tuple[Value, ...]:
    """Give the result of an earlier day, and what stands in the cells to type into: of results only those of D."""
    cells = {each.name: read_typed(held.valores, each) for each in COBRANCA.kind(kind).fields}
    earlier = None
    if (typed := held.mudou.get("resultado")) is not None and typed.date() != desk.queue.data_base:
        earlier, cells["resultado"] = cells["resultado"], None
    return (earlier, *cells.values())


def _contact_columns() -> tuple[Column, ...]:
    return (
        make_column("Telefone", Kind.LINK, 18),
        make_column("WhatsApp", Kind.LINK, 11),
        make_column("E-mail", Kind.LINK, 28),
    )


def _contact_cells(telefone: str, email: str, text: str, subject: str) -> tuple[Value | Cell, ...]:
    number, address = find_phone(telefone), find_email(email)
    return (
        Link(telefone, url=link_phone(number)) if number else telefone or Cell(SEM_TELEFONE, Kind.TEXT, "ruim"),
        Link("abrir »", url=link_whatsapp(number, text)) if is_mobile(number) else None,
        Link(address, url=link_email(address, subject, text)) if address else Cell(SEM_EMAIL, Kind.TEXT, "ruim"),
    )


def _write_letter(desk: _Desk, pessoa_id: int, etapa: int, debts: Sequence[Debt]) -> str:
    """Fill the text of a stage in, for a person by the name it was registered with."""
    oldest = min((debt.vencimento for debt in debts if debt.vencimento), default=None)
    values = {
        "cliente": desk.queue.chamados.get(pessoa_id) or desk.queue.nomes.get(pessoa_id, ""),
        "empresa": desk.texts.empresa,
        "valor": format_brl(to_decimal(sum(debt.valor for debt in debts))),
        "titulos": count_text(len(debts), "título", "títulos"),
        "atraso": str(max((debt.dias_mora for debt in debts), default=0)),
        "vencimento": "" if oldest is None else format_date(oldest),
        "link": write_slip_links(debts),
    }
    return fill_text(choose_text(desk.queue.etapas[etapa], desk.texts.textos), values)


def write_slip_links(debts: Sequence[Debt]) -> str:
    """Write the links of the títulos that have one, the oldest first; where the text asks for several, whose each is.

    Only so many as an address that opens a conversation has room for; the rest are counted.
    """
    found = [debt for debt in sorted(debts, key=lambda debt: (-debt.dias_mora, debt.titulo_id)) if debt.link]
    if not found or len(debts) == 1:
        return found[0].link if found else ""
    lines = [_name_link(debt) for debt in found[:MAX_SLIPS]]
    if len(found) > MAX_SLIPS:
        lines.append(f"e mais {count_text(len(found) - MAX_SLIPS, 'link', 'links')}: peça-nos")
    return "\n".join(lines)


def _name_link(debt: Debt) -> str:
    due = "" if debt.vencimento is None else f" de {format_date(debt.vencimento)}"
    return f"Link do título{due}, {format_brl(to_decimal(debt.valor))}: {debt.link}"


def _queue_sheet(desk: _Desk, customers: Sequence[Customer]) -> Sheet:
    queue = desk.queue
    columns = (
        make_column("Prioridade", Kind.INTEGER, 9),
        make_column("Cliente", Kind.TEXT, 30),
        *_contact_columns(),
        make_column("Vencido efetivo", Kind.MONEY, 15),
        make_column("Com encargos est.", Kind.MONEY, 15),
        make_column("Títulos", Kind.INTEGER, 8),
        make_column("Maior atraso", Kind.INTEGER, 8),
        make_column("Etapa", Kind.TEXT, 18),
        make_column("Cobrança", Kind.TEXT, 30),
        make_column("Link de pagamento", Kind.LINK, 12),
        make_column("Costuma pagar em", Kind.INTEGER, 10),
        make_column("Último contato", Kind.DATE, 12),
        make_column("Último resultado", Kind.TEXT, 16),
        *_input_columns(desk, PESSOA),
        make_column("Pontos", Kind.INTEGER, 9),
        make_column("pessoa_id", Kind.INTEGER, 10),
    )
    rows = []
    for place, one in enumerate(customers, 1):
        noted = desk.noted(one)
        letter = _write_letter(desk, one.pessoa_id, one.etapa, one.debts)
        oldest = max(one.debts, key=lambda debt: (debt.dias_mora, debt.valor))
        link = next((debt.link for debt in sorted(one.debts, key=lambda debt: -debt.dias_mora) if debt.link), "")
        rows.append(
            (
                place,
                one.nome,
                *_contact_cells(one.telefone, one.email, letter, f"{desk.texts.empresa}: valores em aberto"),
                to_decimal(one.efetivo),
                to_decimal(one.efetivo + one.encargos),
                Link(len(one.debts), sheet="Títulos", key=row_key("titulo_id", oldest.titulo_id)),
                max(debt.dias_mora for debt in one.debts),
                queue.etapas[one.etapa],
                describe_charges(one.debts),
                Link("pagar »", url=link) if link else None,
                one.habito,
                None if noted.contato is None else noted.contato.date(),
                *_input_cells(desk, PESSOA, noted),
                score(one, queue.etapas),
                one.pessoa_id,
            )
        )
    table = make_table(
        "tbl_fila",
        columns,
        rows,
        "Fila: um cliente com vencido ou vencendo hoje por linha",
        "pessoa_id",
    )
    desk.memory.keep("Fila", table, [one.nome for one in customers])
    sheet = make_sheet("Fila", (table,), "C62828")
    return replace(sheet, setup=replace(sheet.setup, counters=count_inputs(table)))


def _titles_sheet(desk: _Desk) -> Sheet:
    columns = (
        make_column("Cliente", Kind.TEXT, 30),
        make_column("Documento", Kind.TEXT, 14),
        make_column("Descrição", Kind.TEXT, 30),
        make_column("Parcela", Kind.TEXT, 8),
        make_column("Vencimento", Kind.DATE, 12),
        make_column("Data efetiva", Kind.DATE, 12),
        make_column("Dias de mora", Kind.INTEGER, 8),
        make_column("Valor", Kind.MONEY, 14),
        make_column("Multa est.", Kind.MONEY, 12),
        make_column("Juros est.", Kind.MONEY, 12),
        make_column("Atualizado est.", Kind.MONEY, 14),
        make_column("Situação", Kind.TEXT, 13),
        make_column("Etapa", Kind.TEXT, 18),
        make_column("Cobrança", Kind.TEXT, 14),
        make_column("Link de pagamento", Kind.LINK, 12),
        make_column("2ª via", Kind.TEXT, 7),
        make_column("Último resultado", Kind.TEXT, 16),
        *_input_columns(desk, TITULO),
        make_column("titulo_id", Kind.INTEGER, 10),
    )
    rows = [
        (
            desk.queue.nomes.get(debt.pessoa_id, ""),
            debt.documento,
            debt.descricao,
            debt.parcela,
            debt.vencimento,
            debt.data_efetiva,
            debt.dias_mora,
            to_decimal(debt.valor),
            to_decimal(debt.multa),
            to_decimal(debt.juros),
            to_decimal(debt.valor + debt.multa + debt.juros),
            debt.situacao,
            desk.queue.etapas[debt.etapa],
            debt.cobranca,
            Link("pagar »", url=debt.link) if debt.link else None,
            "Sim" if debt.segunda_via else "Não" if debt.tem_cobranca else None,
            *_input_cells(desk, TITULO, desk.held.get((TITULO, debt.titulo_id), Held())),
            debt.titulo_id,
        )
        for debt in desk.queue.titulos
    ]
    table = make_table(
        "tbl_titulos_cobranca",
        columns,
        rows,
        "Títulos vencidos, vencendo hoje e nos próximos 7 dias",
        "titulo_id",
    )
    desk.memory.keep("Títulos", table, [desk.queue.rotulos.get(debt.titulo_id, "") for debt in desk.queue.titulos])
    return make_sheet("Títulos", (table,))


def _uncharged_sheet(desk: _Desk) -> Sheet:
    columns = (
        make_column("Cliente", Kind.TEXT, 30),
        make_column("Documento", Kind.TEXT, 14),
        make_column("Descrição", Kind.TEXT, 30),
        make_column("Vencimento", Kind.DATE, 12),
        make_column("Dias de mora", Kind.INTEGER, 8),
        make_column("Valor", Kind.MONEY, 14),
        make_column("Motivo", Kind.TEXT, 34),
        *_contact_columns(),
        *(column for column in _input_columns(desk, TITULO) if column.input and column.input.name == "anotacao"),
        make_column("titulo_id", Kind.INTEGER, 10),
    )
    chosen = sorted(
        (debt for debt in desk.queue.titulos if not debt.tem_cobranca), key=lambda debt: (-debt.valor, debt.titulo_id)
    )
    rows = []
    for debt in chosen:
        nome = desk.queue.nomes.get(debt.pessoa_id, "")
        contact = desk.queue.contatos.get(debt.pessoa_id, ("", ""))
        letter = _write_letter(desk, debt.pessoa_id, debt.etapa, (debt,))
        rows.append(
            (
                nome,
                debt.documento,
                debt.descricao,
                debt.vencimento,
                debt.dias_mora,
                to_decimal(debt.valor),
                _explain_uncharged(debt),
                *_contact_cells(*contact, letter, f"{desk.texts.empresa}: valores em aberto"),
                held.valores.get("anotacao") if (held := desk.held.get((TITULO, debt.titulo_id))) else None,
                debt.titulo_id,
            )
        )
    title = "Sem cobrança: vencidos e a vencer em 7 dias que ninguém está pedindo, do maior ao menor"
    table = make_table("tbl_sem_cobranca", columns, rows, title, "titulo_id")
    desk.memory.keep("Sem cobrança", table, [desk.queue.rotulos.get(debt.titulo_id, "") for debt in chosen])
    return make_sheet("Sem cobrança", (table,))


def _explain_uncharged(debt: Debt) -> str:
    if debt.pessoa_id == SEM_PESSOA:
        return "sem pessoa no lançamento: não há de quem cobrar"
    return "nunca emitida" if debt.cancelada is None else f"cancelada em {format_date(debt.cancelada)}"


def _differences_sheet(desk: _Desk) -> Sheet:
    columns = (
        make_column("Tipo", Kind.TEXT, 7),
        make_column("Cliente", Kind.TEXT, 30),
        make_column("O que fazer", Kind.TEXT, 60),
        make_column("Valor", Kind.MONEY, 14),
        make_column("Diferença", Kind.MONEY, 14),
        make_column("Lançamentos", Kind.TEXT, 18),
        make_column("Cobrança", Kind.LINK, 12),
    )
    rows = []
    for found in sorted(desk.queue.divergencias, key=lambda row: (rank_action(row["tipo"]), row["cobranca_id"])):
        number, url = str(found["cobranca_id"]), found["link_publico"]
        difference = found["diferenca_centavos"]
        rows.append(
            (
                found["tipo"],
                desk.queue.nomes.get(found["cliente_id"] or SEM_PESSOA, ""),
                ACTIONS[found["tipo"]],
                to_decimal(found["valor_centavos"]),
                decimal_or_none(difference),
                ", ".join(map(str, found["lancamentos"])),
                Link(number, url=url) if url else number,
            )
        )
    title = "Divergências entre cobranças e lançamentos, a mais urgente primeiro (R11 g)"
    return make_sheet("Divergências", (make_table("tbl_divergencias", columns, rows, title),))


def _instructions_sheet(desk: _Desk) -> Sheet:
    etapas = desk.queue.etapas
    weights = " · ".join(f"{name} = {place}" for place, name in enumerate(etapas) if name)
    texts = {name: " ".join(choose_text(name, desk.texts.textos).split()) for name in etapas if name}
    letters = "\n".join(f"{name}: {text}" for name, text in texts.items())
    return make_instructions("instrucoes.md", {"<pesos>": weights, "<textos>": letters})
