"""What stands for a line, which account a statement is of, and which transactions are balances (S20).

Belongs here: pure functions over what one file says; amounts are int signed centavos. Does not belong here: the lines
that several files have together (`lastro.bank.days`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from typing import Final

from lastro.bank.ofx import OfxLine
from lastro.bank.statements import BankBalance
from lastro.calendar import ONE_DAY
from lastro.folding import slug
from lastro.settings.bank_keys import OF_FILE, read_bank_key, write_bank_key

_DIGITS: Final = 12
"""Hex digits of an `extrato_id`: 48 bits, exact in a cell."""
_BALANCE: Final = re.compile(
    r"(?:saldo|sldo|sdo|sld)(?:$|ant(?:$|erior|[0-9])|inicial|dodia|diario|dia|total|final|disp|atual|parcial|credor|bloq"
    r"|livre|em[0-9]|nadata|(?:em|de)?(?:conta|cta|cc)|apl|[0-9])"
)
_OPENING: Final = re.compile(r"(?:saldo|sldo|sdo|sld)(?:ant(?:$|erior|[0-9])|inicial)")
_WHOLE: Final = re.compile(
    r"(?:saldo|sldo|sdo|sld)(?:ant(?:erior)?|inicial|dodia|dia|final|total|atual|disponivel|(?:total)?disponiveldia"
    r"|(?:em|de)?(?:conta|cta|cc)(?:corrente)?)"
)


def link_account(chave: str, extratos: Mapping[int, Sequence[str]], arquivo: str = "") -> int | None:
    """Find the account that a key belongs to: the one that names its bank, then one that names the account alone.

    Where the file says no account, the one that names the file.

    Args:
        chave: what `write_bank_key` wrote.
        extratos: conta_id -> what the settings call it (`"banco/conta"`, or `"conta"`, which any bank's matches).
        arquivo: name of the file.

    >>> link_account("341/123456", {101: ["0341/12345-6"], 102: ["nenhum"]})
    101
    """
    if chave.startswith(OF_FILE):
        return next(iter(list_file_accounts(arquivo, extratos)), None)
    _, conta, tipo = read_bank_key(chave)
    for wanted in (chave, write_bank_key("", conta, tipo)):
        for conta_id, keys in sorted(extratos.items()):
            if conta and wanted in (write_bank_key(*read_bank_key(key)) for key in keys):
                return conta_id
    return None


def list_file_accounts(arquivo: str, extratos: Mapping[int, Sequence[str]]) -> list[int]:
    """List the accounts that name a file, by id.

    >>> list_file_accounts("Nubank_2026-11.ofx", {101: ["arquivo:nubank*"], 102: ["341/1"]})
    [101]
    """
    return sorted(
        conta_id
        for conta_id, keys in extratos.items()
        if any(fnmatchcase(OF_FILE + arquivo.casefold(), key.casefold()) for key in keys if key.startswith(OF_FILE))
    )


def make_extrato_id(conta_id: int, dia: date, valor: int, texto: str, n: int) -> int:
    """Make the number that stands for a line in every file, cell and note (S20).

    >>> make_extrato_id(101, date(2026, 3, 12), -3590, "tarifa pacote p j", 1)
    178139879615723
    """
    text = f"{conta_id}|{dia.isoformat()}|{valor}|{texto}|{n}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:_DIGITS], 16)


def part_balances(
    lines: Sequence[OfxLine], saldo: int | None, saldo_em: date | None
) -> tuple[tuple[OfxLine, ...], tuple[BankBalance, ...]]:
    """Part the transactions of a statement into those that move money and those that are balances (S20).

    A balance is a transaction whose text is one and whose amount chains: each is the one before and the lines between.
    Where nothing chains, the only one whose whole text is a balance is no line, and proves nothing: `parcial`.
    Those that chain differ from the sum of the lines before them by one number, what the bank held before the first.

    Args:
        lines: the transactions of a statement.
        saldo: its LEDGERBAL, which may be the last of the chain.

    Returns:
        The lines, and the balances at the end of their days, by day.
    """
    shown = {line.ordem for line in lines if is_balance(line)}
    if not shown:
        return tuple(lines), ()
    best: list[OfxLine] = []
    for ordered in (sorted(lines, key=_order_in_day), lines, lines[::-1]):
        days = [line.dia for line in ordered]
        if days != sorted(days):
            continue
        chained = _find_chain(ordered, shown, saldo, saldo_em)
        best = chained if len(chained) > len(best) else best
    named = [line for line in lines if _WHOLE.fullmatch(slug(line.historico, ""))]
    parted = best or (named if len(named) == 1 else [])
    taken = {line.ordem for line in parted}
    moved = tuple(line for line in lines if line.ordem not in taken)
    busy = {line.dia for line in moved}
    held: dict[date, int] = {}
    for line in parted:
        before = _OPENING.match(slug(line.historico, "")) is not None and line.dia in busy
        held[line.dia - ONE_DAY if before else line.dia] = line.valor
    return moved, tuple(BankBalance(dia, valor, parcial=not best) for dia, valor in sorted(held.items()))


def is_balance(line: OfxLine) -> bool:
    """Tell whether the text of a transaction is that of a balance; whether it is one, its amount tells."""
    return _BALANCE.match(slug(line.historico, "")) is not None


def _order_in_day(line: OfxLine) -> tuple[date, int, int]:
    text = slug(line.historico, "")
    return line.dia, 0 if _OPENING.match(text) else 2 if _BALANCE.match(text) else 1, line.ordem


def _find_chain(ordered: Sequence[OfxLine], shown: set[int], saldo: int | None, saldo_em: date | None) -> list[OfxLine]:
    """Find the balances of an order that chain: two that differ in amount or text, or one that LEDGERBAL continues."""
    groups: defaultdict[int, list[OfxLine]] = defaultdict(list)
    moved = up_to = 0
    for line in ordered:
        if line.ordem in shown:
            groups[line.valor - moved].append(line)
            continue
        moved += line.valor
        if saldo_em is not None and line.dia <= saldo_em:
            up_to += line.valor
    ledger = None if saldo is None or saldo_em is None else saldo - up_to
    proved = [
        own for before, own in groups.items()
        if before == ledger or len({(line.valor, slug(line.historico, "")) for line in own}) > 1
    ]  # fmt: skip
    return max(proved, key=len, default=[])
