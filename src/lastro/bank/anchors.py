"""Which balance of the bank's files may open the books, which only bears witness, and what proves an opening (S23).

Belongs here: pure functions over the statements and lines of one account; amounts are int signed centavos. Does not
belong here: what days a file covers (`lastro.bank.coverage`) and what follows from an anchor
(`lastro.transform.openings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from lastro.bank.coverage import find_coverage, find_covered
from lastro.bank.identity import is_balance
from lastro.bank.statements import BankAccount, BankBalance, BankLine, Block, ReadStatement, sum_to_balance
from lastro.calendar import ONE_DAY, BusinessCalendar
from lastro.transform.openings import OFX, Statement

_CALENDAR: Final = BusinessCalendar()


@dataclass(frozen=True)
class Eve:
    """What the bank held on the eve of the earliest days that its files cover.

    Attributes:
        dia: that eve.
        valor: LEDGERBAL less the lines of its file, signed centavos.
        provada: a balance of another file agrees with it through the lines between.
    """

    dia: date
    valor: int
    provada: bool


def refuse_anchor(statement: ReadStatement, until: date = date.max) -> str:
    """Say why the balance of a fixed statement opens no books, pt-BR; empty where it may, or it states none."""
    if statement.duvida or statement.saldo is None or statement.saldo_em is None:
        return statement.duvida
    covered = find_coverage(statement, until)
    chained = [each.valor for each in statement.saldos if each.dia <= statement.saldo_em]
    return next(
        (
            why
            for refused, why in (
                (statement.recusadas, "o arquivo tem transações recusadas"),
                (statement.parcial, "é de um dia que ainda não tinha acabado"),
                (
                    covered is None or not covered.inicio <= statement.saldo_em <= covered.fim,
                    "é de um dia que o arquivo não cobre",
                ),
                (statement.saldo == 0, "é 0,00"),
                (
                    2 * _count_inside(statement) < len(statement.linhas),
                    "as linhas do arquivo estão, na maior parte, fora do período que ele diz",
                ),
                (
                    any(line.valor and is_balance(line) for line in statement.linhas),
                    "há transações com texto de saldo que não encadeiam e contam como movimento",
                ),
                (
                    chained and chained[-1] + _sum_since(statement) != statement.saldo,
                    "as linhas de saldo do próprio arquivo dizem outro",
                ),
            )
            if refused
        ),
        "",
    )


def _count_inside(statement: ReadStatement) -> int:
    first, last = statement.inicio or date.min, statement.fim or date.max
    return sum(first <= line.dia <= last for line in statement.linhas)


def _sum_since(statement: ReadStatement) -> int:
    """Add up the lines of a statement between the last balance among its transactions and its own."""
    since = max(each.dia for each in statement.saldos if each.dia <= (statement.saldo_em or date.max))
    return sum_to_balance(statement) - sum(line.valor for line in statement.linhas if line.dia <= since)


def list_balances(account: BankAccount) -> list[BankBalance]:
    """List what the bank showed of an account, a day once: a whole day before a partial one, then the newest file.

    Of two that differ, one whose file lacks a line of the others counts less. A balance of 0,00 counts only where the
    lines since another one lead to it: banks print it where they state none.
    """
    chosen: dict[date, tuple[tuple[bool, bool, bool], BankBalance]] = {}
    for each in account.lidos:
        shown = [(False, balance) for balance in each.saldos if not balance.parcial]
        if each.saldo is not None and each.saldo_em is not None:
            early = (each.sha256, each.ordem) in account.adiantados
            shown.append((True, BankBalance(each.saldo_em, each.saldo, each.parcial or early)))
        whole = bool(shown) and _is_whole(account, each)
        for own, balance in shown:
            rank = not balance.parcial, own, whole
            if balance.dia not in chosen or rank >= chosen[balance.dia][0]:
                chosen[balance.dia] = rank, balance
    balances = [balance for _, (_, balance) in sorted(chosen.items())]
    known = [balance for balance in balances if balance.valor]
    covered = () if len(known) == len(balances) else find_covered(account.lidos, date.max)
    return [each for each in balances if each.valor or any(_agree(account, covered, each, other) for other in known)]


def _is_whole(account: BankAccount, statement: ReadStatement) -> bool:
    """Tell whether a statement has every line of its account on the days that it covers up to its balance."""
    covered = find_coverage(statement)
    if covered is None or statement.saldo_em is None:
        return False
    return account.sum_between(covered.inicio - ONE_DAY, statement.saldo_em) == sum_to_balance(statement)


def _agree(account: BankAccount, covered: Iterable[Block], one: BankBalance, other: BankBalance) -> bool | None:
    """Tell whether the lines between two balances add up to their difference; None where a day is missing there."""
    first, last = sorted((one, other), key=lambda balance: balance.dia)
    if not any(block.inicio <= first.dia + ONE_DAY and last.dia <= block.fim for block in covered):
        return None
    return _chain(account, first, last)


def _chain(account: BankAccount, first: BankBalance, last: BankBalance) -> bool:
    return first.valor + account.sum_between(first.dia, last.dia) == last.valor


def join_blocks(account: BankAccount, balances: Sequence[BankBalance], until: date) -> tuple[Block, ...]:
    """Join the days that nothing of an account is missing from, up to a day (S20).

    What its files cover, and days without banks between two of them through which the balances chain.

    Args:
        account: its statements and lines.
        balances: what the bank showed (`list_balances`).
        until: the last day asked for.
    """
    blocks: list[Block] = []
    for each in find_covered(account.lidos, until):
        if blocks and _was_quiet(account, balances, blocks[-1], each):
            blocks[-1] = Block(blocks[-1].inicio, each.fim)
        else:
            blocks.append(each)
    return tuple(blocks)


def _was_quiet(account: BankAccount, balances: Sequence[BankBalance], one: Block, other: Block) -> bool:
    """Tell whether nothing moved between two blocks: they chain, and only days without banks are in no file's period.

    On a business day an account that is swept ends with the same balance however much moved.
    """
    own = (each for each in account.lidos if each.fim and one.inicio <= (each.inicio or each.fim) <= one.fim)
    told = max([one.fim, *(min(each.fim, each.vista_em) for each in own if each.fim)])
    if _CALENDAR.next_business_day(told + ONE_DAY) < other.inicio:
        return False
    before = [each for each in balances if one.inicio <= each.dia <= one.fim + ONE_DAY * each.parcial]
    after = [each for each in balances if other.inicio <= each.dia <= other.fim + ONE_DAY * each.parcial]
    return bool(before and after) and _chain(account, before[-1], after[0])


def choose_balance(block: Block, balances: Iterable[BankBalance]) -> BankBalance | None:
    """Choose the balance that tells what the bank held at the end of a block: the last one within it, or on its eve."""
    near = [each for each in balances if block.inicio - ONE_DAY <= each.dia <= block.fim]
    return near[-1] if near else None


def find_balance(block: Block, lines: Iterable[BankLine], chosen: BankBalance) -> tuple[int, bool]:
    """Compute what the bank held at the end of a block from the balance chosen and the lines since (S20).

    Returns:
        Signed centavos, and whether it is derived.
    """
    since = sum(line.valor for line in lines if chosen.dia < line.conta_em <= block.fim)
    return chosen.valor + since, chosen.dia != block.fim


def derive_eve(account: BankAccount, until: date) -> Eve | None:
    """Derive what the bank held on the eve of the earliest coverage of an account: its anchor without a person's (S23).

    Args:
        account: its statements and lines.
        until: the day of the reading.

    Returns:
        None where no file has a balance that may open the books (`refuse_opening`).
    """
    return judge_openings(account, until)[0]


@dataclass(frozen=True)
class _Witness:
    """A statement whose balance may be held against others, and the opening that follows from it, if it may open."""

    chave: tuple[str, int]
    final: BankBalance
    vespera: BankBalance | None


def judge_openings(account: BankAccount, until: date = date.max) -> tuple[Eve | None, dict[tuple[str, int], str]]:
    """Find the earliest eve that the newest balance of another file confirms, and why the others open nothing.

    An eve that another file's balance contradicts opens nothing until a third one agrees; one alone is not proved.

    Returns:
        The eve, and by digest and place of each statement why it opens nothing, pt-BR; empty where it may.
    """
    refused: dict[tuple[str, int], str] = {}
    witnesses: list[_Witness] = []
    for each in account.lidos:
        chave = each.sha256, each.ordem
        refused[chave] = refuse_anchor(each, until) or _refuse_among_others(account, each)
        if each.saldo and each.saldo_em is not None and not each.parcial and chave not in account.adiantados:
            covered = find_coverage(each, until)
            final, vespera = BankBalance(each.saldo_em, each.saldo), None
            if covered is not None and not refused[chave]:
                vespera = BankBalance(covered.inicio - ONE_DAY, each.saldo - sum_to_balance(each))
            if vespera is not None or _is_whole(account, each):
                witnesses.append(_Witness(chave, final, vespera))
    blocks, lost = join_blocks(account, list_balances(account), date.max), _list_lost(account)
    opening: Eve | None = None
    contradicted = False
    openings = [(one.vespera, one) for one in witnesses if one.vespera is not None]
    for eve, one in sorted(openings, key=lambda opening: (opening[0].dia, opening[1].chave)):
        if any(eve.dia < day <= one.final.dia for day in lost):
            refused[one.chave] = "um arquivo mais novo já não traz linhas que o saldo de outro tinha"
            continue
        agrees = _ask_others(account, blocks, one, witnesses, lost)
        if agrees:
            return Eve(eve.dia, eve.valor, provada=True), refused
        if agrees is None:
            opening = opening or Eve(eve.dia, eve.valor, provada=False)
        else:
            contradicted = True
            refused[one.chave] = "outro arquivo diz outro saldo, pelas linhas entre os dois"
    return (None if contradicted else opening), refused


def _refuse_among_others(account: BankAccount, statement: ReadStatement) -> str:
    """Say what other files of the account have against the balance of a statement, pt-BR."""
    if statement.saldo is None or statement.saldo_em is None:
        return ""
    if (statement.sha256, statement.ordem) in account.adiantados:
        return "outro arquivo mostra que o dia dele ainda não tinha acabado"
    if not _is_whole(account, statement):
        return "outro arquivo diz outras linhas nos mesmos dias"
    return ""


def _list_lost(account: BankAccount) -> list[date]:
    """List the days of lines that a newer file no longer has although an older one's balance of whole days had them."""
    held = [
        Block(covered.inicio, each.saldo_em)
        for each in account.lidos
        if each.saldo and each.saldo_em is not None and not each.parcial and not _is_whole(account, each)
        and (covered := find_coverage(each)) is not None
    ]  # fmt: skip
    return [
        line.conta_em for line in account.retiradas
        if line.valor and any(block.inicio <= line.conta_em <= block.fim for block in held)
    ]  # fmt: skip


def _ask_others(
    account: BankAccount, blocks: Iterable[Block], one: _Witness, witnesses: Sequence[_Witness], lost: Iterable[date]
) -> bool | None:
    """Ask the balances of other files, the newest first, whether they agree with one; None where none can say."""
    doubtful = [*account.indecisos, *(Block(day, day) for day in lost)]
    for other in sorted(witnesses, key=lambda each: each.final.dia, reverse=True):
        if other.chave[0] == one.chave[0] or other.final == one.final or one.vespera is None:
            continue
        own = one.vespera if other.final.dia > one.vespera.dia else one.final
        first, last = sorted((own.dia, other.final.dia))
        if not any(block.inicio <= last and first < block.fim for block in doubtful):
            agrees = _agree(account, blocks, own, other.final)
            if agrees is not None:
                return agrees
    return None


def list_whole_days(accounts: Iterable[BankAccount]) -> list[Statement]:
    """List the balances that the bank's files state at the end of whole days (S23)."""
    return [
        Statement(account.conta_id, each.dia, each.valor, OFX)
        for account in accounts
        for each in list_balances(account)
        if not each.parcial and any(each.dia == one.saldo_em for one in account.lidos if one.saldo is not None)
    ]


def list_eves(accounts: Iterable[BankAccount], until: date) -> list[Statement]:
    """List the balances on the eve of what the bank's files cover, which anchor accounts (S23).

    Args:
        accounts: of every statement, whenever it was first seen: an opening holds for the whole past.
        until: the day of the reading.
    """
    return [
        Statement(account.conta_id, eve.dia, eve.valor, OFX, vespera=True, provada=eve.provada)
        for account in accounts
        if (eve := derive_eve(account, until)) is not None
    ]
