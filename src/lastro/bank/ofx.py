"""OFX as banks write it: structure only where structure is, everything else is text; never an exception (S20).

Belongs here: from bytes to the statements of one file, and what its own form says against its balance. Does not belong
here: which lines two files share (`lastro.bank.identity`), what days they cover (`lastro.bank.coverage`) and what a
balance is worth (`lastro.bank.anchors`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Final

from lastro.bank.structure import ACCOUNTS, BALANCES, PLACES, STATEMENTS, VALUES, Structure, Tag
from lastro.entrada.archive import MAX_TEXT
from lastro.entrada.csv_table import find_encoding
from lastro.entrada.door import WEB_PAGE, Refusals, RefusedPart, name_form
from lastro.entrada.typed_values import NotUnderstood, have_three_places, parse_amount
from lastro.money import to_centavos

MOST_TRANSACTIONS: Final = 200_000
MOST_STATEMENTS: Final = 1_000
"""More transactions, or accounts, are no statement that a person downloaded."""
YEARS: Final = range(1990, 2200)
"""What a bank's day may lie in."""
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_CDATA: Final = re.compile(r"<!\[CDATA\[|\]\]>")
_DAY: Final = re.compile(r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})|([0-9]{2})/([0-9]{2})/([0-9]{4})")
_HOUR: Final = re.compile(r"[T ]?([0-9]{2}):?([0-9]{2}):?([0-9]{2})?")
_MARK: Final = re.compile(r"[.,](?:[0-9]{1,2}|[0-9]{4,})\s*[-CD]?$", re.IGNORECASE)
"""A decimal mark: three digits behind it may be thousands."""
_LAST: Final = re.compile(r"[.,][0-9]+\s*[-CD]?$", re.IGNORECASE)
_OPENS: Final = re.compile(r"<STMTTRN>", re.IGNORECASE)
_IN_LIST: Final = re.compile(r"<BANKTRANLIST>.*?</STMTTRN>", re.IGNORECASE | re.DOTALL)
_GOES_ON: Final = re.compile(r"</(?:BANKTRANLIST|STMTRS|CCSTMTRS|OFX)>|<LEDGERBAL>", re.IGNORECASE)
WHOLE_HOURS: Final = frozenset({"", "000000", "235959"})
"""Hours of a bank's moment that say nothing."""
SEM_CASAS: Final = "nenhum valor do arquivo tem casas decimais: podem ser centavos"
"""Why a balance is not believed until the books show which of the two the amounts are."""
_REAIS: Final = frozenset({"", "BRL", "986", "R$"})


@dataclass(frozen=True, slots=True)
class OfxLine:
    """A transaction: its place among those of the file, the bank's local day, signed centavos, its texts."""

    ordem: int
    dia: date
    valor: int
    historico: str
    fitid: str


@dataclass
class OfxStatement:
    """One account's part of a file.

    Attributes:
        banco: BANKID as it stands.
        conta: ACCTID as it stands.
        tipo: ACCTTYPE as it stands.
        inicio: DTSTART, None without one.
        fim: DTEND, never before `inicio`.
        servidor: digits of DTSERVER, empty without one.
        saldo: LEDGERBAL, signed centavos; None without one that can be believed, be it by the books (`SEM_CASAS`).
        saldo_em: the day of LEDGERBAL.
        na_hora: DTASOF bears an hour of the day at which the balance was taken.
        duvida: why there is a LEDGERBAL and no `saldo`, pt-BR; empty where it is believed, or there is none.
        recusadas: transactions that were refused.
        linhas: what was understood.
    """

    banco: str
    conta: str
    tipo: str
    inicio: date | None
    fim: date | None
    servidor: str
    saldo: int | None = None
    saldo_em: date | None = None
    na_hora: bool = False
    duvida: str = ""
    recusadas: int = 0
    linhas: list[OfxLine] = field(default_factory=list)


@dataclass
class OfxFile:
    """What a file says.

    Attributes:
        extratos: its statements that name an account, hold a line or a balance, in order.
        recusadas: transactions without an amount or a day that is understood, and statements in another currency.
        rejeitadas: how many transactions were refused, with those of statements in another currency.
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


@dataclass
class _Part:
    """What was said of one statement: its line, its own values, its balance's, and each transaction's with its line."""

    line: int
    own: dict[str, str] = field(default_factory=dict)
    balance: dict[str, str] = field(default_factory=dict)
    ledgers: int = 0
    inside: bool = False
    transactions: list[tuple[int, int, dict[str, str]]] = field(default_factory=list)


class _TooMany(Exception):
    """The file is none that a person downloaded; the text says why, pt-BR."""


def read_ofx(content: bytes) -> OfxFile:
    """Read a file; whatever it holds, every transaction is a line or a refusal."""
    text = _decode(content)
    if _is_cut(text):
        return OfxFile(
            motivo="o arquivo acaba no meio das transações: o download parou? Baixe de novo no site do banco"
        )
    reading = _Reading(text)
    try:
        reading.follow()
    except _TooMany as error:
        return OfxFile(motivo=str(error))
    if not reading.is_ofx:
        form = name_form(content)
        cause = f"é {form}." if form and form != WEB_PAGE else "página de sessão expirada?"
        return OfxFile(motivo=f"não é um extrato OFX: {cause} Baixe de novo no site do banco")
    return reading.make_file()


def _is_cut(text: str) -> bool:
    """Tell whether a text ends in its list of transactions although it closes each: nobody knows what is missing."""
    last = max((found.start() for found in _OPENS.finditer(text)), default=0)
    return bool(_IN_LIST.search(text, 0, last)) and not _GOES_ON.search(text, last)


def _decode(content: bytes) -> str:
    """Decode by the bytes (S18); where some are no UTF-8 it is that still if as many characters are whole (S20)."""
    text = content.decode(encoding := find_encoding(content), "replace")
    if encoding == "cp1252":
        other = content.decode("utf-8", "replace")
        broken = other.count("\N{REPLACEMENT CHARACTER}")
        text = other if len(other) - len(other.encode("ascii", "ignore")) >= 2 * broken else text
    return (text if "\n" in text else text.replace("\r", "\n")).removeprefix("\ufeff")


class _Reading:
    """The walk over the structure of one file."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line, self._counted = 1, 0
        self._count = 0
        self._server = ""
        self._part = _Part(1)
        self._parts = [self._part]
        self._values = self._part.own
        self.is_ofx = False

    def _begin(self, start: int, **own: str) -> None:
        """Begin a statement, with what is known of it."""
        if not (self._part.own or self._part.transactions or self._part.ledgers):
            self._parts.pop()
        self._part = _Part(self._count_line(start), own)
        self._parts.append(self._part)
        if len(self._parts) > MOST_STATEMENTS:
            raise _TooMany("tem contas demais para um extrato: baixe uma conta por vez")
        self._values = self._part.own

    def follow(self) -> None:
        """Follow the tags; a value runs to the next one, and of two the first counts."""
        value_of, begin = "", 0
        for token in Structure(self._text).list_tags():
            self._keep_value(value_of, self._text[begin : min(token.start, begin + MAX_TEXT)])
            value_of, begin = "" if token.closes or token.name not in VALUES else token.name, token.end
            if token.values is not None:
                self._open(token.start)
                for name, text in token.values:
                    self._keep_value(name.upper(), text[:MAX_TEXT])
                self._values = self._part.own
            elif token.name == "OFX":
                self.is_ofx = True
            elif token.name in PLACES:
                self._take_up(token)
            elif token.name in ("CURRENCY", "ORIGCURRENCY") and not token.closes:
                self._values.setdefault("OF_AMOUNT", "yes" if token.name == "CURRENCY" else "")
        self._keep_value(value_of, self._text[begin : begin + MAX_TEXT])

    def _keep_value(self, name: str, text: str) -> None:
        if name and (value := _clean(text)):
            self._values.setdefault(name, value)
            if name == "DTSERVER":
                self._server = self._server or re.sub(r"[^0-9]", "", value.partition("[")[0])[:14]

    def _take_up(self, token: Tag) -> None:
        """Go on where the values of a tag belong."""
        name, self._values = token.name, self._part.own
        if name == "BANKTRANLIST" and token.closes and self._part.ledgers:
            self._part.inside = True
        if token.closes:
            return
        if name == "STMTTRN":
            self._open(token.start)
        elif name in BALANCES:
            self._part.ledgers += name == "LEDGERBAL"
            self._values = self._part.balance if name == "LEDGERBAL" else {}
        elif name in STATEMENTS:
            self._begin(token.start)
        elif name in ACCOUNTS and "ACCTID" in self._part.own:
            self._begin(token.start, CURDEF=self._part.own.get("CURDEF", ""))

    def _open(self, start: int) -> None:
        """Open a transaction."""
        self.is_ofx = True
        self._count += 1
        if self._count > MOST_TRANSACTIONS:
            raise _TooMany("tem transações demais para um extrato: baixe um período menor")
        self._values = {}
        self._part.transactions.append((self._count, self._count_line(start), self._values))

    def _count_line(self, start: int) -> int:
        """Count the lines up to a place, from the last one that was asked for."""
        self._line += self._text.count("\n", self._counted, start)
        self._counted = start
        return self._line

    def make_file(self) -> OfxFile:
        """Make statements of what was said."""
        made, refused = OfxFile(), Refusals()
        three = have_three_places(
            values["TRNAMT"] for part in self._parts for _, _, values in part.transactions if "TRNAMT" in values
        )
        for part in self._parts:
            statement = _make_statement(part, self._server)
            currency = part.own.get("CURDEF", "").upper().partition(" ")[0]
            if currency not in _REAIS:
                named = " ".join(filter(None, (statement.banco, statement.conta)))
                motivo = f"extrato da conta {named} em {currency[:8]}: só se lê em reais (BRL)"
                refused.add(motivo, part.line)
                made.rejeitadas += len(part.transactions)
                continue
            for ordem, line, values in part.transactions:
                _add_line(statement, ordem, values, refused, line, three=three)
            made.rejeitadas += statement.recusadas
            _add_balance(statement, part, three=three)
            if statement.conta or statement.linhas or statement.saldo_em:
                made.extratos.append(statement)
        made.recusadas = [*refused.list_parts()]
        return made


def _make_statement(part: _Part, server: str) -> OfxStatement:
    own = part.own
    days = [parse_ofx_day(own.get(name, "")) for name in ("DTSTART", "DTEND")]
    told = sorted(day for day in days if day is not None)
    first, last = (told[0], told[1]) if len(told) == 2 else (days[0], days[1])
    return OfxStatement(
        own.get("BANKID", ""), own.get("ACCTID", ""), own.get("ACCTTYPE", ""), first, last,
        server if parse_ofx_day(server) else "",
    )  # fmt: skip


def _add_line(
    statement: OfxStatement, ordem: int, values: dict[str, str], refused: Refusals, line: int, *, three: bool
) -> None:
    """Let a transaction be a line, or refuse it."""
    text = " ".join(values[name] for name in ("NAME", "MEMO") if name in values)
    currency = values.get("CURSYM", "").upper() if values.get("OF_AMOUNT") else ""
    dia = parse_ofx_day(values.get("DTPOSTED", ""))
    try:
        valor = to_centavos(parse_amount(values.get("TRNAMT", ""), three=three))
        if dia is not None and currency in _REAIS:
            statement.linhas.append(OfxLine(ordem, dia, valor, text, values.get("FITID", "")))
            return
        motivo = "não entendi a data (DTPOSTED)" if dia is None else f"está em {currency[:8]}: só se lê em reais (BRL)"
    except NotUnderstood as error:
        motivo = f"não entendi {error}"
    shown = " · ".join(filter(None, (values.get("DTPOSTED"), values.get("TRNAMT"), text)))
    statement.recusadas += 1
    refused.add(motivo, line, shown)


def _add_balance(statement: OfxStatement, part: _Part, *, three: bool) -> None:
    """Give the statement the balance that it states, or why it is not believed."""
    amount, at = part.balance.get("BALAMT", ""), part.balance.get("DTASOF", "")
    statement.saldo_em = parse_ofx_day(at)
    amounts = [values["TRNAMT"] for _, _, values in part.transactions if "TRNAMT" in values]
    if part.ledgers > 1:
        statement.duvida = "o arquivo diz mais de um saldo (LEDGERBAL)"
    elif part.inside:
        statement.duvida = "o saldo (LEDGERBAL) está no meio das transações"
    elif part.ledgers and amount and statement.saldo_em is not None:
        try:
            statement.saldo = to_centavos(parse_amount(amount, three=three))
        except NotUnderstood as error:
            statement.duvida = f"não entendi {error}"
        else:
            statement.duvida = _doubt_form(amount, amounts, _LAST if three else _MARK)
            statement.saldo = None if statement.duvida not in ("", SEM_CASAS) else statement.saldo
    start, end = (part.own.get(name, "") for name in ("DTSTART", "DTEND"))
    hours = {_read_hour(values.get("DTPOSTED", "")) for _, _, values in part.transactions}
    if not hours:
        hours = {_read_hour(start)} if _read_hour(start) == _read_hour(end) else set()
    silent = WHOLE_HOURS | hours
    statement.na_hora = statement.saldo is not None and _read_hour(at) not in silent
    if statement.servidor[8:] in hours:
        statement.servidor = statement.servidor[:8]
    if start == end and _read_hour(start) not in silent:
        statement.inicio = None  # the moment of the download, not a period


def _doubt_form(amount: str, amounts: Sequence[str], mark: re.Pattern[str]) -> str:
    """Say why a balance has not the form of its statement's amounts: a decimal mark if, and only if, they have one."""
    if not amounts:
        return ""
    if not any(mark.search(each) for each in (amount, *amounts)):
        return SEM_CASAS
    if bool(mark.search(amount)) == any(mark.search(each) for each in amounts):
        return ""
    if mark.search(amount):
        return f"só o saldo {amount} tem casas decimais no arquivo"
    return f"o saldo {amount} não tem casas decimais, como têm os outros valores do arquivo"


@lru_cache(4096)
def _read_hour(text: str) -> str:
    """Read the hour of a bank's moment as six digits; empty without one."""
    day = _DAY.match(text)
    found = None if day is None else _HOUR.match(text, day.end())
    return "" if found is None else f"{found[1]}{found[2]}{found[3] or '00'}"


@lru_cache(4096)
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
    plain = _CDATA.sub("", text)
    if "&" in plain:
        plain = _ENTITY.sub(lambda match: html.unescape(match[0]), plain)
    if not plain.isprintable():
        plain = "".join(each if each.isprintable() else " " for each in plain)
    return " ".join(plain.split())
