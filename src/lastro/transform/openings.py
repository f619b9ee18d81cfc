"""Opening balances that follow from statement balances (S23): what the bank showed fixes the books' past.

Belongs here: which statement counts, what was in transit, which opening follows. Does not belong here: reading what
people typed (`lastro.entrada.saldos`), and whether a later statement agrees (V19).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import pandas as pd

from lastro.money import to_centavos, to_decimal
from lastro.schema.frames import shape
from lastro.settings import Conta
from lastro.transform.charges import PAID_RANK, RANKS

ARQUIVO, MESA, CONFIG, OFX = "arquivo", "mesa", "config", "ofx"
ORIGENS: Final = (ARQUIVO, MESA, CONFIG, OFX)
"""Where a statement balance comes from, the strongest first (S23)."""
ANCORA, CONFERENCIA, PRETERIDO = "âncora", "conferência", "preterido"
"""What a statement balance is for: it fixes the opening, it checks the books, or a stronger source stands over it."""
LANCAMENTO, CONFIGURADO, EXTRATO, SEM_ABERTURA = "lancamento", "configurado", "extrato", "nenhum"
"""Where an opening balance comes from (`origem_saldo`), the strongest first (S23)."""
RECORTE: Final = "recorte"
"""`origem_saldo` of the accounts of a scope that holds only a part of what they book: it has no balance at all."""
_NEVER: Final = pd.Timestamp("9999-12-31")
"""Arrival of what is on its way to the bank without an announced day."""


@dataclass(frozen=True)
class Statement:
    """A balance of an account at the end of a day, in signed centavos, and where it comes from (`ORIGENS`).

    Attributes:
        vespera: computed for the day before the bank's files begin; it is used as the opening only if no person gave
            a balance.
        provada: a second balance agrees with it; a person's word needs none.
    """

    conta_id: int
    dia: date
    valor_centavos: int
    origem: str
    vespera: bool = False
    provada: bool = True


@dataclass(frozen=True)
class Opening:
    """The opening that follows from an anchor: signed centavos, its day and value, and if it is proved (S23)."""

    valor_centavos: int
    ancora_dia: date
    ancora_centavos: int
    provada: bool


def list_configured(configured: Iterable[Conta]) -> list[Statement]:
    """List the statement balances of the settings (`saldos_conferidos`); of two for one day the last counts."""
    return [
        Statement(conta.conta_id, saldo.data, to_centavos(saldo.valor), CONFIG)
        for conta in configured
        for saldo in conta.saldos_conferidos
    ]


def choose_statements(statements: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
    """Choose one statement per account and day: the strongest source, of one source the last (S23).

    What is derived for an eve is never overruled: it is there to anchor, or not at all.

    Returns:
        What counts, and what a stronger source stands over; both by account and day.
    """
    of_day: dict[tuple[int, date], dict[str, Statement]] = {}
    for each in sorted(statements, key=lambda statement: statement.vespera):
        of_day.setdefault((each.conta_id, each.dia), {})[each.origem] = each
    chosen, overruled = [], []
    for _, by_source in sorted(of_day.items()):
        strongest, *others = (by_source[origem] for origem in ORIGENS if origem in by_source)
        chosen.append(strongest)
        overruled += [each for each in others if not each.vespera]
    return chosen, overruled


def list_transit(titulos: pd.DataFrame, cobrancas: pd.DataFrame, cobranca_titulos: pd.DataFrame) -> pd.DataFrame:
    """List the títulos that were paid before their money reached the bank (S23).

    Args:
        titulos: grain título: `titulo_id`, `conta_id`, `data_pagamento`, `valor_centavos`.
        cobrancas: grain charge: `cobranca_id`, `viva`, `rank`, `data_transferido`, `data_a_transferir`.
        cobranca_titulos: which charge collects which título.

    Returns:
        Grain título: titulo_id, conta_id, data_pagamento, chegada (the day its money arrives; the end of time while no
        day is known and the charge is not transferred), valor_centavos.
    """
    live = cobrancas[cobrancas["viva"] & (cobrancas["rank"] >= PAID_RANK)]
    arrival = live["data_transferido"].fillna(live["data_a_transferir"])
    arrival = arrival.mask(arrival.isna() & (live["rank"] < RANKS["transferido"]), _NEVER)
    arrivals = live[["cobranca_id"]].assign(chegada=arrival).dropna()
    last = cobranca_titulos.merge(arrivals, on="cobranca_id").groupby("titulo_id")["chegada"].max()
    columns = ["titulo_id", "conta_id", "data_pagamento", "valor_centavos"]
    paid = titulos.loc[titulos["data_pagamento"].notna(), columns].merge(last, left_on="titulo_id", right_index=True)
    return paid[paid["chegada"] > paid["data_pagamento"]].reset_index(drop=True)


def sum_transit(transit: pd.DataFrame, conta_id: int, day: date) -> int:
    """Add what an account had in transit at the end of a day, in signed centavos (S23)."""
    at = pd.Timestamp(day)
    under_way = (transit["conta_id"] == conta_id) & (transit["data_pagamento"] <= at) & (transit["chegada"] > at)
    return int(transit.loc[under_way.fillna(value=False), "valor_centavos"].sum())


def find_opening(
    conta_id: int, since: date | None, statements: Sequence[Statement], linhas: pd.DataFrame, transit: pd.DataFrame
) -> Opening | None:
    """Compute the opening of an account from its earliest statement: value + in transit - what was paid until then.

    A statement that a person gave anchors first; without one, of those of the bank's files only the derived eve does.

    Args:
        since: where its control begins on purpose (`data_saldo_inicial` without a value): earlier statements anchor
            nothing, earlier payments do not count.
        statements: what counts (`choose_statements`), none of a day after the reading.
        linhas: grain linha: `conta_id`, `data_pagamento`, `valor_centavos`.
        transit: what `list_transit` lists.

    Returns:
        None when no statement gives it.
    """
    own = [each for each in statements if each.conta_id == conta_id and (since is None or each.dia >= since)]
    anchors = [each for each in own if each.origem != OFX] or [each for each in own if each.vespera]
    if not anchors:
        return None
    anchor = min(anchors, key=lambda each: each.dia)
    paid = linhas["data_pagamento"]
    counted = (linhas["conta_id"] == conta_id) & (paid <= pd.Timestamp(anchor.dia))
    if since is not None:
        counted &= paid >= pd.Timestamp(since)
    moved = int(linhas.loc[counted.fillna(value=False), "valor_centavos"].sum())
    value = anchor.valor_centavos + sum_transit(transit, conta_id, anchor.dia) - moved
    return Opening(value, anchor.dia, anchor.valor_centavos, anchor.provada)


def describe_openings(contas: pd.DataFrame) -> str:
    """Write what the opening of every account rests on, account by account; the same text, the same balances.

    An anchor is written, not the opening that follows from it: what changes before the anchor moves that, and no
    balance after it.

    Args:
        contas: grain account, as `core.contas`.
    """
    known = contas[(contas["origem_saldo"] != SEM_ABERTURA) & contas["conta_id"].notna()].sort_values("conta_id")
    told = []
    for row in known.to_dict("records"):
        anchored = row["origem_saldo"] == EXTRATO
        value = row["ancora_valor_centavos"] if anchored else row["valor_saldo_inicial_centavos"]
        days = {"em": row["ancora_dia"] if anchored else None, "desde": row["data_saldo_inicial"]}
        told.append(
            f"{row['conta_id']}: {0 if pd.isna(value) else to_decimal(int(value))}"
            + "".join(f" {word} {day:%Y-%m-%d}" for word, day in days.items() if not pd.isna(day))
        )
    return "; ".join(told)


def store_statements(
    statements: Sequence[Statement], anchors: set[tuple[int, date]], overruled: Sequence[Statement]
) -> pd.DataFrame:
    """Return the statements as the frame `core.extrato_saldos`, with what each is for.

    Args:
        anchors: account and day of those that fix an opening.
        overruled: what a stronger source stands over.
    """
    rows = [
        (
            each.conta_id,
            pd.Timestamp(each.dia),
            each.valor_centavos,
            each.origem,
            papel or (ANCORA if (each.conta_id, each.dia) in anchors else CONFERENCIA),
        )
        for some, papel in ((statements, ""), (overruled, PRETERIDO))
        for each in some
    ]
    columns = ["conta_id", "dia", "valor_centavos", "origem", "papel"]
    return shape("core.extrato_saldos", pd.DataFrame(rows, columns=columns))
