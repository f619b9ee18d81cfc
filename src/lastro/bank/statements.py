"""The union of the files: account of each line, repeated lines, days covered, balances (S20).

Belongs here: pure functions from read statements to lines, blocks and balances; amounts are int signed centavos. Does
not belong here: the bytes (`lastro.bank.ofx`) and the books (`lastro.bank.matching`).
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from lastro.bank.ofx import OfxLine
from lastro.calendar import ONE_DAY, BusinessCalendar
from lastro.folding import slug
from lastro.money import to_centavos

SEM_BANCO: Final = "nenhum"
"""What `extrato` says of an account that no bank keeps."""
_DIGITS: Final = 12
"""Hex digits of an `extrato_id`: 48 bits, exact in a cell."""


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
        saldo: LEDGERBAL; None without one.
        saldo_em: its day.
        linhas: its transactions.
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

    @property
    def parcial(self) -> bool:
        """Whether its balance was first seen before its day had ended (S20); False without one."""
        return self.saldo_em is not None and self.saldo_em >= self.vista_em


@dataclass(frozen=True)
class BankLine:
    """A line that the bank has once, however many files hold it.

    Attributes:
        extrato_id: 48 bits that stand for account, day, amount, text and `n`.
        conta_id: the account.
        dia: the bank's day.
        valor: signed centavos.
        historico: its text.
        fitid: the bank's own number of it, which decides nothing.
        arquivo: the file that has most of its kind.
        ordem: its place in that file.
        texto: its text, folded.
        n: which of the equal lines it is, from 1.
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


@dataclass(frozen=True)
class Block:
    """Days that statements cover without a gap of business days, both ends included."""

    inicio: date
    fim: date


@dataclass(frozen=True)
class BankBalance:
    """What the bank showed at the end of a day; `parcial` when the file was taken before that day had ended."""

    dia: date
    valor: int
    parcial: bool


def write_key(banco: str, conta: str) -> str:
    """Write what a file calls an account: the bank without leading zeros, `/`, the account's digits without them.

    >>> write_key("0341", "12345-6"), write_key("", "0001234")
    ('341/123456', '/1234')
    """
    return f"{banco.strip().lstrip('0')}/{_strip(conta)}"


def _strip(conta: str) -> str:
    return re.sub(r"[^0-9]", "", conta).lstrip("0")


def link_account(chave: str, extratos: Mapping[int, Sequence[str]]) -> int | None:
    """Find the account that a key belongs to.

    Args:
        chave: what `write_key` wrote.
        extratos: conta_id -> what the settings call it (`"banco/conta"`, or `"conta"`, which any bank's matches).

    >>> link_account("341/123456", {101: ["0341/12345-6"], 102: ["nenhum"]})
    101
    """
    for conta_id, keys in sorted(extratos.items()):
        for key in keys:
            banco, bar, conta = key.rpartition("/")
            own = write_key(banco, conta)
            if _strip(conta) and (own == chave if bar else own[1:] == chave.partition("/")[2]):
                return conta_id
    return None


def make_extrato_id(conta_id: int, dia: date, valor: int, texto: str, n: int) -> int:
    """Make the number that stands for a line in every file, cell and note (S20).

    >>> make_extrato_id(101, date(2026, 3, 12), -3590, "tarifa pacote p j", 1)
    178139879615723
    """
    text = f"{conta_id}|{dia.isoformat()}|{valor}|{texto}|{n}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:_DIGITS], 16)


def unite(read: Iterable[ReadStatement]) -> list[BankLine]:
    """Unite the lines of linked statements: across files a line counts as often as in the file that has most of it.

    Returns:
        By account, day, folded text, amount and `n`; the same for any order of the files.
    """
    held: dict[tuple[int, date, str, int], dict[tuple[str, str], list[OfxLine]]] = {}
    for statement in read:
        if statement.conta_id is None:
            continue
        file = (statement.arquivo, statement.sha256)
        for line in statement.linhas:
            key = (statement.conta_id, line.dia, slug(line.historico, " "), to_centavos(line.valor))
            held.setdefault(key, {}).setdefault(file, []).append(line)
    united = []
    for (conta_id, dia, texto, valor), files in sorted(held.items()):
        (arquivo, _), lines = min(files.items(), key=lambda file: (-len(file[1]), file[0]))
        for n, line in enumerate(sorted(lines, key=lambda line: line.ordem), 1):
            extrato_id = make_extrato_id(conta_id, dia, valor, texto, n)
            united.append(
                BankLine(extrato_id, conta_id, dia, valor, line.historico, line.fitid, arquivo, line.ordem, texto, n)
            )
    return united


def count_kept(lines: Iterable[BankLine]) -> Counter[tuple[str, int]]:
    """Count the lines that each file brings to each account: (file, conta_id) -> lines; the rest it repeats."""
    return Counter((line.arquivo, line.conta_id) for line in lines)


def find_coverage(statement: ReadStatement, until: date) -> Block | None:
    """Find the days that a statement covers: from DTSTART or its first line to DTEND or its last, at most `until`."""
    days = [line.dia for line in statement.linhas]
    starts = [day for day in (statement.inicio, *days) if day is not None]
    ends = [day for day in (statement.fim, *days) if day is not None]
    if not starts or not ends or min(starts) > until:
        return None
    return Block(min(starts), max(min(starts), min(max(ends), until)))


def split_by_account(read: Iterable[ReadStatement]) -> dict[int, list[ReadStatement]]:
    """Split linked statements by account, in order of the accounts."""
    split: dict[int, list[ReadStatement]] = {}
    for each in read:
        if each.conta_id is not None:
            split.setdefault(each.conta_id, []).append(each)
    return dict(sorted(split.items()))


def find_covered(own: Iterable[ReadStatement], until: date, calendario: BusinessCalendar) -> tuple[Block, ...]:
    """Find the days that the statements of one account cover, up to a day."""
    covered = [block for each in own if (block := find_coverage(each, until)) is not None]
    return tuple(join_coverage(covered, calendario))


def join_coverage(covered: Iterable[Block], calendario: BusinessCalendar) -> list[Block]:
    """Join coverages that overlap, touch, or leave only days without banks between them; in order."""
    blocks: list[Block] = []
    for each in sorted(covered, key=lambda coverage: (coverage.inicio, coverage.fim)):
        if blocks and _touch(blocks[-1].fim, each.inicio, calendario):
            blocks[-1] = Block(blocks[-1].inicio, max(blocks[-1].fim, each.fim))
        else:
            blocks.append(each)
    return blocks


def _touch(end: date, start: date, calendario: BusinessCalendar) -> bool:
    """Tell whether no business day lies between two days."""
    return calendario.next_business_day(end + ONE_DAY) >= start


def list_balances(read: Iterable[ReadStatement], until: date) -> list[BankBalance]:
    """List what the bank showed of one account, a day once: a whole day before a partial one, then the newest file."""
    chosen: dict[date, tuple[tuple[bool, date, str, int], BankBalance]] = {}
    for each in read:
        if each.saldo is None or each.saldo_em is None or each.saldo_em > until:
            continue
        rank = (not each.parcial, each.vista_em, each.arquivo, each.ordem)
        if each.saldo_em not in chosen or rank > chosen[each.saldo_em][0]:
            chosen[each.saldo_em] = rank, BankBalance(each.saldo_em, each.saldo, each.parcial)
    return [balance for _, (_, balance) in sorted(chosen.items())]


def choose_balance(block: Block, balances: Iterable[BankBalance], calendario: BusinessCalendar) -> BankBalance | None:
    """Choose the balance that tells what the bank held at the end of a block: the last one that touches it.

    Args:
        block: the days.
        balances: of the account, by day.
        calendario: which days banks settle.

    Returns:
        One within the block, or just before it; else the first one just behind it, when no business day lies between.
    """
    near = [each for each in balances if _touch(each.dia, block.inicio, calendario)]
    inside = [each for each in near if each.dia <= block.fim]
    behind = [each for each in near if each.dia > block.fim and _touch(block.fim, each.dia + ONE_DAY, calendario)]
    return inside[-1] if inside else behind[0] if behind else None


def find_balance(block: Block, lines: Iterable[BankLine], chosen: BankBalance) -> tuple[int, bool]:
    """Compute what the bank held at the end of a block from the balance chosen and the lines since (S20).

    Returns:
        Signed centavos, and whether it is derived.
    """
    since = sum(line.valor for line in lines if chosen.dia < line.dia <= block.fim)
    return chosen.valor + since, chosen.dia != block.fim


def derive_eve(read: Iterable[ReadStatement], until: date, calendario: BusinessCalendar) -> tuple[date, int] | None:
    """Derive what the bank held on the eve of the earliest coverage of an account: its anchor without a person's (S23).

    Args:
        read: the statements of one account.
        until: the day of the reading.
        calendario: which days banks settle.

    Returns:
        Day and signed centavos: LEDGERBAL less the lines of that file up to its day; None where no file has a balance
        of a whole day within, or just behind, what it covers.
    """
    candidates: list[tuple[date, str, int, int]] = []
    for each in read:
        covered = find_coverage(each, until)
        if covered is None or each.saldo is None or each.saldo_em is None:
            continue
        whole = not each.parcial and each.saldo_em <= until
        if whole and covered.inicio <= each.saldo_em and _touch(covered.fim, each.saldo_em + ONE_DAY, calendario):
            moved = sum(to_centavos(line.valor) for line in each.linhas if line.dia <= each.saldo_em)
            candidates.append((covered.inicio - timedelta(1), each.arquivo, each.ordem, each.saldo - moved))
    if not candidates:
        return None
    eve, _, _, value = min(candidates)
    return eve, value
