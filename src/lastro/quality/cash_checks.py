"""V01 to V05: the cash reports against direct sums over the linhas, and each against the other (S15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.calendar import add_months, iter_days, month_end, month_start, week_start
from lastro.grid.model import Report, Section, Style
from lastro.grid.verdict import Outcome
from lastro.money import to_decimal
from lastro.quality.ledger import (
    A_REALIZAR,
    ENVIADAS,
    IMPLANTADOS,
    NO_ACCOUNT,
    ONE_DAY,
    REALIZADO,
    RECEBIDAS,
    TODOS,
    Ledger,
    iter_sums,
)
from lastro.quality.printed import (
    Found,
    compare_sheet,
    data_rows,
    find_section,
    find_table,
    money,
    month_text,
    plain,
    read_columns,
    sum_money,
)
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally
from lastro.transform.position import CLASSES, ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS, as_date

if TYPE_CHECKING:
    from lastro.transform.position import Position

Reports = Mapping[str, Report]
DAY_NAMES: Final = (
    "saldo_inicial",
    "saldos_implantados",
    "entradas_realizadas",
    "saidas_realizadas",
    "entradas_previstas",
    "saidas_previstas",
    "nao_operacional",
    "transferencias",
)
"""Opening and the seven amounts of a day or week (R02, R03)."""
R04_PARTS: Final = ("saldos_implantados", "entradas", "saidas", "nao_operacional", "transferencias")
R05_NAMES: Final = (
    "saldo_inicial",
    "saldos_implantados",
    "entradas",
    "saidas",
    "nao_operacional",
    "transf_recebidas",
    "transf_enviadas",
    "saldo_final",
)
CENTRE_LINES: Final = (ENTRADAS, SAIDAS, NAO_OPERACIONAL, "Transf. recebidas", "Transf. enviadas")
"""Lines of R05 by cost centre, in the order of `R05_NAMES` without balances."""
MOMENTS: Final = {"realizado": REALIZADO, "a_realizar": A_REALIZAR, "previsto": TODOS}
AHEAD_DAYS: Final = (7, 30)


def check_v01(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V01: opening balances plus all caixa linhas are the balances at D that R01, R04 and R05 print."""
    tally = Tally()
    day = position.data_base
    expected = {conta: _balance_at(position, conta, ledger) for conta in ledger.accounts}
    total = sum_money(expected.values())
    found_total: Decimal | None = None
    table = find_table(reports, "r01")
    if table is not None:
        printed = {_conta(conta): saldo for conta, saldo in read_columns(table, "conta_id", "saldo_em_d")}
        for conta in sorted({*expected, *printed}):
            tally.compare(f"{_conta_text(conta)} · Saldos", expected.get(conta), printed.get(conta))
        found_total = sum_money(printed.values())
        tally.compare("total · Saldos", total, found_total)
        _check_r01_sheet(tally, reports, total)
    table = find_table(reports, "r05")
    if table is not None:
        rows = read_columns(table, "conta_id", "mes", "momento", "saldo_final")
        printed = {
            _conta(conta): saldo
            for conta, mes, momento, saldo in rows
            if mes == month_start(day) and momento == "realizado"
        }
        for conta in sorted({*expected, *printed}):
            tally.compare(f"{_conta_text(conta)} · Fluxo por conta", expected.get(conta), printed.get(conta))
    return tally.close(esperado=total, encontrado=total if found_total is None else found_total)


def _balance_at(position: Position, conta: int, ledger: Ledger) -> Decimal | None:
    """Add one account's opening and its caixa linhas straight from the frame (S7)."""
    day = pd.Timestamp(position.data_base)
    account = ledger.accounts[conta]
    if account.inicio is not None and pd.Timestamp(account.inicio) > day:
        return None
    linhas = position.linhas
    mine = linhas["conta_id"].isna() if conta == NO_ACCOUNT else (linhas["conta_id"] == conta).fillna(value=False)
    moved = linhas.loc[mine.astype(bool) & linhas["caixa"] & (linhas["data_pagamento"] <= day), "valor_centavos"]
    return to_decimal(account.saldo_inicial_centavos + int(moved.sum()))


def _check_r01_sheet(tally: Tally, reports: Reports, total: Decimal) -> None:
    section, table = find_section(reports, "r01"), find_table(reports, "r01")
    if section is None or table is None:
        return
    printed = data_rows(section)
    rows = {row.key: row.cells for row in printed}
    keys = [f"conta_{conta}" for (conta,) in read_columns(table, "conta_id")]
    tally.compare("Saldos planilha · contas", len(keys), len(printed))
    # Cards stand in a block of their own on the sheet, so rows are matched by key.
    kept = read_columns(table, *(column.key for column in section.columns))
    compare_sheet(tally, "Saldos", [rows.get(key, ()) for key in keys], kept)
    place = section.place("saldo_em_d")
    for row in section.rows:
        if row.style is Style.TOTAL:
            tally.compare("total · Saldos planilha", total, plain(row.cells[place]))


def check_v02(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V02: opening, implanted balances and the four classes give the closing in every period of R01 to R05."""
    tally = Tally()
    _close_r01(tally, position, reports)
    for name, text in (("r02", "dia"), ("r03", "semana")):
        _close_days(tally, reports, name, text)
    _close_r04(tally, position, ledger, reports)
    _close_r05(tally, position, ledger, reports)
    _check_totals_of_r04(tally, reports)
    _check_memos(tally, reports)
    _check_scenarios(tally, position, reports)
    compare_sheets(tally, reports, ("R01", "R02", "R03", "R04", "R05"))
    return tally.close()


def _check_totals_of_r04(tally: Tally, reports: Reports) -> None:
    """R04's column Total: flows of all months, first opening, last closing; in SQL and on the sheet."""
    table, section = find_table(reports, "r04_total"), find_section(reports, "r04")
    if table is None:
        return
    sums: dict[tuple[Found, ...], Decimal] = {}
    for nodes in read_r04(reports).values():
        for code, level, key, text, value in nodes:
            node: tuple[Found, ...] = (code, level, key, text)
            if code == "saldo_final":
                sums[node] = value
            elif code != "saldo_inicial" or node not in sums:
                sums[node] = sums.get(node, Decimal("0.00")) + value
    rows = read_columns(table, "linha", "nivel", "categoria_id", "categoria", "total")
    tally.compare("Fluxo mensal · linhas do total", len(sums), len(rows))
    for *parts, value in rows:
        want = sums.get(tuple(parts))
        tally.compare(f"Fluxo mensal · total · {parts[0]} · {parts[3]}", want, value)
    if section is None:
        return
    place = section.place("total")
    printed = data_rows(section, skip=(Style.MEMO,))
    for row, values in zip(printed, rows, strict=False):
        tally.compare(f"Fluxo mensal planilha · Total · {row.key}", values[-1], plain(row.cells[place]))
    tally.compare("Fluxo mensal planilha · memos", 3, len(section.rows) - len(printed))


def _check_memos(tally: Tally, reports: Reports) -> None:
    """The memo rows below R02 and R03 are their tables', and the balance with all overdue settled adds up."""
    for name, net in (("r02", "liquido_do_dia"), ("r03", "liquido_da_semana")):
        memo, section, table = (
            find_table(reports, f"{name}_memo"),
            find_section(reports, name),
            find_table(reports, name),
        )
        if memo is None or section is None or table is None:
            continue
        rows = read_columns(memo, "memo", "valor")
        printed = [row for row in section.rows if row.style is Style.MEMO]
        compare_sheet(tally, f"{name} memo", [row.cells for row in printed], [(value,) for _, value in rows])
        finals = read_columns(table, "saldo_final", net)
        if len(rows) > 2 and finals:
            tally.compare(f"{name} memo · com os vencidos", finals[-1][0] + rows[0][1] + rows[1][1], rows[2][1])


def _check_scenarios(tally: Tally, position: Position, reports: Reports) -> None:
    """Columns of other assumptions: they start from the contractual balance, and table and sheet agree."""
    for name, label, end in (("r02", "data", "data"), ("r03", "fim", "fim")):
        long, table, section = (
            find_table(reports, f"{name}_cenarios"),
            find_table(reports, name),
            find_section(reports, name),
        )
        if long is None or table is None or section is None:
            continue
        extra = section.columns[section.place("alerta") + 1 :]
        base: dict[Found, Found] = dict(read_columns(table, end, "saldo_final"))
        shown = {
            (day, column.header): value
            for column in extra
            for day, value in read_columns(table, end, column.key)
            if day >= position.data_base
        }
        rows = read_columns(long, label, "cenario", "saldo_contratual", "diferenca", "saldo_final")
        tally.compare(f"{name} cenários · linhas", len(shown), len(rows))
        for day, scenario, contractual, difference, final in rows:
            key = f"{name} cenários · {scenario} · {day}"
            tally.compare(f"{key} · contratual", base.get(day), contractual)
            tally.compare(f"{key} · saldo", contractual + difference, final)
            tally.compare(f"{key} · planilha", shown.get((day, scenario)), final)
    _check_monthly_scenarios(tally, reports)


def _check_monthly_scenarios(tally: Tally, reports: Reports) -> None:
    long, section = find_table(reports, "r04_cenarios"), find_section(reports, "r04_cenarios")
    if long is None or section is None:
        return
    finals = {
        key: value
        for key, nodes in read_r04(reports).items()
        for code, _, _, _, value in nodes
        if code == "saldo_final"
    }
    rows = read_columns(long, "mes", "momento", "cenario", "saldo_contratual", "diferenca", "saldo_final")
    tally.compare_unique("r04 cenários", (f"{row[2]} · {row[0]} · {row[1]}" for row in rows))
    printed = {str(row.cells[0]): row.cells for row in section.rows}
    names = list(dict.fromkeys(row[2] for row in rows))
    tally.compare("r04 cenários · linhas", len(names) + 1, len(section.rows))
    predicted = [key for key in finals if key[1] != "realizado"]
    tally.compare("r04 cenários · meses", len(predicted) * len(names), len(rows))
    places = {(mes, momento): place for place, mes, momento in _month_places(section)}
    for mes, momento, scenario, contractual, difference, final in rows:
        key = f"r04 cenários · {scenario} · {month_text(mes)} {momento}"
        tally.compare(f"{key} · contratual", finals.get((mes, momento)), contractual)
        tally.compare(f"{key} · saldo", contractual + difference, final)
        place = places.get((mes, momento))
        for label, want in ((scenario, final), ("Contratual", contractual)):
            if place is not None and label in printed:
                tally.compare(f"{key} · planilha · {label}", want, plain(printed[label][place]))


def _close_r01(tally: Tally, position: Position, reports: Reports) -> None:
    table = find_table(reports, "r01")
    if table is None:
        return
    names = ("conta_id", "inicio_do_controle", "saldo_inicial", "saldo_em_d_1", "saldo_em_d")
    flows = ("entradas_do_dia", "saidas_do_dia", "nao_operacional_do_dia", "transferencias_do_dia")
    ahead = ("a_realizar_7_dias", "saldo_em_d_7", "a_realizar_30_dias", "saldo_em_d_30")
    for row in read_columns(table, *names, *flows, *ahead):
        conta, inicio, opening, eve, saldo = row[:5]
        key = f"{_conta_text(_conta(conta))} · Saldos"
        if saldo is None:
            continue
        start = opening if inicio == position.data_base else Decimal("0.00")
        tally.compare(key, money(eve) + start + sum_money(row[5:9]), saldo)
        for days, pending, balance in zip(AHEAD_DAYS, row[9::2], row[10::2], strict=True):
            tally.compare(f"{key} · D+{days}", saldo + money(pending), balance)
    lowest = find_table(reports, "r02")
    section = find_section(reports, "r01")
    if lowest is None or section is None:
        return
    finals = [(dia, final) for dia, final in read_columns(lowest, "data", "saldo_final") if dia >= position.data_base]
    place, on = section.place("menor_saldo_projetado"), section.place("data_do_menor_saldo")
    for printed in section.rows:
        if printed.style is Style.TOTAL and finals and isinstance(plain(printed.cells[place]), Decimal):
            worst = min(final for _, final in finals)
            tally.compare("menor saldo projetado", worst, plain(printed.cells[place]))
            first = min(dia for dia, final in finals if final == worst)
            tally.compare("data do menor saldo", str(first), str(plain(printed.cells[on])))


def _close_days(tally: Tally, reports: Reports, name: str, text: str) -> None:
    table = find_table(reports, name)
    if table is None:
        return
    net = "liquido_do_dia" if name == "r02" else "liquido_da_semana"
    label = "data" if name == "r02" else "inicio"
    before: Decimal | None = None
    for row in read_columns(table, label, *DAY_NAMES, net, "saldo_final"):
        key = f"{text} {row[0]}"
        tally.compare(f"{key} · líquido", sum_money(row[2:9]), row[9])
        tally.compare(f"{key} · saldo final", money(row[1]) + sum_money(row[2:9]), row[10])
        if before is not None:
            tally.compare(f"{key} · saldo inicial", before, row[1])
        before = row[10]
    section = find_section(reports, name)
    if section is not None:
        rows = [row.cells for row in data_rows(section)]
        compare_sheet(tally, section.name, rows, read_columns(table, *(column.key for column in section.columns)))
        amounts = (*DAY_NAMES, net, "saldo_final")
        for total in (row for row in section.rows if row.style is Style.TOTAL):
            columns = list(zip(*read_columns(table, *amounts), strict=True))
            wanted = [columns[0][0], *(sum_money(column) for column in columns[1:9]), columns[9][-1]]
            for key, want in zip(amounts, wanted, strict=True):
                tally.compare(f"{name} planilha · total · {key}", want, plain(total.cells[section.place(key)]))


def read_r04(reports: Reports) -> dict[tuple[date, str], list[tuple[str, int, Found, str, Decimal]]]:
    """Return R04's long table by column: (month, moment) -> (line, level, category id, text, value), as printed."""
    table = find_table(reports, "r04")
    found: dict[tuple[date, str], list[tuple[str, int, Found, str, Decimal]]] = {}
    if table is None:
        return found
    for mes, momento, *node in read_columns(
        table, "mes", "momento", "linha", "nivel", "categoria_id", "categoria", "valor"
    ):
        found.setdefault((mes, momento), []).append(tuple(node))
    return found


def _close_r04(tally: Tally, position: Position, ledger: Ledger, reports: Reports) -> None:
    for (mes, momento), nodes in read_r04(reports).items():
        key = f"Fluxo mensal · {month_text(mes)} {momento}"
        line = {code: value for code, level, _, _, value in nodes if level == 0}
        opening, closing = line.get("saldo_inicial"), line.get("saldo_final")
        tally.compare(f"{key} · saldo final", money(opening) + sum_money(line.get(code) for code in R04_PARTS), closing)
        operating = money(line.get("entradas")) + money(line.get("saidas"))
        tally.compare(f"{key} · fluxo operacional", operating, line.get("fluxo_operacional"))
        generated = operating + money(line.get("nao_operacional"))
        tally.compare(f"{key} · geração de caixa", generated, line.get("geracao_de_caixa"))
        expected = ledger.balance(
            position.data_base if momento == "a_realizar" else mes - ONE_DAY, realised_only=momento == "a_realizar"
        )
        tally.compare(f"{key} · saldo inicial", expected, opening)
    _compare_pivot(tally, find_section(reports, "r04"), read_r04(reports))


def _compare_pivot(
    tally: Tally,
    section: Section | None,
    nodes: Mapping[tuple[date, str], list[tuple[str, int, Found, str, Decimal]]],
) -> None:
    """Hold the months printed as columns of R04 against its long table, row by row."""
    if section is None or not nodes:
        return
    rows = data_rows(section, skip=(Style.MEMO,))
    for place, column in enumerate(section.columns):
        if column.period is None:
            continue
        month, moment = column.period.month, column.period.momento
        if moment == "total":
            parts = [nodes.get((month, part), []) for part in ("realizado", "a_realizar")]
            expected = [
                here[4] if here[0] == "saldo_inicial" else ahead[4] if here[0] == "saldo_final" else here[4] + ahead[4]
                for here, ahead in zip(*parts, strict=True)
            ]
        else:
            expected = [node[4] for node in nodes.get((month, moment), [])]
        found = [plain(row.cells[place]) for row in rows]
        key = f"Fluxo mensal planilha · {column.header}"
        tally.compare(f"{key} · linhas", len(expected), len(found))
        for row, want, have in zip(rows, expected, found, strict=False):
            tally.compare(f"{key} · {row.key or row.cells[0]}", want, have)


def _close_r05(tally: Tally, position: Position, ledger: Ledger, reports: Reports) -> None:
    table = find_table(reports, "r05")
    if table is None:
        return
    rows = read_columns(table, "conta_id", "mes", "momento", *R05_NAMES)
    for conta, mes, momento, opening, *flows, closing in rows:
        number = _conta(conta)
        key = f"{_conta_text(number)} · {month_text(mes)} {momento}"
        account = ledger.accounts.get(number)
        if account is not None and account.inicio is not None and account.inicio > position.data_base:
            # Predictions dated before a future start of control have no balance to move: it need not close (S7).
            continue
        if closing is not None:
            tally.compare(f"{key} · saldo final", money(opening) + sum_money(flows), closing)
        if account is not None:
            eve = position.data_base if momento == "a_realizar" else mes - ONE_DAY
            expected = ledger.balance(eve, number, realised_only=momento == "a_realizar")
            tally.compare(f"{key} · saldo inicial", expected, opening)
    _compare_blocks(tally, reports)


def _month_places(section: Section) -> list[tuple[int, date, str]]:
    """List the columns of single moments: place, month, `momento` as the long tables have it."""
    return [
        (place, column.period.month, column.period.momento)
        for place, column in enumerate(section.columns)
        if column.period is not None and column.period.momento != "total"
    ]


def _read_blocks(section: Section) -> list[list[tuple[Found, ...]]]:
    """Split a sheet at its section rows: the cells of each block's rows."""
    blocks: list[list[tuple[Found, ...]]] = []
    for row in section.rows:
        if row.style is Style.SECTION:
            blocks.append([])
        elif blocks:
            blocks[-1].append(row.cells)
    return blocks


def _compare_blocks(tally: Tally, reports: Reports) -> None:
    """Hold the printed blocks of R05 against its long table: per account, line and month column."""
    section, table = find_section(reports, "r05"), find_table(reports, "r05")
    if section is None or table is None:
        return
    figures: dict[tuple[int, date, str], tuple[Found, ...]] = {
        (_conta(conta), mes, momento): tuple(values)
        for conta, mes, momento, *values in read_columns(table, "conta_id", "mes", "momento", *R05_NAMES)
    }
    headers = [row for row in section.rows if row.style is Style.SECTION]
    order = list(dict.fromkeys(conta for conta, _, _ in figures))
    tally.compare("Fluxo por conta planilha · blocos", len(order) + 1, len(headers))
    blocks = _read_blocks(section)
    # The table has a row per category and month: it is read once, not once per column.
    consolidated = {
        key: {code: value for code, level, _, _, value in nodes if not level}
        for key, nodes in read_r04(reports).items()
    }
    for place, month, moment in _month_places(section):
        column = section.columns[place]
        for conta, block in zip(order, blocks, strict=False):
            want = figures.get((conta, month, moment), ())
            have = tuple(plain(cells[place]) for cells in block)
            if want != have:
                tally.fail([f"{_conta_text(conta)} · {column.header} planilha"], sum_money(want), sum_money(have))
        if blocks:
            tally.compare(f"Consolidado · {column.header} · linhas", len(R05_NAMES), len(blocks[-1]))
            # Flows of the last block, Consolidado, are the sums of the accounts'.
            for number, name in enumerate(R05_NAMES[1:-1], 1):
                total = sum_money(figures[key][number] for key in figures if key[1:] == (month, moment))
                printed = plain(blocks[-1][number][place]) if len(blocks[-1]) > number else None
                tally.compare(f"Consolidado · {column.header} · {name}", total, printed)
            lines = consolidated.get((month, moment), {})
            for number, code in ((0, "saldo_inicial"), (-1, "saldo_final")) if lines and blocks[-1] else ():
                tally.compare(
                    f"Consolidado · {column.header} · {code}", lines.get(code), plain(blocks[-1][number][place])
                )


def check_v03(position: Position, reports: Reports) -> Outcome:
    """V03: the days of R02 add to the months of R04, to their printed subtotals, and to the whole weeks of R03."""
    tally = Tally()
    table = find_table(reports, "r02")
    if table is None:
        return tally.close()
    days = {row[0]: row[1:] for row in read_columns(table, "data", *DAY_NAMES[1:])}
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
    _days_to_subtotals(tally, reports, days)
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


def _days_to_subtotals(tally: Tally, reports: Reports, days: Mapping[date, tuple[Found, ...]]) -> None:
    section = find_section(reports, "r02")
    if section is None:
        return
    places = [section.place(name) for name in DAY_NAMES[1:]]
    months = sorted({month_start(day) for day in days})
    subtotals = [row for row in section.rows if row.style is Style.SUBTOTAL]
    tally.compare("Fluxo diário · totais por mês", len(months), len(subtotals))
    for mes, row in zip(months, subtotals, strict=False):
        found = tuple(plain(row.cells[place]) for place in places)
        for name, want, have in zip(DAY_NAMES[1:], _add_days(days, mes, month_end(mes)), found, strict=True):
            tally.compare(f"total {month_text(mes)} · {name}", want, have)
    for row in section.rows:
        if row.style is Style.TOTAL:
            found = tuple(plain(row.cells[place]) for place in places)
            for name, want, have in zip(DAY_NAMES[1:], _add_days(days, min(days), max(days)), found, strict=True):
                tally.compare(f"total do Fluxo diário · {name}", want, have)


def _days_to_weeks(
    tally: Tally, reports: Reports, days: Mapping[date, tuple[Found, ...]], first: date, last: date
) -> None:
    table = find_table(reports, "r03")
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


def check_v04(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V04: every linha has the class its fields call for, and every period sums the same linhas per class.

    What is caixa and which class it is are found again from dates, links and categories (S5, S7), not from the
    position's own columns; R02 to R05 and R16 are then held against direct sums.
    """
    tally = Tally()
    _check_state(tally, position)
    _check_linha_sheet(tally, position, reports)
    _check_days(tally, ledger, reports)
    for (mes, momento), nodes in read_r04(reports).items():
        line = {code: value for code, level, _, _, value in nodes if level == 0}
        want = _month_lines(ledger, mes, momento, position.data_base)
        for code in R04_PARTS:
            tally.compare(f"Fluxo mensal · {month_text(mes)} {momento} · {code}", want[code], line.get(code))
    table = find_table(reports, "r05")
    if table is not None:
        seen = set()
        for conta, mes, momento, *flows in read_columns(table, "conta_id", "mes", "momento", *R05_NAMES[1:-1]):
            number = _conta(conta)
            seen.add(number)
            want = _month_lines(ledger, mes, momento, position.data_base, number)
            key = f"{_conta_text(number)} · {month_text(mes)} {momento}"
            for code, have in zip(R05_NAMES[1:-1], flows, strict=True):
                tally.compare(f"{key} · {code}", want[code], have)
        tally.fail(f"{_conta_text(conta)} · Fluxo por conta" for conta in sorted(set(ledger.accounts) - seen))
    _check_centres(tally, position, ledger, reports)
    caixa = position.linhas["caixa"]
    total = to_decimal(int(position.linhas.loc[caixa, "valor_centavos"].sum()))
    by_class = sum_money(
        to_decimal(int(position.linhas.loc[caixa & (position.linhas["classe"] == classe), "valor_centavos"].sum()))
        for classe in CLASSES
    )
    tally.compare("soma das classes", total, by_class)
    compare_sheets(tally, reports, ("R16",))
    return tally.close(esperado=total, encontrado=by_class)


def _check_centres(tally: Tally, position: Position, ledger: Ledger, reports: Reports) -> None:
    """The cost centres of a month add up to each line of all accounts; the sheet's blocks are the table's."""
    table, section = find_table(reports, "r05_centro"), find_section(reports, "r05_centro")
    if table is None or section is None:
        return
    found: defaultdict[tuple[date, str], dict[str, Decimal]] = defaultdict(dict)
    figures: dict[Found, dict[tuple[date, str, str], Decimal]] = {}
    for centro, mes, momento, linha, value in read_columns(table, "centro_id", "mes", "momento", "linha", "valor"):
        lines = found[mes, momento]
        lines[linha] = lines.get(linha, Decimal("0.00")) + value
        figures.setdefault(centro, {})[mes, momento, linha] = value
    blocks = _read_blocks(section)
    tally.compare("Fluxo por centro planilha · blocos", len(figures) + 1, len(blocks))
    for place, mes, momento in _month_places(section):
        wanted = [[amounts.get((mes, momento, linha)) for linha in CENTRE_LINES] for amounts in figures.values()]
        wanted.append([found[mes, momento].get(linha) for linha in CENTRE_LINES])
        for number, (printed, block) in enumerate(zip(wanted, blocks, strict=False), 1):
            if printed != [plain(cells[place]) for cells in block]:
                tally.fail([f"Fluxo por centro planilha · bloco {number} · {section.columns[place].header}"])
    for (mes, momento), lines in found.items():
        want = _month_lines(ledger, mes, momento, position.data_base)
        for code, linha in zip(R05_NAMES[2:-1], CENTRE_LINES, strict=True):
            key = f"Fluxo por centro · {month_text(mes)} {momento} · {linha}"
            tally.compare(key, want[code], lines.get(linha))


def _month_lines(
    ledger: Ledger, mes: date, momento: str, data_base: date, conta: int | None = None
) -> dict[str, Decimal]:
    first = data_base if momento == "a_realizar" else mes
    lines = ledger.lines(first, month_end(mes), MOMENTS[momento], conta)
    return {
        "saldos_implantados": lines[IMPLANTADOS],
        "entradas": lines[ENTRADAS],
        "saidas": lines[SAIDAS],
        "nao_operacional": lines[NAO_OPERACIONAL],
        "transferencias": lines[RECEBIDAS] + lines[ENVIADAS],
        "transf_recebidas": lines[RECEBIDAS],
        "transf_enviadas": lines[ENVIADAS],
    }


def _check_state(tally: Tally, position: Position) -> None:
    """Find caixa and class again from the base columns and compare linha by linha."""
    linhas, day = position.linhas, pd.Timestamp(position.data_base)
    starts = {
        int(row["conta_id"]): row["data_saldo_inicial"]
        for row in position.contas.to_dict("records")
        if not pd.isna(row["conta_id"])
    }
    since = linhas["conta_id"].map(starts).astype("datetime64[us]")
    paid_on = linhas["data_pagamento"]
    paid = (paid_on <= day).fillna(value=False)
    after = paid_on > since if position.parametros.saldo_inicial_ref == "fechamento" else paid_on >= since
    caixa = (paid & (since.isna() | after)).to_numpy(dtype=bool)
    categorias = position.categorias
    kinds = categorias.set_index("categoria_id")["tipo_categoria_id"]
    kind = linhas["categoria_id"].map(kinds).astype("Int64").fillna(0).to_numpy(dtype="int64")
    if position.parametros.natureza_por == "sinal":
        kind = np.zeros_like(kind)
    positive = linhas["valor_centavos"].to_numpy() >= 0
    revenue = (kind == 2) | ((kind != 1) & positive)
    outside = set(categorias.loc[categorias["dre_grupo"] == "fora", "categoria_id"].astype(int))
    fora = linhas["categoria_id"].isin(outside).fillna(value=False).to_numpy(dtype=bool)
    transfer = linhas["lancamento_transferencia_id"].notna().to_numpy(dtype=bool)
    classe = np.select([transfer, fora, revenue], [TRANSFERENCIAS, NAO_OPERACIONAL, ENTRADAS], SAIDAS)
    wrong = (caixa != linhas["caixa"].to_numpy()) | (classe != linhas["classe"].to_numpy(dtype=object).astype(str))
    tally.count += len(linhas)
    tally.fail(f"linha {linha_id}" for linha_id in linhas.loc[wrong, "linha_id"])


def _check_linha_sheet(tally: Tally, position: Position, reports: Reports) -> None:
    """R16 lists every linha once: count, sum and caixa sum per class, in SQL and on the sheets."""
    table = find_table(reports, "r16")
    if table is None:
        return
    linhas = position.linhas
    rows = read_columns(table, "classe", "data_caixa", "valor", "id", "origem", "data")
    tally.compare("Lançamentos · linhas", len(linhas), len(rows))
    tally.compare("Lançamentos · valor", to_decimal(int(linhas["valor_centavos"].sum())), sum_money(r[2] for r in rows))
    caixa = linhas[linhas["caixa"]]
    sums = caixa.groupby(["classe", "data_pagamento"])["valor_centavos"].sum()
    expected: dict[Hashable, Decimal] = {
        (classe, stamp.date()): to_decimal(value) for classe, stamp, value in iter_sums(sums)
    }
    found: defaultdict[Hashable, Decimal] = defaultdict(Decimal)
    for classe, day, value, *_ in rows:
        if day is not None:
            found[classe, day] += value
    tally.compare_maps("Lançamentos", expected, found)
    tally.compare("Lançamentos · ids distintos", len(rows), len({row[3:5] for row in rows}))
    _check_linha_sheets(tally, rows, reports)


def _check_linha_sheets(tally: Tally, rows: list[tuple[Found, ...]], reports: Reports) -> None:
    """Each sheet of R16 shows the table's linhas, or those of its year when they are split."""
    for section in (part for report in reports.values() for part in report.sections):
        if not section.name.startswith("r16"):
            continue
        year = section.name.removeprefix("r16").strip("_")
        mine = rows if not year else [row for row in rows if row[5] is not None and row[5].year == int(year)]
        place = section.place("valor")
        tally.compare(f"{section.name} planilha · linhas", len(mine), len(section.rows))
        printed = sum_money(plain(row.cells[place]) for row in section.rows)
        tally.compare(f"{section.name} planilha · valor", sum_money(row[2] for row in mine), printed)


def _check_days(tally: Tally, ledger: Ledger, reports: Reports) -> None:
    for name, label, length, text in (("r02", "data", 1, "dia"), ("r03", "inicio", 7, "semana")):
        table = find_table(reports, name)
        if table is None:
            continue
        for first, *found in read_columns(table, label, *DAY_NAMES):
            last = first + timedelta(days=length - 1)
            moved = ledger.moved(first, last)
            tally.compare(f"{text} {first} · saldo_inicial", ledger.balance(first - ONE_DAY), found[0])
            for code, want, have in zip(DAY_NAMES[1:], _day_amounts(moved), found[1:], strict=True):
                tally.compare(f"{text} {first} · {code}", to_decimal(want), have)


def _day_amounts(moved: Mapping[tuple[str, bool], int]) -> tuple[int, ...]:
    return (
        moved[IMPLANTADOS, False] + moved[IMPLANTADOS, True],
        moved[ENTRADAS, False],
        moved[SAIDAS, False],
        moved[ENTRADAS, True],
        moved[SAIDAS, True],
        moved[NAO_OPERACIONAL, False] + moved[NAO_OPERACIONAL, True],
        sum(moved[line, moment] for line in (RECEBIDAS, ENVIADAS) for moment in (False, True)),
    )


def check_v05(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V05: each letter of R07 is what the linhas say, it adds up, and it ties to R04 and to the balance."""
    tally = Tally()
    table = find_table(reports, "r07")
    if table is None:
        return tally.close()
    bridge: dict[date, dict[str, Decimal]] = {}
    for letter, mes, value in read_columns(table, "linha", "mes", "valor"):
        bridge.setdefault(mes, {})[letter] = value
    expected = _direct_bridge(position)
    generated = {
        mes: value
        for (mes, momento), nodes in read_r04(reports).items()
        if momento == "realizado"
        for code, level, _, _, value in nodes
        if level == 0 and code == "geracao_de_caixa"
    }
    for mes, lines in sorted(bridge.items()):
        key = f"Ponte · {month_text(mes)}"
        for letter in "abcdefghijk":
            want = to_decimal(expected.get((letter, mes), 0))
            tally.compare(f"{key} · {letter}", want, lines.get(letter))
        cash = sum_money(lines.get(letter) for letter in "abcdefghijk")
        tally.compare(f"{key} · l", cash, lines.get("l"))
        tally.compare(f"{key} · p", sum_money(lines.get(letter) for letter in "lno"), lines.get("p"))
        if mes in generated:
            tally.compare(f"{key} · l = Fluxo mensal", generated[mes], lines.get("l"))
        tally.compare(f"{key} · p = variação do saldo", _change_of_balance(ledger, mes), lines.get("p"))
    months = sorted(bridge)
    if months:
        tally.compare("Ponte · meses", (months[-1].year - months[0].year) * 12 + months[-1].month - months[0].month + 1,
                      len(months))  # fmt: skip
        current = month_start(position.data_base)
        if current not in bridge:
            tally.fail([f"Ponte · {month_text(current)}"])
        start = add_months(current, -position.parametros.historico_meses)
        tally.compare("Ponte · primeiro mês", month_text(start), month_text(months[0]))
    _compare_bridge_sheet(tally, reports, bridge)
    compare_sheets(tally, reports, ("R07",))
    return tally.close()


def _compare_bridge_sheet(tally: Tally, reports: Reports, bridge: Mapping[date, Mapping[str, Decimal]]) -> None:
    section = find_section(reports, "r07")
    if section is None:
        return
    rows = {str(row.cells[0]): row for row in section.rows}
    tally.compare("Ponte planilha · linhas", 15, len(section.rows))
    shown = [(place, column.period) for place, column in enumerate(section.columns) if column.period is not None]
    tally.compare("Ponte planilha · meses", len(bridge), len(shown))
    for place, period in shown:
        for letter, row in rows.items():
            want = bridge.get(period.month, {}).get(letter)
            tally.compare(f"Ponte planilha · {period.label} · {letter}", want, plain(row.cells[place]))


def _direct_bridge(position: Position) -> dict[tuple[str, date], int]:
    """Add the bridge's letters from one table of (competence month, cash month, kind, state)."""
    linhas = position.linhas[~position.linhas["transferencia"]]
    months = {
        "mc": linhas["data_competencia_ef"],
        "mx": linhas["data_pagamento"].where(linhas["caixa"]),
    }
    table = linhas.assign(
        **{name: days.to_numpy().astype("datetime64[M]").astype("datetime64[s]") for name, days in months.items()}
    )
    keys = ["mc", "mx", "natureza", "pago", "caixa", "fora_resultado"]
    sums = table.groupby(keys, dropna=False)["valor_centavos"].sum()
    found: dict[tuple[str, date], int] = {}

    def add(letter: str, month: date | None, value: int) -> None:
        if month is not None:
            found[letter, month] = found.get((letter, month), 0) + value

    for competence, cash, natureza, pago, caixa, fora, value in iter_sums(sums):
        mc, mx, centavos, revenue = as_date(competence), as_date(cash), value, natureza == "R"
        if fora:
            add("k", mx, centavos)
            continue
        add("a", mc, centavos)
        if not pago:
            add("b" if revenue else "c", mc, -centavos)
        elif not caixa:
            add("f", mc, -centavos)
        elif mc != mx:
            add("d" if revenue else "e", mc, -centavos)
            earlier = mc is None or (mx is not None and mc < mx)
            add(("g" if revenue else "i") if earlier else ("h" if revenue else "j"), mx, centavos)
    return found


def _change_of_balance(ledger: Ledger, mes: date) -> Decimal:
    """Realised change of the consolidated balance in a month, 0.00 after D."""
    last = min(month_end(mes), ledger.data_base)
    if last < mes:
        return Decimal("0.00")
    after = ledger.balance(last, realised_only=True)
    before = ledger.balance(mes - ONE_DAY, realised_only=True)
    return money(after) - money(before)


def _conta(value: Found) -> int:
    return NO_ACCOUNT if value is None else int(value)


def _conta_text(conta: int) -> str:
    return "sem conta" if conta == NO_ACCOUNT else f"conta {conta}"
