"""The group job: what all companies published becomes one workbook; read-only on every company."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from lastro.calendar import local_time, zone_label
from lastro.errors import ConfigError
from lastro.export.xlsx import render_workbook
from lastro.grid.verdict import Trust
from lastro.grid.words import format_date
from lastro.grid.workbook import NO_FILTER, Stamp, Workbook
from lastro.group.company_books import CompanyBooks, read_company_books
from lastro.group.database import GroupFile
from lastro.group.report import build_group
from lastro.group.update import GroupUpdate, update_group
from lastro.run.access import admit_readers, choose_mode
from lastro.run.deliveries import deliver
from lastro.run.names import GRUPO, REPORTS_FOLDER, name_written
from lastro.run.own_questions import are_asked, build_answers
from lastro.run.placement import move_unclaimed, set_mode
from lastro.schema.run_kinds import Modo
from lastro.settings import GROUP_FOLDER, Settings
from lastro.settings.model import ENTRADA
from lastro.warehouse.file.faults import storage_error
from lastro.warehouse.file.lock import CompanyLock


@dataclass(frozen=True)
class GroupResult:
    """What the group job leaves.

    Attributes:
        data_base: D of every company.
        workbook: the file written.
        consultas: the workbook of its questions; None where it has none.
        recusadas: those without an answer: file and reason.
        books: the companies as read.
    """

    data_base: date
    workbook: Path
    books: tuple[CompanyBooks, ...]
    consultas: Path | None = None
    recusadas: tuple[tuple[str, str], ...] = ()

    @property
    def unreliable(self) -> tuple[str, ...]:
        """Companies with a failed check of severity erro (S15); the stamp says so."""
        return tuple(book.empresa_id for book in self.books if book.trust.erros)


def run_group(settings: Settings) -> GroupResult:
    """Write `<dir>/grupo/relatorios/grupo_AAAA-MM-DD.xlsx` from the published warehouses of all companies.

    Companies whose figures are not reliable are included: the stamp then says so, and the first sheet of which.

    Raises:
        ConfigError: when there are fewer than two companies or their data-bases differ.
        StorageError: when a company has published nothing, or the folder cannot be written.
    """
    if settings.invalidas:
        raise ConfigError([mistake for mistakes in settings.invalidas.values() for mistake in mistakes])
    if len(settings.empresas) < 2:
        raise ConfigError(f"{settings.origem}: um grupo precisa de duas empresas; acrescente outra [[empresa]].")
    rules = settings.grupo.transferencias
    books = tuple(read_company_books(settings.pasta(empresa), empresa, rules) for empresa in settings.empresas)
    if len({book.data_base for book in books}) > 1:
        days = ", ".join(f"{book.empresa_id} {format_date(book.data_base)}" for book in books)
        raise ConfigError(
            f"{settings.origem}: as empresas estão em dias diferentes ({days}), e a soma não diria nada. "
            "Rode lastro run --data-base AAAA-MM-DD para todas e depois lastro grupo."
        )
    stamp, update = build_group_stamp(settings, books), GroupUpdate(None)
    workbooks = [Workbook(GRUPO, stamp, build_group(books, settings.grupo))]
    folder = settings.dir / GROUP_FOLDER
    if are_asked(folder / ENTRADA):
        update = update_group(settings)
        with CompanyLock(folder).held("as consultas do grupo"), GroupFile(folder) as group:
            workbooks.append(build_answers(group, stamp))
    target = folder / REPORTS_FOLDER
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as staging:
            day = books[0].data_base
            paths = [render_workbook(one, Path(staging) / name_written(one.kind, day)) for one in workbooks]
            for path in paths:
                set_mode(path, choose_mode(settings, writable=True))
            now = datetime.fromtimestamp(paths[0].stat().st_mtime, UTC)
            chosen = deliver(settings.dir, stamp.execucao_id, dict.fromkeys(paths, target), now, published=True)
            moved = [move_unclaimed(path, chosen[path]) for path in paths]
            admit_readers(settings, target)
    except OSError as error:
        raise storage_error(target, error) from None
    return GroupResult(day, moved[0], books, moved[1] if moved[1:] else None, update.recusadas)


def build_group_stamp(settings: Settings, books: Sequence[CompanyBooks]) -> Stamp:
    """Say how far the group can be trusted: as far as the least of its companies; extracted when the first one was."""
    first = min(book.extraido_em for book in books)
    runs = ", ".join(f"{book.nome} {book.execucao_id}" for book in books)
    return Stamp(
        empresa=settings.grupo.nome,
        data_base=books[0].data_base,
        extraido_em=local_time(first, settings.fuso),
        extraido_utc=first,
        fuso=zone_label(first, settings.fuso),
        execucao_id=max(book.execucao_id for book in books),
        contas_lidas=sum(book.contas_lidas for book in books),
        contas_total=sum(book.contas_total for book in books),
        extracao=", ".join(dict.fromkeys(book.tipo.upper() for book in books if book.tipo != Modo.COMPLETA))
        or "COMPLETA",
        reconstituido=any(book.reconstituida for book in books),
        trust=sum((book.trust for book in books), Trust()),
        filtro=f"{NO_FILTER}; execuções: {runs}",
    )
