"""What one company published, as the group view takes it in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import pandas as pd

BALANCES: Final = (
    ("saldo_em_d_1", "Saldo no dia anterior"),
    ("saldo_em_d", "Saldo na data-base"),
    ("a_realizar_7_dias", "A realizar 7 dias"),
    ("saldo_em_d_7", "Saldo em D+7"),
    ("a_realizar_30_dias", "A realizar 30 dias"),
    ("saldo_em_d_30", "Saldo em D+30"),
)
"""Balances of R01 that the group adds up: their name in SQL and what the group prints above them."""


@dataclass(frozen=True)
class CompanyBooks:
    """What one company published, as of D.

    Attributes:
        empresa_id: id in the settings.
        nome: name to print.
        data_base: D.
        extraido_em: start of the extraction, UTC.
        execucao_id: number of the run.
        tipo: kind of its last run: completa, quente or recálculo.
        reconstituida: D was rebuilt from a later state (S3).
        erros: failed checks and findings of severity erro.
        alertas: failed checks of severity alerta.
        rejeitados: records that could not be read.
        contas_lidas: accounts whose listing was proved.
        contas_total: accounts there are.
        saldos: grain conta: conta, conferencia, so_variacao, and `<name>_centavos` (Int64) of every name in `BALANCES`.
        fluxo: grain (mes, momento, linha): valor_centavos; the lines of R04 above the categories.
        dre: grain (codigo, mes): valor_centavos; the lines of R06, null where the map does not allow one (S17).
        dre_natureza: grain (codigo, mes): valor_centavos; receitas, despesas and fora, which every company has.
        pagar: grain faixa: valor_centavos (R08).
        receber: grain faixa: valor_centavos (R09).
        linhas: what the rules of the group may pick, columns `intercompany.LINHA_COLUMNS`.
    """

    empresa_id: str
    nome: str
    data_base: date
    extraido_em: datetime
    execucao_id: int
    tipo: str
    reconstituida: bool
    erros: int
    alertas: int
    rejeitados: int
    contas_lidas: int
    contas_total: int
    saldos: pd.DataFrame
    fluxo: pd.DataFrame
    dre: pd.DataFrame
    dre_natureza: pd.DataFrame
    pagar: pd.DataFrame
    receber: pd.DataFrame
    linhas: pd.DataFrame

    @property
    def so_variacao(self) -> bool:
        """Whether an opening balance is missing: its balances are none (S23)."""
        return bool(self.saldos["so_variacao"].any())
