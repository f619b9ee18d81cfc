"""`saldos.csv` as people save it (S18, S23.2)."""

from __future__ import annotations

import itertools
from datetime import date
from decimal import Decimal

import pytest

from lastro.entrada.door import NotRead
from lastro.entrada.saldos import TypedBalance, UnknownAccount, find_account, read_balances

CONTAS = {101: "Banco Alfa", 102: "Poupança", 103: "Caixa", 104: "caixa"}
FEVEREIRO = TypedBalance(101, date(2026, 2, 28), Decimal("7900.00"))


@pytest.mark.parametrize(
    "content",
    [
        b"data;conta;saldo;nota\n2026-02-28;101;7900.00;extrato\n",
        "\ufeffData;Conta;Saldo;Nota\r\n28/02/2026;banco alfa;R$ 7.900,00;\r\n".encode(),
        b"Data\tConta\tSaldo\n28/02/26\tBanco  Alfa\t7900,00 C\n",
        b'nota,saldo,conta,data\n"s\xe3o, de fevereiro","7,900.00",101,2026-02-28\n\n,,,\n',
    ],
    ids=["as written", "Excel in Brazil", "tabs", "commas, cp1252"],
)
def test_spellings_of_one_fact(content: bytes) -> None:
    read = read_balances(content, CONTAS)
    assert (read.saldos, read.recusadas, read.linhas) == ((FEVEREIRO,), (), 1)


def test_the_order_of_lines_says_nothing_but_of_one_account_and_day() -> None:
    lines = ["2026-02-28;101;7900", "2026-03-16;102;2200", "2026-01-31;101;1", "2026-02-28;102;x"]
    said = {
        (read.saldos, tuple(sorted(each.texto for each in read.recusadas)))
        for order in itertools.permutations(lines)
        for read in [read_balances("\n".join(["data;conta;saldo", *order]).encode(), CONTAS)]
    }
    assert len(said) == 1


def test_a_later_line_replaces_an_earlier_one_and_an_empty_balance_takes_it_back() -> None:
    content = (
        "data;conta;saldo\n2026-02-28;101;1,00\n28/02/2026;Banco Alfa;7900,00\n"
        "2026-03-16;102;200,00\n16/03/2026;poupanca;\n"
    )
    read = read_balances(content.encode(), CONTAS)
    assert (read.saldos, read.recusadas, read.linhas) == ((FEVEREIRO,), (), 4)


def test_a_line_that_is_not_understood_is_told_with_its_place_and_the_rest_is_read() -> None:
    content = (
        'data;conta;saldo;nota\n31/02/2026;101;1,00;\n2026-02-28;105;1,00;\n2026-02-28;Caixa;1,00;"duas\nlinhas"\n'
        "2026-02-28;101;1.500;\n2026-02-28;101;7900,00;\n"
    )
    read = read_balances(content.encode(), CONTAS)
    refused = read.recusadas
    assert (read.saldos, read.linhas) == ((FEVEREIRO,), 5)
    assert [(each.linha, each.motivo.split(";")[0].split(":")[0]) for each in refused] == [
        (2, "não entendi a data"),
        (3, "conta '105' não existe"),
        (4, "há 2 contas com o nome 'Caixa'"),
        (6, "não entendi o valor"),
    ]
    assert "ambíguo" in refused[3].motivo
    assert refused[3].texto == "2026-02-28;101;1.500;"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "falta a coluna data, conta, saldo"),
        (b"dia;conta;saldo\n", "falta a coluna data"),
        (b'data;conta;saldo\n"2026-02-28;101;1,00\n', "linha 2"),
    ],
)
def test_a_file_that_is_no_list_of_balances_is_not_read(content: bytes, told: str) -> None:
    with pytest.raises(NotRead, match=told):
        read_balances(content, CONTAS)


def test_an_account_is_known_by_its_id_before_its_name() -> None:
    assert find_account("101", {101: "102", 102: "101"}) == 101
    with pytest.raises(UnknownAccount, match="as contas são: nenhuma"):
        find_account("101", {})
