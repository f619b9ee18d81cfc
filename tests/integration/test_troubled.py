"""Companies in trouble, with every option: whatever happens to them, their runs end and no check condemns the figures.

What is right is asked of the checks, and what the checks can see has tests of its own (`tests/unit/quality`). Here
nothing may fail that is right: statements that prove, deny and contradict, desks, budget, scopes, a scenario, factoring
that nets to nothing, past days, a closing in two editions. By default that is asked of positions
(`tests/unit/bank/test_troubled_companies.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from lastro.schema.run_kinds import Modo
from lastro_sandbox import create_app, serve
from tests.served import TOKEN, ask
from tests.troubled import BANKED, FACTORING, Mornings, make_company

OCTOBER = date(2026, 10, 1)


@contextmanager
def begin(seed: int, folder: Path) -> Iterator[Mornings]:
    company = make_company(seed)
    with serve(create_app(company.books, token=TOKEN)) as service:
        yield Mornings.begin(company, folder, service.base_url)


@pytest.mark.longo
@pytest.mark.parametrize("seed", range(24))
def test_no_check_condemns_figures_that_are_right(seed: int, tmp_path: Path) -> None:
    """Two mornings with notes between them, and a day between the two, asked when both are over."""
    with begin(seed, tmp_path) as mornings:
        first = mornings.run("primeira").data_base
        mornings.type_notes()
        mornings.pass_to(first + timedelta((10, 3, 7, 5)[seed % 4]))
        mornings.run("segunda")
        if seed % 3 == 2:
            mornings.run("quente", modo=Modo.QUENTE)
        past = first + timedelta((2, 2, 0, -1, -20)[seed % 5])
        modo = Modo.COMPLETA if seed % 7 == 3 else Modo.RECALCULO
        mornings.run("passado", modo=modo, data_base=past)
    assert mornings.list_faults() == []


@pytest.mark.longo
@pytest.mark.timeout(1800)
def test_a_company_in_trouble_gets_four_mornings_its_past_and_its_closing(tmp_path: Path) -> None:
    with begin(0, tmp_path) as mornings:
        first = mornings.run("sexta").data_base
        mornings.type_notes()
        mornings.run("sexta, com notas", modo=Modo.RECALCULO)
        mornings.pass_to(date(2026, 11, 4))
        denied = ask(mornings.run("quarta"), "SELECT count(*) FROM ops.notados WHERE regra = 'S20'")
        mornings.pass_to(date(2026, 11, 5))
        mornings.type_notes()
        closing = mornings.run("quinta, do fechamento")
        mornings.run("quente", modo=Modo.QUENTE)
        mornings.pass_to(date(2026, 11, 9))
        last = mornings.run("segunda")
        second = mornings.run("2ª edição", modo=Modo.RECALCULO, fechamento=OCTOBER)
        for day in (first, first + timedelta(2), date(2026, 11, 4), date(2026, 11, 5), date(2026, 10, 15)):
            mornings.run(f"passado {day}", modo=Modo.RECALCULO, data_base=day)
        mornings.run("passado lido", data_base=date(2026, 11, 8))
    assert mornings.list_faults() == []
    written = [path.name for run in (closing, second) for path in run.workbooks if path.name.startswith("fechamento")]
    assert written == ["fechamento_2026-10.xlsx", "fechamento_2026-10_r2.xlsx"]
    with duckdb.connect(str(last.warehouse), read_only=True) as con:
        # It is as troubled as it should be: statements, denials, factoring that cancels, a plan, a budget.
        facts = con.execute(
            "SELECT (SELECT count(*) FROM mart.conciliacao), "
            "(SELECT sum(valor) FROM core.linhas WHERE categoria_id = $1), (SELECT count(*) > 0 FROM mart.decisoes), "
            "(SELECT count(*) > 0 FROM mart.promessas), (SELECT count(*) > 0 FROM mart.orcado)",
            [FACTORING],
        ).fetchone()
    assert facts == (len(BANKED), 0, True, True, True)
    assert denied == [(1,)]
