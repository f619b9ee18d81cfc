"""The macros of a warehouse: the state on any day (`mart`), any recorded run or day whole (`hist`).

DuckDB looks up the tables of a macro in the catalog of whoever calls it: with two companies attached, one company's
macro would answer with the other's books. So each macro holds its own company as a literal and compares it with
`ops.identidade` of the caller's catalog; nested ones resolve there too, so every one does.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import Final

import duckdb

from lastro.schema.derivation import build_comments, quote, versions_at
from lastro.schema.run_kinds import IS_COMPLETE, READ_WHOLE
from lastro.schema.tables import TABLES, VERSIONED
from lastro.warehouse.file.changes import as_of, compare_states, describe_state, read_parameter
from lastro.warehouse.file.day_state import linhas_as_of, titulos_as_of
from lastro.warehouse.file.store import Warehouse, write_comments

FOREIGN: Final = "abra este arquivo diretamente"
"""What a macro says when another file is the current catalog."""
TOO_LATE: Final = "depois da leitura não se sabe o que se pagou: veja mart.fluxo_diario"
"""What `mart.titulos_em` and `linhas_em` say of a day that nobody has read."""
TOO_EARLY: Final = "nenhuma execução completa até esse dia"
NO_RUN: Final = "nenhuma leitura completa tem esse número: veja ops.execucoes"
COMMENTS: Final = {
    "mart.linhas_em": "linhas (S1) como estavam no dia d, pelo texto de prova.linhas: pago, caixa (S7), classe (S5), "
    "data_prevista, data_projetada, competência (S4); depois da leitura é erro; d: DATE",
    "mart.titulos_em": "títulos (S3) como estavam no dia d, pelo texto de prova.titulos: pago, dias de atraso, faixa, "
    "vencido (S8), data_projetada (S4), tipo R a receber, P a pagar, Z zero; depois da leitura é erro; d: DATE",
    "mart.saldos_em": "saldo realizado por conta no fim do dia d (S7); depois da leitura é erro; d: DATE",
    "mart.saldos_entre": "saldo realizado por conta e dia, de um dia a outro (S7); depois da leitura é erro; de, até: "
    "DATE",
}
CHANGED: Final = (
    "R14: o que mudou da leitura completa a para a b, uma linha (S1) por vez: tipo, campos que diferem, impacto no "
    "aberto e no resultado (b menos a), e a linha inteira antes e depois, nula onde não existe; pago, caixa e "
    "competência são os do dia de cada uma, pelo mapa, pelas contas e pelos parâmetros de b; a, b: BIGINT"
)
"""What `hist.mudancas` says of itself."""
LOADED: Final = "(SELECT max(execucao_id) FROM ops.calculo)"
"""The run whose records `core` holds."""
DATA_BASE: Final = "o dia a que os relatórios se referem (S3)"
STRANGER: Final = "nenhuma empresa deste arquivo tem esse id: veja grupo.empresas"


def create_macros(warehouse: Warehouse, empresa: str) -> None:
    """Create every macro with its comment, and the comments of the tables that are never replaced whole.

    Those that say what these would stay as they are.

    Args:
        warehouse: the private file of the company.
        empresa: id of the company, as `ops.identidade` holds it.
    """
    own = (
        f"CASE WHEN (SELECT max(empresa) FROM ops.identidade) = {quote(empresa)} THEN true "
        f"ELSE error({quote(FOREIGN)}) END"
    )
    script, comments = [_read_script().rstrip(";\n").replace("{desta_empresa}", own)], dict(COMMENTS)
    # Only complete readings write history, and one that died later may have written some. What a run into the past
    # read is whole, but is no day's (S13).
    latest = (
        f"SELECT coalesce(max(execucao_id), error({quote(TOO_EARLY)})) FROM ops.execucoes "
        f"WHERE {IS_COMPLETE} AND data_extracao <= p_dia"
    )
    # As a scalar, so that it is asked even where no version is that old.
    recorded = (
        f"(SELECT coalesce(max(execucao_id), error({quote(NO_RUN)})) FROM ops.execucoes "
        f"WHERE execucao_id = {{}} AND {READ_WHOLE})"
    )
    for name in (*VERSIONED, "linha_tags"):
        versions = versions_at(name, recorded.format("p_execucao"))
        script += [
            f"CREATE OR REPLACE MACRO hist.{name}_em(p_execucao) AS TABLE {versions} AND {own}",
            f"CREATE OR REPLACE MACRO hist.{name}_no_dia(p_dia) AS TABLE FROM hist.{name}_em(({latest})) WHERE {own}",
        ]
        comments[f"hist.{name}_em"] = (
            f"core.{name} como a leitura completa de número n a deixou (S13); outro número é erro; n: BIGINT"
        )
        comments[f"hist.{name}_no_dia"] = (
            f"core.{name} como a última execução completa lida até o dia a deixou (S13); dia: DATE"
        )
    script.append(_write_changes(own, recorded))
    comments["hist.mudancas"] = CHANGED
    wanted = {f"MACRO TABLE {name}": meaning for name, meaning in comments.items()}
    wanted["MACRO mart.data_base"] = DATA_BASE
    for table in TABLES.values():
        if table.name.startswith(("raw.", "ops.", "hist.", "banco.")):
            wanted |= build_comments(table)
    warehouse.make_once("macros", ";\n".join([*script, write_comments(wanted)]))


def _write_changes(own: str, recorded: str) -> str:
    """Write the macro of what changed between two recorded runs, each as of its own day (R14)."""
    nula = read_parameter("p_b", "competencia_nula")
    states = []
    for run in ("p_a", "p_b"):
        dia, lida = (
            f"(SELECT max({day}) FROM ops.execucoes WHERE execucao_id = {run})"
            for day in ("data_base", "data_extracao")
        )
        linhas = f"({versions_at('linhas', recorded.format(run), tags=True)})"
        categorias, contas = "hist.categorias_em(p_b)", "hist.contas_em(p_b)"
        states.append(describe_state(linhas, categorias, contas, as_of(dia, lida, nula)))
    return f"CREATE OR REPLACE MACRO hist.mudancas(p_a, p_b) AS TABLE FROM ({compare_states(*states)}) WHERE {own}"


def create_group_macros(con: duckdb.DuckDBPyConnection) -> None:
    """Create the macros of `mart` in the group's file, where every table has the column empresa.

    Each takes the id of a company first, and answers as that company's own does; the tables it reads are those rows.
    Those of `hist` stay with the company, as history does.

    Args:
        con: the group's file, with the tables of at least one company.
    """
    # As a scalar, so that it is asked even where the company has no row.
    known = f"(SELECT coalesce(max(empresa), error({quote(STRANGER)})) FROM grupo.empresas WHERE empresa = p_empresa)"
    own = f"(SELECT * EXCLUDE (empresa) FROM \\1 WHERE empresa = {known})"
    script = re.sub(r"--.*", "", _read_script()).replace("{desta_empresa}", "true")
    script = re.sub(r"\b((?:core|ops)\.[a-z_]+)", own, script)
    con.execute(re.sub(r"\b(mart\.[a-z_]+\()(?=(\))?)", lambda at: f"{at[1]}p_empresa{'' if at[2] else ', '}", script))
    comments = {f"MACRO TABLE {name}": f"de uma empresa (o id): {meaning}" for name, meaning in COMMENTS.items()}
    comments["MACRO mart.data_base"] = f"de uma empresa (o id): {DATA_BASE}"
    con.execute(write_comments(comments))


def _read_script() -> str:
    """Read the macros; a company's file and the group's ask alike whether a day has been read."""
    script = resources.files("lastro.warehouse.file").joinpath("macros.sql").read_text(encoding="utf-8")
    last = f"(SELECT max(data_extracao) FROM ops.execucoes WHERE execucao_id = {LOADED})"
    # The day stands in a column, for it may be a question itself: mart.titulos_em(mart.data_base()).
    day = f"p_data_base::DATE AS data_base, {last} AS data_extracao"
    parametros = f"(SELECT *, {day} FROM ops.calculo WHERE execucao_id = {LOADED})"
    given = {
        "{titulos}": titulos_as_of(parametros),
        "{linhas}": linhas_as_of(parametros),
        "{ja_lido}": f"CASE WHEN p_data_base::DATE > {last} THEN error({quote(TOO_LATE)}) ELSE true END",
        "{execucao}": LOADED,
    }
    for place, text in given.items():
        script = script.replace(place, text)
    return script
