"""How a tree is printed: months side by side, moments added up, words for what does not exist, levels left out."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from lastro.analysis.tree import Branch, Node
from lastro.grid.cells import Undefined
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Style
from lastro.grid.storage import store_money
from lastro.grid.tables import Sum, describe_column
from lastro.reports.tree_print import Across, Tree, name_branches
from lastro.reports.view import View
from tests.unit.reports.positions import make_golden
from tests.views import view_of

AMOUNTS = np.array([[1_00, 2_00, 4_00], [1_00, 2_00, 4_00], [9_00, 5_00, 7_00]])
"""Three months of a line, of its only category, and of a balance."""


def lay(_: View) -> list[Branch]:
    node = Node(11, "Serviços", "Receitas > Serviços", 0, direto=False, valores=AMOUNTS[1], categorias=(11,))
    return [
        Branch("entradas", "Entradas", AMOUNTS[0], Style.SECTION),
        Branch("entradas", node.label, node.valores, Style.NORMAL, node.categorias, node),
        Branch("saldo", "= Saldo", AMOUNTS[2], Style.TOTAL),
    ]


def list_amounts(view: View) -> Columns:
    return {**name_branches(lay(view), 3), "valor": store_money(AMOUNTS)}


def list_changes_of(view: View) -> Columns:
    percents, notes = [Decimal("5.00"), Decimal("5.00"), None], [None, None, "n/s"]
    return {**name_branches(lay(view)), "var_pct": percents, "var_nota": notes}


MONTHS = Print("meses", "uma linha por mês", list_amounts)
CHANGES = Print("variacoes", "uma linha por linha", list_changes_of)
TREE = Tree(
    MONTHS,
    lay,
    # The first month is left out; the other two, moments of one, are printed in full and one by one.
    lambda _: [Across({"valor": describe_column("valor", key=str(places))}, places) for places in ((1, 2), (1,), (2,))],
    describe_column("linha"),
    key=lambda branch: branch.join("-"),
    totals=CHANGES,
    beside=lambda _: {"var_pct": CHANGES.describe("var_pct")},
    why={"var_pct": "var_nota"},
)


@pytest.mark.parametrize(("rule", "balance"), [(Sum.FLOW, "12.00"), (Sum.OPENING, "5.00"), (Sum.CLOSING, "7.00")])
def test_sides_stand_beside_totals_and_a_level_is_printed_once(rule: Sum, balance: str) -> None:
    view = view_of(make_golden())
    tables = {own.name: own.table(own.make(view) or {}, view) for own in (MONTHS, CHANGES) if own.make}
    section = Tree(**{**vars(TREE), "sums": {"saldo": rule}}).show(view, tables)
    assert section is not None
    assert [column.key for column in section.columns] == ["linha", "(1, 2)", "(1,)", "(2,)", "var_pct"]
    assert [(row.key, row.style, row.level, row.cells) for row in section.rows] == [
        (
            "entradas",
            Style.SECTION,
            0,
            ("Entradas", Decimal("6.00"), Decimal("2.00"), Decimal("4.00"), Decimal("5.00")),
        ),
        ("saldo", Style.TOTAL, 0, ("= Saldo", Decimal(balance), Decimal("5.00"), Decimal("7.00"), Undefined("n/s"))),
    ]


def test_branches_are_told_apart_in_tables_and_rows() -> None:
    view = view_of(make_golden())
    named = MONTHS.table(list_amounts(view), view).rows
    assert [row[:4] for row in named[::3]] == [
        ("entradas", "Entradas", 0, None), ("entradas", "Serviços", 1, 11), ("saldo", "= Saldo", 0, None)
    ]  # fmt: skip
    assert [branch.join("-") for branch in lay(view)] == ["entradas", "entradas-11", "saldo"]
    assert [branch.caminho for branch in lay(view)] == ["Entradas", "Receitas > Serviços", "Saldo"]
