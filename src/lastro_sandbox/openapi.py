"""Describes the interface: an OpenAPI 3.1 document made from the table of operations, and a page to read it.

Nothing is written twice: paths, parameters, requirements and allowed values come from the operations that are routed.
What is accepted is described exactly: an optional parameter may be blank or the word ``null``, a truth may be written
``sim``, and ids are those of the records that are there when the description is asked for. Fields of a form have the
names that go over the wire, brackets included.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lastro_sandbox.decisions import TEXT_MAX, Dialect
from lastro_sandbox.ledger import Books
from lastro_sandbox.operations import Operation, Param
from lastro_sandbox.schemas import DATE, SCHEMAS

_ID: Final = re.compile(r"\{([a-z_]+)\}")
_INTEGER_MAX: Final = 2**53 - 1
_REFERENCES_MAX: Final = 1000
_UNSET: Final = {"type": "string", "enum": ["", "null"], "description": "left unset"}
_BLANK: Final = {"type": "string", "enum": [""], "description": "left unset"}
_DECIMAL: Final = r"^[+-]?[0-9]{1,13}(\.[0-9]{1,2}0*)?$"
_POSITIVE: Final = r"^\+?(?!0+(\.0*)?$)[0-9]{1,13}(\.[0-9]{1,2}0*)?$"
_PERCENT: Final = r"^\+?0{0,11}([0-9]{1,2}(\.[0-9]{1,2}0*)?|100(\.0+)?)$"
_DATES: Final = r"^(19|2[0-9])[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_COLOUR: Final = r"^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$"
_TAGS: Final = r"^[0-9]{1,15}(\|[0-9]{1,15})*$|^[0-9]{1,15}(&[0-9]{1,15})*$"
_PATTERNS: Final = {"decimal": _DECIMAL, "percent": _PERCENT, "colour": _COLOUR, "tags": _TAGS}
_TRUTHS: Final = ["true", "false", "1", "0", "t", "f", "sim", "nao", "não"]
Schema = dict[str, Any]
References = Mapping[str, Sequence[int]]
"""Name of a kind of records -> the ids that a parameter may take now."""


def list_references(books: Books, dialeto: Dialect) -> dict[str, list[int]]:
    """Return the ids that parameters may take, by what ``Param.refers`` says; at most a thousand of each kind."""
    parents = {category.parent_id for category in books.categorias.values()} if dialeto == "observado" else set()
    people = books.pessoas.values()
    found = {
        "contas": list(books.contas),
        "contas_lancamento": [account.id for account in books.contas.values() if account.permite_lancamento],
        "categorias": [one.id for one in books.categorias.values() if one.ativo and one.id not in parents],
        "categorias_todas": [0, *books.categorias],
        "classificacoes": [0, *(one.id for one in books.classificacoes.values() if one.ativo)],
        "clientes": [person.id for person in people if person.cliente and person.ativo],
        "pessoas": [0, *(person.id for person in people if person.ativo)],
        "lancamentos": [entry.id for entry in books.lancamentos.values() if books.is_row(entry)],
    }
    return {name: sorted(ids)[:_REFERENCES_MAX] for name, ids in found.items()}


def _base_of(param: Param, references: References, dialeto: str) -> Schema:  # noqa: C901 - one kind after the other
    """Return what a filled parameter looks like."""
    if param.kind == "file":
        return {"type": "string", "format": "binary"}
    if param.kind == "boolean":
        spellings = sorted({spelling for text in _TRUTHS for spelling in (text, text.upper(), text.capitalize())})
        return {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": spellings}]}
    if param.kind == "date":
        return {**DATE, "pattern": _DATES}
    if param.kind in _PATTERNS:
        return {"type": "string", "pattern": _POSITIVE if param.positive else _PATTERNS[param.kind]}
    if param.kind == "integer" and param.values:
        return {"type": "integer", "enum": [int(value) for value in param.values]}
    if param.kind == "integer" and references.get(param.refers):
        return {"type": "integer", "enum": list(references[param.refers])}
    if param.kind == "integer":
        bounds = {"minimum": param.minimum, "maximum": param.maximum or _INTEGER_MAX}
        return {"type": "integer", "format": "int64", **bounds}
    if param.name == "tipo_view":  # any other view is read as none
        return {"type": "string", "examples": list(param.values)}
    if param.name == "tipo" and dialeto == "observado":
        one = "|".join(param.values)
        return {"type": "string", "pattern": rf"^({one})(\|({one}))*$"}
    if param.values:
        return {"type": "string", "enum": list(param.values)}
    return {"type": "string", **({} if param.maximum is None else {"maxLength": param.maximum})}


def _schema_of(param: Param, references: References, dialeto: str) -> Schema:
    base = _base_of(param, references, dialeto)
    described = {"description": param.text} if param.text else {}
    if param.required or param.filled:
        if base.get("type") == "string" and base.keys() <= {"type", "maxLength", "examples"}:
            base |= {"minLength": 1, "pattern": r"\S", "maxLength": param.maximum or TEXT_MAX}
        return {**base, **described}
    if base.get("type") == "string" and base.keys() <= {"type", "maxLength", "examples"}:
        return {**base, **described}
    return {"anyOf": [base, _BLANK if param.kind in ("colour", "tags") else _UNSET], **described}


def _fields_of(
    params: Sequence[Param], references: References, dialeto: str, inside: str = ""
) -> Iterator[tuple[str, Param, Schema]]:
    """Go through the fields of a form under their names on the wire: ``tags[][id]``, ``itens[][descricao]``.

    Ids may be sent several times. Of the fields of an item one element is described; the next one begins where a name
    comes again.
    """
    for param in params:
        name = f"{inside}[{param.name}]" if inside else param.name
        if param.kind == "items":
            yield from _fields_of(param.items, references, dialeto, f"{name}[]")
        elif param.kind == "ids":
            one = {"type": "integer", "minimum": 1, "maximum": 10**15 - 1}
            yield f"{name}[][id]", param, {"type": "array", "items": one, "description": "one for each"}
        else:
            yield name, param, _schema_of(param, references, dialeto)


def _body_schema(params: Sequence[Param], references: References, dialeto: str) -> Schema:
    fields = list(_fields_of(params, references, dialeto))
    schema: Schema = {
        "type": "object",
        "properties": {name: found for name, _, found in fields},
        "required": [name for name, param, _ in fields if param.required and "[" not in name],
    }
    together: dict[str, list[str]] = {}
    for param in (param for param in params if param.kind == "items"):
        needed = [f"{param.name}[][{item.name}]" for item in param.items if item.required]
        if param.required:
            schema["required"] += needed
        else:
            together |= {name: needed for name, _, _ in fields if name.startswith(f"{param.name}[]")}
    if together:
        schema["dependentRequired"] = together
    if "conta_destino_id" in schema["properties"] and references.get("contas"):
        schema["anyOf"] = [
            {"properties": {"conta_origem_id": {"const": one},
                            "conta_destino_id": {"enum": [id_ for id_ in references["contas"] if id_ != one]}}}
            for one in references["contas"]
        ]  # fmt: skip
    if "infinito" in schema["properties"]:
        schema["anyOf"] = [
            {"properties": {"infinito": {"enum": [False, "false", "0", "", "null"]}}},
            {"properties": {"total_repeticoes": {"enum": ["", "null"]}}},
        ]
    return schema


def _describe_operation(operation: Operation, dialeto: str, references: References) -> Schema:
    schema: Schema = {"$ref": f"#/components/schemas/{operation.schema}"}
    if operation.array:
        schema = {"type": "array", "items": schema}
    if any("count" in param.values for param in operation.query):
        schema = {"description": "records, or their number with tipo_view=count"}
    parameters: list[Schema] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer", "format": "int64", "minimum": 1}}
        for name in _ID.findall(operation.path)
    ]
    for param in operation.query:
        described = {"name": param.name, "in": "query", "required": param.required}
        described["schema"] = _schema_of(param, references, dialeto)
        parameters.append(described | ({"description": param.text} if param.text else {}))
    error = {
        "description": "refused",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/erro"}}},
    }
    good = "201" if operation.method == "POST" and dialeto == "observado" else "200"
    answers: Schema = {
        good: {"description": "done", "content": {"application/json": {"schema": schema}}},
        **dict.fromkeys(("400", "401", "403", "404", "413", "422", "429"), error),
    }
    found: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.tag],
        "parameters": parameters,
        "responses": answers,
    }
    if operation.body:
        kind = "multipart/form-data" if operation.multipart else "application/x-www-form-urlencoded"
        found["requestBody"] = {
            "required": any(param.required for param in operation.body),
            "content": {kind: {"schema": _body_schema(operation.body, references, dialeto)}},
        }
    return found


def describe_interface(operations: Sequence[Operation], dialeto: str, references: References | None = None) -> Schema:
    """Build the OpenAPI document of a set of operations.

    Args:
        dialeto: the dialect in which they are served.
        references: the ids that parameters may take; None describes them as any id.
    """
    paths: dict[str, Schema] = {}
    for operation in operations:
        described = _describe_operation(operation, dialeto, references or {})
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lastro sandbox: financial management service",
            "version": "1",
            "description": f"Dialect {dialeto}. Lists in form bodies use bracket notation: tags[][id], "
            "itens_adicionais[][descricao], itens_adicionais[][tags][][id]; a name that comes again begins an element.",
        },
        "servers": [{"url": "/"}],
        "security": [{"access_token": []}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"access_token": {"type": "apiKey", "in": "query", "name": "access_token"}},
        },
    }


_PAGE_HEAD: Final = (
    "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>lastro sandbox</title><style>"
    "body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "summary{cursor:pointer;padding:.2rem 0}code{background:#eee;padding:0 .2rem}td,th{text-align:left;"
    "padding:.1rem .8rem .1rem 0;vertical-align:top}b{display:inline-block;width:4.5rem}</style></head><body>"
)
_PAGE_NOTE: Final = (
    "<p>Machine-readable: <a href='/_sandbox/openapi.json'>openapi.json</a>. "
    "Every request needs the query parameter <code>access_token</code>.</p>"
)


def render_page(described: dict[str, Any]) -> str:
    """Render the description as one plain page to read."""
    info = described["info"]
    parts = [
        _PAGE_HEAD,
        f"<h1>{html.escape(info['title'])}</h1><p>{html.escape(info['description'])}</p>",
        _PAGE_NOTE,
    ]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            parts.append(
                f"<details><summary><b>{method.upper()}</b> <code>{html.escape(path)}</code> "
                f"{html.escape(operation['summary'])}</summary>{_render_parameters(operation)}</details>"
            )
    return "".join(parts) + "</body></html>"


def _render_parameters(operation: dict[str, Any]) -> str:
    rows = [
        (param["name"], param["in"], param["schema"], param["required"], param.get("description", ""))
        for param in operation["parameters"]
    ]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"]
        rows += [
            (name, kind.split("/")[1], given, name in schema["required"], given.get("description", ""))
            for name, given in schema["properties"].items()
        ]
    cells = "".join(
        f"<tr><td><code>{html.escape(name)}</code></td><td>{html.escape(place)}</td>"
        f"<td>{html.escape(_name_type(schema))}</td>"
        f"<td>{'required' if required else ''}</td><td>{html.escape(text)}</td></tr>"
        for name, place, schema, required, text in rows
    )
    return f"<table><tr><th>name<th>in<th>type<th><th></tr>{cells}</table>"


def _name_type(schema: Schema) -> str:
    """Say what a value is in a word or two."""
    filled = schema["anyOf"][0] if "anyOf" in schema else schema
    filled = filled["anyOf"][0] if "anyOf" in filled else filled
    values = filled.get("enum")
    if values and len(values) <= 12:
        return ", ".join(map(str, values))
    return str(filled.get("format") or filled.get("type", ""))
