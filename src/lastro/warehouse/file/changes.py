"""What changed between two states of a company, by one rule for everyone who asks (R14): SQL over `core` and `hist`.

The macro `hist.mudancas(a, b)`, the report, the cover and `lastro diff` are made of these two texts. A state is the
linhas of a run with what they are as of a day; a change is a linha that is not the same in both, as it was and as it
is. Belongs here: which linha is the same, what differs, its type and its money. Does not belong here: where the records
of a run stand, and what each reader makes of the changes.
"""

from __future__ import annotations

from typing import Final

from lastro.analysis.changes import ESTORNADO, EXCLUIDO, FIELDS, LIQUIDADO, NOVO, SITUACAO
from lastro.warehouse.file.day_state import linhas_as_of

_STATE: Final = ("pago", "transferencia", "fora", "competencia", "caixa")
"""What a linha is as of the day of its state; a change in nothing else has no type."""
_TEXTS: Final = frozenset({"descricao", "documento", "observacao", "periodicidade"})
"""Columns in which an unset text is one, however it is written."""
VALUE: Final = "UNION(valor DECIMAL(18,2), dia DATE, numero BIGINT, sim BOOLEAN, tags BIGINT[], texto VARCHAR)"
"""Type of a field's value, whatever the field."""


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
        b: the later one.

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
