"""Situação das cobranças: R11, and the charge checks V11 to V13."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from .context import Context, aging_bucket
from .days import Month, add_days, month_of
from .values import TENTH, ZERO, one_decimal, percent, total

Record = dict[str, Any]


def _charges(ctx: Context) -> list[Record]:
    return [ctx.cobrancas[key] for key in sorted(ctx.cobrancas)]


def _live(ctx: Context) -> list[Record]:
    return [charge for charge in _charges(ctx) if charge["viva"]]


def linked(ctx: Context, charge: Record) -> list[Record]:
    """Return the títulos of a charge."""
    return [ctx.titulos[titulo_id] for titulo_id in charge["titulos"]]


def paid_on(ctx: Context, charge: Record, observadas: dict[int, date] | None = None) -> date | None:
    """Return the payment date of a charge (S12).

    Args:
        observadas: cobranca_id -> date of the first stored run with rank >= 3.
    """
    titulos = linked(ctx, charge)
    if titulos and all(titulo["pago"] for titulo in titulos):
        last: date = max(titulo["data_pagamento"] for titulo in titulos)
        return last
    return (observadas or {}).get(charge["cobranca_id"])


def not_booked(ctx: Context, charge: Record) -> Decimal | None:
    """Return "Encargos/taxas não lançados" = líquido - sum of its paid títulos, only if all are paid (R11 f)."""
    titulos = linked(ctx, charge)
    if charge["liquido"] is None or not titulos or not all(titulo["pago"] for titulo in titulos):
        return None
    net: Decimal = charge["liquido"]
    return net - total(titulo["valor"] for titulo in titulos)


def _sums(charges: Iterable[Record]) -> Record:
    charges = list(charges)
    paid = [charge for charge in charges if charge["paga"]]
    received = total(charge["valor_pago"] or ZERO for charge in paid)
    fees = total(charge["taxa"] for charge in paid)
    return {
        "qtde": len(charges),
        "valor": total(charge["valor"] for charge in charges),
        "pago": received,
        "taxas": fees,
        "liquido": total(charge["liquido"] or ZERO for charge in paid),
        "taxa_pct": percent(fees, received),
    }


def r11_status_forma(ctx: Context) -> dict[Any, Record]:
    """R11 (a): {(status, forma_pagamento_id): sums} of live charges, ("cancelado", None) and "total".

    Sums: qtde, valor, pago, taxas (paid charges only), liquido, taxa_pct. Cancelled charges are out of "total".
    """
    live = _live(ctx)
    keys = sorted({(c["status"], c["forma_pagamento_id"]) for c in live}, key=lambda k: (k[0], k[1] is None, k[1] or 0))
    table: dict[Any, Record] = {
        key: _sums(c for c in live if (c["status"], c["forma_pagamento_id"]) == key) for key in keys
    }
    cancelled = [charge for charge in _charges(ctx) if not charge["viva"]]
    if cancelled:
        table[("cancelado", None)] = _sums(cancelled)
    table["total"] = _sums(live)
    return table


def r11_funil(ctx: Context) -> dict[Any, list[Record]]:
    """R11 (b): due month or "total" -> five dicts(rank, qtde, valor, conversao_pct) over non-cancelled charges.

    Conversion is by count, rank k over rank k-1; None for k = 1.
    """
    live = _live(ctx)
    months: list[Month] = sorted({month_of(charge["data_vencimento"]) for charge in live})
    table: dict[Any, list[Record]] = {}
    for key in [*months, "total"]:
        members = [c for c in live if key in ("total", month_of(c["data_vencimento"]))]
        steps: list[Record] = []
        for rank in range(1, 6):
            reached = [c for c in members if c["rank"] is not None and c["rank"] >= rank]
            steps.append(
                {
                    "rank": rank,
                    "qtde": len(reached),
                    "valor": total(c["valor"] for c in reached),
                    "conversao_pct": percent(Decimal(len(reached)), Decimal(steps[-1]["qtde"])) if steps else None,
                }
            )
        table[key] = steps
    return table


def _median(values: list[int]) -> Decimal | None:
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return Decimal(ordered[middle]).quantize(TENTH)
    return (Decimal(ordered[middle - 1] + ordered[middle]) / 2).quantize(TENTH)


def r11_tempos(ctx: Context, observadas: dict[int, date] | None = None) -> dict[Any, Record]:
    """R11 (c): forma_pagamento_id -> dict(venc_pagto_media, venc_pagto_mediana, pagto_transf_media, .._mediana).

    Days of live charges, one decimal, None without any.
    """
    rows = [row for row in r11_detalhe(ctx, observadas) if row["status"] != "cancelado"]
    table = {}
    for forma in sorted({row["forma_pagamento_id"] for row in rows}, key=lambda f: (f is None, f or 0)):
        own = [row for row in rows if row["forma_pagamento_id"] == forma]
        record: Record = {}
        for name, key in (("venc_pagto", "dias_venc_pagto"), ("pagto_transf", "dias_pagto_transf")):
            days = [row[key] for row in own if row[key] is not None]
            record[f"{name}_media"] = one_decimal(sum(days), len(days)) if days else None
            record[f"{name}_mediana"] = _median(days)
        table[forma] = record
    return table


def r11_pendentes_vencidas(ctx: Context) -> dict[str, list[int]]:
    """R11 (d): faixa -> ids of charges with rank 2 and due < D."""
    table: dict[str, list[int]] = {}
    for charge in _live(ctx):
        if charge["rank"] == 2 and charge["data_vencimento"] < ctx.data_base:
            faixa = aging_bucket((ctx.data_base - charge["data_vencimento"]).days)
            table.setdefault(faixa, []).append(charge["cobranca_id"])
    return table


def r11_em_transito(ctx: Context) -> dict[date | None, dict[int, Decimal]]:
    """R11 (e): data_a_transferir -> {cobranca_id: líquido} of ranks 3 and 4 (no líquido: 0.00)."""
    table: dict[date | None, dict[int, Decimal]] = {}
    for charge in _live(ctx):
        if charge["rank"] in (3, 4):
            table.setdefault(charge["data_a_transferir"], {})[charge["cobranca_id"]] = charge["liquido"] or ZERO
    return table


def in_transit(ctx: Context) -> Decimal:
    """Return "Em trânsito" (S12)."""
    return total(value for charges in r11_em_transito(ctx).values() for value in charges.values())


def r11_detalhe(ctx: Context, observadas: dict[int, date] | None = None) -> list[Record]:
    """R11 (f): one dict per charge, cancelled included, ascending id: the charge's fields and

    data_pagamento, dias_venc_pagto, dias_pagto_transf, encargos_taxas_nao_lancados.
    """
    rows = []
    for charge in _charges(ctx):
        day = paid_on(ctx, charge, observadas)
        moved = charge["data_transferido"]
        rows.append(
            {
                **charge,
                "data_pagamento": day,
                "dias_venc_pagto": (day - charge["data_vencimento"]).days if day else None,
                "dias_pagto_transf": (moved - day).days if day and moved else None,
                "encargos_taxas_nao_lancados": not_booked(ctx, charge),
            }
        )
    return rows


def r11_divergencias(ctx: Context) -> list[Record]:
    """R11 (g): dict(tipo, cobranca_id, lancamentos (sorted título ids; unknown ids as text for M4), diferenca).

    One row per charge and type, sorted by type number and charge. M10 gives one row to every live charge that shares a
    título. `diferenca` is only filled by M3 (valor - positive linhas) and M9 (valor_pago - expected, None if null).
    """
    rows: list[Record] = []

    def add(tipo: str, charge: Record, ids: Iterable[Any], difference: Decimal | None = None) -> None:
        rows.append(
            {
                "tipo": tipo,
                "cobranca_id": charge["cobranca_id"],
                "lancamentos": sorted(ids, key=str),
                "diferenca": difference,
            }
        )

    for charge in _charges(ctx):
        titulos = linked(ctx, charge)
        still_open = [t["titulo_id"] for t in titulos if not t["pago"]]
        if not charge["viva"]:
            if still_open:
                add("M5", charge, still_open)
            continue
        _compare_status(charge, titulos, add)
        gross = total(linha["valor"] for t in titulos for linha in t["linhas"] if linha["valor"] > 0)
        if charge["valor"] != gross:
            add("M3", charge, charge["titulos"], charge["valor"] - gross)
        if charge["ids_desconhecidos"]:
            add("M4", charge, charge["ids_desconhecidos"])
        limit = add_days(charge["data_vencimento"], 35)
        off = [t["titulo_id"] for t in titulos if not charge["data_vencimento"] <= t["data_vencimento"] <= limit]
        if off:
            add("M6", charge, off)
        for tipo, own, other in (("M7", "cliente_id", "pessoa_id"), ("M8", "conta_id", "conta_id")):
            wrong = [t["titulo_id"] for t in titulos if charge[own] != t[other]]
            if wrong:
                add(tipo, charge, wrong)
        expected = charge["valor"] + charge["valor_multa_juros"]
        if charge["paga"] and charge["valor_pago"] != expected:
            received = charge["valor_pago"]
            add("M9", charge, charge["titulos"], None if received is None else received - expected)
        others = [c for c in _live(ctx) if c is not charge]
        shared = {t for t in charge["titulos"] for c in others if t in c["titulos"]}
        if shared:
            add("M10", charge, shared)
        if charge["rank"] is None:
            add("M11", charge, charge["titulos"])
    return sorted(rows, key=lambda row: (int(row["tipo"][1:]), row["cobranca_id"]))


def _compare_status(charge: Record, titulos: list[Record], add: Any) -> None:
    """Find M1 (paid charge, open entry) and M2 (entry paid, charge agendado/pendente)."""
    still_open = [t["titulo_id"] for t in titulos if not t["pago"]]
    if charge["paga"] and still_open:
        add("M1", charge, still_open)
    settled = [t["titulo_id"] for t in titulos if t["pago"]]
    if charge["rank"] in (1, 2) and settled:
        add("M2", charge, settled)


def charge_checks(ctx: Context) -> dict[str, set[int]]:
    """V11 (ids exist), V12 (valor), V13 (status, but for those on their way): the live charges that fail."""
    rows = r11_divergencias(ctx)

    def failing(*tipos: str) -> set[int]:
        return {row["cobranca_id"] for row in rows if row["tipo"] in tipos}

    return {"V11": failing("M4"), "V12": failing("M3"), "V13": failing("M1", "M2") - charges_on_their_way(ctx)}


def charges_on_their_way(ctx: Context) -> set[int]:
    """Return the paid charges whose open entry V13 only tells of: the bank announced the money for D or later."""
    return {
        charge["cobranca_id"]
        for charge in _live(ctx)
        if charge["rank"] in (3, 4)
        and (charge["data_a_transferir"] or date.min) >= ctx.data_base
        and any(not titulo["pago"] for titulo in linked(ctx, charge))
    }
