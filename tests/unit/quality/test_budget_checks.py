"""V22, V23, Q22 and Q23 over the golden budget: what each must see, and what it must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from lastro.entrada.door import RefusedPart
from lastro.grid.tables import Table
from lastro.grid.verdict import Verification
from lastro.operation.outcome import is_told
from lastro.quality.findings import lay_out_noticed
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_proof, run_query
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r18_budget import SPEC as R18
from lastro.settings import Parametros
from lastro.transform.position import Position
from lastro.warehouse.file.proof import Proof, Relation
from tests.budget import frame_golden_budget, read_golden_budget
from tests.findings import find_all
from tests.unit.quality.checked_books import add_centavo, double_row, drop_row, move_centavo
from tests.unit.reports.positions import make_golden
from tests.views import run_on, view_of

REFUSED = [part._replace(arquivo="entrada/orcamento.csv") for part in read_golden_budget().recusados]


@cache
def golden() -> tuple[Position, tuple[Table, ...]]:
    position = replace(make_golden(), orcamento=frame_golden_budget())
    view = view_of(position, nao_lidos=REFUSED)
    return position, (*R18.build(view).tables, *R06.build(view).tables)


@cache
def proof_of(linhas: int) -> Proof:
    """The records laid out beside a file of so many lines."""
    read = {"arquivos": Relation({"arquivo": "VARCHAR", "linhas": "BIGINT"}, [("entrada/orcamento.csv", linhas)])}
    return open_proof(golden()[0], {**read, **lay_out_noticed((), REFUSED)})


def check(rule: str, tables: tuple[Table, ...] | None = None, linhas: int = 29, name: str = "") -> Verification:
    proof = proof_of(linhas)
    proof.show(golden()[1] if tables is None else tables)
    return run_on(rule, proof, name)


DAMAGES: list[tuple[str, str, str]] = [
    *(("V22", "orcado_mensal", column) for column in ("realizado", "contratado")),
    *(("V23", "orcado_mensal", column) for column in ("original", "vigente", "saldo_a_contratar", "projecao")),
    *(
        ("V23", "orcado", column)
        for column in (
            "mes_orcado", "mes_realizado", "mes_desvio", "ate_orcado", "ate_realizado", "ate_desvio", "ano_orcado",
            "realizado", "contratado", "realizado_e_contratado", "saldo_a_contratar", "projecao", "ano_desvio",
        )
    ),
]  # fmt: skip


@pytest.mark.medio
@pytest.mark.parametrize(("rule", "name", "column"), DAMAGES)
def test_every_damage_of_a_figure_is_seen(rule: str, name: str, column: str) -> None:
    assert not check(rule).failed
    for damage in (add_centavo, drop_row, double_row, move_centavo):
        tables = tuple(
            replace(one, rows=tuple(damage([*one.rows], one.place(column)))) if one.name == name else one
            for one in golden()[1]
        )
        assert check(rule, tables, name=name).failed, damage


@pytest.mark.parametrize("damage", [add_centavo, drop_row, double_row])
def test_what_was_not_read_is_counted_and_added(damage: Callable[..., list[tuple[Any, ...]]]) -> None:
    tables = tuple(
        replace(one, rows=tuple(damage([*one.rows], 3))) if one.name == "orcado_nao_lido" else one
        for one in golden()[1]
    )
    assert check("V23", tables).failed
    assert check("V23", linhas=30).chaves == ("entrada/orcamento.csv · valores",)


def test_without_a_budget_nothing_is_compared() -> None:
    empty = make_golden()
    tables = (*R18.build(view_of(empty)).tables, *R06.build(view_of(empty)).tables)
    proof = open_proof(empty, {})
    proof.show(tables)
    assert {rule: run_query(read_queries()[rule], proof).situacao for rule in ("V22", "V23")} == {
        "V22": "não se aplica", "V23": "não se aplica",
    }  # fmt: skip


def test_the_findings_of_a_budget() -> None:
    whole = RefusedPart("dois arquivos de orçamento: nenhum foi lido", arquivo="entrada/orcamento.xlsx")
    saldos = RefusedPart("não entendi a data", 2, "x;101;1,00", arquivo="entrada/saldos.csv")
    found = find_all(golden()[0], nao_lidos=[*REFUSED, whole, saldos], rules=("Q22", "Q23", "Q31", "Q37"))
    by_rule = {one.regra: one for one in found.findings}
    assert (by_rule["Q22"].qtde, by_rule["Q22"].ids) == (10, tuple(range(22, 31)))
    assert by_rule["Q22"].por_que.startswith(
        "categoria desconhecida: 1 · entrada/orcamento.xlsx: dois arquivos de orçamento"
    )
    assert "regime caixa não lido: 5" in by_rule["Q22"].por_que
    assert (by_rule["Q31"].qtde, by_rule["Q37"].ids) == (0, (2,))
    assert by_rule["Q23"].qtde == 0
    sums = [
        RefusedPart("subtotal: é a soma", line, f"Despesas {line}", arquivo="entrada/orcamento.csv")
        for line in (2, 2, 5)
    ]
    quiet, told = find_all(golden()[0], nao_lidos=sums, rules=("Q22", "Q23")).findings
    assert (quiet.qtde, told.qtde, told.ids) == (0, 2, ())
    assert (is_told(told), is_told(quiet)) == (True, False)
    assert told.por_que.startswith(
        "entrada/orcamento.csv, linha 2: subtotal: é a soma · 2 meses · Despesas 2 · entrada/orcamento.csv, linha 5:"
    )
    # Of 11 alone: 10, 21, 22 and 23 have amounts of the year from 500.00 on, 23 only 370.00.
    only = replace(golden()[0], orcamento=golden()[0].orcamento[golden()[0].orcamento["categoria_id"] == 11])
    (free,) = find_all(only, rules=["Q23"]).findings
    assert (free.ids, free.gravidade, is_told(free)) == ((21, 22), "informação", False)
    low = replace(only, parametros=replace(only.parametros, fazer_minimo=Decimal("300.00")))
    assert find_all(low, rules=["Q23"]).findings[0].ids == (21, 22, 23)
    assert Parametros().orcamento_sinal == "auto"
