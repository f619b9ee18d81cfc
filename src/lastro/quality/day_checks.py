"""V03: days add up to months, to their printed subtotals and to whole weeks (S15)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from lastro.calendar import iter_days, month_end, month_start, week_start
from lastro.grid.model import Style
from lastro.grid.verdict import Outcome
from lastro.quality.cash_tables import DAY_NAMES, Reports, read_r04
from lastro.quality.printed import Found, find_section, find_table, month_text, read_columns, sum_money
from lastro.quality.tally import Tally

if TYPE_CHECKING:
    from lastro.transform.position import Position


def check_v03(position: Position, reports: Reports) -> Outcome:
    """V03: the days of R02 add to the months of R04, to their printed subtotals, and to the whole weeks of R03."""
    tally = Tally()
    table = find_table(reports, "fluxo_diario")
    if table is None:
        return tally.close()
    days = {row[0]: row[1:] for row in read_columns(table, "dia", *DAY_NAMES[1:])}
    tally.compare("dias do Fluxo diário", len(days), len(table.rows))
    if not days:
        return tally.close()
    first, last = min(days), max(days)
    tally.compare("Fluxo diário · primeiro dia", str(month_start(position.data_base)), str(first))
    expected_last = position.data_base + timedelta(days=position.parametros.horizonte["dias"] - 1)
    tally.compare("Fluxo diário · último dia", str(expected_last), str(last))
    missing = [day for day in iter_days(first, last) if day not in days]
    tally.fail(f"dia {day}" for day in missing)
    _days_to_months(tally, reports, days, last)
    section = find_section(reports, "fluxo_diario")
    if section is not None:
        subtotals = [row for row in section.rows if row.style is Style.SUBTOTAL]
        months = {month_start(day) for day in days}
        tally.compare("Fluxo diário · totais por mês", len(months), len(subtotals))
    _days_to_weeks(tally, reports, days, first, last)
    return tally.close()


def _add_days(days: Mapping[date, tuple[Found, ...]], first: date, last: date) -> tuple[Decimal, ...]:
    rows = [values for day, values in days.items() if first <= day <= last]
    return tuple(sum_money(column) for column in zip(*rows, strict=True)) if rows else ()


def _days_to_months(tally: Tally, reports: Reports, days: Mapping[date, tuple[Found, ...]], last: date) -> None:
    months: dict[date, dict[str, Decimal]] = {}
    for (mes, _), nodes in read_r04(reports).items():
        sums = months.setdefault(mes, {})
        for code, level, _, _, value in nodes:
            if level == 0:
                sums[code] = sums.get(code, Decimal("0.00")) + value
    for mes in sorted({month_start(day) for day in days}):
        if mes not in months or month_end(mes) > last:
            continue
        implanted, in_real, out_real, in_plan, out_plan, fora, transfers = _add_days(days, mes, month_end(mes))
        for code, value in (
            ("saldos_implantados", implanted),
            ("entradas", in_real + in_plan),
            ("saidas", out_real + out_plan),
            ("nao_operacional", fora),
            ("transferencias", transfers),
        ):
            tally.compare(f"{month_text(mes)} · {code}", months[mes].get(code), value)


def _days_to_weeks(
    tally: Tally, reports: Reports, days: Mapping[date, tuple[Found, ...]], first: date, last: date
) -> None:
    table = find_table(reports, "fluxo_semanal")
    if table is None:
        return
    weeks = {row[0]: row[1:] for row in read_columns(table, "inicio", *DAY_NAMES[1:])}
    monday = week_start(first)
    while monday <= last:
        if monday >= first and monday + timedelta(days=6) <= last:
            found = weeks.get(monday, ())
            for name, want, have in zip(
                DAY_NAMES[1:], _add_days(days, monday, monday + timedelta(days=6)), found, strict=False
            ):
                tally.compare(f"semana {monday} · {name}", want, have)
            if not found and monday <= max(weeks, default=last):
                tally.fail([f"semana {monday}"])
        monday += timedelta(days=7)
