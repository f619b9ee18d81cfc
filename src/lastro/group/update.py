"""Update the group's database from the published files; a copy that was read before is skipped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lastro.errors import LastroError
from lastro.group.database import GroupFile
from lastro.run.access import admit_readers, choose_mode
from lastro.run.own_questions import are_asked, ask_questions, has_questions
from lastro.settings import GROUP_FOLDER, Settings
from lastro.settings.model import ENTRADA
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.publication.copies import COPY_NAME, PUBLISHED_FOLDER, read_published


@dataclass(frozen=True)
class GroupUpdate:
    """What an update left.

    Attributes:
        armazem: the link to the published copy; None where no company has published anything.
        trocadas: companies whose rows were replaced.
        retiradas: companies that left the settings.
        ilegiveis: company -> why its copy could not be read; what was there of it stays.
        recusadas: questions of the group without an answer: file and reason.
    """

    armazem: Path | None
    trocadas: tuple[str, ...] = ()
    retiradas: tuple[str, ...] = ()
    ilegiveis: tuple[tuple[str, str], ...] = ()
    recusadas: tuple[tuple[str, str], ...] = ()


def update_group(settings: Settings) -> GroupUpdate:
    """Replace the rows of every company that published another copy, ask the group's questions, flip its copy.

    Raises:
        WarehouseBusy: when another process does the same.
        StorageError: when the folder cannot be written.
    """
    folder = settings.dir / GROUP_FOLDER
    names = {empresa.id: empresa.nome for empresa in settings.empresas}
    copies = {
        empresa_id: COPY_NAME.format(execucao_id)
        for empresa_id in settings.ids
        if (execucao_id := read_published(settings.dir / empresa_id)) is not None
    }
    if not copies:
        return GroupUpdate(None)
    with CompanyLock(folder).held("o banco do grupo"), GroupFile(folder) as group:
        known = group.read_known()
        gone = tuple(sorted(set(known) - set(settings.ids)))
        group.drop(gone)
        changed, unreadable, refused = [], [], list[tuple[str, str]]()
        asked = are_asked(folder / ENTRADA) or has_questions(group)
        for empresa_id in (each for each, copy in copies.items() if known.get(each) != copy):
            try:
                link = settings.dir / empresa_id / LINK_NAME
                group.replace(empresa_id, names.get(empresa_id, empresa_id), link)
                changed.append(empresa_id)
            except LastroError as error:
                unreadable.append((empresa_id, str(error)))
        if changed or gone or asked or not (folder / LINK_NAME).exists():
            admit_readers(settings, folder / PUBLISHED_FOLDER)
            refused = ask_questions(group, folder / ENTRADA)
            group.publish(choose_mode(settings, writable=False))
    return GroupUpdate(folder / LINK_NAME, tuple(changed), gone, tuple(unreadable), tuple(refused))
