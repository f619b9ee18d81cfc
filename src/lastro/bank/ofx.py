"""OFX as banks write it: tokens of a closed list, everything else is text; never an exception on content (S20).

Belongs here: from bytes to the statements of one file. Does not belong here: whose account it is, which lines two files
share and what a day's balance is (`lastro.bank.statements`).
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.entrada.csv_table import decode
from lastro.entrada.door import WEB_PAGE, RefusedPart, name_form
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
"""More are no statement that a person downloaded."""
YEARS: Final = range(1900, 2200)
"""What a bank's day may lie in."""
_TOKEN: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9.]{1,19})>")
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
        recusadas: transactions without an amount or a day that is understood.
        motivo: why the whole file is refused, pt-BR; empty when it is not.
    """

    extratos: list[OfxStatement] = field(default_factory=list)
    recusadas: list[RefusedPart] = field(default_factory=list)
    motivo: str = ""

    @property
    def transacoes(self) -> int:
        """How many transactions it has: those understood and those refused."""
        return sum(len(each.linhas) for each in self.extratos) + len(self.recusadas)


def read_ofx(content: bytes) -> OfxFile:
    """Read a file; whatever it holds, every `<STMTTRN>` is a line or a refusal."""
    text = decode(content)
    tokens = [token for token in _TOKEN.finditer(text) if token[2].upper() in KNOWN]
    opened = [token[2].upper() for token in tokens if not token[1]]
    if "OFX" not in opened and "STMTTRN" not in opened:
        form = name_form(content)
        cause = f"é {form}." if form and form != WEB_PAGE else "página de sessão expirada?"
        return OfxFile(motivo=f"não é um extrato OFX: {cause} Baixe de novo no site do banco")
    if opened.count("STMTTRN") > MOST_TRANSACTIONS:
        return OfxFile(motivo="tem transações demais para um extrato: baixe um período menor")
    return _Reading(text).follow(tokens)


class _Reading:
    """The walk over the tokens of one file."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._file = OfxFile()
        self._three = False
        self._begin({})

    def _begin(self, account: dict[str, str]) -> None:
        """Begin a statement, with what is known of its account."""
        self._statement, self._own = OfxStatement(), account
        self._file.extratos.append(self._statement)
        self._balance: dict[str, str] = {}
        self._open: dict[str, str] | None = None
        self._opened_at = self._count = 0
        self._values = self._own

    def follow(self, tokens: list[re.Match[str]]) -> OfxFile:
        """Follow the tokens; a value runs to the next one."""
        ends = [*(token.start() for token in tokens[1:]), len(self._text)]
        self._three = have_three_places(
            _clean(self._text[token.end() : end])
            for token, end in zip(tokens, ends, strict=True)
            if token[2].upper() == "TRNAMT" and not token[1]
        )
        count = 0
        for token, end in zip(tokens, ends, strict=True):
            name, closes = token[2].upper(), bool(token[1])
            if name == "STMTTRN" or name in STATEMENTS or name in ACCOUNTS or name in _BALANCES:
                self._close(count)
                count += self._take_up(name, token.start(), closes=closes)
            elif name == "BANKTRANLIST":
                self._close(count)
                self._values = self._own
            elif name in _VALUES and not closes and (value := _clean(self._text[token.end() : end])):
                self._values.setdefault(name, value)
        self._close(count)
        self._finish()
        self._file.extratos = [each for each in self._file.extratos if each.conta or each.linhas or each.saldo_em]
        return self._file

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
        self._file.recusadas.append(RefusedPart(motivo, bisect_left(self._breaks, self._opened_at) + 1, shown))

    def _finish(self) -> None:
        """Give the statement what was said of it outside its transactions."""
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
