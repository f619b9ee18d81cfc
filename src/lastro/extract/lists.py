"""Read the lists that come whole in one answer: reference lists, and those that the document does not show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from lastro.api.client import Answer, Refused, Unreadable
from lastro.api.endpoints import CONTAS, NAME_LISTS, REFERENCIAS, Endpoint
from lastro.api.paging import parse_id
from lastro.errors import ApiUnavailable, ConfigError
from lastro.extract.counts import read_id
from lastro.extract.landing import PageFile, read_landed
from lastro.extract.passes import Passada
from lastro.extract.records import ask_record
from lastro.extract.source import Source

_PROBE_ATTEMPTS: Final = 2
PROBE_SECONDS: Final = 20.0
"""Longest that a list is waited for whose absence is normal."""
_MAX_CLASSIFICACOES: Final = 200
"""Look-ups of classifications that the listing lacks; companies have a handful."""
_NAMED_BY_PEOPLE: Final = ("classificacao_cliente_id", "classificacao_fornecedor_id")


@dataclass(frozen=True)
class Probe:
    """A listing that the document does not show.

    Attributes:
        name: name of its file where it exists.
        exists: whether the service has it.
        ids: record ids that it names, in its order.
        passada: its certificate where it exists.
        reason: Portuguese, what came instead; empty where it exists.
        answered: the service said something, be it unreadable; where it did not, no further list is probed.
    """

    name: str
    exists: bool
    ids: tuple[int, ...]
    passada: Passada | None
    reason: str
    answered: bool = True


def read_reference(
    source: Source,
    name: str,
) -> Passada:
    """Read a reference list, inactive records included, into the file of its name (S11).

    The default listing of `classificacoes` shows the customers' kind only, so those that people name and it lacks are
    read one by one: read `clientes` and `fornecedores` into the same folder before.

    Args:
        source: what is read, and where the file goes.
        name: `categorias`, `clientes`, `fornecedores` or `classificacoes`.

    Raises:
        ConfigError: for another name.
        ApiRejected, ApiUnavailable, StorageError: from the reading.
    """
    endpoint = REFERENCIAS.get(name)
    if endpoint is None:
        raise ConfigError(f"{name}: não é uma lista de referência; é uma de {', '.join(REFERENCIAS)}")
    client, progress = source.client, source.progress
    with source.reading():
        began, sent = source.clock(), client.requests
        progress.start(name, None, None)
        answers = [client.get_json(endpoint.path, endpoint.params, shape="list", whole=True)]
        rows = list(answers[0].value)
        reason = ""
        if name == "classificacoes":
            listed = {row_id for row_id in map(read_id, rows) if row_id is not None}
            named = sorted(_find_named(source.folder) - listed)
            for classificacao_id in named[:_MAX_CLASSIFICACOES]:
                answer = ask_record(client, endpoint, classificacao_id)
                if isinstance(answer, Answer):  # people may name a deleted one: a placeholder shows it (V20)
                    answers.append(answer)
                    rows.append(answer.value)
            if len(named) > _MAX_CLASSIFICACOES:
                reason = f"{len(named) - _MAX_CLASSIFICACOES} classificações citadas não foram consultadas"
        passada = _land(source, endpoint, answers, rows, began, client.requests - sent, reason)
        progress.advance(len(answers), len(rows))
        progress.finish()
        return passada


def probe_contas(source: Source) -> Probe:
    """Ask for the account list, which the document does not show; lands `contas` where it exists."""
    return _probe(source, CONTAS)


def probe_lists(
    source: Source,
    after: Probe,
) -> dict[str, Probe]:
    """Ask for the lists of names that the document does not show; lands those that exist.

    A service that leaves one of them without an answer would have every run wait for each: the others are not asked.

    Args:
        source: what is read, and where the files go.
        after: the probe before these.

    Returns:
        `centros_custo_lucro`, `formas_pagamento`, `tags`, `tipos_documento` -> what came.
    """
    probes: dict[str, Probe] = {}
    for name, endpoint in NAME_LISTS.items():
        if after.answered:
            after = probes[name] = _probe(source, endpoint)
        else:
            probes[name] = _absent(source, endpoint, f"não perguntada: {after.name} ficou sem resposta")
    return probes


def _absent(source: Source, endpoint: Endpoint, reason: str, *, answered: bool = True) -> Probe:
    (source.folder / f"{endpoint.name}.jsonl.gz").unlink(missing_ok=True)
    return Probe(endpoint.name, exists=False, ids=(), passada=None, reason=reason, answered=answered)


def _probe(source: Source, endpoint: Endpoint) -> Probe:
    """Ask once; any refusal, and an answer that stays unreadable, means that the service has no such list."""
    client, progress = source.client, source.progress
    began, sent = source.clock(), client.requests
    progress.start(endpoint.name, None, None)
    try:
        answer = client.get_json(
            endpoint.path, shape="list", attempts=_PROBE_ATTEMPTS, probe=True, whole=True, within=PROBE_SECONDS
        )
    except Refused as refused:
        return _absent(source, endpoint, f"HTTP {refused.status}")
    except ApiUnavailable as error:
        return _absent(source, endpoint, "sem resposta legível", answered=isinstance(error, Unreadable))
    finally:
        progress.finish()
    passada = _land(source, endpoint, [answer], answer.value, began, client.requests - sent, "")
    ids = tuple(row_id for row_id in map(read_id, answer.value) if row_id is not None)
    return Probe(endpoint.name, exists=True, ids=ids, passada=passada, reason="")


def _land(
    source: Source,
    endpoint: Endpoint,
    answers: list[Answer],
    rows: list[Any],
    began: datetime,
    requests: int,
    reason: str,
) -> Passada:
    """Land answers that are whole by themselves and write their certificate."""
    with PageFile(source.folder, endpoint.name) as file:
        for answer in answers:
            file.add(answer)
        file.commit()
    ids = [row_id for row_id in map(read_id, rows) if row_id is not None]
    return Passada(
        lista=endpoint.name,
        paginas=len(answers),
        linhas_recebidas=len(rows),
        ids_distintos=len(set(ids)),
        repetidas=len(ids) - len(set(ids)),
        rejeitadas=len(rows) - len(ids),
        veredito="provada",
        prova="resposta única",
        motivo=reason,
        requisicoes=requests,
        iniciada_em=began,
        terminada_em=source.clock(),
        reparados=sum(answer.repaired for answer in answers),
    )


def _find_named(folder: Path) -> set[int]:
    """Find the classifications that the people landed in the folder name."""
    people: Iterable[Any] = (row for name in ("clientes", "fornecedores") for row in read_landed(folder, name))
    named = (parse_id(row.get(key)) for row in people if isinstance(row, dict) for key in _NAMED_BY_PEOPLE)
    return {classificacao_id for classificacao_id in named if classificacao_id is not None}
