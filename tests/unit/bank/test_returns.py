"""What came back to where it came from: which lines are a pair, and which only look like one (S20)."""

from __future__ import annotations

from datetime import date

import pytest

from lastro.bank.identity import make_extrato_id
from lastro.bank.matching import DEVOLVIDA, BookItem, match_account
from lastro.bank.statements import BankLine
from lastro.folding import slug

Given = tuple[int, int, str]
"""Day of November, signed centavos, text."""


def _line(n: int, given: Given) -> BankLine:
    day, valor, text = given
    dia, folded = date(2026, 11, day), slug(text, " ")
    return BankLine(make_extrato_id(101, dia, valor, folded, n), 101, dia, valor, text, "", "a.ofx", n, folded, n, dia)


def _pair(lines: list[Given], items: tuple[tuple[int, int], ...] = ()) -> list[tuple[int, int]]:
    """Return the places of the pairs that came back, the line first; any order of the lines gives the same."""
    own = [_line(n, given) for n, given in enumerate(lines)]
    books = [BookItem(n, date(2026, 11, day), valor) for n, (day, valor) in enumerate(items)]
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
    own = [_line(n, given) for n, given in enumerate([PAID, (6, -6_303_315, "ESTORNO PIX")])]
    item = BookItem(7, date(2026, 11, 5), 6_303_315)
    found = match_account(own, [item], por_mao={own[0].extrato_id: item})
    assert [(pair.linha.n, pair.passo) for pair in found.pares] == [(0, "manual")]
    assert [line.n for line in found.linhas] == [1]
