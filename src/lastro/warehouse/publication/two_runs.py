"""What differs between two runs of one company, by SQL over its published copy: indicators, entries, months of the DRE.

What only the day D moves (days late, band, interest, variation) is no record, so it is in none of these. Does not
belong here: how differences are printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, TypeAlias

import duckdb

from lastro.analysis.changes import EXCLUIDO, FIELDS, NOVO
from lastro.errors import ConfigError
from lastro.schema.derivation import versions_at
from lastro.schema.run_kinds import ENDED_WELL, Modo
from lastro.transform.categories import FORA
from lastro.warehouse.file.changes import (
    VALUE,
    as_of,
    compare_states,
    describe_state,
    read_parameter,
    spread_fields,
)
from lastro.warehouse.file.store import LINHAS_WITH_TAGS, LINK_NAME
from lastro.warehouse.loading.runs import RUN_OF_DAY
from lastro.warehouse.publication.published_file import open_published

Rows: TypeAlias = list[dict[str, Any]]
TABLES: Final = ("indicadores", "novas", "sumidas", "mudancas", "dre")
"""What is compared: runs of which none of these has a row are the same."""
MONEY_UNIT: Final = "R$"
RESULTADO: Final = "resultado"
"""Code of the DRE's line that adds all groups but `fora`."""
_UNITS: Final = {"M": MONEY_UNIT, "P": "%", "N": "dias", "I": "quantidade", "D": "data"}
"""Kind of an indicator in `ops.kpis` -> its unit, as `mart.resumo` writes it."""
_NAMES: Final = {
    "categoria_id": ("categorias", "categoria_id", "descricao", ""),
    "conta_id": ("contas", "conta_id", "descricao", ""),
    "pessoa_id": ("pessoas", "pessoa_id", "nome", ""),
    "centro_custo_lucro_id": ("formas", "id", "rotulo", "centros"),
    "forma_pagamento_id": ("formas", "id", "rotulo", "formas"),
    "tipo_documento_id": ("formas", "id", "rotulo", "tipos_documento"),
}
"""Column of ids -> core table, key and name there, and the dimension where the table has several."""


_RUN: Final = (
    "SELECT e.situacao, coalesce(e.tipo_execucao, 'completa'), e.data_base, e.data_extracao, l.execucao_id, "
    "coalesce(l.tipo_execucao, 'completa'), r.execucao_id FROM ops.relatorio r LEFT JOIN ops.execucoes e "
    "ON e.execucao_id = ? LEFT JOIN ops.execucoes l ON l.execucao_id = coalesce(e.leitura_id, e.execucao_id)"
)


@dataclass(frozen=True)
class RunInCopy:
    """A run, and where its records stand.

    Attributes:
        execucao_id: number of the run.
        tipo: completa, quente or recálculo.
        data_base: D.
        data_extracao: the day on which its records were read.
        registros: number of the recorded run whose versions (`hist`) are its records; None where `core` has them.
        mostrada: whether the reports in the copy (`mart`) are this run's.
    """

    execucao_id: int
    tipo: str
    data_base: date
    data_extracao: date
    registros: int | None
    mostrada: bool

    def relation(self, name: str) -> str:
        """Write the relation of a core table as the run had it."""
        if self.registros is None:
            return f"core.{name}"
        return f"({versions_at(name, self.registros)})"

    @property
    def linhas(self) -> str:
        """The same for `core.linhas`, with the ids of its tags."""
        if self.registros is None:
            return LINHAS_WITH_TAGS
        return f"({versions_at('linhas', self.registros, tags=True)})"


def find_run(con: duckdb.DuckDBPyConnection, execucao_id: int) -> RunInCopy:
    """Find a run in a published copy.

    Raises:
        ConfigError: when the copy does not know it, it did not end well, or its records are not kept.
    """
    ((state, kind, day, read_on, reading, kind_of_reading, last),) = con.execute(_RUN, [execucao_id]).fetchall()
    if state is None:
        raise ConfigError(
            f"diff: a execução {execucao_id} não está no que se publicou, que vai até a {last}. Veja os números com: "
            'lastro sql "SELECT execucao_id, tipo_execucao, data_base, situacao FROM ops.execucoes"'
        )
    if state not in ENDED_WELL:
        raise ConfigError(
            f"diff: a execução {execucao_id} não terminou bem (situação: {state}): não há o que comparar. Escolha uma "
            "execução completa."
        )
    if execucao_id == last:
        return RunInCopy(execucao_id, kind, day, read_on, None, mostrada=True)
    if day < read_on:
        ((exact,),) = con.execute(f"{RUN_OF_DAY} AND execucao_id <= ?", [day, execucao_id]).fetchall()
        if exact is not None:
            return RunInCopy(execucao_id, kind, day, day if exact != reading else read_on, int(exact), mostrada=False)
    if kind_of_reading != Modo.COMPLETA:
        raise ConfigError(
            f"diff: os registros da execução {execucao_id} ({kind}) não estão mais guardados: só os de uma leitura "
            "completa ficam no histórico. Compare com uma execução completa."
        )
    return RunInCopy(execucao_id, kind, day, read_on, int(reading), mostrada=False)


@dataclass(frozen=True)
class Differences:
    """What differs.

    Attributes:
        a: the first run.
        b: the second one.
        found: by name, as JSON has them, what is not the same, `a` in the first run and `b` in the second:
            `indicadores` (kpi, indicador, unidade, a, b) in the order of the cover, and `sem_indicadores`, the runs
            of which none are kept: then there are none to compare;
            `novas` and `sumidas`, entries that only the second or only the first run has;
            `mudancas`, entries that both have, with `campo`, `a` and `b`, an id with its name, field after field;
            `dre` (mes, codigo, a, b), signed sums by month of competence and group, or `RESULTADO`;
            `parametros`, names of those that the runs were computed with, which are no difference by themselves.
            Larger amounts first.
    """

    a: RunInCopy
    b: RunInCopy
    found: Mapping[str, Any]

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs, and the indicators of both were there to be compared."""
        return not self.differ and not self.found["sem_indicadores"]

    @property
    def differ(self) -> bool:
        """Whether anything that was compared differs."""
        return any(self.found[name] for name in TABLES)


def compare_runs(pasta: Path, execucao_ids: tuple[int, int], cure: str) -> Differences:
    """Compare two runs of a company.

    Args:
        cure: the command that publishes where nothing is.

    Raises:
        ConfigError: when a run is not there, or its records are not kept.
        StorageError: when nothing is published there.
    """
    with open_published(pasta / LINK_NAME, cure) as con:
        a, b = (find_run(con, number) for number in execucao_ids)
        return Differences(a, b, compare_records(con, a, b))


def compare_records(con: duckdb.DuckDBPyConnection, a: RunInCopy, b: RunInCopy) -> dict[str, Any]:
    """Compare the records of two runs of one company, and the figures kept of them (`Differences.found`).

    Which linha is the same in both and what differs in it, R14 says (`lastro.warehouse.file.changes`).

    Args:
        b: the second one, which new, gone and changed are told of.
    """
    for side, run in (("a", a), ("b", b)):
        _stage(con, side, run)
    con.execute(f"CREATE OR REPLACE TEMP TABLE mudadas AS {compare_states('FROM lado_a', 'FROM lado_b')}")
    alone = "SELECT {} FROM (SELECT *, coalesce(depois, antes) AS l FROM mudadas) WHERE tipo = '{}' {}"
    indicators = f"WITH a AS ({_list_kpis(a)}), b AS ({_list_kpis(b)})"
    counts = con.execute(f"{indicators} SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)").fetchall()[0]
    without = [run.execucao_id for run, count in zip((a, b), counts, strict=True) if not count]
    return {
        "indicadores": [] if without else _read(con, indicators + _KPIS),
        "sem_indicadores": without,
        "novas": _read(con, alone.format(_ENTRY, NOVO, _ORDER)),
        "sumidas": _read(con, alone.format(_ENTRY, EXCLUIDO, _ORDER)),
        "mudancas": _read(con, _EDITS),
        "dre": _read(con, _DRE),
        "parametros": [name for (name,) in con.execute(_list_parameters(a, b)).fetchall()],
    }


def _stage(con: duckdb.DuckDBPyConnection, side: str, run: RunInCopy) -> None:
    """Lay the linhas of a run aside as `lado_<side>`, its names as `nomes_<side>`.

    Each run counts by its own map and parameters: by what it said of its months.
    """
    parametros = as_of(
        f"DATE '{run.data_base}'",
        f"DATE '{run.data_extracao}'",
        *(read_parameter(run.execucao_id, name) for name in ("competencia_nula", "mapa_classifica")),
    )
    state = describe_state(run.linhas, run.relation("categorias"), run.relation("contas"), parametros)
    con.execute(f"CREATE OR REPLACE TEMP TABLE lado_{side} AS {state}")
    names = " UNION ALL ".join(
        f"SELECT '{field}' AS campo, {key} AS numero, {name} AS nome FROM {run.relation(table)}"
        + (f" WHERE dimensao = '{dimension}'" if dimension else "")
        for field, (table, key, name, dimension) in _NAMES.items()
    )
    con.execute(f"CREATE OR REPLACE TEMP TABLE nomes_{side} AS {names}")


def _read(con: duckdb.DuckDBPyConnection, question: str) -> Rows:
    answer = con.execute(question)
    keys = [name for name, *_ in answer.description or ()]
    return [dict(zip(keys, row, strict=True)) for row in answer.fetchall()]


_ENTRY: Final = "l.linha_id, l.titulo_id, nullif(l.descricao, '') AS descricao, l.data_vencimento, l.valor"
_IN_ORDER: Final = ", ".join(f"'{field}'" for field in FIELDS)
_ORDER: Final = "ORDER BY abs(l.valor) DESC, l.linha_id, l.titulo_id"


def _name(side: str) -> str:
    """Write the SQL of a value of `spread_fields`, an id with its name."""
    name = f"coalesce({side}.nome || ' ', '') || '(' || f.{side}.numero || ')'"
    return f"CASE WHEN f.{side} IS NOT NULL AND f.campo IN {tuple(_NAMES)} THEN ({name})::{VALUE} ELSE f.{side} END"


_EDITS: Final = f"""
SELECT {_ENTRY}, f.campo, {_name("a")} AS a, {_name("b")} AS b
FROM (SELECT *, depois AS l FROM ({spread_fields("mudadas")}) WHERE antes IS NOT NULL AND depois IS NOT NULL) f
LEFT JOIN nomes_a a ON a.campo = f.campo AND a.numero = f.a.numero
LEFT JOIN nomes_b b ON b.campo = f.campo AND b.numero = f.b.numero
ORDER BY list_position([{_IN_ORDER}], f.campo), {_ORDER.removeprefix("ORDER BY ")}"""


def _list_kpis(run: RunInCopy) -> str:
    """Write the SELECT of the indicators kept of a run; of a recálculo none are, but its own copy shows them."""
    units = ", ".join(f"'{kind}': '{unit}'" for kind, unit in _UNITS.items())
    kept = f"FROM ops.kpis WHERE execucao_id = {run.execucao_id}"
    text = (
        f"SELECT kpi, indicador, coalesce(MAP {{{units}}}[unidade], unidade) AS unidade, "
        f"valor::DECIMAL(24,2) AS valor, rowid AS ordem {kept}"
    )
    shown = "SELECT kpi, indicador, unidade, valor, row_number() OVER () FROM mart.resumo"
    return f"{text} UNION ALL {shown} WHERE NOT EXISTS ({kept})" if run.mostrada else text


_KPIS: Final = """
SELECT kpi, coalesce(b.indicador, a.indicador) AS indicador, coalesce(b.unidade, a.unidade) AS unidade, a.valor AS a,
  b.valor AS b
FROM a FULL JOIN b USING (kpi) WHERE a.valor IS DISTINCT FROM b.valor ORDER BY coalesce(b.ordem, a.ordem), kpi"""
_DRE: Final = f"""
WITH valores AS (
  SELECT competencia, grupo, transferencia, valor AS a, 0::DECIMAL(18,2) AS b FROM lado_a
  UNION ALL SELECT competencia, grupo, transferencia, 0, valor FROM lado_b),
linhas AS (
  FROM valores
  UNION ALL SELECT * REPLACE ('{RESULTADO}' AS grupo) FROM valores WHERE grupo <> '{FORA}')
SELECT date_trunc('month', competencia)::DATE AS mes, grupo AS codigo, sum(l.a)::DECIMAL(18,2) AS a,
  sum(l.b)::DECIMAL(18,2) AS b
FROM linhas l WHERE NOT transferencia AND competencia IS NOT NULL
GROUP BY mes, codigo HAVING sum(l.a) <> sum(l.b) ORDER BY mes, codigo"""


def _list_parameters(a: RunInCopy, b: RunInCopy) -> str:
    """Write the SELECT of the parameters that both runs know and that differ; what follows from the day is none."""
    before, after = (f"(SELECT * FROM ops.parametros WHERE execucao_id = {run.execucao_id})" for run in (a, b))
    return (
        f"SELECT parametro FROM {before} a JOIN {after} b USING (parametro) WHERE a.valor_texto IS DISTINCT FROM "
        "b.valor_texto AND parametro NOT IN ('data_base', 'data_extracao', 'fuso') "
        "AND NOT starts_with(parametro, 'composto_n') ORDER BY parametro"
    )
