"""What changed since the previous report, read as the reports lay it out (R14): linhas, bridge, closed months."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any, Final

import duckdb
import pandas as pd

from lastro.analysis.changes import (
    BRIDGE,
    CAIXA,
    COMPETENCIA,
    ESTORNADO,
    LIQUIDADO,
    Comparison,
    find_changed_charges,
    find_late,
)
from lastro.money import to_decimal
from lastro.schema.derivation import quote
from lastro.settings import Recorte
from lastro.transform.closed_months import find_closing
from lastro.transform.position import Position
from lastro.transform.scope import list_criteria
from lastro.warehouse.file.changes import as_of, compare_states, describe_state, spread_fields
from lastro.warehouse.file.store import LINHAS_WITH_TAGS

_CENTAVOS: Final = "({}::DECIMAL(20,2) * 100)::BIGINT"
_REGIMES: Final = (
    f"unnest(['{COMPETENCIA}', '{CAIXA}']) AS regime, "
    "unnest([CASE WHEN NOT {0}fora THEN {0}competencia END, CASE WHEN {0}caixa THEN {0}data_pagamento END]) AS dia"
)
"""In which month of each regime a linha counts, if in any; transfers in none."""
_NOW: Final = ("modified", "titulo_id", "pessoa_id", "categoria_id", "conta_id", "grupo_id", "transferencia")
"""What is told of a linha as it is, of one that went as it was."""
_STEP: Final = """CASE WHEN coalesce(antes.transferencia, true) AND coalesce(depois.transferencia, true) THEN ''
  WHEN coalesce(antes.transferencia, true) THEN 'novos_abertos'
  WHEN coalesce(depois.transferencia, true) THEN 'excluidos_abertos'
  WHEN antes.pago THEN 'estornados' WHEN depois.pago THEN 'liquidados' ELSE 'mudanca_de_valor' END"""
"""What a change is in the bridge of the open portfolio; one that became a transfer left it."""
_EXPLAINED: Final = f"""WITH partes AS (
  SELECT regime, date_trunc('month', dia)::DATE AS mes, chave, linha_id, sum(a) AS antes, sum(b) AS depois FROM (
    SELECT chave, linha_id, {_REGIMES.format("antes.")}, antes.valor AS a, 0 AS b FROM mudadas
    WHERE NOT antes.transferencia
    UNION ALL SELECT chave, linha_id, {_REGIMES.format("depois.")}, 0, depois.valor FROM mudadas
    WHERE NOT depois.transferencia)
  WHERE dia <= $limite GROUP BY ALL HAVING sum(a) <> sum(b)),
-- O papel de um lançamento: o seu número, senão as suas palavras sem o que está entre parênteses.
ditas AS (
  SELECT DISTINCT ON (chave, linha_id) chave, linha_id, tipo, depois IS NOT NULL AS em_b, l.titulo_id, l.pessoa_id,
    coalesce(l.descricao, '') AS descricao, coalesce(nullif(trim(l.documento), ''), l.descricao, '') AS texto,
    coalesce(nullif(regexp_extract(texto, '\\d{{3,}}'), ''), nullif(lower(strip_accents(trim(regexp_replace(
      regexp_replace(texto, '\\(.*?\\)', '', 'g'), '\\s+', ' ', 'g')))), ''), l.titulo_id::VARCHAR) AS papel
  FROM (SELECT *, coalesce(depois, antes) AS l FROM mudadas)),
-- O que num mês se compensa, num título ou num papel de uma pessoa, não o mudou.
juntas AS (
  SELECT *, depois - antes AS diferenca FROM partes JOIN ditas USING (chave, linha_id)
  QUALIFY sum(depois - antes) OVER (PARTITION BY regime, mes, titulo_id) <> 0)
SELECT mes, regime, tipo, linha_id, descricao, {
    ", ".join(f"{_CENTAVOS.format(name)} AS {name}" for name in ("antes", "depois", "diferenca"))
}, em_b
FROM (FROM juntas QUALIFY sum(diferenca) OVER (PARTITION BY regime, mes, pessoa_id, papel) <> 0)
ORDER BY regime DESC, mes, abs(diferenca) DESC, linha_id, chave"""


_TOTALS: Final = f"""WITH lados AS (
  {{0}}),
meses AS (SELECT lado, valor, {_REGIMES.format("")} FROM lados WHERE NOT transferencia)
SELECT regime, date_trunc('month', dia)::DATE AS mes,
  coalesce(sum(valor) FILTER (lado = 'a'), 0)::DECIMAL(18,2) AS antes,
  coalesce(sum(valor) FILTER (lado = 'b'), 0)::DECIMAL(18,2) AS depois
FROM meses WHERE dia <= $limite GROUP BY ALL
UNION ALL SELECT 'aberto', NULL, coalesce(sum(valor) FILTER (lado = 'a'), 0)::DECIMAL(18,2),
  coalesce(sum(valor) FILTER (lado = 'b'), 0)::DECIMAL(18,2) FROM lados WHERE NOT pago AND NOT transferencia
UNION ALL SELECT 'remapeadas', NULL, count(*), 0 FROM lados WHERE lado = 'a' AND fora <> fora_dito
ORDER BY mes, regime DESC"""
"""What each state adds up to, apart from the changes that have to explain it."""
_COUNTED: Final = ("valor", "transferencia", "pago", "fora", "fora_dito", "competencia", "caixa", "data_pagamento")


def compare_reports(
    con: duckdb.DuckDBPyConnection, position: Position, before: Position, linhas: str, recorte: Recorte | None
) -> Comparison:
    """Hold the previous report against the one of `core` (R14).

    Paid and open are as of each report's own day. Map, accounts and parameters are those of now on both sides: another
    map, opening or setting restates no month.

    Args:
        con: the private file, whose `core` is that of the report.
        position: that of the report, as of D; of a scope the narrowed one.
        before: the previous report as of its own day: its names, charges and late títulos; of a scope the narrowed one.
        linhas: relation of all linhas of the previous report, with `tags`.
        recorte: the scope; None is the whole.
    """
    closed_on, nula, chosen = find_closing(position, before), quote(position.parametros.competencia_nula), "true"
    if recorte is not None:
        chosen = " AND ".join(_choose(recorte))
    a, b = (
        describe_state(
            source,
            "core.categorias",
            "core.contas",
            as_of(f"DATE '{side.data_base}'", f"DATE '{side.data_extracao}'", nula),
            chosen,
        )
        for source, side in ((linhas, before), (LINHAS_WITH_TAGS, position))
    )
    limit = {"limite": closed_on}
    con.execute(f"CREATE OR REPLACE TEMP TABLE mudadas AS {compare_states(a, b)}")
    sides = "\n  UNION ALL ".join(
        f"SELECT '{side}' AS lado, {', '.join(_COUNTED)} FROM ({state})" for side, state in (("a", a), ("b", b))
    )
    totals = con.execute(_TOTALS.format(sides), limit).fetchall()
    of_all = {what: (before, now) for what, month, before, now in totals if month is None}
    explained = con.execute(_EXPLAINED, limit).df()
    steps = dict(con.execute(f"SELECT {_STEP}, sum(impacto_no_aberto) FROM mudadas GROUP BY ALL").fetchall())
    changed = con.execute(_list_changed(), limit).df()
    con.execute("DROP TABLE mudadas")
    return Comparison(
        data_base=before.data_base,
        rotulos=before.rotulos,
        fechado_ate=closed_on,
        mudadas=_as_objects(changed),
        ponte={name: steps.get(name, Decimal(0)) for name in BRIDGE}
        | dict(zip(("aberto_a", "aberto_b"), of_all["aberto"], strict=True)),
        meses=list(_list_months(totals, explained)),
        explicam=_as_objects(explained),
        vencidos=find_late(before)[["titulo_id", "tipo", "valor_centavos"]],
        cobrancas=find_changed_charges(position, before),
        remapeadas=int(of_all["remapeadas"][0]),
    )


def _choose(recorte: Recorte) -> Iterator[str]:
    """Yield the conditions of a scope on a linha."""
    for column, ids in list_criteria(recorte):
        yield f"l.{column} IN ({', '.join(map(str, ids))})"
    if recorte.tags:
        yield f"list_has_any(l.tags, [{', '.join(map(str, recorte.tags))}])"


def _list_changed() -> str:
    """Write the SELECT of the changes as they are printed, a row a linha and field (`Comparison.mudadas`).

    Who settles what was sold in a closed month changes nothing of that month's result. The month affected is the
    earlier of both competences; where the change is a payment, of both payments; the due month where there is none.
    """
    now = ", ".join(f"agora.{name}" for name in _NOW)
    paid, sold = (
        f"coalesce(least(antes.{day}, depois.{day}) <= $limite, false)" for day in ("data_pagamento", "competencia")
    )
    return f"""SELECT tipo, chave, linha_id, lugar, campo, a, b, campos,
  antes IS NOT NULL AS em_a, depois IS NOT NULL AS em_b, coalesce(NOT depois.pago, false) AS aberto,
  {_CENTAVOS.format("impacto_no_aberto")} AS impacto_aberto,
  {_CENTAVOS.format("impacto_no_resultado")} AS impacto_resultado,
  {_CENTAVOS.format("coalesce(antes.valor, 0)")} AS valor_a, {_CENTAVOS.format("coalesce(depois.valor, 0)")} AS valor_b,
  antes.data_vencimento AS venceu, depois.data_vencimento AS vence,
  {paid} OR ({sold} AND NOT (em_a AND em_b AND (len(campos) = 0 OR campos = ['data_pagamento'])
    AND antes.competencia IS NOT DISTINCT FROM depois.competencia)) AS mes_fechado,
  date_trunc('month', coalesce(CASE WHEN tipo IN ('{ESTORNADO}', '{LIQUIDADO}', 'PAGAMENTO')
      THEN least(antes.data_pagamento, depois.data_pagamento) ELSE least(antes.competencia, depois.competencia) END,
    least(antes.data_vencimento, depois.data_vencimento)))::DATE AS mes_afetado,
  coalesce(agora.descricao, '') AS descricao, {now}
FROM (SELECT *, coalesce(depois, antes) AS agora FROM ({spread_fields("mudadas")})) WHERE tipo IS NOT NULL
ORDER BY mes_fechado DESC, greatest(abs(impacto_no_aberto), abs(impacto_no_resultado)) DESC, linha_id, chave, lugar"""


def _list_months(totals: Collection[tuple[Any, ...]], explained: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Yield the closed months that differ, or of which linhas do, and how much of it these explain."""
    sums = explained.groupby(["regime", "mes"])["diferenca"].agg(["sum", "size"])
    told = {
        (regime, month.date()): (to_decimal(int(delta)), int(count))
        for (regime, month), delta, count in sums.itertuples()
    }
    for regime, month, before, now in totals:
        delta, count = told.get((regime, month), (Decimal(0), 0))
        if month is not None and (before != now or count):
            yield month, regime, before, now, now - before, delta, count


def _as_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Make texts Python's own."""
    return frame.astype(dict.fromkeys(frame.select_dtypes("str").columns, object))
