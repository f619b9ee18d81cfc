"""Repeating and endless series: S10, R17."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from .context import Context
from .days import add_days, add_months
from .values import growth, round_money, total

Record = dict[str, Any]

PERIODICIDADES = {
    "D7": "Semanal",
    "D15": "Quinzenal",
    "M1": "Mensal",
    "M2": "Bimestral",
    "M3": "Trimestral",
    "M6": "Semestral",
    "M12": "Anual",
}

# R17, "Equivalente mensal": the factors of the document, as numerator and denominator
_POR_MES = {"D7": (30, 7), "D15": (2, 1), "M1": (1, 1), "M2": (1, 2), "M3": (1, 3), "M6": (1, 6), "M12": (1, 12)}


def shift_period(day: date, periodicidade: str, count: int) -> date | None:
    """Return the due date `count` periods later, None for a code without a known length (S10)."""
    if periodicidade not in PERIODICIDADES:
        return None
    if periodicidade.startswith("D"):
        return add_days(day, int(periodicidade[1:]) * count)
    return add_months(day, int(periodicidade[1:]) * count)


def list_series(ctx: Context) -> dict[Any, list[Record]]:
    """Return the títulos of every series by due date: grupo_id -> títulos; without group, ("titulo", id) -> [título].

    Transfers are left out.
    """
    series: dict[Any, list[Record]] = {}
    for titulo_id, titulo in sorted(ctx.titulos.items()):
        if titulo["transferencia"]:
            continue
        if titulo["grupo_id"] is not None:
            series.setdefault(titulo["grupo_id"], []).append(titulo)
        elif titulo["periodicidade"]:
            series[("titulo", titulo_id)] = [titulo]
    return {
        key: sorted(titulos, key=lambda t: (t["data_vencimento"], t["titulo_id"])) for key, titulos in series.items()
    }


def endless_series(ctx: Context) -> dict[Any, list[Record]]:
    """Return the endless series: `periodicidade` set and `total_repeticoes` null, on the last entry (S10)."""
    return {
        key: titulos
        for key, titulos in list_series(ctx).items()
        if titulos[-1]["periodicidade"] and titulos[-1]["total_repeticoes"] is None
    }


def missing_recurrences(ctx: Context, last: date) -> list[Record]:
    """Estimate the occurrences not generated up to `last` (S10, Q12).

    Returns:
        list of dict(grupo (key of `list_series`), titulo_id (last entry), conta_id, data, valor); also those before D.
    """
    rows = []
    for key, titulos in sorted(endless_series(ctx).items(), key=lambda item: item[1][0]["titulo_id"]):
        final = titulos[-1]
        count = 1
        while (day := shift_period(final["data_vencimento"], final["periodicidade"], count)) is not None:
            if day > last:
                break
            rows.append(
                {
                    "grupo": key,
                    "titulo_id": final["titulo_id"],
                    "conta_id": final["conta_id"],
                    "data": day,
                    "valor": final["valor"],
                }
            )
            count += 1
    return rows


def r17(ctx: Context) -> list[Record]:
    """Compromissos recorrentes: one dict per grupo_id, sorted by |valor em aberto| desc, id.

    Keys: grupo_id, descricao, pessoa_id (of the last título), periodicidade (label; an unknown code as it is),
    parcelas ("3 de 3": generated of total / "sem fim"), pagas, em_aberto, valor_em_aberto, proximo_vencimento
    (earliest open due date on or after D, else None), ultimo_vencimento, ultimo_valor, variacao_pct,
    equivalente_mensal (None for an unknown code).
    """
    rows = []
    for key, titulos in list_series(ctx).items():
        if isinstance(key, tuple):
            continue
        final = titulos[-1]
        still_open = [titulo for titulo in titulos if not titulo["pago"]]
        code = final["periodicidade"]
        monthly: Decimal | None = None
        if code in _POR_MES:
            numerator, denominator = _POR_MES[code]
            monthly = round_money(final["valor"] * numerator / denominator)
        ahead = [titulo["data_vencimento"] for titulo in still_open if titulo["data_vencimento"] >= ctx.data_base]
        size = final["total_repeticoes"]
        rows.append(
            {
                "grupo_id": key,
                "descricao": final["descricao"],
                "pessoa_id": final["pessoa_id"],
                "periodicidade": PERIODICIDADES.get(code, code),
                "parcelas": "sem fim" if size is None else f"{len(titulos)} de {size}",
                "pagas": len(titulos) - len(still_open),
                "em_aberto": len(still_open),
                "valor_em_aberto": total(titulo["valor"] for titulo in still_open),
                "proximo_vencimento": min(ahead) if ahead else None,
                "ultimo_vencimento": final["data_vencimento"],
                "ultimo_valor": final["valor"],
                "variacao_pct": growth(final["valor"], titulos[-2]["valor"]) if len(titulos) > 1 else None,
                "equivalente_mensal": monthly,
            }
        )
    return sorted(rows, key=lambda row: (-abs(row["valor_em_aberto"]), row["grupo_id"]))
