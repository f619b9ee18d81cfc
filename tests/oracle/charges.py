"""Charges: status, fees, links to títulos (S12)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from .values import ZERO, fold, parse_day, parse_money, parse_optional_money, parse_reference

Record = dict[str, Any]

RANKS = {"agendado": 1, "pendente": 2, "cliente_pagou": 3, "transferindo": 4, "transferido": 5}


def charge_status(descricao: Any, cancelled: bool) -> str:
    """Return the status (S12): cancelado overrides all; an unknown text is "desconhecido: <text>"."""
    if cancelled:
        return "cancelado"
    text = "" if descricao is None else str(descricao)
    slug = fold(text.strip()).replace(" ", "_")
    return slug if slug in RANKS else f"desconhecido: {text}"


def split_ids(text: Any) -> list[str]:
    """Split `lancamento_ids` on comma, trimmed, blanks ignored (S12)."""
    return [piece.strip() for piece in str("" if text is None else text).split(",") if piece.strip()]


def read_charges(payload: list[Record], titulo_of: dict[int, int]) -> dict[int, Record]:
    """Type the charges and link them to títulos.

    Args:
        payload: charge objects; of equal ids the last wins.
        titulo_of: id of a row, item or carrier -> titulo_id.

    Returns:
        id -> dict(cobranca_id, status, rank (None if unknown or cancelled), viva, paga, valor, taxa (>= 0),
        valor_multa_juros, valor_pago, liquido (None if not paid or no valor_pago), percentual_multa, cobrar_juros,
        titulos (distinct ids, in order), ids_desconhecidos (text), the references and the dates).
    """
    charges: dict[int, Record] = {}
    for raw in payload:
        charge_id = int(raw["id"])
        cancelled_on = parse_day(raw.get("data_cancelamento"))
        status = charge_status(raw.get("status_descricao"), cancelled_on is not None)
        rank = RANKS.get(status)
        fee = parse_optional_money(raw.get("valor_taxa")) or ZERO
        received = parse_optional_money(raw.get("valor_pago"))
        paid = rank is not None and rank >= 3
        linked: list[int] = []
        unknown: list[str] = []
        for piece in split_ids(raw.get("lancamento_ids")):
            titulo_id = titulo_of.get(int(piece)) if piece.isdigit() else None
            if titulo_id is None:
                unknown.append(piece)
            elif titulo_id not in linked:
                linked.append(titulo_id)
        charges[charge_id] = {
            "cobranca_id": charge_id,
            "status": status,
            "status_descricao": raw.get("status_descricao"),
            "rank": rank,
            "viva": cancelled_on is None,
            "paga": paid,
            "valor": parse_money(raw["valor"]),
            "taxa": abs(fee),
            "valor_multa_juros": parse_optional_money(raw.get("valor_multa_juros")) or ZERO,
            "valor_pago": received,
            "liquido": received - abs(fee) if paid and received is not None else None,
            "percentual_multa": Decimal(str(raw.get("percentual_multa") or 0)),
            "cobrar_juros": int(raw.get("cobrar_juros") or 0),
            "titulos": linked,
            "ids_desconhecidos": unknown,
            "forma_pagamento_id": parse_reference(raw.get("forma_pagamento_id")),
            "cliente_id": parse_reference(raw.get("cliente_id")),
            "conta_id": parse_reference(raw.get("conta_id")),
            "data_cancelamento": cancelled_on,
            **{
                key: parse_day(raw.get(key))
                for key in ("data_vencimento", "data_a_transferir", "data_transferindo", "data_transferido")
            },
            "link_publico": raw.get("link_publico") or None,
            "email": raw.get("email") or None,
        }
    return charges
