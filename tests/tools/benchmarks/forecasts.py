"""How good is the forecast of cash? 200 made-up companies, forecast on every Monday of two years.

`python -m tests.tools.benchmarks.forecasts [--companies N] [--jobs N]` says the table of the manual (R23): the mean
absolute error at some horizons, as a part of what the booked entries alone would have missed and of what the naive
"same weeks last year" would have, and how many outcomes lay inside the band. A company has some categories, each of
which moves in amounts of a month; a part of them is booked weeks ahead, the rest on the day. What is known of a company
on a Monday is what was booked by then; nothing of the future is looked at. Seeded: the same table every time.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import pandas as pd

from lastro.analysis.expectation import OPERATING, Realised, RunningSums, build_forecast
from lastro.analysis.forecast_record import Measured, complete, foretell, measure
from lastro.calendar import BusinessCalendar, iter_months, month_end
from lastro.transform.position import ENTRADAS, SAIDAS
from tests.tools.benchmarks.processes import tell as write

PROFILES: Final = ("estável", "sazonal", "crescente", "irregular", "com quebra")
HORIZONS: Final = (1, 4, 8, 13)
FIRST_MONTH, FIRST_MONDAY = date(2022, 1, 1), date(2023, 9, 4)
MONDAYS: Final = tuple(FIRST_MONDAY + timedelta(days=7 * week) for week in range(104))
END: Final = MONDAYS[-1] + timedelta(days=7 * 14)
SEASON: Final = (80, 75, 90, 95, 100, 95, 90, 95, 105, 110, 130, 160)
"""Percent of a seasonal company's usual month, January first."""


@dataclass(frozen=True)
class Missed:
    """What one forecast of one horizon missed, in centavos, by three ways, and whether the band held it."""

    profile: str
    horizon: int
    model: int
    booked: int
    naive: int
    inside: bool | None


def make_entries(profile: str, chance: random.Random) -> pd.DataFrame:
    """Make the entries of a company: data (payment), sabido (booked since), classe, categoria_id, valor_centavos."""
    rows = []
    for number in range(1, 13):
        classe = ENTRADAS if number <= 4 else SAIDAS
        usual = chance.randint(500, 3000) * 100 if classe == ENTRADAS else -chance.randint(150, 1100) * 100
        day, early, noise = chance.randint(1, 26), chance.random() < 0.4, chance.choice((3, 10, 25))
        for place, month in enumerate(iter_months(FIRST_MONTH, END)):
            percent = _share(profile, classe, place, month, chance) * chance.randint(100 - noise, 100 + noise) // 100
            if not percent:
                continue
            paid = min(month + timedelta(days=day - 1 + chance.randint(-2, 4)), month_end(month))
            paid = max(paid, month)
            known = paid - timedelta(days=chance.randint(20, 75)) if early or chance.random() < 0.25 else paid
            rows.append((paid, known, classe, number, usual * percent // 100))
    frame = pd.DataFrame(rows, columns=["data", "sabido", "classe", "categoria_id", "valor_centavos"])
    return frame.astype({"data": "datetime64[us]", "sabido": "datetime64[us]", "categoria_id": "Int64"})


def _share(profile: str, classe: str, place: int, month: date, chance: random.Random) -> int:
    """Return which percent of its usual month a category moves."""
    if profile == "sazonal":
        return SEASON[month.month - 1] if classe == ENTRADAS else 100
    if profile == "crescente":
        return 100 + 2 * place
    if profile == "irregular":
        return chance.choice((0, 0, 40, 120, 340)) if chance.random() < 0.6 else 100
    if profile == "com quebra":
        return 100 if month < date(2024, 9, 1) or classe == SAIDAS else 60
    return 100


def follow(entries: pd.DataFrame, calendario: BusinessCalendar) -> Iterable[tuple[Measured, int, int]]:
    """Forecast on every Monday; each forecast with what the booked entries alone and last year's weeks said."""
    paid = entries[["data", "classe", "categoria_id", "valor_centavos"]]
    moved, realised = RunningSums(paid), Realised(paid)
    for monday in MONDAYS:
        day = pd.Timestamp(monday)
        ahead = entries.loc[(entries["sabido"] <= day) & (entries["data"] > day), paid.columns]
        forecast = build_forecast(monday, calendario, ahead, realised.until(monday))
        year_before = monday - timedelta(days=364)
        for one in complete(foretell(forecast, moved, "gravada"), moved, END):
            booked = ahead.loc[(ahead["data"] <= pd.Timestamp(one.fim)) & ahead["classe"].isin(OPERATING)]
            naive = moved.between(year_before + timedelta(days=1), one.fim - timedelta(days=364))
            yield one, int(booked["valor_centavos"].sum()), naive


def simulate(profile: str, seed: int) -> list[Missed]:
    """Follow one company; its errors count once the record has a band to hold them against."""
    calendario = BusinessCalendar()
    made = list(follow(make_entries(profile, random.Random(seed)), calendario))  # noqa: S311 - a made-up company
    forecasts = [one for one, *_ in made]
    records = {monday: measure([one for one in forecasts if one.data_base < monday], monday) for monday in MONDAYS}
    missed = []
    for one, booked, naive in made:
        if one.horizonte not in HORIZONS or one.realizado is None or one.erro is None:
            continue
        record = records[one.data_base][one.horizonte - 1]
        band = record.faixa
        inside = band.lower <= one.erro <= band.upper if band else None
        missed.append(
            Missed(profile, one.horizonte, abs(one.erro - record.correcao), abs(one.realizado - booked),
                   abs(one.realizado - naive), inside)
        )  # fmt: skip
    return missed


def tell(missed: Sequence[Missed]) -> None:
    """Print one row per profile and horizon, and the whole last."""
    groups: dict[tuple[str, int], list[Missed]] = defaultdict(list)
    for one in missed:
        if one.inside is not None:
            groups[one.profile, one.horizon].append(one)
            groups["todas", one.horizon].append(one)
    write("| empresas | semanas | previsões | erro / só o lançado | erro / ano anterior | dentro da faixa |")
    write("|---|---|---|---|---|---|")
    for profile in (*PROFILES, "todas"):
        for horizon in HORIZONS:
            some = groups[profile, horizon]
            model = sum(one.model for one in some)
            booked, naive = (
                100 * model // max(1, sum(getattr(one, way) for one in some)) for way in ("booked", "naive")
            )
            inside = 100 * sum(bool(one.inside) for one in some) // max(1, len(some))
            write(f"| {profile} | {horizon} | {len(some)} | {booked} % | {naive} % | {inside} % |")


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--companies", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    names = [PROFILES[number % len(PROFILES)] for number in range(options.companies)]
    with ProcessPoolExecutor(options.jobs) as pool:
        found = [one for some in pool.map(simulate, names, range(options.companies), chunksize=1) for one in some]
    tell(found)


if __name__ == "__main__":
    main()
