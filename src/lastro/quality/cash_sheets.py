"""Part of V02: the printed sheets of the cash reports against their own tables."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from lastro.grid.model import Section, Style
from lastro.quality.cash_tables import (
    R05_NAMES,
    Reports,
    account_number,
    account_text,
    list_month_places,
    read_blocks,
    read_r04,
)
from lastro.quality.printed import (
    Found,
    compare_sheet,
    data_rows,
    find_section,
    find_table,
    month_text,
    plain,
    read_columns,
    sum_money,
)
from lastro.quality.tally import Tally

if TYPE_CHECKING:
    from lastro.transform.position import Position


def check_totals_of_r04(tally: Tally, reports: Reports) -> None:
    """R04's column Total: flows of all months, first opening, last closing; in SQL and on the sheet."""
    table, section = find_table(reports, "fluxo_mensal_total"), find_section(reports, "fluxo_mensal")
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


def check_memos(tally: Tally, reports: Reports) -> None:
    """The memo rows below R02 and R03 are their tables', and the balance with all overdue settled adds up."""
    for name, net in (("fluxo_diario", "liquido_do_dia"), ("fluxo_semanal", "liquido_da_semana")):
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


def check_scenarios(tally: Tally, position: Position, reports: Reports) -> None:
    """Columns of other assumptions: they start from the contractual balance, and table and sheet agree."""
    for name, label, end in (("fluxo_diario", "dia", "dia"), ("fluxo_semanal", "fim", "fim")):
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
    long, section = find_table(reports, "fluxo_mensal_cenarios"), find_section(reports, "fluxo_mensal_cenarios")
    if long is None or section is None:
        return
    finals = {
        key: value
        for key, nodes in read_r04(reports).items()
        for code, _, _, _, value in nodes
        if code == "saldo_final"
    }
    rows = read_columns(long, "mes", "momento", "cenario", "saldo_contratual", "diferenca", "saldo_final")
    tally.compare_unique("fluxo_mensal cenários", (f"{row[2]} · {row[0]} · {row[1]}" for row in rows))
    printed = {str(row.cells[0]): row.cells for row in section.rows}
    names = list(dict.fromkeys(row[2] for row in rows))
    tally.compare("fluxo_mensal cenários · linhas", len(names) + 1, len(section.rows))
    predicted = [key for key in finals if key[1] != "realizado"]
    tally.compare("fluxo_mensal cenários · meses", len(predicted) * len(names), len(rows))
    places = {(mes, momento): place for place, mes, momento in list_month_places(section)}
    for mes, momento, scenario, contractual, difference, final in rows:
        key = f"fluxo_mensal cenários · {scenario} · {month_text(mes)} {momento}"
        tally.compare(f"{key} · contratual", finals.get((mes, momento)), contractual)
        tally.compare(f"{key} · saldo", contractual + difference, final)
        place = places.get((mes, momento))
        for label, want in ((scenario, final), ("Contratual", contractual)):
            if place is not None and label in printed:
                tally.compare(f"{key} · planilha · {label}", want, plain(printed[label][place]))


def compare_pivot(
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


def compare_blocks(tally: Tally, reports: Reports) -> None:
    """Hold the printed blocks of R05 against its long table: per account, line and month column."""
    section, table = find_section(reports, "fluxo_por_conta"), find_table(reports, "fluxo_por_conta")
    if section is None or table is None:
        return
    figures: dict[tuple[int, date, str], tuple[Found, ...]] = {
        (account_number(conta), mes, momento): tuple(values)
        for conta, mes, momento, *values in read_columns(table, "conta_id", "mes", "momento", *R05_NAMES)
    }
    headers = [row for row in section.rows if row.style is Style.SECTION]
    order = list(dict.fromkeys(conta for conta, _, _ in figures))
    tally.compare("Fluxo por conta planilha · blocos", len(order) + 1, len(headers))
    blocks = read_blocks(section)
    # The table has a row per category and month: it is read once, not once per column.
    consolidated = {
        key: {code: value for code, level, _, _, value in nodes if not level}
        for key, nodes in read_r04(reports).items()
    }
    for place, month, moment in list_month_places(section):
        column = section.columns[place]
        for conta, block in zip(order, blocks, strict=False):
            want = figures.get((conta, month, moment), ())
            have = tuple(plain(cells[place]) for cells in block)
            if want != have:
                tally.fail([f"{account_text(conta)} · {column.header} planilha"], sum_money(want), sum_money(have))
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
