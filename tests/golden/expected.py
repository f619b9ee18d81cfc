"""Every figure of section 5 of the reports document, transcribed by hand. Data only; nothing here is computed.

Money is `Decimal`; months are `(year, month)`; dates are `datetime.date`; `None` is the "—" of the document
(undefined). Percentages are in percent (49.28 is 49.28%). The only figures that are not printed as such in the
document are marked with the sentence they come from.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal as Dec
from typing import Any

D = date(2026, 3, 16)
ZERO = Dec("0.00")

DEZ25, JAN26, FEV26, MAR26, ABR26 = (2025, 12), (2026, 1), (2026, 2), (2026, 3), (2026, 4)

# --- counts and composite mode (S2) ---
CONTAGENS: dict[str, Any] = {"linhas": 18, "titulos": 16, "soma": Dec("8480.00")}
MODO: dict[str, dict[str, Any]] = {
    "A": {"modo": "parcela", "n0": 1, "n1": 0},
    "B": {"modo": "parcela", "n0": 1, "n1": 0},
    "C": {"modo": "parcela", "n0": 1, "n1": 0},
    "D": {"modo": "parcela", "n0": 1, "n1": 0},
    "T": {"modo": "total", "n0": 0, "n1": 1},
}

# --- R01 ---
SALDOS: dict[date, dict[int | None, Any]] = {
    date(2026, 1, 31): {101: Dec("8500.00"), 102: None},
    date(2026, 2, 28): {101: Dec("7900.00"), 102: Dec("2800.00")},
    date(2026, 3, 16): {101: Dec("13780.00"), 102: Dec("2200.00")},
}
R01: dict[str, Any] = {
    "saldo_total": Dec("15980.00"),
    "saldos_iniciais": Dec("12000.00"),
    "saldo_d30": {101: Dec("17280.00"), 102: Dec("1300.00")},
}

# --- R02 ---
R02: dict[str, Any] = {
    # all realised days with movement: net of the day, both accounts together
    "liquido_realizado": {
        date(2026, 1, 5): Dec("-1500.00"),
        date(2026, 2, 3): Dec("5000.00"),
        date(2026, 2, 5): Dec("-1500.00"),
        date(2026, 2, 10): Dec("0.00"),
        date(2026, 2, 20): Dec("-200.00"),
        date(2026, 2, 27): Dec("-3100.00"),
        date(2026, 3, 2): Dec("6000.00"),
        date(2026, 3, 3): Dec("-600.00"),
        date(2026, 3, 10): Dec("-120.00"),
    },
    # day -> (net, closing balance)
    "projetado": {
        date(2026, 3, 31): (Dec("-900.00"), Dec("15080.00")),
        date(2026, 4, 10): (Dec("3500.00"), Dec("18580.00")),
    },
    "menor_saldo": Dec("15080.00"),
    "data_menor_saldo": date(2026, 3, 31),
    "vencidos_a_receber": Dec("3400.00"),
    "vencidos_a_pagar": Dec("-1500.00"),
}
R02_DIA_UTIL: dict[str, Any] = {  # the same with venc_regra=dia_util
    "vencidos_a_receber": Dec("2400.00"),
    "saldo_final": {
        date(2026, 3, 16): Dec("16980.00"),
        date(2026, 3, 31): Dec("16080.00"),
        date(2026, 4, 10): Dec("19580.00"),
    },
}

# --- R03: (ISO year, ISO week) -> realised + projected, vencidos apart ---
R03 = {
    (2026, 2): Dec("-1500.00"),
    (2026, 6): Dec("3500.00"),
    (2026, 7): Dec("0.00"),
    (2026, 8): Dec("-200.00"),
    (2026, 9): Dec("-3100.00"),
    (2026, 10): Dec("5400.00"),
    (2026, 11): Dec("-120.00"),
    (2026, 12): Dec("0.00"),
    (2026, 14): Dec("-900.00"),
    (2026, 15): Dec("3500.00"),
}

# --- R04: (month, part) -> line -> value; parts: total (closed month), realizado, a_realizar, previsto ---
R04 = {
    (JAN26, "total"): {
        "saldo_inicial": ZERO,  # printed "–": no account is defined on the eve (S7: 0.00 if none)
        "saldos_implantados": Dec("10000.00"),
        "entradas": Dec("0.00"),
        "saidas": Dec("-1500.00"),
        "fluxo_operacional": Dec("-1500.00"),
        "nao_operacional": Dec("0.00"),
        "transferencias": Dec("0.00"),
        "saldo_final": Dec("8500.00"),
    },
    (FEV26, "total"): {
        "saldo_inicial": Dec("8500.00"),
        "saldos_implantados": Dec("2000.00"),
        "entradas": Dec("4800.00"),
        "saidas": Dec("-4600.00"),
        "fluxo_operacional": Dec("200.00"),
        "nao_operacional": Dec("0.00"),
        "transferencias": Dec("0.00"),
        "saldo_final": Dec("10700.00"),
    },
    (MAR26, "realizado"): {
        "saldo_inicial": Dec("10700.00"),
        "saldos_implantados": Dec("0.00"),
        "entradas": Dec("0.00"),
        "saidas": Dec("-720.00"),
        "fluxo_operacional": Dec("-720.00"),
        "nao_operacional": Dec("6000.00"),
        "transferencias": Dec("0.00"),
        "saldo_final": Dec("15980.00"),
    },
    (MAR26, "a_realizar"): {
        "saldo_inicial": Dec("15980.00"),
        "saldos_implantados": Dec("0.00"),
        "entradas": Dec("0.00"),
        "saidas": Dec("-900.00"),
        "fluxo_operacional": Dec("-900.00"),
        "nao_operacional": Dec("0.00"),
        "transferencias": Dec("0.00"),
        "saldo_final": Dec("15080.00"),
    },
    (ABR26, "previsto"): {
        "saldo_inicial": Dec("15080.00"),
        "saldos_implantados": Dec("0.00"),
        "entradas": Dec("3500.00"),
        "saidas": Dec("0.00"),
        "fluxo_operacional": Dec("3500.00"),
        "nao_operacional": Dec("0.00"),
        "transferencias": Dec("0.00"),
        "saldo_final": Dec("18580.00"),
    },
}
# (month, part) -> category path -> realised value of the printed row
R04_CATEGORIAS = {
    (FEV26, "total"): {
        "Receitas > Serviços": Dec("4800.00"),
        "Despesas > Aluguel": Dec("-1500.00"),
        "Despesas > Pessoal": Dec("-2850.00"),
        "Despesas > Serviços de terceiros": Dec("-250.00"),
    },
    (MAR26, "realizado"): {
        "Despesas > Serviços de terceiros": Dec("-120.00"),
        "Despesas > (direto)": Dec("-600.00"),
        "Empréstimos": Dec("6000.00"),
    },
}

# --- R05: (conta, month) -> line -> realised value ---
R05 = {
    (101, FEV26): {
        "entradas": Dec("4800.00"),
        "saidas": Dec("-4600.00"),
        "transf_enviadas": Dec("-800.00"),
        "saldo_final": Dec("7900.00"),
    },
    (102, FEV26): {
        "saldos_implantados": Dec("2000.00"),
        "transf_recebidas": Dec("800.00"),
        "saldo_final": Dec("2800.00"),
    },
    (101, MAR26): {"saidas": Dec("-120.00"), "nao_operacional": Dec("6000.00")},
    (102, MAR26): {"saidas": Dec("-600.00")},
}

# --- R06 / R07: month -> line ---
R06 = {
    DEZ25: {"receitas": Dec("2400.00"), "despesas": Dec("0.00"), "resultado": Dec("2400.00"),
            "pago": Dec("0.00"), "em_aberto": Dec("2400.00")},
    JAN26: {"receitas": Dec("5000.00"), "despesas": Dec("-1500.00"), "resultado": Dec("3500.00"),
            "pago": Dec("3500.00"), "em_aberto": Dec("0.00")},
    FEV26: {"receitas": Dec("-200.00"), "despesas": Dec("-4600.00"), "resultado": Dec("-4800.00"),
            "pago": Dec("-4800.00"), "em_aberto": Dec("0.00")},
    MAR26: {"receitas": Dec("4500.00"), "despesas": Dec("-2520.00"), "resultado": Dec("1980.00"),
            "pago": Dec("-120.00"), "em_aberto": Dec("2100.00")},
    ABR26: {"receitas": Dec("0.00"), "despesas": Dec("-600.00"), "resultado": Dec("-600.00"),
            "pago": Dec("-600.00"), "em_aberto": Dec("0.00")},
}  # fmt: skip
R07 = {
    DEZ25: {"a": Dec("2400.00"), "b": Dec("-2400.00"), "c": ZERO, "d": ZERO, "e": ZERO, "f": ZERO, "g": ZERO,
            "h": ZERO, "i": ZERO, "j": ZERO, "k": ZERO, "l": ZERO, "n_mais_o": ZERO, "p": ZERO},
    JAN26: {"a": Dec("3500.00"), "b": ZERO, "c": ZERO, "d": Dec("-5000.00"), "e": ZERO, "f": ZERO, "g": ZERO,
            "h": ZERO, "i": ZERO, "j": ZERO, "k": ZERO, "l": Dec("-1500.00"), "n_mais_o": Dec("10000.00"),
            "p": Dec("8500.00")},
    FEV26: {"a": Dec("-4800.00"), "b": ZERO, "c": ZERO, "d": ZERO, "e": ZERO, "f": ZERO, "g": Dec("5000.00"),
            "h": ZERO, "i": ZERO, "j": ZERO, "k": ZERO, "l": Dec("200.00"), "n_mais_o": Dec("2000.00"),
            "p": Dec("2200.00")},
    MAR26: {"a": Dec("1980.00"), "b": Dec("-4500.00"), "c": Dec("2400.00"), "d": ZERO, "e": ZERO, "f": ZERO, "g": ZERO,
            "h": ZERO, "i": ZERO, "j": Dec("-600.00"), "k": Dec("6000.00"), "l": Dec("5280.00"), "n_mais_o": ZERO,
            "p": Dec("5280.00")},
    ABR26: {"a": Dec("-600.00"), "b": ZERO, "c": ZERO, "d": ZERO, "e": Dec("600.00"), "f": ZERO, "g": ZERO, "h": ZERO,
            "i": ZERO, "j": ZERO, "k": ZERO, "l": ZERO, "n_mais_o": ZERO, "p": ZERO},
}  # fmt: skip
# month -> centro_custo_lucro_id -> DRE line 14
R06_CENTROS = {
    FEV26: {201: Dec("-1500.00"), 202: Dec("-3100.00"), None: Dec("-200.00")},
    MAR26: {201: Dec("-1500.00"), None: Dec("3480.00")},
}
TAGS = {1: Dec("4500.00"), 2: Dec("1000.00"), "total_sem_repeticao": Dec("4500.00")}

# --- R08 / R09 ---
R08: dict[str, Any] = {
    "faixas": {"1-30": Dec("-1500.00"), "A vencer": Dec("-900.00")},
    "total": Dec("-2400.00"),
    "dias": {1004: 11},
    "pa": {1004},
    "taxas_2_1": {1004: {"multa": Dec("30.00"), "juros": Dec("5.50")}},  # "if rates 2/1 were set"
}
R09: dict[str, Any] = {
    "faixas": {"91-180": Dec("2400.00"), "1-30": Dec("1000.00"), "A vencer": Dec("3500.00")},
    "total": Dec("6900.00"),
    "vencido": Dec("3400.00"),
    "vencido_efetivo": Dec("2400.00"),
    "em_carencia": Dec("1000.00"),
    "ra": {1011, 1012},
    "titulos": {
        1011: {"dias": 96, "multa": Dec("48.00"), "juros": Dec("76.80"), "atualizado": Dec("2524.80")},
        1012: {"dias": 2, "dias_de_mora": 0, "situacao": "Em carência", "multa": Dec("0.00"), "juros": Dec("0.00")},
    },
    "ausentes": {1013},
}

# --- R10 (percent) ---
R10: dict[str, Any] = {
    "carteira": (Dec("3400.00"), Dec("6900.00"), Dec("49.28")),
    "acima_90": (Dec("2400.00"), Dec("8400.00"), Dec("28.57")),
    "ajustada": (Dec("0.00"), Dec("6900.00"), Dec("0.00")),
    "safra": {DEZ25: Dec("100.00"), JAN26: Dec("0.00"), MAR26: Dec("100.00"), ABR26: Dec("100.00")},
}

# --- R11 ---
R11: dict[str, Any] = {
    "qtde": 3,
    "valor": Dec("8400.00"),
    "pago": Dec("7506.67"),
    "taxas": Dec("5.49"),
    "liquido": Dec("7501.18"),
    "em_transito": Dec("2396.50"),
    "funil": [3, 3, 2, 1, 1],
    "tempos": {9002: {"dias_venc_pagto": 4, "dias_pagto_transf": 2}},
    "encargos_nao_lancados": {9002: Dec("104.68")},
    "pendentes_vencidas": [9001],
    "divergencias": [("M1", 9003, 1011), ("M5", 9004, 1015)],
}

# --- R12 ---
R12 = {
    501: {"a_receber_vencido": Dec("1000.00"), "recebido_12m": Dec("5000.00"), "pago_12m": Dec("-200.00")},
    502: {"a_receber_vencido": Dec("2400.00"), "a_receber_a_vencer": Dec("3500.00")},
    601: {"a_pagar_vencido": Dec("-1500.00"), "pago_12m": Dec("-3000.00")},
    602: {"a_pagar_a_vencer": Dec("-900.00"), "pago_12m": Dec("-720.00")},
    None: {"recebido_12m": Dec("6000.00"), "pago_12m": Dec("-3100.00")},
}
ABC = {  # pessoa -> (revenue of mar/25-fev/26, cumulative percent, class)
    501: (Dec("4800.00"), Dec("66.67"), "A"),
    502: (Dec("2400.00"), Dec("100.00"), "A"),
}
PRAZOS: dict[str, Any] = {
    "pmr": Dec("52.8"),
    "pmp": None,  # n/d sem mapa (section 7)
    "pmr_parcelas": (Dec("3400.00"), Dec("5800.00")),
    "prazo_recebimento": Dec("19.0"),
    "atraso_recebimento": Dec("4.0"),
    "prazo_pagamento": Dec("10.9"),
    "prazo_pagamento_parcelas": (Dec("76280.00"), Dec("7020.00")),
    "atraso_pagamento": Dec("0.0"),
    "dias_de_caixa": Dec("210.9"),
    "saidas_90": Dec("6820.00"),
}

# --- R13: P = 01/03-16/03, S = 27/02 ---
R13: dict[str, Any] = {
    "previsto": Dec("-1210.00"),
    "previsto_linhas": {1004, 1010, 1012, 1019},
    "cascata": {"Adiados": Dec("500.00"), "Mudança de valor": Dec("-10.00"), "Novos": Dec("6000.00")},
    "cascata_linhas": {
        "Adiados": {1004: Dec("1500.00"), 1012: Dec("-1000.00")},
        "Mudança de valor": {1010: Dec("-10.00")},
        "Novos": {1014: Dec("6000.00")},
    },
    "realizado": Dec("5280.00"),
    "wape": Dec("348.61"),
    "aderencia": Dec("22.05"),
    "vies": Dec("15.26"),
}

# --- R14 ---
R14: dict[str, Any] = {
    "mudancas": {
        "EXCLUIDO": {1018},
        "NOVO": {1013, 1014},
        "LIQUIDADO": {1010, 1019},
        "VENCIMENTO": {1012},
    },
    "ponte": {
        "aberto_a": Dec("3340.00"),
        "novos_abertos": Dec("0.00"),
        "excluidos_abertos": Dec("450.00"),
        "liquidados": Dec("710.00"),
        "estornados": Dec("0.00"),
        "mudanca_de_valor": Dec("0.00"),
        "aberto_b": Dec("4500.00"),
    },
}

# --- R15: rule -> keys (títulos, linhas or categories, as the document names them) ---
R15 = {
    "Q01": {1013},
    "Q02": {1016},
    "Q03": {1007, 1014},
    "Q04": {1013},
    "Q05": {1016},
    "Q06": set(),
    "Q07": set(),
    "Q08": set(),
    "Q09": set(),
    "Q10": set(),
    "Q11": set(),
    "Q12": set(),
    "Q13": set(),
    "Q14": {1009, 1017},
    "Q15": set(),
    "Q16": set(),
    "Q17": set(),
    "Q18": set(),
    "Q19": set(),
    "Q20": {11, 12, 20, 21, 22, 23, 24},
    "Q33": set(),
    "Q43": set(),
    "Q44": {1007},
    "Q34": {1, 2, 201, 202},  # tags and centres of section 5 have no names
    "Q21": set(),  # 30 is fora by the map
}
BAIXAS_AUTOMATICAS = {MAR26: Dec("-120.00")}
V13 = {9003}
VERIFICACOES_NAO_OK = {
    "V13": "informação",
    "V19": "não se aplica",
    "V22": "não se aplica",
    "V23": "não se aplica",
    "V38": "não se aplica",
    "V27": "não se aplica",
    "V30": "não se aplica",
    "V46": "não se aplica",
}  # V22, V23: no budget; V27: no year before without E; V30, V46: no forecasts measured
"""Every other rule is "ok"."""

# --- R17 ---
R17: dict[int, dict[str, Any]] = {7001: {"parcelas": "3 de 3", "pagas": 2, "valor_em_aberto": Dec("-1500.00")}}

# --- results of the example questions 1-8 of section 4 ---
PERGUNTAS: dict[int, Any] = {
    1: {101: Dec("13780.00"), 102: Dec("2200.00")},
    2: {MAR26: (Dec("7980.00"), Dec("5280.00"))},
    3: [(502, Dec("2400.00"), 96), (501, Dec("1000.00"), 2)],
    4: {101: Dec("17280.00"), 102: Dec("1300.00")},
    5: [(9003, 1011)],
    6: {MAR26: Dec("-2560.00"), ABR26: Dec("3500.00")},
    7: {DEZ25: Dec("100.00"), JAN26: Dec("0.00"), MAR26: Dec("100.00"), ABR26: Dec("100.00")},
    8: {
        "Despesas": Dec("-600.00"),
        "Despesas > Aluguel": Dec("-3000.00"),
        "Despesas > Pessoal": Dec("-2850.00"),
        "Despesas > Serviços de terceiros": Dec("-370.00"),
    },
}
