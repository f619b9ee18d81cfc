"""A record that is no longer listed counts as deleted only after two witnesses (S13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.errors import DeletionsHeld
from lastro.transform.deletions import (
    ConfirmationPlan,
    Estado,
    check_deletions,
    find_list_losses,
    find_removed,
    plan_confirmations,
)
from tests.bare import classify_absences


def records(*rows: tuple[int, int | None, int]) -> pd.DataFrame:
    """Records of a listing: id, account, centavos; all due on 10/03/2026."""
    frame = pd.DataFrame(rows, columns=["registro_id", "conta_id", "valor_centavos"])
    frame["data_vencimento"] = pd.Timestamp("2026-03-10")
    return frame.astype(
        {"registro_id": "int64", "conta_id": "Int64", "valor_centavos": "int64", "data_vencimento": "datetime64[us]"}
    )


NOTHING = records()
KNOWN = records((1, 101, 100), (2, 101, -900), (3, 102, 500), (4, None, 50), (5, 103, 9999))


def outcome(
    plan: ConfirmationPlan, answers: dict[int, str], details: pd.DataFrame = NOTHING, **options: object
) -> dict[int, str]:
    found = classify_absences(plan, answers, KNOWN, NOTHING, details, **options)  # type: ignore[arg-type]
    return dict(zip(found["registro_id"], found["estado"], strict=True))


def test_the_largest_amounts_are_asked_first_and_accounts_not_read_last() -> None:
    plan = plan_confirmations(KNOWN, NOTHING, {1}, read_accounts={101, 102}, budget=10)
    assert plan.to_ask == (2, 3, 4, 5)
    assert plan.absent_now == (2, 3, 4)
    assert plan.account_unread == (5,)


def test_a_second_absence_is_asked_before_all_others_and_the_budget_is_kept() -> None:
    pending = records((9, 101, 1))
    plan = plan_confirmations(KNOWN, pending, {1, 4, 5}, read_accounts={101, 102, 103}, budget=2)
    assert plan.to_ask == (9, 2)
    assert plan.absent_before == (9,)
    none = plan_confirmations(KNOWN, pending, {1, 4, 5}, read_accounts={101, 102, 103}, budget=0)
    assert none.to_ask == ()
    assert replace(plan, to_ask=()) == none
    assert none.absent_now == (2, 3)


def test_a_row_that_moved_to_another_listed_account_is_not_missing() -> None:
    plan = plan_confirmations(KNOWN, NOTHING, {1, 2, 3, 4, 5}, read_accounts={101, 102}, budget=10)
    assert plan == ConfirmationPlan((), (), (), (), ())
    assert classify_absences(plan, {}, KNOWN, NOTHING, NOTHING).empty


def test_each_answer_has_its_outcome() -> None:
    plan = plan_confirmations(KNOWN, NOTHING, (), read_accounts={101, 102, 103}, budget=10)
    details = records((1, 101, 100), (2, 102, -900))
    answers = {1: "vivo", 2: "vivo", 3: "ausente", 4: "indefinido"}
    assert outcome(plan, answers, details) == {
        1: Estado.VIVO,
        2: Estado.MUDOU_DE_CONTA,
        3: Estado.EXCLUIDO,
        4: Estado.DESAPARECIDO,
        5: Estado.DESAPARECIDO,
    }


def test_a_living_record_whose_answer_could_not_be_read_is_no_deletion() -> None:
    plan = plan_confirmations(KNOWN, NOTHING, {2, 3, 4, 5}, read_accounts={101}, budget=10)
    assert outcome(plan, {1: "vivo"}) == {1: Estado.VIVO}


def test_an_account_that_is_no_longer_in_use_is_an_outcome_of_its_own() -> None:
    plan = plan_confirmations(KNOWN, NOTHING, {3, 4, 5}, read_accounts={101}, budget=10)
    details = records((1, 101, 100), (2, 101, -900))
    answers = {1: "vivo", 2: "vivo"}
    assert set(outcome(plan, answers, details, inactive_accounts={101}).values()) == {Estado.INATIVADO}


def test_an_account_that_was_not_read_never_makes_a_deletion_without_an_answer() -> None:
    plan = plan_confirmations(KNOWN, NOTHING, (), read_accounts=(), budget=0)
    states = outcome(plan, {})
    assert states == {
        1: Estado.CONTA_NAO_LIDA,
        2: Estado.CONTA_NAO_LIDA,
        3: Estado.CONTA_NAO_LIDA,
        4: Estado.DESAPARECIDO,
        5: Estado.CONTA_NAO_LIDA,
    }


def test_two_absences_in_a_row_are_a_deletion_unless_it_answers() -> None:
    pending = records((8, 101, 700), (9, 101, -1))
    plan = plan_confirmations(NOTHING, pending, (), read_accounts={101}, budget=1)
    assert plan.to_ask == (8,)
    found = classify_absences(plan, {8: "vivo"}, NOTHING, pending, records((8, 101, 700)))
    assert found["estado"].tolist() == [Estado.VIVO, Estado.EXCLUIDO]
    assert found["motivo"].tolist() == [
        "a leitura direta o devolveu",
        "ausente em duas execuções completas seguidas",
    ]
    assert found["valor_centavos"].tolist() == [700, -1]


def test_an_absent_record_that_is_listed_again_reappears() -> None:
    pending = records((9, 101, -1))
    plan = plan_confirmations(NOTHING, pending, {9}, read_accounts={101}, budget=5)
    assert plan.to_ask == ()
    found = classify_absences(plan, {}, NOTHING, pending, NOTHING)
    assert found[["registro_id", "estado"]].to_numpy().tolist() == [[9, Estado.REAPARECEU]]
    assert find_removed(found) == ()


def test_charges_have_no_account_listings() -> None:
    plan = plan_confirmations(KNOWN, NOTHING, {1, 2, 3, 4}, read_accounts=None, budget=0)
    assert plan.absent_now == (5,)


@given(
    known=st.sets(st.integers(1, 30)),
    pending=st.sets(st.integers(31, 40)),
    listed=st.sets(st.integers(1, 60)),
    alive=st.sets(st.integers(1, 60)),
    budget=st.integers(0, 30),
    accounts=st.sets(st.sampled_from([101, 102])),
)
def test_a_living_record_that_was_asked_for_is_never_deleted(
    known: set[int], pending: set[int], listed: set[int], alive: set[int], budget: int, accounts: set[int]
) -> None:
    known_records = records(*((number, 101 + number % 2, number * 7) for number in sorted(known)))
    pending_records = records(*((number, 101, number) for number in sorted(pending)))
    plan = plan_confirmations(known_records, pending_records, listed, read_accounts=accounts, budget=budget)
    assert len(plan.to_ask) <= budget
    answers = {number: "vivo" if number in alive else "ausente" for number in plan.to_ask}
    found = classify_absences(plan, answers, known_records, pending_records, NOTHING)
    states = dict(zip(found["registro_id"], found["estado"], strict=True))
    assert set(states) == (known - listed) | pending
    for number, estado in states.items():
        if number in listed:
            assert estado == Estado.REAPARECEU
        elif number in answers:
            assert (estado == Estado.EXCLUIDO) == (number not in alive)
        elif estado == Estado.EXCLUIDO:
            assert number in pending
    assert not set(find_removed(found)) & (listed | (set(answers) & alive))


def _many(count: int, centavos: int = 100) -> pd.DataFrame:
    return records(*((number, 101, centavos) for number in range(1, count + 1)))


def check_limit(
    known: pd.DataFrame,
    removed: Iterable[int],
    limit: Decimal,
    *,
    name: str = "lancamentos",
    accepted: Iterable[int] = (),
) -> None:
    check_deletions({name: (known, list(removed))}, limit, execucao_id=7, accepted={name: frozenset(accepted)})


@pytest.mark.parametrize(
    ("known", "removed", "held"),
    [(15, 14, True), (15, 8, True), (15, 7, False), (5, 3, True), (4, 4, False), (38, 19, False), (19, 19, True)],
)
def test_fewer_than_twenty_rows_hold_a_run_where_they_are_more_than_half_of_five(
    known: int, removed: int, held: bool
) -> None:
    if not held:
        check_limit(_many(known), range(1, removed + 1), Decimal(5))
        return
    with pytest.raises(DeletionsHeld, match=rf"excluiria {removed} de {known} linhas .* --aceitar-exclusoes 7"):
        check_limit(_many(known), range(1, removed + 1), Decimal(5))
    check_limit(_many(known), range(1, removed + 1), Decimal(5), accepted=range(1, removed + 1))
    check_limit(_many(known), range(1, removed + 1), Decimal(100))


def test_twenty_rows_within_both_limits_pass() -> None:
    check_limit(_many(400), range(1, 21), Decimal(5))


def test_one_row_above_the_limit_holds_and_the_message_says_what_and_what_to_do() -> None:
    with pytest.raises(DeletionsHeld) as held:
        check_limit(_many(400, -100), range(1, 22), Decimal(5))
    text = str(held.value)
    assert "lancamentos: esta execução excluiria 21 de 400 linhas (5.25 %)" in text
    assert "R$ 21,00 de R$ 400,00" in text
    assert "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 (+11)" in text
    assert "--aceitar-exclusoes 7" in text
    assert held.value.held == {"lancamentos": frozenset(range(1, 22))}


def test_what_a_person_accepted_passes_and_more_is_held_again() -> None:
    check_limit(_many(400, -100), range(1, 22), Decimal(5), accepted=range(1, 22))
    check_limit(_many(400, -100), range(1, 21), Decimal(0), accepted=range(1, 22))
    with pytest.raises(DeletionsHeld):
        check_limit(_many(400, -100), range(1, 23), Decimal(5), accepted=range(1, 22))


def test_few_rows_of_much_value_hold() -> None:
    frame = _many(1000)
    frame.loc[frame["registro_id"] <= 20, "valor_centavos"] = -1_000_000
    with pytest.raises(DeletionsHeld, match=r"20 de 1000 linhas \(2.00 %\)"):
        check_limit(frame, range(1, 21), Decimal(5))


def test_rows_without_value_count_by_number() -> None:
    with pytest.raises(DeletionsHeld, match="30 de 100 linhas"):
        check_limit(_many(100, 0), range(1, 31), Decimal(5), name="cobrancas")


@pytest.mark.parametrize(("left", "held"), [(380, False), (379, True)])
def test_a_list_that_comes_whole_is_held_as_entries_are(left: int, held: bool) -> None:
    losses = find_list_losses({"clientes": range(1, 401)}, {"clientes": range(1, left + 1)})
    if not held:
        check_deletions(losses, Decimal(5), execucao_id=7, accepted={})
        return
    with pytest.raises(DeletionsHeld) as caught:
        check_deletions(losses, Decimal(5), execucao_id=7, accepted={})
    assert "clientes: esta execução excluiria 21 de 400 linhas (5.25 %); o limite é 5 %" in str(caught.value)
    check_deletions(losses, Decimal(5), execucao_id=8, accepted=caught.value.held)


def test_the_accounts_hold_a_run_where_an_answer_names_none_of_them_any_more() -> None:
    check_deletions(
        find_list_losses({"categorias": [1, 2]}, {"categorias": []}), Decimal(5), execucao_id=7, accepted={}
    )
    check_deletions(find_list_losses({"contas": [1, 2]}, {"contas": [2]}), Decimal(5), execucao_id=7, accepted={})
    check_deletions(find_list_losses({"contas": [1, 2]}, {}), Decimal(5), execucao_id=7, accepted={})  # not answered
    losses = find_list_losses({"contas": [1, 2]}, {"contas": []})
    with pytest.raises(DeletionsHeld, match="contas: esta execução excluiria 2 de 2 linhas"):
        check_deletions(losses, Decimal(5), execucao_id=7, accepted={})
    check_deletions(losses, Decimal(5), execucao_id=8, accepted={"contas": {1, 2}})


def test_rows_that_were_never_known_do_not_count() -> None:
    check_limit(_many(400), range(1000, 1100), Decimal(0))
