"""Why the result of R19 changed: the categories that explain each pair, and the persons behind them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Final, NamedTuple

from lastro.analysis.comparatives import ACCRUED, RESTO, Driver, Pair, explain, write_sentence
from lastro.grid.pivot import build_total, list_rows
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import describe_column
from lastro.money import ratio_pct
from lastro.reports.printing import Tables

if TYPE_CHECKING:
    from lastro.reports.view import View

PAIRS_EXPLAINED: Final = 2
ROWS_EXPLAINED: Final = 5
EXPLAINED: Final = ("atual", "base", "variacao", "pct_da_variacao")
"""Figures of a category that explains; the last one is a share."""
WHO_WIDTH: Final = 110
"""Letters that name persons beside it, in the columns that only the tables above use."""


class Explained(NamedTuple):
    """A category that explains the change of a pair, its place among them and what they all come to without signs."""

    par: Pair
    ordem: int
    causa: Driver
    total: int


def list_causes(view: View) -> list[Explained]:
    """List the categories that explain the change of the result of each pair, the largest first."""
    held = view.comparables
    causes = [(one.par, explain(held.linhas[ACCRUED], one.par)) for one in held.pairs]
    return [
        Explained(par, place, driver, sum(each.modulo for each in drivers))
        for par, drivers in causes
        for place, driver in enumerate(drivers, 1)
    ]


def _name_person(view: View, pessoa_id: int | None) -> str:
    return "Demais pessoas" if pessoa_id == RESTO else view.position.rotulos.pessoa(pessoa_id)


def _id_of(record_id: int | None) -> int | None:
    return None if record_id == RESTO else record_id


def list_explanation(view: View) -> Columns:
    """List the categories that explain each pair, with a sentence each, but for the others together."""
    rows, label = view.once(list_causes), view.position.rotulos.categoria

    def name(cause: Driver) -> str:
        return f"Demais categorias ({cause.quantas})" if cause.categoria_id == RESTO else label(cause.categoria_id)

    def tell(cause: Driver) -> str:
        return write_sentence(cause, name(cause), partial(_name_person, view))

    causes = [row.causa for row in rows]
    return {
        "par": [row.par.nome for row in rows],
        "ordem": [row.ordem for row in rows],
        "categoria": list(map(name, causes)),
        "atual": [one.atual for one in causes],
        "base": [one.base for one in causes],
        "variacao": [one.variacao for one in causes],
        "pct_da_variacao": [ratio_pct(row.causa.variacao, row.total) for row in rows],
        "tipo": [None if one.categoria_id == RESTO else one.tipo for one in causes],
        "frase": [None if one.categoria_id == RESTO else tell(one) for one in causes],
        "par_id": [row.par.slug for row in rows],
        "categoria_id": [_id_of(one.categoria_id) for one in causes],
    }


def list_shares(view: View) -> Columns:
    """List the persons behind each change."""
    label = view.position.rotulos.categoria
    rows = [
        (row, place, *share)
        for row in view.once(list_causes)
        for place, share in enumerate(row.causa.pessoas.items(), 1)
    ]
    categories = [row.causa.categoria_id for row, *_ in rows]
    return {
        "par": [row.par.nome for row, *_ in rows],
        "ordem": [row.ordem for row, *_ in rows],
        "categoria": ["Demais categorias" if one == RESTO else label(one) for one in categories],
        "ordem_da_pessoa": [place for _, place, *_ in rows],
        "pessoa": [_name_person(view, person) for *_, person, _ in rows],
        "variacao": [centavos for *_, centavos in rows],
        "par_id": [row.par.slug for row, *_ in rows],
        "categoria_id": list(map(_id_of, categories)),
        "pessoa_id": [_id_of(person) for *_, person, _ in rows],
    }


def show_explanation(view: View, tables: Tables) -> Section:
    """Print of the first pairs the categories that explain most, and the change of the result; the rest is in SQL."""
    table = tables[EXPLANATION.name]
    columns = (
        describe_column("categoria", width=34),
        *(describe_column(key, dense=True) for key in EXPLAINED[:-1]),
        describe_column(EXPLAINED[-1], width=16),
        describe_column("quem", width=16),
    )
    rows: list[Row] = []
    for one in view.comparables.pairs[:PAIRS_EXPLAINED]:
        of_pair = [
            Row((category, *figures, shorten(str(text or "").partition(": ")[2], WHO_WIDTH, placeholder=" …")), level=1)
            for slug, category, *figures, text in list_rows(table, ("par_id", "categoria", *EXPLAINED, "frase"))
            if slug == one.par.slug
        ]
        total = build_total(columns, of_pair, "= Resultado", Style.SUBTOTAL, only=EXPLAINED[:-1])
        rows.append(Row((one.par.nome, *([None] * (len(columns) - 1))), Style.SECTION))
        rows += [*of_pair[:ROWS_EXPLAINED], replace(total, key=f"r19-{one.par.slug}")]
    notes = (f"As {ROWS_EXPLAINED} maiores de cada par (todas: mart.comparativo_explicacao); % da soma sem sinal.",)
    return Section(table.name, columns, tuple(rows), title="Por que mudou", notes=notes)


EXPLANATION: Final = Print(
    "comparativo_explicacao",
    "R19: categorias que explicam a variação do resultado de cada par; somam a variação",
    list_explanation,
    keys=("par_id", "ordem"),
    about={"tipo": "novo, encerrado, maior ou menor; nulo em Demais"},
    widths={"par": 30, "tipo": 10, "frase": 88},
)
PEOPLE: Final = Print(
    "comparativo_pessoas",
    "R19: pessoas por trás de cada variação; somam a variação",
    list_shares,
    keys=("par_id", "ordem", "ordem_da_pessoa"),
)
