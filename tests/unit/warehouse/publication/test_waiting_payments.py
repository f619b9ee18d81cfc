"""How much waits for an approval, as a published copy says it."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pytest

from lastro.warehouse.publication.published_run import _count_waiting


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (None, (0, 0)),  # no desk
        ([], (0, 0)),
        (
            [
                ("aguarda aprovação", None, "-1500.00"),
                ("aguarda aprovação", "falta Aprovado por", "-9000.10"),
                ("aguarda aprovação", "mudou depois da aprovação: era 1,00, é 2,00", "-2.00"),  # Q42 tells it
                ("em aberto", None, "-70.00"),
            ],
            (2, Decimal("10500.10")),
        ),
    ],
)
def test_what_waits_for_a_first_approval_is_counted(
    rows: list[tuple[str, str | None, str]] | None, found: tuple[int, Decimal]
) -> None:
    with duckdb.connect() as con:
        con.execute("ATTACH ':memory:' AS publicada; USE publicada; CREATE SCHEMA mart")
        if rows is not None:
            con.execute("CREATE TABLE mart.decisoes(estado VARCHAR, motivo VARCHAR, valor DECIMAL(18,2))")
        for row in rows or ():
            con.execute("INSERT INTO mart.decisoes VALUES (?, ?, ?)", row)
        assert _count_waiting(con) == found
