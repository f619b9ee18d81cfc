"""Reads a request into a ``Call``: parameters of the query and of the body, nested form values, uploaded files."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.types import Message, Receive

from lastro_sandbox.decisions import BODY_MAX, Dialect
from lastro_sandbox.errors import Refused
from lastro_sandbox.forms import Node, parse_form
from lastro_sandbox.operations import Call, Upload
from lastro_sandbox.params import Params

_FIELDS_MAX = 5000
_JSON_DEPTH_MAX = 8
_NOT_UTF8 = "deve estar em UTF-8"
Pairs = list[tuple[str, str]]


def read_query(raw: bytes) -> Pairs:
    """Read a query string; ``tag_id=1&2&3`` with plain ampersands is read as the text ``1&2&3``."""
    try:
        pairs = parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=_FIELDS_MAX, errors="strict")
    except UnicodeDecodeError:
        raise Refused(400, {"consulta": [_NOT_UTF8]}) from None
    except ValueError:
        raise Refused(400, {"consulta": ["parâmetros demais"]}) from None
    joined: Pairs = []
    for name, value in pairs:
        if value == "" and name.isdigit() and joined and joined[-1][0] == "tag_id":
            joined[-1] = ("tag_id", f"{joined[-1][1]}&{name}")
        else:
            joined.append((name, value))
    return joined


def limit_body(receive: Receive) -> Receive:
    """Wrap ``receive`` so that a body above the largest one is refused instead of read."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > BODY_MAX:
            raise Refused(413, {"corpo": [f"deve ter no máximo {BODY_MAX} bytes"]})
        return message

    return receive_limited


async def read_call(request: Request, ids: tuple[int, ...], query: Pairs, dialeto: Dialect) -> Call:
    """Read a request.

    Parameters of the body win over those of the query; both are read on every method, because programs send the
    parameters of a DELETE either way. The body of a GET is read in ``observado`` only.

    Raises:
        Refused: 400 for a body that can't be read or is of a type that the document does not know, 413 for a body
            that is too large.
    """
    pairs = [pair for pair in query if pair[0] != "access_token"]
    if request.method in ("GET", "HEAD") and dialeto == "documento":
        return Call(ids, Params(dict(pairs)), Node())
    files: dict[str, Upload] = {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        pairs += await _read_multipart(request, files)
    else:
        body = await request.body()
        if body and kind in ("application/x-www-form-urlencoded", "text/plain", ""):
            pairs += _read_urlencoded(body)
        elif body and kind == "application/json" and dialeto == "observado":
            form = _read_json(body)
            form.fields = parse_form(pairs).fields | form.fields
            return Call(ids, Params(form.flat()), form)
        elif body:
            raise Refused(400, {"Content-Type": ["deve ser application/x-www-form-urlencoded"]})
    form = parse_form(pairs)
    return Call(ids, Params(form.flat()), form, files)


def _read_urlencoded(body: bytes) -> Pairs:
    try:
        return parse_qsl(body.decode().strip(), keep_blank_values=True, max_num_fields=_FIELDS_MAX, errors="strict")
    except UnicodeDecodeError:
        raise Refused(400, {"corpo": [_NOT_UTF8]}) from None
    except ValueError:
        raise Refused(400, {"corpo": ["campos demais"]}) from None


class _Utf8Parser(MultiPartParser):
    """The multipart parser, which refuses what is not UTF-8 where the library's own falls back to another encoding."""

    def on_header_end(self) -> None:
        _decode(bytes(self._current_partial_header_value))
        super().on_header_end()

    def on_part_end(self) -> None:
        if self._current_part.file is None:
            _decode(bytes(self._current_part.data))
        super().on_part_end()


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused(400, {"corpo": [_NOT_UTF8]}) from None


async def _read_multipart(request: Request, files: dict[str, Upload]) -> Pairs:
    pairs: Pairs = []
    parser = _Utf8Parser(
        request.headers, request.stream(), max_files=20, max_fields=_FIELDS_MAX, max_part_size=BODY_MAX
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError):
        raise Refused(400, {"corpo": ["não pode ser lido"]}) from None
    try:
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                content_type = value.content_type or "application/octet-stream"
                files[name] = Upload(value.filename or "", content_type, await value.read())
            else:
                pairs.append((name, value))
    finally:
        await form.close()
    return pairs


def _read_json(body: bytes) -> Node:
    """Read a JSON object as if its members were form fields; numbers keep their literal."""
    try:
        value = json.loads(body, parse_float=str, parse_int=str)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate is no text that could be stored
    except UnicodeError:
        raise Refused(400, {"corpo": [_NOT_UTF8]}) from None
    except (ValueError, RecursionError):
        raise Refused(400, {"corpo": ["JSON inválido"]}) from None
    if not isinstance(value, dict):
        raise Refused(400, {"corpo": ["deve ser um objeto JSON"]})
    return _to_node(value, 0)


def _to_node(value: Any, depth: int) -> Node:
    if depth > _JSON_DEPTH_MAX:
        raise Refused(400, {"corpo": ["JSON profundo demais"]})
    if isinstance(value, dict):
        return Node(fields={str(name): _to_node(member, depth + 1) for name, member in value.items()})
    if isinstance(value, list):
        return Node(elements=[_to_node(element, depth + 1) for element in value])
    if value is None:
        return Node(text="")
    return Node(text="true" if value is True else "false" if value is False else str(value))
