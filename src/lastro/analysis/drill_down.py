"""From a figure to its entries: the blocks of Lançamentos (R16) by class and category, and links into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.grid.cells import Link

if TYPE_CHECKING:
    from lastro.transform.position import Position

LANCAMENTOS = "Lançamentos"
"""Sheet of R16, to which every category row leads."""
MAX_LINHAS_PER_SHEET: Final = 200_000
"""Above it R16 is split by year."""


def is_split_by_year(position: Position) -> bool:
    """Tell whether R16 has a sheet per year."""
    return len(position.linhas) > MAX_LINHAS_PER_SHEET


def find_linha_dates(linhas: pd.DataFrame) -> pd.Series:
    """Return the day a linha is listed under in R16: its payment if paid as of D, else its predicted date (S3)."""
    return linhas["data_pagamento"].where(linhas["pago"], linhas["data_prevista"])


def lancamentos_sheet(year: int | None = None) -> str:
    """Name a sheet of R16: the only one, or that of a year.

    >>> lancamentos_sheet(), lancamentos_sheet(2026)
    ('Lançamentos', 'Lançamentos 2026')
    """
    return LANCAMENTOS if year is None else f"{LANCAMENTOS} {year}"


def lancamentos_key(classe: str, categoria_id: object) -> str:
    """Name the row of R16 at which the block of a class and category begins.

    >>> lancamentos_key("Entradas", 11), lancamentos_key("Saídas", None)
    ('cat-Entradas-11', 'cat-Saídas-sem')
    """
    missing = categoria_id is None or pd.isna(categoria_id)  # type: ignore[call-overload]
    return f"cat-{classe}-{'sem' if missing else int(categoria_id)}"  # type: ignore[call-overload]


Blocks = Mapping[tuple[str, int | None], str]
"""(class, category) -> sheet of R16 that holds its block."""


def find_blocks(position: Position) -> Blocks:
    """Find the blocks of R16 by class and category.

    Returns:
        The sheet of each block. When R16 is split by year a block stands in several sheets: the one of D's year wins,
        else the latest year before, else the earliest after.
    """
    linhas = position.linhas
    pairs = linhas[["classe", "categoria_id"]]
    split = is_split_by_year(position)
    if split:
        year = find_linha_dates(linhas).dt.year.astype("int64")
        here = position.data_base.year
        # Years up to D's sort first, latest first; years after D's follow, earliest first.
        pairs = pairs.assign(ano=year, ordem=(here - year).where(year <= here, 10_000 + year)).sort_values("ordem")
    pairs = pairs.drop_duplicates(["classe", "categoria_id"])
    years = pairs["ano"] if split else [None] * len(pairs)
    return {
        (str(classe), None if pd.isna(categoria_id) else int(categoria_id)): lancamentos_sheet(
            None if ano is None else int(ano)
        )
        for classe, categoria_id, ano in zip(pairs["classe"], pairs["categoria_id"], years, strict=True)
    }


def link_to_lancamentos(blocks: Blocks, classe: str, categorias: Iterable[int | None]) -> Link | None:
    """Link to the first block of R16 that exists among some categories of a class, or None."""
    for categoria_id in categorias:
        sheet = blocks.get((classe, categoria_id))
        if sheet is not None:
            return Link(f"{LANCAMENTOS} »", sheet=sheet, key=lancamentos_key(classe, categoria_id))
    return None


def link_linha(blocks: Blocks, linha_id: int, classe: str, categoria_id: int | None) -> Link | str:
    """Lead from a linha to its category's block in Lançamentos."""
    block = link_to_lancamentos(blocks, classe, (categoria_id,))
    return str(linha_id) if block is None else Link(str(linha_id), sheet=block.sheet, key=block.key)
