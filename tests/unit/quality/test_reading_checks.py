"""V34 to V37 by hand: what was proved, what was loaded, what could not be read, whose clock is right, what changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lastro.grid.verdict import Verification
from lastro.warehouse.file.check_room import Relation
from tests.unit.quality.checked_books import LIDOS, PASS_TYPES, REJEITADOS, check_received, take_reading

PROOFS = [
    ("lancamentos", 101, 1, 7, 7, 0, 8, "mudou durante a leitura"),
    ("lancamentos", 101, 2, 10, 9, 1, 10, "provada"),
    ("cobrancas", None, 1, 4, 4, 0, 4, "provada"),
    ("cobrancas:status=pendente", None, 1, 4, 0, 0, 4, "provada"),
]
LOADED = [("lancamentos", 101, 10), ("cobrancas", None, 4)]


def _check_v34(loaded: list[tuple[Any, ...]], proofs: list[tuple[Any, ...]] = PROOFS) -> Verification:
    return check_received("V34", passadas=Relation(PASS_TYPES, proofs), lidos=Relation(LIDOS, loaded))


def test_v34_holds_the_proved_pass_against_what_sql_reads() -> None:
    found = _check_v34(LOADED)
    assert (found.situacao, found.esperado, found.encontrado, found.detalhe) == ("ok", 14, 14, "2 comparações")


@pytest.mark.parametrize(
    ("loaded", "key", "expected", "sql"),
    [
        ([("lancamentos", 101, 9), LOADED[1]], "lancamentos · 101", 14, 13),
        ([LOADED[0], ("cobrancas", None, 5)], "cobrancas · sem conta", 14, 15),
        ([LOADED[1]], "lancamentos · 101", 14, 4),
        ([*LOADED, ("lancamentos", 102, 3)], "lancamentos · 102", 14, 17),
        ([*LOADED, ("lancamentos", None, 1)], "lancamentos · sem conta", 14, 15),
    ],
)
def test_v34_names_the_listing_that_differs(loaded: list[Any], key: str, expected: int, sql: int) -> None:
    found = _check_v34(loaded)
    assert (found.chaves, found.esperado, found.encontrado) == ((key,), expected, sql)


def test_v34_does_not_apply_to_a_hot_reading_which_proves_other_listings() -> None:
    hot = [("lancamentos:janela", 101, 1, 3, 3, 0, 3, "provada"), ("cobrancas:janela", None, 1, 1, 1, 0, 1, "provada")]
    assert _check_v34(LOADED, hot).situacao == "não se aplica"
    assert check_received("V34").situacao == "não se aplica"


@pytest.mark.parametrize(
    ("rejected", "received", "severity"), [(1, 1000, "alerta"), (2, 1000, "erro"), (2, 2001, "alerta")]
)
def test_v35_tells_every_unreadable_record_and_doubts_the_figures_above_one_in_a_thousand(
    rejected: int, received: int, severity: str
) -> None:
    known = {"leitura": take_reading(recebidos=received)}
    rows = [("lancamentos", str(number)) for number in range(rejected)]
    found = check_received("V35", rejeitados=Relation(REJEITADOS, rows), **known)
    assert (found.situacao, found.severidade, found.chaves[0]) == ("falhou", severity, "lancamentos 0")
    assert (found.esperado, found.encontrado, found.registros) == (0, rejected, rejected)
    assert found.detalhe.startswith(f"{rejected} de {received} registros não puderam ser lidos e faltam em toda soma; ")
    fine = check_received("V35", rejeitados=Relation(REJEITADOS, []), **known)
    assert (fine.situacao, fine.esperado, fine.encontrado) == ("ok", 0, 0)


def test_v35_holds_for_a_company_that_has_nothing() -> None:
    known = {"leitura": take_reading(), "rejeitados": Relation(REJEITADOS, [])}
    assert check_received("V35", **known).situacao == "ok"


@pytest.mark.parametrize(
    ("seconds", "situation", "said"),
    [
        (None, "não se aplica", ""),
        (86_400, "ok", ""),
        (-86_400, "ok", ""),
        (86_401, "falhou", "1,0 dias adiantado"),
        (-86_401, "falhou", "1,0 dias atrasado"),
        (-259_200, "falhou", "3,0 dias atrasado"),
    ],
)
def test_v36_tells_clocks_more_than_a_day_apart(seconds: int | None, situation: str, said: str) -> None:
    found = check_received("V36", leitura=take_reading(desvio_relogio=seconds, mudou=None))
    assert found.situacao == situation
    assert said in (found.detalhe or "")


@pytest.mark.parametrize(
    ("changes", "situation", "detail"),
    [
        (None, "não se aplica", ""),
        ("", "ok", "1 "),
        ("contagem: x; ordem: y", "falhou", "contagem: x; ordem: y"),
        ("contas: sumiu", "falhou", "contas: sumiu"),
        ("página: 50 em vez de 100", "falhou", "página: 50 em vez de 100"),
    ],
)
def test_v37_says_what_changed(changes: str | None, situation: str, detail: str) -> None:
    found = check_received("V37", leitura=take_reading(mudou=changes))
    assert (found.situacao, detail in found.detalhe) == (situation, True)


@pytest.mark.parametrize(("rule", "reading"), [("V36", {"desvio_relogio": 90_000}), ("V37", {"mudou": "contagem: x"})])
@pytest.mark.parametrize("times", [0, 2])
def test_v36_and_v37_judge_the_reading_that_is_there(rule: str, reading: dict[str, Any], times: int) -> None:
    """Nothing is known of no reading; what a reading says fails however often it is told."""
    known = take_reading(**reading)
    found = check_received(rule, leitura=replace(known, rows=[*known.rows] * times))
    assert found.situacao == ("falhou" if times else "não se aplica")
