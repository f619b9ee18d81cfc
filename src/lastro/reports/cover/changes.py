"""What changed since the last report, on the cover: the sentences of R14 (`mudancas_resumo`) that fit there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from lastro.analysis.changes import VENCEU_PAGAR, VENCEU_RECEBER
from lastro.grid.cells import Link, Value, link_sheet
from lastro.grid.pivot import list_dicts
from lastro.grid.sections import Section
from lastro.grid.words import format_date
from lastro.grid.workbook import tables_of
from lastro.reports.cover.lines import build_lines
from lastro.reports.shared.condensed_changes import NO_HISTORY, PAGO, RECEBIDO, RESUMO
from lastro.reports.shared.drill_down import find_entries

if TYPE_CHECKING:
    from lastro.reports.view import View

MOST_LINES: Final = 5
SHEETS: Final = {
    RECEBIDO: "Mudanças", PAGO: "Mudanças", VENCEU_RECEBER: "Receber títulos", VENCEU_PAGAR: "Pagar títulos",
}  # fmt: skip
"""The rows that add all entries of a kind, and where these stand."""


def build_changes(view: View, closed: Sequence[str]) -> Section:
    """Build the changes: what became of closed months, series inside the horizon first, then the rest (R14).

    The sums always have their place; what lies beyond the horizon stands there only if nothing lies inside.

    Args:
        view: R14 is built.
        closed: what is said of closed months.
    """
    before, changes = view.facts.comparacao, _read(view)
    said: list[tuple[Value, ...]] = [(text, None, link_sheet("Mudanças")) for text in closed]
    if before is None or changes is None:
        return build_lines("resumo_mudancas", "O QUE MUDOU", "O que mudou", said, f"{NO_HISTORY}.")
    sums = [row for row in changes if row["tipo"] in SHEETS]
    single = [row for row in changes if row["linha_id"] is not None]
    near = [row for row in single if row["no_horizonte"]]
    chosen = (near or single)[: MOST_LINES - len(sums)]
    kept = sorted([*chosen, *sums], key=lambda row: int(row["ordem"])) or changes[:MOST_LINES]
    rows = [(row["frase"], row["valor"], _link(view, row)) for row in kept]
    title = f"O QUE MUDOU DESDE {format_date(before.data_base)}"
    return build_lines("resumo_mudancas", title, "O que mudou", [*said, *rows], "Nada mudou desde o último relatório")


def _read(view: View) -> list[dict[str, Any]] | None:
    tables = {table.name: table for table in tables_of(view.reports)}
    return list_dicts(tables[RESUMO]) if RESUMO in tables else None


def _link(view: View, row: dict[str, Any]) -> Link | None:
    sheet = SHEETS.get(row["tipo"])
    if sheet is None and row["titulo_id"] is not None:
        return view.kept(find_entries).link_titulo(row["titulo_id"], "Lançamentos »") or link_sheet("Mudanças")
    return link_sheet(sheet or "Mudanças")
