"""How long a closed month that changed stays on the cover (N12)."""

from __future__ import annotations

from datetime import date

from lastro.run.computation import recall_restated
from lastro.warehouse.loading.runs import StoredRun


def run(number: int, day: int) -> StoredRun:
    return StoredRun(number, date(2026, 11, day), date(2026, 11, day), number)


SAID = {2: "1 mês fechado alterado por 4 linhas: caixa -R$ 2.852,35; 6 comparações; 2026-10 · Caixa: esperado 1"}


def test_a_restated_month_stays_until_complete_runs_of_three_days_have_shown_it() -> None:
    """Run 2 of the 24th found it and showed it itself; the 25th and 26th show it again, the 27th no more."""
    told = [(date(2026, 11, 24), "1 mês fechado alterado por 4 linhas: caixa -R$ 2.852,35")]
    earlier = [run(1, 23), run(2, 24)]
    assert recall_restated(earlier[:1], SAID, date(2026, 11, 24)) == []
    assert recall_restated(earlier, SAID, date(2026, 11, 24)) == told
    assert recall_restated([*earlier, run(3, 24)], SAID, date(2026, 11, 25)) == told
    assert recall_restated([*earlier, run(3, 25), run(4, 25)], SAID, date(2026, 11, 26)) == told
    assert recall_restated([*earlier, run(3, 25), run(4, 26)], SAID, date(2026, 11, 27)) == []
