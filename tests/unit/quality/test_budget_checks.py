"""V22, V23, Q22 and Q23 over the golden budget: what each must see, and what it must not."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from lastro.entrada.door import RefusedPart
from lastro.operation.outcome import is_told
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r18_budget import SPEC as R18
from tests.budget import frame_golden_budget, read_golden_budget
from tests.findings import find_all
from tests.unit.reports.positions import make_golden
from tests.views import view_of

GOLDEN = replace(make_golden(), orcamento=frame_golden_budget())
REFUSED = [part._replace(arquivo="entrada/orcamento.csv") for part in read_golden_budget().recusados]


def test_without_a_budget_nothing_is_compared() -> None:
    empty = make_golden()
    tables = (*R18.build(view_of(empty)).tables, *R06.build(view_of(empty)).tables)
    room = open_room(empty, {})
    room.show(tables)
    assert {rule: run_query(read_queries()[rule], room).situacao for rule in ("V22", "V23")} == {
        "V22": "não se aplica", "V23": "não se aplica",
    }  # fmt: skip


def test_the_findings_of_a_budget() -> None:
    whole = RefusedPart("dois arquivos de orçamento: nenhum foi lido", arquivo="entrada/orcamento.xlsx")
    saldos = RefusedPart("não entendi a data", 2, "x;101;1,00", arquivo="entrada/saldos.csv")
    found = find_all(GOLDEN, nao_lidos=[*REFUSED, whole, saldos], rules=("Q22", "Q23", "Q31", "Q37"))
    by_rule = {one.regra: one for one in found.findings}
    assert (by_rule["Q22"].qtde, by_rule["Q22"].ids) == (8, (8, 9, 10, 11, 12, 13, 14))
    assert by_rule["Q22"].por_que.startswith(
        "categoria desconhecida: 1 · entrada/orcamento.xlsx: dois arquivos de orçamento"
    )
    assert "regime caixa não lido: 5" in by_rule["Q22"].por_que
    assert (by_rule["Q31"].qtde, by_rule["Q37"].ids) == (0, (2,))
    assert by_rule["Q23"].qtde == 0
    # Of 11 alone: 10, 21, 22 and 23 have amounts of the year from 500.00 on, 23 only 370.00.
    only = replace(GOLDEN, orcamento=GOLDEN.orcamento[GOLDEN.orcamento["categoria_id"] == 11])
    (free,) = find_all(only, rules=["Q23"]).findings
    assert (free.ids, free.gravidade, is_told(free)) == ((21, 22), "informação", False)
    low = replace(only, parametros=replace(only.parametros, fazer_minimo=Decimal("300.00")))
    assert find_all(low, rules=["Q23"]).findings[0].ids == (21, 22, 23)
