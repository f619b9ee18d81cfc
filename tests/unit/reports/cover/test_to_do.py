"""FAZER HOJE: each of F1 to F6, F8 and F9, with figures worked by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from lastro.analysis.credit import Credit
from lastro.analysis.to_do import choose_calls, find_payments, find_tasks, find_unsettled
from lastro.grid.cells import Link, link_sheet
from lastro.grid.sections import Section
from lastro.grid.tables import Table
from lastro.grid.verdict import Finding
from lastro.reports.cover.to_do import LINES, TO_DO, print_to_do
from lastro.reports.facts import BankFacts, DeskFacts, Unpassed
from lastro.reports.printing import build_table
from lastro.reports.r08_payables import SPEC as R08
from lastro.reports.view import Judged
from lastro.settings import Conta, Parametros, Recorte
from lastro.transform.forgotten_titulos import find_questioned
from lastro.transform.position import Position
from lastro.transform.scenarios import AS_BOOKED, Decided, Promised, project_arrears
from lastro.transform.scope import narrow_position
from tests.findings import find_all, find_by_rule, sides
from tests.golden import dataset
from tests.unit.reports.positions import entry as make_entry
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import records, table
from tests.views import view_of

KNOWN = [Conta(101, valor_saldo_inicial=Decimal("0.00"))]


entry = partial(make_entry, pessoa_id=501)


def position_of(*entries: dict[str, Any], **more: Any) -> Position:
    return make_position(list(entries), contas=KNOWN, **more)


def build_to_do(view: Judged) -> tuple[Section, Table, Table]:
    """The sheet, its table, and the lines of the cover."""
    table, lines = (build_table(declared, view) for declared in (TO_DO, LINES))
    assert table is not None
    assert lines is not None
    return print_to_do(view, {table.name: table}), table, lines


def lines_of(position: Position, **facts: Any) -> dict[str, dict[str, Any]]:
    """The lines of the cover by rule, in their order."""
    _, _, lines = build_to_do(view_of(position, **facts))
    return {row["Regra"]: row for row in records(lines)}


def rows_of(position: Position, **facts: Any) -> list[tuple[Any, ...]]:
    """Rule, título, what is to be received and what to be paid, of every row of Fazer."""
    _, table, _ = build_to_do(view_of(position, **facts))
    return [(row["Regra"], row["Título"], row["A receber"], row["A pagar"]) for row in records(table)]


def test_golden_books() -> None:
    """1011 has a paid charge still on its way, 1012 is em carência, 1015 is due in 25 days: the rent is left."""
    position = make_golden()
    assert rows_of(position) == [("F5", 1004, None, Decimal("1500.00"))]
    (line,) = lines_of(position).values()
    assert (line["Ordem"], line["Frase"], line["Qtde"]) == (
        1,
        "Decidir 1 pagamento vencido: Delta 1.500",
        1,
    )
    assert (line["A receber"], line["A pagar"], line["Valor"]) == (
        Decimal("0.00"), Decimal("1500.00"), Decimal("1500.00"),
    )  # fmt: skip
    section, _, _ = build_to_do(view_of(position))
    (row,) = section.rows
    assert row.key == "fazer=5"
    link = row.cells[section.place("abrir")]
    assert isinstance(link, Link)
    assert link.key == "titulo_id=1004"


def test_calls_stop_at_80_percent_and_at_ten() -> None:
    def choose(*entries: dict[str, Any]) -> list[int]:
        return choose_calls(position_of(*entries).titulos)

    due = "2026-03-02"
    assert choose(*(entry(n, v, due, pessoa_id=n) for n, v in ((1, "50.00"), (2, "30.00"), (3, "20.00")))) == [1, 2]
    assert choose(*(entry(n, "10.00", due, pessoa_id=n) for n in range(1, 31))) == [*range(1, 11)]
    # In carência since Saturday: nobody is called.
    assert "F1" not in lines_of(position_of(entry(1, "9000.00", "2026-03-14")))


def test_a_title_stands_once_and_the_largest_rule_first() -> None:
    entries = [entry(1, "600.00", "2026-03-02"), entry(2, "699.99", "2026-03-20", pessoa_id=502)]
    position = position_of(*entries)
    # 1 has no charge either: it is told where the customer is called, and 2 is to be charged.
    assert rows_of(position) == [("F2", 2, Decimal("699.99"), None), ("F1", 1, Decimal("600.00"), None)]
    _, table, _ = build_to_do(view_of(position))
    assert [row["Por quê"] for row in records(table)] == ["sem cobrança", "sem cobrança: emita antes"]
    assert [line["Frase"] for line in lines_of(position).values()] == [
        "Emitir cobrança: 1 a vencer em 7 dias sem cobrança", "Ligar para 1 cliente: Azul 600",
    ]  # fmt: skip
    high = position_of(*entries, parametros=Parametros(fazer_minimo=Decimal("650.00")))
    assert list(lines_of(high)) == ["F2"]


def test_what_the_cover_names_is_on_the_page_that_is_printed() -> None:
    """Thirteen to charge and one to decide: the ten largest of each rule come first, then the rest of the charges."""
    entries = [entry(n, f"{900 - n}.00", "2026-03-20", pessoa_id=500 + n) for n in range(1, 14)]
    rows = rows_of(position_of(*entries, entry(20, "-600.00", "2026-03-02")))
    assert [number for _, number, *_ in rows] == [*range(1, 11), 20, 11, 12, 13]


def test_a_transfer_is_proposed_where_one_account_is_short_and_another_can_spare() -> None:
    """101 has 1,000 and pays 1,400 on 20/03; 102 has 5,000, and the card is below zero by design."""
    accounts = [
        Conta(101, descricao="Alfa", valor_saldo_inicial=Decimal("1000.00")),
        Conta(102, descricao="Beta", valor_saldo_inicial=Decimal("5000.00")),
        Conta(103, descricao="Cartão", valor_saldo_inicial=Decimal("-900.00"), tipo="cartao"),
    ]
    position = make_position(
        [entry(1, "-1400.00", "2026-03-20"), entry(2, "-9000.00", "2026-04-01", conta_id=102)], contas=accounts
    )
    said = "400,00 de Beta para Alfa"
    line = lines_of(position)
    assert list(line) == ["F9"]
    assert (line["F9"]["Frase"], line["F9"]["Valor"]) == (f"Transferir {said} até 20/03", Decimal("0.00"))
    _, table, _ = build_to_do(view_of(position))
    (row,) = records(table)
    assert (row["Descrição"], row["Vencimento"], row["Por quê"]) == (
        said, date(2026, 3, 20), "Alfa fica abaixo de zero em 20/03"
    )  # fmt: skip
    # The desk decides: another day, another account, or after D+15; a part of the books has no accounts of its own.
    for decided, paying, expected in (
        ((Decided(1, date(2026, 3, 18)),), {}, [date(2026, 3, 18)]),
        ((), {1: 102}, []),
        ((Decided(1, date(2026, 4, 1)),), {}, []),
    ):
        _, table, _ = build_to_do(view_of(position, mesas=DeskFacts(decisoes=decided, pagadoras=paying)))
        assert [row["Vencimento"] for row in records(table)] == expected
    assert "F9" not in lines_of(narrow_position(position, Recorte("x", pessoas=(501,))))


def test_what_is_promised_whole_waits_for_its_day() -> None:
    """501 promised the 600.00 of 1 and 50.00 of the 80.00 of 2; 3 is of 502, without a charge as all are."""
    entries = [
        entry(1, "600.00", "2026-03-02"), entry(2, "80.00", "2026-03-03"),
        entry(3, "700.00", "2026-03-20", pessoa_id=502), entry(4, "900.00", "2026-03-19", pessoa_id=502),
    ]  # fmt: skip
    promised = [
        Promised(None, 1, date(2026, 3, 20), 600_00), Promised(None, 2, date(2026, 3, 20), 50_00),
        Promised(None, 4, date(2026, 3, 30), None),
    ]  # fmt: skip
    position = position_of(*entries, parametros=Parametros(fazer_minimo=Decimal("1.00")))
    assert [(rule, number) for rule, number, *_ in rows_of(position, mesas=DeskFacts(promessas=promised))] == [
        ("F2", 3), ("F1", 2),
    ]  # fmt: skip
    assert {number for _, number, *_ in rows_of(position)} == {1, 2, 3, 4}


def test_nobody_is_called_who_is_not_known() -> None:
    position = position_of(entry(1, "600.00", "2026-03-02", pessoa_id=None))
    assert rows_of(position) == [("F6", 1, Decimal("600.00"), None)]
    assert lines_of(position)["F6"]["Frase"] == "Arrumar dados: identificar o cliente de 1 título"


def test_an_opening_is_asked_for_before_everything_else() -> None:
    position = make_position([entry(1, "600.00", "2026-03-02")], contas=[Conta(101, descricao="Banco")])
    lines = lines_of(position)
    assert list(lines) == ["F7", "F1"]
    assert (lines["F7"]["Frase"], lines["F7"]["Valor"]) == ("Informar o saldo de 1 conta", Decimal("0.00"))
    assert rows_of(position)[0] == ("F7", None, None, None)
    # A part of what an account books has no balance that anybody could give.
    assert list(lines_of(narrow_position(position, Recorte("x", pessoas=(501,))))) == ["F1"]


def test_the_last_note_of_the_desk_stands_beside_its_title() -> None:
    position = position_of(*(entry(n, "600.00", "2026-03-02", pessoa_id=500 + n) for n in (1, 2)))
    _, table, _ = build_to_do(
        view_of(position, mesas=DeskFacts({("titulo", 1): "paga sexta", ("pessoa", 502): "não atende"}))
    )
    assert [row["Anotação da mesa"] for row in records(table)] == ["paga sexta", "não atende"]


def find_forgotten(position: Position) -> tuple[int, ...]:
    return find_by_rule(position, "Q33")["Q33"].ids


def test_what_can_kill_is_decided_first_and_what_partners_draw_last() -> None:
    """A draw of 5,000.00, two instalments of plans, of which one is at risk, and a supplier."""
    people = [{"id": 600 + n, "nome": name} for n, name in enumerate(("Sócia", "Receita", "Papelaria"), 1)]
    late = [
        entry(1, "-5000.00", "2026-03-02", categoria_id=40, pessoa_id=601),
        entry(2, "-90.00", "2026-03-02", categoria_id=40, pessoa_id=602, descricao="REFIS 14/60", grupo_id=9),
        entry(3, "-300.00", "2026-03-02", pessoa_id=603),
        entry(4, "-80.00", "2026-03-02", categoria_id=40, pessoa_id=602, descricao="PGFN 3/60", grupo_id=8),
    ]
    categories = [*dataset.categorias(), {**dataset.categorias()[2], "id": 40, "descricao": "Retirada"}]
    position = position_of(*late, fornecedores=people, clientes=[], categorias=categories)
    risk = Finding("Q41", "Parcelamento com risco", "alerta", 1, None, (2,), "", "")
    _, rows, lines = build_to_do(view_of(position, findings=[risk]))
    (line,) = records(lines)
    assert line["Frase"] == (
        "Decidir 4 pagamentos vencidos: Receita 170 (risco de exclusão), Papelaria 300, Sócia 5.000"
    )
    assert [(row["Título"], "risco de exclusão" in row["Por quê"]) for row in records(rows)] == [
        (2, True), (3, False), (4, False), (1, False),
    ]  # fmt: skip


def test_a_receivable_is_looked_for_and_a_payable_decided() -> None:
    entries = [
        entry(1, "-900.00", "2026-02-05", grupo_id=7), entry(2, "-900.00", "2026-03-05", "2026-03-05", grupo_id=7),
        entry(3, "850.00", "2026-02-05", grupo_id=8), entry(4, "850.00", "2026-03-05", "2026-03-05", grupo_id=8),
    ]  # fmt: skip
    position = position_of(*entries)
    findings = find_all(position, rules=["Q33"]).findings
    found = lines_of(position, findings=findings)
    assert (found["F3"]["A receber"], found["F3"]["A pagar"]) == (Decimal("850.00"), Decimal("0.00"))
    assert found["F3"]["Frase"] == "Conferir «Serviços» de 05/02/2026: uma posterior já foi paga"
    assert (found["F5"]["A pagar"], found["F5"]["Frase"]) == (
        Decimal("900.00"), "Decidir 1 pagamento vencido: Azul 900",
    )  # fmt: skip
    # A scope has the findings of the whole, and to do what of them lies in it.
    assert "F3" not in lines_of(position_of(*entries[:2]), findings=findings)


def test_a_payable_of_a_series_is_owed_while_it_is_asked_whether_it_was_paid() -> None:
    """Rent of January open, February and March paid, no statement: a question, and owed in every low."""
    series: dict[str, Any] = {"grupo_id": 7, "periodicidade": "M1", "categoria_id": 22, "descricao": "Aluguel"}
    entries = [entry(1, "-900.00", "2026-01-05", **series), entry(2, "-900.00", "2026-02-05", "2026-02-05", **series),
               entry(3, "-900.00", "2026-03-05", "2026-03-05", **series)]  # fmt: skip
    position = position_of(*entries)
    assert find_forgotten(position) == (1,) == tuple(find_questioned(position))
    findings = find_all(position, rules=["Q33"]).findings
    assert rows_of(position, findings=findings) == [("F5", 1, None, Decimal("900.00"))]
    section, _, _ = build_to_do(view_of(position, findings=findings))
    (row,) = section.rows
    assert row.cells[section.place("por_que")] == ("vencido há 70 dias, uma posterior já foi paga: esta também foi?")
    assert project_arrears(position, ()).difference_until(position.data_base) == -900_00
    assert project_arrears(position, {1}).diferencas.empty
    # Answered to be paid, or in a plan: nothing is left to decide. Owed: no question.
    for answer in ("pago", "em parcelamento"):
        assert rows_of(position, mesas=DeskFacts(respostas={1: answer})) == []
    assert rows_of(position, mesas=DeskFacts(respostas={1: "devo"})) == [("F5", 1, None, Decimal("900.00"))]
    # Thirty days are not more than thirty; and the later one must be paid.
    first, later, _ = entries
    near = [{**first, "data_vencimento": "2026-02-14"}, {**later, "data_vencimento": "2026-03-05"}]
    unpaid = [{**row, "id": row["id"] + 3, "grupo_id": 8, "pessoa_id": 502, "data_pagamento": None} for row in entries]
    assert find_forgotten(make_position([*near, *unpaid])) == ()


def test_it_is_asked_of_a_payable_without_a_series_where_one_month_alone_is_late() -> None:
    rent = [entry(n, "-100.00", f"2026-0{month}-05", paid, categoria_id=21)
            for n, month, paid in ((1, 1, None), (2, 2, "2026-02-05"), (3, 3, "2026-03-05"))]  # fmt: skip
    assert find_forgotten(make_position(rent)) == (1,)
    ahead = entry(4, "-100.00", "2026-04-05", categoria_id=21)  # open, and not late
    assert find_forgotten(make_position([*rent, ahead])) == (1,)

    def change(rows: list[dict[str, Any]], more: int, **fields: Any) -> list[dict[str, Any]]:
        return [{**row, "id": row["id"] + more, **fields} for row in rows]

    two = change(rent[:2], 10, pessoa_id=502)  # two months are no habit
    received = change(rent, 20, pessoa_id=503, valor="100.00")  # payables only
    others = [*change(rent[:2], 30, pessoa_id=504), *change(rent[2:], 30, pessoa_id=505)]
    arrears = [*change(rent, 40, pessoa_id=506), entry(49, "-100.00", "2025-12-05", categoria_id=21, pessoa_id=506)]
    besides = [*change(rent, 50, pessoa_id=507), entry(59, "-5.00", "2026-03-10", categoria_id=22, pessoa_id=507)]
    assert find_forgotten(make_position([*two, *received, *others, *arrears, *besides])) == ()
    # Nobody's: two of one month are one month.
    nobodys = [*change(rent, 60, pessoa_id=None), entry(69, "-7.00", "2026-01-20", categoria_id=21, pessoa_id=None)]
    assert find_forgotten(make_position(nobodys)) == (61, 69)


def test_what_the_bank_announced_for_later_waits() -> None:
    def position(announced: str | None, status: str) -> Any:
        charge = {"id": 1, "valor": "80.00", "valor_pago": "80.00", "lancamento_ids": "1", "status_descricao": status,
                  "data_vencimento": "2026-03-10", "data_a_transferir": announced}  # fmt: skip
        return make_position([entry(1, "80.00", "2026-03-10")], cobrancas=[charge])

    for announced, status, now in (
        ("2026-03-16", "Cliente pagou", False), ("2026-03-15", "Transferindo", True), (None, "Cliente pagou", True),
        ("2026-03-20", "Transferido", True),
    ):  # fmt: skip
        found, waiting = find_unsettled(position(announced, status), ())
        assert (found["titulo_id"].tolist(), waiting["titulo_id"].tolist()) == (([1], []) if now else ([], [1]))


def test_what_the_bank_did_not_pass_on_is_claimed_and_waits_for_no_settlement() -> None:
    """1's charge was to come on 03/03, 2's on 04/03; a statement covers both. 3's was passed on: that is settled."""
    entries = [entry(number, f"{number}0.00", "2026-03-02") for number in (1, 2, 3)]
    charges = [
        {"id": 90 + number, "valor": f"{number}0.00", "valor_pago": f"{number}0.00", "lancamento_ids": str(number),
         "status_descricao": status, "data_vencimento": "2026-03-02", "data_a_transferir": f"2026-03-0{2 + number}"}
        for number, status in ((1, "Cliente pagou"), (2, "Transferindo"), (3, "Transferido"))
    ]  # fmt: skip
    position = position_of(*entries, cobrancas=charges)
    until = date(2026, 3, 6)
    first, second = (
        Unpassed(101, date(2026, 3, 2 + number), until, 1_000 * number, (90 + number,)) for number in (1, 2)
    )
    limits = replace(position.parametros, fazer_minimo=Decimal("0.00"))
    position = replace(position, parametros=limits)
    both = BankFacts(repasses=(first, second))
    assert rows_of(position, banco=both) == [
        ("F4", 3, Decimal("30.00"), None), ("F8", None, Decimal("20.00"), None), ("F8", None, Decimal("10.00"), None),
    ]  # fmt: skip
    assert {rule: line["Frase"] for rule, line in lines_of(position, banco=both).items()} == {
        "F4": "Dar baixa em 1 lançamento com cobrança já paga",
        "F8": "Cobrar do banco os repasses de 04/03 (20,00), 03/03 (10,00)",
    }
    section, table, lines = build_to_do(view_of(position, banco=BankFacts(repasses=(first,))))
    assert next(row["Frase"] for row in records(lines) if row["Regra"] == "F8") == (
        "Cobrar do banco o repasse de 03/03 (10,00)"
    )
    row = next(row for row in records(table) if row["Regra"] == "F8")
    assert (row["O que fazer"], row["Vencimento"], row["Dias de atraso"], row["Por quê"]) == (
        "Cobrar do banco", date(2026, 3, 3), 13, "anunciado para 03/03; o extrato até 06/03 não o traz",
    )  # fmt: skip
    assert section.rows[-1].cells[section.place("abrir")] == link_sheet("Cobranças")


def test_whoever_paid_and_had_it_back_is_called() -> None:
    position = position_of(entry(1, "6000.00", "2026-03-02"))
    _, table, _ = build_to_do(view_of(position, banco=BankFacts(devolvidos={1: "devolvido em 06/03"})))
    assert [(row["Regra"], row["Por quê"]) for row in records(table)] == [
        ("F1", "sem cobrança: emita antes; devolvido em 06/03")
    ]


def test_payments_that_the_line_of_the_headline_does_not_cover() -> None:
    conta = Conta(101, valor_saldo_inicial=Decimal("100.00"), data_saldo_inicial=None)
    entries = [
        entry(1, "-60.00", "2026-03-17"), entry(2, "-50.00", "2026-03-19"), entry(3, "-5.00", "2026-03-30"),
        entry(4, "90.00", "2026-03-20"), entry(5, "-500.00", "2026-03-10"),
    ]  # fmt: skip
    view = view_of(make_position(entries, contas=[conta]))
    # 100 - 60 - 50 = -10 on the 19th; the 90.00 of the 20th comes late. What is overdue makes no day short (K13).
    assert view.payments["titulo_id"].tolist() == [2, 5]
    lent = find_payments(view.position, view.series, AS_BOOKED, Credit(0, 10_00))
    assert lent["titulo_id"].tolist() == [5]
    later = view_of(view.position, mesas=DeskFacts(decisoes=[Decided(1, date(2026, 3, 30))]))
    assert later.payments["titulo_id"].tolist() == [5]  # by the plan 100 - 50 are left on the 19th
    high = make_position(entries, contas=[conta], parametros=Parametros(saldo_minimo=Decimal("50.00")))
    view = view_of(high)
    assert view.payments["titulo_id"].tolist() == [1, 2, 5]


def test_a_payment_that_may_be_booked_twice_says_so() -> None:
    twice = [entry(number, "-60.00", "2026-03-10", pessoa_id=5) for number in (1, 2)]
    view = view_of(make_position([*twice, entry(3, "-70.00", "2026-03-10", pessoa_id=5)]))
    found = find_tasks(view.position, view.payments, (), (), {}, {}, (), ()).set_index("titulo_id")
    assert found["valor_centavos"].to_dict() == {1: -6000, 2: 0, 3: -7000}  # what to decide counts it once
    listed = records(table(R08.build(view), "a_pagar"))
    assert {row["Título"]: row["Aviso"] for row in listed} == {
        1: "possível duplicidade", 2: "possível duplicidade", 3: None,
    }  # fmt: skip
    tasks = found["por_que"]
    assert tasks.to_dict() == {
        1: "vencido há 6 dias, possível duplicidade",
        2: "vencido há 6 dias, possível duplicidade de R$ 60,00, fora da soma",
        3: "vencido há 6 dias",
    }  # fmt: skip


def test_findings_to_tidy_up_are_added() -> None:
    findings = [
        Finding("Q01", "Sem categoria", "alerta", 2, sides("100.00", "400.00"), (1, 2), "", ""),
        Finding("Q21", "Jeito", "alerta", 1, sides("400.00", "0.00"), (30,), "", ""),
        Finding("Q03", "Sem pessoa", "alerta", 9, sides("9000.00", "0.00"), (), "", ""),
        Finding("Q34", "Rótulos", "informação", 1, sides("5000.00", "0.00"), (1,), "", ""),
    ]
    lines = lines_of(position_of(entry(1, "-600.00", "2026-03-02")), findings=findings)
    assert list(lines) == ["F5", "F6"]  # what has no name comes after what is to be paid, whatever it adds up to
    row = lines["F6"]
    assert (row["Qtde"], row["A receber"], row["A pagar"]) == (4, Decimal("500.00"), Decimal("400.00"))  # gross
    assert row["Frase"] == "Arrumar dados: sem categoria (2); jeito (1); rótulos (1)"
    assert not lines_of(position_of(), findings=findings[-1:])  # names alone are no money


def test_the_golden_books_with_what_is_to_be_paid() -> None:
    """The entries of the payments desk: 3000 is decided, with the question; its later occurrence 3001 is paid."""
    position = make_golden(com_mesa=True)
    findings = find_all(position, rules=["Q33"]).findings
    late = [row for row in rows_of(position, findings=findings) if row[1] in (1004, 3000, 3004)]
    assert late == [("F5", 3004, None, Decimal("9000.00")), ("F5", 3000, None, Decimal("2500.00")),
                    ("F5", 1004, None, Decimal("1500.00"))]  # fmt: skip
    section, _, _ = build_to_do(view_of(position, findings=findings))
    told = {row.cells[section.place("titulo_id")]: row.cells[section.place("por_que")] for row in section.rows}
    assert told[3000] == "vencido há 38 dias, uma posterior já foi paga: esta também foi?"
