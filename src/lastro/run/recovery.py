"""The state that a run finds: a private file that opens, is rebuilt or is lost, and leftovers of earlier runs.

A day before the published one is another state: its reports go into `retro/`, so that what everybody opens stays. To
publish it in the place of today, one asks for the day and for `publicar_passado`. Only who holds the company's lock
calls any of it.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack, suppress
from datetime import UTC, date, datetime
from pathlib import Path

from lastro.errors import StorageError
from lastro.run.deliveries import has_delivered, list_pending, take_back
from lastro.run.happened import BEGUN_ANEW, REBUILT, UNRECORDED, succeed
from lastro.run.names import GERENCIAL, PAGES_FOLDER, REPORTS_FOLDER, RETRO_FOLDER
from lastro.run.record import RECORD, mend, query_record
from lastro.schema.run_kinds import ENDED_WELL, Situacao
from lastro.warehouse.file.faults import DamagedWarehouse, LostHistory
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER, Warehouse
from lastro.warehouse.loading import runs
from lastro.warehouse.loading.runs import Run
from lastro.warehouse.publication.copies import (
    PUBLISHED_FOLDER,
    is_filled,
    list_copies,
    read_published,
    restore_private,
)
from lastro.warehouse.publication.published_file import open_published

_HALF_WRITTEN = (
    (PUBLISHED_FOLDER, ".lastro-*.novo*"),
    (f"{PRIVATE_FOLDER}/{PAGES_FOLDER}", "*/.*.tmp"),
    (PRIVATE_FOLDER, "*.copia"),
    (RETRO_FOLDER, "*/.*.novo*"),
)
"""Folder and pattern of the files that only a run that died leaves behind; those of a delivery `placement` sweeps."""


def open_warehouse(pasta: Path) -> tuple[Warehouse, str]:
    """Open a company's private file; one that is missing, empty or damaged is rebuilt from the published copy.

    A record that is damaged or lost is begun anew: what stands in the folders has no digest in it, and stays.

    Returns:
        The file, and what became of the history (`happened`); empty where it is as it was, or new.

    Raises:
        StorageError: when the company has published and no copy that opens is left, or the record cannot be written.
    """
    warehouse, what = _open_private(pasta)
    with ExitStack() as stack:
        stack.callback(warehouse.close)
        lost = mend(pasta) and read_published(pasta) is not None
        stack.pop_all()
    return warehouse, what or (UNRECORDED if lost else "")


def _open_private(pasta: Path) -> tuple[Warehouse, str]:
    # New, or lost: to begin anew beside a published copy would publish a warehouse without history.
    what = "" if is_filled(pasta / PRIVATE_FOLDER / LINK_NAME) else rebuild(pasta)
    try:
        try:
            return Warehouse(pasta), what
        except DamagedWarehouse:
            # Rebuilt from the published copy and the service; the damaged file stays beside it.
            what = rebuild(pasta)
            return Warehouse(pasta), what
    except DamagedWarehouse:
        raise _tell_lost(pasta) from None


def rebuild(pasta: Path) -> str:
    """Put the published copy in the place of a private file that is lost; begin anew where nothing was published.

    Returns:
        What became of the history; empty of a new company.

    Raises:
        StorageError: when there is no copy, though the company has published; then everything is where it was.
    """
    if not (pasta / LINK_NAME).exists() and _has_history(pasta):
        raise _tell_lost(pasta)
    anew = (pasta / PRIVATE_FOLDER / LINK_NAME).exists() or any((pasta / REPORTS_FOLDER).glob(f"{GERENCIAL}_*.xlsx"))
    if restore_private(pasta):
        return REBUILT
    return BEGUN_ANEW if anew else ""


def _has_history(pasta: Path) -> bool:
    """Tell whether a company has delivered or published, or has a private file where no run has ever begun.

    The latter somebody put there, as a restoration does.
    """
    if has_delivered(pasta) or list_copies(pasta):
        return True
    return (pasta / PRIVATE_FOLDER / LINK_NAME).exists() and not find_last_number(pasta)


def _tell_lost(pasta: Path) -> LostHistory:
    """Name the missing files of a company that has published, and the files that block a new beginning."""
    left = (pasta / PRIVATE_FOLDER / LINK_NAME, pasta / LINK_NAME, pasta / PUBLISHED_FOLDER, pasta / RECORD)
    names = ", ".join(str(path.relative_to(pasta)) for path in left if path.exists() or path.is_symlink())
    return LostHistory(
        f"{pasta}: o arquivo privado de uma empresa que não é nova sumiu, está vazio ou danificado, "
        "e não há cópia publicada que abra para refazê-lo. Uma execução começaria uma história nova "
        "e ninguém notaria. Restaure um backup (lastro manual Restaurar); para abrir mão da história, "
        f"tire dali {names} e rode de novo."
    )


def find_last_number(pasta: Path) -> int:
    """Find the highest run number of everything that happened, whatever the private file says; 0 for none.

    A private file that was put back, or rebuilt, is older than what is published or lies in `retro/`: a run that took
    one of those numbers again would be two runs to whoever reads it.
    """
    rows = query_record(
        pasta, "SELECT max(numero) FROM (SELECT numero FROM execucao UNION ALL SELECT numero FROM entrega)"
    )
    return max(read_published(pasta) or 0, *(number or 0 for (number,) in rows), 0)


def is_behind(warehouse: Warehouse) -> bool:
    """Tell whether a private file does not know the run that everybody sees, as one that was put back after it."""
    published = read_published(warehouse.pasta)
    return published is not None and runs.read_run(warehouse, published) is None


def settle(warehouse: Warehouse, moment: datetime) -> None:
    """Mark as failed the runs whose process died before their result was published, and remove what they left.

    A run stands once the published link points at it, one of a past day once its copy is in `retro/`.

    Args:
        moment: naive UTC.
    """
    pasta, pending = warehouse.pasta, list_pending(warehouse.pasta)
    published = read_published(pasta)
    if published is not None:
        past = [run for run in _read_runs(warehouse, pending) if run.situacao == Situacao.RETROATIVA]
        lost = [run.execucao_id for run in past if not is_in_retro(pasta, run)]
        runs.disown_unpublished(warehouse, published, lost, moment)
        ended = {run.execucao_id: run for run in _read_runs(warehouse, pending) if run.situacao in ENDED_WELL}
        for execucao_id in sorted(pending.intersection({published, *ended})):
            is_past = execucao_id in ended and ended[execucao_id].situacao == Situacao.RETROATIVA
            succeed(pasta, execucao_id, moment.replace(tzinfo=UTC), past=is_past)
    for folder, pattern in _HALF_WRITTEN:
        for leftover in (pasta / folder).glob(pattern):
            with suppress(OSError):
                leftover.unlink()
    take_back(pasta)


def _read_runs(warehouse: Warehouse, execucao_ids: Collection[int]) -> list[Run]:
    """Read how some runs stand, in their order; one that the file does not know is left out."""
    read = (runs.read_run(warehouse, execucao_id) for execucao_id in sorted(execucao_ids))
    return [run for run in read if run is not None]


def find_retro_folder(pasta: Path, run: Run, warehouse: Warehouse) -> Path | None:
    """Find the folder of a run's day in `retro/`; None for a run that becomes what everybody sees."""
    execucao_id = read_published(pasta)
    if execucao_id is None:
        return None
    published = runs.read_run(warehouse, execucao_id)
    # Of what is published a private file that was put back does not know the day: only today comes in its place.
    shown = run.data_extracao if published is None else published.data_base
    return None if run.data_base >= shown else _name_folder(pasta, run.data_base)


def is_in_retro(pasta: Path, run: Run) -> bool:
    """Tell whether the copy of the warehouse that stands in `retro/` for the day of a run says that it ended well."""
    sql = "SELECT 1 FROM ops.execucoes WHERE execucao_id = ? AND situacao = ?"
    with suppress(StorageError), open_published(_name_folder(pasta, run.data_base) / LINK_NAME) as con:
        return con.execute(sql, [run.execucao_id, Situacao.RETROATIVA]).fetchone() is not None
    return False


def _name_folder(pasta: Path, day: date) -> Path:
    return pasta / RETRO_FOLDER / day.isoformat()
