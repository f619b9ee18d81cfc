"""Flat tables of a run: the workbook `dados`, and the same tables or any report as Parquet, CSV and JSON."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.access import choose_mode
from lastro.catalogue import REPORT_NAMES, REPORT_TITLES
from lastro.errors import ConfigError
from lastro.export.flat import render_flat
from lastro.export.xlsx import workbook_name
from lastro.grid.workbook import Stamp
from lastro.run.place import PREFIX, SUFFIX, move_folder
from lastro.run.report import find_exact_run
from lastro.settings import Empresa, Settings
from lastro.warehouse.blocks import READING_MEMORY, limit_memory
from lastro.warehouse.datasets import MAX_ROWS, DatasetReader, export_published, list_published_views
from lastro.warehouse.faults import storage_error

if TYPE_CHECKING:
    from lastro.run.session import RunSession

DADOS: Final = "dados"
EXPORTS_FOLDER: Final = "exportados"
QUALITY: Final = "R15"
"""The report whose views have names of their own."""


def write_dados(session: RunSession, stamp: Stamp) -> int:
    """Write `dados` aside, and beside it the files that `exportar` asks for.

    Returns:
        Rows of data in the workbook.
    """
    personal = session.empresa.dados_pessoais
    if session.warehouse.query("SELECT count(*) FROM core.linhas")[0][0] <= MAX_ROWS:
        # Until `release_memory`. A table that is split is read several times, which should not be from the disk.
        limit_memory(session.warehouse.con, READING_MEMORY)
    reader = DatasetReader(session.warehouse.con, stamp.data_base, find_exact_run(session), dados_pessoais=personal)
    _, rows = render_flat(
        session.staging / workbook_name(DADOS, stamp.data_base), stamp, reader.tables(), personal=personal
    )
    if session.empresa.exportar:
        folder = session.staging / export_name(stamp)
        folder.mkdir(parents=True)
        reader.copy(folder, session.empresa.exportar)
    session.warehouse.release_memory()
    return rows


def export_name(stamp: Stamp) -> str:
    """Name the folder of a run's exported tables."""
    return f"{DADOS}_{stamp.data_base.isoformat()}"


def export_tables(
    settings: Settings, empresa: Empresa, what: Sequence[str], formato: str, into: Path | None = None
) -> tuple[Path, tuple[str, ...]]:
    """Copy `dados` or reports from the published file of a company into files, all of them or none.

    Args:
        settings: all settings.
        empresa: the company.
        what: `dados`, codes of reports or names of views; empty is `dados`.
        formato: parquet, csv or json.
        into: where the folder of files goes; None is `exportados` of the company.

    Returns:
        The folder and the names of its files.

    Raises:
        ConfigError: when there is no such report or view.
        StorageError: when nothing is published, or the folder cannot be written.
    """
    pasta = settings.pasta(empresa)
    day, known = list_published_views(pasta)
    asked = list(what) or [DADOS]
    views = [view for name in asked if name != DADOS for view in find_views(name, known)]
    target = into or pasta / EXPORTS_FOLDER
    label = "_".join(dict.fromkeys(asked)) if len(asked) <= 4 else "relatorios"
    try:
        target.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(SUFFIX, PREFIX, target))
        folder = aside / f"{label}_{day.isoformat()}"
        folder.mkdir()
    except OSError as error:
        raise storage_error(target, error) from None
    try:
        written = export_published(
            pasta,
            list(dict.fromkeys(views)),
            folder,
            [formato],
            dados=DADOS in asked,
            dados_pessoais=empresa.dados_pessoais,
        )
        moved = move_folder(folder, target, choose_mode(settings, writable=True))
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return moved, tuple(path.name for path in written)


def find_views(name: str, known: Sequence[str]) -> list[str]:
    """Find the views of a report by its code (`R04`), or one view by its name.

    Raises:
        ConfigError: when there is none, naming what there is.

    >>> find_views("r04", ["a_pagar", "fluxo_mensal", "fluxo_mensal_total"])
    ['fluxo_mensal', 'fluxo_mensal_total']
    >>> find_views("a_pagar", ["a_pagar"])
    ['a_pagar']
    """
    if name in known:
        return [name]
    code = name.upper()
    if code in REPORT_TITLES:
        owners = {view: _find_owner(view) for view in known}
        found = [view for view in known if owners[view] == code]
        if found:
            return found
    codes = ", ".join(REPORT_TITLES)
    raise ConfigError(f"exportar: no «{name}». Write dados, a report ({codes}) or a view of mart.")


def _find_owner(view: str) -> str:
    """Say which report a view belongs to: the one with the longest name that begins it."""
    owners = [(len(name), code) for code, name in REPORT_NAMES.items() if view == name or view.startswith(f"{name}_")]
    return max(owners)[1] if owners else QUALITY
