"""What days the bank's files cover: of one file, and of all files of an account (S20).

Belongs here: pure functions from what a file says of its period and its moment to the days that nothing can be missing
from. Does not belong here: what its balance is worth (`lastro.bank.anchors`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from typing import Final, NamedTuple

from lastro.bank.ofx import WHOLE_HOURS, parse_ofx_day
from lastro.bank.statements import Block, ReadStatement
from lastro.calendar import ONE_DAY

MOST_QUIET: Final = timedelta(62)
"""A file that begins more than so long before its first line says a day that nobody asked for."""


class Spoken(NamedTuple):
    """The days that a file speaks for: the first, the last that was over then, the last that it knows of."""

    inicio: date
    inteiro: date
    fim: date


def fix_moment(statement: ReadStatement) -> ReadStatement:
    """Take what a statement says of its moment for what it can mean; done once, it stays as it is.

    DTSERVER is no moment where it lies before most lines, before DTSTART, or after the day of the reading; a balance of
    its day or a later one is of that moment. One day as the period of lines most of which lie outside it is no period.
    """
    lines, server = statement.linhas, parse_ofx_day(statement.servidor)
    if server is not None and (
        2 * sum(line.dia > server for line in lines) >= max(len(lines), 1)
        or server < (statement.inicio or date.min)
        or server > statement.vista_em
    ):
        server = None
    if server is None and statement.servidor:
        statement = replace(statement, servidor="")
    outside = sum(line.dia != statement.inicio for line in lines)
    if statement.inicio is not None and statement.inicio == statement.fim and 2 * outside > len(lines):
        statement = replace(statement, inicio=None)
    if server is not None and statement.saldo_em is not None and statement.saldo_em >= server:
        early = statement.na_hora or statement.saldo_em > server or _has_hour(statement)
        statement = replace(statement, saldo_em=server, na_hora=early)
    return statement


def _has_hour(statement: ReadStatement) -> bool:
    return statement.servidor[8:] not in WHOLE_HOURS


def find_moment(statement: ReadStatement) -> str:
    """Find the moment of a fixed statement, as text that sorts: DTSERVER, or the last day that it can know of."""
    if statement.servidor:
        return statement.servidor
    days = [line.dia for line in statement.linhas if line.dia <= statement.vista_em]
    last = max([statement.saldo_em or statement.fim or date.min, *days])
    return f"{min(last, statement.vista_em):%Y%m%d}"


def find_spoken(statement: ReadStatement) -> Spoken | None:
    """Find the days that a fixed statement speaks for; None where it covers none."""
    covered = find_coverage(statement)
    if covered is None:
        return None
    whole = min(covered.fim, _find_last_over(statement))
    if statement.na_hora and statement.saldo_em is not None:
        whole = min(whole, max(statement.saldo_em, covered.inicio) - ONE_DAY)
    return Spoken(covered.inicio, whole, max(covered.fim, statement.fim or covered.fim))


def _find_last_seen(statement: ReadStatement) -> date:
    """Find the day of the download, or the last day that it can have been."""
    return parse_ofx_day(statement.servidor) or statement.vista_em


def _find_last_over(statement: ReadStatement) -> date:
    """Find the last day that was over when a fixed statement was made: that of a DTSERVER without an hour, too."""
    last = _find_last_seen(statement)
    over = last if statement.servidor and not _has_hour(statement) else last - ONE_DAY
    return min(over, statement.vista_em - ONE_DAY)


def find_coverage(statement: ReadStatement, until: date = date.max) -> Block | None:
    """Find the days that a fixed statement covers, at most `until`.

    From DTSTART, but from its first line where DTSTART is missing or more than 62 days before it; to the later of its
    last line within DTSTART..DTEND that was no future, and the earliest of DTEND, the whole day of LEDGERBAL, and the
    day before its DTSERVER and the one on which it was first seen. A line outside DTSTART..DTEND stretches nothing.
    """
    first, last = statement.inicio or date.min, statement.fim or date.max
    seen = min(last, _find_last_seen(statement))
    days = [line.dia for line in statement.linhas if first <= line.dia <= seen]
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
    told = min(fim, _find_last_over(statement))
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
    for each in sorted(covered):
        if blocks and each.inicio <= blocks[-1].fim + ONE_DAY:
            blocks[-1] = Block(blocks[-1].inicio, max(blocks[-1].fim, each.fim))
        else:
            blocks.append(each)
    return blocks
