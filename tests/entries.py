"""One account on one Monday, and entries in it with the fewest fields that a warehouse loads."""

from __future__ import annotations

from datetime import date
from typing import Any

D = date(2026, 3, 16)
"""A Monday."""
CONTA = {"conta_id": 101, "descricao": "Alfa"}


def entry(number: int, conta: int | None, valor: str, day: str, paid: str | None, **other: Any) -> dict[str, Any]:
    return {
        "id": number,
        "conta_id": conta,
        "valor": valor,
        "data_vencimento": day,
        "data_pagamento": paid,
        "data_competencia": day,
        "categoria_id": 20,
        "lancamento_transferencia_id": None,
        **other,
    }
