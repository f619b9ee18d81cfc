"""What people open: the workbooks, written aside, then everything of the run published at once."""

from __future__ import annotations

import contextlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from lastro.calendar import local_time, zone_label
from lastro.catalogue import Catalogue, build_catalogue, narrow_facts
from lastro.errors import LastroError, StorageError
from lastro.export.xlsx import render_workbook
from lastro.folding import slug
from lastro.grid.cells import Value
from lastro.grid.printed_page import write_cover
from lastro.grid.workbook import Stamp, Workbook
from lastro.money import to_decimal
from lastro.page.files import list_page_names, write_pages
from lastro.reports.facts import BankFacts, DeskFacts
from lastro.reports.view import View
from lastro.run import happened
from lastro.run.access import admit_readers, choose_mode
from lastro.run.closing import list_closing_files, write_closings
from lastro.run.computation import (
    add_written,
    compare_previous,
    compute,
    gather_facts,
    read_position,
    read_previous,
)
from lastro.run.datasets import write_dados
from lastro.run.deliveries import deliver, note_read_back, take_back
from lastro.run.desk import choose_desk_place, list_desk_files, write_desks
from lastro.run.names import CONSULTAS, DADOS, GERENCIAL, REPORTS_FOLDER, STAGING_FOLDER, name_written
from lastro.run.order import RunResult, StageResult
from lastro.run.own_questions import build_answers, has_questions
from lastro.run.placement import move_unclaimed, set_mode
from lastro.run.recovery import find_retro_folder
from lastro.run.session import RunSession
from lastro.schema.run_kinds import Situacao
from lastro.settings import Recorte
from lastro.transform.scope import count_split_charges, describe_scope, narrow_position
from lastro.warehouse.loading import reading_log, runs
from lastro.warehouse.loading.files import read_last_contents
from lastro.warehouse.publication.copies import PUBLISHED_FOLDER, publish, publish_aside, read_published


def write_workbooks(session: RunSession) -> StageResult:
    """Write every workbook aside, `gerencial` once more per scope; `publish_run` moves them to where people look."""
    shutil.rmtree(session.staging, ignore_errors=True)
    computed, stamp = compute(session), build_stamp(session)
    catalogue = computed.catalogue
    with ThreadPoolExecutor(1) as beside:  # of `dados` DuckDB does nearly all, of `gerencial` Python
        rows = beside.submit(write_dados, session, stamp) if session.settings.excel.dados else None
        path = _render(session, GERENCIAL, catalogue, stamp)
    facts: dict[str, int | float | str] = {"arquivo": path.name, "bytes": path.stat().st_size}
    facts |= {"linhas_dados": rows.result()} if rows else {}
    facts |= write_desks(session, computed, stamp)
    if has_questions(session.warehouse):
        render_workbook(build_answers(session.warehouse, stamp), session.staging / _name_answers(stamp))
    write_pages(catalogue, stamp, session.staging)
    closing = write_closings(session, computed, stamp)
    facts |= closing.totals
    if session.empresa.recortes:
        facts["recortes"] = _write_scopes(session, catalogue, stamp)
    return StageResult(len(catalogue.reports), facts, closing.parts, closing.checks)


def build_stamp(session: RunSession) -> Stamp:
    """Say who, as of when, from which run and how far to trust it (manual: Planilha)."""
    catalogue, run, reading = compute(session).catalogue, session.run, session.reading
    proved, total = reading_log.count_accounts(session.warehouse, reading.execucao_id)
    fuso = session.settings.fuso
    return Stamp(
        empresa=session.empresa.nome,
        data_base=run.data_base,
        extraido_em=local_time(reading.iniciada_em, fuso),
        extraido_utc=reading.iniciada_em,
        fuso=zone_label(reading.iniciada_em, fuso),
        execucao_id=run.execucao_id,
        contas_lidas=proved,
        contas_total=total,
        extracao=run.tipo.upper(),
        nota=run.nota or "",
        reconstituido=run.reconstituida,
        trust=catalogue.tell_trust(reading_log.count_rejected(session.warehouse)),
    )


def _render(session: RunSession, kind: str, catalogue: Catalogue, stamp: Stamp) -> Path:
    names: dict[str, Value] = {"data_base": stamp.data_base, "execucao_id": stamp.execucao_id}
    names |= {f"kpi_{kpi.slug}": kpi.valor for kpi in catalogue.kpis}
    workbook = Workbook(
        kind,
        stamp,
        catalogue.sheets,
        names=names,
        saldo_minimo=session.empresa.parametros.saldo_minimo,
        limite=to_decimal(catalogue.credito.limite),
    )
    return render_workbook(workbook, session.staging / name_written(kind, stamp.data_base))


def _write_scopes(session: RunSession, whole: Catalogue, stamp: Stamp) -> int:
    """Write the workbook of each scope; what stands in the warehouse stays that of the whole."""
    position = read_position(session)
    previous, facts = read_previous(session, position), gather_facts(session, position, None)
    facts = replace(facts, mesas=DeskFacts(respostas=whole.respostas), banco=BankFacts(nao_pagos=whole.nao_pagos))
    for recorte in session.empresa.recortes:
        narrowed, text = narrow_position(position, recorte), describe_scope(recorte, position.rotulos)
        extras = [
            ("filtro", text, "só as linhas que atendem a todos os critérios"),
            (
                "cobrancas_fora_do_filtro",
                str(count_split_charges(position, narrowed)),
                "cobranças de que só uma parte está no recorte: fora de Cobranças",
            ),
        ]
        compared = compare_previous(session, previous, narrowed, recorte)
        own = replace(narrow_facts(facts, recorte, compared), extras=[*facts.extras, *extras])
        catalogue = build_catalogue(View(narrowed, session.empresa, own), inteiro=whole)
        marked = replace(stamp, filtro=text, trust=catalogue.tell_trust(stamp.trust.rejeitados))
        if recorte.contas:
            read, chosen = reading_log.count_accounts(session.warehouse, session.reading.execucao_id, recorte.contas)
            marked = replace(marked, contas_lidas=read, contas_total=chosen)
        cover, *others = catalogue.reports
        named = (replace(cover, title=f"Só {recorte.nome}"), *others)
        _render(session, _name_scope(recorte), replace(catalogue, reports=named), marked)
    return len(session.empresa.recortes)


def _name_scope(recorte: Recorte) -> str:
    return f"{GERENCIAL}_{slug(recorte.nome)}"


def _name_answers(stamp: Stamp) -> str:
    return name_written(CONSULTAS, stamp.data_base)


def publish_run(session: RunSession) -> RunResult:
    """Make the run the one that everybody sees: move the workbooks, close the run, flip the link.

    One of a day before the published one is put into `retro/` instead, and everybody sees what they saw.

    Raises:
        StorageError: when the disk is full or a folder cannot be written; then nothing was replaced.
        WarehouseBusy: when another run took the company meanwhile; then nothing was replaced.
    """
    computed, stamp, execucao_id = compute(session), build_stamp(session), session.execucao_id
    retro = None if session.order.publicar_passado else find_retro_folder(session.pasta, session.run, session.warehouse)
    kinds = (GERENCIAL, *map(_name_scope, session.empresa.recortes))
    names = [name_written(kind, stamp.data_base) for kind in kinds]
    of_desks = list_desk_files(session, computed.mesas, stamp.data_base)
    others = (*of_desks, *list_page_names(stamp.data_base), *list_closing_files(session))
    dados = (name_written(DADOS, stamp.data_base),) if session.settings.excel.dados else ()
    own = (_name_answers(stamp),) if has_questions(session.warehouse) else ()
    staged = [session.staging / name for name in (*names, *others, *dados, *own)]
    if not all(path.exists() for path in staged):
        # Another run has begun since, or this one died while it published: the file still says what was in them.
        write_workbooks(session)
    staged += sorted(session.staging.glob(f"{DADOS}_*.parquet"))
    catalogue = add_written(session, computed.catalogue)
    targets = {
        written: _choose_folder(session, written, retro, to_desks=written.name in of_desks) for written in staged
    }
    moved: list[Path] = []
    mail, cover = session.settings.avisos.email, catalogue.cover
    page = write_cover(cover) if mail is not None and mail.resumo and cover is not None else ""
    try:
        chosen = deliver(session.pasta, execucao_id, targets, session.clock(), said=(catalogue.recados, page))
        for written, target in chosen.items():
            moved.append(_move_out(session, written, target, retro))
        looked_into = [session.pasta / REPORTS_FOLDER, session.pasta / PUBLISHED_FOLDER] if retro is None else [retro]
        admit_readers(session.settings, *looked_into)
        mode = choose_mode(session.settings, writable=False)
        # The copy must say that its run is complete, so the private file says it first.
        if retro is None:
            runs.close_run(session.warehouse, execucao_id, Situacao.COMPLETA, session.now())
            link = publish(session.warehouse, execucao_id, confirm=session.confirm_lock, mode=mode)
        else:
            runs.close_run(session.warehouse, execucao_id, Situacao.RETROATIVA, session.now())
            link = publish_aside(session.warehouse, retro, confirm=session.confirm_lock, mode=mode)
    except BaseException:
        if read_published(session.pasta) == execucao_id:
            # Everybody sees it already: what failed came after the flip and takes nothing back.
            raise
        take_back(session.pasta)
        with contextlib.suppress(LastroError):
            runs.close_run(session.warehouse, execucao_id, Situacao.EM_ANDAMENTO, session.now())
        raise
    reading, past = session.run.leitura_id, retro is not None
    happened.succeed(session.pasta, execucao_id, session.clock(), leitura_id=reading, past=past)
    note_read_back(session.pasta, read_last_contents(session.warehouse))
    shutil.rmtree(session.folder(STAGING_FOLDER), ignore_errors=True)
    requests = runs.count_requests(session.warehouse, execucao_id)
    return RunResult(
        execucao_id,
        session.run.leitura_id,
        session.run.data_base,
        link,
        tuple(path for path in moved if path.suffix == ".xlsx"),
        requests,
        catalogue.tell_trust(stamp.trust.rejeitados),
        catalogue,
        tuple(path for path in moved if path.suffix in {".pdf", ".html"}),
        retroativa=retro is not None,
        tipo=session.run.tipo,
    )


def _choose_folder(session: RunSession, written: Path, retro: Path | None, *, to_desks: bool) -> Path:
    """Choose where people look for a file, and give it the mode that it has there.

    What a past day leaves goes into `retro/` whole: nobody works in its `cobranca`.
    """
    chosen = choose_desk_place(session) if to_desks and retro is None else None
    folder, mode = chosen or (retro or session.pasta / REPORTS_FOLDER, choose_mode(session.settings, writable=True))
    set_mode(written, mode)
    return folder if chosen is None or folder.is_dir() else session.pasta / REPORTS_FOLDER


def _move_out(session: RunSession, written: Path, target: Path, retro: Path | None) -> Path:
    """Move a file to where people look; beside the others where its own folder is out of reach."""
    reports = retro or session.pasta / REPORTS_FOLDER
    if target.parent != reports:
        with contextlib.suppress(StorageError):
            return move_unclaimed(written, target)
        target = deliver(session.pasta, session.execucao_id, {written: reports}, session.clock())[written]
    return move_unclaimed(written, target)
