"""What is said of the bank's side, as values: a read statement, a line, days covered, a balance (S20).

Belongs here: the values that `identity`, `coverage` and `anchors` give each other; amounts are int signed centavos.
Does not belong here: any rule over more than one of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import accumulate

from lastro.bank.ofx import OfxLine

RETIRADA, CONTESTADA, INDECISA, RENOMEADA = "retirada", "contestada", "indecisa", "texto mudado"
"""What two files of an account may say differently: see `Divergence`."""


@dataclass(frozen=True)
class BankBalance:
    """What the bank showed at the end of a day; `parcial` when it was taken before that day had ended."""

    dia: date
    valor: int
    parcial: bool = False


@dataclass(frozen=True)
class ReadStatement:
    """One account's part of one file; what is not told here is as in `OfxStatement`.

    Attributes:
        arquivo: name of the file.
        sha256: digest of its content.
        ordem: its place in the file, from 1.
        vista_em: local day of the first run that read this content.
        chave: what the bank calls the account (`write_key`).
        conta_id: the account it is linked to; None without one.
        linhas: its transactions that move money.
        saldos: its transactions that are balances, by day.
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
        conta_em: the day on which it moved the balance: `dia` as the oldest file has it, but of a line dated before
            the period of its file the first day of that.
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


@dataclass(frozen=True, order=True)
class Block:
    """Days that statements cover without a gap, both ends included."""

    inicio: date
    fim: date


@dataclass(frozen=True)
class Divergence:
    """What two files of an account say differently of its days, and a person should look at.

    Attributes:
        tipo: `retirada`, a line that the newer file no longer has; `contestada`, a line of days that older balances
            prove, which a newer file lacks or adds: the older files count; `indecisa`, lines of which nothing tells
            whether the newer file repeats them: they stay beside its own; `texto mudado`, a line that is another now.
        arquivo: the older file.
        novo: the newer file.
        desde: the day since which both are known: the newer one was first seen, or the older one was still there.
        inicio: the first of the days, or the line's.
        fim: the last of them.
        valor: signed centavos: the line's, or the sum of what stays beside the newer file's lines.
        historico: the older file's text, for `texto mudado` both; empty without a line.
        extrato_id: of the line; None without one.
    """

    tipo: str
    arquivo: str
    novo: str
    desde: date
    inicio: date
    fim: date
    valor: int
    historico: str = ""
    extrato_id: int | None = None


@dataclass(frozen=True)
class BankAccount:
    """What the files say of one account together.

    Attributes:
        conta_id: the account.
        lidos: its statements, the oldest first, a copy once.
        linhas: its lines by day, text, amount and `n`, a line of the bank once.
        retiradas: lines that a newer file of their days no longer has, which are none of `linhas`.
        adiantados: digest and place of the statements whose balance is not that of its day's end, as others prove.
        divergencias: what two of its files say differently, by day.
    """

    conta_id: int
    lidos: tuple[ReadStatement, ...]
    linhas: tuple[BankLine, ...]
    retiradas: tuple[BankLine, ...] = ()
    adiantados: frozenset[tuple[str, int]] = frozenset()
    divergencias: tuple[Divergence, ...] = ()

    @property
    def indecisos(self) -> tuple[Block, ...]:
        """Days of which nothing decides what two files say."""
        return tuple(sorted({Block(each.inicio, each.fim) for each in self.divergencias if each.tipo == INDECISA}))

    @cached_property
    def _sums(self) -> tuple[list[date], list[int]]:
        moved: Counter[date] = Counter()
        for line in self.linhas:
            moved[line.conta_em] += line.valor
        days = sorted(moved)
        return days, [0, *accumulate(moved[day] for day in days)]

    def sum_between(self, after: date, until: date) -> int:
        """Add up the lines that moved the balance after a day and up to another, in signed centavos."""
        days, sums = self._sums
        return sums[max(bisect_right(days, after), bisect_right(days, until))] - sums[bisect_right(days, after)]


@dataclass(frozen=True)
class BankKnown:
    """What a run knows of the bank: what its files say, in their order, and of each account together."""

    lidos: Sequence[ReadStatement]
    contas: Mapping[int, BankAccount]

    def list_renumbered(self) -> tuple[dict[int, int], frozenset[int]]:
        """List the numbers that lines had, with those that they have; and those of lines that no file has any more."""
        accounts = self.contas.values()
        now = {old: line.extrato_id for each in accounts for line in each.linhas for old in line.antes}
        gone = {number for each in accounts for line in each.retiradas for number in (line.extrato_id, *line.antes)}
        return now, frozenset(gone)


def sum_to_balance(statement: ReadStatement) -> int:
    """Add up the lines of a statement up to the day of its balance, also those dated before its period: centavos."""
    until = statement.saldo_em or date.max
    return sum(line.valor for line in statement.linhas if line.dia <= until)
