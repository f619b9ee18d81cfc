"""Runs a check that is SQL: counts what it compared, keeps what differs, and says what that came to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.grid.verdict import Amount, Outcome
from lastro.money import format_brl
from lastro.quality.queries import Query
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally

if TYPE_CHECKING:
    from lastro.grid.model import Report
    from lastro.warehouse.proof import Proof

_AMOUNT: Final = re.compile(r"\{(-?\d+\.\d\d)\}")
TOTAL: Final = "total"
"""Key of the row that is the headline."""


@dataclass(frozen=True)
class _Told:
    """What the SELECTs of a check said besides the comparisons."""

    headline: tuple[Amount, Amount]
    texts: Mapping[str, str | None]


def run_query(
    query: Query, proof: Proof, reports: Mapping[str, Report], printed: Callable[[Tally], None] = lambda _: None
) -> Outcome:
    """Run a check over what a proof holds, then hold the sheets it answers for against their tables.

    A SELECT that names a table which the reports do not have compares nothing.

    Args:
        query: the check.
        proof: the records and the reports' tables.
        reports: the reports, for their sheets.
        printed: compares what the sheets print and no table has.
    """
    tally = Tally()
    told = _compare(query, proof, tally)
    if tally.count:
        printed(tally)
        compare_sheets(tally, reports, query.fatos.get("Planilhas", "").split())
    expected, found = told.headline
    if expected != found and not tally.differences:
        tally.compare(TOTAL, expected, found)
    detail = told.texts.get("detalhe") or ("" if tally.count else query.fatos.get("Sem comparações", ""))
    outcome = tally.close(esperado=expected, encontrado=found, detalhe=detail)
    return replace(
        outcome,
        situacao=told.texts.get("situacao") or outcome.situacao,
        severidade=told.texts.get("severidade") or outcome.severidade,
        resumo=told.texts.get("resumo") or outcome.resumo,
    )


def _write_reais(text: str | None) -> str | None:
    """Write the amounts of a text that stand in braces as Brazilians read them."""
    return None if text is None else _AMOUNT.sub(lambda found: format_brl(Decimal(found[1])), text)


def _compare(query: Query, proof: Proof, tally: Tally) -> _Told:
    headline: tuple[Amount, Amount] = (None, None)
    texts: dict[str, str | None] = {}
    for select in query.selects:
        answer = proof.ask(select)
        if answer is None:
            continue
        names, rows = answer
        if "detalhe" in names:
            texts |= {name: _write_reais(value) for row in rows for name, value in zip(names, row, strict=True)}
            continue
        for chave, esperado, encontrado, *times in rows:
            if chave == TOTAL:
                headline = (esperado, encontrado)
                continue
            tally.compare(chave, esperado, encontrado)
            tally.count += times[0] - 1 if times else 0
    return _Told(headline, texts)
