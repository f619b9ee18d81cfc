"""Which file speaks for which day of an account, and the lines that its files have together (S20).

Belongs here: pure functions from the statements of files to one ledger of days an account; amounts are int signed
centavos. Does not belong here: what days a file covers (`lastro.bank.coverage`) and the books (`lastro.bank.matching`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from itertools import pairwise
from typing import Final

from lastro.bank.coverage import Spoken, find_days, find_moment, find_spoken, fix_moment
from lastro.bank.held_lines import (
    BY_KEY,
    BY_NUMBER,
    DAYS_MOVED,
    WAYS,
    HeldLine,
    hold_line,
    is_number,
    pair_lines,
    says_all,
)
from lastro.bank.identity import make_extrato_id
from lastro.bank.ofx import OfxLine
from lastro.bank.statements import (
    CONTESTADA,
    INDECISA,
    RENOMEADA,
    RETIRADA,
    BankAccount,
    BankLine,
    Divergence,
    ReadStatement,
)
from lastro.calendar import ONE_DAY

_MOST_ASKED: Final = 3
"""Most older balances that are asked whether a newer file repeats or adds."""


class Mode(Enum):
    """Whose lines a day has that an older file and a newer one both speak for."""

    NEWER, BOTH, UNION = range(3)


@dataclass(slots=True)
class _Day:
    """What is known of a day: its lines, the file that speaks for it, whether the day was over when it was made."""

    lines: list[HeldLine] = field(default_factory=list)
    form: list[tuple[int, str, str]] | None = None
    moment: str = ""
    whole: bool = False
    arquivo: str = ""


@dataclass(frozen=True, slots=True)
class _Stated:
    """A balance that a statement states, the sums by day of its lines up to it, and what the bank held before them."""

    chave: tuple[str, int]
    inicio: date
    dia: date
    valor: int
    sums: Mapping[date, int]
    antes: int


@dataclass(slots=True)
class _File:
    """A file of an account: its lines by the day on which they moved the balance, and the days that it speaks for."""

    arquivo: str
    moment: str
    statements: Sequence[ReadStatement]
    spoken: Sequence[Spoken]
    days: Mapping[date, Sequence[OfxLine]]
    stated: Sequence[_Stated]

    @property
    def known(self) -> tuple[str, date]:
        """What it is called, and when it was first seen."""
        return self.arquivo, self.statements[0].vista_em

    def tells(self, day: date) -> bool | None:
        """Tell whether it speaks for a whole day; False for one that was not over, None for one that it does not."""
        found = [day <= each.inteiro for each in self.spoken if each.inicio <= day <= each.fim]
        return any(found) if found else (False if day in self.days else None)


def unite(read: Iterable[ReadStatement]) -> dict[int, BankAccount]:
    """Unite the linked statements of each account: for each day its newest file speaks.

    Returns:
        By account, in order; the same for any order and names of the files.
    """
    split: dict[int, list[ReadStatement]] = {}
    for each in read:
        if each.conta_id is not None:
            split.setdefault(each.conta_id, []).append(each)
    return {conta_id: _unite_account(conta_id, own) for conta_id, own in sorted(split.items())}


def _unite_account(conta_id: int, own: Iterable[ReadStatement]) -> BankAccount:
    once: dict[str, dict[int, ReadStatement]] = {}
    for each in sorted(own, key=lambda statement: statement.arquivo):
        once.setdefault(each.sha256, {}).setdefault(each.ordem, fix_moment(each))
    files = sorted(
        ((max(map(find_moment, some.values())), sha256, [some[ordem] for ordem in sorted(some)])
         for sha256, some in once.items()),
        key=lambda file: file[:2],
    )  # fmt: skip
    ledger = _Ledger([_open_file(moment, statements) for moment, _, statements in files])
    kept = sorted((_make_line(conta_id, each) for each in ledger.list_lines()), key=_order)
    gone = sorted((_make_line(conta_id, each) for each in ledger.gone), key=_order)
    return BankAccount(
        conta_id, tuple(each for _, _, some in files for each in some), tuple(kept), tuple(gone),
        frozenset(ledger.early), tuple(_list_divergences(conta_id, ledger)),
    )  # fmt: skip


def _open_file(moment: str, statements: Sequence[ReadStatement]) -> _File:
    days: defaultdict[date, list[OfxLine]] = defaultdict(list)
    spoken, stated = [], []
    for each in statements:
        own = find_days(each)
        for line, day in zip(each.linhas, own, strict=True):
            days[day].append(line)
        covered = find_spoken(each)
        if covered is None:
            continue
        spoken.append(covered)
        if each.saldo and each.saldo_em is not None and not each.recusadas:
            sums: Counter[date] = Counter()
            for line, day in zip(each.linhas, own, strict=True):
                if line.dia <= each.saldo_em:
                    sums[day] += line.valor
            antes = each.saldo - sums.total()
            stated.append(_Stated((each.sha256, each.ordem), covered.inicio, each.saldo_em, each.saldo, sums, antes))
    return _File(statements[0].arquivo, moment, statements, spoken, days, stated)


def _make_line(conta_id: int, held: HeldLine) -> BankLine:
    dia, valor, texto, n = held.dia, held.valor, held.texto, held.n
    before = [make_extrato_id(conta_id, day, valor, text, place) for day, text, place in held.antes]
    return BankLine(
        make_extrato_id(conta_id, dia, valor, texto, n), conta_id, dia, valor, held.historico, held.fitid,
        held.arquivo, held.ordem, texto, n, held.moveu_em, tuple(before),
    )  # fmt: skip


def _order(line: BankLine) -> tuple[date, str, int, int]:
    return line.dia, line.texto, line.valor, line.n


def _list_divergences(conta_id: int, ledger: _Ledger) -> list[Divergence]:
    told = [
        Divergence(
            tipo, held.ultimo, *novo, *(days or (held.lugar, held.lugar)), held.valor, text or held.historico,
            _make_line(conta_id, held).extrato_id,
        )
        for tipo, held, novo, days, text in (
            *ledger.told,
            *((RETIRADA, held, held.novo, None, "") for held in ledger.gone if held.novo and held.passada),
        )
    ]  # fmt: skip
    return sorted(told, key=lambda each: (each.inicio, each.tipo, each.novo, -abs(each.valor), each.extrato_id or 0))


class _Ledger:
    """The days of an account, as its files laid one over the other have them.

    Attributes:
        gone: lines that a newer file of their days no longer has.
        early: digest and place of the statements whose balance was taken before its day had ended.
        told: what files say otherwise: its kind, the line, the newer file, the days, the texts.
    """

    def __init__(self, files: Sequence[_File]) -> None:
        self._files = files
        self._days: dict[date, _Day] = {}
        self._equal: Counter[tuple[date, str, int]] = Counter()
        self._stated: list[_Stated] = []
        self._shown: dict[date, int] = {}
        self._eves: dict[date, tuple[int, date]] = {}
        self._habit: tuple[int, int, int] | None = None
        self.gone: list[HeldLine] = []
        self.early: set[tuple[str, int]] = set()
        self.told: list[tuple[str, HeldLine, tuple[str, date], tuple[date, date] | None, str]] = []
        for self._file in files:
            self._lay(self._file)

    def list_lines(self) -> Iterator[HeldLine]:
        """List all lines."""
        return (line for day in self._days.values() for line in day.lines)

    def _lay(self, file: _File) -> None:
        """Lay a file over the older ones."""
        tells = {day: whole for day in {*self._days, *file.days} if (whole := file.tells(day)) is not None}
        shared = {
            day for day, whole in tells.items()
            if (held := self._days.get(day)) and held.moment not in ("", file.moment) and whole >= held.whole
        }  # fmt: skip
        mode, asked = self._decide(file, shared)
        olds: list[HeldLine] = []
        news: list[HeldLine] = []
        added: list[HeldLine] = []
        for day in sorted(tells):
            whole, lines = tells[day], file.days.get(day, ())
            held = self._days.setdefault(day, _Day())
            form = [(line.valor, line.historico, line.fitid) for line in lines]
            if form != held.form or mode is Mode.BOTH:
                own = [hold_line(line, day, file.arquivo) for line in lines]
                for line in held.lines:
                    line.ultimo, line.passada = held.arquivo, f"{day:%Y%m%d}" <= held.moment
                if not held.moment or (day in shared and mode is Mode.NEWER):
                    olds += held.lines
                    news += own
                    held.lines, held.form = own, form
                else:
                    more = own if mode is Mode.BOTH and day in shared else self._pair_equal(held.lines, own)
                    held.lines += more
                    added += more
                    held.form = None
            if whole >= held.whole:
                held.moment, held.whole, held.arquivo = max(held.moment, file.moment), whole, file.arquivo
        if mode is Mode.NEWER:
            self.told = [each for each in self.told if each[3] is None or not all(map(tells.get, each[3]))]
        if asked:
            days, new = (min(shared), max(shared)), set(map(id, added))
            asked_of = [line for day in shared for line in self._days[day].lines if id(line) not in new]
            self.told += [(INDECISA, line, file.known, days, "") for line in asked_of]
        contested = self._carry(olds, news, added, file)
        self._keep_balances(file, contested)

    def _decide(self, file: _File, shared: Iterable[date]) -> tuple[Mode, bool]:
        """Decide whose lines the days have that older files also speak for, and whether that is a question.

        Balances tell whether a newer file repeats or adds; then whether it has again what was there, by number, or by
        day and amount, as the account's files do.
        """
        olds = {day: self._days[day].lines for day in shared if f"{day:%Y%m%d}" <= self._days[day].moment}
        if any(each.recusadas for each in file.statements):
            return Mode.UNION, False
        for new in file.stated:
            near = [old for old in self._stated if new.inicio - ONE_DAY <= old.dia <= new.dia]
            for old in near[: -_MOST_ASKED - 1 : -1]:
                found = _chain(old, new)
                if found is Mode.BOTH:
                    self.early.add(old.chave)
                    self._shown.pop(old.dia, None)
                if found is not Mode.UNION:
                    return found, False
        every, again, numbers = _count_again(olds, file)
        if not every:
            return Mode.NEWER, False
        repeats, _ = self._find_habit()
        if numbers or (2 * again > every - repeats and (again > 2 or repeats)):
            return Mode.NEWER, False
        return Mode.UNION, repeats or again > 0

    def _find_habit(self) -> tuple[bool, bool]:
        """Find whether the account's files repeat what older ones have, and whether they number it anew."""
        if self._habit is None:
            counts = [
                _count_again({day: lines for day, lines in old.days.items() if f"{day:%Y%m%d}" <= old.moment}, new)
                for old, new in pairwise(self._files)
            ]
            self._habit = sum(a for a, _, _ in counts), sum(b for _, b, _ in counts), sum(c for _, _, c in counts)
        every, again, numbers = self._habit
        repeats = numbers > 0 or 2 * again > every
        return repeats, repeats and not numbers

    def _pair_equal(self, olds: Sequence[HeldLine], news: Sequence[HeldLine]) -> list[HeldLine]:
        """Pair the lines of a day by number, and equal ones; list the new ones that are more.

        Equal lines under two numbers are two, unless the account's files number anew.
        """
        left, rest = pair_lines(olds, news, BY_NUMBER, self._take_over)
        if self._find_habit()[1]:
            return pair_lines(left, rest, BY_KEY, self._take_over)[1]
        plain = [line for line in rest if not line.number]
        numbered = [line for line in rest if line.number]
        left, plain = pair_lines(left, plain, BY_KEY, self._take_over)
        numbered = pair_lines([line for line in left if not line.number], numbered, BY_KEY, self._take_over)[1]
        return plain + numbered

    def _take_over(self, old: HeldLine, new: HeldLine) -> None:
        """Let a line of a newer file be one of an older file, with all that this was called."""
        new.antes = old.antes if old.key == new.key else (*old.antes, (old.dia, old.texto, old.n))
        new.n = old.n if old.key == new.key else 0
        if old.passada and not says_all(old.texto, new.texto):
            self.told.append((RENOMEADA, new, self._file.known, None, f"{old.historico}» agora «{new.historico}"))
        new.arquivo, new.ordem, new.ultimo = old.arquivo, old.ordem, old.ultimo
        new.moveu_em = old.moveu_em if old.moveu_em <= old.dia else min(old.moveu_em, new.moveu_em)

    def _carry(
        self, olds: Sequence[HeldLine], news: Sequence[HeldLine], added: Sequence[HeldLine], file: _File
    ) -> list[tuple[date, date]]:
        """Let new lines take over from old ones; what days have that two older balances prove stays.

        A line on the last days before a file that the file has under its number is that one. Where the lines of a
        newer file do not lead from one older balance to the next, as those before it do, they do not count.

        Returns:
            The days, the first left out, of which the file says otherwise.
        """
        left, rest = list(olds), list(news)
        for way in WAYS:
            left, rest = pair_lines(left, rest, way, self._take_over)
        rest = self._join_seam(rest, file)
        self.gone, rest = pair_lines(self.gone, rest, BY_KEY, self._take_over)
        rest += added
        contested = []
        for after, until in self._list_proved(left, rest):
            lost, found = ([one for one in some if after < one.moveu_em <= until] for some in (left, rest))
            if sum(one.valor for one in found) == sum(one.valor for one in lost):
                continue
            contested.append((after, until))
            left, rest = ([one for one in some if not after < one.moveu_em <= until] for some in (left, rest))
            for one in found:
                self._days[one.lugar].lines.remove(one)
                one.ultimo = one.ultimo or self._days[one.lugar].arquivo
            for one in lost:
                self._days[one.lugar].lines.append(one)
            for one in (*lost, *found):
                self._days[one.lugar].form = None
                self.told.append((CONTESTADA, one, file.known, (after + ONE_DAY, until), ""))
        for one in left:
            one.novo = file.known
        self.gone += left
        for line in (*news, *added):
            self._count(line)
        return contested

    def _join_seam(self, news: list[HeldLine], file: _File) -> list[HeldLine]:
        """Take lines of the last days before a file for those that it has under their numbers; list the others."""
        first = min((each.inicio for each in file.spoken), default=date.max)
        seam = [line for day, held in self._days.items() if 0 < (first - day).days <= DAYS_MOVED for line in held.lines]
        if not seam:
            return news
        numbers = {line.number for line in news}
        seam = [line for line in seam if line.number and line.number in numbers]
        left, rest = pair_lines(seam, news, BY_NUMBER, self._take_over)
        stay = set(map(id, left))
        for line in seam:
            if id(line) not in stay:
                self._days[line.lugar].lines.remove(line)
                self._days[line.lugar].form = None
        return rest

    def _list_proved(self, left: Sequence[HeldLine], rest: Sequence[HeldLine]) -> Iterator[tuple[date, date]]:
        """List the days between two older balances, the first left out, that the lines before a file lead through."""
        days = sorted(self._shown)
        if not days or all(line.moveu_em > days[-1] for some in (left, rest) for line in some):
            return
        moved: Counter[date] = Counter()
        for some, sign in ((self.list_lines(), 1), (rest, -1), (left, 1)):
            for line in some:
                moved[line.moveu_em] += sign * line.valor
        ordered, place = sorted(moved.items()), 0
        for after, until in pairwise(days):
            between = 0
            while place < len(ordered) and ordered[place][0] <= until:
                between += ordered[place][1] if ordered[place][0] > after else 0
                place += 1
            if self._shown[after] + between == self._shown[until]:
                yield after, until

    def _keep_balances(self, file: _File, contested: Sequence[tuple[date, date]]) -> None:
        """Keep what a file says that the bank held at the end of days; what proves contested days stays."""
        for each in file.statements:
            shown = [(one.dia, one.valor) for one in each.saldos if not one.parcial]
            if each.saldo_em is not None and not each.parcial:
                shown.append((each.saldo_em, each.saldo or 0))
            for dia, valor in shown:
                if valor and not each.recusadas and not any(after <= dia <= until for after, until in contested):
                    self._shown[dia] = valor
        for new in file.stated:
            eve, told = new.inicio - ONE_DAY, (new.antes, new.dia)
            if self._eves.setdefault(eve, told)[0] == told[0] and self._eves[eve][1] != told[1]:
                self._shown.setdefault(eve, told[0])
        self._stated += file.stated

    def _count(self, line: HeldLine) -> None:
        """Give a line its place among all that were ever equal to it."""
        if not line.n:
            key = line.key
            line.n = self._equal[key] = self._equal.get(key, 0) + 1


def _count_again(olds: Mapping[date, Sequence[OfxLine | HeldLine]], new: _File) -> tuple[int, int, int]:
    """Count what older files have of days for which a newer one speaks: lines, those that it has again, by number."""
    spoken = {day: lines for day, lines in olds.items() if lines and new.tells(day) is not None}
    if not spoken:
        return 0, 0, 0
    numbers = {(line.fitid, line.valor) for lines in new.days.values() for line in lines if is_number(line.fitid)}
    every = again = numbered = 0
    for day, lines in spoken.items():
        left = Counter(line.valor for line in new.days.get(day, ()))
        for line in lines:
            is_numbered = (line.fitid, line.valor) in numbers
            every += 1
            numbered += is_numbered
            again += is_numbered or left[line.valor] > 0
            left[line.valor] -= 1
    return every, again, numbered


def _chain(old: _Stated, new: _Stated) -> Mode:
    """Tell by the balances of two files whose lines the days have that both speak for; UNION where they do not."""
    since = sum(valor for day, valor in old.sums.items() if day >= new.inicio)
    again = sum(valor for day, valor in new.sums.items() if day <= old.dia)
    if since and old.valor - since == new.antes:
        return Mode.NEWER
    if since and old.valor == new.antes:
        return Mode.BOTH
    return Mode.NEWER if again and new.antes + again == old.valor else Mode.UNION
