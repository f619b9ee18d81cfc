"""Control totals of V10: what `core.linhas` must hold per account, from the raw records, in SQL alone.

This is a second implementation of S2 and S7 on purpose: it shares no code with `lastro.transform.composites`, so a
mistake there, or a change of `core.linhas` after it was written, shows. Keep it so: never make one call the other.
"""

from __future__ import annotations

from collections.abc import Collection

import duckdb
import pandas as pd

TYPES = {
    "conta_id": "Int64",
    "linhas": "int64",
    "valor_centavos": "int64",
    "vencimento": "int64",
    "pagamento": "int64",
    "competencia": "int64",
    "categoria": "int64",
    "pessoa": "int64",
    "transferencia": "int64",
}
_MODULUS = 1_000_003
"""Prime of the signatures; the view `prova.assinaturas` has the same one."""
_FIELDS = (
    "id",
    "valor",
    "conta_id",
    "categoria_id",
    "pessoa_id",
    "lancamento_composto_id",
    "lancamento_transferencia_id",
    "data_vencimento",
    "data_pagamento",
    "data_competencia",
    "itens_adicionais",
)


def _id(position: int) -> str:
    """Write the SQL of a link: 0 and "" are none (S1)."""
    return f"nullif(try_cast(nullif(f[{position}], '') AS BIGINT), 0)"


def _day(position: int) -> str:
    return f"try_cast(left(f[{position}], 10) AS DATE)"


def _signature(value: str) -> str:
    # A day before 1970 is negative, and so is its remainder in SQL: the other implementation counts from 0 to p - 1.
    remainder = f"((coalesce({value}, 0) % {_MODULUS} + {_MODULUS}) % {_MODULUS})"
    return f"sum({remainder} * (1 + abs(centavos) % {_MODULUS}))::BIGINT"


def _day_number(day: str) -> str:
    return f"date_diff('day', DATE '1970-01-01', {day})"


def read_control_totals(
    con: duckdb.DuckDBPyConnection,
    *,
    modo: str,
    saldo_inicial_lancamentos: Collection[int],
    saldo_inicial_categorias: Collection[int],
) -> pd.DataFrame:
    """Add the raw records up to what the linhas of each account must be (S2, S7, V10).

    Reads `raw.lancamentos`, `raw.detalhes` and `raw.rejeitados`: the row received last of each id wins, an entry read
    one by one wins over the listing, rejected records are left out, opening-balance entries are no linhas.

    Args:
        con: connection to the warehouse; temporary tables are made in it and dropped.
        modo: the composite mode in force, "parcela" or "total" (S2.6).
        saldo_inicial_lancamentos: ids of opening-balance entries.
        saldo_inicial_categorias: categories of opening-balance entries.

    Returns:
        Grain account (null = without), ascending: `linhas`, `valor_centavos`, and one signature per date and link: the
        sum of (x mod p)(1 + |centavos| mod p), x a day number since 1970 or an id, 0 for null.
    """
    con.execute(_ROWS, [list(saldo_inicial_lancamentos), list(saldo_inicial_categorias)])
    for statement in _APART:
        con.execute(statement)
    con.execute(_ITEMS)
    con.execute(_COMPONENTS)
    frame = con.execute(_TOTALS, {"modo": modo}).df()
    for name in ("controle_linhas", "controle_iniciais", "controle_itens", "controle_partes"):
        con.execute(f"DROP TABLE temp.{name}")
    return frame.astype(TYPES)


_PATHS = "[" + ", ".join(f"'$.{name}'" for name in _FIELDS) + "]"

# A record is parsed once; only where it nests something, or has no id, is it looked at again.
_RECEIVED = """
SELECT {order} AS prioridade, extraido_em, pagina, posicao, origem, f,
  CASE WHEN f[11] LIKE '[_%' AND f[11] <> '[]' AND json_array_length(payload, '$.itens_adicionais') > 0
    THEN payload END AS payload,
  CASE WHEN f[1] IS NULL THEN json_type(payload) = 'OBJECT' ELSE true END AS objeto
FROM (SELECT r.*, json_extract_string(r.payload, {paths}) AS f
  FROM raw.{lista} r ANTI JOIN (SELECT * FROM raw.rejeitados WHERE lista = 'lancamentos') x
    ON x.origem = r.origem AND x.pagina = r.pagina AND x.posicao = r.posicao AND x.extraido_em = r.extraido_em)"""

# What is no object gives way to what is, and goes only then: a condition before would parse every record twice.
_ROWS = f"""
CREATE OR REPLACE TEMP TABLE controle_linhas AS
SELECT * EXCLUDE (prioridade, objeto), payload IS NOT NULL AS tem_itens,
  list_contains(?::BIGINT[], id) OR coalesce(list_contains(?::BIGINT[], categoria_id), false) AS inicial
FROM (SELECT f[1]::BIGINT AS id, (f[2]::DECIMAL(20,2) * 100)::BIGINT AS centavos, {_id(3)} AS conta_id,
    {_id(4)} AS categoria_id, {_id(5)} AS pessoa_id, {_id(6)} AS composto_id, {_id(7)} AS par_id,
    {_day(8)} AS vencimento, {_day(9)} AS pagamento, {_day(10)} AS competencia, payload, extraido_em, origem, pagina,
    posicao, prioridade, objeto FROM (
{_RECEIVED.format(order=0, paths=_PATHS, lista="lancamentos")}
UNION ALL
{_RECEIVED.format(order=1, paths=_PATHS, lista="detalhes")}))
QUALIFY row_number() OVER (PARTITION BY id
    ORDER BY objeto DESC, prioridade DESC, extraido_em DESC, pagina DESC, posicao DESC) = 1 AND objeto"""

# Opening-balance entries are no linhas (S7), and none again as items nested in their siblings.
_APART = (
    "CREATE OR REPLACE TEMP TABLE controle_iniciais AS SELECT id, composto_id FROM controle_linhas WHERE inicial",
    "DELETE FROM controle_linhas WHERE inicial",
)

_ITEMS = f"""
CREATE OR REPLACE TEMP TABLE controle_itens AS
WITH aninhados AS (
  SELECT id AS portador, extraido_em, origem, pagina, posicao,
    unnest(range(json_array_length(payload, '$.itens_adicionais')::BIGINT)) AS lugar,
    unnest(json_extract(payload, '$.itens_adicionais[*]')) AS item
  FROM controle_linhas WHERE tem_itens),
legiveis AS (
  SELECT a.* FROM aninhados a ANTI JOIN (SELECT * FROM raw.rejeitados WHERE lista = 'itens_adicionais') x
    ON x.origem = a.origem AND x.pagina = a.pagina AND x.posicao = a.posicao AND x.extraido_em = a.extraido_em
    AND x.payload::VARCHAR = a.item::VARCHAR
  WHERE json_type(a.item) = 'OBJECT')
SELECT portador, lugar, try_cast(f[1] AS BIGINT) AS id,
  (try_cast(f[2] AS DECIMAL(20,2)) * 100)::BIGINT AS centavos, {_id(4)} AS categoria_id,
  {_id(5)} AS pessoa_id, tem_pessoa, {_id(6)} AS composto_id
FROM (SELECT portador, lugar, json_extract_string(item, {_PATHS}) AS f,
    json_type(item, '$.pessoa_id') IS NOT NULL AS tem_pessoa FROM legiveis)"""

# One row per component (S2.2): rows first, then nested items whose id is no row of the same composite.
_COMPONENTS = """
CREATE OR REPLACE TEMP TABLE controle_partes AS
WITH dos_itens AS (
  SELECT portador, arg_min(composto_id, lugar) FILTER (composto_id IS NOT NULL) AS composto_id
  FROM controle_itens GROUP BY portador),
linhas AS (
  SELECT l.*, CASE WHEN l.composto_id IS NOT NULL OR l.tem_itens THEN coalesce(l.composto_id, i.composto_id, -l.id) END
    AS chave
  FROM controle_linhas l LEFT JOIN dos_itens i ON i.portador = l.id),
itens AS (
  SELECT i.id, i.centavos, l.conta_id, i.categoria_id,
    CASE WHEN i.tem_pessoa THEN i.pessoa_id ELSE l.pessoa_id END AS pessoa_id, l.vencimento, l.pagamento,
    l.competencia, l.chave
  FROM controle_itens i JOIN linhas l ON l.id = i.portador
  ANTI JOIN linhas r ON r.id = i.id AND r.chave = l.chave
  ANTI JOIN controle_iniciais s ON s.id = i.id AND s.composto_id = l.chave
  QUALIFY row_number() OVER (PARTITION BY l.chave, i.id ORDER BY i.portador, i.lugar) = 1)
SELECT id, centavos, conta_id, categoria_id, pessoa_id, par_id, vencimento, pagamento, competencia, chave,
  true AS da_lista, tem_itens FROM linhas
UNION ALL
SELECT id, centavos, conta_id, categoria_id, pessoa_id, NULL, vencimento, pagamento, competencia, chave, false, false
FROM itens"""

# In mode `total` the carrier of a título with other components gives way to what its items leave unexplained (S2.7).
_TOTALS = f"""
WITH titulos AS (
  SELECT *, CASE WHEN chave IS NULL THEN true ELSE row_number() OVER titulo = 1 END AS portador,
    CASE WHEN chave IS NULL THEN 1 ELSE count(*) OVER titulo_inteiro END AS componentes,
    CASE WHEN chave IS NULL THEN centavos ELSE sum(centavos) OVER titulo_inteiro END AS soma
  FROM controle_partes
  WINDOW titulo AS (PARTITION BY chave, conta_id, vencimento, pagamento ORDER BY NOT tem_itens, NOT da_lista, id),
    titulo_inteiro AS (PARTITION BY chave, conta_id, vencimento, pagamento)),
linhas AS (
  SELECT * REPLACE (CASE WHEN $modo = 'total' AND portador AND componentes > 1 THEN 2 * centavos - soma
    ELSE centavos END AS centavos), portador AND componentes > 1 AS e_pai FROM titulos),
mantidas AS (SELECT * FROM linhas WHERE NOT e_pai OR $modo <> 'total' OR centavos <> 0)
SELECT conta_id, count(*) AS linhas, sum(centavos)::BIGINT AS valor_centavos,
  {_signature(_day_number("vencimento"))} AS vencimento, {_signature(_day_number("pagamento"))} AS pagamento,
  {_signature(_day_number("competencia"))} AS competencia, {_signature("categoria_id")} AS categoria,
  {_signature("pessoa_id")} AS pessoa, {_signature("par_id")} AS transferencia
FROM mantidas GROUP BY conta_id ORDER BY conta_id NULLS LAST"""
