"""Matching of one account by hand and by brute force, and what came back to where it came from (S20)."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastro.bank.evidence import are_centavos
from lastro.bank.identity import make_extrato_id
from lastro.bank.matching import DEVOLVIDA, IGNORADA, LOTE, MANUAL, UM_A_UM, BookItem, ChargeItem, pair_days
from lastro.bank.returns import DAYS_APART
from lastro.bank.statements import BankLine
from lastro.folding import slug
from tests.bank import match_account

FIRST = date(2026, 3, 1)
DAYS = st.lists(st.integers(0, 25), max_size=6).map(sorted)


def _line(day: int, valor: int, n: int = 1, texto: str = "") -> BankLine:
    dia, folded = FIRST + timedelta(day), slug(texto, " ")
    return BankLine(make_extrato_id(101, dia, valor, folded, n), 101, dia, valor, texto, "", "a.ofx", n, folded, n, dia)


def _item(titulo_id: int, day: int, valor: int, pessoa_id: int | None = None) -> BookItem:
    return BookItem(titulo_id, FIRST + timedelta(day), valor, pessoa_id)


def _try_all(bank: list[int], books: list[int]) -> tuple[int, int]:
    """Try every set of pairs, crossing ones too: the most pairs, and the fewest days of as many."""
    links = [(a, b) for a in range(len(bank)) for b in range(len(books)) if abs(bank[a] - books[b]) <= DAYS_APART]
    for count in range(min(len(bank), len(books)), 0, -1):
        costs = [
            sum(abs(bank[a] - books[b]) for a, b in some)
            for some in combinations(links, count)
            if len({a for a, _ in some}) == len({b for _, b in some}) == count
        ]
        if costs:
            return count, min(costs)
    return 0, 0


@settings(max_examples=150)
@given(DAYS.filter(lambda days: len(days) <= 4), DAYS.filter(lambda days: len(days) <= 4))
def test_of_one_value_as_many_pairs_as_can_be_and_of_these_the_nearest(bank: list[int], books: list[int]) -> None:
    pairs = pair_days(bank, books)
    assert (len(pairs), sum(abs(bank[a] - books[b]) for a, b in pairs)) == _try_all(bank, books)
    assert pairs == sorted(pairs)


@pytest.mark.parametrize(
    ("bank", "books", "pairs"),
    [
        ([5, 9], [1, 6], [(5, 1), (9, 6)]),  # case A of S20: the nearest first would lose a pair
        ([2, 3, 20], [1, 3, 5], [(2, 1), (3, 3)]),  # case B
        ([10], [5], [(10, 5)]),
        ([10], [4], []),
        ([3, 3], [3], [(3, 3)]),
    ],
)
def test_pairs_of_the_manual(bank: list[int], books: list[int], pairs: list[tuple[int, int]]) -> None:
    assert [(bank[a], books[b]) for a, b in pair_days(bank, books)] == pairs


def test_a_large_piece_is_swept_and_loses_no_pair() -> None:
    days = list(range(600))
    assert pair_days(days, [day + 1 for day in days]) == [(day, day) for day in days]


def test_ten_thousand_lines_and_titulos_of_few_values_find_each_other() -> None:
    lines = [_line(n % 360, 10_000 * (1 + n % 20), n) for n in range(10_000)]
    items = [_item(n, (n + 2) % 360, 10_000 * (1 + n % 20), n % 500) for n in range(10_000)]
    found = match_account(lines, items)
    assert len(found.pares) >= 9_900


def test_every_step_takes_what_is_still_free() -> None:
    lines = [_line(1, -700), _line(2, -500), _line(4, -300), _line(6, 9_000), _line(7, -250), _line(8, 1)]
    items = [
        _item(1, 1, -700),
        _item(2, 1, -200, 601),  # of one person and day: together -500
        _item(3, 1, -300, 601),
        _item(5, 2, 9_500, 501),  # a charge of 9500 less 500
        _item(6, 7, -100, 602),  # paid on one day: together -250
        _item(7, 7, -150, 603),
    ]
    found = match_account(lines, items, charges=[ChargeItem(91, FIRST + timedelta(6), 9_000, (5,))])
    told = {
        (pair.linha.valor, pair.passo, tuple(one.titulo_id for one in pair.titulos)): pair.diferenca
        for pair in found.pares
    }
    assert told == {
        (-700, UM_A_UM, (1,)): 0,
        (-300, UM_A_UM, (3,)): 0,
        (9_000, LOTE, (5,)): -500,
        (-250, LOTE, (6, 7)): 0,
    }
    assert [one.valor for one in found.linhas] == [-500, 1]  # of its group one título is taken
    assert [one.titulo_id for one in found.titulos] == [2]


def test_what_is_free_of_a_person_day_and_sign_is_one_line() -> None:
    """C07: three card lots of a day came as one credit, though an advance of the same acquirer left that day too."""
    items = [_item(n, 2, valor, 700) for n, valor in enumerate((10_275_74, 9_039_60, 8_007_46, -5_000_00, -800_00), 1)]
    lines = [_line(2, 27_322_80), _line(2, -5_000_00), _line(3, -800_00)]
    found = match_account(lines, items)
    assert {one.linha.valor: [item.titulo_id for item in one.titulos] for one in found.pares} == {
        27_322_80: [1, 2, 3], -5_000_00: [4], -800_00: [5],
    }  # fmt: skip
    (net,) = match_account([_line(2, 21_522_80)], items).pares  # or the acquirer keeps the advance back
    assert [item.titulo_id for item in net.titulos] == [1, 2, 3, 4, 5]
    others = match_account([_line(2, 9_039_60), _line(2, 18_283_20)], items)
    assert [[item.titulo_id for item in one.titulos] for one in others.pares] == [[2], [1, 3]]


NET, GROSS = 10_895_02, 10_897_92


@pytest.mark.parametrize(
    ("came", "back", "day", "text", "kept"),
    [
        (NET, GROSS, 9, "ESTORNO NFS 5423", -290),  # C09: credited net, taken back gross eight days later
        (GROSS, NET, 11, "DEV. COBRANCA", 290),
        (NET, NET, 11, "ESTORNO", 0),
        (NET, GROSS, 12, "ESTORNO NFS 5423", None),  # eleven days
        (NET, GROSS, 9, "TARIFA NFS 5423", None),
        (NET, GROSS + 1, 9, "ESTORNO NFS 5423", None),
    ],
)
def test_the_money_of_a_charge_comes_back_by_either_value(
    came: int, back: int, day: int, text: str, kept: int | None
) -> None:
    lines = [_line(1, came, texto="LIQUIDACAO COBRANCA"), _line(day, -back, texto=text)]
    charge = ChargeItem(91, FIRST + timedelta(2), NET, (5,), GROSS)
    found = match_account(lines, [], charges=[charge])
    told = [(pair.linha.valor, pair.passo, pair.diferenca) for pair in found.pares]
    assert told == ([] if kept is None else [(came, DEVOLVIDA, 0), (-back, DEVOLVIDA, kept)])
    booked = match_account(lines, [_item(5, 1, GROSS), _item(6, day, -back)], charges=[charge])
    assert not [pair for pair in booked.pares if pair.passo == DEVOLVIDA]  # the books have both sides


FEE = 100_00
BETA = [_line(5, FEE, texto="PIX RECEBIDO BETA"), _line(13, -FEE, texto="DEV PIX BETA")]
BOOKED = [_item(1, 5, FEE), _item(2, 13, -FEE)]


@pytest.mark.parametrize("others", [0, 2])
def test_what_the_books_have_both_sides_of_is_no_charge_that_came_back(others: int) -> None:
    """Alfa's charge is of the same monthly fee and its título 9 is open: Beta's money is none of it."""
    fees = [_line(4 - n, FEE, texto="LIQUIDACAO COBRANCA") for n in range(others)]  # of Alfa's, and of another's
    charges = [ChargeItem(91 + n, FIRST + timedelta(5 - n), FEE, (9 + n,), FEE) for n in range(others or 1)]
    found = match_account([*fees, *BETA], BOOKED, charges=charges)
    told = [(pair.linha.texto, pair.passo, [one.titulo_id for one in pair.titulos]) for pair in found.pares]
    assert told == [("pix recebido beta", UM_A_UM, [1]), ("dev pix beta", UM_A_UM, [2])]
    assert ([line.texto for line in found.linhas], found.titulos) == (["liquidacao cobranca"] * others, ())


@pytest.mark.parametrize("items", [BOOKED[:1], BOOKED[1:], []])
def test_a_charge_came_back_where_the_books_lack_a_side(items: list[BookItem]) -> None:
    found = match_account(BETA, items, charges=[ChargeItem(91, FIRST + timedelta(5), FEE, (9,), FEE)])
    assert [pair.passo for pair in found.pares] == [DEVOLVIDA, DEVOLVIDA]


@pytest.mark.parametrize(("conta_id", "count"), [(101, 2), (None, 2), (102, 0)])
def test_a_charge_of_another_account_came_back_to_none_of_this(conta_id: int | None, count: int) -> None:
    found = match_account(BETA, [], charges=[ChargeItem(91, FIRST + timedelta(5), FEE, (9,), FEE, conta_id)])
    assert (len(found.pares), len(found.linhas)) == (count, 2 - count)


def test_a_day_of_charges_is_one_line_by_its_net_or_by_its_titulos() -> None:
    items = [_item(1, 0, 1_000), _item(2, 0, 2_000)]
    charges = [ChargeItem(90 + n, FIRST + timedelta(2), 900 * n, (n,)) for n in (1, 2)]
    (net,) = match_account([_line(3, 2_700)], items, charges=charges).pares
    (gross,) = match_account([_line(3, 3_000)], items, charges=charges).pares
    assert (net.diferenca, gross.diferenca) == (-300, 0)


def test_a_person_pairs_first_and_ignores() -> None:
    lines = [_line(1, -700), _line(2, -700), _line(3, 55), _line(4, 77)]
    items = [_item(1, 1, -700), _item(2, 9, -650)]
    typed = {lines[0].extrato_id: items[1], lines[3].extrato_id: items[1], lines[2].extrato_id: None}
    found = match_account(lines, items, por_mao=typed, ignoradas={lines[2].extrato_id})
    assert [(one.linha.valor, one.passo, one.diferenca) for one in found.pares] == [
        (-700, MANUAL, -50),
        (-700, UM_A_UM, 0),
        (55, IGNORADA, 0),
    ]
    assert [line.valor for line in found.recusados] == [55, 77]
    assert [line.valor for line in found.linhas] == [77]


POOL = st.tuples(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([-300, -100, 100, 200, 300])), max_size=7),
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([-300, -100, 100, 200]), st.integers(1, 2)), max_size=7),
)


@settings(max_examples=150)
@given(POOL)
def test_every_line_and_titulo_stands_in_exactly_one_place(
    pool: tuple[list[tuple[int, int]], list[tuple[int, int, int]]],
) -> None:
    lines = [_line(day, valor, n) for n, (day, valor) in enumerate(pool[0])]
    items = [_item(n, *one) for n, one in enumerate(pool[1])]
    found = match_account(lines, items)
    assert found == match_account(lines[::-1], items[::-1])
    assert sorted(
        [*(one.linha.extrato_id for one in found.pares), *(one.extrato_id for one in found.linhas)]
    ) == sorted(line.extrato_id for line in lines)
    taken = [one.titulo_id for pair in found.pares for one in pair.titulos]
    assert sorted([*taken, *(one.titulo_id for one in found.titulos)]) == list(range(len(items)))
    for pair in found.pares:
        assert pair.diferenca == 0
        assert sum(one.valor for one in pair.titulos) == pair.linha.valor
        assert all(abs((one.dia - pair.linha.dia).days) <= DAYS_APART for one in pair.titulos)
    # None of one value and near is left on both sides.
    left = [(line, one) for line in found.linhas for one in found.titulos]
    assert not [1 for line, one in left if line.valor == one.valor and abs((line.dia - one.dia).days) <= DAYS_APART]


Given = tuple[int, int, str]
"""Day after the first of March, signed centavos, text."""


def _pair(lines: list[Given], items: tuple[tuple[int, int], ...] = ()) -> list[tuple[int, int]]:
    """Return the places of the pairs that came back, the line first; any order of the lines gives the same."""
    own = [_line(day, valor, n, texto) for n, (day, valor, texto) in enumerate(lines)]
    books = [_item(n, day, valor) for n, (day, valor) in enumerate(items)]
    found = match_account(own, books)
    assert found == match_account(own[::-1], books[::-1])
    back = [pair for pair in found.pares if pair.passo == DEVOLVIDA]
    firsts = [pair.linha for pair in back if pair.volta.startswith("devolvido em ")]
    returns = [pair.linha for pair in back if pair.volta.startswith("devolução de ")]
    assert (len(firsts) + len(returns), len(firsts)) == (len(back), len(returns))
    assert [line.valor for line in firsts] == [-line.valor for line in returns] or len(firsts) > 1
    return list(zip([line.n for line in firsts], [line.n for line in returns], strict=True))


PAID: Given = (5, 6_303_315, "PIX RECEBIDO REDE HORIZONTE LTDA")
CASES: dict[str, tuple[list[Given], list[tuple[int, int]]]] = {
    "estorno": ([PAID, (6, -6_303_315, "ESTORNO PIX RECEBIDO")], [(0, 1)]),
    "devolucao com acento": ([PAID, (6, -6_303_315, "Devolução de PIX")], [(0, 1)]),
    "dev.": ([PAID, (10, -6_303_315, "DEV. PIX 0611")], [(0, 1)]),
    "ted devolvida que fizemos": (
        [(5, -50_000, "TED ENVIADA FORNECEDOR SUL"), (7, 50_000, "TED DEVOLVIDA CONTA INEXISTENTE")], [(0, 1)],
    ),
    "o mesmo pagador sem palavra": ([PAID, (9, -6_303_315, "PIX ENVIADO - REDE HORIZONTE LTDA")], [(0, 1)]),
    "o mesmo documento": ([(5, 10_000, "TED 12345678000190"), (6, -10_000, "PIX 12345678000190")], [(0, 1)]),
    "no mesmo dia": ([(5, -10_000, "ESTORNO"), (5, 10_000, "TED RECEBIDA ALFA")], [(1, 0)]),
    "outro pagador sem palavra": ([PAID, (6, -6_303_315, "PIX ENVIADO DECORA COMERCIO")], []),
    "ninguem tem nome": ([(5, 10_000, "PIX RECEBIDO"), (6, -10_000, "PIX ENVIADO")], []),
    "seis dias": ([PAID, (11, -6_303_315, "ESTORNO PIX RECEBIDO")], []),
    "a devolucao vem antes": ([(5, -6_303_315, "ESTORNO PIX"), (6, 6_303_315, "PIX RECEBIDO REDE HORIZONTE LTDA")], []),
    "em duas partes": ([PAID, (6, -3_303_315, "ESTORNO PIX"), (6, -3_000_000, "ESTORNO PIX")], []),
    "um centavo a menos": ([PAID, (6, -6_303_314, "ESTORNO PIX RECEBIDO")], []),
    "dois pagamentos, uma devolucao: a do pagador": (
        [(4, 10_000, "PIX RECEBIDO ALFA SA"), (5, 10_000, "PIX RECEBIDO BETA SA"), (6, -10_000, "DEV PIX ALFA SA")],
        [(0, 2)],
    ),
    "dois pagamentos, uma devolucao: a mais perto": (
        [(3, 10_000, "TED ALFA"), (5, 10_000, "TED BETA"), (6, -10_000, "ESTORNO")], [(1, 2)],
    ),
    "devolvido e pago de novo": (
        [(3, 10_000, "TED ALFA"), (4, -10_000, "TED DEVOLVIDA"), (5, 10_000, "TED ALFA")], [(0, 1)],
    ),
    "o estorno estornado fica": (
        [(3, 10_000, "TED ALFA"), (4, -10_000, "ESTORNO"), (5, 10_000, "ESTORNO DE ESTORNO")], [(0, 1)],
    ),
    "aplicacao do saldo": ([(3, -10_000, "BB RENDE FACIL"), (4, 10_000, "BB RENDE FACIL")], []),
    "outro da mesma forma": ([(3, 10_000, "PIX RECEBIDO TITA LTDA"), (4, -10_000, "PIX ENVIADO BETA LTDA")], []),
    "um nome que parece": ([(3, 10_000, "TED ALFA SA"), (4, -10_000, "PIX ENVIADO DEV SOFTWARE LTDA")], []),
    "logistica reversa": ([(3, 10_000, "TED ALFA SA"), (4, -10_000, "BOLETO LOGISTICA REVERSA")], []),
    "ted rejeitada": ([(3, -10_000, "TED ENVIADA ALFA SA"), (4, 10_000, "TED REJEITADA")], [(0, 1)]),
    "pix dev": ([(3, 10_000, "PIX RECEBIDO ALFA SA"), (4, -10_000, "PIX DEV.")], [(0, 1)]),
    "devedor nao e devolucao": ([(3, 10_000, "TED ALFA"), (4, -10_000, "JUROS SALDO DEVEDOR")], []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_came_back_is_a_pair(name: str) -> None:
    lines, pairs = CASES[name]
    assert _pair(lines) == pairs


def test_what_the_books_have_both_sides_of_is_matched_with_them() -> None:
    lines = [PAID, (6, -6_303_315, "DEVOLUCAO PIX REDE HORIZONTE LTDA")]
    assert _pair(lines, ((5, 6_303_315), (6, -6_303_315))) == []
    assert _pair(lines, ((5, 6_303_315),)) == [(0, 1)]  # settled, though the money went back: the baixa stands alone


def test_a_payer_alone_undoes_nothing_that_the_books_have() -> None:
    lines = [PAID, (6, -6_303_315, "PIX ENVIADO REDE HORIZONTE LTDA")]
    assert _pair(lines, ((5, 6_303_315),)) == []


def test_what_a_person_typed_is_no_pair() -> None:
    own = [_line(5, 6_303_315, 0, PAID[2]), _line(6, -6_303_315, 1, "ESTORNO PIX")]
    item = _item(7, 5, 6_303_315)
    found = match_account(own, [item], por_mao={own[0].extrato_id: item})
    assert [(pair.linha.n, pair.passo) for pair in found.pares] == [(0, "manual")]
    assert [line.n for line in found.linhas] == [1]


@pytest.mark.parametrize(
    ("paid", "told"),
    [
        ([(-359_000, 5), (700, 14), (90, 9)], False),  # two of three within 5 days, as whole reais
        ([(-3590, 9), (7, 9), (-359_000, 9), (700, 9)], None),  # as much the one as the other
        ([(-3590, 9), (-3590, 9)], None),  # one line of three
        ([], None),
    ],
)
def test_amounts_without_a_decimal_mark_are_what_most_lines_meet(
    paid: list[tuple[int, int]], told: bool | None
) -> None:
    assert are_centavos([(-359_000, 9), (700, 9), (100, 9)], paid) is told
