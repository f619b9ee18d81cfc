"""`lastro sql --dbt`: what is published as sources of dbt, with keys, types and comments.

Belongs here: the file, and the keys of views that no report says (`Print.keys`) or says with columns that may be null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from lastro.catalogue import EVERY_REPORT
from lastro.schema.tables import TABLES, VERSIONED
from lastro.warehouse.file.report_tables import FIRST_VIEWS
from lastro.warehouse.publication.adhoc_queries import ask

_KEYS: Final = """
a_pagar_agenda: dia conta_id
a_pagar_pessoas: pessoa
a_receber_pessoas: pessoa
cobrancas_funil_meses: mes_de_vencimento
cobrancas_por_status: status forma
cobrancas_tempos: forma
comparativo_caixa: par codigo nivel linha
comparativo_resultado: par codigo nivel linha
conciliacao_pendencias: lado extrato_id titulo_id
conciliadas: extrato_id titulo_id
conferencias: conferencia
decisoes: titulo_id feita_em
dre: codigo nivel linha mes
dre_acumulado: codigo nivel linha
dre_centros: codigo centro mes
esquema: lista campo situacao
fluxo_diario_cenarios: dia codigo
fluxo_mensal: mes momento linha nivel categoria
fluxo_mensal_cenarios: mes codigo
fluxo_mensal_total: linha nivel categoria
fluxo_semanal_cenarios: inicio codigo
lancamentos: origem linha_id
mudancas: tipo linha_id campo
mudancas_cobrancas: cobranca_id
mudancas_meses: mes regime
mudancas_meses_linhas: mes regime linha_id
orcado: categoria fora_resultado
orcado_mensal: categoria fora_resultado mes
pagamentos_contas: conta_id
pagamentos_contas_dias: dia conta_id
pagamentos_decidir: titulo_id
pagamentos_dias: dia
pagamentos_extrato: extrato_id
pagamentos_ja_pagos: titulo_id
parametros: parametro
pessoas: pessoa
pessoas_formas: forma
pessoas_habitos: pessoa
ponte_resumo: linha nivel descricao mes
previsao_categorias: classe categoria mes
previsto_realizado: periodo antecedencia_dias
previsto_realizado_maiores: linha_id
promessas: pessoa_id titulo_id feita_em
rejeitados: lista origem pagina posicao
verificacoes: verificacao
"""
MAY_BE_NULL: Final = frozenset(
    {"conciliacao_pendencias", "conciliadas", "fluxo_mensal_memo", "promessas", "rejeitados"}
)
"""Views whose key has a column that may be null, which stands for itself."""
_COLUMNS: Final = """SELECT c.schema_name, c.table_name, t.comment, c.column_name, c.data_type, c.comment
FROM duckdb_columns() c JOIN duckdb_tables() t USING (schema_name, table_name)
WHERE c.schema_name IN ('mart', 'hist', 'core') ORDER BY c.schema_name DESC, c.table_name, c.column_index"""
FIRST: Final = "comece_aqui"
"""The tag of the views to begin with, which stand first."""
_ABOUT: Final = {
    "mart": "os relatórios na data-base do arquivo; onde há a coluna soma, só as linhas com soma se somam",
    "hist": "toda versão de cada registro: vale de valido_de até antes de valido_ate",
    "core": "os registros da última execução",
}


def gather_keys() -> Mapping[str, tuple[str, ...]]:
    """List the key of each table of `mart`, `hist` and `core`: no two rows have the same values in all its columns."""
    declared = {f"mart.{name}": key for spec in EVERY_REPORT for name, key in spec.keys.items()}
    said = (line.split(": ") for line in _KEYS.strip().splitlines())
    own = {f"mart.{name}": tuple(key.split()) for name, key in said}
    return {**{name: table.key for name, table in TABLES.items()}, **declared, **own}


def write_sources(published: Path, *, grupo: bool) -> str:
    """Write `sources.yml` of a published copy; in the group's the company is part of every key.

    Raises:
        StorageError: when nothing is published there.
    """
    with ask(published, _COLUMNS) as answer:
        rows = [row for row in answer.rows if row[0] != "hist" or row[1] in VERSIONED]
    tables: dict[str, dict[str, tuple[str, list[tuple[str, str, str]]]]] = {}
    for schema, table, about, *column in rows:
        kept = tables.setdefault(schema, {}).setdefault(table, (about or "", []))
        kept[1].append((column[0], column[1], column[2] or ""))
    return "\n".join(["version: 2", "sources:", *_write_schemas(tables, ("empresa",) if grupo else ())]) + "\n"


def _write_schemas(
    tables: Mapping[str, Mapping[str, tuple[str, list[tuple[str, str, str]]]]], before: tuple[str, ...]
) -> Iterator[str]:
    keys = gather_keys()
    for schema, own in tables.items():
        yield f"  - name: {schema}"
        yield f"    schema: {schema}"
        yield f"    description: {_quote(_ABOUT[schema])}"
        yield "    tables:"
        first = FIRST_VIEWS if schema == "mart" else ()
        for name in [*filter(own.__contains__, first), *(name for name in own if name not in first)]:
            about, columns = own[name]
            key = (*before, *keys[f"{schema}.{name}"]) if f"{schema}.{name}" in keys else ()
            yield f"      - name: {_quote(name)}"
            yield f"        description: {_quote(about)}"
            yield f"        meta: {{chave: {_quote(key)}}}"
            yield from [f"        tags: {_quote([FIRST])}"] if name in first else []
            yield "        columns:"
            filled = schema == "mart" and name not in MAY_BE_NULL
            for column, kind, text in columns:
                tests = ["not_null"] * (filled and column in key) + ["unique"] * (key == (column,))
                yield f"          - name: {_quote(column)}"
                yield f"            data_type: {_quote(kind)}"
                yield f"            description: {_quote(text)}"
                yield from [f"            data_tests: {_quote(tests)}"] if tests else []


def _quote(value: object) -> str:
    """Write a text or a list as JSON does, which YAML reads."""
    return json.dumps(value, ensure_ascii=False)
