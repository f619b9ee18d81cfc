"""Direct sums over the linhas, apart from the reports' arithmetic: what the checks expect.

The reports add cumulative matrices per account (`lastro.analysis.cash_series`); here everything is one grouped table of
(account, day, line, moment) that is filtered and added. The two share only the frames of the position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from lastro.calendar import add_months, month_end, month_start, week_start
from lastro.money import to_decimal
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS, Position, as_date
from lastro.transform.recurrence import plan_endless_series

IMPLANTADOS, RECEBIDAS, ENVIADAS = "implantados", "recebidas", "enviadas"
LINES: Final = (IMPLANTADOS, ENTRADAS, SAIDAS, NAO_OPERACIONAL, RECEBIDAS, ENVIADAS)
REALIZADO, A_REALIZAR, TODOS = "realizado", "a_realizar", "total"
NO_ACCOUNT: Final = -1


@dataclass(frozen=True)
class Account:
    """An account's name and opening balance; `inicio` None counts every payment (S7)."""

    inicio: date | None
    saldo_inicial_centavos: int
    descricao: str


@dataclass(frozen=True)
class Ledger:
    """Every movement of cash, added per account, day, line and moment.

    Attributes:
        data_base: D.
        accounts: account id (`NO_ACCOUNT` = without account) -> its opening.
        conta, dia, linha, previsto, centavos: parallel columns; `linha` indexes `LINES`.
    """

    data_base: date
    accounts: dict[int, Account]
    conta: npt.NDArray[np.int64]
    dia: npt.NDArray[np.datetime64]
    linha: npt.NDArray[np.int64]
    previsto: npt.NDArray[np.bool_]
    centavos: npt.NDArray[np.int64]

    def moved(
        self, first: date | None, last: date, momento: str = TODOS, conta: int | None = None
    ) -> dict[tuple[str, bool], int]:
        """Add the movements of a period by (line, predicted).

        Args:
            first: first day, None = since ever.
            last: last day.
            momento: `REALIZADO`, `A_REALIZAR` or `TODOS`.
            conta: one account, None = all.
        """
        chosen = self.dia <= np.datetime64(last, "D")
        if first is not None:
            chosen &= self.dia >= np.datetime64(first, "D")
        if momento == REALIZADO:
            chosen &= ~self.previsto
        elif momento == A_REALIZAR:
            chosen &= self.previsto
        if conta is not None:
            chosen &= self.conta == conta
        sums = np.zeros((len(LINES), 2), dtype=np.int64)
        np.add.at(sums, (self.linha[chosen], self.previsto[chosen].astype(np.int64)), self.centavos[chosen])
        return {(line, bool(moment)): int(sums[n, moment]) for n, line in enumerate(LINES) for moment in (0, 1)}

    def lines(self, first: date, last: date, momento: str = TODOS, conta: int | None = None) -> dict[str, Decimal]:
        """Add the movements of a period by line, both moments together, as amounts."""
        moved = self.moved(first, last, momento, conta)
        return {line: to_decimal(moved[line, False] + moved[line, True]) for line in LINES}

    def is_defined(self, conta: int, day: date) -> bool:
        """Tell whether the balance of an account exists at the end of a day (S7)."""
        inicio = self.accounts[conta].inicio
        return inicio is None or inicio <= day

    def balance(self, day: date, conta: int | None = None, *, realised_only: bool = False) -> Decimal | None:
        """Add opening balances and movements up to the end of a day; None before an account's control (S7)."""
        if conta is not None and not self.is_defined(conta, day):
            return None
        moved = self.moved(None, day, REALIZADO if realised_only else TODOS, conta)
        ids = self.accounts if conta is None else (conta,)
        opening = sum(self.accounts[key].saldo_inicial_centavos for key in ids if self.accounts[key].inicio is None)
        return to_decimal(opening + sum(moved.values()))


def build_ledger(position: Position) -> Ledger:
    """Group the linhas that move cash (S4, S7) and the opening balances of dated accounts.

    Args:
        position: the position; not mutated.
    """
    linhas = position.linhas
    own = ["conta_id", "classe", "valor_centavos"]
    predicted = ~linhas["pago"] & linhas["data_projetada"].notna()
    parts = [
        _rows(linhas.loc[linhas["caixa"], [*own, "data_pagamento"]], "data_pagamento", previsto=False),
        _rows(linhas.loc[predicted, [*own, "data_projetada"]], "data_projetada", previsto=True),
    ]
    if position.parametros.projetar_infinitos:
        parts.append(_synthetic_rows(position))
    accounts: dict[int, Account] = {}
    openings = []
    for row in position.contas.to_dict("records"):
        key = NO_ACCOUNT if pd.isna(row["conta_id"]) else int(row["conta_id"])
        inicio, centavos = as_date(row["data_saldo_inicial"]), int(row["valor_saldo_inicial_centavos"])
        accounts[key] = Account(inicio, centavos, str(row["descricao"]))
        if inicio is not None:
            openings.append((key, np.datetime64(inicio, "D"), 0, inicio > position.data_base, centavos))
    if openings:
        parts.append(pd.DataFrame(openings, columns=["conta", "dia", "linha", "previsto", "centavos"]))
    rows = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    rows["dia"] = rows["dia"].to_numpy().astype("datetime64[s]")
    grouped = rows.groupby(["conta", "dia", "linha", "previsto"], as_index=False)["centavos"].sum()
    for key in grouped["conta"].unique():
        accounts.setdefault(int(key), Account(None, 0, "Sem conta" if key == NO_ACCOUNT else f"Conta #{key}"))
    return Ledger(
        position.data_base,
        accounts,
        grouped["conta"].to_numpy(dtype="int64"),
        grouped["dia"].to_numpy().astype("datetime64[D]"),
        grouped["linha"].to_numpy(dtype="int64"),
        grouped["previsto"].to_numpy(dtype=bool),
        grouped["centavos"].to_numpy(dtype="int64"),
    )


def _rows(linhas: pd.DataFrame, day: str, *, previsto: bool) -> pd.DataFrame:
    line = linhas["classe"].map({ENTRADAS: 1, SAIDAS: 2, NAO_OPERACIONAL: 3, TRANSFERENCIAS: 4})
    sent = (line == 4) & (linhas["valor_centavos"] < 0)
    return pd.DataFrame(
        {
            "conta": linhas["conta_id"].fillna(NO_ACCOUNT).astype("int64"),
            "dia": linhas[day].to_numpy().astype("datetime64[s]"),
            # A class that is none of the four stays out, so that V04 sees it missing.
            "linha": line.where(~sent, 5).fillna(-1).astype("int64"),
            "previsto": previsto,
            "centavos": linhas["valor_centavos"],
        }
    ).query("linha > 0")


def _synthetic_rows(position: Position) -> pd.DataFrame:
    """Planned occurrences of endless series up to the end of the longest horizon (S10)."""
    horizonte, day = position.parametros.horizonte, position.data_base
    end = max(
        day + timedelta(days=horizonte["dias"] - 1),
        week_start(day) + timedelta(days=7 * horizonte["semanas"] - 1),
        month_end(add_months(month_start(day), horizonte["meses"])),
    )
    planned = plan_endless_series(position.series_sem_fim, day, end)[["ultimo_titulo_id", "data_vencimento"]]
    columns = ["titulo_id", "conta_id", "classe", "valor_centavos"]
    rows = planned.merge(position.linhas[columns], left_on="ultimo_titulo_id", right_on="titulo_id", how="inner")
    if position.parametros.proj_dia_util:
        move = position.calendario.next_business_day
        rows["data_vencimento"] = [pd.Timestamp(move(stamp.date())) for stamp in rows["data_vencimento"]]
    return _rows(rows, "data_vencimento", previsto=True)


def iter_sums(sums: pd.Series) -> Iterator[tuple[Any, ...]]:
    """Yield (key, ..., centavos) of a grouped sum; missing keys as pandas has them."""
    for key, value in zip(sums.index.tolist(), sums.tolist(), strict=True):
        yield (*(key if isinstance(key, tuple) else (key,)), int(value))
