"""The state that a run finds: a private file that opens, is rebuilt or is lost, and leftovers of earlier runs.

Only who holds the company's lock calls any of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from lastro.run.delivery_log import DELIVERY_LOG, read_record, remove_unpublished
from lastro.run.journal import BEGUN_ANEW, REBUILT, read_journal
from lastro.run.names import GERENCIAL, PAGES_FOLDER, REPORTS_FOLDER, RETRO_FOLDER
from lastro.run.retro import is_in_retro
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

_HALF_WRITTEN = (
    (PUBLISHED_FOLDER, ".lastro-*.novo*"),
    (f"{PRIVATE_FOLDER}/{PAGES_FOLDER}", "*/.*.tmp"),
    (PRIVATE_FOLDER, "*.copia"),
    (RETRO_FOLDER, "*/.*.novo*"),
)
"""Folder and pattern of the files that only a run that died leaves behind; those of a delivery `placement` sweeps."""


def open_warehouse(pasta: Path) -> tuple[Warehouse, str]:
    """Open a company's private file; one that is missing, empty or damaged is rebuilt from the published copy.

    Returns:
        The file, and what became of the history (`journal`); empty where it is as it was, or new.

    Raises:
        StorageError: when the company has published and no copy that opens is left.
    """
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
    if (pasta / DELIVERY_LOG).exists() or list_copies(pasta):
        return True
    journal = read_journal(pasta)
    begun = journal.andamento is not None or (journal.falha is not None and journal.falha.execucao_id is not None)
    return (pasta / PRIVATE_FOLDER / LINK_NAME).exists() and not begun


def _tell_lost(pasta: Path) -> LostHistory:
    """Name the missing files of a company that has published, and the files that block a new beginning."""
    left = (pasta / PRIVATE_FOLDER / LINK_NAME, pasta / LINK_NAME, pasta / PUBLISHED_FOLDER, pasta / DELIVERY_LOG)
    names = ", ".join(str(path.relative_to(pasta)) for path in left if path.exists() or path.is_symlink())
    return LostHistory(
        f"{pasta}: o arquivo privado de uma empresa que não é nova sumiu, está vazio ou danificado, "
        "e não há cópia publicada que abra para refazê-lo. Uma execução começaria uma história nova "
        "e ninguém notaria. Restaure um backup (lastro manual Restaurar); para abrir mão da história, "
        f"tire dali {names} e rode de novo."
    )


def find_last_number(pasta: Path) -> int:
    """Find the highest run number among everything published or delivered, whatever the private file says; 0 for none.

    A private file that was put back, or rebuilt, is older than what is published or lies in `retro/`: a run that took
    one of those numbers again would be two runs to whoever reads it.
    """
    return max((read_published(pasta) or 0, *(file.execucao_id for file in read_record(pasta).files)))


def is_behind(warehouse: Warehouse) -> bool:
    """Tell whether a private file does not know the run that everybody sees, as one that was put back after it."""
    published = read_published(warehouse.pasta)
    return published is not None and runs.read_run(warehouse, published) is None


def settle(warehouse: Warehouse, moment: datetime) -> None:
    """Mark as failed the runs whose process died before their result was published, and remove what they left.

    A run stands once the published link points at it, one of a past day once its copy is in `retro/`.

    Args:
        warehouse: the private file.
        moment: naive UTC.
    """
    pasta = warehouse.pasta
    published, standing = read_published(pasta), set[int]()
    if published is not None:
        pending = {file.execucao_id for file in read_record(pasta).pending}
        past = [run for run in _read_runs(warehouse, pending) if run.situacao == Situacao.RETROATIVA]
        lost = [run.execucao_id for run in past if not is_in_retro(pasta, run)]
        runs.disown_unpublished(warehouse, published, lost, moment)
        standing = {published}
        standing |= {run.execucao_id for run in _read_runs(warehouse, pending) if run.situacao in ENDED_WELL}
    for folder, pattern in _HALF_WRITTEN:
        for leftover in (pasta / folder).glob(pattern):
            with contextlib.suppress(OSError):
                leftover.unlink()
    remove_unpublished(pasta, standing)


def _read_runs(warehouse: Warehouse, execucao_ids: Collection[int]) -> list[Run]:
    """Read how some runs stand, in their order; one that the file does not know is left out."""
    read = (runs.read_run(warehouse, execucao_id) for execucao_id in sorted(execucao_ids))
    return [run for run in read if run is not None]
