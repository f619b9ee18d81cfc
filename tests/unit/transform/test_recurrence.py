"""S10: what endless series have not generated yet."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from lastro.transform.recurrence import find_last_of_endless, plan_endless_series, shift_periods
from tests.builders import build_frame


def titulos(*rows: dict[str, Any]) -> pd.DataFrame:
    base = {
        "conta_id": 101, "categoria_id": 21, "descricao": "Aluguel", "periodicidade": "M1", "valor": "-100.00",
    }  # fmt: skip
    return build_frame("position.titulos", [{**base, "titulo_id": n, **row} for n, row in enumerate(rows, 1)])


def plan(titulos: pd.DataFrame, first: date, last: date) -> pd.DataFrame:
    return plan_endless_series(find_last_of_endless(titulos), first, last)


@pytest.mark.parametrize(
    ("code", "count", "expected"),
    [
        ("D7", 2, date(2026, 2, 14)),
        ("D15", 1, date(2026, 2, 15)),
        ("M1", 1, date(2026, 2, 28)),
        ("M2", 1, date(2026, 3, 31)),
        ("M3", 1, date(2026, 4, 30)),
        ("M6", 1, date(2026, 7, 31)),
        ("M12", 2, date(2028, 1, 31)),
        ("M4", 1, None),
        ("", 1, None),
    ],
)
def test_periods(code: str, count: int, expected: date | None) -> None:
    assert shift_periods(date(2026, 1, 31), code, count) == expected


def test_plans_from_the_last_entry_at_its_value() -> None:
    planned = plan(
        titulos(
            {"data_vencimento": "2026-02-28", "grupo_id": 7, "valor_centavos": -12000},
            {"data_vencimento": "2026-01-31", "grupo_id": 7},
        ),
        date(2026, 3, 1),
        date(2026, 5, 31),
    )
    # From 28/02, not from 31/01: the last entry's day counts.
    assert [day.date() for day in planned["data_vencimento"]] == [
        date(2026, 3, 28), date(2026, 4, 28), date(2026, 5, 28),
    ]  # fmt: skip
    assert planned["valor_centavos"].tolist() == [-12000] * 3
    assert set(planned["ultimo_titulo_id"]) == {1}


def test_leaves_out_what_has_an_end_no_code_or_no_money_from_outside() -> None:
    planned = plan(
        titulos(
            {"data_vencimento": "2026-02-28", "grupo_id": 7, "total_repeticoes": 3},
            {"data_vencimento": "2026-02-28", "grupo_id": 8, "periodicidade": None},
            {"data_vencimento": "2026-02-28", "grupo_id": 9, "transferencia": True},
            {"data_vencimento": "2026-02-28", "periodicidade": "X1"},
        ),
        date(2026, 3, 1),
        date(2026, 12, 31),
    )
    assert planned.empty
    assert str(planned["valor_centavos"].dtype) == "int64"


def test_series_of_one_entry_without_group_and_nothing_before_the_first_day() -> None:
    planned = plan(titulos({"data_vencimento": "2026-01-05"}), date(2026, 3, 1), date(2026, 4, 30))
    assert planned["data_vencimento"].dt.date.tolist() == [date(2026, 3, 5), date(2026, 4, 5)]
    assert planned["serie"].tolist() == ["t1", "t1"]
