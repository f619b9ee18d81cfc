"""V27: what R19 says of last year adds up, and its closed month is that of R06 and R04 (S15)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.grid.verdict import Outcome
from lastro.money import to_decimal
from lastro.quality.cash_tables import Reports
from lastro.quality.printed import Found, find_section, find_table, plain, read_columns, sum_money
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally, not_applicable

if TYPE_CHECKING:
    from lastro.transform.position import Position

ZERO: Final = Decimal("0.00")
STATEMENTS: Final = ("comparativo_resultado", "comparativo_caixa")
FIGURES: Final = ("atual", "base", "variacao", "var_pct")
NO_BASE: Final = "sem base: menos de 13 meses de dados"


def check_v27(position: Position, reports: Reports) -> Outcome:
    """V27: what explains a pair adds to the change of its result, which is that of the linhas."""
    table = find_table(reports, "comparativo_resultado")
    if table is None or not table.rows:
        return not_applicable(NO_BASE if table is not None else "")
    tally = Tally()
    result: dict[str, tuple[Decimal, Decimal, Decimal]] = {
        par: (now, then, change)
        for par, codigo, level, now, then, change in read_columns(
            table, "par", "codigo", "nivel", "atual", "base", "variacao"
        )
        if codigo == "resultado" and level == 0
    }
    linhas = position.linhas
    inside = linhas["lancamento_transferencia_id"].isna() & ~linhas["fora_resultado"]
    counted = linhas.loc[inside, ["data_competencia_ef", "valor_centavos"]]
    for par, days in _find_days(position).items():
        if par not in result:
            continue
        for name, (first, last), found in zip(("A", "B"), days, result[par], strict=False):
            inside = counted["data_competencia_ef"].between(pd.Timestamp(first), pd.Timestamp(last))
            want = to_decimal(int(counted.loc[inside, "valor_centavos"].sum()))
            tally.compare(f"{par} · resultado {name}", want, found)
    for par, (now, then, change) in result.items():
        tally.compare(f"{par} · variação", now - then, change)
        for name in ("comparativo_explicacao", "comparativo_pessoas"):
            rows = _rows(reports, name, "par_id", "variacao")
            tally.compare(f"{par} · {name}", change, sum_money(value for key, value in rows if key == par))
    _compare_people(tally, reports)
    _compare_closed_month(tally, position, reports)
    for name in STATEMENTS:
        _compare_sheet(tally, reports, name)
    compare_sheets(tally, reports, ("R19",))
    return tally.close()


def _rows(reports: Reports, name: str, *columns: str) -> list[tuple[Found, ...]]:
    table = find_table(reports, name)
    return [] if table is None else read_columns(table, *columns)


def _find_days(position: Position) -> dict[str, tuple[tuple[date, date], tuple[date, date]]]:
    """Find the days of both sides again; those that business days decide are left to the tables."""
    day = position.data_base
    start = day.replace(day=1)
    closed_end = start - timedelta(days=1)
    closed = closed_end.replace(day=1)
    year_ago = date(day.year - 1, day.month, 1)
    found = {
        "mes_fechado": ((closed, closed_end), (_year_before(closed), _month_end(_year_before(closed)))),
        "doze_fechados": ((year_ago, closed_end), (_year_before(year_ago), year_ago - timedelta(days=1))),
    }
    if position.parametros.comparativo_dias == "corridos":
        last = min(year_ago.replace(day=1) + timedelta(days=day.day - 1), _month_end(year_ago))
        found["mes_ate_d"] = ((start, day), (year_ago, last))
        found["ano_ate_d"] = ((date(day.year, 1, 1), day), (date(day.year - 1, 1, 1), last))
    return found


def _year_before(day: date) -> date:
    return date(day.year - 1, day.month, 1)


def _month_end(first: date) -> date:
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _compare_people(tally: Tally, reports: Reports) -> None:
    """The persons below a category add to its variation."""
    people: dict[tuple[Found, Found], Decimal] = {}
    for par, order, value in _rows(reports, "comparativo_pessoas", "par_id", "ordem", "variacao"):
        people[par, order] = people.get((par, order), ZERO) + value
    for par, order, value in _rows(reports, "comparativo_explicacao", "par_id", "ordem", "variacao"):
        tally.compare(f"{par} · {order} · pessoas", value, people.get((par, order), ZERO))


def _compare_closed_month(tally: Tally, position: Position, reports: Reports) -> None:
    """The closed month of R19 is that of R06 by line, and that of R04 by class."""
    (closed, _), _ = _find_days(position)["mes_fechado"]
    for name, other, key in (
        ("comparativo_resultado", "dre", "codigo"),
        ("comparativo_caixa", "fluxo_mensal", "linha"),
    ):
        ours: Mapping[Found, Found] = {
            codigo: value
            for par, codigo, level, value in _rows(reports, name, "par", "codigo", "nivel", "atual")
            if par == "mes_fechado" and level == 0
        }
        theirs = {
            codigo: value
            for codigo, level, month, value in _rows(reports, other, key, "nivel", "mes", "valor")
            if month == closed and level == 0
        }
        for codigo, value in ours.items():
            if codigo in theirs:
                tally.compare(f"mês fechado · {codigo}", theirs[codigo], value)


def _compare_sheet(tally: Tally, reports: Reports, name: str) -> None:
    """The wide sheet prints the figures of the long table, row by row."""
    section, table = find_section(reports, name), find_table(reports, name)
    if section is None or table is None:
        return
    pairs = list(dict.fromkeys(par for (par,) in read_columns(table, "par")))
    tally.compare(f"{name} planilha · linhas", len(table.rows), len(section.rows) * len(pairs))
    kept = iter(read_columns(table, "par", "linha", *FIGURES))
    for row in section.rows:
        cells = {column.key: plain(cell) for column, cell in zip(section.columns, row.cells, strict=True)}
        for _ in pairs:
            par, text, *values = next(kept, (None, None))
            tally.compare(f"{name} planilha · {text}", text, cells["linha"])
            for figure, value in zip(FIGURES, values, strict=False):
                tally.compare(f"{name} planilha · {par} · {text} · {figure}", value, cells.get(f"{par}_{figure}"))
