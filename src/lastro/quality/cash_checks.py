"""V01 to V05: the cash reports against direct sums over the linhas, and each against the other (S15)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.calendar import ONE_DAY, month_start
from lastro.grid.model import Style
from lastro.grid.verdict import Outcome
from lastro.money import to_decimal
from lastro.quality.cash_sheets import (
    check_consolidated,
    check_memos,
    check_memos_of_r04,
    check_scenarios,
    check_totals_of_r04,
)
from lastro.quality.cash_tables import DAY_NAMES, R04_PARTS, R05_NAMES, Reports, account_number, account_text, read_r04
from lastro.quality.ledger import NO_ACCOUNT, Ledger
from lastro.quality.printed import (
    Found,
    amount_or_zero,
    find_section,
    find_table,
    month_text,
    plain,
    read_columns,
    sum_money,
)
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally

if TYPE_CHECKING:
    from lastro.transform.position import Position

AHEAD_DAYS: Final = (7, 30)
ACCOUNT_DAYS: Final = ("dia", "conta_id", *DAY_NAMES, "liquido_do_dia", "saldo_final")


def check_v01(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V01: opening balances plus all caixa linhas are the balances at D that R01, R04 and R05 print."""
    tally = Tally()
    day = position.data_base
    expected = {conta: _balance_at(position, conta, ledger) for conta in ledger.accounts}
    total = sum_money(expected.values())
    found_total: Decimal | None = None
    table = find_table(reports, "saldos_por_conta")
    if table is not None:
        printed = {account_number(conta): saldo for conta, saldo in read_columns(table, "conta_id", "saldo_em_d")}
        for conta in sorted({*expected, *printed}):
            tally.compare(f"{account_text(conta)} · Saldos", expected.get(conta), printed.get(conta))
        found_total = sum_money(printed.values())
        tally.compare("total · Saldos", total, found_total)
        _check_r01_sheet(tally, reports, total)
    table = find_table(reports, "fluxo_por_conta")
    if table is not None:
        rows = read_columns(table, "conta_id", "mes", "momento", "saldo_final")
        printed = {
            account_number(conta): saldo
            for conta, mes, momento, saldo in rows
            if mes == month_start(day) and momento == "realizado"
        }
        for conta in sorted({*expected, *printed}):
            tally.compare(f"{account_text(conta)} · Fluxo por conta", expected.get(conta), printed.get(conta))
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
    section = find_section(reports, "saldos_por_conta")
    for row in () if section is None else section.rows:
        if section is not None and row.style is Style.TOTAL:
            tally.compare("total · Saldos planilha", total, plain(row.cells[section.place("saldo_em_d")]))


def check_v02(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V02: opening, implanted balances and the four classes give the closing in every period of R01 to R05."""
    tally = Tally()
    _close_r01(tally, position, reports)
    for name, text in (("fluxo_diario", "dia"), ("fluxo_semanal", "semana")):
        _close_days(tally, reports, name, text)
    _close_account_days(tally, ledger, reports)
    _close_r04(tally, position, ledger, reports)
    _close_r05(tally, position, ledger, reports)
    check_totals_of_r04(tally, reports)
    check_memos(tally, reports)
    check_memos_of_r04(tally, position, reports)
    check_scenarios(tally, position, reports)
    compare_sheets(tally, reports, ("R01", "R02", "R03", "R04", "R05"))
    return tally.close()


def _close_r01(tally: Tally, position: Position, reports: Reports) -> None:
    table = find_table(reports, "saldos_por_conta")
    if table is None:
        return
    names = ("conta_id", "inicio_do_controle", "saldo_inicial", "saldo_em_d_1", "saldo_em_d")
    flows = ("entradas_do_dia", "saidas_do_dia", "nao_operacional_do_dia", "transferencias_do_dia")
    ahead = ("a_realizar_7_dias", "saldo_em_d_7", "a_realizar_30_dias", "saldo_em_d_30")
    for row in read_columns(table, *names, *flows, *ahead):
        conta, inicio, opening, eve, saldo = row[:5]
        key = f"{account_text(account_number(conta))} · Saldos"
        if saldo is None:
            continue
        start = opening if inicio == position.data_base else Decimal("0.00")
        tally.compare(key, amount_or_zero(eve) + start + sum_money(row[5:9]), saldo)
        for days, pending, balance in zip(AHEAD_DAYS, row[9::2], row[10::2], strict=True):
            tally.compare(f"{key} · D+{days}", saldo + amount_or_zero(pending), balance)
    lowest = find_table(reports, "fluxo_diario")
    section = find_section(reports, "saldos_por_conta")
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


def _close_days(tally: Tally, reports: Reports, name: str, text: str) -> None:
    table = find_table(reports, name)
    if table is None:
        return
    net = "liquido_do_dia" if name == "fluxo_diario" else "liquido_da_semana"
    label = "dia" if name == "fluxo_diario" else "inicio"
    before: Decimal | None = None
    for row in read_columns(table, label, *DAY_NAMES, net, "saldo_final"):
        key = f"{text} {row[0]}"
        tally.compare(f"{key} · líquido", sum_money(row[2:9]), row[9])
        tally.compare(f"{key} · saldo final", amount_or_zero(row[1]) + sum_money(row[2:9]), row[10])
        if before is not None:
            tally.compare(f"{key} · saldo inicial", before, row[1])
        before = row[10]


def _close_account_days(tally: Tally, ledger: Ledger, reports: Reports) -> None:
    """Close the days of every account, one after the other, and add the accounts to the day of all (R02)."""
    table, whole = find_table(reports, "fluxo_diario_contas"), find_table(reports, "fluxo_diario")
    if table is None or whole is None:
        return
    moved: dict[Found, list[Decimal]] = {}
    before: dict[int, Decimal | None] = {}
    for day, conta, opening, *classes, net, closing in read_columns(table, *ACCOUNT_DAYS):
        number = account_number(conta)
        key = f"{account_text(number)} · {day}"
        tally.compare(f"{key} · líquido", sum_money(classes), net)
        if number not in before:
            before[number] = ledger.balance(day - ONE_DAY, number)
        tally.compare(f"{key} · saldo inicial", before[number], opening)
        # Where control begins, predictions dated before count at once (S7).
        expected = ledger.balance(day, number) if opening is None else opening + net
        tally.compare(f"{key} · saldo final", expected, closing)
        before[number] = closing
        moved[day] = [a + b for a, b in zip(moved.get(day, [Decimal(0)] * len(classes)), classes, strict=True)]
    tally.compare("contas · dias", str(len(whole.rows) * len(ledger.accounts)), str(len(table.rows)))
    for day, *classes in read_columns(whole, "dia", *DAY_NAMES[1:]):
        for name, total, parts in zip(DAY_NAMES[1:], classes, moved.get(day, classes), strict=True):
            tally.compare(f"contas · dia {day} · {name}", total, parts)


def _close_r04(tally: Tally, position: Position, ledger: Ledger, reports: Reports) -> None:
    for (mes, momento), nodes in read_r04(reports).items():
        key = f"Fluxo mensal · {month_text(mes)} {momento}"
        line = {code: value for code, level, _, _, value in nodes if level == 0}
        opening, closing = line.get("saldo_inicial"), line.get("saldo_final")
        tally.compare(
            f"{key} · saldo final", amount_or_zero(opening) + sum_money(line.get(code) for code in R04_PARTS), closing
        )
        operating = amount_or_zero(line.get("entradas")) + amount_or_zero(line.get("saidas"))
        tally.compare(f"{key} · fluxo operacional", operating, line.get("fluxo_operacional"))
        generated = operating + amount_or_zero(line.get("nao_operacional"))
        tally.compare(f"{key} · geração de caixa", generated, line.get("geracao_de_caixa"))
        expected = ledger.balance(
            position.data_base if momento == "a_realizar" else mes - ONE_DAY, realised_only=momento == "a_realizar"
        )
        tally.compare(f"{key} · saldo inicial", expected, opening)


def _close_r05(tally: Tally, position: Position, ledger: Ledger, reports: Reports) -> None:
    table = find_table(reports, "fluxo_por_conta")
    if table is None:
        return
    rows = read_columns(table, "conta_id", "mes", "momento", *R05_NAMES)
    for conta, mes, momento, opening, *flows, closing in rows:
        number = account_number(conta)
        key = f"{account_text(number)} · {month_text(mes)} {momento}"
        account = ledger.accounts.get(number)
        if account is not None and account.inicio is not None and account.inicio > position.data_base:
            # Predictions dated before a future start of control have no balance to move: it need not close (S7).
            continue
        if closing is not None:
            tally.compare(f"{key} · saldo final", amount_or_zero(opening) + sum_money(flows), closing)
        if account is not None:
            eve = position.data_base if momento == "a_realizar" else mes - ONE_DAY
            expected = ledger.balance(eve, number, realised_only=momento == "a_realizar")
            tally.compare(f"{key} · saldo inicial", expected, opening)
    check_consolidated(tally, reports)
