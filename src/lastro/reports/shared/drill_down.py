"""From a figure to its entries: the rows of Lançamentos (R16) by category, título and linha, and links to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Link, row_key
from lastro.grid.storage import StoredColumn, store_cells, store_series
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table

if TYPE_CHECKING:
    from lastro.reports.view import View

LANCAMENTOS = "Lançamentos"
"""Sheet of R16, to which every category row leads."""


def find_parts(view: View) -> pd.Series | None:
    """Find the sheet of R16 on which each linha stands, where it has several (`View.folha`).

    Returns:
        As the linhas: year x 100, and the month more in a year that is too long for a sheet; None where there is one.
    """
    linhas = view.position.linhas
    if len(linhas) <= view.folha.usual:
        return None
    dates = find_linha_dates(linhas).dt
    years = dates.year.astype("int32")
    long = years.map(years.value_counts()) > view.folha.most
    parts: pd.Series = years * 100 + dates.month.astype("int32").where(long, 0)
    return parts


def name_part(part: int) -> str:
    """Name a part of R16.

    >>> name_part(202600), name_part(202603)
    ('2026', '2026-03')
    """
    year, month = divmod(part, 100)
    return f"{year}-{month:02d}" if month else str(year)


def find_linha_dates(linhas: pd.DataFrame) -> pd.Series:
    """Return the day a linha is listed under in R16: its payment if paid as of D, else its predicted date (S3)."""
    return linhas["data_pagamento"].where(linhas["pago"], linhas["data_prevista"])


def find_lancamentos_sheet(part: int | None) -> str:
    """Name a sheet of R16: the only one, or that of a part.

    >>> find_lancamentos_sheet(None), find_lancamentos_sheet(202600)
    ('Lançamentos', 'Lançamentos 2026')
    """
    return LANCAMENTOS if part is None else f"{LANCAMENTOS} {name_part(part)}"


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
        The sheet of each block. When R16 is in parts a block stands in several sheets: the one of D's year, or month,
        wins, else the latest before, else the earliest after.
    """
    parts, day = view.books.once(find_parts), view.position.data_base
    pairs = view.position.linhas[["classe", "categoria_id"]].assign(parte=parts)
    if parts is not None:
        here = day.year * 100 + day.month
        # Parts up to D sort first, latest first; those after D follow, earliest first.
        order = (here - parts).where(parts <= here, 1_000_000 + parts)
        pairs = pairs.assign(ordem=order).sort_values("ordem")
    pairs = pairs.drop_duplicates(["classe", "categoria_id"])
    found = records_of(pairs, "classe", "categoria_id", "parte")
    return {(classe, categoria_id): find_lancamentos_sheet(part) for classe, categoria_id, part in found}


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
        parts: of each column of ids where R16 is in parts (`index_parts`), else None: there is one sheet. Groups,
            persons and categories then have none.
    """

    linhas: pd.DataFrame
    parts: Mapping[str, pd.Series] | None = None

    def link_titulo(self, titulo_id: int, text: str | int = "") -> Link | None:
        """Lead to the row of a título: of its carrier, where that is a linha (S2). Prints its id, or a text."""
        return self._link("titulo_id", titulo_id, text)

    def link_example(self, column: str, record_id: int, text: str | int) -> Link | None:
        """Lead to the first row that has a number in a column of ids; a scope may not have it at all."""
        return self._link(column, record_id, text) if bool((self.linhas[column] == record_id).any()) else None

    def lead(self, column: str, ids: pd.Series) -> Leads:
        """Lead from a column of ids to the row of each, as `link_titulo` does from one; a null leads nowhere."""
        codes, uniques = pd.factorize(ids, use_na_sentinel=True)
        sheets = store_cells(Kind.TEXT, [*self._find_sheets(column, np.asarray(uniques, dtype="int64")), None])
        return Leads(sheets.take(codes), column, store_series(Kind.INTEGER, ids))

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
        if self.parts is None:
            return [LANCAMENTOS] * len(record_ids)
        if column not in self.parts:
            return [None] * len(record_ids)
        parts = self.parts[column].reindex(record_ids)
        names = {part: find_lancamentos_sheet(int(part)) for part in parts.dropna().unique()}
        return [names.get(part) for part in parts.tolist()]


def index_parts(ids: pd.Series, parts: pd.Series) -> pd.Series:
    """Keep the part of each id: that of the last linha that names it."""
    found = pd.Series(parts.to_numpy("int32"), ids.to_numpy())
    return found[~found.index.duplicated(keep="last")]


def lead_by(column: str) -> Callable[[View, Table], Leads]:
    """Lead the rows of a table to Lançamentos, by a column of ids; a null leads nowhere."""

    def lead(view: View, table: Table) -> Leads:
        ids = np.ma.asarray(table.data[column].data)
        nullable = pd.arrays.IntegerArray(ids.filled(0).astype("int64"), np.ma.getmaskarray(ids))
        return view.books.once(find_entries).lead(column, pd.Series(nullable))

    return lead


def find_entries(view: View) -> Entries:
    """Find where títulos and linhas stand in R16."""
    linhas, parts = view.position.linhas, view.books.once(find_parts)
    if parts is None:
        return Entries(linhas)
    return Entries(linhas, {column: index_parts(linhas[column], parts) for column in ("titulo_id", "linha_id")})
