"""The closing as an option of a run: when one is written, what it is called, what changed after one (S25)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from lastro.calendar import add_months, month_end
from lastro.catalogue import Catalogue, RunFacts
from lastro.closing.comments import FOLDER, find_next_steps, read_comment
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
from lastro.grid.verdict import Finding, Outcome
from lastro.grid.words import format_date, month_label
from lastro.grid.workbook import Stamp, Workbook
from lastro.money import format_amount
from lastro.quality.evidence import open_proof
from lastro.quality.queries import read_queries
from lastro.quality.runner import run_query
from lastro.reports.view import Facts, View
from lastro.run.options import Option
from lastro.run.report import read_position
from lastro.transform.position import build_position
from lastro.warehouse.loading import runs

if TYPE_CHECKING:
    from lastro.transform.position import Position

KIND: Final = "fechamento"
CHECK: Final = "V40"
LOOK_BACK: Final = 12
"""Months whose newest edition every run looks at again."""
_BLOCKS: Final = {"dre": "", "dre_ano": "ano, ", "caixa": "caixa, ", "saldo": "saldo de "}


class Delivery(Option):
    """The closing of a month as an option of a run; it reads the comments when it writes one."""

    entrada: ClassVar[str] = FOLDER

    def add_facts(self, position: Position, facts: RunFacts) -> RunFacts:
        """Say what changed after a closing, and what a closing waits for."""
        self._refuse(position)
        told = tell_changes(self, position)
        return replace(facts, avisos=(*facts.avisos, *told)) if told else facts

    def write(self, catalogue: Catalogue, stamp: Stamp) -> dict[str, int]:
        """Write the closing where the order asks for one, or all of S25 holds."""
        session, warehouse = self.session, self.session.warehouse
        with warehouse.transaction():
            forget_unpublished(warehouse, session.execucao_id)
        mes = session.order.fechamento or self._find_due(catalogue)
        if mes is None:
            return {}
        write_closing(self, catalogue, stamp, mes)
        return {"fechamentos": 1}

    def list_files(self, day: date) -> Sequence[str]:
        """Name the file of the edition that this run wrote."""
        del day
        own = read_own(self.session.warehouse, self.session.execucao_id)
        return tuple(name_edition(mes, edicao) for mes, edicao in own)

    def _refuse(self, position: Position) -> None:
        """Refuse a month that is not over at D, or before all data.

        Raises:
            ConfigError: naming the month and why.
        """
        mes = self.session.order.fechamento
        if mes is None:
            return
        linhas = position.linhas
        days = [linhas[name].min() for name in ("data_competencia_ef", "data_pagamento", "data_vencimento")]
        first = min((day.date() for day in days if day == day), default=position.data_base)
        if month_end(mes) >= position.data_base:
            raise ConfigError(f"--fechamento {mes:%Y-%m}: o mês ainda não acabou em {format_date(position.data_base)}.")
        if month_end(mes) < first:
            raise ConfigError(f"--fechamento {mes:%Y-%m}: não há dados antes de {format_date(first)}.")

    def _find_due(self, catalogue: Catalogue) -> date | None:
        """Find the last closed month where it has no edition yet and all of S25 holds."""
        if find_reason(self, catalogue):
            return None
        view = View(read_position(self.session))
        mes = None if find_map_reason(view) else find_last_closed(view)
        editions = list_editions(self.session.warehouse, self.session.execucao_id)
        return None if mes is None or any(one.mes == mes for one in editions) else mes


def name_edition(mes: date, edicao: int) -> str:
    """Name the file of an edition; the first has no number."""
    return f"{KIND}_{mes:%Y-%m}{'' if edicao == 1 else f'_r{edicao}'}.xlsx"


def find_reason(option: Option, catalogue: Catalogue) -> str:
    """Say why no closing is written by itself; "" where nothing stands against it (S25)."""
    session = option.session
    if not session.is_complete or not session.is_current:
        return "a execução não é completa"
    if catalogue.errors:
        return "há verificação de severidade erro que falha"
    if not any(run.execucao_id < session.execucao_id for run in runs.read_complete_runs(session.warehouse)):
        return "é a primeira execução completa"
    return ""


def find_map_reason(view: View) -> str:
    """Say what the map of the DRE lacks for a closing by itself."""
    if view.position.parametros.fechamento_sem_mapa or view.dre_map.margens:
        return ""
    return "mapa da DRE parcial" if view.dre_map.classificada else "DRE sem mapa"


def tell_changes(option: Option, position: Position) -> list[str]:
    """Say of each month that has an edition what is now another figure, the newest month first; and what waits."""
    warehouse, number = option.session.warehouse, option.session.execucao_id
    newest = {edition.mes: edition for edition in list_editions(warehouse, number)}
    view = View(position)
    told = []
    for mes in sorted(newest, reverse=True)[:LOOK_BACK]:
        if month_end(mes) >= position.data_base or option.session.order.fechamento == mes:
            continue
        month = MonthFigures(view, mes)
        changed = find_changes(
            [row for row in read_values(warehouse, newest[mes]) if row[0] in _BLOCKS], month.list_values()
        )
        if changed:
            first = next((one for one in changed if one[1] == "resultado"), changed[0])
            text = f"{_BLOCKS[first[0]]}{first[2].strip('0123456789 =').casefold()}"
            told.append(
                f"{month_label(mes)} mudou depois do fechamento de {newest[mes].escrito_em:%d/%m}: {text} "
                f"{format_amount(first[4] - first[3])} · lastro run --fechamento {mes:%Y-%m}"
            )
    due = find_last_closed(view)
    if due is not None and due not in newest and (reason := find_map_reason(view)):
        told.append(f"fechamento de {month_label(due)} à espera: {reason}")
    return told


def write_closing(option: Option, catalogue: Catalogue, stamp: Stamp, mes: date) -> Path:
    """Build the closing as of F, have it judged (V40), write it aside and keep what it says."""
    session, warehouse = option.session, option.session.warehouse
    closing, edition = plan_closing(option, catalogue, mes)
    outcome = check_closing(closing.month)
    marked = replace(
        stamp,
        data_base=closing.month.fim,
        reconstituido=False,
        erros=stamp.erros + outcome.failed,
        nota=f"{edition.edicao}ª edição, conforme lançado até {stamp.extraido_em:%d/%m/%Y %H:%M}",
    )
    path = session.staging / name_edition(mes, edition.edicao)
    session.staging.mkdir(parents=True, exist_ok=True)
    render_workbook(Workbook(KIND, marked, build_sheets(closing)), path)
    with warehouse.transaction():
        keep_edition(warehouse, edition, hashlib.sha256(path.read_bytes()).hexdigest(), closing.month.list_all())
        warehouse.con.execute(
            "UPDATE ops.verificacoes SET situacao = ?, registros = ?, chaves = ?, detalhe = ? "
            "WHERE execucao_id = ? AND verificacao = ?",
            [outcome.situacao, outcome.registros, list(outcome.chaves), outcome.detalhe, session.execucao_id, CHECK],
        )
    return path


def plan_closing(option: Option, catalogue: Catalogue, mes: date) -> tuple[Closing, Edition]:
    """Gather what the closing of a month says, and which edition it is."""
    session, warehouse = option.session, option.session.warehouse
    earlier = [one for one in list_editions(warehouse, session.execucao_id) if one.mes == mes]
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
    entries: Sequence[tuple[int, str, object, object]] = ()
    if earlier:
        found = find_changes(read_values(warehouse, earlier[-1]), month.list_all())
        changes = tuple(Change(f"{_BLOCKS.get(block, '')}{text}", then, now) for block, _, text, then, now in found)
        entries = list_changed_entries(warehouse, earlier[-1].leitura_id, mes)
    closing = Closing(
        month,
        (earlier[-1].edicao if earlier else 0) + 1,
        comentario=read_comment(folder, mes),
        passos=find_next_steps(read_comment(folder, add_months(mes, -1))),
        mudancas=changes,
        lancamentos=tuple(entries),  # type: ignore[arg-type] # rows of the query
        achados=tuple(list_findings(catalogue, mes)),
    )
    edition = Edition(mes, closing.edicao, session.execucao_id, session.run.leitura_id, session.now())
    return closing, edition


def check_closing(month: ClosedMonth) -> Outcome:
    """Hold the figures against the records as of F (V40)."""
    proof = open_proof(month.view.position, {})
    proof.show([month.table()])
    return run_query(read_queries()[CHECK], proof)


def list_findings(catalogue: Catalogue, mes: date) -> list[tuple[Finding, int]]:
    """List the findings that name a record of the month, each with how many."""
    items = next((t for one in catalogue.reports for t in one.tables if t.name == "achados_itens"), None)
    if items is None:
        return []
    rule, day = items.place("regra"), items.place("dia")
    many: dict[str, int] = {}
    for row in items.rows:
        if isinstance(row[day], date) and mes <= row[day] <= month_end(mes):  # type: ignore[operator]
            many[str(row[rule])] = many.get(str(row[rule]), 0) + 1
    return [(one, many[one.regra]) for one in catalogue.findings if one.regra in many]
