"""The fields of the answers, as the description of the interface lists them; a test compares them with ``render``."""

from __future__ import annotations

from typing import Any, Final

_TEXT: Final = {"type": "string"}
_INTEGER: Final = {"type": "integer", "format": "int64"}
_BOOLEAN: Final = {"type": "boolean"}
_DECIMAL: Final = {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{1,2}$"}
DATE: Final = {"type": "string", "format": "date"}


def _null(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"]}


def _list_of(name: str) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def _object(fields: dict[str, Any], *optional: str) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": [name for name in fields if name not in optional]}


_LINK: Final = _null(_INTEGER)
_OPTIONAL_TEXT: Final = _null(_TEXT)
_OPTIONAL_DATE: Final = _null(DATE)


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
        "data_vencimento": DATE, "data_pagamento": _OPTIONAL_DATE, "data_competencia": _OPTIONAL_DATE,
        "valor": _DECIMAL, "pagamento_automatico": _BOOLEAN,
        **_fields(_LINK, "numero_repeticao", "total_repeticoes"),
        "periodicidade": _OPTIONAL_TEXT, "pedido_id": _LINK, "lancamento_composto_id": _LINK,
        "anexos": _list_of("referencia"), "tags": _list_of("referencia"), "itens_adicionais": _list_of("item"),
    }, "tipo_lancamento_id"),
    "transferencia": _object({
        "id": _INTEGER, "lancamento_transferencia_id": _LINK, "categoria_id": _LINK, "conta_id": _LINK,
        "tipo_lancamento_id": _INTEGER, "descricao": _TEXT, "data_vencimento": DATE, "valor": _DECIMAL,
        "anexos": _list_of("referencia"), "data_pagamento": _OPTIONAL_DATE, "data_competencia": _OPTIONAL_DATE,
    }),
    "cobranca": _object({
        **_fields(_INTEGER, "id", "cobrar_juros", "permitir_segunda_via", "forma_pagamento_id", "cliente_id",
                  "conta_id", "status_id"),
        **_fields(_DECIMAL, "valor", "valor_taxa", "valor_multa_juros"),
        "percentual_multa": {"type": ["string", "integer"]},
        "valor_pago": _null(_DECIMAL), "instrucoes_boleto": _OPTIONAL_TEXT, "lancamento_ids": _TEXT,
        "email": _OPTIONAL_TEXT, "data_vencimento": DATE,
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
    "conta_detalhada": _object({
        "id": _INTEGER, "descricao": _TEXT, "banco_id": _LINK, "saldo": _DECIMAL, "lancamentos": _list_of("lancamento"),
        **_fields(_OPTIONAL_TEXT, "agencia", "numero", "nome_gerente", "telefone_gerente"),
        "permite_lancamento": _BOOLEAN, "data_saldo_inicial": _OPTIONAL_DATE, "valor_saldo_inicial": _DECIMAL,
        "ativo": _BOOLEAN,
    }),
    "centro": _object({
        "id": _INTEGER, "descricao": _TEXT, "ativo": _BOOLEAN, "parent_id": _INTEGER,
        "centros_custo_lucro_filhos": _list_of("centro"),
    }),
    "estado": _object({"id": _INTEGER, "sigla": _TEXT, "nome": _TEXT}),
    "cidade": _object({"id": _INTEGER, "nome": _TEXT, "estado_id": _INTEGER}),
    "nomeado": _object({"id": _INTEGER, "descricao": _TEXT, "ativo": _BOOLEAN}),
    "anexo_lancamento": _attachment(lancamento_id=_INTEGER, lancamento_compost_id=_LINK),
    "anexo_transferencia": _attachment(transferencia_id=_INTEGER, model_id=_INTEGER),
    "anexo_cliente": _attachment(cliente_id=_INTEGER, model_id=_INTEGER),
    "anexo_fornecedor": _attachment(fornecedor_id=_INTEGER, model_id=_INTEGER),
    "verdadeiro": {"type": "boolean", "const": True},
    "sucesso": _object({"success": _TEXT}),
    "erro": _object({"errors": {"type": "object", "additionalProperties": {"type": "array", "items": _TEXT}}}),
}  # fmt: skip
