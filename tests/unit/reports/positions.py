"""Positions for the report tests, made from payloads shaped as the service answers them, without network or DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pandas as pd

from lastro.calendar import build_calendar
from lastro.money import parse_centavos
from lastro.settings import Conta, Empresa, Parametros
from lastro.transform.composites import FALLBACK_FIELDS
from lastro.transform.core import Conformed, build_core
from lastro.transform.position import Position, build_position
from tests.golden import dataset

Payload = dict[str, Any]
IDS = (
    "grupo_id", "lancamento_transferencia_id", "categoria_id", "centro_custo_lucro_id", "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id", "conta_id", "forma_pagamento_id", "pessoa_id", "tipo_documento_id",
    "numero_repeticao", "total_repeticoes", "pedido_id", "lancamento_composto_id",
)  # fmt: skip
DATES = ("data_vencimento", "data_pagamento", "data_competencia")
CHARGE_DATES = ("data_vencimento", "data_a_transferir", "data_transferindo", "data_transferido", "data_cancelamento")
LANCAMENTO: Payload = {
    "descricao": "", "documento": "", "observacao": "", "pagamento_automatico": False, "periodicidade": None,
    "modified": None, "valor": "0.00", "tags": [], "itens_adicionais": [], **dict.fromkeys((*IDS, *DATES)),
}  # fmt: skip
COBRANCA: Payload = {
    "valor": "0.00", "valor_taxa": "0.00", "valor_multa_juros": "0.00", "valor_pago": None, "percentual_multa": "2.00",
    "cobrar_juros": 1, "lancamento_ids": "", "forma_pagamento_id": None, "cliente_id": None, "conta_id": 101,
    "email": None, "status_id": 1, "status_descricao": "Pendente", "cobranca_hash": "", "link_publico": "",
    "permitir_segunda_via": 1, "instrucoes_boleto": None, **dict.fromkeys(CHARGE_DATES),
}  # fmt: skip


def make_golden(
    forma: str = "A", *, anterior: bool = False, saldo_inicial: bool = False, **parametros: Any
) -> Position:
    """Build the golden position of section 5, optionally with other parameters."""
    payloads = dataset.payloads(forma, anterior=anterior, saldo_inicial=saldo_inicial)
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in payloads["parametros"].items()}
    given.pop("data_base")
    return make_position(
        payloads["lancamentos"],
        cobrancas=payloads["cobrancas"],
        categorias=payloads["categorias"],
        clientes=payloads["clientes"],
        fornecedores=payloads["fornecedores"],
        contas=[_conta(conta) for conta in payloads["contas"]],
        parametros=Parametros(**{**given, **parametros}),
        data_base=payloads["data_base"],
        data_extracao=payloads["data_extracao"],
    )


def make_position(
    lancamentos: Iterable[Mapping[str, Any]],
    *,
    cobrancas: Iterable[Mapping[str, Any]] = (),
    categorias: Iterable[Mapping[str, Any]] | None = None,
    clientes: Iterable[Mapping[str, Any]] | None = None,
    fornecedores: Iterable[Mapping[str, Any]] | None = None,
    contas: Iterable[Conta] = (Conta(101, descricao="Banco Alfa"),),
    parametros: Parametros | None = None,
    data_base: date = dataset.DATA_BASE,
    data_extracao: date | None = None,
    observadas: Mapping[int, date] | None = None,
) -> Position:
    """Build a position from payloads; what a payload leaves out is empty, lists left out are the golden ones."""
    seen = {0: data_base, **(observadas or {})}
    pessoas = dataset.pessoas()
    parametros = parametros or Parametros()
    rows = [{**LANCAMENTO, **row} for row in lancamentos]
    conformed = Conformed(
        lancamentos=_lancamentos(rows),
        itens=_itens(rows),
        detalhes=_lancamentos([]),
        detalhes_itens=_itens([]),
        cobrancas=_cobrancas([{**COBRANCA, **row} for row in cobrancas]),
        categorias=_categorias(dataset.categorias() if categorias is None else categorias),
        clientes=_pessoas([row for row in pessoas if row["cliente"]] if clientes is None else clientes),
        fornecedores=_pessoas([row for row in pessoas if row["fornecedor"]] if fornecedores is None else fornecedores),
        contas=pd.DataFrame(columns=["conta_id", "descricao", "ativo", "permite_lancamento"]),
    )
    empresa = Empresa("ouro", "Ouro", "https://servico.exemplo", "TOKEN", contas=tuple(contas), parametros=parametros)
    calendario = build_calendar(parametros.feriados_extras, last_weekday_of_year_open=parametros.ultimo_dia_util_ano)
    return build_position(
        build_core(
            conformed,
            empresa,
            observadas=pd.DataFrame(
                {"cobranca_id": list(seen), "data": pd.to_datetime(list(seen.values())).astype("datetime64[us]")}
            ),
        ).core,
        data_base=data_base,
        data_extracao=data_extracao or data_base,
        parametros=parametros,
        calendario=calendario,
    )


def with_parametros(position: Position, **changes: Any) -> Position:
    """Exchange parameters that only the reports read."""
    return replace(position, parametros=replace(position.parametros, **changes))


def _conta(payload: Payload) -> Conta:
    return Conta(
        payload["conta_id"],
        payload["descricao"],
        Decimal(payload["valor_saldo_inicial"]),
        date.fromisoformat(payload["data_saldo_inicial"]),
        payload["ativa"],
        payload["tipo"],
    )


def _frame(rows: list[Payload], columns: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)


def _lancamentos(rows: list[Payload]) -> pd.DataFrame:
    columns = {
        "lancamento_id": "int64", **dict.fromkeys(IDS, "Int64"), **dict.fromkeys(DATES, "datetime64[us]"),
        "modified": "datetime64[us]", "descricao": "object", "documento": "object", "observacao": "object",
        "periodicidade": "object", "pagamento_automatico": "bool", "valor_centavos": "int64", "tags": "object",
        "qtde_itens": "int64",
    }  # fmt: skip
    ready = [
        {
            **row,
            "lancamento_id": row["id"],
            "valor_centavos": parse_centavos(row["valor"]),
            "tags": [tag["id"] for tag in row["tags"]],
            "qtde_itens": len(row["itens_adicionais"]),
        }
        for row in rows
    ]
    return _frame(ready, columns)


def _itens(rows: list[Payload]) -> pd.DataFrame:
    columns = {
        "lancamento_id": "int64", "item_id": "int64", "posicao_item": "int64", "categoria_id": "Int64",
        "lancamento_composto_id": "Int64", "descricao": "object", "valor_centavos": "int64", "tags": "object",
        **dict.fromkeys(FALLBACK_FIELDS, "Int64"), **{f"tem_{name}": "bool" for name in FALLBACK_FIELDS},
    }  # fmt: skip
    ready = [
        {
            **item,
            "lancamento_id": row["id"],
            "item_id": item["id"],
            "posicao_item": place,
            "valor_centavos": parse_centavos(item["valor"]),
            "tags": [tag["id"] for tag in item["tags"]],
            **{f"tem_{name}": name in item for name in FALLBACK_FIELDS},
        }
        for row in rows
        for place, item in enumerate(row["itens_adicionais"])
    ]
    return _frame(ready, columns)


def _cobrancas(rows: list[Payload]) -> pd.DataFrame:
    columns = {
        "cobranca_id": "int64", "status_id": "Int64", "status_descricao": "object", "valor_centavos": "int64",
        "valor_taxa_centavos": "int64", "valor_multa_juros_centavos": "int64", "valor_pago_centavos": "Int64",
        "percentual_multa": "object", "cobrar_juros": "bool", "forma_pagamento_id": "Int64", "cliente_id": "Int64",
        "conta_id": "Int64", "email": "object", **dict.fromkeys(CHARGE_DATES, "datetime64[us]"),
        "cobranca_hash": "object", "link_publico": "object", "lancamento_ids": "object",
        "permitir_segunda_via": "bool", "instrucoes_boleto": "object",
    }  # fmt: skip
    ready = [
        {
            **row,
            "cobranca_id": row["id"],
            "valor_centavos": parse_centavos(row["valor"]),
            "valor_taxa_centavos": parse_centavos(row["valor_taxa"]),
            "valor_multa_juros_centavos": parse_centavos(row["valor_multa_juros"]),
            "valor_pago_centavos": None if row["valor_pago"] is None else parse_centavos(row["valor_pago"]),
            "percentual_multa": Decimal(row["percentual_multa"]),
        }
        for row in rows
    ]
    return _frame(ready, columns)


def _categorias(tree: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    columns = {
        "categoria_id": "int64", "descricao": "object", "tipo_categoria_id": "Int64", "parent_id": "Int64",
        "ativo": "bool",
    }  # fmt: skip
    flat: list[Payload] = []
    pending = list(tree)
    while pending:
        node = pending.pop()
        flat.append({**node, "categoria_id": node["id"]})
        pending += node.get("categorias_filhas", [])
    return _frame(flat, columns)


def _pessoas(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    columns = {
        "pessoa_id": "int64", "nome": "object", "nome_fantasia": "object", "documento": "object", "email": "object",
        "telefone": "object", "cliente": "bool", "fornecedor": "bool", "ativo": "bool",
    }  # fmt: skip
    return _frame([{**row, "pessoa_id": row["id"]} for row in rows], columns)
