"""S23: the opening balance that follows from the earliest statement, and what was in transit on a day."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .values import total

if TYPE_CHECKING:
    from .context import Context

MONTHS = 13
Record = dict[str, Any]


def in_transit(ctx: Context, conta_id: Any, day: date) -> Decimal:
    """Return what the books had as paid at the end of a day and the bank had not, each título once (S23.4)."""
    found = Decimal("0.00")
    for titulo in ctx.titulos.values():
        if titulo["conta_id"] != conta_id or titulo["data_pagamento"] is None or titulo["data_pagamento"] > day:
            continue
        if any(
            _is_on_its_way(charge, day)
            for charge in ctx.cobrancas.values()
            if titulo["titulo_id"] in charge["titulos"] and charge["viva"] and charge["paga"]
        ):
            found += titulo["valor"]
    return found


def _is_on_its_way(charge: Record, day: date) -> bool:
    arrival = charge["data_transferido"] or charge["data_a_transferir"]
    return charge["rank"] in (3, 4) if arrival is None else bool(arrival > day)


def derive_openings(ctx: Context) -> None:
    """Give every account without an opening balance the one of its earliest statement, if it has one (S23.5, S23.6)."""
    for conta_id, account in ctx.contas.items():
        start = account["data_saldo_inicial"]
        known = [
            check
            for check in account["saldos_conferidos"]
            if check["data"] <= ctx.data_extracao and (start is None or check["data"] >= start)
        ]
        if account["saldo_informado"] or not known:
            continue
        anchor = min(known, key=lambda check: check["data"])
        paid = total(
            linha["valor"]
            for linha in ctx.linhas
            if linha["conta_id"] == conta_id
            and linha["data_pagamento"] is not None
            and linha["data_pagamento"] <= anchor["data"]
            and (start is None or linha["data_pagamento"] >= start)
        )
        account["valor_saldo_inicial"] = anchor["valor"] + in_transit(ctx, conta_id, anchor["data"]) - paid
        account["saldo_informado"] = True
