"""How payers pay: habits, pushed due dates and expected days, all numbers by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from lastro.reports.r12_people import SPEC as R12
from lastro.settings import Parametros
from lastro.transform.habits import EMPRESA, FORMA, PAGADOR, SEM_PAGOS, expect_days, find_habits
from tests.unit.reports.positions import COBRANCA, make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import view_of

BOLETO, PIX = 301, 303


def receivable(number: int, pessoa: int, valor: str, due: str, paid: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "conta_id": 101, "categoria_id": 11, "pessoa_id": pessoa, "valor": valor,
        "data_vencimento": due, "data_pagamento": paid, "data_competencia": due, "forma_pagamento_id": BOLETO, **more,
    }  # fmt: skip


PAID = [
    receivable(1, 501, "100.00", "2026-01-10", "2026-01-20"),  # 10 late
    receivable(2, 501, "100.00", "2026-01-15", "2026-01-15"),  # on time, but its due date was moved from 05/01
    receivable(3, 501, "200.00", "2026-02-10", "2026-02-15"),  # 5 late
    receivable(4, 502, "600.00", "2026-02-01", "2026-01-31", forma_pagamento_id=PIX),  # 1 early
    receivable(5, 501, "999.00", "2024-01-01", "2025-03-16"),  # paid on D-365: outside the window
]
OPEN = [
    receivable(11, 501, "50.00", "2026-03-20"),
    receivable(12, 502, "70.00", "2026-03-16", forma_pagamento_id=PIX),
    receivable(13, 602, "30.00", "2026-03-10"),  # 6 days overdue, never paid anything
    receivable(14, 501, "40.00", "2026-03-01"),  # 15 days overdue: beyond the habit
]


def seen(*rows: tuple[int, str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["titulo_id", "data_extracao", "data_vencimento"])
    return frame.astype({"titulo_id": "int64", "data_extracao": "datetime64[us]", "data_vencimento": "datetime64[us]"})


HISTORY = seen((2, "2026-01-02", "2026-01-05"), (2, "2026-01-05", "2026-01-12"), (2, "2026-01-12", "2026-01-15"))


def payers(habits: Any) -> dict[Any, dict[str, Any]]:
    return {row["pessoa_id"]: row for row in habits.pagadores.to_dict("records")}


def test_late_days_and_habit_without_history() -> None:
    habits = find_habits(make_position([*PAID, *OPEN]))
    azul, beta, epsilon = (payers(habits)[number] for number in (501, 502, 602))
    # 501: (100 x 10 + 100 x 0 + 200 x 5 + 40 x 15, still open) / 440 = 5.9 days
    assert (azul["titulos_pagos"], azul["valor_pago_centavos"], azul["pagos_com_atraso"]) == (3, 40000, 2)
    assert (azul["habito_dias"], azul["habito_base"], azul["maior_atraso"]) == (6, PAGADOR, 10)
    # all payers: (2600 + 30 x 6 - 600) / 1070 = 2.04; of 502, and of PIX, one título fell due: the company's
    assert (beta["habito_dias"], beta["habito_base"]) == (2, EMPRESA)
    # of 602 one fell due, its títulos are boletos: (2600 + 180) / 470 = 5.9
    assert (epsilon["habito_dias"], epsilon["habito_base"], epsilon["a_receber_centavos"]) == (6, FORMA, 3000)
    assert habits.empresa_dias == 2
    assert not habits.com_historico
    assert azul["adiamentos"] == 0


def test_a_pushed_due_date_counts_from_the_first_one_seen() -> None:
    habits = find_habits(replace(make_position([*PAID, *OPEN]), vencimentos=HISTORY))
    azul = payers(habits)[501]
    assert (azul["titulos_adiados"], azul["adiamentos"], azul["dias_adiados"]) == (1, 2, 10)
    # título 2 was paid 10 days after its first due date: (1000 + 1000 + 1000 + 600) / 440 = 8.2
    assert azul["habito_dias"] == 8
    assert azul["valor_dias"] == 200000  # against the present due date nothing changed: 2000.00 x days
    assert habits.com_historico


def test_a_due_date_that_came_forward_is_no_push_and_later_runs_do_not_leak() -> None:
    history = seen((3, "2026-01-02", "2026-02-20"), (3, "2026-01-05", "2026-02-10"), (1, "2026-03-17", "2026-04-10"))
    azul = payers(find_habits(replace(make_position([*PAID, *OPEN]), vencimentos=history)))[501]
    assert (azul["adiamentos"], azul["dias_adiados"]) == (0, 0)


def expected_days(**more: Any) -> dict[int, date | None]:
    position = make_position([*PAID, *OPEN], **more)
    frame = expect_days(position, find_habits(position))
    return {
        row["titulo_id"]: None if pd.isna(row["data_habito"]) else row["data_habito"].date()
        for row in frame.to_dict("records")
    }


def test_open_receivables_come_by_their_payers_habit() -> None:
    assert expected_days() == {
        11: date(2026, 3, 26),  # 20/03 + 6
        12: date(2026, 3, 18),  # 16/03 + 2
        13: date(2026, 3, 16),  # 10/03 + 6
        14: None,
    }


def test_a_paid_charge_is_money_on_its_way() -> None:
    charge = {**COBRANCA, "id": 9, "valor": "40.00", "valor_pago": "40.00", "status_descricao": "Cliente pagou",
              "lancamento_ids": "14", "data_vencimento": "2026-03-01", "data_a_transferir": "2026-03-18"}  # fmt: skip
    assert expected_days(cobrancas=[charge])[14] == date(2026, 3, 18)
    assert expected_days(cobrancas=[{**charge, "data_a_transferir": None}])[14] == date(2026, 3, 16)
    again = {**charge, "id": 10, "data_a_transferir": "2026-03-17"}
    assert expected_days(cobrancas=[charge, again])[14] == date(2026, 3, 18)  # whole with the last of them


TEN_LATE = [receivable(n, 501, "100.00", f"2026-01-0{n}", f"2026-01-1{n}") for n in (5, 6, 7)]
TWO_LATE = [receivable(n, 503, "9.00", f"2026-01-0{n}", f"2026-01-0{n + 2}", forma_pagamento_id=PIX) for n in (1, 2, 3)]
MISTYPED = {"data_competencia": "2026-03-20"}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([], date(2026, 3, 30)),
        # Due 180 days ago, and 55 days ago by a day that looks mistyped (Q43): neither says how 501 pays.
        ([receivable(8, 501, "100.00", "2025-09-17", "2025-12-26")], date(2026, 3, 30)),
        ([receivable(8, 501, "100.00", "2026-01-20", **MISTYPED)], date(2026, 3, 30)),
        # A loan to receive has no habit, a post-dated payment its day, and one of what is past due none.
        ([receivable(12, 501, "1.00", "2026-03-20", categoria_id=30)], date(2026, 3, 20)),
        ([receivable(12, 501, "1.00", "2026-03-20", "2026-03-24")], date(2026, 3, 24)),
        ([receivable(12, 501, "1.00", "2026-03-10", "2026-03-24")], None),
        # Of two methods as usual as each other the one with the lower id: 10 days late, and not 2.
        ([*TWO_LATE, receivable(9, 502, "1.00", "2026-03-20"),
          receivable(12, 502, "1.00", "2026-03-20", forma_pagamento_id=PIX)], date(2026, 3, 30)),
    ],
)  # fmt: skip
def test_what_says_nothing_of_a_habit_and_what_has_none(more: list[dict[str, Any]], expected: date | None) -> None:
    """501 pays ten days late by slip; the last of the receivables is looked at."""
    entries = [*TEN_LATE, receivable(11, 501, "50.00", "2026-03-20"), *more]
    position = make_position(entries, parametros=Parametros(dre_mapa={30: "fora"}))
    day = expect_days(position, find_habits(position)).set_index("titulo_id")["data_habito"].iloc[-1]
    assert (None if pd.isna(day) else day.date()) == expected


def test_a_pushed_due_date_is_at_least_kept() -> None:
    position = make_position([*PAID, receivable(11, 501, "50.00", "2026-04-20")])
    history = seen((11, "2026-03-01", "2026-03-20"), (11, "2026-03-10", "2026-04-20"))
    pushed = replace(position, vencimentos=history)
    frame = expect_days(pushed, find_habits(pushed))
    assert frame["data_habito"].iloc[0] == pd.Timestamp("2026-04-20")  # 20/03 + 5 lies before what was agreed


@pytest.mark.parametrize("typed", ["2025-04-20", "2062-04-20"])
def test_a_mistyped_year_that_was_corrected_was_never_agreed(typed: str) -> None:
    position = make_position([*PAID, receivable(11, 501, "50.00", "2026-04-20")])
    mended = replace(position, vencimentos=seen((11, "2026-03-01", typed), (11, "2026-03-10", "2026-04-20")))
    habits = find_habits(mended)
    assert (payers(habits)[501]["adiamentos"], payers(habits)[501]["dias_adiados"]) == (0, 0)
    assert expect_days(mended, habits)["data_habito"].iloc[0] == pd.Timestamp("2026-04-27")  # 20/04 + 5, a Saturday


def test_nobody_ever_paid_counts_with_the_days_so_far() -> None:
    position = make_position(OPEN)
    # (30 x 6 + 40 x 15) / 70 = 11.1: two títulos fell due, and the company has a habit from one on
    habits = find_habits(position)
    assert (habits.empresa_dias, set(habits.pagadores["habito_base"])) == (11, {EMPRESA})
    young = make_position(OPEN[:2])
    habits = find_habits(young)
    assert habits.empresa_dias is None
    assert set(habits.pagadores["habito_base"]) == {SEM_PAGOS}
    frame = expect_days(young, habits).set_index("titulo_id")["data_habito"]
    assert frame[11] == pd.Timestamp("2026-03-20")


DRIFT = [
    receivable(1, 501, "1000.00", "2025-12-01", "2025-12-11"),
    receivable(2, 501, "1000.00", "2025-12-10", "2025-12-30"),
    receivable(3, 501, "1000.00", "2026-01-05", "2026-02-04"),
    receivable(4, 501, "3000.00", "2026-01-29"),  # 46 days on 16/03
]


def test_what_is_still_open_is_part_of_the_habit_and_of_its_change() -> None:
    old = receivable(5, 501, "9000.00", "2025-09-16", "2025-12-30")  # fell due 181 days ago, 105 days late
    (azul,) = find_habits(make_position([*DRIFT, old])).pagadores.to_dict("records")
    # (10 + 20 + 30 + 3 x 46) / 6 = 33
    assert (azul["habito_dias"], azul["habito_base"], pd.isna(azul["mudanca_dias"])) == (33, PAGADOR, True)
    # Two within 180 days: the year, (20 + 10 + 9 x 105) / 11 = 88.6
    (azul,) = find_habits(make_position([*DRIFT[:2], old])).pagadores.to_dict("records")
    assert (azul["habito_dias"], azul["habito_base"]) == (89, PAGADOR)
    # On 16/03/2025: 20, 24 and 19 days late, so (20 + 24 + 19) / 3 = 21; the last was paid later, and open then.
    before = [
        receivable(11, 501, "100.00", "2024-12-10", "2024-12-30"),
        receivable(12, 501, "100.00", "2025-01-01", "2025-01-25"),
        receivable(13, 501, "100.00", "2025-02-25", "2025-06-30"),
    ]
    position = make_position([*DRIFT, *before])
    (azul,) = find_habits(position).pagadores.to_dict("records")
    assert (azul["habito_dias"], azul["mudanca_dias"]) == (33, 12)
    (row, _) = records(section(R12.build(view_of(position)), "pessoas_habitos"))
    assert row["Como mudou"] == "paga 12 dias mais tarde que há um ano"
    told = record(table(R12.build(view_of(position)), "pessoas_habitos"), pessoa_id=501)
    assert told["Mudança em um ano"] == 12


def test_a_usual_day_on_a_weekend_is_the_monday() -> None:
    # Four títulos 3 days late; one due on Thursday is expected on Sunday, which for a bank is Monday, D.
    entries = [
        receivable(number, 501, "10.00", f"2026-03-0{number}", f"2026-03-0{number + 3}") for number in range(1, 5)
    ]
    position = make_position([*entries, receivable(11, 501, "0.10", "2026-03-12")])
    frame = expect_days(position, find_habits(position))
    assert frame["data_habito"].tolist() == [pd.Timestamp("2026-03-16")]


def test_no_receivable_at_all() -> None:
    position = make_position([receivable(1, 601, "-5.00", "2026-03-20", categoria_id=21)])
    habits = find_habits(position)
    assert habits.pagadores.empty
    assert expect_days(position, habits).empty
    assert_well_formed(R12.build(view_of(position, known={"habits": habits})))


def test_the_sheet_and_the_table_of_payers() -> None:
    position = make_position([*PAID, *OPEN])
    report = R12.build(view_of(position, known={"habits": find_habits(replace(position, vencimentos=HISTORY))}))
    assert_well_formed(report)
    azul = record(table(report, "pessoas_habitos"), pessoa_id=501)
    assert (azul["Títulos pagos"], azul["% com atraso"], azul["Atraso médio"]) == (
        3, Decimal("66.67"), Decimal("5.0"),
    )  # fmt: skip
    assert (azul["Títulos adiados"], azul["% adiados"], azul["Adiamentos"], azul["Adiamento médio"]) == (
        1, Decimal("20.00"), 2, Decimal("10.0"),
    )  # fmt: skip
    assert (azul["Maior adiamento"], azul["Hábito em dias"], azul["A receber"]) == (10, 8, Decimal("90.00"))
    total = record(section(report, "pessoas_habitos"), pessoa="Total")
    assert (total["Valor pago"], total["A receber"], total["Hábito em dias"]) == (
        Decimal("1000.00"), Decimal("190.00"), 3,  # (3600 + 180 - 600) / 1070 = 2.97
    )  # fmt: skip
    boleto, pix = records(table(report, "pessoas_formas"))[::-1]
    assert (boleto["Id"], boleto["Atraso médio"], boleto["Valor pago"]) == (BOLETO, Decimal("5.0"), Decimal("400.00"))
    assert (pix["Atraso médio"], pix["% com atraso"], pix["Base do hábito"]) == (
        Decimal("-1.0"), Decimal("0.00"), EMPRESA,
    )  # fmt: skip


def test_without_history_pushes_are_blank_not_zero() -> None:
    report = R12.build(view_of(make_golden()))
    azul = record(table(report, "pessoas_habitos"), pessoa_id=501)
    assert (azul["Títulos adiados"], azul["Adiamentos"], azul["% adiados"]) == (None, None, None)
    assert (azul["Títulos pagos"], azul["Atraso médio"]) == (1, Decimal("4.0"))
    # The company's: (5000 x 4 + 2400 x 96 + 1000 x 2) / 8400 = 30.05; R$ 2,400 due on 10/12 are open.
    assert azul["Hábito em dias"] == 30
