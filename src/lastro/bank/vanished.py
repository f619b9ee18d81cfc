"""Lines of bank files that were read and are in the folder no more, which no file that is there has (S20)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from lastro.bank.coverage import find_coverage
from lastro.bank.held_lines import WAYS, HeldLine, hold_line, pair_lines
from lastro.bank.statements import RETIRADA, BankAccount, BankLine, Divergence, ReadStatement


def tell_vanished(account: BankAccount, removed: Iterable[tuple[ReadStatement, date]]) -> BankAccount:
    """Tell of lines of removed contents, whose days a file still covers, that no file of the account has now.

    Args:
        account: what the files that are there say.
        removed: statements of the account that are there no more, each with the last day on which it was.
    """
    covered = [(block, each) for each in account.lidos if (block := find_coverage(each)) is not None]
    by_value: defaultdict[int, list[BankLine]] = defaultdict(list)
    for line in (*account.linhas, *account.retiradas):
        by_value[line.valor].append(line)
    told: dict[tuple[date, str, int, int], Divergence] = {}
    for each, until in removed:
        olds = [hold_line(line, line.dia, each.arquivo) for line in each.linhas]
        news = [
            HeldLine(line.dia, valor, line.texto, line.historico, line.fitid, "", 0, line.dia, line.dia)
            for valor in {line.valor for line in olds} for line in by_value[valor]
        ]  # fmt: skip
        for way in WAYS[1:]:
            olds, news = pair_lines(olds, news, way, lambda _old, _new: None)
        equal: Counter[tuple[date, str, int]] = Counter()
        for old in olds:
            speaks = [file for block, file in covered if block.inicio <= old.dia <= block.fim]
            equal[old.key] += 1
            if old.valor and old.dia <= each.vista_em and speaks:
                told[*old.key, equal[old.key]] = Divergence(
                    RETIRADA, f"{each.arquivo} de {each.vista_em:%d/%m/%Y}", speaks[-1].arquivo,
                    max(until, speaks[-1].vista_em), old.dia, old.dia, old.valor, old.historico,
                )  # fmt: skip
    return replace(account, divergencias=(*account.divergencias, *(told[key] for key in sorted(told))))
