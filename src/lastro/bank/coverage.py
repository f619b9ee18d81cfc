"""What days the bank's files cover: of one file, and of all files of an account (S20).

Belongs here: pure functions from what a file says of its period to the days that nothing can be missing from. Does not
belong here: what its balance is worth (`lastro.bank.anchors`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from lastro.bank.statements import Block, ReadStatement
from lastro.calendar import ONE_DAY

MOST_QUIET: Final = timedelta(62)
"""A file that begins more than so long before its first line says a day that nobody asked for."""


def find_coverage(statement: ReadStatement, until: date = date.max) -> Block | None:
    """Find the days that a statement covers, at most `until`.

    From DTSTART, but from its first line where DTSTART is missing or more than 62 days before it; to the later of its
    last line within DTSTART..DTEND, seen when it was no future, and the earliest of DTEND, the whole day of LEDGERBAL
    and the day before the file was first seen. A line outside DTSTART..DTEND stretches nothing.
    """
    first, last = statement.inicio or date.min, statement.fim or date.max
    days = [line.dia for line in statement.linhas if first <= line.dia <= min(last, statement.vista_em)]
    ends = days + ([_find_told_end(statement, statement.fim)] if statement.fim is not None else [])
    if not ends:
        return None
    end = max(ends)
    start = min(days, default=end)
    if statement.inicio is not None and start - statement.inicio <= MOST_QUIET:
        start = statement.inicio
    return Block(start, min(end, until)) if start <= min(end, until) else None


def _find_told_end(statement: ReadStatement, fim: date) -> date:
    """Find the last day for which the file itself vouches, lines or none."""
    told = min(fim, statement.vista_em - ONE_DAY)
    if statement.saldo_em is None:
        return told
    return min(told, statement.saldo_em - ONE_DAY if statement.na_hora else statement.saldo_em)


def find_days(statement: ReadStatement) -> list[date]:
    """Find on which day each line moved the balance: one dated before the statement's period, on the first of that."""
    covered, since = find_coverage(statement), statement.inicio or date.min
    first = since if covered is None else covered.inicio
    return [line.dia if line.dia >= since else first for line in statement.linhas]


def find_covered(own: Iterable[ReadStatement], until: date) -> tuple[Block, ...]:
    """Find the days that the statements of one account cover, up to a day."""
    return tuple(join_coverage(block for each in own if (block := find_coverage(each, until)) is not None))


def join_coverage(covered: Iterable[Block]) -> list[Block]:
    """Join coverages that overlap or touch; in order. Days without banks are days like others: a Pix moves on them."""
    blocks: list[Block] = []
    for each in sorted(covered, key=lambda coverage: (coverage.inicio, coverage.fim)):
        if blocks and each.inicio <= blocks[-1].fim + ONE_DAY:
            blocks[-1] = Block(blocks[-1].inicio, max(blocks[-1].fim, each.fim))
        else:
            blocks.append(each)
    return blocks
