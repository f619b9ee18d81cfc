"""Random hostile companies: every statement closes, and the rules on data fail exactly where the oracle says."""

from __future__ import annotations

import pytest

from tests.marks import thinned
from tests.oracle.charge_reports import charges_on_their_way
from tests.oracle.context import build_context
from tests.oracle.quality import data_checks
from tests.random_companies import company
from tests.unit.quality.checked_books import check_books, load_company

ON_DATA = {"V11", "V12", "V13", "V14", "V16", "V19", "V20", "V21"}


@pytest.mark.parametrize("seed", thinned(range(100, 150), default=(100,)))
def test_random_companies_close(seed: int) -> None:
    # A stale copy of a row may stand in another account's listing, which no overdue filter would show.
    payloads = company(seed, duplicatas=False)
    results = check_books(load_company(payloads))
    unexpected = {name for name, result in results.items() if result.failed} - ON_DATA
    assert unexpected == set(), {name: results[name].detalhe for name in unexpected}
    context = build_context(payloads)
    for rule, keys in data_checks(context).items():
        assert results[rule].failed is bool(keys), (rule, keys, results[rule].chaves)
    if not results["V13"].failed:
        told = {f"cobrança {number}" for number in charges_on_their_way(context)}
        assert set(results["V13"].chaves) == told
        assert results["V13"].situacao == ("informação" if told else "ok")
    assert results["V10"].situacao == "ok"
