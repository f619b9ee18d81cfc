"""Parameters of section 0 with their defaults, and the configured accounts."""

from __future__ import annotations

import copy
from datetime import date
from decimal import Decimal
from typing import Any

from .values import ZERO, parse_day, parse_money, parse_optional_money

Record = dict[str, Any]

PADRAO: Record = {
    "saldo_inicial_lancamentos": [],
    "saldo_inicial_categorias": [],
    "composto_valor_pai": "auto",
    "competencia_nula": "vencimento",
    "dre_mapa": {},
    "dre_mapa_tolerancia_pct": "0",
    "venc_regra": "corrido",
    "horizonte_dias": 45,
    "horizonte_semanas": 13,
    "horizonte_meses": 6,
    "historico_meses": 12,
    "feriados_extras": [],
    "categorias_antecipam": [],
    "multa_pct": {"receber": "2", "pagar": "0"},
    "juros_pct_mes": {"receber": "1", "pagar": "0"},
    "inadimplencia_dias": 90,
    "saldo_minimo": "0.00",
    "fechamento": None,
    "formas": {},
    "centros": {},
    "tags": {},
    "tipos_documento": {},
}


def read_parameters(given: Record) -> Record:
    """Return every parameter of section 0, typed; ids are int keys, dates are dates, percentages are Decimal.

    `horizonte` may come as `{"dias": .., "semanas": .., "meses": ..}`.
    """
    params = copy.deepcopy(PADRAO)
    for key, value in given.items():
        if key == "horizonte":
            params.update({f"horizonte_{unit}": count for unit, count in value.items()})
        elif key in ("multa_pct", "juros_pct_mes"):
            params[key].update(value)
        else:
            params[key] = copy.deepcopy(value)
    for key in ("dre_mapa", "formas", "centros", "tags", "tipos_documento"):
        params[key] = {int(k): v for k, v in params[key].items()}
    for key in ("multa_pct", "juros_pct_mes"):
        params[key] = {side: Decimal(str(rate)) for side, rate in params[key].items()}
    for key in ("saldo_inicial_lancamentos", "saldo_inicial_categorias", "categorias_antecipam"):
        params[key] = {int(k) for k in params[key]}
    params["feriados_extras"] = {parse_day(day) for day in params["feriados_extras"]}
    params["saldo_minimo"] = parse_money(params["saldo_minimo"])
    params["fechamento"] = parse_day(params["fechamento"])
    return params


def read_accounts(given: list[Record]) -> dict[int, Record]:
    """Return the configured accounts by id.

    Returns:
        conta_id -> dict(conta_id, descricao, data_saldo_inicial (date or None), valor_saldo_inicial (Decimal; 0.00 if
        absent), ativa, tipo, configurada=True, saldo_informado (whether a value was given), saldos_conferidos (list of
        dict(data, valor)), abertura_de (id of the opening-balance entry, None)).
    """
    accounts: dict[int, Record] = {}
    for account in given:
        conta_id = int(account["conta_id"])
        value = parse_optional_money(account.get("valor_saldo_inicial"))
        accounts[conta_id] = {
            "conta_id": conta_id,
            "descricao": str(account.get("descricao") or f"Conta #{conta_id}").strip(),
            "data_saldo_inicial": parse_day(account.get("data_saldo_inicial")),
            "valor_saldo_inicial": ZERO if value is None else value,
            "ativa": bool(account.get("ativa", True)),
            "tipo": account.get("tipo", "conta"),
            "configurada": True,
            "saldo_informado": value is not None,
            "saldos_conferidos": [
                {"data": parse_day(check["data"]), "valor": parse_money(check["valor"])}
                for check in account.get("saldos_conferidos") or []
            ],
            "abertura_de": None,
        }
    return accounts


def unknown_account(conta_id: int | None) -> Record:
    """Return the record of an account that is seen but not configured: opening 0, "variação, não saldo" (S7)."""
    none: date | None = None
    return {
        "conta_id": conta_id,
        "descricao": "Sem conta" if conta_id is None else f"Conta #{conta_id}",
        "data_saldo_inicial": none,
        "valor_saldo_inicial": ZERO,
        "ativa": True,
        "tipo": "conta",
        "configurada": False,
        "saldo_informado": False,
        "saldos_conferidos": [],
        "abertura_de": None,
    }
