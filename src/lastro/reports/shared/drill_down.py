"""From a figure to its entries: the rows of Lançamentos (R16) by category, título and linha, and links to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Link, row_key
from lastro.grid.storage import StoredColumn, store_cells, store_series
from lastro.grid.table_rows import Leads

if TYPE_CHECKING:
    from lastro.reports.view import View
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


def find_lancamentos_sheet(year: int | None) -> str:
    """Name a sheet of R16: the only one, or that of a year.

    >>> find_lancamentos_sheet(None), find_lancamentos_sheet(2026)
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


def find_blocks(view: View) -> Blocks:
    """Find the blocks of R16 by class and category.

    Returns:
        The sheet of each block. When R16 is split by year a block stands in several sheets: the one of D's year wins,
        else the latest year before, else the earliest after.
    """
    position = view.position
    linhas = position.linhas
    pairs = linhas[["classe", "categoria_id"]]
    split = is_split_by_year(position)
    if split:
        year = find_linha_dates(linhas).dt.year.astype("int64")
        here = position.data_base.year
        # Years up to D's sort first, latest first; years after D's follow, earliest first.
        pairs = pairs.assign(ano=year, ordem=(here - year).where(year <= here, 10_000 + year)).sort_values("ordem")
    pairs = pairs.drop_duplicates(["classe", "categoria_id"])
    found = records_of(pairs if split else pairs.assign(ano=None), "classe", "categoria_id", "ano")
    return {(classe, categoria_id): find_lancamentos_sheet(ano) for classe, categoria_id, ano in found}


def link_to_lancamentos(blocks: Blocks, classe: str, categorias: Iterable[int | None]) -> Link | None:
    """Link to the first block of R16 that exists among some categories of a class, or None."""
    for categoria_id in categorias:
        sheet = blocks.get((classe, categoria_id))
        if sheet is not None:
            return Link(f"{LANCAMENTOS} »", sheet=sheet, key=lancamentos_key(classe, categoria_id))
    return None


@dataclass(frozen=True)
class Entries:
    """Where títulos and linhas stand in Lançamentos; links go to fixed rows, so sorting that sheet breaks them.

    Attributes:
        linhas: `Position.linhas`.
        years: of each column of ids where R16 is split by year (`index_years`), else None: there is one sheet. Groups,
            persons and categories then have none.
    """

    linhas: pd.DataFrame
    years: Mapping[str, pd.Series] | None = None

    def link_titulo(self, titulo_id: int, text: str | int = "") -> Link | None:
        """Lead to the row of a título: of its carrier, where that is a linha (S2). Prints its id, or a text."""
        return self._link("titulo_id", titulo_id, text)

    def link_example(self, column: str, record_id: int, text: str | int) -> Link | None:
        """Lead to the first row that has a number in a column of ids; a scope may not have it at all."""
        return self._link(column, record_id, text) if bool((self.linhas[column] == record_id).any()) else None

    def lead(self, column: str, ids: pd.Series, text: str = "") -> Leads:
        """Lead from a column of ids to the row of each, as `link_titulo` does from one; a null leads nowhere."""
        codes, uniques = pd.factorize(ids, use_na_sentinel=True)
        sheets = store_cells(Kind.TEXT, [*self._find_sheets(column, np.asarray(uniques, dtype="int64")), None])
        return Leads(sheets.take(codes), column, store_series(Kind.INTEGER, ids), text)

    def lead_each(self, columns: Sequence[str | None], ids: StoredColumn) -> Leads:
        """Lead from ids, each of a column of its own or None, as `link_titulo` and `link_example` do."""
        own, sheets = np.array(columns, dtype=object), np.full(len(columns), None, dtype=object)
        for column in {*columns} - {None}:
            here, records = own == column, ids.data[own == column]
            found = np.array(self._find_sheets(str(column), records), dtype=object)
            if column not in ("titulo_id", "linha_id"):
                found[~np.isin(records, self.linhas[column].dropna().to_numpy("int64"))] = None
            sheets[here] = found
        return Leads(store_cells(Kind.TEXT, sheets.tolist()), store_cells(Kind.TEXT, columns), ids)

    def _link(self, column: str, record_id: int, text: str | int) -> Link | None:
        (sheet,) = self._find_sheets(column, np.array([record_id]))
        return None if sheet is None else Link(text or record_id, sheet=sheet, key=row_key(column, record_id))

    def _find_sheets(self, column: str, record_ids: np.ndarray[Any, Any]) -> list[str | None]:
        """Name the sheet of each of some ids; None for one that stands on none."""
        if self.years is None:
            return [LANCAMENTOS] * len(record_ids)
        if column not in self.years:
            return [None] * len(record_ids)
        years = self.years[column].reindex(record_ids)
        names = {year: find_lancamentos_sheet(int(year)) for year in years.dropna().unique()}
        return [names.get(year) for year in years.tolist()]


def index_years(ids: pd.Series, years: pd.Series) -> pd.Series:
    """Keep the year of each id: that of the last linha that names it."""
    found = pd.Series(years.to_numpy("int16"), ids.to_numpy())
    return found[~found.index.duplicated(keep="last")]


def find_entries(view: View) -> Entries:
    """Find where títulos and linhas stand in R16."""
    linhas = view.position.linhas
    if not is_split_by_year(view.position):
        return Entries(linhas)
    years = find_linha_dates(linhas).dt.year
    return Entries(linhas, {column: index_years(linhas[column], years) for column in ("titulo_id", "linha_id")})
