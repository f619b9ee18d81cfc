"""Which line is which across files, which account it is of, and which transactions are balances (S20).

Belongs here: pure functions from the statements of files to the lines that the bank has once; amounts are int signed
centavos. Does not belong here: what days files cover (`lastro.bank.coverage`) and the books (`lastro.bank.matching`).
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from lastro.bank.coverage import find_coverage, find_days
from lastro.bank.ofx import OfxLine
from lastro.bank.statements import BankAccount, BankBalance, BankLine, ReadStatement, sum_to_balance
from lastro.calendar import ONE_DAY
from lastro.folding import slug
from lastro.settings.bank_keys import read_bank_key, write_bank_key

DAYS_MOVED: Final = 5
"""Days within which a bank may move a line that keeps its number."""
_DIGITS: Final = 12
"""Hex digits of an `extrato_id`: 48 bits, exact in a cell."""
_MOST_TRIED: Final = 50
"""Most lines tried one by one, where the newer file lacks some of them and not all."""
_BALANCE: Final = re.compile(
    r"(?:saldo|sldo|sdo|sld)(?:$|ant(?:$|erior|[0-9])|inicial|dodia|diario|dia|total|final|disp|atual|parcial|credor|bloq"
    r"|livre|em[0-9]|nadata|(?:em|de)?(?:conta|cta|cc)|apl|[0-9])"
)
_OPENING: Final = re.compile(r"(?:saldo|sldo|sdo|sld)(?:ant(?:$|erior|[0-9])|inicial)")
_NUMBER: Final = re.compile(r"([^0-9]*)((?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))?([0-9]*)(.*)")


def link_account(chave: str, extratos: Mapping[int, Sequence[str]]) -> int | None:
    """Find the account that a key belongs to: the one that names its bank, then one that names the account alone.

    Args:
        chave: what `write_bank_key` wrote.
        extratos: conta_id -> what the settings call it (`"banco/conta"`, or `"conta"`, which any bank's matches).

    >>> link_account("341/123456", {101: ["0341/12345-6"], 102: ["nenhum"]})
    101
    """
    _, conta, tipo = read_bank_key(chave)
    for wanted in (chave, write_bank_key("", conta, tipo)):
        for conta_id, keys in sorted(extratos.items()):
            if conta and wanted in (write_bank_key(*read_bank_key(key)) for key in keys):
                return conta_id
    return None


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
    Those that chain differ from the sum of the lines before them by one number, what the bank held before the first.

    Args:
        lines: the transactions of a statement.
        saldo: its LEDGERBAL, which may be the last of the chain.
        saldo_em: its day.

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
    taken = {line.ordem for line in best}
    moved = tuple(line for line in lines if line.ordem not in taken)
    busy = {line.dia for line in moved}
    held: dict[date, int] = {}
    for line in best:
        before = _OPENING.match(slug(line.historico, "")) is not None and line.dia in busy
        held[line.dia - ONE_DAY if before else line.dia] = line.valor
    return moved, tuple(BankBalance(dia, valor) for dia, valor in sorted(held.items()))


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


@dataclass(slots=True)
class _Held:
    """A line of an account as the files read so far have it; the newest one's day and text count."""

    dia: date
    valor: int
    texto: str
    historico: str
    fitid: str
    number: str
    arquivo: str
    ordem: int
    conta_em: date
    inside: bool
    files: tuple[str, ...]
    before: tuple[tuple[date, str], ...] = ()

    @property
    def key(self) -> tuple[date, str, int]:
        """What it is without a number of the bank."""
        return self.dia, self.texto, self.valor


def unite(read: Iterable[ReadStatement]) -> dict[int, BankAccount]:
    """Unite the linked statements of each account: a line of the bank stands once, however many files hold it.

    Returns:
        By account, in order; the same for any order and names of the files.
    """
    split: dict[int, list[ReadStatement]] = {}
    for each in read:
        if each.conta_id is not None:
            split.setdefault(each.conta_id, []).append(each)
    return {conta_id: _unite_account(conta_id, own) for conta_id, own in sorted(split.items())}


def _unite_account(conta_id: int, own: Iterable[ReadStatement]) -> BankAccount:
    ordered = _order_files(own)
    held = _hold(ordered)
    gone = _find_withdrawn(held, ordered)
    equal: Counter[tuple[date, str, int]] = Counter()
    parts: tuple[list[BankLine], list[BankLine]] = [], []
    for each in held:
        equal[each.key] += 1
        parts[id(each) in gone].append(_make_line(conta_id, each, equal[each.key]))
    kept, taken = (tuple(sorted(some, key=lambda line: (line.dia, line.texto, line.valor, line.n))) for some in parts)
    return BankAccount(conta_id, tuple(ordered), kept, taken)


def _order_files(own: Iterable[ReadStatement]) -> list[ReadStatement]:
    """Order statements, the oldest first, whatever their files are called; a copy stands once.

    By DTSERVER where all have one, DTEND, the day of LEDGERBAL, the digest.
    """
    once: dict[tuple[str, int], ReadStatement] = {}
    for each in sorted(own, key=lambda statement: statement.arquivo):
        once.setdefault((each.sha256, each.ordem), each)
    told = all(each.servidor for each in once.values())
    return sorted(
        once.values(),
        key=lambda each: (
            each.servidor if told else "", each.fim or date.min, each.saldo_em or date.min, each.sha256, each.ordem,
        ),
    )  # fmt: skip


def _make_line(conta_id: int, held: _Held, n: int) -> BankLine:
    dia, texto, valor = held.key
    return BankLine(
        make_extrato_id(conta_id, dia, valor, texto, n), conta_id, dia, valor, held.historico, held.fitid,
        held.arquivo, held.ordem, texto, n, dia if held.inside else held.conta_em,
        tuple(make_extrato_id(conta_id, day, valor, text, n) for day, text in held.before),
    )  # fmt: skip


def _hold(ordered: Sequence[ReadStatement]) -> list[_Held]:
    """Lay the files of an account over each other, from the oldest on; one file alone is its lines."""
    files: dict[str, list[ReadStatement]] = {}
    for each in ordered:
        files.setdefault(each.sha256, []).append(each)
    if len(files) == 1:
        return _hold_file(ordered, {})
    held: list[_Held] = []
    by_number: defaultdict[tuple[str, int], list[_Held]] = defaultdict(list)
    by_key: defaultdict[tuple[date, str, int], list[_Held]] = defaultdict(list)
    for statements in files.values():
        lines = _hold_file(statements, list_numbers([line for each in statements for line in each.linhas]))
        if _are_numbered_anew(lines, by_number, by_key):
            for new in lines:
                new.number = ""
        for old, new in _pair(lines, by_number, by_key):
            line = old or new
            if old is None:
                held.append(new)
            if old is None or _renew(old, new):
                by_key[line.key].append(line)
            if line.number and all(one is not line for one in by_number[line.number, line.valor]):
                by_number[line.number, line.valor].append(line)
    return held


def _are_numbered_anew(
    lines: Sequence[_Held],
    by_number: Mapping[tuple[str, int], Sequence[_Held]],
    by_key: Mapping[tuple[date, str, int], Sequence[_Held]],
) -> bool:
    """Tell whether a file has several lines of the older ones and none under its number there: banks number anew."""
    if any(line.number and (line.number, line.valor) in by_number for line in lines):
        return False
    again = (line.key for line in lines if line.inside and any(old.inside for old in by_key.get(line.key, ())))
    return len(set(again)) > 1


def _hold_file(statements: Sequence[ReadStatement], numbers: Mapping[int, str]) -> list[_Held]:
    """Hold the lines of a file: equal ones of one file are real, also in two statements of it."""
    return [
        _Held(
            line.dia, line.valor, slug(line.historico, " "), line.historico, line.fitid, numbers.get(line.ordem, ""),
            each.arquivo, line.ordem, day, day == line.dia, files,
        )
        for each in statements
        for files in [(each.sha256,)]
        for line, day in zip(each.linhas, find_days(each), strict=True)
    ]  # fmt: skip


def list_numbers(lines: Sequence[OfxLine]) -> dict[int, str]:
    """List the FITIDs of a file that say which line it is, by its place there.

    One that is empty, 0, repeated within the file or under six digits says nothing, nor does a serial: of those that
    begin alike, or of one day, the last digits are 1..n.
    """
    often = Counter(line.fitid for line in lines)
    serials: defaultdict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
    told = {}
    for line in lines:
        if often[line.fitid] > 1 or len(line.fitid.strip("0 ")) == 0 or _is_short(line.fitid):
            continue
        told[line.ordem] = line.fitid
        begin, day, number, rest = _NUMBER.fullmatch(line.fitid).groups()  # type: ignore[union-attr]
        if number and not rest:
            for group in {(begin, day), (begin, day, line.dia)}:
                serials[group].append((int(number[-18:]), line.ordem))
    for own in serials.values():
        values = sorted(number for number, _ in own)
        if values == list(range(1, len(own) + 1)):
            for _, ordem in own:
                told.pop(ordem, None)
    return told


def _is_short(fitid: str) -> bool:
    return len(re.sub(r"[^0-9A-Za-z]", "", fitid).lstrip("0")) < 6


def _pair(
    lines: Sequence[_Held],
    by_number: Mapping[tuple[str, int], Sequence[_Held]],
    by_key: Mapping[tuple[date, str, int], Sequence[_Held]],
) -> list[tuple[_Held | None, _Held]]:
    """Pair the lines of a file with those of the older files: by number, else by day, text and amount."""
    taken: set[int] = set()
    pairs: dict[int, _Held] = {}
    for line in lines:
        near = [
            each
            for each in by_number.get((line.number, line.valor), ())
            if line.number and id(each) not in taken and abs((each.dia - line.dia).days) <= DAYS_MOVED
        ]
        if near:
            pairs[id(line)] = min(near, key=lambda each, day=line.dia: abs((each.dia - day).days))  # type: ignore[misc]
            taken.add(id(pairs[id(line)]))
    queues: dict[tuple[date, str, int], list[list[_Held]]] = {}
    for line in sorted(lines, key=lambda each: not each.number):
        if id(line) in pairs:
            continue
        if line.key not in queues:
            free = [each for each in by_key.get(line.key, ()) if id(each) not in taken]
            queues[line.key] = [[each for each in free if not each.number], [each for each in free if each.number]]
        plain, numbered = queues[line.key]
        for some in (plain,) if line.number else (numbered, plain):
            while some and id(some[0]) in taken:
                some.pop(0)
            if some:
                pairs[id(line)] = some.pop(0)
                taken.add(id(pairs[id(line)]))
                break
    return [(pairs.get(id(line)), line) for line in lines]


def _renew(old: _Held, new: _Held) -> bool:
    """Let the newer file's day, text and number of a line count; tell whether it is another line by them."""
    changed = old.key != new.key
    if changed:
        old.before += ((old.dia, old.texto),)
    old.dia, old.texto, old.historico = new.dia, new.texto, new.historico
    if new.number or not old.number:
        old.fitid, old.number = new.fitid, new.number
    old.conta_em = min(old.conta_em, new.conta_em)
    old.inside = old.inside or new.inside
    old.files += new.files
    return changed


def _find_withdrawn(held: Sequence[_Held], ordered: Sequence[ReadStatement]) -> set[int]:
    """Find the lines that a newer file has not, where both files' balances chain without them and not with them."""
    gone: set[int] = set()
    whole = [each for each in ordered if each.saldo is not None and not each.parcial and not each.recusadas]
    places = {each.sha256: place for place, each in enumerate(ordered)}
    for new in whole:
        covered = find_coverage(new)
        if covered is None:
            continue
        missing = [
            each
            for each in held
            if id(each) not in gone and covered.inicio <= _day_of(each) <= covered.fim
            and all(places[sha256] < places[new.sha256] for sha256 in each.files)
        ]  # fmt: skip
        for old in whole if missing else ():
            own = [each for each in missing if old.sha256 in each.files and id(each) not in gone]
            kept = [each for each in held if id(each) not in gone]
            if not own or _chain(kept, old, new):
                continue
            for some in (own, *([each] for each in own[:_MOST_TRIED])):
                without = {id(each) for each in some}
                if _chain([each for each in kept if id(each) not in without], old, new):
                    gone |= without
                    break
    return gone


def _day_of(held: _Held) -> date:
    return held.dia if held.inside else held.conta_em


def _chain(held: Sequence[_Held], old: ReadStatement, new: ReadStatement) -> bool:
    """Tell whether the balances of two files chain through lines: before the newer one's first day, and until its end.

    What the bank held before the newer file is its balance less its own lines.
    """
    covered = find_coverage(new)
    if covered is None or old.saldo is None or new.saldo is None or old.saldo_em is None or new.saldo_em is None:
        return False
    if not covered.inicio - ONE_DAY <= old.saldo_em <= new.saldo_em:
        return False
    before = new.saldo - sum_to_balance(new)
    first = sum(each.valor for each in held if covered.inicio <= _day_of(each) <= old.saldo_em)
    since = sum(each.valor for each in held if old.saldo_em < _day_of(each) <= new.saldo_em)
    return before + first == old.saldo and old.saldo + since == new.saldo


def count_kept(lines: Iterable[BankLine]) -> Counter[tuple[str, int]]:
    """Count the lines that each file brings to each account: (file, conta_id) -> lines; the rest it repeats."""
    return Counter((line.arquivo, line.conta_id) for line in lines)
