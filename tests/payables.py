"""The golden company with its entries of the payments desk, as a service serves it from a Monday on."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from lastro_sandbox import Books, golden_company
from lastro_sandbox.model import Category, Entry
from tests.golden import dataset

MONDAY, TUESDAY = date(2026, 3, 16), date(2026, 3, 17)


def make_books() -> Books:
    books = golden_company()
    for number, name in dataset.CATEGORIAS_MESA:
        books.categorias[number] = Category(number, name, parent_id=20, ativo=True, tipo_categoria_id=1)
    for row in dataset.mesa():
        books.add_entry(
            Entry(
                row["id"], row["conta_id"], row["categoria_id"], int(Decimal(row["valor"]).scaleb(2)), row["descricao"],
                row["data_vencimento"], row["data_pagamento"], row["data_competencia"], row["pessoa_id"],
                row["grupo_id"],
            )
        )  # fmt: skip
    return books
