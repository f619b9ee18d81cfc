"""Links to rows of Lançamentos, one by one and by whole columns, in one sheet and in one per year or month."""

from __future__ import annotations

import pandas as pd
import pytest

from lastro.grid.cells import Kind, Link
from lastro.grid.storage import store_cells
from lastro.reports.shared.drill_down import Entries, index_parts

LINHAS = pd.DataFrame(
    {
        "titulo_id": pd.array([7, 9, 7, 8], dtype="int64"),
        "linha_id": pd.array([1, 2, 3, 4], dtype="int64"),
        "grupo_id": pd.array([5, None, 5, None], dtype="Int64"),
    }
)
PARTES = pd.Series([202500, 202600, 202603, 202400])
SPLIT = Entries(LINHAS, {name: index_parts(LINHAS[name], PARTES) for name in ("titulo_id", "linha_id")})
IDS = pd.Series([8, None, 7, 6, 10**15, 8], dtype="Int64")


def test_one_sheet_has_every_row() -> None:
    entries = Entries(LINHAS)
    assert entries.link_titulo(7) == Link(7, sheet="Lançamentos", key="titulo_id=7")
    assert entries.lead("linha_id", pd.Series([4])).links() == [Link(4, sheet="Lançamentos", key="linha_id=4")]
    assert entries.link_example("grupo_id", 5, "ver »") == Link("ver »", sheet="Lançamentos", key="grupo_id=5")
    assert entries.link_example("grupo_id", 6, "ver »") is None


def test_in_parts_a_titulo_is_where_its_last_linha_is() -> None:
    assert SPLIT.link_titulo(7) == Link(7, sheet="Lançamentos 2026-03", key="titulo_id=7")
    assert SPLIT.link_titulo(9) == Link(9, sheet="Lançamentos 2026", key="titulo_id=9")
    assert SPLIT.lead("linha_id", pd.Series([1])).links() == [Link(1, sheet="Lançamentos 2025", key="linha_id=1")]
    assert [SPLIT.link_titulo(number) for number in (0, 6, 10, 10**15)] == [None] * 4
    assert SPLIT.link_example("grupo_id", 5, "ver »") is None


@pytest.mark.parametrize(
    "entries", [Entries(LINHAS), SPLIT, Entries(LINHAS[:0], {"titulo_id": index_parts(*[PARTES[:0]] * 2)})]
)
def test_a_column_of_links_is_the_links_one_by_one(entries: Entries) -> None:
    column = entries.lead("titulo_id", IDS)
    expected = [None if pd.isna(one) else entries.link_titulo(int(one)) for one in IDS]
    assert column.links() == expected
    assert column.leading().tolist() == [link is not None for link in expected]


@pytest.mark.parametrize("entries", [Entries(LINHAS), SPLIT])
def test_records_of_several_kinds_lead_each_by_its_own_column(entries: Entries) -> None:
    """An example leads where Lançamentos has its record: group 5 there, 6 nowhere; of texts there is none."""
    columns = ["titulo_id", "grupo_id", None, "linha_id", "grupo_id"]
    ids = [7, 6, 3, 4, 5]
    leads = entries.lead_each(columns, store_cells(Kind.INTEGER, ids))
    assert leads.links() == [
        entries.link_titulo(7), None, None, *entries.lead("linha_id", pd.Series([4])).links(),
        entries.link_example("grupo_id", 5, 5),
    ]  # fmt: skip
    assert leads.links(3, 5) == leads.links()[3:]
    assert entries.lead_each([], store_cells(Kind.INTEGER, [])).links() == []
