"""The closing of a month in a run: when it is written, its file name, changes after it (S25)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.calendar import add_months, local_time, month_end
from lastro.catalogue import Catalogue
from lastro.closing.comments import find_next_steps, read_comment
from lastro.closing.content import Change, Closing
from lastro.closing.figures import ClosedMonth, MonthFigures, find_changes, find_last_closed
from lastro.closing.sheets import build_sheets
from lastro.closing.storage import (
    Edition,
    forget_unpublished,
    keep_edition,
    list_changed_entries,
    list_editions,
    read_own,
    read_values,
)
from lastro.errors import ConfigError
from lastro.export.xlsx import render_workbook
from lastro.files import digest_file
from lastro.grid.pivot import list_rows
from lastro.grid.verdict import Finding, Trust, Verification
from lastro.grid.words import format_date, month_label
from lastro.grid.workbook import Stamp, Workbook, tables_of
from lastro.money import format_amount
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.reports.facts import Facts
from lastro.reports.view import View
from lastro.run.computed import Computed
from lastro.run.names import FECHAMENTO, name_closing
from lastro.run.order import StageResult
from lastro.run.session import RunSession
from lastro.transform.position import Position, build_position
from lastro.warehouse.loading import outcomes, runs

ROOM: Final = "closing"
"""The room whose check judges a closing (`lastro.quality.queries.ROOMS`)."""
CHECK: Final = "V40"
LOOK_BACK: Final = 12
"""Months whose newest edition every run looks at again."""
_BLOCKS: Final = {"dre": "", "dre_ano": "ano, ", "caixa": "caixa, ", "saldo": "saldo de "}


@dataclass(frozen=True)
class ClosingFound:
    """What a run says of closings.

    Attributes:
        recados: what changed after one, and what one waits for, a sentence each.
        extras: the editions that stand, as rows of Parâmetros.
        fecha: the month that closes by itself, unless a check fails.
    """

    recados: Sequence[str]
    extras: Sequence[tuple[str, str, str]]
    fecha: date | None


def find_closings(session: RunSession, position: Position) -> ClosingFound:
    """Find what changed after a closing, what a closing waits for, and which editions stand.

    Raises:
        ConfigError: when the month that is asked for lies before all data, naming it and since when there are any.
    """
    _refuse_early(session.order.fechamento, position)
    view = View(position)
    editions = [
        replace(edition, escrito_em=local_time(edition.escrito_em, session.settings.fuso))
        for edition in list_editions(session.warehouse, session.execucao_id)
    ]
    told, ready = tell_changes(session, view, editions), None
    due = find_last_closed(view)
    if due is not None and due != session.order.fechamento and all(edition.mes != due for edition in editions):
        reason = find_map_reason(view) or _find_reason(session)
        ready = None if reason or not (session.is_complete and session.is_current) else due
        told += [tell_waiting(due, reason)] if reason else []
    kept = [
        (edition.nome, edition.describe(), "edição do fechamento de um mês (S25)") for edition in editions[-LOOK_BACK:]
    ]
    return ClosingFound(told, kept, ready)


def write_closings(session: RunSession, computed: Computed, stamp: Stamp) -> StageResult:
    """Write the closing where the order asks for one, or all of S25 holds."""
    warehouse, catalogue = session.warehouse, computed.catalogue
    with warehouse.transaction():
        forget_unpublished(warehouse, session.execucao_id)
    mes = session.order.fechamento or computed.fecha
    if mes is not None and catalogue.errors and session.order.fechamento is None:
        session.progress.tell(tell_waiting(mes, "há verificação de severidade erro que falha"))
        mes = None
    return StageResult(0) if mes is None else _write_closing(session, catalogue, stamp, mes)


def list_closing_files(session: RunSession) -> tuple[str, ...]:
    """Name the file of the edition that this run wrote."""
    own = read_own(session.warehouse, session.execucao_id)
    return tuple(name_closing(mes, edicao) for mes, edicao in own)


def _refuse_early(mes: date | None, position: Position) -> None:
    """Refuse a month before all data; one that is not over never began to run."""
    if mes is None:
        return
    linhas = position.linhas
    days = [linhas[name].min() for name in ("data_competencia_ef", "data_pagamento", "data_vencimento")]
    first = min((day.date() for day in days if day == day), default=position.data_base)
    if month_end(mes) < first:
        raise ConfigError(f"--fechamento {mes:%Y-%m}: não há dados antes de {format_date(first)}.")


def _find_reason(session: RunSession) -> str:
    complete = runs.read_complete_runs(session.warehouse)
    return "" if any(run.execucao_id < session.execucao_id for run in complete) else "é a primeira execução"


def find_map_reason(view: View) -> str:
    """Say what the map of the DRE lacks for a closing by itself."""
    if view.position.parametros.fechamento_sem_mapa or view.dre_map.margens:
        return ""
    return "mapa da DRE parcial" if view.dre_map.classificada else "DRE sem mapa"


def tell_waiting(mes: date, reason: str) -> str:
    """Say that a closing is due and why it is not written."""
    return f"fechamento de {month_label(mes)} à espera: {reason}"


def tell_changes(session: RunSession, view: View, editions: Sequence[Edition]) -> list[str]:
    """Say of each month that has an edition what is now another figure, the newest month first.

    A line of the DRE that only one of both has came or went with the map, which changes no result: it is not told.
    """
    newest = {edition.mes: edition for edition in editions}
    told = []
    for mes in sorted(newest, reverse=True)[:LOOK_BACK]:
        if month_end(mes) >= view.position.data_base or session.order.fechamento == mes:
            continue
        stored = [row for row in read_values(session.warehouse, newest[mes]) if row[0] in _BLOCKS]
        values = MonthFigures(view, mes).list_values()
        both = {row[:2] for row in stored} & {row[:2] for row in values}
        changed = [change for change in find_changes(stored, values) if change[0] == "saldo" or change[:2] in both]
        if changed:
            first = next((change for change in changed if change[1] == "resultado"), changed[0])
            name = first[2] if first[0] == "saldo" else first[2].strip("0123456789 =").casefold()
            told.append(
                f"{month_label(mes)} mudou depois do fechamento de {newest[mes].escrito_em:%d/%m}: "
                f"{_BLOCKS[first[0]]}{name} "
                f"{format_amount(first[4] - first[3])} · lastro run --fechamento {mes:%Y-%m}"
            )
    return told


def _write_closing(session: RunSession, catalogue: Catalogue, stamp: Stamp, mes: date) -> StageResult:
    """Build the closing as of F, have it judged (V40), write it aside and keep what it says."""
    warehouse = session.warehouse
    closing, edition = _plan_closing(session, catalogue, mes)
    check = check_closing(closing.month)
    marked = replace(
        stamp,
        data_base=closing.month.fim,
        reconstituido=False,
        trust=stamp.trust + Trust(erros=int(check.failed)),
        nota=f"{edition.edicao}ª edição, conforme lançado até {stamp.extraido_em:%d/%m/%Y %H:%M}",
    )
    path = session.staging / edition.nome
    session.staging.mkdir(parents=True, exist_ok=True)
    render_workbook(Workbook(FECHAMENTO, marked, build_sheets(closing)), path)
    session.progress.tell(tell_bridge(closing))
    values = closing.month.list_all()
    edition = replace(edition, sha256=digest_file(path))
    with warehouse.transaction():
        keep_edition(warehouse, edition, values)
        outcomes.keep_outcome(warehouse, session.execucao_id, check)
    facts: dict[str, int | str] = {"mes": f"{mes:%Y-%m}", "edicao": edition.edicao, "arquivo": path.name}
    return StageResult(0, {"fechamentos": 1}, {FECHAMENTO: StageResult(len(values), facts)}, (check,))


def tell_bridge(closing: Closing) -> str:
    """Say on the terminal why the result of the month is not its cash: the bridge in five lines (R07)."""
    told = [(f"{'  ' * level}{text}", format_amount(value)) for text, value, level in closing.tell_answers()]
    widths = [max(map(len, column)) for column in zip(*told, strict=True)]
    lines = (f"  {text:<{widths[0]}}  {value:>{widths[1]}}" for text, value in told)
    return "\n".join((f"fechamento de {closing.label}, do resultado ao caixa:", *lines))


def _plan_closing(session: RunSession, catalogue: Catalogue, mes: date) -> tuple[Closing, Edition]:
    """Gather what the closing of a month says, and which edition it is."""
    warehouse = session.warehouse
    earlier = [edition for edition in list_editions(warehouse, session.execucao_id) if edition.mes == mes]
    position = build_position(
        warehouse.read_core(),
        data_base=month_end(mes),
        data_extracao=session.run.data_extracao,
        parametros=session.empresa.parametros,
        calendario=session.calendario,
    )
    month = ClosedMonth(View(position, session.empresa, Facts()), mes)
    folder = session.settings.entrada(session.empresa)
    changes: tuple[Change, ...] = ()
    entries: Sequence[tuple[int, str, Decimal | None, Decimal | None]] = ()
    if earlier:
        moved = find_changes(read_values(warehouse, earlier[0]), month.list_all())
        changes = tuple(Change(f"{_BLOCKS.get(block, '')}{text}", then, now) for block, _, text, then, now in moved)
        entries = list_changed_entries(warehouse, earlier[0].leitura_id, mes)
    closing = Closing(
        month,
        (earlier[-1].edicao if earlier else 0) + 1,
        comentario=read_comment(folder, mes),
        passos=find_next_steps(read_comment(folder, add_months(mes, -1))),
        mudancas=changes,
        lancamentos=tuple(entries),
        achados=tuple(list_findings(catalogue, month)),
    )
    edition = Edition(mes, closing.edicao, session.execucao_id, session.run.leitura_id, session.now())
    return closing, edition


def check_closing(month: ClosedMonth) -> Verification:
    """Hold the figures against the records as of F (V40)."""
    room = open_room(month.view.position)
    room.show([month.table()])
    return run_query(read_queries(ROOM)[CHECK], room)


def list_findings(catalogue: Catalogue, month: ClosedMonth) -> list[tuple[Finding, int]]:
    """List the findings whose records move a figure of the month, each with how many.

    A record moves one that is of the month by competence or payment, or open at its end, whatever day is wrong with it
    (Q15); that is an account; or, where an entry is behind it in no such way, whose day is of the month.
    """
    items = next((table for table in tables_of(catalogue.reports) if table.name == "achados_itens"), None)
    if items is None:
        return []
    moving = month.list_moving()
    many: Counter[str] = Counter()
    for regra, tipo, number, day in list_rows(items, ("regra", "tipo", "id", "dia")):
        since = date.min if regra == "Q43" else month.mes  # what looks mistyped moves the ageing of later months, too
        own = isinstance(day, date) and since <= day <= month.fim
        many[str(regra)] += own or number in moving.get(str(tipo), ())
    return [
        (finding, many[finding.regra])
        for finding in catalogue.findings
        if finding.regra[0] == "Q" and many[finding.regra]
    ]
