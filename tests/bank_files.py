"""Files of a bank as a bank writes them, made of movements that are known: ten habits, and periods that overlap."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final
from uuid import UUID


@dataclass(frozen=True)
class Move:
    """A movement of the account: its day, signed centavos, its text, and what the bank numbers it by."""

    dia: date
    valor: int
    texto: str
    numero: int = 0


@dataclass(frozen=True)
class Habit:
    """How a bank writes.

    Attributes:
        nome: of the bank.
        decimal: mark of the cents, with the mark of thousands before it where there is one.
        fitid: none, zero, day (day and place in it), serial, stable or uuid.
        encoding: of the bytes.
        hora: behind each day; `varia` for that of the transaction.
        folga: days that the end asked for lies ahead.
        uma_linha: the file has no line ends.
        fecha: values have closing tags.
        saldos: balances are written as transactions.
        cartao: it is a card's.
    """

    nome: str
    decimal: str = "."
    fitid: str = "zero"
    encoding: str = "utf-8"
    hora: str = ""
    folga: int = 0
    uma_linha: bool = False
    fecha: bool = False
    saldos: bool = False
    cartao: bool = False


HABITS: Final = (
    Habit("bb", fitid="day", encoding="latin-1", saldos=True),
    Habit("itau", decimal=",", fitid="day", encoding="latin-1", hora="100000[-03:EST]", folga=30),
    Habit("bradesco", decimal=".,", fitid="stable", encoding="cp1252"),
    Habit("caixa", fitid="serial", encoding="latin-1", hora="120000"),
    Habit("nubank", fitid="uuid", hora="varia", fecha=True),
    Habit("inter", decimal=",", encoding="utf-8-sig"),
    Habit("santander", fitid="none", encoding="cp1252", hora="000000[-3:GMT]"),
    Habit("sicoob", fitid="stable", folga=10, fecha=True),
    Habit("cartao", fitid="uuid", cartao=True),
    Habit("sgml", decimal=".,", fitid="none", encoding="cp1252", uma_linha=True),
)


@dataclass(frozen=True)
class Written:
    """A file: its content, and the day on which somebody downloaded it."""

    conteudo: bytes
    visto: date
    inicio: date
    fim: date


@dataclass
class Bank:
    """An account at a bank of a habit: what it held before the first movement, and its movements in order."""

    habit: Habit
    antes: int
    moves: Sequence[Move] = field(default_factory=list)

    def held(self, dia: date) -> int:
        """What the account held at the end of a day."""
        return self.antes + sum(move.valor for move in self.moves if move.dia <= dia)

    def write(self, first: date, last: date) -> bytes:
        """Write the file of some days as of the end of the last.

        Args:
            first: first day.
            last: last day, whose end its balance is of.
        """
        moves = [move for move in self.moves if first <= move.dia <= last]
        parts = [self._move(move, moves) for move in moves]
        if self.habit.saldos:
            parts = self._with_balances(first, moves, parts)
        kind, rows = ("CC", "CCSTMTRS") if self.habit.cartao else ("BANK", "STMTRS")
        account = "<ACCTID>12345-6" if self.habit.cartao else "<BANKID>0341\n<ACCTID>12345-6\n<ACCTTYPE>CHECKING"
        end = last + timedelta(self.habit.folga)
        text = "\n".join([
            "OFXHEADER:100", "DATA:OFXSGML", "", "<OFX>",
            f"<{rows}>", "<CURDEF>BRL", f"<{kind}ACCTFROM>", account, f"</{kind}ACCTFROM>",
            "<BANKTRANLIST>", f"<DTSTART>{self._day(first)}", f"<DTEND>{self._day(end)}", *parts,
            "</BANKTRANLIST>", "<LEDGERBAL>", self._value("BALAMT", self._amount(self.held(last))),
            self._value("DTASOF", self._day(last)), "</LEDGERBAL>", f"</{rows}>", "</OFX>",
        ])  # fmt: skip
        return (text.replace("\n", "") if self.habit.uma_linha else text).encode(self.habit.encoding, "replace")

    def _value(self, name: str, text: str) -> str:
        return f"<{name}>{text}" + (f"</{name}>" if self.habit.fecha else "")

    def _day(self, dia: date) -> str:
        return f"{dia:%Y%m%d}" + ("" if self.habit.hora == "varia" else self.habit.hora)

    def _amount(self, valor: int) -> str:
        sign, (whole, cents) = "-" if valor < 0 else "", divmod(abs(valor), 100)
        thousands = f"{whole:,}".replace(",", self.habit.decimal[0]) if len(self.habit.decimal) > 1 else str(whole)
        return f"{sign}{thousands}{self.habit.decimal[-1]}{cents:02}"

    def _transaction(self, dia: date, valor: int, fitid: str | None, texto: str, hora: str = "") -> str:
        values = [("TRNTYPE", "OTHER"), ("DTPOSTED", self._day(dia) + hora), ("TRNAMT", self._amount(valor))]
        values += [] if fitid is None else [("FITID", fitid)]
        members = "\n".join(self._value(name, text) for name, text in [*values, ("MEMO", texto)])
        return f"<STMTTRN>\n{members}\n</STMTTRN>"

    def _move(self, move: Move, moves: Sequence[Move]) -> str:
        place = moves.index(move) + 1
        in_day = [other for other in moves if other.dia == move.dia].index(move) + 1
        fitid = {
            "none": None, "zero": "0", "day": f"{move.dia:%Y%m%d}{in_day:03}", "serial": f"{place:06}",
            "stable": f"N{700_000 + move.numero * 7}", "uuid": str(UUID(int=move.numero * 10**30 + 7)),
        }[self.habit.fitid]  # fmt: skip
        hour = f"{8 + move.numero % 10:02}3{move.numero % 6}11" if self.habit.hora == "varia" else ""
        return self._transaction(move.dia, move.valor, fitid, move.texto, hour)

    def _with_balances(self, first: date, moves: Sequence[Move], parts: Sequence[str]) -> list[str]:
        eve = first - timedelta(1)
        whole = [self._transaction(eve, self.held(eve), f"{eve:%Y%m%d}900", "SALDO ANTERIOR")]
        for place, move in enumerate(moves):
            whole.append(parts[place])
            if place + 1 == len(moves) or moves[place + 1].dia != move.dia:
                whole.append(self._transaction(move.dia, self.held(move.dia), f"{move.dia:%Y%m%d}901", "S A L D O"))
        return whole


def draw_bank(lots: random.Random, habit: Habit, first: date, days: int) -> Bank:
    """Draw an account: movements on any day of the week, also equal ones, some of which speak of balances."""
    texts = ("PIX RECEBIDO", "TARIFA PACOTE", "PAGAMENTO ÇÃO", "PIX RECEBIDO SALDO ANTERIOR ACERTO", "BOLETO <10% DESC")
    moves: list[Move] = []
    for dia in (first + timedelta(day) for day in range(days)):
        for _ in range(lots.choice((0, 0, 1, 1, 2, 4))):
            valor = lots.choice((-1, 1)) * lots.choice((10_000, 3_590, lots.randrange(1, 900_000)))
            moves += [Move(dia, valor, lots.choice(texts))] * lots.choice((1, 1, 1, 1, 2))
    numbered = [Move(move.dia, move.valor, move.texto, place) for place, move in enumerate(moves, 1)]
    return Bank(habit, lots.randrange(100_000, 9_000_000), numbered)


def draw_files(lots: random.Random, bank: Bank, first: date, days: int) -> list[Written]:
    """Draw the files of all these days: periods that touch or overlap, each downloaded after its end."""
    files, start = [], first
    last_day = first + timedelta(days - 1)
    while start <= last_day:
        end = min(last_day, start + timedelta(lots.randrange(4, 35)))
        begin = max(first, start - timedelta(lots.choice((0, 0, 1, 5, 20))))
        files.append(Written(bank.write(begin, end), end + timedelta(lots.choice((1, 1, 3))), begin, end))
        start = end + timedelta(1)
    return files
