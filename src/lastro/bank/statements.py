"""What is said of the bank's side, as values: a read statement, a line, days covered, a balance (S20).

Belongs here: the values that `identity`, `coverage` and `anchors` give each other; amounts are int signed centavos.
Does not belong here: any rule over more than one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from lastro.bank.ofx import OfxLine


@dataclass(frozen=True)
class BankBalance:
    """What the bank showed at the end of a day; `parcial` when it was taken before that day had ended."""

    dia: date
    valor: int
    parcial: bool = False


@dataclass(frozen=True)
class ReadStatement:
    """One account's part of one file.

    Attributes:
        arquivo: name of the file.
        sha256: digest of its content.
        ordem: its place in the file, from 1.
        vista_em: local day of the first run that read this content.
        chave: what the bank calls the account (`write_key`).
        conta_id: the account it is linked to; None without one.
        inicio: DTSTART.
        fim: DTEND.
        saldo: LEDGERBAL; None without one that is believed.
        saldo_em: the day of LEDGERBAL.
        linhas: its transactions that move money.
        saldos: its transactions that are balances, by day.
        servidor: digits of DTSERVER; empty without one.
        na_hora: LEDGERBAL bears the hour of the day at which it was taken.
        duvida: why LEDGERBAL is not believed, pt-BR; empty where it is, or there is none.
        recusadas: how many of its transactions were refused.
    """

    arquivo: str
    sha256: str
    ordem: int
    vista_em: date
    chave: str
    conta_id: int | None
    inicio: date | None
    fim: date | None
    saldo: int | None
    saldo_em: date | None
    linhas: tuple[OfxLine, ...]
    saldos: tuple[BankBalance, ...] = ()
    servidor: str = ""
    na_hora: bool = False
    duvida: str = ""
    recusadas: int = 0

    @property
    def parcial(self) -> bool:
        """Whether its balance was taken, or first seen, before its day had ended (S20); False without one."""
        return self.saldo_em is not None and (self.na_hora or self.saldo_em >= self.vista_em)


@dataclass(frozen=True, slots=True)
class BankLine:
    """A line that the bank has once, however many files hold it.

    Attributes:
        extrato_id: 48 bits that stand for account, day, amount, text and `n`.
        conta_id: the account.
        dia: the bank's day.
        valor: signed centavos.
        historico: its text.
        fitid: the bank's own number of it.
        arquivo: the oldest file that has it.
        ordem: its place in that file.
        texto: its text, folded.
        n: which of the equal lines it is, from 1.
        conta_em: the day on which it moved the balance: `dia`, but of a line dated before the period of its file the
            first day of that.
        antes: numbers that it had in older files, under another text or day.
    """

    extrato_id: int
    conta_id: int
    dia: date
    valor: int
    historico: str
    fitid: str
    arquivo: str
    ordem: int
    texto: str
    n: int
    conta_em: date
    antes: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Block:
    """Days that statements cover without a gap, both ends included."""

    inicio: date
    fim: date


@dataclass(frozen=True)
class BankAccount:
    """What the files say of one account together.

    Attributes:
        conta_id: the account.
        lidos: its statements, the oldest first, a copy once.
        linhas: its lines by day, text, amount and `n`, a line of the bank once.
        retiradas: lines that the bank took back, which are none of `linhas`.
    """

    conta_id: int
    lidos: tuple[ReadStatement, ...]
    linhas: tuple[BankLine, ...]
    retiradas: tuple[BankLine, ...] = ()


@dataclass(frozen=True)
class BankKnown:
    """What a run knows of the bank: what its files say, in their order, and of each account together."""

    lidos: Sequence[ReadStatement]
    contas: Mapping[int, BankAccount]


def sum_to_balance(statement: ReadStatement) -> int:
    """Add up the lines of a statement up to the day of its balance, also those dated before its period: centavos."""
    until = statement.saldo_em or date.max
    return sum(line.valor for line in statement.linhas if line.dia <= until)


def sum_lines(lines: Iterable[BankLine], after: date, until: date) -> int:
    """Add up the lines that moved the balance after a day and up to another, in signed centavos."""
    return sum(line.valor for line in lines if after < line.conta_em <= until)
