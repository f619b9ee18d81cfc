"""Read single records by id: details of entries (V15, S13) and attachments."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final, Literal

from lastro.api.client import Answer, Client, Refused
from lastro.api.endpoints import ANEXOS, LANCAMENTOS, Endpoint
from lastro.api.paging import parse_id
from lastro.extract.landing import PageFile, storage_errors
from lastro.extract.passes import NoProgress, Progress
from lastro.extract.rounds import reading

Presence = Literal["vivo", "ausente", "indefinido"]
_UNREADABLE_TRIES: Final = 3


MAX_FILE_BYTES = 25 * 1024 * 1024
"""Largest attachment kept."""
FILES_AT_ONCE = 2
"""Attachments with their content that are in memory at one time."""
FREE_BYTES = 1024**3
"""Attachments are left where less than this would stay free: the run itself needs room."""


@dataclass(frozen=True)
class AnexosRead:
    """Attachments.

    Attributes:
        read: ids whose metadata is landed.
        absent: ids that the service does not have.
        postponed: ids left for another run, because the budget was spent or no readable answer came.
        files: id -> SHA-256 of its stored file, in hexadecimal.
    """

    read: tuple[int, ...]
    absent: tuple[int, ...]
    postponed: tuple[int, ...]
    files: Mapping[int, str]


def ask_record(
    client: Client,
    endpoint: Endpoint,
    number: int,
    params: Mapping[str, str | int] | None = None,
    *,
    whole: bool = False,
) -> Answer | Presence:
    """Ask for one record until the answer is that very record; an error told with status 200 is none.

    With `whole` its body may be as long as that of a whole list: a file comes inside it.

    Returns:
        The answer; `ausente` for a 4xx other than 401, 403, 408 and 429; `indefinido` when something else came thrice.
    """
    for _ in range(_UNREADABLE_TRIES):
        try:
            answer = client.get_json(f"{endpoint.path}/{number}", params, whole=whole)
        except Refused:
            return "ausente"
        if isinstance(answer.value, dict) and parse_id(answer.value.get("id")) == number:
            return answer
    return "indefinido"


def read_details(
    client: Client,
    ids: Iterable[int],
    folder: Path,
    *,
    progress: Progress | None = None,
) -> dict[int, Presence]:
    """Ask for entries one by one and land those that are there.

    Args:
        client: the company's service.
        ids: entry ids; asked once each.
        folder: where the file `detalhes` goes; it replaces that of an earlier call.
        progress: hears of rows and waits.

    Returns:
        id -> `vivo`: a 200 with that very record, landed; `ausente`: a 4xx other than 401, 403, 408 and 429 (S13);
        `indefinido`: a 200 with something else, which proves neither.

    Raises:
        ApiRejected: when the token is refused.
        ApiUnavailable: when the service does not answer: nothing is known then about any id.
        StorageError: when the file can't be written.
    """
    wanted = tuple(dict.fromkeys(ids))
    progress = progress or NoProgress()

    def ask(entry: int) -> Answer | Presence:
        return ask_record(client, LANCAMENTOS, entry)

    found: dict[int, Presence] = {}
    with reading(client, progress) as pool, PageFile(folder, "detalhes") as file:
        progress.start("detalhes", None, len(wanted))
        for entry, answer in zip(wanted, pool.map(ask, wanted), strict=True):
            if isinstance(answer, Answer):
                file.add(answer)
                found[entry] = "vivo"
            else:
                found[entry] = answer
            progress.advance(1, 1)
        file.commit()
        progress.finish()
    return found


def read_anexos(
    client: Client,
    ids: Iterable[int],
    folder: Path,
    *,
    already_read: Collection[int] = (),
    budget: int = 50,
    files_folder: Path | None = None,
    progress: Progress | None = None,
) -> AnexosRead:
    """Read the metadata of attachments into `anexos`, once per id, and their files where a folder is given.

    A file is stored under its own SHA-256 (`<two digits>/<sha256>`), so the same content is kept once and a
    name that the service sends never becomes a path. The content itself is not landed.

    Args:
        client: the company's service.
        ids: attachment ids that rows name.
        folder: where the metadata goes.
        already_read: ids read in earlier runs, which are not asked again.
        budget: most requests to spend.
        files_folder: folder of the files; None reads metadata only.
        progress: hears of rows and waits.

    Raises:
        ApiRejected, ApiUnavailable, StorageError: from the reading.
    """
    known = frozenset(already_read)
    pending = sorted(set(ids) - known)
    wanted = pending[: max(0, budget)]
    progress = progress or NoProgress()
    read: list[int] = []
    absent: list[int] = []
    unreadable: list[int] = []
    files: dict[int, str] = {}

    room = BoundedSemaphore(FILES_AT_ONCE)

    def ask(anexo: int) -> tuple[Answer | Presence, str | None]:
        """Ask for one; its content is stored and let go before the next ones come."""
        if files_folder is None:
            return ask_record(client, ANEXOS, anexo), None
        with room:
            answer = ask_record(client, ANEXOS, anexo, {"with_file": "true"}, whole=True)
            if not isinstance(answer, Answer):
                return answer, None
            content = answer.value.get("file")
            digest = _store_file(files_folder, anexo, content) if isinstance(content, str) else None
            return _without_content(answer), digest

    with reading(client, progress) as pool, PageFile(folder, "anexos") as landed:
        progress.start("anexos", None, len(wanted))
        for anexo, (answer, digest) in zip(wanted, pool.map(ask, wanted), strict=True):
            progress.advance(1, 1)
            if not isinstance(answer, Answer):
                (absent if answer == "ausente" else unreadable).append(anexo)
                continue
            landed.add(_without_content(answer))
            read.append(anexo)
            if digest is not None:
                files[anexo] = digest
        landed.commit()
        progress.finish()
    return AnexosRead(tuple(read), tuple(absent), (*unreadable, *pending[len(wanted) :]), files)


def _without_content(answer: Answer) -> Answer:
    """Leave the base64 content out of what is landed."""
    value: dict[str, Any] = {key: element for key, element in answer.value.items() if key != "file"}
    line = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return replace(answer, value=value, line=line, original=None)


def _store_file(folder: Path, anexo: int, content: str) -> str | None:
    """Store a file under its digest, whole or not at all; None when not base64, too large, or the disk is full."""
    if len(content) > MAX_FILE_BYTES * 4 // 3 + 4 or shutil.disk_usage(folder.parent).free < FREE_BYTES:
        return None
    try:
        data = base64.b64decode(content, validate=False)
    except (binascii.Error, ValueError):
        return None
    digest = hashlib.sha256(data).hexdigest()
    path = folder / digest[:2] / digest
    if path.exists():
        return digest
    # By its own id: another of the same content may be on its way at the same time.
    temporary = path.with_name(f".{digest}.{anexo}.tmp")
    with storage_errors("an attachment"):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    return digest
