"""What changed between two states of a company, by one rule for everyone who asks (R14): SQL over `core` and `hist`.

The macro `hist.mudancas(a, b)`, the report, the cover and `lastro diff` are made of these two texts. A state is the
linhas of a run with what they are as of a day; a change is a linha that is not the same in both, as it was and as it
is. Belongs here: which linha is the same, what differs, its type and its money; what R14 is told of two reports. Does
not belong here: where the records of a run stand, what `lastro diff` makes of the changes.
"""

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
    EXCLUIDO,
    FIELDS,
    LIQUIDADO,
    NOVO,
    SITUACAO,
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
from lastro.warehouse.file.day_state import linhas_as_of
from lastro.warehouse.file.store import LINHAS_WITH_TAGS

_STATE: Final = ("pago", "transferencia", "fora", "competencia", "caixa")
"""What a linha is as of the day of its state; a change in nothing else has no type."""
_TEXTS: Final = frozenset({"descricao", "documento", "observacao", "periodicidade"})
"""Columns in which an unset text is one, however it is written."""
VALUE: Final = "UNION(valor DECIMAL(18,2), dia DATE, numero BIGINT, sim BOOLEAN, tags BIGINT[], texto VARCHAR)"
"""Type of a field's value, whatever the field."""
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


def describe_state(linhas: str, categorias: str, contas: str, parametros: str, chosen: str = "true") -> str:
    """Write the SELECT of a state: its linhas, and what they are as of a day (`lastro.warehouse.file.day_state`).

    Args:
        linhas: relation of `core.linhas` with `tags` (`LINHAS_WITH_TAGS`).
        categorias: relation of the categories whose groups count, of this state or of the other one.
        contas: relation of the accounts whose openings count.
        parametros: relation of one row that says the day and by what it counts (`as_of`).
        chosen: SQL condition over `l`, the linhas that count.

    Returns:
        Its columns: `chave`, which is the composite, for an item of a composite without number minus the id of the row
        that carries it, 0 for a simple row; `linha_id`; `vez`, which tells linhas of the same key apart; the compared
        fields; what follows from the day; `fora_dito`, as the records say it; `grupo` of the DRE (S17).
    """
    source = f"(SELECT *, fora_resultado AS fora_dito FROM {linhas} s)"
    state = linhas_as_of(parametros, linhas=source, categorias=categorias, contas=contas)
    fields = ", ".join(f'l."{name}"' for name in FIELDS if name != "tags")
    return f"""SELECT l.origem, l.linha_id, l.titulo_id, {fields}, coalesce(l.tags, []) AS tags, l.modified,
  coalesce(l.lancamento_composto_id, CASE WHEN l.origem = 'item' THEN -l.titulo_id ELSE 0 END) AS chave,
  row_number() OVER (PARTITION BY chave, l.linha_id ORDER BY l.valor, l.data_vencimento) AS vez,
  l.transferencia, l.pago, l.fora_resultado AS fora, l.fora_dito, l.data_competencia_ef AS competencia, l.caixa,
  l.natureza, l.grupo
FROM ({state}) l WHERE {chosen}"""


def as_of(dia: str, lida: str, nula: str, classifica: str = "false") -> str:
    """Write the relation of a state's day (`describe_state`).

    Args:
        dia: SQL of the day as of which a linha is paid or open.
        lida: SQL of the day on which the records were read.
        nula: SQL of the setting `competencia_nula`.
        classifica: SQL of whether the map has groups, which only `grupo` asks.
    """
    return (
        f"(SELECT {dia} AS data_base, {lida} AS data_extracao, {nula} AS competencia_nula, "
        f"{classifica} AS mapa_classifica)"
    )


def read_parameter(execucao: int | str, name: str) -> str:
    """Write the SQL of a setting by which a run was computed, a column of `ops.calculo`."""
    return f"(SELECT max({name}) FROM ops.calculo WHERE execucao_id = {execucao})"


def compare_states(a: str, b: str) -> str:
    """Write the SELECT of what changed from one state to another (R14).

    A linha is the same in both by its id within its composite, whatever the `origem`: a nested item that became a row
    is the same, an equal id in another composite is a different thing (S2). A row that joined or left a composite, and
    is not found by that rule, keeps its identity: its id is its own among rows.

    Args:
        a: the earlier state, as `describe_state` writes it.

    Returns:
        One row a linha that is not the same in both: `tipo` (null where no compared field and no payment changed),
        `chave`, `linha_id`, `titulo_id`, `campos` (names of the fields that differ), `impacto_no_aberto` and
        `impacto_no_resultado` (later minus earlier: open without transfers; by competence without what is outside),
        `antes` and `depois`: the linha in each state, null where it is not there.
    """
    compared = [*FIELDS, *(name for name in _STATE if name != "transferencia")]
    different = " OR ".join(_differ("a", "b", name) for name in compared)
    fields = ", ".join(f"CASE WHEN {_differ('antes', 'depois', name)} THEN '{name}' END" for name in FIELDS)
    types = ", ".join(f"'{name}': '{tipo}'" for name, (tipo, _) in FIELDS.items())
    changed = " OR ".join(_differ("antes", "depois", name) for name in _STATE)
    opened = "CASE WHEN {0} IS NULL OR {0}.pago OR {0}.transferencia THEN 0 ELSE {0}.valor END"
    result = (
        "CASE WHEN {0} IS NULL OR {0}.transferencia OR {0}.fora OR {0}.competencia IS NULL THEN 0 ELSE {0}.valor END"
    )
    row = "CASE WHEN {0}.origem = 'lancamento' THEN {0}.linha_id END"
    money = ", ".join(
        f"({text.format('depois')} - {text.format('antes')})::DECIMAL(18,2) AS {name}"
        for name, text in (("impacto_no_aberto", opened), ("impacto_no_resultado", result))
    )
    return f"""WITH a AS ({a}), b AS ({b}),
casadas AS MATERIALIZED (
  SELECT CASE WHEN a.linha_id IS NOT NULL THEN a END AS antes, CASE WHEN b.linha_id IS NOT NULL THEN b END AS depois
  FROM a FULL JOIN b ON a.chave = b.chave AND a.linha_id = b.linha_id AND a.vez = b.vez
  WHERE a.linha_id IS NULL OR b.linha_id IS NULL OR {different}),
pares AS (
  FROM casadas WHERE antes IS NOT NULL AND depois IS NOT NULL
  UNION ALL SELECT s.antes, n.depois FROM (SELECT antes FROM casadas WHERE depois IS NULL) s
  FULL JOIN (SELECT depois FROM casadas WHERE antes IS NULL) n
    ON {row.format("s.antes")} = {row.format("n.depois")} AND s.antes.vez = n.depois.vez),
mudadas AS (
  SELECT *, antes IS NOT NULL AND depois IS NOT NULL AS ambas,
    CASE WHEN ambas THEN list_filter([{fields}], lambda campo: campo IS NOT NULL) ELSE [] END AS campos
  FROM pares)
SELECT CASE WHEN depois IS NULL THEN '{EXCLUIDO}' WHEN antes IS NULL THEN '{NOVO}'
    WHEN antes.pago AND NOT depois.pago THEN '{ESTORNADO}' WHEN depois.pago AND NOT antes.pago THEN '{LIQUIDADO}'
    ELSE MAP {{{types}}}[campos[1]] END AS tipo,
  coalesce(antes.chave, depois.chave) AS chave, coalesce(depois, antes).linha_id AS linha_id,
  coalesce(depois, antes).titulo_id AS titulo_id, campos, {money}, antes, depois
FROM mudadas WHERE NOT ambas OR len(campos) > 0 OR {changed}"""


def spread_fields(changes: str) -> str:
    """Write the SELECT of what is told of each change (R14).

    Of a linha that came or went its amount; of a payment made or undone that first.

    Args:
        changes: relation of `compare_states`.

    Returns:
        One row a linha and field: the columns of `changes`, `lugar` of the field among those of its linha, from 1,
        `campo`, `a` and `b`: its values before and after, null where the linha is not there.
    """
    a, b = (
        "CASE campo " + " ".join(f"WHEN '{name}' THEN {side}.{name}::{VALUE}" for name in (*FIELDS, SITUACAO)) + " END"
        for side in ("antes", "depois")
    )
    day = "data_pagamento"
    return f"""SELECT *, {a} AS a, {b} AS b FROM (
  SELECT * EXCLUDE (ditos), unnest(ditos) AS campo, generate_subscripts(ditos, 1) AS lugar FROM (
    SELECT *, CASE WHEN antes IS NULL OR depois IS NULL THEN ['valor'] WHEN antes.pago = depois.pago THEN campos
      ELSE [CASE WHEN list_contains(campos, '{day}') THEN '{day}' ELSE '{SITUACAO}' END]
        || list_filter(campos, lambda campo: campo <> '{day}') END AS ditos
    FROM {changes}))"""


def _differ(a: str, b: str, name: str) -> str:
    sides = [f"coalesce({side}.\"{name}\", '')" if name in _TEXTS else f'{side}."{name}"' for side in (a, b)]
    return f"{sides[0]} IS DISTINCT FROM {sides[1]}"


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
