"""`saldos.csv` as people save it (S18, S23.2)."""

from __future__ import annotations

import contextlib
import itertools
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from lastro.entrada.door import NotRead
from lastro.entrada.saldos import (
    Accounts,
    AccountStart,
    TypedBalance,
    UnknownAccount,
    append_balances,
    read_balances,
)

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
        "data;conta;saldo;nota\n2026-02-28;101;1,00\n28/02/2026;Banco Alfa;7900,00;Substitui 1,00\n"
        "2026-03-16;102;200,00\n16/03/2026;poupanca;\n"
    )
    read = read_balances(content.encode(), CONTAS)
    assert (read.saldos, read.recusadas, read.linhas) == ((FEVEREIRO,), (), 4)
    silent = read_balances(content.replace(";Substitui 1,00", "").encode(), CONTAS)
    assert silent.saldos == read.saldos
    assert [(part.linha, part.motivo) for part in silent.recusadas] == [
        (2, "a linha 3 diz outro saldo do mesmo dia, e vale; se o corrige, escreva na nota dela «substitui 1,00»")
    ]


def test_a_balance_of_long_before_the_first_movement_waits_until_it_is_confirmed() -> None:
    starts = {101: AccountStart(date(2023, 9, 10), date(2020, 1, 1))}
    content = (
        "data;conta;saldo;nota\n2018-05-05;101;1,00;{}\n2023-08-10;101;2,00;\n2020-01-01;101;3,00;\n"
        "2018-05-05;102;4,00;\n"
    )
    read = read_balances(content.format("").encode(), CONTAS, inicios=starts)
    assert [each.valor for each in read.saldos] == [Decimal(3), Decimal(2), Decimal(4)]  # 31 days, the anchor, no books
    (part,) = read.recusadas
    assert (part.linha, part.motivo) == (
        2, ("não entendi o dia: 05/05/2018 é mais de 31 dias antes do primeiro lançamento da conta, 09/2023; "
        "se é mesmo, escreva confirmado na nota"),
    )  # fmt: skip
    assert len(read_balances(content.format("é mesmo: CONFIRMADO").encode(), CONTAS, inicios=starts).saldos) == 4


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


HOJE = date(2026, 11, 26)
OUTSIDE = ("31/10/0206", "31/10/1926", "2062-10-31", "31/10/62", "27/11/2026", "26/11/2027")


def test_a_balance_of_a_day_that_no_bank_has_told_of_is_refused_and_the_rest_stays() -> None:
    lines = [f"{day};101;1,00" for day in OUTSIDE]
    read = read_balances("\n".join(["data;conta;saldo", *lines, "28/02/2026;101;7900"]).encode(), CONTAS, HOJE)
    assert read.saldos == (FEVEREIRO,)
    assert [(each.linha, each.texto) for each in read.recusadas] == [*enumerate(lines, 2)]
    assert all("está fora do que vale aqui, de 01/01/1990 a 26/11/2026" in each.motivo for each in read.recusadas)


@pytest.mark.parametrize(
    ("content", "slashed"),
    [
        ("09/12/2026;101;1,00\n10/31/2026;101;1,00\n2026-02-28;101;7900,00", 2),
        ("2/1/26;101;1,00\n2026-02-28;101;7900,00\n2/28/26;102;1,00", 2),
        ("09/10/2026,101,1.00\n2026-02-28,101,7900.00\n05/11/2026,101,1.00", 2),
        ('31/10/2026,101,1.00\n2026-02-28,101,"7,900.00"', 1),
        ('28/02/2026,101,"7.900,00"', 0),
        ("28/02/2026;101;7900.00", 0),
    ],
)
def test_a_file_that_may_put_the_month_first_has_no_slashed_day_that_counts(content: str, slashed: int) -> None:
    header = "data;conta;saldo" if ";" in content else "data,conta,saldo"
    read = read_balances(f"{header}\n{content}\n".encode(), CONTAS, HOJE)
    assert read.saldos == (FEVEREIRO,)
    assert [each.motivo.rpartition("; ")[2] for each in read.recusadas] == ["use AAAA-MM-DD"] * slashed


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "falta a coluna data, conta, saldo"),
        (b"dia;conta;saldo\n", "falta a coluna data"),
        (b'data;conta;saldo\n"2026-02-28;101;1,00\n', "linha 2"),
        (b"data;conta;saldo;Saldo\n2026-02-28;101;1,00;2,00\n", "a coluna saldo está duas vezes"),
        (b"x" * 200_000 + b"\n2026-02-28;101;1,00\n", "linha 1: não é um cabeçalho"),
        (b'"data";"' + b"x" * 200_000 + b'"\n', "linha 1: não é um cabeçalho"),
        (b"data;conta;saldo;" * 100_000, "duas vezes"),
    ],
)
def test_a_file_that_is_no_list_of_balances_is_not_read(content: bytes, told: str) -> None:
    with pytest.raises(NotRead, match=told):
        read_balances(content, CONTAS)


def test_no_number_is_too_long_to_be_refused() -> None:
    content = f"data;conta;saldo\n2026-02-28;{'9' * 5_000};1,00\n2026-02-28;101;{'9' * 5_000},00\n"
    first, second = read_balances(content.encode(), CONTAS).recusadas
    assert first.motivo.startswith("conta '99999")
    assert len(first.motivo) < 200
    assert second.motivo == "não entendi o valor: escreva como 1500,00"


def test_of_many_refused_lines_a_thousand_are_kept_and_all_are_counted() -> None:
    good, long, bad = "2026-02-28;101;7900,00\n", "x;101;1,00" * 400, "x;101;1,00\n" * 2_499
    read = read_balances(f"data;conta;saldo\n{good}{long}\n{bad}".encode(), CONTAS)
    assert (read.saldos, read.linhas, read.rejeitadas, len(read.recusadas)) == ((FEVEREIRO,), 2_501, 2_500, 1_001)
    assert [part.linha for part in read.recusadas] == [*range(3, 1_003), 1_003]
    assert read.recusadas[-1].motivo == "mais 1500 linhas sem ler, desta em diante"
    assert len(read.recusadas[0].texto) == 1_000


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_a_note_that_the_file_cannot_hold_leaves_it_as_it_was(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "saldos.csv"
    file.write_bytes(before := "data;conta;saldo;nota\n2026-02-28;101;7900,00;março\n".encode(encoding))
    with contextlib.ExitStack() as stack:
        if encoding == "cp1252":
            stack.enter_context(pytest.raises(NotRead, match="está em cp1252, que não tem '→': escreva a nota sem ele"))
        append_balances(tmp_path, [FEVEREIRO], "março → abril")
    after = file.read_bytes()
    assert after == before if encoding == "cp1252" else after.startswith(before) and "→".encode() in after


def test_an_account_is_known_by_its_id_before_its_name() -> None:
    assert Accounts({101: "102", 102: "101"}).find("101") == 101
    with pytest.raises(UnknownAccount, match="as contas são: nenhuma"):
        Accounts({}).find("101")
