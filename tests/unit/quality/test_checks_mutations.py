"""Damage to `core.linhas`, or to one report, while the raw records stay: each must fail at least one V rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import islice, product
from typing import Any

import pandas as pd
import pytest

from lastro.grid.workbook import Report
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r07_bridge import SPEC as R07
from lastro.reports.r16_entries import build_r16
from lastro.reports.registry import REPORTS
from lastro.reports.spec import Phase
from tests.marks import thinned
from tests.unit.quality.checked_books import (
    Books,
    check_rule,
    double_row,
    drop_row,
    is_noticed,
    load_golden,
    with_linhas,
    with_statements,
)
from tests.views import view_of

Change = Callable[[pd.DataFrame, int], pd.DataFrame]
"""Of a linha: 1001 is a paid revenue, 1005 and 1006 are legs of a transfer, 1008 is an item, 1013 of zero."""


@cache
def hold_to_a_statement() -> Books:
    """The golden books, which hold by each of these rules."""
    stated = with_statements(load_golden("A"), [(101, "2026-02-28", "7900.00")])
    assert not any(check_rule(stated, rule).failed for rule in ("V10", "V09", "V16", "V19"))
    return stated


def _drop(linhas: pd.DataFrame, linha_id: int) -> pd.DataFrame:
    return linhas[linhas["linha_id"] != linha_id]


def _double(linhas: pd.DataFrame, linha_id: int) -> pd.DataFrame:
    return pd.concat([linhas, linhas[linhas["linha_id"] == linha_id]], ignore_index=True)


def _flip(linhas: pd.DataFrame, linha_id: int) -> pd.DataFrame:
    chosen = linhas["linha_id"] == linha_id
    return linhas.assign(valor_centavos=linhas["valor_centavos"].where(~chosen, -linhas["valor_centavos"]))


def _centavo(linhas: pd.DataFrame, linha_id: int) -> pd.DataFrame:
    return linhas.assign(valor_centavos=linhas["valor_centavos"] + (linhas["linha_id"] == linha_id))


@pytest.mark.parametrize(
    ("rule", "linha_id", "change"),
    [
        *product(["V10"], (1001, 1013), (_drop, _double)),
        *product(["V10"], (1005, 1008), (_flip,)),
        *product(["V09"], (1004,), (_centavo, _drop, _double)),  # an overdue payable, which the service filters as such
        *product(["V16"], (1006,), (_centavo, _drop, _double)),
        *product(["V19"], (1001,), (_centavo, _drop, _double)),
        ("V10", 1001, _centavo),
    ],
)
def test_a_damaged_linha_is_noticed(rule: str, linha_id: int, change: Change) -> None:
    stated = hold_to_a_statement()
    assert check_rule(with_linhas(stated, change(stated.core.linhas, linha_id)), rule).failed


@pytest.mark.parametrize(
    ("change", "linha_id"), thinned([(_drop, 1001), (_double, 1008), (_flip, 1011)], default=[(_flip, 1011)])
)
def test_it_is_noticed_without_the_raw_records_too(books: Books, change: Change, linha_id: int) -> None:
    damaged = with_linhas(books, change(books.core.linhas, linha_id))
    assert is_noticed(damaged, recebido={}), "the linhas no longer agree with the títulos"


@pytest.mark.parametrize("field", ["data_pagamento", "data_competencia"])
def test_one_date_in_the_place_of_the_other_is_noticed(books: Books, field: str) -> None:
    other = {"data_pagamento": "data_competencia", "data_competencia": "data_pagamento"}[field]
    linhas = books.core.linhas
    chosen = linhas["linha_id"] == 1001
    changed = linhas.assign(**{field: linhas[field].where(~chosen, linhas[other])})
    assert check_rule(with_linhas(books, changed), "V10").failed


def test_a_class_of_another_regime_in_the_position_is_noticed(books: Books) -> None:
    linhas = books.position.linhas
    position = replace(books.position, linhas=linhas.assign(caixa=linhas["caixa"] ^ (linhas["linha_id"] == 1010)))
    reports = {**books.reports, "R16": build_r16(view_of(position))}
    assert check_rule(replace(books, position=position, reports=reports), "V42").failed
    position = replace(books.position, linhas=linhas.assign(data_competencia_ef=linhas["data_vencimento"]))
    reports = {**books.reports, "R16": build_r16(view_of(position))}
    assert check_rule(replace(books, position=position, reports=reports), "V43").failed


@pytest.mark.parametrize(
    ("legs", "field", "value", "rule"),
    [
        ((1005,), "lancamento_transferencia_id", pd.NA, "V16"),
        ((1005, 1006), "lancamento_transferencia_id", pd.NA, "V10"),
        ((1006,), "lancamento_transferencia_id", 1001, "V16"),
        ((1006,), "valor_centavos", 79999, "V16"),
        ((1006,), "data_pagamento", pd.Timestamp("2026-02-11"), "V16"),
        ((1006,), "conta_id", 101, "V10"),
    ],
)
def test_a_broken_pair_is_noticed(books: Books, legs: tuple[int, ...], field: str, value: Any, rule: str) -> None:
    linhas = books.core.linhas.copy()
    linhas.loc[linhas["linha_id"].isin(legs), field] = value
    linhas["transferencia"] = linhas["lancamento_transferencia_id"].notna()
    assert check_rule(with_linhas(books, linhas), rule).failed


CHANGES: Mapping[str, Callable[[Decimal], Decimal]] = {
    "flip": lambda amount: -amount,
    "centavo": lambda amount: amount + Decimal((0, (1,), int(amount.as_tuple().exponent))),
}


def _damage(rows: list[tuple[Any, ...]]) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Leave a row out, double one, and change the first amount that is not zero."""
    yield "drop", drop_row(rows, 0)
    yield "double", double_row(rows, 0)
    amounts = (
        (number, place, value)
        for number, row in enumerate(rows)
        for place, value in enumerate(row)
        if isinstance(value, Decimal) and value
    )
    for number, place, value in islice(amounts, 1):
        row = rows[number]
        for what, change in CHANGES.items():
            yield what, [*rows[:number], (*row[:place], change(value), *row[place + 1 :]), *rows[number + 1 :]]


def _damaged_reports(report: Report) -> Iterator[tuple[str, Report]]:
    for place, part in enumerate(report.tables):
        # The cover's lists repeat other sheets and are written after the checks.
        if not part.rows or part.name.startswith("resumo_"):
            continue
        for what, rows in _damage([*part.rows]):
            changed = (*report.tables[:place], replace(part, rows=tuple(rows)), *report.tables[place + 1 :])
            yield f"{part.name} {what}", replace(report, tables=changed)


UNSEEN = {
    "R14": {"mudancas drop", "mudancas_resumo flip", "mudancas_resumo centavo"},
    "R21": {"tributos_total drop", "tributos_total double"},
    "R23": {"previsao_categorias drop", "previsao_categorias double"},
}
"""Damages that no check sees. Of R14 a second field that changed in one linha, and the amount of a sentence about due
dates that moved: only the records of the run before know them, and no check has those (DEC34). Of R21 and R23 rows that
say nothing, for the golden company has neither taxes nor six closed months; where there are some, they are seen."""
CODES = tuple(spec.code for spec in REPORTS if spec.phase is not Phase.VERDICT)


def _unnoticed(books: Books, code: str, damaged: Iterable[tuple[str, Report]]) -> list[str]:
    return [
        what
        for what, report in damaged
        if not is_noticed(replace(books, reports={**books.reports, code: report}), code=code, like=books)
    ]


@pytest.mark.longo
@pytest.mark.parametrize("code", CODES)
def test_every_damage_to_a_report_is_noticed(books: Books, code: str) -> None:
    """Dropping one row, doubling one, flipping one sign, adding one centavo."""
    assert set(_unnoticed(books, code, _damaged_reports(books.reports[code]))) == UNSEEN.get(code, set())


def test_a_report_of_the_other_regime_is_noticed(books: Books) -> None:
    """The cash flow by category with competence figures in it, and the DRE with cash figures."""
    linhas = books.position.linhas
    other = replace(
        books.position,
        linhas=linhas.assign(mes_caixa=linhas["mes_competencia"], mes_competencia=linhas["mes_caixa"]),
    )

    for code, report in (("R06", R06.build(view_of(other))), ("R07", R07.build(view_of(other)))):
        assert is_noticed(replace(books, reports={**books.reports, code: report}), code=code, like=books), code
