"""R20 on the golden company by hand, on random ones by its checks, and damages that each check must see (S20)."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

import pandas as pd
import pytest

from lastro.bank.anchors import list_eves, list_whole_days
from lastro.bank.days import unite
from lastro.bank.evidence import PROVAVEL, SEM_DEBITO, BankEvidence, prove_open, say_returned
from lastro.bank.reconciliation import TypedLines
from lastro.bank.report import SPEC, say_bank
from lastro.bank.tables import list_lines
from lastro.grid.tables import Table
from lastro.transform.forgotten_titulos import find_questioned
from lastro.transform.position import Position
from lastro.warehouse.file.check_room import CheckRoom
from tests.bank import (
    CHECKS,
    F1,
    F2,
    FINDINGS,
    build_bank,
    check_bank,
    draw_statements,
    find_bank,
    make_statement,
    open_bank,
    read_stored,
)
from tests.bare import store_statements
from tests.books import read_position
from tests.damages import judge_damaged
from tests.golden import dataset
from tests.marks import thinned
from tests.random_companies import company
from tests.views import view_of

D = date(2026, 3, 16)
BOTH = [read_stored(F1), read_stored(F2)]
"""The two statements of the golden account."""
TARIFA, ALUGUEL = 178139879615723, 104913938550329


@pytest.fixture(scope="module")
def golden() -> Position:
    return read_position(dataset.payloads("A"))


def _with_statements(position: Position, *files: Any) -> Position:
    """The position as a run has it that read the files: with their balances in `extrato_saldos`."""
    accounts = unite(files).values()
    told = [*list_whole_days(accounts), *list_eves(accounts, date(2026, 3, 17))]
    return replace(position, extrato_saldos=store_statements([each for each in told if not each.vespera], set()))


def _tables(position: Position, *files: Any, typed: TypedLines | None = None) -> dict[str, Table]:
    return {table.name: table for table in build_bank(position, find_bank(position, files, typed)).tables}


def _show(table: Table, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(row[table.place(key)] for key in keys) for row in table.rows]


def _find(rule: str, room: CheckRoom) -> list[tuple[Any, ...]]:
    """Ask a finding of the bank for its records."""
    _, rows = room.ask(FINDINGS[rule].selects[0]) or ([], [])
    return rows


def test_the_golden_account_from_book_to_bank(golden: Position) -> None:
    tables = _tables(golden, *BOTH)
    account, savings = tables["conciliacao"].rows
    assert account[:12] == (
        "Banco Alfa", D, Decimal("13780.00"), Decimal("-1535.90"), Decimal("0.00"), Decimal("104.68"),
        Decimal("0.00"), Decimal("0.00"), Decimal("0.00"), Decimal("12348.78"), date(2026, 3, 11), "Pendências",
    )  # fmt: skip
    assert (savings[0], savings[1], savings[11]) == ("Poupança", None, "Sem extrato")
    assert _show(tables["conciliadas"], "passo", "dia_no_banco", "titulo_id", "dias", "diferenca") == [
        ("lote", date(2026, 2, 5), 1001, 2, Decimal("104.68")),
        ("1:1", date(2026, 2, 5), 1003, 0, Decimal("0.00")),
        ("1:1", date(2026, 2, 10), 1005, 0, Decimal("0.00")),
        ("1:1", date(2026, 2, 20), 1017, 0, Decimal("0.00")),
        ("1:1", date(2026, 2, 27), 1007, 0, Decimal("0.00")),
        ("1:1", date(2026, 3, 2), 1014, 0, Decimal("0.00")),
        ("1:1", date(2026, 3, 11), 1010, 1, Decimal("0.00")),
    ]
    assert _show(tables["conciliacao_pendencias"], "lado", "dia", "valor", "dias", "sugestao", "extrato_id") == [
        ("Banco", date(2026, 3, 12), Decimal("-35.90"), 4, None, TARIFA),
        ("Banco", date(2026, 3, 13), Decimal("-1500.00"), 3, "dar baixa em «Lançamento 1004» (1004)", ALUGUEL),
    ]
    assert _show(tables["extrato_arquivos"], "arquivo", "linhas", "linhas_de_saldo", "saldo", "parcial") == [
        (F1, 5, 0, Decimal("8004.68"), False),
        (F2, 6, 0, Decimal("12348.78"), False),
    ]
    assert say_bank(find_bank(golden, BOTH).conciliacao) == (
        "livro 13.780,00 · extrato 12.348,78 em 16/03 · conciliado até 11/03 · 2 linhas sem lançamento (-1.535,90) · "
        "1 conta sem extrato"
    )


def test_what_was_on_its_way_on_the_eve_is_no_difference(golden: Position) -> None:
    """1001 is settled on 03/02, its charge reaches the bank on 05/02: the statement of 05/02 begins 5000.00 below."""
    days = ((5, -150_000), (5, 510_468), (10, -80_000), (20, -20_000), (20, 1_000), (27, -310_000))
    file = make_statement(
        "f.ofx", 101, [(date(2026, 2, day), value, f"x{value}") for day, value in (*days, (27, -700))],
        inicio=date(2026, 2, 5), fim=date(2026, 2, 28), saldo=800_768, saldo_em=date(2026, 2, 28),
    )  # fmt: skip
    found = find_bank(golden, [file]).conciliacao
    account = found.contas[101]
    assert (account.abertura, account.fora, account.conciliado_ate) == (-500_000, 500_000, date(2026, 2, 19))
    assert "conciliado até 19/02 · 2 linhas sem lançamento (10,00 e -7,00)" in say_bank(found)
    position = _with_statements(golden, file)
    outcome = check_bank(open_bank(position, [file], _tables(position, file).values()))["V25"]
    assert outcome.situacao == "ok", outcome.detalhe


def test_the_checks_hold_and_any_order_of_the_files_gives_the_same(golden: Position) -> None:
    position = _with_statements(golden, *BOTH)
    tables = _tables(position, *BOTH)
    outcomes = check_bank(open_bank(position, BOTH, tables.values()))
    assert {name: one.situacao for name, one in outcomes.items()} == {"V24": "ok", "V25": "ok", "V26": "ok"}
    twice = _tables(position, *BOTH[::-1], read_stored(F2, as_name="copia.ofx"))
    assert {name: [*table.rows] for name, table in tables.items() if name != "extrato_arquivos"} == {
        name: [*table.rows] for name, table in twice.items() if name != "extrato_arquivos"
    }


def test_a_line_that_a_file_lacks_is_noticed_and_the_bridge_holds(golden: Position) -> None:
    second = read_stored(F2)
    files = [read_stored(F1), replace(second, linhas=tuple(one for one in second.linhas if one.ordem != 5))]
    position = _with_statements(golden, *files)
    tables = _tables(position, *files)
    outcomes = check_bank(open_bank(position, files, tables.values()))
    assert {name: one.situacao for name, one in outcomes.items()} == {"V24": "falhou", "V25": "ok", "V26": "ok"}
    assert outcomes["V24"].chaves == ("conta 101 · de 2026-02-28 a 2026-03-16",)
    assert _show(tables["conciliacao"], "abertura", "conciliado_ate")[0] == (Decimal("-35.90"), None)


def test_what_a_clerk_pairs_and_ignores_keeps_the_bridge(golden: Position) -> None:
    """January's rent, paid by the books long before the block, is what the line of March paid; the fee is ignored."""
    tables = _tables(golden, *BOTH, typed=TypedLines({ALUGUEL: 1002, 1: 1001}, frozenset({TARIFA})))
    assert not [name for name, one in check_bank(open_bank(golden, BOTH, tables.values())).items() if one.failed]
    by_hand = _show(tables["conciliadas"], "passo", "extrato_id", "titulo_id", "diferenca")[-2:]
    assert by_hand == [
        ("ignorada", TARIFA, None, Decimal("0.00")),
        ("manual", ALUGUEL, 1002, Decimal("0.00")),
    ]
    shown = _show(tables["conciliacao"], "ignoradas", "fora_do_periodo", "abertura", "conciliado_ate", "situacao")
    assert shown[0] == (
        Decimal("-35.90"), Decimal("-1500.00"), Decimal("0.00"), D, "1 linha ignorada: -35,90",
    )  # fmt: skip


def test_what_a_clerk_takes_out_of_sight_stands_on_the_cover(golden: Position) -> None:
    found = find_bank(golden, BOTH, TypedLines(ignoradas=frozenset({TARIFA, ALUGUEL}))).conciliacao
    assert say_bank(found) == (
        "livro 13.780,00 · extrato 12.348,78 em 16/03 · conciliado até 16/03 · 2 linhas ignoradas: -1.535,90 · "
        "1 conta sem extrato"
    )
    waiting = _tables(golden, *BOTH, typed=TypedLines(ignoradas=frozenset({TARIFA})))
    assert _show(waiting["conciliacao"], "situacao")[0] == ("Pendências",)


def test_a_titulo_that_is_no_payment_of_the_account_pairs_nothing(golden: Position) -> None:
    found = find_bank(golden, BOTH, TypedLines({ALUGUEL: 1004, TARIFA: 1016})).conciliacao.contas[101]
    assert [line.extrato_id for line in found.casados.recusados] == [TARIFA, ALUGUEL]
    assert [line.extrato_id for line in found.linhas] == [TARIFA, ALUGUEL]


def test_what_the_bank_proves_of_suspected_payables(golden: Position) -> None:
    """The three of part B, were they in Q33: the line's own suggestion, none in a covered time, none where not."""
    found = find_bank(golden, BOTH).conciliacao
    opened = golden.titulos[golden.titulos["titulo_id"] == 1004]
    suspects = pd.concat(
        [
            opened.assign(titulo_id=number, valor_centavos=value, data_vencimento=pd.Timestamp(due))
            for number, value, due in ((9001, -150_000, "2026-03-05"), (9002, -123_456, "2026-02-10"),
                                       (9003, -222_200, "2026-01-20"))
        ]
    )  # fmt: skip
    position = replace(golden, titulos=pd.concat([golden.titulos, suspects]))
    asked = frozenset({9001, 9002, 9003})
    assert prove_open(position, found, {}, asked) == {
        9001: BankEvidence("confirmada", date(2026, 3, 13)),
        9002: BankEvidence(SEM_DEBITO),
        9003: BankEvidence(PROVAVEL),
    }
    taken = prove_open(position, found, {ALUGUEL: 1004}, asked)
    assert (taken[1004].dia, taken[9001].prova) == (date(2026, 3, 13), SEM_DEBITO)


def test_without_statements_and_in_a_scope_there_is_no_sheet(golden: Position) -> None:
    built = SPEC.build(view_of(golden))
    assert (built.sections, [len(table.rows) for table in built.tables]) == ((), [0, 0, 0, 0, 0])


def test_an_account_without_a_bank_is_not_asked_for(golden: Position) -> None:
    found = find_bank(golden, [read_stored(F1)], keys={101: ["341/123456"], 102: ["nenhum"]})
    assert [*found.conciliacao.contas] == [101]
    assert found.conciliacao.contas[101].situacao == "Desatualizado"


def test_a_statement_of_no_account_names_the_likely_one(golden: Position) -> None:
    stranger = replace(read_stored(F2), conta_id=None)
    found = find_bank(golden, [stranger])
    assert found.palpites == {"341/123456": 101}
    room = open_bank(golden, [stranger], build_bank(golden, found).tables)
    _, rows = room.ask("SELECT DISTINCT palpite_conta_id, conta_id FROM mart.extrato_arquivos") or ([], [])
    assert rows == [(101, None)]


@pytest.mark.parametrize("seed", thinned(range(60), range(1)))
def test_on_random_companies_the_bridge_closes_and_everything_has_one_place(seed: int) -> None:
    position = read_position(company(seed, duplicatas=False))
    rng = random.Random(seed)  # noqa: S311 - repeated, not secret
    files = draw_statements(position, rng)
    numbers = [line.extrato_id for one in find_bank(position, files).conciliacao.contas.values() for line in one.linhas]
    items = position.titulos.loc[position.titulos["caixa"], "titulo_id"].tolist()
    typed = TypedLines(dict(zip(numbers[::5], rng.sample(items, len(items)), strict=False)), frozenset(numbers[1::5]))
    for hands in (None, typed):
        report = build_bank(position, find_bank(position, files, hands))
        outcomes = check_bank(open_bank(position, files, report.tables))
        assert {name for name in ("V25", "V26") if outcomes[name].failed} == set(), outcomes
        rng.shuffle(files)
        again = build_bank(position, find_bank(position, files, hands))
        assert [[*table.rows] for table in again.tables[:3]] == [[*table.rows] for table in report.tables[:3]]


@pytest.mark.parametrize(
    ("rule", "damage"),
    [
        ("V25", "UPDATE mart.conciliacao SET saldo_do_livro = saldo_do_livro + 0.01 WHERE saldo_do_livro <> 0"),
        ("V25", "UPDATE mart.conciliacao SET diferencas_explicadas = diferencas_explicadas + 0.01"),
        ("V25", "UPDATE mart.conciliacao SET conciliado_ate = conciliado_ate + 1 WHERE conciliado_ate NOTNULL"),
        ("V26", "UPDATE mart.conciliadas SET valor = valor + 0.01 WHERE rowid = 0"),
        ("V26", "DELETE FROM mart.conciliadas WHERE rowid = 0"),
        ("V26", "INSERT INTO mart.conciliacao_pendencias FROM mart.conciliacao_pendencias WHERE rowid = 0"),
    ],
)
def test_a_damaged_table_is_noticed(rule: str, damage: str, golden: Position) -> None:
    room = open_bank(golden, BOTH, build_bank(golden, find_bank(golden, BOTH)).tables)
    assert not check_bank(room)[rule].failed
    assert judge_damaged(CHECKS[rule], room, damage).failed


@pytest.mark.parametrize("damage", [
    {"saldo": 1_234_879},
    {"saldo_em": date(2026, 3, 12)},
    {"saldo": -1_234_878},
])  # fmt: skip
def test_balances_that_the_lines_do_not_make_are_noticed(damage: dict[str, Any], golden: Position) -> None:
    assert not check_bank(open_bank(golden, BOTH, ()))["V24"].failed
    assert check_bank(open_bank(golden, [BOTH[0], replace(BOTH[1], **damage)], ()))["V24"].failed


def test_a_gap_is_told_and_only_what_follows_is_reconciled(golden: Position) -> None:
    lines = [(date(2026, 3, 11), -12_000, "x")]
    files = [read_stored(F1), make_statement("m.ofx", 101, lines, inicio=date(2026, 3, 9), fim=D)]
    found = find_bank(golden, files).conciliacao.contas[101]
    assert [(one.inicio, one.fim) for one in found.blocos] == [
        (date(2026, 2, 1), date(2026, 2, 28)), (date(2026, 3, 9), D),
    ]  # fmt: skip
    assert (found.banco, found.abertura, found.conciliado_ate) == (None, None, None)
    assert [pair.titulos[0].titulo_id for pair in found.casados.pares] == [1010]
    room = open_bank(golden, files, _tables(golden, *files).values())
    assert _find("Q24", room) == [
        ("conta", 101, 101, date(2026, 3, 1), "conta 101: intervalo sem extrato de 01/03/2026 a 08/03/2026")
    ]


def test_what_opens_no_books_is_told_once_for_each_reason_with_the_newest_file(golden: Position) -> None:
    """Whoever downloads the month every morning would else hear a line more every day."""
    told = {10: "o saldo 7,00 não tem casas", 11: "o saldo 8,00 não tem casas", 12: "o arquivo diz mais de um saldo"}
    files = [
        make_statement(
            f"{day}.ofx", 101, [(date(2026, 3, day), -100, "x")], saldo_em=date(2026, 3, day), duvida=duvida
        )
        for day, duvida in told.items()
    ]  # fmt: skip
    found = [text for *_, text in _find("Q24", open_bank(golden, files, _tables(golden, *files).values()))]
    assert sorted(found) == [
        "conta 101: do saldo de 11/03/2026 não segue abertura, em 11.ofx e mais 1: o saldo 8,00 não tem casas",
        "conta 101: do saldo de 12/03/2026 não segue abertura, em 12.ofx: o arquivo diz mais de um saldo",
    ]


def test_a_payment_that_the_bank_has_not_is_found_after_five_days(golden: Position) -> None:
    """1014 was paid 14 days before D and 1010 six; 1099, five days before D, may still come."""
    titulos = golden.titulos
    late = titulos[titulos["titulo_id"] == 1010].assign(titulo_id=1099, data_pagamento=pd.Timestamp(2026, 3, 11))
    position = replace(golden, titulos=pd.concat([titulos, late.assign(valor_centavos=-7_700)], ignore_index=True))
    second = read_stored(F2)
    kept = tuple(line for line in second.linhas if line.valor not in (600_000, -12_000))
    files = [read_stored(F1), replace(second, linhas=kept)]
    tables = _tables(position, *files)
    own = _show(tables["conciliacao_pendencias"], "lado", "titulo_id", "dias")
    assert [row for row in own if row[0] == "Livro"] == [("Livro", 1014, 14), ("Livro", 1010, 6), ("Livro", 1099, 5)]
    assert _find("Q26", open_bank(position, files, tables.values())) == [
        ("titulo", 1014, Decimal("6000.00"), date(2026, 3, 2)),
        ("titulo", 1010, Decimal("-120.00"), date(2026, 3, 10)),
    ]


RENT: Final = frozenset({9001})
"""A rent that may have been paid without anybody settling it."""


def _say_account(file: Any, position: Position) -> tuple[Any, ...]:
    account = find_bank(position, [file], questioned=RENT).conciliacao.contas[101]
    return account.abertura, account.em_transito, dict(account.esquecidas), account.nao_explicado


def test_the_opening_is_what_was_on_its_way_what_was_forgotten_and_a_rest(golden: Position) -> None:
    """On the eve the books have 5000.00 on its way; the bank had paid the 11,800.00 of 9001, and 14.00 of fees."""
    rent = golden.titulos[golden.titulos["titulo_id"] == 1004].assign(
        titulo_id=9001, valor_centavos=-1_180_000, data_vencimento=pd.Timestamp("2026-01-10"), descricao="Aluguel"
    )
    position = replace(golden, titulos=pd.concat([golden.titulos, rent], ignore_index=True))
    days = ((5, -150_000), (5, 510_468), (10, -80_000), (20, -20_000), (20, 1_000), (27, -310_000))

    def make(balance: int) -> Any:
        return make_statement(
            "f.ofx", 101, [(date(2026, 2, day), value, f"x{value}") for day, value in (*days, (27, -700))],
            inicio=date(2026, 2, 5), fim=date(2026, 2, 28), saldo=balance, saldo_em=date(2026, 2, 28),
        )  # fmt: skip

    short = make(800_768 - 1_181_400)
    assert _say_account(short, position) == (-1_681_400, -500_000, {9001: -1_180_000}, -1_400)
    assert _say_account(make(800_768), position) == (-500_000, -500_000, {}, 0)  # never more than differs
    assert _say_account(make(800_768 - 1_179_999), position) == (-1_679_999, -500_000, {}, -1_179_999)
    assert _say_account(make(800_768 + 1_181_400), position) == (681_400, -500_000, {}, 1_181_400)
    later = rent.assign(data_vencimento=pd.Timestamp("2026-02-05"))
    inside = replace(position, titulos=pd.concat([golden.titulos, later], ignore_index=True))
    assert _say_account(short, inside) == (-1_681_400, -500_000, {}, -1_181_400)
    found = find_bank(position, [short], questioned=RENT)
    said = say_bank(found.conciliacao)
    assert "abertura: -11.800,00 de 1 baixa esquecida, -14,00 não explicado" in said
    report = build_bank(position, found)
    cells = _show(
        report.tables[0], "abertura_em_transito", "abertura_baixas_esquecidas", "nao_explicado", "conciliado_ate"
    )
    assert cells[0] == (Decimal("-5000.00"), Decimal("-11800.00"), Decimal("-14.00"), None)
    assert (
        "Abertura de Banco Alfa: -11.800,00 é a provável baixa esquecida «Aluguel» (9001)." in report.sections[0].notes
    )
    proved = _with_statements(position, short)
    assert check_bank(open_bank(proved, [short], report.tables))["V25"].situacao == "ok"


def test_money_that_came_back_is_shown_and_asks_for_nothing(golden: Position) -> None:
    """1004 is open with -1500.00; the bank paid that on 13/03 and had it back on 14/03: no suggestion, no proof."""
    back = make_statement("z.ofx", 101, [(date(2026, 3, 14), 150_000, "DEVOLUÇÃO TED ALUGUEL")], fim=D)
    found = find_bank(golden, [*BOTH, back])
    account = found.conciliacao.contas[101]
    assert ([line.extrato_id for line in account.linhas], found.sugestoes, account.sem_livro) == ([TARIFA], {}, -3_590)
    report = build_bank(golden, found)
    tables = {table.name: table for table in report.tables}
    told = _show(tables["conciliadas"], "passo", "dia_no_banco", "valor_no_banco", "titulo_id", "devolucao")[-2:]
    assert told == [
        ("devolvida", date(2026, 3, 13), Decimal("-1500.00"), None, "devolvido em 14/03"),
        ("devolvida", date(2026, 3, 14), Decimal("1500.00"), None, "devolução de 13/03"),
    ]
    section = report.sections[-1]
    assert (section.name, [row.cells[-1] for row in section.rows]) == (
        "devolvidas", ["devolvido em 14/03", "devolução de 13/03"],
    )  # fmt: skip
    assert prove_open(golden, found.conciliacao, found.sugestoes, find_questioned(golden)) == {}
    assert say_returned(golden, found.conciliacao, {}) == {1004: "devolvido em 14/03"}
    assert say_returned(golden, found.conciliacao, {7: 1004}) == {}  # it was paid again
    desk = list_lines(golden, found)
    assert _show(desk, "extrato_id", "situacao", "sugestao")[1:] == [
        (ALUGUEL, "devolvida", "devolvido em 14/03"),
        (account.casados.pares[-1].linha.extrato_id, "devolvida", "devolução de 13/03"),
    ]
    position = _with_statements(golden, *BOTH, back)
    outcomes = check_bank(open_bank(position, [*BOTH, back], tables.values()))
    assert (outcomes["V25"].situacao, outcomes["V26"].situacao) == ("ok", "ok")


def test_a_settlement_whose_money_went_back_is_to_be_undone(golden: Position) -> None:
    """1014 was settled with 6000.00 on 02/03; the bank had that on 02/03 and took it back on 04/03."""
    back = make_statement("z.ofx", 101, [(date(2026, 3, 4), -600_000, "ESTORNO CREDITO INDEVIDO")], fim=D)
    tables = _tables(golden, *BOTH, back)
    left = _show(tables["conciliacao_pendencias"], "lado", "titulo_id", "sugestao")
    assert [row for row in left if row[0] == "Livro"] == [("Livro", 1014, "devolvido em 04/03: desfaça a baixa")]
    outcomes = check_bank(open_bank(_with_statements(golden, *BOTH, back), [*BOTH, back], tables.values()))
    assert (outcomes["V25"].situacao, outcomes["V26"].situacao) == ("ok", "ok")
