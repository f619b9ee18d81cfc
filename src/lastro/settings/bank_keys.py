"""What a bank calls an account, as the settings write it and as its files do (S20): `banco/conta`, `banco/conta/tipo`.

Belongs here: the one form in which both are compared. Does not belong here: which account has which key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from lastro.folding import slug

SEM_BANCO: Final = "nenhum"
"""What `extrato` says of an account that no bank keeps."""
OF_FILE: Final = "arquivo:"
"""What a key begins with that names files, for those that say no account; behind it a name, `*` for anything."""
_TIPOS: Final = {
    "savings": "poupanca",
    "poupanca": "poupanca",
    "moneymrkt": "aplicacao",
    "aplicacao": "aplicacao",
    "cd": "cdb",
    "cdb": "cdb",
    "creditline": "credito",
    "credito": "credito",
}
"""Kinds that are another account under the same number; any other is the checking account, which has none."""


def write_bank_key(banco: str, conta: str, tipo: str = "") -> str:
    """Write what a bank calls an account: `banco/conta`, and `/tipo` where it is no checking account.

    The bank without leading zeros, the account's digits and letters without them: a check digit X stays.

    >>> [write_bank_key(*key) for key in (("0341", "12345-6", "CHECKING"), ("001", "1234-x"), ("", "1", "SAVINGS"))]
    ['341/123456', '1/1234X', '/1/poupanca']
    """
    kind = _TIPOS.get(slug(tipo), "")
    number = re.sub(r"[^0-9A-Z]", "", conta.upper()).lstrip("0")
    return "/".join((banco.strip().lstrip("0"), number, *([kind] if kind else [])))


def write_file_key(arquivo: str) -> str:
    """Write the key that names a file and those that will be called like it: its name up to the first digit.

    >>> write_file_key("Nubank_2026-11-01.ofx"), write_file_key("202611.ofx")
    ('arquivo:nubank*', 'arquivo:202611.ofx')
    """
    begin = re.split(r"[0-9]", arquivo.casefold().removesuffix(".ofx"), maxsplit=1)[0].rstrip(" _-.(")
    return f"{OF_FILE}{begin}*" if begin else OF_FILE + arquivo.casefold()


def read_bank_key(text: str) -> tuple[str, str, str]:
    """Read a key as somebody wrote it: bank, account, kind; without a bank that of any.

    >>> read_bank_key("341/12345-6"), read_bank_key("12345-6/poupança"), read_bank_key("/99")
    (('341', '12345-6', ''), ('', '12345-6', 'poupança'), ('', '99', ''))
    """
    before, bar, last = text.rpartition("/")
    tipo = last if bar and slug(last) in _TIPOS else ""
    banco, _, conta = (before if tipo else text).rpartition("/")
    return banco, conta, tipo


def find_key_mistakes(contas: Iterable[tuple[int, Iterable[str]]]) -> Iterator[tuple[int, str]]:
    """Yield the account and what is wrong of its keys: one of another account, or `nenhum` beside a key (S20)."""
    owners: dict[str, int] = {}
    for conta_id, given in contas:
        keys = list(given)
        if SEM_BANCO in keys and len(keys) > 1:
            yield conta_id, f'"{SEM_BANCO}" quer dizer sem banco; deixe só ele, ou só as chaves'
        for key in keys:
            named = key.casefold() if key.startswith(OF_FILE) else write_bank_key(*read_bank_key(key))
            owner = owners.setdefault(named, conta_id)
            if key != SEM_BANCO and owner != conta_id:
                yield conta_id, f'"{key}" já é da conta {owner}; cada extrato é de uma conta só'
