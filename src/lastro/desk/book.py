"""The sheets of `cobranca`: queue, títulos, what has no charge, what differs, promises, history, instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib import resources
from typing import Final

from lastro.analysis.charges import ACTIONS
from lastro.desk.history import history_sheet, is_in_force, promises_sheet
from lastro.desk.notes import Held, fold_notes
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
from lastro.desk.texts import choose_text, fill_text, find_email, find_phone, link_email, link_phone, link_whatsapp
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.desk import (
    BLANK,
    FIELDS,
    PESSOA,
    TITULO,
    DeskBook,
    DeskColumn,
    DeskSheet,
    DeskTable,
    Key,
    Note,
    read_value,
)
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import Stamp
from lastro.money import format_brl, to_decimal
from lastro.settings import DAR_BAIXA

RESULTADOS: Final = (
    "Não atendeu", "Prometeu", "Contesta", "Pagou (conferir)", "Sem contato", "Negociado", "Jurídico",
)  # fmt: skip
SEM_EMAIL, SEM_TELEFONE = "sem e-mail", "sem telefone"
_WIDTHS: Final = {"resultado": 18, "promessa": 12, "valor_prometido": 15, "proximo_contato": 12, "responsavel": 16}


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

    def noted(self, key: Key, debts: Sequence[Debt]) -> tuple[dict[str, str], date | None]:
        """What holds for a row: the notes about a debt that is still there, and the last contact."""
        held = self.held.get(key)
        if held is None or held.contato is None or not is_in_force(held.contato.date(), debts):
            return dict(BLANK), None
        return held.valores, held.contato.date()


def build_desk(
    queue: Queue, notes: Sequence[Note], texts: Texts, stamp: Stamp, arquivo_id: str, unread: Sequence[str] = ()
) -> DeskBook:
    """Build the workbook.

    Args:
        queue: the desk of D before any note.
        notes: every note of the company.
        texts: what the settings say.
        stamp: of the run.
        arquivo_id: of the new file.
        unread: files that could not be read, and why: printed first.
    """
    held, lost = fold_notes(notes)
    promises = find_promises(notes, queue)
    desk = _Desk(queue, texts, held, {promise.key: promise for promise in promises})
    customers = sorted(queue.clientes, key=lambda one: _place(desk, one))
    sheets = (
        _queue_sheet(desk, customers),
        _titles_sheet(desk),
        _uncharged_sheet(desk),
        _differences_sheet(desk),
        promises_sheet(promises, queue),
        history_sheet(notes, lost, promises, queue, unread),
        _instructions_sheet(desk),
    )
    return DeskBook(stamp, arquivo_id, sheets, tuple(unread))


def _place(desk: _Desk, customer: Customer) -> tuple[int, int, int, int]:
    """Order the queue: promises broken, the rest, promises not yet due, what only has to be written off."""
    promise = desk.promises.get((PESSOA, customer.pessoa_id))
    noted, _ = desk.noted((PESSOA, customer.pessoa_id), customer.debts)
    live = promise is not None and noted["promessa"] == promise.dia.isoformat()
    group = 1
    if desk.queue.etapas[customer.etapa] == DAR_BAIXA:
        group = 3
    elif live and promise is not None and promise.estado in BROKEN:
        group = 0
    elif live and promise is not None and promise.estado == ABERTA:
        group = 2
    return group, -score(customer, desk.queue.etapas), -customer.efetivo, customer.pessoa_id


def _input_columns(desk: _Desk) -> tuple[DeskColumn, ...]:
    choices = {"resultado": RESULTADOS, "responsavel": desk.texts.responsaveis}
    return tuple(
        DeskColumn(each.header, each.kind, _WIDTHS.get(each.name, 40), each.name, choices.get(each.name, ()))
        for each in FIELDS
    )


def _input_cells(values: Mapping[str, str]) -> tuple[Value, ...]:
    return tuple(read_value(values[each.name], each.kind) for each in FIELDS)


def _contact_columns() -> tuple[DeskColumn, ...]:
    return (
        DeskColumn("Telefone", Kind.LINK, 18, warn=SEM_TELEFONE),
        DeskColumn("WhatsApp", Kind.LINK, 11),
        DeskColumn("E-mail", Kind.LINK, 28, warn=SEM_EMAIL),
    )


def _contact_cells(telefone: str, email: str, text: str, subject: str) -> tuple[Value, ...]:
    number, address = find_phone(telefone), find_email(email)
    return (
        Link(telefone, url=link_phone(number)) if number else telefone or SEM_TELEFONE,
        Link("abrir »", url=link_whatsapp(number, text)) if number else None,
        Link(address, url=link_email(address, subject, text)) if address else SEM_EMAIL,
    )


def _write_letter(desk: _Desk, pessoa_id: int, etapa: int, debts: Sequence[Debt]) -> str:
    """Fill the text of a stage in, for a person by the name it was registered with."""
    oldest = min((debt.vencimento for debt in debts if debt.vencimento), default=None)
    link = next((debt.link for debt in sorted(debts, key=lambda debt: -debt.dias_mora) if debt.link), "")
    values = {
        "cliente": desk.queue.chamados.get(pessoa_id) or desk.queue.nomes.get(pessoa_id, ""),
        "empresa": desk.texts.empresa,
        "valor": format_brl(to_decimal(sum(debt.valor for debt in debts))),
        "titulos": count_text(len(debts), "título", "títulos"),
        "atraso": str(max((debt.dias_mora for debt in debts), default=0)),
        "vencimento": "" if oldest is None else format_date(oldest),
        "link": link,
    }
    return fill_text(choose_text(desk.queue.etapas[etapa], desk.texts.textos), values)


def _queue_sheet(desk: _Desk, customers: Sequence[Customer]) -> DeskSheet:
    queue = desk.queue
    columns = (
        DeskColumn("Prioridade", Kind.INTEGER, 9),
        DeskColumn("Cliente", Kind.TEXT, 30),
        *_contact_columns(),
        DeskColumn("Vencido efetivo", Kind.MONEY, 15),
        DeskColumn("Com encargos est.", Kind.MONEY, 15),
        DeskColumn("Títulos", Kind.LINK, 8),
        DeskColumn("Maior atraso", Kind.INTEGER, 8),
        DeskColumn("Etapa", Kind.TEXT, 18),
        DeskColumn("Cobrança", Kind.TEXT, 30),
        DeskColumn("Link de pagamento", Kind.LINK, 12),
        DeskColumn("Costuma pagar em", Kind.INTEGER, 10),
        DeskColumn("Último contato", Kind.DATE, 12),
        *_input_columns(desk),
        DeskColumn("Pontos", Kind.INTEGER, 9),
        DeskColumn("pessoa_id", Kind.INTEGER, 10),
    )
    rows = []
    for place, one in enumerate(customers, 1):
        noted, contact = desk.noted((PESSOA, one.pessoa_id), one.debts)
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
                Link(str(len(one.debts)), sheet="Títulos", key=str(oldest.titulo_id)),
                max(debt.dias_mora for debt in one.debts),
                queue.etapas[one.etapa],
                describe_charges(one.debts),
                Link("pagar »", url=link) if link else None,
                one.habito,
                contact,
                *_input_cells(noted),
                score(one, queue.etapas),
                one.pessoa_id,
            )
        )
    table = DeskTable(
        "tbl_fila",
        columns,
        tuple(rows),
        "Fila: um cliente com vencido ou vencendo hoje por linha",
        "pessoa_id",
        tuple(one.nome for one in customers),
    )
    return DeskSheet("Fila", (table,), "C62828", counter=True)


def _titles_sheet(desk: _Desk) -> DeskSheet:
    columns = (
        DeskColumn("Cliente", Kind.TEXT, 30),
        DeskColumn("Documento", Kind.TEXT, 14),
        DeskColumn("Descrição", Kind.TEXT, 30),
        DeskColumn("Parcela", Kind.TEXT, 8),
        DeskColumn("Vencimento", Kind.DATE, 12),
        DeskColumn("Data efetiva", Kind.DATE, 12),
        DeskColumn("Dias de mora", Kind.INTEGER, 8),
        DeskColumn("Valor", Kind.MONEY, 14),
        DeskColumn("Multa est.", Kind.MONEY, 12),
        DeskColumn("Juros est.", Kind.MONEY, 12),
        DeskColumn("Atualizado est.", Kind.MONEY, 14),
        DeskColumn("Situação", Kind.TEXT, 13),
        DeskColumn("Etapa", Kind.TEXT, 18),
        DeskColumn("Cobrança", Kind.TEXT, 14),
        DeskColumn("Link de pagamento", Kind.LINK, 12),
        DeskColumn("2ª via", Kind.TEXT, 7),
        *_input_columns(desk),
        DeskColumn("titulo_id", Kind.INTEGER, 10),
    )
    rows = []
    for debt in desk.queue.titulos:
        held = desk.held.get((TITULO, debt.titulo_id))
        rows.append(
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
                *_input_cells(BLANK if held is None else held.valores),
                debt.titulo_id,
            )
        )
    table = DeskTable(
        "tbl_titulos_cobranca",
        columns,
        tuple(rows),
        "Títulos vencidos, vencendo hoje e nos próximos 7 dias",
        "titulo_id",
        tuple(desk.queue.rotulos.get(debt.titulo_id, "") for debt in desk.queue.titulos),
    )
    return DeskSheet("Títulos", (table,))


def _uncharged_sheet(desk: _Desk) -> DeskSheet:
    columns = (
        DeskColumn("Cliente", Kind.TEXT, 30),
        DeskColumn("Documento", Kind.TEXT, 14),
        DeskColumn("Descrição", Kind.TEXT, 30),
        DeskColumn("Vencimento", Kind.DATE, 12),
        DeskColumn("Dias de mora", Kind.INTEGER, 8),
        DeskColumn("Valor", Kind.MONEY, 14),
        DeskColumn("Motivo", Kind.TEXT, 34),
        *_contact_columns(),
        *(column for column in _input_columns(desk) if column.field == "anotacao"),
        DeskColumn("titulo_id", Kind.INTEGER, 10),
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
                held.valores["anotacao"] if (held := desk.held.get((TITULO, debt.titulo_id))) else None,
                debt.titulo_id,
            )
        )
    title = "Sem cobrança: vencidos e a vencer em 7 dias que ninguém está pedindo, do maior ao menor"
    labels = tuple(desk.queue.rotulos.get(debt.titulo_id, "") for debt in chosen)
    table = DeskTable("tbl_sem_cobranca", columns, tuple(rows), title, "titulo_id", labels)
    return DeskSheet("Sem cobrança", (table,))


def _explain_uncharged(debt: Debt) -> str:
    if debt.pessoa_id == SEM_PESSOA:
        return "sem pessoa no lançamento: não há de quem cobrar"
    return "nunca emitida" if debt.cancelada is None else f"cancelada em {format_date(debt.cancelada)}"


def _differences_sheet(desk: _Desk) -> DeskSheet:
    columns = (
        DeskColumn("Tipo", Kind.TEXT, 7),
        DeskColumn("Cliente", Kind.TEXT, 30),
        DeskColumn("O que fazer", Kind.TEXT, 60),
        DeskColumn("Valor", Kind.MONEY, 14),
        DeskColumn("Diferença", Kind.MONEY, 14),
        DeskColumn("Lançamentos", Kind.TEXT, 18),
        DeskColumn("Cobrança", Kind.LINK, 12),
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
                None if difference is None else to_decimal(difference),
                ", ".join(map(str, found["lancamentos"])),
                Link(number, url=url) if url else number,
            )
        )
    title = "Divergências entre cobranças e lançamentos, a mais urgente primeiro (R11 g)"
    return DeskSheet("Divergências", (DeskTable("tbl_divergencias", columns, tuple(rows), title),))


def _instructions_sheet(desk: _Desk) -> DeskSheet:
    etapas = desk.queue.etapas
    weights = " · ".join(f"{name} = {place}" for place, name in enumerate(etapas) if name)
    texts = {name: " ".join(choose_text(name, desk.texts.textos).split()) for name in etapas if name}
    letters = "\n".join(f"{name}: {text}" for name, text in texts.items())
    text = resources.files("lastro.desk").joinpath("instrucoes.md").read_text(encoding="utf-8")
    text = text.replace("<pesos>", weights).replace("<textos>", letters)
    lines = tuple((line.removeprefix("# "), line.startswith("# ")) for line in text.splitlines() if line)
    return DeskSheet("Instruções", (), "424242", lines)
