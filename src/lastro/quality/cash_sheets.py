"""Part of V02: the printed sheets of the cash reports against their own tables."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from lastro.grid.model import Style
from lastro.money import to_decimal
from lastro.quality.cash_tables import (
    R05_NAMES,
    Reports,
    list_month_places,
    read_blocks,
    read_r04,
)
from lastro.quality.printed import (
    Found,
    find_section,
    find_table,
    month_text,
    plain,
    read_columns,
    sum_money,
)
from lastro.quality.tally import Tally
from lastro.transform.recurrence import plan_endless_series

if TYPE_CHECKING:
    from lastro.transform.position import Position


def check_totals_of_r04(tally: Tally, reports: Reports) -> None:
    """R04's column Total: flows of all months, first opening, last closing; in SQL and on the sheet."""
    table = find_table(reports, "fluxo_mensal_total")
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


def check_memos_of_r04(tally: Tally, position: Position, reports: Reports) -> None:
    """The memo rows below R04 are their table's, by month; what is still to be generated adds to Q12 from D on."""
    memo, section = find_table(reports, "fluxo_mensal_memo"), find_section(reports, "fluxo_mensal")
    if memo is None or section is None:
        return
    wanted: dict[str, dict[Found, Decimal]] = {}
    for label, month, value in read_columns(memo, "memo", "mes", "valor"):
        wanted.setdefault(label, {})[month] = value
    printed = {str(plain(row.cells[0])): row for row in section.rows if row.style is Style.MEMO}
    tally.compare("Fluxo mensal planilha · memos", len(wanted), len(printed))
    for label, of_month in wanted.items():
        row = printed.get(label)
        if row is None:
            tally.fail([f"Fluxo mensal planilha · {label}"])
            continue
        total = plain(row.cells[section.place("total")])
        tally.compare(f"Fluxo mensal planilha · {label}", sum_money(of_month.values()), total)
        for column, cell in zip(section.columns, row.cells, strict=True):
            value = plain(cell)
            if column.period is not None and value is not None:
                month = column.period.month
                tally.compare(f"Fluxo mensal planilha · {label} · {month_text(month)}", of_month.get(month), value)
    months = [column.period for column in section.columns if column.period is not None]
    if months:
        planned = plan_endless_series(position.series_sem_fim, position.data_base, months[-1].last)
        missing = [value for code, value in read_columns(memo, "codigo", "valor") if code == "recorrencias_nao_geradas"]
        tally.compare(
            "Fluxo mensal · recorrências", to_decimal(int(planned["valor_centavos"].sum())), sum_money(missing)
        )


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
        shown = [amount for row in printed for cell in row.cells if isinstance(amount := plain(cell), Decimal)]
        if shown != [value for _, value in rows]:
            tally.fail([f"{name} memo planilha"])
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
    names = list(dict.fromkeys(row[2] for row in rows))
    tally.compare("fluxo_mensal cenários · linhas", len(names) + 1, len(section.rows))
    predicted = [key for key in finals if key[1] != "realizado"]
    tally.compare("fluxo_mensal cenários · meses", len(predicted) * len(names), len(rows))
    base = [row for row in section.rows if row.origin is None]
    tally.compare("fluxo_mensal cenários · contratual", 1, len(base))
    for mes, momento, scenario, contractual, difference, final in rows:
        key = f"fluxo_mensal cenários · {scenario} · {month_text(mes)} {momento}"
        tally.compare(f"{key} · contratual", finals.get((mes, momento)), contractual)
        tally.compare(f"{key} · saldo", contractual + difference, final)
    for place, mes, momento in list_month_places(section) if base else ():
        want = finals.get((mes, momento)) if momento != "realizado" else None
        tally.compare(
            f"fluxo_mensal cenários · contratual · {month_text(mes)} {momento}", want, plain(base[0].cells[place])
        )


def check_consolidated(tally: Tally, reports: Reports) -> None:
    """R05's last block, of which no table has a row: its flows add the accounts', its balances are those of R04."""
    section, table = find_section(reports, "fluxo_por_conta"), find_table(reports, "fluxo_por_conta")
    if section is None or table is None:
        return
    accounts: dict[tuple[date, str], list[tuple[Found, ...]]] = {}
    for conta, mes, momento, *values in read_columns(table, "conta_id", "mes", "momento", *R05_NAMES):
        accounts.setdefault((mes, momento), []).append((conta, *values))
    order = {conta for values in accounts.values() for conta, *_ in values}
    blocks = read_blocks(section)
    tally.compare("Fluxo por conta planilha · blocos", len(order) + 1, len(blocks))
    if not blocks:
        return
    lines = blocks[-1]
    tally.compare("Consolidado · linhas", len(R05_NAMES), len(lines))
    # The table has a row per category and month: it is read once, not once per column.
    consolidated = {
        key: {code: value for code, level, _, _, value in nodes if not level}
        for key, nodes in read_r04(reports).items()
    }
    for place, month, moment in list_month_places(section):
        name = f"Consolidado · {section.columns[place].header}"
        printed = dict(zip(R05_NAMES, (plain(cells[place]) for cells in lines), strict=False))
        for number, code in enumerate(R05_NAMES[1:-1], 2):
            total = sum_money(values[number] for values in accounts.get((month, moment), ()))
            tally.compare(f"{name} · {code}", total, printed.get(code))
        balances = consolidated.get((month, moment), {})
        for code in ("saldo_inicial", "saldo_final") if balances else ():
            tally.compare(f"{name} · {code}", balances.get(code), printed.get(code))
