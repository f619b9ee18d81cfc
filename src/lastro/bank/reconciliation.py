"""The reconciliation of each account as of D: matches, lines of one side alone, the day up to which all agrees (S20).

Belongs here: choosing what takes part, and the bridge from the book's balance to the bank's. Does not belong here: the
matching itself (`lastro.bank.matching`) and how it is printed (`lastro.bank.report`). Amounts are signed centavos.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.bank.anchors import choose_balance, find_balance, join_blocks, list_balances
from lastro.bank.matching import IGNORADA, BookItem, ChargeItem, Matching, match_account
from lastro.bank.returns import DAYS_APART
from lastro.bank.statements import BankAccount, BankKnown, BankLine, Block, ReadStatement
from lastro.calendar import ONE_DAY
from lastro.settings.bank_keys import SEM_BANCO
from lastro.transform.openings import sum_transit

if TYPE_CHECKING:
    from lastro.transform.position import Position

STALE_DAYS: Final = 7
"""A statement that ends more than so many days before D says little of today."""
CERTO, PENDENTE, SEM_EXTRATO, ANTIGO = "OK", "Pendências", "Sem extrato", "Desatualizado"


@dataclass(frozen=True)
class TypedLines:
    """What people typed of the bank's lines, by `extrato_id`: the título that a line pays, and lines to ignore."""

    titulos: Mapping[int, int] = field(default_factory=dict)
    ignoradas: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Reconciled:
    """One account; the bridge: livro + sem_livro + ignoradas - sem_banco + diferencas + fora + abertura = banco.

    Attributes:
        conta_id: the account.
        blocos: the days that its statements cover, up to D; the last one is reconciled. Without a block nothing that
            follows is known.
        casados: what became of its lines and títulos.
        livro: the book's balance at the end of the block; None before the account's control.
        banco: what the bank held then; None where no statement says.
        derivado: it is an earlier balance and the lines since.
        sem_livro: lines without book.
        sem_banco: títulos paid within the block without a line.
        diferencas: lines less their títulos.
        ignoradas: lines that a person ignores.
        fora: matched títulos paid outside the block.
        abertura: what both sides already differed by on the eve of the block; None where a side is unknown.
        em_transito: of `abertura`, what the books had on its way to the bank on the eve; 0 where it is None.
        esquecidas: of `abertura`, títulos that were probably paid before the block and not settled (Q33): id -> amount.
        conciliado_ate: the day before the first thing that only one side has; None while `abertura` is not what was in
            transit on the eve.
        situacao: one of OK, Pendências, Sem extrato, Desatualizado.
    """

    conta_id: int
    blocos: tuple[Block, ...] = ()
    casados: Matching = field(default_factory=Matching)
    livro: int | None = None
    banco: int | None = None
    derivado: bool = False
    sem_livro: int = 0
    sem_banco: int = 0
    diferencas: int = 0
    ignoradas: int = 0
    fora: int = 0
    abertura: int | None = None
    em_transito: int = 0
    esquecidas: Mapping[int, int] = field(default_factory=dict)
    conciliado_ate: date | None = None
    situacao: str = SEM_EXTRATO

    @property
    def nao_explicado(self) -> int:
        """What of `abertura` nothing explains."""
        return (self.abertura or 0) - self.em_transito - sum(self.esquecidas.values())

    @property
    def ate(self) -> date | None:
        """The last day that its statements cover."""
        return self.blocos[-1].fim if self.blocos else None

    @property
    def linhas(self) -> tuple[BankLine, ...]:
        """Lines without book, in their order."""
        return self.casados.linhas

    @property
    def titulos(self) -> tuple[BookItem, ...]:
        """Títulos without a line that were paid within the block."""
        return tuple(item for item in self.casados.titulos if self.blocos[-1].inicio <= item.dia <= self.blocos[-1].fim)


@dataclass(frozen=True)
class BankReconciliation:
    """All accounts, and what their files hold.

    Attributes:
        contas: by id, those without a bank left out.
        lidos: every statement that was read, in the order of the files.
        unidas: what the files say of each account together.
    """

    contas: Mapping[int, Reconciled]
    lidos: tuple[ReadStatement, ...]
    unidas: tuple[BankAccount, ...]


def reconcile(
    position: Position,
    known: BankKnown,
    extratos: Mapping[int, Sequence[str]],
    typed: TypedLines | None,
    doubted: frozenset[int],
) -> BankReconciliation:
    """Hold the lines of every account against its títulos.

    Args:
        position: the position as of D; not mutated.
        known: the statements of the files, and the lines of each account.
        extratos: conta_id -> what the settings call it at its bank; `nenhum` has no bank.
        typed: what people typed of the lines, if there is a memory of it.
        doubted: títulos that were probably paid and not settled (Q33).
    """
    united, charges, hands = known.contas, list_charges(position), typed or TypedLines()
    active = position.contas.loc[position.contas["ativa"] & position.contas["conta_id"].notna(), "conta_id"]
    accounts = {
        conta_id: _reconcile_account(
            position, united.get(conta_id, BankAccount(conta_id, (), ())), charges, hands, doubted
        )
        for conta_id in sorted({*active.astype(int).tolist(), *united})
        if SEM_BANCO not in extratos.get(conta_id, ())
    }
    return BankReconciliation(accounts, tuple(known.lidos), tuple(united.values()))


def _reconcile_account(
    position: Position,
    account: BankAccount,
    charges: Sequence[ChargeItem],
    typed: TypedLines,
    doubted: frozenset[int],
) -> Reconciled:
    conta_id, lines = account.conta_id, account.linhas
    balances = list_balances(account)
    blocks = join_blocks(account, balances, position.data_base)
    if not blocks:
        return Reconciled(conta_id)
    block = blocks[-1]
    inside = [line for line in lines if block.inicio <= line.conta_em <= block.fim and line.valor]
    items = list_items(position, conta_id)
    every = {item.titulo_id: item for item in items}
    since, until = block.inicio - timedelta(DAYS_APART), block.fim + timedelta(DAYS_APART)
    matched = match_account(
        inside,
        [item for item in items if since <= item.dia <= until],
        charges=charges,
        por_mao={extrato_id: every.get(titulo_id) for extrato_id, titulo_id in typed.titulos.items()},
        ignoradas=typed.ignoradas,
    )
    chosen = choose_balance(block, balances)
    balance = None if chosen is None else find_balance(block, lines, chosen)
    return _bridge(position, Reconciled(conta_id, blocks, matched), balance, doubted)


def _bridge(
    position: Position, account: Reconciled, balance: tuple[int, bool] | None, doubted: frozenset[int]
) -> Reconciled:
    """Add the bridge from the book's balance at the end of the block to the bank's."""
    matched, block = account.casados, account.blocos[-1]
    book = sum_book(position, account.conta_id, block.fim)
    bank, derived = balance or (None, False)
    parts = {
        "sem_livro": sum(line.valor for line in matched.linhas),
        "sem_banco": sum(item.valor for item in account.titulos),
        "diferencas": sum(pair.diferenca for pair in matched.pares),
        "ignoradas": sum(pair.linha.valor for pair in matched.pares if pair.passo == IGNORADA),
        "fora": sum(
            item.valor for pair in matched.pares for item in pair.titulos if not block.inicio <= item.dia <= block.fim
        ),
    }
    opening = None
    if book is not None and bank is not None:
        opening = (
            bank
            - book
            - (parts["sem_livro"] + parts["ignoradas"] - parts["sem_banco"] + parts["diferencas"] + parts["fora"])
        )
    left = [*(line.dia for line in matched.linhas), *(item.dia for item in account.titulos)]
    under_way = -sum_transit(position.em_transito, account.conta_id, block.inicio - ONE_DAY)
    known = opening == under_way
    until = max(block.inicio - ONE_DAY, min([block.fim, *(day - ONE_DAY for day in left)])) if known else None
    state = PENDENTE if left or not known else CERTO
    if (position.data_base - block.fim).days > STALE_DAYS:
        state = ANTIGO
    return Reconciled(
        account.conta_id, account.blocos, matched, book, bank, derived, **parts,
        abertura=opening, em_transito=0 if opening is None else under_way,
        esquecidas={} if opening is None else _find_forgotten(position, account, doubted, opening - under_way),
        conciliado_ate=until, situacao=state,
    )  # fmt: skip


def _find_forgotten(position: Position, account: Reconciled, doubted: frozenset[int], left: int) -> dict[int, int]:
    """Find the part of a difference on the eve of the block that títulos probably paid and not settled explain (Q33).

    Due before the block and after the anchor of the opening, on the side that differs, never more than is left; the
    largest first. One that a line of the block may be is none.

    Returns:
        titulo_id -> signed centavos.
    """
    titulos, conta = position.titulos, position.contas[position.contas["conta_id"] == account.conta_id]
    own = titulos[titulos["titulo_id"].isin(doubted)]
    own = own[own["conta_id"] == account.conta_id]
    early = own["data_vencimento"] < pd.Timestamp(account.blocos[-1].inicio)
    if not conta["ancora_dia"].isna().all():
        early &= own["data_vencimento"] > conta["ancora_dia"].iloc[0]
    lines = {line.valor for line in account.casados.linhas}
    found: dict[int, int] = {}
    ordered = own[early].sort_values("titulo_id").sort_values("valor_centavos", key=abs, ascending=False, kind="stable")
    for titulo_id, value in records_of(ordered, "titulo_id", "valor_centavos"):
        if value not in lines and value * left > 0 and abs(value) <= abs(left):
            found[titulo_id] = value
            left -= value
    return found


def list_items(position: Position, conta_id: int) -> list[BookItem]:
    """List the títulos of an account that are cash (S7) and paid up to D, transfers included, by id."""
    titulos = position.titulos
    own = titulos[
        (titulos["conta_id"] == conta_id)
        & titulos["caixa"]
        & titulos["pago"]
        & (titulos["data_pagamento"] <= pd.Timestamp(position.data_base))
        & (titulos["valor_centavos"] != 0)
    ].sort_values("titulo_id")
    return [
        BookItem(titulo_id, day.date(), value, person)
        for titulo_id, day, value, person in records_of(
            own, "titulo_id", "data_pagamento", "valor_centavos", "pessoa_id"
        )
    ]


def list_charges(position: Position) -> list[ChargeItem]:
    """List the live charges that were paid and whose day of transfer is known, with the títulos that they collect."""
    charges = position.cobrancas
    paid = charges[charges["viva"] & charges["paga"]]
    paid = paid.assign(dia=paid["data_transferido"].fillna(paid["data_a_transferir"]))
    links = position.cobranca_titulos.merge(position.titulos[["titulo_id", "valor_centavos"]], on="titulo_id")
    per_charge = links.groupby("cobranca_id")
    own, gross = per_charge["titulo_id"].agg(list), per_charge["valor_centavos"].sum().to_dict()
    return [
        ChargeItem(cobranca_id, day.date(), net, tuple(sorted(own.get(cobranca_id, ()))), gross.get(cobranca_id), conta)
        for cobranca_id, day, net, conta in records_of(paid, "cobranca_id", "dia", "liquido_centavos", "conta_id")
        if day is not None
    ]


def sum_book(position: Position, conta_id: int, day: date) -> int | None:
    """Add up the book's balance of an account at the end of a day (S7); None before its control."""
    conta = position.contas[position.contas["conta_id"] == conta_id]
    if conta.empty:
        return None
    since, opening = conta["data_saldo_inicial"].iloc[0], conta["valor_saldo_inicial_centavos"].iloc[0]
    if not pd.isna(since) and since.date() > day:
        return None
    linhas = position.linhas
    counted = (
        (linhas["conta_id"] == conta_id) & linhas["caixa"] & linhas["pago"]
        & (linhas["data_pagamento"] <= pd.Timestamp(day))
    )  # fmt: skip
    moved = int(linhas.loc[counted.fillna(value=False), "valor_centavos"].sum())
    return moved + (0 if pd.isna(opening) else int(opening))
