"""The cash engine of R01 to R05: every movement once, and balances of any day and period from cumulative sums.

Belongs here: which linhas move cash on which day (S4, S7), and the series per account. Does not belong here: the
periods that columns stand for (`periods`), and rows and columns of a report. All amounts are signed int64 centavos.

A movement is *realised* (a caixa linha on its payment day, never after D) or *predicted* (an open linha on its
projected day, never before D), so a period that holds D has both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from lastro.analysis.tree import Vector
from lastro.calendar import ONE_DAY
from lastro.grid.tables import Period
from lastro.transform.labels import SEM_CONTA
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS, Position, as_date
from lastro.transform.recurrence import plan_endless_series

LINES = ("saldos_implantados", "entradas", "saidas", "nao_operacional", "transf_recebidas", "transf_enviadas")
"""What moves a balance; transfers are split by their sign (S6)."""
IMPLANTADOS, LINE_ENTRADAS, LINE_SAIDAS, LINE_NAO_OPERACIONAL, RECEBIDAS, ENVIADAS = range(len(LINES))
REALIZADO, PREVISTO = 0, 1
MOMENTS = ("realizado", "previsto")
PROVISIONAL_NOTE = "variação, não saldo"


@dataclass(frozen=True)
class Account:
    """One account of the series.

    Attributes:
        conta_id: None is "Sem conta".
        descricao: its name.
        inicio: first day of control, or None (every payment counts, S7).
        saldo_inicial_centavos: opening balance, 0 when none is known.
        cartao: listed in a block of its own (R01).
        provisoria: without opening balance: "variação, não saldo" (S7).
    """

    conta_id: int | None
    descricao: str
    inicio: date | None
    saldo_inicial_centavos: int
    cartao: bool = False
    provisoria: bool = False

    def is_defined(self, day: date) -> bool:
        """Tell whether the balance exists at the end of a day (S7)."""
        return self.inicio is None or self.inicio <= day


@dataclass(frozen=True)
class Flow:
    """A period of one account or of all: opening, movements, closing.

    Attributes:
        inicial: opening balance, None when undefined on the eve (S7).
        matrix: centavos by line (`LINES`) and moment (`MOMENTS`).
        final: closing balance, None when still undefined.
    """

    inicial: int | None
    matrix: Vector
    final: int | None

    def line(self, place: int) -> int:
        """Return one line, realised and predicted together."""
        return int(self.matrix[place].sum())

    @property
    def transferencias(self) -> int:
        """Transfers received and sent."""
        return self.line(RECEBIDAS) + self.line(ENVIADAS)

    @property
    def operacional(self) -> int:
        """Entradas and Saídas together (R04)."""
        return self.line(LINE_ENTRADAS) + self.line(LINE_SAIDAS)

    @property
    def geracao(self) -> int:
        """Operating flow and Não operacional together (R04)."""
        return self.operacional + self.line(LINE_NAO_OPERACIONAL)

    @property
    def liquido(self) -> int:
        """Everything that moves the balance, implanted balances included (R02)."""
        return int(self.matrix.sum())


@dataclass(frozen=True)
class CashSeries:
    """Movements of every account by day, ready for sums over any period.

    Attributes:
        data_base: D.
        accounts: by id, "Sem conta" last.
        days: per account, the days with movement, ascending.
        sums: per account, cumulative centavos: [number of days before, line, moment].
    """

    data_base: date
    accounts: tuple[Account, ...]
    days: tuple[npt.NDArray[np.datetime64], ...] = field(repr=False)
    sums: tuple[Vector, ...] = field(repr=False)

    def moved(self, first: date | None, last: date, momento: str, account: int | None) -> Vector:
        """Add the movements of a period.

        Args:
            first: first day, None = since ever.
            last: last day.
            momento: as in `Period`.
            account: position in `accounts`, None = all.

        Returns:
            Centavos by line and moment; the moment left out is 0.
        """
        total = np.zeros((len(LINES), len(MOMENTS)), dtype=np.int64)
        for place in range(len(self.accounts)) if account is None else (account,):
            days, sums = self.days[place], self.sums[place]
            end = int(np.searchsorted(days, np.datetime64(last, "D"), side="right"))
            start = 0 if first is None else int(np.searchsorted(days, np.datetime64(first, "D"), side="left"))
            total += sums[max(end, start)] - sums[start]
        if momento == "realizado":
            total[:, PREVISTO] = 0
        elif momento == "a_realizar":
            total[:, REALIZADO] = 0
        return total

    def balance(self, day: date, account: int | None = None, *, realised_only: bool = False) -> int | None:
        """Return the balance at the end of a day (S7).

        Args:
            day: the day; after D (or on D unless `realised_only`) predicted movements count.
            account: position in `accounts`, None = all (undefined accounts add nothing).
            realised_only: leave predictions out ("Saldo em D").

        Returns:
            Signed centavos; None for an account whose control has not begun.
        """
        if account is not None and not self.accounts[account].is_defined(day):
            return None
        moved = self.moved(None, day, "realizado" if realised_only else "total", account)
        places = range(len(self.accounts)) if account is None else (account,)
        opening = sum(self.accounts[n].saldo_inicial_centavos for n in places if self.accounts[n].inicio is None)
        return opening + int(moved.sum())

    def flow(self, period: Period, account: int | None = None) -> Flow:
        """Return a period with its opening and closing balance, so that V02 holds in it.

        The opening balance is:

        - of "a_realizar": the realised balance at D;
        - of another period: the balance on its eve;
        - of all accounts: the sum of those defined on that day, 0 if none.
        """
        if period.momento == "a_realizar":
            inicial = self.balance(self.data_base, account, realised_only=True)
        else:
            inicial = self.balance(period.first - ONE_DAY, account)
        matrix = self.moved(period.first, period.last, period.momento, account)
        if account is None:
            return Flow(inicial, matrix, (inicial or 0) + int(matrix.sum()))
        last = min(period.last, self.data_base) if period.momento == "realizado" else period.last
        if not self.accounts[account].is_defined(last):
            return Flow(inicial, matrix, None)
        if inicial is None:
            # Predictions dated before a future start of control have no balance to move until the control begins.
            final = self.balance(last, account, realised_only=period.momento == "realizado")
            return Flow(None, matrix, final)
        return Flow(inicial, matrix, inicial + int(matrix.sum()))

    def lowest(self, last: date, places: Sequence[int] | None = None) -> tuple[int, date]:
        """Find the lowest daily closing from D to `last` and its first day (R00, R01).

        Args:
            last: last day.
            places: positions in `accounts`, one that is undefined on a day adding nothing to it; None = all, as in
                `balance`.

        Returns:
            Centavos and day.
        """
        days = np.arange(np.datetime64(self.data_base, "D"), np.datetime64(last, "D") + 1)
        closings = np.zeros(len(days), dtype=np.int64)
        for place in range(len(self.accounts)) if places is None else places:
            account, sums = self.accounts[place], self.sums[place].sum(axis=(1, 2))
            closing = sums[np.searchsorted(self.days[place], days, side="right")]
            if account.inicio is None:
                closings += closing + account.saldo_inicial_centavos
            else:
                closings += closing if places is None else np.where(days >= np.datetime64(account.inicio), closing, 0)
        best = int(closings.argmin())
        return int(closings[best]), days[best].item()

    @property
    def provisional(self) -> bool:
        """Whether some account has no opening balance, so that consolidated figures carry the flag (S7)."""
        return any(account.provisoria for account in self.accounts)


_MOVEMENT_FIELDS: Final = [
    "conta_id", "categoria_id", "centro_custo_lucro_id", "classe", "data_pagamento", "data_projetada", "pago", "caixa",
    "valor_centavos",
]  # fmt: skip


def build_movements(position: Position) -> pd.DataFrame:
    """List every linha that moves cash, with its day and moment (S4).

    Args:
        position: the position; not mutated.

    Returns:
        Grain linha: conta_id, categoria_id, centro_custo_lucro_id (Int64), classe, data, previsto (bool),
        valor_centavos; RangeIndex.
    """
    linhas = position.linhas[_MOVEMENT_FIELDS]
    predicted = ~linhas["pago"] & linhas["data_projetada"].notna()
    chosen = linhas["caixa"] | predicted
    part = linhas[chosen]
    return pd.DataFrame(
        {
            "conta_id": part["conta_id"],
            "categoria_id": part["categoria_id"],
            "centro_custo_lucro_id": part["centro_custo_lucro_id"],
            "classe": part["classe"],
            "data": part["data_pagamento"].where(part["caixa"], part["data_projetada"]),
            "previsto": predicted[chosen],
            "valor_centavos": part["valor_centavos"],
        }
    ).reset_index(drop=True)


def build_series(position: Position, movements: pd.DataFrame) -> CashSeries:
    """Build the cash series of every account.

    Args:
        movements: result of `build_movements`.

    Returns:
        The series; the opening balance of an account with a start of control is a movement ("implantados") on that
        day, realised up to D.

    Raises:
        ValueError: a linha names an account that `position.contas` does not have.
    """
    accounts = _build_accounts(position, movements)
    ids = pd.Index([-1 if account.conta_id is None else account.conta_id for account in accounts])
    places = ids.get_indexer(pd.Index(movements["conta_id"].fillna(-1).astype("int64")))
    if (places < 0).any():
        unknown = sorted(movements.loc[places < 0, "conta_id"].unique().tolist())[:10]
        raise ValueError(f"linhas of accounts that are not in contas: {unknown}")
    line = movements["classe"].map(
        {ENTRADAS: LINE_ENTRADAS, SAIDAS: LINE_SAIDAS, NAO_OPERACIONAL: LINE_NAO_OPERACIONAL, TRANSFERENCIAS: RECEBIDAS}
    )
    line = line.where(~((line == RECEBIDAS) & (movements["valor_centavos"] < 0)), ENVIADAS)
    begun = [(place, account.inicio, account) for place, account in enumerate(accounts) if account.inicio is not None]
    events = (
        (places, [place for place, *_ in begun], "int64"),
        (movements["data"].to_numpy(), [day for _, day, _ in begun], "datetime64[D]"),
        (line.to_numpy(), [IMPLANTADOS] * len(begun), "int64"),
        (movements["previsto"].to_numpy(), [day > position.data_base for _, day, _ in begun], "int64"),
        (movements["valor_centavos"].to_numpy(), [own.saldo_inicial_centavos for *_, own in begun], "int64"),
    )
    joined = (np.concatenate([moved.astype(kind), np.array(own, dtype=kind)]) for moved, own, kind in events)
    return CashSeries(position.data_base, accounts, *_add_up(len(accounts), *joined))


def _add_up(
    count: int, places: Vector, data: npt.NDArray[np.datetime64], lines: Vector, moments: Vector, amounts: Vector
) -> tuple[tuple[npt.NDArray[np.datetime64], ...], tuple[Vector, ...]]:
    """Add events up by account and day: the days of each, and its cumulative sums (`CashSeries`)."""
    days, sums = [], []
    for place in range(count):
        mine = places == place
        own, numbers = np.unique(data[mine], return_inverse=True)
        moved = np.zeros((len(own) + 1, len(LINES), len(MOMENTS)), dtype=np.int64)
        np.add.at(moved, (numbers + 1, lines[mine], moments[mine]), amounts[mine])
        days.append(own)
        sums.append(moved.cumsum(axis=0))
    return tuple(days), tuple(sums)


def _build_accounts(position: Position, movements: pd.DataFrame) -> tuple[Account, ...]:
    accounts = [
        Account(
            conta_id=None if pd.isna(row["conta_id"]) else int(row["conta_id"]),
            descricao=str(row["descricao"]),
            inicio=as_date(row["data_saldo_inicial"]),
            saldo_inicial_centavos=int(row["valor_saldo_inicial_centavos"]),
            cartao=row["tipo"] == "cartao",
            provisoria=bool(row["provisoria"]),
        )
        for row in position.contas.to_dict("records")
    ]
    if movements["conta_id"].isna().any() and all(account.conta_id is not None for account in accounts):
        accounts.append(Account(None, SEM_CONTA, None, 0, provisoria=True))
    return tuple(sorted(accounts, key=lambda account: (account.conta_id is None, account.conta_id or 0)))


def sort_accounts(series: CashSeries) -> list[int]:
    """Order the accounts by balance at D descending, undefined last, then id (R01); positions in `accounts`."""

    def key(place: int) -> tuple[bool, int, bool, int]:
        saldo = series.balance(series.data_base, place, realised_only=True)
        conta_id = series.accounts[place].conta_id
        return saldo is None, -(saldo or 0), conta_id is None, conta_id or 0

    return sorted(range(len(series.accounts)), key=key)


def name_account(account: Account) -> str:
    """Name an account where its balances stand; one without opening says that they are none (S7)."""
    return f"{account.descricao} ({PROVISIONAL_NOTE})" if account.provisoria else account.descricao


def find_overdue_left_out(position: Position) -> tuple[int, int, int]:
    """Add the overdue títulos that no projection holds (S4; memo of R02 to R04).

    Returns:
        Centavos to receive (>= 0), to pay (<= 0), and both.
    """
    titulos = position.titulos
    left_out = titulos[titulos["vencido"]]
    receive = int(left_out.loc[left_out["tipo"] == "R", "valor_centavos"].sum())
    pay = int(left_out.loc[left_out["tipo"] == "P", "valor_centavos"].sum())
    return receive, pay, receive + pay


def estimate_missing_recurrences(position: Position, last: date) -> dict[date, int]:
    """Add the estimates of endless series not generated from D to a day, by due month (S10).

    Returns:
        First of the month -> signed centavos, ascending; months without any are absent.
    """
    planned = plan_endless_series(position.series_sem_fim, position.data_base, last)
    months = planned["data_vencimento"].to_numpy().astype("datetime64[M]").astype("datetime64[us]")
    sums = planned["valor_centavos"].groupby(months).sum()
    return {pd.Timestamp(str(month)).date(): int(amount) for month, amount in sums.items()}


def list_provisional_notes(series: CashSeries) -> tuple[str, ...]:
    """Say which accounts make consolidated balances provisional (S7)."""
    names = [account.descricao for account in series.accounts if account.provisoria]
    if not names:
        return ()
    return (
        f"Sem saldo inicial ({PROVISIONAL_NOTE}): {', '.join(names)}. Os saldos consolidados incluem essas contas.",
    )
