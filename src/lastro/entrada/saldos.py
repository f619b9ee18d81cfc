"""`saldos.csv`: what the bank's statement showed at the end of a day, one fact a line (S23)."""

from __future__ import annotations

import contextlib
import csv
import io
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Final

from lastro.entrada.csv_table import TypedLine, decode, find_columns, find_encoding, read_column, read_lines
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
from lastro.money import format_amount

BALANCES_CSV: Final = "saldos.csv"
COLUMNS: Final = ("data", "conta", "saldo", "nota")
"""Its header; `nota` is for people."""
CONFIRMADO, SUBSTITUI = "confirmado", "substitui"
"""What a note says of a balance long before the account's first movement, and of one that takes another's place."""
EARLY: Final = timedelta(31)
"""A balance that is older than the account's first movement by more is asked for once more."""
_SHOWN: Final = 60
"""Characters of what was typed that a message repeats."""


@dataclass(frozen=True)
class TypedBalance:
    """A balance that a person gave: signed, R$, at the end of a day."""

    conta_id: int
    dia: date
    valor: Decimal


@dataclass(frozen=True)
class AccountStart:
    """Where the books of an account begin: its first movement, and the day of the anchor that is published."""

    primeiro: date | None = None
    ancora: date | None = None

    def doubt(self, dia: date, nota: str) -> str:
        """Say why a balance of a day is no anchor that anybody meant, pt-BR; empty where its note confirms it."""
        if (
            self.primeiro is None
            or dia >= self.primeiro - EARLY
            or dia == self.ancora
            or CONFIRMADO in fold_words(nota)
        ):
            return ""
        return (
            f"{dia:%d/%m/%Y} é mais de {EARLY.days} dias antes do primeiro lançamento da conta, {self.primeiro:%m/%Y}"
        )


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

        >>> Accounts({101: "Banco Alfa", 102: "Poupança"}).find("poupanca")
        102
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


def find_paying_account(text: str, contas: Mapping[int, str]) -> int | None:
    """Find the account chosen from a list or typed: by its name as listed, by its id or by a name that only one has.

    Returns:
        None where it is none of the company's.
    """
    if not text.strip():
        return None
    listed = next((conta_id for conta_id, name in contas.items() if fold_words(name) == fold_words(text)), None)
    try:
        return Accounts(contas).find(text.strip()) if listed is None else listed
    except UnknownAccount:
        return None


def read_balances(
    content: bytes, contas: Mapping[int, str], until: date = date.max, inicios: Mapping[int, AccountStart] | None = None
) -> BalanceFile:
    """Read the file: a later line of the same account and day replaces the earlier one, an empty balance takes it back.

    One that says another balance without `substitui` in its note is told at the earlier line, which does not count.

    Args:
        contas: the company's accounts, id -> name.
        until: the day of the reading: no bank has said what there is on a later one.
        inicios: conta_id -> where its books begin, as far as that is known.

    Raises:
        NotRead: when it is no delimited text with the columns data, conta and saldo, each once.
    """
    held: dict[tuple[int, date], TypedBalance] = {}
    told: dict[tuple[int, date], TypedLine] = {}
    refused, lines, accounts = Refusals(), 0, Accounts(contas)
    three = have_three_places(read_column(content, "saldo"))
    days, amounts = read_column(content, "data"), read_column(content, "saldo")
    distrust = find_distrust(days, amounts, find_columns(content)[0])
    for line in read_lines(content, COLUMNS[:3]):
        lines += 1
        try:
            dia = parse_day(line.cells["data"], until=until, distrust=distrust)
            key = conta_id, _ = accounts.find(line.cells["conta"]), dia
            nota, before = line.cells.get("nota", ""), held.pop(key, None)
            if line.cells["saldo"]:
                balance = TypedBalance(conta_id, dia, parse_amount(line.cells["saldo"], three=three))
                if doubt := (inicios or {}).get(conta_id, AccountStart()).doubt(dia, nota):
                    raise NotUnderstood(f"o dia: {doubt}; se é mesmo, escreva {CONFIRMADO} na nota")
                if before is not None and before != balance and SUBSTITUI not in fold_words(nota):
                    why = f"a linha {line.number} diz outro saldo do mesmo dia, e vale; se o corrige, escreva na nota"
                    mended = f"{SUBSTITUI} {format_amount(before.valor)}"
                    refused.add(f"{why} dela «{mended}»", told[key].number, told[key].text)
                held[key], told[key] = balance, line
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


def append_balances(
    folder: Path,
    balances: Sequence[TypedBalance],
    nota: str = "",
    trocados: Mapping[TypedBalance, Decimal] | None = None,
) -> Path:
    """Append statements to `saldos.csv` of a folder; it is made with its header where there is none.

    The note of one in `trocados` says which balance it takes the place of.

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
            if trocados and each in trocados:
                cells["nota"] = f"{SUBSTITUI} {format_amount(trocados[each])} {nota}".strip()
            writer.writerow([cells.get(name, "") for name in names])
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
        try:
            added = rows.getvalue().encode(encoding)
        except UnicodeEncodeError as error:
            lacking = rows.getvalue()[error.start]
            raise NotRead(f"está em {encoding}, que não tem {lacking!r}: escreva a nota sem ele") from None
        write_whole(path, before + added, mode=mode, durable=True)
    return path
