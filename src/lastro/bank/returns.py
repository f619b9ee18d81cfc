"""Money that came back: two opposite lines of one account of which the later returns the earlier (S20).

Belongs here: which lines are such a pair. Does not belong here: what of the books a line stands for
(`lastro.bank.matching`), of which neither of the two is anything.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from lastro.bank.statements import BankLine

DAYS_APART: Final = 5
"""Calendar days that may lie between a line of the bank and its título, or its return (W of S20)."""
CHARGE_DAYS: Final = 10
"""Those that may lie between the money of a charge and its return, where the text says it."""
_MEANS: Final = "pix|ted|doc|tev|transf|cheque|chq|pag|cred|deb|receb|env"
_RETURN: Final = re.compile(
    rf"\b(?:estorn|devol|rejeit)|\breversao\b|^dev\b|\b(?:dev|est) (?:{_MEANS})|\b(?:pix|ted|doc|tev) dev$"
)
"""What a folded text of a return says: estorno, devolução, TED rejeitada, dev. pix; a payer may be called Dev."""
_INVESTED: Final = re.compile(r"\b(?:aplic|resg|rend|invest|cdb|rdb|poup|fundo|automatic)")
"""Money that moves to an investment and back under one text is no payer's."""
_OF_BANKS: Final = re.compile(
    r"\b(?:estorn\w*|devol\w*|dev|est|pix|ted|doc|tev|transf(?:erencia)?|receb(?:ido|ida|imento)?|envi(?:ado|ada|o)?|"
    r"cred(?:ito)?|deb(?:ito)?|pag(?:amento|to)?|pgto|dep(?:osito)?|qr|code|dinheiro|remet(?:ente|ido|ida)?|conta|cta|ag|"
    r"agencia|mesma|outra|titularidade|banco|boleto|cobranca|liquidacao|titulo|cheque|chq|tarifa|tar|cpf|cnpj|valor|"
    r"compra|cartao|ltda|me|epp|mei|eireli|sa|s|cia|comercio|servicos|de|da|do|das|dos|em|por|para|p|e|a|o|no|na)\b"
)
"""Words that the line of any payer may have."""


def pair_returns(
    lines: Sequence[BankLine], is_booked: Callable[[BankLine], bool]
) -> Iterator[tuple[BankLine, BankLine]]:
    """Pair lines with what returns them: opposite amounts, the return on the same day or up to 5 days later.

    The return says so, or names the same payer. Of several lines the same payer's is returned, then the nearest; texts
    that say it choose before payers do. What the books have both sides of is no return; nor, where only the payer is
    the same, what they have one side of.

    Args:
        lines: of one account.
        is_booked: whether the books have a título near a line that it may stand for.

    Yields:
        A line and its return, each line once.
    """
    values = {line.valor for line in lines}
    free: defaultdict[int, dict[int, BankLine]] = defaultdict(dict)
    names: dict[int, frozenset[str]] = {}
    for line in lines:
        if -line.valor in values:
            free[line.valor][line.extrato_id] = line
            names[line.extrato_id] = _name_payer(line)
    opposed = [line for line in lines if line.extrato_id in names]
    for back in sorted(opposed, key=lambda line: (not is_return(line), line.dia, line.texto, line.n)):
        if back.extrato_id not in free[back.valor]:
            continue
        said, own = is_return(back), names[back.extrato_id]
        found = [
            (not own or own != names[line.extrato_id], (back.dia - line.dia).days, line.texto, line.n, line)
            for line in free[-back.valor].values()
            if 0 <= (back.dia - line.dia).days <= DAYS_APART
            and (said or (own and own == names[line.extrato_id]))
            and is_booked(line) + is_booked(back) < 1 + said
        ]
        if found:
            line = min(found)[-1]
            del free[line.valor][line.extrato_id], free[back.valor][back.extrato_id]
            yield line, back


def is_return(line: BankLine) -> bool:
    """Tell whether the text of a line says that it returns another."""
    return _RETURN.search(line.texto) is not None


def _name_payer(line: BankLine) -> frozenset[str]:
    """Take the words of a folded text that name who paid or was paid; none where no word is a name's."""
    if _INVESTED.search(line.texto):
        return frozenset()
    words = _OF_BANKS.sub(" ", line.texto).split()
    names = frozenset(word for word in words if not word.isdigit() or len(word) in (11, 14))
    return names if any(len(word) > 2 for word in names) else frozenset()
