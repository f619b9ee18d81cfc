"""Balances and cash flow: S7, R01 to R05."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from .context import CLASSES, ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS, Context, name_key, open_titulos
from .days import (
    WEEKDAYS,
    Month,
    add_days,
    add_months,
    each_day,
    first_day,
    iso_week,
    last_day,
    monday_of,
    month_of,
    shift_month,
)
from .dimensions import SEM_CATEGORIA, category_path
from .openings import MONTHS, in_transit
from .recurrence import missing_recurrences
from .values import ZERO, compared, percent, round_money, total

Record = dict[str, Any]
Column = tuple[Month, str]

# the seven amounts that add to "Líquido do dia" (R02)
PARCELAS = (
    "saldos_implantados",
    "entradas_realizadas",
    "saidas_realizadas",
    "entradas_previstas",
    "saidas_previstas",
    "nao_operacional",
    "transferencias",
)


# --- S7: balances ---


def _defined(ctx: Context, conta_id: int | None, day: date) -> bool:
    start = ctx.contas[conta_id]["data_saldo_inicial"]
    return start is None or start <= day


def balance(ctx: Context, conta_id: int | None, day: date) -> Decimal | None:
    """Return `saldo(c, t)`, None before the control starts (S7)."""
    if not _defined(ctx, conta_id, day):
        return None
    opening: Decimal = ctx.contas[conta_id]["valor_saldo_inicial"]
    return opening + total(
        linha["valor"]
        for linha in ctx.linhas
        if linha["conta_id"] == conta_id and linha["caixa"] and linha["data_pagamento"] <= day
    )


def consolidated_balance(ctx: Context, day: date) -> Decimal:
    """Return the sum of the accounts defined on the day, 0.00 if none (S7)."""
    return total(value for conta_id in ctx.contas if (value := balance(ctx, conta_id, day)) is not None)


def implanted(ctx: Context, first: date, last: date, conta_id: Any = "todas") -> Decimal:
    """Return the opening balances of the accounts whose control starts inside the period (S7)."""
    return total(
        account["valor_saldo_inicial"]
        for key, account in ctx.contas.items()
        if (conta_id == "todas" or key == conta_id)
        and account["data_saldo_inicial"] is not None
        and first <= account["data_saldo_inicial"] <= last
    )


# --- cash movements of a period ---


def realised(ctx: Context, first: date, last: date) -> list[Record]:
    """Return the caixa linhas paid in the period (S4)."""
    return [linha for linha in ctx.linhas if linha["caixa"] and first <= linha["data_pagamento"] <= last]


def projected(ctx: Context, first: date, last: date) -> list[Record]:
    """Return the open linhas whose projected date is in the period (S4)."""
    return [
        linha
        for linha in ctx.linhas
        if linha["data_projetada"] is not None and first <= linha["data_projetada"] <= last
    ]


def of_class(linhas: Iterable[Record], classe: str) -> Decimal:
    """Add the linhas of one flow class."""
    return total(linha["valor"] for linha in linhas if linha["classe"] == classe)


def period_amounts(ctx: Context, first: date, last: date) -> Record:
    """Return the seven amounts of a period and `liquido` (R02)."""
    done, planned = realised(ctx, first, last), projected(ctx, first, last)
    amounts = {
        "saldos_implantados": implanted(ctx, first, last),
        "entradas_realizadas": of_class(done, ENTRADAS),
        "saidas_realizadas": of_class(done, SAIDAS),
        "entradas_previstas": of_class(planned, ENTRADAS),
        "saidas_previstas": of_class(planned, SAIDAS),
        "nao_operacional": of_class([*done, *planned], NAO_OPERACIONAL),
        "transferencias": of_class([*done, *planned], TRANSFERENCIAS),
    }
    return {**amounts, "liquido": total(amounts.values())}


def opening_balance(ctx: Context, first: date) -> Decimal:
    """Return the consolidated opening of a period that may start after D (S7, R02).

    Up to the day after D it is the balance on the eve. Later, what was projected (or implanted) since D is added.
    """
    eve = first - timedelta(days=1)
    if eve < ctx.data_base:
        return consolidated_balance(ctx, eve)
    after = add_days(ctx.data_base, 1)
    return (
        consolidated_balance(ctx, ctx.data_base)
        + total(linha["valor"] for linha in projected(ctx, ctx.data_base, eve))
        + implanted(ctx, after, eve)
    )


# --- R02 / R03 ---


def r02(ctx: Context, first: date | None = None, last: date | None = None) -> list[Record]:
    """Fluxo de caixa diário: one dict per day, first day of D's month to D+44 unless told.

    Keys: data, dia (seg..dom), dia_util, tipo (Realizado/Hoje/Projetado), saldo_inicial, the seven of `PARCELAS`,
    liquido_do_dia, saldo_final, alerta ("", "Negativo", "Abaixo do mínimo").
    """
    first = first or first_day(ctx.mes)
    last = last or add_days(ctx.data_base, ctx.params["horizonte_dias"] - 1)
    rows = []
    opening = opening_balance(ctx, first)
    for day in each_day(first, last):
        amounts = period_amounts(ctx, day, day)
        net = amounts.pop("liquido")
        rows.append(
            {
                "data": day,
                "dia": WEEKDAYS[day.weekday()],
                "dia_util": ctx.dias_uteis.is_business_day(day),
                "tipo": "Realizado" if day < ctx.data_base else "Hoje" if day == ctx.data_base else "Projetado",
                "saldo_inicial": opening,
                **amounts,
                "liquido_do_dia": net,
                "saldo_final": opening + net,
                "alerta": _alert(ctx, opening + net),
            }
        )
        opening += net
    return rows


def _alert(ctx: Context, value: Decimal) -> str:
    if value < 0:
        return "Negativo"
    return "Abaixo do mínimo" if value < ctx.params["saldo_minimo"] else ""


def r02_totais(rows: list[Record]) -> Record:
    """Totals of R02 rows per month and overall: money summed, first opening, last closing.

    Returns:
        {(year, month) or "geral": dict(saldo_inicial, PARCELAS, liquido_do_dia, saldo_final)}.
    """
    groups: dict[Any, list[Record]] = {"geral": rows}
    for row in rows:
        groups.setdefault(month_of(row["data"]), []).append(row)
    return {
        key: {
            "saldo_inicial": members[0]["saldo_inicial"],
            **{name: total(row[name] for row in members) for name in (*PARCELAS, "liquido_do_dia")},
            "saldo_final": members[-1]["saldo_final"],
        }
        for key, members in groups.items()
    }


def r02_memo(ctx: Context) -> Record:
    """Memo rows of R02.

    Returns:
        dict(vencidos_a_receber_total, vencidos_a_pagar_total: all overdue títulos; vencidos_a_receber,
        vencidos_a_pagar: those not projected; saldo_final_com_vencidos: last Saldo final
        of R02 plus the not projected ones; recorrencias_nao_geradas: estimates of Q12 due in D..D+44, S10).
    """
    overdue = [titulo for titulo in open_titulos(ctx) if titulo["vencido"]]
    left_out = [titulo for titulo in overdue if titulo["data_projetada"] is None]

    def amount(titulos: list[Record], tipo: str) -> Decimal:
        return total(titulo["valor"] for titulo in titulos if titulo["tipo"] == tipo)

    last = add_days(ctx.data_base, ctx.params["horizonte_dias"] - 1)
    return {
        "vencidos_a_receber_total": amount(overdue, "R"),
        "vencidos_a_pagar_total": amount(overdue, "P"),
        "vencidos_a_receber": amount(left_out, "R"),
        "vencidos_a_pagar": amount(left_out, "P"),
        "saldo_final_com_vencidos": opening_balance(ctx, add_days(last, 1)) + total(t["valor"] for t in left_out),
        "recorrencias_nao_geradas": total(
            row["valor"] for row in missing_recurrences(ctx, last) if row["data"] >= ctx.data_base
        ),
    }


def lowest_projected(ctx: Context) -> tuple[Decimal, date]:
    """Return the minimum daily closing of R02 from D on and its first date (R00)."""
    rows = [row for row in r02(ctx) if row["data"] >= ctx.data_base]
    lowest = min(row["saldo_final"] for row in rows)
    return lowest, next(row["data"] for row in rows if row["saldo_final"] == lowest)


def r03(ctx: Context, first: date | None = None, weeks: int | None = None) -> list[Record]:
    """Fluxo de caixa semanal: one dict per ISO week, 4 weeks before D's week, then 13 from it, unless told.

    Keys: semana (ISO year, ISO week), inicio, fim, rotulo ("Sem 12 · 16/03 a 22/03/2026"), saldo_inicial, the seven
    of `PARCELAS`, liquido_da_semana, saldo_final, alerta.
    """
    monday = monday_of(first) if first else add_days(monday_of(ctx.data_base), -28)
    count = weeks or 4 + ctx.params["horizonte_semanas"]
    rows = []
    opening = opening_balance(ctx, monday)
    for index in range(count):
        start = add_days(monday, 7 * index)
        end = add_days(start, 6)
        amounts = period_amounts(ctx, start, end)
        net = amounts.pop("liquido")
        rows.append(
            {
                "semana": iso_week(start),
                "inicio": start,
                "fim": end,
                "rotulo": f"Sem {iso_week(start)[1]:02d} · {start:%d/%m} a {end:%d/%m/%Y}",
                "saldo_inicial": opening,
                **amounts,
                "liquido_da_semana": net,
                "saldo_final": opening + net,
                "alerta": _alert(ctx, opening + net),
            }
        )
        opening += net
    return rows


# --- R01 ---


def r01(ctx: Context) -> list[Record]:
    """Saldos por conta: one dict per account, sorted by saldo desc (undefined last), then id.

    Keys: conta_id, conta, tipo, configurada, inicio_do_controle, saldo_inicial, saldo_ontem (D-1), entradas_do_dia,
    saidas_do_dia, nao_operacional_do_dia, transferencias_do_dia, saldo (D), a_realizar_7, saldo_d7, a_realizar_30,
    saldo_d30, menor_saldo_projetado, data_do_menor_saldo (daily closings D..D+44), saldo_conferido, data_conferido
    (latest `saldos_conferidos` up to D), diferenca (computed on that day - in transit - conferido).
    Undefined balances are None.
    """
    rows = [_account_row(ctx, conta_id) for conta_id in ctx.contas]
    return sorted(
        rows,
        key=lambda row: (row["saldo"] is None, -(row["saldo"] or ZERO), row["conta_id"] is None, row["conta_id"] or 0),
    )


def _account_row(ctx: Context, conta_id: int | None) -> Record:
    account, day = ctx.contas[conta_id], ctx.data_base
    today = [linha for linha in realised(ctx, day, day) if linha["conta_id"] == conta_id]
    now = balance(ctx, conta_id, day)

    def ahead(days: int) -> Decimal:
        planned = projected(ctx, day, add_days(day, days))
        return total(linha["valor"] for linha in planned if linha["conta_id"] == conta_id)

    lowest, lowest_on = None, None
    if now is not None:
        for count in range(ctx.params["horizonte_dias"]):
            closing = now + ahead(count)
            if lowest is None or closing < lowest:
                lowest, lowest_on = closing, add_days(day, count)
    checks = sorted(
        (check for check in account["saldos_conferidos"] if add_months(day, -MONTHS) <= check["data"] <= day),
        key=lambda check: check["data"],
    )
    checked = checks[-1] if checks else None
    computed = balance(ctx, conta_id, checked["data"]) if checked else None
    if checked and computed is not None:
        computed -= in_transit(ctx, conta_id, checked["data"])
    return {
        "conta_id": conta_id,
        "conta": account["descricao"],
        "tipo": account["tipo"],
        "configurada": account["configurada"],
        "inicio_do_controle": account["data_saldo_inicial"],
        "saldo_inicial": account["valor_saldo_inicial"],
        "saldo_ontem": balance(ctx, conta_id, add_days(day, -1)),
        "entradas_do_dia": of_class(today, ENTRADAS),
        "saidas_do_dia": of_class(today, SAIDAS),
        "nao_operacional_do_dia": of_class(today, NAO_OPERACIONAL),
        "transferencias_do_dia": of_class(today, TRANSFERENCIAS),
        "saldo": now,
        "a_realizar_7": ahead(7),
        "saldo_d7": None if now is None else now + ahead(7),
        "a_realizar_30": ahead(30),
        "saldo_d30": None if now is None else now + ahead(30),
        "menor_saldo_projetado": lowest,
        "data_do_menor_saldo": lowest_on,
        "saldo_conferido": checked["valor"] if checked else None,
        "data_conferido": checked["data"] if checked else None,
        "diferenca": computed - checked["valor"] if checked and computed is not None else None,
    }


def r01_total(ctx: Context, tipo: str | None = None) -> Record:
    """Totals of R01 (all accounts, or one `tipo`); the lowest balance is the consolidated series' (all accounts).

    Undefined balances add nothing.
    """
    rows = [row for row in r01(ctx) if tipo is None or row["tipo"] == tipo]
    names = (
        "saldo_inicial", "saldo_ontem", "entradas_do_dia", "saidas_do_dia", "nao_operacional_do_dia",
        "transferencias_do_dia", "saldo", "a_realizar_7", "saldo_d7", "a_realizar_30", "saldo_d30",
    )  # fmt: skip
    lowest, lowest_on = lowest_projected(ctx)
    return {
        **{name: total(row[name] or ZERO for row in rows) for name in names},
        "menor_saldo_projetado": lowest,
        "data_do_menor_saldo": lowest_on,
    }


# --- R04 ---


def monthly_columns(ctx: Context) -> list[Column]:
    """Return the columns of R04 and R05: ((year, month), part).

    Part is "total" for closed months; "realizado", "a_realizar", "total" for D's month; "previsto" for future months.
    """
    here = ctx.mes
    past: list[Column] = [(shift_month(here, -n), "total") for n in range(ctx.params["historico_meses"], 0, -1)]
    now: list[Column] = [(here, part) for part in ("realizado", "a_realizar", "total")]
    ahead: list[Column] = [(shift_month(here, n), "previsto") for n in range(1, ctx.params["horizonte_meses"] + 1)]
    return past + now + ahead


def column_linhas(ctx: Context, column: Column) -> list[Record]:
    """Return the linhas of a monthly column: realised up to D, projected from D."""
    month, part = column
    first, last = first_day(month), last_day(month)
    done = realised(ctx, first, last) if part != "a_realizar" else []
    planned = projected(ctx, first, last) if part != "realizado" else []
    return done + planned


def _month_implanted(ctx: Context, column: Column, conta_id: Any = "todas") -> Decimal:
    """Implanted balances up to D are realised, later ones projected."""
    month, part = column
    first, last = first_day(month), last_day(month)
    if part == "realizado":
        last = min(last, ctx.data_base)
    if part == "a_realizar":
        first = max(first, add_days(ctx.data_base, 1))
    return implanted(ctx, first, last, conta_id)


def r04(ctx: Context, columns: list[Column] | None = None) -> dict[Column, Record]:
    """Fluxo de caixa mensal, summary lines: column -> line -> amount.

    Lines: saldo_inicial, saldos_implantados, entradas, saidas, fluxo_operacional, nao_operacional, geracao_de_caixa,
    transferencias, saldo_final.
    """
    table = {}
    for column in columns or monthly_columns(ctx):
        month, part = column
        linhas = column_linhas(ctx, column)
        opening = (
            consolidated_balance(ctx, ctx.data_base) if part == "a_realizar" else opening_balance(ctx, first_day(month))
        )
        by_class = {classe: of_class(linhas, classe) for classe in CLASSES}
        operating = by_class[ENTRADAS] + by_class[SAIDAS]
        generated = operating + by_class[NAO_OPERACIONAL]
        new = _month_implanted(ctx, column)
        table[column] = {
            "saldo_inicial": opening,
            "saldos_implantados": new,
            "entradas": by_class[ENTRADAS],
            "saidas": by_class[SAIDAS],
            "fluxo_operacional": operating,
            "nao_operacional": by_class[NAO_OPERACIONAL],
            "geracao_de_caixa": generated,
            "transferencias": by_class[TRANSFERENCIAS],
            "saldo_final": opening + new + generated + by_class[TRANSFERENCIAS],
        }
    return table


def r04_total(ctx: Context) -> Record:
    """Column "Total" of R04: flows of all months added, first opening, last closing."""
    table = r04(ctx)
    whole = [column for column in table if column[1] in ("total", "previsto")]
    result = {line: total(table[column][line] for column in whole) for line in table[whole[0]]}
    result["saldo_inicial"] = table[whole[0]]["saldo_inicial"]
    result["saldo_final"] = table[whole[-1]]["saldo_final"]
    return result


def r04_memo(ctx: Context) -> Record:
    """Memo of R04: dict(vencidos_a_receber, vencidos_a_pagar, and month -> amount of two more).

    anteriores_ao_controle: by payment month; recorrencias_nao_geradas: by due month from D to the last one shown.
    """
    memo = r02_memo(ctx)
    before: dict[Month, Decimal] = {}
    for linha in ctx.linhas:
        if linha["pago"] and not linha["caixa"]:
            month = month_of(linha["data_pagamento"])
            before[month] = before.get(month, ZERO) + linha["valor"]
    missing: dict[Month, Decimal] = {}
    for row in missing_recurrences(ctx, last_day(max(month for month, _ in r04(ctx)))):
        if row["data"] >= ctx.data_base:
            month = month_of(row["data"])
            missing[month] = missing.get(month, ZERO) + row["valor"]
    return {
        "vencidos_a_receber": memo["vencidos_a_receber"],
        "vencidos_a_pagar": memo["vencidos_a_pagar"],
        "anteriores_ao_controle": before,
        "recorrencias_nao_geradas": missing,
    }


def category_tree(ctx: Context, amount_of: Callable[[int | None], Decimal | list[Decimal]]) -> list[Record]:
    """Lay amounts booked per category out as printed rows (S11): a node, then "(direto)", then its children.

    Args:
        amount_of: category id (None = without category) -> list of amounts, one per column.

    Returns:
        rows dict(categoria_id, caminho, nivel, direto, valores) in tree order, siblings by name, roots by name; nodes
        without any linha below them (all lists empty or zero) are left out. `direto` is True on the child row
        "(direto)" of a node that has children and amounts of its own. Unknown ids and None are roots.
    """
    used = {linha["categoria_id"] for linha in ctx.linhas}
    roots: list[int | None] = [c for c, record in ctx.categorias.items() if record["parent_id"] is None]
    roots += [c for c in used if c is None or c not in ctx.categorias]
    rows: list[Record] = []

    def add(left: list[Decimal], right: list[Decimal]) -> list[Decimal]:
        return [a + b for a, b in zip(left, right, strict=True)]

    def visit(categoria_id: int | None, nivel: int) -> list[Decimal]:
        direct = list(amount_of(categoria_id))  # type: ignore[arg-type]
        known = ctx.categorias.get(categoria_id) if categoria_id is not None else None
        children = known["filhas"] if known else []
        position = len(rows)
        amounts = direct
        path = category_path(ctx.categorias, categoria_id)
        if children and any(direct):
            rows.append(
                {"categoria_id": categoria_id, "caminho": f"{path} > (direto)", "nivel": nivel + 1, "direto": True,
                 "valores": direct}
            )  # fmt: skip
        for child in children:
            amounts = add(amounts, visit(child, nivel + 1))
        if any(amounts) or len(rows) > position:
            row = {"categoria_id": categoria_id, "caminho": path, "nivel": nivel, "direto": False, "valores": amounts}
            rows.insert(position, row)
        return amounts

    def root_name(categoria_id: int | None) -> str:
        return category_path(ctx.categorias, categoria_id) if categoria_id is not None else SEM_CATEGORIA

    for root in sorted(roots, key=lambda c: name_key(root_name(c), c)):
        visit(root, 0)
    return rows


def r04_categorias(ctx: Context, columns: list[Column] | None = None) -> dict[str, list[Record]]:
    """Category rows of R04 per section: {"Entradas" | "Saídas" | "Não operacional": rows}.

    A row is dict(categoria_id, caminho, nivel, direto, valores={column: amount}); see `category_tree`.
    """
    columns = columns or monthly_columns(ctx)
    linhas = {column: column_linhas(ctx, column) for column in columns}
    sections = {}
    for classe in (ENTRADAS, SAIDAS, NAO_OPERACIONAL):

        def amounts(categoria_id: int | None, classe: str = classe) -> list[Decimal]:
            return [
                total(
                    linha["valor"]
                    for linha in linhas[column]
                    if linha["classe"] == classe and linha["categoria_id"] == categoria_id
                )
                for column in columns
            ]

        rows = category_tree(ctx, amounts)
        for row in rows:
            row["valores"] = dict(zip(columns, row["valores"], strict=True))
        sections[classe] = rows
    return sections


def r04_indicadores(ctx: Context, valores: dict[Column, Decimal], sense: str) -> Record:
    """Right-hand columns of one R04 row.

    Args:
        valores: column -> amount of the row.
        sense: as `values.compared`.

    Returns:
        dict(total, media_mensal (closed months shown), av_pct {column: percent of Entradas of the column},
        var (difference to the previous month, R04's percent or word)).
    """
    table = r04(ctx)
    here = ctx.mes
    closed = [column for column in table if column[1] == "total" and column[0] < here]
    whole = [column for column in table if column[1] in ("total", "previsto")]
    previous: Column = (shift_month(here, -1), "total")
    now, then = valores[(here, "total")], valores[previous]
    return {
        "total": total(valores[column] for column in whole),
        "media_mensal": round_money(total(valores[column] for column in closed) / len(closed)) if closed else None,
        "av_pct": {column: percent(valores[column], table[column]["entradas"]) for column in table},
        "var": (
            now - then,
            compared(now, then, sense, table[previous]["entradas"]),
        ),
    }


# --- R05 ---


def r05(ctx: Context, columns: list[Column] | None = None) -> dict[int | str | None, dict[Column, Record]]:
    """Fluxo mensal por conta: conta_id (or "consolidado") -> column -> line -> amount.

    Lines: saldo_inicial (None if undefined on the eve and not implanted before), saldos_implantados, entradas, saidas,
    nao_operacional, transf_recebidas, transf_enviadas, saldo_final (None if still undefined at the end). Columns as in
    `monthly_columns`.
    """
    columns = columns or monthly_columns(ctx)
    blocks: dict[int | str | None, dict[Column, Record]] = {}
    for conta_id in [*ctx.contas, "consolidado"]:
        blocks[conta_id] = {column: _account_month(ctx, conta_id, column) for column in columns}
    return blocks


def _account_month(ctx: Context, conta_id: int | str | None, column: Column) -> Record:
    month, part = column
    linhas = [
        linha for linha in column_linhas(ctx, column) if conta_id == "consolidado" or linha["conta_id"] == conta_id
    ]
    first = add_days(ctx.data_base, 1) if part == "a_realizar" else first_day(month)
    last = min(last_day(month), ctx.data_base) if part == "realizado" else last_day(month)
    transfers = [linha["valor"] for linha in linhas if linha["classe"] == TRANSFERENCIAS]
    row: Record = {
        "saldo_inicial": None,
        "saldos_implantados": _month_implanted(ctx, column, "todas" if conta_id == "consolidado" else conta_id),
        "entradas": of_class(linhas, ENTRADAS),
        "saidas": of_class(linhas, SAIDAS),
        "nao_operacional": of_class(linhas, NAO_OPERACIONAL),
        "transf_recebidas": total(value for value in transfers if value > 0),
        "transf_enviadas": total(value for value in transfers if value < 0),
        "saldo_final": None,
    }
    movement = total(value for key, value in row.items() if key not in ("saldo_inicial", "saldo_final"))
    if conta_id == "consolidado":
        opening = consolidated_balance(ctx, ctx.data_base) if part == "a_realizar" else opening_balance(ctx, first)
        row["saldo_inicial"], row["saldo_final"] = opening, opening + movement
        return row
    if _defined(ctx, conta_id, add_days(first, -1)):  # type: ignore[arg-type]
        row["saldo_inicial"] = _account_opening(ctx, conta_id, first, part)  # type: ignore[arg-type]
    if _defined(ctx, conta_id, last):  # type: ignore[arg-type]
        row["saldo_final"] = (row["saldo_inicial"] or ZERO) + movement
    return row


def _account_opening(ctx: Context, conta_id: int | None, first: date, part: str) -> Decimal:
    eve = add_days(first, -1)
    known = min(eve, ctx.data_base)
    base = balance(ctx, conta_id, known)
    if base is None:
        base = implanted(ctx, add_days(known, 1), eve, conta_id)
    if part == "a_realizar" or eve < ctx.data_base:
        return base
    planned = projected(ctx, ctx.data_base, eve)
    return base + total(linha["valor"] for linha in planned if linha["conta_id"] == conta_id)
