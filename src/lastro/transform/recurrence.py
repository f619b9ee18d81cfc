"""Endless series: entries that the service has not generated yet (S10, Q12).

Belongs here: which occurrences are missing and what they are estimated at. Does not belong here: real entries; a
planned occurrence is an estimate beside a projection and enters no figure.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

import pandas as pd

from lastro.calendar import add_months

PERIODICIDADES = ("D7", "D15", "M1", "M2", "M3", "M6", "M12")
"""The codes whose length is known; any other gives no estimate (S10)."""
PLANNED_COLUMNS = {
    "serie": "object",
    "ultimo_titulo_id": "int64",
    "grupo_id": "Int64",
    "conta_id": "Int64",
    "categoria_id": "Int64",
    "pessoa_id": "Int64",
    "descricao": "object",
    "periodicidade": "object",
    "data_vencimento": "datetime64[us]",
    "valor_centavos": "int64",
}
_CODE = re.compile(r"^([DM])([1-9][0-9]*)$")


def shift_periods(day: date, periodicidade: str, count: int) -> date | None:
    """Move a due date by whole periods: D7 = 7 days, D15 = 15 days, Mn = n months, clamped to the month's end (S10).

    Returns:
        The date, or None for a code whose length is not known.

    >>> shift_periods(date(2026, 1, 31), "M1", 1), shift_periods(date(2026, 1, 31), "X9", 1)
    (datetime.date(2026, 2, 28), None)
    """
    match = _CODE.match(periodicidade) if periodicidade in PERIODICIDADES else None
    if match is None:
        return None
    length = int(match[2]) * count
    return day + timedelta(days=length) if match[1] == "D" else add_months(day, length)


def find_last_of_endless(titulos: pd.DataFrame) -> pd.DataFrame:
    """Find the last título of every endless series: `periodicidade` set and `total_repeticoes` null (S10).

    Args:
        titulos: grain título; a series is a `grupo_id`, or a título of its own when it has none.

    Returns:
        One row per series with the columns of `titulos` that a plan takes over and `serie` ("g<grupo_id>" or
        "t<titulo_id>"), sorted by `titulo_id`; transfers are left out. The last one is the latest due date, ties to
        the highest id.
    """
    codes = titulos["periodicidade"]
    coded = codes.isin([code for code in codes.dropna().unique() if str(code).strip()])
    chosen = ~titulos["transferencia"] & titulos["data_vencimento"].notna() & (titulos["grupo_id"].notna() | coded)
    order = titulos.loc[chosen, ["grupo_id", "data_vencimento", "titulo_id"]]
    order = order.assign(sozinho=order["titulo_id"].where(order["grupo_id"].isna(), 0))
    order = order.sort_values(["data_vencimento", "titulo_id"], kind="stable")
    last = order.drop_duplicates(["grupo_id", "sozinho"], keep="last").index
    endless = last[(coded[last] & titulos.loc[last, "total_repeticoes"].isna()).to_numpy()]
    planned: pd.DataFrame = titulos.loc[
        endless, ["titulo_id", *(name for name in PLANNED_COLUMNS if name in titulos.columns)]
    ]
    planned = planned.sort_values("titulo_id")
    serie = [
        f"t{titulo}" if pd.isna(grupo) else f"g{grupo}"
        for grupo, titulo in zip(planned["grupo_id"], planned["titulo_id"], strict=True)
    ]
    return planned.assign(serie=serie).reset_index(drop=True)


def plan_endless_series(series: pd.DataFrame, first: date, last: date) -> pd.DataFrame:
    """Plan the occurrences of endless series that are not generated and fall due in [first, last] (S10, Q12).

    Args:
        series: result of `find_last_of_endless`; not mutated.
        first: earliest due date to return; D, for an occurrence missing before D is no future cash.
        last: end of the horizon, included.

    Returns:
        Grain occurrence: `serie`, `ultimo_titulo_id` (whose value is the estimate), its dimensions, `data_vencimento`,
        `valor_centavos` (signed); sorted by due date, then series. Empty when nothing is missing.
    """
    rows = []
    for serie in series.to_dict("records"):
        due, code = pd.Timestamp(serie["data_vencimento"]).date(), str(serie["periodicidade"]).strip()
        count = 1
        while (day := shift_periods(due, code, count)) is not None and day <= last:
            count += 1
            if day >= first:
                rows.append(
                    {
                        **{name: serie.get(name) for name in PLANNED_COLUMNS},
                        "ultimo_titulo_id": serie["titulo_id"],
                        "periodicidade": code,
                        "data_vencimento": pd.Timestamp(day),
                    }
                )
    planned = pd.DataFrame(rows, columns=list(PLANNED_COLUMNS), dtype=object).astype(PLANNED_COLUMNS)
    return planned.sort_values(["data_vencimento", "serie"], kind="stable").reset_index(drop=True)
