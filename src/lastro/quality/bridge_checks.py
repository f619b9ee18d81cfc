"""V05: the bridge from result to cash against the linhas, the monthly flow and the balance (S15)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from lastro.calendar import ONE_DAY, add_months, month_end, month_start
from lastro.grid.verdict import Outcome
from lastro.money import to_decimal
from lastro.quality.cash_tables import Reports, read_r04
from lastro.quality.ledger import Ledger, iter_sums
from lastro.quality.printed import amount_or_zero, find_table, month_text, read_columns, sum_money
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally
from lastro.transform.position import Position, as_date


def check_v05(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V05: each letter of R07 is what the linhas say, it adds up, and it ties to R04 and to the balance."""
    tally = Tally()
    table = find_table(reports, "ponte")
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
    compare_sheets(tally, reports, ("R07",))
    return tally.close()


def _direct_bridge(position: Position) -> dict[tuple[str, date], int]:
    """Add the bridge's letters from one table of (competence month, cash month, kind, state)."""
    own = ["natureza", "pago", "caixa", "fora_resultado", "data_competencia_ef", "data_pagamento", "valor_centavos"]
    linhas = position.linhas.loc[~position.linhas["transferencia"], own]
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
    return amount_or_zero(after) - amount_or_zero(before)
