"""What an operation of the service is: method, path, parameters, and a plain function that answers it.

The table of operations is the single source of the routes (``app``) and of the OpenAPI description (``openapi``).
Answering functions know nothing of HTTP: they get the ``Service`` and a ``Call`` and return a value for JSON or raise
``Refused``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from lastro_sandbox.decisions import CountShape, Dialect
from lastro_sandbox.forms import Node
from lastro_sandbox.ledger import Books
from lastro_sandbox.listing import Listings
from lastro_sandbox.params import Params

Kind = Literal["integer", "string", "date", "decimal", "percent", "boolean", "colour", "tags", "file", "items", "ids"]


@dataclass(frozen=True, slots=True)
class Param:
    """One documented parameter, for the description of the interface.

    ``filled`` may be left out but not sent blank; ``minimum`` is for integers, ``maximum`` for them and the length of
    texts; ``refers`` names the records whose ids it takes (``openapi.list_references``).
    """

    name: str
    kind: Kind = "string"
    required: bool = False
    text: str = ""
    values: tuple[str, ...] = ()
    items: tuple[Param, ...] = ()
    filled: bool = False
    positive: bool = False
    minimum: int = 0
    maximum: int | None = None
    refers: str = ""


@dataclass(frozen=True, slots=True)
class Upload:
    """One uploaded file of a multipart body."""

    filename: str
    content_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """One request, read: ids of the path in order, parameters, nested form values, uploaded files by field."""

    ids: tuple[int, ...]
    params: Params
    form: Node
    files: dict[str, Upload] = field(default_factory=dict)


@dataclass(slots=True)
class Service:
    """The books and the way in which they are shown."""

    books: Books
    listings: Listings
    dialeto: Dialect
    forma_count: CountShape
    link_base: str = "https://pagamento.exemplo"
    count_delta: int = 0  # how wrong a count is told, by the fault ``contagem_errada``


Answer = Callable[[Service, Call], Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented operation."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    answer: Answer
    name: str
    summary: str
    tag: str
    query: tuple[Param, ...] = ()
    body: tuple[Param, ...] = ()
    multipart: bool = False
    schema: str = ""
    array: bool = False
    only_observado: bool = False
