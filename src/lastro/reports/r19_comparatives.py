"""R19 Comparativos: better or worse than last year, and why?

A pair without base is named in the notes only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.comparatives import (
    ACCRUED,
    CASH,
    CASH_LINES,
    sum_pairs,
)
from lastro.analysis.income_statement import MARGINS, find_lines, find_sense, lay_lines
from lastro.analysis.percent_change import NOTE, list_changes
from lastro.analysis.tree import Branch
from lastro.grid.prints import Columns, Print
from lastro.grid.storage import store_money
from lastro.grid.tables import describe_column
from lastro.grid.workbook import Family
from lastro.reports.r19_explanation import EXPLANATION, PEOPLE, show_explanation
from lastro.reports.spec import ReportSpec
from lastro.reports.tree_print import Across, Tree, name_branches

if TYPE_CHECKING:
    from lastro.reports.view import View

NO_BASE: Final = "sem base"
SHOWN: Final = ("atual", "base", "variacao", "var_pct")
"""What the sheet has of each pair."""


def lay_pairs(view: View, what: str) -> list[Branch]:
    """Lay out the lines of the result or of cash, and the categories below them; of each A and B of every pair."""
    held = view.comparables
    linhas = held.linhas[what]
    lines = find_lines(view.dre_map, linhas) if what == ACCRUED else CASH_LINES
    pairs = [one.par for one in held.pairs]
    return [*lay_lines(view.position.categorias, lines, sum_pairs(linhas, pairs), 2 * len(pairs))]


def list_pairs(what: str, view: View) -> Columns:
    """List the branches by pair; null where the map of the DRE does not allow the line (S17)."""
    pairs, branches = view.comparables.pairs, view.once(lay_pairs, what)
    sides = np.stack([branch.valores for branch in branches]).reshape(len(branches), len(pairs), 2)
    hidden = np.array([not view.dre_map.margens and branch.codigo in MARGINS for branch in branches], dtype=bool)
    rules = [one.bases[what].rule for one in pairs]
    changes = [
        None if absent else rule.compare(now, then, find_sense(branch.codigo), total=branch.is_sum)
        for branch, absent, values in zip(branches, hidden, sides.tolist(), strict=True)
        for rule, (now, then) in zip(rules, values, strict=True)
    ]
    return {
        "par": [one.par.slug for one in pairs] * len(branches),
        **name_branches(branches, len(pairs)),
        "atual": store_money(sides[:, :, 0], hidden),
        "base": store_money(sides[:, :, 1], hidden),
        **list_changes(changes),
    }


def _show_pairs(what: str, view: View) -> Iterator[Across]:
    """Show the pairs side by side, each below its name and what its base lacks."""
    for place, one in enumerate(view.comparables.pairs):
        lacking = one.bases[what].falta
        band = one.par.nome if lacking is None else f"{one.par.nome} · base incompleta: {lacking}"
        look = {"dense": True, "undefined": True, "group": band}
        yield Across({key: describe_column(key, key=f"{one.par.slug}_{key}", **look) for key in SHOWN}, (place,))


def _say_notes(view: View) -> Iterator[str]:
    """Say which days are compared, what has no base, and how much of a pair stands on the first of a month."""
    held = view.comparables
    told: dict[bool, list[str]] = {False: [], True: []}
    for one in held.pairs:
        text = f"{one.par.nome}: {one.par.texto}"
        if one.dia_1_pct is not None and not one.par.inteiros:
            text += f"; dia 1: {one.dia_1_pct} % do valor tem competência no primeiro dia do mês"
        told[one.par.inteiros].append(f"{text}.")
    for par in held.without:
        told[par.inteiros].append(f"{par.nome}: {NO_BASE} ({par.texto}).")
    yield from (" ".join(lines) for lines in told.values() if lines)
    yield NOTE


def _declare_pairs(name: str, comment: str, what: str) -> Print[View]:
    return Print(
        name,
        f"R19: {comment}",
        partial(list_pairs, what),
        keys=("par", "codigo", "nivel", "categoria_id", "linha"),
        about={"par": "o que se compara: mes_fechado, mes_ate_d, ano_ate_d, doze_fechados"},
        shown=("categoria_id",),
    )


def _declare_tree(table: Print[View], what: str, title: str, notes: Callable[[View], Iterable[str]]) -> Tree:
    return Tree(
        table,
        lambda view: view.once(lay_pairs, what),
        partial(_show_pairs, what),
        describe_column("linha", width=34),
        key=lambda branch: f"{table.name}-{branch.join('-')}",
        why={"var_pct": "var_nota"},
        title=title,
        notes=notes,
        open_level=0,
    )


RESULT: Final = _declare_pairs(
    "comparativo_resultado", "linha da DRE ou categoria e par de períodos, por competência", ACCRUED
)
REALISED: Final = _declare_pairs(
    "comparativo_caixa", "classe de caixa ou categoria e par de períodos, caixa realizado", CASH
)
SPEC: Final = ReportSpec(
    code="R19",
    name="comparativo",
    title="Comparativos",
    question="Melhor ou pior que no ano passado, e por quê?",
    family=Family.RESULT,
    tables=(RESULT, REALISED, EXPLANATION, PEOPLE),
    sections=(
        _declare_tree(RESULT, ACCRUED, "Resultado por competência", _say_notes).show,
        _declare_tree(REALISED, CASH, "Caixa realizado", lambda _: ()).show,
        show_explanation,
    ),
)
