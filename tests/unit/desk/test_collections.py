"""The desk of collections: promises against receipts, its keys, its texts and their links. D is 16/03/2026."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

from lastro.analysis.frames import records_of
from lastro.desk.book import MAX_SLIPS, build_desk, write_slip_links
from lastro.desk.contacts import find_phone, link_email, link_whatsapp
from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.history import history_sheet
from lastro.desk.memory import DeskMemory
from lastro.desk.model import Note
from lastro.desk.promise_notes import promises_sheet, tell_promises
from lastro.desk.promises import (
    ABERTA,
    CUMPRIDA,
    PARCIAL,
    QUEBRADA,
    RENEGOCIADA,
    RETIRADA,
    find_promises,
    list_broken,
    list_promised,
)
from lastro.desk.queue import SEM_PESSOA, Debt, Queue, build_queue
from lastro.desk.texts import choose_text
from lastro.export.hyperlinks import MAX_URL
from lastro.grid.cells import Link
from lastro.settings import REGUA, Empresa
from lastro.transform.scenarios import Promised
from tests.unit.export.export_values import STAMP
from tests.unit.reports.positions import make_golden, make_namesakes, make_position

D = date(2026, 3, 16)


def note(number: int, made: int, promised: int, amount: str = "", tipo: str = PESSOA) -> Note:
    valores = {"promessa": f"2026-03-{promised:02d}", "valor_prometido": amount}
    quando = datetime(2026, 3, made, 9)  # noqa: DTZ001 - local, as stored
    return Note(tipo, number, "", valores, {"promessa": ""}, {}, quando, "a", "um", "s")


def queue(
    recebidos: dict[int, Any] | None = None,
    titulos: dict[int, Any] | None = None,
    debts: tuple[Debt, ...] = (),
    abertos: dict[int, int] | None = None,
) -> Queue:
    return Queue(D, (), (), debts, (), {}, {}, abertos or {}, recebidos or {}, titulos or {})


def debt(titulo_id: int, pessoa_id: int, due: int | date, valor: int, link: str = "", *, paid: bool = False) -> Debt:
    """A título overdue since a day, or one of March, whose charge may be paid and on its way."""
    day = date(2026, 3, due) if isinstance(due, int) else due
    return Debt(
        titulo_id, pessoa_id, "", "", "", day, day, (D - day).days, valor, 0, 0, "Vencido", 1, "", link, False, None,
        False, not paid, True, not paid,
    )  # fmt: skip


def test_a_promise_is_kept_broken_open_or_made_anew() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # 60.00 came
        note(2, 10, 12, "100.00"),  # nothing
        note(3, 10, 12, "100.00"),  # 100.00 came on the day
        note(4, 10, 20, "100.00"),  # not due yet
        note(5, 10, 12, "100.00"),  # made anew before its day
        note(5, 11, 25, "80.00"),
        note(6, 10, 12),  # no amount: all that is overdue, and nothing is any more
    ]
    received = {
        1: ((date(2026, 3, 11), 6000, 91),),
        3: ((date(2026, 3, 12), 10000, 93),),
        6: ((date(2026, 3, 10), 1, 96),),
    }
    found = {(one.key[1], one.dia.day): (one.estado, one.recebido) for one in find_promises(notes, queue(received))}
    assert found == {
        (1, 12): (PARCIAL, 6000),
        (2, 12): (QUEBRADA, 0),
        (3, 12): (CUMPRIDA, 10000),
        (4, 20): (ABERTA, 0),
        (5, 12): (RENEGOCIADA, 0),
        (5, 25): (ABERTA, 0),
        (6, 12): (CUMPRIDA, 1),
    }
    (sheet,) = promises_sheet(find_promises(notes, queue(received)), queue(received)).sections
    assert tuple(row.cells for row in sheet.rows) == (
        # 100 + 100 + 100 + 0.01, all of the last one; 60 + 100 + 0.01 came; 40 and 100 are missing
        (date(2026, 3, 12), 4, Decimal("300.01"), Decimal("160.01"), Decimal("140.00"), 2, 2, "vencida"),
        (date(2026, 3, 20), 1, Decimal("100.00"), Decimal("0.00"), Decimal("100.00"), 0, 0, "a vencer"),
        (date(2026, 3, 25), 1, Decimal("80.00"), Decimal("0.00"), Decimal("80.00"), 0, 0, "a vencer"),
    )


def test_who_broke_a_promise_that_stands_last_and_still_owes_is_named() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # 60.00 came: 40.00 are missing
        note(11, 10, 12, "30.00", tipo=TITULO),  # of customer 2: nothing came
        note(3, 10, 12, "100.00"),  # broken, and promised anew after it
        note(3, 13, 25, "100.00"),
        note(4, 10, 12, "100.00"),  # owes nothing any more
        note(5, 10, 12, "mil"),  # what is missing is not known
        note(6, 10, 12, "100.00"),  # kept
    ]
    received = {1: ((date(2026, 3, 11), 6000, 91),), 6: ((date(2026, 3, 11), 10000, 96),)}
    debts = tuple(debt(9 + number, number, 2, 5000) for number in (1, 2, 3, 5, 6))
    asked = queue(received, debts=debts)
    assert list_broken(find_promises(notes, asked), asked) == ((1, 4000), (2, 3000))


def test_what_is_still_to_come_is_projected() -> None:
    notes = [
        note(1, 10, 12, "100.00"),  # broken
        note(2, 10, 20, "100.00"),  # 30.00 came
        note(3, 10, 18, "50.00"),  # kept
        note(4, 10, 16),  # today, no amount
        note(9, 10, 19, "70.00", TITULO),
    ]
    received = {2: ((date(2026, 3, 11), 3000, 92),), 3: ((date(2026, 3, 12), 5000, 93),)}
    assert list_promised(find_promises(notes, queue(received))) == (
        Promised(4, None, date(2026, 3, 16), None),
        Promised(None, 9, date(2026, 3, 19), 7000),
        Promised(2, None, date(2026, 3, 20), 7000),
    )


def test_what_came_before_a_promise_keeps_it_not() -> None:
    (one,) = find_promises([note(1, 10, 12, "50.00")], queue({1: ((date(2026, 3, 9), 5000, 91),)}))
    assert (one.estado, one.recebido) == (QUEBRADA, 0)


def test_a_title_is_paid_at_once() -> None:
    (one,) = find_promises([note(7, 10, 12, "50.00", TITULO)], queue(titulos={7: (date(2026, 3, 13), 5000)}))
    assert (one.estado, one.recebido) == (CUMPRIDA, 5000)


def change(number: int, made: int, tipo: str = PESSOA, **valores: str) -> Note:
    """A later note about a promise."""
    quando = datetime(2026, 3, made, 9)  # noqa: DTZ001 - local, as stored
    return Note(tipo, number, "", valores, dict.fromkeys(valores, ""), {}, quando, "a", "um", "s")


def test_a_day_that_is_none_is_no_promise() -> None:
    assert find_promises([change(1, 10, promessa="semana que vem")], queue()) == ()


def test_whatever_takes_the_place_of_a_promise_ends_it() -> None:
    notes = [
        note(1, 10, 20, "100.00"),
        change(1, 11, promessa="", valor_prometido="100.00"),  # taken back
        note(2, 10, 20, "100.00"),
        change(2, 11, promessa="sexta", valor_prometido="100.00"),  # no day any more
        note(3, 10, 20, "100.00"),
        change(3, 11, promessa="2026-03-20", valor_prometido="70.00"),  # the same promise, another amount
    ]
    found = find_promises(notes, queue())
    assert {(one.key[1], one.estado, one.valor) for one in found} == {
        (1, RETIRADA, 10000), (2, RENEGOCIADA, 10000), (3, ABERTA, 7000),
    }  # fmt: skip
    assert list_promised(found) == (Promised(3, None, date(2026, 3, 20), 7000),)
    ((row,),) = [[one.cells for one in table.rows] for table in promises_sheet(found, queue()).sections]
    assert row[:5] == (date(2026, 3, 20), 1, Decimal("70.00"), Decimal("0.00"), Decimal("70.00"))


def test_without_an_amount_a_promise_is_all_that_is_overdue() -> None:
    debts = (
        debt(1, 7, 2, 15000_00),
        debt(2, 7, 9, 6862_16),
        debt(3, 7, 9, 500_00, paid=True),  # on its way already
        debt(4, 8, 9, 100_00),  # somebody else's
    )
    at_desk = queue({7: ((date(2026, 3, 12), 1000_00, 90),)}, debts=debts)
    (one,) = find_promises([note(7, 10, 20)], at_desk)
    # 1,000.00 came since, 21,862.16 is overdue
    assert (one.tudo, one.valor, one.recebido, one.estado) == (True, 22862_16, 1000_00, ABERTA)
    assert list_promised([one]) == (Promised(7, None, date(2026, 3, 20), None),)
    (table,) = promises_sheet([one], at_desk).sections
    assert table.rows[0].cells[2:5] == (Decimal("22862.16"), Decimal("1000.00"), Decimal("21862.16"))
    told = tell_promises([one], replace(at_desk, nomes={7: "Ana"}))
    (history,) = history_sheet(COBRANCA, [note(7, 10, 20)], {}, told, ()).sections[:1]
    assert history.rows[0].cells[5] == "(tudo) 22.862,16"


def test_a_broken_promise_of_all_is_of_what_was_due_by_its_day() -> None:
    at_desk = queue(debts=(debt(1, 7, 2, 100_00), debt(2, 7, 13, 50_00)))
    (one,) = find_promises([note(7, 10, 12)], at_desk)
    assert (one.valor, one.estado) == (100_00, QUEBRADA)


def test_an_amount_that_was_not_understood_is_neither_small_nor_everything() -> None:
    odd = note(7, 10, 20, "R$ 2.000")
    at_desk = queue({7: ((date(2026, 3, 12), 51_65, 90),)}, debts=(debt(1, 7, 2, 100_00),))
    (one,) = find_promises([odd], at_desk)
    assert (one.tudo, one.valor, one.estado) == (False, None, ABERTA)
    assert list_promised([one]) == ()
    assert promises_sheet([one], at_desk).sections[0].rows[0].cells[2] == Decimal("0.00")
    told = tell_promises([one], replace(at_desk, nomes={7: "Ana"}))
    (history,) = history_sheet(COBRANCA, [odd], {}, told, ()).sections[:1]
    assert str(history.rows[0].cells[1]).startswith("não entendi o valor «R$ 2.000»")


def test_one_receipt_keeps_one_promise() -> None:
    """The review's case: 8,284.66 of título 12 kept both its promise and one of its customer."""
    paid = {12: (date(2026, 3, 12), 8284_66)}
    receipts = {7: ((date(2026, 3, 12), 8284_66, 12),)}
    made = [note(12, 10, 13, "8000.00", TITULO), note(7, 10, 13, "777.77")]
    found = {one.key[0]: (one.recebido, one.estado) for one in find_promises(made, queue(receipts, paid))}
    # 284.66 are beyond what was promised for the título
    assert found == {TITULO: (8284_66, CUMPRIDA), PESSOA: (284_66, PARCIAL)}


def test_a_receipt_on_the_day_of_the_next_promise_is_the_next_ones() -> None:
    made = [note(7, 10, 12, "50.00"), note(7, 13, 20, "50.00")]
    found = find_promises(made, queue({7: ((date(2026, 3, 13), 5000, 90),)}))
    assert [(one.estado, one.recebido) for one in found] == [(QUEBRADA, 0), (CUMPRIDA, 5000)]


def test_a_promise_of_a_whole_titulo_is_what_is_open_of_it() -> None:
    (one,) = find_promises([note(12, 10, 20, "", TITULO)], queue(abertos={12: 300_00}))
    assert (one.valor, one.estado) == (300_00, ABERTA)


BASE = {"conta_id": 101, "categoria_id": 11, "data_vencimento": "2026-03-10"}


def test_payments_by_person_and_by_titulo() -> None:
    entries = [
        {"id": 4, "valor": "40.00", "pessoa_id": 502, "data_pagamento": "2026-03-12", "documento": "NF 4", **BASE},
        {"id": 1, "valor": "10.00", "pessoa_id": 501, "data_pagamento": "2026-03-11", "descricao": "Um", **BASE},
        {"id": 3, "valor": "30.00", "pessoa_id": 502, "data_pagamento": "2026-03-11", **BASE},
        {"id": 2, "valor": "20.00", "data_pagamento": "2026-03-12", "documento": "", "descricao": "Dois", **BASE},
        {"id": 5, "valor": "50.00", "pessoa_id": 502, "descricao": "Cinco", "documento": "NF 5", **BASE},
        {"id": 6, "valor": "-60.00", "pessoa_id": 502, "data_pagamento": "2026-03-11", "categoria_id": 21,
         "conta_id": 101, "data_vencimento": "2026-03-10"},
        {"id": 7, "valor": "70.00", "pessoa_id": 502, "data_pagamento": "2026-03-10", "documento": "NF 7", **BASE},
    ]  # fmt: skip
    queue = build_queue(make_position(entries))
    assert dict(queue.recebidos) == {
        SEM_PESSOA: ((date(2026, 3, 12), 2000, 2),),
        501: ((date(2026, 3, 11), 1000, 1),),
        502: ((date(2026, 3, 10), 7000, 7), (date(2026, 3, 11), 3000, 3), (date(2026, 3, 12), 4000, 4)),
    }
    assert dict(queue.recebido_titulo) == {
        1: (date(2026, 3, 11), 1000),
        2: (date(2026, 3, 12), 2000),
        3: (date(2026, 3, 11), 3000),
        4: (date(2026, 3, 12), 4000),
        7: (date(2026, 3, 10), 7000),
    }
    names = queue.nomes
    assert dict(queue.rotulos) == {
        1: f"{names[501]} · Um",
        2: f"{names[SEM_PESSOA]} · Dois",
        3: f"{names[502]} · ",
        4: f"{names[502]} · NF 4",
        5: f"{names[502]} · NF 5",
        7: f"{names[502]} · NF 7",
    }


def test_the_golden_company_walked_over() -> None:
    position = make_golden()
    queue = build_queue(position)
    titulos = position.titulos
    counted = titulos[(titulos["tipo"] == "R") & ~titulos["transferencia"] & ~titulos["fora_resultado"]]
    paid = counted[counted["pago"]]
    walked = {
        number: (day.date(), amount)
        for number, day, amount in records_of(paid, "titulo_id", "data_pagamento", "valor_centavos")
    }
    assert dict(queue.recebido_titulo) == walked
    assert walked
    assert set(queue.rotulos) == set(counted["titulo_id"].tolist())
    found = {titulo: (day, amount) for payments in queue.recebidos.values() for day, amount, titulo in payments}
    assert found == walked


def test_what_is_late_within_its_days_of_grace_is_owed_and_not_yet_effective() -> None:
    """Due on a Saturday, it may be paid on D, a Monday."""
    entries = [
        {**BASE, "id": number, "pessoa_id": 501, "valor": "9.00", "data_vencimento": f"2026-03-{day}"}
        for number, day in ((1, 14), (2, 10))
    ]
    debts = build_queue(make_position(entries)).titulos
    assert {debt.titulo_id: (debt.a_receber, debt.efetivo) for debt in debts} == {1: (True, False), 2: (True, True)}


def test_nobody_is_called_about_a_day_that_looks_mistyped() -> None:
    """Of two late ones, one lies 31 days before its competence (Q43)."""
    entries = [
        {
            **BASE,
            "id": number,
            "pessoa_id": 501,
            "valor": "9.00",
            "data_vencimento": "2026-03-10",
            "data_competencia": day,
        }
        for number, day in ((1, "2026-04-10"), (2, "2026-04-09"))
    ]
    clients = build_queue(make_position(entries)).clientes
    assert [debt.titulo_id for client in clients for debt in client.debts] == [2]


def test_namesakes_have_their_id_beside_the_name_and_a_letter_calls_each_by_it() -> None:
    position, told = make_namesakes()
    queue = build_queue(position)
    empresa = Empresa("ipe", "Ipê", "https://servico.exemplo", "TOKEN")
    (table, *_) = build_desk(queue, [], empresa, STAMP, DeskMemory(COBRANCA, "a/1"), ()).sheets[0].sections
    places = {column.header: place for place, column in enumerate(table.columns)}
    assert [row.cells[places["Cliente"]] for row in table.rows] == [*told]
    letter = table.rows[0].cells[places["E-mail"]]
    assert isinstance(letter, Link)
    assert f"{quote('Tintas Boa Vista')}.%20" in str(letter.url)


def test_lists_end_with_what_is_noted_among_them_and_say_where_the_rest_is() -> None:
    """1011 is 96 days late and R$ 2,400, 1012 neither late nor as large."""
    own = build_queue(make_golden())
    own = replace(own, titulos=tuple(replace(each, tem_cobranca=False) for each in own.titulos))
    more = "; e mais 1 em mart.a_receber (lastro sql) e tbl_titulos (dados)"

    def show(notes: list[Note], most: int) -> list[tuple[str, list[Any]]]:
        empresa = Empresa("ipe", "Ipê", "https://servico.exemplo", "TOKEN")
        sheets = build_desk(own, notes, empresa, STAMP, DeskMemory(COBRANCA, "a/1"), (), most).sheets[1:3]
        tables = [sheet.sections[0] for sheet in sheets]
        return [(str(one.title)[-len(more) :], [*one.cells_of("titulo_id", one.rows)]) for one in tables]

    noted = [note(1012, 12, 20, tipo=TITULO)]
    assert show([], 1) == [(more, [1011])] * 2
    assert show(noted, 1) == [(more, [1012])] * 2
    assert [found for _, found in show(noted, 2)] == [[1011, 1012]] * 2
    assert not any(title == more for title, _ in show(noted, 2))


def test_a_link_holds_the_text_as_it_was_written() -> None:
    text = "Olá, D'Ávila & Filhos: R$ 1.234,56 (100%)\nAté já! 😀"
    assert parse_qs(urlsplit(link_whatsapp("5511987654321", text)).query)["text"] == [text]
    link = link_email("a+b@exemplo.com.br", "Assunto é?", text)
    assert link.startswith("mailto:a%2Bb@exemplo.com.br?subject=Assunto%20%C3%A9%3F&body=")
    assert unquote(link.split("&body=")[1]) == text


def test_a_text_too_long_for_a_link_is_cut_at_a_word() -> None:
    link = link_whatsapp("5511987654321", "ação " * 2000)
    assert len(link) <= MAX_URL
    assert unquote(link).endswith("ação…")
    assert len(link_whatsapp("5511987654321", "ç" * 5000)) <= MAX_URL


@pytest.mark.parametrize("text", ["", "n/d", "123", "(11) 555", "+1 212 555 0100 99999"])
def test_what_is_no_number_is_no_link(text: str) -> None:
    assert find_phone(text) == ""


def test_every_usual_step_has_a_text_and_the_settings_win() -> None:
    assert len({choose_text(step.nome, {}) for step in REGUA}) == 4
    assert choose_text("Contato", {"Contato": "Oi"}) == "Oi"
    assert "{cliente}" in choose_text("Etapa minha", {})


def test_one_text_carries_a_link_for_each_slip_the_oldest_first_and_says_of_which() -> None:
    first = debt(1, 501, date(2025, 10, 18), 5_531_81, "https://b/1")
    second, without = debt(2, 501, 2, 200_00, "https://b/2"), debt(3, 501, date(2026, 1, 2), 9_99, "")
    assert write_slip_links((second,)) == "https://b/2"
    assert write_slip_links((second, without, first)) == (
        "Link do título de 18/10/2025, R$ 5.531,81: https://b/1\nLink do título de 02/03/2026, R$ 200,00: https://b/2"
    )
    many = [debt(number, 501, 1, 1_00, f"https://b/{number}") for number in range(MAX_SLIPS + 2)]
    assert write_slip_links(many).splitlines()[MAX_SLIPS:] == ["e mais 2 links: peça-nos"]
    assert write_slip_links((without,)) == ""
