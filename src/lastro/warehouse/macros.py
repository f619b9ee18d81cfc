"""The macros of a warehouse: the state on any day (`mart`), any recorded run or day whole (`hist`).

DuckDB looks up the tables of a macro in the catalog of whoever calls it: with two companies attached, one company's
macro would answer with the other's books. So each macro holds its own company as a literal and compares it with
`ops.identidade` of the caller's catalog; nested ones resolve there too, so every one does.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

from lastro.schema.derive import build_comments, quote, versions_at
from lastro.schema.tables import TABLES, VERSIONED
from lastro.warehouse.store import Warehouse

FOREIGN: Final = "abra este arquivo diretamente"
"""What a macro says when another file is the current catalog."""
TOO_EARLY: Final = "nenhuma execução completa até esse dia"
COMMENTS: Final = {
    "mart.linhas_em": "linhas (S1) como estavam no dia d: pago, caixa (S7), data_prevista, data_projetada (S4); "
    "d: DATE",
    "mart.titulos_em": "títulos (S3) como estavam no dia d: pago, dias de atraso, vencido (S8), data_projetada (S4), "
    "tipo R a receber, P a pagar, Z zero; d: DATE",
    "mart.saldos_em": "saldo realizado por conta no fim do dia d (S7); depois da leitura é erro; d: DATE",
    "mart.saldos_entre": "saldo realizado por conta e dia, de um dia a outro (S7); depois da leitura é erro; de, até: "
    "DATE",
}


def create_macros(warehouse: Warehouse, empresa: str) -> None:
    """Create or replace every macro with its comment, and the comments of the tables that are never replaced whole.

    Args:
        warehouse: the private file of the company.
        empresa: id of the company, as `ops.identidade` holds it.
    """
    own = (
        f"CASE WHEN (SELECT max(empresa) FROM ops.identidade) = {quote(empresa)} THEN true "
        f"ELSE error({quote(FOREIGN)}) END"
    )
    script = resources.files("lastro.warehouse").joinpath("macros.sql").read_text(encoding="utf-8")
    warehouse.con.execute(script.replace("{desta_empresa}", own))
    comments = dict(COMMENTS)
    latest = (
        f"SELECT coalesce(max(execucao_id), error({quote(TOO_EARLY)})) FROM ops.execucoes "
        "WHERE situacao = 'completa' AND data_extracao <= p_dia"
    )
    for name in (*VERSIONED, "linha_tags"):
        warehouse.con.execute(
            f"CREATE OR REPLACE MACRO hist.{name}_em(p_execucao) AS TABLE {versions_at(name, '(p_execucao)')} AND {own}"
        )
        warehouse.con.execute(
            f"CREATE OR REPLACE MACRO hist.{name}_no_dia(p_dia) AS TABLE FROM hist.{name}_em(({latest})) WHERE {own}"
        )
        comments[f"hist.{name}_em"] = f"core.{name} como a execução de número n a deixou (S13); n: BIGINT"
        comments[f"hist.{name}_no_dia"] = (
            f"core.{name} como a última execução completa lida até o dia a deixou (S13); dia: DATE"
        )
    warehouse.comment({f"MACRO TABLE {name}": meaning for name, meaning in comments.items()})
    warehouse.comment({"MACRO mart.data_base": "o dia a que os relatórios deste arquivo se referem (S3)"})
    there = warehouse.read_comments()
    for table in TABLES.values():
        if table.name.startswith(("raw.", "ops.", "hist.")):
            wanted = build_comments(table)
            warehouse.comment({target: text for target, text in wanted.items() if there.get(target) != text})
