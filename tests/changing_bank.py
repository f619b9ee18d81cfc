"""A bank whose files change what they say of a day: what it shows at each download, by one of seventeen habits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from lastro.bank.statements import ReadStatement
from tests.bank import receive

HABITS: Final = (
    "stable", "none", "eve", "place", "anew", "text", "moved", "moved_noid", "moved_seam", "holds", "scheduled",
    "twice", "new", "new_wide", "month", "month_tied", "cut",
)  # fmt: skip
"""How a bank numbers, words, dates and lets go of its lines, and what a person asks it for.

`place`: FITID is the place within the day, the newest first. `anew`: numbered by every download, whose moment is
DTSTART and DTEND. `text`: texts completed later. `moved*`: Saturday's lines are Monday's from then on. `holds`: let go,
or settled with another amount, in no balance until then. `scheduled`: shown before their day. `new*`: only what is new
since the last download. `cut`: somebody takes a line out of a file.
"""
FIRST: Final = datetime(2026, 9, 1)  # noqa: DTZ001 - the bank's local time
DAYS: Final = 45
OPENING: Final = 5_000_000
_YESTERDAY: Final = ("eve", "text", "moved", "moved_noid", "holds", "cut", "moved_seam")
_ONLY_NEW: Final = ("new", "new_wide")
_UNNUMBERED: Final = ("moved_noid", "none", "month_tied")
Shown = tuple[date, int, str]


@dataclass
class Move:
    """A movement: since when the bank shows it, and as what; None where it shows it no more."""

    numero: int
    versions: list[tuple[datetime, Shown | None]]

    def show(self, now: datetime) -> Shown | None:
        """What the bank shows of it at a moment."""
        return next((shown for since, shown in reversed(self.versions) if since <= now), None)


@dataclass(frozen=True)
class Drawn:
    """What was drawn: the files as a run reads them, and what the bank holds at the last of them.

    Attributes:
        read: the statements.
        lines: day and amount of each line that a file ever could show, as the bank has it at the last download.
        moves: all movements.
        last: the moment of the last download.
        habit: the bank's.
    """

    read: list[ReadStatement]
    lines: Counter[tuple[date, int]]
    moves: list[Move]
    last: datetime
    habit: str

    def held(self, day: date) -> int:
        """What the bank says now that it held at the end of a day."""
        return _hold(self.habit, self.moves, self.last, day)


def draw(habit: str, *, server: bool, ledger: bool, seed: int) -> Drawn:
    """Draw an account of a habit, whose files say DTSERVER, and LEDGERBAL, or do not."""
    lots = random.Random(f"{habit}{server}{ledger}{seed}")  # noqa: S311 - repeated, not secret
    moves = [*_draw_moves(lots)]
    for move in moves:
        _change(habit, lots, move)
    state: dict[int, Shown] = {}
    read: list[ReadStatement] = []
    last: datetime | None = None
    for place, now in enumerate(_draw_downloads(habit, lots)):
        first, end = _ask(habit, lots, now, last)
        rows = [(move, shown) for move in moves if (shown := move.show(now)) is not None]
        if habit in _ONLY_NEW:
            rows = [(move, shown) for move, shown in rows if last is None or move.versions[0][0] > last]
        else:
            rows = [row for row in rows if first <= row[1][0] and (row[1][0] <= end or habit == "scheduled")]
            seen = {move.numero for move, _ in rows}
            told = [
                no for no, shown in state.items() if first <= shown[0] and (shown[0] <= end or habit == "scheduled")
            ]
            for numero in told:
                if numero not in seen:
                    del state[numero]
        state |= {move.numero: shown for move, shown in rows}
        if habit == "cut" and rows and last is not None and lots.random() < 0.4:
            rows.pop(lots.randrange(len(rows)))
        content = _write(habit, lots, moves, rows, now, first, end, server=server, ledger=ledger, place=place)
        tied = FIRST.date() + timedelta(60)
        vista = tied if habit == "month_tied" else now.date() + timedelta(lots.choice((0, 0, 1)))
        read += receive(content, f"{place}.ofx", vista)
        last = now
    lots.shuffle(read)
    return Drawn(read, Counter((day, valor) for day, valor, _ in state.values()), moves, last or FIRST, habit)


def _draw_moves(lots: random.Random) -> Iterator[Move]:
    drawn = []
    for day in range(DAYS):
        for _ in range(lots.choice((0, 0, 1, 1, 2, 3))):
            at = FIRST + timedelta(day, 3600 * lots.randrange(7, 22) + lots.randrange(3600))
            valor = lots.choice((-1, 1)) * lots.choice((250, 3590, 10_000, lots.randrange(1, 900_000)))
            texto = lots.choice(("PIX RECEBIDO", "TARIFA PIX", "PAGTO FORNECEDOR", "BOLETO"))
            drawn += [(at, valor, texto)] + [(at + timedelta(0, 7200), valor, texto)] * (lots.random() < 0.15)
    for numero, (at, valor, texto) in enumerate(sorted(drawn, key=lambda one: one[0]), 1):
        yield Move(numero, [(at, (at.date(), valor, texto))])


def _change(habit: str, lots: random.Random, move: Move) -> None:
    """Let the bank show a movement otherwise later."""
    (at, shown), share = move.versions[0], lots.random()
    assert shown is not None
    day, valor, texto = shown
    later: tuple[datetime, Shown | None] | None = None
    if habit == "text" and share < 0.4:
        later = at + timedelta(lots.choice((1, 2))), (day, valor, texto + " CLIENTE A")
    elif habit.startswith("moved") and at.weekday() == 5:
        later = at + timedelta(2), (day + timedelta(2), valor, texto)
    elif habit == "holds" and share < 0.3:
        settled = (day + timedelta(lots.choice((0, 1))), valor + lots.randrange(1, 900), texto + " OK")
        later = at + timedelta(3), None if share < 0.15 else settled
    elif habit == "scheduled" and share < 0.2:
        move.versions[0] = at - timedelta(4), (day, valor, "AGENDADO")
        later = at, shown if lots.random() < 0.8 else None
    if later is not None:
        move.versions.append(later)


def _draw_downloads(habit: str, lots: random.Random) -> Iterator[datetime]:
    now = FIRST + timedelta(8, 3600 * 10)
    while now < FIRST + timedelta(DAYS):
        yield now
        if habit == "twice":
            yield now + timedelta(0, 3600 * 5)
        now = now.replace(hour=lots.choice((8, 10, 15))) + timedelta(lots.choice((1, 2, 5, 9)))


def _ask(habit: str, lots: random.Random, now: datetime, last: datetime | None) -> tuple[date, date]:
    """Choose the days that a person asks for: no day is left out between two downloads."""
    first = max(FIRST, now - timedelta(lots.choice((7, 15, 30)))).date()
    if last is not None and (first > last.date() or habit == "moved_seam"):
        first = last.date()
    if habit.startswith("month"):
        first = (now.date() if now.day > 1 else now.date() - timedelta(1)).replace(day=1)
    if habit in _ONLY_NEW:
        first = (last if last is not None and habit == "new" else FIRST).date()
    return first, now.date() - timedelta(habit in _YESTERDAY)


def _hold(habit: str, moves: list[Move], now: datetime, day: date) -> int:
    settled = [move for move in moves if habit != "holds" or move.versions[-1][0] <= now]
    shown = [move.show(now) for move in settled]
    return OPENING + sum(one[1] for one in shown if one is not None and one[0] <= day)


def _write(
    habit: str, lots: random.Random, moves: list[Move], rows: list[tuple[Move, Shown]], now: datetime, first: date,
    end: date, *, server: bool, ledger: bool, place: int,
) -> bytes:  # fmt: skip
    """Write the file of a download."""
    moment, parts, in_day = f"{now:%Y%m%d%H%M%S}", [], Counter(shown[0] for _, shown in rows)
    for move, (day, valor, texto) in rows:
        fitid = f"N{7_000_000 + move.numero * 13}Q"
        if habit == "place":
            fitid = f"{day:%Y%m%d}077{in_day[day]}"
            in_day[day] -= 1
        elif habit == "anew":
            fitid = f"01K{place:02}X{lots.randrange(10**9):09}Z{move.numero:03}"
        elif habit in _UNNUMBERED:
            fitid = ""
        parts.append(
            f"<STMTTRN>\n<DTPOSTED>{day:%Y%m%d}\n<TRNAMT>{_reais(valor)}\n<FITID>{fitid}\n<MEMO>{texto}\n</STMTTRN>\n"
        )
    asked = end + timedelta(20 * (habit == "scheduled"))
    if habit.startswith("month"):
        asked = (first + timedelta(40)).replace(day=1) - timedelta(1)
    start, until = (moment, moment) if habit == "anew" else (f"{first:%Y%m%d}", f"{asked:%Y%m%d}")
    at = f"{end:%Y%m%d}" if end < now.date() else moment
    balance = f"<LEDGERBAL>\n<BALAMT>{_reais(_hold(habit, moves, now, end))}\n<DTASOF>{at}\n</LEDGERBAL>\n"
    text = (
        f"<OFX>\n{f'<DTSERVER>{moment}' if server else ''}\n<STMTRS>\n<CURDEF>BRL\n<BANKACCTFROM>\n<BANKID>341\n"
        f"<ACCTID>1\n</BANKACCTFROM>\n<BANKTRANLIST>\n<DTSTART>{start}\n<DTEND>{until}\n{''.join(parts)}</BANKTRANLIST>\n"
        f"{balance if ledger else ''}</STMTRS>\n</OFX>\n"
    )
    return text.encode()


def _reais(valor: int) -> str:
    whole, cents = divmod(abs(valor), 100)
    return f"{'-' if valor < 0 else ''}{whole}.{cents:02}"
