"""Describes the interface: an OpenAPI 3.1 document made from the table of operations, and a page to read it.

Nothing is written twice: paths, parameters, requirements and allowed values come from the operations that are routed.
Only the fields of the answers are listed here, because the answers themselves are built by ``render``; a test compares
the two.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, Final

from lastro_sandbox.operations import Operation, Param

_ID: Final = re.compile(r"\{([a-z_]+)\}")

_TEXT: Final = {"type": "string"}
_INTEGER: Final = {"type": "integer"}
_BOOLEAN: Final = {"type": "boolean"}
_DECIMAL: Final = {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{1,2}$"}
_DATE: Final = {"type": "string", "format": "date"}


def _null(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"]}


def _list_of(name: str) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def _object(fields: dict[str, Any], *optional: str) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": [name for name in fields if name not in optional]}


_LINK: Final = _null(_INTEGER)
_OPTIONAL_TEXT: Final = _null(_TEXT)
_OPTIONAL_DATE: Final = _null(_DATE)


def _fields(schema: dict[str, Any], *names: str) -> dict[str, Any]:
    return dict.fromkeys(names, schema)


def _attachment(**owner: dict[str, Any]) -> dict[str, Any]:
    fields = {"id": _INTEGER, "filename": _TEXT, "content_type": _TEXT, "size": _INTEGER, **owner}
    return _object({**fields, "file": _TEXT, "url": _TEXT}, "file", "url")


SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "referencia": _object({"id": _INTEGER}),
    "item": _object({
        "id": _INTEGER, "descricao": _TEXT, "valor": _DECIMAL, "categoria_id": _LINK, "lancamento_composto_id": _LINK,
        "tags": _list_of("referencia"),
    }),
    "lancamento": _object({
        "id": _INTEGER,
        **_fields(_LINK, "grupo_id", "lancamento_transferencia_id", "categoria_id", "centro_custo_lucro_id",
                  "tipo_custo_nivel_producao_id", "tipo_custo_apropriacao_produto_id", "conta_id",
                  "forma_pagamento_id", "pessoa_id", "tipo_documento_id"),
        "tipo_lancamento_id": _INTEGER,
        **_fields(_TEXT, "descricao", "documento", "observacao", "modified"),
        "data_vencimento": _DATE, "data_pagamento": _OPTIONAL_DATE, "data_competencia": _OPTIONAL_DATE,
        "valor": _DECIMAL, "pagamento_automatico": _BOOLEAN,
        **_fields(_LINK, "numero_repeticao", "total_repeticoes"),
        "periodicidade": _OPTIONAL_TEXT, "pedido_id": _LINK, "lancamento_composto_id": _LINK,
        "anexos": _list_of("referencia"), "tags": _list_of("referencia"), "itens_adicionais": _list_of("item"),
    }, "tipo_lancamento_id"),
    "transferencia": _object({
        "id": _INTEGER, "lancamento_transferencia_id": _LINK, "categoria_id": _LINK, "conta_id": _LINK,
        "tipo_lancamento_id": _INTEGER, "descricao": _TEXT, "data_vencimento": _DATE, "valor": _DECIMAL,
        "anexos": _list_of("referencia"), "data_pagamento": _OPTIONAL_DATE, "data_competencia": _OPTIONAL_DATE,
    }),
    "cobranca": _object({
        **_fields(_INTEGER, "id", "cobrar_juros", "permitir_segunda_via", "forma_pagamento_id", "cliente_id",
                  "conta_id", "status_id"),
        **_fields(_DECIMAL, "valor", "valor_taxa", "valor_multa_juros"),
        "percentual_multa": {"type": ["string", "integer"]},
        "valor_pago": _null(_DECIMAL), "instrucoes_boleto": _OPTIONAL_TEXT, "lancamento_ids": _TEXT,
        "email": _OPTIONAL_TEXT, "data_vencimento": _DATE,
        **_fields(_OPTIONAL_DATE, "data_a_transferir", "data_transferindo", "data_transferido", "data_cancelamento"),
        "status_descricao": _TEXT, "cobranca_hash": _OPTIONAL_TEXT, "link_publico": _TEXT,
    }),
    "categoria": _object({
        "id": _INTEGER, "descricao": _TEXT, "cor": _TEXT, "parent_id": _LINK, "ativo": _BOOLEAN,
        "categorias_filhas": _list_of("categoria"), "tipo_categoria_id": _INTEGER,
    }),
    "pessoa": _object({
        "id": _INTEGER, "nome": _TEXT,
        **_fields(_OPTIONAL_TEXT, "nome_fantasia", "documento", "inscricao_estadual", "inscricao_municipal",
                  "telefone", "endereco", "endereco_numero", "endereco_complemento", "bairro", "cep", "email",
                  "observacao", "agencia", "numero_conta"),
        **_fields(_LINK, "cidade_id", "estado_id", "banco_id", "classificacao_cliente_id",
                  "classificacao_fornecedor_id"),
        **_fields(_BOOLEAN, "fornecedor", "cliente", "ativo"),
        **_fields({"type": ["object", "null"]}, "estado", "cidade"),
        "anexos": _list_of("referencia"),
    }),
    "classificacao": _object({
        "id": _INTEGER, "nome": _TEXT, "tipo_classificacao_id": _INTEGER, "ativo": _BOOLEAN,
    }),
    "conta": _object({
        "id": _INTEGER, "descricao": _TEXT, "banco_id": _LINK,
        **_fields(_OPTIONAL_TEXT, "agencia", "numero", "nome_gerente", "telefone_gerente"),
        "permite_lancamento": _BOOLEAN, "data_saldo_inicial": _OPTIONAL_DATE, "valor_saldo_inicial": _DECIMAL,
        "ativo": _BOOLEAN,
    }),
    "conta_listada": _object({
        "id": _INTEGER, "descricao": _TEXT, "saldo": _DECIMAL, "ativo": _BOOLEAN, "permite_lancamento": _BOOLEAN,
        "banco_id": _INTEGER,
    }),
    "nomeado": _object({"id": _INTEGER, "descricao": _TEXT, "ativo": _BOOLEAN}),
    "anexo_lancamento": _attachment(lancamento_id=_INTEGER, lancamento_compost_id=_LINK),
    "anexo_transferencia": _attachment(transferencia_id=_INTEGER, model_id=_INTEGER),
    "anexo_cliente": _attachment(cliente_id=_INTEGER, model_id=_INTEGER),
    "anexo_fornecedor": _attachment(fornecedor_id=_INTEGER, model_id=_INTEGER),
    "verdadeiro": {"type": "boolean", "const": True},
    "sucesso": _object({"success": _TEXT}),
    "erro": _object({"errors": {"type": "object", "additionalProperties": {"type": "array", "items": _TEXT}}}),
}  # fmt: skip


def _schema_of(param: Param) -> dict[str, Any]:
    if param.kind == "items":
        return {"type": "array", "items": _body_schema(param.items)}
    if param.kind == "ids":
        return {"type": "array", "items": _object({"id": _INTEGER})}
    if param.kind == "file":
        return {"type": "string", "format": "binary"}
    if param.kind == "decimal":
        return {"type": "string", "pattern": r"^-?[0-9]{1,13}(\.[0-9]{1,2})?$"}
    if param.kind == "date":
        return dict(_DATE)
    schema: dict[str, Any] = {"type": param.kind}
    if param.kind == "integer":
        schema["minimum"] = 0
    elif param.kind == "string" and param.required:
        schema["minLength"] = 1
    if param.values:
        schema["enum"] = [int(value) if param.kind == "integer" else value for value in param.values]
    return schema


def _body_schema(params: Sequence[Param]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            param.name: {**_schema_of(param), **({"description": param.text} if param.text else {})} for param in params
        },
        "required": [param.name for param in params if param.required],
    }


def _describe_operation(operation: Operation) -> dict[str, Any]:
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{operation.schema}"}
    if operation.array:
        schema = {"type": "array", "items": schema}
    if any("count" in param.values for param in operation.query):
        schema = {"description": "records, or their number with tipo_view=count"}
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
        for name in _ID.findall(operation.path)
    ]
    for param in operation.query:
        described = {"name": param.name, "in": "query", "required": param.required, "schema": _schema_of(param)}
        parameters.append(described | ({"description": param.text} if param.text else {}))
    error = {
        "description": "refused",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/erro"}}},
    }
    answers: dict[str, Any] = {
        "200": {"description": "done", "content": {"application/json": {"schema": schema}}},
        **dict.fromkeys(("400", "401", "403", "404", "413", "422"), error),
    }
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.tag],
        "parameters": parameters,
        "responses": answers,
    }
    if operation.body:
        kinds = ["multipart/form-data"] if operation.multipart else ["application/x-www-form-urlencoded"]
        found["requestBody"] = {
            "required": any(param.required for param in operation.body),
            "content": {kind: {"schema": _body_schema(operation.body)} for kind in kinds},
        }
    return found


def describe_interface(operations: Sequence[Operation], dialeto: str) -> dict[str, Any]:
    """Build the OpenAPI document of a set of operations."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _describe_operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lastro sandbox: financial management service",
            "version": "1",
            "description": f"Dialect {dialeto}. Lists in form bodies use bracket notation: tags[][id], "
            "itens_adicionais[][descricao], itens_adicionais[][tags][][id].",
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
        f"<td>{html.escape(str(schema.get('enum') or schema.get('format') or schema.get('type', '')))}</td>"
        f"<td>{'required' if required else ''}</td><td>{html.escape(text)}</td></tr>"
        for name, place, schema, required, text in rows
    )
    return f"<table><tr><th>name<th>in<th>type<th><th></tr>{cells}</table>"
