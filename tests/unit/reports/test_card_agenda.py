"""R11 (h), the card agenda, by hand on Monday 16/03/2026; V47 adds it up again from the records."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from lastro.grid.workbook import Report
from lastro.quality.runner import open_room
from lastro.reports.r11_charges import SPEC
from lastro.settings import Parametros
from lastro.transform.position import Position
from tests.bare import lay_out_noticed, list_noticed
from tests.damages import list_unseen
from tests.unit.reports.positions import entry as make_entry
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import section, table
from tests.views import run_on, view_of

entry = partial(make_entry, pessoa_id=501)
CARD, ACQUIRER = 302, 502
KEYS = ("situacao", "dia", "adquirente", "qtde", "bruto", "taxas", "liquido", "antecipado", "diferenca")


def charge(number: int, valor: str, taxa: str, status: str, **days: str) -> dict[str, Any]:
    return {
        "id": 90 + number, "conta_id": 101, "valor": valor, "valor_pago": valor, "valor_taxa": taxa,
        "lancamento_ids": str(number), "status_descricao": status, "data_vencimento": "2026-03-02",
        "forma_pagamento_id": CARD, "cliente_id": 501, **days,
    }  # fmt: skip


ENTRIES = (
    entry(1, "100.00", "2026-03-02"),
    entry(2, "50.00", "2026-03-02"),
    entry(3, "80.00", "2026-03-02"),
    entry(4, "60.00", "2026-03-02", "2026-03-10"),
    entry(5, "40.00", "2026-03-02", "2026-01-10"),
    # Passed on without charges: late, to come (28/03 is a Saturday), and received eight days early.
    entry(6, "30.00", "2026-03-12", pessoa_id=ACQUIRER),
    entry(7, "20.00", "2026-03-28", pessoa_id=ACQUIRER),
    entry(8, "70.00", "2026-03-13", "2026-03-05", pessoa_id=ACQUIRER),
)
CHARGES = (
    charge(1, "100.00", "-3.00", "Cliente pagou", data_a_transferir="2026-03-20"),
    charge(2, "50.00", "-1.50", "Transferindo", data_a_transferir="2026-03-20"),
    charge(3, "80.00", "-2.00", "Cliente pagou", data_a_transferir="2026-03-11"),
    charge(4, "60.00", "-2.40", "Transferido", data_a_transferir="2026-04-02", data_transferido="2026-03-10"),
    charge(5, "40.00", "-1.00", "Transferido", data_a_transferir="2026-01-10", data_transferido="2026-01-10"),
)


def books(entries: Any = ENTRIES, cobrancas: Any = CHARGES, **parametros: Any) -> Position:
    given = {"formas": {CARD: "Cartão"}, "formas_sem_cobranca": (CARD,), "pessoas_sem_cobranca": (ACQUIRER,)}
    return make_position(entries, cobrancas=cobrancas, parametros=Parametros(**{**given, **parametros}))


def judge(position: Position, report: Report) -> bool:
    return not run_on("V47", open_room(position, lay_out_noticed(list_noticed(position)), [report]), "").failed


def test_what_acquirers_owe_and_passed_on_by_day() -> None:
    position = books()
    report = SPEC.build(view_of(position))
    assert judge(position, report)
    name, own = position.rotulos.pessoa(ACQUIRER), table(report, "agenda_cartoes")
    found = list(zip(*(own.data[key].cells() for key in KEYS), strict=True))
    money, zero = Decimal, Decimal("0.00")
    assert found == [
        ("atrasado", date(2026, 3, 11), "Cartão", 1, money("80.00"), money("2.00"), money("78.00"), zero, None),
        ("atrasado", date(2026, 3, 12), name, 1, money("30.00"), None, money("30.00"), zero, None),
        ("a receber", date(2026, 3, 20), "Cartão", 2, money("150.00"), money("4.50"), money("145.50"), zero, None),
        ("a receber", date(2026, 3, 30), name, 1, money("20.00"), None, money("20.00"), zero, None),
        ("recebido", date(2026, 3, 5), name, 1, money("70.00"), None, money("70.00"), money("70.00"), None),
        # The entry has 60.00, and 57.60 came: the fee is booked nowhere. January is too long ago.
        ("recebido", date(2026, 3, 10), "Cartão", 1, money("60.00"), money("2.40"), money("57.60"), money("57.60"),
         money("-2.40")),
    ]  # fmt: skip
    totals = [row.cells for row in section(report, "agenda_cartoes").rows[6:]]
    assert [len(totals), totals[0][4], totals[1][6], totals[2][8]] == [
        3,
        money("110.00"),
        money("165.50"),
        money("-2.40"),
    ]


def test_a_day_without_banks_is_late_only_after_the_next_with() -> None:
    """Of 14/03, a Saturday, all can still come on Monday the 16th; of Friday the 13th nothing could come later."""
    days = {9: "2026-03-14", 10: "2026-03-15", 11: "2026-03-13"}
    owed = [entry(number + 10, "30.00", day, pessoa_id=ACQUIRER) for number, day in days.items()]
    position = books(
        [*(entry(number, "50.00", "2026-03-02") for number in days), *owed],
        [charge(number, "50.00", "-1.50", "Cliente pagou", data_a_transferir=day) for number, day in days.items()],
    )
    report = SPEC.build(view_of(position))
    own = table(report, "agenda_cartoes").data
    found = list(zip(*(own[key].cells() for key in ("situacao", "dia", "bruto")), strict=True))
    assert found == [
        (situation, date(2026, 3, day), Decimal(bruto))
        for situation, day in (("atrasado", 13), ("a receber", 14), ("a receber", 15))
        for bruto in ("50.00", "30.00")
    ]
    assert judge(position, report)


def test_a_row_that_is_gone_or_there_twice_and_a_centavo_are_seen() -> None:
    position = books()
    room = open_room(position, lay_out_noticed(list_noticed(position)), [SPEC.build(view_of(position))])
    assert list_unseen("V47", room, "mart.agenda_cartoes", "liquido") == []


def test_without_the_settings_there_is_no_agenda() -> None:
    report = SPEC.build(view_of(books(formas_sem_cobranca=(), pessoas_sem_cobranca=())))
    assert len(table(report, "agenda_cartoes").rows) == 0
    assert "agenda_cartoes" not in [one.name for one in report.sections]
