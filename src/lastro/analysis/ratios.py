"""Ratios and mean terms that several reports print (R00, R10, R12): pure functions of a position.

Belongs here: overdue share, default, vintages, PMR, PMP, effective terms, days of cash. Does not belong here: the rows
of a report. Ratios are in percent with two decimals, terms in days with one, both rounded half up at the end and None
when the base is not positive (S14). Sums are made on int64 centavos.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

import pandas as pd

from lastro.analysis.dre_map import find_dre_map
from lastro.money import divide_half_up, ratio_pct
from lastro.transform.categories import FORA
from lastro.transform.position import SAIDAS, Position

JANELA_INADIMPLENCIA_DIAS = 365
JANELA_CAIXA_DIAS = 90
WINDOW_DAYS = 90
"""Window of PMR, PMP and the effective terms (R12)."""
NO_BASE: Final = "n/d, nada por que dividir"
NEGATIVE_BASE: Final = "n/d, a base é negativa"
"""Why a term has no days, in words (S14)."""


@dataclass(frozen=True)
class Ratio:
    """A share of two amounts in centavos."""

    numerador_centavos: int
    denominador_centavos: int

    @property
    def pct(self) -> Decimal | None:
        """The ratio in percent, None over a base that is not positive (S14)."""
        return ratio_pct(self.numerador_centavos, self.denominador_centavos)


@dataclass(frozen=True)
class Term:
    """A number of days: `numerador / denominador x fator`.

    Attributes:
        numerador: signed centavos, or centavos x days.
        denominador: centavos; positive in any company but an odd one, what is spent too.
        fator: days of the window, 1 when the numerator holds days already.
    """

    numerador: int
    denominador: int
    fator: int = 1

    @property
    def dias(self) -> Decimal | None:
        """Days with one decimal, half up; None when the base is not positive (S14)."""
        if self.denominador <= 0:
            return None
        return Decimal(divide_half_up(self.numerador * self.fator * 10, self.denominador)).scaleb(-1)

    @property
    def ausente(self) -> str:
        """Why there are no days; empty where there are."""
        return NEGATIVE_BASE if self.denominador < 0 else "" if self.denominador else NO_BASE


def select_receivables(titulos: pd.DataFrame) -> pd.DataFrame:
    """Keep the receivable títulos that count for ratios: type R, not transfers, not `fora_resultado` (S9)."""
    return _counted(titulos, "R")


def find_overdue_ratio(position: Position) -> Ratio:
    """Carteira (R10): vencido / em aberto, over open receivables."""
    abertos = _open(_titulos(position, "R"))
    return Ratio(_sum(abertos[abertos["vencido"]]), _sum(abertos))


def find_adjusted_ratio(position: Position) -> Ratio:
    """Ajustada (R10): carteira with em carência and títulos with a paid charge out of the numerator."""
    abertos = _open(_titulos(position, "R"))
    numerador = abertos[abertos["vencido"] & ~abertos["em_carencia"] & ~abertos["cobranca_paga"]]
    return Ratio(_sum(numerador), _sum(abertos))


def find_default_ratio(position: Position) -> Ratio:
    """Inadimplência (R10): open receivables more than `inadimplencia_dias` late / all receivables due in (D-365, D].

    The numerator has no window: a debt older than a year still counts.
    """
    recebiveis = _titulos(position, "R")
    abertos = _open(recebiveis)
    late = abertos["dias_de_atraso"] > position.parametros.inadimplencia_dias
    atrasados = abertos[late.fillna(value=False).astype(bool)]
    emitidos = recebiveis[_within(recebiveis["data_vencimento"], position.data_base, days=JANELA_INADIMPLENCIA_DIAS)]
    return Ratio(_sum(atrasados), _sum(emitidos))


def find_vintages(position: Position) -> dict[date, Ratio]:
    """Safra (R10): due month -> receivables due in it that are still open / all receivables due in it.

    Returns:
        Months in order, only those with receivables; months after D too (their share is "a vencer").
    """
    recebiveis = _titulos(position, "R")
    issued, months = recebiveis["valor_centavos"], recebiveis["data_vencimento"].dt.to_period("M").dt.to_timestamp()
    sums = pd.DataFrame({"aberto": issued.where(~recebiveis["pago"], 0), "emitido": issued}).groupby(months).sum()
    amounts = zip(sums["aberto"].tolist(), sums["emitido"].tolist(), strict=True)
    return {month: Ratio(*pair) for month, pair in zip(pd.DatetimeIndex(sums.index).date, amounts, strict=True)}


def find_pmr(position: Position) -> Term:
    """PMR (R12): open receivables with competence <= D / revenue by competence in the window x days of the window."""
    abertos = _open(_titulos(position, "R"))
    return _mean_term(position, abertos, position.linhas, "R", sign=1)


NOT_SUPPLIED: Final = frozenset({"pessoal", "ir_csll", "deducoes", "financeiro", FORA})
"""DRE groups that PMP leaves out: payroll, taxes and interest are no purchases."""


def find_pmp(position: Position) -> Term | None:
    """PMP (R12): open payables with competence <= D / expense by competence in the window x days of the window.

    Purchases and suppliers only: what is of a group in `NOT_SUPPLIED` is in neither (a título by its carrier's
    category). None unless the map allows it (S17): "n/d sem mapa".
    """
    if not find_dre_map(position).margens:
        return None
    categorias = position.categorias
    left_out = set(categorias.loc[categorias["dre_grupo"].isin(NOT_SUPPLIED), "categoria_id"].astype(int))
    abertos = _open(_counted(position.titulos[[*_RATIO_FIELDS, "categoria_id"]], "P"))
    linhas = position.linhas[[*_FLOW_FIELDS, "categoria_id"]]
    abertos, linhas = (frame[~frame["categoria_id"].isin(left_out)] for frame in (abertos, linhas))
    return _mean_term(position, abertos, linhas, "D", sign=-1)


def find_effective_term(paid: pd.DataFrame) -> Term:
    """Prazo efetivo (R12): sum(|v| x (payment - competence)) / sum |v| over títulos paid (`find_paid_in_window`).

    Títulos without competence (`excluir`) have no term and are left out of both sums.
    """
    return _weighted_days(paid, "data_competencia_ef")


def find_effective_delay(paid: pd.DataFrame) -> Term:
    """Atraso médio (R12): sum(|v| x (payment - due date)) / sum |v| over the same títulos; early is negative."""
    return _weighted_days(paid, "data_vencimento")


def find_paid_in_window(position: Position, tipo: str) -> pd.DataFrame:
    """Keep the títulos of one type ("R" or "P"; not fora, not transfers) paid in (D - `WINDOW_DAYS`, D]."""
    chosen = _titulos(position, tipo)
    window = _within(chosen["data_pagamento"], position.data_base, days=WINDOW_DAYS)
    return chosen[chosen["pago"] & window]


def find_cash_days(position: Position, saldo_centavos: int) -> Term:
    """Days that a balance lasts: saldo / (-Saídas realised in (D-90, D] / 90) (R00, R12).

    Args:
        saldo_centavos: consolidated balance at D, signed centavos.
    """
    linhas = position.linhas
    realised = linhas["caixa"] & (linhas["classe"] == SAIDAS)
    window = _within(linhas["data_pagamento"], position.data_base, days=JANELA_CAIXA_DIAS)
    spent = linhas["valor_centavos"].to_numpy()[(realised & window).to_numpy()]
    return Term(saldo_centavos, -int(spent.sum()), JANELA_CAIXA_DIAS)


def compute_cash_cycle(pmr: Term, pmp: Term | None) -> Decimal | None:
    """Return the cash cycle PMR - PMP in days, from the rounded terms (R12; there is no stock data)."""
    collection, payment = pmr.dias, None if pmp is None else pmp.dias
    return None if collection is None or payment is None else collection - payment


# Few columns: a company may have hundreds of thousands of títulos.
_RATIO_FIELDS: Final = [
    "tipo", "transferencia", "fora_resultado", "pago", "valor_centavos", "data_pagamento", "data_vencimento",
    "data_competencia_ef", "vencido", "em_carencia", "cobranca_paga", "dias_de_atraso",
]  # fmt: skip
_FLOW_FIELDS: Final = ["natureza", "transferencia", "fora_resultado", "data_competencia_ef", "valor_centavos"]


def _titulos(position: Position, tipo: str) -> pd.DataFrame:
    return _counted(position.titulos[_RATIO_FIELDS], tipo)


def _counted(titulos: pd.DataFrame, tipo: str) -> pd.DataFrame:
    return titulos[(titulos["tipo"] == tipo) & ~titulos["transferencia"] & ~titulos["fora_resultado"]]


def _mean_term(position: Position, abertos: pd.DataFrame, linhas: pd.DataFrame, natureza: str, *, sign: int) -> Term:
    stock = abertos[abertos["data_competencia_ef"] <= pd.Timestamp(position.data_base)]
    linhas = linhas[_FLOW_FIELDS]
    flow = linhas[
        (linhas["natureza"] == natureza)
        & ~linhas["transferencia"]
        & ~linhas["fora_resultado"]
        & _within(linhas["data_competencia_ef"], position.data_base, days=WINDOW_DAYS)
    ]
    return Term(sign * _sum(stock), sign * _sum(flow), WINDOW_DAYS)


def _weighted_days(titulos: pd.DataFrame, since: str) -> Term:
    known = titulos[titulos[since].notna()]
    valor = known["valor_centavos"].abs()
    dias = (known["data_pagamento"] - known[since]).dt.days.astype("int64")
    return Term(int((valor * dias).sum()), int(valor.sum()))


def _within(dates: pd.Series, last: date, *, days: int) -> pd.Series:
    """Tell which dates lie in (last - days, last]."""
    return (dates > pd.Timestamp(last - timedelta(days=days))) & (dates <= pd.Timestamp(last))


def _open(titulos: pd.DataFrame) -> pd.DataFrame:
    return titulos[~titulos["pago"]]


def _sum(frame: pd.DataFrame) -> int:
    return int(frame["valor_centavos"].sum())
