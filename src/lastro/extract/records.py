"""Read single records by id: details of entries (V15, S13); classifications that their list leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from lastro.api.client import Answer, Client, Refused
from lastro.api.endpoints import LANCAMENTOS, Endpoint
from lastro.api.paging import parse_id
from lastro.extract.landing import PageFile
from lastro.extract.source import Source

Presence = Literal["vivo", "ausente", "indefinido"]
_UNREADABLE_TRIES: Final = 3


def ask_record(client: Client, endpoint: Endpoint, record_id: int) -> Answer | Presence:
    """Ask for one record until the answer is that very record; an error told with status 200 is none.

    Returns:
        The answer; `ausente` for a 4xx other than 401, 403, 408, 425 and 429; `indefinido` when something else came
        thrice.
    """
    for _ in range(_UNREADABLE_TRIES):
        try:
            answer = client.get_json(f"{endpoint.path}/{record_id}")
        except Refused:
            return "ausente"
        if isinstance(answer.value, dict) and parse_id(answer.value.get("id")) == record_id:
            return answer
    return "indefinido"


def read_details(
    source: Source,
    ids: Iterable[int],
) -> dict[int, Presence]:
    """Ask for entries one by one and land those that are there.

    Args:
        source: what is read, and where the file `detalhes` goes; it replaces that of an earlier call.
        ids: entry ids; asked once each.

    Returns:
        id -> `vivo`: a 200 with that very record, landed; `ausente`: a 4xx other than 401, 403, 408, 425 and 429 (S13);
        `indefinido`: a 200 with something else, which proves neither.

    Raises:
        ApiRejected: when the token is refused.
        ApiUnavailable: when the service does not answer: nothing is known then about any id.
        StorageError: when the file can't be written.
    """
    wanted = tuple(dict.fromkeys(ids))

    def ask(entry: int) -> Answer | Presence:
        return ask_record(source.client, LANCAMENTOS, entry)

    presences: dict[int, Presence] = {}
    with source.reading() as pool, PageFile(source.folder, "detalhes") as file:
        source.progress.start("detalhes", None, len(wanted))
        for entry, answer in zip(wanted, pool.map(ask, wanted), strict=True):
            if isinstance(answer, Answer):
                file.add(answer)
                presences[entry] = "vivo"
            else:
                presences[entry] = answer
            source.progress.advance(1, 1)
        file.commit()
        source.progress.finish()
    return presences
