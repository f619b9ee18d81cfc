"""Which file speaks for which day, what its lines are called, and what two files say differently (S20)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import permutations

import pytest

from lastro.bank.anchors import derive_eve, judge_openings, list_balances
from lastro.bank.days import unite
from lastro.bank.held_lines import tell_vanished
from lastro.bank.statements import BankAccount, BankBalance, Block, ReadStatement
from tests.bank import nov, november_file

YEAR_END = date(2026, 12, 31)
Told = tuple[int, int, str, str]
PIX, RENT, OWNER, SHOP = (
    (3, 400_000, "PIX A", "N1000001"),
    (5, -150_000, "ALUGUEL", "N1000002"),
    (12, -620_000, "TRANSF SOCIO", "N1000003"),
    (18, -80_000, "FORN", "N1000004"),
)


def _unite(*files: ReadStatement) -> BankAccount:
    """Unite files: any order and any names give the same."""
    first, *others = (unite(some)[101] for some in permutations(files))
    assert all((each.linhas, each.divergencias) == (first.linhas, first.divergencias) for each in others)
    return first


def _show(account: BankAccount) -> list[tuple[int, int, str]]:
    return [(line.dia.day, line.valor, line.historico) for line in account.linhas]


def _tell(account: BankAccount) -> list[tuple[str, int, str, str, str]]:
    return [(each.tipo, each.valor, each.historico, each.arquivo, each.novo) for each in account.divergencias]


def _bare(lines: Sequence[Told], fitid: str = "") -> list[Told]:
    return [(day, valor, text, fitid and f"{fitid}{place}") for place, (day, valor, text, _) in enumerate(lines)]


def test_the_newest_file_that_covers_a_day_speaks_for_it() -> None:
    old = november_file("a", 10, (3, 400_000, "PIX", "F2026110391"), (9, -500, "X", "F2026110977"))
    new = november_file("b", 20, (4, 400_000, "PIX CLIENTE A", "F2026110391"), (15, -500, "X", "F2026110978"))
    account = _unite(old, new)
    assert _show(account) == [(4, 400_000, "PIX CLIENTE A"), (15, -500, "X")]
    first, gone = unite([old])[101].linhas
    assert account.linhas[0].antes == (first.extrato_id,)  # what somebody typed beside it still finds it
    assert account.linhas[0].conta_em == nov(3)  # the day on which it moved the balance
    assert account.retiradas == (gone,)
    assert _tell(account) == [("retirada", -500, "X", "a", "b")]


@pytest.mark.parametrize("fitids", [("", ""), ("0", "0"), ("20261103", "20261103"), ("A7310X", "B9942Y")])
def test_numbers_that_say_nothing_add_no_line(fitids: tuple[str, str]) -> None:
    """None, a zero, one for the whole day, or one made anew by every download."""
    told = [(3, 400, "PIX"), (5, -150, "ALUGUEL"), (5, -150, "ALUGUEL"), (9, 7, "NOVO")]
    old, new = ([(*line, fitid and f"{fitid}{line[0] if place else ''}") for place, line in enumerate(told)]
                for fitid in fitids)  # fmt: skip
    account = _unite(november_file("a", 9, *old), november_file("b", 20, *new, (18, 1, "DEPOIS", "")))
    assert [valor for _, valor, _ in _show(account)] == [400, -150, -150, 7, 1]
    assert {line.extrato_id for line in unite([november_file("a", 9, *old)])[101].linhas} < {
        line.extrato_id for line in account.linhas
    }


def test_a_number_that_is_the_place_within_the_day_doubles_nothing_when_the_day_goes_on() -> None:
    """The newest transaction of a day is number 1: in the evening the morning's payment is number 3."""
    morning = november_file("a", 18, (18, -80_000, "FORN", "202611180771"), servidor="20261118100000")
    evening = november_file(
        "b", 18, (18, -250, "TARIFA", "202611180771"), (18, -250, "TARIFA", "202611180772"),
        (18, -80_000, "FORN", "202611180773"), servidor="20261118200000",
    )  # fmt: skip
    assert [valor for _, valor, _ in _show(_unite(morning, evening))] == [-80_000, -250, -250]


def test_a_file_of_only_new_lines_adds_them_where_the_balances_say_so() -> None:
    told = ("PIX", "")
    old = november_file("a", 9, (3, 1000, *told), (9, 500, *told), saldo=11_500)
    new = november_file("b", 20, (9, 500, *told), (15, -7, *told), first=9, saldo=11_993)
    account = _unite(old, new)
    assert [valor for _, valor, _ in _show(account)] == [1000, 500, 500, -7]
    assert account.adiantados == {("a", 1)}  # its 9th had not ended
    assert list_balances(account) == [BankBalance(nov(9), 11_500, parcial=True), BankBalance(nov(20), 11_993)]
    again = november_file("b", 20, (9, 500, *told), (15, -7, *told), first=9, saldo=11_493)  # 11.000 on the 8th
    assert [valor for _, valor, _ in _show(_unite(old, again))] == [1000, 500, -7]


def test_files_of_only_new_lines_without_balances_add_them_while_no_number_comes_again() -> None:
    def write(name: str, first: int, last: int, *days: int) -> ReadStatement:
        return november_file(
            name, last, *((day, -day, "PIX", f"N70000{day}") for day in days), first=first, saldo=None, fim=nov(last)
        )

    files = [write("a", 1, 8, 3, 5, 8), write("b", 1, 15, 9, 15), write("c", 1, 22, 16, 22)]
    account = _unite(*files)
    assert [-valor for _, valor, _ in _show(account)] == [3, 5, 8, 9, 15, 16, 22]
    assert account.divergencias == ()
    whole = write("d", 1, 28, 3, 5, 8, 9, 15, 22, 28)  # one that has them again has them all
    assert [-valor for _, valor, _ in _show(_unite(*files, whole))] == [3, 5, 8, 9, 15, 22, 28]


def test_where_nothing_tells_whether_a_file_repeats_the_lines_of_both_stay_and_it_is_told() -> None:
    old = november_file("a", 10, *_bare([PIX, RENT, (9, -500, "X", "")]))
    new = november_file("b", 20, *_bare([PIX, (15, 7, "Y", "")]))
    account = _unite(old, new)
    assert [valor for _, valor, _ in _show(account)] == [400_000, -150_000, -500, 7]
    assert account.indecisos == (Block(nov(3), nov(9)),)
    assert [tipo for tipo, *_ in _tell(account)] == ["indecisa"] * 3
    settled = november_file("c", 22, *_bare([PIX, RENT, (9, -500, "X", ""), (15, 7, "Y", "")]))
    assert _unite(old, new, settled).divergencias == ()


def test_a_file_whose_transactions_were_refused_takes_no_line_back() -> None:
    old = november_file("a", 10, PIX, RENT)
    account = _unite(old, november_file("b", 20, PIX, SHOP, recusadas=1))
    assert [valor for _, valor, _ in _show(account)] == [400_000, -150_000, -80_000]
    assert account.retiradas == ()


def test_files_of_one_moment_have_the_lines_of_both() -> None:
    account = _unite(november_file("a", 20, PIX, SHOP), november_file("b", 20, PIX, RENT))
    assert [valor for _, valor, _ in _show(account)] == [400_000, -150_000, -80_000]


def test_a_line_that_was_future_may_go_without_a_word() -> None:
    old = november_file("a", 20, PIX, RENT, (18, -80_000, "AGENDADO", ""), servidor="20261110090000")
    new = november_file("b", 20, PIX, RENT, (18, -79_000, "PAGO", ""), servidor="20261119090000")
    account = _unite(old, new)
    assert (_show(account), account.divergencias) == (
        [(3, 400_000, "PIX A"), (5, -150_000, "ALUGUEL"), (18, -79_000, "PAGO")], (),
    )  # fmt: skip


def test_a_line_moved_over_the_seam_of_two_files_is_one_by_its_number() -> None:
    old = november_file("a", 13, PIX, (13, -500, "TARIFA", "N1000007"))
    new = november_file("b", 20, (16, -500, "TARIFA", "N1000007"), SHOP, first=14)
    assert _show(_unite(old, new)) == [(3, 400_000, "PIX A"), (16, -500, "TARIFA"), (18, -80_000, "FORN")]


def test_a_text_that_says_another_thing_is_told_and_one_that_says_more_is_not() -> None:
    old = november_file("a", 10, PIX, RENT)
    more = (5, -150_000, "ALUGUEL IMOVEL CENTRO", "N1000002")
    assert _unite(old, november_file("b", 20, PIX, more)).divergencias == ()
    other = (5, -150_000, "LOJA", "N1000002")
    account = _unite(old, november_file("b", 20, PIX, other))
    assert _tell(account) == [("texto mudado", -150_000, "ALUGUEL» agora «LOJA", "a", "b")]


def test_of_equal_lines_each_keeps_the_number_it_had_when_one_gets_another_text() -> None:
    pix = (3, 500, "PIX", "")
    old = november_file("a", 10, pix, pix)
    one, two = unite([old])[101].linhas
    account = _unite(old, november_file("b", 20, pix, (3, 500, "PIX CLIENTE A", "")))
    assert {line.historico: (line.extrato_id, line.antes) for line in account.linhas} == {
        "PIX": (one.extrato_id, ()), "PIX CLIENTE A": (account.linhas[1].extrato_id, (two.extrato_id,)),
    }  # fmt: skip
    twin = _unite(november_file("a", 10, pix), november_file("b", 20, (3, 500, "PIX CLIENTE A", ""), pix))
    assert {line.extrato_id for line in twin.linhas} >= {one.extrato_id}  # what was typed beside the first finds it


def _genuine(name: str, last: int, server: str = "") -> ReadStatement:
    lines = [line for line in (PIX, RENT, OWNER, SHOP) if line[0] <= last]
    return november_file(name, last, *lines, saldo=1_000_000 + sum(line[1] for line in lines), servidor=server)


def _forged(*lines: Told, saldo: int | None) -> ReadStatement:
    return november_file("z", 30, *lines, saldo=saldo)


A, B = _genuine("a", 10), _genuine("b", 20)
TRUE = 1_000_000 + 400_000 - 150_000 - 620_000 - 80_000


@pytest.mark.parametrize("saldo", [TRUE + 620_000, TRUE, None])
def test_between_two_balances_that_the_lines_lead_through_nothing_goes(saldo: int | None) -> None:
    account = _unite(A, B, _forged(PIX, RENT, SHOP, saldo=saldo))
    assert [valor for _, valor, _ in _show(account)] == [400_000, -150_000, -620_000, -80_000]
    assert [(each.inicio, each.fim) for each in account.divergencias] == [(nov(11), nov(20))]
    assert _tell(account) == [("contestada", -620_000, "TRANSF SOCIO", "b", "z")]
    again = november_file("y", 30, PIX, RENT, SHOP, saldo=saldo, servidor="20261202090000")
    assert _show(_unite(A, B, _forged(PIX, RENT, SHOP, saldo=saldo), again)) == _show(account)  # nor by two of them


def test_a_line_added_to_days_that_two_files_prove_does_not_count_and_is_told() -> None:
    account = _unite(
        A, B, _forged(PIX, RENT, (8, 500_000, "PIX CLIENTE", "N1000009"), OWNER, SHOP, saldo=TRUE + 500_000)
    )
    assert sum(valor for _, valor, _ in _show(account)) == -450_000
    assert _tell(account) == [("contestada", 500_000, "PIX CLIENTE", "z", "z")]


@pytest.mark.parametrize(
    ("old", "saldo"), [(B, TRUE + 620_000), (B, TRUE), (november_file("b", 20, PIX, RENT, OWNER, SHOP), None)]
)
def test_under_one_balance_or_none_what_goes_is_told_by_name_and_opens_nothing(
    old: ReadStatement, saldo: int | None
) -> None:
    account = _unite(old, _forged(PIX, RENT, SHOP, saldo=saldo))
    assert _tell(account) == [("retirada", -620_000, "TRANSF SOCIO", "b", "z")]
    assert derive_eve(account, YEAR_END) is None


def test_a_genuine_newer_file_has_the_last_word() -> None:
    forged = november_file("z", 30, PIX, RENT, SHOP, saldo=TRUE + 620_000, servidor="20261201090000")
    account = _unite(_genuine("b", 20, "20261121090000"), forged, _genuine("c", 30, "20261202090000"))
    assert (len(account.linhas), account.retiradas, account.divergencias) == (4, (), ())
    opening = derive_eve(account, YEAR_END)
    assert opening is not None
    assert (opening.dia, opening.valor, opening.provada) == (date(2026, 10, 31), 1_000_000, True)


def test_a_file_of_one_empty_day_takes_nothing_back() -> None:
    account = _unite(A, B, november_file("z", 12, first=12, servidor="20261201090000"))
    assert len(account.linhas) == 4
    assert _tell(account) == [("indecisa", -620_000, "TRANSF SOCIO", "b", "z")]


def test_a_moment_that_nobody_can_have_known_makes_no_file_the_newest() -> None:
    forged = november_file("z", 20, PIX, RENT, SHOP, servidor="20990101000000")
    account = _unite(_genuine("b", 20, "20261121090000"), forged, _genuine("c", 30, "20261202090000"))
    assert (len(account.linhas), account.retiradas) == (4, ())


def test_openings_that_contradict_each_other_open_nothing_until_a_third_file_agrees() -> None:
    """Two months downloaded today bear today's balance, each under its own last day."""
    october = november_file(
        "out", 1, saldo=TRUE, inicio=date(2026, 10, 1), fim=date(2026, 10, 31), saldo_em=date(2026, 10, 31)
    )
    october = ReadStatement(**{**vars(october), "linhas": ()})
    november = _genuine("nov", 20)
    account = _unite(october, november)
    assert derive_eve(account, YEAR_END) is None
    _, why = judge_openings(account)
    assert {*why.values()} == {"outro arquivo diz outro saldo, pelas linhas entre os dois"}
    third = _unite(october, november, _genuine("c", 30, "20261202090000"))
    opening = derive_eve(third, YEAR_END)
    assert opening is not None
    assert (opening.dia, opening.valor, opening.provada) == (date(2026, 10, 31), 1_000_000, True)


def test_a_line_of_a_content_that_was_removed_is_told_where_a_file_still_covers_its_day() -> None:
    """The clerk saves the file again without a line: the content that was read is still known."""
    now = _unite(november_file("nov.ofx", 20, PIX, RENT, SHOP, saldo=TRUE + 620_000))
    before = november_file(
        "nov.ofx", 30, OWNER, (25, -1, "FORA", ""), RENT, (2, -80_000, "FORN", "N1000004"), vista_em=nov(28)
    )
    account = tell_vanished(now, [(before, nov(29))] * 2)
    assert _tell(account) == [
        ("retirada", -80_000, "FORN", "nov.ofx de 28/11/2026", "nov.ofx"),
        ("retirada", -620_000, "TRANSF SOCIO", "nov.ofx de 28/11/2026", "nov.ofx"),
    ]  # not the 25th, which no file covers; that of the 2nd is too far from the 18th to be that one
    assert {each.desde for each in account.divergencias} == {date(2026, 12, 20)}
    assert account.linhas == now.linhas
    assert tell_vanished(_unite(_genuine("nov.ofx", 20)), [(before, nov(29))]).divergencias[1:] == ()
