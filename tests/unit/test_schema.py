"""The schema is one source: DDL, comments, casts and dictionary agree with it, and DuckDB with all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

import duckdb
import pandas as pd
import pytest

from lastro.schema import payloads
from lastro.schema.derivation import (
    build_comments,
    build_ddl,
    cast_from_frame,
    cast_to_frame,
    frame_column,
    quote,
)
from lastro.schema.dictionary import MONEY, read_dictionary
from lastro.schema.payloads import PayloadSpec, Reading
from lastro.schema.tables import SCHEMAS, TABLES

SPECS = [
    payloads.LANCAMENTOS,
    payloads.ITENS,
    payloads.COBRANCAS,
    payloads.CATEGORIAS,
    payloads.CLIENTES,
    payloads.FORNECEDORES,
    payloads.CLASSIFICACOES,
    payloads.CONTAS,
    *payloads.NOMES.values(),
]
DOCUMENT = {
    # Fields of section 2 of the service's document, typed here from the document and not from the code.
    "lancamentos": "id grupo_id lancamento_transferencia_id categoria_id centro_custo_lucro_id "
    "tipo_custo_nivel_producao_id tipo_custo_apropriacao_produto_id conta_id forma_pagamento_id pessoa_id "
    "tipo_documento_id tipo_lancamento_id descricao documento data_vencimento data_pagamento data_competencia valor "
    "observacao pagamento_automatico numero_repeticao total_repeticoes periodicidade pedido_id lancamento_composto_id "
    "modified anexos tags itens_adicionais",
    "cobrancas": "id valor valor_taxa percentual_multa cobrar_juros valor_multa_juros valor_pago instrucoes_boleto "
    "permitir_segunda_via lancamento_ids forma_pagamento_id cliente_id conta_id email data_vencimento "
    "data_a_transferir data_transferindo data_transferido data_cancelamento status_id status_descricao cobranca_hash "
    "link_publico",
    "categorias": "id descricao cor parent_id ativo categorias_filhas tipo_categoria_id",
    "clientes": "id nome nome_fantasia documento inscricao_estadual inscricao_municipal telefone endereco "
    "endereco_numero endereco_complemento bairro cep cidade_id estado_id email observacao fornecedor cliente banco_id "
    "agencia numero_conta ativo estado cidade classificacao_cliente_id classificacao_fornecedor_id anexos",
    "classificacoes": "id nome tipo_classificacao_id ativo",
}


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    for schema in SCHEMAS:
        connection.execute(f"CREATE SCHEMA {schema}")
    yield connection
    connection.close()


def test_every_column_is_defined_once_named_by_itself_and_explained() -> None:
    for name, column in read_dictionary().items():
        assert name == column.name
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        assert column.meaning, name
        assert re.fullmatch(r"|[SRVQ][0-9]{2}|S[0-9]{1,2}", column.rule), name
        assert column.comment.endswith(column.meaning)
    used = {name for table in TABLES.values() for name in table.columns}
    assert {name for table in TABLES.values() for name in used if name in table.overrides} | set(
        read_dictionary()
    ) >= used


def test_every_table_is_keyed_by_its_own_columns_and_lies_in_a_known_schema() -> None:
    for name, table in TABLES.items():
        assert name == table.name
        assert name.split(".")[0] in SCHEMAS
        assert set(table.key) <= set(table.columns), name
        assert len(set(table.columns)) == len(table.columns), name
        assert set(table.overrides) <= set(table.columns), name
        assert all(table.column(column).name == column for column in table.columns), name


def test_duckdb_takes_every_ddl_and_comment(con: duckdb.DuckDBPyConnection) -> None:
    for table in TABLES.values():
        con.execute(build_ddl(table))
        for target, text in build_comments(table).items():
            con.execute(f"COMMENT ON {target} IS {quote(text)}")
    described = con.execute(
        "SELECT schema_name || '.' || table_name, list(column_name ORDER BY column_index), bool_and(comment <> '') "
        "FROM duckdb_columns() WHERE NOT internal GROUP BY 1"
    ).fetchall()
    assert {name: list(table.columns) for name, table in TABLES.items()} == {row[0]: row[1] for row in described}
    assert all(row[2] for row in described)
    comments = dict(con.execute("SELECT schema_name || '.' || table_name, comment FROM duckdb_tables()").fetchall())
    assert {name: text.rpartition("; chave: ")[0] or text for name, text in comments.items()} == {
        name: table.comment for name, table in TABLES.items()
    }
    assert comments["core.titulos"].endswith("; chave: titulo_id")
    assert comments["ops.previsao"].endswith("; chave: execucao_id, data_base, horizonte")


def test_no_money_is_stored_in_a_float() -> None:
    types = {table.column(column).type for table in TABLES.values() for column in table.columns}
    assert not types & {"DOUBLE", "FLOAT", "REAL"}
    for name in ("valor", "valor_pago", "valor_taxa", "taxa", "liquido", "bruto", "deducoes", "valor_saldo_inicial"):
        assert read_dictionary()[name].type == MONEY


def test_money_goes_into_sql_and_comes_back_to_the_centavo(con: duckdb.DuckDBPyConnection) -> None:
    column = read_dictionary()["valor"]
    extremes = [0, 1, -1, 5, 10**17 + 1, 999_999_999_999_999_999 // 10, -(10**16) - 7]
    frame = pd.DataFrame({"valor_centavos": pd.array(extremes, dtype="int64")})
    con.register("entrada", frame)
    con.execute(f"CREATE TABLE t AS SELECT {cast_from_frame(column)} FROM entrada")  # noqa: S608 - our own casts
    assert con.execute("SELECT typeof(valor) FROM t LIMIT 1").fetchall() == [(MONEY,)]
    assert [row[0] for row in con.execute("SELECT valor FROM t").fetchall()] == [
        Decimal(centavos).scaleb(-2) for centavos in extremes
    ]
    back = con.execute(f"SELECT {cast_to_frame(column)} FROM t").df()  # noqa: S608 - our own casts
    assert back["valor_centavos"].tolist() == extremes
    assert str(back["valor_centavos"].dtype) == "int64"
    assert frame_column(column) == "valor_centavos"
    assert frame_column(read_dictionary()["descricao"]) == "descricao"


def test_a_null_amount_stays_null(con: duckdb.DuckDBPyConnection) -> None:
    con.register("entrada", pd.DataFrame({"valor_pago_centavos": pd.array([None, 5], dtype="Int64")}))
    cast = cast_from_frame(read_dictionary()["valor_pago"])
    rows = con.execute(f"SELECT {cast} FROM entrada").fetchall()  # noqa: S608 - our own casts
    assert rows == [(None,), (Decimal("0.05"),)]


def test_a_text_becomes_a_literal_that_cannot_end_early(con: duckdb.DuckDBPyConnection) -> None:
    for text in ("", "d'água", "'; DROP TABLE t; --", "a\nb", "ação €"):
        assert con.execute(f"SELECT {quote(text)}").fetchall() == [(text,)]


STRICT = {Reading.OWN_ID, Reading.REFERENCE, Reading.MONEY, Reading.MONEY_OR_NULL, Reading.DAY, Reading.DAY_OR_NULL}
"""Readings that reject what is not of their form."""


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.lista)
def test_a_record_is_read_field_by_field_without_doubt(spec: PayloadSpec) -> None:
    names = [item.name for item in spec.fields]
    targets = [item.target for item in spec.fields]
    assert names[0] == "id"
    assert spec.fields[0].reading is Reading.OWN_ID
    assert len(set(names)) == len(names)
    assert len(set(targets)) == len(targets)
    assert not set(names) & {*spec.other, *spec.nested}
    assert all(item.reading in STRICT or not item.name.startswith(("data_", "valor")) for item in spec.fields)


@pytest.mark.parametrize("lista", DOCUMENT)
def test_every_field_of_the_document_is_known_and_none_is_invented(lista: str) -> None:
    spec = next(spec for spec in SPECS if spec.lista == lista)
    assert spec.known == set(DOCUMENT[lista].split())
