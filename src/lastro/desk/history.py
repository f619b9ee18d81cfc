"""What was typed and what became of it: the sheets Histórico (with orphans and unread files) and Promessas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.model import Desk, Note, is_understood, read_typed, read_value
from lastro.desk.notes import WHOSE
from lastro.desk.promises import ABERTA, CUMPRIDA, ENDED, Promise
from lastro.desk.queue import Debt, Queue
from lastro.desk.sheets import make_column, make_sheet, make_table
from lastro.grid.cells import Kind, Value
from lastro.grid.model import Report
from lastro.grid.words import format_date
from lastro.money import format_amount, to_decimal

_FIELD_WIDTHS: Final = {"anotacao": 40, "resultado": 16}


def is_in_force(day: date, debts: Sequence[Debt]) -> bool:
    """Tell whether a note about a customer still speaks of what is owed: something that was due then is still open."""
    return any(debt.vencimento is not None and debt.vencimento <= day for debt in debts)


def history_sheet(
    notes: Sequence[Note],
    lost: Mapping[int, str],
    promises: Sequence[Promise],
    queue: Queue,
    unread: Sequence[str],
) -> Report:
    """Build Histórico: every note, newest first; notes without a key that exists; files that could not be read.

    Args:
        notes: every note of the company.
        lost: place of a note -> the file that won over it.
        promises: what became of promises.
        queue: the desk of D.
        unread: files that could not be read, and why.
    """
    states = {(promise.key, promise.dia): promise for promise in promises}
    newest = sorted(range(len(notes)), key=lambda place: (notes[place].quando, place), reverse=True)
    orphans = [place for place in newest if _is_orphan(notes[place], queue)]
    known = [place for place in newest if place not in set(orphans)]
    rows = [_note_cells(notes[place], lost.get(place), states, queue) for place in known]
    tables = [
        make_table("tbl_historico", _COLUMNS, rows, "Histórico: uma anotação por linha, a mais nova primeiro"),
        make_table(
            "tbl_orfas",
            _ORPHAN_COLUMNS,
            tuple(_orphan_cells(notes[place]) for place in orphans),
            "Órfãs: anotações em linhas sem chave, ou com chave que não existe. Copie o que valer para a linha certa",
        ),
        make_table(
            "tbl_nao_lidos",
            (make_column("Arquivo não lido", Kind.TEXT, 16),),
            tuple((text,) for text in unread),
            "Arquivos que não puderam ser lidos agora: serão tentados de novo a cada execução",
        ),
    ]
    return make_sheet("Histórico", tables, "9E9E9E")


_COLUMNS: Final = (
    make_column("Salvo em", Kind.TIMESTAMP, 16),
    make_column("Situação", Kind.TEXT, 30),
    make_column("Cliente ou título", Kind.TEXT, 34),
    *(make_column(each.header, each.kind, _FIELD_WIDTHS.get(each.name, 13)) for each in COBRANCA.fields),
    make_column("Mudou", Kind.TEXT, 26),
    make_column("Recebido depois", Kind.MONEY, 14),
    make_column("Outras colunas", Kind.TEXT, 24),
    make_column("Arquivo", Kind.TEXT, 30),
    make_column("Tipo", Kind.TEXT, 9),
    make_column("Id", Kind.INTEGER, 9),
)
_ORPHAN_COLUMNS: Final = (
    make_column("Salvo em", Kind.TIMESTAMP, 16),
    make_column("Motivo", Kind.TEXT, 30),
    make_column("Linha como estava", Kind.TEXT, 34),
    *_COLUMNS[3:9],
    make_column("Outras colunas", Kind.TEXT, 26),
    make_column("Arquivo", Kind.TEXT, 14),
)


def _is_orphan(note: Note, queue: Queue) -> bool:
    if note.key is None:
        return True
    kind, number = note.key
    return number not in (queue.nomes if kind == PESSOA else queue.rotulos)


def _note_cells(
    note: Note, winner: str | None, states: Mapping[tuple[tuple[str, int], date], Promise], queue: Queue
) -> tuple[Value, ...]:
    kind, number = note.tipo, note.chave or 0
    promised = read_value(note.valores.get("promessa", ""), Kind.DATE)
    promise = states.get(((kind, number), promised)) if isinstance(promised, date) else None
    label = queue.nomes.get(number) if kind == PESSOA else queue.rotulos.get(number)
    headers = {each.name: each.header for each in COBRANCA.fields}
    cells = {each.name: read_typed(note.valores, each) for each in COBRANCA.fields}
    if promise is not None and promise.tudo:
        cells["valor_prometido"] = f"(tudo) {format_amount(to_decimal(promise.valor or 0))}"
    return (
        note.quando,
        _describe_state(note, winner, promise, queue),
        label or note.rotulo,
        *cells.values(),
        ", ".join(headers[name] for name in note.antes),
        None if promise is None else to_decimal(promise.recebido),
        "; ".join(f"{name}: {text}" for name, text in note.extras.items()),
        note.arquivo,
        COBRANCA.kind(kind).word,
        number,
    )


def list_misunderstood(desk: Desk, note: Note) -> tuple[str, ...]:
    """Say which cells of a note hold a text that should be a day, an amount or a number and is none (S18)."""
    said = {Kind.DATE: "não entendi a data", Kind.MONEY: "não entendi o valor", Kind.INTEGER: "não entendi o número"}
    return tuple(
        f"{said[each.kind]} «{note.valores[each.name]}»"
        for each in desk.kind(note.tipo).fields
        if not is_understood(note.valores, each)
    )


def _describe_state(note: Note, winner: str | None, promise: Promise | None, queue: Queue) -> str:
    parts = list(list_misunderstood(COBRANCA, note))
    if winner is not None:
        parts.append(f"perdeu para {winner}")
    if note.tipo == TITULO:
        paid = queue.recebido_titulo.get(note.chave or 0)
        if paid is not None:
            parts.append(f"pago em {format_date(paid[0])}")
    elif not any(
        client.pessoa_id == note.chave and is_in_force(note.quando.date(), client.debts) for client in queue.clientes
    ):
        parts.append("nada do que se cobrava está vencido")
    if promise is not None:
        parts.append(f"promessa {promise.estado}")
    return " · ".join(parts) or "vale"


def _orphan_cells(note: Note) -> tuple[Value, ...]:
    why = f"{note.tipo}_id {note.chave} não existe"
    if note.key is None:
        why = WHOSE if note.rotulo.startswith(WHOSE) else "linha sem chave"
    return (
        note.quando,
        why,
        note.rotulo,
        *(read_typed(note.valores, each) for each in COBRANCA.fields),
        "; ".join(f"{name}: {text}" for name, text in note.extras.items()),
        note.arquivo,
    )


def promises_sheet(promises: Sequence[Promise], queue: Queue) -> Report:
    """Build Promessas: promised against received, by the day promised; what was renegotiated counts on its new day.

    A promise without an amount counts as all that it means (`Promise.valor`), one whose amount was not understood as 0.
    """
    columns = (
        make_column("Dia prometido", Kind.DATE, 14),
        make_column("Promessas", Kind.INTEGER, 11),
        make_column("Prometido", Kind.MONEY, 16),
        make_column("Recebido", Kind.MONEY, 16),
        make_column("Falta", Kind.MONEY, 16),
        make_column("Cumpridas", Kind.INTEGER, 11),
        make_column("Quebradas", Kind.INTEGER, 11),
        make_column("Situação", Kind.TEXT, 16),
    )
    days: dict[date, list[Promise]] = {}
    for promise in promises:
        if promise.estado not in ENDED:
            days.setdefault(promise.dia, []).append(promise)
    rows = []
    for day, own in sorted(days.items()):
        promised = sum(one.valor or 0 for one in own)
        # What came beyond a promise belongs to no other one.
        received = sum(min(one.recebido, one.valor or 0) for one in own)
        missing = sum(max((one.valor or 0) - one.recebido, 0) for one in own)
        kept = sum(one.estado == CUMPRIDA for one in own)
        open_ones = sum(one.estado == ABERTA for one in own)
        broken = len(own) - kept - open_ones
        state = "a vencer" if day > queue.data_base else "hoje" if day == queue.data_base else "vencida"
        rows.append(
            (day, len(own), to_decimal(promised), to_decimal(received), to_decimal(missing), kept, broken, state)
        )
    title = "Prometido x recebido, por dia prometido"
    return make_sheet("Promessas", (make_table("tbl_promessas", columns, tuple(rows), title),), "2E7D32")
