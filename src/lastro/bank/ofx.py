"""OFX as banks write it: tokens of a closed list, everything else is text; never an exception on content (S20).

Belongs here: from bytes to the statements of one file. Does not belong here: whose account it is, which lines two files
share and what a day's balance is (`lastro.bank.statements`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.entrada.archive import MAX_TEXT
from lastro.entrada.csv_table import decode
from lastro.entrada.door import WEB_PAGE, Refusals, RefusedPart, name_form
from lastro.entrada.typed_values import NotUnderstood, have_three_places, parse_amount

STATEMENTS: Final = frozenset({"STMTTRNRS", "CCSTMTTRNRS", "STMTRS", "CCSTMTRS", "INVSTMTRS"})
"""What begins a statement."""
ACCOUNTS: Final = frozenset({"BANKACCTFROM", "CCACCTFROM", "INVACCTFROM"})
"""What names its account."""
_BALANCES: Final = frozenset({"LEDGERBAL", "AVAILBAL"})
_VALUES: Final = frozenset(
    {"ACCTID", "BANKID", "BALAMT", "DTASOF", "DTEND", "DTPOSTED", "DTSTART", "FITID", "MEMO", "NAME", "TRNAMT"}
)
_OTHERS: Final = frozenset(
    {
        "ACCTTYPE", "BANKACCTTO", "BANKMSGSRSV1", "BANKTRANLIST", "BRANCHID", "CCACCTTO", "CHECKNUM", "CODE", "CURDEF",
        "CREDITCARDMSGSRSV1", "DTAVAIL", "DTSERVER", "DTUSER", "LANGUAGE", "OFX", "PAYEEID", "REFNUM", "SEVERITY",
        "SIC", "SIGNONMSGSRSV1", "SONRS", "STATUS", "STMTTRN", "TRNTYPE", "TRNUID",
    }
)  # fmt: skip
KNOWN: Final = STATEMENTS | ACCOUNTS | _BALANCES | _VALUES | _OTHERS
"""Names that are tokens; of any other, as of `<10% DESC`, the text is text."""
MOST_TRANSACTIONS: Final = 200_000
MOST_STATEMENTS: Final = 1_000
"""More transactions, or accounts, are no statement that a person downloaded."""
YEARS: Final = range(1990, 2200)
"""What a bank's day may lie in."""
_NAME: Final = "[A-Za-z][A-Za-z0-9.]{1,19}"
_TOKEN: Final = re.compile(rf"<({_NAME})>|</({_NAME})>(?:\s*+</\2>)*+")
"""What opens, or what closes, however often it says so: one token."""
_AMOUNT: Final = re.compile(r"<TRNAMT>\s*([^<]{0,60}?)\s*(?=<|$)", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_DAY: Final = re.compile(r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})|([0-9]{2})/([0-9]{2})/([0-9]{4})")


@dataclass(frozen=True)
class OfxLine:
    """A transaction: its place among those of the file, the bank's local day, signed R$, its texts."""

    ordem: int
    dia: date
    valor: Decimal
    historico: str
    fitid: str


@dataclass
class OfxStatement:
    """One account's part of a file.

    Attributes:
        banco: BANKID as it stands.
        conta: ACCTID as it stands.
        inicio: DTSTART, None without one.
        fim: DTEND, never before `inicio`.
        saldo: LEDGERBAL, signed R$; None without one that is understood.
        saldo_em: the day of it.
        linhas: what was understood.
    """

    banco: str = ""
    conta: str = ""
    inicio: date | None = None
    fim: date | None = None
    saldo: Decimal | None = None
    saldo_em: date | None = None
    linhas: list[OfxLine] = field(default_factory=list)


@dataclass
class OfxFile:
    """What a file says.

    Attributes:
        extratos: its statements that name an account, hold a line or a balance, in order.
        recusadas: transactions without an amount or a day that is understood (`Refusals`).
        rejeitadas: how many they are.
        motivo: why the whole file is refused, pt-BR; empty when it is not.
    """

    extratos: list[OfxStatement] = field(default_factory=list)
    recusadas: list[RefusedPart] = field(default_factory=list)
    rejeitadas: int = 0
    motivo: str = ""

    @property
    def transacoes(self) -> int:
        """How many transactions it has: those understood and those refused."""
        return sum(len(each.linhas) for each in self.extratos) + self.rejeitadas


class _TooMany(Exception):
    """The file is none that a person downloaded; the text says why, pt-BR."""


def read_ofx(content: bytes) -> OfxFile:
    """Read a file; whatever it holds, every `<STMTTRN>` is a line or a refusal."""
    reading = _Reading(decode(content))
    try:
        found = reading.follow()
    except _TooMany as error:
        return OfxFile(motivo=str(error))
    if not reading.is_ofx:
        form = name_form(content)
        cause = f"é {form}." if form and form != WEB_PAGE else "página de sessão expirada?"
        return OfxFile(motivo=f"não é um extrato OFX: {cause} Baixe de novo no site do banco")
    return found


class _Reading:
    """The walk over the tokens of one file."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line, self._counted = 1, 0
        self._file, self._refused = OfxFile(), Refusals()
        self._three = have_three_places(match[1] for match in _AMOUNT.finditer(text))
        self._begin({})
        self.is_ofx = False

    def _begin(self, account: dict[str, str]) -> None:
        """Begin a statement, with what is known of its account."""
        self._statement, self._own = OfxStatement(), account
        self._balance: dict[str, str] = {}
        self._open: dict[str, str] | None = None
        self._opened_at = 0
        self._values = self._own

    def _list_tokens(self) -> Iterator[tuple[str, bool, int, int]]:
        """Yield the tokens one by one, for there may be millions: name, whether it closes, where it begins and ends."""
        for token in _TOKEN.finditer(self._text):
            opens, closes = token.groups()
            name = (opens or closes).upper()
            if name in KNOWN:
                yield name, opens is None, token.start(), token.end()

    def follow(self) -> OfxFile:
        """Follow the tokens; a value runs to the next one."""
        count, value_of, begin = 0, "", 0
        for name, closes, start, end in self._list_tokens():
            self._keep_value(value_of, begin, start)
            value_of, begin = "" if closes or name not in _VALUES else name, end
            if name == "STMTTRN" or name in STATEMENTS or name in ACCOUNTS or name in _BALANCES:
                self._close(count)
                count += self._take_up(name, start, closes=closes)
                if count > MOST_TRANSACTIONS:
                    raise _TooMany("tem transações demais para um extrato: baixe um período menor")
            elif name == "BANKTRANLIST":
                self._close(count)
                self._values = self._own
            elif name == "OFX" and not closes:
                self.is_ofx = True
        self._keep_value(value_of, begin, len(self._text))
        self._close(count)
        self._finish()
        self._file.recusadas, self._file.rejeitadas = [*self._refused.list_parts()], self._refused.quantas
        self.is_ofx |= count > 0
        return self._file

    def _keep_value(self, name: str, begin: int, end: int) -> None:
        """Keep what stands between two tokens as the value of the first, where it has one; of two the first counts."""
        if name and (value := _clean(self._text[begin : min(end, begin + MAX_TEXT)])):
            self._values.setdefault(name, value)

    def _take_up(self, name: str, place: int, *, closes: bool) -> int:
        """Store the value of a token; return 1 if it opens a transaction."""
        self._values = self._own
        if closes:
            return 0
        if name == "STMTTRN":
            self._open, self._opened_at = {}, place
            self._values = self._open
            return 1
        if name in _BALANCES:
            self._values = self._balance if name == "LEDGERBAL" else {}
        elif name in STATEMENTS or "ACCTID" in self._own:
            self._finish()
            self._begin({})
        return 0

    def _close(self, count: int) -> None:
        """Let the open transaction be a line, or refuse it."""
        if self._open is None:
            return
        values, self._open = self._open, None
        self._values = self._own
        text = " ".join(values[name] for name in ("NAME", "MEMO") if name in values)
        dia = parse_ofx_day(values.get("DTPOSTED", ""))
        try:
            valor = parse_amount(values.get("TRNAMT", ""), three=self._three)
            if dia is not None:
                self._statement.linhas.append(OfxLine(count, dia, valor, text, values.get("FITID", "")))
                return
            motivo = "não entendi a data (DTPOSTED)"
        except NotUnderstood as error:
            motivo = f"não entendi {error}"
        shown = " · ".join(filter(None, (values.get("DTPOSTED"), values.get("TRNAMT"), text)))
        self._line += self._text.count("\n", self._counted, self._opened_at)
        self._counted = self._opened_at
        self._refused.add(motivo, self._line, shown)

    def _finish(self) -> None:
        """Give the statement what was said of it outside its transactions, and keep it if that is anything."""
        own, statement = self._own, self._statement
        statement.banco, statement.conta = own.get("BANKID", ""), own.get("ACCTID", "")
        days = [parse_ofx_day(own.get(name, "")) for name in ("DTSTART", "DTEND")]
        told = sorted(day for day in days if day is not None)
        statement.inicio, statement.fim = (told[0], told[1]) if len(told) == 2 else (days[0], days[1])
        statement.saldo_em = parse_ofx_day(self._balance.get("DTASOF", ""))
        try:
            statement.saldo = parse_amount(self._balance.get("BALAMT", ""), three=self._three)
        except NotUnderstood:
            statement.saldo = statement.saldo_em = None
        if statement.conta or statement.linhas or statement.saldo_em:
            self._file.extratos.append(statement)
        if len(self._file.extratos) > MOST_STATEMENTS:
            raise _TooMany("tem contas demais para um extrato: baixe uma conta por vez")


def parse_ofx_day(text: str) -> date | None:
    """Read a day by its first eight digits, the bank's local day; hour and zone say nothing (S20).

    >>> parse_ofx_day("20260227220000[-3:BRT]"), parse_ofx_day("27/02/2026"), parse_ofx_day("00000000")
    (datetime.date(2026, 2, 27), datetime.date(2026, 2, 27), None)
    """
    found = _DAY.match(text)
    if found is None:
        return None
    year, month, day = map(int, (found[1], found[3], found[4]) if found[1] else (found[7], found[6], found[5]))
    try:
        return date(year, month, day) if year in YEARS else None
    except ValueError:
        return None


def _clean(text: str) -> str:
    """Unescape a value, and let what is no character, and every run of blanks, be one blank."""
    plain = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if not plain.isprintable():
        plain = "".join(each if each.isprintable() else " " for each in plain)
    return " ".join(plain.split())
