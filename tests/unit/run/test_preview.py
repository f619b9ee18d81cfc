"""The first rows of a table, by hand; no text of a person among them."""

from __future__ import annotations

from decimal import Decimal

from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table
from lastro.run.preview import show_rows

COLUMNS = (
    Column("Nivel", Kind.INTEGER),
    Column("Categoria", Kind.TEXT),
    Column("Cliente", Kind.TEXT),
    Column("Descrição", Kind.TEXT),
    Column("Valor", Kind.MONEY),
    Column("Saldo final", Kind.MONEY),
)
TABLE = Table(
    "t",
    COLUMNS,
    (
        (0, "Receitas", "Ana", "pix da Ana", Decimal("10.10"), Decimal("1.00")),
        (1, "Vendas", "Ana", "pix da Ana", Decimal("10.10"), Decimal("1.00")),
        (0, "Despesas", "Caio", "luz", Decimal("-3.05"), Decimal("8.05")),
        (0, "Outras", None, None, None, None),
    ),
    "",
)


def test_the_first_rows_name_nobody() -> None:
    shown = show_rows(TABLE)
    assert len(shown) == 4
    assert shown[0] == {"nivel": "0", "categoria": "Receitas", "valor": "10.10", "saldo_final": "1.00"}
    assert shown[3]["valor"] == ""
    assert "Ana" not in str(shown)
