"""`saldos.csv`: what the bank's statement showed at the end of a day, one fact a line (S23)."""

from __future__ import annotations

import contextlib
import csv
import io
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Final

from lastro.entrada.csv_table import decode, find_columns, find_encoding, read_column, read_lines
from lastro.entrada.door import NotRead, Refusals, RefusedPart, hold_unread, read_file
from lastro.entrada.typed_values import (
    NotUnderstood,
    find_distrust,
    have_three_places,
    parse_amount,
    parse_day,
    parse_typed_id,
)
from lastro.files import locked, write_whole
from lastro.folding import fold_words

BALANCES_CSV: Final = "saldos.csv"
COLUMNS: Final = ("data", "conta", "saldo", "nota")
"""Its header; `nota` is for people."""
_SHOWN: Final = 60
"""Characters of what was typed that a message repeats."""


@dataclass(frozen=True)
class TypedBalance:
    """A balance that a person gave: signed, R$, at the end of a day."""

    conta_id: int
    dia: date
    valor: Decimal


@dataclass(frozen=True)
class BalanceFile:
    """What a file says.

    Attributes:
        saldos: what holds, by account and day.
        recusadas: lines that were not understood (`Refusals`).
        rejeitadas: how many they are.
        linhas: its lines with anything in them, without the header.
    """

    saldos: tuple[TypedBalance, ...]
    recusadas: tuple[RefusedPart, ...]
    rejeitadas: int
    linhas: int


class UnknownAccount(ValueError):
    """No account of the company has this id or this name alone; the text says so, pt-BR."""


class Accounts:
    """The accounts of a company as people may name them.

    Args:
        contas: id -> name.
    """

    def __init__(self, contas: Mapping[int, str]) -> None:
        self._contas = contas

    @cached_property
    def _ids(self) -> Mapping[str, list[int]]:
        ids: dict[str, list[int]] = {}
        for conta_id, name in self._contas.items():
            ids.setdefault(fold_words(name), []).append(conta_id)
        return ids

    @cached_property
    def _known(self) -> str:
        return ", ".join(f"{conta} {name}" for conta, name in sorted(self._contas.items())) or "nenhuma"

    def find(self, text: str) -> int:
        """Find an account by its id, or by a name that only one has, without regard to case, accents and blanks.

        Raises:
            UnknownAccount: when it is none, or could be several.
        """
        conta_id = parse_typed_id(text)
        if conta_id is not None and conta_id in self._contas:
            return conta_id
        named = self._ids.get(fold_words(text), [])
        if len(named) == 1:
            return named[0]
        shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
        if named:
            ids = ", ".join(map(str, named))
            raise UnknownAccount(f"há {len(named)} contas com o nome {shown}: escreva o id ({ids})")
        raise UnknownAccount(f"conta {shown} não existe; as contas são: {self._known}")


def find_account(text: str, contas: Mapping[int, str]) -> int:
    """Find one account, as `Accounts.find`.

    >>> find_account("poupanca", {101: "Banco Alfa", 102: "Poupança"})
    102
    """
    return Accounts(contas).find(text)


def find_paying_account(text: str, contas: Mapping[int, str]) -> int | None:
    """Find the account chosen from a list or typed: by its name as listed, by its id or by a name that only one has.

    Returns:
        None where it is none of the company's.
    """
    if not text.strip():
        return None
    listed = next((conta_id for conta_id, name in contas.items() if fold_words(name) == fold_words(text)), None)
    try:
        return find_account(text.strip(), contas) if listed is None else listed
    except UnknownAccount:
        return None


def read_balances(content: bytes, contas: Mapping[int, str], until: date = date.max) -> BalanceFile:
    """Read the file: a later line of the same account and day replaces the earlier one, an empty balance takes it back.

    Args:
        content: the file.
        contas: the company's accounts, id -> name.
        until: the day of the reading: no bank has said what there is on a later one.

    Raises:
        NotRead: when it is no delimited text with the columns data, conta and saldo, each once.
    """
    held: dict[tuple[int, date], TypedBalance] = {}
    refused, lines, accounts = Refusals(), 0, Accounts(contas)
    three = have_three_places(read_column(content, "saldo"))
    days, amounts = read_column(content, "data"), read_column(content, "saldo")
    distrust = find_distrust(days, amounts, find_columns(content)[0])
    for line in read_lines(content, COLUMNS[:3]):
        lines += 1
        try:
            dia = parse_day(line.cells["data"], until=until, distrust=distrust)
            conta_id = accounts.find(line.cells["conta"])
            if line.cells["saldo"]:
                held[conta_id, dia] = TypedBalance(conta_id, dia, parse_amount(line.cells["saldo"], three=three))
            else:
                held.pop((conta_id, dia), None)
        except NotUnderstood as error:
            refused.add(f"não entendi {error}", line.number, line.text)
        except UnknownAccount as error:
            refused.add(str(error), line.number, line.text)
    return BalanceFile(tuple(held[key] for key in sorted(held)), refused.list_parts(), refused.quantas, lines)


def find_balance_file(folder: Path) -> Path:
    """Find `saldos.csv` in a folder, however its name is written; where it would be when there is none."""
    usual = folder / BALANCES_CSV
    with contextlib.suppress(FileNotFoundError):
        return next((path for path in sorted(folder.iterdir()) if path.name.casefold() == BALANCES_CSV), usual)
    return usual


def append_balances(folder: Path, balances: Sequence[TypedBalance], nota: str = "") -> Path:
    """Append statements to `saldos.csv` of a folder; it is made with its header where there is none.

    Two people may do so at once: each waits for the other. What stands in the file stays as it is, byte for byte, and
    the file is the old one until the new one is whole.

    Returns:
        The file.

    Raises:
        NotRead: when what is there cannot be read, or has no such columns: nothing is appended to another file.
        OSError: when the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        path = find_balance_file(folder)
        with hold_unread():
            before = read_file(path).content if path.exists() else ";".join(COLUMNS).encode() + b"\n"
            for _ in read_lines(before, COLUMNS[:3]):
                pass
            delimiter, names = find_columns(before)
            encoding = find_encoding(before)
            if not decode(before).endswith(("\n", "\r")):
                before += "\n".encode(encoding)
        rows = io.StringIO()
        writer = csv.writer(rows, delimiter=delimiter, lineterminator="\n")
        for each in balances:
            cells = {
                "data": each.dia.isoformat(),
                "conta": str(each.conta_id),
                "saldo": str(each.valor).replace(".", ","),
                "nota": nota,
            }
            writer.writerow([cells.get(name, "") for name in names])
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
        try:
            added = rows.getvalue().encode(encoding)
        except UnicodeEncodeError as error:
            lacking = rows.getvalue()[error.start]
            raise NotRead(f"está em {encoding}, que não tem {lacking!r}: escreva a nota sem ele") from None
        write_whole(path, before + added, mode=mode, durable=True)
    return path
