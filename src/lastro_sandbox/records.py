"""Writes books as JSON and reads them again: the records of the state file, and whole states kept to go back to."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import fields
from datetime import date
from typing import Any, Final

import orjson

from lastro_sandbox.ledger import Books
from lastro_sandbox.model import (
    Account,
    Attachment,
    Category,
    Charge,
    Classification,
    Entry,
    Named,
    Person,
)

KINDS: Final[dict[str, type[Any]]] = {
    "lancamentos": Entry,
    "cobrancas": Charge,
    "categorias": Category,
    "pessoas": Person,
    "classificacoes": Classification,
    "contas": Account,
    "anexos": Attachment,
    "centros": Named,
    "formas": Named,
    "tags": Named,
    "tipos_documento": Named,
}
_TUPLES: Final = {
    kind: tuple(field.name for field in fields(kind) if field.name in {"tags", "anexos", "proprios", "lancamento_ids"})
    for kind in set(KINDS.values())
}


def _write_bytes(value: Any) -> str:
    return base64.b64encode(value).decode("ascii")


def write_record(record: Any) -> str:
    """Write one record as JSON."""
    return orjson.dumps(record, default=_write_bytes).decode()


def make_record(kind: type[Any], values: dict[str, Any]) -> Any:
    """Make a record of the values that ``write_record`` wrote.

    Raises:
        TypeError: a field is missing or unknown.
    """
    for name in _TUPLES[kind]:
        if name in values:
            values[name] = tuple(values[name])
    if kind is Attachment:
        values["conteudo"] = base64.b64decode(values["conteudo"])
    return kind(**values)


def describe(books: Books) -> dict[str, str]:
    """Return what is to be known of books besides their records, as texts."""
    return {
        "hoje": books.hoje,
        "nome": books.nome,
        "empresa_id": books.empresa_id,
        "forma_composto": books.forma_composto,
        "seed": str(books.seed),
        "ticks": str(books.ticks),
        "saldos_lancados": json.dumps(sorted(books.saldos_lancados)),
        "proximos": json.dumps(books.next_ids),
    }


def build_books(described: dict[str, str], records: dict[str, list[Any]]) -> Books:
    """Put books together from their description and their records by kind.

    Raises:
        KeyError, ValueError: something is missing or can't be read.
    """
    books = Books(
        date.fromisoformat(described["hoje"]),
        nome=described["nome"],
        empresa_id=described["empresa_id"],
        forma_composto=described["forma_composto"],  # type: ignore[arg-type]  # what describe wrote
    )
    books.seed, books.ticks = int(described["seed"]), int(described["ticks"])
    books.saldos_lancados = frozenset(json.loads(described["saldos_lancados"]))
    for kind, found in records.items():
        if kind != "lancamentos":
            getattr(books, kind).update({record.id: record for record in found})
    books.load_entries(records.get("lancamentos", ()))
    books.start_ids(**json.loads(described["proximos"]))
    books.settle_ids()
    return books


def freeze(books: Books) -> bytes:
    """Return a whole state of books, compressed."""
    books.settle_ids()
    records = {kind: list(getattr(books, kind).values()) for kind in KINDS}
    state = {"livros": describe(books), "registros": records, "emails": books.emails}
    return zlib.compress(orjson.dumps(state, default=_write_bytes), level=1)


def thaw(frozen: bytes) -> Books:
    """Return the books of a state that ``freeze`` kept."""
    state = orjson.loads(zlib.decompress(frozen))
    records = {
        kind: [make_record(KINDS[kind], values) for values in found] for kind, found in state["registros"].items()
    }
    books = build_books(state["livros"], records)
    books.emails = state["emails"]
    return books
