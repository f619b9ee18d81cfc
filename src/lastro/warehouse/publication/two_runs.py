"""What differs between two runs of one company, by SQL over published copies: indicators, entries, months of the DRE.

What only the day D moves (days late, band, interest, variation) is no record, so it is in none of these; the tables of
the reports, which have it, are compared where they are asked for. Does not belong here: finding runs in copies
(`lastro.warehouse.publication.run_sources`), and how differences are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import duckdb

from lastro.analysis.changes import EXCLUIDO, FIELDS, NOVO
from lastro.errors import ConfigError
from lastro.transform.categories import FORA, OUTRAS
from lastro.warehouse.file.changes import compare_states, describe_state, read_parameter
from lastro.warehouse.publication.run_sources import Copies, RunInCopy, find_in, open_copies
from lastro.warehouse.publication.two_reports import TablePair, compare_tables

MONEY_UNIT: Final = "R$"
RESULTADO: Final = "resultado"
"""Code of the DRE's line that adds all groups but `fora`."""
VALOR, CATEGORIA = "valor", "categoria_id"
DATAS: Final = ("data_vencimento", "data_pagamento", "data_competencia")
LABELS: Final = {name: label for name, (_, label) in FIELDS.items()}
"""Compared column of a linha -> its printed name."""
IN_SHORT: Final = (VALOR, *DATAS, CATEGORIA)
"""What is compared of an entry unless everything is."""
_UNITS: Final = {"M": MONEY_UNIT, "P": "%", "N": "dias", "I": "quantidade", "D": "data"}
"""Kind of an indicator in `ops.kpis` -> its unit, as `mart.resumo` writes it."""
_NAMES: Final = {
    CATEGORIA: ("categorias", "categoria_id", "descricao", ""),
    "conta_id": ("contas", "conta_id", "descricao", ""),
    "pessoa_id": ("pessoas", "pessoa_id", "nome", ""),
    "centro_custo_lucro_id": ("formas", "id", "rotulo", "centros"),
    "forma_pagamento_id": ("formas", "id", "rotulo", "formas"),
    "tipo_documento_id": ("formas", "id", "rotulo", "tipos_documento"),
}
"""Column of ids -> core table, key and name there, and the dimension where the table has several."""
_GROUP: Final = rf"""CASE WHEN l.fora_resultado THEN '{FORA}'
  WHEN len(list_filter(regexp_extract_all({{0}}, '= (\w+)', 1), lambda x: x <> '{FORA}')) > 0
    THEN coalesce(nullif(g.dre_grupo, '{FORA}'), '{OUTRAS}')
  WHEN l.natureza = 'R' THEN 'receitas' ELSE 'despesas' END AS grupo"""
"""The group of the DRE in which a linha counts (S17), as `find_dre_grupos`; {0} is the map of its run."""


@dataclass(frozen=True)
class Indicator:
    """A KPI that is not the same in both runs.

    Attributes:
        kpi: its key in `ops.kpis`.
        indicador: printed text.
        unidade: R$, %, dias, quantidade or data.
        a: value of the first run, in the unit; None where it has none.
        b: the same of the second.
    """

    kpi: str
    indicador: str
    unidade: str
    a: Decimal | None
    b: Decimal | None


@dataclass(frozen=True)
class Entry:
    """A linha: of the second run, unless it is gone there.

    Attributes:
        linha_id: id of the entry, or of the item within its composite.
        titulo_id: id of the título; of a simple entry the same.
        descricao: its text; None without one.
        data_vencimento: due date.
        valor: signed.
    """

    linha_id: int
    titulo_id: int
    descricao: str | None
    data_vencimento: date | None
    valor: Decimal


@dataclass(frozen=True)
class Edit:
    """A field of an entry that both runs have, and that is not the same.

    Attributes:
        linha: the entry.
        campo: the column.
        a: what the first run has; an id with its name, as text.
        b: the same of the second.
    """

    linha: Entry
    campo: str
    a: Any
    b: Any


@dataclass(frozen=True)
class Month:
    """A line of the DRE in a month of competence, where it is not the same.

    Attributes:
        mes: first day.
        codigo: group of the DRE, or `RESULTADO`.
        a: sum of the first run, signed; 0.00 where it has nothing there.
        b: the same of the second.
    """

    mes: date
    codigo: str
    a: Decimal
    b: Decimal


@dataclass(frozen=True)
class RecordDifferences:
    """What differs between the records of two runs and in the figures kept of them.

    Attributes:
        indicadores: in the order of the cover.
        sem_indicadores: the runs of which no indicators are kept; then there are none to compare.
        novas: entries that only the second run has, the largest amount first.
        sumidas: those that only the first one has.
        mudancas: fields that are not the same, field after field, the largest amount first.
        dre: by month, then by code.
        parametros: names of the parameters that the runs were computed with and that are not the same.
    """

    indicadores: tuple[Indicator, ...]
    sem_indicadores: tuple[int, ...]
    novas: tuple[Entry, ...]
    sumidas: tuple[Entry, ...]
    mudancas: tuple[Edit, ...]
    dre: tuple[Month, ...]
    parametros: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs; other parameters alone are no difference."""
        return not (self.indicadores or self.novas or self.sumidas or self.mudancas or self.dre)


@dataclass(frozen=True)
class Differences:
    """What differs.

    Attributes:
        a: the first run.
        b: the second one.
        whole: whether everything was compared: it was asked for, or both runs are of one D.
        registros: indicators, entries and months of the DRE.
        relatorios: tables of the reports; None where they were not compared.
        sem_relatorios: of which runs nobody has the reports any more, where they should have been compared.
    """

    a: RunInCopy
    b: RunInCopy
    whole: bool
    registros: RecordDifferences
    relatorios: tuple[TablePair, ...] | None
    sem_relatorios: tuple[int, ...]

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs, and the indicators of both were there to be compared."""
        return not self.differ and not self.registros.sem_indicadores

    @property
    def differ(self) -> bool:
        """Whether anything that was compared differs."""
        return bool(self.relatorios) or not self.registros.is_equal


def compare_runs(
    sides: Sequence[Sequence[Path]],
    execucao_ids: Sequence[int | None],
    expected: str | None,
    list_keys: Callable[[], Mapping[str, tuple[str, ...]]],
    *,
    whole: bool,
) -> Differences:
    """Compare two runs.

    Args:
        sides: of each the copies in which it may be.
        execucao_ids: of each its number; None takes the run that the copy shows.
        expected: id of the company that both must be of; None: of the same one.
        list_keys: gives table of a report -> the columns that no two of its rows share.
        whole: whether everything is compared; of one D it is anyhow.

    Raises:
        ConfigError: when a run is not there, or they are of two companies.
    """
    with open_copies(sides) as (copies, opened):
        a, b = (find_in(copies, paths, execucao_id) for paths, execucao_id in zip(opened, execucao_ids, strict=True))
        for run in (a, b):
            if run.empresa != (expected or a.empresa):
                raise ConfigError(
                    f"diff: {run.arquivo} é da empresa {run.empresa}, não de {expected or a.empresa}. Só se comparam "
                    "execuções de uma mesma empresa."
                )
        everything = whole or a.data_base == b.data_base
        without = tuple(run.execucao_id for run in (a, b) if not run.mostrada) if everything else ()
        tables = compare_tables(copies, a, b, list_keys()) if everything and not without else None
        return Differences(a, b, everything, compare_records(copies, a, b, whole=everything), tables, without)


def compare_records(copies: Copies, a: RunInCopy, b: RunInCopy, *, whole: bool) -> RecordDifferences:
    """Compare the records of two runs of one company.

    Which linha is the same in both and what differs in it, R14 says (`lastro.warehouse.file.changes`).

    Args:
        copies: where both were found.
        a: the first run.
        b: the second one, which new, gone and changed are told of.
        whole: whether every field of R14 is compared, or those of `IN_SHORT` alone.

    Raises:
        ConfigError: when a file is not as lastro writes them.
    """
    con = copies.con
    try:
        for side, run in (("a", a), ("b", b)):
            _stage(con, side, run)
        con.execute(f"CREATE OR REPLACE TEMP TABLE mudadas AS {compare_states('FROM lado_a', 'FROM lado_b')}")
        fields = [name for name in LABELS if whole or name in IN_SHORT]
        indicators, without = _compare_kpis(con, a, b)
        return RecordDifferences(
            indicadores=tuple(indicators),
            sem_indicadores=without,
            novas=_read_alone(con, NOVO),
            sumidas=_read_alone(con, EXCLUIDO),
            mudancas=tuple(edit for name in fields for edit in _read_field(con, name)),
            dre=tuple(Month(*row) for row in con.execute(_DRE).fetchall()),
            parametros=_compare_parameters(con, a, b),
        )
    except duckdb.Error as error:
        raise ConfigError(
            f"diff: {a.arquivo} e {b.arquivo} não se comparam ({type(error).__name__}): um dos dois não é como "
            "o lastro o escreve. Rode lastro run e dê a cópia nova."
        ) from None


def _stage(con: duckdb.DuckDBPyConnection, side: str, run: RunInCopy) -> None:
    """Lay the linhas of a run aside as `lado_<side>`, its names as `nomes_<side>`, its KPIs as `kpis_<side>`.

    Each run counts by its own map and parameters: by what it said of its months.
    """
    con.execute(f"USE {run.catalogo}")
    state = describe_state(
        run.linhas, run.relation("categorias"), run.relation("contas"), dia=f"DATE '{run.data_base}'",
        lida=f"DATE '{run.data_extracao}'", nula=read_parameter(run.execucao_id, "competencia_nula"),
        more=f", {_GROUP.format(read_parameter(run.execucao_id, 'dre_mapa'))}",
    )  # fmt: skip
    con.execute(f"CREATE OR REPLACE TEMP TABLE lado_{side} AS {state}")
    names = " UNION ALL ".join(
        f"SELECT '{field}' AS campo, {key} AS id, {name} AS nome FROM {run.relation(table)}"
        + (f" WHERE dimensao = '{dimension}'" if dimension else "")
        for field, (table, key, name, dimension) in _NAMES.items()
    )
    con.execute(f"CREATE OR REPLACE TEMP TABLE nomes_{side} AS {names}")
    units = ", ".join(f"'{kind}': '{unit}'" for kind, unit in _UNITS.items())
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE kpis_{side} AS SELECT kpi, indicador, coalesce(MAP {{{units}}}[unidade], "
        "unidade) AS unidade, valor::DECIMAL(24,2) AS valor, rowid AS ordem FROM ops.kpis "
        "WHERE execucao_id = $execucao",
        {"execucao": run.execucao_id},
    )
    if run.mostrada:
        # Of a recálculo none are kept; its own copy shows them.
        con.execute(
            f"INSERT INTO kpis_{side} SELECT kpi, indicador, unidade, valor, row_number() OVER () FROM mart.resumo "
            f"WHERE NOT EXISTS (FROM kpis_{side})"
        )


_ENTRY: Final = "l.linha_id, l.titulo_id, nullif(l.descricao, ''), l.data_vencimento, l.valor"
_CHANGED: Final = "FROM (SELECT *, coalesce(depois, antes) AS l FROM mudadas)"
_ORDER: Final = "ORDER BY abs(l.valor) DESC, l.linha_id, l.titulo_id"


def _read_alone(con: duckdb.DuckDBPyConnection, tipo: str) -> tuple[Entry, ...]:
    rows = con.execute(f"SELECT {_ENTRY} {_CHANGED} WHERE tipo = '{tipo}' {_ORDER}").fetchall()
    return tuple(Entry(*row) for row in rows)


def _read_field(con: duckdb.DuckDBPyConnection, field: str) -> Iterator[Edit]:
    """Yield the linhas of which a field is not the same; an id with its name."""
    shown, joins = [f"antes.{field}", f"depois.{field}"], ""
    if field in _NAMES:
        for place, side in enumerate("ab"):
            joins += f" LEFT JOIN nomes_{side} {side} ON {side}.campo = '{field}' AND {side}.id = {shown[place]}"
            shown[place] = f"coalesce({side}.nome || ' ', '') || '(' || {shown[place]} || ')'"
    elif field == "tags":
        shown = [f"nullif({column}, [])" for column in shown]
    rows = con.execute(
        f"SELECT {_ENTRY}, {', '.join(shown)} {_CHANGED}{joins} WHERE list_contains(campos, '{field}') {_ORDER}"
    )
    for *entry, before, after in rows.fetchall():
        yield Edit(Entry(*entry), field, before, after)


def _compare_kpis(
    con: duckdb.DuckDBPyConnection, a: RunInCopy, b: RunInCopy
) -> tuple[list[Indicator], tuple[int, ...]]:
    """Compare the indicators, and name the runs of which none are kept."""
    counts = con.execute("SELECT (SELECT count(*) FROM kpis_a), (SELECT count(*) FROM kpis_b)").fetchall()[0]
    without = tuple(run.execucao_id for run, count in zip((a, b), counts, strict=True) if not count)
    if without:
        return [], without
    rows = con.execute(
        "SELECT kpi, coalesce(b.indicador, a.indicador), coalesce(b.unidade, a.unidade), a.valor, b.valor "
        "FROM kpis_a a FULL JOIN kpis_b b USING (kpi) WHERE a.valor IS DISTINCT FROM b.valor "
        "ORDER BY coalesce(b.ordem, a.ordem), kpi"
    )
    return [Indicator(*row) for row in rows.fetchall()], ()


_DRE: Final = f"""
WITH a AS (SELECT * FROM lado_a WHERE NOT transferencia AND competencia IS NOT NULL),
b AS (SELECT * FROM lado_b WHERE NOT transferencia AND competencia IS NOT NULL),
valores AS (
  SELECT competencia, grupo, valor AS a, 0::DECIMAL(18,2) AS b FROM a
  UNION ALL SELECT competencia, grupo, 0, valor FROM b),
linhas AS (
  FROM valores
  UNION ALL SELECT competencia, '{RESULTADO}', a, b FROM valores WHERE grupo <> '{FORA}')
SELECT date_trunc('month', competencia)::DATE AS mes, grupo AS codigo, sum(a)::DECIMAL(18,2) AS antes,
  sum(b)::DECIMAL(18,2) AS depois
FROM linhas GROUP BY ALL HAVING antes <> depois ORDER BY mes, codigo"""


def _compare_parameters(con: duckdb.DuckDBPyConnection, a: RunInCopy, b: RunInCopy) -> tuple[str, ...]:
    """Name the parameters that both runs know and that differ; values that follow from the day are no parameters."""
    texts: list[Mapping[str, str]] = []
    for run in (a, b):
        con.execute(f"USE {run.catalogo}")
        stored = con.execute(
            "SELECT parametro, valor_texto FROM ops.parametros WHERE execucao_id = ? ORDER BY parametro",
            [run.execucao_id],
        )
        texts.append(dict(stored.fetchall()))
    return tuple(name for name, text in texts[1].items() if _is_setting(name) and texts[0].get(name, text) != text)


def _is_setting(name: str) -> bool:
    return name not in ("data_base", "data_extracao", "fuso") and not name.startswith("composto_n")
