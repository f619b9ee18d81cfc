"""Flat tables of a run: the workbook `dados`, and the same tables or any report as Parquet, CSV and JSON.

Belongs here: what the workbook says beside its tables, and where files go. Does not belong here: what the tables hold
(`lastro.warehouse.file.dataset_views`) and how a workbook is written (`lastro.export.xlsx`).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.catalogue import REPORT_TITLES
from lastro.errors import ConfigError
from lastro.export.heading import PERSONAL_NOTE, stamp_text
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.forms import Form, Setup
from lastro.grid.sections import SHEET_ROWS, Row, Section, SheetRows
from lastro.grid.table_rows import StreamedRows, TableRows
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.run.access import choose_mode
from lastro.run.names import DADOS, name_written
from lastro.run.placement import PREFIX as ASIDE
from lastro.run.placement import SUFFIX, move_folder
from lastro.settings import Empresa, Settings
from lastro.warehouse.file.blocks import READING_MEMORY, limit_memory
from lastro.warehouse.file.faults import storage_error
from lastro.warehouse.publication.datasets import (
    PREFIX,
    DatasetReader,
    LoadedTable,
    export_published,
    list_published_views,
)

if TYPE_CHECKING:
    from lastro.run.session import RunSession

README_SHEET: Final = "LEIA-ME"
_WORDS: Final = {
    Kind.TEXT: "texto",
    Kind.INTEGER: "inteiro",
    Kind.MONEY: "dinheiro",
    Kind.DECIMAL: "número",
    Kind.DATE: "data",
    Kind.TIMESTAMP: "data e hora",
    Kind.BOOLEAN: "verdadeiro ou falso",
}
"""What LEIA-ME calls the kinds of columns."""
EXPORTS_FOLDER: Final = "exportados"


def write_dados(session: RunSession, stamp: Stamp, rows: SheetRows = SHEET_ROWS) -> int:
    """Write `dados` aside, and a Parquet file for each table that no sheet has room for.

    Returns:
        Rows of data in them.
    """
    personal = session.empresa.dados_pessoais
    if session.warehouse.ask_one("SELECT count(*) FROM core.linhas") <= rows.usual:
        # Until `release_memory`. A table that is split is read several times, which should not be from the disk.
        limit_memory(session.warehouse.con, READING_MEMORY)
    reader = DatasetReader(session.warehouse.con, dados_pessoais=personal)
    tables = list(reader.tables(rows))
    session.staging.mkdir(parents=True, exist_ok=True)
    for table in tables:
        if not table.fits:
            reader.copy_table(table, session.staging / name_beside(table.name, stamp.data_base))
    render_workbook(
        build_dados(stamp, tables, personal=personal), session.staging / name_written(DADOS, stamp.data_base)
    )
    session.warehouse.release_memory()
    return sum(table.length for table in tables)


def name_beside(table: str, day: date) -> str:
    """Name the file of a table that no sheet has room for.

    >>> name_beside("tbl_linhas_2025_03", date(2026, 3, 16))
    'dados_tbl_linhas_2025_03_2026-03-16.parquet'
    """
    return name_written(f"{DADOS}_{table}", day, ".parquet")


def build_dados(stamp: Stamp, tables: Sequence[LoadedTable], *, personal: bool) -> Workbook:
    """Build the workbook of flat tables: LEIA-ME, then a sheet for each; their rows are read as they are written.

    Args:
        personal: contacts and documents of persons are inside: the footers say so.
    """
    fitting = [table for table in tables if table.fits]
    sheets = [Sheet(table.name, "", (_data_section(table),), setup=Setup(Form.DATA)) for table in fitting]
    return Workbook(DADOS, stamp, (_readme(stamp, tables, personal=personal), *sheets), personal=personal)


def _data_section(table: LoadedTable) -> Section:
    rows = StreamedRows(table.length, lambda: map(TableRows, table.read()))
    return Section(table.name, table.columns, rows, native=True)


def _readme(stamp: Stamp, tables: Sequence[LoadedTable], *, personal: bool) -> Sheet:
    """Build the first sheet: stamp, keys, joins, dictionary; a table in parts is explained once."""
    lines = (
        (f"DADOS — {stamp.empresa}", True),
        (stamp_text(stamp), False),
        (stamp.confianca, False),
        ("Valores com sinal: negativo sai, positivo entra. Sem linha de total: some, filtre e cruze à vontade.", False),
        (f"Esta planilha {PERSONAL_NOTE}." if personal else "Sem contatos e sem documentos de pessoas.", False),
    )
    keys = [
        Row((table.name, _describe(table, stamp), str(table.length), ", ".join(table.dataset.key), table.dataset.joins))
        for table in tables
    ]
    firsts = {table.dataset.name: table for table in reversed(tables)}
    dictionary = [
        Row((PREFIX + name, column.key, _WORDS[column.kind], table.dataset.explain(column.key)))
        for name, table in reversed(firsts.items())
        for column in table.columns
    ]
    sections = (
        Section("leia_me_tabelas", _text_columns("Tabela", "Uma linha é", "Linhas", "Chave", "Liga-se a"), keys),
        Section("leia_me_colunas", _text_columns("Tabela", "Coluna", "Tipo", "Significado"), dictionary),
    )
    return Sheet(README_SHEET, "", sections, setup=Setup(Form.DATA, lines))


def _describe(table: LoadedTable, stamp: Stamp) -> str:
    """Say what a row is, and where the rows are that no sheet has room for."""
    beside = f"Mais linhas do que cabe numa folha: em Parquet, {name_beside(table.name, stamp.data_base)}, ao lado. "
    return ("" if table.fits else beside) + table.dataset.comment


def _text_columns(*headers: str) -> tuple[Column, ...]:
    widths = zip(headers, (26, 38, 20, 60, 60), strict=False)
    return tuple(Column(header, Kind.TEXT, width=width) for header, width in widths)


def export_tables(
    settings: Settings, empresa: Empresa, what: Sequence[str], formato: str, into: Path | None = None
) -> tuple[Path, tuple[str, ...]]:
    """Copy `dados` or reports from the published file of a company into files, all of them or none.

    Args:
        what: `dados`, codes of reports or names of views, with or without `mart.`; empty is `dados`.
        formato: one of `EXPORT_FORMATS`.
        into: where the folder of files goes; None is `exportados` of the company.

    Returns:
        The folder and the names of its files.

    Raises:
        ConfigError: when there is no such report or view.
        StorageError: when nothing is published, or the folder cannot be written.
    """
    pasta = settings.pasta(empresa)
    day, known = list_published_views(pasta)
    asked = [name.removeprefix("mart.") for name in what] or [DADOS]
    views = [view for name in asked if name != DADOS for view in find_views(name, known)]
    target = into or pasta / EXPORTS_FOLDER
    label = "_".join(dict.fromkeys(asked)) if len(asked) <= 4 else "relatorios"
    try:
        target.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(SUFFIX, ASIDE, target))
        folder = aside / f"{label}_{day.isoformat()}"
        folder.mkdir()
    except OSError as error:
        raise storage_error(target, error) from None
    try:
        written = export_published(
            pasta,
            list(dict.fromkeys(views)),
            folder,
            formato,
            dados=DADOS in asked,
            dados_pessoais=empresa.dados_pessoais,
        )
        moved = move_folder(folder, target, choose_mode(settings, writable=True))
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return moved, tuple(path.name for path in written)


def find_views(name: str, known: Mapping[str, str]) -> list[str]:
    """Find the views of a report by its code, with which their comments begin, or one view by its name.

    Args:
        name: code of a report in any case, or name of a view.
        known: name of every view -> its comment.

    Raises:
        ConfigError: when there is none, naming what there is.

    >>> find_views("r04", {"a_pagar": "R08: ...", "fluxo_mensal": "R04: ...", "fluxo_mensal_total": "R04: ..."})
    ['fluxo_mensal', 'fluxo_mensal_total']
    >>> find_views("a_pagar", {"a_pagar": "R08: ..."})
    ['a_pagar']
    """
    code = name.upper()
    if name in known:
        return [name]
    views = [view for view, comment in known.items() if comment.startswith(code)] if code in REPORT_TITLES else []
    if views:
        return views
    codes = ", ".join(REPORT_TITLES)
    raise ConfigError(f"exportar: não há «{name}». Escreva dados, um relatório ({codes}) ou uma visão de mart.")
