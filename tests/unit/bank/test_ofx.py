"""The OFX reader: habits of banks, and files that nobody wrote on purpose (S20)."""

from __future__ import annotations

import csv
import random
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.bank import structure
from lastro.bank.ofx import OfxFile, OfxStatement, read_ofx
from lastro.bank.structure import KNOWN
from lastro.money import to_decimal
from tests.marks import examples, thinned

STORED = Path(__file__).parents[2] / "stored/ofx"
EXPECTED = list(csv.DictReader((STORED / "expected.csv").read_text(encoding="utf-8").splitlines(), delimiter=";"))


def _read(name: str) -> OfxFile:
    return read_ofx((STORED / name).read_bytes())


@pytest.mark.parametrize("expected", EXPECTED, ids=[row["file"] for row in EXPECTED])
def test_a_file_of_the_field_says_what_it_says(expected: dict[str, str]) -> None:
    found = _read(expected["file"])
    lines = [line for each in found.extratos for line in each.linhas]
    days = sorted(line.dia.isoformat() for line in lines)
    balances = [str(to_decimal(each.saldo)) for each in found.extratos if each.saldo is not None]
    assert {
        "file": expected["file"],
        "accepted": str(len(lines)),
        "rejected": str(len(found.recusadas)),
        "sum": str(to_decimal(sum(line.valor for line in lines))),
        "first_date": days[0] if days else "",
        "last_date": days[-1] if days else "",
        "ledger_balance": balances[0] if balances else "",
    } == expected


def _one(text: str) -> OfxStatement:
    (found,) = read_ofx(text.encode()).extratos
    return found


def test_the_two_statements_of_the_example() -> None:
    (first,), (second,) = _read("extrato_f1.ofx").extratos, _read("extrato_f2.ofx").extratos
    assert (first.inicio, first.fim) == (date(2026, 2, 1), date(2026, 2, 28))  # DTSTART and DTEND were swapped
    assert first.linhas[0].historico == "LIQUIDAÇÃO COBRANÇA"  # cp1252 without a header
    assert [(line.dia, line.valor) for line in second.linhas][:2] == [
        (date(2026, 2, 20), -20_000),
        (date(2026, 2, 27), -310_000),  # 22:00[-3:BRT] stays on its day
    ]
    assert [(one.linha, one.texto) for one in _read("extrato_f2.ofx").recusadas] == [
        (49, "20260316 · 1.500 · VALOR AMBÍGUO")
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("4000.00000 -1500.00000 -35.90000", "4000.00 -1500.00 -35.90"),
        (".90 -.5 +1.5", "0.90 -0.50 1.50"),
        ("4000.000 -1500.000 -35.900", "4000.00 -1500.00 -35.90"),
        ("4000,000 -1500,000 -,900", "4000.00 -1500.00 -0.90"),
    ],
)
def test_an_amount_with_more_or_fewer_digits_than_two_places_is_exact(written: str, read: str) -> None:
    lines = "".join(f"<STMTTRN><DTPOSTED>20260301<TRNAMT>{each}</STMTTRN>" for each in written.split())
    found = read_ofx(f"<OFX>{lines}<LEDGERBAL><BALAMT>11914.60<DTASOF>20260301</LEDGERBAL>".encode())
    assert [str(to_decimal(line.valor)) for each in found.extratos for line in each.linhas] == read.split()
    assert ([each.saldo for each in found.extratos], found.recusadas) == ([1_191_460], [])


def test_what_is_no_known_tag_is_text() -> None:
    line = _one(
        "<OFX><STMTTRN><DTPOSTED>20260301<TRNAMT>-1,00<NAME>P&G <10% DESC>  <b>\n<MEMO>A &lt;OFX&gt; "
        "&#39;x&#39; &bogus;"
    ).linhas[0]
    assert line.historico == "P&G <10% DESC> <b> A <OFX> 'x' &bogus;"


def test_the_first_value_of_a_transaction_wins_and_of_an_account_too() -> None:
    found = _one(
        "<STMTRS><BANKACCTFROM><BANKID>001<ACCTID>1-0</BANKACCTFROM><STMTTRN><DTPOSTED>2026-03-01<TRNAMT>5,00<TRNAMT>6,00"
        "<BANKACCTTO><BANKID>341<ACCTID>9</BANKACCTTO></STMTTRN><AVAILBAL><BALAMT>9,00<DTASOF>20260301</AVAILBAL>"
        "<LEDGERBAL><BALAMT>7,00<DTASOF>01/03/2026"
    )
    assert (found.banco, found.conta, found.saldo, found.saldo_em) == ("001", "1-0", 700, date(2026, 3, 1))
    assert [line.valor for line in found.linhas] == [500]


def test_accounts_of_one_file_stay_apart() -> None:
    account = "<BANKACCTFROM><BANKID>1<ACCTID>{}</BANKACCTFROM><STMTTRN><DTPOSTED>20260301<TRNAMT>{},00"
    card = "<CCSTMTRS><CCACCTFROM><ACCTID>77<STMTTRN><DTPOSTED>20260301<TRNAMT>3,00"
    found = read_ofx(f"<OFX>{account.format(11, 1)}{account.format(22, 2)}{card}".encode()).extratos
    assert [(each.conta, [line.valor for line in each.linhas]) for each in found] == [
        ("11", [100]),
        ("22", [200]),
        ("77", [300]),
    ]


@pytest.mark.parametrize("day", ["0", "00000000", "20261301", "99991231", "00010101", "março", ""])
def test_what_is_no_day_is_none(day: str) -> None:
    found = read_ofx(f"<STMTTRN><DTPOSTED>{day}<TRNAMT>5,00</STMTTRN>".encode())
    assert [(each.motivo, found.transacoes) for each in found.recusadas] == [("não entendi a data (DTPOSTED)", 1)]


def test_a_page_and_a_flood_are_refused_whole() -> None:
    assert "sessão expirada" in _read("nao_e_ofx.ofx").motivo
    assert "é um PDF. Baixe" in read_ofx(b"%PDF-1.4 extrato").motivo
    assert "transações demais" in read_ofx(b"<STMTTRN>" * 200_001).motivo
    account = b"<STMTRS><BANKACCTFROM><ACCTID>%d</BANKACCTFROM><STMTTRN><DTPOSTED>20260301<TRNAMT>1,00</STMTTRN>"
    flood = b"<OFX>" + b"".join(account % number for number in range(1, 1_002))
    assert "contas demais" in read_ofx(flood).motivo
    assert len(read_ofx(flood[: flood.rindex(b"<STMTRS>")]).extratos) == 1_000


def test_of_many_refused_transactions_a_thousand_are_kept_with_their_lines_and_all_are_counted() -> None:
    found = read_ofx(b"<OFX>\n" + b"<STMTTRN>\n<DTPOSTED>20260301<TRNAMT>1.500</STMTTRN>\n" * 1_500)
    assert (found.transacoes, found.rejeitadas, len(found.recusadas)) == (1_500, 1_500, 1_001)
    assert [part.linha for part in found.recusadas] == [*range(2, 2_002, 2), 2_002]
    assert found.recusadas[-1].motivo == "mais 500 linhas sem ler, desta em diante"


def test_what_is_absurdly_long_is_cut_or_refused_and_the_rest_is_read() -> None:
    line = "<STMTTRN><DTPOSTED>20260301<TRNAMT>{}<MEMO>{}</STMTTRN>"
    found = read_ofx(f"<OFX>{line.format('9' * 1_100_000, 'a')}{line.format('-2,00', 'b ' * 100_000)}".encode())
    assert [(part.linha, part.motivo) for part in found.recusadas] == [(1, "não entendi o valor: escreva como 1500,00")]
    (kept,) = found.extratos[0].linhas
    assert (kept.valor, len(kept.historico)) == (-200, 32_767)


def test_a_closing_tag_closes_once_however_often_it_stands() -> None:
    line = "<STMTTRN><DTPOSTED>20260301<TRNAMT>{},00<MEMO>{}</MEMO></memo>\n</STMTTRN>{}"
    found = _one("<OFX>" + line.format(1, "a", "</STMTTRN>\r\n" * 3) + line.format(2, "b", "</STMTTRN>"))
    assert [(each.valor, each.historico) for each in found.linhas] == [(100, "a"), (200, "b")]


def _mutate(content: bytes, lots: random.Random) -> bytes:
    for _ in range(lots.randint(1, 6)):
        place, length = lots.randrange(len(content) + 1), lots.choice((0, 1, 3, 20, 200))
        tag = f"<{lots.choice(('', '/'))}{lots.choice(sorted(KNOWN))}>".encode()
        new = lots.choice(
            (b"", bytes([lots.randrange(256)]), tag, tag.lower(), b"&#x41;", b"\x00", b"1.500", content[:99])
        )
        content = content[:place] + new + content[place + length :]
    return content


@pytest.mark.parametrize(("first", "count"), thinned([(0, 600), (600, 19_400)], [(0, 600)]))
def test_a_damaged_file_never_stops_the_reader_and_loses_no_transaction(first: int, count: int) -> None:
    originals = [path.read_bytes() for path in sorted(STORED.glob("*.ofx"))]
    for number in range(first, first + count):
        lots = random.Random(number)  # noqa: S311 - repeated, not secret
        content = _mutate(lots.choice(originals), lots)
        found = read_ofx(content)
        if not found.motivo:
            begun = len(re.findall(rb"(?im)^[ \t]*<STMTTRN>", content))  # one within a line may be somebody's text
            assert begun <= found.transacoes <= len(re.findall(rb"(?i)<STMTTRN>", content)), number


def _file(*members: str, after: str = "", ends: str = "\n") -> bytes:
    """Write a file of one account: a transaction of each member, then what stands behind the list."""
    moves = [ends.join(("<STMTTRN>", "<DTPOSTED>20261103", "<TRNAMT>10.00", each, "</STMTTRN>")) for each in members]
    balance = ends.join(("<LEDGERBAL>", "<BALAMT>11914.60", "<DTASOF>20261120", "</LEDGERBAL>"))
    account = "<OFX><STMTRS><BANKACCTFROM><BANKID>341<ACCTID>1</BANKACCTFROM><BANKTRANLIST>"
    return ends.join((account, *moves, "</BANKTRANLIST>", balance, after, "</STMTRS></OFX>")).encode()


ATTACKS = [
    "<MEMO>PIX <LEDGERBAL><BALAMT>77777.00<DTASOF>20261119",
    "<MEMO>PIX <STMTTRN><DTPOSTED>20261104<TRNAMT>999.00<MEMO>x",
    "<MEMO>PIX </STMTTRN><STMTTRN><DTPOSTED>20261104<TRNAMT>999.00<MEMO>x",
    "<MEMO>PIX </MEMO></STMTTRN><STMTTRN><DTPOSTED>20261104<TRNAMT>999.00<MEMO>x",
    "<MEMO><STMTTRN><DTPOSTED>20261104<TRNAMT>999.00",
    "<MEMO></BANKTRANLIST><LEDGERBAL><BALAMT>77777.00<DTASOF>20261119</LEDGERBAL> x",
    "<NAME>PIX <TRNAMT>999.00 <DTPOSTED>20200101\n<MEMO>x",
    "<MEMO>PIX <BANKACCTFROM><ACCTID>99</BANKACCTFROM> x",
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("more", [(), ("<MEMO>OUTRA",) * 3])
def test_what_a_payer_writes_is_text(attack: str, more: tuple[str, ...]) -> None:
    found = read_ofx(_file(attack, *more))
    (statement,) = found.extratos
    assert [line.valor for line in statement.linhas] == [1_000] * (1 + len(more))
    assert (statement.saldo, statement.conta, found.recusadas) == (1_191_460, "1", [])


def test_without_line_ends_a_balance_counts_only_behind_the_list() -> None:
    (statement,) = read_ofx(_file(ATTACKS[0], "<MEMO>y", ends="")).extratos
    assert [line.historico for line in statement.linhas][1:] == ["y"]
    assert (len(statement.linhas), statement.saldo) == (2, 1_191_460)
    lines = [b"".join(each.splitlines()) for each in _file("<MEMO>a", "<MEMO>b", "<MEMO>c").split(b"\n</STMTTRN>")]
    (statement,) = read_ofx(b"\n</STMTTRN>".join(lines)).extratos
    assert [line.historico for line in statement.linhas] == ["a", "b", "c"]


def test_a_balance_that_is_not_alone_or_not_of_the_form_of_the_others_is_none() -> None:
    second = "<LEDGERBAL><BALAMT>5.00<DTASOF>20261101</LEDGERBAL>"
    told = {
        "mais de um saldo": _file("<MEMO>x", after=second),
        "no meio": _file("<MEMO>x").replace(b"</BANKTRANLIST>", b"").replace(b"</STMTRS>", b"</BANKTRANLIST></STMTRS>"),
        "não tem casas": _file("<MEMO>x").replace(b"11914.60", b"1191460"),
        "só o saldo": _file("<MEMO>x").replace(b">10.00", b">1000"),
        "não entendi": _file("<MEMO>x").replace(b"11914.60", b"1.500"),
    }
    for why, content in told.items():
        (statement,) = read_ofx(content).extratos
        assert statement.saldo is None, why
        assert why in statement.duvida
        assert statement.saldo_em == date(2026, 11, 20)


def test_another_currency_is_refused_with_its_transactions_counted() -> None:
    found = read_ofx(_file("<MEMO>x", "<MEMO>y").replace(b"<STMTRS>", b"<STMTRS><CURDEF>USD"))
    assert (found.extratos, found.transacoes, found.rejeitadas) == ([], 2, 2)
    assert [each.motivo for each in found.recusadas] == ["extrato da conta 341 1 em USD: só se lê em reais (BRL)"]
    of_line = read_ofx(_file("<MEMO>x\n<CURRENCY>\n<CURSYM>EUR\n</CURRENCY>"))
    assert [each.motivo for each in of_line.recusadas] == ["está em EUR: só se lê em reais (BRL)"]
    was = read_ofx(_file("<MEMO>x\n<ORIGCURRENCY>\n<CURSYM>EUR\n</ORIGCURRENCY>"))
    assert was.transacoes == len(was.extratos[0].linhas) == 1


def test_a_broken_byte_costs_one_character() -> None:
    content = _file("<MEMO>DÉBITO AÇÃO", "<MEMO>EMERGÊNCIA Ç")
    (statement,) = read_ofx(content.replace("Ç\n".encode(), b"\xc3\n")).extratos
    assert [line.historico for line in statement.linhas] == ["DÉBITO AÇÃO", "EMERGÊNCIA �"]
    (statement,) = read_ofx(content.decode().encode("cp1252")).extratos
    assert [line.historico for line in statement.linhas] == ["DÉBITO AÇÃO", "EMERGÊNCIA Ç"]


def test_one_whole_character_beside_a_broken_one_is_utf8_still() -> None:
    (statement,) = read_ofx(_file("<MEMO>TÍTULO X COM").replace(b"COM", b"COM\xc3")).extratos
    assert statement.linhas[0].historico.startswith("TÍTULO X COM")


@pytest.mark.parametrize("end", ["-80", "-800.00\n<MEMO>BOL", "-800.00\n</STMTTRN>\n"])
def test_a_download_that_stopped_among_the_transactions_is_refused(end: str) -> None:
    head = "<OFX>\n<STMTRS>\n<BANKTRANLIST>\n<DTSTART>20261101\n<DTEND>20261120\n"
    line = "<STMTTRN>\n<DTPOSTED>20261103\n<TRNAMT>1.00\n</STMTTRN>\n"
    text = f"{head}{line}<STMTTRN>\n<DTPOSTED>20261118\n<TRNAMT>{end}"
    found = read_ofx(text.encode())
    assert "acaba no meio" in found.motivo
    assert not found.extratos
    assert not read_ofx(f"{text}\n</OFX>".encode()).motivo


PIECES = st.sampled_from(
    [
        "<STMTTRN>", "</STMTTRN>", "<stmttrn>", "<TRNAMT>-1,00", "<TRNAMT>2,00</TRNAMT>", "<DTPOSTED>20260301",
        "<MEMO>pix", "<MEMO>", "</MEMO>", "<NAME>ana</NAME>", "<NAME>x</MEMO>", "<FITID>9</FITID>", "<10% DESC>",
        "<XYZ>", "<LEDGERBAL><BALAMT>9,00<DTASOF>20260301", "</BANKTRANLIST>", "<CURRENCY><CURSYM>USD", "<STMTRS>",
        "<BANKACCTTO><ACCTID>7</BANKACCTTO>", "&lt;MEMO&gt;", "]]>", "\n", "\n", "\r\n", " ", "a < b",
    ]
)  # fmt: skip


@examples(200)
@given(st.lists(PIECES, max_size=40), st.sampled_from(["", "\n"]))
def test_a_whole_transaction_says_what_its_tags_say_one_by_one(pieces: list[str], joint: str) -> None:
    text = f"<OFX>{joint}<STMTTRN>{joint}<TRNAMT>3,00{joint}<DTPOSTED>20260302{joint}</STMTTRN>\n{joint.join(pieces)}"
    together = read_ofx(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structure, "WHOLE", re.compile("(?!)"))
        assert read_ofx(text.encode()) == together
    assert together.extratos[0].linhas[0].valor == 300
