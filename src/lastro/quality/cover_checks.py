"""What R00 asks for today (F1 to F6) and its trend, against direct sums; part of V06 (S15)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.money import to_decimal
from lastro.quality.cash_tables import Reports
from lastro.quality.printed import Found, find_table, read_columns
from lastro.quality.tally import Tally

if TYPE_CHECKING:
    from lastro.transform.position import Position

RULES: Final = ("F1", "F2", "F3", "F4", "F5", "F6")
SHARE: Final = 80
MOST: Final = 10


def compare_to_do(tally: Tally, position: Position, reports: Reports, kpis: Mapping[Found, Found]) -> None:
    """Compare FAZER HOJE: order, threshold, and the amounts of F1, F2 and F4 added again, F5 at least the overdue."""
    table = find_table(reports, "fazer_hoje")
    if table is None:
        return
    rows = read_columns(table, "ordem", "regra", "qtde", "valor")
    amounts: dict[Found, Found] = {regra: valor for _, regra, _, valor in rows}
    tally.compare("Fazer hoje · ordem", ",".join(map(str, range(1, len(rows) + 1))), ",".join(str(r[0]) for r in rows))
    tally.fail(f"Fazer hoje · {regra}" for regra in amounts if regra not in RULES)
    for _, regra, count, _ in rows:
        if not isinstance(count, int) or count < 1:
            tally.fail([f"Fazer hoje · {regra} · quantidade"])
    values = [valor for *_, valor in rows]
    tally.fail(["Fazer hoje · maior primeiro"] if values != sorted(values, reverse=True) else [])
    minimum = position.parametros.fazer_minimo
    for regra, want in _expect(position, kpis).items():
        tally.compare(f"Fazer hoje · {regra}", want if want >= minimum and want else None, amounts.get(regra))
    # F5 holds what is overdue, and what no projection covers besides.
    late, decided = kpis.get("vencido_efetivo_a_pagar"), amounts.get("F5")
    if isinstance(late, Decimal) and late and -late >= minimum:
        tally.fail(["Fazer hoje · F5"] if not isinstance(decided, Decimal) or decided < -late else [])


def _expect(position: Position, kpis: Mapping[Found, Found]) -> dict[str, Decimal]:
    titulos = position.titulos
    opened = titulos[~titulos["pago"] & ~titulos["transferencia"]]
    owed: dict[object, int] = {}
    columns = ("pessoa_id", "tipo", "vencido", "em_carencia", "fora_resultado", "valor_centavos")
    for person, tipo, late, grace, outside, centavos in zip(*(opened[name] for name in columns), strict=True):
        if tipo == "R" and late and not grace and not outside:
            key = None if pd.isna(person) else int(person)
            owed[key] = owed.get(key, 0) + int(centavos)
    whole, reached = sum(owed.values()), 0
    for value in sorted(owed.values(), reverse=True)[:MOST]:
        if reached * 100 < whole * SHARE:
            reached += value
    bare = [kpis.get(f"sem_cobranca_{part}_valor") for part in ("vencidos", "7_dias")]
    links = position.cobranca_titulos.merge(position.cobrancas, on="cobranca_id", validate="m:1")
    announced = links["data_a_transferir"] >= pd.Timestamp(position.data_base)
    due = links[links["viva"] & links["paga"] & ~(announced & (links["rank"] < 5))]
    unsettled = titulos[~titulos["pago"] & titulos["titulo_id"].isin(due["titulo_id"])]
    return {
        "F1": to_decimal(reached),
        "F2": sum((value for value in bare if isinstance(value, Decimal)), start=Decimal("0.00")),
        "F4": abs(to_decimal(int(unsettled["valor_centavos"].sum()))),
    }


def compare_trend(tally: Tally, position: Position, reports: Reports, kpis: Mapping[Found, Found]) -> None:
    """The trend ends with the indicators of this report; a day has one place."""
    table = find_table(reports, "kpis_tendencia")
    if table is None:
        return
    rows = read_columns(table, "kpi", "ordem", "data_base", "valor")
    last: dict[Found, Found] = {kpi: valor for kpi, _, day, valor in rows if day == position.data_base}
    for kpi, value in kpis.items():
        if value is not None:
            tally.compare(f"Tendência · {kpi}", value, last.get(kpi))
    tally.compare("Tendência · indicadores", sum(value is not None for value in kpis.values()), len(last))
    places = {(order, day) for _, order, day, _ in rows}
    days = sorted({day for _, day in places})
    tally.fail(["Tendência · ordem"] if places != set(enumerate(days, 1)) else [])
