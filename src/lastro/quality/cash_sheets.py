"""What the cash sheets print and no table has: parts of V01, V02 and V04."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from lastro.grid.model import Style
from lastro.quality.cash_tables import (
    CENTRE_LINES,
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

if TYPE_CHECKING:
    from lastro.transform.position import Position


def check_printed_cash(tally: Tally, position: Position, reports: Reports) -> None:
    """Compare what R01 to R05 print besides their tables, for V02."""
    _check_lowest(tally, position, reports)
    _check_memos_of_r04(tally, reports)
    _check_memos(tally, reports)
    _check_scenarios(tally, position, reports)
    _check_consolidated(tally, reports)


def check_total_of_r01(tally: Tally, _: Position, reports: Reports) -> None:
    """Compare R01's printed total, which counts cards and accounts apart, with its table, for V01."""
    section, table = find_section(reports, "saldos_por_conta"), find_table(reports, "saldos_por_conta")
    for row in () if section is None or table is None else section.rows:
        if section is not None and table is not None and row.style is Style.TOTAL:
            total = sum_money(saldo for (saldo,) in read_columns(table, "saldo_em_d"))
            tally.compare("total · Saldos planilha", total, plain(row.cells[section.place("saldo_em_d")]))


def check_blocks_of_centres(tally: Tally, _: Position, reports: Reports) -> None:
    """Compare the last block of Fluxo por centro, of which no table has a row, with the sum of the centres, for V04."""
    table, section = find_table(reports, "fluxo_por_centro"), find_section(reports, "fluxo_por_centro")
    if table is None or section is None:
        return
    found: dict[tuple[date, str], dict[str, Decimal]] = {}
    centros = set()
    for centro, mes, momento, linha, value in read_columns(table, "centro_id", "mes", "momento", "codigo", "valor"):
        lines = found.setdefault((mes, momento), {})
        lines[linha] = lines.get(linha, Decimal("0.00")) + value
        centros.add(centro)
    blocks = read_blocks(section)
    tally.compare("Fluxo por centro planilha · blocos", len(centros) + 1, len(blocks))
    for place, mes, momento in list_month_places(section) if blocks else ():
        printed = [plain(cells[place]) for cells in blocks[-1]]
        if printed != [found.get((mes, momento), {}).get(linha) for linha in CENTRE_LINES]:
            tally.fail([f"Fluxo por centro planilha · Consolidado · {section.columns[place].header}"])


def _check_lowest(tally: Tally, position: Position, reports: Reports) -> None:
    """R01 prints the lowest projected balance of all accounts, and its day, as Fluxo diário has them."""
    lowest, section = find_table(reports, "fluxo_diario"), find_section(reports, "saldos_por_conta")
    if lowest is None or section is None:
        return
    finals = [(dia, final) for dia, final in read_columns(lowest, "dia", "saldo_final") if dia >= position.data_base]
    place, on = section.place("menor_saldo_projetado"), section.place("data_do_menor_saldo")
    for printed in section.rows:
        if printed.style is Style.TOTAL and finals and isinstance(plain(printed.cells[place]), Decimal):
            worst = min(final for _, final in finals)
            tally.compare("menor saldo projetado", worst, plain(printed.cells[place]))
            first = min(dia for dia, final in finals if final == worst)
            tally.compare("data do menor saldo", str(first), str(plain(printed.cells[on])))


def _check_memos_of_r04(tally: Tally, reports: Reports) -> None:
    """The memo rows below R04 are their table's, by month."""
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


def _check_memos(tally: Tally, reports: Reports) -> None:
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


def _check_scenarios(tally: Tally, position: Position, reports: Reports) -> None:
    """Columns of other assumptions: the sheet prints what the table has."""
    for name, label, end in (("fluxo_diario", "dia", "dia"), ("fluxo_semanal", "fim", "fim")):
        long, table, section = (
            find_table(reports, f"{name}_cenarios"),
            find_table(reports, name),
            find_section(reports, name),
        )
        if long is None or table is None or section is None:
            continue
        extra = section.columns[section.place("alerta") + 1 :]
        shown = {
            (day, column.header): value
            for column in extra
            for day, value in read_columns(table, end, column.key)
            if day >= position.data_base
        }
        rows = read_columns(long, label, "cenario", "saldo_final")
        tally.compare(f"{name} cenários · linhas", len(shown), len(rows))
        for day, scenario, final in rows:
            tally.compare(f"{name} cenários · {scenario} · {day} · planilha", shown.get((day, scenario)), final)
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
    rows = read_columns(long, "cenario")
    names = set(rows)
    tally.compare("fluxo_mensal cenários · linhas", len(names) + 1, len(section.rows))
    predicted = [key for key in finals if key[1] != "realizado"]
    tally.compare("fluxo_mensal cenários · meses", len(predicted) * len(names), len(rows))
    base = [row for row in section.rows if row.origin is None]
    tally.compare("fluxo_mensal cenários · contratual", 1, len(base))
    for place, mes, momento in list_month_places(section) if base else ():
        want = finals.get((mes, momento)) if momento != "realizado" else None
        tally.compare(
            f"fluxo_mensal cenários · contratual · {month_text(mes)} {momento}", want, plain(base[0].cells[place])
        )


def _check_consolidated(tally: Tally, reports: Reports) -> None:
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
